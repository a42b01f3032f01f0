// ising on cluster, by Squeeze 0.1.0
//
// rows as lanes: 60 of 60 columns of 64 places have cells, 1455 altogether
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule ising; domain cluster 21a47665a19be4b8; level 1; rows; kernels f08b60578e895702

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

// A random bit is set if its random word is less than `below`, or in any case if `always` is not 0.
struct Threshold {
    u32 below;
    u32 always;
};

// The threshold of a probability.
__device__ __forceinline__ Threshold threshold_of(double probability) {
    const double bound = probability * 4294967296.0;
    const bool always = bound >= 4294967296.0;
    return {always || !(bound > 0.0) ? 0 : (u32)bound, always};
}

// The threshold that the host computed: `below` in the low word, `always` in the high one.
__device__ __forceinline__ Threshold threshold_of(long long threshold) {
    return {(u32)threshold, (u32)((u64)threshold >> 32)};
}

// The lanes whose random bits have the same probability.
struct RandomClass {
    u32 lanes;
    Threshold threshold;
};

// Gathers the bits of a word that stand where another word has ones, and scatters them again.
struct Gathering {
    u32 cells;
    u32 moves[5]; // the bits that move by 1, 2, 4, 8 and 16 places

    __device__ __forceinline__ explicit Gathering(u32 word) : cells(word) {
        u32 zeros = ~word << 1, left = word;
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            // The bits with an odd number of zeros below them.
            u32 odd = zeros ^ zeros << 1;
            odd ^= odd << 2;
            odd ^= odd << 4;
            odd ^= odd << 8;
            odd ^= odd << 16;
            moves[i] = odd & left;
            left = (left ^ moves[i]) | moves[i] >> (1 << i);
            zeros &= ~odd;
        }
    }

    __device__ __forceinline__ u32 together(u32 bits) const {
        bits &= cells;
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const u32 moved = bits & moves[i];
            bits = (bits ^ moved) | moved >> (1 << i);
        }
        return bits;
    }

    __device__ __forceinline__ u32 back(u32 bits) const {
#pragma unroll
        for (int i = 4; i >= 0; --i) {
            bits = (bits & ~moves[i]) | (bits << (1 << i) & moves[i]);
        }
        return bits & cells;
    }

    // The first cell of the words of `beside` threads: the number of the first word that has one.
    __device__ __forceinline__ u64 begin(u64 first, u32 beside) const {
        const u32 thread = threadIdx.x % 32;
        const u32 some = __ballot_sync(0xffffffff, cells != 0) & (0xffffffffu >> (32 - beside)) << thread / beside * beside;
        return __shfl_sync(0xffffffff, first, some != 0 ? (u32)__ffs((int)some) - 1 : thread);
    }
};

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
    u32 result = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = own.together(classes[i].lanes);
        result |= classes[i].threshold.always ? lanes[i] : 0;
        undecided |= thresholds[i] > 0 ? lanes[i] : 0;
        rest |= thresholds[i];
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
    return own.back(result);
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
        // The index of the first cell of the word.
        const u64 first_cell = world.cell_indices[(u64)column * WORDS + word % WORDS];



        // the rule
        const u32 chance_0 = random_bits<2, false, 1>(world.seed, first_cell, Gathering(cells), time, 0, {{0xffffffff, threshold_of(0.5)}});
        if (cells != 0) { new_up[(u64)column * WORDS + word % WORDS] = chance_0 & cells; }
    }
}

