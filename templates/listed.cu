//// Store
// Whether two values differ in any bit.
template <typename T> __device__ __forceinline__ bool differ(T a, T b) {
    return a != b;
}
template <> __device__ __forceinline__ bool differ<float>(float a, float b) {
    return __float_as_uint(a) != __float_as_uint(b);
}
template <> __device__ __forceinline__ bool differ<double>(double a, double b) {
    return __double_as_longlong(a) != __double_as_longlong(b);
}

// Stores a value in place of another, and notes if they differ.
template <typename T> __device__ __forceinline__ void store_watched(T &place, T before, T value, bool &changed) {
    changed |= differ(before, value);
    place = value;
}

//// List
// A pass computes the tiles of a list, and makes the list of the next pass: each tile that looks at one which differs from its state two passes
// ago, once. All other tiles need not be computed. The order of a list does not matter.
{{ watch }}

constexpr u32 TILES = {{ tiles }};

// A tile of the list has been computed.
__device__ __forceinline__ void take_away(const Watch &watch, u32 tile) {
    atomicAnd(&watch.marks[tile / 32], ~(1u << (tile % 32)));
}

// Lists all tiles for the pass, and none for the next one.
extern "C" __global__ void __launch_bounds__({{ threads }}) list_all(const Watch watch) {
    for (u32 tile = blockIdx.x * {{ threads }} + threadIdx.x; tile < TILES; tile += gridDim.x * {{ threads }}) {
        watch.list[tile] = tile;
        if (tile % 32 == 0) {
            watch.marks[tile / 32] = 0xffffffff;
            watch.next_marks[tile / 32] = 0;
        }
        if (tile == 0) {
            *watch.count = TILES;
            *watch.next_count = 0;
        }
    }
}

//// Superblocks
// Lists the superblock and its neighbours if some thread found it changed: nobody else looks at it. A whole warp asks.
__device__ __forceinline__ void list_beside(const World &world, const Watch &watch, u32 superblock, bool changed) {
    if (!__any_sync(0xffffffff, changed)) {
        return;
    }
    // The first thread of the warp that found it lists for all of them.
    const u32 same = __match_any_sync(0xffffffff, changed ? superblock : ABSENT);
    if (!changed || (same & ((1u << (threadIdx.x % 32)) - 1)) != 0) {
        return;
    }
    // All are asked at once: to wait for one after the other would take longer than the pass.
    u32 tiles[DIRECTIONS + 1], before[DIRECTIONS + 1], fresh = 0;
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        tiles[i] = i < DIRECTIONS ? world.neighbours[(u64)superblock * DIRECTIONS + i] : superblock;
    }
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        const u32 bit = 1u << (tiles[i] % 32);
        before[i] = tiles[i] == TILES || (atomicOr(&watch.next_marks[tiles[i] / 32], bit) & bit) != 0;
    }
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        fresh += 1 - before[i];
    }
    if (fresh == 0) {
        return;
    }
    u32 place = atomicAdd(watch.next_count, fresh);
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        if (before[i] == 0) {
            watch.next_list[place++] = tiles[i];
        }
    }
}

//// Tiles
constexpr u32 TILES_ACROSS = {{ across }};
constexpr int TILE_WIDTH = {{ width }};
constexpr int TILE_HEIGHT = {{ height }};
// How far a cell looks.
constexpr int REACH_X = {{ reach[0] }};
constexpr int REACH_Y = {{ reach[1] }};
constexpr int REACH_Z = {{ reach[2] }};
// How often an axis is looked at: once as it is, and where it is periodic also moved to either side.
constexpr int TURNS_X = PERIODIC_X && REACH_X > 0 ? 3 : 1;
constexpr int TURNS_Y = PERIODIC_Y && REACH_Y > 0 ? 3 : 1;
constexpr int TURNS_Z = PERIODIC_Z && REACH_Z > 0 ? 3 : 1;
// The most tiles of an axis that a tile and what is in reach of it touch.
constexpr int MOST_ACROSS = (2 * TILE_WIDTH + 2 * REACH_X - 2) / TILE_WIDTH + 1;
constexpr int MOST_DOWN = (2 * TILE_HEIGHT + 2 * REACH_Y - 2) / TILE_HEIGHT + 1;
constexpr int LAYERS = 2 * REACH_Z + 1;

// Tile `number` of those, of `tile` places each, that hold the places from `from` to `to` along an axis of `length`. Returns whether there is one.
__device__ __forceinline__ bool nth_tile(long long from, long long to, long long length, u32 tile, u32 number, u32 &found) {
    if (to < 0 || from >= length) {
        return false;
    }
    found = (u32)(from < 0 ? 0 : from) / tile + number;
    return found <= (u32)(to < length ? to : length - 1) / tile;
}

