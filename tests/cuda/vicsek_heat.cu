// heat on vicsek at level 7, by Squeeze 0.1.0
//
// T = 3 (levels as lanes): 125 lanes a column, in registers that are 100% full
// L = 1 (levels in micro cells): 5 micro cells a superblock, by the planner's reckoning about 295 operations; 125 superblocks
// t = 3 (steps of a pass): 2.19 cells computed for one that is kept; bound by operations, 12.52 ps a cell and step expected of the machine planned for
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule heat; domain vicsek e9fe80379cc1cf48; level 7; lanes T = 3, L = 1, t = 3; kernels 05731dbf91daa38d

namespace squeeze_vicsek_7_heat_kernels {

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

// The value that is stored: all NaNs are one.
__device__ __forceinline__ float canonical(float v) {
    return v == v ? v : __int_as_float(0x7fc00000);
}

// heat_init: 1 step of 5 micro cells; a thread takes one lane, a superblock 128 threads.
// 2.40 operations a cell and step; in all 0 on bits and 12 on numbers (a draw is one), 0 loads of own columns and 0 of neighbours', 5 stores, at most 6 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_vicsek_7_heat_init(
    float *__restrict__ new_u,
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
    const float choice_1 = canonical(choice_0);
    out_u[0 * STRIDE] = choice_1;
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const bool equal_1 = y_0 == 0;
    const float choice_2 = equal_1 ? hot : 0.0f;
    const float choice_3 = canonical(choice_2);
    out_u[1 * STRIDE] = choice_3;
    out_u[2 * STRIDE] = choice_3;
    out_u[3 * STRIDE] = choice_3;
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const bool equal_2 = y_1 == 0;
    const float choice_4 = equal_2 ? hot : 0.0f;
    const float choice_5 = canonical(choice_4);
    out_u[4 * STRIDE] = choice_5;
}