// ising_flip_colour0: a thread takes a word of 32 places in each of 2 rows.
// 55.00 operations a cell and step; in all 54 on bits and 1 on numbers (a draw is one), 1 load of own columns and 4 of neighbours', 1 store, at most 20 values live at once
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
        // The index of the first cell of the word.
        const u64 first_cell = world.cell_indices[(u64)column * WORDS + word % WORDS];

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
        const u32 sum_11 = lop3<0x42>(halo_above_0, halo_left_0, own_0);
        const u32 sum_12 = lop3<0x80>(left_exists, above_exists, sum_11);
        const u32 sum_13 = sum_12 & existing_1;
        const u32 sum_14 = lop3<0xae>(sum_5, existing_0, sum_13);
        const u32 sum_15 = lop3<0xce>(right_exists, sum_14, sum_9);
        const u32 sum_16 = existing_0 & sum_9;
        const u32 sum_17 = lop3<0xae>(right_exists, sum_12, sum_16);
        const u32 below_exists = below_cells;
        const u32 existing_2 = lop3<0x84>(own_0, below_exists, halo_below_0);
        const u32 sum_18 = sum_17 & existing_2;
        const u32 sum_19 = lop3<0xba>(sum_15, below_exists, sum_18);
        const u32 existing_3 = lop3<0x48>(own_0, below_exists, halo_below_0);
        const u32 sum_20 = lop3<0xf2>(sum_19, sum_10, existing_3);
        const u32 sum_21 = lop3<0x7e>(halo_above_0, halo_left_0, own_0);
        const u32 sum_22 = lop3<0x40>(left_exists, above_exists, sum_21);
        const u32 sum_23 = sum_22 & ~right_exists;
        const u32 sum_24 = lop3<0xea>(existing_1, sum_2, sum_23);
        const u32 sum_25 = existing_3 & sum_24;
        const u32 existing_4 = halo_right_0 ^ own_0;
        const u32 sum_26 = lop3<0x80>(existing_4, right_exists, sum_22);
        const u32 sum_27 = lop3<0xae>(sum_5, existing_1, sum_26);
        const u32 sum_28 = lop3<0xae>(right_exists, sum_2, sum_27);
        const u32 sum_29 = lop3<0xae>(below_exists, sum_28, sum_25);
        const u32 sum_30 = lop3<0xba>(existing_2, sum_10, sum_29);
        const u32 sum_31 = existing_3 & sum_28;
        const u32 sum_32 = lop3<0xea>(sum_15, existing_2, sum_31);
        const u32 sum_33 = lop3<0xab>(below_exists, sum_10, sum_32);
        const u32 sum_34 = existing_1 & sum_22;
        const u32 sum_35 = existing_3 & sum_34;
        const u32 sum_36 = lop3<0xea>(existing_2, sum_28, sum_35);
        const u32 sum_37 = lop3<0xae>(below_exists, sum_24, sum_36);
        const u32 sum_38 = sum_17 & existing_3;
        const u32 sum_39 = existing_0 & sum_12;
        const u32 sum_40 = lop3<0xae>(below_exists, sum_39, sum_38);
        const u32 sum_41 = existing_2 & sum_39;
        const u32 sum_42 = lop3<0xea>(sum_15, existing_3, sum_41);
        const u32 sum_43 = lop3<0xae>(below_exists, sum_17, sum_42);
        const u32 sum_44 = existing_2 & sum_24;
        const u32 sum_45 = lop3<0xae>(below_exists, sum_34, sum_44);
        const u32 sum_46 = existing_3 & sum_39;
        const u32 sum_47 = existing_2 & sum_34;
        const long long threshold = (long long)world.params[9];
        const long long threshold_0 = (long long)world.params[8];
        const long long threshold_1 = (long long)world.params[7];
        const long long threshold_2 = (long long)world.params[6];
        const long long threshold_3 = (long long)world.params[5];
        const long long threshold_4 = (long long)world.params[4];
        const long long threshold_5 = (long long)world.params[3];
        const long long threshold_6 = (long long)world.params[2];
        const long long threshold_7 = (long long)world.params[1];
        const u32 chance_0 = random_bits<2, false, 9>(world.seed, first_cell, Gathering(cells), time, 0, {{sum_47, threshold_of(threshold_7)}, {sum_37, threshold_of(threshold_6)}, {sum_45, threshold_of(threshold_5)}, {sum_33, threshold_of(threshold_4)}, {sum_30, threshold_of(threshold_3)}, {sum_43, threshold_of(threshold_2)}, {sum_20, threshold_of(threshold_1)}, {sum_46, threshold_of(threshold_0)}, {sum_40, threshold_of(threshold)}});
        const u32 odd_corner = 0xaaaaaaaa ^ (0 - (u32)((y) & 1));
        const u32 guarded_0 = lop3<0xb4>(own_0, chance_0, odd_corner);
        if (cells != 0) { new_up[(u64)column * WORDS + word % WORDS] = guarded_0 & cells; }
    }
}

