// life on empty_bottles at level 5, by Squeeze 0.1.0
//
// strategy lambda, blocks of side 27, maps scalar
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
constexpr index BLOCKS = 49u;
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

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    13, 39, 40, 41, 66, 67, 68, 91, 117, 118, 119, 144, 145, 146, 94, 120,
    121, 122, 147, 148, 149, 97, 123, 124, 125, 150, 151, 152, 172, 198, 199, 200,
    225, 226, 227, 175, 201, 202, 203, 228, 229, 230, 178, 204, 205, 206, 231, 232,
    233, 247, 273, 274, 275, 300, 301, 302, 325, 351, 352, 353, 378, 379, 380, 328,
    354, 355, 356, 381, 382, 383, 331, 357, 358, 359, 384, 385, 386, 406, 432, 433,
    434, 459, 460, 461, 409, 435, 436, 437, 462, 463, 464, 412, 438, 439, 440, 465,
    466, 467, 256, 282, 283, 284, 309, 310, 311, 334, 360, 361, 362, 387, 388, 389,
    337, 363, 364, 365, 390, 391, 392, 340, 366, 367, 368, 393, 394, 395, 415, 441,
    442, 443, 468, 469, 470, 418, 444, 445, 446, 471, 472, 473, 421, 447, 448, 449,
    474, 475, 476, 265, 291, 292, 293, 318, 319, 320, 343, 369, 370, 371, 396, 397,
    398, 346, 372, 373, 374, 399, 400, 401, 349, 375, 376, 377, 402, 403, 404, 424,
    450, 451, 452, 477, 478, 479, 427, 453, 454, 455, 480, 481, 482, 430, 456, 457,
    458, 483, 484, 485, 490, 516, 517, 518, 543, 544, 545, 568, 594, 595, 596, 621,
    622, 623, 571, 597, 598, 599, 624, 625, 626, 574, 600, 601, 602, 627, 628, 629,
    649, 675, 676, 677, 702, 703, 704, 652, 678, 679, 680, 705, 706, 707, 655, 681,
    682, 683, 708, 709, 710, 499, 525, 526, 527, 552, 553, 554, 577, 603, 604, 605,
    630, 631, 632, 580, 606, 607, 608, 633, 634, 635, 583, 609, 610, 611, 636, 637,
    638, 658, 684, 685, 686, 711, 712, 713, 661, 687, 688, 689, 714, 715, 716, 664,
    690, 691, 692, 717, 718, 719, 508, 534, 535, 536, 561, 562, 563, 586, 612, 613,
    614, 639, 640, 641, 589, 615, 616, 617, 642, 643, 644, 592, 618, 619, 620, 645,
    646, 647, 667, 693, 694, 695, 720, 721, 722, 670, 696, 697, 698, 723, 724, 725,
    673, 699, 700, 701, 726, 727, 728,
};

__device__ constexpr u32 MICRO_MASK[] = {
    8192, 896, 1207959580, 1071644674, 33488896, 299008, 32704, 8389630, 470680065, 3235934264, 2761050401, 4294967295, 2455764991, 4294920484, 4294967295, 268960831,
    2176901232, 1225656067, 4294780050, 4294967295, 1227133695, 4294967290, 33554431,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE;
}

// λ: where the block lies that compact space keeps under a number.
__device__ __forceinline__ Point lambda(index number) {
    index rest = number, x = 0, y = 0;
    u32 digit;
    digit = (u32)(rest % 7), rest /= 7;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)rest;
    x += (index)offset_x(digit) * 3u, y += (index)offset_y(digit) * 3u;
    return {x, y};
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
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
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
