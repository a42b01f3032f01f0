// life on empty_bottles at level 5, by Squeeze 0.1.0
//
// T = 0: 1 lanes a column fill 3% of the vector registers they take
// L = 1: 7 micro cells a superblock, about 880 operations; 2401 superblocks
// t = 3: 2.65 cells computed for one that is kept; bound by operations, 75.36 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 1;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 8;
constexpr u32 MICRO_CELLS = 7;
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

// The part of a word of a column whose lanes move as the term says.
__device__ __forceinline__ u32 moved(u32 seen, Term term) {
    return __funnelshift_l(seen, seen, term.rotate) & term.mask;
}

// The lanes of one word in which a neighbour exists.
__device__ __forceinline__ u32 presence(const World &world, Neighbour there, u32 word) {
    if (there.superblock == world.superblocks) {
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

// Writes the bits of 32 lanes, which are the threads of a warp, into their word.
__device__ __forceinline__ void store_bits(u32 *word, bool value, u32 place) {
    const u32 bits = __ballot_sync(0xffffffff, value);
    if (place % 32 == 0) {
        *word = bits;
    }
}

// Random numbers: Philox4x32-10 of a cell's canonical index, the time and the number of the draw.
__device__ __noinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    u32 a = (u32)cell, b = (u32)(cell >> 32), c = time, d = draw / 4;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const u64 first = (u64)0xd2511f53u * a, second = (u64)0xcd9e8d57u * c;
        a = (u32)(second >> 32) ^ b ^ key_low;
        c = (u32)(first >> 32) ^ d ^ key_high;
        b = (u32)second;
        d = (u32)first;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return draw % 4 == 0 ? a : draw % 4 == 1 ? b : draw % 4 == 2 ? c : d;
}

// life_init: one step of 7 micro cells; a thread takes one lane, a superblock 32 threads.
// 2.00 operations a cell and step (0 on bits, 14 on numbers), 0 + 0 loads, 7 stores, 3 live values
extern "C" __global__ void __launch_bounds__(128) life_init(
    u32 *__restrict__ new_alive,
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
    const u32 time = *world.clock + world.later;

    const u32 none = after_pass_before();
    new_alive += none;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + place / 32;

    // the rule
    const u32 draw_0 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 0, time, 0);
    const bool chance_1 = draw_0 < 2147483648u;
    store_bits(out_alive + 0 * WORDS, chance_1, place);
    const u32 draw_1 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 1, time, 0);
    const bool chance_2 = draw_1 < 2147483648u;
    store_bits(out_alive + 1 * WORDS, chance_2, place);
    const u32 draw_2 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 2, time, 0);
    const bool chance_3 = draw_2 < 2147483648u;
    store_bits(out_alive + 2 * WORDS, chance_3, place);
    const u32 draw_3 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 3, time, 0);
    const bool chance_4 = draw_3 < 2147483648u;
    store_bits(out_alive + 3 * WORDS, chance_4, place);
    const u32 draw_4 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 4, time, 0);
    const bool chance_5 = draw_4 < 2147483648u;
    store_bits(out_alive + 4 * WORDS, chance_5, place);
    const u32 draw_5 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 5, time, 0);
    const bool chance_6 = draw_5 < 2147483648u;
    store_bits(out_alive + 5 * WORDS, chance_6, place);
    const u32 draw_6 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 6, time, 0);
    const bool chance_7 = draw_6 < 2147483648u;
    store_bits(out_alive + 6 * WORDS, chance_7, place);
}

