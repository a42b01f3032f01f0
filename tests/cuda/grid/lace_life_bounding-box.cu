// life on lace at level 5, by Squeeze 0.1.0
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
constexpr u32 MICRO_CELLS = 320;
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
constexpr u32 NO_REPLICA = 15;

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

// H_ν of sierpinski_carpet: the replica at a place in reading order, 15 at a hole.
__device__ __forceinline__ u32 replica_0(u32 place) {
    return (u32)(0x7654f3210ull >> 4 * place) & 0xf;
}

// H_λ of sierpinski_carpet: the x of a replica.
__device__ __forceinline__ u32 offset_x_0(u32 replica) {
    return (u32)(0x9224u >> 2 * replica) & 0x3;
}

// H_λ of sierpinski_carpet: the y of a replica.
__device__ __forceinline__ u32 offset_y_0(u32 replica) {
    return (u32)(0xa940u >> 2 * replica) & 0x3;
}

// H_ν of vicsek: the replica at a place in reading order, 15 at a hole.
__device__ __forceinline__ u32 replica_1(u32 place) {
    return (u32)(0xf4f321f0full >> 4 * place) & 0xf;
}

// H_λ of vicsek: the x of a replica.
__device__ __forceinline__ u32 offset_x_1(u32 replica) {
    return (u32)(0x191u >> 2 * replica) & 0x3;
}

// H_λ of vicsek: the y of a replica.
__device__ __forceinline__ u32 offset_y_1(u32 replica) {
    return (u32)(0x254u >> 2 * replica) & 0x3;
}

