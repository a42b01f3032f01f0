// life on empty_bottles at level 5, by Squeeze 0.1.0
//
// strategy bounding-box, blocks of side 27
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 243u;
constexpr index BLOCK_SIDE = 9u;
constexpr u32 RHO = 27;
constexpr u32 BLOCK_PLACES = 729;
constexpr u32 MICRO_CELLS = 343;
// What a step down counts in memory, which is expanded.
constexpr u64 ROW = 243ull;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 81u;
constexpr u32 GROUP = 1;
constexpr u32 THREADS = 256;
// Around a block are 9 blocks, itself in the middle.
constexpr u32 AROUND = 9;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 29;
constexpr u32 TILE_PLACES = 841;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 7;

struct Point {
    index x, y;
};

// What a step needs besides the states.
struct World {
    const u64 *params; // the parameters' bits
    u64 seed;
    u32 time;          // the t that is computed
};

// Random numbers: Philox4x32-10 of a cell's canonical index, the time and the number of the draw.
__device__ __forceinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    u32 a = (u32)cell, b = (u32)(cell >> 32), c = time, d = draw / 4;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const u64 first = (u64)0xd2511f53u * a, second = (u64)0xcd9e8d57u * c;
        a = (u32)(second >> 32) ^ b ^ key_low;
        c = (u32)(first >> 32) ^ d ^ key_high;
        b = (u32)second;
        d = (u32)first;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return draw % 4 == 0 ? a : draw % 4 == 1 ? b : draw % 4 == 2 ? c : d;
}

// Whether a random word is below a probability times 2^32.
__device__ __forceinline__ bool chance(u32 word, double probability) {
    const double bound = probability * 4294967296.0;
    return bound >= 4294967296.0 || bound > 0.0 && word < (u32)bound;
}

// The neighbourhoods, in their order.
__device__ constexpr int OFFSETS_0[][2] = {
    {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
};

// H_ν of empty_bottles: the replica at a place in reading order, 7 at a hole.
__device__ __forceinline__ u32 replica(u32 place) {
    return (u32)(0x6b1a3c7u >> 3 * place) & 0x7;
}

// H_λ of empty_bottles: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x2491u >> 2 * replica) & 0x3;
}

// H_λ of empty_bottles: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0x2a54u >> 2 * replica) & 0x3;
}

__device__ constexpr u32 MICRO_MASK[] = {
    8192, 896, 1207959580, 1071644674, 33488896, 299008, 32704, 8389630, 470680065, 3235934264, 2761050401, 4294967295, 2455764991, 4294920484, 4294967295, 268960831,
    2176901232, 1225656067, 4294780050, 4294967295, 1227133695, 4294967290, 33554431,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// The micro cell at each place of a block; 0 at holes.
__device__ constexpr u16 MICRO_INDEX[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 14, 0,
    0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 8, 9, 10, 15, 16, 17, 22, 23, 24, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    11, 12, 13, 18, 19, 20, 25, 26, 27, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 35,
    0, 0, 42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 29, 30, 31, 36, 37, 38, 43, 44, 45, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 32, 33, 34, 39, 40, 41, 46, 47, 48, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 49, 0, 0, 0, 0, 0, 0, 0, 0,
    98, 0, 0, 0, 0, 0, 0, 0, 0, 147, 0, 0, 0, 0, 0, 0,
    0, 50, 51, 52, 0, 0, 0, 0, 0, 0, 99, 100, 101, 0, 0, 0,
    0, 0, 0, 148, 149, 150, 0, 0, 0, 0, 0, 0, 53, 54, 55, 0,
    0, 0, 0, 0, 0, 102, 103, 104, 0, 0, 0, 0, 0, 0, 151, 152,
    153, 0, 0, 0, 0, 56, 0, 0, 63, 0, 0, 70, 0, 0, 105, 0,
    0, 112, 0, 0, 119, 0, 0, 154, 0, 0, 161, 0, 0, 168, 0, 57,
    58, 59, 64, 65, 66, 71, 72, 73, 106, 107, 108, 113, 114, 115, 120, 121,
    122, 155, 156, 157, 162, 163, 164, 169, 170, 171, 60, 61, 62, 67, 68, 69,
    74, 75, 76, 109, 110, 111, 116, 117, 118, 123, 124, 125, 158, 159, 160, 165,
    166, 167, 172, 173, 174, 0, 77, 0, 0, 84, 0, 0, 91, 0, 0, 126,
    0, 0, 133, 0, 0, 140, 0, 0, 175, 0, 0, 182, 0, 0, 189, 0,
    78, 79, 80, 85, 86, 87, 92, 93, 94, 127, 128, 129, 134, 135, 136, 141,
    142, 143, 176, 177, 178, 183, 184, 185, 190, 191, 192, 81, 82, 83, 88, 89,
    90, 95, 96, 97, 130, 131, 132, 137, 138, 139, 144, 145, 146, 179, 180, 181,
    186, 187, 188, 193, 194, 195, 0, 0, 0, 0, 196, 0, 0, 0, 0, 0,
    0, 0, 0, 245, 0, 0, 0, 0, 0, 0, 0, 0, 294, 0, 0, 0,
    0, 0, 0, 0, 197, 198, 199, 0, 0, 0, 0, 0, 0, 246, 247, 248,
    0, 0, 0, 0, 0, 0, 295, 296, 297, 0, 0, 0, 0, 0, 0, 200,
    201, 202, 0, 0, 0, 0, 0, 0, 249, 250, 251, 0, 0, 0, 0, 0,
    0, 298, 299, 300, 0, 0, 0, 0, 203, 0, 0, 210, 0, 0, 217, 0,
    0, 252, 0, 0, 259, 0, 0, 266, 0, 0, 301, 0, 0, 308, 0, 0,
    315, 0, 204, 205, 206, 211, 212, 213, 218, 219, 220, 253, 254, 255, 260, 261,
    262, 267, 268, 269, 302, 303, 304, 309, 310, 311, 316, 317, 318, 207, 208, 209,
    214, 215, 216, 221, 222, 223, 256, 257, 258, 263, 264, 265, 270, 271, 272, 305,
    306, 307, 312, 313, 314, 319, 320, 321, 0, 224, 0, 0, 231, 0, 0, 238,
    0, 0, 273, 0, 0, 280, 0, 0, 287, 0, 0, 322, 0, 0, 329, 0,
    0, 336, 0, 225, 226, 227, 232, 233, 234, 239, 240, 241, 274, 275, 276, 281,
    282, 283, 288, 289, 290, 323, 324, 325, 330, 331, 332, 337, 338, 339, 228, 229,
    230, 235, 236, 237, 242, 243, 244, 277, 278, 279, 284, 285, 286, 291, 292, 293,
    326, 327, 328, 333, 334, 335, 340, 341, 342,
};

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE;
}

