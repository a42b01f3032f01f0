// Arrays packed by masks: how many cells come before each tile of a mask, and values moved between all places and the cells alone.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// A tile is 32 words of a mask, 1024 places, which a warp takes. A chunk is 64 tiles, whose cells one block counts.
constexpr u32 TILES = 64;
// The most cells of a tile that is packed by looking for each of them; fuller tiles are packed word by word.
constexpr u32 FEW_CELLS = 256;
// How many words or cells of a lane are on their way at a time.
constexpr u32 TOGETHER = 8;

// A mask, padded with zeros to whole chunks, and the cells before its parts.
{{ tiles }}

// The sum of what the lanes before this one in the warp have.
__device__ __forceinline__ u32 sum_before(u32 value) {
    const u32 lane = threadIdx.x % 32;
    u32 sum = value;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
        const u32 there = __shfl_up_sync(0xffffffff, sum, step);
        sum += lane >= step ? there : 0;
    }
    return sum - value;
}

__device__ __forceinline__ u32 ones(const uint4 &words) {
    return (u32)(__popc(words.x) + __popc(words.y) + __popc(words.z) + __popc(words.w));
}

// Counts the cells of each chunk: those before each tile, and the sum. One block a chunk, of any number of whole warps.
extern "C" __global__ void __launch_bounds__(1024) count_tiles(const uint4 *mask, u32 *before, u32 *chunks) {
    __shared__ u32 counts[TILES];
    const u32 lane = threadIdx.x % 32, quads = TILES * 8;
    const uint4 *own = mask + (u64)blockIdx.x * quads;
    for (u32 first = threadIdx.x; first < quads; first += 2 * blockDim.x) {
        // Both loads are on their way before one is waited for.
        const u32 second = first + blockDim.x;
        const uint4 here = own[first], there = own[second < quads ? second : first];
        u32 sum = ones(here) | ones(there) << 16;
#pragma unroll
        for (u32 step = 1; step < 8; step *= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        }
        if (lane % 8 == 0) {
            counts[first / 8] = sum & 0xffff;
            if (second < quads) {
                counts[second / 8] = sum >> 16;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        // Each lane has two tiles.
        const u32 one = counts[2 * lane], both = one + counts[2 * lane + 1], sum = sum_before(both);
        before[(u64)blockIdx.x * (TILES / 2) + lane] = sum | (sum + one) << 16;
        if (lane == 31) {
            chunks[blockIdx.x] = sum + both;
        }
    }
}

// Makes of what each of `count` chunks has what all before it have; behind the last one stands the sum of all. There is room for a multiple of 16
// that is greater than `count`. One block of 1024 threads.
extern "C" __global__ void __launch_bounds__(1024) sum_chunks(uint4 *chunks, u32 count) {
    __shared__ u32 warps[32];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 all = 0;
    for (u32 first = 0; first <= count; first += 16 * 1024) {
        const u32 at = first + 16 * threadIdx.x;
        u32 own[16];
#pragma unroll
        for (u32 i = 0; i < 4; ++i) {
            const u32 place = at + 4 * i;
            const uint4 quad = place < count ? chunks[place / 4] : uint4{0, 0, 0, 0};
            own[4 * i] = quad.x;
            own[4 * i + 1] = place + 1 < count ? quad.y : 0;
            own[4 * i + 2] = place + 2 < count ? quad.z : 0;
            own[4 * i + 3] = place + 3 < count ? quad.w : 0;
        }
        u32 sum = 0;
#pragma unroll
        for (u32 i = 0; i < 16; ++i) {
            sum += own[i];
        }
        const u32 within = sum_before(sum);
        if (lane == 31) {
            warps[warp] = within + sum;
        }
        __syncthreads();
        const u32 of_warp = warps[lane], before_warp = sum_before(of_warp);
        u32 next = all + __shfl_sync(0xffffffff, before_warp, warp) + within;
        all += __shfl_sync(0xffffffff, before_warp + of_warp, 31);
#pragma unroll
        for (u32 i = 0; i < 4; ++i) {
            uint4 quad;
            quad.x = next;
            quad.y = quad.x + own[4 * i];
            quad.z = quad.y + own[4 * i + 1];
            quad.w = quad.z + own[4 * i + 2];
            next = quad.w + own[4 * i + 3];
            if (at + 4 * i <= count) {
                chunks[at / 4 + i] = quad;
            }
        }
        __syncthreads();
    }
}

// What a warp knows of its tile: of each lane's word the cells before it in the tile.
struct Tile {
    u64 first; // place
    u32 rank;  // of the first cell
    u32 cells;
    u32 word;
    u32 before;
};

// The number of a warp's tile; whether there is one is the same in all lanes.
__device__ __forceinline__ u64 tile_number() {
    return ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

__device__ __forceinline__ Tile tile_of(const Tiles &tiles) {
    const u64 number = tile_number();
    const u32 word = tiles.mask[32 * number + threadIdx.x % 32], own = (u32)__popc(word), before = sum_before(own);
    const u32 rank = tiles.chunks[number / TILES] + tiles.before[number];
    return {1024 * number, rank, __shfl_sync(0xffffffff, before + own, 31), word, before};
}

// The place of the set bit of this number in a word, which has more.
__device__ __forceinline__ u32 select_in_word(u32 word, u32 number) {
    u32 place = 0;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        const u32 below = (u32)__popc(word >> place & ((1u << step) - 1));
        if (number >= below) {
            number -= below;
            place += step;
        }
    }
    return place;
}

// The place in a tile of one of its cells. All lanes of a warp look together, each for a cell of its own.
__device__ __forceinline__ u32 select_in_tile(u32 word, u32 before, u32 cell) {
    u32 at = 0;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        at += __shfl_sync(0xffffffff, before, at + step) <= cell ? step : 0;
    }
    const u32 there = __shfl_sync(0xffffffff, word, at);
    return 32 * at + select_in_word(there, cell - __shfl_sync(0xffffffff, before, at));
}

// Whether the lane has a cell in a word of the tile, and how many cells of the tile come before it.
__device__ __forceinline__ bool cell_of_lane(const Tile &tile, u32 word, u32 &rank) {
    const u32 bits = __shfl_sync(0xffffffff, tile.word, word), bit = 1u << threadIdx.x % 32;
    rank = __shfl_sync(0xffffffff, tile.before, word) + (u32)__popc(bits & (bit - 1));
    return (bits & bit) != 0;
}

// Gives the places of a tile's cells, by rank, what `load` has at them: `store` is told the ranks.
template <class Value, class Load, class Store>
__device__ __forceinline__ void pack_tile(const Tile &tile, Load load, Store store) {
    constexpr u32 COUNT = sizeof(Value) > 8 ? TOGETHER / 2 : TOGETHER;
    const u32 lane = threadIdx.x % 32;
    if (tile.cells <= FEW_CELLS) {
#pragma unroll 1
        for (u32 first = 0; first < tile.cells; first += 32 * COUNT) {
            Value values[COUNT];
#pragma unroll
            for (u32 i = 0; i < COUNT; ++i) {
                const u32 cell = first + 32 * i + lane;
                // Where no lane has one left, nobody looks.
                if (first + 32 * i < tile.cells) {
                    const u32 place = select_in_tile(tile.word, tile.before, cell);
                    if (cell < tile.cells) {
                        values[i] = load(tile.first + place);
                    }
                }
            }
#pragma unroll
            for (u32 i = 0; i < COUNT; ++i) {
                const u32 cell = first + 32 * i + lane;
                if (cell < tile.cells) {
                    store((u64)tile.rank + cell, values[i]);
                }
            }
        }
        return;
    }
#pragma unroll 1
    for (u32 group = 0; group < 32; group += COUNT) {
        Value values[COUNT];
        u32 ranks[COUNT];
        bool cells[COUNT];
#pragma unroll
        for (u32 i = 0; i < COUNT; ++i) {
            cells[i] = cell_of_lane(tile, group + i, ranks[i]);
            if (cells[i]) {
                values[i] = load(tile.first + 32 * (group + i) + lane);
            }
        }
#pragma unroll
        for (u32 i = 0; i < COUNT; ++i) {
            if (cells[i]) {
                store((u64)tile.rank + ranks[i], values[i]);
            }
        }
    }
}

// The values of the cells alone.
template <class Value>
__device__ __forceinline__ void pack(const Tiles &tiles, const Value *values, Value *packed) {
    if (tile_number() < tiles.count) {
        pack_tile<Value>(
            tile_of(tiles), [&](u64 place) { return values[place]; }, [&](u64 rank, const Value &value) { packed[rank] = value; });
    }
}

// The values of all places; those of holes are all `hole`.
template <class Value>
__device__ __forceinline__ void unpack(const Tiles &tiles, const Value *packed, Value *values, u64 places, const Value *hole) {
    if (tile_number() >= tiles.count) {
        return;
    }
    constexpr u32 COUNT = sizeof(Value) > 8 ? TOGETHER / 2 : TOGETHER;
    const Tile tile = tile_of(tiles);
    const u32 lane = threadIdx.x % 32;
    const Value none = *hole;
#pragma unroll 1
    for (u32 group = 0; group < 32; group += COUNT) {
        Value found[COUNT];
#pragma unroll
        for (u32 i = 0; i < COUNT; ++i) {
            u32 rank;
            found[i] = none;
            if (cell_of_lane(tile, group + i, rank)) {
                found[i] = packed[(u64)tile.rank + rank];
            }
        }
#pragma unroll
        for (u32 i = 0; i < COUNT; ++i) {
            const u64 place = tile.first + 32 * (group + i) + lane;
            if (place < places) {
                values[place] = found[i];
            }
        }
    }
}

struct alignas(16) Bytes16 {
    u64 low, high;
};

extern "C" __global__ void __launch_bounds__(1024) pack_1(Tiles tiles, const u8 *values, u8 *packed) {
    pack(tiles, values, packed);
}

extern "C" __global__ void __launch_bounds__(1024) pack_2(Tiles tiles, const u16 *values, u16 *packed) {
    pack(tiles, values, packed);
}

extern "C" __global__ void __launch_bounds__(1024) pack_4(Tiles tiles, const u32 *values, u32 *packed) {
    pack(tiles, values, packed);
}

extern "C" __global__ void __launch_bounds__(1024) pack_8(Tiles tiles, const u64 *values, u64 *packed) {
    pack(tiles, values, packed);
}

extern "C" __global__ void __launch_bounds__(1024) pack_16(Tiles tiles, const Bytes16 *values, Bytes16 *packed) {
    pack(tiles, values, packed);
}

extern "C" __global__ void __launch_bounds__(1024) unpack_1(Tiles tiles, const u8 *packed, u8 *values, u64 places, const u8 *hole) {
    unpack(tiles, packed, values, places, hole);
}

extern "C" __global__ void __launch_bounds__(1024) unpack_2(Tiles tiles, const u16 *packed, u16 *values, u64 places, const u16 *hole) {
    unpack(tiles, packed, values, places, hole);
}

extern "C" __global__ void __launch_bounds__(1024) unpack_4(Tiles tiles, const u32 *packed, u32 *values, u64 places, const u32 *hole) {
    unpack(tiles, packed, values, places, hole);
}

extern "C" __global__ void __launch_bounds__(1024) unpack_8(Tiles tiles, const u64 *packed, u64 *values, u64 places, const u64 *hole) {
    unpack(tiles, packed, values, places, hole);
}

extern "C" __global__ void __launch_bounds__(1024)
unpack_16(Tiles tiles, const Bytes16 *packed, Bytes16 *values, u64 places, const Bytes16 *hole) {
    unpack(tiles, packed, values, places, hole);
}
