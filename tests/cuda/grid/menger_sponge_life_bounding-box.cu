// life on menger_sponge at level 3, by Squeeze 0.1.0
//
// strategy bounding-box, blocks of side 9
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 27u;
constexpr index BLOCK_SIDE = 3u;
constexpr u32 RHO = 9;
constexpr u32 BLOCK_PLACES = 729;
constexpr u32 MICRO_CELLS = 400;
// What a step down and a step inwards count in memory, which is expanded.
constexpr u64 ROW = 27ull;
constexpr u64 LAYER = 729ull;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 27u;
constexpr u32 GROUP = 1;
constexpr u32 THREADS = 256;
// Around a block are 27 blocks, itself in the middle.
constexpr u32 AROUND = 27;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 11;
constexpr u32 TILE_PLACES = 1331;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 31;

struct Point {
    index x, y, z;
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
__device__ constexpr int OFFSETS_0[][3] = {
    {-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {1, 0, -1}, {-1, 1, -1}, {0, 1, -1},
    {1, 1, -1}, {-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0},
    {1, 1, 0}, {-1, -1, 1}, {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {-1, 1, 1},
    {0, 1, 1}, {1, 1, 1},
};

// H_ν of menger_sponge: the replica at a place in reading order, 31 at a hole.
__device__ constexpr u8 REPLICA[] = {
    0, 1, 2, 3, 31, 4, 5, 6, 7, 8, 31, 9, 31, 31, 31, 10,
    31, 11, 12, 13, 14, 15, 31, 16, 17, 18, 19,
};
__device__ __forceinline__ u32 replica(u32 place) {
    return REPLICA[place];
}

// H_λ of menger_sponge: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x9224889224ull >> 2 * replica) & 0x3;
}

// H_λ of menger_sponge: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0xa940a0a940ull >> 2 * replica) & 0x3;
}

// H_λ of menger_sponge: the z of a replica.
__device__ __forceinline__ u32 offset_z(u32 replica) {
    return (u32)(0xaaaa550000ull >> 2 * replica) & 0x3;
}

__device__ constexpr u32 MICRO_MASK[] = {
    1073667071, 4294505566, 47972278, 1075075944, 3657479889, 4294668286, 4293120376, 1581252315, 14580, 1024953856, 1363154014, 335544320, 2029277189, 58321, 4099815424, 4290183160,
    4265416591, 3070225855, 85383680, 2150478928, 4275830710, 4176764479, 33535743,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// The micro cell at each place of a block; 0 at holes.
__device__ constexpr u16 MICRO_INDEX[] = {
    0, 1, 2, 20, 21, 22, 40, 41, 42, 3, 0, 4, 23, 0, 24, 43,
    0, 44, 5, 6, 7, 25, 26, 27, 45, 46, 47, 60, 61, 62, 0, 0,
    0, 80, 81, 82, 63, 0, 64, 0, 0, 0, 83, 0, 84, 65, 66, 67,
    0, 0, 0, 85, 86, 87, 100, 101, 102, 120, 121, 122, 140, 141, 142, 103,
    0, 104, 123, 0, 124, 143, 0, 144, 105, 106, 107, 125, 126, 127, 145, 146,
    147, 8, 0, 9, 28, 0, 29, 48, 0, 49, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 10, 0, 11, 30, 0, 31, 50, 0, 51, 68, 0, 69, 0,
    0, 0, 88, 0, 89, 0, 0, 0, 0, 0, 0, 0, 0, 0, 70, 0,
    71, 0, 0, 0, 90, 0, 91, 108, 0, 109, 128, 0, 129, 148, 0, 149,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 110, 0, 111, 130, 0, 131, 150,
    0, 151, 12, 13, 14, 32, 33, 34, 52, 53, 54, 15, 0, 16, 35, 0,
    36, 55, 0, 56, 17, 18, 19, 37, 38, 39, 57, 58, 59, 72, 73, 74,
    0, 0, 0, 92, 93, 94, 75, 0, 76, 0, 0, 0, 95, 0, 96, 77,
    78, 79, 0, 0, 0, 97, 98, 99, 112, 113, 114, 132, 133, 134, 152, 153,
    154, 115, 0, 116, 135, 0, 136, 155, 0, 156, 117, 118, 119, 137, 138, 139,
    157, 158, 159, 160, 161, 162, 0, 0, 0, 180, 181, 182, 163, 0, 164, 0,
    0, 0, 183, 0, 184, 165, 166, 167, 0, 0, 0, 185, 186, 187, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 201, 202, 0, 0, 0, 220,
    221, 222, 203, 0, 204, 0, 0, 0, 223, 0, 224, 205, 206, 207, 0, 0,
    0, 225, 226, 227, 168, 0, 169, 0, 0, 0, 188, 0, 189, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 170, 0, 171, 0, 0, 0, 190, 0, 191, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 208, 0, 209, 0, 0, 0,
    228, 0, 229, 0, 0, 0, 0, 0, 0, 0, 0, 0, 210, 0, 211, 0,
    0, 0, 230, 0, 231, 172, 173, 174, 0, 0, 0, 192, 193, 194, 175, 0,
    176, 0, 0, 0, 195, 0, 196, 177, 178, 179, 0, 0, 0, 197, 198, 199,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 212, 213, 214, 0, 0,
    0, 232, 233, 234, 215, 0, 216, 0, 0, 0, 235, 0, 236, 217, 218, 219,
    0, 0, 0, 237, 238, 239, 240, 241, 242, 260, 261, 262, 280, 281, 282, 243,
    0, 244, 263, 0, 264, 283, 0, 284, 245, 246, 247, 265, 266, 267, 285, 286,
    287, 300, 301, 302, 0, 0, 0, 320, 321, 322, 303, 0, 304, 0, 0, 0,
    323, 0, 324, 305, 306, 307, 0, 0, 0, 325, 326, 327, 340, 341, 342, 360,
    361, 362, 380, 381, 382, 343, 0, 344, 363, 0, 364, 383, 0, 384, 345, 346,
    347, 365, 366, 367, 385, 386, 387, 248, 0, 249, 268, 0, 269, 288, 0, 289,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 250, 0, 251, 270, 0, 271, 290,
    0, 291, 308, 0, 309, 0, 0, 0, 328, 0, 329, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 310, 0, 311, 0, 0, 0, 330, 0, 331, 348, 0, 349,
    368, 0, 369, 388, 0, 389, 0, 0, 0, 0, 0, 0, 0, 0, 0, 350,
    0, 351, 370, 0, 371, 390, 0, 391, 252, 253, 254, 272, 273, 274, 292, 293,
    294, 255, 0, 256, 275, 0, 276, 295, 0, 296, 257, 258, 259, 277, 278, 279,
    297, 298, 299, 312, 313, 314, 0, 0, 0, 332, 333, 334, 315, 0, 316, 0,
    0, 0, 335, 0, 336, 317, 318, 319, 0, 0, 0, 337, 338, 339, 352, 353,
    354, 372, 373, 374, 392, 393, 394, 355, 0, 356, 375, 0, 376, 395, 0, 396,
    357, 358, 359, 377, 378, 379, 397, 398, 399,
};

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE && point.z < BLOCK_SIDE;
}

// Where the block lies that is in some direction of one.
__device__ __forceinline__ Point beside(Point corner, u32 direction) {
    return {corner.x + direction % 3 - 1, corner.y + direction / 3 % 3 - 1, corner.z + direction / 9 - 1};
}

// Whether there is a block at a point.
__device__ __forceinline__ bool has_block(Point point) {
    if (!is_inside(point)) { return false; }
    index x = point.x, y = point.y, z = point.z;
    u32 digit;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3) + 9 * (u32)(z % 3));
    if (digit == NO_REPLICA) { return false; }
    return true;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y, z = point.z;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3) + 9 * (u32)(z % 3));
    sum += (u64)digit;
    return sum;
}