// life: 3 steps of 7 micro cells; a thread takes one word of 32 lanes, a superblock 1 threads.
// 25.29 operations a cell and step (531 on bits, 0 on numbers), 7 + 50 loads, 7 stores, 71 live values
extern "C" __global__ void __launch_bounds__(128) life(
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
    const u32 own_6 = own_alive[6 * WORDS];
    const u32 own_3 = own_alive[3 * WORDS];
    const u32 own_4 = own_alive[4 * WORDS];
    const u32 own_5 = own_alive[5 * WORDS];
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_1 = own_alive[1 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_3 = above_left_alive[3 * WORDS];
    u32 halo_above_left_6 = above_left_alive[6 * WORDS];
    u32 halo_above_left_2 = above_left_alive[2 * WORDS];
    u32 halo_above_left_5 = above_left_alive[5 * WORDS];
    u32 halo_above_left_0 = above_left_alive[0 * WORDS];
    u32 halo_above_left_4 = above_left_alive[4 * WORDS];

    // above
    const u32 *above_alive = alive + (u64)above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_6 = above_alive[6 * WORDS];
    u32 halo_above_5 = above_alive[5 * WORDS];
    u32 halo_above_4 = above_alive[4 * WORDS];
    u32 halo_above_3 = above_alive[3 * WORDS];
    u32 halo_above_1 = above_alive[1 * WORDS];
    u32 halo_above_2 = above_alive[2 * WORDS];
    u32 halo_above_0 = above_alive[0 * WORDS];

    // above right
    const u32 *above_right_alive = alive + (u64)above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_right_5 = above_right_alive[5 * WORDS];
    u32 halo_above_right_2 = above_right_alive[2 * WORDS];
    u32 halo_above_right_1 = above_right_alive[1 * WORDS];
    u32 halo_above_right_4 = above_right_alive[4 * WORDS];
    u32 halo_above_right_0 = above_right_alive[0 * WORDS];
    u32 halo_above_right_6 = above_right_alive[6 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_6 = left_alive[6 * WORDS];
    u32 halo_left_3 = left_alive[3 * WORDS];
    u32 halo_left_5 = left_alive[5 * WORDS];
    u32 halo_left_2 = left_alive[2 * WORDS];
    u32 halo_left_0 = left_alive[0 * WORDS];
    u32 halo_left_1 = left_alive[1 * WORDS];
    u32 halo_left_4 = left_alive[4 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_5 = right_alive[5 * WORDS];
    u32 halo_right_1 = right_alive[1 * WORDS];
    u32 halo_right_4 = right_alive[4 * WORDS];
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_3 = right_alive[3 * WORDS];
    u32 halo_right_6 = right_alive[6 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_0 = below_left_alive[0 * WORDS];
    u32 halo_below_left_3 = below_left_alive[3 * WORDS];
    u32 halo_below_left_2 = below_left_alive[2 * WORDS];
    u32 halo_below_left_1 = below_left_alive[1 * WORDS];
    u32 halo_below_left_6 = below_left_alive[6 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_3 = below_alive[3 * WORDS];
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_2 = below_alive[2 * WORDS];
    u32 halo_below_5 = below_alive[5 * WORDS];
    u32 halo_below_6 = below_alive[6 * WORDS];
    u32 halo_below_4 = below_alive[4 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_0 = below_right_alive[0 * WORDS];
    u32 halo_below_right_1 = below_right_alive[1 * WORDS];
    u32 halo_below_right_2 = below_right_alive[2 * WORDS];
    u32 halo_below_right_3 = below_right_alive[3 * WORDS];
    u32 halo_below_right_4 = below_right_alive[4 * WORDS];

    // Across the border lanes see other lanes.
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_3 = halo_above_left_3; halo_above_left_3 = 0;
        const u32 seen_halo_above_left_6 = halo_above_left_6; halo_above_left_6 = 0;
        const u32 seen_halo_above_left_2 = halo_above_left_2; halo_above_left_2 = 0;
        const u32 seen_halo_above_left_5 = halo_above_left_5; halo_above_left_5 = 0;
        const u32 seen_halo_above_left_0 = halo_above_left_0; halo_above_left_0 = 0;
        const u32 seen_halo_above_left_4 = halo_above_left_4; halo_above_left_4 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_3 |= moved(seen_halo_above_left_3, term);
            halo_above_left_6 |= moved(seen_halo_above_left_6, term);
            halo_above_left_2 |= moved(seen_halo_above_left_2, term);
            halo_above_left_5 |= moved(seen_halo_above_left_5, term);
            halo_above_left_0 |= moved(seen_halo_above_left_0, term);
            halo_above_left_4 |= moved(seen_halo_above_left_4, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_6 = halo_above_6; halo_above_6 = 0;
        const u32 seen_halo_above_5 = halo_above_5; halo_above_5 = 0;
        const u32 seen_halo_above_4 = halo_above_4; halo_above_4 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_1 = halo_above_1; halo_above_1 = 0;
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_0 = halo_above_0; halo_above_0 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_6 |= moved(seen_halo_above_6, term);
            halo_above_5 |= moved(seen_halo_above_5, term);
            halo_above_4 |= moved(seen_halo_above_4, term);
            halo_above_3 |= moved(seen_halo_above_3, term);
            halo_above_1 |= moved(seen_halo_above_1, term);
            halo_above_2 |= moved(seen_halo_above_2, term);
            halo_above_0 |= moved(seen_halo_above_0, term);
        }
    }
    if (above_right.wrap != STAY) {
        const u32 seen_halo_above_right_5 = halo_above_right_5; halo_above_right_5 = 0;
        const u32 seen_halo_above_right_2 = halo_above_right_2; halo_above_right_2 = 0;
        const u32 seen_halo_above_right_1 = halo_above_right_1; halo_above_right_1 = 0;
        const u32 seen_halo_above_right_4 = halo_above_right_4; halo_above_right_4 = 0;
        const u32 seen_halo_above_right_0 = halo_above_right_0; halo_above_right_0 = 0;
        const u32 seen_halo_above_right_6 = halo_above_right_6; halo_above_right_6 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_5 |= moved(seen_halo_above_right_5, term);
            halo_above_right_2 |= moved(seen_halo_above_right_2, term);
            halo_above_right_1 |= moved(seen_halo_above_right_1, term);
            halo_above_right_4 |= moved(seen_halo_above_right_4, term);
            halo_above_right_0 |= moved(seen_halo_above_right_0, term);
            halo_above_right_6 |= moved(seen_halo_above_right_6, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_6 = halo_left_6; halo_left_6 = 0;
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 seen_halo_left_5 = halo_left_5; halo_left_5 = 0;
        const u32 seen_halo_left_2 = halo_left_2; halo_left_2 = 0;
        const u32 seen_halo_left_0 = halo_left_0; halo_left_0 = 0;
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 seen_halo_left_4 = halo_left_4; halo_left_4 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_6 |= moved(seen_halo_left_6, term);
            halo_left_3 |= moved(seen_halo_left_3, term);
            halo_left_5 |= moved(seen_halo_left_5, term);
            halo_left_2 |= moved(seen_halo_left_2, term);
            halo_left_0 |= moved(seen_halo_left_0, term);
            halo_left_1 |= moved(seen_halo_left_1, term);
            halo_left_4 |= moved(seen_halo_left_4, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_5 = halo_right_5; halo_right_5 = 0;
        const u32 seen_halo_right_1 = halo_right_1; halo_right_1 = 0;
        const u32 seen_halo_right_4 = halo_right_4; halo_right_4 = 0;
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_3 = halo_right_3; halo_right_3 = 0;
        const u32 seen_halo_right_6 = halo_right_6; halo_right_6 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_5 |= moved(seen_halo_right_5, term);
            halo_right_1 |= moved(seen_halo_right_1, term);
            halo_right_4 |= moved(seen_halo_right_4, term);
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_3 |= moved(seen_halo_right_3, term);
            halo_right_6 |= moved(seen_halo_right_6, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_0 = halo_below_left_0; halo_below_left_0 = 0;
        const u32 seen_halo_below_left_3 = halo_below_left_3; halo_below_left_3 = 0;
        const u32 seen_halo_below_left_2 = halo_below_left_2; halo_below_left_2 = 0;
        const u32 seen_halo_below_left_1 = halo_below_left_1; halo_below_left_1 = 0;
        const u32 seen_halo_below_left_6 = halo_below_left_6; halo_below_left_6 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_0 |= moved(seen_halo_below_left_0, term);
            halo_below_left_3 |= moved(seen_halo_below_left_3, term);
            halo_below_left_2 |= moved(seen_halo_below_left_2, term);
            halo_below_left_1 |= moved(seen_halo_below_left_1, term);
            halo_below_left_6 |= moved(seen_halo_below_left_6, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_3 = halo_below_3; halo_below_3 = 0;
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_2 = halo_below_2; halo_below_2 = 0;
        const u32 seen_halo_below_5 = halo_below_5; halo_below_5 = 0;
        const u32 seen_halo_below_6 = halo_below_6; halo_below_6 = 0;
        const u32 seen_halo_below_4 = halo_below_4; halo_below_4 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_3 |= moved(seen_halo_below_3, term);
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_2 |= moved(seen_halo_below_2, term);
            halo_below_5 |= moved(seen_halo_below_5, term);
            halo_below_6 |= moved(seen_halo_below_6, term);
            halo_below_4 |= moved(seen_halo_below_4, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_0 = halo_below_right_0; halo_below_right_0 = 0;
        const u32 seen_halo_below_right_1 = halo_below_right_1; halo_below_right_1 = 0;
        const u32 seen_halo_below_right_2 = halo_below_right_2; halo_below_right_2 = 0;
        const u32 seen_halo_below_right_3 = halo_below_right_3; halo_below_right_3 = 0;
        const u32 seen_halo_below_right_4 = halo_below_right_4; halo_below_right_4 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_0 |= moved(seen_halo_below_right_0, term);
            halo_below_right_1 |= moved(seen_halo_below_right_1, term);
            halo_below_right_2 |= moved(seen_halo_below_right_2, term);
            halo_below_right_3 |= moved(seen_halo_below_right_3, term);
            halo_below_right_4 |= moved(seen_halo_below_right_4, term);
        }
    }

    // the rule
    const u32 ones_0 = lop3<0x96>(own_3, own_6, halo_right_2);
    const u32 ones_1 = halo_right_5 ^ halo_below_right_0;
    const u32 twos_0 = lop3<0x48>(halo_right_1, ones_0, ones_1);
    const u32 twos_1 = lop3<0xe8>(halo_right_1, halo_right_5, halo_below_right_0);
    const u32 twos_2 = lop3<0xe8>(own_3, own_6, halo_right_2);
    const u32 twos_3 = lop3<0x96>(twos_2, twos_1, twos_0);
    const u32 fours_0 = lop3<0xe8>(twos_2, twos_1, twos_0);
    const u32 ones_2 = lop3<0x96>(halo_right_1, halo_right_5, halo_below_right_0);
    const u32 choice_0 = lop3<0x06>(halo_right_4, ones_0, ones_2);
    const u32 choice_1 = lop3<0x02>(fours_0, choice_0, twos_3);
    const u32 right_exists = presence(world, right, word);
    const u32 existing_0 = right_exists & choice_1;
    const u32 ones_3 = lop3<0x96>(halo_right_0, halo_right_4, halo_right_5);
    const u32 twos_4 = ones_0 & ones_3;
    const u32 twos_5 = lop3<0xe8>(halo_right_0, halo_right_4, halo_right_5);
    const u32 twos_6 = lop3<0x96>(twos_2, twos_5, twos_4);
    const u32 fours_1 = lop3<0xe8>(twos_2, twos_5, twos_4);
    const u32 choice_2 = lop3<0x06>(halo_right_1, ones_0, ones_3);
    const u32 choice_3 = lop3<0x02>(fours_1, choice_2, twos_6);
    const u32 existing_1 = choice_3 & right_exists;
    const u32 ones_4 = existing_1 ^ existing_0;
    const u32 ones_5 = lop3<0x96>(own_5, own_4, own_6);
    const u32 ones_6 = own_0 ^ own_3;
    const u32 twos_7 = lop3<0x28>(own_1, ones_6, ones_5);
    const u32 twos_8 = lop3<0xe8>(own_5, own_4, own_6);
    const u32 twos_9 = lop3<0xe8>(own_0, own_3, own_1);
    const u32 twos_10 = lop3<0x96>(twos_9, twos_8, twos_7);
    const u32 fours_2 = lop3<0xe8>(twos_9, twos_8, twos_7);
    const u32 ones_7 = lop3<0x96>(own_0, own_3, own_1);
    const u32 choice_4 = lop3<0x06>(own_2, ones_7, ones_5);
    const u32 choice_5 = lop3<0x02>(fours_2, choice_4, twos_10);
    const u32 ones_8 = choice_5 ^ ones_4;
    const u32 ones_9 = lop3<0x96>(own_2, own_3, own_1);
    const u32 ones_10 = halo_below_0 ^ own_6;
    const u32 twos_11 = lop3<0x60>(ones_9, own_4, ones_10);
    const u32 twos_12 = lop3<0xe8>(halo_below_0, own_4, own_6);
    const u32 twos_13 = lop3<0xe8>(own_2, own_3, own_1);
    const u32 twos_14 = lop3<0x96>(twos_13, twos_12, twos_11);
    const u32 fours_3 = lop3<0xe8>(twos_13, twos_12, twos_11);
    const u32 ones_11 = lop3<0x96>(halo_below_0, own_4, own_6);
    const u32 choice_6 = lop3<0x12>(ones_9, own_5, ones_11);
    const u32 choice_7 = lop3<0x02>(fours_3, choice_6, twos_14);
    const u32 ones_12 = lop3<0x96>(own_2, halo_below_0, own_5);
    const u32 ones_13 = halo_right_4 ^ halo_right_1;
    const u32 twos_15 = lop3<0x48>(own_3, ones_12, ones_13);
    const u32 twos_16 = lop3<0xe8>(own_3, halo_right_4, halo_right_1);
    const u32 twos_17 = lop3<0xe8>(own_2, halo_below_0, own_5);
    const u32 fours_4 = lop3<0xe8>(twos_17, twos_16, twos_15);
    const u32 ones_14 = lop3<0x96>(own_3, ones_12, ones_13);
    const u32 choice_8 = lop3<0xce>(own_6, fours_4, ones_14);
    const u32 twos_18 = twos_17 ^ twos_16;
    const u32 choice_9 = lop3<0x14>(twos_18, twos_15, choice_8);
    const u32 ones_15 = halo_above_5 ^ halo_above_6;
    const u32 twos_19 = lop3<0x28>(halo_above_4, ones_15, ones_9);
    const u32 twos_20 = lop3<0xe8>(halo_above_5, halo_above_4, halo_above_6);
    const u32 fours_5 = lop3<0xe8>(twos_20, twos_13, twos_19);
    const u32 ones_16 = lop3<0x96>(halo_above_4, ones_15, ones_9);
    const u32 choice_10 = lop3<0xce>(own_0, fours_5, ones_16);
    const u32 twos_21 = twos_20 ^ twos_13;
    const u32 choice_11 = lop3<0x14>(twos_21, twos_19, choice_10);
    const u32 ones_17 = choice_11 ^ choice_9;
    const u32 ones_18 = ones_17 ^ choice_7;
    const u32 twos_22 = ones_18 & ones_8;
    const u32 twos_23 = lop3<0xe8>(choice_5, existing_1, existing_0);
    const u32 twos_24 = lop3<0xe8>(choice_11, choice_9, choice_7);
    const u32 fours_6 = lop3<0xe8>(twos_24, twos_23, twos_22);
    const u32 ones_19 = lop3<0x96>(own_0, own_2, own_5);
    const u32 twos_25 = lop3<0x28>(ones_13, own_6, ones_19);
    const u32 twos_26 = lop3<0xe8>(own_0, own_2, own_5);
    const u32 twos_27 = lop3<0xe8>(halo_right_4, halo_right_1, own_6);
    const u32 fours_7 = lop3<0xe8>(twos_27, twos_26, twos_25);
    const u32 ones_20 = lop3<0x96>(ones_13, own_6, ones_19);
    const u32 choice_12 = lop3<0xce>(own_3, fours_7, ones_20);
    const u32 twos_28 = twos_27 ^ twos_26;
    const u32 choice_13 = lop3<0x14>(twos_28, twos_25, choice_12);
    const u32 choice_14 = lop3<0x06>(choice_13, ones_18, ones_8);
    const u32 choice_15 = fours_6 | choice_14;
    const u32 twos_29 = twos_24 ^ twos_23;
    const u32 choice_16 = lop3<0x14>(twos_29, twos_22, choice_15);
    const u32 ones_21 = halo_left_3 ^ halo_left_6;
    const u32 twos_30 = lop3<0x28>(own_1, ones_21, ones_12);
    const u32 twos_31 = lop3<0xe8>(own_1, halo_left_3, halo_left_6);
    const u32 fours_8 = lop3<0xe8>(twos_31, twos_17, twos_30);
    const u32 ones_22 = lop3<0x96>(own_1, ones_21, ones_12);
    const u32 choice_17 = lop3<0xf4>(fours_8, ones_22, own_4);
    const u32 twos_32 = twos_31 ^ twos_17;
    const u32 choice_18 = lop3<0x14>(twos_32, twos_30, choice_17);
    const u32 ones_23 = choice_18 ^ choice_13;
    const u32 twos_33 = lop3<0x28>(ones_21, own_4, ones_19);
    const u32 twos_34 = lop3<0xe8>(halo_left_3, halo_left_6, own_4);
    const u32 fours_9 = lop3<0xe8>(twos_26, twos_34, twos_33);
    const u32 ones_24 = lop3<0x96>(ones_21, own_4, ones_19);
    const u32 choice_19 = lop3<0xce>(own_1, fours_9, ones_24);
    const u32 twos_35 = twos_26 ^ twos_34;
    const u32 choice_20 = lop3<0x14>(twos_35, twos_33, choice_19);
    const u32 ones_25 = ones_23 ^ choice_20;
    const u32 twos_36 = ones_25 & ones_18;
    const u32 twos_37 = lop3<0xe8>(choice_18, choice_13, choice_20);
    const u32 fours_10 = lop3<0xe8>(twos_37, twos_24, twos_36);
    const u32 ones_26 = ones_25 ^ ones_18;
    const u32 choice_21 = lop3<0xf4>(fours_10, ones_26, choice_5);
    const u32 twos_38 = twos_37 ^ twos_24;
    const u32 choice_22 = lop3<0x14>(twos_38, twos_36, choice_21);
    const u32 ones_27 = choice_22 ^ choice_16;
    const u32 ones_28 = choice_7 ^ choice_5;
    const u32 ones_29 = lop3<0x96>(own_1, own_4, halo_left_5);
    const u32 ones_30 = halo_left_3 ^ halo_left_2;
    const u32 twos_39 = lop3<0x28>(ones_30, halo_below_left_0, ones_29);
    const u32 twos_40 = lop3<0xe8>(own_1, own_4, halo_left_5);
    const u32 twos_41 = lop3<0xe8>(halo_left_3, halo_left_2, halo_below_left_0);
    const u32 fours_11 = lop3<0xe8>(twos_41, twos_40, twos_39);
    const u32 ones_31 = lop3<0x96>(ones_30, halo_below_left_0, ones_29);
    const u32 choice_23 = lop3<0xce>(halo_left_6, fours_11, ones_31);
    const u32 twos_42 = twos_41 ^ twos_40;
    const u32 choice_24 = lop3<0x14>(twos_42, twos_39, choice_23);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_2 = choice_24 & left_exists;
    const u32 ones_32 = ones_28 ^ existing_2;
    const u32 ones_33 = halo_left_0 ^ halo_left_6;
    const u32 twos_43 = lop3<0x48>(halo_left_2, ones_29, ones_33);
    const u32 twos_44 = lop3<0xe8>(halo_left_0, halo_left_6, halo_left_2);
    const u32 twos_45 = lop3<0x96>(twos_40, twos_44, twos_43);
    const u32 fours_12 = lop3<0xe8>(twos_40, twos_44, twos_43);
    const u32 ones_34 = lop3<0x96>(halo_left_0, halo_left_6, halo_left_2);
    const u32 choice_25 = lop3<0x06>(halo_left_3, ones_29, ones_34);
    const u32 choice_26 = lop3<0x02>(fours_12, choice_25, twos_45);
    const u32 existing_3 = left_exists & choice_26;
    const u32 ones_35 = ones_32 ^ existing_3;
    const u32 ones_36 = choice_11 ^ ones_35;
    const u32 twos_46 = choice_18 & ones_36;
    const u32 twos_47 = lop3<0xe8>(choice_7, choice_5, existing_2);
    const u32 twos_48 = lop3<0xe8>(choice_11, ones_32, existing_3);
    const u32 fours_13 = lop3<0xe8>(twos_48, twos_47, twos_46);
    const u32 ones_37 = choice_18 ^ ones_36;
    const u32 choice_27 = lop3<0xce>(choice_20, fours_13, ones_37);
    const u32 twos_49 = twos_48 ^ twos_47;
    const u32 choice_28 = lop3<0x14>(twos_49, twos_46, choice_27);
    const u32 ones_38 = ones_27 ^ choice_28;
    const u32 ones_39 = lop3<0x96>(halo_above_1, halo_above_3, halo_above_6);
    const u32 ones_40 = halo_above_2 ^ halo_above_4;
    const u32 twos_50 = lop3<0x48>(own_0, ones_39, ones_40);
    const u32 twos_51 = lop3<0xe8>(own_0, halo_above_2, halo_above_4);
    const u32 twos_52 = lop3<0xe8>(halo_above_1, halo_above_3, halo_above_6);
    const u32 twos_53 = lop3<0x96>(twos_52, twos_51, twos_50);
    const u32 fours_14 = lop3<0xe8>(twos_52, twos_51, twos_50);
    const u32 ones_41 = lop3<0x96>(own_0, halo_above_2, halo_above_4);
    const u32 choice_29 = lop3<0x06>(halo_above_5, ones_39, ones_41);
    const u32 choice_30 = lop3<0x02>(fours_14, choice_29, twos_53);
    const u32 above_exists = presence(world, above, word);
    const u32 existing_4 = above_exists & choice_30;
    const u32 ones_42 = halo_above_right_2 ^ halo_above_right_5;
    const u32 ones_43 = lop3<0x96>(halo_above_3, halo_above_6, ones_42);
    const u32 twos_54 = lop3<0x60>(halo_above_right_1, ones_43, halo_right_0);
    const u32 ones_44 = lop3<0x96>(halo_above_3, halo_above_right_2, halo_above_right_5);
    const u32 twos_55 = lop3<0xe8>(halo_above_6, ones_44, halo_right_0);
    const u32 twos_56 = lop3<0xe8>(halo_above_3, halo_above_right_2, halo_above_right_5);
    const u32 fours_15 = lop3<0xe8>(twos_56, twos_55, twos_54);
    const u32 ones_45 = lop3<0x96>(halo_above_right_1, ones_43, halo_right_0);
    const u32 existing_5 = lop3<0xce>(halo_above_right_4, fours_15, ones_45);
    const u32 twos_57 = twos_56 ^ twos_55;
    const u32 ones_46 = ones_43 ^ halo_right_0;
    const u32 twos_58 = lop3<0x6c>(halo_above_right_1, twos_57, ones_46);
    const u32 above_right_exists = presence(world, above_right, word);
    const u32 existing_6 = lop3<0x20>(above_right_exists, existing_5, twos_58);
    const u32 twos_59 = lop3<0x60>(halo_above_right_4, ones_43, halo_above_right_0);
    const u32 twos_60 = lop3<0xe8>(halo_above_6, ones_44, halo_above_right_0);
    const u32 fours_16 = lop3<0xe8>(twos_60, twos_56, twos_59);
    const u32 ones_47 = lop3<0x96>(halo_above_right_4, ones_43, halo_above_right_0);
    const u32 existing_7 = lop3<0xce>(halo_above_right_1, fours_16, ones_47);
    const u32 twos_61 = twos_60 ^ twos_56;
    const u32 ones_48 = ones_43 ^ halo_above_right_0;
    const u32 twos_62 = lop3<0x6c>(halo_above_right_4, twos_61, ones_48);
    const u32 existing_8 = lop3<0x08>(existing_7, twos_62, above_right_exists);
    const u32 ones_49 = existing_8 ^ existing_6;
    const u32 ones_50 = ones_49 ^ existing_4;
    const u32 ones_51 = lop3<0x96>(halo_above_2, halo_above_right_4, halo_above_right_1);
    const u32 twos_63 = lop3<0x60>(ones_51, halo_above_0, ones_15);
    const u32 twos_64 = lop3<0xe8>(halo_above_5, halo_above_6, halo_above_0);
    const u32 twos_65 = lop3<0xe8>(halo_above_2, halo_above_right_4, halo_above_right_1);
    const u32 twos_66 = lop3<0x96>(twos_65, twos_64, twos_63);
    const u32 fours_17 = lop3<0xe8>(twos_65, twos_64, twos_63);
    const u32 ones_52 = lop3<0x96>(ones_51, halo_above_0, ones_15);
    const u32 existing_9 = lop3<0xce>(halo_above_3, fours_17, ones_52);
    const u32 existing_10 = lop3<0x20>(above_exists, existing_9, twos_66);
    const u32 ones_53 = lop3<0x96>(halo_above_5, halo_above_4, halo_above_0);
    const u32 twos_67 = ones_53 & ones_39;
    const u32 twos_68 = lop3<0xe8>(halo_above_5, halo_above_4, halo_above_0);
    const u32 twos_69 = lop3<0x96>(twos_68, twos_52, twos_67);
    const u32 fours_18 = lop3<0xe8>(twos_68, twos_52, twos_67);
    const u32 ones_54 = ones_53 ^ ones_39;
    const u32 existing_11 = lop3<0xce>(halo_above_2, fours_18, ones_54);
    const u32 existing_12 = lop3<0x20>(above_exists, existing_11, twos_69);
    const u32 ones_55 = existing_12 ^ existing_10;
    const u32 ones_56 = ones_55 ^ choice_11;
    const u32 twos_70 = ones_56 & ones_50;
    const u32 twos_71 = lop3<0xe8>(existing_8, existing_6, existing_4);
    const u32 twos_72 = lop3<0xe8>(existing_12, existing_10, choice_11);
    const u32 choice_31 = lop3<0x16>(twos_72, twos_71, twos_70);
    const u32 ones_57 = ones_56 ^ ones_50;
    const u32 ones_58 = own_0 ^ halo_above_5;
    const u32 twos_73 = lop3<0x28>(ones_58, halo_above_3, ones_51);
    const u32 twos_74 = lop3<0xe8>(own_0, halo_above_5, halo_above_3);
    const u32 fours_19 = lop3<0xe8>(twos_74, twos_65, twos_73);
    const u32 ones_59 = lop3<0x96>(ones_58, halo_above_3, ones_51);
    const u32 choice_32 = lop3<0xf4>(fours_19, ones_59, halo_above_6);
    const u32 twos_75 = twos_74 ^ twos_65;
    const u32 choice_33 = lop3<0x14>(twos_75, twos_73, choice_32);
    const u32 choice_34 = lop3<0xc4>(choice_33, choice_31, ones_57);
    const u32 existing_13 = above_exists & choice_34;
    const u32 ones_60 = lop3<0x96>(halo_above_left_6, halo_above_2, halo_above_left_3);
    const u32 twos_76 = ones_60 & ones_53;
    const u32 twos_77 = lop3<0xe8>(halo_above_left_6, halo_above_2, halo_above_left_3);
    const u32 twos_78 = lop3<0x96>(twos_77, twos_68, twos_76);
    const u32 fours_20 = lop3<0xe8>(twos_77, twos_68, twos_76);
    const u32 ones_61 = ones_60 ^ ones_53;
    const u32 existing_14 = lop3<0xce>(halo_above_1, fours_20, ones_61);
    const u32 existing_15 = lop3<0x20>(above_exists, existing_14, twos_78);
    const u32 existing_16 = above_exists & choice_33;
    const u32 twos_79 = lop3<0x28>(ones_58, halo_above_1, ones_60);
    const u32 twos_80 = lop3<0xe8>(own_0, halo_above_5, halo_above_1);
    const u32 fours_21 = lop3<0xe8>(twos_80, twos_77, twos_79);
    const u32 ones_62 = lop3<0x96>(ones_58, halo_above_1, ones_60);
    const u32 choice_35 = lop3<0xf4>(fours_21, ones_62, halo_above_4);
    const u32 twos_81 = twos_80 ^ twos_77;
    const u32 choice_36 = lop3<0x14>(twos_81, twos_79, choice_35);
    const u32 existing_17 = choice_36 & above_exists;
    const u32 ones_63 = existing_17 ^ existing_16;
    const u32 ones_64 = ones_63 ^ existing_15;
    const u32 twos_82 = ones_64 & ones_56;
    const u32 twos_83 = existing_17 & existing_16;
    const u32 twos_84 = lop3<0xea>(ones_63, existing_15, twos_83);
    const u32 choice_37 = lop3<0x16>(twos_84, twos_72, twos_82);
    const u32 ones_65 = ones_64 ^ ones_56;
    const u32 choice_38 = lop3<0xd0>(choice_37, choice_30, ones_65);
    const u32 existing_18 = above_exists & choice_38;
    const u32 ones_66 = existing_18 ^ existing_13;
    const u32 ones_67 = existing_12 ^ existing_4;
    const u32 ones_68 = choice_11 ^ ones_67;
    const u32 ones_69 = halo_above_1 ^ halo_above_4;
    const u32 ones_70 = lop3<0x96>(ones_69, halo_above_left_5, halo_above_left_2);
    const u32 twos_85 = lop3<0x28>(halo_above_left_3, ones_70, halo_left_0);
    const u32 twos_86 = lop3<0xe8>(halo_above_1, halo_above_4, halo_above_left_5);
    const u32 ones_71 = lop3<0x96>(halo_above_1, halo_above_4, halo_above_left_5);
    const u32 twos_87 = lop3<0xe8>(halo_above_left_3, ones_71, halo_above_left_2);
    const u32 twos_88 = lop3<0x96>(twos_87, twos_86, twos_85);
    const u32 fours_22 = lop3<0xe8>(twos_87, twos_86, twos_85);
    const u32 ones_72 = lop3<0x96>(halo_above_left_3, ones_70, halo_left_0);
    const u32 existing_19 = lop3<0xce>(halo_above_left_6, fours_22, ones_72);
    const u32 above_left_exists = presence(world, above_left, word);
    const u32 existing_20 = lop3<0x08>(existing_19, twos_88, above_left_exists);
    const u32 ones_73 = existing_15 ^ existing_20;
    const u32 twos_89 = lop3<0x60>(halo_above_left_6, ones_70, halo_above_left_0);
    const u32 twos_90 = lop3<0xe8>(ones_71, halo_above_left_2, halo_above_left_0);
    const u32 fours_23 = lop3<0xe8>(twos_86, twos_90, twos_89);
    const u32 ones_74 = lop3<0x96>(halo_above_left_6, ones_70, halo_above_left_0);
    const u32 existing_21 = lop3<0xce>(halo_above_left_3, fours_23, ones_74);
    const u32 twos_91 = twos_86 ^ twos_90;
    const u32 ones_75 = ones_70 ^ halo_above_left_0;
    const u32 twos_92 = lop3<0x6c>(halo_above_left_6, twos_91, ones_75);
    const u32 existing_22 = lop3<0x20>(above_left_exists, existing_21, twos_92);
    const u32 ones_76 = ones_73 ^ existing_22;
    const u32 twos_93 = ones_76 & ones_68;
    const u32 twos_94 = lop3<0xe8>(existing_12, choice_11, existing_4);
    const u32 twos_95 = lop3<0xe8>(existing_15, existing_20, existing_22);
    const u32 choice_39 = lop3<0x16>(twos_95, twos_94, twos_93);
    const u32 ones_77 = ones_76 ^ ones_68;
    const u32 choice_40 = lop3<0xc4>(choice_36, choice_39, ones_77);
    const u32 existing_23 = above_exists & choice_40;
    const u32 ones_78 = ones_66 ^ existing_23;
    const u32 twos_96 = ones_78 & ones_38;
    const u32 twos_97 = lop3<0xe8>(choice_22, choice_16, choice_28);
    const u32 twos_98 = lop3<0xe8>(existing_18, existing_13, existing_23);
    const u32 fours_24 = lop3<0xe8>(twos_98, twos_97, twos_96);
    const u32 ones_79 = ones_78 ^ ones_38;
    const u32 ones_80 = choice_13 ^ choice_5;
    const u32 ones_81 = choice_20 ^ ones_80;
    const u32 twos_99 = lop3<0xec>(ones_63, twos_83, ones_81);
    const u32 ones_82 = ones_63 ^ ones_81;
    const u32 twos_100 = existing_4 & ones_82;
    const u32 twos_101 = lop3<0xe8>(choice_13, choice_20, choice_5);
    const u32 fours_25 = lop3<0xe8>(twos_99, twos_101, twos_100);
    const u32 ones_83 = existing_4 ^ ones_82;
    const u32 choice_41 = lop3<0xce>(choice_11, fours_25, ones_83);
    const u32 twos_102 = twos_99 ^ twos_101;
    const u32 choice_42 = lop3<0x14>(twos_102, twos_100, choice_41);
    const u32 choice_43 = lop3<0xf4>(fours_24, ones_79, choice_42);
    const u32 twos_103 = twos_98 ^ twos_97;
    const u32 choice_44 = lop3<0x14>(twos_103, twos_96, choice_43);
    out_alive[0 * WORDS] = choice_44;
    const u32 ones_84 = choice_18 ^ choice_20;
    const u32 ones_85 = lop3<0x96>(ones_21, halo_left_4, halo_left_1);
    const u32 twos_104 = lop3<0x60>(halo_left_2, halo_below_left_0, ones_85);
    const u32 twos_105 = lop3<0xe8>(halo_left_3, halo_left_6, halo_left_4);
    const u32 ones_86 = lop3<0x96>(halo_left_3, halo_left_6, halo_left_4);
    const u32 twos_106 = lop3<0xe8>(halo_below_left_0, ones_86, halo_left_1);
    const u32 fours_26 = lop3<0xe8>(twos_106, twos_105, twos_104);
    const u32 ones_87 = lop3<0x96>(halo_left_2, halo_below_left_0, ones_85);
    const u32 existing_24 = lop3<0xce>(halo_left_5, fours_26, ones_87);
    const u32 twos_107 = twos_106 ^ twos_105;
    const u32 ones_88 = halo_below_left_0 ^ ones_85;
    const u32 twos_108 = lop3<0x6c>(halo_left_2, twos_107, ones_88);
    const u32 existing_25 = lop3<0x20>(left_exists, existing_24, twos_108);
    const u32 ones_89 = ones_84 ^ existing_25;
    const u32 twos_109 = lop3<0x60>(halo_left_0, halo_left_5, ones_85);
    const u32 twos_110 = lop3<0xe8>(halo_left_5, ones_86, halo_left_1);
    const u32 fours_27 = lop3<0xe8>(twos_105, twos_110, twos_109);
    const u32 ones_90 = lop3<0x96>(halo_left_0, halo_left_5, ones_85);
    const u32 existing_26 = lop3<0xce>(halo_left_2, fours_27, ones_90);
    const u32 twos_111 = twos_105 ^ twos_110;
    const u32 ones_91 = halo_left_5 ^ ones_85;
    const u32 twos_112 = lop3<0x6c>(halo_left_0, twos_111, ones_91);
    const u32 existing_27 = lop3<0x20>(left_exists, existing_26, twos_112);
    const u32 twos_113 = ones_89 & existing_27;
    const u32 ones_92 = ones_89 ^ existing_27;
    const u32 twos_114 = lop3<0xea>(existing_3, ones_92, twos_113);
    const u32 ones_93 = existing_3 ^ ones_92;
    const u32 ones_94 = lop3<0x96>(halo_left_6, halo_left_5, halo_below_left_3);
    const u32 ones_95 = halo_below_left_1 ^ halo_below_left_2;
    const u32 twos_115 = lop3<0x28>(halo_left_4, ones_95, ones_94);
    const u32 twos_116 = lop3<0xe8>(halo_left_6, halo_left_5, halo_below_left_3);
    const u32 twos_117 = lop3<0xe8>(halo_left_4, halo_below_left_1, halo_below_left_2);
    const u32 twos_118 = lop3<0x96>(twos_117, twos_116, twos_115);
    const u32 fours_28 = lop3<0xe8>(twos_117, twos_116, twos_115);
    const u32 ones_96 = lop3<0x96>(halo_left_4, ones_95, ones_94);
    const u32 existing_28 = lop3<0xce>(halo_below_left_0, fours_28, ones_96);
    const u32 below_left_exists = presence(world, below_left, word);
    const u32 existing_29 = lop3<0x08>(existing_28, twos_118, below_left_exists);
    const u32 twos_119 = ones_93 & existing_29;
    const u32 twos_120 = lop3<0xe8>(choice_18, choice_20, existing_25);
    const u32 choice_45 = lop3<0x16>(twos_120, twos_114, twos_119);
    const u32 ones_97 = ones_93 ^ existing_29;
    const u32 choice_46 = lop3<0xc4>(choice_24, choice_45, ones_97);
    const u32 existing_30 = left_exists & choice_46;
    const u32 ones_98 = lop3<0x96>(halo_above_left_6, halo_left_1, halo_above_left_4);
    const u32 twos_121 = lop3<0x28>(halo_above_left_5, ones_30, ones_98);
    const u32 twos_122 = lop3<0xe8>(halo_above_left_5, halo_left_3, halo_left_2);
    const u32 twos_123 = lop3<0xe8>(halo_above_left_6, halo_left_1, halo_above_left_4);
    const u32 twos_124 = lop3<0x96>(twos_123, twos_122, twos_121);
    const u32 fours_29 = lop3<0xe8>(twos_123, twos_122, twos_121);
    const u32 ones_99 = lop3<0x96>(halo_above_left_5, ones_30, ones_98);
    const u32 existing_31 = lop3<0xce>(halo_left_0, fours_29, ones_99);
    const u32 existing_32 = lop3<0x20>(left_exists, existing_31, twos_124);
    const u32 ones_100 = existing_2 ^ ones_92;
    const u32 twos_125 = ones_100 & existing_32;
    const u32 twos_126 = lop3<0xea>(existing_2, ones_92, twos_113);
    const u32 choice_47 = lop3<0x16>(twos_126, twos_120, twos_125);
    const u32 ones_101 = ones_100 ^ existing_32;
    const u32 choice_48 = lop3<0xc4>(choice_26, choice_47, ones_101);
    const u32 existing_33 = left_exists & choice_48;
    const u32 twos_127 = existing_33 & existing_30;
    const u32 ones_102 = choice_22 ^ choice_42;
    const u32 ones_103 = choice_18 ^ choice_9;
    const u32 ones_104 = ones_81 ^ ones_103;
    const u32 ones_105 = halo_below_1 ^ halo_below_3;
    const u32 twos_128 = lop3<0x60>(ones_5, ones_105, halo_below_2);
    const u32 twos_129 = lop3<0xe8>(halo_below_1, halo_below_3, halo_below_2);
    const u32 fours_30 = lop3<0xe8>(twos_8, twos_129, twos_128);
    const u32 ones_106 = lop3<0x96>(ones_5, ones_105, halo_below_2);
    const u32 choice_49 = lop3<0xce>(halo_below_0, fours_30, ones_106);
    const u32 twos_130 = twos_8 ^ twos_129;
    const u32 choice_50 = lop3<0x14>(twos_130, twos_128, choice_49);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_34 = choice_50 & below_exists;
    const u32 twos_131 = ones_104 & existing_34;
    const u32 twos_132 = lop3<0xe8>(choice_18, choice_9, ones_81);
    const u32 fours_31 = lop3<0xe8>(twos_101, twos_132, twos_131);
    const u32 ones_107 = ones_104 ^ existing_34;
    const u32 choice_51 = lop3<0xce>(choice_7, fours_31, ones_107);
    const u32 twos_133 = twos_101 ^ twos_132;
    const u32 choice_52 = lop3<0x14>(twos_133, twos_131, choice_51);
    const u32 ones_108 = ones_102 ^ choice_52;
    const u32 ones_109 = existing_33 ^ existing_30;
    const u32 twos_134 = lop3<0xea>(ones_109, ones_108, twos_127);
    const u32 ones_110 = ones_109 ^ ones_108;
    const u32 ones_111 = choice_20 ^ ones_35;
    const u32 twos_135 = existing_34 & ones_111;
    const u32 twos_136 = lop3<0xe8>(choice_20, ones_32, existing_3);
    const u32 fours_32 = lop3<0xe8>(twos_47, twos_136, twos_135);
    const u32 ones_112 = existing_34 ^ ones_111;
    const u32 choice_53 = lop3<0xce>(choice_18, fours_32, ones_112);
    const u32 twos_137 = twos_47 ^ twos_136;
    const u32 choice_54 = lop3<0x14>(twos_137, twos_135, choice_53);
    const u32 twos_138 = ones_110 & choice_54;
    const u32 twos_139 = lop3<0xe8>(choice_22, choice_42, choice_52);
    const u32 fours_33 = lop3<0xe8>(twos_134, twos_139, twos_138);
    const u32 ones_113 = ones_110 ^ choice_54;
    const u32 choice_55 = lop3<0xce>(choice_28, fours_33, ones_113);
    const u32 twos_140 = twos_134 ^ twos_139;
    const u32 choice_56 = lop3<0x14>(twos_140, twos_138, choice_55);
    out_alive[1 * WORDS] = choice_56;
    const u32 ones_114 = choice_13 ^ choice_7;
    const u32 ones_115 = existing_34 ^ ones_114;
    const u32 twos_141 = ones_8 & ones_115;
    const u32 twos_142 = lop3<0xe8>(choice_13, choice_7, existing_34);
    const u32 fours_34 = lop3<0xe8>(twos_23, twos_142, twos_141);
    const u32 ones_116 = ones_8 ^ ones_115;
    const u32 choice_57 = lop3<0xce>(choice_9, fours_34, ones_116);
    const u32 twos_143 = twos_23 ^ twos_142;
    const u32 choice_58 = lop3<0x14>(twos_143, twos_141, choice_57);
    const u32 ones_117 = choice_54 ^ choice_58;
    const u32 ones_118 = choice_28 ^ ones_117;
    const u32 ones_119 = choice_16 ^ choice_42;
    const u32 ones_120 = choice_52 ^ ones_119;
    const u32 twos_144 = ones_120 & ones_118;
    const u32 twos_145 = choice_54 & choice_58;
    const u32 twos_146 = lop3<0xea>(choice_28, ones_117, twos_145);
    const u32 twos_147 = lop3<0xe8>(choice_16, choice_42, choice_52);
    const u32 fours_35 = lop3<0xe8>(twos_147, twos_146, twos_144);
    const u32 ones_121 = ones_120 ^ ones_118;
    const u32 choice_59 = lop3<0xce>(choice_22, fours_35, ones_121);
    const u32 twos_148 = twos_147 ^ twos_146;
    const u32 choice_60 = lop3<0x14>(twos_148, twos_144, choice_59);
    out_alive[2 * WORDS] = choice_60;
    const u32 ones_122 = lop3<0x96>(halo_right_1, halo_right_2, halo_right_3);
    const u32 ones_123 = halo_right_4 ^ halo_right_6;
    const u32 twos_149 = lop3<0x28>(halo_below_right_0, ones_123, ones_122);
    const u32 twos_150 = lop3<0xe8>(halo_right_1, halo_right_2, halo_right_3);
    const u32 twos_151 = lop3<0xe8>(halo_right_4, halo_below_right_0, halo_right_6);
    const u32 twos_152 = lop3<0x96>(twos_151, twos_150, twos_149);
    const u32 fours_36 = lop3<0xe8>(twos_151, twos_150, twos_149);
    const u32 ones_124 = lop3<0x96>(halo_below_right_0, ones_123, ones_122);
    const u32 existing_35 = lop3<0xce>(halo_right_5, fours_36, ones_124);
    const u32 existing_36 = lop3<0x20>(right_exists, existing_35, twos_152);
    const u32 ones_125 = choice_13 ^ choice_9;
    const u32 ones_126 = ones_125 ^ existing_36;
    const u32 ones_127 = halo_right_1 ^ halo_right_6;
    const u32 twos_153 = lop3<0x60>(ones_3, halo_right_3, ones_127);
    const u32 twos_154 = lop3<0xe8>(halo_right_1, halo_right_6, halo_right_3);
    const u32 twos_155 = lop3<0x96>(twos_5, twos_154, twos_153);
    const u32 fours_37 = lop3<0xe8>(twos_5, twos_154, twos_153);
    const u32 ones_128 = lop3<0x96>(ones_3, halo_right_3, ones_127);
    const u32 existing_37 = lop3<0xce>(halo_right_2, fours_37, ones_128);
    const u32 existing_38 = lop3<0x20>(right_exists, existing_37, twos_155);
    const u32 twos_156 = ones_126 & existing_38;
    const u32 ones_129 = ones_126 ^ existing_38;
    const u32 twos_157 = lop3<0xea>(existing_1, ones_129, twos_156);
    const u32 ones_130 = existing_1 ^ ones_129;
    const u32 ones_131 = lop3<0x96>(halo_right_5, halo_below_right_2, halo_below_right_1);
    const u32 twos_158 = lop3<0x28>(ones_123, halo_below_right_3, ones_131);
    const u32 twos_159 = lop3<0xe8>(halo_right_4, halo_right_6, halo_below_right_3);
    const u32 twos_160 = lop3<0xe8>(halo_right_5, halo_below_right_2, halo_below_right_1);
    const u32 twos_161 = lop3<0x96>(twos_160, twos_159, twos_158);
    const u32 fours_38 = lop3<0xe8>(twos_160, twos_159, twos_158);
    const u32 ones_132 = lop3<0x96>(ones_123, halo_below_right_3, ones_131);
    const u32 existing_39 = lop3<0xce>(halo_below_right_0, fours_38, ones_132);
    const u32 below_right_exists = presence(world, below_right, word);
    const u32 existing_40 = lop3<0x08>(existing_39, twos_161, below_right_exists);
    const u32 twos_162 = ones_130 & existing_40;
    const u32 twos_163 = lop3<0xe8>(choice_13, choice_9, existing_36);
    const u32 choice_61 = lop3<0x16>(twos_163, twos_157, twos_162);
    const u32 ones_133 = ones_130 ^ existing_40;
    const u32 choice_62 = lop3<0xc4>(choice_1, choice_61, ones_133);
    const u32 existing_41 = right_exists & choice_62;
    const u32 twos_164 = lop3<0xea>(existing_0, ones_129, twos_156);
    const u32 ones_134 = existing_0 ^ ones_129;
    const u32 ones_135 = halo_above_right_4 ^ halo_above_right_5;
    const u32 twos_165 = lop3<0x60>(ones_122, ones_135, halo_above_right_6);
    const u32 twos_166 = lop3<0xe8>(halo_above_right_4, halo_above_right_5, halo_above_right_6);
    const u32 twos_167 = lop3<0x96>(twos_150, twos_166, twos_165);
    const u32 fours_39 = lop3<0xe8>(twos_150, twos_166, twos_165);
    const u32 ones_136 = lop3<0x96>(ones_122, ones_135, halo_above_right_6);
    const u32 existing_42 = lop3<0xce>(halo_right_0, fours_39, ones_136);
    const u32 existing_43 = lop3<0x20>(right_exists, existing_42, twos_167);
    const u32 twos_168 = ones_134 & existing_43;
    const u32 choice_63 = lop3<0x16>(twos_164, twos_163, twos_168);
    const u32 ones_137 = ones_134 ^ existing_43;
    const u32 choice_64 = lop3<0xc4>(choice_3, choice_63, ones_137);
    const u32 existing_44 = right_exists & choice_64;
    const u32 ones_138 = existing_44 ^ existing_41;
    const u32 ones_139 = choice_58 ^ ones_138;
    const u32 twos_169 = ones_108 & ones_139;
    const u32 twos_170 = existing_44 & existing_41;
    const u32 twos_171 = lop3<0xea>(choice_58, ones_138, twos_170);
    const u32 fours_40 = lop3<0xe8>(twos_139, twos_171, twos_169);
    const u32 ones_140 = ones_108 ^ ones_139;
    const u32 choice_65 = lop3<0xce>(choice_16, fours_40, ones_140);
    const u32 twos_172 = twos_139 ^ twos_171;
    const u32 choice_66 = lop3<0x14>(twos_172, twos_169, choice_65);
    out_alive[3 * WORDS] = choice_66;
    const u32 ones_141 = choice_22 ^ choice_52;
    const u32 ones_142 = lop3<0x96>(halo_below_0, halo_below_2, halo_below_5);
    const u32 ones_143 = halo_below_right_1 ^ halo_below_right_4;
    const u32 twos_173 = lop3<0x48>(halo_below_6, ones_142, ones_143);
    const u32 twos_174 = lop3<0xe8>(halo_below_right_1, halo_below_6, halo_below_right_4);
    const u32 twos_175 = lop3<0xe8>(halo_below_0, halo_below_2, halo_below_5);
    const u32 twos_176 = lop3<0x96>(twos_175, twos_174, twos_173);
    const u32 fours_41 = lop3<0xe8>(twos_175, twos_174, twos_173);
    const u32 ones_144 = lop3<0x96>(halo_below_6, ones_142, ones_143);
    const u32 existing_45 = lop3<0xce>(halo_below_3, fours_41, ones_144);
    const u32 existing_46 = lop3<0x20>(below_exists, existing_45, twos_176);
    const u32 ones_145 = ones_103 ^ existing_46;
    const u32 ones_146 = lop3<0x96>(halo_below_0, halo_below_6, halo_below_4);
    const u32 twos_177 = lop3<0x28>(ones_105, halo_below_5, ones_146);
    const u32 twos_178 = lop3<0xe8>(halo_below_1, halo_below_3, halo_below_5);
    const u32 twos_179 = lop3<0xe8>(halo_below_0, halo_below_6, halo_below_4);
    const u32 twos_180 = lop3<0x96>(twos_179, twos_178, twos_177);
    const u32 fours_42 = lop3<0xe8>(twos_179, twos_178, twos_177);
    const u32 ones_147 = lop3<0x96>(ones_105, halo_below_5, ones_146);
    const u32 existing_47 = lop3<0xce>(halo_below_2, fours_42, ones_147);
    const u32 existing_48 = lop3<0x20>(below_exists, existing_47, twos_180);
    const u32 ones_148 = choice_7 ^ existing_48;
    const u32 ones_149 = halo_below_left_3 ^ halo_below_4;
    const u32 twos_181 = lop3<0x28>(ones_149, halo_below_left_6, ones_142);
    const u32 twos_182 = lop3<0xe8>(halo_below_left_3, halo_below_4, halo_below_left_6);
    const u32 twos_183 = lop3<0x96>(twos_182, twos_175, twos_181);
    const u32 fours_43 = lop3<0xe8>(twos_182, twos_175, twos_181);
    const u32 ones_150 = lop3<0x96>(ones_149, halo_below_left_6, ones_142);
    const u32 existing_49 = lop3<0xce>(halo_below_1, fours_43, ones_150);
    const u32 existing_50 = lop3<0x20>(below_exists, existing_49, twos_183);
    const u32 ones_151 = ones_148 ^ existing_50;
    const u32 twos_184 = ones_151 & ones_145;
    const u32 twos_185 = lop3<0xe8>(choice_7, existing_48, existing_50);
    const u32 twos_186 = lop3<0xe8>(choice_18, choice_9, existing_46);
    const u32 choice_67 = lop3<0x16>(twos_185, twos_186, twos_184);
    const u32 ones_152 = ones_151 ^ ones_145;
    const u32 choice_68 = lop3<0xc4>(choice_50, choice_67, ones_152);
    const u32 existing_51 = below_exists & choice_68;
    const u32 ones_153 = ones_141 ^ existing_51;
    const u32 ones_154 = choice_28 ^ ones_109;
    const u32 twos_187 = ones_154 & ones_153;
    const u32 twos_188 = lop3<0xe8>(choice_22, choice_52, existing_51);
    const u32 twos_189 = lop3<0xea>(choice_28, ones_109, twos_127);
    const u32 fours_44 = lop3<0xe8>(twos_189, twos_188, twos_187);
    const u32 choice_69 = lop3<0x06>(choice_54, ones_154, ones_153);
    const u32 choice_70 = fours_44 | choice_69;
    const u32 twos_190 = twos_189 ^ twos_188;
    const u32 choice_71 = lop3<0x14>(twos_190, twos_187, choice_70);
    out_alive[4 * WORDS] = choice_71;
    const u32 ones_155 = ones_117 ^ existing_51;
    const u32 twos_191 = ones_38 & ones_155;
    const u32 twos_192 = lop3<0xec>(ones_117, twos_145, existing_51);
    const u32 fours_45 = lop3<0xe8>(twos_97, twos_192, twos_191);
    const u32 ones_156 = ones_38 ^ ones_155;
    const u32 choice_72 = lop3<0xce>(choice_52, fours_45, ones_156);
    const u32 twos_193 = twos_97 ^ twos_192;
    const u32 choice_73 = lop3<0x14>(twos_193, twos_191, choice_72);
    out_alive[5 * WORDS] = choice_73;
    const u32 twos_194 = lop3<0xea>(choice_16, ones_138, twos_170);
    const u32 ones_157 = choice_16 ^ ones_138;
    const u32 twos_195 = ones_153 & ones_157;
    const u32 fours_46 = lop3<0xe8>(twos_188, twos_194, twos_195);
    const u32 ones_158 = ones_153 ^ ones_157;
    const u32 choice_74 = lop3<0xce>(choice_58, fours_46, ones_158);
    const u32 twos_196 = twos_188 ^ twos_194;
    const u32 choice_75 = lop3<0x14>(twos_196, twos_195, choice_74);
    out_alive[6 * WORDS] = choice_75;
}
