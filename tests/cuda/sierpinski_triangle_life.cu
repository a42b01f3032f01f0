// life on sierpinski_triangle at level 12, by Squeeze 0.1.0
//
// T = 2 (levels as lanes): 9 lanes a column, in registers that are 28% full
// L = 2 (levels in micro cells): 9 micro cells a superblock, by the planner's reckoning about 1128 operations; 6561 superblocks
// t = 4 (steps of a pass): 2.54 cells computed for one that is kept; bound by operations, 2.30 ps a cell and step expected of the machine planned for
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule life; domain sierpinski_triangle 3b1298cdcf1aa7bf; level 12; lanes T = 2, L = 2, t = 4; kernels ef66d2bd777626ce

namespace squeeze_sierpinski_triangle_12_life_kernels {

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 9;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 16;
constexpr u32 MICRO_CELLS = 9;
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

// The part of a word of a column whose lanes move as the term says.
__device__ __forceinline__ u32 moved(u32 seen, Term term) {
    return __funnelshift_l(seen, seen, term.rotate) & term.mask;
}

// The lanes of one word in which a neighbour exists.
__device__ __forceinline__ u32 presence(const World &world, Neighbour there, u32 word) {
    if (there.superblock == world.absent) {
        return 0;
    }
    return there.wrap == STAY ? 0xffffffff : world.presence[there.wrap * WORDS + word];
}

// Any function of three bits: bit 4a + 2b + c of the table.
template <int TABLE>
__device__ __forceinline__ u32 lop3(u32 a, u32 b, u32 c) {
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return result;
}

// A number with its digits in reversed order.
__device__ __forceinline__ u64 reversed(u64 number) {
    u64 result = 0;
    for (int level = 0; level < 8; ++level) {
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

// A plane of a draw: behind the planes of a word come those of further blocks.
__device__ __forceinline__ RandomPlane plane_of_draw(u64 seed, u64 block, u32 time, u32 draw, u32 plane) {
    return random_plane(seed, block + ((u64)(plane / 32) << 57), time, 32 * draw + plane % 32);
}

// A probability, or a parameter that is one: it is looked at where 32 planes have not decided.
struct Probability {
    const u64 *parameters;
    u32 index;
    double number;

    __device__ __forceinline__ double value() const {
        return parameters != nullptr ? __longlong_as_double((long long)parameters[index]) : number;
    }
};

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

// The lanes whose random bits have the same probability.
struct RandomClass {
    u32 lanes;
    Threshold threshold;
    Probability probability;
};

// The cells of a word that stand side by side from its first place on, as those of the words beside it do.
struct FirstCells {
    u32 cells;

    // The first cell of the words of `beside` threads: that of the first thread, for threads without a word may stand anywhere.
    __device__ __forceinline__ u64 begin(u64 first, u32 beside) const {
        return __shfl_sync(0xffffffff, first, (int)(threadIdx.x % 32 / beside * beside));
    }

    __device__ __forceinline__ u32 together(u32 bits) const {
        return bits & cells;
    }

    __device__ __forceinline__ u32 back(u32 bits) const {
        return bits;
    }
};

// Of the lanes of classes that 32 planes, of which `words` gives the bits, have not decided, those where a random bit is set: plane after plane, class after class.
template <u32 CLASSES, class Words>
__device__ __forceinline__ u32 below_exactly(u32 undecided, const u32 (&lanes)[CLASSES], const RandomClass (&classes)[CLASSES], Words words) {
    u32 result = 0;
#pragma unroll 1
    for (u32 i = 0; i < CLASSES; ++i) {
        u32 open = lanes[0];
        Probability probability = classes[0].probability;
#pragma unroll
        for (u32 j = 1; j < CLASSES; ++j) {
            open = i == j ? lanes[j] : open;
            probability = i == j ? classes[j].probability : probability;
        }
        open &= undecided;
        // Doubled, what is left shows its next digit.
        double left = probability.value();
#pragma unroll 1
        for (u32 plane = 0; open != 0 && left > 0.0; ++plane) {
            left += left;
            const u32 digit = left >= 1.0, drawn = words(plane);
            left -= digit;
            result |= digit != 0 ? open & ~drawn : 0;
            open &= digit != 0 ? drawn : ~drawn;
        }
    }
    return result;
}

// The bits of a plane of 32 cells whose numbers follow each other.
__device__ __forceinline__ u32 bits_of_plane(u64 seed, u64 first, u32 time, u32 draw, u32 plane) {
    u32 bits = 0;
#pragma unroll 1
    for (u32 part = 0; part < 2; ++part) {
        // The cells in the word of the first one, then those in the next.
        const u64 begin = first / 32 * 32 + 32 * part;
        const u32 word = word_of_plane(plane_of_draw(seed, begin / 128, time, draw, plane), (u32)(begin / 32 % 4));
        bits |= part == 0 ? word >> first % 32 : word << 1 << (31 - first % 32);
    }
    return bits;
}

// The bits of a plane of 32 places of a row from an even one on; those of the first one's colour in the lower half.
__device__ __forceinline__ u32 bits_of_row(u64 seed, u64 place, u32 odd, u32 time, u32 draw, u32 plane) {
    u32 bits = 0;
#pragma unroll 1
    for (u32 part = 0; part < 2; ++part) {
        const RandomPlane words = plane_of_draw(seed, place / 256 * 2 + (odd ^ part), time, draw, plane);
        bits |= (word_of_plane(words, (u32)(place % 256) / 64) >> place % 64 / 2 & 0xffff) << 16 * part;
    }
    return bits;
}

// The random bits of the cells of a word, whose numbers follow each other from `first` on: a bit is set if the random word of its cell is
// below the threshold of the cell's class. The cells of BESIDE neighbouring threads follow each other as well: each of these threads
// makes one block of a plane for all. If ALIGNED, no block behind theirs has cells of these words, and words stand in blocks as they are.
// Random words are compared from their first bits on, until the whole warp, which must take part, has decided.
template <u32 BESIDE, bool ALIGNED, u32 CLASSES, class Cells>
__device__ __forceinline__ u32 random_bits(u64 seed, u64 first, const Cells &own, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    constexpr u32 AT_ONCE = BESIDE < 4 ? BESIDE : 4, BLOCKS = BESIDE / AT_ONCE;
    // For each plane the blocks of these threads, and the block behind them, which is made only if cells lie in it. One more block between
    // groups of threads keeps what they read at once in different banks.
    constexpr u32 ROW = BLOCKS + 1;
    __shared__ uint4 planes[128 / BESIDE][AT_ONCE * ROW + 1];
    uint4 *mine = planes[threadIdx.x / BESIDE];
    const u32 thread = threadIdx.x % 32, made = thread % BESIDE / BLOCKS, part = thread % BLOCKS;
    u32 result = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, beyond = 0, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = own.together(classes[i].lanes);
        result |= classes[i].threshold.always ? lanes[i] : 0;
        undecided |= (thresholds[i] | classes[i].threshold.more) > 0 ? lanes[i] : 0;
        rest |= thresholds[i];
        beyond |= classes[i].threshold.more;
    }
    const u64 block = own.begin(first, BESIDE) / 128;
    const u32 place = own.cells != 0 ? (u32)(first - 128 * block) : 0, at = place / 32, shift = place % 32;
    const bool more = !ALIGNED && __any_sync(0xffffffff, place + (u32)__popc(own.cells) > 128 * BLOCKS);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, rest != 0 && undecided != 0); plane += AT_ONCE) {
        // Every thread has read the planes of the round before.
        __syncwarp();
        const RandomPlane here = random_plane(seed, block + part, time, 32 * draw + plane + made);
        mine[made * ROW + part] = {here.words[0], here.words[1], here.words[2], here.words[3]};
        if (more) {
            const RandomPlane last = random_plane(seed, block + BLOCKS, time, 32 * draw + plane + made);
            if (part == 0) {
                mine[made * ROW + BLOCKS] = {last.words[0], last.words[1], last.words[2], last.words[3]};
            }
        }
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            const u32 *words = &mine[i * ROW].x;
            const u32 word = ALIGNED ? words[at] : __funnelshift_r(words[at], words[at + 1], shift);
            u32 threshold = 0;
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                threshold |= (int)(thresholds[j] << i) < 0 ? lanes[j] : 0;
            }
            result |= undecided & threshold & ~word;
            undecided &= ~(threshold ^ word);
        }
#pragma unroll
        for (u32 j = 0; j < CLASSES; ++j) {
            thresholds[j] <<= AT_ONCE;
        }
        // Where 0 is left of a threshold, no random word is below it. To ask more than four classes takes longer than it saves.
        if (CLASSES <= 4) {
            rest = 0;
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                rest |= thresholds[j];
            }
        }
    }
    // Once in 4 * 10^9 draws a random word is equal to its threshold.
    if (__builtin_expect(beyond != 0 && undecided != 0, 0)) {
        const u64 begin = 128 * block + place;
        result |= below_exactly(undecided, lanes, classes, [=](u32 plane) { return bits_of_plane(seed, begin, time, draw, plane); });
    }
    return own.back(result);
}

