// heat on sierpinski_triangle at level 12, by Squeeze 0.1.0
//
// T = 3: 27 lanes a column fill 100% of the vector registers they take
// L = 2: 9 micro cells a superblock, about 824 operations; 2187 superblocks
// t = 4: 2.54 cells computed for one that is kept; bound by operations, 1.92 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 27;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 32;
constexpr u32 MICRO_CELLS = 9;
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
    u64 lane_cells;               // cells of one lane
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

// heat_init: one step of 9 micro cells; a thread takes one lane, a superblock 32 threads.
// 1.33 operations a cell and step (0 on bits, 12 on numbers), 0 + 0 loads, 9 stores, 7 live values
extern "C" __global__ void __launch_bounds__(128) heat_init(
    float *__restrict__ new_u,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 32;
    if (superblock >= world.end) {
        return;
    }
    // Threads beyond the last lane do what it does.
    const u32 place = (u32)(thread % (32 * WORDS));
    const u32 lane = place < LANES ? place : LANES - 1;

    const u32 none = after_pass_before();
    new_u += none;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;

    // the rule
    const int superblock_y = world.superblock_corners[3 * (u64)superblock + 1];
    const int lane_y = world.lane_corners[1 * LANES + lane];
    const int corner_y_0 = (int)((u32)lane_y + (u32)superblock_y);
    const bool equal_0 = corner_y_0 == 0;
    const float hot = __uint_as_float((u32)world.params[1]);
    const float choice_0 = equal_0 ? hot : 0.0f;
    out_u[0 * STRIDE] = canonical(choice_0);
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const bool equal_1 = y_0 == 0;
    const float choice_1 = equal_1 ? hot : 0.0f;
    out_u[1 * STRIDE] = canonical(choice_1);
    out_u[2 * STRIDE] = canonical(choice_1);
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const bool equal_2 = y_1 == 0;
    const float choice_2 = equal_2 ? hot : 0.0f;
    out_u[3 * STRIDE] = canonical(choice_2);
    const int y_2 = (int)((u32)corner_y_0 + (u32)3);
    const bool equal_3 = y_2 == 0;
    const float choice_3 = equal_3 ? hot : 0.0f;
    out_u[4 * STRIDE] = canonical(choice_3);
    out_u[5 * STRIDE] = canonical(choice_3);
    out_u[6 * STRIDE] = canonical(choice_2);
    out_u[7 * STRIDE] = canonical(choice_3);
    out_u[8 * STRIDE] = canonical(choice_3);
}

