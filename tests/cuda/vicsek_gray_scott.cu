// gray_scott on vicsek at level 5, by Squeeze 0.1.0
//
// T = 3 (levels as lanes): 125 lanes a column, in registers that are 100% full
// L = 1 (levels in micro cells): 5 micro cells a superblock, by the planner's reckoning about 920 operations; 5 superblocks
// t = 3 (steps of a pass): 2.19 cells computed for one that is kept; bound by operations, 407.99 ps a cell and step expected of the machine planned for
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule gray_scott; domain vicsek e9fe80379cc1cf48; level 5; lanes T = 3, L = 1, t = 3; kernels 7f2407820179e272

namespace squeeze_vicsek_5_gray_scott_kernels {

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 125;
constexpr u32 WORDS = 4;
constexpr u32 STRIDE = 128;
constexpr u32 MICRO_CELLS = 5;
// DIRECTIONS lead to the superblocks around one. A wrap says how lanes move on the way: there is one for each of the 9 places of a superblock and
// those around it, in reading order; with STAY, in the middle, lanes do not move.
constexpr u32 DIRECTIONS = 8;
constexpr u32 STAY = 4;
// A lane that does not exist.
constexpr u32 ABSENT = 0xffffffff;

// (column[word] rotated left) & mask
struct Term {
    u32 word;
    u32 rotate;
    u32 mask;
};

// What a pass needs besides the states. Behind the last block of each state stands one that is 0, `absent`: a neighbour that does not
// exist in any lane.
struct World {
    const u32 *neighbours;        // superblock * DIRECTIONS + direction: the block of a superblock, or the one behind those of a member
    const u8 *edges;              // superblock: the sides of its lane that it touches, bit 2a the low one of axis a, 2a + 1 the high
    const u32 *sources;           // wrap * LANES + lane: the lane that is seen, or ABSENT
    const u32 *presence;          // wrap * WORDS + word: the lanes whose source is not ABSENT
    const u32 *first_terms;       // wrap * WORDS + word: where its terms begin; the next word's begin where they end
    const Term *terms;            // bits that move together
    const u64 *params;            // the parameters' bits
    const int *lane_corners;      // axis * LANES + lane: where the lane begins in the whole
    const int *superblock_corners; // 3 * superblock + axis: where the superblock begins in its lane
    const u32 *clock;             // one number, the time from which `later` counts
    u64 seed;
    u32 absent;                   // the block behind those of all members, which is 0
    u32 first;                    // the first block of the pass, or the first reversed number of its superblocks
    u32 end;                      // the one after its last
    u32 later;                    // the first time that the pass computes, less *clock
    int level;
    int side;
};

// A superblock in some direction, and the way that lanes move on the way there.
struct Neighbour {
    u32 superblock;
    u32 wrap;
};

// The neighbour in a direction, which leads to x, y, z. On the sides that are touched it lies in another lane.
__device__ __forceinline__ Neighbour neighbour(const World &world, u32 superblock, u32 direction, int x, int y, int z) {
    const u32 edges = world.edges[superblock];
    const int right = x < 0 ? -(edges & 1) : x > 0 ? edges >> 1 & 1 : 0;
    const int down = y < 0 ? -(edges >> 2 & 1) : y > 0 ? edges >> 3 & 1 : 0;
    const int in = z < 0 ? -(edges >> 4 & 1) : z > 0 ? edges >> 5 & 1 : 0;
    return {world.neighbours[(u64)superblock * DIRECTIONS + direction], STAY + right + 3 * down + 9 * in};
}

// Lets blocks of the next pass begin where this pass leaves room on the device; they wait at their own `after_pass_before`. Before architecture 9.0 it
// does nothing.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits for the end of the pass before, whose results are read from here on. Returns 0. Kernels add it to their pointers, so that the compiler cannot move
// a load before the wait.
__device__ __forceinline__ u32 after_pass_before() {
    u32 zero = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tmov.u32 %0, 0;" : "=r"(zero) : : "memory");
#endif
    return zero;
}

// The lane of a neighbour that a lane sees, or ABSENT.
__device__ __forceinline__ u32 source_lane(const World &world, Neighbour there, u32 lane) {
    if (there.superblock == world.absent) {
        return ABSENT;
    }
    return there.wrap == STAY ? lane : world.sources[there.wrap * LANES + lane];
}

// A number with its digits in reversed order.
__device__ __forceinline__ u64 reversed(u64 number) {
    u64 result = 0;
    result = result * 5 + number % 5;
    number /= 5;
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

// The random words of a warp, whose threads have the cells from `first` on. Each thread makes one plane of all these cells; then the warp
// transposes planes into words.
__device__ __noinline__ u32 random_words(u64 seed, u64 first, u32 time, u32 draw) {
    const u32 thread = threadIdx.x % 32, number = (u32)(first / 32 % 4), shift = (u32)(first % 32);
    RandomPlane plane = random_plane(seed, first / 128, time, 32 * draw + thread);
    u32 cells = word_of_plane(plane, number);
    if (shift > 0) {
        if (number == 3) {
            plane = random_plane(seed, first / 128 + 1, time, 32 * draw + thread);
        }
        cells = cells >> shift | word_of_plane(plane, (number + 1) % 4) << (32 - shift);
    }
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        // Ones in the lower `step` of every 2 * `step` bits.
        const u32 low = 0xffffffffu / ((1u << step) + 1);
        const u32 there = __shfl_xor_sync(0xffffffff, cells, step);
        cells = thread & step ? (cells & ~low) | (there >> step & low) : (cells & low) | (there & low) << step;
    }
    return __brev(cells);
}

// 0 if the divisor is 0. Also if it is -1: then the quotient of the least number overflows.
__device__ __forceinline__ int whole_remainder(int a, int b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

// The value that is stored: all NaNs are one.
__device__ __forceinline__ float canonical(float v) {
    return v == v ? v : __int_as_float(0x7fc00000);
}

// gray_scott_init: 1 step of 5 micro cells; a thread takes one lane, a superblock 128 threads.
// 18.60 operations a cell and step; in all 0 on bits and 93 on numbers (a draw is one), 0 loads of own columns and 0 of neighbours', 10 stores, at most 17 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_vicsek_5_gray_scott_init(
    float *__restrict__ new_u,
    float *__restrict__ new_v,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 128;
    if (superblock >= world.end) {
        return;
    }
    // Threads beyond the last lane do what it does.
    const u32 place = (u32)(thread % (32 * WORDS));
    const u32 lane = place < LANES ? place : LANES - 1;
    const u32 time = *world.clock + world.later;
    // The reversed number of the first cell of the warp in micro cell 0.
    const u64 first_cell = LANES * reversed(superblock) + place / 32 * 32;

    const u32 none = after_pass_before();
    new_u += none;
    new_v += none;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_v = new_v + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;

    // the rule
    const int superblock_y = world.superblock_corners[3 * (u64)superblock + 1];
    const int lane_y = world.lane_corners[1 * LANES + lane];
    const int corner_y_0 = (int)((u32)lane_y + (u32)superblock_y);
    const int quotient_1 = corner_y_0 >> (31u & 31);
    const int quotient_3 = quotient_1 & 3;
    const int quotient_4 = (int)((u32)corner_y_0 + (u32)quotient_3);
    const int quotient_6 = quotient_4 >> (2u & 31);
    const int product_0 = (int)((u32)2 * (u32)quotient_6);
    const int superblock_x = world.superblock_corners[3 * (u64)superblock + 0];
    const int lane_x = world.lane_corners[0 * LANES + lane];
    const int corner_x_0 = (int)((u32)lane_x + (u32)superblock_x);
    const int x_0 = (int)((u32)corner_x_0 + (u32)1);
    const int quotient_7 = x_0 >> (31u & 31);
    const int quotient_8 = quotient_7 & 3;
    const int quotient_9 = (int)((u32)x_0 + (u32)quotient_8);
    const int quotient_10 = quotient_9 >> (2u & 31);
    const int sum_0 = (int)((u32)quotient_10 + (u32)product_0);
    const int remainder_0 = whole_remainder(sum_0, 7);
    const bool equal_0 = remainder_0 == 0;
    const float choice_0 = equal_0 ? 0.5f : 1.0f;
    out_u[0 * STRIDE] = choice_0;
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const int quotient_11 = y_0 >> (31u & 31);
    const int quotient_12 = quotient_11 & 3;
    const int quotient_13 = (int)((u32)y_0 + (u32)quotient_12);
    const int quotient_14 = quotient_13 >> (2u & 31);
    const int product_1 = (int)((u32)2 * (u32)quotient_14);
    const int quotient_15 = corner_x_0 >> (31u & 31);
    const int quotient_16 = quotient_15 & 3;
    const int quotient_17 = (int)((u32)corner_x_0 + (u32)quotient_16);
    const int quotient_18 = quotient_17 >> (2u & 31);
    const int sum_1 = (int)((u32)quotient_18 + (u32)product_1);
    const int remainder_1 = whole_remainder(sum_1, 7);
    const bool equal_1 = remainder_1 == 0;
    const float choice_1 = equal_1 ? 0.5f : 1.0f;
    out_u[1 * STRIDE] = choice_1;
    const int sum_2 = (int)((u32)quotient_10 + (u32)product_1);
    const int remainder_2 = whole_remainder(sum_2, 7);
    const bool equal_2 = remainder_2 == 0;
    const float choice_2 = equal_2 ? 0.5f : 1.0f;
    out_u[2 * STRIDE] = choice_2;
    const int x_1 = (int)((u32)corner_x_0 + (u32)2);
    const int quotient_19 = x_1 >> (31u & 31);
    const int quotient_20 = quotient_19 & 3;
    const int quotient_21 = (int)((u32)x_1 + (u32)quotient_20);
    const int quotient_22 = quotient_21 >> (2u & 31);
    const int sum_3 = (int)((u32)quotient_22 + (u32)product_1);
    const int remainder_3 = whole_remainder(sum_3, 7);
    const bool equal_3 = remainder_3 == 0;
    const float choice_3 = equal_3 ? 0.5f : 1.0f;
    out_u[3 * STRIDE] = choice_3;
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const int quotient_23 = y_1 >> (31u & 31);
    const int quotient_24 = quotient_23 & 3;
    const int quotient_25 = (int)((u32)y_1 + (u32)quotient_24);
    const int quotient_26 = quotient_25 >> (2u & 31);
    const int product_2 = (int)((u32)2 * (u32)quotient_26);
    const int sum_4 = (int)((u32)quotient_10 + (u32)product_2);
    const int remainder_4 = whole_remainder(sum_4, 7);
    const bool equal_4 = remainder_4 == 0;
    const float choice_4 = equal_4 ? 0.5f : 1.0f;
    out_u[4 * STRIDE] = choice_4;
    const float choice_5 = equal_0 ? 0.25f : 0.0f;
    const u32 draw_0 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell, time, 0), lane % 32);
    const u32 uniform_1 = draw_0 >> (8u & 31);
    const float uniform_2 = (float)uniform_1;
    const float uniform_4 = uniform_2 * 0x1p-24f /* 5.9604645e-8 */;
    const float product_3 = 0x1.47ae14p-6f /* 0.02 */ * uniform_4;
    const float sum_5 = choice_5 + product_3;
    const float sum_6 = canonical(sum_5);
    out_v[0 * STRIDE] = sum_6;
    const float choice_6 = equal_1 ? 0.25f : 0.0f;
    const u32 draw_1 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell + 625, time, 0), lane % 32);
    const u32 uniform_5 = draw_1 >> (8u & 31);
    const float uniform_6 = (float)uniform_5;
    const float uniform_7 = uniform_6 * 0x1p-24f /* 5.9604645e-8 */;
    const float product_4 = 0x1.47ae14p-6f /* 0.02 */ * uniform_7;
    const float sum_7 = choice_6 + product_4;
    const float sum_8 = canonical(sum_7);
    out_v[1 * STRIDE] = sum_8;
    const float choice_7 = equal_2 ? 0.25f : 0.0f;
    const u32 draw_2 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell + 1250, time, 0), lane % 32);
    const u32 uniform_8 = draw_2 >> (8u & 31);
    const float uniform_9 = (float)uniform_8;
    const float uniform_10 = uniform_9 * 0x1p-24f /* 5.9604645e-8 */;
    const float product_5 = 0x1.47ae14p-6f /* 0.02 */ * uniform_10;
    const float sum_9 = choice_7 + product_5;
    const float sum_10 = canonical(sum_9);
    out_v[2 * STRIDE] = sum_10;
    const float choice_8 = equal_3 ? 0.25f : 0.0f;
    const u32 draw_3 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell + 1875, time, 0), lane % 32);
    const u32 uniform_11 = draw_3 >> (8u & 31);
    const float uniform_12 = (float)uniform_11;
    const float uniform_13 = uniform_12 * 0x1p-24f /* 5.9604645e-8 */;
    const float product_6 = 0x1.47ae14p-6f /* 0.02 */ * uniform_13;
    const float sum_11 = choice_8 + product_6;
    const float sum_12 = canonical(sum_11);
    out_v[3 * STRIDE] = sum_12;
    const float choice_9 = equal_4 ? 0.25f : 0.0f;
    const u32 draw_4 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell + 2500, time, 0), lane % 32);
    const u32 uniform_14 = draw_4 >> (8u & 31);
    const float uniform_15 = (float)uniform_14;
    const float uniform_16 = uniform_15 * 0x1p-24f /* 5.9604645e-8 */;
    const float product_7 = 0x1.47ae14p-6f /* 0.02 */ * uniform_16;
    const float sum_13 = choice_9 + product_7;
    const float sum_14 = canonical(sum_13);
    out_v[4 * STRIDE] = sum_14;
}

