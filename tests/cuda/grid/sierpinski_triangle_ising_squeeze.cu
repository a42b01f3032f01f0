// ising on sierpinski_triangle at level 9, by Squeeze 0.1.0
//
// strategy squeeze, blocks of side 16, maps scalar
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule ising; domain sierpinski_triangle 3b1298cdcf1aa7bf; level 9; strategy squeeze, blocks of side 16, maps scalar; kernels 5a1d1c086469ab35

namespace squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_kernels {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 512u;
constexpr index BLOCK_SIDE = 32u;
constexpr u32 RHO = 16;
constexpr u32 BLOCK_PLACES = 256;
constexpr u32 MICRO_CELLS = 81;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 243u;
constexpr u32 GROUP = 3;
constexpr u32 THREADS = 256;
// Around a block are 9 blocks, itself in the middle.
constexpr u32 AROUND = 9;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 18;
constexpr u32 TILE_PLACES = 324;
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

// A plane of a draw: behind the planes of a word come those of further blocks.
__device__ __forceinline__ RandomPlane plane_of_draw(u64 seed, u64 block, u32 time, u32 draw, u32 plane) {
    return random_plane(seed, block + ((u64)(plane / 32) << 57), time, 32 * draw + plane % 32);
}

// Whether a number between 0 and 1 whose digits are the bits of a cell, plane after plane, is less than a probability.
__device__ __forceinline__ bool happens(u64 seed, u64 cell, u32 time, u32 draw, double probability) {
    // Doubled, what is left shows its next digit.
    double left = probability;
#pragma unroll 1
    for (u32 plane = 0; left > 0.0; ++plane) {
        left += left;
        const u32 digit = left >= 1.0;
        left -= digit;
        const u32 cells = word_of_plane(plane_of_draw(seed, cell / 128, time, draw, plane), (u32)(cell / 32 % 4));
        if ((cells >> cell % 32 & 1) != digit) {
            return digit;
        }
    }
    return false;
}

// A random bit is set if its random word is less than `below`, or in any case if `always` is not 0. Where it is equal, further planes decide if `more` is not 0.
struct Threshold {
    u32 below;
    u32 always;
    u32 more;
};

// The threshold of a probability.
__device__ __forceinline__ Threshold threshold_of(double probability) {
    const double bound = probability * 4294967296.0;
    const bool always = bound >= 4294967296.0;
    const u32 below = always || !(bound > 0.0) ? 0 : (u32)bound;
    return {below, always, !always && bound > below};
}

// The threshold that the host computed: `below` in the low word, the others in the high one.
__device__ __forceinline__ Threshold threshold_of(long long threshold) {
    return {(u32)threshold, (u32)((u64)threshold >> 32) & 1, (u32)((u64)threshold >> 33)};
}

// The chance of a cell with this random word of a draw.
__device__ __forceinline__ bool chance(u32 word, double probability, u64 seed, u64 cell, u32 time, u32 draw) {
    const Threshold threshold = threshold_of(probability);
    if (threshold.more && word == threshold.below) {
        return happens(seed, cell, time, draw, probability);
    }
    return threshold.always || word < threshold.below;
}

// At most 2 units in the last place from the truth; the same bits on every machine.
__device__ float exp_f32(float x) {
    const bool t1 = 89.0f < x;
    const float t2 = t1 ? 89.0f : x;
    const bool t3 = t2 < (-104.0f);
    const float t4 = t3 ? (-104.0f) : t2;
    const float t5 = t4 * 0x1.715476p0f /* 1.442695 */;
    const float t6 = t5 + 12582912.0f;
    const float t7 = t6 - 12582912.0f;
    const float t8 = t7 * 0x1.62e4p-1f /* 0.69314575 */;
    const float t9 = t4 - t8;
    const float t10 = t7 * 0x1.7f7d1cp-20f /* 1.4286068e-6 */;
    const float t11 = t9 - t10;
    const float t12 = t11 * t11;
    const float t13 = 0x1.6d10fcp-10f /* 0.0013926176 */ * t11;
    const float t14 = t13 + 0x1.120b62p-7f /* 0.008363173 */;
    const float t15 = t14 * t11;
    const float t16 = t15 + 0x1.55551ap-5f /* 0.041666556 */;
    const float t17 = t16 * t11;
    const float t18 = t17 + 0x1.5554dep-3f /* 0.16666578 */;
    const float t19 = t18 * t11;
    const float t20 = t19 + 0.5f;
    const float t21 = t12 * t20;
    const float t22 = t11 + t21;
    const float t23 = 1.0f + t22;
    const u32 t24 = __float_as_uint(t6);
    const u32 t25 = t24 + 3032482046u;
    const u32 t26 = t25 >> 1;
    const u32 t27 = t26 << 23;
    const float t28 = __uint_as_float(t27);
    const float t29 = t23 * t28;
    const u32 t30 = t25 - t26;
    const u32 t31 = t30 << 23;
    const float t32 = __uint_as_float(t31);
    const float t33 = t29 * t32;
    return t33;
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
__device__ constexpr u8 MICRO_PLACE[] = {
    0, 16, 17, 32, 48, 49, 34, 50, 51, 64, 80, 81, 96, 112, 113, 98,
    114, 115, 68, 84, 85, 100, 116, 117, 102, 118, 119, 128, 144, 145, 160, 176,
    177, 162, 178, 179, 192, 208, 209, 224, 240, 241, 226, 242, 243, 196, 212, 213,
    228, 244, 245, 230, 246, 247, 136, 152, 153, 168, 184, 185, 170, 186, 187, 200,
    216, 217, 232, 248, 249, 234, 250, 251, 204, 220, 221, 236, 252, 253, 238, 254,
    255,
};

__device__ constexpr u32 MICRO_MASK[] = {
    196609, 983045, 3342353, 16711765, 50528513, 252642565, 858984721, 4294923605,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE;
}

// Where the block lies that is in some direction of one.
__device__ __forceinline__ Point beside(Point corner, u32 direction) {
    return {corner.x + direction % 3 - 1, corner.y + direction / 3 - 1};
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
    x += (index)offset_x(digit) * 16u, y += (index)offset_y(digit) * 16u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    return {x, y};
}

// ν: the number under which compact space keeps the block at a point, if there is one.
__device__ __forceinline__ index nu(Point point) {
    if (!is_inside(point)) { return NONE; }
    index x = point.x, y = point.y;
    index sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 27u, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 3u, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 81u, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 9u;
    return sum;
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
    sum += (u64)digit * 27ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 81ull;
    return sum;
}

// Where the cell at a point is kept, if there is one.
__device__ __forceinline__ u64 place_of(index x, index y) {
    if (x >= CELL_SIDE || y >= CELL_SIDE) { return HOLE; }
    const Point point = {x / RHO, y / RHO};
    const u32 place = (u32)(x % RHO) + RHO * (u32)(y % RHO);
    const index number = nu(point);
    return number != NONE && is_cell(place) ? (u64)number * BLOCK_PLACES + place : HOLE;
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

// The numbers of the blocks around each block: ν, one thread a neighbour.
__device__ __forceinline__ void locate_around(index first, const Point *corners, index *around) {
    for (u32 i = threadIdx.x; i < GROUP * AROUND; i += THREADS) {
        const u32 block = i / AROUND, direction = i % AROUND;
        around[i] = direction == AROUND / 2 ? (first + block < BLOCKS ? first + block : NONE) : nu(beside(corners[block], direction));
    }
}

// ising: the initial values.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_init(
    bool *__restrict__ next_up,
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
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
        const u32 draw_0 = random_word(world.seed, reversed(canonical_index), world.time, 0);
        const bool chance_1 = draw_0 < 2147483648u;
        next_up[own] = chance_1;
    }
}

// ising: the step `flip_colour0`.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_next_flip_colour0(
    const bool *__restrict__ up,
    bool *__restrict__ next_up,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ u64 canonicals[GROUP];
    __shared__ index around[GROUP * AROUND];
    __shared__ bool there[GROUP * TILE_PLACES];
    __shared__ bool tile_up[GROUP * TILE_PLACES];
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();
    locate_around(first, corners, around);
    __syncthreads();

