// life on sierpinski_triangle at level 9, by Squeeze 0.1.0
//
// strategy lambda, blocks of side 32, maps scalar
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule life; domain sierpinski_triangle 3b1298cdcf1aa7bf; level 9; strategy lambda, blocks of side 32, maps scalar; kernels 293b6d3b2fbf38ce

namespace squeeze_sierpinski_triangle_9_lambda_32_scalar_life_kernels {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 512u;
constexpr index BLOCK_SIDE = 16u;
constexpr u32 RHO = 32;
constexpr u32 BLOCK_PLACES = 1024;
constexpr u32 MICRO_CELLS = 243;
// What a step down counts in memory, which is expanded.
constexpr u64 ROW = 512ull;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 81u;
constexpr u32 GROUP = 1;
constexpr u32 THREADS = 256;
// Around a block are 9 blocks, itself in the middle.
constexpr u32 AROUND = 9;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 34;
constexpr u32 TILE_PLACES = 1156;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 3;

struct Point {
    index x, y;
};

// What a step needs besides the states.
struct World {
    const u64 *params; // the parameters' bits
    u64 seed;
    u32 time;          // the time that is computed
};

// A number with its digits in reversed order.
__device__ __forceinline__ u64 reversed(u64 number) {
    u64 result = 0;
    for (int level = 0; level < 9; ++level) {
        result = result * 3 + number % 3;
        number /= 3;
    }
    return result;
}

// A plane of a random draw of 128 cells whose numbers follow each other, 32 in each word: Philox4x32-10. The numbers are indices, on fractals with their digits reversed.
struct RandomPlane {
    u32 words[4];
};

__device__ __forceinline__ RandomPlane random_plane(u64 seed, u64 block, u32 time, u32 number) {
    u32 a = (u32)block, b = (u32)(block >> 32), c = time, d = number;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        u32 first_low, first_high, second_low, second_high;
        // Compiled from a shift, each half would cost an addition of 0.
        asm("mov.b64 {%0, %1}, %2;" : "=r"(first_low), "=r"(first_high) : "l"((u64)0xd2511f53u * a));
        asm("mov.b64 {%0, %1}, %2;" : "=r"(second_low), "=r"(second_high) : "l"((u64)0xcd9e8d57u * c));
        a = second_high ^ b ^ key_low;
        c = first_high ^ d ^ key_high;
        b = second_low;
        d = first_low;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return {{a, b, c, d}};
}

// Word `number` of a plane.
__device__ __forceinline__ u32 word_of_plane(const RandomPlane &plane, u32 number) {
    const u32 low = number & 1 ? plane.words[1] : plane.words[0], high = number & 1 ? plane.words[3] : plane.words[2];
    return number & 2 ? high : low;
}

// The random word of the cell with this reversed number: a bit of each of the draw's 32 planes.
__device__ __forceinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    const u32 number = (u32)(cell / 32 % 4), bit = (u32)(cell % 32);
    u32 word = 0;
#pragma unroll 1
    for (u32 plane = 0; plane < 32; ++plane) {
        const u32 cells = word_of_plane(random_plane(seed, cell / 128, time, 32 * draw + plane), number);
        word = word << 1 | (cells >> bit & 1);
    }
    return word;
}

// H_ν of sierpinski_triangle: the replica at a place in reading order, 3 at a hole.
__device__ __forceinline__ u32 replica(u32 place) {
    return (u32)(0x9cu >> 2 * place) & 0x3;
}

// H_λ of sierpinski_triangle: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x4u >> replica) & 0x1;
}

// H_λ of sierpinski_triangle: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0x6u >> replica) & 0x1;
}

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    0, 32, 33, 64, 96, 97, 66, 98, 99, 128, 160, 161, 192, 224, 225, 194,
    226, 227, 132, 164, 165, 196, 228, 229, 198, 230, 231, 256, 288, 289, 320, 352,
    353, 322, 354, 355, 384, 416, 417, 448, 480, 481, 450, 482, 483, 388, 420, 421,
    452, 484, 485, 454, 486, 487, 264, 296, 297, 328, 360, 361, 330, 362, 363, 392,
    424, 425, 456, 488, 489, 458, 490, 491, 396, 428, 429, 460, 492, 493, 462, 494,
    495, 512, 544, 545, 576, 608, 609, 578, 610, 611, 640, 672, 673, 704, 736, 737,
    706, 738, 739, 644, 676, 677, 708, 740, 741, 710, 742, 743, 768, 800, 801, 832,
    864, 865, 834, 866, 867, 896, 928, 929, 960, 992, 993, 962, 994, 995, 900, 932,
    933, 964, 996, 997, 966, 998, 999, 776, 808, 809, 840, 872, 873, 842, 874, 875,
    904, 936, 937, 968, 1000, 1001, 970, 1002, 1003, 908, 940, 941, 972, 1004, 1005, 974,
    1006, 1007, 528, 560, 561, 592, 624, 625, 594, 626, 627, 656, 688, 689, 720, 752,
    753, 722, 754, 755, 660, 692, 693, 724, 756, 757, 726, 758, 759, 784, 816, 817,
    848, 880, 881, 850, 882, 883, 912, 944, 945, 976, 1008, 1009, 978, 1010, 1011, 916,
    948, 949, 980, 1012, 1013, 982, 1014, 1015, 792, 824, 825, 856, 888, 889, 858, 890,
    891, 920, 952, 953, 984, 1016, 1017, 986, 1018, 1019, 924, 956, 957, 988, 1020, 1021,
    990, 1022, 1023,
};

