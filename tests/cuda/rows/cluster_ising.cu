// ising on cluster, by Squeeze 0.1.0
//
// rows as lanes: 60 of 60 columns of 64 places have cells, 1321 altogether
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule ising; domain cluster 501f22e3460aecb2; level 1; rows; kernels 02d2bce327ea1d04

namespace squeeze_cluster_ising_kernels {

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The box, and where neighbours beyond an edge of it lie on its other side.
constexpr u32 WIDTH = 60;
constexpr u32 HEIGHT = 60;
constexpr u32 DEPTH = 1;
constexpr bool PERIODIC_X = false;
constexpr bool PERIODIC_Y = false;
constexpr bool PERIODIC_Z = false;
constexpr int SIDE = 60;
// A column is a stretch of a row: LANES places, bits in WORDS words. A row has COLUMNS_OF_ROW of them, stored if they have a cell.
constexpr u32 LANES = 64;
constexpr u32 WORDS = 2;
constexpr u32 COLUMNS_OF_ROW = 1;
// Whether every place is a cell, and whether every column is stored.
constexpr bool FULL = false;
constexpr bool STORES_ALL = true;
// A row that does not exist.
constexpr u32 ABSENT = 0xffffffff;

// A place of a stored column: column * LANES + lane. Behind the last column of each state stands one that is 0.
typedef u32 Place;

// A type for the numbers of cells.
typedef u32 CellIndex;

// What a pass needs besides the states. Where every place is a cell there are no tables.
struct World {
    const u32 *index;  // row * COLUMNS_OF_ROW + column in it: the stored column, or the number of columns if it has no cell
    const u32 *mask;   // column * WORDS + word: a bit for each lane that is a cell; behind the last column there are none
    const CellIndex *cell_indices; // column * WORDS + word: the index of its first cell
    const u64 *params; // the parameters' bits
    const u32 *clock;  // one number, the time from which `later` counts
    u64 seed;
    u32 columns;
    u32 first;         // the first row of the pass
    u32 end;           // the one after its last
    u32 later;         // the first time that the pass computes, less *clock
};

// Brings a coordinate beyond an edge to the other side if the axis is periodic. Returns whether there is such a place.
template <u32 LENGTH, bool PERIODIC> __device__ __forceinline__ bool turn(int &v) {
    if (PERIODIC) {
        v = v < 0 ? v + (int)LENGTH : v >= (int)LENGTH ? v - (int)LENGTH : v;
    }
    return (u32)v < LENGTH;
}

// The row through a place, or ABSENT.
__device__ __forceinline__ u32 row_at(int y, int z) {
    return turn<HEIGHT, PERIODIC_Y>(y) && turn<DEPTH, PERIODIC_Z>(z) ? (u32)z * HEIGHT + (u32)y : ABSENT;
}

// The stored column of a row with this number in the row, or the number of all columns.
__device__ __forceinline__ u32 column_of(const World &world, u32 row, u32 number) {
    const u32 at = row * COLUMNS_OF_ROW + number;
    return STORES_ALL ? at : world.index[at];
}

// The cells of a word of a stored column.
__device__ __forceinline__ u32 own_cells(const World &world, u32 word, u32 column) {
    if (!FULL) {
        return world.mask[(u64)column * WORDS + word % WORDS];
    }
    const int rest = (int)WIDTH - 32 * (int)word;
    return rest >= 32 ? 0xffffffff : rest > 0 ? (1u << rest) - 1 : 0;
}

// The place in a row, or one of the column of zeros.
__device__ __forceinline__ Place place_at(const World &world, u32 row, int x) {
    const Place none = (Place)world.columns * LANES;
    if (!turn<WIDTH, PERIODIC_X>(x) || row == ABSENT) {
        return none;
    }
    return (Place)column_of(world, row, (u32)x / LANES) * LANES + (u32)x % LANES;
}

// Whether a cell stands at a place.
__device__ __forceinline__ bool is_cell(const World &world, Place place) {
    return FULL ? place != (Place)world.columns * LANES : world.mask[place / 32] >> (place % 32) & 1;
}

// A word of a plane of bits of a stored column, which has BLOCK words in all planes.
template <u32 BLOCK> __device__ __forceinline__ u32 stored_word(const World &world, const u32 *plane, u32 column, u32 word) {
    return plane[(u64)column * BLOCK + word];
}

// A word of a periodic row: the 32 places from 32 * at on, wherever they are stored.
template <u32 BLOCK> __device__ __noinline__ u32 turned_word(const World &world, const u32 *plane, u32 row, int at) {
    u32 result = 0;
    for (u32 done = 0; done < 32;) {
        const u32 x = (u32)(((32ll * at + done) % WIDTH + WIDTH) % WIDTH);
        const u32 to_word = 32 - x % 32, to_edge = WIDTH - x, to_end = 32 - done;
        const u32 part = to_word < to_edge ? to_word : to_edge, length = part < to_end ? part : to_end;
        const u32 bits = stored_word<BLOCK>(world, plane, column_of(world, row, x / LANES), x / 32 % WORDS) >> (x % 32);
        result |= (length < 32 ? bits & ((1u << length) - 1) : bits) << done;
        done += length;
    }
    return result;
}

// A word of a plane of bits in a row, whose columns have BLOCK words in all planes: the 32 places from 32 * at on, 0 where there are none.
template <u32 BLOCK> __device__ __forceinline__ u32 row_word(const World &world, const u32 *plane, u32 row, int at) {
    if (row == ABSENT) {
        return 0;
    }
    if (PERIODIC_X && (at < 0 || at >= (int)(WIDTH / 32))) {
        return turned_word<BLOCK>(world, plane, row, at);
    }
    if (at < 0 || at >= (int)(COLUMNS_OF_ROW * WORDS)) {
        return 0;
    }
    return stored_word<BLOCK>(world, plane, column_of(world, row, (u32)at / WORDS), (u32)at % WORDS);
}

// The cells of a word of a row.
__device__ __forceinline__ u32 cells_of(const World &world, u32 row, int at) {
    if (!FULL) {
        return row_word<WORDS>(world, world.mask, row, at);
    }
    if (row == ABSENT || !PERIODIC_X && (at < 0 || at > (int)(WIDTH / 32))) {
        return 0;
    }
    return PERIODIC_X || at < (int)(WIDTH / 32) ? 0xffffffff : (1u << WIDTH % 32) - 1;
}

// Whether the box holds ROWS rows from this one on, and around them the given numbers of words to the left and right, rows above and below, and
// layers before and behind.
template <u32 ROWS, u32 LEFT, u32 RIGHT, u32 ABOVE, u32 BELOW, u32 BEFORE, u32 BEHIND>
__device__ __forceinline__ bool is_within(const World &world, u32 first, u32 word) {
    const int x = (int)word, y = (int)(first % HEIGHT), z = (int)(first / HEIGHT);
    return x >= (int)LEFT && x + (int)RIGHT < (int)(WIDTH / 32) && y >= (int)ABOVE && y + (int)(ROWS + BELOW) <= (int)HEIGHT && z >= (int)BEFORE
        && z + (int)BEHIND < (int)DEPTH && first + ROWS <= world.end;
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

// Any function of three bits: bit 4a + 2b + c of the table.
template <int TABLE>
__device__ __forceinline__ u32 lop3(u32 a, u32 b, u32 c) {
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
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

// Exchanges the middle two of each four groups of SIZE bits; `second` has ones in the second group of each four.
template <u32 SIZE> __device__ __forceinline__ u32 exchanged(u32 bits, u32 second) {
    const u32 moved = (bits >> SIZE ^ bits) & second;
    return bits ^ moved ^ moved << SIZE;
}

// The even bits of a word in its lower half, the odd ones in the upper half.
__device__ __forceinline__ u32 separated(u32 bits) {
    return exchanged<8>(exchanged<4>(exchanged<2>(exchanged<1>(bits, 0x22222222), 0x0c0c0c0c), 0x00f000f0), 0x0000ff00);
}

// The way back.
__device__ __forceinline__ u32 interleaved(u32 bits) {
    return exchanged<1>(exchanged<2>(exchanged<4>(exchanged<8>(bits, 0x0000ff00), 0x00f000f0), 0x0c0c0c0c), 0x22222222);
}

// Of the lanes that are undecided those whose random words are below their thresholds; a word of a plane holds a bit of each of COLOURS colours in its
// lower and its upper half. Their blocks follow each other from `block` on, and their words of a thread stand in word `at` of its own pair of blocks from bit
// `shift` on. The warp makes planes into `made`, and compares them from their first bits on, until all of it has decided.
template <u32 COLOURS, u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 below_thresholds(u64 seed, u64 block, u32 time, u32 draw, uint4 *made, u32 at, u32 shift, u32 &undecided, u32 rest, const u32 (&lanes)[CLASSES], u32 (&thresholds)[CLASSES]) {
    // Pairs of blocks of these threads, the blocks of a plane, the planes that are made together, and those that are compared together.
    constexpr u32 PAIRS = BESIDE < 8 ? 1 : BESIDE / 8, BLOCKS = COLOURS * PAIRS, MADE = BESIDE < BLOCKS ? BLOCKS : BESIDE;
    constexpr u32 PLANES = MADE / BLOCKS, AT_ONCE = PLANES < 4 ? PLANES : 4;
    const u32 thread = threadIdx.x % BESIDE, *own = &made[BESIDE < 8 ? 0 : thread / 8].x + at;
    u32 result = 0;
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, rest != 0 && undecided != 0); plane += AT_ONCE) {
        const u32 later = PLANES == AT_ONCE ? 0 : plane % PLANES;
        if (later == 0) {
            // Every thread has read the planes of the round before.
            __syncwarp();
#pragma unroll
            for (u32 turn = 0; turn < MADE / BESIDE; ++turn) {
                const u32 number = turn * BESIDE + thread;
                // Of a pair of blocks the one of the other colour stands beside it.
                const u64 other = block ^ number / PAIRS % COLOURS;
                const RandomPlane here = random_plane(seed, other + 2 * (number % PAIRS), time, 32 * draw + plane + number / BLOCKS);
                made[number] = {here.words[0], here.words[1], here.words[2], here.words[3]};
            }
            __syncwarp();
        }
        const u32 *words = own + 4 * BLOCKS * later;
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            u32 word = words[4 * BLOCKS * i] >> shift;
            if (COLOURS > 1) {
                word = (word & 0xffff) | words[4 * (BLOCKS * i + PAIRS)] >> shift << 16;
            }
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
    return result;
}

// The random bits of the cells of a word of a row, which begins at `place`, counted through all rows: a bit is set if the random word of its cell is below the
// threshold of the cell's class. Of 256 places those of one colour draw from one block of planes and those of the other from the next; the colour of the
// first place is `odd`. The words of BESIDE neighbouring threads stand beside each other: each of these threads makes one block of a plane for all.
// The whole warp must take part. If all that is undecided beside each other is of one colour, the blocks of the other are not made.
template <u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 random_bits_of_row(u64 seed, u64 place, u32 odd, u32 cells, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    // One more block between groups of threads keeps what they read at once in different banks.
    __shared__ uint4 planes[128 / BESIDE][(BESIDE < 2 ? 2 : BESIDE) + 1];
    uint4 *made = planes[threadIdx.x / BESIDE];
    u32 always = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, beyond = 0, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        const u32 own = classes[i].lanes & cells;
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = separated(own);
        always |= classes[i].threshold.always ? own : 0;
        undecided |= (thresholds[i] | classes[i].threshold.more) > 0 ? lanes[i] : 0;
        rest |= thresholds[i];
        beyond |= classes[i].threshold.more;
    }
    // Those of the first thread, for threads without a word may stand anywhere.
    const u32 thread = threadIdx.x % 32, before = thread / BESIDE * BESIDE, beside = (0xffffffffu >> (32 - BESIDE)) << before;
    const u64 pair = __shfl_sync(0xffffffff, place, (int)before) / 256;
    const u32 colour = __shfl_sync(0xffffffff, odd, (int)before), at = (u32)(place % 256) / 64, shift = (u32)(place % 64) / 2;
    const bool even = (__ballot_sync(0xffffffff, (undecided & 0xffff) != 0) & beside) != 0;
    const bool uneven = (__ballot_sync(0xffffffff, undecided >> 16 != 0) & beside) != 0;
    u32 found, behind = 0;
    if (__any_sync(0xffffffff, even && uneven)) {
        found = below_thresholds<2, BESIDE>(seed, 2 * pair + colour, time, draw, made, at, shift, undecided, rest, lanes, thresholds);
    } else {
        // The lanes of the one colour in the lower half.
        behind = uneven ? 16 : 0;
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            lanes[i] = lanes[i] >> behind & 0xffff;
        }
        undecided >>= behind;
        const u64 block = 2 * pair + (uneven ? 1 - colour : colour);
        found = below_thresholds<1, BESIDE>(seed, block, time, draw, made, at, shift, undecided, rest, lanes, thresholds);
    }
    // Once in 4 * 10^9 draws a random word is equal to its threshold.
    if (__builtin_expect(beyond != 0 && undecided != 0, 0)) {
        found |= below_exactly(undecided, lanes, classes, [=](u32 plane) { return bits_of_row(seed, place, odd, time, draw, plane) >> behind; });
    }
    return always | interleaved(found << behind);
}

