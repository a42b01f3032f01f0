// ising on sierpinski_carpet at level 6, by Squeeze 0.1.0
//
// T = 2: 64 lanes a column fill 100% of the vector registers they take
// L = 1: 8 micro cells a superblock, about 1889 operations; 512 superblocks
// t = 1: 1.00 cells computed for one that is kept; bound by operations, 12.67 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 64;
constexpr u32 WORDS = 2;
constexpr u32 STRIDE = 64;
constexpr u32 MICRO_CELLS = 8;
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

// Writes the bits of 32 lanes, which are the threads of a warp, into their word.
__device__ __forceinline__ void store_bits(u32 *word, bool value, u32 place) {
    const u32 bits = __ballot_sync(0xffffffff, value);
    if (place % 32 == 0) {
        *word = bits;
    }
}

// A number with its digits in reversed order.
__device__ __forceinline__ u64 reversed(u64 number) {
    u64 result = 0;
    for (int level = 0; level < 3; ++level) {
        result = result * 8 + number % 8;
        number /= 8;
    }
    return result;
}

// A plane of a random draw of 128 cells that follow each other by reversed number, 32 in each word: Philox4x32-10.
struct RandomPlane {
    u32 words[4];
};

__device__ __forceinline__ RandomPlane random_plane(u64 seed, u64 block, u32 time, u32 number) {
    u32 a = (u32)block, b = (u32)(block >> 32), c = time, d = number;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        u32 first_low, first_high, second_low, second_high;
        // A shift would become an addition of nothing.
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

// One of its words.
__device__ __forceinline__ u32 word_of_plane(const RandomPlane &plane, u32 number) {
    const u32 low = number & 1 ? plane.words[1] : plane.words[0], high = number & 1 ? plane.words[3] : plane.words[2];
    return number & 2 ? high : low;
}

// The random words of a warp, whose threads have the cells from `first` on. Each thread makes one plane of them all; then they
// transpose the planes into words.
__device__ __forceinline__ u32 random_words(u64 seed, u64 first, u32 time, u32 draw) {
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
        // The lower halves of blocks of twice as many columns.
        const u32 low = 0xffffffffu / ((1u << step) + 1);
        const u32 there = __shfl_xor_sync(0xffffffff, cells, step);
        cells = thread & step ? (cells & ~low) | (there >> step & low) : (cells & low) | (there & low) << step;
    }
    return __brev(cells);
}

// Lanes whose random bit has one probability.
struct RandomClass {
    u32 lanes;
    double probability;
};

// Threads with words of one column that share the planes of their lanes: each makes some, and they exchange the words of them. Where
// words are no multiple of it, a superblock has threads beyond its last word.
constexpr u32 SHARING = WORDS < 3 ? WORDS : 4;

// Word `number` + i of the planes of two blocks that follow each other.
__device__ __forceinline__ u32 word_of_planes(const u32 (&both)[8], u32 number, u32 i) {
    const u32 even = number & 2 ? both[i + 2] : both[i], odd = number & 2 ? both[i + 3] : both[i + 1];
    return number & 1 ? odd : even;
}

// The random bits of the cells from `first` on, which are the lanes of this thread's word: whether the random word of a lane is below
// the threshold of its class. Words are compared from their first bits on, until the warp has decided them all.
template <u32 CLASSES>
__device__ __forceinline__ u32 random_bits(u64 seed, u64 first, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    u32 result = 0, undecided = 0, thresholds[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        const double bound = classes[i].probability * 4294967296.0;
        const bool always = bound >= 4294967296.0;
        thresholds[i] = always || !(bound > 0.0) ? 0 : (u32)bound;
        result |= always ? classes[i].lanes : 0;
        undecided |= thresholds[i] > 0 ? classes[i].lanes : 0;
    }
    const u32 member = threadIdx.x % SHARING;
    // Where the lanes of all that share begin.
    const u64 begin = first - 32 * member;
    const u64 block = begin / 128;
    const u32 number = (u32)(begin / 32 % 4), shift = (u32)(begin % 32);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, undecided != 0); plane += SHARING) {
        // The lanes of all that share, in the plane that this thread makes.
        u32 words[SHARING];
        const RandomPlane here = random_plane(seed, block, time, 32 * draw + plane + member);
        if constexpr (LANES % (32 * SHARING) == 0) {
#pragma unroll
            for (u32 i = 0; i < SHARING; ++i) {
                words[i] = SHARING == 4 ? here.words[i] : word_of_plane(here, number + i);
            }
        } else {
            const RandomPlane next = random_plane(seed, block + 1, time, 32 * draw + plane + member);
            const u32 both[8] = {here.words[0], here.words[1], here.words[2], here.words[3],
                                 next.words[0], next.words[1], next.words[2], next.words[3]};
#pragma unroll
            for (u32 i = 0; i < SHARING; ++i) {
                words[i] = __funnelshift_r(word_of_planes(both, number, i), word_of_planes(both, number, i + 1), shift);
            }
        }
        // Now word i of this thread's plane becomes this thread's word of plane i.
#pragma unroll
        for (u32 step = SHARING / 2; step > 0; step /= 2) {
#pragma unroll
            for (u32 i = 0; i < SHARING; ++i) {
                if ((i & step) == 0) {
                    const bool upper = (member & step) != 0;
                    const u32 taken = __shfl_xor_sync(0xffffffff, upper ? words[i] : words[i + step], step);
                    words[i] = upper ? taken : words[i];
                    words[i + step] = upper ? words[i + step] : taken;
                }
            }
        }
#pragma unroll
        for (u32 i = 0; i < SHARING; ++i) {
            u32 threshold = 0;
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                threshold |= (int)(thresholds[j] << i) < 0 ? classes[j].lanes : 0;
            }
            result |= undecided & threshold & ~words[i];
            undecided &= ~(threshold ^ words[i]);
        }
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            thresholds[i] <<= SHARING;
        }
    }
    return result;
}