    // The tiles.
    for (u32 i = threadIdx.x; i < GROUP * TILE_PLACES; i += THREADS) {
        const u32 block = i / TILE_PLACES;
        const u32 x = i % TILE + (RHO - HALO), y = i % TILE_PLACES / TILE + (RHO - HALO);
        const index number = around[block * AROUND + x / RHO + 3 * (y / RHO)];
        const u32 place = x % RHO + RHO * (y % RHO);
        there[i] = number != NONE && is_cell(place);
        tile_up[i] = number == NONE ? (bool)0 : up[(u64)number * BLOCK_PLACES + place];
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u32 centre = block * TILE_PLACES + (right + HALO) + TILE * (down + HALO);
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
        const bool own_up = up[own];
        const bool up_above = tile_up[centre - TILE];
        const bool equal_0 = own_up ^ up_above;
        const bool equal_1 = !equal_0;
        const float choice_0 = equal_1 ? 1.0f : (-1.0f);
        const bool above_exists = there[centre - TILE];
        const float sum_0 = above_exists ? 0.0f + choice_0 : 0.0f;
        const bool up_left = tile_up[centre - 1];
        const bool equal_2 = own_up ^ up_left;
        const bool equal_3 = !equal_2;
        const float choice_2 = equal_3 ? 1.0f : (-1.0f);
        const bool left_exists = there[centre - 1];
        const float sum_1 = left_exists ? sum_0 + choice_2 : sum_0;
        const bool up_right = tile_up[centre + 1];
        const bool equal_4 = own_up ^ up_right;
        const bool equal_5 = !equal_4;
        const float choice_3 = equal_5 ? 1.0f : (-1.0f);
        const bool right_exists = there[centre + 1];
        const float sum_2 = right_exists ? sum_1 + choice_3 : sum_1;
        const bool up_below = tile_up[centre + TILE];
        const bool equal_6 = own_up ^ up_below;
        const bool equal_7 = !equal_6;
        const float choice_4 = equal_7 ? 1.0f : (-1.0f);
        const bool below_exists = there[centre + TILE];
        const float sum_3 = below_exists ? sum_2 + choice_4 : sum_2;
        const float beta = __uint_as_float((u32)world.params[0]);
        const float product_0 = 2.0f * beta;
        const float product_1 = product_0 * sum_3;
        const float value_1 = exp_f32(product_1);
        const float sum_4 = 1.0f + value_1;
        const float quotient_0 = 1.0f / sum_4;
        const double chance_0 = (double)quotient_0;
        const u32 draw_0 = random_word(world.seed, reversed(canonical_index), world.time, 0);
        const bool chance_1 = chance(draw_0, chance_0, world.seed, reversed(canonical_index), world.time, 0);
        const bool differ_0 = own_up ^ chance_1;
        const int cell_x = (int)x;
        const int cell_y = (int)y;
        const int sum_5 = (int)((u32)cell_x + (u32)cell_y);
        const int remainder_1 = sum_5 >> (31u & 31);
        const int remainder_3 = remainder_1 & 1;
        const int remainder_4 = (int)((u32)sum_5 + (u32)remainder_3);
        const int remainder_6 = remainder_4 & (-2);
        const int remainder_7 = (int)((u32)sum_5 - (u32)remainder_6);
        const bool equal_8 = remainder_7 == 0;
        const bool guarded_0 = differ_0 & equal_8;
        const bool guarded_1 = own_up & !equal_8;
        const bool guarded_2 = guarded_0 | guarded_1;
        next_up[own] = guarded_2;
    }
}

