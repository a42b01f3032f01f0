// ising on cluster, by Squeeze 0.1.0
//
// rows as lanes: 60 of 60 columns of 64 places have cells, 1672 altogether
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

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
// Every place is a cell; every column is stored.
constexpr bool FULL = false;
constexpr bool STORES_ALL = true;
// A row that does not exist.
constexpr u32 ABSENT = 0xffffffff;

// A place of a stored column: column * LANES + lane. Behind the last column of each state stands one that is 0.
typedef u32 Place;

// What a pass needs besides the states.
struct World {
    const u32 *index;  // row * COLUMNS_OF_ROW + column in it: the stored column, or the number of columns if it has no cell
    const u32 *mask;   // column * WORDS + word: a bit for each lane that is a cell; behind the last column there are none
    const u32 *ranks;  // column * WORDS + word: the rank of its first cell
    const u64 *params; // the parameters' bits
    const u32 *clock;  // the time before some passes
    u64 seed;
    u32 columns;
    u32 first;         // the first row of the pass
    u32 end;           // the one after its last
    u32 later;         // the first time that the pass computes, counted from the clock
};

// Makes a coordinate beyond an edge that of the other side, if the axis is periodic. Whether there is such a place.
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

// The stored column of a row that has this number in it, or the number of columns.
__device__ __forceinline__ u32 column_of(const World &world, u32 row, u32 number) {
    const u32 at = row * COLUMNS_OF_ROW + number;
    return STORES_ALL ? at : world.index[at];
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

// A word of a row around which the row is periodic: the 32 places from 32 * at on, wherever they are stored.
template <u32 BLOCK> __device__ __noinline__ u32 turned_word(const World &world, const u32 *plane, u32 row, int at) {
    u32 result = 0;
    for (u32 done = 0; done < 32;) {
        const u32 x = (u32)(((32ll * at + done) % WIDTH + WIDTH) % WIDTH);
        const u32 to_word = 32 - x % 32, to_edge = WIDTH - x, to_end = 32 - done;
        const u32 part = to_word < to_edge ? to_word : to_edge, length = part < to_end ? part : to_end;
        const u32 bits = plane[(u64)column_of(world, row, x / LANES) * BLOCK + x / 32 % WORDS] >> (x % 32);
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
    return plane[(u64)column_of(world, row, (u32)at / WORDS) * BLOCK + (u32)at % WORDS];
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

// The cells of a word of a stored column.
__device__ __forceinline__ u32 own_cells(const World &world, u32 word, u32 column) {
    if (!FULL) {
        return world.mask[(u64)column * WORDS + word % WORDS];
    }
    const int rest = (int)WIDTH - 32 * (int)word;
    return rest >= 32 ? 0xffffffff : rest > 0 ? (1u << rest) - 1 : 0;
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

// Writes the bits of 32 lanes, which are the threads of a warp, into their word.
__device__ __forceinline__ void store_bits(u32 *word, bool value, u32 place) {
    const u32 bits = __ballot_sync(0xffffffff, value);
    if (place % 32 == 0) {
        *word = bits;
    }
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

// ising_init: a thread takes one place.
// 2.00 operations a cell and step (0 on bits, 2 on numbers), 0 + 0 loads, 1 stores, 3 live values
extern "C" __global__ void __launch_bounds__(128) ising_init(
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    // A block takes 4 rows of 32 places.
    const u32 row = world.first + blockIdx.x / 2 * 4 + threadIdx.x / 32;
    const u32 x = blockIdx.x % 2 * 32 + threadIdx.x % 32;
    const u32 word = x / 32;
    if (row >= world.end) {
        return;
    }
    const u32 column = column_of(world, row, word / WORDS);
    if (column == world.columns) {
        return;
    }
    const u32 cells = own_cells(world, word, column);
    if (cells == 0) {
        return;
    }
    const u32 time = *world.clock + world.later;
    const u32 lane = x % LANES;
    const bool cell = cells >> (lane % 32) & 1;
    const Place place = (Place)column * LANES + lane;
    // The rank of the first cell of the warp, and how many of its cells come before this one.
    const u64 first_cell = world.ranks[place / 32];
    const u32 order = (u32)__popc(cells & ((1u << (lane % 32)) - 1));

    const u32 none = after_pass_before();
    new_up += none;

    // the rule
    const u32 draw_0 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell, time, 0), order);
    const bool chance_1 = draw_0 < 2147483648u;
    store_bits(new_up + ((u64)column * WORDS + word % WORDS), cell && chance_1, lane);
}

// ising_even: a thread takes one place.
// 19.00 operations a cell and step (3 on bits, 16 on numbers), 1 + 4 loads, 1 stores, 7 live values
extern "C" __global__ void __launch_bounds__(128) ising_even(
    const u32 *up,
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    // A block takes 4 rows of 32 places.
    const u32 row = world.first + blockIdx.x / 2 * 4 + threadIdx.x / 32;
    const u32 x = blockIdx.x % 2 * 32 + threadIdx.x % 32;
    const u32 word = x / 32;
    if (row >= world.end) {
        return;
    }
    const u32 column = column_of(world, row, word / WORDS);
    if (column == world.columns) {
        return;
    }
    const u32 cells = own_cells(world, word, column);
    if (cells == 0) {
        return;
    }
    const u32 time = *world.clock + world.later;
    const u32 lane = x % LANES;
    const bool cell = cells >> (lane % 32) & 1;
    const Place place = (Place)column * LANES + lane;
    const int y = (int)(row % HEIGHT), z = (int)(row / HEIGHT);
    // The rank of the first cell of the warp, and how many of its cells come before this one.
    const u64 first_cell = world.ranks[place / 32];
    const u32 order = (u32)__popc(cells & ((1u << (lane % 32)) - 1));

    const u32 none = after_pass_before();
    up += none;
    new_up += none;
    const bool own_0 = up[(u64)column * WORDS + word % WORDS] >> (lane % 32) & 1;

    // the rows of the neighbours
    const u32 row_above = row_at(y - 1, z);
    const u32 row_below = row_at(y + 1, z);

    const Place left_place = place_at(world, row, (int)x - 1);
    const bool halo_left_0 = up[left_place / 32] >> (left_place % 32) & 1;

    const Place above_place = place_at(world, row_above, (int)x);
    const bool halo_above_0 = up[above_place / 32] >> (above_place % 32) & 1;

    const Place below_place = place_at(world, row_below, (int)x);
    const bool halo_below_0 = up[below_place / 32] >> (below_place % 32) & 1;

    const Place right_place = place_at(world, row, (int)x + 1);
    const bool halo_right_0 = up[right_place / 32] >> (right_place % 32) & 1;

    // the rule
    const float choice_0 = halo_left_0 ? 1.0f : (-1.0f);
    const float choice_1 = halo_above_0 ? 1.0f : (-1.0f);
    const bool above_exists = is_cell(world, above_place);
    const float sum_0 = above_exists ? 0.0f + choice_1 : 0.0f;
    const bool left_exists = is_cell(world, left_place);
    const float sum_1 = left_exists ? sum_0 + choice_0 : sum_0;
    const float choice_3 = halo_right_0 ? 1.0f : (-1.0f);
    const bool right_exists = is_cell(world, right_place);
    const float sum_2 = right_exists ? sum_1 + choice_3 : sum_1;
    const float choice_4 = halo_below_0 ? 1.0f : (-1.0f);
    const bool below_exists = is_cell(world, below_place);
    const float sum_3 = below_exists ? sum_2 + choice_4 : sum_2;
    const float beta = __uint_as_float((u32)world.params[0]);
    const float product_0 = (-2.0f) * beta;
    const float product_1 = product_0 * sum_3;
    const float value_2 = exp_f32(product_1);
    const float sum_4 = 1.0f + value_2;
    const float quotient_0 = 1.0f / sum_4;
    const double chance_0 = (double)quotient_0;
    const u32 draw_0 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell, time, 0), order);
    const bool chance_1 = chance(draw_0, chance_0);
    const bool odd_corner = (lane & 1) != (u32)((y) & 1);
    const bool guarded_0 = chance_1 & !odd_corner;
    const bool guarded_1 = odd_corner & own_0;
    const bool guarded_2 = guarded_0 | guarded_1;
    store_bits(new_up + ((u64)column * WORDS + word % WORDS), cell && guarded_2, lane);
}

// ising_odd: a thread takes one place.
// 19.00 operations a cell and step (3 on bits, 16 on numbers), 1 + 4 loads, 1 stores, 7 live values
extern "C" __global__ void __launch_bounds__(128) ising_odd(
    const u32 *up,
    u32 *__restrict__ new_up,
    const World world
) {
    let_next_begin();
    // A block takes 4 rows of 32 places.
    const u32 row = world.first + blockIdx.x / 2 * 4 + threadIdx.x / 32;
    const u32 x = blockIdx.x % 2 * 32 + threadIdx.x % 32;
    const u32 word = x / 32;
    if (row >= world.end) {
        return;
    }
    const u32 column = column_of(world, row, word / WORDS);
    if (column == world.columns) {
        return;
    }
    const u32 cells = own_cells(world, word, column);
    if (cells == 0) {
        return;
    }
    const u32 time = *world.clock + world.later;
    const u32 lane = x % LANES;
    const bool cell = cells >> (lane % 32) & 1;
    const Place place = (Place)column * LANES + lane;
    const int y = (int)(row % HEIGHT), z = (int)(row / HEIGHT);
    // The rank of the first cell of the warp, and how many of its cells come before this one.
    const u64 first_cell = world.ranks[place / 32];
    const u32 order = (u32)__popc(cells & ((1u << (lane % 32)) - 1));

    const u32 none = after_pass_before();
    up += none;
    new_up += none;
    const bool own_0 = up[(u64)column * WORDS + word % WORDS] >> (lane % 32) & 1;

    // the rows of the neighbours
    const u32 row_above = row_at(y - 1, z);
    const u32 row_below = row_at(y + 1, z);

    const Place left_place = place_at(world, row, (int)x - 1);
    const bool halo_left_0 = up[left_place / 32] >> (left_place % 32) & 1;

    const Place above_place = place_at(world, row_above, (int)x);
    const bool halo_above_0 = up[above_place / 32] >> (above_place % 32) & 1;

    const Place below_place = place_at(world, row_below, (int)x);
    const bool halo_below_0 = up[below_place / 32] >> (below_place % 32) & 1;

    const Place right_place = place_at(world, row, (int)x + 1);
    const bool halo_right_0 = up[right_place / 32] >> (right_place % 32) & 1;

    // the rule
    const float choice_0 = halo_left_0 ? 1.0f : (-1.0f);
    const float choice_1 = halo_above_0 ? 1.0f : (-1.0f);
    const bool above_exists = is_cell(world, above_place);
    const float sum_0 = above_exists ? 0.0f + choice_1 : 0.0f;
    const bool left_exists = is_cell(world, left_place);
    const float sum_1 = left_exists ? sum_0 + choice_0 : sum_0;
    const float choice_3 = halo_right_0 ? 1.0f : (-1.0f);
    const bool right_exists = is_cell(world, right_place);
    const float sum_2 = right_exists ? sum_1 + choice_3 : sum_1;
    const float choice_4 = halo_below_0 ? 1.0f : (-1.0f);
    const bool below_exists = is_cell(world, below_place);
    const float sum_3 = below_exists ? sum_2 + choice_4 : sum_2;
    const float beta = __uint_as_float((u32)world.params[0]);
    const float product_0 = (-2.0f) * beta;
    const float product_1 = product_0 * sum_3;
    const float value_2 = exp_f32(product_1);
    const float sum_4 = 1.0f + value_2;
    const float quotient_0 = 1.0f / sum_4;
    const double chance_0 = (double)quotient_0;
    const u32 draw_0 = __shfl_sync(0xffffffff, random_words(world.seed, first_cell, time, 1), order);
    const bool chance_1 = chance(draw_0, chance_0);
    const bool odd_corner = (lane & 1) != (u32)((y) & 1);
    const bool guarded_0 = chance_1 & odd_corner;
    const bool guarded_1 = own_0 & !odd_corner;
    const bool guarded_2 = guarded_0 | guarded_1;
    store_bits(new_up + ((u64)column * WORDS + word % WORDS), cell && guarded_2, lane);
}
