// life on sierpinski_carpet at level 5, by Squeeze 0.1.0
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
constexpr u32 MICRO_CELLS = 512;
// What a step down counts in memory, which is expanded.
constexpr u64 ROW = 243ull;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 64u;
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
__device__ __forceinline__ u32 replica(u32 place) {
    return (u32)(0x7654f3210ull >> 4 * place) & 0xf;
}

// H_λ of sierpinski_carpet: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x9224u >> 2 * replica) & 0x3;
}

// H_λ of sierpinski_carpet: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0xa940u >> 2 * replica) & 0x3;
}

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    0, 1, 2, 27, 29, 54, 55, 56, 3, 4, 5, 30, 32, 57, 58, 59,
    6, 7, 8, 33, 35, 60, 61, 62, 81, 82, 83, 108, 110, 135, 136, 137,
    87, 88, 89, 114, 116, 141, 142, 143, 162, 163, 164, 189, 191, 216, 217, 218,
    165, 166, 167, 192, 194, 219, 220, 221, 168, 169, 170, 195, 197, 222, 223, 224,
    9, 10, 11, 36, 38, 63, 64, 65, 12, 13, 14, 39, 41, 66, 67, 68,
    15, 16, 17, 42, 44, 69, 70, 71, 90, 91, 92, 117, 119, 144, 145, 146,
    96, 97, 98, 123, 125, 150, 151, 152, 171, 172, 173, 198, 200, 225, 226, 227,
    174, 175, 176, 201, 203, 228, 229, 230, 177, 178, 179, 204, 206, 231, 232, 233,
    18, 19, 20, 45, 47, 72, 73, 74, 21, 22, 23, 48, 50, 75, 76, 77,
    24, 25, 26, 51, 53, 78, 79, 80, 99, 100, 101, 126, 128, 153, 154, 155,
    105, 106, 107, 132, 134, 159, 160, 161, 180, 181, 182, 207, 209, 234, 235, 236,
    183, 184, 185, 210, 212, 237, 238, 239, 186, 187, 188, 213, 215, 240, 241, 242,
    243, 244, 245, 270, 272, 297, 298, 299, 246, 247, 248, 273, 275, 300, 301, 302,
    249, 250, 251, 276, 278, 303, 304, 305, 324, 325, 326, 351, 353, 378, 379, 380,
    330, 331, 332, 357, 359, 384, 385, 386, 405, 406, 407, 432, 434, 459, 460, 461,
    408, 409, 410, 435, 437, 462, 463, 464, 411, 412, 413, 438, 440, 465, 466, 467,
    261, 262, 263, 288, 290, 315, 316, 317, 264, 265, 266, 291, 293, 318, 319, 320,
    267, 268, 269, 294, 296, 321, 322, 323, 342, 343, 344, 369, 371, 396, 397, 398,
    348, 349, 350, 375, 377, 402, 403, 404, 423, 424, 425, 450, 452, 477, 478, 479,
    426, 427, 428, 453, 455, 480, 481, 482, 429, 430, 431, 456, 458, 483, 484, 485,
    486, 487, 488, 513, 515, 540, 541, 542, 489, 490, 491, 516, 518, 543, 544, 545,
    492, 493, 494, 519, 521, 546, 547, 548, 567, 568, 569, 594, 596, 621, 622, 623,
    573, 574, 575, 600, 602, 627, 628, 629, 648, 649, 650, 675, 677, 702, 703, 704,
    651, 652, 653, 678, 680, 705, 706, 707, 654, 655, 656, 681, 683, 708, 709, 710,
    495, 496, 497, 522, 524, 549, 550, 551, 498, 499, 500, 525, 527, 552, 553, 554,
    501, 502, 503, 528, 530, 555, 556, 557, 576, 577, 578, 603, 605, 630, 631, 632,
    582, 583, 584, 609, 611, 636, 637, 638, 657, 658, 659, 684, 686, 711, 712, 713,
    660, 661, 662, 687, 689, 714, 715, 716, 663, 664, 665, 690, 692, 717, 718, 719,
    504, 505, 506, 531, 533, 558, 559, 560, 507, 508, 509, 534, 536, 561, 562, 563,
    510, 511, 512, 537, 539, 564, 565, 566, 585, 586, 587, 612, 614, 639, 640, 641,
    591, 592, 593, 618, 620, 645, 646, 647, 666, 667, 668, 693, 695, 720, 721, 722,
    669, 670, 671, 696, 698, 723, 724, 725, 672, 673, 674, 699, 701, 726, 727, 728,
};

__device__ constexpr u32 MICRO_MASK[] = {
    1879048191, 4293768923, 529530879, 1756651071, 2412241873, 3221225471, 4290173805, 268435455, 5996512, 4161011565, 4055899263, 512360610, 1073508359, 23986048, 3759144372, 4294967295,
    4218271451, 3825205247, 756518855, 4059624538, 4294967267, 3988183919, 33554431,
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
    digit = (u32)(rest % 8), rest /= 8;
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
    sum += (u64)digit * 8ull;
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
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 8), rest /= 8;
    x += (index)offset_x(digit) * 3u, y += (index)offset_y(digit) * 3u;
    digit = (u32)(rest % 8), rest /= 8;
    x += (index)offset_x(digit) * 9u, y += (index)offset_y(digit) * 9u;
    digit = (u32)(rest % 8), rest /= 8;
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