// Where the cell at a point is kept, if there is one.
__device__ __forceinline__ u64 place_of(index x, index y, index z) {
    if (x >= CELL_SIDE || y >= CELL_SIDE || z >= CELL_SIDE) { return HOLE; }
    const Point point = {x / RHO, y / RHO, z / RHO};
    const u32 place = (u32)(x % RHO) + RHO * (u32)(y % RHO) + RHO * RHO * (u32)(z % RHO);
    return has_block(point) && is_cell(place) ? x + ROW * y + LAYER * z : HOLE;
}

// λ of cells by their canonical index.
__device__ __forceinline__ Point cell_of(u64 canonical) {
    u64 rest = canonical;
    index x = 0, y = 0, z = 0;
    u32 digit;
    digit = (u32)(rest % 20), rest /= 20;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    digit = (u32)(rest % 20), rest /= 20;
    x += (index)offset_x(digit) * 3u, y += (index)offset_y(digit) * 3u, z += (index)offset_z(digit) * 3u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 9u, y += (index)offset_y(digit) * 9u, z += (index)offset_z(digit) * 9u;
    return {x, y, z};
}

// The place in memory of the cell with a canonical index.
__device__ __forceinline__ u64 place_of_cell(u64 canonical) {
    const Point cell = cell_of(canonical);
    return place_of(cell.x, cell.y, cell.z);
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
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE % BLOCK_SIDE, number / (BLOCK_SIDE * BLOCK_SIDE)};
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
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down, z = corners[block].z * RHO + in;
        const u64 own = x + ROW * y + LAYER * z;
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
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE % BLOCK_SIDE, number / (BLOCK_SIDE * BLOCK_SIDE)};
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
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down, z = corners[block].z * RHO + in;
        const u64 own = x + ROW * y + LAYER * z;
        const bool own_alive = alive[own];
        int count = 0;
        #pragma unroll
        for (int i = 0; i < 26; ++i) {
            const int dx = OFFSETS_0[i][0], dy = OFFSETS_0[i][1], dz = OFFSETS_0[i][2];
            const bool inside = x + dx < CELL_SIDE && y + dy < CELL_SIDE && z + dz < CELL_SIDE;
            const bool nb_alive = inside ? alive[own + dx + dy * ROW + dz * LAYER] : false;
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