// ising_init: a thread takes a word of 32 places in each of 2 rows.
// 1.00 operations a cell and step; in all 0 on bits and 1 on numbers (a draw is one), 0 loads of own columns and 0 of neighbours', 1 store, at most 3 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_cluster_ising_init(
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    // A block takes 128 rows of 2 words, a thread 2 of them.
    const u32 first = world.first + blockIdx.x / 1 * 128 + threadIdx.x / 2 * 2;
    const u32 beyond = blockIdx.x % 1 * 2 + threadIdx.x % 2;
    const u32 time = *world.clock + world.later;
    const u32 none = after_pass_before();
    new_up += none;
#pragma unroll 1
    for (u32 each = 0; each < 2; ++each) {
        // Random bits need the whole warp: threads without a cell stay, at a place that exists, and store nothing.
        const bool is_here = first + each < world.end && beyond < COLUMNS_OF_ROW * WORDS;
        const u32 row = is_here ? first + each : world.first, word = is_here ? beyond : 0, found = column_of(world, row, word / WORDS);
        const u32 column = found == world.columns ? 0 : found, cells = is_here && found == column ? own_cells(world, word, column) : 0;
        if (!__any_sync(0xffffffff, cells != 0)) {
            continue;
        }
        // Where the word begins, counted through all rows, and whether its coordinates there have an odd sum.
        const u64 first_place = (u64)row * 64 + 32 * word;
        const u32 odd_row = (row % HEIGHT + row / HEIGHT) & 1;



        // the rule
        const u32 chance_0 = random_bits_of_row<2, 1>(world.seed, first_place, odd_row, cells, time, 0, {{0xffffffff, threshold_of(0.5), {}}});
        if (cells != 0) { new_up[(u64)column * WORDS + word % WORDS] = chance_0 & cells; }
    }
}