__device__ constexpr u32 MICRO_MASK[] = {
    1, 3, 5, 15, 17, 51, 85, 255, 257, 771, 1285, 3855, 4369, 13107, 21845, 65535,
    65537, 196611, 327685, 983055, 1114129, 3342387, 5570645, 16711935, 16843009, 50529027, 84215045, 252645135, 286331153, 858993459, 1431655765, 4294967295,
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
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    return {x, y};
}

// Whether there is a block at a point.
__device__ __forceinline__ bool has_block(Point point) {
    if (!is_inside(point)) { return false; }
    index x = point.x, y = point.y;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    return true;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 3ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 9ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 27ull;
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
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 16u, y += (index)offset_y(digit) * 16u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 32u, y += (index)offset_y(digit) * 32u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 64u, y += (index)offset_y(digit) * 64u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 128u, y += (index)offset_y(digit) * 128u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 256u, y += (index)offset_y(digit) * 256u;
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
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_lambda_32_scalar_life_init(
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
        const u32 draw_0 = random_word(world.seed, reversed(canonical_index), world.time, 0);
        const bool chance_1 = draw_0 < 2147483648u;
        next_alive[own] = chance_1;
    }
}

// life: one step.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_lambda_32_scalar_life_next(
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
        const bool alive_above_left = x - 1 < CELL_SIDE && y - 1 < CELL_SIDE ? alive[own - ROW - 1] : false;
        const bool alive_above = y - 1 < CELL_SIDE ? alive[own - ROW] : false;
        const bool alive_above_right = x + 1 < CELL_SIDE && y - 1 < CELL_SIDE ? alive[own - ROW + 1] : false;
        const bool alive_left = x - 1 < CELL_SIDE ? alive[own - 1] : false;
        const bool alive_right = x + 1 < CELL_SIDE ? alive[own + 1] : false;
        const bool alive_below_left = x - 1 < CELL_SIDE && y + 1 < CELL_SIDE ? alive[own + ROW - 1] : false;
        const bool alive_below = y + 1 < CELL_SIDE ? alive[own + ROW] : false;
        const bool alive_below_right = x + 1 < CELL_SIDE && y + 1 < CELL_SIDE ? alive[own + ROW + 1] : false;
        const int count_0 = alive_above_left + alive_above + alive_above_right + alive_left + alive_right
            + alive_below_left + alive_below + alive_below_right;
        const bool test_0 = count_0 >= 2;
        const bool test_1 = count_0 <= 3;
        const bool both_0 = test_0 & test_1;
        const bool own_alive = alive[own];
        const bool choice_0 = both_0 & own_alive;
        const bool equal_0 = count_0 == 2;
        const bool choice_1 = equal_0 & !own_alive;
        const bool choice_2 = choice_0 | choice_1;
        next_alive[own] = choice_2;
    }
}


// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) squeeze_sierpinski_triangle_9_lambda_32_scalar_life_read_cells_1(const u8 *state, u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) squeeze_sierpinski_triangle_9_lambda_32_scalar_life_write_cells_1(u8 *state, const u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(CELL_SIDE) + sizeof(BLOCK_SIDE) + sizeof(RHO) + sizeof(BLOCK_PLACES) + sizeof(MICRO_CELLS) + sizeof(ROW) + sizeof(BLOCKS) + sizeof(GROUP) + sizeof(THREADS) + sizeof(AROUND) + sizeof(HALO) + sizeof(TILE) + sizeof(TILE_PLACES) + sizeof(NONE) + sizeof(HOLE) + sizeof(NO_REPLICA) > 0, "");

} // namespace squeeze_sierpinski_triangle_9_lambda_32_scalar_life_kernels
