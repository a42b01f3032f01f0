// life on filigree at level 5, by Squeeze 0.1.0
//
// T = 0 (levels as lanes): 1 lane a column, in registers that are 3% full
// L = 1 (levels in micro cells): 5 micro cells a superblock, by the planner's reckoning about 388 operations; 1000 superblocks
// t = 3 (steps of a pass): 2.19 cells computed for one that is kept; bound by operations, 225.26 ps a cell and step expected of the machine planned for
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule life; domain filigree 3258a675fc6188f2; level 5; lanes T = 0, L = 1, t = 3; kernels 56a5379b776c852d

namespace squeeze_filigree_5_life_kernels {

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 1;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 8;
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
    result = result * 5 + number % 5;
    number /= 5;
    result = result * 8 + number % 8;
    number /= 8;
    for (int level = 0; level < 2; ++level) {
        result = result * 5 + number % 5;
        number /= 5;
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

// life_init: 1 step of 5 micro cells; a thread takes one word of up to 32 lanes, a superblock 1 thread.
// 1.00 operations a cell and step; in all 0 on bits and 5 on numbers (a draw is one), 0 loads of own columns and 0 of neighbours', 5 stores, at most 3 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_filigree_5_life_init(
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
    const u32 chance_1 = random_bits<1, false, 1>(world.seed, first_cell + 1000, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[1 * WORDS] = chance_1;
    const u32 chance_2 = random_bits<1, false, 1>(world.seed, first_cell + 2000, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[2 * WORDS] = chance_2;
    const u32 chance_3 = random_bits<1, false, 1>(world.seed, first_cell + 3000, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[3 * WORDS] = chance_3;
    const u32 chance_4 = random_bits<1, false, 1>(world.seed, first_cell + 4000, FirstCells{0xffffffff}, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
    out_alive[4 * WORDS] = chance_4;
}

// life: 3 steps of 5 micro cells; a thread takes one word of up to 32 lanes, a superblock 1 thread.
// 11.80 operations a cell and step; in all 177 on bits and 0 on numbers (a draw is one), 5 loads of own columns and 28 of neighbours', 5 stores, at most 39 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_filigree_5_life(
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
    const u32 own_1 = own_alive[1 * WORDS];
    const u32 own_3 = own_alive[3 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_4 = own_alive[4 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_3 = above_left_alive[3 * WORDS];
    u32 halo_above_left_4 = above_left_alive[4 * WORDS];

    // above
    const u32 *above_alive = alive + (u64)above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_4 = above_alive[4 * WORDS];
    u32 halo_above_3 = above_alive[3 * WORDS];
    u32 halo_above_1 = above_alive[1 * WORDS];
    u32 halo_above_2 = above_alive[2 * WORDS];
    u32 halo_above_0 = above_alive[0 * WORDS];

    // above right
    const u32 *above_right_alive = alive + (u64)above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_right_1 = above_right_alive[1 * WORDS];
    u32 halo_above_right_4 = above_right_alive[4 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_3 = left_alive[3 * WORDS];
    u32 halo_left_2 = left_alive[2 * WORDS];
    u32 halo_left_4 = left_alive[4 * WORDS];
    u32 halo_left_0 = left_alive[0 * WORDS];
    u32 halo_left_1 = left_alive[1 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_1 = right_alive[1 * WORDS];
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_4 = right_alive[4 * WORDS];
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_3 = right_alive[3 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_0 = below_left_alive[0 * WORDS];
    u32 halo_below_left_3 = below_left_alive[3 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_2 = below_alive[2 * WORDS];
    u32 halo_below_3 = below_alive[3 * WORDS];
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_4 = below_alive[4 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_0 = below_right_alive[0 * WORDS];
    u32 halo_below_right_1 = below_right_alive[1 * WORDS];

    // Across the border lanes see other lanes.
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_3 = halo_above_left_3; halo_above_left_3 = 0;
        const u32 seen_halo_above_left_4 = halo_above_left_4; halo_above_left_4 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_3 |= moved(seen_halo_above_left_3, term);
            halo_above_left_4 |= moved(seen_halo_above_left_4, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_4 = halo_above_4; halo_above_4 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_1 = halo_above_1; halo_above_1 = 0;
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_0 = halo_above_0; halo_above_0 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_4 |= moved(seen_halo_above_4, term);
            halo_above_3 |= moved(seen_halo_above_3, term);
            halo_above_1 |= moved(seen_halo_above_1, term);
            halo_above_2 |= moved(seen_halo_above_2, term);
            halo_above_0 |= moved(seen_halo_above_0, term);
        }
    }
    if (above_right.wrap != STAY) {
        const u32 seen_halo_above_right_1 = halo_above_right_1; halo_above_right_1 = 0;
        const u32 seen_halo_above_right_4 = halo_above_right_4; halo_above_right_4 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_1 |= moved(seen_halo_above_right_1, term);
            halo_above_right_4 |= moved(seen_halo_above_right_4, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 seen_halo_left_2 = halo_left_2; halo_left_2 = 0;
        const u32 seen_halo_left_4 = halo_left_4; halo_left_4 = 0;
        const u32 seen_halo_left_0 = halo_left_0; halo_left_0 = 0;
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_3 |= moved(seen_halo_left_3, term);
            halo_left_2 |= moved(seen_halo_left_2, term);
            halo_left_4 |= moved(seen_halo_left_4, term);
            halo_left_0 |= moved(seen_halo_left_0, term);
            halo_left_1 |= moved(seen_halo_left_1, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_1 = halo_right_1; halo_right_1 = 0;
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_4 = halo_right_4; halo_right_4 = 0;
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_3 = halo_right_3; halo_right_3 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_1 |= moved(seen_halo_right_1, term);
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_4 |= moved(seen_halo_right_4, term);
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_3 |= moved(seen_halo_right_3, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_0 = halo_below_left_0; halo_below_left_0 = 0;
        const u32 seen_halo_below_left_3 = halo_below_left_3; halo_below_left_3 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_0 |= moved(seen_halo_below_left_0, term);
            halo_below_left_3 |= moved(seen_halo_below_left_3, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_2 = halo_below_2; halo_below_2 = 0;
        const u32 seen_halo_below_3 = halo_below_3; halo_below_3 = 0;
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_4 = halo_below_4; halo_below_4 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_2 |= moved(seen_halo_below_2, term);
            halo_below_3 |= moved(seen_halo_below_3, term);
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_4 |= moved(seen_halo_below_4, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_0 = halo_below_right_0; halo_below_right_0 = 0;
        const u32 seen_halo_below_right_1 = halo_below_right_1; halo_below_right_1 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_0 |= moved(seen_halo_below_right_0, term);
            halo_below_right_1 |= moved(seen_halo_below_right_1, term);
        }
    }

    // the rule
    const u32 ones_0 = lop3<0x96>(own_2, own_3, own_1);
    const u32 choice_0 = lop3<0x14>(ones_0, halo_above_4, own_0);
    const u32 twos_0 = ones_0 & halo_above_4;
    const u32 twos_1 = lop3<0xe8>(own_2, own_3, own_1);
    const u32 choice_1 = lop3<0x14>(twos_1, twos_0, choice_0);
    const u32 choice_2 = lop3<0x14>(ones_0, halo_below_0, own_4);
    const u32 twos_2 = ones_0 & halo_below_0;
    const u32 choice_3 = lop3<0x14>(twos_1, twos_2, choice_2);
    const u32 ones_1 = choice_3 ^ choice_1;
    const u32 ones_2 = lop3<0x96>(own_2, own_4, own_0);
    const u32 twos_3 = lop3<0xe8>(own_2, own_4, own_0);
    const u32 twos_4 = lop3<0x78>(twos_3, ones_2, halo_right_1);
    const u32 ones_3 = ones_2 ^ halo_right_1;
    const u32 choice_4 = lop3<0xc4>(own_3, twos_4, ones_3);
    const u32 ones_4 = ones_1 ^ choice_4;
    const u32 ones_5 = lop3<0x96>(own_3, own_1, own_0);
    const u32 twos_5 = lop3<0xe8>(own_3, own_1, own_0);
    const u32 twos_6 = lop3<0x6c>(own_4, twos_5, ones_5);
    const u32 ones_6 = own_3 ^ own_1;
    const u32 ones_7 = lop3<0x96>(own_4, own_0, ones_6);
    const u32 choice_5 = lop3<0xc4>(own_2, twos_6, ones_7);
    const u32 twos_7 = lop3<0x78>(twos_3, ones_2, halo_left_3);
    const u32 ones_8 = ones_2 ^ halo_left_3;
    const u32 choice_6 = lop3<0xc4>(own_1, twos_7, ones_8);
    const u32 choice_7 = lop3<0x14>(ones_4, choice_6, choice_5);
    const u32 twos_8 = ones_4 & choice_6;
    const u32 twos_9 = lop3<0xe8>(choice_3, choice_1, choice_4);
    const u32 choice_8 = lop3<0x14>(twos_9, twos_8, choice_7);
    const u32 ones_9 = ones_1 ^ choice_5;
    const u32 twos_10 = lop3<0xe8>(choice_3, choice_1, choice_5);
    const u32 ones_10 = lop3<0x96>(halo_right_0, halo_right_4, halo_right_2);
    const u32 twos_11 = lop3<0xe8>(halo_right_0, halo_right_4, halo_right_2);
    const u32 twos_12 = lop3<0x6c>(own_3, twos_11, ones_10);
    const u32 ones_11 = halo_right_0 ^ halo_right_4;
    const u32 ones_12 = lop3<0x96>(own_3, ones_11, halo_right_2);
    const u32 choice_9 = lop3<0xc4>(halo_right_1, twos_12, ones_12);
    const u32 right_exists = presence(world, right, word);
    const u32 existing_0 = choice_9 & right_exists;
    const u32 twos_13 = lop3<0x78>(twos_10, ones_9, existing_0);
    const u32 ones_13 = ones_9 ^ existing_0;
    const u32 choice_10 = lop3<0xc4>(choice_4, twos_13, ones_13);
    const u32 ones_14 = choice_8 ^ choice_10;
    const u32 ones_15 = lop3<0x96>(halo_left_0, halo_left_4, halo_left_2);
    const u32 twos_14 = lop3<0xe8>(halo_left_0, halo_left_4, halo_left_2);
    const u32 twos_15 = lop3<0x6c>(own_1, twos_14, ones_15);
    const u32 ones_16 = halo_left_0 ^ halo_left_4;
    const u32 ones_17 = lop3<0x96>(own_1, ones_16, halo_left_2);
    const u32 choice_11 = lop3<0xc4>(halo_left_3, twos_15, ones_17);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_1 = choice_11 & left_exists;
    const u32 twos_16 = lop3<0x78>(twos_10, ones_9, existing_1);
    const u32 ones_18 = ones_9 ^ existing_1;
    const u32 choice_12 = lop3<0xc4>(choice_6, twos_16, ones_18);
    const u32 ones_19 = ones_14 ^ choice_12;
    const u32 twos_17 = lop3<0xe8>(choice_4, choice_6, choice_5);
    const u32 ones_20 = choice_4 ^ choice_5;
    const u32 ones_21 = choice_6 ^ ones_20;
    const u32 ones_22 = lop3<0x96>(halo_above_2, halo_above_1, halo_above_3);
    const u32 twos_18 = lop3<0xe8>(halo_above_2, halo_above_1, halo_above_3);
    const u32 twos_19 = lop3<0x6c>(own_0, twos_18, ones_22);
    const u32 ones_23 = halo_above_1 ^ halo_above_3;
    const u32 ones_24 = lop3<0x96>(own_0, halo_above_2, ones_23);
    const u32 choice_13 = lop3<0xc4>(halo_above_4, twos_19, ones_24);
    const u32 above_exists = presence(world, above, word);
    const u32 existing_2 = above_exists & choice_13;
    const u32 twos_20 = lop3<0x78>(twos_17, ones_21, existing_2);
    const u32 ones_25 = ones_21 ^ existing_2;
    const u32 choice_14 = lop3<0xc4>(choice_1, twos_20, ones_25);
    const u32 ones_26 = lop3<0x96>(halo_above_0, halo_above_1, halo_above_3);
    const u32 twos_21 = lop3<0xe8>(halo_above_0, halo_above_1, halo_above_3);
    const u32 twos_22 = lop3<0x6c>(halo_above_4, twos_21, ones_26);
    const u32 ones_27 = lop3<0x96>(halo_above_4, halo_above_0, ones_23);
    const u32 choice_15 = lop3<0xc4>(halo_above_2, twos_22, ones_27);
    const u32 ones_28 = lop3<0x96>(halo_above_4, halo_above_2, halo_above_0);
    const u32 twos_23 = lop3<0xe8>(halo_above_4, halo_above_2, halo_above_0);
    const u32 twos_24 = lop3<0x78>(twos_23, ones_28, halo_above_right_1);
    const u32 existing_3 = lop3<0x14>(ones_28, halo_above_right_1, halo_above_3);
    const u32 existing_4 = lop3<0x40>(above_exists, twos_24, existing_3);
    const u32 twos_25 = lop3<0x78>(twos_23, ones_28, halo_above_left_3);
    const u32 existing_5 = lop3<0x14>(ones_28, halo_above_left_3, halo_above_1);
    const u32 existing_6 = lop3<0x20>(twos_25, existing_5, above_exists);
    const u32 twos_26 = lop3<0xe8>(existing_6, existing_4, choice_15);
    const u32 ones_29 = existing_6 ^ existing_4;
    const u32 ones_30 = ones_29 ^ choice_15;
    const u32 twos_27 = lop3<0x6c>(choice_1, twos_26, ones_30);
    const u32 ones_31 = choice_1 ^ ones_30;
    const u32 choice_16 = lop3<0xd0>(twos_27, choice_13, ones_31);
    const u32 existing_7 = above_exists & choice_16;
    const u32 choice_17 = lop3<0x14>(ones_19, existing_7, choice_14);
    const u32 twos_28 = lop3<0xe8>(choice_8, choice_10, choice_12);
    const u32 twos_29 = ones_19 & existing_7;
    const u32 choice_18 = lop3<0x14>(twos_29, twos_28, choice_17);
    out_alive[0 * WORDS] = choice_18;
    const u32 ones_32 = lop3<0x96>(halo_below_1, halo_below_3, halo_below_2);
    const u32 twos_30 = lop3<0xe8>(halo_below_1, halo_below_3, halo_below_2);
    const u32 twos_31 = lop3<0x6c>(own_4, twos_30, ones_32);
    const u32 ones_33 = halo_below_1 ^ halo_below_3;
    const u32 ones_34 = lop3<0x96>(own_4, ones_33, halo_below_2);
    const u32 choice_19 = lop3<0xc4>(halo_below_0, twos_31, ones_34);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_8 = choice_19 & below_exists;
    const u32 twos_32 = lop3<0x78>(twos_17, ones_21, existing_8);
    const u32 ones_35 = ones_21 ^ existing_8;
    const u32 choice_20 = lop3<0xc4>(choice_3, twos_32, ones_35);
    const u32 twos_33 = lop3<0xe8>(choice_8, choice_14, choice_20);
    const u32 ones_36 = choice_8 ^ choice_14;
    const u32 ones_37 = ones_36 ^ choice_20;
    const u32 ones_38 = lop3<0x96>(halo_left_3, halo_left_2, halo_left_1);
    const u32 twos_34 = lop3<0xe8>(halo_left_3, halo_left_2, halo_left_1);
    const u32 twos_35 = lop3<0x78>(twos_34, ones_38, halo_above_left_4);
    const u32 existing_9 = lop3<0x06>(halo_left_0, ones_38, halo_above_left_4);
    const u32 existing_10 = lop3<0x40>(left_exists, twos_35, existing_9);
    const u32 twos_36 = lop3<0x78>(twos_34, ones_38, halo_below_left_0);
    const u32 existing_11 = lop3<0x06>(halo_left_4, ones_38, halo_below_left_0);
    const u32 existing_12 = lop3<0x40>(left_exists, twos_36, existing_11);
    const u32 twos_37 = lop3<0xe8>(choice_6, existing_12, existing_10);
    const u32 ones_39 = choice_6 ^ existing_12;
    const u32 ones_40 = ones_39 ^ existing_10;
    const u32 ones_41 = lop3<0x96>(halo_left_0, halo_left_4, halo_left_1);
    const u32 twos_38 = lop3<0xe8>(halo_left_0, halo_left_4, halo_left_1);
    const u32 twos_39 = lop3<0x6c>(halo_left_3, twos_38, ones_41);
    const u32 ones_42 = lop3<0x96>(halo_left_3, ones_16, halo_left_1);
    const u32 choice_21 = lop3<0xc4>(halo_left_2, twos_39, ones_42);
    const u32 twos_40 = lop3<0x78>(twos_37, ones_40, choice_21);
    const u32 ones_43 = ones_40 ^ choice_21;
    const u32 choice_22 = lop3<0xc4>(choice_11, twos_40, ones_43);
    const u32 existing_13 = left_exists & choice_22;
    const u32 twos_41 = lop3<0x6a>(ones_37, existing_13, twos_33);
    const u32 ones_44 = ones_37 ^ existing_13;
    const u32 choice_23 = lop3<0xc4>(choice_12, twos_41, ones_44);
    out_alive[1 * WORDS] = choice_23;
    const u32 twos_42 = lop3<0xe8>(choice_10, choice_12, choice_14);
    const u32 ones_45 = choice_10 ^ choice_12;
    const u32 ones_46 = choice_14 ^ ones_45;
    const u32 twos_43 = lop3<0x6c>(choice_20, twos_42, ones_46);
    const u32 ones_47 = choice_20 ^ ones_46;
    const u32 choice_24 = lop3<0xc4>(choice_8, twos_43, ones_47);
    out_alive[2 * WORDS] = choice_24;
    const u32 ones_48 = lop3<0x96>(halo_right_1, halo_right_2, halo_right_3);
    const u32 twos_44 = lop3<0xe8>(halo_right_1, halo_right_2, halo_right_3);
    const u32 twos_45 = lop3<0x78>(twos_44, ones_48, halo_above_right_4);
    const u32 existing_14 = lop3<0x06>(halo_right_0, ones_48, halo_above_right_4);
    const u32 existing_15 = lop3<0x40>(right_exists, twos_45, existing_14);
    const u32 twos_46 = lop3<0x78>(twos_44, ones_48, halo_below_right_0);
    const u32 existing_16 = lop3<0x06>(halo_right_4, ones_48, halo_below_right_0);
    const u32 existing_17 = lop3<0x40>(right_exists, twos_46, existing_16);
    const u32 twos_47 = lop3<0xe8>(choice_4, existing_17, existing_15);
    const u32 ones_49 = choice_4 ^ existing_17;
    const u32 ones_50 = ones_49 ^ existing_15;
    const u32 ones_51 = lop3<0x96>(halo_right_0, halo_right_4, halo_right_3);
    const u32 twos_48 = lop3<0xe8>(halo_right_0, halo_right_4, halo_right_3);
    const u32 twos_49 = lop3<0x6c>(halo_right_1, twos_48, ones_51);
    const u32 ones_52 = lop3<0x96>(halo_right_1, ones_11, halo_right_3);
    const u32 choice_25 = lop3<0xc4>(halo_right_2, twos_49, ones_52);
    const u32 twos_50 = lop3<0x78>(twos_47, ones_50, choice_25);
    const u32 ones_53 = ones_50 ^ choice_25;
    const u32 choice_26 = lop3<0xc4>(choice_9, twos_50, ones_53);
    const u32 existing_18 = right_exists & choice_26;
    const u32 twos_51 = lop3<0x6c>(ones_37, twos_33, existing_18);
    const u32 ones_54 = ones_37 ^ existing_18;
    const u32 choice_27 = lop3<0xc4>(choice_10, twos_51, ones_54);
    out_alive[3 * WORDS] = choice_27;
    const u32 ones_55 = lop3<0x96>(halo_below_0, halo_below_2, halo_below_4);
    const u32 twos_52 = lop3<0xe8>(halo_below_0, halo_below_2, halo_below_4);
    const u32 twos_53 = lop3<0x78>(twos_52, ones_55, halo_below_left_3);
    const u32 existing_19 = lop3<0x06>(halo_below_1, ones_55, halo_below_left_3);
    const u32 existing_20 = lop3<0x40>(below_exists, twos_53, existing_19);
    const u32 twos_54 = lop3<0x78>(twos_52, ones_55, halo_below_right_1);
    const u32 existing_21 = lop3<0x06>(halo_below_3, ones_55, halo_below_right_1);
    const u32 existing_22 = lop3<0x40>(below_exists, twos_54, existing_21);
    const u32 twos_55 = lop3<0xe8>(choice_3, existing_22, existing_20);
    const u32 ones_56 = choice_3 ^ existing_22;
    const u32 ones_57 = ones_56 ^ existing_20;
    const u32 ones_58 = lop3<0x96>(halo_below_1, halo_below_3, halo_below_4);
    const u32 twos_56 = lop3<0xe8>(halo_below_1, halo_below_3, halo_below_4);
    const u32 twos_57 = lop3<0x6c>(halo_below_0, twos_56, ones_58);
    const u32 ones_59 = lop3<0x96>(halo_below_0, ones_33, halo_below_4);
    const u32 choice_28 = lop3<0xc4>(halo_below_2, twos_57, ones_59);
    const u32 twos_58 = lop3<0x78>(twos_55, ones_57, choice_28);
    const u32 ones_60 = ones_57 ^ choice_28;
    const u32 choice_29 = lop3<0xc4>(choice_19, twos_58, ones_60);
    const u32 existing_23 = below_exists & choice_29;
    const u32 twos_59 = lop3<0x6c>(ones_19, twos_28, existing_23);
    const u32 choice_30 = lop3<0x12>(ones_19, choice_20, existing_23);
    const u32 choice_31 = twos_59 & ~choice_30;
    out_alive[4 * WORDS] = choice_31;
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(LANES) + sizeof(WORDS) + sizeof(STRIDE) + sizeof(MICRO_CELLS) + sizeof(DIRECTIONS) + sizeof(STAY) + sizeof(ABSENT) > 0, "");

} // namespace squeeze_filigree_5_life_kernels
