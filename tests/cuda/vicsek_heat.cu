// heat on vicsek at level 7, by Squeeze 0.1.0
//
// T = 1: 5 lanes a column fill 100% of the vector registers they take
// L = 1: 5 micro cells a superblock, about 295 operations; 3125 superblocks
// t = 3: 2.19 cells computed for one that is kept; bound by operations, 12.34 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 5;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 8;
constexpr u32 MICRO_CELLS = 5;
// Directions to other superblocks, and ways for lanes to move: one for each of 9 places around a superblock and its own.
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

// What a pass needs besides the states. Behind the last superblock of each state stands one that is 0: a neighbour that does not
// exist in any lane.
struct World {
    const u32 *neighbours;        // superblock * DIRECTIONS + direction: a superblock, or the number of superblocks
    const u8 *edges;              // superblock: the sides of its lane that it touches, bit 2a the low one of axis a, 2a + 1 the high
    const u32 *sources;           // wrap * LANES + lane: the lane that is seen, or ABSENT
    const u32 *presence;          // wrap * WORDS + word: the lanes that see one
    const u32 *first_terms;       // wrap * WORDS + word: where its terms begin; the next word's begin where they end
    const Term *terms;            // bits that move together
    const u64 *params;            // the parameters' bits
    const int *lane_corners;      // axis * LANES + lane: where the lane begins in the whole
    const int *superblock_corners; // 3 * superblock + axis: where the superblock begins in its lane
    const u32 *clock;             // the time before some passes
    u64 seed;
    u32 superblocks;
    u32 first;                    // the first superblock of the pass
    u32 end;                      // the one after its last
    u32 later;                    // the first time that the pass computes, counted from the clock
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

// Lets the next pass begin where this one leaves room, up to `after_pass_before` in it.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits for the end of the pass before, whose results are read from here on. Returns 0, so that nothing can be read before.
__device__ __forceinline__ u32 after_pass_before() {
    u32 zero = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tmov.u32 %0, 0;" : "=r"(zero) : : "memory");
#endif
    return zero;
}

// The lane of a neighbour that a lane sees, or ABSENT.
__device__ __forceinline__ u32 source_lane(const World &world, Neighbour there, u32 lane) {
    if (there.superblock == world.superblocks) {
        return ABSENT;
    }
    return there.wrap == STAY ? lane : world.sources[there.wrap * LANES + lane];
}

// What is stored: there is one NaN.
__device__ __forceinline__ float canonical(float v) {
    return v == v ? v : __int_as_float(0x7fc00000);
}

// A sum, or the zero of its sign where it is below the least normal number.
__device__ __forceinline__ float flushed_sum(float a, float b) {
    float result;
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}

// A difference, or the zero of its sign where it is below the least normal number.
__device__ __forceinline__ float flushed_difference(float a, float b) {
    float result;
    asm("sub.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}

// heat_init: one step of 5 micro cells; a thread takes one lane, a superblock 5 threads.
// 2.60 operations a cell and step (0 on bits, 13 on numbers), 0 + 0 loads, 5 stores, 6 live values
extern "C" __global__ void __launch_bounds__(128) heat_init(
    float *__restrict__ new_u,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 5;
    if (superblock >= world.end) {
        return;
    }
    const u32 lane = (u32)(thread % LANES);

    const u32 none = after_pass_before();
    new_u += none;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;

    // the rule
    const float hot = __uint_as_float((u32)world.params[1]);
    const float hot_1 = flushed_sum(hot, (-0.0f));
    const int superblock_y = world.superblock_corners[3 * (u64)superblock + 1];
    const int lane_y = world.lane_corners[1 * LANES + lane];
    const int corner_y_0 = (int)((u32)lane_y + (u32)superblock_y);
    const bool equal_0 = corner_y_0 == 0;
    const float choice_0 = equal_0 ? hot_1 : 0.0f;
    const float choice_1 = canonical(choice_0);
    out_u[0 * STRIDE] = choice_1;
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const bool equal_1 = y_0 == 0;
    const float choice_2 = equal_1 ? hot_1 : 0.0f;
    const float choice_3 = canonical(choice_2);
    out_u[1 * STRIDE] = choice_3;
    out_u[2 * STRIDE] = choice_3;
    out_u[3 * STRIDE] = choice_3;
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const bool equal_2 = y_1 == 0;
    const float choice_4 = equal_2 ? hot_1 : 0.0f;
    const float choice_5 = canonical(choice_4);
    out_u[4 * STRIDE] = choice_5;
}

// heat: 3 steps of 5 micro cells; a thread takes one lane, a superblock 5 threads.
// 22.13 operations a cell and step (0 on bits, 332 on numbers), 5 + 20 loads, 5 stores, 28 live values
extern "C" __global__ void __launch_bounds__(128) heat(
    const float *u,
    float *__restrict__ new_u,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 5;
    if (superblock >= world.end) {
        return;
    }
    const u32 lane = (u32)(thread % LANES);

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
    const float *own_u = u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    const float own_0 = own_u[0 * STRIDE];
    const float own_2 = own_u[2 * STRIDE];
    const float own_1 = own_u[1 * STRIDE];
    const float own_3 = own_u[3 * STRIDE];
    const float own_4 = own_u[4 * STRIDE];

    // above
    const float *above_u = u + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * STRIDE) + above_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_above_4 = above_u[4 * STRIDE];
    const float halo_above_2 = above_u[2 * STRIDE];
    const float halo_above_0 = above_u[0 * STRIDE];
    const float halo_above_1 = above_u[1 * STRIDE];
    const float halo_above_3 = above_u[3 * STRIDE];

    // left
    const float *left_u = u + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * STRIDE) + left_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_left_3 = left_u[3 * STRIDE];
    const float halo_left_2 = left_u[2 * STRIDE];
    const float halo_left_0 = left_u[0 * STRIDE];
    const float halo_left_1 = left_u[1 * STRIDE];
    const float halo_left_4 = left_u[4 * STRIDE];

    // right
    const float *right_u = u + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * STRIDE) + right_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_right_1 = right_u[1 * STRIDE];
    const float halo_right_2 = right_u[2 * STRIDE];
    const float halo_right_0 = right_u[0 * STRIDE];
    const float halo_right_3 = right_u[3 * STRIDE];
    const float halo_right_4 = right_u[4 * STRIDE];