// heat: 4 steps of 9 micro cells; a thread takes one lane, a superblock 32 threads.
// 16.67 operations a cell and step (0 on bits, 600 on numbers), 9 + 36 loads, 9 stores, 34 live values
extern "C" __global__ void __launch_bounds__(128) heat(
    const float *u,
    float *__restrict__ new_u,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 32;
    if (superblock >= world.end) {
        return;
    }
    // Threads beyond the last lane do what it does.
    const u32 place = (u32)(thread % (32 * WORDS));
    const u32 lane = place < LANES ? place : LANES - 1;

    // the neighbours
    const Neighbour above_left = neighbour(world, superblock, 0, -1, -1, 0);
    const u32 above_left_lane = source_lane(world, above_left, lane);
    const Neighbour above = neighbour(world, superblock, 1, 0, -1, 0);
    const u32 above_lane = source_lane(world, above, lane);
    const Neighbour left = neighbour(world, superblock, 3, -1, 0, 0);
    const u32 left_lane = source_lane(world, left, lane);
    const Neighbour right = neighbour(world, superblock, 4, 1, 0, 0);
    const u32 right_lane = source_lane(world, right, lane);
    const Neighbour below = neighbour(world, superblock, 6, 0, 1, 0);
    const u32 below_lane = source_lane(world, below, lane);
    const Neighbour below_right = neighbour(world, superblock, 7, 1, 1, 0);
    const u32 below_right_lane = source_lane(world, below_right, lane);

    const u32 none = after_pass_before();
    u += none;
    new_u += none;
    const float *own_u = u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    const float own_0 = own_u[0 * STRIDE];
    const float own_1 = own_u[1 * STRIDE];
    const float own_2 = own_u[2 * STRIDE];
    const float own_3 = own_u[3 * STRIDE];
    const float own_4 = own_u[4 * STRIDE];
    const float own_5 = own_u[5 * STRIDE];
    const float own_7 = own_u[7 * STRIDE];
    const float own_6 = own_u[6 * STRIDE];
    const float own_8 = own_u[8 * STRIDE];

    // above left
    const float *above_left_u = u + (above_left_lane != ABSENT ? (u64)above_left.superblock * (MICRO_CELLS * STRIDE) + above_left_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_above_left_8 = above_left_u[8 * STRIDE];
    const float halo_above_left_7 = above_left_u[7 * STRIDE];
    const float halo_above_left_5 = above_left_u[5 * STRIDE];
    const float halo_above_left_6 = above_left_u[6 * STRIDE];

    // above
    const float *above_u = u + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * STRIDE) + above_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_above_4 = above_u[4 * STRIDE];
    const float halo_above_3 = above_u[3 * STRIDE];
    const float halo_above_5 = above_u[5 * STRIDE];
    const float halo_above_1 = above_u[1 * STRIDE];
    const float halo_above_7 = above_u[7 * STRIDE];
    const float halo_above_2 = above_u[2 * STRIDE];
    const float halo_above_0 = above_u[0 * STRIDE];
    const float halo_above_6 = above_u[6 * STRIDE];
    const float halo_above_8 = above_u[8 * STRIDE];

    // left
    const float *left_u = u + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * STRIDE) + left_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_left_8 = left_u[8 * STRIDE];
    const float halo_left_7 = left_u[7 * STRIDE];
    const float halo_left_5 = left_u[5 * STRIDE];
    const float halo_left_6 = left_u[6 * STRIDE];
    const float halo_left_4 = left_u[4 * STRIDE];

    // right
    const float *right_u = u + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * STRIDE) + right_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_right_4 = right_u[4 * STRIDE];
    const float halo_right_5 = right_u[5 * STRIDE];
    const float halo_right_3 = right_u[3 * STRIDE];
    const float halo_right_7 = right_u[7 * STRIDE];
    const float halo_right_1 = right_u[1 * STRIDE];
    const float halo_right_6 = right_u[6 * STRIDE];
    const float halo_right_8 = right_u[8 * STRIDE];
    const float halo_right_2 = right_u[2 * STRIDE];
    const float halo_right_0 = right_u[0 * STRIDE];

    // below
    const float *below_u = u + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * STRIDE) + below_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_below_0 = below_u[0 * STRIDE];
    const float halo_below_1 = below_u[1 * STRIDE];
    const float halo_below_2 = below_u[2 * STRIDE];
    const float halo_below_3 = below_u[3 * STRIDE];
    const float halo_below_4 = below_u[4 * STRIDE];

    // below right
    const float *below_right_u = u + (below_right_lane != ABSENT ? (u64)below_right.superblock * (MICRO_CELLS * STRIDE) + below_right_lane : (u64)world.superblocks * (MICRO_CELLS * STRIDE));
    const float halo_below_right_0 = below_right_u[0 * STRIDE];
    const float halo_below_right_1 = below_right_u[1 * STRIDE];
    const float halo_below_right_2 = below_right_u[2 * STRIDE];
    const float halo_below_right_3 = below_right_u[3 * STRIDE];

    // the rule
    const float difference_0 = halo_above_4 - own_0;
    const bool above_exists = above_lane != ABSENT;
    const float existing_0 = above_exists ? difference_0 : 0.0f;
    const float sum_0 = 0.0f + existing_0;
    const float difference_2 = own_1 - own_0;
    const float sum_1 = sum_0 + difference_2;
    const float alpha = __uint_as_float((u32)world.params[0]);
    const float product_0 = alpha * sum_1;
    const float sum_2 = own_0 + product_0;
    const float difference_3 = own_2 - own_1;
    const float difference_4 = own_0 - own_1;
    const float sum_3 = 0.0f + difference_4;
    const float sum_4 = sum_3 + difference_3;
    const float difference_5 = own_3 - own_1;
    const float sum_5 = sum_4 + difference_5;
    const float product_1 = alpha * sum_5;
    const float sum_6 = own_1 + product_1;
    const float difference_6 = sum_6 - sum_2;
    const float difference_7 = halo_above_left_8 - halo_above_4;
    const bool above_left_exists = above_left_lane != ABSENT;
    const float existing_1 = above_left_exists ? difference_7 : 0.0f;
    const float difference_8 = halo_above_3 - halo_above_4;
    const float existing_2 = above_exists ? difference_8 : 0.0f;
    const float sum_7 = 0.0f + existing_2;
    const float sum_8 = sum_7 + existing_1;
    const float difference_9 = halo_above_5 - halo_above_4;
    const float existing_3 = above_exists ? difference_9 : 0.0f;
    const float sum_9 = sum_8 + existing_3;
    const float difference_10 = own_0 - halo_above_4;
    const float sum_10 = sum_9 + difference_10;
    const float product_2 = alpha * sum_10;
    const float sum_11 = halo_above_4 + product_2;
    const float difference_11 = sum_11 - sum_2;
    const float existing_4 = above_exists ? difference_11 : 0.0f;
    const float sum_12 = 0.0f + existing_4;
    const float sum_13 = sum_12 + difference_6;
    const float product_3 = alpha * sum_13;
    const float sum_14 = sum_2 + product_3;
    const float difference_12 = own_4 - own_3;
    const float difference_13 = own_1 - own_3;
    const float sum_15 = 0.0f + difference_13;
    const float sum_16 = sum_15 + difference_12;
    const float product_4 = alpha * sum_16;
    const float sum_17 = own_3 + product_4;
    const float difference_14 = sum_17 - sum_6;
    const float difference_15 = sum_2 - sum_6;
    const float sum_18 = 0.0f + difference_15;
    const float difference_16 = own_1 - own_2;
    const float sum_19 = 0.0f + difference_16;
    const float product_5 = alpha * sum_19;
    const float sum_20 = own_2 + product_5;
    const float difference_17 = sum_20 - sum_6;
    const float sum_21 = sum_18 + difference_17;
    const float sum_22 = sum_21 + difference_14;
    const float product_6 = alpha * sum_22;
    const float sum_23 = sum_6 + product_6;
    const float difference_18 = sum_23 - sum_14;
    const float difference_19 = halo_above_4 - halo_above_left_8;
    const float existing_5 = above_exists ? difference_19 : 0.0f;
    const float difference_20 = halo_above_left_7 - halo_above_left_8;
    const float existing_6 = above_left_exists ? difference_20 : 0.0f;
    const float sum_24 = 0.0f + existing_6;
    const float sum_25 = sum_24 + existing_5;
    const float product_7 = alpha * sum_25;
    const float sum_26 = halo_above_left_8 + product_7;
    const float difference_21 = sum_26 - sum_11;
    const float existing_7 = above_left_exists ? difference_21 : 0.0f;
    const float difference_22 = halo_above_4 - halo_above_3;
    const float existing_8 = above_exists ? difference_22 : 0.0f;
    const float difference_23 = halo_above_1 - halo_above_3;
    const float existing_9 = above_exists ? difference_23 : 0.0f;
    const float sum_27 = 0.0f + existing_9;
    const float sum_28 = sum_27 + existing_8;
    const float product_8 = alpha * sum_28;
    const float sum_29 = halo_above_3 + product_8;
    const float difference_24 = sum_29 - sum_11;
    const float existing_10 = above_exists ? difference_24 : 0.0f;
    const float sum_30 = 0.0f + existing_10;
    const float sum_31 = sum_30 + existing_7;
    const float difference_25 = halo_above_7 - halo_above_5;
    const float existing_11 = above_exists ? difference_25 : 0.0f;
    const float difference_26 = halo_above_4 - halo_above_5;
    const float existing_12 = above_exists ? difference_26 : 0.0f;
    const float sum_32 = 0.0f + existing_12;
    const float sum_33 = sum_32 + existing_11;
    const float product_9 = alpha * sum_33;
    const float sum_34 = halo_above_5 + product_9;
    const float difference_27 = sum_34 - sum_11;
    const float existing_13 = above_exists ? difference_27 : 0.0f;
    const float sum_35 = sum_31 + existing_13;
    const float difference_28 = sum_2 - sum_11;
    const float sum_36 = sum_35 + difference_28;
    const float product_10 = alpha * sum_36;
    const float sum_37 = sum_11 + product_10;
    const float difference_29 = sum_37 - sum_14;
    const float existing_14 = above_exists ? difference_29 : 0.0f;
    const float sum_38 = 0.0f + existing_14;
    const float sum_39 = sum_38 + difference_18;
    const float product_11 = alpha * sum_39;
    const float sum_40 = sum_14 + product_11;
    const float difference_30 = halo_below_0 - own_4;
    const bool below_exists = below_lane != ABSENT;
    const float existing_15 = below_exists ? difference_30 : 0.0f;
    const float difference_31 = halo_left_8 - own_4;
    const bool left_exists = left_lane != ABSENT;
    const float existing_16 = left_exists ? difference_31 : 0.0f;
    const float difference_32 = own_3 - own_4;
    const float sum_41 = 0.0f + difference_32;
    const float sum_42 = sum_41 + existing_16;
    const float difference_33 = own_5 - own_4;
    const float sum_43 = sum_42 + difference_33;
    const float sum_44 = sum_43 + existing_15;
    const float product_12 = alpha * sum_44;
    const float sum_45 = own_4 + product_12;
    const float difference_34 = sum_45 - sum_17;
    const float difference_35 = sum_6 - sum_17;
    const float sum_46 = 0.0f + difference_35;
    const float sum_47 = sum_46 + difference_34;
    const float product_13 = alpha * sum_47;
    const float sum_48 = sum_17 + product_13;
    const float difference_36 = sum_48 - sum_23;
    const float difference_37 = sum_14 - sum_23;
    const float sum_49 = 0.0f + difference_37;
    const float difference_38 = sum_6 - sum_20;
    const float sum_50 = 0.0f + difference_38;
    const float product_14 = alpha * sum_50;
    const float sum_51 = sum_20 + product_14;
    const float difference_39 = sum_51 - sum_23;
    const float sum_52 = sum_49 + difference_39;
    const float sum_53 = sum_52 + difference_36;
    const float product_15 = alpha * sum_53;
    const float sum_54 = sum_23 + product_15;
    const float difference_40 = sum_54 - sum_40;
    const float difference_41 = sum_11 - sum_26;
    const float existing_17 = above_exists ? difference_41 : 0.0f;
    const float difference_42 = halo_above_left_5 - halo_above_left_7;
    const float existing_18 = above_left_exists ? difference_42 : 0.0f;
    const float difference_43 = halo_above_left_6 - halo_above_left_7;
    const float existing_19 = above_left_exists ? difference_43 : 0.0f;
    const float sum_55 = 0.0f + existing_19;
    const float sum_56 = sum_55 + existing_18;
    const float difference_44 = halo_above_left_8 - halo_above_left_7;
    const float existing_20 = above_left_exists ? difference_44 : 0.0f;
    const float sum_57 = sum_56 + existing_20;
    const float product_16 = alpha * sum_57;
    const float sum_58 = halo_above_left_7 + product_16;
    const float difference_45 = sum_58 - sum_26;
    const float existing_21 = above_left_exists ? difference_45 : 0.0f;
    const float sum_59 = 0.0f + existing_21;
    const float sum_60 = sum_59 + existing_17;
    const float product_17 = alpha * sum_60;
    const float sum_61 = sum_26 + product_17;
    const float difference_46 = sum_61 - sum_37;
    const float existing_22 = above_left_exists ? difference_46 : 0.0f;
    const float difference_47 = sum_11 - sum_29;
    const float existing_23 = above_exists ? difference_47 : 0.0f;
    const float difference_48 = halo_above_2 - halo_above_1;
    const float existing_24 = above_exists ? difference_48 : 0.0f;
    const float difference_49 = halo_above_0 - halo_above_1;
    const float existing_25 = above_exists ? difference_49 : 0.0f;
    const float sum_62 = 0.0f + existing_25;
    const float sum_63 = sum_62 + existing_24;
    const float difference_50 = halo_above_3 - halo_above_1;
    const float existing_26 = above_exists ? difference_50 : 0.0f;
    const float sum_64 = sum_63 + existing_26;
    const float product_18 = alpha * sum_64;
    const float sum_65 = halo_above_1 + product_18;
    const float difference_51 = sum_65 - sum_29;
    const float existing_27 = above_exists ? difference_51 : 0.0f;
    const float sum_66 = 0.0f + existing_27;
    const float sum_67 = sum_66 + existing_23;
    const float product_19 = alpha * sum_67;
    const float sum_68 = sum_29 + product_19;
    const float difference_52 = sum_68 - sum_37;
    const float existing_28 = above_exists ? difference_52 : 0.0f;
    const float sum_69 = 0.0f + existing_28;
    const float sum_70 = sum_69 + existing_22;
    const float difference_53 = halo_above_5 - halo_above_7;
    const float existing_29 = above_exists ? difference_53 : 0.0f;
    const float difference_54 = halo_above_6 - halo_above_7;
    const float existing_30 = above_exists ? difference_54 : 0.0f;
    const float sum_71 = 0.0f + existing_30;
    const float sum_72 = sum_71 + existing_29;
    const float difference_55 = halo_above_8 - halo_above_7;
    const float existing_31 = above_exists ? difference_55 : 0.0f;
    const float sum_73 = sum_72 + existing_31;
    const float product_20 = alpha * sum_73;
    const float sum_74 = halo_above_7 + product_20;
    const float difference_56 = sum_74 - sum_34;
    const float existing_32 = above_exists ? difference_56 : 0.0f;
    const float difference_57 = sum_11 - sum_34;
    const float existing_33 = above_exists ? difference_57 : 0.0f;
    const float sum_75 = 0.0f + existing_33;
    const float sum_76 = sum_75 + existing_32;
    const float product_21 = alpha * sum_76;
    const float sum_77 = sum_34 + product_21;
    const float difference_58 = sum_77 - sum_37;
    const float existing_34 = above_exists ? difference_58 : 0.0f;
    const float sum_78 = sum_70 + existing_34;
    const float difference_59 = sum_14 - sum_37;
    const float sum_79 = sum_78 + difference_59;
    const float product_22 = alpha * sum_79;
    const float sum_80 = sum_37 + product_22;
    const float difference_60 = sum_80 - sum_40;
    const float existing_35 = above_exists ? difference_60 : 0.0f;
    const float sum_81 = 0.0f + existing_35;
    const float sum_82 = sum_81 + difference_40;
    const float product_23 = alpha * sum_82;
    const float sum_83 = sum_40 + product_23;
    out_u[0 * STRIDE] = canonical(sum_83);
    const float difference_61 = halo_left_7 - halo_left_8;
    const float existing_36 = left_exists ? difference_61 : 0.0f;
    const float sum_84 = 0.0f + existing_36;
    const float difference_62 = own_4 - halo_left_8;
    const float sum_85 = sum_84 + difference_62;
    const float product_24 = alpha * sum_85;
    const float sum_86 = halo_left_8 + product_24;
    const float difference_63 = sum_86 - sum_45;
    const float existing_37 = left_exists ? difference_63 : 0.0f;
    const float difference_64 = sum_17 - sum_45;
    const float sum_87 = 0.0f + difference_64;
    const float sum_88 = sum_87 + existing_37;
    const float difference_65 = own_7 - own_5;
    const float difference_66 = own_4 - own_5;
    const float sum_89 = 0.0f + difference_66;
    const float sum_90 = sum_89 + difference_65;
    const float product_25 = alpha * sum_90;
    const float sum_91 = own_5 + product_25;
    const float difference_67 = sum_91 - sum_45;
    const float sum_92 = sum_88 + difference_67;
    const float difference_68 = halo_below_1 - halo_below_0;
    const float existing_38 = below_exists ? difference_68 : 0.0f;
    const float difference_69 = own_4 - halo_below_0;
    const float sum_93 = 0.0f + difference_69;
    const float sum_94 = sum_93 + existing_38;
    const float product_26 = alpha * sum_94;
    const float sum_95 = halo_below_0 + product_26;
    const float difference_70 = sum_95 - sum_45;
    const float existing_39 = below_exists ? difference_70 : 0.0f;
    const float sum_96 = sum_92 + existing_39;
    const float product_27 = alpha * sum_96;
    const float sum_97 = sum_45 + product_27;
    const float difference_71 = sum_97 - sum_48;
    const float difference_72 = sum_23 - sum_48;
    const float sum_98 = 0.0f + difference_72;
    const float sum_99 = sum_98 + difference_71;
    const float product_28 = alpha * sum_99;
    const float sum_100 = sum_48 + product_28;
    const float difference_73 = sum_100 - sum_54;
    const float difference_74 = sum_40 - sum_54;
    const float sum_101 = 0.0f + difference_74;
    const float difference_75 = sum_23 - sum_51;
    const float sum_102 = 0.0f + difference_75;
    const float product_29 = alpha * sum_102;
    const float sum_103 = sum_51 + product_29;
    const float difference_76 = sum_103 - sum_54;
    const float sum_104 = sum_101 + difference_76;
    const float sum_105 = sum_104 + difference_73;
    const float product_30 = alpha * sum_105;
    const float sum_106 = sum_54 + product_30;
    out_u[1 * STRIDE] = canonical(sum_106);
    const float difference_77 = sum_54 - sum_103;
    const float sum_107 = 0.0f + difference_77;
    const float product_31 = alpha * sum_107;
    const float sum_108 = sum_103 + product_31;
    out_u[2 * STRIDE] = canonical(sum_108);
    const float difference_78 = sum_45 - sum_86;
    const float difference_79 = halo_left_5 - halo_left_7;
    const float existing_40 = left_exists ? difference_79 : 0.0f;
    const float difference_80 = halo_left_6 - halo_left_7;
    const float existing_41 = left_exists ? difference_80 : 0.0f;
    const float sum_109 = 0.0f + existing_41;
    const float sum_110 = sum_109 + existing_40;
    const float difference_81 = halo_left_8 - halo_left_7;
    const float existing_42 = left_exists ? difference_81 : 0.0f;
    const float sum_111 = sum_110 + existing_42;
    const float product_32 = alpha * sum_111;
    const float sum_112 = halo_left_7 + product_32;
    const float difference_82 = sum_112 - sum_86;
    const float existing_43 = left_exists ? difference_82 : 0.0f;
    const float sum_113 = 0.0f + existing_43;
    const float sum_114 = sum_113 + difference_78;
    const float product_33 = alpha * sum_114;
    const float sum_115 = sum_86 + product_33;
    const float difference_83 = sum_115 - sum_97;
    const float existing_44 = left_exists ? difference_83 : 0.0f;
    const float difference_84 = sum_48 - sum_97;
    const float sum_116 = 0.0f + difference_84;
    const float sum_117 = sum_116 + existing_44;
    const float difference_85 = own_5 - own_7;
    const float difference_86 = own_6 - own_7;
    const float sum_118 = 0.0f + difference_86;
    const float sum_119 = sum_118 + difference_85;
    const float difference_87 = own_8 - own_7;
    const float sum_120 = sum_119 + difference_87;
    const float product_34 = alpha * sum_120;
    const float sum_121 = own_7 + product_34;
    const float difference_88 = sum_121 - sum_91;
    const float difference_89 = sum_45 - sum_91;
    const float sum_122 = 0.0f + difference_89;
    const float sum_123 = sum_122 + difference_88;
    const float product_35 = alpha * sum_123;
    const float sum_124 = sum_91 + product_35;
    const float difference_90 = sum_124 - sum_97;
    const float sum_125 = sum_117 + difference_90;
    const float difference_91 = halo_below_2 - halo_below_1;
    const float existing_45 = below_exists ? difference_91 : 0.0f;
    const float difference_92 = halo_below_0 - halo_below_1;
    const float existing_46 = below_exists ? difference_92 : 0.0f;
    const float sum_126 = 0.0f + existing_46;
    const float sum_127 = sum_126 + existing_45;
    const float difference_93 = halo_below_3 - halo_below_1;
    const float existing_47 = below_exists ? difference_93 : 0.0f;
    const float sum_128 = sum_127 + existing_47;
    const float product_36 = alpha * sum_128;
    const float sum_129 = halo_below_1 + product_36;
    const float difference_94 = sum_129 - sum_95;
    const float existing_48 = below_exists ? difference_94 : 0.0f;
    const float difference_95 = sum_45 - sum_95;
    const float sum_130 = 0.0f + difference_95;
    const float sum_131 = sum_130 + existing_48;
    const float product_37 = alpha * sum_131;
    const float sum_132 = sum_95 + product_37;
    const float difference_96 = sum_132 - sum_97;
    const float existing_49 = below_exists ? difference_96 : 0.0f;
    const float sum_133 = sum_125 + existing_49;
    const float product_38 = alpha * sum_133;
    const float sum_134 = sum_97 + product_38;
    const float difference_97 = sum_134 - sum_100;
    const float difference_98 = sum_54 - sum_100;
    const float sum_135 = 0.0f + difference_98;
    const float sum_136 = sum_135 + difference_97;
    const float product_39 = alpha * sum_136;
    const float sum_137 = sum_100 + product_39;
    out_u[3 * STRIDE] = canonical(sum_137);
    const float difference_99 = sum_97 - sum_115;
    const float difference_100 = halo_left_7 - halo_left_5;
    const float existing_50 = left_exists ? difference_100 : 0.0f;
    const float difference_101 = halo_left_4 - halo_left_5;
    const float existing_51 = left_exists ? difference_101 : 0.0f;
    const float sum_138 = 0.0f + existing_51;
    const float sum_139 = sum_138 + existing_50;
    const float product_40 = alpha * sum_139;
    const float sum_140 = halo_left_5 + product_40;
    const float difference_102 = sum_140 - sum_112;
    const float existing_52 = left_exists ? difference_102 : 0.0f;
    const float difference_103 = halo_left_7 - halo_left_6;
    const float existing_53 = left_exists ? difference_103 : 0.0f;
    const float sum_141 = 0.0f + existing_53;
    const float product_41 = alpha * sum_141;
    const float sum_142 = halo_left_6 + product_41;
    const float difference_104 = sum_142 - sum_112;
    const float existing_54 = left_exists ? difference_104 : 0.0f;
    const float sum_143 = 0.0f + existing_54;
    const float sum_144 = sum_143 + existing_52;
    const float difference_105 = sum_86 - sum_112;
    const float existing_55 = left_exists ? difference_105 : 0.0f;
    const float sum_145 = sum_144 + existing_55;
    const float product_42 = alpha * sum_145;
    const float sum_146 = sum_112 + product_42;
    const float difference_106 = sum_146 - sum_115;
    const float existing_56 = left_exists ? difference_106 : 0.0f;
    const float sum_147 = 0.0f + existing_56;
    const float sum_148 = sum_147 + difference_99;
    const float product_43 = alpha * sum_148;
    const float sum_149 = sum_115 + product_43;
    const float difference_107 = sum_149 - sum_134;
    const float existing_57 = left_exists ? difference_107 : 0.0f;
    const float difference_108 = sum_100 - sum_134;
    const float sum_150 = 0.0f + difference_108;
    const float sum_151 = sum_150 + existing_57;
    const float difference_109 = halo_right_4 - own_8;
    const bool right_exists = right_lane != ABSENT;
    const float existing_58 = right_exists ? difference_109 : 0.0f;
    const float difference_110 = own_7 - own_8;
    const float sum_152 = 0.0f + difference_110;
    const float sum_153 = sum_152 + existing_58;
    const float product_44 = alpha * sum_153;
    const float sum_154 = own_8 + product_44;
    const float difference_111 = sum_154 - sum_121;
    const float difference_112 = sum_91 - sum_121;
    const float difference_113 = own_7 - own_6;
    const float sum_155 = 0.0f + difference_113;
    const float product_45 = alpha * sum_155;
    const float sum_156 = own_6 + product_45;
    const float difference_114 = sum_156 - sum_121;
    const float sum_157 = 0.0f + difference_114;
    const float sum_158 = sum_157 + difference_112;
    const float sum_159 = sum_158 + difference_111;
    const float product_46 = alpha * sum_159;
    const float sum_160 = sum_121 + product_46;
    const float difference_115 = sum_160 - sum_124;
    const float difference_116 = sum_97 - sum_124;
    const float sum_161 = 0.0f + difference_116;
    const float sum_162 = sum_161 + difference_115;
    const float product_47 = alpha * sum_162;
    const float sum_163 = sum_124 + product_47;
    const float difference_117 = sum_163 - sum_134;
    const float sum_164 = sum_151 + difference_117;
    const float difference_118 = halo_below_4 - halo_below_3;
    const float existing_59 = below_exists ? difference_118 : 0.0f;
    const float difference_119 = halo_below_1 - halo_below_3;
    const float existing_60 = below_exists ? difference_119 : 0.0f;
    const float sum_165 = 0.0f + existing_60;
    const float sum_166 = sum_165 + existing_59;
    const float product_48 = alpha * sum_166;
    const float sum_167 = halo_below_3 + product_48;
    const float difference_120 = sum_167 - sum_129;
    const float existing_61 = below_exists ? difference_120 : 0.0f;
    const float difference_121 = halo_below_1 - halo_below_2;
    const float existing_62 = below_exists ? difference_121 : 0.0f;
    const float sum_168 = 0.0f + existing_62;
    const float product_49 = alpha * sum_168;
    const float sum_169 = halo_below_2 + product_49;
    const float difference_122 = sum_169 - sum_129;
    const float existing_63 = below_exists ? difference_122 : 0.0f;
    const float difference_123 = sum_95 - sum_129;
    const float existing_64 = below_exists ? difference_123 : 0.0f;
    const float sum_170 = 0.0f + existing_64;
    const float sum_171 = sum_170 + existing_63;
    const float sum_172 = sum_171 + existing_61;
    const float product_50 = alpha * sum_172;
    const float sum_173 = sum_129 + product_50;
    const float difference_124 = sum_173 - sum_132;
    const float existing_65 = below_exists ? difference_124 : 0.0f;
    const float difference_125 = sum_97 - sum_132;
    const float sum_174 = 0.0f + difference_125;
    const float sum_175 = sum_174 + existing_65;
    const float product_51 = alpha * sum_175;
    const float sum_176 = sum_132 + product_51;
    const float difference_126 = sum_176 - sum_134;
    const float existing_66 = below_exists ? difference_126 : 0.0f;
    const float sum_177 = sum_164 + existing_66;
    const float product_52 = alpha * sum_177;
    const float sum_178 = sum_134 + product_52;
    out_u[4 * STRIDE] = canonical(sum_178);
    const float difference_127 = halo_right_5 - halo_right_4;
    const float existing_67 = right_exists ? difference_127 : 0.0f;
    const float difference_128 = halo_right_3 - halo_right_4;
    const float existing_68 = right_exists ? difference_128 : 0.0f;
    const float sum_179 = 0.0f + existing_68;
    const float difference_129 = own_8 - halo_right_4;
    const float sum_180 = sum_179 + difference_129;
    const float sum_181 = sum_180 + existing_67;
    const float difference_130 = halo_below_right_0 - halo_right_4;
    const bool below_right_exists = below_right_lane != ABSENT;
    const float existing_69 = below_right_exists ? difference_130 : 0.0f;
    const float sum_182 = sum_181 + existing_69;
    const float product_53 = alpha * sum_182;
    const float sum_183 = halo_right_4 + product_53;
    const float difference_131 = sum_183 - sum_154;
    const float existing_70 = right_exists ? difference_131 : 0.0f;
    const float difference_132 = sum_121 - sum_154;
    const float sum_184 = 0.0f + difference_132;
    const float sum_185 = sum_184 + existing_70;
    const float product_54 = alpha * sum_185;
    const float sum_186 = sum_154 + product_54;
    const float difference_133 = sum_186 - sum_160;
    const float difference_134 = sum_124 - sum_160;
    const float difference_135 = sum_121 - sum_156;
    const float sum_187 = 0.0f + difference_135;
    const float product_55 = alpha * sum_187;
    const float sum_188 = sum_156 + product_55;
    const float difference_136 = sum_188 - sum_160;
    const float sum_189 = 0.0f + difference_136;
    const float sum_190 = sum_189 + difference_134;
    const float sum_191 = sum_190 + difference_133;
    const float product_56 = alpha * sum_191;
    const float sum_192 = sum_160 + product_56;
    const float difference_137 = sum_192 - sum_163;
    const float difference_138 = sum_134 - sum_163;
    const float sum_193 = 0.0f + difference_138;
    const float sum_194 = sum_193 + difference_137;
    const float product_57 = alpha * sum_194;
    const float sum_195 = sum_163 + product_57;
    out_u[5 * STRIDE] = canonical(sum_195);
    const float difference_139 = sum_160 - sum_188;
    const float sum_196 = 0.0f + difference_139;
    const float product_58 = alpha * sum_196;
    const float sum_197 = sum_188 + product_58;
    const float difference_140 = sum_192 - sum_197;
    const float sum_198 = 0.0f + difference_140;
    const float product_59 = alpha * sum_198;
    const float sum_199 = sum_197 + product_59;
    out_u[6 * STRIDE] = canonical(sum_199);
    const float difference_141 = halo_right_7 - halo_right_5;
    const float existing_71 = right_exists ? difference_141 : 0.0f;
    const float difference_142 = halo_right_4 - halo_right_5;
    const float existing_72 = right_exists ? difference_142 : 0.0f;
    const float sum_200 = 0.0f + existing_72;
    const float sum_201 = sum_200 + existing_71;
    const float product_60 = alpha * sum_201;
    const float sum_202 = halo_right_5 + product_60;
    const float difference_143 = sum_202 - sum_183;
    const float existing_73 = right_exists ? difference_143 : 0.0f;
    const float difference_144 = halo_right_4 - halo_right_3;
    const float existing_74 = right_exists ? difference_144 : 0.0f;
    const float difference_145 = halo_right_1 - halo_right_3;
    const float existing_75 = right_exists ? difference_145 : 0.0f;
    const float sum_203 = 0.0f + existing_75;
    const float sum_204 = sum_203 + existing_74;
    const float product_61 = alpha * sum_204;
    const float sum_205 = halo_right_3 + product_61;
    const float difference_146 = sum_205 - sum_183;
    const float existing_76 = right_exists ? difference_146 : 0.0f;
    const float sum_206 = 0.0f + existing_76;
    const float difference_147 = sum_154 - sum_183;
    const float sum_207 = sum_206 + difference_147;
    const float sum_208 = sum_207 + existing_73;
    const float difference_148 = halo_below_right_1 - halo_below_right_0;
    const float existing_77 = below_right_exists ? difference_148 : 0.0f;
    const float difference_149 = halo_right_4 - halo_below_right_0;
    const float existing_78 = right_exists ? difference_149 : 0.0f;
    const float sum_209 = 0.0f + existing_78;
    const float sum_210 = sum_209 + existing_77;
    const float product_62 = alpha * sum_210;
    const float sum_211 = halo_below_right_0 + product_62;
    const float difference_150 = sum_211 - sum_183;
    const float existing_79 = below_right_exists ? difference_150 : 0.0f;
    const float sum_212 = sum_208 + existing_79;
    const float product_63 = alpha * sum_212;
    const float sum_213 = sum_183 + product_63;
    const float difference_151 = sum_213 - sum_186;
    const float existing_80 = right_exists ? difference_151 : 0.0f;
    const float difference_152 = sum_160 - sum_186;
    const float sum_214 = 0.0f + difference_152;
    const float sum_215 = sum_214 + existing_80;
    const float product_64 = alpha * sum_215;
    const float sum_216 = sum_186 + product_64;
    const float difference_153 = sum_216 - sum_192;
    const float difference_154 = sum_163 - sum_192;
    const float difference_155 = sum_197 - sum_192;
    const float sum_217 = 0.0f + difference_155;
    const float sum_218 = sum_217 + difference_154;
    const float sum_219 = sum_218 + difference_153;
    const float product_65 = alpha * sum_219;
    const float sum_220 = sum_192 + product_65;
    out_u[7 * STRIDE] = canonical(sum_220);
    const float difference_156 = halo_right_5 - halo_right_7;
    const float existing_81 = right_exists ? difference_156 : 0.0f;
    const float difference_157 = halo_right_6 - halo_right_7;
    const float existing_82 = right_exists ? difference_157 : 0.0f;
    const float sum_221 = 0.0f + existing_82;
    const float sum_222 = sum_221 + existing_81;
    const float difference_158 = halo_right_8 - halo_right_7;
    const float existing_83 = right_exists ? difference_158 : 0.0f;
    const float sum_223 = sum_222 + existing_83;
    const float product_66 = alpha * sum_223;
    const float sum_224 = halo_right_7 + product_66;
    const float difference_159 = sum_224 - sum_202;
    const float existing_84 = right_exists ? difference_159 : 0.0f;
    const float difference_160 = sum_183 - sum_202;
    const float existing_85 = right_exists ? difference_160 : 0.0f;
    const float sum_225 = 0.0f + existing_85;
    const float sum_226 = sum_225 + existing_84;
    const float product_67 = alpha * sum_226;
    const float sum_227 = sum_202 + product_67;
    const float difference_161 = sum_227 - sum_213;
    const float existing_86 = right_exists ? difference_161 : 0.0f;
    const float difference_162 = sum_183 - sum_205;
    const float existing_87 = right_exists ? difference_162 : 0.0f;
    const float difference_163 = halo_right_2 - halo_right_1;
    const float existing_88 = right_exists ? difference_163 : 0.0f;
    const float difference_164 = halo_right_0 - halo_right_1;
    const float existing_89 = right_exists ? difference_164 : 0.0f;
    const float sum_228 = 0.0f + existing_89;
    const float sum_229 = sum_228 + existing_88;
    const float difference_165 = halo_right_3 - halo_right_1;
    const float existing_90 = right_exists ? difference_165 : 0.0f;
    const float sum_230 = sum_229 + existing_90;
    const float product_68 = alpha * sum_230;
    const float sum_231 = halo_right_1 + product_68;
    const float difference_166 = sum_231 - sum_205;
    const float existing_91 = right_exists ? difference_166 : 0.0f;
    const float sum_232 = 0.0f + existing_91;
    const float sum_233 = sum_232 + existing_87;
    const float product_69 = alpha * sum_233;
    const float sum_234 = sum_205 + product_69;
    const float difference_167 = sum_234 - sum_213;
    const float existing_92 = right_exists ? difference_167 : 0.0f;
    const float sum_235 = 0.0f + existing_92;
    const float difference_168 = sum_186 - sum_213;
    const float sum_236 = sum_235 + difference_168;
    const float sum_237 = sum_236 + existing_86;
    const float difference_169 = halo_below_right_2 - halo_below_right_1;
    const float existing_93 = below_right_exists ? difference_169 : 0.0f;
    const float difference_170 = halo_below_right_0 - halo_below_right_1;
    const float existing_94 = below_right_exists ? difference_170 : 0.0f;
    const float sum_238 = 0.0f + existing_94;
    const float sum_239 = sum_238 + existing_93;
    const float difference_171 = halo_below_right_3 - halo_below_right_1;
    const float existing_95 = below_right_exists ? difference_171 : 0.0f;
    const float sum_240 = sum_239 + existing_95;
    const float product_70 = alpha * sum_240;
    const float sum_241 = halo_below_right_1 + product_70;
    const float difference_172 = sum_241 - sum_211;
    const float existing_96 = below_right_exists ? difference_172 : 0.0f;
    const float difference_173 = sum_183 - sum_211;
    const float existing_97 = right_exists ? difference_173 : 0.0f;
    const float sum_242 = 0.0f + existing_97;
    const float sum_243 = sum_242 + existing_96;
    const float product_71 = alpha * sum_243;
    const float sum_244 = sum_211 + product_71;
    const float difference_174 = sum_244 - sum_213;
    const float existing_98 = below_right_exists ? difference_174 : 0.0f;
    const float sum_245 = sum_237 + existing_98;
    const float product_72 = alpha * sum_245;
    const float sum_246 = sum_213 + product_72;
    const float difference_175 = sum_246 - sum_216;
    const float existing_99 = right_exists ? difference_175 : 0.0f;
    const float difference_176 = sum_192 - sum_216;
    const float sum_247 = 0.0f + difference_176;
    const float sum_248 = sum_247 + existing_99;
    const float product_73 = alpha * sum_248;
    const float sum_249 = sum_216 + product_73;
    out_u[8 * STRIDE] = canonical(sum_249);
}
