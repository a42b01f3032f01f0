// life on mosely_snowflake at level 3, by Squeeze 0.1.0
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
constexpr u32 MICRO_CELLS = 324;
// What a step down and a step inwards count in memory, which is expanded.
constexpr u64 ROW = 27ull;
constexpr u64 LAYER = 729ull;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 18u;
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

// H_ν of mosely_snowflake: the replica at a place in reading order, 31 at a hole.
__device__ constexpr u8 REPLICA[] = {
    31, 0, 31, 1, 2, 3, 31, 4, 31, 5, 6, 7, 8, 31, 9, 10,
    11, 12, 31, 13, 31, 14, 15, 16, 31, 17, 31,
};
__device__ __forceinline__ u32 replica(u32 place) {
    return REPLICA[place];
}

// H_λ of mosely_snowflake: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x646489191ull >> 2 * replica) & 0x3;
}

// H_λ of mosely_snowflake: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0x952a50254ull >> 2 * replica) & 0x3;
}

// H_λ of mosely_snowflake: the z of a replica.
__device__ __forceinline__ u32 offset_z(u32 replica) {
    return (u32)(0xaa9555400ull >> 2 * replica) & 0x3;
}

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    4, 12, 13, 14, 22, 84, 85, 86, 93, 95, 102, 103, 104, 166, 174, 175,
    176, 184, 28, 36, 37, 38, 46, 108, 109, 110, 117, 119, 126, 127, 128, 190,
    198, 199, 200, 208, 31, 39, 40, 41, 49, 111, 112, 113, 120, 122, 129, 130,
    131, 193, 201, 202, 203, 211, 34, 42, 43, 44, 52, 114, 115, 116, 123, 125,
    132, 133, 134, 196, 204, 205, 206, 214, 58, 66, 67, 68, 76, 138, 139, 140,
    147, 149, 156, 157, 158, 220, 228, 229, 230, 238, 244, 252, 253, 254, 262, 324,
    325, 326, 333, 335, 342, 343, 344, 406, 414, 415, 416, 424, 247, 255, 256, 257,
    265, 327, 328, 329, 336, 338, 345, 346, 347, 409, 417, 418, 419, 427, 250, 258,
    259, 260, 268, 330, 331, 332, 339, 341, 348, 349, 350, 412, 420, 421, 422, 430,
    271, 279, 280, 281, 289, 351, 352, 353, 360, 362, 369, 370, 371, 433, 441, 442,
    443, 451, 277, 285, 286, 287, 295, 357, 358, 359, 366, 368, 375, 376, 377, 439,
    447, 448, 449, 457, 298, 306, 307, 308, 316, 378, 379, 380, 387, 389, 396, 397,
    398, 460, 468, 469, 470, 478, 301, 309, 310, 311, 319, 381, 382, 383, 390, 392,
    399, 400, 401, 463, 471, 472, 473, 481, 304, 312, 313, 314, 322, 384, 385, 386,
    393, 395, 402, 403, 404, 466, 474, 475, 476, 484, 490, 498, 499, 500, 508, 570,
    571, 572, 579, 581, 588, 589, 590, 652, 660, 661, 662, 670, 514, 522, 523, 524,
    532, 594, 595, 596, 603, 605, 612, 613, 614, 676, 684, 685, 686, 694, 517, 525,
    526, 527, 535, 597, 598, 599, 606, 608, 615, 616, 617, 679, 687, 688, 689, 697,
    520, 528, 529, 530, 538, 600, 601, 602, 609, 611, 618, 619, 620, 682, 690, 691,
    692, 700, 544, 552, 553, 554, 562, 624, 625, 626, 633, 635, 642, 643, 644, 706,
    714, 715, 716, 724,
};

__device__ constexpr u32 MICRO_MASK[] = {
    2420142096, 68313076, 2691698716, 3988779456, 1881676927, 1090633792, 273252306, 4103094384, 3818951263, 2549949570, 4293771252, 4287579619, 3529505647, 2390903167, 1609863691, 270271506,
    77069604, 470025985, 1878814760, 168239099, 1081085980, 308278416, 1055748,
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
    digit = (u32)(rest % 18), rest /= 18;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    digit = (u32)(rest % 18), rest /= 18;
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