// Whether a random word is below a probability times 2^32.
__device__ __forceinline__ bool chance(u32 word, double probability) {
    const double bound = probability * 4294967296.0;
    return bound >= 4294967296.0 || bound > 0.0 && word < (u32)bound;
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

// ising_init: one step of 8 micro cells; a thread takes one word of 32 lanes, a superblock 2 threads.
// 1.00 operations a cell and step (0 on bits, 8 on numbers), 0 + 0 loads, 8 stores, 3 live values
extern "C" __global__ void __launch_bounds__(128) ising_init(
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 2;
    if (superblock >= world.end) {
        return;
    }
    const u32 word = (u32)(thread % WORDS);
    const u32 time = *world.clock + world.later;
    // The reversed number of the first cell of the word in micro cell 0.
    const u64 first_cell = LANES * reversed(superblock) + 32 * word;

    const u32 none = after_pass_before();
    new_up += none;
    u32 *out_up = new_up + (u64)superblock * (MICRO_CELLS * WORDS) + word;

    // the rule
    const u32 chance_0 = random_bits<1>(world.seed, first_cell, time, 0, {{0xffffffff, 0.5}});
    out_up[0 * WORDS] = chance_0;
    const u32 chance_1 = random_bits<1>(world.seed, first_cell + 32768, time, 0, {{0xffffffff, 0.5}});
    out_up[1 * WORDS] = chance_1;
    const u32 chance_2 = random_bits<1>(world.seed, first_cell + 65536, time, 0, {{0xffffffff, 0.5}});
    out_up[2 * WORDS] = chance_2;
    const u32 chance_3 = random_bits<1>(world.seed, first_cell + 98304, time, 0, {{0xffffffff, 0.5}});
    out_up[3 * WORDS] = chance_3;
    const u32 chance_4 = random_bits<1>(world.seed, first_cell + 131072, time, 0, {{0xffffffff, 0.5}});
    out_up[4 * WORDS] = chance_4;
    const u32 chance_5 = random_bits<1>(world.seed, first_cell + 163840, time, 0, {{0xffffffff, 0.5}});
    out_up[5 * WORDS] = chance_5;
    const u32 chance_6 = random_bits<1>(world.seed, first_cell + 196608, time, 0, {{0xffffffff, 0.5}});
    out_up[6 * WORDS] = chance_6;
    const u32 chance_7 = random_bits<1>(world.seed, first_cell + 229376, time, 0, {{0xffffffff, 0.5}});
    out_up[7 * WORDS] = chance_7;
}

// ising_even: one step of 8 micro cells; a thread takes one lane, a superblock 64 threads.
// 23.88 operations a cell and step (24 on bits, 167 on numbers), 8 + 12 loads, 8 stores, 27 live values
extern "C" __global__ void __launch_bounds__(128) ising_even(
    const u32 *up,
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 64;
    if (superblock >= world.end) {
        return;
    }
    // Threads beyond the last lane do what it does.
    const u32 place = (u32)(thread % (32 * WORDS));
    const u32 lane = place < LANES ? place : LANES - 1;
    const u32 time = *world.clock + world.later;
    // The reversed number of the first cell of the warp in micro cell 0.
    const u64 first_cell = LANES * reversed(superblock) + place / 32 * 32;

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
    up += none;
    new_up += none;
    const u32 *own_up = up + (u64)superblock * (MICRO_CELLS * WORDS) + lane / 32;
    u32 *out_up = new_up + (u64)superblock * (MICRO_CELLS * WORDS) + lane / 32;
    const bool own_1 = own_up[1 * WORDS] >> (lane % 32) & 1;
    const bool own_3 = own_up[3 * WORDS] >> (lane % 32) & 1;
    const bool own_0 = own_up[0 * WORDS] >> (lane % 32) & 1;
    const bool own_2 = own_up[2 * WORDS] >> (lane % 32) & 1;
    const bool own_4 = own_up[4 * WORDS] >> (lane % 32) & 1;
    const bool own_5 = own_up[5 * WORDS] >> (lane % 32) & 1;
    const bool own_7 = own_up[7 * WORDS] >> (lane % 32) & 1;
    const bool own_6 = own_up[6 * WORDS] >> (lane % 32) & 1;

    // above
    const u32 *above_up = up + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * WORDS) + above_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_above_5 = above_up[5 * WORDS] >> (above_lane % 32) & 1;
    const bool halo_above_6 = above_up[6 * WORDS] >> (above_lane % 32) & 1;
    const bool halo_above_7 = above_up[7 * WORDS] >> (above_lane % 32) & 1;

    // left
    const u32 *left_up = up + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * WORDS) + left_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_left_2 = left_up[2 * WORDS] >> (left_lane % 32) & 1;
    const bool halo_left_4 = left_up[4 * WORDS] >> (left_lane % 32) & 1;
    const bool halo_left_7 = left_up[7 * WORDS] >> (left_lane % 32) & 1;

    // right
    const u32 *right_up = up + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * WORDS) + right_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_right_0 = right_up[0 * WORDS] >> (right_lane % 32) & 1;
    const bool halo_right_3 = right_up[3 * WORDS] >> (right_lane % 32) & 1;
    const bool halo_right_5 = right_up[5 * WORDS] >> (right_lane % 32) & 1;

    // below
    const u32 *below_up = up + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * WORDS) + below_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_below_0 = below_up[0 * WORDS] >> (below_lane % 32) & 1;
    const bool halo_below_1 = below_up[1 * WORDS] >> (below_lane % 32) & 1;
    const bool halo_below_2 = below_up[2 * WORDS] >> (below_lane % 32) & 1;

    // the rule
    const int superblock_y = world.superblock_corners[3 * (u64)superblock + 1];
    const int lane_y = world.lane_corners[1 * LANES + lane];
    const int corner_y_0 = (int)((u32)lane_y + (u32)superblock_y);
    const int superblock_x = world.superblock_corners[3 * (u64)superblock + 0];
    const int lane_x = world.lane_corners[0 * LANES + lane];
    const int corner_x_0 = (int)((u32)lane_x + (u32)superblock_x);
    const int sum_0 = (int)((u32)corner_x_0 + (u32)corner_y_0);
    const int remainder_1 = sum_0 >> (31u & 31);
    const int remainder_3 = remainder_1 & 1;
    const int remainder_4 = (int)((u32)sum_0 + (u32)remainder_3);
    const int remainder_6 = remainder_4 & (-2);
    const int remainder_7 = (int)((u32)sum_0 - (u32)remainder_6);
    const bool equal_0 = remainder_7 == 0;
    const float choice_0 = halo_left_2 ? 1.0f : (-1.0f);
    const float choice_1 = halo_above_5 ? 1.0f : (-1.0f);
    const bool above_exists = above_lane != ABSENT;
    const float sum_1 = above_exists ? 0.0f + choice_1 : 0.0f;
    const bool left_exists = left_lane != ABSENT;
    const float sum_2 = left_exists ? sum_1 + choice_0 : sum_1;
    const float choice_3 = own_1 ? 1.0f : (-1.0f);
    const float sum_3 = sum_2 + choice_3;
    const float choice_4 = own_3 ? 1.0f : (-1.0f);
    const float sum_4 = sum_3 + choice_4;
    const float beta = __uint_as_float((u32)world.params[0]);
    const float product_0 = (-2.0f) * beta;
    const float product_1 = product_0 * sum_4;
    const float value_2 = exp_f32(product_1);
    const float sum_5 = 1.0f + value_2;
    const float quotient_0 = 1.0f / sum_5;
    const double chance_0 = (double)quotient_0;
    const u32 draw_0 = random_words(world.seed, first_cell, time, 0);
    const bool chance_1 = chance(draw_0, chance_0);
    const bool guarded_0 = chance_1 & equal_0;
    const bool guarded_1 = own_0 & !equal_0;
    const bool guarded_2 = guarded_0 | guarded_1;
    store_bits(out_up + 0 * WORDS, guarded_2, place);
    const int x_0 = (int)((u32)corner_x_0 + (u32)1);
    const int sum_6 = (int)((u32)x_0 + (u32)corner_y_0);
    const int remainder_8 = sum_6 >> (31u & 31);
    const int remainder_9 = remainder_8 & 1;
    const int remainder_10 = (int)((u32)sum_6 + (u32)remainder_9);
    const int remainder_11 = remainder_10 & (-2);
    const int remainder_12 = (int)((u32)sum_6 - (u32)remainder_11);
    const bool equal_1 = remainder_12 == 0;
    const float choice_5 = own_0 ? 1.0f : (-1.0f);
    const float choice_6 = halo_above_6 ? 1.0f : (-1.0f);
    const float sum_7 = above_exists ? 0.0f + choice_6 : 0.0f;
    const float sum_8 = sum_7 + choice_5;
    const float choice_7 = own_2 ? 1.0f : (-1.0f);
    const float sum_9 = sum_8 + choice_7;
    const float product_2 = product_0 * sum_9;
    const float value_3 = exp_f32(product_2);
    const float sum_10 = 1.0f + value_3;
    const float quotient_1 = 1.0f / sum_10;
    const double chance_2 = (double)quotient_1;
    const u32 draw_1 = random_words(world.seed, first_cell + 32768, time, 0);
    const bool chance_3 = chance(draw_1, chance_2);
    const bool guarded_3 = chance_3 & equal_1;
    const bool guarded_4 = own_1 & !equal_1;
    const bool guarded_5 = guarded_3 | guarded_4;
    store_bits(out_up + 1 * WORDS, guarded_5, place);
    const int x_1 = (int)((u32)corner_x_0 + (u32)2);
    const int sum_11 = (int)((u32)x_1 + (u32)corner_y_0);
    const int remainder_13 = sum_11 >> (31u & 31);
    const int remainder_14 = remainder_13 & 1;
    const int remainder_15 = (int)((u32)sum_11 + (u32)remainder_14);
    const int remainder_16 = remainder_15 & (-2);
    const int remainder_17 = (int)((u32)sum_11 - (u32)remainder_16);
    const bool equal_2 = remainder_17 == 0;
    const float choice_8 = halo_above_7 ? 1.0f : (-1.0f);
    const float sum_12 = above_exists ? 0.0f + choice_8 : 0.0f;
    const float sum_13 = sum_12 + choice_3;
    const float choice_9 = halo_right_0 ? 1.0f : (-1.0f);
    const bool right_exists = right_lane != ABSENT;
    const float sum_14 = right_exists ? sum_13 + choice_9 : sum_13;
    const float choice_10 = own_4 ? 1.0f : (-1.0f);
    const float sum_15 = sum_14 + choice_10;
    const float product_3 = product_0 * sum_15;
    const float value_4 = exp_f32(product_3);
    const float sum_16 = 1.0f + value_4;
    const float quotient_2 = 1.0f / sum_16;
    const double chance_4 = (double)quotient_2;
    const u32 draw_2 = random_words(world.seed, first_cell + 65536, time, 0);
    const bool chance_5 = chance(draw_2, chance_4);
    const bool guarded_6 = chance_5 & equal_2;
    const bool guarded_7 = own_2 & !equal_2;
    const bool guarded_8 = guarded_6 | guarded_7;
    store_bits(out_up + 2 * WORDS, guarded_8, place);
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const int sum_17 = (int)((u32)corner_x_0 + (u32)y_0);
    const int remainder_18 = sum_17 >> (31u & 31);
    const int remainder_19 = remainder_18 & 1;
    const int remainder_20 = (int)((u32)sum_17 + (u32)remainder_19);
    const int remainder_21 = remainder_20 & (-2);
    const int remainder_22 = (int)((u32)sum_17 - (u32)remainder_21);
    const bool equal_3 = remainder_22 == 0;
    const float choice_11 = halo_left_4 ? 1.0f : (-1.0f);
    const float sum_18 = 0.0f + choice_5;
    const float sum_19 = left_exists ? sum_18 + choice_11 : sum_18;
    const float choice_12 = own_5 ? 1.0f : (-1.0f);
    const float sum_20 = sum_19 + choice_12;
    const float product_4 = product_0 * sum_20;
    const float value_5 = exp_f32(product_4);
    const float sum_21 = 1.0f + value_5;
    const float quotient_3 = 1.0f / sum_21;
    const double chance_6 = (double)quotient_3;
    const u32 draw_3 = random_words(world.seed, first_cell + 98304, time, 0);
    const bool chance_7 = chance(draw_3, chance_6);
    const bool guarded_9 = chance_7 & equal_3;
    const bool guarded_10 = own_3 & !equal_3;
    const bool guarded_11 = guarded_9 | guarded_10;
    store_bits(out_up + 3 * WORDS, guarded_11, place);
    const int sum_22 = (int)((u32)x_1 + (u32)y_0);
    const int remainder_23 = sum_22 >> (31u & 31);
    const int remainder_24 = remainder_23 & 1;
    const int remainder_25 = (int)((u32)sum_22 + (u32)remainder_24);
    const int remainder_26 = remainder_25 & (-2);
    const int remainder_27 = (int)((u32)sum_22 - (u32)remainder_26);
    const bool equal_4 = remainder_27 == 0;
    const float choice_13 = halo_right_3 ? 1.0f : (-1.0f);
    const float sum_23 = 0.0f + choice_7;
    const float sum_24 = right_exists ? sum_23 + choice_13 : sum_23;
    const float choice_14 = own_7 ? 1.0f : (-1.0f);
    const float sum_25 = sum_24 + choice_14;
    const float product_5 = product_0 * sum_25;
    const float value_6 = exp_f32(product_5);
    const float sum_26 = 1.0f + value_6;
    const float quotient_4 = 1.0f / sum_26;
    const double chance_8 = (double)quotient_4;
    const u32 draw_4 = random_words(world.seed, first_cell + 131072, time, 0);
    const bool chance_9 = chance(draw_4, chance_8);
    const bool guarded_12 = chance_9 & equal_4;
    const bool guarded_13 = own_4 & !equal_4;
    const bool guarded_14 = guarded_12 | guarded_13;
    store_bits(out_up + 4 * WORDS, guarded_14, place);
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const int sum_27 = (int)((u32)corner_x_0 + (u32)y_1);
    const int remainder_28 = sum_27 >> (31u & 31);
    const int remainder_29 = remainder_28 & 1;
    const int remainder_30 = (int)((u32)sum_27 + (u32)remainder_29);
    const int remainder_31 = remainder_30 & (-2);
    const int remainder_32 = (int)((u32)sum_27 - (u32)remainder_31);
    const bool equal_5 = remainder_32 == 0;
    const float choice_15 = halo_left_7 ? 1.0f : (-1.0f);
    const float sum_28 = 0.0f + choice_4;
    const float sum_29 = left_exists ? sum_28 + choice_15 : sum_28;
    const float choice_16 = own_6 ? 1.0f : (-1.0f);
    const float sum_30 = sum_29 + choice_16;
    const float choice_17 = halo_below_0 ? 1.0f : (-1.0f);
    const bool below_exists = below_lane != ABSENT;
    const float sum_31 = below_exists ? sum_30 + choice_17 : sum_30;
    const float product_6 = product_0 * sum_31;
    const float value_7 = exp_f32(product_6);
    const float sum_32 = 1.0f + value_7;
    const float quotient_5 = 1.0f / sum_32;
    const double chance_10 = (double)quotient_5;
    const u32 draw_5 = random_words(world.seed, first_cell + 163840, time, 0);
    const bool chance_11 = chance(draw_5, chance_10);
    const bool guarded_15 = chance_11 & equal_5;
    const bool guarded_16 = own_5 & !equal_5;
    const bool guarded_17 = guarded_15 | guarded_16;
    store_bits(out_up + 5 * WORDS, guarded_17, place);
    const int sum_33 = (int)((u32)x_0 + (u32)y_1);
    const int remainder_33 = sum_33 >> (31u & 31);
    const int remainder_34 = remainder_33 & 1;
    const int remainder_35 = (int)((u32)sum_33 + (u32)remainder_34);
    const int remainder_36 = remainder_35 & (-2);
    const int remainder_37 = (int)((u32)sum_33 - (u32)remainder_36);
    const bool equal_6 = remainder_37 == 0;
    const float sum_34 = 0.0f + choice_12;
    const float sum_35 = sum_34 + choice_14;
    const float choice_18 = halo_below_1 ? 1.0f : (-1.0f);
    const float sum_36 = below_exists ? sum_35 + choice_18 : sum_35;
    const float product_7 = product_0 * sum_36;
    const float value_8 = exp_f32(product_7);
    const float sum_37 = 1.0f + value_8;
    const float quotient_6 = 1.0f / sum_37;
    const double chance_12 = (double)quotient_6;
    const u32 draw_6 = random_words(world.seed, first_cell + 196608, time, 0);
    const bool chance_13 = chance(draw_6, chance_12);
    const bool guarded_18 = chance_13 & equal_6;
    const bool guarded_19 = own_6 & !equal_6;
    const bool guarded_20 = guarded_18 | guarded_19;
    store_bits(out_up + 6 * WORDS, guarded_20, place);
    const int sum_38 = (int)((u32)x_1 + (u32)y_1);
    const int remainder_38 = sum_38 >> (31u & 31);
    const int remainder_39 = remainder_38 & 1;
    const int remainder_40 = (int)((u32)sum_38 + (u32)remainder_39);
    const int remainder_41 = remainder_40 & (-2);
    const int remainder_42 = (int)((u32)sum_38 - (u32)remainder_41);
    const bool equal_7 = remainder_42 == 0;
    const float sum_39 = 0.0f + choice_10;
    const float sum_40 = sum_39 + choice_16;
    const float choice_19 = halo_right_5 ? 1.0f : (-1.0f);
    const float sum_41 = right_exists ? sum_40 + choice_19 : sum_40;
    const float choice_20 = halo_below_2 ? 1.0f : (-1.0f);
    const float sum_42 = below_exists ? sum_41 + choice_20 : sum_41;
    const float product_8 = product_0 * sum_42;
    const float value_9 = exp_f32(product_8);
    const float sum_43 = 1.0f + value_9;
    const float quotient_7 = 1.0f / sum_43;
    const double chance_14 = (double)quotient_7;
    const u32 draw_7 = random_words(world.seed, first_cell + 229376, time, 0);
    const bool chance_15 = chance(draw_7, chance_14);
    const bool guarded_21 = chance_15 & equal_7;
    const bool guarded_22 = own_7 & !equal_7;
    const bool guarded_23 = guarded_21 | guarded_22;
    store_bits(out_up + 7 * WORDS, guarded_23, place);
}

