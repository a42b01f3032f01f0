// wave on lace at level 6, by Squeeze 0.1.0
//
// T = 0: 1 lanes a column fill 100% of the vector registers they take
// L = 1: 8 micro cells a superblock, about 1059 operations; 8000 superblocks
// t = 3: 2.87 cells computed for one that is kept; bound by operations, 23.80 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 1;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 8;
constexpr u32 MICRO_CELLS = 8;
// Directions to other superblocks, and ways for lanes to move: one for each of 9 places around a superblock and its own.
constexpr u32 DIRECTIONS = 8;
constexpr u32 STAY = 4;
// A superblock or a lane that does not exist.
constexpr u32 ABSENT = 0xffffffff;

// (column[word] rotated left) & mask
struct Term {
    u32 word;
    u32 rotate;
    u32 mask;
};

// What a pass needs besides the states.
struct World {
    const u32 *neighbours;        // superblock * DIRECTIONS + direction: a superblock or ABSENT
    const u8 *edges;              // superblock: the sides of its lane that it touches, bit 2a the low one of axis a, 2a + 1 the high
    const u32 *sources;           // wrap * LANES + lane: the lane that is seen, or ABSENT
    const u32 *presence;          // wrap * WORDS + word: the lanes that see one
    const u32 *first_terms;       // wrap * WORDS + word: where its terms begin; the next word's begin where they end
    const Term *terms;            // bits that move together
    const u64 *params;            // the parameters' bits
    const int *lane_corners;      // axis * LANES + lane: where the lane begins in the whole
    const int *superblock_corners; // 3 * superblock + axis: where the superblock begins in its lane
    u64 lane_cells;               // cells of one lane
    u64 seed;
    u32 superblocks;
    u32 time;                     // the first that the pass computes
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

// The lane of a neighbour that a lane sees, or ABSENT.
__device__ __forceinline__ u32 source_lane(const World &world, Neighbour there, u32 lane) {
    if (there.superblock == ABSENT) {
        return ABSENT;
    }
    return there.wrap == STAY ? lane : world.sources[there.wrap * LANES + lane];
}

// What is stored: there is one NaN.
__device__ __forceinline__ float canonical(float v) {
    return v == v ? v : __int_as_float(0x7fc00000);
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
    const float t12 = 0x1.6d10fcp-10f /* 0.0013926176 */ * t11;
    const float t13 = t12 + 0x1.120b62p-7f /* 0.008363173 */;
    const float t14 = t13 * t11;
    const float t15 = t14 + 0x1.55551ap-5f /* 0.041666556 */;
    const float t16 = t15 * t11;
    const float t17 = t16 + 0x1.5554dep-3f /* 0.16666578 */;
    const float t18 = t17 * t11;
    const float t19 = t18 + 0.5f;
    const float t20 = t11 * t11;
    const float t21 = t20 * t19;
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

// wave_init: one step of 8 micro cells; a thread takes one lane, a superblock 1 threads.
// 2.00 operations a cell and step (0 on bits, 16 on numbers), 0 + 0 loads, 16 stores, 6 live values
extern "C" __global__ void __launch_bounds__(128) wave_init(
    float *__restrict__ new_u,
    float *__restrict__ new_before,
    const World world
) {
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u32 superblock = (u32)(thread / 1);
    if (superblock >= world.superblocks) {
        return;
    }
    const u32 lane = (u32)(thread % LANES);
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_before = new_before + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;

    // the rule
    const int superblock_y = world.superblock_corners[3 * (u64)superblock + 1];
    const int lane_y = world.lane_corners[1 * LANES + lane];
    const int corner_y_0 = (int)((u32)lane_y + (u32)superblock_y);
    const float cast_0 = (float)corner_y_0;
    const float sharpness = __uint_as_float((u32)world.params[2]);
    const float value_0 = -sharpness;
    const float product_0 = value_0 * cast_0;
    const float product_1 = product_0 * cast_0;
    const float value_1 = exp_f32(product_1);
    out_u[0 * STRIDE] = canonical(value_1);
    out_u[1 * STRIDE] = canonical(value_1);
    out_u[2 * STRIDE] = canonical(value_1);
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const float cast_1 = (float)y_0;
    const float product_2 = value_0 * cast_1;
    const float product_3 = product_2 * cast_1;
    const float value_2 = exp_f32(product_3);
    out_u[3 * STRIDE] = canonical(value_2);
    out_u[4 * STRIDE] = canonical(value_2);
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const float cast_2 = (float)y_1;
    const float product_4 = value_0 * cast_2;
    const float product_5 = product_4 * cast_2;
    const float value_3 = exp_f32(product_5);
    out_u[5 * STRIDE] = canonical(value_3);
    out_u[6 * STRIDE] = canonical(value_3);
    out_u[7 * STRIDE] = canonical(value_3);
    out_before[0 * STRIDE] = canonical(value_1);
    out_before[1 * STRIDE] = canonical(value_1);
    out_before[2 * STRIDE] = canonical(value_1);
    out_before[3 * STRIDE] = canonical(value_2);
    out_before[4 * STRIDE] = canonical(value_2);
    out_before[5 * STRIDE] = canonical(value_3);
    out_before[6 * STRIDE] = canonical(value_3);
    out_before[7 * STRIDE] = canonical(value_3);
}

// wave: 3 steps of 8 micro cells; a thread takes one lane, a superblock 1 threads.
// 36.04 operations a cell and step (0 on bits, 865 on numbers), 16 + 64 loads, 16 stores, 41 live values
extern "C" __global__ void __launch_bounds__(128) wave(
    const float *__restrict__ u,
    float *__restrict__ new_u,
    const float *__restrict__ before,
    float *__restrict__ new_before,
    const World world
) {
    const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u32 superblock = (u32)(thread / 1);
    if (superblock >= world.superblocks) {
        return;
    }
    const u32 lane = (u32)(thread % LANES);
    const float *own_u = u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_u = new_u + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    const float *own_before = before + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;
    float *out_before = new_before + (u64)superblock * (MICRO_CELLS * STRIDE) + lane;

    // above left
    const Neighbour above_left = neighbour(world, superblock, 0, -1, -1, 0);
    const u32 above_left_lane = source_lane(world, above_left, lane);
    float halo_above_left_u_7 = 0, halo_above_left_u_6 = 0, halo_above_left_u_4 = 0;
    if (above_left_lane != ABSENT) {
        const float *above_left_columns = u + (u64)above_left.superblock * (MICRO_CELLS * STRIDE);
        halo_above_left_u_7 = above_left_columns[7 * STRIDE + above_left_lane];
        halo_above_left_u_6 = above_left_columns[6 * STRIDE + above_left_lane];
        halo_above_left_u_4 = above_left_columns[4 * STRIDE + above_left_lane];
    }
    float halo_above_left_before_7 = 0;
    if (above_left_lane != ABSENT) {
        const float *above_left_columns = before + (u64)above_left.superblock * (MICRO_CELLS * STRIDE);
        halo_above_left_before_7 = above_left_columns[7 * STRIDE + above_left_lane];
    }

    // above
    const Neighbour above = neighbour(world, superblock, 1, 0, -1, 0);
    const u32 above_lane = source_lane(world, above, lane);
    float halo_above_u_5 = 0, halo_above_u_3 = 0, halo_above_u_6 = 0, halo_above_u_0 = 0, halo_above_u_7 = 0, halo_above_u_4 = 0;
    float halo_above_u_2 = 0;
    if (above_lane != ABSENT) {
        const float *above_columns = u + (u64)above.superblock * (MICRO_CELLS * STRIDE);
        halo_above_u_5 = above_columns[5 * STRIDE + above_lane];
        halo_above_u_3 = above_columns[3 * STRIDE + above_lane];
        halo_above_u_6 = above_columns[6 * STRIDE + above_lane];
        halo_above_u_0 = above_columns[0 * STRIDE + above_lane];
        halo_above_u_7 = above_columns[7 * STRIDE + above_lane];
        halo_above_u_4 = above_columns[4 * STRIDE + above_lane];
        halo_above_u_2 = above_columns[2 * STRIDE + above_lane];
    }
    float halo_above_before_5 = 0, halo_above_before_3 = 0, halo_above_before_6 = 0, halo_above_before_7 = 0, halo_above_before_4 = 0;
    if (above_lane != ABSENT) {
        const float *above_columns = before + (u64)above.superblock * (MICRO_CELLS * STRIDE);
        halo_above_before_5 = above_columns[5 * STRIDE + above_lane];
        halo_above_before_3 = above_columns[3 * STRIDE + above_lane];
        halo_above_before_6 = above_columns[6 * STRIDE + above_lane];
        halo_above_before_7 = above_columns[7 * STRIDE + above_lane];
        halo_above_before_4 = above_columns[4 * STRIDE + above_lane];
    }

    // above right
    const Neighbour above_right = neighbour(world, superblock, 2, 1, -1, 0);
    const u32 above_right_lane = source_lane(world, above_right, lane);
    float halo_above_right_u_5 = 0, halo_above_right_u_3 = 0, halo_above_right_u_6 = 0;
    if (above_right_lane != ABSENT) {
        const float *above_right_columns = u + (u64)above_right.superblock * (MICRO_CELLS * STRIDE);
        halo_above_right_u_5 = above_right_columns[5 * STRIDE + above_right_lane];
        halo_above_right_u_3 = above_right_columns[3 * STRIDE + above_right_lane];
        halo_above_right_u_6 = above_right_columns[6 * STRIDE + above_right_lane];
    }
    float halo_above_right_before_5 = 0;
    if (above_right_lane != ABSENT) {
        const float *above_right_columns = before + (u64)above_right.superblock * (MICRO_CELLS * STRIDE);
        halo_above_right_before_5 = above_right_columns[5 * STRIDE + above_right_lane];
    }

    // left
    const Neighbour left = neighbour(world, superblock, 3, -1, 0, 0);
    const u32 left_lane = source_lane(world, left, lane);
    float halo_left_u_2 = 0, halo_left_u_1 = 0, halo_left_u_4 = 0, halo_left_u_0 = 0, halo_left_u_7 = 0, halo_left_u_6 = 0;
    float halo_left_u_5 = 0;
    if (left_lane != ABSENT) {
        const float *left_columns = u + (u64)left.superblock * (MICRO_CELLS * STRIDE);
        halo_left_u_2 = left_columns[2 * STRIDE + left_lane];
        halo_left_u_1 = left_columns[1 * STRIDE + left_lane];
        halo_left_u_4 = left_columns[4 * STRIDE + left_lane];
        halo_left_u_0 = left_columns[0 * STRIDE + left_lane];
        halo_left_u_7 = left_columns[7 * STRIDE + left_lane];
        halo_left_u_6 = left_columns[6 * STRIDE + left_lane];
        halo_left_u_5 = left_columns[5 * STRIDE + left_lane];
    }
    float halo_left_before_2 = 0, halo_left_before_1 = 0, halo_left_before_4 = 0, halo_left_before_7 = 0, halo_left_before_6 = 0;
    if (left_lane != ABSENT) {
        const float *left_columns = before + (u64)left.superblock * (MICRO_CELLS * STRIDE);
        halo_left_before_2 = left_columns[2 * STRIDE + left_lane];
        halo_left_before_1 = left_columns[1 * STRIDE + left_lane];
        halo_left_before_4 = left_columns[4 * STRIDE + left_lane];
        halo_left_before_7 = left_columns[7 * STRIDE + left_lane];
        halo_left_before_6 = left_columns[6 * STRIDE + left_lane];
    }

    // right
    const Neighbour right = neighbour(world, superblock, 4, 1, 0, 0);
    const u32 right_lane = source_lane(world, right, lane);
    float halo_right_u_0 = 0, halo_right_u_1 = 0, halo_right_u_3 = 0, halo_right_u_2 = 0, halo_right_u_5 = 0, halo_right_u_6 = 0;
    float halo_right_u_7 = 0;
    if (right_lane != ABSENT) {
        const float *right_columns = u + (u64)right.superblock * (MICRO_CELLS * STRIDE);
        halo_right_u_0 = right_columns[0 * STRIDE + right_lane];
        halo_right_u_1 = right_columns[1 * STRIDE + right_lane];
        halo_right_u_3 = right_columns[3 * STRIDE + right_lane];
        halo_right_u_2 = right_columns[2 * STRIDE + right_lane];
        halo_right_u_5 = right_columns[5 * STRIDE + right_lane];
        halo_right_u_6 = right_columns[6 * STRIDE + right_lane];
        halo_right_u_7 = right_columns[7 * STRIDE + right_lane];
    }
    float halo_right_before_0 = 0, halo_right_before_1 = 0, halo_right_before_3 = 0, halo_right_before_5 = 0, halo_right_before_6 = 0;
    if (right_lane != ABSENT) {
        const float *right_columns = before + (u64)right.superblock * (MICRO_CELLS * STRIDE);
        halo_right_before_0 = right_columns[0 * STRIDE + right_lane];
        halo_right_before_1 = right_columns[1 * STRIDE + right_lane];
        halo_right_before_3 = right_columns[3 * STRIDE + right_lane];
        halo_right_before_5 = right_columns[5 * STRIDE + right_lane];
        halo_right_before_6 = right_columns[6 * STRIDE + right_lane];
    }

    // below left
    const Neighbour below_left = neighbour(world, superblock, 5, -1, 1, 0);
    const u32 below_left_lane = source_lane(world, below_left, lane);
    float halo_below_left_u_2 = 0, halo_below_left_u_1 = 0, halo_below_left_u_4 = 0;
    if (below_left_lane != ABSENT) {
        const float *below_left_columns = u + (u64)below_left.superblock * (MICRO_CELLS * STRIDE);
        halo_below_left_u_2 = below_left_columns[2 * STRIDE + below_left_lane];
        halo_below_left_u_1 = below_left_columns[1 * STRIDE + below_left_lane];
        halo_below_left_u_4 = below_left_columns[4 * STRIDE + below_left_lane];
    }
    float halo_below_left_before_2 = 0;
    if (below_left_lane != ABSENT) {
        const float *below_left_columns = before + (u64)below_left.superblock * (MICRO_CELLS * STRIDE);
        halo_below_left_before_2 = below_left_columns[2 * STRIDE + below_left_lane];
    }

    // below
    const Neighbour below = neighbour(world, superblock, 6, 0, 1, 0);
    const u32 below_lane = source_lane(world, below, lane);
    float halo_below_u_0 = 0, halo_below_u_2 = 0, halo_below_u_1 = 0, halo_below_u_3 = 0, halo_below_u_4 = 0, halo_below_u_5 = 0;
    float halo_below_u_7 = 0;
    if (below_lane != ABSENT) {
        const float *below_columns = u + (u64)below.superblock * (MICRO_CELLS * STRIDE);
        halo_below_u_0 = below_columns[0 * STRIDE + below_lane];
        halo_below_u_2 = below_columns[2 * STRIDE + below_lane];
        halo_below_u_1 = below_columns[1 * STRIDE + below_lane];
        halo_below_u_3 = below_columns[3 * STRIDE + below_lane];
        halo_below_u_4 = below_columns[4 * STRIDE + below_lane];
        halo_below_u_5 = below_columns[5 * STRIDE + below_lane];
        halo_below_u_7 = below_columns[7 * STRIDE + below_lane];
    }
    float halo_below_before_0 = 0, halo_below_before_2 = 0, halo_below_before_1 = 0, halo_below_before_3 = 0, halo_below_before_4 = 0;
    if (below_lane != ABSENT) {
        const float *below_columns = before + (u64)below.superblock * (MICRO_CELLS * STRIDE);
        halo_below_before_0 = below_columns[0 * STRIDE + below_lane];
        halo_below_before_2 = below_columns[2 * STRIDE + below_lane];
        halo_below_before_1 = below_columns[1 * STRIDE + below_lane];
        halo_below_before_3 = below_columns[3 * STRIDE + below_lane];
        halo_below_before_4 = below_columns[4 * STRIDE + below_lane];
    }

    // below right
    const Neighbour below_right = neighbour(world, superblock, 7, 1, 1, 0);
    const u32 below_right_lane = source_lane(world, below_right, lane);
    float halo_below_right_u_0 = 0, halo_below_right_u_1 = 0, halo_below_right_u_3 = 0;
    if (below_right_lane != ABSENT) {
        const float *below_right_columns = u + (u64)below_right.superblock * (MICRO_CELLS * STRIDE);
        halo_below_right_u_0 = below_right_columns[0 * STRIDE + below_right_lane];
        halo_below_right_u_1 = below_right_columns[1 * STRIDE + below_right_lane];
        halo_below_right_u_3 = below_right_columns[3 * STRIDE + below_right_lane];
    }
    float halo_below_right_before_0 = 0;
    if (below_right_lane != ABSENT) {
        const float *below_right_columns = before + (u64)below_right.superblock * (MICRO_CELLS * STRIDE);
        halo_below_right_before_0 = below_right_columns[0 * STRIDE + below_right_lane];
    }

    // the rule
    const float own_u_0 = own_u[0 * STRIDE];
    const float difference_0 = halo_left_u_2 - own_u_0;
    const bool left_exists = left_lane != ABSENT;
    const float existing_0 = left_exists ? difference_0 : 0.0f;
    const float difference_2 = halo_above_u_5 - own_u_0;
    const bool above_exists = above_lane != ABSENT;
    const float existing_1 = above_exists ? difference_2 : 0.0f;
    const float sum_0 = 0.0f + existing_1;
    const float sum_1 = sum_0 + existing_0;
    const float own_u_1 = own_u[1 * STRIDE];
    const float difference_3 = own_u_1 - own_u_0;
    const float sum_2 = sum_1 + difference_3;
    const float own_u_3 = own_u[3 * STRIDE];
    const float difference_4 = own_u_3 - own_u_0;
    const float sum_3 = sum_2 + difference_4;
    const float c2 = __uint_as_float((u32)world.params[0]);
    const float product_0 = c2 * sum_3;
    const float own_before_0 = own_before[0 * STRIDE];
    const float difference_5 = own_u_0 - own_before_0;
    const float damping = __uint_as_float((u32)world.params[1]);
    const float difference_6 = 1.0f - damping;
    const float product_1 = difference_6 * difference_5;
    const float sum_4 = own_u_0 + product_1;
    const float sum_5 = sum_4 + product_0;
    const float difference_7 = halo_left_u_1 - halo_left_u_2;
    const float existing_2 = left_exists ? difference_7 : 0.0f;
    const float difference_8 = halo_above_left_u_7 - halo_left_u_2;
    const bool above_left_exists = above_left_lane != ABSENT;
    const float existing_3 = above_left_exists ? difference_8 : 0.0f;
    const float sum_6 = 0.0f + existing_3;
    const float sum_7 = sum_6 + existing_2;
    const float difference_9 = own_u_0 - halo_left_u_2;
    const float sum_8 = sum_7 + difference_9;
    const float difference_10 = halo_left_u_4 - halo_left_u_2;
    const float existing_4 = left_exists ? difference_10 : 0.0f;
    const float sum_9 = sum_8 + existing_4;
    const float product_2 = c2 * sum_9;
    const float difference_11 = halo_left_u_2 - halo_left_before_2;
    const float product_3 = difference_6 * difference_11;
    const float sum_10 = halo_left_u_2 + product_3;
    const float sum_11 = sum_10 + product_2;
    const float difference_12 = sum_11 - sum_5;
    const float existing_5 = left_exists ? difference_12 : 0.0f;
    const float difference_13 = halo_above_left_u_7 - halo_above_u_5;
    const float existing_6 = above_left_exists ? difference_13 : 0.0f;
    const float difference_14 = halo_above_u_3 - halo_above_u_5;
    const float existing_7 = above_exists ? difference_14 : 0.0f;
    const float sum_12 = 0.0f + existing_7;
    const float sum_13 = sum_12 + existing_6;
    const float difference_15 = halo_above_u_6 - halo_above_u_5;
    const float existing_8 = above_exists ? difference_15 : 0.0f;
    const float sum_14 = sum_13 + existing_8;
    const float difference_16 = own_u_0 - halo_above_u_5;
    const float sum_15 = sum_14 + difference_16;
    const float product_4 = c2 * sum_15;
    const float difference_17 = halo_above_u_5 - halo_above_before_5;
    const float product_5 = difference_6 * difference_17;
    const float sum_16 = halo_above_u_5 + product_5;
    const float sum_17 = sum_16 + product_4;
    const float difference_18 = sum_17 - sum_5;
    const float existing_9 = above_exists ? difference_18 : 0.0f;
    const float sum_18 = 0.0f + existing_9;
    const float sum_19 = sum_18 + existing_5;
    const float difference_19 = halo_above_u_6 - own_u_1;
    const float existing_10 = above_exists ? difference_19 : 0.0f;
    const float sum_20 = 0.0f + existing_10;
    const float difference_20 = own_u_0 - own_u_1;
    const float sum_21 = sum_20 + difference_20;
    const float own_u_2 = own_u[2 * STRIDE];
    const float difference_21 = own_u_2 - own_u_1;
    const float sum_22 = sum_21 + difference_21;
    const float product_6 = c2 * sum_22;
    const float own_before_1 = own_before[1 * STRIDE];
    const float difference_22 = own_u_1 - own_before_1;
    const float product_7 = difference_6 * difference_22;
    const float sum_23 = own_u_1 + product_7;
    const float sum_24 = sum_23 + product_6;
    const float difference_23 = sum_24 - sum_5;
    const float sum_25 = sum_19 + difference_23;
    const float difference_24 = halo_left_u_4 - own_u_3;
    const float existing_11 = left_exists ? difference_24 : 0.0f;
    const float difference_25 = own_u_0 - own_u_3;
    const float sum_26 = 0.0f + difference_25;
    const float sum_27 = sum_26 + existing_11;
    const float own_u_5 = own_u[5 * STRIDE];
    const float difference_26 = own_u_5 - own_u_3;
    const float sum_28 = sum_27 + difference_26;
    const float product_8 = c2 * sum_28;
    const float own_before_3 = own_before[3 * STRIDE];
    const float difference_27 = own_u_3 - own_before_3;
    const float product_9 = difference_6 * difference_27;
    const float sum_29 = own_u_3 + product_9;
    const float sum_30 = sum_29 + product_8;
    const float difference_28 = sum_30 - sum_5;
    const float sum_31 = sum_25 + difference_28;
    const float product_10 = c2 * sum_31;
    const float difference_29 = sum_5 - own_u_0;
    const float product_11 = difference_6 * difference_29;
    const float sum_32 = sum_5 + product_11;
    const float sum_33 = sum_32 + product_10;
    const float difference_30 = halo_left_u_0 - halo_left_u_1;
    const float existing_12 = left_exists ? difference_30 : 0.0f;
    const float difference_31 = halo_above_left_u_6 - halo_left_u_1;
    const float existing_13 = above_left_exists ? difference_31 : 0.0f;
    const float sum_34 = 0.0f + existing_13;
    const float sum_35 = sum_34 + existing_12;
    const float difference_32 = halo_left_u_2 - halo_left_u_1;
    const float existing_14 = left_exists ? difference_32 : 0.0f;
    const float sum_36 = sum_35 + existing_14;
    const float product_12 = c2 * sum_36;
    const float difference_33 = halo_left_u_1 - halo_left_before_1;
    const float product_13 = difference_6 * difference_33;
    const float sum_37 = halo_left_u_1 + product_13;
    const float sum_38 = sum_37 + product_12;
    const float difference_34 = sum_38 - sum_11;
    const float existing_15 = left_exists ? difference_34 : 0.0f;
    const float difference_35 = halo_above_left_u_6 - halo_above_left_u_7;
    const float existing_16 = above_left_exists ? difference_35 : 0.0f;
    const float difference_36 = halo_above_left_u_4 - halo_above_left_u_7;
    const float existing_17 = above_left_exists ? difference_36 : 0.0f;
    const float sum_39 = 0.0f + existing_17;
    const float sum_40 = sum_39 + existing_16;
    const float difference_37 = halo_above_u_5 - halo_above_left_u_7;
    const float existing_18 = above_exists ? difference_37 : 0.0f;
    const float sum_41 = sum_40 + existing_18;
    const float difference_38 = halo_left_u_2 - halo_above_left_u_7;
    const float existing_19 = left_exists ? difference_38 : 0.0f;
    const float sum_42 = sum_41 + existing_19;
    const float product_14 = c2 * sum_42;
    const float difference_39 = halo_above_left_u_7 - halo_above_left_before_7;
    const float product_15 = difference_6 * difference_39;
    const float sum_43 = halo_above_left_u_7 + product_15;
    const float sum_44 = sum_43 + product_14;
    const float difference_40 = sum_44 - sum_11;
    const float existing_20 = above_left_exists ? difference_40 : 0.0f;
    const float sum_45 = 0.0f + existing_20;
    const float sum_46 = sum_45 + existing_15;
    const float difference_41 = sum_5 - sum_11;
    const float sum_47 = sum_46 + difference_41;
    const float difference_42 = halo_left_u_7 - halo_left_u_4;
    const float existing_21 = left_exists ? difference_42 : 0.0f;
    const float difference_43 = halo_left_u_2 - halo_left_u_4;
    const float existing_22 = left_exists ? difference_43 : 0.0f;
    const float sum_48 = 0.0f + existing_22;
    const float difference_44 = own_u_3 - halo_left_u_4;
    const float sum_49 = sum_48 + difference_44;
    const float sum_50 = sum_49 + existing_21;
    const float product_16 = c2 * sum_50;
    const float difference_45 = halo_left_u_4 - halo_left_before_4;
    const float product_17 = difference_6 * difference_45;
    const float sum_51 = halo_left_u_4 + product_17;
    const float sum_52 = sum_51 + product_16;
    const float difference_46 = sum_52 - sum_11;
    const float existing_23 = left_exists ? difference_46 : 0.0f;
    const float sum_53 = sum_47 + existing_23;
    const float product_18 = c2 * sum_53;
    const float difference_47 = sum_11 - halo_left_u_2;
    const float product_19 = difference_6 * difference_47;
    const float sum_54 = sum_11 + product_19;
    const float sum_55 = sum_54 + product_18;
    const float difference_48 = sum_55 - sum_33;
    const float existing_24 = left_exists ? difference_48 : 0.0f;
    const float difference_49 = sum_44 - sum_17;
    const float existing_25 = above_left_exists ? difference_49 : 0.0f;
    const float difference_50 = halo_above_left_u_4 - halo_above_u_3;
    const float existing_26 = above_left_exists ? difference_50 : 0.0f;
    const float difference_51 = halo_above_u_0 - halo_above_u_3;
    const float existing_27 = above_exists ? difference_51 : 0.0f;
    const float sum_56 = 0.0f + existing_27;
    const float sum_57 = sum_56 + existing_26;
    const float difference_52 = halo_above_u_5 - halo_above_u_3;
    const float existing_28 = above_exists ? difference_52 : 0.0f;
    const float sum_58 = sum_57 + existing_28;
    const float product_20 = c2 * sum_58;
    const float difference_53 = halo_above_u_3 - halo_above_before_3;
    const float product_21 = difference_6 * difference_53;
    const float sum_59 = halo_above_u_3 + product_21;
    const float sum_60 = sum_59 + product_20;
    const float difference_54 = sum_60 - sum_17;
    const float existing_29 = above_exists ? difference_54 : 0.0f;
    const float sum_61 = 0.0f + existing_29;
    const float sum_62 = sum_61 + existing_25;
    const float difference_55 = halo_above_u_7 - halo_above_u_6;
    const float existing_30 = above_exists ? difference_55 : 0.0f;
    const float difference_56 = halo_above_u_5 - halo_above_u_6;
    const float existing_31 = above_exists ? difference_56 : 0.0f;
    const float sum_63 = 0.0f + existing_31;
    const float sum_64 = sum_63 + existing_30;
    const float difference_57 = own_u_1 - halo_above_u_6;
    const float sum_65 = sum_64 + difference_57;
    const float product_22 = c2 * sum_65;
    const float difference_58 = halo_above_u_6 - halo_above_before_6;
    const float product_23 = difference_6 * difference_58;
    const float sum_66 = halo_above_u_6 + product_23;
    const float sum_67 = sum_66 + product_22;
    const float difference_59 = sum_67 - sum_17;
    const float existing_32 = above_exists ? difference_59 : 0.0f;
    const float sum_68 = sum_62 + existing_32;
    const float difference_60 = sum_5 - sum_17;
    const float sum_69 = sum_68 + difference_60;
    const float product_24 = c2 * sum_69;
    const float difference_61 = sum_17 - halo_above_u_5;
    const float product_25 = difference_6 * difference_61;
    const float sum_70 = sum_17 + product_25;
    const float sum_71 = sum_70 + product_24;
    const float difference_62 = sum_71 - sum_33;
    const float existing_33 = above_exists ? difference_62 : 0.0f;
    const float sum_72 = 0.0f + existing_33;
    const float sum_73 = sum_72 + existing_24;
    const float difference_63 = sum_5 - sum_24;
    const float difference_64 = sum_67 - sum_24;
    const float existing_34 = above_exists ? difference_64 : 0.0f;
    const float sum_74 = 0.0f + existing_34;
    const float sum_75 = sum_74 + difference_63;
    const float difference_65 = halo_right_u_0 - own_u_2;
    const bool right_exists = right_lane != ABSENT;
    const float existing_35 = right_exists ? difference_65 : 0.0f;
    const float difference_66 = halo_above_u_7 - own_u_2;
    const float existing_36 = above_exists ? difference_66 : 0.0f;
    const float sum_76 = 0.0f + existing_36;
    const float difference_67 = own_u_1 - own_u_2;
    const float sum_77 = sum_76 + difference_67;
    const float sum_78 = sum_77 + existing_35;
    const float own_u_4 = own_u[4 * STRIDE];
    const float difference_68 = own_u_4 - own_u_2;
    const float sum_79 = sum_78 + difference_68;
    const float product_26 = c2 * sum_79;
    const float own_before_2 = own_before[2 * STRIDE];
    const float difference_69 = own_u_2 - own_before_2;
    const float product_27 = difference_6 * difference_69;
    const float sum_80 = own_u_2 + product_27;
    const float sum_81 = sum_80 + product_26;
    const float difference_70 = sum_81 - sum_24;
    const float sum_82 = sum_75 + difference_70;
    const float product_28 = c2 * sum_82;
    const float difference_71 = sum_24 - own_u_1;
    const float product_29 = difference_6 * difference_71;
    const float sum_83 = sum_24 + product_29;
    const float sum_84 = sum_83 + product_28;
    const float difference_72 = sum_84 - sum_33;
    const float sum_85 = sum_73 + difference_72;
    const float difference_73 = sum_52 - sum_30;
    const float existing_37 = left_exists ? difference_73 : 0.0f;
    const float difference_74 = sum_5 - sum_30;
    const float sum_86 = 0.0f + difference_74;
    const float sum_87 = sum_86 + existing_37;
    const float difference_75 = halo_below_u_0 - own_u_5;
    const bool below_exists = below_lane != ABSENT;
    const float existing_38 = below_exists ? difference_75 : 0.0f;
    const float difference_76 = halo_left_u_7 - own_u_5;
    const float existing_39 = left_exists ? difference_76 : 0.0f;
    const float difference_77 = own_u_3 - own_u_5;
    const float sum_88 = 0.0f + difference_77;
    const float sum_89 = sum_88 + existing_39;
    const float own_u_6 = own_u[6 * STRIDE];
    const float difference_78 = own_u_6 - own_u_5;
    const float sum_90 = sum_89 + difference_78;
    const float sum_91 = sum_90 + existing_38;
    const float product_30 = c2 * sum_91;
    const float own_before_5 = own_before[5 * STRIDE];
    const float difference_79 = own_u_5 - own_before_5;
    const float product_31 = difference_6 * difference_79;
    const float sum_92 = own_u_5 + product_31;
    const float sum_93 = sum_92 + product_30;
    const float difference_80 = sum_93 - sum_30;
    const float sum_94 = sum_87 + difference_80;
    const float product_32 = c2 * sum_94;
    const float difference_81 = sum_30 - own_u_3;
    const float product_33 = difference_6 * difference_81;
    const float sum_95 = sum_30 + product_33;
    const float sum_96 = sum_95 + product_32;
    const float difference_82 = sum_96 - sum_33;
    const float sum_97 = sum_85 + difference_82;
    const float product_34 = c2 * sum_97;
    const float difference_83 = sum_33 - sum_5;
    const float product_35 = difference_6 * difference_83;
    const float sum_98 = sum_33 + product_35;
    const float sum_99 = sum_98 + product_34;
    out_u[0 * STRIDE] = canonical(sum_99);
    const float difference_84 = sum_33 - sum_84;
    const float difference_85 = halo_above_u_6 - halo_above_u_7;
    const float existing_40 = above_exists ? difference_85 : 0.0f;
    const float difference_86 = halo_above_u_4 - halo_above_u_7;
    const float existing_41 = above_exists ? difference_86 : 0.0f;
    const float sum_100 = 0.0f + existing_41;
    const float sum_101 = sum_100 + existing_40;
    const float difference_87 = halo_above_right_u_5 - halo_above_u_7;
    const bool above_right_exists = above_right_lane != ABSENT;
    const float existing_42 = above_right_exists ? difference_87 : 0.0f;
    const float sum_102 = sum_101 + existing_42;
    const float difference_88 = own_u_2 - halo_above_u_7;
    const float sum_103 = sum_102 + difference_88;
    const float product_36 = c2 * sum_103;
    const float difference_89 = halo_above_u_7 - halo_above_before_7;
    const float product_37 = difference_6 * difference_89;
    const float sum_104 = halo_above_u_7 + product_37;
    const float sum_105 = sum_104 + product_36;
    const float difference_90 = sum_105 - sum_67;
    const float existing_43 = above_exists ? difference_90 : 0.0f;
    const float difference_91 = sum_17 - sum_67;
    const float existing_44 = above_exists ? difference_91 : 0.0f;
    const float sum_106 = 0.0f + existing_44;
    const float sum_107 = sum_106 + existing_43;
    const float difference_92 = sum_24 - sum_67;
    const float sum_108 = sum_107 + difference_92;
    const float product_38 = c2 * sum_108;
    const float difference_93 = sum_67 - halo_above_u_6;
    const float product_39 = difference_6 * difference_93;
    const float sum_109 = sum_67 + product_39;
    const float sum_110 = sum_109 + product_38;
    const float difference_94 = sum_110 - sum_84;
    const float existing_45 = above_exists ? difference_94 : 0.0f;
    const float sum_111 = 0.0f + existing_45;
    const float sum_112 = sum_111 + difference_84;
    const float difference_95 = sum_24 - sum_81;
    const float difference_96 = sum_105 - sum_81;
    const float existing_46 = above_exists ? difference_96 : 0.0f;
    const float sum_113 = 0.0f + existing_46;
    const float sum_114 = sum_113 + difference_95;
    const float difference_97 = halo_right_u_1 - halo_right_u_0;
    const float existing_47 = right_exists ? difference_97 : 0.0f;
    const float difference_98 = halo_above_right_u_5 - halo_right_u_0;
    const float existing_48 = above_right_exists ? difference_98 : 0.0f;
    const float sum_115 = 0.0f + existing_48;
    const float difference_99 = own_u_2 - halo_right_u_0;
    const float sum_116 = sum_115 + difference_99;
    const float sum_117 = sum_116 + existing_47;
    const float difference_100 = halo_right_u_3 - halo_right_u_0;
    const float existing_49 = right_exists ? difference_100 : 0.0f;
    const float sum_118 = sum_117 + existing_49;
    const float product_40 = c2 * sum_118;
    const float difference_101 = halo_right_u_0 - halo_right_before_0;
    const float product_41 = difference_6 * difference_101;
    const float sum_119 = halo_right_u_0 + product_41;
    const float sum_120 = sum_119 + product_40;
    const float difference_102 = sum_120 - sum_81;
    const float existing_50 = right_exists ? difference_102 : 0.0f;
    const float sum_121 = sum_114 + existing_50;
    const float difference_103 = halo_right_u_3 - own_u_4;
    const float existing_51 = right_exists ? difference_103 : 0.0f;
    const float difference_104 = own_u_2 - own_u_4;
    const float sum_122 = 0.0f + difference_104;
    const float sum_123 = sum_122 + existing_51;
    const float own_u_7 = own_u[7 * STRIDE];
    const float difference_105 = own_u_7 - own_u_4;
    const float sum_124 = sum_123 + difference_105;
    const float product_42 = c2 * sum_124;
    const float own_before_4 = own_before[4 * STRIDE];
    const float difference_106 = own_u_4 - own_before_4;
    const float product_43 = difference_6 * difference_106;
    const float sum_125 = own_u_4 + product_43;
    const float sum_126 = sum_125 + product_42;
    const float difference_107 = sum_126 - sum_81;
    const float sum_127 = sum_121 + difference_107;
    const float product_44 = c2 * sum_127;
    const float difference_108 = sum_81 - own_u_2;
    const float product_45 = difference_6 * difference_108;
    const float sum_128 = sum_81 + product_45;
    const float sum_129 = sum_128 + product_44;
    const float difference_109 = sum_129 - sum_84;
    const float sum_130 = sum_112 + difference_109;
    const float product_46 = c2 * sum_130;
    const float difference_110 = sum_84 - sum_24;
    const float product_47 = difference_6 * difference_110;
    const float sum_131 = sum_84 + product_47;
    const float sum_132 = sum_131 + product_46;
    out_u[1 * STRIDE] = canonical(sum_132);
    const float difference_111 = sum_84 - sum_129;
    const float difference_112 = sum_67 - sum_105;
    const float existing_52 = above_exists ? difference_112 : 0.0f;
    const float difference_113 = halo_above_right_u_3 - halo_above_u_4;
    const float existing_53 = above_right_exists ? difference_113 : 0.0f;
    const float difference_114 = halo_above_u_2 - halo_above_u_4;
    const float existing_54 = above_exists ? difference_114 : 0.0f;
    const float sum_133 = 0.0f + existing_54;
    const float sum_134 = sum_133 + existing_53;
    const float difference_115 = halo_above_u_7 - halo_above_u_4;
    const float existing_55 = above_exists ? difference_115 : 0.0f;
    const float sum_135 = sum_134 + existing_55;
    const float product_48 = c2 * sum_135;
    const float difference_116 = halo_above_u_4 - halo_above_before_4;
    const float product_49 = difference_6 * difference_116;
    const float sum_136 = halo_above_u_4 + product_49;
    const float sum_137 = sum_136 + product_48;
    const float difference_117 = sum_137 - sum_105;
    const float existing_56 = above_exists ? difference_117 : 0.0f;
    const float sum_138 = 0.0f + existing_56;
    const float sum_139 = sum_138 + existing_52;
    const float difference_118 = halo_above_u_7 - halo_above_right_u_5;
    const float existing_57 = above_exists ? difference_118 : 0.0f;
    const float difference_119 = halo_above_right_u_3 - halo_above_right_u_5;
    const float existing_58 = above_right_exists ? difference_119 : 0.0f;
    const float sum_140 = 0.0f + existing_58;
    const float sum_141 = sum_140 + existing_57;
    const float difference_120 = halo_above_right_u_6 - halo_above_right_u_5;
    const float existing_59 = above_right_exists ? difference_120 : 0.0f;
    const float sum_142 = sum_141 + existing_59;
    const float difference_121 = halo_right_u_0 - halo_above_right_u_5;
    const float existing_60 = right_exists ? difference_121 : 0.0f;
    const float sum_143 = sum_142 + existing_60;
    const float product_50 = c2 * sum_143;
    const float difference_122 = halo_above_right_u_5 - halo_above_right_before_5;
    const float product_51 = difference_6 * difference_122;
    const float sum_144 = halo_above_right_u_5 + product_51;
    const float sum_145 = sum_144 + product_50;
    const float difference_123 = sum_145 - sum_105;
    const float existing_61 = above_right_exists ? difference_123 : 0.0f;
    const float sum_146 = sum_139 + existing_61;
    const float difference_124 = sum_81 - sum_105;
    const float sum_147 = sum_146 + difference_124;
    const float product_52 = c2 * sum_147;
    const float difference_125 = sum_105 - halo_above_u_7;
    const float product_53 = difference_6 * difference_125;
    const float sum_148 = sum_105 + product_53;
    const float sum_149 = sum_148 + product_52;
    const float difference_126 = sum_149 - sum_129;
    const float existing_62 = above_exists ? difference_126 : 0.0f;
    const float sum_150 = 0.0f + existing_62;
    const float sum_151 = sum_150 + difference_111;
    const float difference_127 = sum_81 - sum_120;
    const float difference_128 = sum_145 - sum_120;
    const float existing_63 = above_right_exists ? difference_128 : 0.0f;
    const float sum_152 = 0.0f + existing_63;
    const float sum_153 = sum_152 + difference_127;
    const float difference_129 = halo_right_u_0 - halo_right_u_1;
    const float existing_64 = right_exists ? difference_129 : 0.0f;
    const float difference_130 = halo_above_right_u_6 - halo_right_u_1;
    const float existing_65 = above_right_exists ? difference_130 : 0.0f;
    const float sum_154 = 0.0f + existing_65;
    const float sum_155 = sum_154 + existing_64;
    const float difference_131 = halo_right_u_2 - halo_right_u_1;
    const float existing_66 = right_exists ? difference_131 : 0.0f;
    const float sum_156 = sum_155 + existing_66;
    const float product_54 = c2 * sum_156;
    const float difference_132 = halo_right_u_1 - halo_right_before_1;
    const float product_55 = difference_6 * difference_132;
    const float sum_157 = halo_right_u_1 + product_55;
    const float sum_158 = sum_157 + product_54;
    const float difference_133 = sum_158 - sum_120;
    const float existing_67 = right_exists ? difference_133 : 0.0f;
    const float sum_159 = sum_153 + existing_67;
    const float difference_134 = halo_right_u_5 - halo_right_u_3;
    const float existing_68 = right_exists ? difference_134 : 0.0f;
    const float difference_135 = halo_right_u_0 - halo_right_u_3;
    const float existing_69 = right_exists ? difference_135 : 0.0f;
    const float sum_160 = 0.0f + existing_69;
    const float difference_136 = own_u_4 - halo_right_u_3;
    const float sum_161 = sum_160 + difference_136;
    const float sum_162 = sum_161 + existing_68;
    const float product_56 = c2 * sum_162;
    const float difference_137 = halo_right_u_3 - halo_right_before_3;
    const float product_57 = difference_6 * difference_137;
    const float sum_163 = halo_right_u_3 + product_57;
    const float sum_164 = sum_163 + product_56;
    const float difference_138 = sum_164 - sum_120;
    const float existing_70 = right_exists ? difference_138 : 0.0f;
    const float sum_165 = sum_159 + existing_70;
    const float product_58 = c2 * sum_165;
    const float difference_139 = sum_120 - halo_right_u_0;
    const float product_59 = difference_6 * difference_139;
    const float sum_166 = sum_120 + product_59;
    const float sum_167 = sum_166 + product_58;
    const float difference_140 = sum_167 - sum_129;
    const float existing_71 = right_exists ? difference_140 : 0.0f;
    const float sum_168 = sum_151 + existing_71;
    const float difference_141 = sum_164 - sum_126;
    const float existing_72 = right_exists ? difference_141 : 0.0f;
    const float difference_142 = sum_81 - sum_126;
    const float sum_169 = 0.0f + difference_142;
    const float sum_170 = sum_169 + existing_72;
    const float difference_143 = halo_right_u_5 - own_u_7;
    const float existing_73 = right_exists ? difference_143 : 0.0f;
    const float difference_144 = own_u_6 - own_u_7;
    const float difference_145 = own_u_4 - own_u_7;
    const float sum_171 = 0.0f + difference_145;
    const float sum_172 = sum_171 + difference_144;
    const float sum_173 = sum_172 + existing_73;
    const float difference_146 = halo_below_u_2 - own_u_7;
    const float existing_74 = below_exists ? difference_146 : 0.0f;
    const float sum_174 = sum_173 + existing_74;
    const float product_60 = c2 * sum_174;
    const float own_before_7 = own_before[7 * STRIDE];
    const float difference_147 = own_u_7 - own_before_7;
    const float product_61 = difference_6 * difference_147;
    const float sum_175 = own_u_7 + product_61;
    const float sum_176 = sum_175 + product_60;
    const float difference_148 = sum_176 - sum_126;
    const float sum_177 = sum_170 + difference_148;
    const float product_62 = c2 * sum_177;
    const float difference_149 = sum_126 - own_u_4;
    const float product_63 = difference_6 * difference_149;
    const float sum_178 = sum_126 + product_63;
    const float sum_179 = sum_178 + product_62;
    const float difference_150 = sum_179 - sum_129;
    const float sum_180 = sum_168 + difference_150;
    const float product_64 = c2 * sum_180;
    const float difference_151 = sum_129 - sum_81;
    const float product_65 = difference_6 * difference_151;
    const float sum_181 = sum_129 + product_65;
    const float sum_182 = sum_181 + product_64;
    out_u[2 * STRIDE] = canonical(sum_182);
    const float difference_152 = sum_30 - sum_52;
    const float difference_153 = sum_11 - sum_52;
    const float existing_75 = left_exists ? difference_153 : 0.0f;
    const float sum_183 = 0.0f + existing_75;
    const float sum_184 = sum_183 + difference_152;
    const float difference_154 = halo_left_u_6 - halo_left_u_7;
    const float existing_76 = left_exists ? difference_154 : 0.0f;
    const float difference_155 = halo_left_u_4 - halo_left_u_7;
    const float existing_77 = left_exists ? difference_155 : 0.0f;
    const float sum_185 = 0.0f + existing_77;
    const float sum_186 = sum_185 + existing_76;
    const float difference_156 = own_u_5 - halo_left_u_7;
    const float sum_187 = sum_186 + difference_156;
    const float difference_157 = halo_below_left_u_2 - halo_left_u_7;
    const bool below_left_exists = below_left_lane != ABSENT;
    const float existing_78 = below_left_exists ? difference_157 : 0.0f;
    const float sum_188 = sum_187 + existing_78;
    const float product_66 = c2 * sum_188;
    const float difference_158 = halo_left_u_7 - halo_left_before_7;
    const float product_67 = difference_6 * difference_158;
    const float sum_189 = halo_left_u_7 + product_67;
    const float sum_190 = sum_189 + product_66;
    const float difference_159 = sum_190 - sum_52;
    const float existing_79 = left_exists ? difference_159 : 0.0f;
    const float sum_191 = sum_184 + existing_79;
    const float product_68 = c2 * sum_191;
    const float difference_160 = sum_52 - halo_left_u_4;
    const float product_69 = difference_6 * difference_160;
    const float sum_192 = sum_52 + product_69;
    const float sum_193 = sum_192 + product_68;
    const float difference_161 = sum_193 - sum_96;
    const float existing_80 = left_exists ? difference_161 : 0.0f;
    const float difference_162 = sum_33 - sum_96;
    const float sum_194 = 0.0f + difference_162;
    const float sum_195 = sum_194 + existing_80;
    const float difference_163 = sum_190 - sum_93;
    const float existing_81 = left_exists ? difference_163 : 0.0f;
    const float difference_164 = sum_30 - sum_93;
    const float sum_196 = 0.0f + difference_164;
    const float sum_197 = sum_196 + existing_81;
    const float difference_165 = halo_below_u_1 - own_u_6;
    const float existing_82 = below_exists ? difference_165 : 0.0f;
    const float difference_166 = own_u_7 - own_u_6;
    const float difference_167 = own_u_5 - own_u_6;
    const float sum_198 = 0.0f + difference_167;
    const float sum_199 = sum_198 + difference_166;
    const float sum_200 = sum_199 + existing_82;
    const float product_70 = c2 * sum_200;
    const float own_before_6 = own_before[6 * STRIDE];
    const float difference_168 = own_u_6 - own_before_6;
    const float product_71 = difference_6 * difference_168;
    const float sum_201 = own_u_6 + product_71;
    const float sum_202 = sum_201 + product_70;
    const float difference_169 = sum_202 - sum_93;
    const float sum_203 = sum_197 + difference_169;
    const float difference_170 = halo_below_u_1 - halo_below_u_0;
    const float existing_83 = below_exists ? difference_170 : 0.0f;
    const float difference_171 = halo_below_left_u_2 - halo_below_u_0;
    const float existing_84 = below_left_exists ? difference_171 : 0.0f;
    const float difference_172 = own_u_5 - halo_below_u_0;
    const float sum_204 = 0.0f + difference_172;
    const float sum_205 = sum_204 + existing_84;
    const float sum_206 = sum_205 + existing_83;
    const float difference_173 = halo_below_u_3 - halo_below_u_0;
    const float existing_85 = below_exists ? difference_173 : 0.0f;
    const float sum_207 = sum_206 + existing_85;
    const float product_72 = c2 * sum_207;
    const float difference_174 = halo_below_u_0 - halo_below_before_0;
    const float product_73 = difference_6 * difference_174;
    const float sum_208 = halo_below_u_0 + product_73;
    const float sum_209 = sum_208 + product_72;
    const float difference_175 = sum_209 - sum_93;
    const float existing_86 = below_exists ? difference_175 : 0.0f;
    const float sum_210 = sum_203 + existing_86;
    const float product_74 = c2 * sum_210;
    const float difference_176 = sum_93 - own_u_5;
    const float product_75 = difference_6 * difference_176;
    const float sum_211 = sum_93 + product_75;
    const float sum_212 = sum_211 + product_74;
    const float difference_177 = sum_212 - sum_96;
    const float sum_213 = sum_195 + difference_177;
    const float product_76 = c2 * sum_213;
    const float difference_178 = sum_96 - sum_30;
    const float product_77 = difference_6 * difference_178;
    const float sum_214 = sum_96 + product_77;
    const float sum_215 = sum_214 + product_76;
    out_u[3 * STRIDE] = canonical(sum_215);
    const float difference_179 = sum_126 - sum_164;
    const float difference_180 = sum_120 - sum_164;
    const float existing_87 = right_exists ? difference_180 : 0.0f;
    const float sum_216 = 0.0f + existing_87;
    const float sum_217 = sum_216 + difference_179;
    const float difference_181 = halo_right_u_6 - halo_right_u_5;
    const float existing_88 = right_exists ? difference_181 : 0.0f;
    const float difference_182 = halo_right_u_3 - halo_right_u_5;
    const float existing_89 = right_exists ? difference_182 : 0.0f;
    const float sum_218 = 0.0f + existing_89;
    const float difference_183 = own_u_7 - halo_right_u_5;
    const float sum_219 = sum_218 + difference_183;
    const float sum_220 = sum_219 + existing_88;
    const float difference_184 = halo_below_right_u_0 - halo_right_u_5;
    const bool below_right_exists = below_right_lane != ABSENT;
    const float existing_90 = below_right_exists ? difference_184 : 0.0f;
    const float sum_221 = sum_220 + existing_90;
    const float product_78 = c2 * sum_221;
    const float difference_185 = halo_right_u_5 - halo_right_before_5;
    const float product_79 = difference_6 * difference_185;
    const float sum_222 = halo_right_u_5 + product_79;
    const float sum_223 = sum_222 + product_78;
    const float difference_186 = sum_223 - sum_164;
    const float existing_91 = right_exists ? difference_186 : 0.0f;
    const float sum_224 = sum_217 + existing_91;
    const float product_80 = c2 * sum_224;
    const float difference_187 = sum_164 - halo_right_u_3;
    const float product_81 = difference_6 * difference_187;
    const float sum_225 = sum_164 + product_81;
    const float sum_226 = sum_225 + product_80;
    const float difference_188 = sum_226 - sum_179;
    const float existing_92 = right_exists ? difference_188 : 0.0f;
    const float difference_189 = sum_129 - sum_179;
    const float sum_227 = 0.0f + difference_189;
    const float sum_228 = sum_227 + existing_92;
    const float difference_190 = sum_202 - sum_176;
    const float difference_191 = sum_126 - sum_176;
    const float sum_229 = 0.0f + difference_191;
    const float sum_230 = sum_229 + difference_190;
    const float difference_192 = sum_223 - sum_176;
    const float existing_93 = right_exists ? difference_192 : 0.0f;
    const float sum_231 = sum_230 + existing_93;
    const float difference_193 = halo_below_right_u_0 - halo_below_u_2;
    const float existing_94 = below_right_exists ? difference_193 : 0.0f;
    const float difference_194 = halo_below_u_1 - halo_below_u_2;
    const float existing_95 = below_exists ? difference_194 : 0.0f;
    const float difference_195 = own_u_7 - halo_below_u_2;
    const float sum_232 = 0.0f + difference_195;
    const float sum_233 = sum_232 + existing_95;
    const float sum_234 = sum_233 + existing_94;
    const float difference_196 = halo_below_u_4 - halo_below_u_2;
    const float existing_96 = below_exists ? difference_196 : 0.0f;
    const float sum_235 = sum_234 + existing_96;
    const float product_82 = c2 * sum_235;
    const float difference_197 = halo_below_u_2 - halo_below_before_2;
    const float product_83 = difference_6 * difference_197;
    const float sum_236 = halo_below_u_2 + product_83;
    const float sum_237 = sum_236 + product_82;
    const float difference_198 = sum_237 - sum_176;
    const float existing_97 = below_exists ? difference_198 : 0.0f;
    const float sum_238 = sum_231 + existing_97;
    const float product_84 = c2 * sum_238;
    const float difference_199 = sum_176 - own_u_7;
    const float product_85 = difference_6 * difference_199;
    const float sum_239 = sum_176 + product_85;
    const float sum_240 = sum_239 + product_84;
    const float difference_200 = sum_240 - sum_179;
    const float sum_241 = sum_228 + difference_200;
    const float product_86 = c2 * sum_241;
    const float difference_201 = sum_179 - sum_126;
    const float product_87 = difference_6 * difference_201;
    const float sum_242 = sum_179 + product_87;
    const float sum_243 = sum_242 + product_86;
    out_u[4 * STRIDE] = canonical(sum_243);
    const float difference_202 = halo_left_u_7 - halo_left_u_6;
    const float existing_98 = left_exists ? difference_202 : 0.0f;
    const float difference_203 = halo_left_u_5 - halo_left_u_6;
    const float existing_99 = left_exists ? difference_203 : 0.0f;
    const float sum_244 = 0.0f + existing_99;
    const float sum_245 = sum_244 + existing_98;
    const float difference_204 = halo_below_left_u_1 - halo_left_u_6;
    const float existing_100 = below_left_exists ? difference_204 : 0.0f;
    const float sum_246 = sum_245 + existing_100;
    const float product_88 = c2 * sum_246;
    const float difference_205 = halo_left_u_6 - halo_left_before_6;
    const float product_89 = difference_6 * difference_205;
    const float sum_247 = halo_left_u_6 + product_89;
    const float sum_248 = sum_247 + product_88;
    const float difference_206 = sum_248 - sum_190;
    const float existing_101 = left_exists ? difference_206 : 0.0f;
    const float difference_207 = sum_52 - sum_190;
    const float existing_102 = left_exists ? difference_207 : 0.0f;
    const float sum_249 = 0.0f + existing_102;
    const float sum_250 = sum_249 + existing_101;
    const float difference_208 = sum_93 - sum_190;
    const float sum_251 = sum_250 + difference_208;
    const float difference_209 = halo_below_left_u_1 - halo_below_left_u_2;
    const float existing_103 = below_left_exists ? difference_209 : 0.0f;
    const float difference_210 = halo_left_u_7 - halo_below_left_u_2;
    const float existing_104 = left_exists ? difference_210 : 0.0f;
    const float sum_252 = 0.0f + existing_104;
    const float sum_253 = sum_252 + existing_103;
    const float difference_211 = halo_below_u_0 - halo_below_left_u_2;
    const float existing_105 = below_exists ? difference_211 : 0.0f;
    const float sum_254 = sum_253 + existing_105;
    const float difference_212 = halo_below_left_u_4 - halo_below_left_u_2;
    const float existing_106 = below_left_exists ? difference_212 : 0.0f;
    const float sum_255 = sum_254 + existing_106;
    const float product_90 = c2 * sum_255;
    const float difference_213 = halo_below_left_u_2 - halo_below_left_before_2;
    const float product_91 = difference_6 * difference_213;
    const float sum_256 = halo_below_left_u_2 + product_91;
    const float sum_257 = sum_256 + product_90;
    const float difference_214 = sum_257 - sum_190;
    const float existing_107 = below_left_exists ? difference_214 : 0.0f;
    const float sum_258 = sum_251 + existing_107;
    const float product_92 = c2 * sum_258;
    const float difference_215 = sum_190 - halo_left_u_7;
    const float product_93 = difference_6 * difference_215;
    const float sum_259 = sum_190 + product_93;
    const float sum_260 = sum_259 + product_92;
    const float difference_216 = sum_260 - sum_212;
    const float existing_108 = left_exists ? difference_216 : 0.0f;
    const float difference_217 = sum_96 - sum_212;
    const float sum_261 = 0.0f + difference_217;
    const float sum_262 = sum_261 + existing_108;
    const float difference_218 = sum_176 - sum_202;
    const float difference_219 = sum_93 - sum_202;
    const float sum_263 = 0.0f + difference_219;
    const float sum_264 = sum_263 + difference_218;
    const float difference_220 = halo_below_u_2 - halo_below_u_1;
    const float existing_109 = below_exists ? difference_220 : 0.0f;
    const float difference_221 = halo_below_u_0 - halo_below_u_1;
    const float existing_110 = below_exists ? difference_221 : 0.0f;
    const float difference_222 = own_u_6 - halo_below_u_1;
    const float sum_265 = 0.0f + difference_222;
    const float sum_266 = sum_265 + existing_110;
    const float sum_267 = sum_266 + existing_109;
    const float product_94 = c2 * sum_267;
    const float difference_223 = halo_below_u_1 - halo_below_before_1;
    const float product_95 = difference_6 * difference_223;
    const float sum_268 = halo_below_u_1 + product_95;
    const float sum_269 = sum_268 + product_94;
    const float difference_224 = sum_269 - sum_202;
    const float existing_111 = below_exists ? difference_224 : 0.0f;
    const float sum_270 = sum_264 + existing_111;
    const float product_96 = c2 * sum_270;
    const float difference_225 = sum_202 - own_u_6;
    const float product_97 = difference_6 * difference_225;
    const float sum_271 = sum_202 + product_97;
    const float sum_272 = sum_271 + product_96;
    const float difference_226 = sum_272 - sum_212;
    const float sum_273 = sum_262 + difference_226;
    const float difference_227 = sum_257 - sum_209;
    const float existing_112 = below_left_exists ? difference_227 : 0.0f;
    const float difference_228 = sum_93 - sum_209;
    const float sum_274 = 0.0f + difference_228;
    const float sum_275 = sum_274 + existing_112;
    const float difference_229 = sum_269 - sum_209;
    const float existing_113 = below_exists ? difference_229 : 0.0f;
    const float sum_276 = sum_275 + existing_113;
    const float difference_230 = halo_below_left_u_4 - halo_below_u_3;
    const float existing_114 = below_left_exists ? difference_230 : 0.0f;
    const float difference_231 = halo_below_u_0 - halo_below_u_3;
    const float existing_115 = below_exists ? difference_231 : 0.0f;
    const float sum_277 = 0.0f + existing_115;
    const float sum_278 = sum_277 + existing_114;
    const float difference_232 = halo_below_u_5 - halo_below_u_3;
    const float existing_116 = below_exists ? difference_232 : 0.0f;
    const float sum_279 = sum_278 + existing_116;
    const float product_98 = c2 * sum_279;
    const float difference_233 = halo_below_u_3 - halo_below_before_3;
    const float product_99 = difference_6 * difference_233;
    const float sum_280 = halo_below_u_3 + product_99;
    const float sum_281 = sum_280 + product_98;
    const float difference_234 = sum_281 - sum_209;
    const float existing_117 = below_exists ? difference_234 : 0.0f;
    const float sum_282 = sum_276 + existing_117;
    const float product_100 = c2 * sum_282;
    const float difference_235 = sum_209 - halo_below_u_0;
    const float product_101 = difference_6 * difference_235;
    const float sum_283 = sum_209 + product_101;
    const float sum_284 = sum_283 + product_100;
    const float difference_236 = sum_284 - sum_212;
    const float existing_118 = below_exists ? difference_236 : 0.0f;
    const float sum_285 = sum_273 + existing_118;
    const float product_102 = c2 * sum_285;
    const float difference_237 = sum_212 - sum_93;
    const float product_103 = difference_6 * difference_237;
    const float sum_286 = sum_212 + product_103;
    const float sum_287 = sum_286 + product_102;
    out_u[5 * STRIDE] = canonical(sum_287);
    const float difference_238 = sum_240 - sum_272;
    const float difference_239 = sum_212 - sum_272;
    const float sum_288 = 0.0f + difference_239;
    const float sum_289 = sum_288 + difference_238;
    const float difference_240 = sum_209 - sum_269;
    const float existing_119 = below_exists ? difference_240 : 0.0f;
    const float difference_241 = sum_202 - sum_269;
    const float sum_290 = 0.0f + difference_241;
    const float sum_291 = sum_290 + existing_119;
    const float difference_242 = sum_237 - sum_269;
    const float existing_120 = below_exists ? difference_242 : 0.0f;
    const float sum_292 = sum_291 + existing_120;
    const float product_104 = c2 * sum_292;
    const float difference_243 = sum_269 - halo_below_u_1;
    const float product_105 = difference_6 * difference_243;
    const float sum_293 = sum_269 + product_105;
    const float sum_294 = sum_293 + product_104;
    const float difference_244 = sum_294 - sum_272;
    const float existing_121 = below_exists ? difference_244 : 0.0f;
    const float sum_295 = sum_289 + existing_121;
    const float product_106 = c2 * sum_295;
    const float difference_245 = sum_272 - sum_202;
    const float product_107 = difference_6 * difference_245;
    const float sum_296 = sum_272 + product_107;
    const float sum_297 = sum_296 + product_106;
    out_u[6 * STRIDE] = canonical(sum_297);
    const float difference_246 = sum_272 - sum_240;
    const float difference_247 = sum_179 - sum_240;
    const float sum_298 = 0.0f + difference_247;
    const float sum_299 = sum_298 + difference_246;
    const float difference_248 = sum_176 - sum_223;
    const float difference_249 = sum_164 - sum_223;
    const float existing_122 = right_exists ? difference_249 : 0.0f;
    const float sum_300 = 0.0f + existing_122;
    const float sum_301 = sum_300 + difference_248;
    const float difference_250 = halo_right_u_7 - halo_right_u_6;
    const float existing_123 = right_exists ? difference_250 : 0.0f;
    const float difference_251 = halo_right_u_5 - halo_right_u_6;
    const float existing_124 = right_exists ? difference_251 : 0.0f;
    const float sum_302 = 0.0f + existing_124;
    const float sum_303 = sum_302 + existing_123;
    const float difference_252 = halo_below_right_u_1 - halo_right_u_6;
    const float existing_125 = below_right_exists ? difference_252 : 0.0f;
    const float sum_304 = sum_303 + existing_125;
    const float product_108 = c2 * sum_304;
    const float difference_253 = halo_right_u_6 - halo_right_before_6;
    const float product_109 = difference_6 * difference_253;
    const float sum_305 = halo_right_u_6 + product_109;
    const float sum_306 = sum_305 + product_108;
    const float difference_254 = sum_306 - sum_223;
    const float existing_126 = right_exists ? difference_254 : 0.0f;
    const float sum_307 = sum_301 + existing_126;
    const float difference_255 = halo_below_u_2 - halo_below_right_u_0;
    const float existing_127 = below_exists ? difference_255 : 0.0f;
    const float difference_256 = halo_right_u_5 - halo_below_right_u_0;
    const float existing_128 = right_exists ? difference_256 : 0.0f;
    const float sum_308 = 0.0f + existing_128;
    const float sum_309 = sum_308 + existing_127;
    const float difference_257 = halo_below_right_u_1 - halo_below_right_u_0;
    const float existing_129 = below_right_exists ? difference_257 : 0.0f;
    const float sum_310 = sum_309 + existing_129;
    const float difference_258 = halo_below_right_u_3 - halo_below_right_u_0;
    const float existing_130 = below_right_exists ? difference_258 : 0.0f;
    const float sum_311 = sum_310 + existing_130;
    const float product_110 = c2 * sum_311;
    const float difference_259 = halo_below_right_u_0 - halo_below_right_before_0;
    const float product_111 = difference_6 * difference_259;
    const float sum_312 = halo_below_right_u_0 + product_111;
    const float sum_313 = sum_312 + product_110;
    const float difference_260 = sum_313 - sum_223;
    const float existing_131 = below_right_exists ? difference_260 : 0.0f;
    const float sum_314 = sum_307 + existing_131;
    const float product_112 = c2 * sum_314;
    const float difference_261 = sum_223 - halo_right_u_5;
    const float product_113 = difference_6 * difference_261;
    const float sum_315 = sum_223 + product_113;
    const float sum_316 = sum_315 + product_112;
    const float difference_262 = sum_316 - sum_240;
    const float existing_132 = right_exists ? difference_262 : 0.0f;
    const float sum_317 = sum_299 + existing_132;
    const float difference_263 = sum_269 - sum_237;
    const float existing_133 = below_exists ? difference_263 : 0.0f;
    const float difference_264 = sum_176 - sum_237;
    const float sum_318 = 0.0f + difference_264;
    const float sum_319 = sum_318 + existing_133;
    const float difference_265 = sum_313 - sum_237;
    const float existing_134 = below_right_exists ? difference_265 : 0.0f;
    const float sum_320 = sum_319 + existing_134;
    const float difference_266 = halo_below_right_u_3 - halo_below_u_4;
    const float existing_135 = below_right_exists ? difference_266 : 0.0f;
    const float difference_267 = halo_below_u_2 - halo_below_u_4;
    const float existing_136 = below_exists ? difference_267 : 0.0f;
    const float sum_321 = 0.0f + existing_136;
    const float sum_322 = sum_321 + existing_135;
    const float difference_268 = halo_below_u_7 - halo_below_u_4;
    const float existing_137 = below_exists ? difference_268 : 0.0f;
    const float sum_323 = sum_322 + existing_137;
    const float product_114 = c2 * sum_323;
    const float difference_269 = halo_below_u_4 - halo_below_before_4;
    const float product_115 = difference_6 * difference_269;
    const float sum_324 = halo_below_u_4 + product_115;
    const float sum_325 = sum_324 + product_114;
    const float difference_270 = sum_325 - sum_237;
    const float existing_138 = below_exists ? difference_270 : 0.0f;
    const float sum_326 = sum_320 + existing_138;
    const float product_116 = c2 * sum_326;
    const float difference_271 = sum_237 - halo_below_u_2;
    const float product_117 = difference_6 * difference_271;
    const float sum_327 = sum_237 + product_117;
    const float sum_328 = sum_327 + product_116;
    const float difference_272 = sum_328 - sum_240;
    const float existing_139 = below_exists ? difference_272 : 0.0f;
    const float sum_329 = sum_317 + existing_139;
    const float product_118 = c2 * sum_329;
    const float difference_273 = sum_240 - sum_176;
    const float product_119 = difference_6 * difference_273;
    const float sum_330 = sum_240 + product_119;
    const float sum_331 = sum_330 + product_118;
    out_u[7 * STRIDE] = canonical(sum_331);
    out_before[0 * STRIDE] = canonical(sum_33);
    out_before[1 * STRIDE] = canonical(sum_84);
    out_before[2 * STRIDE] = canonical(sum_129);
    out_before[3 * STRIDE] = canonical(sum_96);
    out_before[4 * STRIDE] = canonical(sum_179);
    out_before[5 * STRIDE] = canonical(sum_212);
    out_before[6 * STRIDE] = canonical(sum_272);
    out_before[7 * STRIDE] = canonical(sum_240);
}
