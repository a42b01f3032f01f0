// life on vicsek_3d at level 3, by Squeeze 0.1.0
//
// T = 0: 1 lanes a column fill 3% of the vector registers they take
// L = 1: 7 micro cells a superblock, about 883 operations; 49 superblocks
// t = 3: 2.65 cells computed for one that is kept; bound by operations, 5407.51 ps a cell and step expected
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
// Directions to other superblocks, and ways for lanes to move: one for each of 27 places around a superblock and its own.
constexpr u32 DIRECTIONS = 26;
constexpr u32 STAY = 13;
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
// 26.19 operations a cell and step (550 on bits, 0 on numbers), 7 + 66 loads, 7 stores, 91 live values
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
    const Neighbour front_above = neighbour(world, superblock, 1, 0, -1, -1);
    const Neighbour front_left = neighbour(world, superblock, 3, -1, 0, -1);
    const Neighbour front = neighbour(world, superblock, 4, 0, 0, -1);
    const Neighbour front_right = neighbour(world, superblock, 5, 1, 0, -1);
    const Neighbour front_below = neighbour(world, superblock, 7, 0, 1, -1);
    const Neighbour above_left = neighbour(world, superblock, 9, -1, -1, 0);
    const Neighbour above = neighbour(world, superblock, 10, 0, -1, 0);
    const Neighbour above_right = neighbour(world, superblock, 11, 1, -1, 0);
    const Neighbour left = neighbour(world, superblock, 12, -1, 0, 0);
    const Neighbour right = neighbour(world, superblock, 13, 1, 0, 0);
    const Neighbour below_left = neighbour(world, superblock, 14, -1, 1, 0);
    const Neighbour below = neighbour(world, superblock, 15, 0, 1, 0);
    const Neighbour below_right = neighbour(world, superblock, 16, 1, 1, 0);
    const Neighbour back_above = neighbour(world, superblock, 18, 0, -1, 1);
    const Neighbour back_left = neighbour(world, superblock, 20, -1, 0, 1);
    const Neighbour back = neighbour(world, superblock, 21, 0, 0, 1);
    const Neighbour back_right = neighbour(world, superblock, 22, 1, 0, 1);
    const Neighbour back_below = neighbour(world, superblock, 24, 0, 1, 1);

    const u32 none = after_pass_before();
    alive += none;
    new_alive += none;
    const u32 *own_alive = alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    const u32 own_5 = own_alive[5 * WORDS];
    const u32 own_1 = own_alive[1 * WORDS];
    const u32 own_6 = own_alive[6 * WORDS];
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_4 = own_alive[4 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];
    const u32 own_3 = own_alive[3 * WORDS];

    // front above
    const u32 *front_above_alive = alive + (u64)front_above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_above_5 = front_above_alive[5 * WORDS];
    u32 halo_front_above_6 = front_above_alive[6 * WORDS];

    // front left
    const u32 *front_left_alive = alive + (u64)front_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_left_4 = front_left_alive[4 * WORDS];
    u32 halo_front_left_6 = front_left_alive[6 * WORDS];

    // front
    const u32 *front_alive = alive + (u64)front.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_6 = front_alive[6 * WORDS];
    u32 halo_front_0 = front_alive[0 * WORDS];
    u32 halo_front_3 = front_alive[3 * WORDS];
    u32 halo_front_4 = front_alive[4 * WORDS];
    u32 halo_front_2 = front_alive[2 * WORDS];
    u32 halo_front_5 = front_alive[5 * WORDS];
    u32 halo_front_1 = front_alive[1 * WORDS];

    // front right
    const u32 *front_right_alive = alive + (u64)front_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_right_2 = front_right_alive[2 * WORDS];
    u32 halo_front_right_6 = front_right_alive[6 * WORDS];

    // front below
    const u32 *front_below_alive = alive + (u64)front_below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_1 = front_below_alive[1 * WORDS];
    u32 halo_front_below_6 = front_below_alive[6 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_4 = above_left_alive[4 * WORDS];
    u32 halo_above_left_5 = above_left_alive[5 * WORDS];

    // above
    const u32 *above_alive = alive + (u64)above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_5 = above_alive[5 * WORDS];
    u32 halo_above_6 = above_alive[6 * WORDS];
    u32 halo_above_4 = above_alive[4 * WORDS];
    u32 halo_above_0 = above_alive[0 * WORDS];
    u32 halo_above_2 = above_alive[2 * WORDS];
    u32 halo_above_3 = above_alive[3 * WORDS];
    u32 halo_above_1 = above_alive[1 * WORDS];

    // above right
    const u32 *above_right_alive = alive + (u64)above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_right_2 = above_right_alive[2 * WORDS];
    u32 halo_above_right_5 = above_right_alive[5 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_6 = left_alive[6 * WORDS];
    u32 halo_left_5 = left_alive[5 * WORDS];
    u32 halo_left_0 = left_alive[0 * WORDS];
    u32 halo_left_1 = left_alive[1 * WORDS];
    u32 halo_left_3 = left_alive[3 * WORDS];
    u32 halo_left_4 = left_alive[4 * WORDS];
    u32 halo_left_2 = left_alive[2 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_6 = right_alive[6 * WORDS];
    u32 halo_right_5 = right_alive[5 * WORDS];
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_1 = right_alive[1 * WORDS];
    u32 halo_right_3 = right_alive[3 * WORDS];
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_4 = right_alive[4 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_1 = below_left_alive[1 * WORDS];
    u32 halo_below_left_4 = below_left_alive[4 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_6 = below_alive[6 * WORDS];
    u32 halo_below_4 = below_alive[4 * WORDS];
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_2 = below_alive[2 * WORDS];
    u32 halo_below_3 = below_alive[3 * WORDS];
    u32 halo_below_5 = below_alive[5 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_1 = below_right_alive[1 * WORDS];
    u32 halo_below_right_2 = below_right_alive[2 * WORDS];

    // back above
    const u32 *back_above_alive = alive + (u64)back_above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_0 = back_above_alive[0 * WORDS];
    u32 halo_back_above_5 = back_above_alive[5 * WORDS];

    // back left
    const u32 *back_left_alive = alive + (u64)back_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_left_0 = back_left_alive[0 * WORDS];
    u32 halo_back_left_4 = back_left_alive[4 * WORDS];

    // back
    const u32 *back_alive = alive + (u64)back.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_0 = back_alive[0 * WORDS];
    u32 halo_back_5 = back_alive[5 * WORDS];
    u32 halo_back_4 = back_alive[4 * WORDS];
    u32 halo_back_1 = back_alive[1 * WORDS];
    u32 halo_back_2 = back_alive[2 * WORDS];
    u32 halo_back_3 = back_alive[3 * WORDS];
    u32 halo_back_6 = back_alive[6 * WORDS];

    // back right
    const u32 *back_right_alive = alive + (u64)back_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_right_0 = back_right_alive[0 * WORDS];
    u32 halo_back_right_2 = back_right_alive[2 * WORDS];

    // back below
    const u32 *back_below_alive = alive + (u64)back_below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_below_0 = back_below_alive[0 * WORDS];
    u32 halo_back_below_1 = back_below_alive[1 * WORDS];

    // Across the border lanes see other lanes.
    if (front_above.wrap != STAY) {
        const u32 seen_halo_front_above_5 = halo_front_above_5; halo_front_above_5 = 0;
        const u32 seen_halo_front_above_6 = halo_front_above_6; halo_front_above_6 = 0;
        const u32 last = world.first_terms[front_above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_above_5 |= moved(seen_halo_front_above_5, term);
            halo_front_above_6 |= moved(seen_halo_front_above_6, term);
        }
    }
    if (front_left.wrap != STAY) {
        const u32 seen_halo_front_left_4 = halo_front_left_4; halo_front_left_4 = 0;
        const u32 seen_halo_front_left_6 = halo_front_left_6; halo_front_left_6 = 0;
        const u32 last = world.first_terms[front_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_left_4 |= moved(seen_halo_front_left_4, term);
            halo_front_left_6 |= moved(seen_halo_front_left_6, term);
        }
    }
    if (front.wrap != STAY) {
        const u32 seen_halo_front_6 = halo_front_6; halo_front_6 = 0;
        const u32 seen_halo_front_0 = halo_front_0; halo_front_0 = 0;
        const u32 seen_halo_front_3 = halo_front_3; halo_front_3 = 0;
        const u32 seen_halo_front_4 = halo_front_4; halo_front_4 = 0;
        const u32 seen_halo_front_2 = halo_front_2; halo_front_2 = 0;
        const u32 seen_halo_front_5 = halo_front_5; halo_front_5 = 0;
        const u32 seen_halo_front_1 = halo_front_1; halo_front_1 = 0;
        const u32 last = world.first_terms[front.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_6 |= moved(seen_halo_front_6, term);
            halo_front_0 |= moved(seen_halo_front_0, term);
            halo_front_3 |= moved(seen_halo_front_3, term);
            halo_front_4 |= moved(seen_halo_front_4, term);
            halo_front_2 |= moved(seen_halo_front_2, term);
            halo_front_5 |= moved(seen_halo_front_5, term);
            halo_front_1 |= moved(seen_halo_front_1, term);
        }
    }
    if (front_right.wrap != STAY) {
        const u32 seen_halo_front_right_2 = halo_front_right_2; halo_front_right_2 = 0;
        const u32 seen_halo_front_right_6 = halo_front_right_6; halo_front_right_6 = 0;
        const u32 last = world.first_terms[front_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_right_2 |= moved(seen_halo_front_right_2, term);
            halo_front_right_6 |= moved(seen_halo_front_right_6, term);
        }
    }
    if (front_below.wrap != STAY) {
        const u32 seen_halo_front_below_1 = halo_front_below_1; halo_front_below_1 = 0;
        const u32 seen_halo_front_below_6 = halo_front_below_6; halo_front_below_6 = 0;
        const u32 last = world.first_terms[front_below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_1 |= moved(seen_halo_front_below_1, term);
            halo_front_below_6 |= moved(seen_halo_front_below_6, term);
        }
    }
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_4 = halo_above_left_4; halo_above_left_4 = 0;
        const u32 seen_halo_above_left_5 = halo_above_left_5; halo_above_left_5 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_4 |= moved(seen_halo_above_left_4, term);
            halo_above_left_5 |= moved(seen_halo_above_left_5, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_5 = halo_above_5; halo_above_5 = 0;
        const u32 seen_halo_above_6 = halo_above_6; halo_above_6 = 0;
        const u32 seen_halo_above_4 = halo_above_4; halo_above_4 = 0;
        const u32 seen_halo_above_0 = halo_above_0; halo_above_0 = 0;
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_1 = halo_above_1; halo_above_1 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_5 |= moved(seen_halo_above_5, term);
            halo_above_6 |= moved(seen_halo_above_6, term);
            halo_above_4 |= moved(seen_halo_above_4, term);
            halo_above_0 |= moved(seen_halo_above_0, term);
            halo_above_2 |= moved(seen_halo_above_2, term);
            halo_above_3 |= moved(seen_halo_above_3, term);
            halo_above_1 |= moved(seen_halo_above_1, term);
        }
    }
    if (above_right.wrap != STAY) {
        const u32 seen_halo_above_right_2 = halo_above_right_2; halo_above_right_2 = 0;
        const u32 seen_halo_above_right_5 = halo_above_right_5; halo_above_right_5 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_2 |= moved(seen_halo_above_right_2, term);
            halo_above_right_5 |= moved(seen_halo_above_right_5, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_6 = halo_left_6; halo_left_6 = 0;
        const u32 seen_halo_left_5 = halo_left_5; halo_left_5 = 0;
        const u32 seen_halo_left_0 = halo_left_0; halo_left_0 = 0;
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 seen_halo_left_4 = halo_left_4; halo_left_4 = 0;
        const u32 seen_halo_left_2 = halo_left_2; halo_left_2 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_6 |= moved(seen_halo_left_6, term);
            halo_left_5 |= moved(seen_halo_left_5, term);
            halo_left_0 |= moved(seen_halo_left_0, term);
            halo_left_1 |= moved(seen_halo_left_1, term);
            halo_left_3 |= moved(seen_halo_left_3, term);
            halo_left_4 |= moved(seen_halo_left_4, term);
            halo_left_2 |= moved(seen_halo_left_2, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_6 = halo_right_6; halo_right_6 = 0;
        const u32 seen_halo_right_5 = halo_right_5; halo_right_5 = 0;
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_1 = halo_right_1; halo_right_1 = 0;
        const u32 seen_halo_right_3 = halo_right_3; halo_right_3 = 0;
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_4 = halo_right_4; halo_right_4 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_6 |= moved(seen_halo_right_6, term);
            halo_right_5 |= moved(seen_halo_right_5, term);
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_1 |= moved(seen_halo_right_1, term);
            halo_right_3 |= moved(seen_halo_right_3, term);
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_4 |= moved(seen_halo_right_4, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_1 = halo_below_left_1; halo_below_left_1 = 0;
        const u32 seen_halo_below_left_4 = halo_below_left_4; halo_below_left_4 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_1 |= moved(seen_halo_below_left_1, term);
            halo_below_left_4 |= moved(seen_halo_below_left_4, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_6 = halo_below_6; halo_below_6 = 0;
        const u32 seen_halo_below_4 = halo_below_4; halo_below_4 = 0;
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_2 = halo_below_2; halo_below_2 = 0;
        const u32 seen_halo_below_3 = halo_below_3; halo_below_3 = 0;
        const u32 seen_halo_below_5 = halo_below_5; halo_below_5 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_6 |= moved(seen_halo_below_6, term);
            halo_below_4 |= moved(seen_halo_below_4, term);
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_2 |= moved(seen_halo_below_2, term);
            halo_below_3 |= moved(seen_halo_below_3, term);
            halo_below_5 |= moved(seen_halo_below_5, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_1 = halo_below_right_1; halo_below_right_1 = 0;
        const u32 seen_halo_below_right_2 = halo_below_right_2; halo_below_right_2 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_1 |= moved(seen_halo_below_right_1, term);
            halo_below_right_2 |= moved(seen_halo_below_right_2, term);
        }
    }
    if (back_above.wrap != STAY) {
        const u32 seen_halo_back_above_0 = halo_back_above_0; halo_back_above_0 = 0;
        const u32 seen_halo_back_above_5 = halo_back_above_5; halo_back_above_5 = 0;
        const u32 last = world.first_terms[back_above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_above_0 |= moved(seen_halo_back_above_0, term);
            halo_back_above_5 |= moved(seen_halo_back_above_5, term);
        }
    }
    if (back_left.wrap != STAY) {
        const u32 seen_halo_back_left_0 = halo_back_left_0; halo_back_left_0 = 0;
        const u32 seen_halo_back_left_4 = halo_back_left_4; halo_back_left_4 = 0;
        const u32 last = world.first_terms[back_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_left_0 |= moved(seen_halo_back_left_0, term);
            halo_back_left_4 |= moved(seen_halo_back_left_4, term);
        }
    }
    if (back.wrap != STAY) {
        const u32 seen_halo_back_0 = halo_back_0; halo_back_0 = 0;
        const u32 seen_halo_back_5 = halo_back_5; halo_back_5 = 0;
        const u32 seen_halo_back_4 = halo_back_4; halo_back_4 = 0;
        const u32 seen_halo_back_1 = halo_back_1; halo_back_1 = 0;
        const u32 seen_halo_back_2 = halo_back_2; halo_back_2 = 0;
        const u32 seen_halo_back_3 = halo_back_3; halo_back_3 = 0;
        const u32 seen_halo_back_6 = halo_back_6; halo_back_6 = 0;
        const u32 last = world.first_terms[back.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_0 |= moved(seen_halo_back_0, term);
            halo_back_5 |= moved(seen_halo_back_5, term);
            halo_back_4 |= moved(seen_halo_back_4, term);
            halo_back_1 |= moved(seen_halo_back_1, term);
            halo_back_2 |= moved(seen_halo_back_2, term);
            halo_back_3 |= moved(seen_halo_back_3, term);
            halo_back_6 |= moved(seen_halo_back_6, term);
        }
    }
    if (back_right.wrap != STAY) {
        const u32 seen_halo_back_right_0 = halo_back_right_0; halo_back_right_0 = 0;
        const u32 seen_halo_back_right_2 = halo_back_right_2; halo_back_right_2 = 0;
        const u32 last = world.first_terms[back_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_right_0 |= moved(seen_halo_back_right_0, term);
            halo_back_right_2 |= moved(seen_halo_back_right_2, term);
        }
    }
    if (back_below.wrap != STAY) {
        const u32 seen_halo_back_below_0 = halo_back_below_0; halo_back_below_0 = 0;
        const u32 seen_halo_back_below_1 = halo_back_below_1; halo_back_below_1 = 0;
        const u32 last = world.first_terms[back_below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_below_0 |= moved(seen_halo_back_below_0, term);
            halo_back_below_1 |= moved(seen_halo_back_below_1, term);
        }
    }

    // the rule
    const u32 twos_0 = lop3<0xe8>(own_6, own_1, own_5);
    const u32 twos_1 = lop3<0xe8>(own_2, own_4, own_0);
    const u32 twos_2 = twos_1 ^ twos_0;
    const u32 ones_0 = lop3<0x96>(own_6, own_1, own_5);
    const u32 ones_1 = lop3<0x96>(own_2, own_4, own_0);
    const u32 twos_3 = lop3<0x6c>(ones_1, twos_2, ones_0);
    const u32 ones_2 = own_1 ^ own_5;
    const u32 twos_4 = lop3<0x48>(own_6, ones_1, ones_2);
    const u32 fours_0 = lop3<0xe8>(twos_1, twos_0, twos_4);
    const u32 choice_0 = lop3<0x06>(own_3, ones_1, ones_0);
    const u32 choice_1 = lop3<0x02>(fours_0, choice_0, twos_3);
    const u32 ones_3 = lop3<0x96>(own_3, own_1, own_5);
    const u32 ones_4 = lop3<0x96>(own_2, own_4, ones_3);
    const u32 twos_5 = ones_4 & halo_front_6;
    const u32 twos_6 = lop3<0xe8>(own_3, own_1, own_5);
    const u32 twos_7 = lop3<0xe8>(own_2, own_4, ones_3);
    const u32 fours_1 = lop3<0xe8>(twos_7, twos_6, twos_5);
    const u32 twos_8 = twos_7 ^ twos_6;
    const u32 twos_9 = lop3<0x78>(twos_8, ones_4, halo_front_6);
    const u32 choice_2 = lop3<0x06>(own_0, ones_4, halo_front_6);
    const u32 choice_3 = lop3<0x02>(fours_1, choice_2, twos_9);
    const u32 twos_10 = ones_4 & halo_back_0;
    const u32 fours_2 = lop3<0xe8>(twos_7, twos_6, twos_10);
    const u32 twos_11 = lop3<0x78>(twos_8, ones_4, halo_back_0);
    const u32 choice_4 = lop3<0x06>(own_6, ones_4, halo_back_0);
    const u32 choice_5 = lop3<0x02>(fours_2, choice_4, twos_11);
    const u32 twos_12 = lop3<0xe8>(choice_5, choice_3, choice_1);
    const u32 ones_5 = choice_5 ^ choice_3;
    const u32 ones_6 = ones_5 ^ choice_1;
    const u32 ones_7 = lop3<0x96>(own_6, own_3, ones_1);
    const u32 twos_13 = ones_7 & halo_below_1;
    const u32 twos_14 = lop3<0xe8>(own_6, own_3, ones_1);
    const u32 fours_3 = lop3<0xe8>(twos_14, twos_1, twos_13);
    const u32 twos_15 = twos_14 ^ twos_1;
    const u32 twos_16 = lop3<0x78>(twos_15, ones_7, halo_below_1);
    const u32 choice_6 = lop3<0x14>(ones_7, halo_below_1, own_5);
    const u32 choice_7 = lop3<0x02>(fours_3, choice_6, twos_16);
    const u32 twos_17 = ones_7 & halo_above_5;
    const u32 fours_4 = lop3<0xe8>(twos_14, twos_1, twos_17);
    const u32 twos_18 = lop3<0x78>(twos_15, ones_7, halo_above_5);
    const u32 choice_8 = lop3<0x14>(ones_7, halo_above_5, own_1);
    const u32 choice_9 = lop3<0x02>(fours_4, choice_8, twos_18);
    const u32 twos_19 = lop3<0xe8>(choice_9, choice_7, ones_6);
    const u32 twos_20 = twos_19 ^ twos_12;
    const u32 ones_8 = choice_9 ^ choice_7;
    const u32 ones_9 = ones_8 ^ ones_6;
    const u32 ones_10 = halo_right_5 ^ halo_right_6;
    const u32 ones_11 = lop3<0x96>(ones_10, halo_right_1, halo_right_0);
    const u32 twos_21 = lop3<0x28>(own_4, ones_11, halo_right_3);
    const u32 twos_22 = lop3<0xe8>(halo_right_5, halo_right_6, halo_right_1);
    const u32 ones_12 = lop3<0x96>(halo_right_5, halo_right_6, halo_right_1);
    const u32 twos_23 = lop3<0xe8>(own_4, ones_12, halo_right_0);
    const u32 fours_5 = lop3<0xe8>(twos_23, twos_22, twos_21);
    const u32 ones_13 = lop3<0x96>(own_4, ones_11, halo_right_3);
    const u32 choice_10 = lop3<0xf4>(fours_5, ones_13, halo_right_2);
    const u32 twos_24 = twos_23 ^ twos_22;
    const u32 choice_11 = lop3<0x14>(twos_24, twos_21, choice_10);
    const u32 right_exists = presence(world, right, word);
    const u32 existing_0 = choice_11 & right_exists;
    const u32 twos_25 = ones_9 & existing_0;
    const u32 fours_6 = twos_20 & twos_25;
    const u32 fours_7 = twos_19 & twos_12;
    const u32 ones_14 = lop3<0x96>(own_6, own_0, ones_3);
    const u32 twos_26 = ones_14 & halo_right_2;
    const u32 twos_27 = lop3<0xe8>(own_6, own_0, ones_3);
    const u32 fours_8 = lop3<0xe8>(twos_6, twos_27, twos_26);
    const u32 twos_28 = twos_6 ^ twos_27;
    const u32 twos_29 = lop3<0x78>(twos_28, ones_14, halo_right_2);
    const u32 choice_12 = lop3<0x06>(own_4, ones_14, halo_right_2);
    const u32 choice_13 = lop3<0x02>(fours_8, choice_12, twos_29);
    const u32 choice_14 = lop3<0x14>(ones_9, existing_0, choice_13);
    const u32 choice_15 = lop3<0xfe>(fours_7, fours_6, choice_14);
    const u32 choice_16 = lop3<0x14>(twos_20, twos_25, choice_15);
    const u32 ones_15 = halo_left_5 ^ halo_left_6;
    const u32 ones_16 = lop3<0x96>(ones_15, halo_left_1, halo_left_0);
    const u32 twos_30 = lop3<0x28>(own_2, ones_16, halo_left_3);
    const u32 twos_31 = lop3<0xe8>(halo_left_5, halo_left_6, halo_left_1);
    const u32 ones_17 = lop3<0x96>(halo_left_5, halo_left_6, halo_left_1);
    const u32 twos_32 = lop3<0xe8>(own_2, ones_17, halo_left_0);
    const u32 fours_9 = lop3<0xe8>(twos_32, twos_31, twos_30);
    const u32 ones_18 = lop3<0x96>(own_2, ones_16, halo_left_3);
    const u32 choice_17 = lop3<0xf4>(fours_9, ones_18, halo_left_4);
    const u32 twos_33 = twos_32 ^ twos_31;
    const u32 choice_18 = lop3<0x14>(twos_33, twos_30, choice_17);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_1 = choice_18 & left_exists;
    const u32 twos_34 = ones_9 & existing_1;
    const u32 fours_10 = twos_20 & twos_34;
    const u32 twos_35 = halo_left_4 & ones_14;
    const u32 fours_11 = lop3<0xe8>(twos_6, twos_27, twos_35);
    const u32 twos_36 = lop3<0x6c>(halo_left_4, twos_28, ones_14);
    const u32 choice_19 = lop3<0x06>(own_2, halo_left_4, ones_14);
    const u32 choice_20 = lop3<0x02>(fours_11, choice_19, twos_36);
    const u32 choice_21 = lop3<0x14>(ones_9, existing_1, choice_20);
    const u32 choice_22 = lop3<0xfe>(fours_10, fours_7, choice_21);
    const u32 choice_23 = lop3<0x14>(twos_20, twos_34, choice_22);
    const u32 twos_37 = choice_23 & choice_16;
    const u32 twos_38 = lop3<0xe8>(ones_6, choice_20, choice_13);
    const u32 fours_12 = twos_12 & twos_38;
    const u32 twos_39 = twos_12 ^ twos_38;
    const u32 ones_19 = choice_20 ^ choice_13;
    const u32 ones_20 = ones_6 ^ ones_19;
    const u32 ones_21 = halo_below_4 ^ halo_below_6;
    const u32 ones_22 = lop3<0x96>(ones_21, halo_below_2, halo_below_0);
    const u32 twos_40 = lop3<0x60>(own_5, ones_22, halo_below_3);
    const u32 twos_41 = lop3<0xe8>(halo_below_4, halo_below_6, halo_below_2);
    const u32 ones_23 = lop3<0x96>(halo_below_4, halo_below_6, halo_below_2);
    const u32 twos_42 = lop3<0xe8>(ones_23, halo_below_0, halo_below_3);
    const u32 fours_13 = lop3<0xe8>(twos_42, twos_41, twos_40);
    const u32 ones_24 = lop3<0x96>(own_5, ones_22, halo_below_3);
    const u32 choice_24 = lop3<0xce>(halo_below_1, fours_13, ones_24);
    const u32 twos_43 = twos_42 ^ twos_41;
    const u32 choice_25 = lop3<0x14>(twos_43, twos_40, choice_24);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_2 = choice_25 & below_exists;
    const u32 twos_44 = ones_20 & existing_2;
    const u32 fours_14 = lop3<0xea>(twos_39, twos_44, fours_12);
    const u32 ones_25 = ones_20 ^ existing_2;
    const u32 choice_26 = lop3<0xce>(choice_7, fours_14, ones_25);
    const u32 choice_27 = lop3<0x14>(twos_39, twos_44, choice_26);
    const u32 ones_26 = choice_7 ^ ones_19;
    const u32 ones_27 = choice_9 ^ ones_5;
    const u32 twos_45 = ones_27 & ones_26;
    const u32 twos_46 = lop3<0xe8>(choice_7, choice_20, choice_13);
    const u32 twos_47 = lop3<0xe8>(choice_9, choice_5, choice_3);
    const u32 fours_15 = lop3<0xe8>(twos_47, twos_46, twos_45);
    const u32 ones_28 = ones_27 ^ ones_26;
    const u32 choice_28 = lop3<0xce>(choice_1, fours_15, ones_28);
    const u32 twos_48 = twos_47 ^ twos_46;
    const u32 choice_29 = lop3<0x14>(twos_48, twos_45, choice_28);
    const u32 ones_29 = choice_29 ^ choice_27;
    const u32 ones_30 = halo_above_4 ^ halo_above_6;
    const u32 ones_31 = lop3<0x96>(ones_30, halo_above_2, halo_above_0);
    const u32 twos_49 = lop3<0x60>(own_1, ones_31, halo_above_3);
    const u32 twos_50 = lop3<0xe8>(halo_above_4, halo_above_6, halo_above_2);
    const u32 ones_32 = lop3<0x96>(halo_above_4, halo_above_6, halo_above_2);
    const u32 twos_51 = lop3<0xe8>(ones_32, halo_above_0, halo_above_3);
    const u32 fours_16 = lop3<0xe8>(twos_51, twos_50, twos_49);
    const u32 ones_33 = lop3<0x96>(own_1, ones_31, halo_above_3);
    const u32 choice_30 = lop3<0xce>(halo_above_5, fours_16, ones_33);
    const u32 twos_52 = twos_51 ^ twos_50;
    const u32 choice_31 = lop3<0x14>(twos_52, twos_49, choice_30);
    const u32 above_exists = presence(world, above, word);
    const u32 existing_3 = choice_31 & above_exists;
    const u32 twos_53 = ones_20 & existing_3;
    const u32 fours_17 = lop3<0xec>(twos_39, fours_12, twos_53);
    const u32 ones_34 = ones_20 ^ existing_3;
    const u32 choice_32 = lop3<0xce>(choice_9, fours_17, ones_34);
    const u32 choice_33 = lop3<0x14>(twos_39, twos_53, choice_32);
    const u32 ones_35 = ones_29 ^ choice_33;
    const u32 ones_36 = choice_23 ^ choice_16;
    const u32 twos_54 = lop3<0xea>(ones_36, ones_35, twos_37);
    const u32 twos_55 = lop3<0xe8>(choice_29, choice_27, choice_33);
    const u32 fours_18 = twos_54 & twos_55;
    const u32 twos_56 = twos_54 ^ twos_55;
    const u32 ones_37 = ones_36 ^ ones_35;
    const u32 ones_38 = lop3<0x96>(halo_front_6, halo_front_3, halo_front_0);
    const u32 ones_39 = lop3<0x96>(halo_front_2, halo_front_4, ones_38);
    const u32 twos_57 = ones_39 & halo_front_below_1;
    const u32 twos_58 = lop3<0xe8>(halo_front_6, halo_front_3, halo_front_0);
    const u32 twos_59 = lop3<0xe8>(halo_front_2, halo_front_4, ones_38);
    const u32 fours_19 = lop3<0xe8>(twos_59, twos_58, twos_57);
    const u32 ones_40 = ones_39 ^ halo_front_below_1;
    const u32 existing_4 = lop3<0xce>(halo_front_5, fours_19, ones_40);
    const u32 twos_60 = twos_59 ^ twos_58;
    const u32 twos_61 = lop3<0x78>(twos_60, ones_39, halo_front_below_1);
    const u32 front_exists = presence(world, front, word);
    const u32 existing_5 = lop3<0x20>(front_exists, existing_4, twos_61);
    const u32 ones_41 = lop3<0x96>(ones_38, halo_front_1, halo_front_5);
    const u32 twos_62 = ones_41 & halo_front_right_2;
    const u32 twos_63 = lop3<0xe8>(ones_38, halo_front_1, halo_front_5);
    const u32 fours_20 = lop3<0xe8>(twos_58, twos_63, twos_62);
    const u32 ones_42 = ones_41 ^ halo_front_right_2;
    const u32 existing_6 = lop3<0xce>(halo_front_4, fours_20, ones_42);
    const u32 twos_64 = twos_58 ^ twos_63;
    const u32 twos_65 = lop3<0x78>(twos_64, ones_41, halo_front_right_2);
    const u32 existing_7 = lop3<0x20>(front_exists, existing_6, twos_65);
    const u32 ones_43 = existing_7 ^ existing_5;
    const u32 ones_44 = halo_front_2 ^ halo_front_4;
    const u32 ones_45 = lop3<0x96>(ones_44, halo_front_1, halo_front_5);
    const u32 twos_66 = lop3<0x60>(halo_front_6, halo_front_0, ones_45);
    const u32 twos_67 = lop3<0xe8>(halo_front_2, halo_front_4, halo_front_5);
    const u32 ones_46 = lop3<0x96>(halo_front_2, halo_front_4, halo_front_5);
    const u32 twos_68 = lop3<0xe8>(halo_front_0, halo_front_1, ones_46);
    const u32 fours_21 = lop3<0xe8>(twos_68, twos_67, twos_66);
    const u32 ones_47 = lop3<0x96>(halo_front_6, halo_front_0, ones_45);
    const u32 existing_8 = lop3<0xce>(halo_front_3, fours_21, ones_47);
    const u32 twos_69 = twos_68 ^ twos_67;
    const u32 ones_48 = halo_front_0 ^ ones_45;
    const u32 twos_70 = lop3<0x6c>(halo_front_6, twos_69, ones_48);
    const u32 existing_9 = lop3<0x20>(front_exists, existing_8, twos_70);
    const u32 ones_49 = ones_43 ^ existing_9;
    const u32 twos_71 = ones_41 & halo_front_left_4;
    const u32 fours_22 = lop3<0xe8>(twos_58, twos_63, twos_71);
    const u32 ones_50 = ones_41 ^ halo_front_left_4;
    const u32 existing_10 = lop3<0xce>(halo_front_2, fours_22, ones_50);
    const u32 twos_72 = lop3<0x78>(twos_64, ones_41, halo_front_left_4);
    const u32 existing_11 = lop3<0x20>(front_exists, existing_10, twos_72);
    const u32 twos_73 = ones_39 & halo_front_above_5;
    const u32 fours_23 = lop3<0xe8>(twos_59, twos_58, twos_73);
    const u32 ones_51 = ones_39 ^ halo_front_above_5;
    const u32 existing_12 = lop3<0xf4>(fours_23, ones_51, halo_front_1);
    const u32 twos_74 = lop3<0x78>(twos_60, ones_39, halo_front_above_5);
    const u32 existing_13 = lop3<0x08>(existing_12, twos_74, front_exists);
    const u32 ones_52 = existing_13 ^ existing_11;
    const u32 ones_53 = choice_3 ^ ones_52;
    const u32 twos_75 = ones_53 & ones_49;
    const u32 twos_76 = lop3<0xe8>(existing_7, existing_5, existing_9);
    const u32 twos_77 = lop3<0xe8>(choice_3, existing_13, existing_11);
    const u32 choice_34 = lop3<0x16>(twos_77, twos_76, twos_75);
    const u32 ones_54 = ones_53 ^ ones_49;
    const u32 twos_78 = lop3<0x60>(own_0, halo_front_3, ones_45);
    const u32 twos_79 = lop3<0xe8>(halo_front_3, halo_front_1, ones_46);
    const u32 fours_24 = lop3<0xe8>(twos_67, twos_79, twos_78);
    const u32 ones_55 = lop3<0x96>(own_0, halo_front_3, ones_45);
    const u32 choice_35 = lop3<0xce>(halo_front_6, fours_24, ones_55);
    const u32 twos_80 = twos_67 ^ twos_79;
    const u32 choice_36 = lop3<0x14>(twos_80, twos_78, choice_35);
    const u32 choice_37 = lop3<0xd0>(choice_34, choice_36, ones_54);
    const u32 existing_14 = front_exists & choice_37;
    const u32 twos_81 = ones_37 & existing_14;
    const u32 fours_25 = twos_56 & twos_81;
    const u32 twos_82 = lop3<0xe8>(choice_9, choice_1, ones_26);
    const u32 fours_26 = twos_46 & twos_82;
    const u32 twos_83 = twos_46 ^ twos_82;
    const u32 ones_56 = choice_9 ^ choice_1;
    const u32 ones_57 = ones_26 ^ ones_56;
    const u32 existing_15 = front_exists & choice_36;
    const u32 twos_84 = ones_57 & existing_15;
    const u32 fours_27 = lop3<0xea>(twos_83, twos_84, fours_26);
    const u32 ones_58 = ones_57 ^ existing_15;
    const u32 choice_38 = lop3<0xce>(choice_3, fours_27, ones_58);
    const u32 choice_39 = lop3<0x14>(twos_83, twos_84, choice_38);
    const u32 choice_40 = lop3<0x14>(ones_37, existing_14, choice_39);
    const u32 choice_41 = lop3<0xfe>(fours_25, fours_18, choice_40);
    const u32 choice_42 = lop3<0x14>(twos_56, twos_81, choice_41);
    out_alive[0 * WORDS] = choice_42;
    const u32 twos_85 = lop3<0xec>(ones_36, twos_37, choice_39);
    const u32 ones_59 = ones_36 ^ choice_39;
    const u32 ones_60 = halo_back_4 ^ halo_back_5;
    const u32 ones_61 = lop3<0x96>(ones_60, halo_back_2, halo_back_1);
    const u32 twos_86 = lop3<0x60>(own_6, ones_61, halo_back_3);
    const u32 twos_87 = lop3<0xe8>(halo_back_4, halo_back_5, halo_back_2);
    const u32 ones_62 = lop3<0x96>(halo_back_4, halo_back_5, halo_back_2);
    const u32 twos_88 = lop3<0xe8>(ones_62, halo_back_1, halo_back_3);
    const u32 fours_28 = lop3<0xe8>(twos_88, twos_87, twos_86);
    const u32 ones_63 = lop3<0x96>(own_6, ones_61, halo_back_3);
    const u32 choice_43 = lop3<0xce>(halo_back_0, fours_28, ones_63);
    const u32 twos_89 = twos_88 ^ twos_87;
    const u32 choice_44 = lop3<0x14>(twos_89, twos_86, choice_43);
    const u32 back_exists = presence(world, back, word);
    const u32 existing_16 = choice_44 & back_exists;
    const u32 twos_90 = ones_57 & existing_16;
    const u32 fours_29 = twos_83 & twos_90;
    const u32 choice_45 = lop3<0x06>(choice_5, ones_57, existing_16);
    const u32 choice_46 = lop3<0xfe>(fours_26, fours_29, choice_45);
    const u32 choice_47 = lop3<0x14>(twos_83, twos_90, choice_46);
    const u32 twos_91 = lop3<0xe8>(choice_29, choice_47, ones_59);
    const u32 fours_30 = twos_91 & twos_85;
    const u32 twos_92 = twos_91 ^ twos_85;
    const u32 ones_64 = choice_29 ^ choice_47;
    const u32 ones_65 = ones_64 ^ ones_59;
    const u32 ones_66 = lop3<0x96>(halo_above_5, halo_above_3, halo_above_1);
    const u32 ones_67 = lop3<0x96>(halo_above_4, halo_above_2, ones_66);
    const u32 twos_93 = ones_67 & halo_back_above_0;
    const u32 twos_94 = lop3<0xe8>(halo_above_4, halo_above_2, ones_66);
    const u32 twos_95 = lop3<0xe8>(halo_above_5, halo_above_3, halo_above_1);
    const u32 fours_31 = lop3<0xe8>(twos_95, twos_94, twos_93);
    const u32 ones_68 = ones_67 ^ halo_back_above_0;
    const u32 existing_17 = lop3<0xce>(halo_above_6, fours_31, ones_68);
    const u32 twos_96 = twos_95 ^ twos_94;
    const u32 twos_97 = lop3<0x78>(twos_96, ones_67, halo_back_above_0);
    const u32 existing_18 = lop3<0x20>(above_exists, existing_17, twos_97);
    const u32 ones_69 = choice_9 ^ existing_18;
    const u32 ones_70 = lop3<0x96>(halo_above_6, halo_above_0, ones_66);
    const u32 twos_98 = ones_70 & halo_above_right_2;
    const u32 twos_99 = lop3<0xe8>(halo_above_6, halo_above_0, ones_66);
    const u32 fours_32 = lop3<0xe8>(twos_99, twos_95, twos_98);
    const u32 ones_71 = ones_70 ^ halo_above_right_2;
    const u32 existing_19 = lop3<0xce>(halo_above_4, fours_32, ones_71);
    const u32 twos_100 = twos_99 ^ twos_95;
    const u32 twos_101 = lop3<0x78>(twos_100, ones_70, halo_above_right_2);
    const u32 existing_20 = lop3<0x20>(above_exists, existing_19, twos_101);
    const u32 ones_72 = ones_69 ^ existing_20;
    const u32 twos_102 = lop3<0x60>(halo_above_5, ones_31, halo_above_1);
    const u32 twos_103 = lop3<0xe8>(ones_32, halo_above_0, halo_above_1);
    const u32 fours_33 = lop3<0xe8>(twos_50, twos_103, twos_102);
    const u32 ones_73 = lop3<0x96>(halo_above_5, ones_31, halo_above_1);
    const u32 existing_21 = lop3<0xce>(halo_above_3, fours_33, ones_73);
    const u32 twos_104 = twos_50 ^ twos_103;
    const u32 ones_74 = ones_31 ^ halo_above_1;
    const u32 twos_105 = lop3<0x6c>(halo_above_5, twos_104, ones_74);
    const u32 existing_22 = lop3<0x20>(above_exists, existing_21, twos_105);
    const u32 twos_106 = ones_70 & halo_above_left_4;
    const u32 fours_34 = lop3<0xe8>(twos_99, twos_95, twos_106);
    const u32 ones_75 = ones_70 ^ halo_above_left_4;
    const u32 existing_23 = lop3<0xce>(halo_above_2, fours_34, ones_75);
    const u32 twos_107 = lop3<0x78>(twos_100, ones_70, halo_above_left_4);
    const u32 existing_24 = lop3<0x20>(above_exists, existing_23, twos_107);
    const u32 ones_76 = existing_24 ^ existing_22;
    const u32 twos_108 = ones_67 & halo_front_above_6;
    const u32 fours_35 = lop3<0xe8>(twos_95, twos_94, twos_108);
    const u32 ones_77 = ones_67 ^ halo_front_above_6;
    const u32 existing_25 = lop3<0xce>(halo_above_0, fours_35, ones_77);
    const u32 twos_109 = lop3<0x78>(twos_96, ones_67, halo_front_above_6);
    const u32 existing_26 = lop3<0x20>(above_exists, existing_25, twos_109);
    const u32 ones_78 = ones_76 ^ existing_26;
    const u32 twos_110 = ones_78 & ones_72;
    const u32 twos_111 = lop3<0xe8>(choice_9, existing_18, existing_20);
    const u32 twos_112 = lop3<0xe8>(existing_24, existing_22, existing_26);
    const u32 choice_48 = lop3<0x16>(twos_112, twos_111, twos_110);
    const u32 ones_79 = ones_78 ^ ones_72;
    const u32 choice_49 = lop3<0xc4>(choice_31, choice_48, ones_79);
    const u32 existing_27 = above_exists & choice_49;
    const u32 twos_113 = ones_65 & existing_27;
    const u32 fours_36 = lop3<0xea>(twos_92, twos_113, fours_30);
    const u32 ones_80 = ones_65 ^ existing_27;
    const u32 choice_50 = lop3<0xce>(choice_33, fours_36, ones_80);
    const u32 choice_51 = lop3<0x14>(twos_92, twos_113, choice_50);
    out_alive[1 * WORDS] = choice_51;
    const u32 twos_114 = lop3<0xe8>(ones_35, choice_39, choice_47);
    const u32 fours_37 = twos_55 & twos_114;
    const u32 twos_115 = twos_55 ^ twos_114;
    const u32 ones_81 = choice_39 ^ choice_47;
    const u32 ones_82 = ones_35 ^ ones_81;
    const u32 ones_83 = lop3<0x96>(halo_left_3, halo_left_4, halo_left_2);
    const u32 ones_84 = lop3<0x96>(halo_left_5, halo_left_1, ones_83);
    const u32 twos_116 = ones_84 & halo_back_left_0;
    const u32 twos_117 = lop3<0xe8>(halo_left_5, halo_left_1, ones_83);
    const u32 twos_118 = lop3<0xe8>(halo_left_3, halo_left_4, halo_left_2);
    const u32 fours_38 = lop3<0xe8>(twos_118, twos_117, twos_116);
    const u32 ones_85 = ones_84 ^ halo_back_left_0;
    const u32 existing_28 = lop3<0xce>(halo_left_6, fours_38, ones_85);
    const u32 twos_119 = twos_118 ^ twos_117;
    const u32 twos_120 = lop3<0x78>(twos_119, ones_84, halo_back_left_0);
    const u32 existing_29 = lop3<0x20>(left_exists, existing_28, twos_120);
    const u32 ones_86 = choice_20 ^ existing_29;
    const u32 ones_87 = lop3<0x96>(halo_left_6, halo_left_0, ones_83);
    const u32 twos_121 = ones_87 & halo_below_left_1;
    const u32 twos_122 = lop3<0xe8>(halo_left_6, halo_left_0, ones_83);
    const u32 fours_39 = lop3<0xe8>(twos_122, twos_118, twos_121);
    const u32 ones_88 = ones_87 ^ halo_below_left_1;
    const u32 existing_30 = lop3<0xce>(halo_left_5, fours_39, ones_88);
    const u32 twos_123 = twos_122 ^ twos_118;
    const u32 twos_124 = lop3<0x78>(twos_123, ones_87, halo_below_left_1);
    const u32 existing_31 = lop3<0x20>(left_exists, existing_30, twos_124);
    const u32 ones_89 = ones_86 ^ existing_31;
    const u32 twos_125 = lop3<0x48>(ones_16, halo_left_4, halo_left_2);
    const u32 twos_126 = lop3<0xe8>(ones_17, halo_left_0, halo_left_2);
    const u32 twos_127 = lop3<0x96>(twos_31, twos_126, twos_125);
    const u32 fours_40 = lop3<0xe8>(twos_31, twos_126, twos_125);
    const u32 ones_90 = lop3<0x96>(ones_16, halo_left_4, halo_left_2);
    const u32 existing_32 = lop3<0xce>(halo_left_3, fours_40, ones_90);
    const u32 existing_33 = lop3<0x20>(left_exists, existing_32, twos_127);
    const u32 twos_128 = ones_87 & halo_above_left_5;
    const u32 fours_41 = lop3<0xe8>(twos_122, twos_118, twos_128);
    const u32 ones_91 = ones_87 ^ halo_above_left_5;
    const u32 existing_34 = lop3<0xce>(halo_left_1, fours_41, ones_91);
    const u32 twos_129 = lop3<0x78>(twos_123, ones_87, halo_above_left_5);
    const u32 existing_35 = lop3<0x20>(left_exists, existing_34, twos_129);
    const u32 ones_92 = existing_35 ^ existing_33;
    const u32 twos_130 = ones_84 & halo_front_left_6;
    const u32 fours_42 = lop3<0xe8>(twos_118, twos_117, twos_130);
    const u32 ones_93 = ones_84 ^ halo_front_left_6;
    const u32 existing_36 = lop3<0xce>(halo_left_0, fours_42, ones_93);
    const u32 twos_131 = lop3<0x78>(twos_119, ones_84, halo_front_left_6);
    const u32 existing_37 = lop3<0x20>(left_exists, existing_36, twos_131);
    const u32 ones_94 = ones_92 ^ existing_37;
    const u32 twos_132 = ones_94 & ones_89;
    const u32 twos_133 = lop3<0xe8>(choice_20, existing_29, existing_31);
    const u32 twos_134 = lop3<0xe8>(existing_35, existing_33, existing_37);
    const u32 choice_52 = lop3<0x16>(twos_134, twos_133, twos_132);
    const u32 ones_95 = ones_94 ^ ones_89;
    const u32 choice_53 = lop3<0xc4>(choice_18, choice_52, ones_95);
    const u32 existing_38 = left_exists & choice_53;
    const u32 twos_135 = ones_82 & existing_38;
    const u32 fours_43 = lop3<0xea>(twos_115, twos_135, fours_37);
    const u32 ones_96 = ones_82 ^ existing_38;
    const u32 choice_54 = lop3<0xce>(choice_23, fours_43, ones_96);
    const u32 choice_55 = lop3<0x14>(twos_115, twos_135, choice_54);
    out_alive[2 * WORDS] = choice_55;
    const u32 ones_97 = choice_27 ^ choice_33;
    const u32 ones_98 = choice_47 ^ ones_97;
    const u32 twos_136 = ones_59 & ones_98;
    const u32 twos_137 = lop3<0xe8>(choice_27, choice_33, choice_47);
    const u32 fours_44 = lop3<0xe8>(twos_85, twos_137, twos_136);
    const u32 ones_99 = ones_59 ^ ones_98;
    const u32 choice_56 = lop3<0xce>(choice_29, fours_44, ones_99);
    const u32 twos_138 = twos_85 ^ twos_137;
    const u32 choice_57 = lop3<0x14>(twos_138, twos_136, choice_56);
    out_alive[3 * WORDS] = choice_57;
    const u32 ones_100 = lop3<0x96>(halo_right_3, halo_right_2, halo_right_4);
    const u32 ones_101 = lop3<0x96>(halo_right_5, halo_right_1, ones_100);
    const u32 twos_139 = ones_101 & halo_back_right_0;
    const u32 twos_140 = lop3<0xe8>(halo_right_5, halo_right_1, ones_100);
    const u32 twos_141 = lop3<0xe8>(halo_right_3, halo_right_2, halo_right_4);
    const u32 fours_45 = lop3<0xe8>(twos_141, twos_140, twos_139);
    const u32 ones_102 = ones_101 ^ halo_back_right_0;
    const u32 existing_39 = lop3<0xce>(halo_right_6, fours_45, ones_102);
    const u32 twos_142 = twos_141 ^ twos_140;
    const u32 twos_143 = lop3<0x78>(twos_142, ones_101, halo_back_right_0);
    const u32 existing_40 = lop3<0x20>(right_exists, existing_39, twos_143);
    const u32 ones_103 = choice_13 ^ existing_40;
    const u32 ones_104 = lop3<0x96>(halo_right_6, halo_right_0, ones_100);
    const u32 twos_144 = ones_104 & halo_below_right_1;
    const u32 twos_145 = lop3<0xe8>(halo_right_6, halo_right_0, ones_100);
    const u32 fours_46 = lop3<0xe8>(twos_145, twos_141, twos_144);
    const u32 ones_105 = ones_104 ^ halo_below_right_1;
    const u32 existing_41 = lop3<0xce>(halo_right_5, fours_46, ones_105);
    const u32 twos_146 = twos_145 ^ twos_141;
    const u32 twos_147 = lop3<0x78>(twos_146, ones_104, halo_below_right_1);
    const u32 existing_42 = lop3<0x20>(right_exists, existing_41, twos_147);
    const u32 ones_106 = ones_103 ^ existing_42;
    const u32 twos_148 = lop3<0x48>(ones_11, halo_right_2, halo_right_4);
    const u32 twos_149 = lop3<0xe8>(ones_12, halo_right_0, halo_right_4);
    const u32 twos_150 = lop3<0x96>(twos_22, twos_149, twos_148);
    const u32 fours_47 = lop3<0xe8>(twos_22, twos_149, twos_148);
    const u32 ones_107 = lop3<0x96>(ones_11, halo_right_2, halo_right_4);
    const u32 existing_43 = lop3<0xce>(halo_right_3, fours_47, ones_107);
    const u32 existing_44 = lop3<0x20>(right_exists, existing_43, twos_150);
    const u32 twos_151 = ones_104 & halo_above_right_5;
    const u32 fours_48 = lop3<0xe8>(twos_145, twos_141, twos_151);
    const u32 ones_108 = ones_104 ^ halo_above_right_5;
    const u32 existing_45 = lop3<0xce>(halo_right_1, fours_48, ones_108);
    const u32 twos_152 = lop3<0x78>(twos_146, ones_104, halo_above_right_5);
    const u32 existing_46 = lop3<0x20>(right_exists, existing_45, twos_152);
    const u32 ones_109 = existing_46 ^ existing_44;
    const u32 twos_153 = ones_101 & halo_front_right_6;
    const u32 fours_49 = lop3<0xe8>(twos_141, twos_140, twos_153);
    const u32 ones_110 = ones_101 ^ halo_front_right_6;
    const u32 existing_47 = lop3<0xce>(halo_right_0, fours_49, ones_110);
    const u32 twos_154 = lop3<0x78>(twos_142, ones_101, halo_front_right_6);
    const u32 existing_48 = lop3<0x20>(right_exists, existing_47, twos_154);
    const u32 ones_111 = ones_109 ^ existing_48;
    const u32 twos_155 = ones_111 & ones_106;
    const u32 twos_156 = lop3<0xe8>(choice_13, existing_40, existing_42);
    const u32 twos_157 = lop3<0xe8>(existing_46, existing_44, existing_48);
    const u32 choice_58 = lop3<0x16>(twos_157, twos_156, twos_155);
    const u32 ones_112 = ones_111 ^ ones_106;
    const u32 choice_59 = lop3<0xc4>(choice_11, choice_58, ones_112);
    const u32 existing_49 = right_exists & choice_59;
    const u32 twos_158 = ones_82 & existing_49;
    const u32 fours_50 = lop3<0xec>(twos_115, fours_37, twos_158);
    const u32 ones_113 = ones_82 ^ existing_49;
    const u32 choice_60 = lop3<0xce>(choice_16, fours_50, ones_113);
    const u32 choice_61 = lop3<0x14>(twos_115, twos_158, choice_60);
    out_alive[4 * WORDS] = choice_61;
    const u32 ones_114 = lop3<0x96>(halo_below_1, halo_below_3, halo_below_5);
    const u32 ones_115 = lop3<0x96>(halo_below_4, halo_below_2, ones_114);
    const u32 twos_159 = ones_115 & halo_back_below_0;
    const u32 twos_160 = lop3<0xe8>(halo_below_4, halo_below_2, ones_114);
    const u32 twos_161 = lop3<0xe8>(halo_below_1, halo_below_3, halo_below_5);
    const u32 fours_51 = lop3<0xe8>(twos_161, twos_160, twos_159);
    const u32 ones_116 = ones_115 ^ halo_back_below_0;
    const u32 existing_50 = lop3<0xce>(halo_below_6, fours_51, ones_116);
    const u32 twos_162 = twos_161 ^ twos_160;
    const u32 twos_163 = lop3<0x78>(twos_162, ones_115, halo_back_below_0);
    const u32 existing_51 = lop3<0x20>(below_exists, existing_50, twos_163);
    const u32 ones_117 = choice_7 ^ existing_51;
    const u32 ones_118 = lop3<0x96>(halo_below_6, halo_below_0, ones_114);
    const u32 twos_164 = ones_118 & halo_below_right_2;
    const u32 twos_165 = lop3<0xe8>(halo_below_6, halo_below_0, ones_114);
    const u32 fours_52 = lop3<0xe8>(twos_165, twos_161, twos_164);
    const u32 ones_119 = ones_118 ^ halo_below_right_2;
    const u32 existing_52 = lop3<0xce>(halo_below_4, fours_52, ones_119);
    const u32 twos_166 = twos_165 ^ twos_161;
    const u32 twos_167 = lop3<0x78>(twos_166, ones_118, halo_below_right_2);
    const u32 existing_53 = lop3<0x20>(below_exists, existing_52, twos_167);
    const u32 ones_120 = ones_117 ^ existing_53;
    const u32 twos_168 = lop3<0x60>(halo_below_1, ones_22, halo_below_5);
    const u32 twos_169 = lop3<0xe8>(ones_23, halo_below_0, halo_below_5);
    const u32 fours_53 = lop3<0xe8>(twos_41, twos_169, twos_168);
    const u32 ones_121 = lop3<0x96>(halo_below_1, ones_22, halo_below_5);
    const u32 existing_54 = lop3<0xce>(halo_below_3, fours_53, ones_121);
    const u32 twos_170 = twos_41 ^ twos_169;
    const u32 ones_122 = ones_22 ^ halo_below_5;
    const u32 twos_171 = lop3<0x6c>(halo_below_1, twos_170, ones_122);
    const u32 existing_55 = lop3<0x20>(below_exists, existing_54, twos_171);
    const u32 twos_172 = ones_118 & halo_below_left_4;
    const u32 fours_54 = lop3<0xe8>(twos_165, twos_161, twos_172);
    const u32 ones_123 = ones_118 ^ halo_below_left_4;
    const u32 existing_56 = lop3<0xce>(halo_below_2, fours_54, ones_123);
    const u32 twos_173 = lop3<0x78>(twos_166, ones_118, halo_below_left_4);
    const u32 existing_57 = lop3<0x20>(below_exists, existing_56, twos_173);
    const u32 ones_124 = existing_57 ^ existing_55;
    const u32 twos_174 = ones_115 & halo_front_below_6;
    const u32 fours_55 = lop3<0xe8>(twos_161, twos_160, twos_174);
    const u32 ones_125 = ones_115 ^ halo_front_below_6;
    const u32 existing_58 = lop3<0xce>(halo_below_0, fours_55, ones_125);
    const u32 twos_175 = lop3<0x78>(twos_162, ones_115, halo_front_below_6);
    const u32 existing_59 = lop3<0x20>(below_exists, existing_58, twos_175);
    const u32 ones_126 = ones_124 ^ existing_59;
    const u32 twos_176 = ones_126 & ones_120;
    const u32 twos_177 = lop3<0xe8>(choice_7, existing_51, existing_53);
    const u32 twos_178 = lop3<0xe8>(existing_57, existing_55, existing_59);
    const u32 choice_62 = lop3<0x16>(twos_178, twos_177, twos_176);
    const u32 ones_127 = ones_126 ^ ones_120;
    const u32 choice_63 = lop3<0xc4>(choice_25, choice_62, ones_127);
    const u32 existing_60 = below_exists & choice_63;
    const u32 twos_179 = ones_65 & existing_60;
    const u32 fours_56 = twos_92 & twos_179;
    const u32 choice_64 = lop3<0x06>(choice_27, ones_65, existing_60);
    const u32 choice_65 = lop3<0xfe>(fours_30, fours_56, choice_64);
    const u32 choice_66 = lop3<0x14>(twos_92, twos_179, choice_65);
    out_alive[5 * WORDS] = choice_66;
    const u32 ones_128 = lop3<0x96>(halo_back_0, halo_back_3, halo_back_6);
    const u32 ones_129 = lop3<0x96>(halo_back_4, halo_back_2, ones_128);
    const u32 twos_180 = ones_129 & halo_back_below_1;
    const u32 twos_181 = lop3<0xe8>(halo_back_4, halo_back_2, ones_128);
    const u32 twos_182 = lop3<0xe8>(halo_back_0, halo_back_3, halo_back_6);
    const u32 fours_57 = lop3<0xe8>(twos_182, twos_181, twos_180);
    const u32 ones_130 = ones_129 ^ halo_back_below_1;
    const u32 existing_61 = lop3<0xce>(halo_back_5, fours_57, ones_130);
    const u32 twos_183 = twos_182 ^ twos_181;
    const u32 twos_184 = lop3<0x78>(twos_183, ones_129, halo_back_below_1);
    const u32 existing_62 = lop3<0x20>(back_exists, existing_61, twos_184);
    const u32 ones_131 = choice_5 ^ existing_62;
    const u32 ones_132 = lop3<0x96>(halo_back_5, halo_back_1, ones_128);
    const u32 twos_185 = ones_132 & halo_back_right_2;
    const u32 twos_186 = lop3<0xe8>(halo_back_5, halo_back_1, ones_128);
    const u32 fours_58 = lop3<0xe8>(twos_186, twos_182, twos_185);
    const u32 ones_133 = ones_132 ^ halo_back_right_2;
    const u32 existing_63 = lop3<0xce>(halo_back_4, fours_58, ones_133);
    const u32 twos_187 = twos_186 ^ twos_182;
    const u32 twos_188 = lop3<0x78>(twos_187, ones_132, halo_back_right_2);
    const u32 existing_64 = lop3<0x20>(back_exists, existing_63, twos_188);
    const u32 ones_134 = ones_131 ^ existing_64;
    const u32 twos_189 = lop3<0x60>(halo_back_0, ones_61, halo_back_6);
    const u32 twos_190 = lop3<0xe8>(ones_62, halo_back_1, halo_back_6);
    const u32 fours_59 = lop3<0xe8>(twos_87, twos_190, twos_189);
    const u32 ones_135 = lop3<0x96>(halo_back_0, ones_61, halo_back_6);
    const u32 existing_65 = lop3<0xce>(halo_back_3, fours_59, ones_135);
    const u32 twos_191 = twos_87 ^ twos_190;
    const u32 ones_136 = ones_61 ^ halo_back_6;
    const u32 twos_192 = lop3<0x6c>(halo_back_0, twos_191, ones_136);
    const u32 existing_66 = lop3<0x20>(back_exists, existing_65, twos_192);
    const u32 twos_193 = ones_132 & halo_back_left_4;
    const u32 fours_60 = lop3<0xe8>(twos_186, twos_182, twos_193);
    const u32 ones_137 = ones_132 ^ halo_back_left_4;
    const u32 existing_67 = lop3<0xce>(halo_back_2, fours_60, ones_137);
    const u32 twos_194 = lop3<0x78>(twos_187, ones_132, halo_back_left_4);
    const u32 existing_68 = lop3<0x20>(back_exists, existing_67, twos_194);
    const u32 ones_138 = existing_68 ^ existing_66;
    const u32 twos_195 = ones_129 & halo_back_above_5;
    const u32 fours_61 = lop3<0xe8>(twos_182, twos_181, twos_195);
    const u32 ones_139 = ones_129 ^ halo_back_above_5;
    const u32 existing_69 = lop3<0xce>(halo_back_1, fours_61, ones_139);
    const u32 twos_196 = lop3<0x78>(twos_183, ones_129, halo_back_above_5);
    const u32 existing_70 = lop3<0x20>(back_exists, existing_69, twos_196);
    const u32 ones_140 = ones_138 ^ existing_70;
    const u32 twos_197 = ones_140 & ones_134;
    const u32 twos_198 = lop3<0xe8>(choice_5, existing_62, existing_64);
    const u32 twos_199 = lop3<0xe8>(existing_68, existing_66, existing_70);
    const u32 choice_67 = lop3<0x16>(twos_199, twos_198, twos_197);
    const u32 ones_141 = ones_140 ^ ones_134;
    const u32 choice_68 = lop3<0xc4>(choice_44, choice_67, ones_141);
    const u32 existing_71 = back_exists & choice_68;
    const u32 twos_200 = ones_37 & existing_71;
    const u32 fours_62 = twos_56 & twos_200;
    const u32 choice_69 = lop3<0x12>(ones_37, choice_47, existing_71);
    const u32 choice_70 = lop3<0xfe>(fours_18, fours_62, choice_69);
    const u32 choice_71 = lop3<0x14>(twos_56, twos_200, choice_70);
    out_alive[6 * WORDS] = choice_71;
}