// ising_flip_colour0: a thread takes a word of 32 places in each of 2 rows.
// 62.00 operations a cell and step; in all 61 on bits and 1 on numbers (a draw is one), 1 load of own columns and 4 of neighbours', 1 store, at most 22 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_cluster_ising_flip_colour0(
    const u32 *up,
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    // A block takes 128 rows of 2 words, a thread 2 of them.
    const u32 first = world.first + blockIdx.x / 1 * 128 + threadIdx.x / 2 * 2;
    const u32 beyond = blockIdx.x % 1 * 2 + threadIdx.x % 2;
    const u32 time = *world.clock + world.later;
    const u32 none = after_pass_before();
    up += none;
    new_up += none;
#pragma unroll 1
    for (u32 each = 0; each < 2; ++each) {
        // Random bits need the whole warp: threads without a cell stay, at a place that exists, and store nothing.
        const bool is_here = first + each < world.end && beyond < COLUMNS_OF_ROW * WORDS;
        const u32 row = is_here ? first + each : world.first, word = is_here ? beyond : 0, found = column_of(world, row, word / WORDS);
        const u32 column = found == world.columns ? 0 : found, cells = is_here && found == column ? own_cells(world, word, column) : 0;
        if (!__any_sync(0xffffffff, cells != 0)) {
            continue;
        }
        const int y = (int)(row % HEIGHT), z = (int)(row / HEIGHT);
        // Where the word begins, counted through all rows, and whether its coordinates there have an odd sum.
        const u64 first_place = (u64)row * 64 + 32 * word;
        const u32 odd_row = (row % HEIGHT + row / HEIGHT) & 1;

        const u32 own_0 = up[(u64)column * WORDS + word % WORDS];

        // the rows of the neighbours
        const u32 row_above = row_at(y - 1, z);
        const u32 row_below = row_at(y + 1, z);

        const u32 cells_above = cells_of(world, row_above, (int)word);

        const u32 cells_left = cells_of(world, row, (int)word - 1);
        const u32 cells_centre = cells_of(world, row, (int)word);
        const u32 cells_right = cells_of(world, row, (int)word + 1);

        const u32 cells_below = cells_of(world, row_below, (int)word);

        const u32 up_above = row_word<WORDS>(world, up, row_above, (int)word);

        const u32 up_left = row_word<WORDS>(world, up, row, (int)word - 1);
        const u32 up_centre = row_word<WORDS>(world, up, row, (int)word);
        const u32 up_right = row_word<WORDS>(world, up, row, (int)word + 1);

        const u32 up_below = row_word<WORDS>(world, up, row_below, (int)word);

        const u32 left_cells = __funnelshift_r(cells_left, cells_centre, 31);
        const u32 halo_left_0 = __funnelshift_r(up_left, up_centre, 31);
        const u32 halo_above_0 = up_above;
        const u32 above_cells = cells_above;
        const u32 right_cells = __funnelshift_r(cells_centre, cells_right, 1);
        const u32 halo_right_0 = __funnelshift_r(up_centre, up_right, 1);
        const u32 halo_below_0 = up_below;
        const u32 below_cells = cells_below;

        // the rule
        const u32 left_exists = left_cells;
        const u32 sum_0 = lop3<0x84>(halo_left_0, left_exists, own_0);
        const u32 sum_1 = lop3<0xde>(halo_above_0, left_exists, own_0);
        const u32 above_exists = above_cells;
        const u32 sum_2 = lop3<0x3a>(above_exists, sum_1, sum_0);
        const u32 right_exists = right_cells;
        const u32 existing_0 = lop3<0x28>(halo_right_0, own_0, right_exists);
        const u32 sum_3 = existing_0 & sum_2;
        const u32 sum_4 = lop3<0x28>(halo_above_0, halo_left_0, left_exists);
        const u32 sum_5 = lop3<0x72>(left_exists, sum_4, above_exists);
        const u32 sum_6 = lop3<0x32>(right_exists, sum_3, sum_5);
        const u32 sum_7 = lop3<0x48>(halo_left_0, left_exists, own_0);
        const u32 sum_8 = lop3<0x12>(halo_above_0, left_exists, own_0);
        const u32 sum_9 = lop3<0xca>(above_exists, sum_8, sum_7);
        const u32 existing_1 = lop3<0x82>(halo_right_0, own_0, right_exists);
        const u32 sum_10 = lop3<0x2a>(existing_1, sum_9, sum_6);
        const u32 below_exists = below_cells;
        const u32 existing_2 = lop3<0x48>(own_0, below_exists, halo_below_0);
        const u32 sum_11 = existing_2 & ~sum_10;
        const u32 sum_12 = lop3<0x42>(halo_above_0, halo_left_0, own_0);
        const u32 sum_13 = lop3<0x80>(left_exists, above_exists, sum_12);
        const u32 sum_14 = sum_13 & existing_1;
        const u32 sum_15 = lop3<0xae>(sum_5, existing_0, sum_14);
        const u32 sum_16 = lop3<0xce>(right_exists, sum_15, sum_9);
        const u32 sum_17 = existing_0 & sum_9;
        const u32 sum_18 = lop3<0xae>(right_exists, sum_13, sum_17);
        const u32 existing_3 = lop3<0x84>(own_0, below_exists, halo_below_0);
        const u32 sum_19 = sum_18 & existing_3;
        const u32 sum_20 = lop3<0xba>(sum_16, below_exists, sum_19);
        const u32 odd_corner = 0xaaaaaaaa ^ (0 - (u32)((y) & 1));
        const u32 chance_0 = lop3<0x54>(sum_20, sum_11, odd_corner);
        const u32 sum_21 = lop3<0x7e>(halo_above_0, halo_left_0, own_0);
        const u32 sum_22 = lop3<0x40>(left_exists, above_exists, sum_21);
        const u32 sum_23 = sum_22 & ~right_exists;
        const u32 sum_24 = lop3<0xea>(existing_1, sum_2, sum_23);
        const u32 sum_25 = existing_2 & sum_24;
        const u32 existing_4 = halo_right_0 ^ own_0;
        const u32 sum_26 = lop3<0x80>(existing_4, right_exists, sum_22);
        const u32 sum_27 = lop3<0xae>(sum_5, existing_1, sum_26);
        const u32 sum_28 = lop3<0xae>(right_exists, sum_2, sum_27);
        const u32 sum_29 = lop3<0xae>(below_exists, sum_28, sum_25);
        const u32 sum_30 = existing_3 & ~sum_10;
        const u32 chance_1 = lop3<0x0e>(odd_corner, sum_29, sum_30);
        const u32 sum_31 = existing_2 & sum_28;
        const u32 sum_32 = lop3<0xea>(sum_16, existing_3, sum_31);
        const u32 sum_33 = below_exists | sum_10;
        const u32 chance_2 = lop3<0x0d>(odd_corner, sum_32, sum_33);
        const u32 sum_34 = existing_1 & sum_22;
        const u32 sum_35 = existing_2 & sum_34;
        const u32 sum_36 = lop3<0xea>(existing_3, sum_28, sum_35);
        const u32 sum_37 = sum_24 & ~below_exists;
        const u32 chance_3 = lop3<0x0e>(odd_corner, sum_37, sum_36);
        const u32 sum_38 = existing_0 & sum_13;
        const u32 sum_39 = sum_38 & ~below_exists;
        const u32 sum_40 = sum_18 & existing_2;
        const u32 chance_4 = lop3<0x0e>(odd_corner, sum_40, sum_39);
        const u32 sum_41 = existing_3 & sum_38;
        const u32 sum_42 = lop3<0xea>(sum_16, existing_2, sum_41);
        const u32 sum_43 = sum_18 & ~below_exists;
        const u32 chance_5 = lop3<0x0e>(odd_corner, sum_43, sum_42);
        const u32 sum_44 = existing_3 & sum_24;
        const u32 sum_45 = sum_34 & ~below_exists;
        const u32 chance_6 = lop3<0x0e>(odd_corner, sum_44, sum_45);
        const u32 chance_7 = lop3<0x20>(existing_2, odd_corner, sum_38);
        const u32 chance_8 = lop3<0x20>(existing_3, odd_corner, sum_34);
        const long long threshold = (long long)world.params[17];
        const long long threshold_0 = (long long)world.params[15];
        const long long threshold_1 = (long long)world.params[13];
        const long long threshold_2 = (long long)world.params[11];
        const long long threshold_3 = (long long)world.params[9];
        const long long threshold_4 = (long long)world.params[7];
        const long long threshold_5 = (long long)world.params[5];
        const long long threshold_6 = (long long)world.params[3];
        const long long threshold_7 = (long long)world.params[1];
        const u32 chance_9 = random_bits_of_row<2, 9>(world.seed, first_place, odd_row, cells, time, 0, {{chance_8, threshold_of(threshold_7), {world.params, 2, 0.0}}, {chance_3, threshold_of(threshold_6), {world.params, 4, 0.0}}, {chance_6, threshold_of(threshold_5), {world.params, 6, 0.0}}, {chance_2, threshold_of(threshold_4), {world.params, 8, 0.0}}, {chance_1, threshold_of(threshold_3), {world.params, 10, 0.0}}, {chance_5, threshold_of(threshold_2), {world.params, 12, 0.0}}, {chance_0, threshold_of(threshold_1), {world.params, 14, 0.0}}, {chance_7, threshold_of(threshold_0), {world.params, 16, 0.0}}, {chance_4, threshold_of(threshold), {world.params, 18, 0.0}}});
        const u32 guarded_0 = lop3<0xd2>(own_0, odd_corner, chance_9);
        if (cells != 0) { new_up[(u64)column * WORDS + word % WORDS] = guarded_0 & cells; }
    }
}