// ising_odd: one step of 8 micro cells; a thread takes one lane, a superblock 64 threads.
// 23.88 operations a cell and step (24 on bits, 167 on numbers), 8 + 12 loads, 8 stores, 26 live values
extern "C" __global__ void __launch_bounds__(128) ising_odd(
    const u32 *up,
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread / 64;
    if (superblock >= world.end) {
        return;
    }
    // Threads beyond the last lane do what it does.
    const u32 place = (u32)(thread % (32 * WORDS));
    const u32 lane = place < LANES ? place : LANES - 1;
    const u32 time = *world.clock + world.later;
    // The reversed number of the first cell of the warp in micro cell 0.
    const u64 first_cell = LANES * reversed(superblock) + place / 32 * 32;

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
    up += none;
    new_up += none;
    const u32 *own_up = up + (u64)superblock * (MICRO_CELLS * WORDS) + lane / 32;
    u32 *out_up = new_up + (u64)superblock * (MICRO_CELLS * WORDS) + lane / 32;
    const bool own_1 = own_up[1 * WORDS] >> (lane % 32) & 1;
    const bool own_3 = own_up[3 * WORDS] >> (lane % 32) & 1;
    const bool own_0 = own_up[0 * WORDS] >> (lane % 32) & 1;
    const bool own_2 = own_up[2 * WORDS] >> (lane % 32) & 1;
    const bool own_4 = own_up[4 * WORDS] >> (lane % 32) & 1;
    const bool own_5 = own_up[5 * WORDS] >> (lane % 32) & 1;
    const bool own_7 = own_up[7 * WORDS] >> (lane % 32) & 1;
    const bool own_6 = own_up[6 * WORDS] >> (lane % 32) & 1;

    // above
    const u32 *above_up = up + (above_lane != ABSENT ? (u64)above.superblock * (MICRO_CELLS * WORDS) + above_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_above_5 = above_up[5 * WORDS] >> (above_lane % 32) & 1;
    const bool halo_above_6 = above_up[6 * WORDS] >> (above_lane % 32) & 1;
    const bool halo_above_7 = above_up[7 * WORDS] >> (above_lane % 32) & 1;

    // left
    const u32 *left_up = up + (left_lane != ABSENT ? (u64)left.superblock * (MICRO_CELLS * WORDS) + left_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_left_2 = left_up[2 * WORDS] >> (left_lane % 32) & 1;
    const bool halo_left_4 = left_up[4 * WORDS] >> (left_lane % 32) & 1;
    const bool halo_left_7 = left_up[7 * WORDS] >> (left_lane % 32) & 1;

    // right
    const u32 *right_up = up + (right_lane != ABSENT ? (u64)right.superblock * (MICRO_CELLS * WORDS) + right_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_right_0 = right_up[0 * WORDS] >> (right_lane % 32) & 1;
    const bool halo_right_3 = right_up[3 * WORDS] >> (right_lane % 32) & 1;
    const bool halo_right_5 = right_up[5 * WORDS] >> (right_lane % 32) & 1;

    // below
    const u32 *below_up = up + (below_lane != ABSENT ? (u64)below.superblock * (MICRO_CELLS * WORDS) + below_lane / 32 : (u64)world.superblocks * (MICRO_CELLS * WORDS));
    const bool halo_below_0 = below_up[0 * WORDS] >> (below_lane % 32) & 1;
    const bool halo_below_1 = below_up[1 * WORDS] >> (below_lane % 32) & 1;
    const bool halo_below_2 = below_up[2 * WORDS] >> (below_lane % 32) & 1;

    // the rule
    const int superblock_y = world.superblock_corners[3 * (u64)superblock + 1];
    const int lane_y = world.lane_corners[1 * LANES + lane];
    const int corner_y_0 = (int)((u32)lane_y + (u32)superblock_y);
    const int superblock_x = world.superblock_corners[3 * (u64)superblock + 0];
    const int lane_x = world.lane_corners[0 * LANES + lane];
    const int corner_x_0 = (int)((u32)lane_x + (u32)superblock_x);
    const int sum_0 = (int)((u32)corner_x_0 + (u32)corner_y_0);
    const int remainder_1 = sum_0 >> (31u & 31);
    const int remainder_3 = remainder_1 & 1;
    const int remainder_4 = (int)((u32)sum_0 + (u32)remainder_3);
    const int remainder_6 = remainder_4 & (-2);
    const int remainder_7 = (int)((u32)sum_0 - (u32)remainder_6);
    const bool equal_0 = remainder_7 == 1;
    const float choice_0 = halo_left_2 ? 1.0f : (-1.0f);
    const float choice_1 = halo_above_5 ? 1.0f : (-1.0f);
    const bool above_exists = above_lane != ABSENT;
    const float sum_1 = above_exists ? 0.0f + choice_1 : 0.0f;
    const bool left_exists = left_lane != ABSENT;
    const float sum_2 = left_exists ? sum_1 + choice_0 : sum_1;
    const float choice_3 = own_1 ? 1.0f : (-1.0f);
    const float sum_3 = sum_2 + choice_3;
    const float choice_4 = own_3 ? 1.0f : (-1.0f);
    const float sum_4 = sum_3 + choice_4;
    const float beta = __uint_as_float((u32)world.params[0]);
    const float product_0 = (-2.0f) * beta;
    const float product_1 = product_0 * sum_4;
    const float value_2 = exp_f32(product_1);
    const float sum_5 = 1.0f + value_2;
    const float quotient_0 = 1.0f / sum_5;
    const double chance_0 = (double)quotient_0;
    const u32 draw_0 = random_words(world.seed, first_cell, time, 1);
    const bool chance_1 = chance(draw_0, chance_0);
    const bool guarded_0 = chance_1 & equal_0;
    const bool guarded_1 = own_0 & !equal_0;
    const bool guarded_2 = guarded_0 | guarded_1;
    store_bits(out_up + 0 * WORDS, guarded_2, place);
    const int x_0 = (int)((u32)corner_x_0 + (u32)1);
    const int sum_6 = (int)((u32)x_0 + (u32)corner_y_0);
    const int remainder_8 = sum_6 >> (31u & 31);
    const int remainder_9 = remainder_8 & 1;
    const int remainder_10 = (int)((u32)sum_6 + (u32)remainder_9);
    const int remainder_11 = remainder_10 & (-2);
    const int remainder_12 = (int)((u32)sum_6 - (u32)remainder_11);
    const bool equal_1 = remainder_12 == 1;
    const float choice_5 = own_0 ? 1.0f : (-1.0f);
    const float choice_6 = halo_above_6 ? 1.0f : (-1.0f);
    const float sum_7 = above_exists ? 0.0f + choice_6 : 0.0f;
    const float sum_8 = sum_7 + choice_5;
    const float choice_7 = own_2 ? 1.0f : (-1.0f);
    const float sum_9 = sum_8 + choice_7;
    const float product_2 = product_0 * sum_9;
    const float value_3 = exp_f32(product_2);
    const float sum_10 = 1.0f + value_3;
    const float quotient_1 = 1.0f / sum_10;
    const double chance_2 = (double)quotient_1;
    const u32 draw_1 = random_words(world.seed, first_cell + 32768, time, 1);
    const bool chance_3 = chance(draw_1, chance_2);
    const bool guarded_3 = chance_3 & equal_1;
    const bool guarded_4 = own_1 & !equal_1;
    const bool guarded_5 = guarded_3 | guarded_4;
    store_bits(out_up + 1 * WORDS, guarded_5, place);
    const int x_1 = (int)((u32)corner_x_0 + (u32)2);
    const int sum_11 = (int)((u32)x_1 + (u32)corner_y_0);
    const int remainder_13 = sum_11 >> (31u & 31);
    const int remainder_14 = remainder_13 & 1;
    const int remainder_15 = (int)((u32)sum_11 + (u32)remainder_14);
    const int remainder_16 = remainder_15 & (-2);
    const int remainder_17 = (int)((u32)sum_11 - (u32)remainder_16);
    const bool equal_2 = remainder_17 == 1;
    const float choice_8 = halo_above_7 ? 1.0f : (-1.0f);
    const float sum_12 = above_exists ? 0.0f + choice_8 : 0.0f;
    const float sum_13 = sum_12 + choice_3;
    const float choice_9 = halo_right_0 ? 1.0f : (-1.0f);
    const bool right_exists = right_lane != ABSENT;
    const float sum_14 = right_exists ? sum_13 + choice_9 : sum_13;
    const float choice_10 = own_4 ? 1.0f : (-1.0f);
    const float sum_15 = sum_14 + choice_10;
    const float product_3 = product_0 * sum_15;
    const float value_4 = exp_f32(product_3);
    const float sum_16 = 1.0f + value_4;
    const float quotient_2 = 1.0f / sum_16;
    const double chance_4 = (double)quotient_2;
    const u32 draw_2 = random_words(world.seed, first_cell + 65536, time, 1);
    const bool chance_5 = chance(draw_2, chance_4);
    const bool guarded_6 = chance_5 & equal_2;
    const bool guarded_7 = own_2 & !equal_2;
    const bool guarded_8 = guarded_6 | guarded_7;
    store_bits(out_up + 2 * WORDS, guarded_8, place);
    const int y_0 = (int)((u32)corner_y_0 + (u32)1);
    const int sum_17 = (int)((u32)corner_x_0 + (u32)y_0);
    const int remainder_18 = sum_17 >> (31u & 31);
    const int remainder_19 = remainder_18 & 1;
    const int remainder_20 = (int)((u32)sum_17 + (u32)remainder_19);
    const int remainder_21 = remainder_20 & (-2);
    const int remainder_22 = (int)((u32)sum_17 - (u32)remainder_21);
    const bool equal_3 = remainder_22 == 1;
    const float choice_11 = halo_left_4 ? 1.0f : (-1.0f);
    const float sum_18 = 0.0f + choice_5;
    const float sum_19 = left_exists ? sum_18 + choice_11 : sum_18;
    const float choice_12 = own_5 ? 1.0f : (-1.0f);
    const float sum_20 = sum_19 + choice_12;
    const float product_4 = product_0 * sum_20;
    const float value_5 = exp_f32(product_4);
    const float sum_21 = 1.0f + value_5;
    const float quotient_3 = 1.0f / sum_21;
    const double chance_6 = (double)quotient_3;
    const u32 draw_3 = random_words(world.seed, first_cell + 98304, time, 1);
    const bool chance_7 = chance(draw_3, chance_6);
    const bool guarded_9 = chance_7 & equal_3;
    const bool guarded_10 = own_3 & !equal_3;
    const bool guarded_11 = guarded_9 | guarded_10;
    store_bits(out_up + 3 * WORDS, guarded_11, place);
    const int sum_22 = (int)((u32)x_1 + (u32)y_0);
    const int remainder_23 = sum_22 >> (31u & 31);
    const int remainder_24 = remainder_23 & 1;
    const int remainder_25 = (int)((u32)sum_22 + (u32)remainder_24);
    const int remainder_26 = remainder_25 & (-2);
    const int remainder_27 = (int)((u32)sum_22 - (u32)remainder_26);
    const bool equal_4 = remainder_27 == 1;
    const float choice_13 = halo_right_3 ? 1.0f : (-1.0f);
    const float sum_23 = 0.0f + choice_7;
    const float sum_24 = right_exists ? sum_23 + choice_13 : sum_23;
    const float choice_14 = own_7 ? 1.0f : (-1.0f);
    const float sum_25 = sum_24 + choice_14;
    const float product_5 = product_0 * sum_25;
    const float value_6 = exp_f32(product_5);
    const float sum_26 = 1.0f + value_6;
    const float quotient_4 = 1.0f / sum_26;
    const double chance_8 = (double)quotient_4;
    const u32 draw_4 = random_words(world.seed, first_cell + 131072, time, 1);
    const bool chance_9 = chance(draw_4, chance_8);
    const bool guarded_12 = chance_9 & equal_4;
    const bool guarded_13 = own_4 & !equal_4;
    const bool guarded_14 = guarded_12 | guarded_13;
    store_bits(out_up + 4 * WORDS, guarded_14, place);
    const int y_1 = (int)((u32)corner_y_0 + (u32)2);
    const int sum_27 = (int)((u32)corner_x_0 + (u32)y_1);
    const int remainder_28 = sum_27 >> (31u & 31);
    const int remainder_29 = remainder_28 & 1;
    const int remainder_30 = (int)((u32)sum_27 + (u32)remainder_29);
    const int remainder_31 = remainder_30 & (-2);
    const int remainder_32 = (int)((u32)sum_27 - (u32)remainder_31);
    const bool equal_5 = remainder_32 == 1;
    const float choice_15 = halo_left_7 ? 1.0f : (-1.0f);
    const float sum_28 = 0.0f + choice_4;
    const float sum_29 = left_exists ? sum_28 + choice_15 : sum_28;
    const float choice_16 = own_6 ? 1.0f : (-1.0f);
    const float sum_30 = sum_29 + choice_16;
    const float choice_17 = halo_below_0 ? 1.0f : (-1.0f);
    const bool below_exists = below_lane != ABSENT;
    const float sum_31 = below_exists ? sum_30 + choice_17 : sum_30;
    const float product_6 = product_0 * sum_31;
    const float value_7 = exp_f32(product_6);
    const float sum_32 = 1.0f + value_7;
    const float quotient_5 = 1.0f / sum_32;
    const double chance_10 = (double)quotient_5;
    const u32 draw_5 = random_words(world.seed, first_cell + 163840, time, 1);
    const bool chance_11 = chance(draw_5, chance_10);
    const bool guarded_15 = chance_11 & equal_5;
    const bool guarded_16 = own_5 & !equal_5;
    const bool guarded_17 = guarded_15 | guarded_16;
    store_bits(out_up + 5 * WORDS, guarded_17, place);
    const int sum_33 = (int)((u32)x_0 + (u32)y_1);
    const int remainder_33 = sum_33 >> (31u & 31);
    const int remainder_34 = remainder_33 & 1;
    const int remainder_35 = (int)((u32)sum_33 + (u32)remainder_34);
    const int remainder_36 = remainder_35 & (-2);
    const int remainder_37 = (int)((u32)sum_33 - (u32)remainder_36);
    const bool equal_6 = remainder_37 == 1;
    const float sum_34 = 0.0f + choice_12;
    const float sum_35 = sum_34 + choice_14;
    const float choice_18 = halo_below_1 ? 1.0f : (-1.0f);
    const float sum_36 = below_exists ? sum_35 + choice_18 : sum_35;
    const float product_7 = product_0 * sum_36;
    const float value_8 = exp_f32(product_7);
    const float sum_37 = 1.0f + value_8;
    const float quotient_6 = 1.0f / sum_37;
    const double chance_12 = (double)quotient_6;
    const u32 draw_6 = random_words(world.seed, first_cell + 196608, time, 1);
    const bool chance_13 = chance(draw_6, chance_12);
    const bool guarded_18 = chance_13 & equal_6;
    const bool guarded_19 = own_6 & !equal_6;
    const bool guarded_20 = guarded_18 | guarded_19;
    store_bits(out_up + 6 * WORDS, guarded_20, place);
    const int sum_38 = (int)((u32)x_1 + (u32)y_1);
    const int remainder_38 = sum_38 >> (31u & 31);
    const int remainder_39 = remainder_38 & 1;
    const int remainder_40 = (int)((u32)sum_38 + (u32)remainder_39);
    const int remainder_41 = remainder_40 & (-2);
    const int remainder_42 = (int)((u32)sum_38 - (u32)remainder_41);
    const bool equal_7 = remainder_42 == 1;
    const float sum_39 = 0.0f + choice_10;
    const float sum_40 = sum_39 + choice_16;
    const float choice_19 = halo_right_5 ? 1.0f : (-1.0f);
    const float sum_41 = right_exists ? sum_40 + choice_19 : sum_40;
    const float choice_20 = halo_below_2 ? 1.0f : (-1.0f);
    const float sum_42 = below_exists ? sum_41 + choice_20 : sum_41;
    const float product_8 = product_0 * sum_42;
    const float value_9 = exp_f32(product_8);
    const float sum_43 = 1.0f + value_9;
    const float quotient_7 = 1.0f / sum_43;
    const double chance_14 = (double)quotient_7;
    const u32 draw_7 = random_words(world.seed, first_cell + 229376, time, 1);
    const bool chance_15 = chance(draw_7, chance_14);
    const bool guarded_21 = chance_15 & equal_7;
    const bool guarded_22 = own_7 & !equal_7;
    const bool guarded_23 = guarded_21 | guarded_22;
    store_bits(out_up + 7 * WORDS, guarded_23, place);
}