// heat: 3 steps of 5 micro cells; a thread takes one lane, a superblock 128 threads.
// 13.00 operations a cell and step; in all 0 on bits and 195 on numbers (a draw is one), 5 loads of own columns and 20 of neighbours', 5 stores, at most 26 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_vicsek_7_heat(
    const float *u,
    float *__restrict__ new_u,
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
    const float *own_u = u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    const float own_0 = own_u[0 * STRIDE];
    const float own_2 = own_u[2 * STRIDE];
    const float own_1 = own_u[1 * STRIDE];
    const float own_3 = own_u[3 * STRIDE];
    const float own_4 = own_u[4 * STRIDE];

    // above
    const float *above_u = u + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * STRIDE) + above_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_above_4 = above_u[4 * STRIDE];
    const float halo_above_2 = above_u[2 * STRIDE];
    const float halo_above_1 = above_u[1 * STRIDE];
    const float halo_above_0 = above_u[0 * STRIDE];
    const float halo_above_3 = above_u[3 * STRIDE];

    // left
    const float *left_u = u + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * STRIDE) + left_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_left_3 = left_u[3 * STRIDE];
    const float halo_left_2 = left_u[2 * STRIDE];
    const float halo_left_1 = left_u[1 * STRIDE];
    const float halo_left_0 = left_u[0 * STRIDE];
    const float halo_left_4 = left_u[4 * STRIDE];

    // right
    const float *right_u = u + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * STRIDE) + right_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_right_1 = right_u[1 * STRIDE];
    const float halo_right_2 = right_u[2 * STRIDE];
    const float halo_right_0 = right_u[0 * STRIDE];
    const float halo_right_3 = right_u[3 * STRIDE];
    const float halo_right_4 = right_u[4 * STRIDE];

    // below
    const float *below_u = u + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * STRIDE) + below_lane : (u64)world.absent * (MICRO_CELLS * STRIDE));
    const float halo_below_0 = below_u[0 * STRIDE];
    const float halo_below_2 = below_u[2 * STRIDE];
    const float halo_below_1 = below_u[1 * STRIDE];
    const float halo_below_3 = below_u[3 * STRIDE];
    const float halo_below_4 = below_u[4 * STRIDE];

    // the rule
    const float difference_0 = halo_above_4 - own_0;
    const bool above_exists = above_lane != ABSENT;
    const float sum_0 = above_exists ? 0.0f + difference_0 : 0.0f;
    const float difference_2 = own_2 - own_0;
    const float sum_1 = sum_0 + difference_2;
    const float alpha = __uint_as_float((u32)world.params[0]);
    const float product_0 = alpha * sum_1;
    const float sum_2 = own_0 + product_0;
    const float difference_3 = own_1 - own_2;
    const float difference_4 = own_0 - own_2;
    const float sum_3 = 0.0f + difference_4;
    const float sum_4 = sum_3 + difference_3;
    const float difference_5 = own_3 - own_2;
    const float sum_5 = sum_4 + difference_5;
    const float difference_6 = own_4 - own_2;
    const float sum_6 = sum_5 + difference_6;
    const float product_1 = alpha * sum_6;
    const float sum_7 = own_2 + product_1;
    const float difference_7 = sum_7 - sum_2;
    const float difference_8 = own_0 - halo_above_4;
    const float difference_9 = halo_above_2 - halo_above_4;
    const float sum_8 = 0.0f + difference_9;
    const float sum_9 = sum_8 + difference_8;
    const float product_2 = alpha * sum_9;
    const float sum_10 = halo_above_4 + product_2;
    const float difference_10 = sum_10 - sum_2;
    const float sum_11 = above_exists ? 0.0f + difference_10 : 0.0f;
    const float sum_12 = sum_11 + difference_7;
    const float product_3 = alpha * sum_12;
    const float sum_13 = sum_2 + product_3;
    const float difference_11 = halo_left_3 - own_1;
    const bool left_exists = left_lane != ABSENT;
    const float sum_14 = left_exists ? 0.0f + difference_11 : 0.0f;
    const float difference_12 = own_2 - own_1;
    const float sum_15 = sum_14 + difference_12;
    const float product_4 = alpha * sum_15;
    const float sum_16 = own_1 + product_4;
    const float difference_13 = sum_16 - sum_7;
    const float difference_14 = sum_2 - sum_7;
    const float sum_17 = 0.0f + difference_14;
    const float sum_18 = sum_17 + difference_13;
    const float difference_15 = halo_right_1 - own_3;
    const float difference_16 = own_2 - own_3;
    const float sum_19 = 0.0f + difference_16;
    const bool right_exists = right_lane != ABSENT;
    const float sum_20 = right_exists ? sum_19 + difference_15 : sum_19;
    const float product_5 = alpha * sum_20;
    const float sum_21 = own_3 + product_5;
    const float difference_17 = sum_21 - sum_7;
    const float sum_22 = sum_18 + difference_17;
    const float difference_18 = halo_below_0 - own_4;
    const float difference_19 = own_2 - own_4;
    const float sum_23 = 0.0f + difference_19;
    const bool below_exists = below_lane != ABSENT;
    const float sum_24 = below_exists ? sum_23 + difference_18 : sum_23;
    const float product_6 = alpha * sum_24;
    const float sum_25 = own_4 + product_6;
    const float difference_20 = sum_25 - sum_7;
    const float sum_26 = sum_22 + difference_20;
    const float product_7 = alpha * sum_26;
    const float sum_27 = sum_7 + product_7;
    const float difference_21 = sum_27 - sum_13;
    const float difference_22 = sum_2 - sum_10;
    const float difference_23 = halo_above_1 - halo_above_2;
    const float difference_24 = halo_above_0 - halo_above_2;
    const float sum_28 = 0.0f + difference_24;
    const float sum_29 = sum_28 + difference_23;
    const float difference_25 = halo_above_3 - halo_above_2;
    const float sum_30 = sum_29 + difference_25;
    const float difference_26 = halo_above_4 - halo_above_2;
    const float sum_31 = sum_30 + difference_26;
    const float product_8 = alpha * sum_31;
    const float sum_32 = halo_above_2 + product_8;
    const float difference_27 = sum_32 - sum_10;
    const float sum_33 = above_exists ? 0.0f + difference_27 : 0.0f;
    const float sum_34 = sum_33 + difference_22;
    const float product_9 = alpha * sum_34;
    const float sum_35 = sum_10 + product_9;
    const float difference_28 = sum_35 - sum_13;
    const float sum_36 = above_exists ? 0.0f + difference_28 : 0.0f;
    const float sum_37 = sum_36 + difference_21;
    const float product_10 = alpha * sum_37;
    const float sum_38 = sum_13 + product_10;
    const float sum_39 = canonical(sum_38);
    out_u[0 * STRIDE] = sum_39;
    const float difference_29 = sum_7 - sum_16;
    const float difference_30 = own_1 - halo_left_3;
    const float difference_31 = halo_left_2 - halo_left_3;
    const float sum_40 = 0.0f + difference_31;
    const float sum_41 = sum_40 + difference_30;
    const float product_11 = alpha * sum_41;
    const float sum_42 = halo_left_3 + product_11;
    const float difference_32 = sum_42 - sum_16;
    const float sum_43 = left_exists ? 0.0f + difference_32 : 0.0f;
    const float sum_44 = sum_43 + difference_29;
    const float product_12 = alpha * sum_44;
    const float sum_45 = sum_16 + product_12;
    const float difference_33 = sum_27 - sum_45;
    const float difference_34 = sum_16 - sum_42;
    const float difference_35 = halo_left_1 - halo_left_2;
    const float difference_36 = halo_left_0 - halo_left_2;
    const float sum_46 = 0.0f + difference_36;
    const float sum_47 = sum_46 + difference_35;
    const float difference_37 = halo_left_3 - halo_left_2;
    const float sum_48 = sum_47 + difference_37;
    const float difference_38 = halo_left_4 - halo_left_2;
    const float sum_49 = sum_48 + difference_38;
    const float product_13 = alpha * sum_49;
    const float sum_50 = halo_left_2 + product_13;
    const float difference_39 = sum_50 - sum_42;
    const float sum_51 = left_exists ? 0.0f + difference_39 : 0.0f;
    const float sum_52 = sum_51 + difference_34;
    const float product_14 = alpha * sum_52;
    const float sum_53 = sum_42 + product_14;
    const float difference_40 = sum_53 - sum_45;
    const float sum_54 = left_exists ? 0.0f + difference_40 : 0.0f;
    const float sum_55 = sum_54 + difference_33;
    const float product_15 = alpha * sum_55;
    const float sum_56 = sum_45 + product_15;
    const float sum_57 = canonical(sum_56);
    out_u[1 * STRIDE] = sum_57;
    const float difference_41 = sum_45 - sum_27;
    const float difference_42 = sum_13 - sum_27;
    const float sum_58 = 0.0f + difference_42;
    const float sum_59 = sum_58 + difference_41;
    const float difference_43 = halo_right_2 - halo_right_1;
    const float difference_44 = own_3 - halo_right_1;
    const float sum_60 = 0.0f + difference_44;
    const float sum_61 = sum_60 + difference_43;
    const float product_16 = alpha * sum_61;
    const float sum_62 = halo_right_1 + product_16;
    const float difference_45 = sum_62 - sum_21;
    const float difference_46 = sum_7 - sum_21;
    const float sum_63 = 0.0f + difference_46;
    const float sum_64 = right_exists ? sum_63 + difference_45 : sum_63;
    const float product_17 = alpha * sum_64;
    const float sum_65 = sum_21 + product_17;
    const float difference_47 = sum_65 - sum_27;
    const float sum_66 = sum_59 + difference_47;
    const float difference_48 = halo_below_2 - halo_below_0;
    const float difference_49 = own_4 - halo_below_0;
    const float sum_67 = 0.0f + difference_49;
    const float sum_68 = sum_67 + difference_48;
    const float product_18 = alpha * sum_68;
    const float sum_69 = halo_below_0 + product_18;
    const float difference_50 = sum_69 - sum_25;
    const float difference_51 = sum_7 - sum_25;
    const float sum_70 = 0.0f + difference_51;
    const float sum_71 = below_exists ? sum_70 + difference_50 : sum_70;
    const float product_19 = alpha * sum_71;
    const float sum_72 = sum_25 + product_19;
    const float difference_52 = sum_72 - sum_27;
    const float sum_73 = sum_66 + difference_52;
    const float product_20 = alpha * sum_73;
    const float sum_74 = sum_27 + product_20;
    const float sum_75 = canonical(sum_74);
    out_u[2 * STRIDE] = sum_75;
    const float difference_53 = halo_right_1 - halo_right_2;
    const float difference_54 = halo_right_0 - halo_right_2;
    const float sum_76 = 0.0f + difference_54;
    const float sum_77 = sum_76 + difference_53;
    const float difference_55 = halo_right_3 - halo_right_2;
    const float sum_78 = sum_77 + difference_55;
    const float difference_56 = halo_right_4 - halo_right_2;
    const float sum_79 = sum_78 + difference_56;
    const float product_21 = alpha * sum_79;
    const float sum_80 = halo_right_2 + product_21;
    const float difference_57 = sum_80 - sum_62;
    const float difference_58 = sum_21 - sum_62;
    const float sum_81 = 0.0f + difference_58;
    const float sum_82 = right_exists ? sum_81 + difference_57 : sum_81;
    const float product_22 = alpha * sum_82;
    const float sum_83 = sum_62 + product_22;
    const float difference_59 = sum_83 - sum_65;
    const float difference_60 = sum_27 - sum_65;
    const float sum_84 = 0.0f + difference_60;
    const float sum_85 = right_exists ? sum_84 + difference_59 : sum_84;
    const float product_23 = alpha * sum_85;
    const float sum_86 = sum_65 + product_23;
    const float sum_87 = canonical(sum_86);
    out_u[3 * STRIDE] = sum_87;
    const float difference_61 = halo_below_1 - halo_below_2;
    const float difference_62 = halo_below_0 - halo_below_2;
    const float sum_88 = 0.0f + difference_62;
    const float sum_89 = sum_88 + difference_61;
    const float difference_63 = halo_below_3 - halo_below_2;
    const float sum_90 = sum_89 + difference_63;
    const float difference_64 = halo_below_4 - halo_below_2;
    const float sum_91 = sum_90 + difference_64;
    const float product_24 = alpha * sum_91;
    const float sum_92 = halo_below_2 + product_24;
    const float difference_65 = sum_92 - sum_69;
    const float difference_66 = sum_25 - sum_69;
    const float sum_93 = 0.0f + difference_66;
    const float sum_94 = below_exists ? sum_93 + difference_65 : sum_93;
    const float product_25 = alpha * sum_94;
    const float sum_95 = sum_69 + product_25;
    const float difference_67 = sum_95 - sum_72;
    const float difference_68 = sum_27 - sum_72;
    const float sum_96 = 0.0f + difference_68;
    const float sum_97 = below_exists ? sum_96 + difference_67 : sum_96;
    const float product_26 = alpha * sum_97;
    const float sum_98 = sum_72 + product_26;
    const float sum_99 = canonical(sum_98);
    out_u[4 * STRIDE] = sum_99;
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(LANES) + sizeof(WORDS) + sizeof(STRIDE) + sizeof(MICRO_CELLS) + sizeof(DIRECTIONS) + sizeof(STAY) + sizeof(ABSENT) > 0, "");

} // namespace squeeze_vicsek_7_heat_kernels