// ising_flip_colour1: a thread takes a word of 32 places in each of 2 rows.
// 55.00 operations a cell and step; in all 54 on bits and 1 on numbers (a draw is one), 1 load of own columns and 4 of neighbours', 1 store, at most 20 values live at once
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
        // The index of the first cell of the word.
        const u64 first_cell = world.cell_indices[(u64)column * WORDS + word % WORDS];

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
        const u32 sum_11 = lop3<0x42>(halo_above_0, halo_left_0, own_0);
        const u32 sum_12 = lop3<0x80>(left_exists, above_exists, sum_11);
        const u32 sum_13 = sum_12 & existing_1;
        const u32 sum_14 = lop3<0xae>(sum_5, existing_0, sum_13);
        const u32 sum_15 = lop3<0xce>(right_exists, sum_14, sum_9);
        const u32 sum_16 = existing_0 & sum_9;
        const u32 sum_17 = lop3<0xae>(right_exists, sum_12, sum_16);
        const u32 below_exists = below_cells;
        const u32 existing_2 = lop3<0x84>(own_0, below_exists, halo_below_0);
        const u32 sum_18 = sum_17 & existing_2;
        const u32 sum_19 = lop3<0xba>(sum_15, below_exists, sum_18);
        const u32 existing_3 = lop3<0x48>(own_0, below_exists, halo_below_0);
        const u32 sum_20 = lop3<0xf2>(sum_19, sum_10, existing_3);
        const u32 sum_21 = lop3<0x7e>(halo_above_0, halo_left_0, own_0);
        const u32 sum_22 = lop3<0x40>(left_exists, above_exists, sum_21);
        const u32 sum_23 = sum_22 & ~right_exists;
        const u32 sum_24 = lop3<0xea>(existing_1, sum_2, sum_23);
        const u32 sum_25 = existing_3 & sum_24;
        const u32 existing_4 = halo_right_0 ^ own_0;
        const u32 sum_26 = lop3<0x80>(existing_4, right_exists, sum_22);
        const u32 sum_27 = lop3<0xae>(sum_5, existing_1, sum_26);
        const u32 sum_28 = lop3<0xae>(right_exists, sum_2, sum_27);
        const u32 sum_29 = lop3<0xae>(below_exists, sum_28, sum_25);
        const u32 sum_30 = lop3<0xba>(existing_2, sum_10, sum_29);
        const u32 sum_31 = existing_3 & sum_28;
        const u32 sum_32 = lop3<0xea>(sum_15, existing_2, sum_31);
        const u32 sum_33 = lop3<0xab>(below_exists, sum_10, sum_32);
        const u32 sum_34 = existing_1 & sum_22;
        const u32 sum_35 = existing_3 & sum_34;
        const u32 sum_36 = lop3<0xea>(existing_2, sum_28, sum_35);
        const u32 sum_37 = lop3<0xae>(below_exists, sum_24, sum_36);
        const u32 sum_38 = sum_17 & existing_3;
        const u32 sum_39 = existing_0 & sum_12;
        const u32 sum_40 = lop3<0xae>(below_exists, sum_39, sum_38);
        const u32 sum_41 = existing_2 & sum_39;
        const u32 sum_42 = lop3<0xea>(sum_15, existing_3, sum_41);
        const u32 sum_43 = lop3<0xae>(below_exists, sum_17, sum_42);
        const u32 sum_44 = existing_2 & sum_24;
        const u32 sum_45 = lop3<0xae>(below_exists, sum_34, sum_44);
        const u32 sum_46 = existing_3 & sum_39;
        const u32 sum_47 = existing_2 & sum_34;
        const long long threshold = (long long)world.params[9];
        const long long threshold_0 = (long long)world.params[8];
        const long long threshold_1 = (long long)world.params[7];
        const long long threshold_2 = (long long)world.params[6];
        const long long threshold_3 = (long long)world.params[5];
        const long long threshold_4 = (long long)world.params[4];
        const long long threshold_5 = (long long)world.params[3];
        const long long threshold_6 = (long long)world.params[2];
        const long long threshold_7 = (long long)world.params[1];
        const u32 chance_0 = random_bits<2, false, 9>(world.seed, first_cell, Gathering(cells), time, 0, {{sum_47, threshold_of(threshold_7)}, {sum_37, threshold_of(threshold_6)}, {sum_45, threshold_of(threshold_5)}, {sum_33, threshold_of(threshold_4)}, {sum_30, threshold_of(threshold_3)}, {sum_43, threshold_of(threshold_2)}, {sum_20, threshold_of(threshold_1)}, {sum_46, threshold_of(threshold_0)}, {sum_40, threshold_of(threshold)}});
        const u32 odd_corner = 0xaaaaaaaa ^ (0 - (u32)((y) & 1));
        const u32 guarded_0 = lop3<0x78>(own_0, chance_0, odd_corner);
        if (cells != 0) { new_up[(u64)column * WORDS + word % WORDS] = guarded_0 & cells; }
    }
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(WIDTH) + sizeof(HEIGHT) + sizeof(DEPTH) + sizeof(PERIODIC_X) + sizeof(PERIODIC_Y) + sizeof(PERIODIC_Z) + sizeof(SIDE) + sizeof(LANES) + sizeof(WORDS) + sizeof(COLUMNS_OF_ROW) + sizeof(FULL) + sizeof(STORES_ALL) + sizeof(ABSENT) > 0, "");

} // namespace squeeze_cluster_ising_kernels