// gray_scott: 3 steps of 5 micro cells; a thread takes one lane, a superblock 128 threads.
// 42.20 operations a cell and step; in all 0 on bits and 633 on numbers (a draw is one), 10 loads of own columns and 40 of neighbours', 10 stores, at most 53 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_vicsek_5_gray_scott(
    const float *u,
    float *__restrict__ new_u,
    const float *v,
    float *__restrict__ new_v,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 128;
    if (superblock >= world.end) {
        return;
    }
    // Threads beyond the last lane do what it does.
    const u32 place = (u32)(thread % (32 * WORDS));
    const u32 lane = place < LANES ? place : LANES - 1;

    // the neighbours
    const Neighbour above = neighbour(world, superblock, 1, 0, -1, 0);
    const u32 above_lane = source_lane(world, above, lane);
    const Neighbour left = neighbour(world, superblock, 3, -1, 0, 0);
    const u32 left_lane = source_lane(world, left, lane);
    const Neighbour right = neighbour(world, superblock, 4, 1, 0, 0);
    const u32 right_lane = source_lane(world, right, lane);
    const Neighbour below = neighbour(world, superblock, 6, 0, 1, 0);
    const u32 below_lane = source_lane(world, below, lane);

    const u32 none = after_pass_before();
    u += none;
    new_u += none;
    v += none;
    new_v += none;
    const float *own_u = u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    const float *own_v = v + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_v = new_v + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    const float own_u_0 = own_u[0 * STRIDE];
    const float own_u_2 = own_u[2 * STRIDE];
    const float own_v_0 = own_v[0 * STRIDE];
    const float own_u_1 = own_u[1 * STRIDE];
    const float own_u_3 = own_u[3 * STRIDE];
    const float own_u_4 = own_u[4 * STRIDE];
    const float own_v_2 = own_v[2 * STRIDE];
    const float own_v_1 = own_v[1 * STRIDE];
    const float own_v_3 = own_v[3 * STRIDE];
    const float own_v_4 = own_v[4 * STRIDE];

    // above
    const float *above_u = u + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * STRIDE) + above_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_above_u_4 = above_u[4 * STRIDE];
    const float halo_above_u_2 = above_u[2 * STRIDE];
    const float halo_above_u_1 = above_u[1 * STRIDE];
    const float halo_above_u_0 = above_u[0 * STRIDE];
    const float halo_above_u_3 = above_u[3 * STRIDE];
    const float *above_v = v + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * STRIDE) + above_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_above_v_4 = above_v[4 * STRIDE];
    const float halo_above_v_2 = above_v[2 * STRIDE];
    const float halo_above_v_1 = above_v[1 * STRIDE];
    const float halo_above_v_0 = above_v[0 * STRIDE];
    const float halo_above_v_3 = above_v[3 * STRIDE];

    // left
    const float *left_u = u + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * STRIDE) + left_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_left_u_3 = left_u[3 * STRIDE];
    const float halo_left_u_2 = left_u[2 * STRIDE];
    const float halo_left_u_1 = left_u[1 * STRIDE];
    const float halo_left_u_0 = left_u[0 * STRIDE];
    const float halo_left_u_4 = left_u[4 * STRIDE];
    const float *left_v = v + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * STRIDE) + left_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_left_v_3 = left_v[3 * STRIDE];
    const float halo_left_v_2 = left_v[2 * STRIDE];
    const float halo_left_v_1 = left_v[1 * STRIDE];
    const float halo_left_v_0 = left_v[0 * STRIDE];
    const float halo_left_v_4 = left_v[4 * STRIDE];

    // right
    const float *right_u = u + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * STRIDE) + right_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_right_u_1 = right_u[1 * STRIDE];
    const float halo_right_u_2 = right_u[2 * STRIDE];
    const float halo_right_u_0 = right_u[0 * STRIDE];
    const float halo_right_u_3 = right_u[3 * STRIDE];
    const float halo_right_u_4 = right_u[4 * STRIDE];
    const float *right_v = v + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * STRIDE) + right_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_right_v_1 = right_v[1 * STRIDE];
    const float halo_right_v_2 = right_v[2 * STRIDE];
    const float halo_right_v_0 = right_v[0 * STRIDE];
    const float halo_right_v_3 = right_v[3 * STRIDE];
    const float halo_right_v_4 = right_v[4 * STRIDE];

    // below
    const float *below_u = u + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * STRIDE) + below_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_below_u_0 = below_u[0 * STRIDE];
    const float halo_below_u_2 = below_u[2 * STRIDE];
    const float halo_below_u_1 = below_u[1 * STRIDE];
    const float halo_below_u_3 = below_u[3 * STRIDE];
    const float halo_below_u_4 = below_u[4 * STRIDE];
    const float *below_v = v + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * STRIDE) + below_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_below_v_0 = below_v[0 * STRIDE];
    const float halo_below_v_2 = below_v[2 * STRIDE];
    const float halo_below_v_1 = below_v[1 * STRIDE];
    const float halo_below_v_3 = below_v[3 * STRIDE];
    const float halo_below_v_4 = below_v[4 * STRIDE];

    // the rule
    const float difference_0 = halo_above_u_4 - own_u_0;
    const bool above_exists = above_lane != ABSENT;
    const float sum_0 = above_exists ? 0.0f + difference_0 : 0.0f;
    const float difference_2 = own_u_2 - own_u_0;
    const float sum_1 = sum_0 + difference_2;
    const float du = __uint_as_float((u32)world.params[2]);
    const float product_0 = du * sum_1;
    const float sum_2 = own_u_0 + product_0;
    const float product_1 = own_u_0 * own_v_0;
    const float product_2 = product_1 * own_v_0;
    const float difference_3 = sum_2 - product_2;
    const float difference_4 = 1.0f - own_u_0;
    const float feed = __uint_as_float((u32)world.params[0]);
    const float product_3 = feed * difference_4;
    const float sum_3 = difference_3 + product_3;
    const float difference_5 = own_u_1 - own_u_2;
    const float difference_6 = own_u_0 - own_u_2;
    const float sum_4 = 0.0f + difference_6;
    const float sum_5 = sum_4 + difference_5;
    const float difference_7 = own_u_3 - own_u_2;
    const float sum_6 = sum_5 + difference_7;
    const float difference_8 = own_u_4 - own_u_2;
    const float sum_7 = sum_6 + difference_8;
    const float product_4 = du * sum_7;
    const float sum_8 = own_u_2 + product_4;
    const float product_5 = own_u_2 * own_v_2;
    const float product_6 = product_5 * own_v_2;
    const float difference_9 = sum_8 - product_6;
    const float difference_10 = 1.0f - own_u_2;
    const float product_7 = feed * difference_10;
    const float sum_9 = difference_9 + product_7;
    const float difference_11 = sum_9 - sum_3;
    const float difference_12 = own_u_0 - halo_above_u_4;
    const float difference_13 = halo_above_u_2 - halo_above_u_4;
    const float sum_10 = 0.0f + difference_13;
    const float sum_11 = sum_10 + difference_12;
    const float product_8 = du * sum_11;
    const float sum_12 = halo_above_u_4 + product_8;
    const float product_9 = halo_above_u_4 * halo_above_v_4;
    const float product_10 = product_9 * halo_above_v_4;
    const float difference_14 = sum_12 - product_10;
    const float difference_15 = 1.0f - halo_above_u_4;
    const float product_11 = feed * difference_15;
    const float sum_13 = difference_14 + product_11;
    const float difference_16 = sum_13 - sum_3;
    const float sum_14 = above_exists ? 0.0f + difference_16 : 0.0f;
    const float sum_15 = sum_14 + difference_11;
    const float product_12 = du * sum_15;
    const float sum_16 = sum_3 + product_12;
    const float difference_17 = halo_above_v_4 - own_v_0;
    const float sum_17 = above_exists ? 0.0f + difference_17 : 0.0f;
    const float difference_18 = own_v_2 - own_v_0;
    const float sum_18 = sum_17 + difference_18;
    const float dv = __uint_as_float((u32)world.params[3]);
    const float product_13 = dv * sum_18;
    const float sum_19 = own_v_0 + product_13;
    const float sum_20 = sum_19 + product_2;
    const float sum_21 = __uint_as_float((u32)world.params[4]);
    const float product_14 = sum_21 * own_v_0;
    const float difference_19 = sum_20 - product_14;
    const float product_15 = sum_3 * difference_19;
    const float product_16 = product_15 * difference_19;
    const float difference_20 = sum_16 - product_16;
    const float difference_21 = 1.0f - sum_3;
    const float product_17 = feed * difference_21;
    const float sum_22 = difference_20 + product_17;
    const float difference_22 = halo_left_u_3 - own_u_1;
    const bool left_exists = left_lane != ABSENT;
    const float sum_23 = left_exists ? 0.0f + difference_22 : 0.0f;
    const float difference_23 = own_u_2 - own_u_1;
    const float sum_24 = sum_23 + difference_23;
    const float product_18 = du * sum_24;
    const float sum_25 = own_u_1 + product_18;
    const float product_19 = own_u_1 * own_v_1;
    const float product_20 = product_19 * own_v_1;
    const float difference_24 = sum_25 - product_20;
    const float difference_25 = 1.0f - own_u_1;
    const float product_21 = feed * difference_25;
    const float sum_26 = difference_24 + product_21;
    const float difference_26 = sum_26 - sum_9;
    const float difference_27 = sum_3 - sum_9;
    const float sum_27 = 0.0f + difference_27;
    const float sum_28 = sum_27 + difference_26;
    const float difference_28 = halo_right_u_1 - own_u_3;
    const float difference_29 = own_u_2 - own_u_3;
    const float sum_29 = 0.0f + difference_29;
    const bool right_exists = right_lane != ABSENT;
    const float sum_30 = right_exists ? sum_29 + difference_28 : sum_29;
    const float product_22 = du * sum_30;
    const float sum_31 = own_u_3 + product_22;
    const float product_23 = own_u_3 * own_v_3;
    const float product_24 = product_23 * own_v_3;
    const float difference_30 = sum_31 - product_24;
    const float difference_31 = 1.0f - own_u_3;
    const float product_25 = feed * difference_31;
    const float sum_32 = difference_30 + product_25;
    const float difference_32 = sum_32 - sum_9;
    const float sum_33 = sum_28 + difference_32;
    const float difference_33 = halo_below_u_0 - own_u_4;
    const float difference_34 = own_u_2 - own_u_4;
    const float sum_34 = 0.0f + difference_34;
    const bool below_exists = below_lane != ABSENT;
    const float sum_35 = below_exists ? sum_34 + difference_33 : sum_34;
    const float product_26 = du * sum_35;
    const float sum_36 = own_u_4 + product_26;
    const float product_27 = own_u_4 * own_v_4;
    const float product_28 = product_27 * own_v_4;
    const float difference_35 = sum_36 - product_28;
    const float difference_36 = 1.0f - own_u_4;
    const float product_29 = feed * difference_36;
    const float sum_37 = difference_35 + product_29;
    const float difference_37 = sum_37 - sum_9;
    const float sum_38 = sum_33 + difference_37;
    const float product_30 = du * sum_38;
    const float sum_39 = sum_9 + product_30;
    const float difference_38 = own_v_1 - own_v_2;
    const float difference_39 = own_v_0 - own_v_2;
    const float sum_40 = 0.0f + difference_39;
    const float sum_41 = sum_40 + difference_38;
    const float difference_40 = own_v_3 - own_v_2;
    const float sum_42 = sum_41 + difference_40;
    const float difference_41 = own_v_4 - own_v_2;
    const float sum_43 = sum_42 + difference_41;
    const float product_31 = dv * sum_43;
    const float sum_44 = own_v_2 + product_31;
    const float sum_45 = sum_44 + product_6;
    const float product_32 = sum_21 * own_v_2;
    const float difference_42 = sum_45 - product_32;
    const float product_33 = sum_9 * difference_42;
    const float product_34 = product_33 * difference_42;
    const float difference_43 = sum_39 - product_34;
    const float difference_44 = 1.0f - sum_9;
    const float product_35 = feed * difference_44;
    const float sum_46 = difference_43 + product_35;
    const float difference_45 = sum_46 - sum_22;
    const float difference_46 = sum_3 - sum_13;
    const float difference_47 = halo_above_u_1 - halo_above_u_2;
    const float difference_48 = halo_above_u_0 - halo_above_u_2;
    const float sum_47 = 0.0f + difference_48;
    const float sum_48 = sum_47 + difference_47;
    const float difference_49 = halo_above_u_3 - halo_above_u_2;
    const float sum_49 = sum_48 + difference_49;
    const float difference_50 = halo_above_u_4 - halo_above_u_2;
    const float sum_50 = sum_49 + difference_50;
    const float product_36 = du * sum_50;
    const float sum_51 = halo_above_u_2 + product_36;
    const float product_37 = halo_above_u_2 * halo_above_v_2;
    const float product_38 = product_37 * halo_above_v_2;
    const float difference_51 = sum_51 - product_38;
    const float difference_52 = 1.0f - halo_above_u_2;
    const float product_39 = feed * difference_52;
    const float sum_52 = difference_51 + product_39;
    const float difference_53 = sum_52 - sum_13;
    const float sum_53 = above_exists ? 0.0f + difference_53 : 0.0f;
    const float sum_54 = sum_53 + difference_46;
    const float product_40 = du * sum_54;
    const float sum_55 = sum_13 + product_40;
    const float difference_54 = own_v_0 - halo_above_v_4;
    const float difference_55 = halo_above_v_2 - halo_above_v_4;
    const float sum_56 = 0.0f + difference_55;
    const float sum_57 = sum_56 + difference_54;
    const float product_41 = dv * sum_57;
    const float sum_58 = halo_above_v_4 + product_41;
    const float sum_59 = sum_58 + product_10;
    const float product_42 = sum_21 * halo_above_v_4;
    const float difference_56 = sum_59 - product_42;
    const float product_43 = sum_13 * difference_56;
    const float product_44 = product_43 * difference_56;
    const float difference_57 = sum_55 - product_44;
    const float difference_58 = 1.0f - sum_13;
    const float product_45 = feed * difference_58;
    const float sum_60 = difference_57 + product_45;
    const float difference_59 = sum_60 - sum_22;
    const float sum_61 = above_exists ? 0.0f + difference_59 : 0.0f;
    const float sum_62 = sum_61 + difference_45;
    const float product_46 = du * sum_62;
    const float sum_63 = sum_22 + product_46;
    const float difference_60 = difference_42 - difference_19;
    const float difference_61 = difference_56 - difference_19;
    const float sum_64 = above_exists ? 0.0f + difference_61 : 0.0f;
    const float sum_65 = sum_64 + difference_60;
    const float product_47 = dv * sum_65;
    const float sum_66 = difference_19 + product_47;
    const float sum_67 = sum_66 + product_16;
    const float product_48 = sum_21 * difference_19;
    const float difference_62 = sum_67 - product_48;
    const float product_49 = sum_22 * difference_62;
    const float product_50 = product_49 * difference_62;
    const float difference_63 = sum_63 - product_50;
    const float difference_64 = 1.0f - sum_22;
    const float product_51 = feed * difference_64;
    const float sum_68 = difference_63 + product_51;
    const float sum_69 = canonical(sum_68);
    out_u[0 * STRIDE] = sum_69;
    const float difference_65 = sum_9 - sum_26;
    const float difference_66 = own_u_1 - halo_left_u_3;
    const float difference_67 = halo_left_u_2 - halo_left_u_3;
    const float sum_70 = 0.0f + difference_67;
    const float sum_71 = sum_70 + difference_66;
    const float product_52 = du * sum_71;
    const float sum_72 = halo_left_u_3 + product_52;
    const float product_53 = halo_left_u_3 * halo_left_v_3;
    const float product_54 = product_53 * halo_left_v_3;
    const float difference_68 = sum_72 - product_54;
    const float difference_69 = 1.0f - halo_left_u_3;
    const float product_55 = feed * difference_69;
    const float sum_73 = difference_68 + product_55;
    const float difference_70 = sum_73 - sum_26;
    const float sum_74 = left_exists ? 0.0f + difference_70 : 0.0f;
    const float sum_75 = sum_74 + difference_65;
    const float product_56 = du * sum_75;
    const float sum_76 = sum_26 + product_56;
    const float difference_71 = halo_left_v_3 - own_v_1;
    const float sum_77 = left_exists ? 0.0f + difference_71 : 0.0f;
    const float difference_72 = own_v_2 - own_v_1;
    const float sum_78 = sum_77 + difference_72;
    const float product_57 = dv * sum_78;
    const float sum_79 = own_v_1 + product_57;
    const float sum_80 = sum_79 + product_20;
    const float product_58 = sum_21 * own_v_1;
    const float difference_73 = sum_80 - product_58;
    const float product_59 = sum_26 * difference_73;
    const float product_60 = product_59 * difference_73;
    const float difference_74 = sum_76 - product_60;
    const float difference_75 = 1.0f - sum_26;
    const float product_61 = feed * difference_75;
    const float sum_81 = difference_74 + product_61;
    const float difference_76 = sum_46 - sum_81;
    const float difference_77 = sum_26 - sum_73;
    const float difference_78 = halo_left_u_1 - halo_left_u_2;
    const float difference_79 = halo_left_u_0 - halo_left_u_2;
    const float sum_82 = 0.0f + difference_79;
    const float sum_83 = sum_82 + difference_78;
    const float difference_80 = halo_left_u_3 - halo_left_u_2;
    const float sum_84 = sum_83 + difference_80;
    const float difference_81 = halo_left_u_4 - halo_left_u_2;
    const float sum_85 = sum_84 + difference_81;
    const float product_62 = du * sum_85;
    const float sum_86 = halo_left_u_2 + product_62;
    const float product_63 = halo_left_u_2 * halo_left_v_2;
    const float product_64 = product_63 * halo_left_v_2;
    const float difference_82 = sum_86 - product_64;
    const float difference_83 = 1.0f - halo_left_u_2;
    const float product_65 = feed * difference_83;
    const float sum_87 = difference_82 + product_65;
    const float difference_84 = sum_87 - sum_73;
    const float sum_88 = left_exists ? 0.0f + difference_84 : 0.0f;
    const float sum_89 = sum_88 + difference_77;
    const float product_66 = du * sum_89;
    const float sum_90 = sum_73 + product_66;
    const float difference_85 = own_v_1 - halo_left_v_3;
    const float difference_86 = halo_left_v_2 - halo_left_v_3;
    const float sum_91 = 0.0f + difference_86;
    const float sum_92 = sum_91 + difference_85;
    const float product_67 = dv * sum_92;
    const float sum_93 = halo_left_v_3 + product_67;
    const float sum_94 = sum_93 + product_54;
    const float product_68 = sum_21 * halo_left_v_3;
    const float difference_87 = sum_94 - product_68;
    const float product_69 = sum_73 * difference_87;
    const float product_70 = product_69 * difference_87;
    const float difference_88 = sum_90 - product_70;
    const float difference_89 = 1.0f - sum_73;
    const float product_71 = feed * difference_89;
    const float sum_95 = difference_88 + product_71;
    const float difference_90 = sum_95 - sum_81;
    const float sum_96 = left_exists ? 0.0f + difference_90 : 0.0f;
    const float sum_97 = sum_96 + difference_76;
    const float product_72 = du * sum_97;
    const float sum_98 = sum_81 + product_72;
    const float difference_91 = difference_42 - difference_73;
    const float difference_92 = difference_87 - difference_73;
    const float sum_99 = left_exists ? 0.0f + difference_92 : 0.0f;
    const float sum_100 = sum_99 + difference_91;
    const float product_73 = dv * sum_100;
    const float sum_101 = difference_73 + product_73;
    const float sum_102 = sum_101 + product_60;
    const float product_74 = sum_21 * difference_73;
    const float difference_93 = sum_102 - product_74;
    const float product_75 = sum_81 * difference_93;
    const float product_76 = product_75 * difference_93;
    const float difference_94 = sum_98 - product_76;
    const float difference_95 = 1.0f - sum_81;
    const float product_77 = feed * difference_95;
    const float sum_103 = difference_94 + product_77;
    const float sum_104 = canonical(sum_103);
    out_u[1 * STRIDE] = sum_104;
    const float difference_96 = sum_81 - sum_46;
    const float difference_97 = sum_22 - sum_46;
    const float sum_105 = 0.0f + difference_97;
    const float sum_106 = sum_105 + difference_96;
    const float difference_98 = halo_right_u_2 - halo_right_u_1;
    const float difference_99 = own_u_3 - halo_right_u_1;
    const float sum_107 = 0.0f + difference_99;
    const float sum_108 = sum_107 + difference_98;
    const float product_78 = du * sum_108;
    const float sum_109 = halo_right_u_1 + product_78;
    const float product_79 = halo_right_u_1 * halo_right_v_1;
    const float product_80 = product_79 * halo_right_v_1;
    const float difference_100 = sum_109 - product_80;
    const float difference_101 = 1.0f - halo_right_u_1;
    const float product_81 = feed * difference_101;
    const float sum_110 = difference_100 + product_81;
    const float difference_102 = sum_110 - sum_32;
    const float difference_103 = sum_9 - sum_32;
    const float sum_111 = 0.0f + difference_103;
    const float sum_112 = right_exists ? sum_111 + difference_102 : sum_111;
    const float product_82 = du * sum_112;
    const float sum_113 = sum_32 + product_82;
    const float difference_104 = halo_right_v_1 - own_v_3;
    const float difference_105 = own_v_2 - own_v_3;
    const float sum_114 = 0.0f + difference_105;
    const float sum_115 = right_exists ? sum_114 + difference_104 : sum_114;
    const float product_83 = dv * sum_115;
    const float sum_116 = own_v_3 + product_83;
    const float sum_117 = sum_116 + product_24;
    const float product_84 = sum_21 * own_v_3;
    const float difference_106 = sum_117 - product_84;
    const float product_85 = sum_32 * difference_106;
    const float product_86 = product_85 * difference_106;
    const float difference_107 = sum_113 - product_86;
    const float difference_108 = 1.0f - sum_32;
    const float product_87 = feed * difference_108;
    const float sum_118 = difference_107 + product_87;
    const float difference_109 = sum_118 - sum_46;
    const float sum_119 = sum_106 + difference_109;
    const float difference_110 = halo_below_u_2 - halo_below_u_0;
    const float difference_111 = own_u_4 - halo_below_u_0;
    const float sum_120 = 0.0f + difference_111;
    const float sum_121 = sum_120 + difference_110;
    const float product_88 = du * sum_121;
    const float sum_122 = halo_below_u_0 + product_88;
    const float product_89 = halo_below_u_0 * halo_below_v_0;
    const float product_90 = product_89 * halo_below_v_0;
    const float difference_112 = sum_122 - product_90;
    const float difference_113 = 1.0f - halo_below_u_0;
    const float product_91 = feed * difference_113;
    const float sum_123 = difference_112 + product_91;
    const float difference_114 = sum_123 - sum_37;
    const float difference_115 = sum_9 - sum_37;
    const float sum_124 = 0.0f + difference_115;
    const float sum_125 = below_exists ? sum_124 + difference_114 : sum_124;
    const float product_92 = du * sum_125;
    const float sum_126 = sum_37 + product_92;
    const float difference_116 = halo_below_v_0 - own_v_4;
    const float difference_117 = own_v_2 - own_v_4;
    const float sum_127 = 0.0f + difference_117;
    const float sum_128 = below_exists ? sum_127 + difference_116 : sum_127;
    const float product_93 = dv * sum_128;
    const float sum_129 = own_v_4 + product_93;
    const float sum_130 = sum_129 + product_28;
    const float product_94 = sum_21 * own_v_4;
    const float difference_118 = sum_130 - product_94;
    const float product_95 = sum_37 * difference_118;
    const float product_96 = product_95 * difference_118;
    const float difference_119 = sum_126 - product_96;
    const float difference_120 = 1.0f - sum_37;
    const float product_97 = feed * difference_120;
    const float sum_131 = difference_119 + product_97;
    const float difference_121 = sum_131 - sum_46;
    const float sum_132 = sum_119 + difference_121;
    const float product_98 = du * sum_132;
    const float sum_133 = sum_46 + product_98;
    const float difference_122 = difference_73 - difference_42;
    const float difference_123 = difference_19 - difference_42;
    const float sum_134 = 0.0f + difference_123;
    const float sum_135 = sum_134 + difference_122;
    const float difference_124 = difference_106 - difference_42;
    const float sum_136 = sum_135 + difference_124;
    const float difference_125 = difference_118 - difference_42;
    const float sum_137 = sum_136 + difference_125;
    const float product_99 = dv * sum_137;
    const float sum_138 = difference_42 + product_99;
    const float sum_139 = sum_138 + product_34;
    const float product_100 = sum_21 * difference_42;
    const float difference_126 = sum_139 - product_100;
    const float product_101 = sum_46 * difference_126;
    const float product_102 = product_101 * difference_126;
    const float difference_127 = sum_133 - product_102;
    const float difference_128 = 1.0f - sum_46;
    const float product_103 = feed * difference_128;
    const float sum_140 = difference_127 + product_103;
    const float sum_141 = canonical(sum_140);
    out_u[2 * STRIDE] = sum_141;
    const float difference_129 = halo_right_u_1 - halo_right_u_2;
    const float difference_130 = halo_right_u_0 - halo_right_u_2;
    const float sum_142 = 0.0f + difference_130;
    const float sum_143 = sum_142 + difference_129;
    const float difference_131 = halo_right_u_3 - halo_right_u_2;
    const float sum_144 = sum_143 + difference_131;
    const float difference_132 = halo_right_u_4 - halo_right_u_2;
    const float sum_145 = sum_144 + difference_132;
    const float product_104 = du * sum_145;
    const float sum_146 = halo_right_u_2 + product_104;
    const float product_105 = halo_right_u_2 * halo_right_v_2;
    const float product_106 = product_105 * halo_right_v_2;
    const float difference_133 = sum_146 - product_106;
    const float difference_134 = 1.0f - halo_right_u_2;
    const float product_107 = feed * difference_134;
    const float sum_147 = difference_133 + product_107;
    const float difference_135 = sum_147 - sum_110;
    const float difference_136 = sum_32 - sum_110;
    const float sum_148 = 0.0f + difference_136;
    const float sum_149 = right_exists ? sum_148 + difference_135 : sum_148;
    const float product_108 = du * sum_149;
    const float sum_150 = sum_110 + product_108;
    const float difference_137 = halo_right_v_2 - halo_right_v_1;
    const float difference_138 = own_v_3 - halo_right_v_1;
    const float sum_151 = 0.0f + difference_138;
    const float sum_152 = sum_151 + difference_137;
    const float product_109 = dv * sum_152;
    const float sum_153 = halo_right_v_1 + product_109;
    const float sum_154 = sum_153 + product_80;
    const float product_110 = sum_21 * halo_right_v_1;
    const float difference_139 = sum_154 - product_110;
    const float product_111 = sum_110 * difference_139;
    const float product_112 = product_111 * difference_139;
    const float difference_140 = sum_150 - product_112;
    const float difference_141 = 1.0f - sum_110;
    const float product_113 = feed * difference_141;
    const float sum_155 = difference_140 + product_113;
    const float difference_142 = sum_155 - sum_118;
    const float difference_143 = sum_46 - sum_118;
    const float sum_156 = 0.0f + difference_143;
    const float sum_157 = right_exists ? sum_156 + difference_142 : sum_156;
    const float product_114 = du * sum_157;
    const float sum_158 = sum_118 + product_114;
    const float difference_144 = difference_139 - difference_106;
    const float difference_145 = difference_42 - difference_106;
    const float sum_159 = 0.0f + difference_145;
    const float sum_160 = right_exists ? sum_159 + difference_144 : sum_159;
    const float product_115 = dv * sum_160;
    const float sum_161 = difference_106 + product_115;
    const float sum_162 = sum_161 + product_86;
    const float product_116 = sum_21 * difference_106;
    const float difference_146 = sum_162 - product_116;
    const float product_117 = sum_118 * difference_146;
    const float product_118 = product_117 * difference_146;
    const float difference_147 = sum_158 - product_118;
    const float difference_148 = 1.0f - sum_118;
    const float product_119 = feed * difference_148;
    const float sum_163 = difference_147 + product_119;
    const float sum_164 = canonical(sum_163);
    out_u[3 * STRIDE] = sum_164;
    const float difference_149 = halo_below_u_1 - halo_below_u_2;
    const float difference_150 = halo_below_u_0 - halo_below_u_2;
    const float sum_165 = 0.0f + difference_150;
    const float sum_166 = sum_165 + difference_149;
    const float difference_151 = halo_below_u_3 - halo_below_u_2;
    const float sum_167 = sum_166 + difference_151;
    const float difference_152 = halo_below_u_4 - halo_below_u_2;
    const float sum_168 = sum_167 + difference_152;
    const float product_120 = du * sum_168;
    const float sum_169 = halo_below_u_2 + product_120;
    const float product_121 = halo_below_u_2 * halo_below_v_2;
    const float product_122 = product_121 * halo_below_v_2;
    const float difference_153 = sum_169 - product_122;
    const float difference_154 = 1.0f - halo_below_u_2;
    const float product_123 = feed * difference_154;
    const float sum_170 = difference_153 + product_123;
    const float difference_155 = sum_170 - sum_123;
    const float difference_156 = sum_37 - sum_123;
    const float sum_171 = 0.0f + difference_156;
    const float sum_172 = below_exists ? sum_171 + difference_155 : sum_171;
    const float product_124 = du * sum_172;
    const float sum_173 = sum_123 + product_124;
    const float difference_157 = halo_below_v_2 - halo_below_v_0;
    const float difference_158 = own_v_4 - halo_below_v_0;
    const float sum_174 = 0.0f + difference_158;
    const float sum_175 = sum_174 + difference_157;
    const float product_125 = dv * sum_175;
    const float sum_176 = halo_below_v_0 + product_125;
    const float sum_177 = sum_176 + product_90;
    const float product_126 = sum_21 * halo_below_v_0;
    const float difference_159 = sum_177 - product_126;
    const float product_127 = sum_123 * difference_159;
    const float product_128 = product_127 * difference_159;
    const float difference_160 = sum_173 - product_128;
    const float difference_161 = 1.0f - sum_123;
    const float product_129 = feed * difference_161;
    const float sum_178 = difference_160 + product_129;
    const float difference_162 = sum_178 - sum_131;
    const float difference_163 = sum_46 - sum_131;
    const float sum_179 = 0.0f + difference_163;
    const float sum_180 = below_exists ? sum_179 + difference_162 : sum_179;
    const float product_130 = du * sum_180;
    const float sum_181 = sum_131 + product_130;
    const float difference_164 = difference_159 - difference_118;
    const float difference_165 = difference_42 - difference_118;
    const float sum_182 = 0.0f + difference_165;
    const float sum_183 = below_exists ? sum_182 + difference_164 : sum_182;
    const float product_131 = dv * sum_183;
    const float sum_184 = difference_118 + product_131;
    const float sum_185 = sum_184 + product_96;
    const float product_132 = sum_21 * difference_118;
    const float difference_166 = sum_185 - product_132;
    const float product_133 = sum_131 * difference_166;
    const float product_134 = product_133 * difference_166;
    const float difference_167 = sum_181 - product_134;
    const float difference_168 = 1.0f - sum_131;
    const float product_135 = feed * difference_168;
    const float sum_186 = difference_167 + product_135;
    const float sum_187 = canonical(sum_186);
    out_u[4 * STRIDE] = sum_187;
    const float difference_169 = difference_126 - difference_62;
    const float difference_170 = difference_19 - difference_56;
    const float difference_171 = halo_above_v_1 - halo_above_v_2;
    const float difference_172 = halo_above_v_0 - halo_above_v_2;
    const float sum_188 = 0.0f + difference_172;
    const float sum_189 = sum_188 + difference_171;
    const float difference_173 = halo_above_v_3 - halo_above_v_2;
    const float sum_190 = sum_189 + difference_173;
    const float difference_174 = halo_above_v_4 - halo_above_v_2;
    const float sum_191 = sum_190 + difference_174;
    const float product_136 = dv * sum_191;
    const float sum_192 = halo_above_v_2 + product_136;
    const float sum_193 = sum_192 + product_38;
    const float product_137 = sum_21 * halo_above_v_2;
    const float difference_175 = sum_193 - product_137;
    const float difference_176 = difference_175 - difference_56;
    const float sum_194 = above_exists ? 0.0f + difference_176 : 0.0f;
    const float sum_195 = sum_194 + difference_170;
    const float product_138 = dv * sum_195;
    const float sum_196 = difference_56 + product_138;
    const float sum_197 = sum_196 + product_44;
    const float product_139 = sum_21 * difference_56;
    const float difference_177 = sum_197 - product_139;
    const float difference_178 = difference_177 - difference_62;
    const float sum_198 = above_exists ? 0.0f + difference_178 : 0.0f;
    const float sum_199 = sum_198 + difference_169;
    const float product_140 = dv * sum_199;
    const float sum_200 = difference_62 + product_140;
    const float sum_201 = sum_200 + product_50;
    const float product_141 = sum_21 * difference_62;
    const float difference_179 = sum_201 - product_141;
    const float difference_180 = canonical(difference_179);
    out_v[0 * STRIDE] = difference_180;
    const float difference_181 = difference_126 - difference_93;
    const float difference_182 = difference_73 - difference_87;
    const float difference_183 = halo_left_v_1 - halo_left_v_2;
    const float difference_184 = halo_left_v_0 - halo_left_v_2;
    const float sum_202 = 0.0f + difference_184;
    const float sum_203 = sum_202 + difference_183;
    const float difference_185 = halo_left_v_3 - halo_left_v_2;
    const float sum_204 = sum_203 + difference_185;
    const float difference_186 = halo_left_v_4 - halo_left_v_2;
    const float sum_205 = sum_204 + difference_186;
    const float product_142 = dv * sum_205;
    const float sum_206 = halo_left_v_2 + product_142;
    const float sum_207 = sum_206 + product_64;
    const float product_143 = sum_21 * halo_left_v_2;
    const float difference_187 = sum_207 - product_143;
    const float difference_188 = difference_187 - difference_87;
    const float sum_208 = left_exists ? 0.0f + difference_188 : 0.0f;
    const float sum_209 = sum_208 + difference_182;
    const float product_144 = dv * sum_209;
    const float sum_210 = difference_87 + product_144;
    const float sum_211 = sum_210 + product_70;
    const float product_145 = sum_21 * difference_87;
    const float difference_189 = sum_211 - product_145;
    const float difference_190 = difference_189 - difference_93;
    const float sum_212 = left_exists ? 0.0f + difference_190 : 0.0f;
    const float sum_213 = sum_212 + difference_181;
    const float product_146 = dv * sum_213;
    const float sum_214 = difference_93 + product_146;
    const float sum_215 = sum_214 + product_76;
    const float product_147 = sum_21 * difference_93;
    const float difference_191 = sum_215 - product_147;
    const float difference_192 = canonical(difference_191);
    out_v[1 * STRIDE] = difference_192;
    const float difference_193 = difference_93 - difference_126;
    const float difference_194 = difference_62 - difference_126;
    const float sum_216 = 0.0f + difference_194;
    const float sum_217 = sum_216 + difference_193;
    const float difference_195 = difference_146 - difference_126;
    const float sum_218 = sum_217 + difference_195;
    const float difference_196 = difference_166 - difference_126;
    const float sum_219 = sum_218 + difference_196;
    const float product_148 = dv * sum_219;
    const float sum_220 = difference_126 + product_148;
    const float sum_221 = sum_220 + product_102;
    const float product_149 = sum_21 * difference_126;
    const float difference_197 = sum_221 - product_149;
    const float difference_198 = canonical(difference_197);
    out_v[2 * STRIDE] = difference_198;
    const float difference_199 = halo_right_v_1 - halo_right_v_2;
    const float difference_200 = halo_right_v_0 - halo_right_v_2;
    const float sum_222 = 0.0f + difference_200;
    const float sum_223 = sum_222 + difference_199;
    const float difference_201 = halo_right_v_3 - halo_right_v_2;
    const float sum_224 = sum_223 + difference_201;
    const float difference_202 = halo_right_v_4 - halo_right_v_2;
    const float sum_225 = sum_224 + difference_202;
    const float product_150 = dv * sum_225;
    const float sum_226 = halo_right_v_2 + product_150;
    const float sum_227 = sum_226 + product_106;
    const float product_151 = sum_21 * halo_right_v_2;
    const float difference_203 = sum_227 - product_151;
    const float difference_204 = difference_203 - difference_139;
    const float difference_205 = difference_106 - difference_139;
    const float sum_228 = 0.0f + difference_205;
    const float sum_229 = right_exists ? sum_228 + difference_204 : sum_228;
    const float product_152 = dv * sum_229;
    const float sum_230 = difference_139 + product_152;
    const float sum_231 = sum_230 + product_112;
    const float product_153 = sum_21 * difference_139;
    const float difference_206 = sum_231 - product_153;
    const float difference_207 = difference_206 - difference_146;
    const float difference_208 = difference_126 - difference_146;
    const float sum_232 = 0.0f + difference_208;
    const float sum_233 = right_exists ? sum_232 + difference_207 : sum_232;
    const float product_154 = dv * sum_233;
    const float sum_234 = difference_146 + product_154;
    const float sum_235 = sum_234 + product_118;
    const float product_155 = sum_21 * difference_146;
    const float difference_209 = sum_235 - product_155;
    const float difference_210 = canonical(difference_209);
    out_v[3 * STRIDE] = difference_210;
    const float difference_211 = halo_below_v_1 - halo_below_v_2;
    const float difference_212 = halo_below_v_0 - halo_below_v_2;
    const float sum_236 = 0.0f + difference_212;
    const float sum_237 = sum_236 + difference_211;
    const float difference_213 = halo_below_v_3 - halo_below_v_2;
    const float sum_238 = sum_237 + difference_213;
    const float difference_214 = halo_below_v_4 - halo_below_v_2;
    const float sum_239 = sum_238 + difference_214;
    const float product_156 = dv * sum_239;
    const float sum_240 = halo_below_v_2 + product_156;
    const float sum_241 = sum_240 + product_122;
    const float product_157 = sum_21 * halo_below_v_2;
    const float difference_215 = sum_241 - product_157;
    const float difference_216 = difference_215 - difference_159;
    const float difference_217 = difference_118 - difference_159;
    const float sum_242 = 0.0f + difference_217;
    const float sum_243 = below_exists ? sum_242 + difference_216 : sum_242;
    const float product_158 = dv * sum_243;
    const float sum_244 = difference_159 + product_158;
    const float sum_245 = sum_244 + product_128;
    const float product_159 = sum_21 * difference_159;
    const float difference_218 = sum_245 - product_159;
    const float difference_219 = difference_218 - difference_166;
    const float difference_220 = difference_126 - difference_166;
    const float sum_246 = 0.0f + difference_220;
    const float sum_247 = below_exists ? sum_246 + difference_219 : sum_246;
    const float product_160 = dv * sum_247;
    const float sum_248 = difference_166 + product_160;
    const float sum_249 = sum_248 + product_134;
    const float product_161 = sum_21 * difference_166;
    const float difference_221 = sum_249 - product_161;
    const float difference_222 = canonical(difference_221);
    out_v[4 * STRIDE] = difference_222;
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(LANES) + sizeof(WORDS) + sizeof(STRIDE) + sizeof(MICRO_CELLS) + sizeof(DIRECTIONS) + sizeof(STAY) + sizeof(ABSENT) > 0, "");

} // namespace squeeze_vicsek_5_gray_scott_kernels