// ising: the step `flip_colour1`.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_next_flip_colour1(
    const bool *__restrict__ up,
    bool *__restrict__ next_up,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ u64 canonicals[GROUP];
    __shared__ index around[GROUP * AROUND];
    __shared__ bool there[GROUP * TILE_PLACES];
    __shared__ bool tile_up[GROUP * TILE_PLACES];
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();
    locate_around(first, corners, around);
    __syncthreads();

    // The tiles.
    for (u32 i = threadIdx.x; i < GROUP * TILE_PLACES; i += THREADS) {
        const u32 block = i / TILE_PLACES;
        const u32 x = i % TILE + (RHO - HALO), y = i % TILE_PLACES / TILE + (RHO - HALO);
        const index number = around[block * AROUND + x / RHO + 3 * (y / RHO)];
        const u32 place = x % RHO + RHO * (y % RHO);
        there[i] = number != NONE && is_cell(place);
        tile_up[i] = number == NONE ? (bool)0 : up[(u64)number * BLOCK_PLACES + place];
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u32 centre = block * TILE_PLACES + (right + HALO) + TILE * (down + HALO);
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
        const bool own_up = up[own];
        const bool up_above = tile_up[centre - TILE];
        const bool equal_0 = own_up ^ up_above;
        const bool equal_1 = !equal_0;
        const float choice_0 = equal_1 ? 1.0f : (-1.0f);
        const bool above_exists = there[centre - TILE];
        const float sum_0 = above_exists ? 0.0f + choice_0 : 0.0f;
        const bool up_left = tile_up[centre - 1];
        const bool equal_2 = own_up ^ up_left;
        const bool equal_3 = !equal_2;
        const float choice_2 = equal_3 ? 1.0f : (-1.0f);
        const bool left_exists = there[centre - 1];
        const float sum_1 = left_exists ? sum_0 + choice_2 : sum_0;
        const bool up_right = tile_up[centre + 1];
        const bool equal_4 = own_up ^ up_right;
        const bool equal_5 = !equal_4;
        const float choice_3 = equal_5 ? 1.0f : (-1.0f);
        const bool right_exists = there[centre + 1];
        const float sum_2 = right_exists ? sum_1 + choice_3 : sum_1;
        const bool up_below = tile_up[centre + TILE];
        const bool equal_6 = own_up ^ up_below;
        const bool equal_7 = !equal_6;
        const float choice_4 = equal_7 ? 1.0f : (-1.0f);
        const bool below_exists = there[centre + TILE];
        const float sum_3 = below_exists ? sum_2 + choice_4 : sum_2;
        const float beta = __uint_as_float((u32)world.params[0]);
        const float product_0 = 2.0f * beta;
        const float product_1 = product_0 * sum_3;
        const float value_1 = exp_f32(product_1);
        const float sum_4 = 1.0f + value_1;
        const float quotient_0 = 1.0f / sum_4;
        const double chance_0 = (double)quotient_0;
        const u32 draw_0 = random_word(world.seed, reversed(canonical_index), world.time, 0);
        const bool chance_1 = chance(draw_0, chance_0, world.seed, reversed(canonical_index), world.time, 0);
        const bool differ_0 = own_up ^ chance_1;
        const int cell_x = (int)x;
        const int cell_y = (int)y;
        const int sum_5 = (int)((u32)cell_x + (u32)cell_y);
        const int remainder_1 = sum_5 >> (31u & 31);
        const int remainder_3 = remainder_1 & 1;
        const int remainder_4 = (int)((u32)sum_5 + (u32)remainder_3);
        const int remainder_6 = remainder_4 & (-2);
        const int remainder_7 = (int)((u32)sum_5 - (u32)remainder_6);
        const bool equal_8 = remainder_7 == 1;
        const bool guarded_0 = differ_0 & equal_8;
        const bool guarded_1 = own_up & !equal_8;
        const bool guarded_2 = guarded_0 | guarded_1;
        next_up[own] = guarded_2;
    }
}


// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_read_cells_1(const u8 *state, u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_write_cells_1(u8 *state, const u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(CELL_SIDE) + sizeof(BLOCK_SIDE) + sizeof(RHO) + sizeof(BLOCK_PLACES) + sizeof(MICRO_CELLS) + sizeof(BLOCKS) + sizeof(GROUP) + sizeof(THREADS) + sizeof(AROUND) + sizeof(HALO) + sizeof(TILE) + sizeof(TILE_PLACES) + sizeof(NONE) + sizeof(HOLE) + sizeof(NO_REPLICA) > 0, "");

} // namespace squeeze_sierpinski_triangle_9_squeeze_16_scalar_ising_kernels