// Where the block lies that is in some direction of one.
__device__ __forceinline__ Point beside(Point corner, u32 direction) {
    return {corner.x + direction % 3 - 1, corner.y + direction / 3 - 1};
}

// Whether there is a block at a point.
__device__ __forceinline__ bool has_block(Point point) {
    if (!is_inside(point)) { return false; }
    index x = point.x, y = point.y;
    u32 digit;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3));
    if (digit == NO_REPLICA) { return false; }
    x /= 3, y /= 3;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3));
    if (digit == NO_REPLICA) { return false; }
    return true;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3));
    sum += (u64)digit, x /= 3, y /= 3;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3));
    sum += (u64)digit * 7ull;
    return sum;
}

// Where the cell at a point is kept, if there is one.
__device__ __forceinline__ u64 place_of(index x, index y) {
    if (x >= CELL_SIDE || y >= CELL_SIDE) { return HOLE; }
    const Point point = {x / RHO, y / RHO};
    const u32 place = (u32)(x % RHO) + RHO * (u32)(y % RHO);
    return has_block(point) && is_cell(place) ? x + ROW * y : HOLE;
}

// λ of cells by their canonical index.
__device__ __forceinline__ Point cell_of(u64 canonical) {
    u64 rest = canonical;
    index x = 0, y = 0;
    u32 digit;
    digit = (u32)(rest % 7), rest /= 7;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 7), rest /= 7;
    x += (index)offset_x(digit) * 3u, y += (index)offset_y(digit) * 3u;
    digit = (u32)(rest % 7), rest /= 7;
    x += (index)offset_x(digit) * 9u, y += (index)offset_y(digit) * 9u;
    digit = (u32)(rest % 7), rest /= 7;
    x += (index)offset_x(digit) * 27u, y += (index)offset_y(digit) * 27u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 81u, y += (index)offset_y(digit) * 81u;
    return {x, y};
}

// The place in memory of the cell with a canonical index.
__device__ __forceinline__ u64 place_of_cell(u64 canonical) {
    const Point cell = cell_of(canonical);
    return place_of(cell.x, cell.y);
}

// life: the initial values.
extern "C" __global__ void __launch_bounds__(THREADS) init(
    bool *__restrict__ next_alive,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ bool present[GROUP];
    __shared__ u64 canonicals[GROUP];
    const index first = (index)blockIdx.x * GROUP;

    // Where the group's blocks lie, and which of them are more than holes.
    bool any_present = false;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        const index number = first + block;
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE};
        present[block] = has_block(corners[block]);
        any_present |= present[block];
    }
    if (!__syncthreads_or(any_present)) {
        return;
    }

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * BLOCK_PLACES; i += THREADS) {
        const u32 block = i / BLOCK_PLACES, place = i % BLOCK_PLACES;
        if (!present[block] || !is_cell(place)) {
            continue;
        }
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
        const u64 canonical_index = canonicals[block] + MICRO_INDEX[place];
        const bool draw = chance(random_word(world.seed, canonical_index, world.time, 0), 0.5);
        next_alive[own] = draw;
    }
}

// life: one step.
extern "C" __global__ void __launch_bounds__(THREADS) next(
    const bool *__restrict__ alive,
    bool *__restrict__ next_alive,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ bool present[GROUP];
    const index first = (index)blockIdx.x * GROUP;

    // Where the group's blocks lie, and which of them are more than holes.
    bool any_present = false;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        const index number = first + block;
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE};
        present[block] = has_block(corners[block]);
        any_present |= present[block];
    }
    if (!__syncthreads_or(any_present)) {
        return;
    }

    for (u32 i = threadIdx.x; i < GROUP * BLOCK_PLACES; i += THREADS) {
        const u32 block = i / BLOCK_PLACES, place = i % BLOCK_PLACES;
        if (!present[block] || !is_cell(place)) {
            continue;
        }
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
        const bool own_alive = alive[own];
        int count = 0;
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
            const int dx = OFFSETS_0[i][0], dy = OFFSETS_0[i][1];
            const bool inside = x + dx < CELL_SIDE && y + dy < CELL_SIDE;
            const bool nb_alive = inside ? alive[own + dx + dy * ROW] : false;
            count += nb_alive;
        }
        const bool test = count >= 2;
        const bool test_ = count <= 3;
        const bool value = test & test_;
        const bool test__ = count == 2;
        const bool choice = own_alive ? value : test__;
        next_alive[own] = choice;
    }
}


// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) read_cells_1(const u8 *state, u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) write_cells_1(u8 *state, const u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}