__device__ constexpr u32 MICRO_MASK[] = {
    1088450616, 235209345, 4294850588, 1840701439, 4294967259, 58835171, 940837381, 29417584, 657152, 3221254184, 4290781169, 4275699894, 119533575, 2628608, 114848, 941362695,
    2168496208, 4287497987, 1840775167, 4294964955, 3765451007, 84050240, 3677198,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// The micro cell at each place of a block; 0 at holes.
__device__ constexpr u16 MICRO_INDEX[] = {
    0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 40, 41, 42, 0,
    0, 0, 0, 0, 0, 80, 81, 82, 0, 0, 0, 0, 0, 0, 3, 0,
    4, 0, 0, 0, 0, 0, 0, 43, 0, 44, 0, 0, 0, 0, 0, 0,
    83, 0, 84, 0, 0, 0, 0, 0, 0, 5, 6, 7, 0, 0, 0, 0,
    0, 0, 45, 46, 47, 0, 0, 0, 0, 0, 0, 85, 86, 87, 0, 0,
    0, 8, 9, 10, 16, 17, 18, 24, 25, 26, 48, 49, 50, 56, 57, 58,
    64, 65, 66, 88, 89, 90, 96, 97, 98, 104, 105, 106, 11, 0, 12, 19,
    0, 20, 27, 0, 28, 51, 0, 52, 59, 0, 60, 67, 0, 68, 91, 0,
    92, 99, 0, 100, 107, 0, 108, 13, 14, 15, 21, 22, 23, 29, 30, 31,
    53, 54, 55, 61, 62, 63, 69, 70, 71, 93, 94, 95, 101, 102, 103, 109,
    110, 111, 0, 0, 0, 32, 33, 34, 0, 0, 0, 0, 0, 0, 72, 73,
    74, 0, 0, 0, 0, 0, 0, 112, 113, 114, 0, 0, 0, 0, 0, 0,
    35, 0, 36, 0, 0, 0, 0, 0, 0, 75, 0, 76, 0, 0, 0, 0,
    0, 0, 115, 0, 116, 0, 0, 0, 0, 0, 0, 37, 38, 39, 0, 0,
    0, 0, 0, 0, 77, 78, 79, 0, 0, 0, 0, 0, 0, 117, 118, 119,
    0, 0, 0, 0, 0, 0, 120, 121, 122, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 160, 161, 162, 0, 0, 0, 0, 0,
    0, 123, 0, 124, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 163, 0, 164, 0, 0, 0, 0, 0, 0, 125, 126, 127, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 165, 166,
    167, 0, 0, 0, 128, 129, 130, 136, 137, 138, 144, 145, 146, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 168, 169, 170, 176, 177, 178, 184, 185, 186, 131,
    0, 132, 139, 0, 140, 147, 0, 148, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 171, 0, 172, 179, 0, 180, 187, 0, 188, 133, 134, 135, 141, 142, 143,
    149, 150, 151, 0, 0, 0, 0, 0, 0, 0, 0, 0, 173, 174, 175, 181,
    182, 183, 189, 190, 191, 0, 0, 0, 152, 153, 154, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 192, 193, 194, 0, 0, 0,
    0, 0, 0, 155, 0, 156, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 195, 0, 196, 0, 0, 0, 0, 0, 0, 157, 158,
    159, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    197, 198, 199, 0, 0, 0, 0, 0, 0, 200, 201, 202, 0, 0, 0, 0,
    0, 0, 240, 241, 242, 0, 0, 0, 0, 0, 0, 280, 281, 282, 0, 0,
    0, 0, 0, 0, 203, 0, 204, 0, 0, 0, 0, 0, 0, 243, 0, 244,
    0, 0, 0, 0, 0, 0, 283, 0, 284, 0, 0, 0, 0, 0, 0, 205,
    206, 207, 0, 0, 0, 0, 0, 0, 245, 246, 247, 0, 0, 0, 0, 0,
    0, 285, 286, 287, 0, 0, 0, 208, 209, 210, 216, 217, 218, 224, 225, 226,
    248, 249, 250, 256, 257, 258, 264, 265, 266, 288, 289, 290, 296, 297, 298, 304,
    305, 306, 211, 0, 212, 219, 0, 220, 227, 0, 228, 251, 0, 252, 259, 0,
    260, 267, 0, 268, 291, 0, 292, 299, 0, 300, 307, 0, 308, 213, 214, 215,
    221, 222, 223, 229, 230, 231, 253, 254, 255, 261, 262, 263, 269, 270, 271, 293,
    294, 295, 301, 302, 303, 309, 310, 311, 0, 0, 0, 232, 233, 234, 0, 0,
    0, 0, 0, 0, 272, 273, 274, 0, 0, 0, 0, 0, 0, 312, 313, 314,
    0, 0, 0, 0, 0, 0, 235, 0, 236, 0, 0, 0, 0, 0, 0, 275,
    0, 276, 0, 0, 0, 0, 0, 0, 315, 0, 316, 0, 0, 0, 0, 0,
    0, 237, 238, 239, 0, 0, 0, 0, 0, 0, 277, 278, 279, 0, 0, 0,
    0, 0, 0, 317, 318, 319, 0, 0, 0,
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
    digit = replica_1((u32)(x % 3) + 3 * (u32)(y % 3));
    if (digit == NO_REPLICA) { return false; }
    x /= 3, y /= 3;
    digit = replica_0((u32)(x % 3) + 3 * (u32)(y % 3));
    if (digit == NO_REPLICA) { return false; }
    return true;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y;
    u64 sum = 0;
    u32 digit;
    digit = replica_1((u32)(x % 3) + 3 * (u32)(y % 3));
    sum += (u64)digit, x /= 3, y /= 3;
    digit = replica_0((u32)(x % 3) + 3 * (u32)(y % 3));
    sum += (u64)digit * 5ull;
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
    digit = (u32)(rest % 8), rest /= 8;
    x += (index)offset_x_0(digit), y += (index)offset_y_0(digit);
    digit = (u32)(rest % 5), rest /= 5;
    x += (index)offset_x_1(digit) * 3u, y += (index)offset_y_1(digit) * 3u;
    digit = (u32)(rest % 8), rest /= 8;
    x += (index)offset_x_0(digit) * 9u, y += (index)offset_y_0(digit) * 9u;
    digit = (u32)(rest % 5), rest /= 5;
    x += (index)offset_x_1(digit) * 27u, y += (index)offset_y_1(digit) * 27u;
    digit = (u32)rest;
    x += (index)offset_x_0(digit) * 81u, y += (index)offset_y_0(digit) * 81u;
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