// ising_flip_colour1: a thread takes a word of 32 places in each of 2 rows.
// 62.00 operations a cell and step; in all 61 on bits and 1 on numbers (a draw is one), 1 load of own columns and 4 of neighbours', 1 store, at most 22 values live at once
extern "C" __global__ void __launch_bounds__(128) squeeze_cluster_ising_flip_colour1(
    const u32 *up,
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    // A block takes 128 rows of 2 words, a thread 2 of them.
    const u32 first = world.first + blockIdx.x / 1 * 128 + threadIdx.x / 2 * 2;
    const u32 beyond = blockIdx.x % 1 * 2 + threadIdx.x % 2;
    const u32 time = *world.clock + world.later;
    const u32 none = after_pass_before();
    up += none;
    new_up += none;
#pragma unroll 1
    for (u32 each = 0; each < 2; ++each) {
        // Random bits need the whole warp: threads without a cell stay, at a place that exists, and store nothing.
        const bool is_here = first + each < world.end && beyond < COLUMNS_OF_ROW * WORDS;
        const u32 row = is_here ? first + each : world.first, word = is_here ? beyond : 0, found = column_of(world, row, word / WORDS);
        const u32 column = found == world.columns ? 0 : found, cells = is_here && found == column ? own_cells(world, word, column) : 0;
        if (!__any_sync(0xffffffff, cells != 0)) {
            continue;
        }
        const int y = (int)(row % HEIGHT), z = (int)(row / HEIGHT);
        // Where the word begins, counted through all rows, and whether its coordinates there have an odd sum.
        const u64 first_place = (u64)row * 64 + 32 * word;
        const u32 odd_row = (row % HEIGHT + row / HEIGHT) & 1;

        const u32 own_0 = up[(u64)column * WORDS + word % WORDS];

        // the rows of the neighbours
        const u32 row_above = row_at(y - 1, z);
        const u32 row_below = row_at(y + 1, z);

        const u32 cells_above = cells_of(world, row_above, (int)word);

        const u32 cells_left = cells_of(world, row, (int)word - 1);
        const u32 cells_centre = cells_of(world, row, (int)word);
        const u32 cells_right = cells_of(world, row, (int)word + 1);

        const u32 cells_below = cells_of(world, row_below, (int)word);

        const u32 up_above = row_word<WORDS>(world, up, row_above, (int)word);

        const u32 up_left = row_word<WORDS>(world, up, row, (int)word - 1);
        const u32 up_centre = row_word<WORDS>(world, up, row, (int)word);
        const u32 up_right = row_word<WORDS>(world, up, row, (int)word + 1);

        const u32 up_below = row_word<WORDS>(world, up, row_below, (int)word);

        const u32 left_cells = __funnelshift_r(cells_left, cells_centre, 31);
        const u32 halo_left_0 = __funnelshift_r(up_left, up_centre, 31);
        const u32 halo_above_0 = up_above;
        const u32 above_cells = cells_above;
        const u32 right_cells = __funnelshift_r(cells_centre, cells_right, 1);
        const u32 halo_right_0 = __funnelshift_r(up_centre, up_right, 1);
        const u32 halo_below_0 = up_below;
        const u32 below_cells = cells_below;

        // the rule
        const u32 left_exists = left_cells;
        const u32 sum_0 = lop3<0x84>(halo_left_0, left_exists, own_0);
        const u32 sum_1 = lop3<0xde>(halo_above_0, left_exists, own_0);
        const u32 above_exists = above_cells;
        const u32 sum_2 = lop3<0x3a>(above_exists, sum_1, sum_0);
        const u32 right_exists = right_cells;
        const u32 existing_0 = lop3<0x28>(halo_right_0, own_0, right_exists);
        const u32 sum_3 = existing_0 & sum_2;
        const u32 sum_4 = lop3<0x28>(halo_above_0, halo_left_0, left_exists);
        const u32 sum_5 = lop3<0x72>(left_exists, sum_4, above_exists);
        const u32 sum_6 = lop3<0x32>(right_exists, sum_3, sum_5);
        const u32 sum_7 = lop3<0x48>(halo_left_0, left_exists, own_0);
        const u32 sum_8 = lop3<0x12>(halo_above_0, left_exists, own_0);
        const u32 sum_9 = lop3<0xca>(above_exists, sum_8, sum_7);
        const u32 existing_1 = lop3<0x82>(halo_right_0, own_0, right_exists);
        const u32 sum_10 = lop3<0x2a>(existing_1, sum_9, sum_6);
        const u32 below_exists = below_cells;
        const u32 existing_2 = lop3<0x48>(own_0, below_exists, halo_below_0);
        const u32 sum_11 = existing_2 & ~sum_10;
        const u32 sum_12 = lop3<0x42>(halo_above_0, halo_left_0, own_0);
        const u32 sum_13 = lop3<0x80>(left_exists, above_exists, sum_12);
        const u32 sum_14 = sum_13 & existing_1;
        const u32 sum_15 = lop3<0xae>(sum_5, existing_0, sum_14);
        const u32 sum_16 = lop3<0xce>(right_exists, sum_15, sum_9);
        const u32 sum_17 = existing_0 & sum_9;
        const u32 sum_18 = lop3<0xae>(right_exists, sum_13, sum_17);
        const u32 existing_3 = lop3<0x84>(own_0, below_exists, halo_below_0);
        const u32 sum_19 = sum_18 & existing_3;
        const u32 sum_20 = lop3<0xba>(sum_16, below_exists, sum_19);
        const u32 odd_corner = 0xaaaaaaaa ^ (0 - (u32)((y) & 1));
        const u32 chance_0 = lop3<0xa8>(sum_20, sum_11, odd_corner);
        const u32 sum_21 = lop3<0x7e>(halo_above_0, halo_left_0, own_0);
        const u32 sum_22 = lop3<0x40>(left_exists, above_exists, sum_21);
        const u32 sum_23 = sum_22 & ~right_exists;
        const u32 sum_24 = lop3<0xea>(existing_1, sum_2, sum_23);
        const u32 sum_25 = existing_2 & sum_24;
        const u32 existing_4 = halo_right_0 ^ own_0;
        const u32 sum_26 = lop3<0x80>(existing_4, right_exists, sum_22);
        const u32 sum_27 = lop3<0xae>(sum_5, existing_1, sum_26);
        const u32 sum_28 = lop3<0xae>(right_exists, sum_2, sum_27);
        const u32 sum_29 = lop3<0xae>(below_exists, sum_28, sum_25);
        const u32 sum_30 = existing_3 & ~sum_10;
        const u32 chance_1 = lop3<0xe0>(odd_corner, sum_29, sum_30);
        const u32 sum_31 = existing_2 & sum_28;
        const u32 sum_32 = lop3<0xea>(sum_16, existing_3, sum_31);
        const u32 sum_33 = below_exists | sum_10;
        const u32 chance_2 = lop3<0xd0>(odd_corner, sum_32, sum_33);
        const u32 sum_34 = existing_1 & sum_22;
        const u32 sum_35 = existing_2 & sum_34;
        const u32 sum_36 = lop3<0xea>(existing_3, sum_28, sum_35);
        const u32 sum_37 = sum_24 & ~below_exists;
        const u32 chance_3 = lop3<0xe0>(odd_corner, sum_37, sum_36);
        const u32 sum_38 = existing_0 & sum_13;
        const u32 sum_39 = sum_38 & ~below_exists;
        const u32 sum_40 = sum_18 & existing_2;
        const u32 chance_4 = lop3<0xe0>(odd_corner, sum_40, sum_39);
        const u32 sum_41 = existing_3 & sum_38;
        const u32 sum_42 = lop3<0xea>(sum_16, existing_2, sum_41);
        const u32 sum_43 = sum_18 & ~below_exists;
        const u32 chance_5 = lop3<0xe0>(odd_corner, sum_43, sum_42);
        const u32 sum_44 = existing_3 & sum_24;
        const u32 sum_45 = sum_34 & ~below_exists;
        const u32 chance_6 = lop3<0xe0>(odd_corner, sum_44, sum_45);
        const u32 chance_7 = lop3<0x80>(existing_2, odd_corner, sum_38);
        const u32 chance_8 = lop3<0x80>(existing_3, odd_corner, sum_34);
        const long long threshold = (long long)world.params[17];
        const long long threshold_0 = (long long)world.params[15];
        const long long threshold_1 = (long long)world.params[13];
        const long long threshold_2 = (long long)world.params[11];
        const long long threshold_3 = (long long)world.params[9];
        const long long threshold_4 = (long long)world.params[7];
        const long long threshold_5 = (long long)world.params[5];
        const long long threshold_6 = (long long)world.params[3];
        const long long threshold_7 = (long long)world.params[1];
        const u32 chance_9 = random_bits_of_row<2, 9>(world.seed, first_place, odd_row, cells, time, 0, {{chance_8, threshold_of(threshold_7), {world.params, 2, 0.0}}, {chance_3, threshold_of(threshold_6), {world.params, 4, 0.0}}, {chance_6, threshold_of(threshold_5), {world.params, 6, 0.0}}, {chance_2, threshold_of(threshold_4), {world.params, 8, 0.0}}, {chance_1, threshold_of(threshold_3), {world.params, 10, 0.0}}, {chance_5, threshold_of(threshold_2), {world.params, 12, 0.0}}, {chance_0, threshold_of(threshold_1), {world.params, 14, 0.0}}, {chance_7, threshold_of(threshold_0), {world.params, 16, 0.0}}, {chance_4, threshold_of(threshold), {world.params, 18, 0.0}}});
        const u32 guarded_0 = lop3<0x78>(own_0, odd_corner, chance_9);
        if (cells != 0) { new_up[(u64)column * WORDS + word % WORDS] = guarded_0 & cells; }
    }
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(WIDTH) + sizeof(HEIGHT) + sizeof(DEPTH) + sizeof(PERIODIC_X) + sizeof(PERIODIC_Y) + sizeof(PERIODIC_Z) + sizeof(SIDE) + sizeof(LANES) + sizeof(WORDS) + sizeof(COLUMNS_OF_ROW) + sizeof(FULL) + sizeof(STORES_ALL) + sizeof(ABSENT) > 0, "");

} // namespace squeeze_cluster_ising_kernels