    // below
    const float *below_u = u + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * STRIDE) + below_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_below_0 = below_u[0 * STRIDE];
    const float halo_below_2 = below_u[2 * STRIDE];
    const float halo_below_1 = below_u[1 * STRIDE];
    const float halo_below_3 = below_u[3 * STRIDE];
    const float halo_below_4 = below_u[4 * STRIDE];

    // the rule
    const float difference_0 = flushed_difference(halo_above_4, own_0);
    const bool above_exists = above_lane != ABSENT;
    const float existing_0 = above_exists ? flushed_sum(0.0f, difference_0) : 0.0f;
    const float difference_2 = flushed_difference(own_2, own_0);
    const float sum_0 = flushed_sum(existing_0, difference_2);
    const float alpha = __uint_as_float((u32)world.params[0]);
    const float alpha_1 = flushed_sum(alpha, (-0.0f));
    const float product_0 = alpha_1 * sum_0;
    const float product_1 = product_0 * 0.0f;
    const float product_3 = alpha_1 * 0x1p64f /* 1.8446744e19 */;
    const float product_4 = product_3 * sum_0;
    const float product_5 = fabsf(product_4);
    const bool product_7 = product_5 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_8 = product_7 ? product_1 : product_0;
    const float sum_1 = flushed_sum(own_0, product_8);
    const float difference_3 = flushed_difference(own_1, own_2);
    const float difference_4 = flushed_difference(own_0, own_2);
    const float sum_2 = flushed_sum(0.0f, difference_4);
    const float sum_3 = flushed_sum(sum_2, difference_3);
    const float difference_5 = flushed_difference(own_3, own_2);
    const float sum_4 = flushed_sum(sum_3, difference_5);
    const float difference_6 = flushed_difference(own_4, own_2);
    const float sum_5 = flushed_sum(sum_4, difference_6);
    const float product_9 = alpha_1 * sum_5;
    const float product_10 = product_9 * 0.0f;
    const float product_11 = product_3 * sum_5;
    const float product_12 = fabsf(product_11);
    const bool product_13 = product_12 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_14 = product_13 ? product_10 : product_9;
    const float sum_6 = flushed_sum(own_2, product_14);
    const float difference_7 = flushed_difference(sum_6, sum_1);
    const float difference_8 = flushed_difference(halo_above_2, halo_above_4);
    const float existing_1 = above_exists ? flushed_sum(0.0f, difference_8) : 0.0f;
    const float difference_9 = flushed_difference(own_0, halo_above_4);
    const float sum_7 = flushed_sum(existing_1, difference_9);
    const float product_15 = alpha_1 * sum_7;
    const float product_16 = product_15 * 0.0f;
    const float product_17 = product_3 * sum_7;
    const float product_18 = fabsf(product_17);
    const bool product_19 = product_18 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_20 = product_19 ? product_16 : product_15;
    const float sum_8 = flushed_sum(halo_above_4, product_20);
    const float difference_10 = flushed_difference(sum_8, sum_1);
    const float existing_2 = above_exists ? flushed_sum(0.0f, difference_10) : 0.0f;
    const float sum_9 = flushed_sum(existing_2, difference_7);
    const float product_21 = alpha_1 * sum_9;
    const float product_22 = product_21 * 0.0f;
    const float product_23 = product_3 * sum_9;
    const float product_24 = fabsf(product_23);
    const bool product_25 = product_24 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_26 = product_25 ? product_22 : product_21;
    const float sum_10 = flushed_sum(sum_1, product_26);
    const float difference_11 = flushed_difference(halo_left_3, own_1);
    const bool left_exists = left_lane != ABSENT;
    const float existing_3 = left_exists ? flushed_sum(0.0f, difference_11) : 0.0f;
    const float difference_12 = flushed_difference(own_2, own_1);
    const float sum_11 = flushed_sum(existing_3, difference_12);
    const float product_27 = alpha_1 * sum_11;
    const float product_28 = product_27 * 0.0f;
    const float product_29 = product_3 * sum_11;
    const float product_30 = fabsf(product_29);
    const bool product_31 = product_30 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_32 = product_31 ? product_28 : product_27;
    const float sum_12 = flushed_sum(own_1, product_32);
    const float difference_13 = flushed_difference(sum_12, sum_6);
    const float difference_14 = flushed_difference(sum_1, sum_6);
    const float sum_13 = flushed_sum(0.0f, difference_14);
    const float sum_14 = flushed_sum(sum_13, difference_13);
    const float difference_15 = flushed_difference(halo_right_1, own_3);
    const float difference_16 = flushed_difference(own_2, own_3);
    const float sum_15 = flushed_sum(0.0f, difference_16);
    const bool right_exists = right_lane != ABSENT;
    const float existing_4 = right_exists ? flushed_sum(sum_15, difference_15) : sum_15;
    const float product_33 = alpha_1 * existing_4;
    const float product_34 = product_33 * 0.0f;
    const float product_35 = product_3 * existing_4;
    const float product_36 = fabsf(product_35);
    const bool product_37 = product_36 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_38 = product_37 ? product_34 : product_33;
    const float sum_16 = flushed_sum(own_3, product_38);
    const float difference_17 = flushed_difference(sum_16, sum_6);
    const float sum_17 = flushed_sum(sum_14, difference_17);
    const float difference_18 = flushed_difference(halo_below_0, own_4);
    const float difference_19 = flushed_difference(own_2, own_4);
    const float sum_18 = flushed_sum(0.0f, difference_19);
    const bool below_exists = below_lane != ABSENT;
    const float existing_5 = below_exists ? flushed_sum(sum_18, difference_18) : sum_18;
    const float product_39 = alpha_1 * existing_5;
    const float product_40 = product_39 * 0.0f;
    const float product_41 = product_3 * existing_5;
    const float product_42 = fabsf(product_41);
    const bool product_43 = product_42 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_44 = product_43 ? product_40 : product_39;
    const float sum_19 = flushed_sum(own_4, product_44);
    const float difference_20 = flushed_difference(sum_19, sum_6);
    const float sum_20 = flushed_sum(sum_17, difference_20);
    const float product_45 = alpha_1 * sum_20;
    const float product_46 = product_45 * 0.0f;
    const float product_47 = product_3 * sum_20;
    const float product_48 = fabsf(product_47);
    const bool product_49 = product_48 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_50 = product_49 ? product_46 : product_45;
    const float sum_21 = flushed_sum(sum_6, product_50);
    const float difference_21 = flushed_difference(sum_21, sum_10);
    const float difference_22 = flushed_difference(sum_1, sum_8);
    const float difference_23 = flushed_difference(halo_above_0, halo_above_2);
    const float existing_6 = above_exists ? flushed_sum(0.0f, difference_23) : 0.0f;
    const float difference_24 = flushed_difference(halo_above_1, halo_above_2);
    const float existing_7 = above_exists ? flushed_sum(existing_6, difference_24) : existing_6;
    const float difference_25 = flushed_difference(halo_above_3, halo_above_2);
    const float existing_8 = above_exists ? flushed_sum(existing_7, difference_25) : existing_7;
    const float difference_26 = flushed_difference(halo_above_4, halo_above_2);
    const float existing_9 = above_exists ? flushed_sum(existing_8, difference_26) : existing_8;
    const float product_51 = alpha_1 * existing_9;
    const float product_52 = product_51 * 0.0f;
    const float product_53 = product_3 * existing_9;
    const float product_54 = fabsf(product_53);
    const bool product_55 = product_54 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_56 = product_55 ? product_52 : product_51;
    const float sum_22 = flushed_sum(halo_above_2, product_56);
    const float difference_27 = flushed_difference(sum_22, sum_8);
    const float existing_10 = above_exists ? flushed_sum(0.0f, difference_27) : 0.0f;
    const float sum_23 = flushed_sum(existing_10, difference_22);
    const float product_57 = alpha_1 * sum_23;
    const float product_58 = product_57 * 0.0f;
    const float product_59 = product_3 * sum_23;
    const float product_60 = fabsf(product_59);
    const bool product_61 = product_60 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_62 = product_61 ? product_58 : product_57;
    const float sum_24 = flushed_sum(sum_8, product_62);
    const float difference_28 = flushed_difference(sum_24, sum_10);
    const float existing_11 = above_exists ? flushed_sum(0.0f, difference_28) : 0.0f;
    const float sum_25 = flushed_sum(existing_11, difference_21);
    const float product_63 = alpha_1 * sum_25;
    const float product_64 = product_63 * 0.0f;
    const float product_65 = product_3 * sum_25;
    const float product_66 = fabsf(product_65);
    const bool product_67 = product_66 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_68 = product_67 ? product_64 : product_63;
    const float sum_26 = flushed_sum(sum_10, product_68);
    const float sum_27 = canonical(sum_26);
    out_u[0 * STRIDE] = sum_27;
    const float difference_29 = flushed_difference(sum_6, sum_12);
    const float difference_30 = flushed_difference(halo_left_2, halo_left_3);
    const float existing_12 = left_exists ? flushed_sum(0.0f, difference_30) : 0.0f;
    const float difference_31 = flushed_difference(own_1, halo_left_3);
    const float sum_28 = flushed_sum(existing_12, difference_31);
    const float product_69 = alpha_1 * sum_28;
    const float product_70 = product_69 * 0.0f;
    const float product_71 = product_3 * sum_28;
    const float product_72 = fabsf(product_71);
    const bool product_73 = product_72 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_74 = product_73 ? product_70 : product_69;
    const float sum_29 = flushed_sum(halo_left_3, product_74);
    const float difference_32 = flushed_difference(sum_29, sum_12);
    const float existing_13 = left_exists ? flushed_sum(0.0f, difference_32) : 0.0f;
    const float sum_30 = flushed_sum(existing_13, difference_29);
    const float product_75 = alpha_1 * sum_30;
    const float product_76 = product_75 * 0.0f;
    const float product_77 = product_3 * sum_30;
    const float product_78 = fabsf(product_77);
    const bool product_79 = product_78 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_80 = product_79 ? product_76 : product_75;
    const float sum_31 = flushed_sum(sum_12, product_80);
    const float difference_33 = flushed_difference(sum_21, sum_31);
    const float difference_34 = flushed_difference(sum_12, sum_29);
    const float difference_35 = flushed_difference(halo_left_0, halo_left_2);
    const float existing_14 = left_exists ? flushed_sum(0.0f, difference_35) : 0.0f;
    const float difference_36 = flushed_difference(halo_left_1, halo_left_2);
    const float existing_15 = left_exists ? flushed_sum(existing_14, difference_36) : existing_14;
    const float difference_37 = flushed_difference(halo_left_3, halo_left_2);
    const float existing_16 = left_exists ? flushed_sum(existing_15, difference_37) : existing_15;
    const float difference_38 = flushed_difference(halo_left_4, halo_left_2);
    const float existing_17 = left_exists ? flushed_sum(existing_16, difference_38) : existing_16;
    const float product_81 = alpha_1 * existing_17;
    const float product_82 = product_81 * 0.0f;
    const float product_83 = product_3 * existing_17;
    const float product_84 = fabsf(product_83);
    const bool product_85 = product_84 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_86 = product_85 ? product_82 : product_81;
    const float sum_32 = flushed_sum(halo_left_2, product_86);
    const float difference_39 = flushed_difference(sum_32, sum_29);
    const float existing_18 = left_exists ? flushed_sum(0.0f, difference_39) : 0.0f;
    const float sum_33 = flushed_sum(existing_18, difference_34);
    const float product_87 = alpha_1 * sum_33;
    const float product_88 = product_87 * 0.0f;
    const float product_89 = product_3 * sum_33;
    const float product_90 = fabsf(product_89);
    const bool product_91 = product_90 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_92 = product_91 ? product_88 : product_87;
    const float sum_34 = flushed_sum(sum_29, product_92);
    const float difference_40 = flushed_difference(sum_34, sum_31);
    const float existing_19 = left_exists ? flushed_sum(0.0f, difference_40) : 0.0f;
    const float sum_35 = flushed_sum(existing_19, difference_33);
    const float product_93 = alpha_1 * sum_35;
    const float product_94 = product_93 * 0.0f;
    const float product_95 = product_3 * sum_35;
    const float product_96 = fabsf(product_95);
    const bool product_97 = product_96 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_98 = product_97 ? product_94 : product_93;
    const float sum_36 = flushed_sum(sum_31, product_98);
    const float sum_37 = canonical(sum_36);
    out_u[1 * STRIDE] = sum_37;
    const float difference_41 = flushed_difference(sum_31, sum_21);
    const float difference_42 = flushed_difference(sum_10, sum_21);
    const float sum_38 = flushed_sum(0.0f, difference_42);
    const float sum_39 = flushed_sum(sum_38, difference_41);
    const float difference_43 = flushed_difference(halo_right_2, halo_right_1);
    const float difference_44 = flushed_difference(own_3, halo_right_1);
    const float sum_40 = flushed_sum(0.0f, difference_44);
    const float existing_20 = right_exists ? flushed_sum(sum_40, difference_43) : sum_40;
    const float product_99 = alpha_1 * existing_20;
    const float product_100 = product_99 * 0.0f;
    const float product_101 = product_3 * existing_20;
    const float product_102 = fabsf(product_101);
    const bool product_103 = product_102 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_104 = product_103 ? product_100 : product_99;
    const float sum_41 = flushed_sum(halo_right_1, product_104);
    const float difference_45 = flushed_difference(sum_41, sum_16);
    const float difference_46 = flushed_difference(sum_6, sum_16);
    const float sum_42 = flushed_sum(0.0f, difference_46);
    const float existing_21 = right_exists ? flushed_sum(sum_42, difference_45) : sum_42;
    const float product_105 = alpha_1 * existing_21;
    const float product_106 = product_105 * 0.0f;
    const float product_107 = product_3 * existing_21;
    const float product_108 = fabsf(product_107);
    const bool product_109 = product_108 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_110 = product_109 ? product_106 : product_105;
    const float sum_43 = flushed_sum(sum_16, product_110);
    const float difference_47 = flushed_difference(sum_43, sum_21);
    const float sum_44 = flushed_sum(sum_39, difference_47);
    const float difference_48 = flushed_difference(halo_below_2, halo_below_0);
    const float difference_49 = flushed_difference(own_4, halo_below_0);
    const float sum_45 = flushed_sum(0.0f, difference_49);
    const float existing_22 = below_exists ? flushed_sum(sum_45, difference_48) : sum_45;
    const float product_111 = alpha_1 * existing_22;
    const float product_112 = product_111 * 0.0f;
    const float product_113 = product_3 * existing_22;
    const float product_114 = fabsf(product_113);
    const bool product_115 = product_114 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_116 = product_115 ? product_112 : product_111;
    const float sum_46 = flushed_sum(halo_below_0, product_116);
    const float difference_50 = flushed_difference(sum_46, sum_19);
    const float difference_51 = flushed_difference(sum_6, sum_19);
    const float sum_47 = flushed_sum(0.0f, difference_51);
    const float existing_23 = below_exists ? flushed_sum(sum_47, difference_50) : sum_47;
    const float product_117 = alpha_1 * existing_23;
    const float product_118 = product_117 * 0.0f;
    const float product_119 = product_3 * existing_23;
    const float product_120 = fabsf(product_119);
    const bool product_121 = product_120 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_122 = product_121 ? product_118 : product_117;
    const float sum_48 = flushed_sum(sum_19, product_122);
    const float difference_52 = flushed_difference(sum_48, sum_21);
    const float sum_49 = flushed_sum(sum_44, difference_52);
    const float product_123 = alpha_1 * sum_49;
    const float product_124 = product_123 * 0.0f;
    const float product_125 = product_3 * sum_49;
    const float product_126 = fabsf(product_125);
    const bool product_127 = product_126 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_128 = product_127 ? product_124 : product_123;
    const float sum_50 = flushed_sum(sum_21, product_128);
    const float sum_51 = canonical(sum_50);
    out_u[2 * STRIDE] = sum_51;
    const float difference_53 = flushed_difference(halo_right_0, halo_right_2);
    const float existing_24 = right_exists ? flushed_sum(0.0f, difference_53) : 0.0f;
    const float difference_54 = flushed_difference(halo_right_1, halo_right_2);
    const float existing_25 = right_exists ? flushed_sum(existing_24, difference_54) : existing_24;
    const float difference_55 = flushed_difference(halo_right_3, halo_right_2);
    const float existing_26 = right_exists ? flushed_sum(existing_25, difference_55) : existing_25;
    const float difference_56 = flushed_difference(halo_right_4, halo_right_2);
    const float existing_27 = right_exists ? flushed_sum(existing_26, difference_56) : existing_26;
    const float product_129 = alpha_1 * existing_27;
    const float product_130 = product_129 * 0.0f;
    const float product_131 = product_3 * existing_27;
    const float product_132 = fabsf(product_131);
    const bool product_133 = product_132 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_134 = product_133 ? product_130 : product_129;
    const float sum_52 = flushed_sum(halo_right_2, product_134);
    const float difference_57 = flushed_difference(sum_52, sum_41);
    const float difference_58 = flushed_difference(sum_16, sum_41);
    const float sum_53 = flushed_sum(0.0f, difference_58);
    const float existing_28 = right_exists ? flushed_sum(sum_53, difference_57) : sum_53;
    const float product_135 = alpha_1 * existing_28;
    const float product_136 = product_135 * 0.0f;
    const float product_137 = product_3 * existing_28;
    const float product_138 = fabsf(product_137);
    const bool product_139 = product_138 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_140 = product_139 ? product_136 : product_135;
    const float sum_54 = flushed_sum(sum_41, product_140);
    const float difference_59 = flushed_difference(sum_54, sum_43);
    const float difference_60 = flushed_difference(sum_21, sum_43);
    const float sum_55 = flushed_sum(0.0f, difference_60);
    const float existing_29 = right_exists ? flushed_sum(sum_55, difference_59) : sum_55;
    const float product_141 = alpha_1 * existing_29;
    const float product_142 = product_141 * 0.0f;
    const float product_143 = product_3 * existing_29;
    const float product_144 = fabsf(product_143);
    const bool product_145 = product_144 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_146 = product_145 ? product_142 : product_141;
    const float sum_56 = flushed_sum(sum_43, product_146);
    const float sum_57 = canonical(sum_56);
    out_u[3 * STRIDE] = sum_57;
    const float difference_61 = flushed_difference(halo_below_0, halo_below_2);
    const float existing_30 = below_exists ? flushed_sum(0.0f, difference_61) : 0.0f;
    const float difference_62 = flushed_difference(halo_below_1, halo_below_2);
    const float existing_31 = below_exists ? flushed_sum(existing_30, difference_62) : existing_30;
    const float difference_63 = flushed_difference(halo_below_3, halo_below_2);
    const float existing_32 = below_exists ? flushed_sum(existing_31, difference_63) : existing_31;
    const float difference_64 = flushed_difference(halo_below_4, halo_below_2);
    const float existing_33 = below_exists ? flushed_sum(existing_32, difference_64) : existing_32;
    const float product_147 = alpha_1 * existing_33;
    const float product_148 = product_147 * 0.0f;
    const float product_149 = product_3 * existing_33;
    const float product_150 = fabsf(product_149);
    const bool product_151 = product_150 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_152 = product_151 ? product_148 : product_147;
    const float sum_58 = flushed_sum(halo_below_2, product_152);
    const float difference_65 = flushed_difference(sum_58, sum_46);
    const float difference_66 = flushed_difference(sum_19, sum_46);
    const float sum_59 = flushed_sum(0.0f, difference_66);
    const float existing_34 = below_exists ? flushed_sum(sum_59, difference_65) : sum_59;
    const float product_153 = alpha_1 * existing_34;
    const float product_154 = product_153 * 0.0f;
    const float product_155 = product_3 * existing_34;
    const float product_156 = fabsf(product_155);
    const bool product_157 = product_156 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_158 = product_157 ? product_154 : product_153;
    const float sum_60 = flushed_sum(sum_46, product_158);
    const float difference_67 = flushed_difference(sum_60, sum_48);
    const float difference_68 = flushed_difference(sum_21, sum_48);
    const float sum_61 = flushed_sum(0.0f, difference_68);
    const float existing_35 = below_exists ? flushed_sum(sum_61, difference_67) : sum_61;
    const float product_159 = alpha_1 * existing_35;
    const float product_160 = product_159 * 0.0f;
    const float product_161 = product_3 * existing_35;
    const float product_162 = fabsf(product_161);
    const bool product_163 = product_162 < 0x1p-62f /* 2.1684043e-19 */;
    const float product_164 = product_163 ? product_160 : product_159;
    const float sum_62 = flushed_sum(sum_48, product_164);
    const float sum_63 = canonical(sum_62);
    out_u[4 * STRIDE] = sum_63;
}
