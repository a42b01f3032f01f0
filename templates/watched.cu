{{ watch }}

constexpr u32 TILES_ACROSS = {{ across }};
constexpr int TILE_WIDTH = {{ width }};
constexpr int TILE_HEIGHT = {{ height }};
// How far a cell looks.
constexpr int REACH_X = {{ reach[0] }};
constexpr int REACH_Y = {{ reach[1] }};
constexpr int REACH_Z = {{ reach[2] }};
// How often an axis is looked at: once as it is, and moved to either side where it is periodic.
constexpr int TURNS_X = PERIODIC_X && REACH_X > 0 ? 3 : 1;
constexpr int TURNS_Y = PERIODIC_Y && REACH_Y > 0 ? 3 : 1;
constexpr int TURNS_Z = PERIODIC_Z && REACH_Z > 0 ? 3 : 1;
// The most tiles of an axis that a tile and what is in reach of it touch.
constexpr int MOST_ACROSS = (2 * TILE_WIDTH + 2 * REACH_X - 2) / TILE_WIDTH + 1;
constexpr int MOST_DOWN = (2 * TILE_HEIGHT + 2 * REACH_Y - 2) / TILE_HEIGHT + 1;
constexpr int LAYERS = 2 * REACH_Z + 1;

// One of the tiles of an axis, of so many places each, that hold the places from `from` to `to` of `length`. Whether there is one of this number.
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

// Where so many places of the tile changed, from `x` and `y` on.
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

// The tiles of the list, by any number of blocks.
extern "C" __global__ void __launch_bounds__({{ threads }}) {{ name }}(
{%- for argument in arguments %}
    {{ argument }},
{%- endfor %}
    const Watch watch,
    const World world
) {
    let_next_begin();
    after_pass_before();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *watch.later_count = 0;
    }
    const u32 count = *watch.count;
    for (u32 i = blockIdx.x; i < count; i += gridDim.x) {
        const u32 tile = watch.list[i];
        bool changed = false;
        {{ of_tile }}({% for name in names %}{{ name }}, {% endfor %}world, tile, changed);
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
}