// life_init: 1 step of 9 micro cells; a thread takes one word of up to 32 lanes, a superblock 1 thread.
// 1.00 operations a cell and step; in all 0 on bits and 9 on numbers (a draw is one), 0 loads of own columns and 0 of neighbours', 9 stores, at most 3 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_sierpinski_triangle_12_life_init(
    u32 *__restrict__ new_alive,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread;
    if (superblock >= world.end) {
        return;
    }
    const u32 word = 0;
    const u32 time = *world.clock + world.later;
    // The reversed number of the first cell of the word in micro cell 0.
    const u64 first_cell = LANES * reversed(superblock) + 32 * word;

    const u32 none = after_pass_before();
    new_alive += none;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;

    // the rule
    const u32 chance_0 = random_bits<1, false, 1>(world.seed, first_cell, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[0 * WORDS] = chance_0;
    const u32 chance_1 = random_bits<1, false, 1>(world.seed, first_cell + 177147, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[1 * WORDS] = chance_1;
    const u32 chance_2 = random_bits<1, false, 1>(world.seed, first_cell + 354294, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[2 * WORDS] = chance_2;
    const u32 chance_3 = random_bits<1, false, 1>(world.seed, first_cell + 59049, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[3 * WORDS] = chance_3;
    const u32 chance_4 = random_bits<1, false, 1>(world.seed, first_cell + 236196, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[4 * WORDS] = chance_4;
    const u32 chance_5 = random_bits<1, false, 1>(world.seed, first_cell + 413343, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[5 * WORDS] = chance_5;
    const u32 chance_6 = random_bits<1, false, 1>(world.seed, first_cell + 118098, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[6 * WORDS] = chance_6;
    const u32 chance_7 = random_bits<1, false, 1>(world.seed, first_cell + 295245, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[7 * WORDS] = chance_7;
    const u32 chance_8 = random_bits<1, false, 1>(world.seed, first_cell + 472392, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[8 * WORDS] = chance_8;
}

// life: 4 steps of 9 micro cells; a thread takes one word of up to 32 lanes, a superblock 1 thread.
// 16.00 operations a cell and step; in all 576 on bits and 0 on numbers (a draw is one), 9 loads of own columns and 59 of neighbours', 9 stores, at most 66 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_sierpinski_triangle_12_life(
    const u32 *alive,
    u32 *__restrict__ new_alive,
    const World world
) {
    let_next_begin();
    const u32 thread = blockIdx.x * 128 + threadIdx.x;
    const u32 superblock = world.first + thread;
    if (superblock >= world.end) {
        return;
    }
    const u32 word = 0;

    // the neighbours
    const Neighbour above_left = neighbour(world, superblock, 0, -1, -1, 0);
    const Neighbour above = neighbour(world, superblock, 1, 0, -1, 0);
    const Neighbour above_right = neighbour(world, superblock, 2, 1, -1, 0);
    const Neighbour left = neighbour(world, superblock, 3, -1, 0, 0);
    const Neighbour right = neighbour(world, superblock, 4, 1, 0, 0);
    const Neighbour below_left = neighbour(world, superblock, 5, -1, 1, 0);
    const Neighbour below = neighbour(world, superblock, 6, 0, 1, 0);
    const Neighbour below_right = neighbour(world, superblock, 7, 1, 1, 0);

    const u32 none = after_pass_before();
    alive += none;
    new_alive += none;
    const u32 *own_alive = alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    const u32 own_5 = own_alive[5 * WORDS];
    const u32 own_4 = own_alive[4 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];
    const u32 own_1 = own_alive[1 * WORDS];
    const u32 own_3 = own_alive[3 * WORDS];
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_8 = own_alive[8 * WORDS];
    const u32 own_7 = own_alive[7 * WORDS];
    const u32 own_6 = own_alive[6 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_8 = above_left_alive[8 * WORDS];
    u32 halo_above_left_2 = above_left_alive[2 * WORDS];
    u32 halo_above_left_5 = above_left_alive[5 * WORDS];
    u32 halo_above_left_7 = above_left_alive[7 * WORDS];
    u32 halo_above_left_6 = above_left_alive[6 * WORDS];
    u32 halo_above_left_4 = above_left_alive[4 * WORDS];
    u32 halo_above_left_3 = above_left_alive[3 * WORDS];
    u32 halo_above_left_1 = above_left_alive[1 * WORDS];
    u32 halo_above_left_0 = above_left_alive[0 * WORDS];

    // above
    const u32 *above_alive = alive + (u64)above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_5 = above_alive[5 * WORDS];
    u32 halo_above_4 = above_alive[4 * WORDS];
    u32 halo_above_1 = above_alive[1 * WORDS];
    u32 halo_above_2 = above_alive[2 * WORDS];
    u32 halo_above_3 = above_alive[3 * WORDS];
    u32 halo_above_8 = above_alive[8 * WORDS];
    u32 halo_above_7 = above_alive[7 * WORDS];
    u32 halo_above_6 = above_alive[6 * WORDS];
    u32 halo_above_0 = above_alive[0 * WORDS];

    // above right
    const u32 *above_right_alive = alive + (u64)above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_right_3 = above_right_alive[3 * WORDS];
    u32 halo_above_right_4 = above_right_alive[4 * WORDS];
    u32 halo_above_right_5 = above_right_alive[5 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_8 = left_alive[8 * WORDS];
    u32 halo_left_7 = left_alive[7 * WORDS];
    u32 halo_left_6 = left_alive[6 * WORDS];
    u32 halo_left_0 = left_alive[0 * WORDS];
    u32 halo_left_5 = left_alive[5 * WORDS];
    u32 halo_left_2 = left_alive[2 * WORDS];
    u32 halo_left_4 = left_alive[4 * WORDS];
    u32 halo_left_3 = left_alive[3 * WORDS];
    u32 halo_left_1 = left_alive[1 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_3 = right_alive[3 * WORDS];
    u32 halo_right_4 = right_alive[4 * WORDS];
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_5 = right_alive[5 * WORDS];
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_1 = right_alive[1 * WORDS];
    u32 halo_right_7 = right_alive[7 * WORDS];
    u32 halo_right_6 = right_alive[6 * WORDS];
    u32 halo_right_8 = right_alive[8 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_0 = below_left_alive[0 * WORDS];
    u32 halo_below_left_8 = below_left_alive[8 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_2 = below_alive[2 * WORDS];
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_6 = below_alive[6 * WORDS];
    u32 halo_below_3 = below_alive[3 * WORDS];
    u32 halo_below_4 = below_alive[4 * WORDS];
    u32 halo_below_5 = below_alive[5 * WORDS];
    u32 halo_below_8 = below_alive[8 * WORDS];
    u32 halo_below_7 = below_alive[7 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_0 = below_right_alive[0 * WORDS];
    u32 halo_below_right_2 = below_right_alive[2 * WORDS];
    u32 halo_below_right_1 = below_right_alive[1 * WORDS];
    u32 halo_below_right_6 = below_right_alive[6 * WORDS];
    u32 halo_below_right_3 = below_right_alive[3 * WORDS];
    u32 halo_below_right_4 = below_right_alive[4 * WORDS];
    u32 halo_below_right_5 = below_right_alive[5 * WORDS];
    u32 halo_below_right_8 = below_right_alive[8 * WORDS];
    u32 halo_below_right_7 = below_right_alive[7 * WORDS];

    // Across the border lanes see other lanes.
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_8 = halo_above_left_8; halo_above_left_8 = 0;
        const u32 seen_halo_above_left_2 = halo_above_left_2; halo_above_left_2 = 0;
        const u32 seen_halo_above_left_5 = halo_above_left_5; halo_above_left_5 = 0;
        const u32 seen_halo_above_left_7 = halo_above_left_7; halo_above_left_7 = 0;
        const u32 seen_halo_above_left_6 = halo_above_left_6; halo_above_left_6 = 0;
        const u32 seen_halo_above_left_4 = halo_above_left_4; halo_above_left_4 = 0;
        const u32 seen_halo_above_left_3 = halo_above_left_3; halo_above_left_3 = 0;
        const u32 seen_halo_above_left_1 = halo_above_left_1; halo_above_left_1 = 0;
        const u32 seen_halo_above_left_0 = halo_above_left_0; halo_above_left_0 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_8 |= moved(seen_halo_above_left_8, term);
            halo_above_left_2 |= moved(seen_halo_above_left_2, term);
            halo_above_left_5 |= moved(seen_halo_above_left_5, term);
            halo_above_left_7 |= moved(seen_halo_above_left_7, term);
            halo_above_left_6 |= moved(seen_halo_above_left_6, term);
            halo_above_left_4 |= moved(seen_halo_above_left_4, term);
            halo_above_left_3 |= moved(seen_halo_above_left_3, term);
            halo_above_left_1 |= moved(seen_halo_above_left_1, term);
            halo_above_left_0 |= moved(seen_halo_above_left_0, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_5 = halo_above_5; halo_above_5 = 0;
        const u32 seen_halo_above_4 = halo_above_4; halo_above_4 = 0;
        const u32 seen_halo_above_1 = halo_above_1; halo_above_1 = 0;
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_8 = halo_above_8; halo_above_8 = 0;
        const u32 seen_halo_above_7 = halo_above_7; halo_above_7 = 0;
        const u32 seen_halo_above_6 = halo_above_6; halo_above_6 = 0;
        const u32 seen_halo_above_0 = halo_above_0; halo_above_0 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_5 |= moved(seen_halo_above_5, term);
            halo_above_4 |= moved(seen_halo_above_4, term);
            halo_above_1 |= moved(seen_halo_above_1, term);
            halo_above_2 |= moved(seen_halo_above_2, term);
            halo_above_3 |= moved(seen_halo_above_3, term);
            halo_above_8 |= moved(seen_halo_above_8, term);
            halo_above_7 |= moved(seen_halo_above_7, term);
            halo_above_6 |= moved(seen_halo_above_6, term);
            halo_above_0 |= moved(seen_halo_above_0, term);
        }
    }
    if (above_right.wrap != STAY) {
        const u32 seen_halo_above_right_3 = halo_above_right_3; halo_above_right_3 = 0;
        const u32 seen_halo_above_right_4 = halo_above_right_4; halo_above_right_4 = 0;
        const u32 seen_halo_above_right_5 = halo_above_right_5; halo_above_right_5 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_3 |= moved(seen_halo_above_right_3, term);
            halo_above_right_4 |= moved(seen_halo_above_right_4, term);
            halo_above_right_5 |= moved(seen_halo_above_right_5, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_8 = halo_left_8; halo_left_8 = 0;
        const u32 seen_halo_left_7 = halo_left_7; halo_left_7 = 0;
        const u32 seen_halo_left_6 = halo_left_6; halo_left_6 = 0;
        const u32 seen_halo_left_0 = halo_left_0; halo_left_0 = 0;
        const u32 seen_halo_left_5 = halo_left_5; halo_left_5 = 0;
        const u32 seen_halo_left_2 = halo_left_2; halo_left_2 = 0;
        const u32 seen_halo_left_4 = halo_left_4; halo_left_4 = 0;
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_8 |= moved(seen_halo_left_8, term);
            halo_left_7 |= moved(seen_halo_left_7, term);
            halo_left_6 |= moved(seen_halo_left_6, term);
            halo_left_0 |= moved(seen_halo_left_0, term);
            halo_left_5 |= moved(seen_halo_left_5, term);
            halo_left_2 |= moved(seen_halo_left_2, term);
            halo_left_4 |= moved(seen_halo_left_4, term);
            halo_left_3 |= moved(seen_halo_left_3, term);
            halo_left_1 |= moved(seen_halo_left_1, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_3 = halo_right_3; halo_right_3 = 0;
        const u32 seen_halo_right_4 = halo_right_4; halo_right_4 = 0;
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_5 = halo_right_5; halo_right_5 = 0;
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_1 = halo_right_1; halo_right_1 = 0;
        const u32 seen_halo_right_7 = halo_right_7; halo_right_7 = 0;
        const u32 seen_halo_right_6 = halo_right_6; halo_right_6 = 0;
        const u32 seen_halo_right_8 = halo_right_8; halo_right_8 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_3 |= moved(seen_halo_right_3, term);
            halo_right_4 |= moved(seen_halo_right_4, term);
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_5 |= moved(seen_halo_right_5, term);
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_1 |= moved(seen_halo_right_1, term);
            halo_right_7 |= moved(seen_halo_right_7, term);
            halo_right_6 |= moved(seen_halo_right_6, term);
            halo_right_8 |= moved(seen_halo_right_8, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_0 = halo_below_left_0; halo_below_left_0 = 0;
        const u32 seen_halo_below_left_8 = halo_below_left_8; halo_below_left_8 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_0 |= moved(seen_halo_below_left_0, term);
            halo_below_left_8 |= moved(seen_halo_below_left_8, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_2 = halo_below_2; halo_below_2 = 0;
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_6 = halo_below_6; halo_below_6 = 0;
        const u32 seen_halo_below_3 = halo_below_3; halo_below_3 = 0;
        const u32 seen_halo_below_4 = halo_below_4; halo_below_4 = 0;
        const u32 seen_halo_below_5 = halo_below_5; halo_below_5 = 0;
        const u32 seen_halo_below_8 = halo_below_8; halo_below_8 = 0;
        const u32 seen_halo_below_7 = halo_below_7; halo_below_7 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_2 |= moved(seen_halo_below_2, term);
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_6 |= moved(seen_halo_below_6, term);
            halo_below_3 |= moved(seen_halo_below_3, term);
            halo_below_4 |= moved(seen_halo_below_4, term);
            halo_below_5 |= moved(seen_halo_below_5, term);
            halo_below_8 |= moved(seen_halo_below_8, term);
            halo_below_7 |= moved(seen_halo_below_7, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_0 = halo_below_right_0; halo_below_right_0 = 0;
        const u32 seen_halo_below_right_2 = halo_below_right_2; halo_below_right_2 = 0;
        const u32 seen_halo_below_right_1 = halo_below_right_1; halo_below_right_1 = 0;
        const u32 seen_halo_below_right_6 = halo_below_right_6; halo_below_right_6 = 0;
        const u32 seen_halo_below_right_3 = halo_below_right_3; halo_below_right_3 = 0;
        const u32 seen_halo_below_right_4 = halo_below_right_4; halo_below_right_4 = 0;
        const u32 seen_halo_below_right_5 = halo_below_right_5; halo_below_right_5 = 0;
        const u32 seen_halo_below_right_8 = halo_below_right_8; halo_below_right_8 = 0;
        const u32 seen_halo_below_right_7 = halo_below_right_7; halo_below_right_7 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_0 |= moved(seen_halo_below_right_0, term);
            halo_below_right_2 |= moved(seen_halo_below_right_2, term);
            halo_below_right_1 |= moved(seen_halo_below_right_1, term);
            halo_below_right_6 |= moved(seen_halo_below_right_6, term);
            halo_below_right_3 |= moved(seen_halo_below_right_3, term);
            halo_below_right_4 |= moved(seen_halo_below_right_4, term);
            halo_below_right_5 |= moved(seen_halo_below_right_5, term);
            halo_below_right_8 |= moved(seen_halo_below_right_8, term);
            halo_below_right_7 |= moved(seen_halo_below_right_7, term);
        }
    }

    // the rule
    const u32 ones_0 = lop3<0x96>(own_4, own_5, halo_left_8);
    const u32 ones_1 = own_1 ^ own_2;
    const u32 choice_0 = lop3<0x12>(ones_1, own_3, ones_0);
    const u32 twos_0 = lop3<0xe8>(own_4, own_5, halo_left_8);
    const u32 twos_1 = lop3<0xe8>(own_1, own_2, ones_0);
    const u32 choice_1 = lop3<0x14>(twos_1, twos_0, choice_0);
    const u32 ones_2 = lop3<0x96>(halo_above_4, halo_above_left_8, halo_above_5);
    const u32 choice_2 = lop3<0x06>(own_0, ones_2, ones_1);
    const u32 twos_2 = lop3<0xe8>(ones_2, own_1, own_2);
    const u32 twos_3 = lop3<0xe8>(halo_above_4, halo_above_left_8, halo_above_5);
    const u32 choice_3 = lop3<0x14>(twos_3, twos_2, choice_2);
    const u32 ones_3 = choice_3 ^ choice_1;
    const u32 ones_4 = lop3<0x96>(own_0, own_2, own_3);
    const u32 twos_4 = lop3<0xe8>(own_0, own_2, own_3);
    const u32 choice_4 = lop3<0xc4>(own_1, twos_4, ones_4);
    const u32 ones_5 = choice_4 ^ ones_3;
    const u32 ones_6 = lop3<0x96>(own_2, own_5, own_8);
    const u32 twos_5 = lop3<0xe8>(own_2, own_5, own_8);
    const u32 twos_6 = lop3<0x6c>(own_7, twos_5, ones_6);
    const u32 ones_7 = own_5 ^ own_8;
    const u32 ones_8 = lop3<0x96>(own_2, own_7, ones_7);
    const u32 choice_5 = lop3<0xc4>(own_6, twos_6, ones_8);
    const u32 ones_9 = lop3<0x96>(own_0, own_1, own_3);
    const u32 twos_7 = lop3<0xe8>(own_0, own_1, own_3);
    const u32 twos_8 = lop3<0x78>(twos_7, ones_9, own_6);
    const u32 ones_10 = own_0 ^ own_3;
    const u32 ones_11 = lop3<0x96>(own_1, ones_10, own_6);
    const u32 choice_6 = lop3<0xc4>(own_2, twos_8, ones_11);
    const u32 choice_7 = lop3<0x06>(choice_6, ones_5, choice_5);
    const u32 twos_9 = ones_5 & choice_5;
    const u32 twos_10 = lop3<0xe8>(choice_3, choice_4, choice_1);
    const u32 choice_8 = lop3<0x14>(twos_10, twos_9, choice_7);
    const u32 ones_12 = choice_6 ^ ones_3;
    const u32 twos_11 = lop3<0xe8>(choice_3, choice_6, choice_1);
    const u32 choice_9 = lop3<0xc4>(choice_4, twos_11, ones_12);
    const u32 ones_13 = choice_8 ^ choice_9;
    const u32 ones_14 = halo_above_2 ^ halo_above_1;
    const u32 choice_10 = lop3<0x06>(halo_above_3, ones_14, ones_2);
    const u32 twos_12 = lop3<0xe8>(halo_above_2, halo_above_1, ones_2);
    const u32 choice_11 = lop3<0x14>(twos_12, twos_3, choice_10);
    const u32 above_exists = presence(world, above, word);
    const u32 existing_0 = above_exists & choice_11;
    const u32 ones_15 = existing_0 ^ choice_3;
    const u32 ones_16 = lop3<0x96>(halo_above_3, halo_above_left_8, halo_above_5);
    const u32 twos_13 = lop3<0xe8>(halo_above_3, halo_above_left_8, halo_above_5);
    const u32 twos_14 = lop3<0x6c>(own_0, twos_13, ones_16);
    const u32 ones_17 = halo_above_left_8 ^ halo_above_5;
    const u32 ones_18 = lop3<0x96>(halo_above_3, own_0, ones_17);
    const u32 choice_12 = lop3<0xc4>(halo_above_4, twos_14, ones_18);
    const u32 existing_1 = above_exists & choice_12;
    const u32 ones_19 = existing_1 ^ ones_15;
    const u32 ones_20 = lop3<0x96>(halo_above_5, halo_above_2, halo_above_8);
    const u32 twos_15 = lop3<0xe8>(halo_above_5, halo_above_2, halo_above_8);
    const u32 twos_16 = lop3<0x6c>(halo_above_7, twos_15, ones_20);
    const u32 ones_21 = halo_above_5 ^ halo_above_8;
    const u32 ones_22 = lop3<0x96>(halo_above_7, halo_above_2, ones_21);
    const u32 choice_13 = lop3<0xc4>(halo_above_6, twos_16, ones_22);
    const u32 ones_23 = lop3<0x96>(halo_above_6, halo_above_5, halo_above_8);
    const u32 twos_17 = lop3<0xe8>(halo_above_6, halo_above_5, halo_above_8);
    const u32 choice_14 = lop3<0xc4>(halo_above_7, twos_17, ones_23);
    const u32 twos_18 = lop3<0xe8>(ones_19, choice_14, choice_13);
    const u32 twos_19 = lop3<0xe8>(existing_1, existing_0, choice_3);
    const u32 twos_20 = twos_19 ^ twos_18;
    const u32 ones_24 = choice_14 ^ choice_13;
    const u32 ones_25 = ones_19 ^ ones_24;
    const u32 ones_26 = lop3<0x96>(halo_above_3, halo_above_4, own_0);
    const u32 ones_27 = halo_above_6 ^ halo_above_7;
    const u32 choice_15 = lop3<0x14>(ones_26, ones_27, halo_above_5);
    const u32 twos_21 = lop3<0xe8>(ones_26, halo_above_6, halo_above_7);
    const u32 twos_22 = lop3<0xe8>(halo_above_3, halo_above_4, own_0);
    const u32 choice_16 = lop3<0x14>(twos_22, twos_21, choice_15);
    const u32 choice_17 = lop3<0xc4>(choice_16, twos_20, ones_25);
    const u32 existing_2 = above_exists & choice_17;
    const u32 ones_28 = lop3<0x96>(halo_above_left_8, halo_above_left_5, halo_above_left_2);
    const u32 twos_23 = lop3<0xe8>(halo_above_left_8, halo_above_left_5, halo_above_left_2);
    const u32 twos_24 = lop3<0x6c>(halo_above_left_7, twos_23, ones_28);
    const u32 ones_29 = halo_above_left_8 ^ halo_above_left_5;
    const u32 ones_30 = lop3<0x96>(halo_above_left_7, halo_above_left_2, ones_29);
    const u32 choice_18 = lop3<0xc4>(halo_above_left_6, twos_24, ones_30);
    const u32 ones_31 = lop3<0x96>(halo_above_left_6, halo_above_left_8, halo_above_left_5);
    const u32 twos_25 = lop3<0xe8>(halo_above_left_6, halo_above_left_8, halo_above_left_5);
    const u32 choice_19 = lop3<0xc4>(halo_above_left_7, twos_25, ones_31);
    const u32 twos_26 = lop3<0xe8>(choice_19, choice_18, ones_19);
    const u32 twos_27 = twos_19 ^ twos_26;
    const u32 ones_32 = choice_19 ^ choice_18;
    const u32 ones_33 = ones_19 ^ ones_32;
    const u32 ones_34 = halo_above_left_6 ^ halo_above_left_7;
    const u32 choice_20 = lop3<0x14>(ones_34, ones_26, halo_above_left_8);
    const u32 twos_28 = lop3<0xe8>(halo_above_left_6, halo_above_left_7, ones_26);
    const u32 choice_21 = lop3<0x14>(twos_28, twos_22, choice_20);
    const u32 choice_22 = lop3<0xc4>(choice_21, twos_27, ones_33);
    const u32 above_left_exists = presence(world, above_left, word);
    const u32 existing_3 = above_left_exists & choice_22;
    const u32 ones_35 = existing_3 ^ existing_2;
    const u32 existing_4 = choice_16 & above_exists;
    const u32 existing_5 = choice_21 & above_left_exists;
    const u32 twos_29 = lop3<0xe8>(existing_5, existing_4, existing_0);
    const u32 ones_36 = existing_4 ^ existing_0;
    const u32 ones_37 = existing_5 ^ ones_36;
    const u32 twos_30 = lop3<0x78>(twos_29, ones_37, choice_3);
    const u32 ones_38 = ones_37 ^ choice_3;
    const u32 choice_23 = lop3<0xc4>(choice_12, twos_30, ones_38);
    const u32 existing_6 = above_exists & choice_23;
    const u32 ones_39 = existing_6 ^ ones_35;
    const u32 ones_40 = lop3<0x96>(existing_5, existing_4, existing_1);
    const u32 ones_41 = choice_4 ^ choice_6;
    const u32 choice_24 = lop3<0x12>(ones_40, choice_3, ones_41);
    const u32 twos_31 = lop3<0xe8>(ones_40, choice_4, choice_6);
    const u32 twos_32 = lop3<0xe8>(existing_5, existing_4, existing_1);
    const u32 choice_25 = lop3<0x14>(twos_32, twos_31, choice_24);
    const u32 choice_26 = lop3<0x06>(choice_25, ones_39, ones_13);
    const u32 twos_33 = lop3<0xe8>(choice_8, choice_9, ones_39);
    const u32 twos_34 = existing_3 & existing_2;
    const u32 twos_35 = lop3<0xea>(existing_6, ones_35, twos_34);
    const u32 choice_27 = lop3<0x14>(twos_35, twos_33, choice_26);
    const u32 ones_42 = lop3<0x96>(own_3, halo_below_0, own_4);
    const u32 ones_43 = halo_left_6 ^ halo_left_7;
    const u32 choice_28 = lop3<0x14>(ones_42, ones_43, halo_left_8);
    const u32 twos_36 = lop3<0xe8>(ones_42, halo_left_6, halo_left_7);
    const u32 twos_37 = lop3<0xe8>(own_3, halo_below_0, own_4);
    const u32 choice_29 = lop3<0x14>(twos_37, twos_36, choice_28);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_7 = choice_29 & left_exists;
    const u32 ones_44 = own_6 ^ own_7;
    const u32 choice_30 = lop3<0x14>(ones_44, ones_42, own_5);
    const u32 twos_38 = lop3<0xe8>(own_6, own_7, ones_42);
    const u32 choice_31 = lop3<0x14>(twos_38, twos_37, choice_30);
    const u32 ones_45 = choice_31 ^ existing_7;
    const u32 ones_46 = lop3<0x96>(own_3, halo_below_0, halo_left_8);
    const u32 twos_39 = lop3<0xe8>(own_3, halo_below_0, halo_left_8);
    const u32 twos_40 = lop3<0x6c>(own_5, twos_39, ones_46);
    const u32 ones_47 = own_3 ^ halo_below_0;
    const u32 ones_48 = lop3<0x96>(ones_47, own_5, halo_left_8);
    const u32 choice_32 = lop3<0xc4>(own_4, twos_40, ones_48);
    const u32 ones_49 = ones_45 ^ choice_32;
    const u32 choice_33 = lop3<0x14>(ones_41, ones_49, choice_1);
    const u32 twos_41 = lop3<0xe8>(choice_4, choice_6, ones_49);
    const u32 twos_42 = lop3<0xe8>(choice_31, existing_7, choice_32);
    const u32 choice_34 = lop3<0x14>(twos_42, twos_41, choice_33);
    const u32 ones_50 = choice_25 ^ choice_34;
    const u32 ones_51 = ones_50 ^ choice_9;
    const u32 ones_52 = lop3<0x96>(halo_right_4, halo_below_right_0, halo_right_3);
    const u32 choice_35 = lop3<0x12>(ones_44, own_8, ones_52);
    const u32 twos_43 = lop3<0xe8>(halo_right_4, halo_below_right_0, halo_right_3);
    const u32 twos_44 = lop3<0xe8>(own_6, own_7, ones_52);
    const u32 choice_36 = lop3<0x14>(twos_44, twos_43, choice_35);
    const u32 ones_53 = choice_31 ^ choice_36;
    const u32 ones_54 = choice_6 ^ ones_53;
    const u32 twos_45 = lop3<0xe8>(choice_6, choice_31, choice_36);
    const u32 ones_55 = lop3<0x96>(own_6, own_5, own_8);
    const u32 twos_46 = lop3<0xe8>(own_6, own_5, own_8);
    const u32 choice_37 = lop3<0xc4>(own_7, twos_46, ones_55);
    const u32 twos_47 = lop3<0x78>(twos_45, ones_54, choice_37);
    const u32 ones_56 = ones_54 ^ choice_37;
    const u32 choice_38 = lop3<0xc4>(choice_5, twos_47, ones_56);
    const u32 choice_39 = lop3<0x06>(choice_8, ones_51, choice_38);
    const u32 twos_48 = ones_51 & choice_38;
    const u32 twos_49 = lop3<0xe8>(choice_25, choice_34, choice_9);
    const u32 choice_40 = lop3<0x14>(twos_49, twos_48, choice_39);
    const u32 twos_50 = lop3<0xe8>(choice_25, choice_34, choice_8);
    const u32 choice_41 = lop3<0x14>(ones_50, choice_8, choice_9);
    const u32 choice_42 = twos_50 & ~choice_41;
    const u32 ones_57 = choice_42 ^ choice_40;
    const u32 ones_58 = lop3<0x96>(halo_above_3, halo_above_0, halo_above_1);
    const u32 twos_51 = lop3<0xe8>(halo_above_3, halo_above_0, halo_above_1);
    const u32 twos_52 = lop3<0x6c>(halo_above_6, twos_51, ones_58);
    const u32 ones_59 = halo_above_3 ^ halo_above_0;
    const u32 ones_60 = lop3<0x96>(halo_above_6, ones_59, halo_above_1);
    const u32 choice_43 = lop3<0xc4>(halo_above_2, twos_52, ones_60);
    const u32 ones_61 = lop3<0x96>(halo_above_3, halo_above_0, halo_above_2);
    const u32 twos_53 = lop3<0xe8>(halo_above_3, halo_above_0, halo_above_2);
    const u32 choice_44 = lop3<0xb0>(twos_53, ones_61, halo_above_1);
    const u32 twos_54 = lop3<0xe8>(ones_40, choice_44, choice_43);
    const u32 twos_55 = twos_32 ^ twos_54;
    const u32 ones_62 = choice_44 ^ choice_43;
    const u32 ones_63 = ones_40 ^ ones_62;
    const u32 choice_45 = lop3<0xd0>(twos_55, choice_11, ones_63);
    const u32 existing_8 = above_exists & choice_45;
    const u32 ones_64 = existing_8 ^ existing_6;
    const u32 ones_65 = ones_64 ^ choice_25;
    const u32 twos_56 = lop3<0xe8>(halo_above_6, halo_above_7, halo_above_right_3);
    const u32 ones_66 = lop3<0x96>(halo_above_6, halo_above_7, halo_above_right_3);
    const u32 twos_57 = lop3<0xe8>(halo_above_right_4, halo_right_0, ones_66);
    const u32 twos_58 = twos_57 ^ twos_56;
    const u32 ones_67 = halo_above_right_4 ^ halo_right_0;
    const u32 existing_9 = lop3<0x06>(halo_above_8, ones_67, ones_66);
    const u32 existing_10 = lop3<0x40>(above_exists, twos_58, existing_9);
    const u32 twos_59 = existing_4 & existing_10;
    const u32 ones_68 = existing_4 ^ existing_10;
    const u32 twos_60 = lop3<0xea>(choice_13, ones_68, twos_59);
    const u32 ones_69 = choice_13 ^ ones_68;
    const u32 choice_46 = lop3<0xc4>(choice_14, twos_60, ones_69);
    const u32 twos_61 = lop3<0xea>(choice_43, ones_68, twos_59);
    const u32 ones_70 = choice_43 ^ ones_68;
    const u32 twos_62 = lop3<0x6c>(choice_14, twos_61, ones_70);
    const u32 ones_71 = choice_14 ^ ones_70;
    const u32 choice_47 = lop3<0xc4>(choice_13, twos_62, ones_71);
    const u32 twos_63 = lop3<0xe8>(ones_65, choice_47, choice_46);
    const u32 twos_64 = lop3<0xe8>(existing_8, existing_6, choice_25);
    const u32 twos_65 = twos_64 ^ twos_63;
    const u32 ones_72 = choice_47 ^ choice_46;
    const u32 existing_11 = lop3<0x12>(ones_65, choice_17, ones_72);
    const u32 existing_12 = lop3<0x40>(above_exists, twos_65, existing_11);
    const u32 ones_73 = ones_57 ^ existing_12;
    const u32 twos_66 = lop3<0xea>(existing_8, ones_35, twos_34);
    const u32 ones_74 = existing_8 ^ ones_35;
    const u32 twos_67 = lop3<0x6c>(choice_25, twos_66, ones_74);
    const u32 ones_75 = choice_25 ^ ones_74;
    const u32 choice_48 = lop3<0xc4>(choice_23, twos_67, ones_75);
    const u32 existing_13 = above_exists & choice_48;
    const u32 twos_68 = lop3<0xe8>(halo_above_left_6, halo_above_left_7, halo_above_left_4);
    const u32 ones_76 = lop3<0x96>(halo_above_left_6, halo_above_left_7, halo_above_left_4);
    const u32 twos_69 = lop3<0xe8>(halo_above_left_3, halo_left_0, ones_76);
    const u32 twos_70 = twos_69 ^ twos_68;
    const u32 ones_77 = halo_above_left_3 ^ halo_left_0;
    const u32 existing_14 = lop3<0x14>(ones_77, ones_76, halo_above_left_5);
    const u32 existing_15 = lop3<0x40>(above_left_exists, twos_70, existing_14);
    const u32 twos_71 = existing_5 & existing_15;
    const u32 ones_78 = lop3<0x96>(halo_above_left_6, halo_above_left_3, halo_above_left_1);
    const u32 choice_49 = lop3<0x14>(ones_78, halo_above_left_0, halo_above_left_2);
    const u32 ones_79 = halo_above_left_6 ^ halo_above_left_3;
    const u32 twos_72 = lop3<0x28>(ones_79, halo_above_left_1, halo_above_left_0);
    const u32 twos_73 = lop3<0xe8>(halo_above_left_6, halo_above_left_3, halo_above_left_1);
    const u32 choice_50 = lop3<0x14>(twos_73, twos_72, choice_49);
    const u32 ones_80 = existing_5 ^ existing_15;
    const u32 twos_74 = lop3<0xea>(ones_80, choice_50, twos_71);
    const u32 ones_81 = ones_80 ^ choice_50;
    const u32 choice_51 = lop3<0x14>(ones_81, choice_19, choice_18);
    const u32 twos_75 = ones_81 & choice_19;
    const u32 choice_52 = lop3<0x14>(twos_74, twos_75, choice_51);
    const u32 twos_76 = lop3<0xec>(ones_80, twos_71, choice_18);
    const u32 ones_82 = ones_80 ^ choice_18;
    const u32 choice_53 = lop3<0xc4>(choice_19, twos_76, ones_82);
    const u32 twos_77 = lop3<0xe8>(ones_65, choice_52, choice_53);
    const u32 twos_78 = twos_64 ^ twos_77;
    const u32 ones_83 = choice_52 ^ choice_53;
    const u32 ones_84 = ones_65 ^ ones_83;
    const u32 choice_54 = lop3<0xd0>(twos_78, choice_22, ones_84);
    const u32 existing_16 = above_left_exists & choice_54;
    const u32 ones_85 = existing_16 ^ existing_13;
    const u32 choice_55 = lop3<0x14>(ones_85, ones_73, choice_27);
    const u32 twos_79 = choice_42 & choice_40;
    const u32 twos_80 = lop3<0xea>(ones_57, existing_12, twos_79);
    const u32 twos_81 = lop3<0xe8>(existing_16, existing_13, ones_73);
    const u32 choice_56 = lop3<0x14>(twos_81, twos_80, choice_55);
    out_alive[0 * WORDS] = choice_56;
    const u32 ones_86 = halo_below_1 ^ halo_below_2;
    const u32 choice_57 = lop3<0x06>(halo_below_0, ones_0, ones_86);
    const u32 twos_82 = lop3<0xe8>(ones_0, halo_below_1, halo_below_2);
    const u32 choice_58 = lop3<0x14>(twos_0, twos_82, choice_57);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_17 = choice_58 & below_exists;
    const u32 ones_87 = choice_32 ^ choice_1;
    const u32 ones_88 = ones_87 ^ existing_17;
    const u32 ones_89 = choice_5 ^ choice_37;
    const u32 choice_59 = lop3<0x06>(choice_31, ones_88, ones_89);
    const u32 twos_83 = lop3<0xe8>(choice_5, choice_37, ones_88);
    const u32 twos_84 = lop3<0xe8>(choice_32, choice_1, existing_17);
    const u32 choice_60 = lop3<0x14>(twos_84, twos_83, choice_59);
    const u32 twos_85 = lop3<0xe8>(choice_31, existing_7, choice_1);
    const u32 ones_90 = ones_45 ^ choice_1;
    const u32 twos_86 = lop3<0x6c>(existing_17, twos_85, ones_90);
    const u32 ones_91 = existing_17 ^ ones_90;
    const u32 choice_61 = lop3<0xc4>(choice_32, twos_86, ones_91);
    const u32 ones_92 = lop3<0x96>(halo_left_7, halo_left_8, halo_left_5);
    const u32 twos_87 = lop3<0xe8>(halo_left_7, halo_left_8, halo_left_5);
    const u32 twos_88 = lop3<0x78>(twos_87, ones_92, halo_left_2);
    const u32 ones_93 = halo_left_8 ^ halo_left_5;
    const u32 ones_94 = lop3<0x96>(halo_left_7, ones_93, halo_left_2);
    const u32 choice_62 = lop3<0xc4>(halo_left_6, twos_88, ones_94);
    const u32 ones_95 = lop3<0x96>(halo_left_6, halo_left_8, halo_left_5);
    const u32 twos_89 = lop3<0xe8>(halo_left_6, halo_left_8, halo_left_5);
    const u32 choice_63 = lop3<0xc4>(halo_left_7, twos_89, ones_95);
    const u32 twos_90 = lop3<0xe8>(ones_88, choice_63, choice_62);
    const u32 twos_91 = twos_90 ^ twos_84;
    const u32 ones_96 = choice_63 ^ choice_62;
    const u32 ones_97 = ones_88 ^ ones_96;
    const u32 choice_64 = lop3<0xc4>(choice_29, twos_91, ones_97);
    const u32 existing_18 = left_exists & choice_64;
    const u32 ones_98 = existing_18 ^ choice_61;
    const u32 ones_99 = ones_98 ^ choice_60;
    const u32 choice_65 = lop3<0x06>(choice_34, ones_13, ones_99);
    const u32 twos_92 = lop3<0xe8>(existing_18, choice_61, choice_60);
    const u32 twos_93 = lop3<0xe8>(choice_8, choice_9, ones_99);
    const u32 choice_66 = lop3<0x14>(twos_93, twos_92, choice_65);
    const u32 twos_94 = choice_27 & choice_66;
    const u32 ones_100 = choice_27 ^ choice_66;
    const u32 twos_95 = lop3<0xea>(choice_40, ones_100, twos_94);
    const u32 ones_101 = choice_40 ^ ones_100;
    const u32 choice_67 = lop3<0xc4>(choice_42, twos_95, ones_101);
    out_alive[1 * WORDS] = choice_67;
    const u32 twos_96 = lop3<0xea>(choice_42, ones_100, twos_94);
    const u32 ones_102 = choice_42 ^ ones_100;
    const u32 ones_103 = lop3<0x96>(own_8, halo_right_4, halo_right_5);
    const u32 ones_104 = halo_below_right_1 ^ halo_below_right_2;
    const u32 choice_68 = lop3<0x06>(halo_below_right_0, ones_103, ones_104);
    const u32 twos_97 = lop3<0xe8>(ones_103, halo_below_right_1, halo_below_right_2);
    const u32 twos_98 = lop3<0xe8>(own_8, halo_right_4, halo_right_5);
    const u32 choice_69 = lop3<0x14>(twos_98, twos_97, choice_68);
    const u32 below_right_exists = presence(world, below_right, word);
    const u32 existing_19 = choice_69 & below_right_exists;
    const u32 ones_105 = halo_right_1 ^ halo_right_2;
    const u32 choice_70 = lop3<0x06>(halo_right_3, ones_105, ones_103);
    const u32 twos_99 = lop3<0xe8>(halo_right_1, halo_right_2, ones_103);
    const u32 choice_71 = lop3<0x14>(twos_99, twos_98, choice_70);
    const u32 right_exists = presence(world, right, word);
    const u32 existing_20 = choice_71 & right_exists;
    const u32 ones_106 = lop3<0x96>(own_8, halo_below_right_0, halo_right_3);
    const u32 twos_100 = lop3<0xe8>(own_8, halo_below_right_0, halo_right_3);
    const u32 twos_101 = lop3<0x6c>(halo_right_5, twos_100, ones_106);
    const u32 ones_107 = halo_below_right_0 ^ halo_right_3;
    const u32 ones_108 = lop3<0x96>(own_8, halo_right_5, ones_107);
    const u32 choice_72 = lop3<0xc4>(halo_right_4, twos_101, ones_108);
    const u32 existing_21 = right_exists & choice_72;
    const u32 ones_109 = lop3<0x96>(existing_20, existing_19, existing_21);
    const u32 choice_73 = lop3<0x06>(choice_36, ones_89, ones_109);
    const u32 twos_102 = lop3<0xe8>(choice_5, choice_37, ones_109);
    const u32 twos_103 = lop3<0xe8>(existing_20, existing_19, existing_21);
    const u32 choice_74 = lop3<0x14>(twos_103, twos_102, choice_73);
    const u32 twos_104 = lop3<0xe8>(choice_8, choice_60, choice_74);
    const u32 ones_110 = choice_60 ^ choice_74;
    const u32 ones_111 = choice_8 ^ ones_110;
    const u32 ones_112 = choice_5 ^ ones_53;
    const u32 twos_105 = lop3<0xe8>(choice_31, choice_5, choice_36);
    const u32 choice_75 = lop3<0xc4>(choice_37, twos_105, ones_112);
    const u32 twos_106 = lop3<0x78>(twos_104, ones_111, choice_75);
    const u32 ones_113 = ones_111 ^ choice_75;
    const u32 choice_76 = lop3<0xc4>(choice_38, twos_106, ones_113);
    const u32 twos_107 = lop3<0x78>(twos_96, ones_102, choice_76);
    const u32 ones_114 = ones_102 ^ choice_76;
    const u32 choice_77 = lop3<0xc4>(choice_40, twos_107, ones_114);
    out_alive[2 * WORDS] = choice_77;
    const u32 ones_115 = lop3<0x96>(halo_below_0, halo_below_3, halo_below_6);
    const u32 twos_108 = lop3<0xe8>(halo_below_0, halo_below_3, halo_below_6);
    const u32 twos_109 = lop3<0x6c>(halo_below_1, twos_108, ones_115);
    const u32 ones_116 = halo_below_0 ^ halo_below_3;
    const u32 ones_117 = lop3<0x96>(halo_below_1, ones_116, halo_below_6);
    const u32 choice_78 = lop3<0xc4>(halo_below_2, twos_109, ones_117);
    const u32 ones_118 = lop3<0x96>(halo_below_0, halo_below_2, halo_below_3);
    const u32 twos_110 = lop3<0xe8>(halo_below_0, halo_below_2, halo_below_3);
    const u32 choice_79 = lop3<0xc4>(halo_below_1, twos_110, ones_118);
    const u32 twos_111 = lop3<0xe8>(ones_49, choice_79, choice_78);
    const u32 twos_112 = twos_42 ^ twos_111;
    const u32 ones_119 = choice_79 ^ choice_78;
    const u32 ones_120 = ones_49 ^ ones_119;
    const u32 choice_80 = lop3<0xc4>(choice_58, twos_112, ones_120);
    const u32 existing_22 = below_exists & choice_80;
    const u32 twos_113 = lop3<0xe8>(choice_34, choice_61, existing_22);
    const u32 ones_121 = choice_34 ^ choice_61;
    const u32 ones_122 = existing_22 ^ ones_121;
    const u32 twos_114 = lop3<0xe8>(halo_left_6, halo_left_7, halo_below_left_0);
    const u32 ones_123 = lop3<0x96>(halo_left_6, halo_left_7, halo_below_left_0);
    const u32 twos_115 = lop3<0xe8>(halo_left_3, halo_left_4, ones_123);
    const u32 twos_116 = twos_115 ^ twos_114;
    const u32 ones_124 = halo_left_3 ^ halo_left_4;
    const u32 existing_23 = lop3<0x06>(halo_left_5, ones_124, ones_123);
    const u32 existing_24 = lop3<0x40>(left_exists, twos_116, existing_23);
    const u32 twos_117 = existing_7 & existing_24;
    const u32 ones_125 = existing_7 ^ existing_24;
    const u32 twos_118 = lop3<0xea>(choice_62, ones_125, twos_117);
    const u32 ones_126 = choice_62 ^ ones_125;
    const u32 choice_81 = lop3<0xc4>(choice_63, twos_118, ones_126);
    const u32 ones_127 = lop3<0x96>(halo_left_0, halo_left_6, halo_left_3);
    const u32 twos_119 = lop3<0xe8>(halo_left_0, halo_left_6, halo_left_3);
    const u32 twos_120 = lop3<0x78>(twos_119, ones_127, halo_left_1);
    const u32 ones_128 = halo_left_0 ^ halo_left_6;
    const u32 ones_129 = lop3<0x96>(halo_left_3, ones_128, halo_left_1);
    const u32 choice_82 = lop3<0xc4>(halo_left_2, twos_120, ones_129);
    const u32 twos_121 = lop3<0xea>(ones_125, choice_82, twos_117);
    const u32 ones_130 = ones_125 ^ choice_82;
    const u32 twos_122 = lop3<0x6c>(choice_63, twos_121, ones_130);
    const u32 ones_131 = choice_63 ^ ones_130;
    const u32 choice_83 = lop3<0xc4>(choice_62, twos_122, ones_131);
    const u32 twos_123 = lop3<0xe8>(ones_122, choice_83, choice_81);
    const u32 twos_124 = twos_113 ^ twos_123;
    const u32 ones_132 = choice_83 ^ choice_81;
    const u32 ones_133 = ones_122 ^ ones_132;
    const u32 choice_84 = lop3<0xc4>(choice_64, twos_124, ones_133);
    const u32 existing_25 = left_exists & choice_84;
    const u32 ones_134 = ones_57 ^ existing_25;
    const u32 ones_135 = choice_38 ^ choice_75;
    const u32 choice_85 = lop3<0x06>(choice_60, ones_122, ones_135);
    const u32 twos_125 = lop3<0xe8>(choice_38, choice_75, ones_122);
    const u32 choice_86 = lop3<0x14>(twos_125, twos_113, choice_85);
    const u32 twos_126 = lop3<0xe8>(choice_34, existing_18, choice_60);
    const u32 ones_136 = choice_34 ^ existing_18;
    const u32 ones_137 = choice_60 ^ ones_136;
    const u32 twos_127 = lop3<0x6a>(ones_137, existing_22, twos_126);
    const u32 ones_138 = ones_137 ^ existing_22;
    const u32 choice_87 = lop3<0xc4>(choice_61, twos_127, ones_138);
    const u32 ones_139 = choice_87 ^ choice_86;
    const u32 choice_88 = lop3<0x06>(choice_66, ones_139, ones_134);
    const u32 twos_128 = lop3<0xec>(ones_57, twos_79, existing_25);
    const u32 twos_129 = lop3<0xe8>(choice_87, choice_86, ones_134);
    const u32 choice_89 = lop3<0x06>(choice_88, twos_129, twos_128);
    out_alive[3 * WORDS] = choice_89;
    const u32 twos_130 = lop3<0xe8>(halo_below_1, halo_below_2, halo_below_4);
    const u32 ones_140 = lop3<0x96>(halo_below_1, halo_below_2, halo_below_4);
    const u32 twos_131 = lop3<0xe8>(halo_below_left_8, halo_below_5, ones_140);
    const u32 twos_132 = twos_131 ^ twos_130;
    const u32 ones_141 = halo_below_left_8 ^ halo_below_5;
    const u32 existing_26 = lop3<0x06>(halo_below_3, ones_141, ones_140);
    const u32 existing_27 = lop3<0x40>(below_exists, twos_132, existing_26);
    const u32 twos_133 = existing_17 & existing_27;
    const u32 ones_142 = existing_17 ^ existing_27;
    const u32 ones_143 = lop3<0x96>(halo_below_2, halo_below_5, halo_below_8);
    const u32 twos_134 = lop3<0xe8>(halo_below_2, halo_below_5, halo_below_8);
    const u32 twos_135 = lop3<0x78>(twos_134, ones_143, halo_below_7);
    const u32 ones_144 = halo_below_2 ^ halo_below_5;
    const u32 ones_145 = lop3<0x96>(ones_144, halo_below_8, halo_below_7);
    const u32 choice_90 = lop3<0xc4>(halo_below_6, twos_135, ones_145);
    const u32 twos_136 = lop3<0xec>(ones_142, twos_133, choice_90);
    const u32 ones_146 = ones_142 ^ choice_90;
    const u32 twos_137 = lop3<0x6c>(choice_79, twos_136, ones_146);
    const u32 ones_147 = choice_79 ^ ones_146;
    const u32 choice_91 = lop3<0xc4>(choice_78, twos_137, ones_147);
    const u32 twos_138 = lop3<0xea>(choice_78, ones_142, twos_133);
    const u32 ones_148 = choice_78 ^ ones_142;
    const u32 choice_92 = lop3<0xc4>(choice_79, twos_138, ones_148);
    const u32 twos_139 = lop3<0xe8>(ones_99, choice_92, choice_91);
    const u32 twos_140 = twos_92 ^ twos_139;
    const u32 ones_149 = choice_92 ^ choice_91;
    const u32 ones_150 = ones_99 ^ ones_149;
    const u32 choice_93 = lop3<0xc4>(choice_80, twos_140, ones_150);
    const u32 existing_28 = below_exists & choice_93;
    const u32 twos_141 = choice_66 & existing_28;
    const u32 ones_151 = choice_66 ^ existing_28;
    const u32 twos_142 = lop3<0xea>(existing_25, ones_151, twos_141);
    const u32 ones_152 = existing_25 ^ ones_151;
    const u32 twos_143 = lop3<0x6a>(choice_86, ones_152, twos_142);
    const u32 ones_153 = choice_86 ^ ones_152;
    const u32 choice_94 = lop3<0xc4>(choice_87, twos_143, ones_153);
    out_alive[4 * WORDS] = choice_94;
    const u32 ones_154 = choice_38 ^ ones_110;
    const u32 twos_144 = lop3<0xe8>(choice_38, choice_60, choice_74);
    const u32 choice_95 = lop3<0xc4>(choice_75, twos_144, ones_154);
    const u32 ones_155 = choice_76 ^ choice_95;
    const u32 ones_156 = choice_87 ^ ones_151;
    const u32 choice_96 = lop3<0x06>(choice_86, ones_156, ones_155);
    const u32 twos_145 = choice_76 & choice_95;
    const u32 twos_146 = lop3<0xea>(ones_156, ones_155, twos_145);
    const u32 twos_147 = lop3<0xea>(choice_87, ones_151, twos_141);
    const u32 choice_97 = lop3<0x14>(twos_147, twos_146, choice_96);
    out_alive[5 * WORDS] = choice_97;
    const u32 ones_157 = halo_right_6 ^ halo_right_7;
    const u32 choice_98 = lop3<0x12>(ones_52, halo_right_5, ones_157);
    const u32 twos_148 = lop3<0xe8>(ones_52, halo_right_6, halo_right_7);
    const u32 choice_99 = lop3<0x14>(twos_43, twos_148, choice_98);
    const u32 existing_29 = right_exists & choice_99;
    const u32 ones_158 = choice_36 ^ existing_21;
    const u32 ones_159 = ones_158 ^ existing_29;
    const u32 ones_160 = lop3<0x96>(halo_below_right_0, halo_below_right_3, halo_below_right_6);
    const u32 twos_149 = lop3<0xe8>(halo_below_right_0, halo_below_right_3, halo_below_right_6);
    const u32 twos_150 = lop3<0x6c>(halo_below_right_1, twos_149, ones_160);
    const u32 ones_161 = halo_below_right_0 ^ halo_below_right_3;
    const u32 ones_162 = lop3<0x96>(halo_below_right_1, ones_161, halo_below_right_6);
    const u32 choice_100 = lop3<0xc4>(halo_below_right_2, twos_150, ones_162);
    const u32 ones_163 = lop3<0x96>(halo_below_right_0, halo_below_right_2, halo_below_right_3);
    const u32 twos_151 = lop3<0xe8>(halo_below_right_0, halo_below_right_2, halo_below_right_3);
    const u32 choice_101 = lop3<0xc4>(halo_below_right_1, twos_151, ones_163);
    const u32 twos_152 = lop3<0xe8>(ones_159, choice_101, choice_100);
    const u32 twos_153 = lop3<0xe8>(choice_36, existing_21, existing_29);
    const u32 twos_154 = twos_153 ^ twos_152;
    const u32 ones_164 = choice_101 ^ choice_100;
    const u32 ones_165 = ones_159 ^ ones_164;
    const u32 choice_102 = lop3<0xc4>(choice_69, twos_154, ones_165);
    const u32 existing_30 = below_right_exists & choice_102;
    const u32 ones_166 = lop3<0x96>(halo_right_3, halo_right_0, halo_right_1);
    const u32 twos_155 = lop3<0xe8>(halo_right_3, halo_right_0, halo_right_1);
    const u32 twos_156 = lop3<0x6c>(halo_right_6, twos_155, ones_166);
    const u32 ones_167 = halo_right_3 ^ halo_right_0;
    const u32 ones_168 = lop3<0x96>(halo_right_1, halo_right_6, ones_167);
    const u32 choice_103 = lop3<0xc4>(halo_right_2, twos_156, ones_168);
    const u32 ones_169 = lop3<0x96>(halo_right_3, halo_right_0, halo_right_2);
    const u32 twos_157 = lop3<0xe8>(halo_right_3, halo_right_0, halo_right_2);
    const u32 choice_104 = lop3<0xc4>(halo_right_1, twos_157, ones_169);
    const u32 twos_158 = lop3<0xe8>(ones_159, choice_104, choice_103);
    const u32 twos_159 = twos_158 ^ twos_153;
    const u32 ones_170 = choice_104 ^ choice_103;
    const u32 ones_171 = ones_159 ^ ones_170;
    const u32 choice_105 = lop3<0xc4>(choice_71, twos_159, ones_171);
    const u32 existing_31 = right_exists & choice_105;
    const u32 twos_160 = existing_31 & existing_30;
    const u32 twos_161 = lop3<0xe8>(choice_36, existing_20, existing_19);
    const u32 ones_172 = choice_36 ^ existing_19;
    const u32 ones_173 = existing_20 ^ ones_172;
    const u32 twos_162 = lop3<0x6c>(existing_29, twos_161, ones_173);
    const u32 ones_174 = existing_29 ^ ones_173;
    const u32 choice_106 = lop3<0xc4>(choice_72, twos_162, ones_174);
    const u32 existing_32 = right_exists & choice_106;
    const u32 ones_175 = ones_135 ^ existing_32;
    const u32 ones_176 = existing_31 ^ existing_30;
    const u32 twos_163 = lop3<0xea>(ones_176, ones_175, twos_160);
    const u32 choice_107 = lop3<0x06>(choice_74, ones_176, ones_175);
    const u32 twos_164 = lop3<0xe8>(choice_38, choice_75, existing_32);
    const u32 choice_108 = lop3<0x06>(choice_107, twos_163, twos_164);
    const u32 twos_165 = choice_86 & choice_108;
    const u32 ones_177 = choice_86 ^ choice_108;
    const u32 twos_166 = lop3<0xea>(choice_40, ones_177, twos_165);
    const u32 ones_178 = choice_40 ^ ones_177;
    const u32 twos_167 = lop3<0x6c>(choice_95, twos_166, ones_178);
    const u32 ones_179 = choice_95 ^ ones_178;
    const u32 choice_109 = lop3<0xc4>(choice_76, twos_167, ones_179);
    out_alive[6 * WORDS] = choice_109;
    const u32 twos_168 = lop3<0xea>(choice_76, ones_177, twos_165);
    const u32 ones_180 = choice_76 ^ ones_177;
    const u32 choice_110 = lop3<0xc4>(choice_95, twos_168, ones_180);
    out_alive[7 * WORDS] = choice_110;
    const u32 ones_181 = lop3<0x96>(halo_right_5, halo_right_7, halo_right_8);
    const u32 twos_169 = lop3<0xe8>(halo_right_5, halo_right_7, halo_right_8);
    const u32 twos_170 = lop3<0x6c>(halo_right_2, twos_169, ones_181);
    const u32 ones_182 = halo_right_5 ^ halo_right_8;
    const u32 ones_183 = lop3<0x96>(halo_right_2, halo_right_7, ones_182);
    const u32 choice_111 = lop3<0xc4>(halo_right_6, twos_170, ones_183);
    const u32 ones_184 = lop3<0x96>(halo_right_5, halo_right_6, halo_right_8);
    const u32 twos_171 = lop3<0xe8>(halo_right_5, halo_right_6, halo_right_8);
    const u32 choice_112 = lop3<0xc4>(halo_right_7, twos_171, ones_184);
    const u32 twos_172 = lop3<0xe8>(ones_109, choice_112, choice_111);
    const u32 twos_173 = twos_103 ^ twos_172;
    const u32 ones_185 = choice_112 ^ choice_111;
    const u32 ones_186 = ones_109 ^ ones_185;
    const u32 choice_113 = lop3<0xc4>(choice_99, twos_173, ones_186);
    const u32 existing_33 = right_exists & choice_113;
    const u32 twos_174 = lop3<0xe8>(choice_74, existing_32, existing_33);
    const u32 ones_187 = choice_74 ^ existing_32;
    const u32 ones_188 = ones_187 ^ existing_33;
    const u32 twos_175 = lop3<0xe8>(halo_below_right_1, halo_below_right_2, halo_below_right_4);
    const u32 ones_189 = lop3<0x96>(halo_below_right_1, halo_below_right_2, halo_below_right_4);
    const u32 twos_176 = lop3<0xe8>(halo_below_8, halo_below_right_5, ones_189);
    const u32 twos_177 = twos_176 ^ twos_175;
    const u32 ones_190 = halo_below_8 ^ halo_below_right_5;
    const u32 existing_34 = lop3<0x06>(halo_below_right_3, ones_190, ones_189);
    const u32 existing_35 = lop3<0x40>(below_right_exists, twos_177, existing_34);
    const u32 twos_178 = existing_19 & existing_35;
    const u32 ones_191 = existing_19 ^ existing_35;
    const u32 ones_192 = lop3<0x96>(halo_below_right_2, halo_below_right_5, halo_below_right_8);
    const u32 twos_179 = lop3<0xe8>(halo_below_right_2, halo_below_right_5, halo_below_right_8);
    const u32 twos_180 = lop3<0x78>(twos_179, ones_192, halo_below_right_7);
    const u32 ones_193 = halo_below_right_2 ^ halo_below_right_5;
    const u32 ones_194 = lop3<0x96>(ones_193, halo_below_right_8, halo_below_right_7);
    const u32 choice_114 = lop3<0xc4>(halo_below_right_6, twos_180, ones_194);
    const u32 twos_181 = lop3<0xec>(ones_191, twos_178, choice_114);
    const u32 ones_195 = ones_191 ^ choice_114;
    const u32 twos_182 = lop3<0x6c>(choice_101, twos_181, ones_195);
    const u32 ones_196 = choice_101 ^ ones_195;
    const u32 choice_115 = lop3<0xc4>(choice_100, twos_182, ones_196);
    const u32 twos_183 = lop3<0xea>(choice_100, ones_191, twos_178);
    const u32 ones_197 = choice_100 ^ ones_191;
    const u32 choice_116 = lop3<0xc4>(choice_101, twos_183, ones_197);
    const u32 twos_184 = lop3<0xe8>(ones_188, choice_116, choice_115);
    const u32 twos_185 = twos_174 ^ twos_184;
    const u32 ones_198 = choice_116 ^ choice_115;
    const u32 ones_199 = ones_188 ^ ones_198;
    const u32 choice_117 = lop3<0xc4>(choice_102, twos_185, ones_199);
    const u32 existing_36 = below_right_exists & choice_117;
    const u32 ones_200 = ones_155 ^ existing_36;
    const u32 twos_186 = lop3<0xea>(choice_74, ones_176, twos_160);
    const u32 ones_201 = choice_74 ^ ones_176;
    const u32 twos_187 = lop3<0x6c>(existing_33, twos_186, ones_201);
    const u32 ones_202 = existing_33 ^ ones_201;
    const u32 choice_118 = lop3<0xc4>(choice_106, twos_187, ones_202);
    const u32 existing_37 = right_exists & choice_118;
    const u32 twos_188 = lop3<0xe8>(halo_above_8, halo_right_1, halo_right_2);
    const u32 ones_203 = lop3<0x96>(halo_above_8, halo_right_1, halo_right_2);
    const u32 twos_189 = lop3<0xe8>(halo_above_right_4, halo_above_right_5, ones_203);
    const u32 twos_190 = twos_189 ^ twos_188;
    const u32 ones_204 = halo_above_right_4 ^ halo_above_right_5;
    const u32 existing_38 = lop3<0x06>(halo_right_0, ones_204, ones_203);
    const u32 existing_39 = lop3<0x40>(right_exists, twos_190, existing_38);
    const u32 twos_191 = existing_20 & existing_39;
    const u32 ones_205 = existing_20 ^ existing_39;
    const u32 twos_192 = lop3<0xea>(choice_104, ones_205, twos_191);
    const u32 ones_206 = choice_104 ^ ones_205;
    const u32 twos_193 = lop3<0x6c>(choice_111, twos_192, ones_206);
    const u32 ones_207 = choice_111 ^ ones_206;
    const u32 choice_119 = lop3<0xc4>(choice_103, twos_193, ones_207);
    const u32 twos_194 = lop3<0xea>(choice_103, ones_205, twos_191);
    const u32 ones_208 = choice_103 ^ ones_205;
    const u32 choice_120 = lop3<0xc4>(choice_104, twos_194, ones_208);
    const u32 twos_195 = lop3<0xe8>(ones_188, choice_120, choice_119);
    const u32 twos_196 = twos_195 ^ twos_174;
    const u32 ones_209 = choice_120 ^ choice_119;
    const u32 ones_210 = ones_188 ^ ones_209;
    const u32 choice_121 = lop3<0xc4>(choice_105, twos_196, ones_210);
    const u32 existing_40 = right_exists & choice_121;
    const u32 ones_211 = existing_40 ^ existing_37;
    const u32 choice_122 = lop3<0x06>(choice_108, ones_211, ones_200);
    const u32 twos_197 = lop3<0xec>(ones_155, twos_145, existing_36);
    const u32 twos_198 = lop3<0xe8>(existing_40, existing_37, ones_200);
    const u32 choice_123 = lop3<0x14>(twos_198, twos_197, choice_122);
    out_alive[8 * WORDS] = choice_123;
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(LANES) + sizeof(WORDS) + sizeof(STRIDE) + sizeof(MICRO_CELLS) + sizeof(DIRECTIONS) + sizeof(STAY) + sizeof(ABSENT) > 0, "");

} // namespace squeeze_sierpinski_triangle_12_life_kernels