// Lists a tile for the next pass, once.
__device__ __forceinline__ void list_tile(const Watch &watch, u32 tile) {
    const u32 bit = 1u << (tile % 32);
    if ((atomicOr(&watch.next_marks[tile / 32], bit) & bit) == 0) {
        watch.next_list[atomicAdd(watch.next_count, 1u)] = tile;
    }
}

// Whether something changed so near to the sides of a tile that tiles beyond them see it.
struct Changes {
    bool left, right, above, below;
};

// The changes at the sides of a tile, if its ACROSS × DOWN places from `x` and `y` on changed.
template <int ACROSS, int DOWN> __device__ __forceinline__ Changes changes_at(u32 tile, bool changed, int x, int y) {
    // Rows of several layers stand one below the other.
    constexpr bool LAYERED = DEPTH > 1;
    const int width = (int)(WIDTH - tile % TILES_ACROSS * TILE_WIDTH), height = (int)(HEIGHT - tile / TILES_ACROSS * TILE_HEIGHT);
    return {
        changed && x < REACH_X,
        changed && x + ACROSS > (TILE_WIDTH < width ? TILE_WIDTH : width) - REACH_X,
        changed && (LAYERED || y < REACH_Y),
        changed && (LAYERED || y + DOWN > (TILE_HEIGHT < height ? TILE_HEIGHT : height) - REACH_Y),
    };
}

// Lists all tiles that see what changed.
__device__ __forceinline__ void list_around(const Watch &watch, u32 tile, const Changes &changes) {
    const int before = changes.left ? REACH_X : 0, behind = changes.right ? REACH_X : 0;
    const int above = changes.above ? REACH_Y : 0, below = changes.below ? REACH_Y : 0;
    const long long all = (long long)HEIGHT * DEPTH;
    const long long left = (long long)(tile % TILES_ACROSS) * TILE_WIDTH, top = (long long)(tile / TILES_ACROSS) * TILE_HEIGHT;
    const long long right = left + TILE_WIDTH < WIDTH ? left + TILE_WIDTH : WIDTH, bottom = top + TILE_HEIGHT < all ? top + TILE_HEIGHT : all;
    // Whether rows look beyond the edges of their layer.
    const long long y = top % HEIGHT, end = y + (bottom - top);
    const bool at_low = y < REACH_Y || end > HEIGHT, at_high = end + REACH_Y > HEIGHT;
    for (int i = (int)threadIdx.x; i < MOST_ACROSS * TURNS_X * MOST_DOWN * TURNS_Y * LAYERS * TURNS_Z; i += {{ threads }}) {
        int rest = i;
        const u32 across = (u32)(rest % MOST_ACROSS);
        rest /= MOST_ACROSS;
        const u32 down = (u32)(rest % MOST_DOWN);
        rest /= MOST_DOWN;
        const int turn_x = rest % TURNS_X - TURNS_X / 2;
        rest /= TURNS_X;
        const int turn_y = rest % TURNS_Y - TURNS_Y / 2;
        rest /= TURNS_Y;
        const int turn_z = rest % TURNS_Z - TURNS_Z / 2, layer = rest / TURNS_Z - REACH_Z;
        if ((turn_y > 0 && !at_low) || (turn_y < 0 && !at_high)) {
            continue;
        }
        const long long by_x = (long long)turn_x * WIDTH, by_row = (long long)(layer + turn_y) * HEIGHT + turn_z * all;
        u32 column = 0, row = 0;
        if (!nth_tile(left - before + by_x, right - 1 + behind + by_x, WIDTH, TILE_WIDTH, across, column)
            || !nth_tile(top - above + by_row, bottom - 1 + below + by_row, all, TILE_HEIGHT, down, row)) {
            continue;
        }
        list_tile(watch, row * TILES_ACROSS + column);
    }
}

//// Kernel
    after_pass_before();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *watch.later_count = 0;
    }
    const u32 count = *watch.count;
    for (u32 i = blockIdx.x; i < count; i += gridDim.x) {
        const u32 tile = watch.list[i];
        bool changed = false;
        {{ call }}
        if (__syncthreads_or(changed)) {
            const Changes own = changes_at<{{ of_thread.across }}, {{ of_thread.down }}>(tile, changed, {{ of_thread.x }}, {{ of_thread.y }});
            const bool left = __syncthreads_or(own.left), right = __syncthreads_or(own.right);
            const bool above = __syncthreads_or(own.above), below = __syncthreads_or(own.below);
            list_around(watch, tile, {left, right, above, below});
        }
        if (threadIdx.x == 0) {
            take_away(watch, tile);
        }
    }
