// life on menger_sponge at level 3, by Squeeze 0.1.0
//
// strategy lambda, blocks of side 9, maps scalar
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
constexpr index BLOCKS = 20u;
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

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    0, 1, 2, 9, 11, 18, 19, 20, 81, 83, 99, 101, 162, 163, 164, 171,
    173, 180, 181, 182, 3, 4, 5, 12, 14, 21, 22, 23, 84, 86, 102, 104,
    165, 166, 167, 174, 176, 183, 184, 185, 6, 7, 8, 15, 17, 24, 25, 26,
    87, 89, 105, 107, 168, 169, 170, 177, 179, 186, 187, 188, 27, 28, 29, 36,
    38, 45, 46, 47, 108, 110, 126, 128, 189, 190, 191, 198, 200, 207, 208, 209,
    33, 34, 35, 42, 44, 51, 52, 53, 114, 116, 132, 134, 195, 196, 197, 204,
    206, 213, 214, 215, 54, 55, 56, 63, 65, 72, 73, 74, 135, 137, 153, 155,
    216, 217, 218, 225, 227, 234, 235, 236, 57, 58, 59, 66, 68, 75, 76, 77,
    138, 140, 156, 158, 219, 220, 221, 228, 230, 237, 238, 239, 60, 61, 62, 69,
    71, 78, 79, 80, 141, 143, 159, 161, 222, 223, 224, 231, 233, 240, 241, 242,
    243, 244, 245, 252, 254, 261, 262, 263, 324, 326, 342, 344, 405, 406, 407, 414,
    416, 423, 424, 425, 249, 250, 251, 258, 260, 267, 268, 269, 330, 332, 348, 350,
    411, 412, 413, 420, 422, 429, 430, 431, 297, 298, 299, 306, 308, 315, 316, 317,
    378, 380, 396, 398, 459, 460, 461, 468, 470, 477, 478, 479, 303, 304, 305, 312,
    314, 321, 322, 323, 384, 386, 402, 404, 465, 466, 467, 474, 476, 483, 484, 485,
    486, 487, 488, 495, 497, 504, 505, 506, 567, 569, 585, 587, 648, 649, 650, 657,
    659, 666, 667, 668, 489, 490, 491, 498, 500, 507, 508, 509, 570, 572, 588, 590,
    651, 652, 653, 660, 662, 669, 670, 671, 492, 493, 494, 501, 503, 510, 511, 512,
    573, 575, 591, 593, 654, 655, 656, 663, 665, 672, 673, 674, 513, 514, 515, 522,
    524, 531, 532, 533, 594, 596, 612, 614, 675, 676, 677, 684, 686, 693, 694, 695,
    519, 520, 521, 528, 530, 537, 538, 539, 600, 602, 618, 620, 681, 682, 683, 690,
    692, 699, 700, 701, 540, 541, 542, 549, 551, 558, 559, 560, 621, 623, 639, 641,
    702, 703, 704, 711, 713, 720, 721, 722, 543, 544, 545, 552, 554, 561, 562, 563,
    624, 626, 642, 644, 705, 706, 707, 714, 716, 723, 724, 725, 546, 547, 548, 555,
    557, 564, 565, 566, 627, 629, 645, 647, 708, 709, 710, 717, 719, 726, 727, 728,
};

__device__ constexpr u32 MICRO_MASK[] = {
    1073667071, 4294505566, 47972278, 1075075944, 3657479889, 4294668286, 4293120376, 1581252315, 14580, 1024953856, 1363154014, 335544320, 2029277189, 58321, 4099815424, 4290183160,
    4265416591, 3070225855, 85383680, 2150478928, 4275830710, 4176764479, 33535743,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE && point.z < BLOCK_SIDE;
}

// λ: where the block lies that compact space keeps under a number.
__device__ __forceinline__ Point lambda(index number) {
    index rest = number, x = 0, y = 0, z = 0;
    u32 digit;
    digit = (u32)rest;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    return {x, y, z};
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

// Where the group's blocks lie: λ, one thread a block.
__device__ __forceinline__ void locate_corners(index first, Point *corners) {
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        corners[block] = lambda(first + block < BLOCKS ? first + block : 0);
    }
}

// life: the initial values.
extern "C" __global__ void __launch_bounds__(THREADS) init(
    bool *__restrict__ next_alive,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ u64 canonicals[GROUP];
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down, z = corners[block].z * RHO + in;
        const u64 own = x + ROW * y + LAYER * z;
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
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
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
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
