// life on cantor_dust_3d at level 3, by Squeeze 0.1.0
//
// T = 0: 1 lanes a column fill 3% of the vector registers they take
// L = 1: 8 micro cells a superblock, about 344 operations; 64 superblocks
// t = 3: 2.87 cells computed for one that is kept; bound by operations, 2959.19 ps a cell and step expected
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

// life_init: one step of 8 micro cells; a thread takes one lane, a superblock 32 threads.
// 2.00 operations a cell and step (0 on bits, 16 on numbers), 0 + 0 loads, 8 stores, 3 live values
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
    const u32 draw_7 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 7, time, 0);
    const bool chance_8 = draw_7 < 2147483648u;
    store_bits(out_alive + 7 * WORDS, chance_8, place);
}

// life: 3 steps of 8 micro cells; a thread takes one word of 32 lanes, a superblock 1 threads.
// 43.67 operations a cell and step (1048 on bits, 0 on numbers), 8 + 56 loads, 8 stores, 43 live values
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
    const Neighbour front_above_left = neighbour(world, superblock, 0, -1, -1, -1);
    const Neighbour front_above = neighbour(world, superblock, 1, 0, -1, -1);
    const Neighbour front_above_right = neighbour(world, superblock, 2, 1, -1, -1);
    const Neighbour front_left = neighbour(world, superblock, 3, -1, 0, -1);
    const Neighbour front = neighbour(world, superblock, 4, 0, 0, -1);
    const Neighbour front_right = neighbour(world, superblock, 5, 1, 0, -1);
    const Neighbour front_below_left = neighbour(world, superblock, 6, -1, 1, -1);
    const Neighbour front_below = neighbour(world, superblock, 7, 0, 1, -1);
    const Neighbour front_below_right = neighbour(world, superblock, 8, 1, 1, -1);
    const Neighbour above_left = neighbour(world, superblock, 9, -1, -1, 0);
    const Neighbour above = neighbour(world, superblock, 10, 0, -1, 0);
    const Neighbour above_right = neighbour(world, superblock, 11, 1, -1, 0);
    const Neighbour left = neighbour(world, superblock, 12, -1, 0, 0);
    const Neighbour right = neighbour(world, superblock, 13, 1, 0, 0);
    const Neighbour below_left = neighbour(world, superblock, 14, -1, 1, 0);
    const Neighbour below = neighbour(world, superblock, 15, 0, 1, 0);
    const Neighbour below_right = neighbour(world, superblock, 16, 1, 1, 0);
    const Neighbour back_above_left = neighbour(world, superblock, 17, -1, -1, 1);
    const Neighbour back_above = neighbour(world, superblock, 18, 0, -1, 1);
    const Neighbour back_above_right = neighbour(world, superblock, 19, 1, -1, 1);
    const Neighbour back_left = neighbour(world, superblock, 20, -1, 0, 1);
    const Neighbour back = neighbour(world, superblock, 21, 0, 0, 1);
    const Neighbour back_right = neighbour(world, superblock, 22, 1, 0, 1);
    const Neighbour back_below_left = neighbour(world, superblock, 23, -1, 1, 1);
    const Neighbour back_below = neighbour(world, superblock, 24, 0, 1, 1);
    const Neighbour back_below_right = neighbour(world, superblock, 25, 1, 1, 1);

    const u32 none = after_pass_before();
    alive += none;
    new_alive += none;
    const u32 *own_alive = alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_1 = own_alive[1 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];
    const u32 own_3 = own_alive[3 * WORDS];
    const u32 own_4 = own_alive[4 * WORDS];
    const u32 own_5 = own_alive[5 * WORDS];
    const u32 own_6 = own_alive[6 * WORDS];
    const u32 own_7 = own_alive[7 * WORDS];

    // front above left
    const u32 *front_above_left_alive = alive + (u64)front_above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_above_left_7 = front_above_left_alive[7 * WORDS];

    // front above
    const u32 *front_above_alive = alive + (u64)front_above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_above_6 = front_above_alive[6 * WORDS];
    u32 halo_front_above_7 = front_above_alive[7 * WORDS];

    // front above right
    const u32 *front_above_right_alive = alive + (u64)front_above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_above_right_6 = front_above_right_alive[6 * WORDS];

    // front left
    const u32 *front_left_alive = alive + (u64)front_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_left_5 = front_left_alive[5 * WORDS];
    u32 halo_front_left_7 = front_left_alive[7 * WORDS];

    // front
    const u32 *front_alive = alive + (u64)front.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_4 = front_alive[4 * WORDS];
    u32 halo_front_5 = front_alive[5 * WORDS];
    u32 halo_front_6 = front_alive[6 * WORDS];
    u32 halo_front_7 = front_alive[7 * WORDS];

    // front right
    const u32 *front_right_alive = alive + (u64)front_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_right_4 = front_right_alive[4 * WORDS];
    u32 halo_front_right_6 = front_right_alive[6 * WORDS];

    // front below left
    const u32 *front_below_left_alive = alive + (u64)front_below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_left_5 = front_below_left_alive[5 * WORDS];

    // front below
    const u32 *front_below_alive = alive + (u64)front_below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_4 = front_below_alive[4 * WORDS];
    u32 halo_front_below_5 = front_below_alive[5 * WORDS];

    // front below right
    const u32 *front_below_right_alive = alive + (u64)front_below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_right_4 = front_below_right_alive[4 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_3 = above_left_alive[3 * WORDS];
    u32 halo_above_left_7 = above_left_alive[7 * WORDS];

    // above
    const u32 *above_alive = alive + (u64)above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_2 = above_alive[2 * WORDS];
    u32 halo_above_3 = above_alive[3 * WORDS];
    u32 halo_above_6 = above_alive[6 * WORDS];
    u32 halo_above_7 = above_alive[7 * WORDS];

    // above right
    const u32 *above_right_alive = alive + (u64)above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_right_2 = above_right_alive[2 * WORDS];
    u32 halo_above_right_6 = above_right_alive[6 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_1 = left_alive[1 * WORDS];
    u32 halo_left_3 = left_alive[3 * WORDS];
    u32 halo_left_5 = left_alive[5 * WORDS];
    u32 halo_left_7 = left_alive[7 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_4 = right_alive[4 * WORDS];
    u32 halo_right_6 = right_alive[6 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_1 = below_left_alive[1 * WORDS];
    u32 halo_below_left_5 = below_left_alive[5 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_4 = below_alive[4 * WORDS];
    u32 halo_below_5 = below_alive[5 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_0 = below_right_alive[0 * WORDS];
    u32 halo_below_right_4 = below_right_alive[4 * WORDS];

    // back above left
    const u32 *back_above_left_alive = alive + (u64)back_above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_left_3 = back_above_left_alive[3 * WORDS];

    // back above
    const u32 *back_above_alive = alive + (u64)back_above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_2 = back_above_alive[2 * WORDS];
    u32 halo_back_above_3 = back_above_alive[3 * WORDS];

    // back above right
    const u32 *back_above_right_alive = alive + (u64)back_above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_right_2 = back_above_right_alive[2 * WORDS];

    // back left
    const u32 *back_left_alive = alive + (u64)back_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_left_1 = back_left_alive[1 * WORDS];
    u32 halo_back_left_3 = back_left_alive[3 * WORDS];

    // back
    const u32 *back_alive = alive + (u64)back.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_0 = back_alive[0 * WORDS];
    u32 halo_back_1 = back_alive[1 * WORDS];
    u32 halo_back_2 = back_alive[2 * WORDS];
    u32 halo_back_3 = back_alive[3 * WORDS];

    // back right
    const u32 *back_right_alive = alive + (u64)back_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_right_0 = back_right_alive[0 * WORDS];
    u32 halo_back_right_2 = back_right_alive[2 * WORDS];

    // back below left
    const u32 *back_below_left_alive = alive + (u64)back_below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_below_left_1 = back_below_left_alive[1 * WORDS];

    // back below
    const u32 *back_below_alive = alive + (u64)back_below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_below_0 = back_below_alive[0 * WORDS];
    u32 halo_back_below_1 = back_below_alive[1 * WORDS];

    // back below right
    const u32 *back_below_right_alive = alive + (u64)back_below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_below_right_0 = back_below_right_alive[0 * WORDS];

    // Across the border lanes see other lanes.
    if (front_above_left.wrap != STAY) {
        const u32 seen_halo_front_above_left_7 = halo_front_above_left_7; halo_front_above_left_7 = 0;
        const u32 last = world.first_terms[front_above_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_above_left_7 |= moved(seen_halo_front_above_left_7, term);
        }
    }
    if (front_above.wrap != STAY) {
        const u32 seen_halo_front_above_6 = halo_front_above_6; halo_front_above_6 = 0;
        const u32 seen_halo_front_above_7 = halo_front_above_7; halo_front_above_7 = 0;
        const u32 last = world.first_terms[front_above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_above_6 |= moved(seen_halo_front_above_6, term);
            halo_front_above_7 |= moved(seen_halo_front_above_7, term);
        }
    }
    if (front_above_right.wrap != STAY) {
        const u32 seen_halo_front_above_right_6 = halo_front_above_right_6; halo_front_above_right_6 = 0;
        const u32 last = world.first_terms[front_above_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_above_right_6 |= moved(seen_halo_front_above_right_6, term);
        }
    }
    if (front_left.wrap != STAY) {
        const u32 seen_halo_front_left_5 = halo_front_left_5; halo_front_left_5 = 0;
        const u32 seen_halo_front_left_7 = halo_front_left_7; halo_front_left_7 = 0;
        const u32 last = world.first_terms[front_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_left_5 |= moved(seen_halo_front_left_5, term);
            halo_front_left_7 |= moved(seen_halo_front_left_7, term);
        }
    }
    if (front.wrap != STAY) {
        const u32 seen_halo_front_4 = halo_front_4; halo_front_4 = 0;
        const u32 seen_halo_front_5 = halo_front_5; halo_front_5 = 0;
        const u32 seen_halo_front_6 = halo_front_6; halo_front_6 = 0;
        const u32 seen_halo_front_7 = halo_front_7; halo_front_7 = 0;
        const u32 last = world.first_terms[front.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_4 |= moved(seen_halo_front_4, term);
            halo_front_5 |= moved(seen_halo_front_5, term);
            halo_front_6 |= moved(seen_halo_front_6, term);
            halo_front_7 |= moved(seen_halo_front_7, term);
        }
    }
    if (front_right.wrap != STAY) {
        const u32 seen_halo_front_right_4 = halo_front_right_4; halo_front_right_4 = 0;
        const u32 seen_halo_front_right_6 = halo_front_right_6; halo_front_right_6 = 0;
        const u32 last = world.first_terms[front_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_right_4 |= moved(seen_halo_front_right_4, term);
            halo_front_right_6 |= moved(seen_halo_front_right_6, term);
        }
    }
    if (front_below_left.wrap != STAY) {
        const u32 seen_halo_front_below_left_5 = halo_front_below_left_5; halo_front_below_left_5 = 0;
        const u32 last = world.first_terms[front_below_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_left_5 |= moved(seen_halo_front_below_left_5, term);
        }
    }
    if (front_below.wrap != STAY) {
        const u32 seen_halo_front_below_4 = halo_front_below_4; halo_front_below_4 = 0;
        const u32 seen_halo_front_below_5 = halo_front_below_5; halo_front_below_5 = 0;
        const u32 last = world.first_terms[front_below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_4 |= moved(seen_halo_front_below_4, term);
            halo_front_below_5 |= moved(seen_halo_front_below_5, term);
        }
    }
    if (front_below_right.wrap != STAY) {
        const u32 seen_halo_front_below_right_4 = halo_front_below_right_4; halo_front_below_right_4 = 0;
        const u32 last = world.first_terms[front_below_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_right_4 |= moved(seen_halo_front_below_right_4, term);
        }
    }
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_3 = halo_above_left_3; halo_above_left_3 = 0;
        const u32 seen_halo_above_left_7 = halo_above_left_7; halo_above_left_7 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_3 |= moved(seen_halo_above_left_3, term);
            halo_above_left_7 |= moved(seen_halo_above_left_7, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_6 = halo_above_6; halo_above_6 = 0;
        const u32 seen_halo_above_7 = halo_above_7; halo_above_7 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_2 |= moved(seen_halo_above_2, term);
            halo_above_3 |= moved(seen_halo_above_3, term);
            halo_above_6 |= moved(seen_halo_above_6, term);
            halo_above_7 |= moved(seen_halo_above_7, term);
        }
    }
    if (above_right.wrap != STAY) {
        const u32 seen_halo_above_right_2 = halo_above_right_2; halo_above_right_2 = 0;
        const u32 seen_halo_above_right_6 = halo_above_right_6; halo_above_right_6 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_2 |= moved(seen_halo_above_right_2, term);
            halo_above_right_6 |= moved(seen_halo_above_right_6, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 seen_halo_left_5 = halo_left_5; halo_left_5 = 0;
        const u32 seen_halo_left_7 = halo_left_7; halo_left_7 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_1 |= moved(seen_halo_left_1, term);
            halo_left_3 |= moved(seen_halo_left_3, term);
            halo_left_5 |= moved(seen_halo_left_5, term);
            halo_left_7 |= moved(seen_halo_left_7, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_4 = halo_right_4; halo_right_4 = 0;
        const u32 seen_halo_right_6 = halo_right_6; halo_right_6 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_4 |= moved(seen_halo_right_4, term);
            halo_right_6 |= moved(seen_halo_right_6, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_1 = halo_below_left_1; halo_below_left_1 = 0;
        const u32 seen_halo_below_left_5 = halo_below_left_5; halo_below_left_5 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_1 |= moved(seen_halo_below_left_1, term);
            halo_below_left_5 |= moved(seen_halo_below_left_5, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_4 = halo_below_4; halo_below_4 = 0;
        const u32 seen_halo_below_5 = halo_below_5; halo_below_5 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_4 |= moved(seen_halo_below_4, term);
            halo_below_5 |= moved(seen_halo_below_5, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_0 = halo_below_right_0; halo_below_right_0 = 0;
        const u32 seen_halo_below_right_4 = halo_below_right_4; halo_below_right_4 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_0 |= moved(seen_halo_below_right_0, term);
            halo_below_right_4 |= moved(seen_halo_below_right_4, term);
        }
    }
    if (back_above_left.wrap != STAY) {
        const u32 seen_halo_back_above_left_3 = halo_back_above_left_3; halo_back_above_left_3 = 0;
        const u32 last = world.first_terms[back_above_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_above_left_3 |= moved(seen_halo_back_above_left_3, term);
        }
    }
    if (back_above.wrap != STAY) {
        const u32 seen_halo_back_above_2 = halo_back_above_2; halo_back_above_2 = 0;
        const u32 seen_halo_back_above_3 = halo_back_above_3; halo_back_above_3 = 0;
        const u32 last = world.first_terms[back_above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_above_2 |= moved(seen_halo_back_above_2, term);
            halo_back_above_3 |= moved(seen_halo_back_above_3, term);
        }
    }
    if (back_above_right.wrap != STAY) {
        const u32 seen_halo_back_above_right_2 = halo_back_above_right_2; halo_back_above_right_2 = 0;
        const u32 last = world.first_terms[back_above_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_above_right_2 |= moved(seen_halo_back_above_right_2, term);
        }
    }
    if (back_left.wrap != STAY) {
        const u32 seen_halo_back_left_1 = halo_back_left_1; halo_back_left_1 = 0;
        const u32 seen_halo_back_left_3 = halo_back_left_3; halo_back_left_3 = 0;
        const u32 last = world.first_terms[back_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_left_1 |= moved(seen_halo_back_left_1, term);
            halo_back_left_3 |= moved(seen_halo_back_left_3, term);
        }
    }
    if (back.wrap != STAY) {
        const u32 seen_halo_back_0 = halo_back_0; halo_back_0 = 0;
        const u32 seen_halo_back_1 = halo_back_1; halo_back_1 = 0;
        const u32 seen_halo_back_2 = halo_back_2; halo_back_2 = 0;
        const u32 seen_halo_back_3 = halo_back_3; halo_back_3 = 0;
        const u32 last = world.first_terms[back.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_0 |= moved(seen_halo_back_0, term);
            halo_back_1 |= moved(seen_halo_back_1, term);
            halo_back_2 |= moved(seen_halo_back_2, term);
            halo_back_3 |= moved(seen_halo_back_3, term);
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
    if (back_below_left.wrap != STAY) {
        const u32 seen_halo_back_below_left_1 = halo_back_below_left_1; halo_back_below_left_1 = 0;
        const u32 last = world.first_terms[back_below_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_below_left_1 |= moved(seen_halo_back_below_left_1, term);
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
    if (back_below_right.wrap != STAY) {
        const u32 seen_halo_back_below_right_0 = halo_back_below_right_0; halo_back_below_right_0 = 0;
        const u32 last = world.first_terms[back_below_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_below_right_0 |= moved(seen_halo_back_below_right_0, term);
        }
    }

    // the rule
    const u32 ones_0 = lop3<0x96>(halo_left_1, halo_front_4, halo_above_left_3);
    const u32 ones_1 = lop3<0x96>(halo_above_2, own_0, ones_0);
    const u32 twos_0 = lop3<0xe8>(halo_front_above_6, halo_front_above_left_7, ones_1);
    const u32 twos_1 = lop3<0xe8>(halo_above_2, own_0, ones_0);
    const u32 twos_2 = lop3<0xe8>(halo_left_1, halo_front_4, halo_above_left_3);
    const u32 fours_0 = lop3<0xe8>(twos_2, twos_1, twos_0);
    const u32 ones_2 = lop3<0x96>(halo_front_above_6, halo_front_above_left_7, ones_1);
    const u32 choice_0 = lop3<0xce>(halo_front_left_5, fours_0, ones_2);
    const u32 twos_3 = twos_2 ^ twos_1;
    const u32 choice_1 = lop3<0x14>(twos_3, twos_0, choice_0);
    const u32 front_left_exists = presence(world, front_left, word);
    const u32 existing_0 = choice_1 & front_left_exists;
    const u32 twos_4 = lop3<0xe8>(halo_front_left_5, halo_front_above_left_7, ones_1);
    const u32 fours_1 = lop3<0xe8>(twos_2, twos_1, twos_4);
    const u32 ones_3 = lop3<0x96>(halo_front_left_5, halo_front_above_left_7, ones_1);
    const u32 choice_2 = lop3<0xce>(halo_front_above_6, fours_1, ones_3);
    const u32 choice_3 = lop3<0x14>(twos_3, twos_4, choice_2);
    const u32 front_above_exists = presence(world, front_above, word);
    const u32 existing_1 = choice_3 & front_above_exists;
    const u32 twos_5 = lop3<0xe8>(halo_front_above_6, halo_front_left_5, ones_1);
    const u32 fours_2 = lop3<0xe8>(twos_2, twos_1, twos_5);
    const u32 ones_4 = lop3<0x96>(halo_front_above_6, halo_front_left_5, ones_1);
    const u32 choice_4 = lop3<0xce>(halo_front_above_left_7, fours_2, ones_4);
    const u32 choice_5 = lop3<0x14>(twos_3, twos_5, choice_4);
    const u32 front_above_left_exists = presence(world, front_above_left, word);
    const u32 existing_2 = choice_5 & front_above_left_exists;
    const u32 twos_6 = lop3<0xe8>(existing_2, existing_1, existing_0);
    const u32 ones_5 = existing_1 ^ existing_0;
    const u32 ones_6 = existing_2 ^ ones_5;
    const u32 ones_7 = lop3<0x96>(halo_front_above_6, halo_front_left_5, halo_front_above_left_7);
    const u32 twos_7 = lop3<0xe8>(halo_above_2, ones_7, ones_0);
    const u32 twos_8 = lop3<0xe8>(halo_front_above_6, halo_front_left_5, halo_front_above_left_7);
    const u32 fours_3 = lop3<0xe8>(twos_8, twos_2, twos_7);
    const u32 ones_8 = ones_7 ^ ones_0;
    const u32 ones_9 = halo_above_2 ^ ones_8;
    const u32 choice_6 = lop3<0xce>(own_0, fours_3, ones_9);
    const u32 twos_9 = twos_8 ^ twos_2;
    const u32 choice_7 = lop3<0x14>(twos_9, twos_7, choice_6);
    const u32 ones_10 = lop3<0x96>(halo_above_2, own_0, ones_7);
    const u32 twos_10 = lop3<0xe8>(ones_10, halo_front_4, halo_above_left_3);
    const u32 twos_11 = lop3<0xe8>(halo_above_2, own_0, ones_7);
    const u32 fours_4 = lop3<0xe8>(twos_11, twos_8, twos_10);
    const u32 ones_11 = lop3<0x96>(ones_10, halo_front_4, halo_above_left_3);
    const u32 choice_8 = lop3<0xce>(halo_left_1, fours_4, ones_11);
    const u32 twos_12 = twos_11 ^ twos_8;
    const u32 choice_9 = lop3<0x14>(twos_12, twos_10, choice_8);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_3 = choice_9 & left_exists;
    const u32 twos_13 = lop3<0xe8>(choice_7, existing_3, ones_6);
    const u32 fours_5 = twos_13 & twos_6;
    const u32 twos_14 = twos_13 ^ twos_6;
    const u32 ones_12 = choice_7 ^ existing_3;
    const u32 ones_13 = ones_12 ^ ones_6;
    const u32 twos_15 = lop3<0xe8>(own_0, ones_7, ones_0);
    const u32 fours_6 = lop3<0xe8>(twos_8, twos_2, twos_15);
    const u32 ones_14 = own_0 ^ ones_8;
    const u32 choice_10 = lop3<0xce>(halo_above_2, fours_6, ones_14);
    const u32 choice_11 = lop3<0x14>(twos_9, twos_15, choice_10);
    const u32 above_exists = presence(world, above, word);
    const u32 existing_4 = choice_11 & above_exists;
    const u32 twos_16 = lop3<0xe8>(ones_10, halo_left_1, halo_front_4);
    const u32 fours_7 = lop3<0xe8>(twos_11, twos_8, twos_16);
    const u32 ones_15 = lop3<0x96>(ones_10, halo_left_1, halo_front_4);
    const u32 choice_12 = lop3<0xf4>(fours_7, ones_15, halo_above_left_3);
    const u32 choice_13 = lop3<0x14>(twos_12, twos_16, choice_12);
    const u32 above_left_exists = presence(world, above_left, word);
    const u32 existing_5 = choice_13 & above_left_exists;
    const u32 twos_17 = lop3<0xe8>(existing_5, existing_4, ones_13);
    const u32 choice_14 = lop3<0x14>(twos_14, twos_17, fours_5);
    const u32 ones_16 = existing_4 ^ ones_13;
    const u32 ones_17 = existing_5 ^ ones_16;
    const u32 twos_18 = lop3<0xe8>(ones_10, halo_left_1, halo_above_left_3);
    const u32 fours_8 = lop3<0xe8>(twos_11, twos_8, twos_18);
    const u32 ones_18 = lop3<0x96>(ones_10, halo_left_1, halo_above_left_3);
    const u32 choice_15 = lop3<0xce>(halo_front_4, fours_8, ones_18);
    const u32 choice_16 = lop3<0x14>(twos_12, twos_18, choice_15);
    const u32 choice_17 = lop3<0xc4>(choice_16, choice_14, ones_17);
    const u32 front_exists = presence(world, front, word);
    const u32 existing_6 = front_exists & choice_17;
    const u32 ones_19 = existing_5 ^ existing_4;
    const u32 existing_7 = choice_16 & front_exists;
    const u32 ones_20 = ones_19 ^ existing_7;
    const u32 twos_19 = lop3<0xe8>(ones_20, choice_7, existing_3);
    const u32 twos_20 = lop3<0xe8>(existing_5, existing_4, existing_7);
    const u32 fours_9 = twos_20 & twos_19;
    const u32 twos_21 = twos_20 ^ twos_19;
    const u32 ones_21 = ones_20 ^ ones_12;
    const u32 twos_22 = lop3<0xe8>(existing_2, existing_1, ones_21);
    const u32 choice_18 = lop3<0x14>(twos_21, twos_22, fours_9);
    const u32 ones_22 = existing_2 ^ existing_1;
    const u32 ones_23 = ones_22 ^ ones_21;
    const u32 choice_19 = lop3<0xd0>(choice_18, choice_1, ones_23);
    const u32 existing_8 = choice_19 & front_left_exists;
    const u32 ones_24 = existing_8 ^ existing_6;
    const u32 twos_23 = lop3<0xe8>(existing_2, ones_21, existing_0);
    const u32 choice_20 = lop3<0x12>(twos_21, fours_9, twos_23);
    const u32 ones_25 = ones_21 ^ existing_0;
    const u32 ones_26 = existing_2 ^ ones_25;
    const u32 choice_21 = lop3<0xc4>(choice_3, choice_20, ones_26);
    const u32 existing_9 = front_above_exists & choice_21;
    const u32 ones_27 = ones_24 ^ existing_9;
    const u32 twos_24 = lop3<0xe8>(ones_20, choice_7, ones_6);
    const u32 choice_22 = lop3<0x16>(twos_20, twos_6, twos_24);
    const u32 ones_28 = ones_20 ^ ones_6;
    const u32 ones_29 = choice_7 ^ ones_28;
    const u32 choice_23 = lop3<0xc4>(choice_9, choice_22, ones_29);
    const u32 existing_10 = left_exists & choice_23;
    const u32 twos_25 = lop3<0xe8>(existing_5, existing_7, ones_13);
    const u32 choice_24 = lop3<0x12>(twos_14, fours_5, twos_25);
    const u32 ones_30 = existing_5 ^ existing_7;
    const u32 ones_31 = ones_13 ^ ones_30;
    const u32 choice_25 = lop3<0xc4>(choice_11, choice_24, ones_31);
    const u32 existing_11 = above_exists & choice_25;
    const u32 ones_32 = existing_11 ^ existing_10;
    const u32 twos_26 = lop3<0xe8>(existing_4, existing_7, ones_13);
    const u32 choice_26 = lop3<0x12>(twos_14, fours_5, twos_26);
    const u32 ones_33 = existing_7 ^ ones_16;
    const u32 choice_27 = lop3<0xc4>(choice_13, choice_26, ones_33);
    const u32 existing_12 = above_left_exists & choice_27;
    const u32 ones_34 = ones_32 ^ existing_12;
    const u32 twos_27 = lop3<0xe8>(existing_1, ones_21, existing_0);
    const u32 choice_28 = lop3<0x12>(twos_21, fours_9, twos_27);
    const u32 ones_35 = existing_1 ^ ones_25;
    const u32 choice_29 = lop3<0xc4>(choice_5, choice_28, ones_35);
    const u32 existing_13 = front_above_left_exists & choice_29;
    const u32 twos_28 = lop3<0xe8>(ones_34, existing_13, ones_27);
    const u32 twos_29 = lop3<0xe8>(existing_11, existing_10, existing_12);
    const u32 twos_30 = lop3<0xe8>(existing_8, existing_6, existing_9);
    const u32 choice_30 = lop3<0x16>(twos_30, twos_29, twos_28);
    const u32 ones_36 = ones_34 ^ existing_13;
    const u32 ones_37 = ones_36 ^ ones_27;
    const u32 twos_31 = lop3<0xe8>(ones_20, existing_3, ones_6);
    const u32 fours_10 = lop3<0xe8>(twos_20, twos_6, twos_31);
    const u32 ones_38 = existing_3 ^ ones_28;
    const u32 choice_31 = lop3<0xce>(choice_7, fours_10, ones_38);
    const u32 twos_32 = twos_20 ^ twos_6;
    const u32 choice_32 = lop3<0x14>(twos_32, twos_31, choice_31);
    const u32 choice_33 = lop3<0xd0>(choice_30, choice_32, ones_37);
    out_alive[0 * WORDS] = choice_33;
    const u32 ones_39 = lop3<0x96>(halo_right_0, halo_front_right_4, halo_above_3);
    const u32 ones_40 = lop3<0x96>(halo_above_right_2, own_1, ones_39);
    const u32 twos_33 = lop3<0xe8>(halo_front_above_right_6, halo_front_above_7, ones_40);
    const u32 twos_34 = lop3<0xe8>(halo_above_right_2, own_1, ones_39);
    const u32 twos_35 = lop3<0xe8>(halo_right_0, halo_front_right_4, halo_above_3);
    const u32 fours_11 = lop3<0xe8>(twos_35, twos_34, twos_33);
    const u32 ones_41 = lop3<0x96>(halo_front_above_right_6, halo_front_above_7, ones_40);
    const u32 choice_34 = lop3<0xce>(halo_front_5, fours_11, ones_41);
    const u32 twos_36 = twos_35 ^ twos_34;
    const u32 choice_35 = lop3<0x14>(twos_36, twos_33, choice_34);
    const u32 existing_14 = front_exists & choice_35;
    const u32 twos_37 = lop3<0xe8>(halo_front_5, halo_front_above_7, ones_40);
    const u32 fours_12 = lop3<0xe8>(twos_35, twos_34, twos_37);
    const u32 ones_42 = lop3<0x96>(halo_front_5, halo_front_above_7, ones_40);
    const u32 choice_36 = lop3<0xce>(halo_front_above_right_6, fours_12, ones_42);
    const u32 choice_37 = lop3<0x14>(twos_36, twos_37, choice_36);
    const u32 front_above_right_exists = presence(world, front_above_right, word);
    const u32 existing_15 = choice_37 & front_above_right_exists;
    const u32 twos_38 = lop3<0xe8>(halo_front_above_right_6, halo_front_5, ones_40);
    const u32 fours_13 = lop3<0xe8>(twos_35, twos_34, twos_38);
    const u32 ones_43 = lop3<0x96>(halo_front_above_right_6, halo_front_5, ones_40);
    const u32 choice_38 = lop3<0xce>(halo_front_above_7, fours_13, ones_43);
    const u32 choice_39 = lop3<0x14>(twos_36, twos_38, choice_38);
    const u32 existing_16 = front_above_exists & choice_39;
    const u32 twos_39 = lop3<0xe8>(existing_16, existing_15, existing_14);
    const u32 ones_44 = existing_15 ^ existing_14;
    const u32 ones_45 = existing_16 ^ ones_44;
    const u32 ones_46 = lop3<0x96>(halo_front_above_right_6, halo_front_5, halo_front_above_7);
    const u32 twos_40 = lop3<0xe8>(halo_above_right_2, ones_46, ones_39);
    const u32 twos_41 = lop3<0xe8>(halo_front_above_right_6, halo_front_5, halo_front_above_7);
    const u32 fours_14 = lop3<0xe8>(twos_41, twos_35, twos_40);
    const u32 ones_47 = ones_46 ^ ones_39;
    const u32 ones_48 = halo_above_right_2 ^ ones_47;
    const u32 choice_40 = lop3<0xce>(own_1, fours_14, ones_48);
    const u32 twos_42 = twos_41 ^ twos_35;
    const u32 choice_41 = lop3<0x14>(twos_42, twos_40, choice_40);
    const u32 ones_49 = lop3<0x96>(halo_above_right_2, own_1, ones_46);
    const u32 twos_43 = lop3<0xe8>(ones_49, halo_front_right_4, halo_above_3);
    const u32 twos_44 = lop3<0xe8>(halo_above_right_2, own_1, ones_46);
    const u32 fours_15 = lop3<0xe8>(twos_44, twos_41, twos_43);
    const u32 ones_50 = lop3<0x96>(ones_49, halo_front_right_4, halo_above_3);
    const u32 choice_42 = lop3<0xce>(halo_right_0, fours_15, ones_50);
    const u32 twos_45 = twos_44 ^ twos_41;
    const u32 choice_43 = lop3<0x14>(twos_45, twos_43, choice_42);
    const u32 right_exists = presence(world, right, word);
    const u32 existing_17 = choice_43 & right_exists;
    const u32 twos_46 = lop3<0xe8>(choice_41, existing_17, ones_45);
    const u32 fours_16 = twos_46 & twos_39;
    const u32 twos_47 = twos_46 ^ twos_39;
    const u32 ones_51 = choice_41 ^ existing_17;
    const u32 ones_52 = ones_51 ^ ones_45;
    const u32 twos_48 = lop3<0xe8>(own_1, ones_46, ones_39);
    const u32 fours_17 = lop3<0xe8>(twos_41, twos_35, twos_48);
    const u32 ones_53 = own_1 ^ ones_47;
    const u32 choice_44 = lop3<0xce>(halo_above_right_2, fours_17, ones_53);
    const u32 choice_45 = lop3<0x14>(twos_42, twos_48, choice_44);
    const u32 above_right_exists = presence(world, above_right, word);
    const u32 existing_18 = choice_45 & above_right_exists;
    const u32 twos_49 = lop3<0xe8>(ones_49, halo_right_0, halo_front_right_4);
    const u32 fours_18 = lop3<0xe8>(twos_44, twos_41, twos_49);
    const u32 ones_54 = lop3<0x96>(ones_49, halo_right_0, halo_front_right_4);
    const u32 choice_46 = lop3<0xf4>(fours_18, ones_54, halo_above_3);
    const u32 choice_47 = lop3<0x14>(twos_45, twos_49, choice_46);
    const u32 existing_19 = above_exists & choice_47;
    const u32 twos_50 = lop3<0xe8>(existing_19, existing_18, ones_52);
    const u32 choice_48 = lop3<0x14>(twos_47, twos_50, fours_16);
    const u32 ones_55 = existing_18 ^ ones_52;
    const u32 ones_56 = existing_19 ^ ones_55;
    const u32 twos_51 = lop3<0xe8>(ones_49, halo_right_0, halo_above_3);
    const u32 fours_19 = lop3<0xe8>(twos_44, twos_41, twos_51);
    const u32 ones_57 = lop3<0x96>(ones_49, halo_right_0, halo_above_3);
    const u32 choice_49 = lop3<0xce>(halo_front_right_4, fours_19, ones_57);
    const u32 choice_50 = lop3<0x14>(twos_45, twos_51, choice_49);
    const u32 choice_51 = lop3<0xc4>(choice_50, choice_48, ones_56);
    const u32 front_right_exists = presence(world, front_right, word);
    const u32 existing_20 = front_right_exists & choice_51;
    const u32 ones_58 = existing_19 ^ existing_18;
    const u32 existing_21 = choice_50 & front_right_exists;
    const u32 ones_59 = ones_58 ^ existing_21;
    const u32 twos_52 = lop3<0xe8>(ones_59, choice_41, existing_17);
    const u32 twos_53 = lop3<0xe8>(existing_19, existing_18, existing_21);
    const u32 fours_20 = twos_53 & twos_52;
    const u32 twos_54 = twos_53 ^ twos_52;
    const u32 ones_60 = ones_59 ^ ones_51;
    const u32 twos_55 = lop3<0xe8>(existing_16, existing_15, ones_60);
    const u32 choice_52 = lop3<0x14>(twos_54, twos_55, fours_20);
    const u32 ones_61 = existing_16 ^ existing_15;
    const u32 ones_62 = ones_61 ^ ones_60;
    const u32 choice_53 = lop3<0xd0>(choice_52, choice_35, ones_62);
    const u32 existing_22 = front_exists & choice_53;
    const u32 ones_63 = existing_22 ^ existing_20;
    const u32 twos_56 = lop3<0xe8>(existing_16, ones_60, existing_14);
    const u32 choice_54 = lop3<0x12>(twos_54, fours_20, twos_56);
    const u32 ones_64 = ones_60 ^ existing_14;
    const u32 ones_65 = existing_16 ^ ones_64;
    const u32 choice_55 = lop3<0xc4>(choice_37, choice_54, ones_65);
    const u32 existing_23 = front_above_right_exists & choice_55;
    const u32 ones_66 = ones_63 ^ existing_23;
    const u32 twos_57 = lop3<0xe8>(ones_59, choice_41, ones_45);
    const u32 choice_56 = lop3<0x16>(twos_53, twos_39, twos_57);
    const u32 ones_67 = ones_59 ^ ones_45;
    const u32 ones_68 = choice_41 ^ ones_67;
    const u32 choice_57 = lop3<0xc4>(choice_43, choice_56, ones_68);
    const u32 existing_24 = right_exists & choice_57;
    const u32 twos_58 = lop3<0xe8>(existing_19, existing_21, ones_52);
    const u32 choice_58 = lop3<0x12>(twos_47, fours_16, twos_58);
    const u32 ones_69 = existing_19 ^ existing_21;
    const u32 ones_70 = ones_52 ^ ones_69;
    const u32 choice_59 = lop3<0xc4>(choice_45, choice_58, ones_70);
    const u32 existing_25 = above_right_exists & choice_59;
    const u32 ones_71 = existing_25 ^ existing_24;
    const u32 twos_59 = lop3<0xe8>(existing_18, existing_21, ones_52);
    const u32 choice_60 = lop3<0x12>(twos_47, fours_16, twos_59);
    const u32 ones_72 = existing_21 ^ ones_55;
    const u32 choice_61 = lop3<0xc4>(choice_47, choice_60, ones_72);
    const u32 existing_26 = above_exists & choice_61;
    const u32 ones_73 = ones_71 ^ existing_26;
    const u32 twos_60 = lop3<0xe8>(existing_15, ones_60, existing_14);
    const u32 choice_62 = lop3<0x12>(twos_54, fours_20, twos_60);
    const u32 ones_74 = existing_15 ^ ones_64;
    const u32 choice_63 = lop3<0xc4>(choice_39, choice_62, ones_74);
    const u32 existing_27 = front_above_exists & choice_63;
    const u32 twos_61 = lop3<0xe8>(ones_73, existing_27, ones_66);
    const u32 twos_62 = lop3<0xe8>(existing_25, existing_24, existing_26);
    const u32 twos_63 = lop3<0xe8>(existing_22, existing_20, existing_23);
    const u32 choice_64 = lop3<0x16>(twos_63, twos_62, twos_61);
    const u32 ones_75 = ones_73 ^ existing_27;
    const u32 ones_76 = ones_75 ^ ones_66;
    const u32 twos_64 = lop3<0xe8>(ones_59, existing_17, ones_45);
    const u32 fours_21 = lop3<0xe8>(twos_53, twos_39, twos_64);
    const u32 ones_77 = existing_17 ^ ones_67;
    const u32 choice_65 = lop3<0xce>(choice_41, fours_21, ones_77);
    const u32 twos_65 = twos_53 ^ twos_39;
    const u32 choice_66 = lop3<0x14>(twos_65, twos_64, choice_65);
    const u32 choice_67 = lop3<0xd0>(choice_64, choice_66, ones_76);
    out_alive[1 * WORDS] = choice_67;
    const u32 ones_78 = lop3<0x96>(halo_below_0, halo_front_below_4, halo_left_3);
    const u32 ones_79 = lop3<0x96>(halo_below_left_1, own_2, ones_78);
    const u32 twos_66 = lop3<0xe8>(halo_front_6, halo_front_left_7, ones_79);
    const u32 twos_67 = lop3<0xe8>(halo_below_left_1, own_2, ones_78);
    const u32 twos_68 = lop3<0xe8>(halo_below_0, halo_front_below_4, halo_left_3);
    const u32 fours_22 = lop3<0xe8>(twos_68, twos_67, twos_66);
    const u32 ones_80 = lop3<0x96>(halo_front_6, halo_front_left_7, ones_79);
    const u32 choice_68 = lop3<0xce>(halo_front_below_left_5, fours_22, ones_80);
    const u32 twos_69 = twos_68 ^ twos_67;
    const u32 choice_69 = lop3<0x14>(twos_69, twos_66, choice_68);
    const u32 front_below_left_exists = presence(world, front_below_left, word);
    const u32 existing_28 = choice_69 & front_below_left_exists;
    const u32 twos_70 = lop3<0xe8>(halo_front_below_left_5, halo_front_left_7, ones_79);
    const u32 fours_23 = lop3<0xe8>(twos_68, twos_67, twos_70);
    const u32 ones_81 = lop3<0x96>(halo_front_below_left_5, halo_front_left_7, ones_79);
    const u32 choice_70 = lop3<0xce>(halo_front_6, fours_23, ones_81);
    const u32 choice_71 = lop3<0x14>(twos_69, twos_70, choice_70);
    const u32 existing_29 = front_exists & choice_71;
    const u32 twos_71 = lop3<0xe8>(halo_front_6, halo_front_below_left_5, ones_79);
    const u32 fours_24 = lop3<0xe8>(twos_68, twos_67, twos_71);
    const u32 ones_82 = lop3<0x96>(halo_front_6, halo_front_below_left_5, ones_79);
    const u32 choice_72 = lop3<0xce>(halo_front_left_7, fours_24, ones_82);
    const u32 choice_73 = lop3<0x14>(twos_69, twos_71, choice_72);
    const u32 existing_30 = front_left_exists & choice_73;
    const u32 twos_72 = lop3<0xe8>(existing_30, existing_29, existing_28);
    const u32 ones_83 = existing_29 ^ existing_28;
    const u32 ones_84 = existing_30 ^ ones_83;
    const u32 ones_85 = lop3<0x96>(halo_front_6, halo_front_below_left_5, halo_front_left_7);
    const u32 twos_73 = lop3<0xe8>(halo_below_left_1, ones_85, ones_78);
    const u32 twos_74 = lop3<0xe8>(halo_front_6, halo_front_below_left_5, halo_front_left_7);
    const u32 fours_25 = lop3<0xe8>(twos_74, twos_68, twos_73);
    const u32 ones_86 = ones_85 ^ ones_78;
    const u32 ones_87 = halo_below_left_1 ^ ones_86;
    const u32 choice_74 = lop3<0xce>(own_2, fours_25, ones_87);
    const u32 twos_75 = twos_74 ^ twos_68;
    const u32 choice_75 = lop3<0x14>(twos_75, twos_73, choice_74);
    const u32 ones_88 = lop3<0x96>(halo_below_left_1, own_2, ones_85);
    const u32 twos_76 = lop3<0xe8>(ones_88, halo_front_below_4, halo_left_3);
    const u32 twos_77 = lop3<0xe8>(halo_below_left_1, own_2, ones_85);
    const u32 fours_26 = lop3<0xe8>(twos_77, twos_74, twos_76);
    const u32 ones_89 = lop3<0x96>(ones_88, halo_front_below_4, halo_left_3);
    const u32 choice_76 = lop3<0xce>(halo_below_0, fours_26, ones_89);
    const u32 twos_78 = twos_77 ^ twos_74;
    const u32 choice_77 = lop3<0x14>(twos_78, twos_76, choice_76);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_31 = choice_77 & below_exists;
    const u32 twos_79 = lop3<0xe8>(choice_75, existing_31, ones_84);
    const u32 fours_27 = twos_79 & twos_72;
    const u32 twos_80 = twos_79 ^ twos_72;
    const u32 ones_90 = choice_75 ^ existing_31;
    const u32 ones_91 = ones_90 ^ ones_84;
    const u32 twos_81 = lop3<0xe8>(own_2, ones_85, ones_78);
    const u32 fours_28 = lop3<0xe8>(twos_74, twos_68, twos_81);
    const u32 ones_92 = own_2 ^ ones_86;
    const u32 choice_78 = lop3<0xce>(halo_below_left_1, fours_28, ones_92);
    const u32 choice_79 = lop3<0x14>(twos_75, twos_81, choice_78);
    const u32 below_left_exists = presence(world, below_left, word);
    const u32 existing_32 = choice_79 & below_left_exists;
    const u32 twos_82 = lop3<0xe8>(ones_88, halo_below_0, halo_front_below_4);
    const u32 fours_29 = lop3<0xe8>(twos_77, twos_74, twos_82);
    const u32 ones_93 = lop3<0x96>(ones_88, halo_below_0, halo_front_below_4);
    const u32 choice_80 = lop3<0xf4>(fours_29, ones_93, halo_left_3);
    const u32 choice_81 = lop3<0x14>(twos_78, twos_82, choice_80);
    const u32 existing_33 = left_exists & choice_81;
    const u32 twos_83 = lop3<0xe8>(existing_33, existing_32, ones_91);
    const u32 choice_82 = lop3<0x14>(twos_80, twos_83, fours_27);
    const u32 ones_94 = existing_32 ^ ones_91;
    const u32 ones_95 = existing_33 ^ ones_94;
    const u32 twos_84 = lop3<0xe8>(ones_88, halo_below_0, halo_left_3);
    const u32 fours_30 = lop3<0xe8>(twos_77, twos_74, twos_84);
    const u32 ones_96 = lop3<0x96>(ones_88, halo_below_0, halo_left_3);
    const u32 choice_83 = lop3<0xce>(halo_front_below_4, fours_30, ones_96);
    const u32 choice_84 = lop3<0x14>(twos_78, twos_84, choice_83);
    const u32 choice_85 = lop3<0xc4>(choice_84, choice_82, ones_95);
    const u32 front_below_exists = presence(world, front_below, word);
    const u32 existing_34 = front_below_exists & choice_85;
    const u32 ones_97 = existing_33 ^ existing_32;
    const u32 existing_35 = choice_84 & front_below_exists;
    const u32 ones_98 = ones_97 ^ existing_35;
    const u32 twos_85 = lop3<0xe8>(ones_98, choice_75, existing_31);
    const u32 twos_86 = lop3<0xe8>(existing_33, existing_32, existing_35);
    const u32 fours_31 = twos_86 & twos_85;
    const u32 twos_87 = twos_86 ^ twos_85;
    const u32 ones_99 = ones_98 ^ ones_90;
    const u32 twos_88 = lop3<0xe8>(existing_30, existing_29, ones_99);
    const u32 choice_86 = lop3<0x14>(twos_87, twos_88, fours_31);
    const u32 ones_100 = existing_30 ^ existing_29;
    const u32 ones_101 = ones_100 ^ ones_99;
    const u32 choice_87 = lop3<0xd0>(choice_86, choice_69, ones_101);
    const u32 existing_36 = choice_87 & front_below_left_exists;
    const u32 ones_102 = existing_36 ^ existing_34;
    const u32 twos_89 = lop3<0xe8>(existing_30, ones_99, existing_28);
    const u32 choice_88 = lop3<0x12>(twos_87, fours_31, twos_89);
    const u32 ones_103 = ones_99 ^ existing_28;
    const u32 ones_104 = existing_30 ^ ones_103;
    const u32 choice_89 = lop3<0xc4>(choice_71, choice_88, ones_104);
    const u32 existing_37 = front_exists & choice_89;
    const u32 ones_105 = ones_102 ^ existing_37;
    const u32 twos_90 = lop3<0xe8>(ones_98, choice_75, ones_84);
    const u32 choice_90 = lop3<0x16>(twos_86, twos_72, twos_90);
    const u32 ones_106 = ones_98 ^ ones_84;
    const u32 ones_107 = choice_75 ^ ones_106;
    const u32 choice_91 = lop3<0xc4>(choice_77, choice_90, ones_107);
    const u32 existing_38 = below_exists & choice_91;
    const u32 twos_91 = lop3<0xe8>(existing_33, existing_35, ones_91);
    const u32 choice_92 = lop3<0x12>(twos_80, fours_27, twos_91);
    const u32 ones_108 = existing_33 ^ existing_35;
    const u32 ones_109 = ones_91 ^ ones_108;
    const u32 choice_93 = lop3<0xc4>(choice_79, choice_92, ones_109);
    const u32 existing_39 = below_left_exists & choice_93;
    const u32 ones_110 = existing_39 ^ existing_38;
    const u32 twos_92 = lop3<0xe8>(existing_32, existing_35, ones_91);
    const u32 choice_94 = lop3<0x12>(twos_80, fours_27, twos_92);
    const u32 ones_111 = existing_35 ^ ones_94;
    const u32 choice_95 = lop3<0xc4>(choice_81, choice_94, ones_111);
    const u32 existing_40 = left_exists & choice_95;
    const u32 ones_112 = ones_110 ^ existing_40;
    const u32 twos_93 = lop3<0xe8>(existing_29, ones_99, existing_28);
    const u32 choice_96 = lop3<0x12>(twos_87, fours_31, twos_93);
    const u32 ones_113 = existing_29 ^ ones_103;
    const u32 choice_97 = lop3<0xc4>(choice_73, choice_96, ones_113);
    const u32 existing_41 = front_left_exists & choice_97;
    const u32 twos_94 = lop3<0xe8>(ones_112, existing_41, ones_105);
    const u32 twos_95 = lop3<0xe8>(existing_39, existing_38, existing_40);
    const u32 twos_96 = lop3<0xe8>(existing_36, existing_34, existing_37);
    const u32 choice_98 = lop3<0x16>(twos_96, twos_95, twos_94);
    const u32 ones_114 = ones_112 ^ existing_41;
    const u32 ones_115 = ones_114 ^ ones_105;
    const u32 twos_97 = lop3<0xe8>(ones_98, existing_31, ones_84);
    const u32 fours_32 = lop3<0xe8>(twos_86, twos_72, twos_97);
    const u32 ones_116 = existing_31 ^ ones_106;
    const u32 choice_99 = lop3<0xce>(choice_75, fours_32, ones_116);
    const u32 twos_98 = twos_86 ^ twos_72;
    const u32 choice_100 = lop3<0x14>(twos_98, twos_97, choice_99);
    const u32 choice_101 = lop3<0xd0>(choice_98, choice_100, ones_115);
    out_alive[2 * WORDS] = choice_101;
    const u32 ones_117 = lop3<0x96>(halo_below_right_0, halo_front_below_right_4, halo_right_2);
    const u32 ones_118 = lop3<0x96>(halo_below_1, own_3, ones_117);
    const u32 twos_99 = lop3<0xe8>(halo_front_right_6, halo_front_7, ones_118);
    const u32 twos_100 = lop3<0xe8>(halo_below_1, own_3, ones_117);
    const u32 twos_101 = lop3<0xe8>(halo_below_right_0, halo_front_below_right_4, halo_right_2);
    const u32 fours_33 = lop3<0xe8>(twos_101, twos_100, twos_99);
    const u32 ones_119 = lop3<0x96>(halo_front_right_6, halo_front_7, ones_118);
    const u32 choice_102 = lop3<0xce>(halo_front_below_5, fours_33, ones_119);
    const u32 twos_102 = twos_101 ^ twos_100;
    const u32 choice_103 = lop3<0x14>(twos_102, twos_99, choice_102);
    const u32 existing_42 = front_below_exists & choice_103;
    const u32 twos_103 = lop3<0xe8>(halo_front_below_5, halo_front_7, ones_118);
    const u32 fours_34 = lop3<0xe8>(twos_101, twos_100, twos_103);
    const u32 ones_120 = lop3<0x96>(halo_front_below_5, halo_front_7, ones_118);
    const u32 choice_104 = lop3<0xce>(halo_front_right_6, fours_34, ones_120);
    const u32 choice_105 = lop3<0x14>(twos_102, twos_103, choice_104);
    const u32 existing_43 = front_right_exists & choice_105;
    const u32 twos_104 = lop3<0xe8>(halo_front_right_6, halo_front_below_5, ones_118);
    const u32 fours_35 = lop3<0xe8>(twos_101, twos_100, twos_104);
    const u32 ones_121 = lop3<0x96>(halo_front_right_6, halo_front_below_5, ones_118);
    const u32 choice_106 = lop3<0xce>(halo_front_7, fours_35, ones_121);
    const u32 choice_107 = lop3<0x14>(twos_102, twos_104, choice_106);
    const u32 existing_44 = front_exists & choice_107;
    const u32 twos_105 = lop3<0xe8>(existing_44, existing_43, existing_42);
    const u32 ones_122 = existing_43 ^ existing_42;
    const u32 ones_123 = existing_44 ^ ones_122;
    const u32 ones_124 = lop3<0x96>(halo_front_right_6, halo_front_below_5, halo_front_7);
    const u32 twos_106 = lop3<0xe8>(halo_below_1, ones_124, ones_117);
    const u32 twos_107 = lop3<0xe8>(halo_front_right_6, halo_front_below_5, halo_front_7);
    const u32 fours_36 = lop3<0xe8>(twos_107, twos_101, twos_106);
    const u32 ones_125 = ones_124 ^ ones_117;
    const u32 ones_126 = halo_below_1 ^ ones_125;
    const u32 choice_108 = lop3<0xce>(own_3, fours_36, ones_126);
    const u32 twos_108 = twos_107 ^ twos_101;
    const u32 choice_109 = lop3<0x14>(twos_108, twos_106, choice_108);
    const u32 ones_127 = lop3<0x96>(halo_below_1, own_3, ones_124);
    const u32 twos_109 = lop3<0xe8>(ones_127, halo_front_below_right_4, halo_right_2);
    const u32 twos_110 = lop3<0xe8>(halo_below_1, own_3, ones_124);
    const u32 fours_37 = lop3<0xe8>(twos_110, twos_107, twos_109);
    const u32 ones_128 = lop3<0x96>(ones_127, halo_front_below_right_4, halo_right_2);
    const u32 choice_110 = lop3<0xce>(halo_below_right_0, fours_37, ones_128);
    const u32 twos_111 = twos_110 ^ twos_107;
    const u32 choice_111 = lop3<0x14>(twos_111, twos_109, choice_110);
    const u32 below_right_exists = presence(world, below_right, word);
    const u32 existing_45 = choice_111 & below_right_exists;
    const u32 twos_112 = lop3<0xe8>(choice_109, existing_45, ones_123);
    const u32 fours_38 = twos_112 & twos_105;
    const u32 twos_113 = twos_112 ^ twos_105;
    const u32 ones_129 = choice_109 ^ existing_45;
    const u32 ones_130 = ones_129 ^ ones_123;
    const u32 twos_114 = lop3<0xe8>(own_3, ones_124, ones_117);
    const u32 fours_39 = lop3<0xe8>(twos_107, twos_101, twos_114);
    const u32 ones_131 = own_3 ^ ones_125;
    const u32 choice_112 = lop3<0xce>(halo_below_1, fours_39, ones_131);
    const u32 choice_113 = lop3<0x14>(twos_108, twos_114, choice_112);
    const u32 existing_46 = below_exists & choice_113;
    const u32 twos_115 = lop3<0xe8>(ones_127, halo_below_right_0, halo_front_below_right_4);
    const u32 fours_40 = lop3<0xe8>(twos_110, twos_107, twos_115);
    const u32 ones_132 = lop3<0x96>(ones_127, halo_below_right_0, halo_front_below_right_4);
    const u32 choice_114 = lop3<0xf4>(fours_40, ones_132, halo_right_2);
    const u32 choice_115 = lop3<0x14>(twos_111, twos_115, choice_114);
    const u32 existing_47 = right_exists & choice_115;
    const u32 twos_116 = lop3<0xe8>(existing_47, existing_46, ones_130);
    const u32 choice_116 = lop3<0x14>(twos_113, twos_116, fours_38);
    const u32 ones_133 = existing_46 ^ ones_130;
    const u32 ones_134 = existing_47 ^ ones_133;
    const u32 twos_117 = lop3<0xe8>(ones_127, halo_below_right_0, halo_right_2);
    const u32 fours_41 = lop3<0xe8>(twos_110, twos_107, twos_117);
    const u32 ones_135 = lop3<0x96>(ones_127, halo_below_right_0, halo_right_2);
    const u32 choice_117 = lop3<0xce>(halo_front_below_right_4, fours_41, ones_135);
    const u32 choice_118 = lop3<0x14>(twos_111, twos_117, choice_117);
    const u32 choice_119 = lop3<0xc4>(choice_118, choice_116, ones_134);
    const u32 front_below_right_exists = presence(world, front_below_right, word);
    const u32 existing_48 = front_below_right_exists & choice_119;
    const u32 ones_136 = existing_47 ^ existing_46;
    const u32 existing_49 = choice_118 & front_below_right_exists;
    const u32 ones_137 = ones_136 ^ existing_49;
    const u32 twos_118 = lop3<0xe8>(ones_137, choice_109, existing_45);
    const u32 twos_119 = lop3<0xe8>(existing_47, existing_46, existing_49);
    const u32 fours_42 = twos_119 & twos_118;
    const u32 twos_120 = twos_119 ^ twos_118;
    const u32 ones_138 = ones_137 ^ ones_129;
    const u32 twos_121 = lop3<0xe8>(existing_44, existing_43, ones_138);
    const u32 choice_120 = lop3<0x14>(twos_120, twos_121, fours_42);
    const u32 ones_139 = existing_44 ^ existing_43;
    const u32 ones_140 = ones_139 ^ ones_138;
    const u32 choice_121 = lop3<0xd0>(choice_120, choice_103, ones_140);
    const u32 existing_50 = front_below_exists & choice_121;
    const u32 ones_141 = existing_50 ^ existing_48;
    const u32 twos_122 = lop3<0xe8>(existing_44, ones_138, existing_42);
    const u32 choice_122 = lop3<0x12>(twos_120, fours_42, twos_122);
    const u32 ones_142 = ones_138 ^ existing_42;
    const u32 ones_143 = existing_44 ^ ones_142;
    const u32 choice_123 = lop3<0xc4>(choice_105, choice_122, ones_143);
    const u32 existing_51 = front_right_exists & choice_123;
    const u32 ones_144 = ones_141 ^ existing_51;
    const u32 twos_123 = lop3<0xe8>(ones_137, choice_109, ones_123);
    const u32 choice_124 = lop3<0x16>(twos_119, twos_105, twos_123);
    const u32 ones_145 = ones_137 ^ ones_123;
    const u32 ones_146 = choice_109 ^ ones_145;
    const u32 choice_125 = lop3<0xc4>(choice_111, choice_124, ones_146);
    const u32 existing_52 = below_right_exists & choice_125;
    const u32 twos_124 = lop3<0xe8>(existing_47, existing_49, ones_130);
    const u32 choice_126 = lop3<0x12>(twos_113, fours_38, twos_124);
    const u32 ones_147 = existing_47 ^ existing_49;
    const u32 ones_148 = ones_130 ^ ones_147;
    const u32 choice_127 = lop3<0xc4>(choice_113, choice_126, ones_148);
    const u32 existing_53 = below_exists & choice_127;
    const u32 ones_149 = existing_53 ^ existing_52;
    const u32 twos_125 = lop3<0xe8>(existing_46, existing_49, ones_130);
    const u32 choice_128 = lop3<0x12>(twos_113, fours_38, twos_125);
    const u32 ones_150 = existing_49 ^ ones_133;
    const u32 choice_129 = lop3<0xc4>(choice_115, choice_128, ones_150);
    const u32 existing_54 = right_exists & choice_129;
    const u32 ones_151 = ones_149 ^ existing_54;
    const u32 twos_126 = lop3<0xe8>(existing_43, ones_138, existing_42);
    const u32 choice_130 = lop3<0x12>(twos_120, fours_42, twos_126);
    const u32 ones_152 = existing_43 ^ ones_142;
    const u32 choice_131 = lop3<0xc4>(choice_107, choice_130, ones_152);
    const u32 existing_55 = front_exists & choice_131;
    const u32 twos_127 = lop3<0xe8>(ones_151, existing_55, ones_144);
    const u32 twos_128 = lop3<0xe8>(existing_53, existing_52, existing_54);
    const u32 twos_129 = lop3<0xe8>(existing_50, existing_48, existing_51);
    const u32 choice_132 = lop3<0x16>(twos_129, twos_128, twos_127);
    const u32 ones_153 = ones_151 ^ existing_55;
    const u32 ones_154 = ones_153 ^ ones_144;
    const u32 twos_130 = lop3<0xe8>(ones_137, existing_45, ones_123);
    const u32 fours_43 = lop3<0xe8>(twos_119, twos_105, twos_130);
    const u32 ones_155 = existing_45 ^ ones_145;
    const u32 choice_133 = lop3<0xce>(choice_109, fours_43, ones_155);
    const u32 twos_131 = twos_119 ^ twos_105;
    const u32 choice_134 = lop3<0x14>(twos_131, twos_130, choice_133);
    const u32 choice_135 = lop3<0xd0>(choice_132, choice_134, ones_154);
    out_alive[3 * WORDS] = choice_135;
    const u32 ones_156 = lop3<0x96>(halo_back_0, halo_back_above_left_3, halo_back_above_2);
    const u32 ones_157 = lop3<0x96>(halo_back_left_1, own_4, ones_156);
    const u32 twos_132 = lop3<0xe8>(halo_above_6, halo_above_left_7, ones_157);
    const u32 twos_133 = lop3<0xe8>(halo_back_left_1, own_4, ones_156);
    const u32 twos_134 = lop3<0xe8>(halo_back_0, halo_back_above_left_3, halo_back_above_2);
    const u32 fours_44 = lop3<0xe8>(twos_134, twos_133, twos_132);
    const u32 ones_158 = lop3<0x96>(halo_above_6, halo_above_left_7, ones_157);
    const u32 choice_136 = lop3<0xce>(halo_left_5, fours_44, ones_158);
    const u32 twos_135 = twos_134 ^ twos_133;
    const u32 choice_137 = lop3<0x14>(twos_135, twos_132, choice_136);
    const u32 existing_56 = left_exists & choice_137;
    const u32 twos_136 = lop3<0xe8>(halo_left_5, halo_above_left_7, ones_157);
    const u32 fours_45 = lop3<0xe8>(twos_134, twos_133, twos_136);
    const u32 ones_159 = lop3<0x96>(halo_left_5, halo_above_left_7, ones_157);
    const u32 choice_138 = lop3<0xce>(halo_above_6, fours_45, ones_159);
    const u32 choice_139 = lop3<0x14>(twos_135, twos_136, choice_138);
    const u32 existing_57 = above_exists & choice_139;
    const u32 twos_137 = lop3<0xe8>(halo_above_6, halo_left_5, ones_157);
    const u32 fours_46 = lop3<0xe8>(twos_134, twos_133, twos_137);
    const u32 ones_160 = lop3<0x96>(halo_above_6, halo_left_5, ones_157);
    const u32 choice_140 = lop3<0xce>(halo_above_left_7, fours_46, ones_160);
    const u32 choice_141 = lop3<0x14>(twos_135, twos_137, choice_140);
    const u32 existing_58 = above_left_exists & choice_141;
    const u32 twos_138 = lop3<0xe8>(existing_58, existing_57, existing_56);
    const u32 ones_161 = existing_57 ^ existing_56;
    const u32 ones_162 = existing_58 ^ ones_161;
    const u32 ones_163 = lop3<0x96>(halo_above_6, halo_left_5, halo_above_left_7);
    const u32 twos_139 = lop3<0xe8>(halo_back_left_1, ones_163, ones_156);
    const u32 twos_140 = lop3<0xe8>(halo_above_6, halo_left_5, halo_above_left_7);
    const u32 fours_47 = lop3<0xe8>(twos_140, twos_134, twos_139);
    const u32 ones_164 = ones_163 ^ ones_156;
    const u32 ones_165 = halo_back_left_1 ^ ones_164;
    const u32 choice_142 = lop3<0xce>(own_4, fours_47, ones_165);
    const u32 twos_141 = twos_140 ^ twos_134;
    const u32 choice_143 = lop3<0x14>(twos_141, twos_139, choice_142);
    const u32 ones_166 = lop3<0x96>(halo_back_left_1, own_4, ones_163);
    const u32 twos_142 = lop3<0xe8>(ones_166, halo_back_above_left_3, halo_back_above_2);
    const u32 twos_143 = lop3<0xe8>(halo_back_left_1, own_4, ones_163);
    const u32 fours_48 = lop3<0xe8>(twos_143, twos_140, twos_142);
    const u32 ones_167 = lop3<0x96>(ones_166, halo_back_above_left_3, halo_back_above_2);
    const u32 choice_144 = lop3<0xce>(halo_back_0, fours_48, ones_167);
    const u32 twos_144 = twos_143 ^ twos_140;
    const u32 choice_145 = lop3<0x14>(twos_144, twos_142, choice_144);
    const u32 back_exists = presence(world, back, word);
    const u32 existing_59 = choice_145 & back_exists;
    const u32 twos_145 = lop3<0xe8>(choice_143, existing_59, ones_162);
    const u32 fours_49 = twos_145 & twos_138;
    const u32 twos_146 = twos_145 ^ twos_138;
    const u32 ones_168 = choice_143 ^ existing_59;
    const u32 ones_169 = ones_168 ^ ones_162;
    const u32 twos_147 = lop3<0xe8>(own_4, ones_163, ones_156);
    const u32 fours_50 = lop3<0xe8>(twos_140, twos_134, twos_147);
    const u32 ones_170 = own_4 ^ ones_164;
    const u32 choice_146 = lop3<0xce>(halo_back_left_1, fours_50, ones_170);
    const u32 choice_147 = lop3<0x14>(twos_141, twos_147, choice_146);
    const u32 back_left_exists = presence(world, back_left, word);
    const u32 existing_60 = choice_147 & back_left_exists;
    const u32 twos_148 = lop3<0xe8>(ones_166, halo_back_0, halo_back_above_left_3);
    const u32 fours_51 = lop3<0xe8>(twos_143, twos_140, twos_148);
    const u32 ones_171 = lop3<0x96>(ones_166, halo_back_0, halo_back_above_left_3);
    const u32 choice_148 = lop3<0xf4>(fours_51, ones_171, halo_back_above_2);
    const u32 choice_149 = lop3<0x14>(twos_144, twos_148, choice_148);
    const u32 back_above_exists = presence(world, back_above, word);
    const u32 existing_61 = choice_149 & back_above_exists;
    const u32 twos_149 = lop3<0xe8>(existing_61, existing_60, ones_169);
    const u32 choice_150 = lop3<0x14>(twos_146, twos_149, fours_49);
    const u32 ones_172 = existing_60 ^ ones_169;
    const u32 ones_173 = existing_61 ^ ones_172;
    const u32 twos_150 = lop3<0xe8>(ones_166, halo_back_0, halo_back_above_2);
    const u32 fours_52 = lop3<0xe8>(twos_143, twos_140, twos_150);
    const u32 ones_174 = lop3<0x96>(ones_166, halo_back_0, halo_back_above_2);
    const u32 choice_151 = lop3<0xce>(halo_back_above_left_3, fours_52, ones_174);
    const u32 choice_152 = lop3<0x14>(twos_144, twos_150, choice_151);
    const u32 choice_153 = lop3<0xc4>(choice_152, choice_150, ones_173);
    const u32 back_above_left_exists = presence(world, back_above_left, word);
    const u32 existing_62 = back_above_left_exists & choice_153;
    const u32 ones_175 = existing_61 ^ existing_60;
    const u32 existing_63 = choice_152 & back_above_left_exists;
    const u32 ones_176 = ones_175 ^ existing_63;
    const u32 twos_151 = lop3<0xe8>(ones_176, choice_143, existing_59);
    const u32 twos_152 = lop3<0xe8>(existing_61, existing_60, existing_63);
    const u32 fours_53 = twos_152 & twos_151;
    const u32 twos_153 = twos_152 ^ twos_151;
    const u32 ones_177 = ones_176 ^ ones_168;
    const u32 twos_154 = lop3<0xe8>(existing_58, existing_57, ones_177);
    const u32 choice_154 = lop3<0x14>(twos_153, twos_154, fours_53);
    const u32 ones_178 = existing_58 ^ existing_57;
    const u32 ones_179 = ones_178 ^ ones_177;
    const u32 choice_155 = lop3<0xd0>(choice_154, choice_137, ones_179);
    const u32 existing_64 = left_exists & choice_155;
    const u32 ones_180 = existing_64 ^ existing_62;
    const u32 twos_155 = lop3<0xe8>(existing_58, ones_177, existing_56);
    const u32 choice_156 = lop3<0x12>(twos_153, fours_53, twos_155);
    const u32 ones_181 = ones_177 ^ existing_56;
    const u32 ones_182 = existing_58 ^ ones_181;
    const u32 choice_157 = lop3<0xc4>(choice_139, choice_156, ones_182);
    const u32 existing_65 = above_exists & choice_157;
    const u32 ones_183 = ones_180 ^ existing_65;
    const u32 twos_156 = lop3<0xe8>(ones_176, choice_143, ones_162);
    const u32 choice_158 = lop3<0x16>(twos_152, twos_138, twos_156);
    const u32 ones_184 = ones_176 ^ ones_162;
    const u32 ones_185 = choice_143 ^ ones_184;
    const u32 choice_159 = lop3<0xc4>(choice_145, choice_158, ones_185);
    const u32 existing_66 = back_exists & choice_159;
    const u32 twos_157 = lop3<0xe8>(existing_61, existing_63, ones_169);
    const u32 choice_160 = lop3<0x12>(twos_146, fours_49, twos_157);
    const u32 ones_186 = existing_61 ^ existing_63;
    const u32 ones_187 = ones_169 ^ ones_186;
    const u32 choice_161 = lop3<0xc4>(choice_147, choice_160, ones_187);
    const u32 existing_67 = back_left_exists & choice_161;
    const u32 ones_188 = existing_67 ^ existing_66;
    const u32 twos_158 = lop3<0xe8>(existing_60, existing_63, ones_169);
    const u32 choice_162 = lop3<0x12>(twos_146, fours_49, twos_158);
    const u32 ones_189 = existing_63 ^ ones_172;
    const u32 choice_163 = lop3<0xc4>(choice_149, choice_162, ones_189);
    const u32 existing_68 = back_above_exists & choice_163;
    const u32 ones_190 = ones_188 ^ existing_68;
    const u32 twos_159 = lop3<0xe8>(existing_57, ones_177, existing_56);
    const u32 choice_164 = lop3<0x12>(twos_153, fours_53, twos_159);
    const u32 ones_191 = existing_57 ^ ones_181;
    const u32 choice_165 = lop3<0xc4>(choice_141, choice_164, ones_191);
    const u32 existing_69 = above_left_exists & choice_165;
    const u32 twos_160 = lop3<0xe8>(ones_190, existing_69, ones_183);
    const u32 twos_161 = lop3<0xe8>(existing_67, existing_66, existing_68);
    const u32 twos_162 = lop3<0xe8>(existing_64, existing_62, existing_65);
    const u32 choice_166 = lop3<0x16>(twos_162, twos_161, twos_160);
    const u32 ones_192 = ones_190 ^ existing_69;
    const u32 ones_193 = ones_192 ^ ones_183;
    const u32 twos_163 = lop3<0xe8>(ones_176, existing_59, ones_162);
    const u32 fours_54 = lop3<0xe8>(twos_152, twos_138, twos_163);
    const u32 ones_194 = existing_59 ^ ones_184;
    const u32 choice_167 = lop3<0xce>(choice_143, fours_54, ones_194);
    const u32 twos_164 = twos_152 ^ twos_138;
    const u32 choice_168 = lop3<0x14>(twos_164, twos_163, choice_167);
    const u32 choice_169 = lop3<0xd0>(choice_166, choice_168, ones_193);
    out_alive[4 * WORDS] = choice_169;
    const u32 ones_195 = lop3<0x96>(halo_back_right_0, halo_back_above_3, halo_back_above_right_2);
    const u32 ones_196 = lop3<0x96>(halo_back_1, own_5, ones_195);
    const u32 twos_165 = lop3<0xe8>(halo_above_right_6, halo_above_7, ones_196);
    const u32 twos_166 = lop3<0xe8>(halo_back_1, own_5, ones_195);
    const u32 twos_167 = lop3<0xe8>(halo_back_right_0, halo_back_above_3, halo_back_above_right_2);
    const u32 fours_55 = lop3<0xe8>(twos_167, twos_166, twos_165);
    const u32 ones_197 = lop3<0x96>(halo_above_right_6, halo_above_7, ones_196);
    const u32 choice_170 = lop3<0xce>(halo_right_4, fours_55, ones_197);
    const u32 twos_168 = twos_167 ^ twos_166;
    const u32 choice_171 = lop3<0x14>(twos_168, twos_165, choice_170);
    const u32 existing_70 = right_exists & choice_171;
    const u32 twos_169 = lop3<0xe8>(halo_right_4, halo_above_7, ones_196);
    const u32 fours_56 = lop3<0xe8>(twos_167, twos_166, twos_169);
    const u32 ones_198 = lop3<0x96>(halo_right_4, halo_above_7, ones_196);
    const u32 choice_172 = lop3<0xce>(halo_above_right_6, fours_56, ones_198);
    const u32 choice_173 = lop3<0x14>(twos_168, twos_169, choice_172);
    const u32 existing_71 = above_right_exists & choice_173;
    const u32 twos_170 = lop3<0xe8>(halo_above_right_6, halo_right_4, ones_196);
    const u32 fours_57 = lop3<0xe8>(twos_167, twos_166, twos_170);
    const u32 ones_199 = lop3<0x96>(halo_above_right_6, halo_right_4, ones_196);
    const u32 choice_174 = lop3<0xce>(halo_above_7, fours_57, ones_199);
    const u32 choice_175 = lop3<0x14>(twos_168, twos_170, choice_174);
    const u32 existing_72 = above_exists & choice_175;
    const u32 twos_171 = lop3<0xe8>(existing_72, existing_71, existing_70);
    const u32 ones_200 = existing_71 ^ existing_70;
    const u32 ones_201 = existing_72 ^ ones_200;
    const u32 ones_202 = lop3<0x96>(halo_above_right_6, halo_right_4, halo_above_7);
    const u32 twos_172 = lop3<0xe8>(halo_back_1, ones_202, ones_195);
    const u32 twos_173 = lop3<0xe8>(halo_above_right_6, halo_right_4, halo_above_7);
    const u32 fours_58 = lop3<0xe8>(twos_173, twos_167, twos_172);
    const u32 ones_203 = ones_202 ^ ones_195;
    const u32 ones_204 = halo_back_1 ^ ones_203;
    const u32 choice_176 = lop3<0xce>(own_5, fours_58, ones_204);
    const u32 twos_174 = twos_173 ^ twos_167;
    const u32 choice_177 = lop3<0x14>(twos_174, twos_172, choice_176);
    const u32 ones_205 = lop3<0x96>(halo_back_1, own_5, ones_202);
    const u32 twos_175 = lop3<0xe8>(ones_205, halo_back_above_3, halo_back_above_right_2);
    const u32 twos_176 = lop3<0xe8>(halo_back_1, own_5, ones_202);
    const u32 fours_59 = lop3<0xe8>(twos_176, twos_173, twos_175);
    const u32 ones_206 = lop3<0x96>(ones_205, halo_back_above_3, halo_back_above_right_2);
    const u32 choice_178 = lop3<0xce>(halo_back_right_0, fours_59, ones_206);
    const u32 twos_177 = twos_176 ^ twos_173;
    const u32 choice_179 = lop3<0x14>(twos_177, twos_175, choice_178);
    const u32 back_right_exists = presence(world, back_right, word);
    const u32 existing_73 = choice_179 & back_right_exists;
    const u32 twos_178 = lop3<0xe8>(choice_177, existing_73, ones_201);
    const u32 fours_60 = twos_178 & twos_171;
    const u32 twos_179 = twos_178 ^ twos_171;
    const u32 ones_207 = choice_177 ^ existing_73;
    const u32 ones_208 = ones_207 ^ ones_201;
    const u32 twos_180 = lop3<0xe8>(own_5, ones_202, ones_195);
    const u32 fours_61 = lop3<0xe8>(twos_173, twos_167, twos_180);
    const u32 ones_209 = own_5 ^ ones_203;
    const u32 choice_180 = lop3<0xce>(halo_back_1, fours_61, ones_209);
    const u32 choice_181 = lop3<0x14>(twos_174, twos_180, choice_180);
    const u32 existing_74 = back_exists & choice_181;
    const u32 twos_181 = lop3<0xe8>(ones_205, halo_back_right_0, halo_back_above_3);
    const u32 fours_62 = lop3<0xe8>(twos_176, twos_173, twos_181);
    const u32 ones_210 = lop3<0x96>(ones_205, halo_back_right_0, halo_back_above_3);
    const u32 choice_182 = lop3<0xf4>(fours_62, ones_210, halo_back_above_right_2);
    const u32 choice_183 = lop3<0x14>(twos_177, twos_181, choice_182);
    const u32 back_above_right_exists = presence(world, back_above_right, word);
    const u32 existing_75 = choice_183 & back_above_right_exists;
    const u32 twos_182 = lop3<0xe8>(existing_75, existing_74, ones_208);
    const u32 choice_184 = lop3<0x14>(twos_179, twos_182, fours_60);
    const u32 ones_211 = existing_74 ^ ones_208;
    const u32 ones_212 = existing_75 ^ ones_211;
    const u32 twos_183 = lop3<0xe8>(ones_205, halo_back_right_0, halo_back_above_right_2);
    const u32 fours_63 = lop3<0xe8>(twos_176, twos_173, twos_183);
    const u32 ones_213 = lop3<0x96>(ones_205, halo_back_right_0, halo_back_above_right_2);
    const u32 choice_185 = lop3<0xce>(halo_back_above_3, fours_63, ones_213);
    const u32 choice_186 = lop3<0x14>(twos_177, twos_183, choice_185);
    const u32 choice_187 = lop3<0xc4>(choice_186, choice_184, ones_212);
    const u32 existing_76 = back_above_exists & choice_187;
    const u32 ones_214 = existing_75 ^ existing_74;
    const u32 existing_77 = back_above_exists & choice_186;
    const u32 ones_215 = ones_214 ^ existing_77;
    const u32 twos_184 = lop3<0xe8>(ones_215, choice_177, existing_73);
    const u32 twos_185 = lop3<0xe8>(existing_75, existing_74, existing_77);
    const u32 fours_64 = twos_185 & twos_184;
    const u32 twos_186 = twos_185 ^ twos_184;
    const u32 ones_216 = ones_215 ^ ones_207;
    const u32 twos_187 = lop3<0xe8>(existing_72, existing_71, ones_216);
    const u32 choice_188 = lop3<0x14>(twos_186, twos_187, fours_64);
    const u32 ones_217 = existing_72 ^ existing_71;
    const u32 ones_218 = ones_217 ^ ones_216;
    const u32 choice_189 = lop3<0xd0>(choice_188, choice_171, ones_218);
    const u32 existing_78 = right_exists & choice_189;
    const u32 ones_219 = existing_78 ^ existing_76;
    const u32 twos_188 = lop3<0xe8>(existing_72, ones_216, existing_70);
    const u32 choice_190 = lop3<0x12>(twos_186, fours_64, twos_188);
    const u32 ones_220 = ones_216 ^ existing_70;
    const u32 ones_221 = existing_72 ^ ones_220;
    const u32 choice_191 = lop3<0xc4>(choice_173, choice_190, ones_221);
    const u32 existing_79 = above_right_exists & choice_191;
    const u32 ones_222 = ones_219 ^ existing_79;
    const u32 twos_189 = lop3<0xe8>(ones_215, choice_177, ones_201);
    const u32 choice_192 = lop3<0x16>(twos_185, twos_171, twos_189);
    const u32 ones_223 = ones_215 ^ ones_201;
    const u32 ones_224 = choice_177 ^ ones_223;
    const u32 choice_193 = lop3<0xc4>(choice_179, choice_192, ones_224);
    const u32 existing_80 = back_right_exists & choice_193;
    const u32 twos_190 = lop3<0xe8>(existing_75, existing_77, ones_208);
    const u32 choice_194 = lop3<0x12>(twos_179, fours_60, twos_190);
    const u32 ones_225 = existing_75 ^ existing_77;
    const u32 ones_226 = ones_208 ^ ones_225;
    const u32 choice_195 = lop3<0xc4>(choice_181, choice_194, ones_226);
    const u32 existing_81 = back_exists & choice_195;
    const u32 ones_227 = existing_81 ^ existing_80;
    const u32 twos_191 = lop3<0xe8>(existing_74, existing_77, ones_208);
    const u32 choice_196 = lop3<0x12>(twos_179, fours_60, twos_191);
    const u32 ones_228 = existing_77 ^ ones_211;
    const u32 choice_197 = lop3<0xc4>(choice_183, choice_196, ones_228);
    const u32 existing_82 = back_above_right_exists & choice_197;
    const u32 ones_229 = ones_227 ^ existing_82;
    const u32 twos_192 = lop3<0xe8>(existing_71, ones_216, existing_70);
    const u32 choice_198 = lop3<0x12>(twos_186, fours_64, twos_192);
    const u32 ones_230 = existing_71 ^ ones_220;
    const u32 choice_199 = lop3<0xc4>(choice_175, choice_198, ones_230);
    const u32 existing_83 = above_exists & choice_199;
    const u32 twos_193 = lop3<0xe8>(ones_229, existing_83, ones_222);
    const u32 twos_194 = lop3<0xe8>(existing_81, existing_80, existing_82);
    const u32 twos_195 = lop3<0xe8>(existing_78, existing_76, existing_79);
    const u32 choice_200 = lop3<0x16>(twos_195, twos_194, twos_193);
    const u32 ones_231 = ones_229 ^ existing_83;
    const u32 ones_232 = ones_231 ^ ones_222;
    const u32 twos_196 = lop3<0xe8>(ones_215, existing_73, ones_201);
    const u32 fours_65 = lop3<0xe8>(twos_185, twos_171, twos_196);
    const u32 ones_233 = existing_73 ^ ones_223;
    const u32 choice_201 = lop3<0xce>(choice_177, fours_65, ones_233);
    const u32 twos_197 = twos_185 ^ twos_171;
    const u32 choice_202 = lop3<0x14>(twos_197, twos_196, choice_201);
    const u32 choice_203 = lop3<0xd0>(choice_200, choice_202, ones_232);
    out_alive[5 * WORDS] = choice_203;
    const u32 ones_234 = lop3<0x96>(halo_back_below_0, halo_back_left_3, halo_back_2);
    const u32 ones_235 = lop3<0x96>(halo_back_below_left_1, own_6, ones_234);
    const u32 twos_198 = lop3<0xe8>(halo_below_left_5, halo_left_7, ones_235);
    const u32 twos_199 = lop3<0xe8>(halo_back_below_left_1, own_6, ones_234);
    const u32 twos_200 = lop3<0xe8>(halo_back_below_0, halo_back_left_3, halo_back_2);
    const u32 fours_66 = lop3<0xe8>(twos_200, twos_199, twos_198);
    const u32 ones_236 = lop3<0x96>(halo_below_left_5, halo_left_7, ones_235);
    const u32 choice_204 = lop3<0xce>(halo_below_4, fours_66, ones_236);
    const u32 twos_201 = twos_200 ^ twos_199;
    const u32 choice_205 = lop3<0x14>(twos_201, twos_198, choice_204);
    const u32 existing_84 = below_exists & choice_205;
    const u32 twos_202 = lop3<0xe8>(halo_below_4, halo_left_7, ones_235);
    const u32 fours_67 = lop3<0xe8>(twos_200, twos_199, twos_202);
    const u32 ones_237 = lop3<0x96>(halo_below_4, halo_left_7, ones_235);
    const u32 choice_206 = lop3<0xce>(halo_below_left_5, fours_67, ones_237);
    const u32 choice_207 = lop3<0x14>(twos_201, twos_202, choice_206);
    const u32 existing_85 = below_left_exists & choice_207;
    const u32 twos_203 = lop3<0xe8>(halo_below_left_5, halo_below_4, ones_235);
    const u32 fours_68 = lop3<0xe8>(twos_200, twos_199, twos_203);
    const u32 ones_238 = lop3<0x96>(halo_below_left_5, halo_below_4, ones_235);
    const u32 choice_208 = lop3<0xce>(halo_left_7, fours_68, ones_238);
    const u32 choice_209 = lop3<0x14>(twos_201, twos_203, choice_208);
    const u32 existing_86 = left_exists & choice_209;
    const u32 twos_204 = lop3<0xe8>(existing_86, existing_85, existing_84);
    const u32 ones_239 = existing_85 ^ existing_84;
    const u32 ones_240 = existing_86 ^ ones_239;
    const u32 ones_241 = lop3<0x96>(halo_below_left_5, halo_below_4, halo_left_7);
    const u32 twos_205 = lop3<0xe8>(halo_back_below_left_1, ones_241, ones_234);
    const u32 twos_206 = lop3<0xe8>(halo_below_left_5, halo_below_4, halo_left_7);
    const u32 fours_69 = lop3<0xe8>(twos_206, twos_200, twos_205);
    const u32 ones_242 = ones_241 ^ ones_234;
    const u32 ones_243 = halo_back_below_left_1 ^ ones_242;
    const u32 choice_210 = lop3<0xce>(own_6, fours_69, ones_243);
    const u32 twos_207 = twos_206 ^ twos_200;
    const u32 choice_211 = lop3<0x14>(twos_207, twos_205, choice_210);
    const u32 ones_244 = lop3<0x96>(halo_back_below_left_1, own_6, ones_241);
    const u32 twos_208 = lop3<0xe8>(ones_244, halo_back_left_3, halo_back_2);
    const u32 twos_209 = lop3<0xe8>(halo_back_below_left_1, own_6, ones_241);
    const u32 fours_70 = lop3<0xe8>(twos_209, twos_206, twos_208);
    const u32 ones_245 = lop3<0x96>(ones_244, halo_back_left_3, halo_back_2);
    const u32 choice_212 = lop3<0xce>(halo_back_below_0, fours_70, ones_245);
    const u32 twos_210 = twos_209 ^ twos_206;
    const u32 choice_213 = lop3<0x14>(twos_210, twos_208, choice_212);
    const u32 back_below_exists = presence(world, back_below, word);
    const u32 existing_87 = choice_213 & back_below_exists;
    const u32 twos_211 = lop3<0xe8>(choice_211, existing_87, ones_240);
    const u32 fours_71 = twos_211 & twos_204;
    const u32 twos_212 = twos_211 ^ twos_204;
    const u32 ones_246 = choice_211 ^ existing_87;
    const u32 ones_247 = ones_246 ^ ones_240;
    const u32 twos_213 = lop3<0xe8>(own_6, ones_241, ones_234);
    const u32 fours_72 = lop3<0xe8>(twos_206, twos_200, twos_213);
    const u32 ones_248 = own_6 ^ ones_242;
    const u32 choice_214 = lop3<0xce>(halo_back_below_left_1, fours_72, ones_248);
    const u32 choice_215 = lop3<0x14>(twos_207, twos_213, choice_214);
    const u32 back_below_left_exists = presence(world, back_below_left, word);
    const u32 existing_88 = choice_215 & back_below_left_exists;
    const u32 twos_214 = lop3<0xe8>(ones_244, halo_back_below_0, halo_back_left_3);
    const u32 fours_73 = lop3<0xe8>(twos_209, twos_206, twos_214);
    const u32 ones_249 = lop3<0x96>(ones_244, halo_back_below_0, halo_back_left_3);
    const u32 choice_216 = lop3<0xf4>(fours_73, ones_249, halo_back_2);
    const u32 choice_217 = lop3<0x14>(twos_210, twos_214, choice_216);
    const u32 existing_89 = back_exists & choice_217;
    const u32 twos_215 = lop3<0xe8>(existing_89, existing_88, ones_247);
    const u32 choice_218 = lop3<0x14>(twos_212, twos_215, fours_71);
    const u32 ones_250 = existing_88 ^ ones_247;
    const u32 ones_251 = existing_89 ^ ones_250;
    const u32 twos_216 = lop3<0xe8>(ones_244, halo_back_below_0, halo_back_2);
    const u32 fours_74 = lop3<0xe8>(twos_209, twos_206, twos_216);
    const u32 ones_252 = lop3<0x96>(ones_244, halo_back_below_0, halo_back_2);
    const u32 choice_219 = lop3<0xce>(halo_back_left_3, fours_74, ones_252);
    const u32 choice_220 = lop3<0x14>(twos_210, twos_216, choice_219);
    const u32 choice_221 = lop3<0xc4>(choice_220, choice_218, ones_251);
    const u32 existing_90 = back_left_exists & choice_221;
    const u32 ones_253 = existing_89 ^ existing_88;
    const u32 existing_91 = back_left_exists & choice_220;
    const u32 ones_254 = ones_253 ^ existing_91;
    const u32 twos_217 = lop3<0xe8>(ones_254, choice_211, existing_87);
    const u32 twos_218 = lop3<0xe8>(existing_89, existing_88, existing_91);
    const u32 fours_75 = twos_218 & twos_217;
    const u32 twos_219 = twos_218 ^ twos_217;
    const u32 ones_255 = ones_254 ^ ones_246;
    const u32 twos_220 = lop3<0xe8>(existing_86, existing_85, ones_255);
    const u32 choice_222 = lop3<0x14>(twos_219, twos_220, fours_75);
    const u32 ones_256 = existing_86 ^ existing_85;
    const u32 ones_257 = ones_256 ^ ones_255;
    const u32 choice_223 = lop3<0xd0>(choice_222, choice_205, ones_257);
    const u32 existing_92 = below_exists & choice_223;
    const u32 ones_258 = existing_92 ^ existing_90;
    const u32 twos_221 = lop3<0xe8>(existing_86, ones_255, existing_84);
    const u32 choice_224 = lop3<0x12>(twos_219, fours_75, twos_221);
    const u32 ones_259 = ones_255 ^ existing_84;
    const u32 ones_260 = existing_86 ^ ones_259;
    const u32 choice_225 = lop3<0xc4>(choice_207, choice_224, ones_260);
    const u32 existing_93 = below_left_exists & choice_225;
    const u32 ones_261 = ones_258 ^ existing_93;
    const u32 twos_222 = lop3<0xe8>(ones_254, choice_211, ones_240);
    const u32 choice_226 = lop3<0x16>(twos_218, twos_204, twos_222);
    const u32 ones_262 = ones_254 ^ ones_240;
    const u32 ones_263 = choice_211 ^ ones_262;
    const u32 choice_227 = lop3<0xc4>(choice_213, choice_226, ones_263);
    const u32 existing_94 = back_below_exists & choice_227;
    const u32 twos_223 = lop3<0xe8>(existing_89, existing_91, ones_247);
    const u32 choice_228 = lop3<0x12>(twos_212, fours_71, twos_223);
    const u32 ones_264 = existing_89 ^ existing_91;
    const u32 ones_265 = ones_247 ^ ones_264;
    const u32 choice_229 = lop3<0xc4>(choice_215, choice_228, ones_265);
    const u32 existing_95 = back_below_left_exists & choice_229;
    const u32 ones_266 = existing_95 ^ existing_94;
    const u32 twos_224 = lop3<0xe8>(existing_88, existing_91, ones_247);
    const u32 choice_230 = lop3<0x12>(twos_212, fours_71, twos_224);
    const u32 ones_267 = existing_91 ^ ones_250;
    const u32 choice_231 = lop3<0xc4>(choice_217, choice_230, ones_267);
    const u32 existing_96 = back_exists & choice_231;
    const u32 ones_268 = ones_266 ^ existing_96;
    const u32 twos_225 = lop3<0xe8>(existing_85, ones_255, existing_84);
    const u32 choice_232 = lop3<0x12>(twos_219, fours_75, twos_225);
    const u32 ones_269 = existing_85 ^ ones_259;
    const u32 choice_233 = lop3<0xc4>(choice_209, choice_232, ones_269);
    const u32 existing_97 = left_exists & choice_233;
    const u32 twos_226 = lop3<0xe8>(ones_268, existing_97, ones_261);
    const u32 twos_227 = lop3<0xe8>(existing_95, existing_94, existing_96);
    const u32 twos_228 = lop3<0xe8>(existing_92, existing_90, existing_93);
    const u32 choice_234 = lop3<0x16>(twos_228, twos_227, twos_226);
    const u32 ones_270 = ones_268 ^ existing_97;
    const u32 ones_271 = ones_270 ^ ones_261;
    const u32 twos_229 = lop3<0xe8>(ones_254, existing_87, ones_240);
    const u32 fours_76 = lop3<0xe8>(twos_218, twos_204, twos_229);
    const u32 ones_272 = existing_87 ^ ones_262;
    const u32 choice_235 = lop3<0xce>(choice_211, fours_76, ones_272);
    const u32 twos_230 = twos_218 ^ twos_204;
    const u32 choice_236 = lop3<0x14>(twos_230, twos_229, choice_235);
    const u32 choice_237 = lop3<0xd0>(choice_234, choice_236, ones_271);
    out_alive[6 * WORDS] = choice_237;
    const u32 ones_273 = lop3<0x96>(halo_back_below_right_0, halo_back_3, halo_back_right_2);
    const u32 ones_274 = lop3<0x96>(halo_back_below_1, own_7, ones_273);
    const u32 twos_231 = lop3<0xe8>(halo_below_5, halo_right_6, ones_274);
    const u32 twos_232 = lop3<0xe8>(halo_back_below_1, own_7, ones_273);
    const u32 twos_233 = lop3<0xe8>(halo_back_below_right_0, halo_back_3, halo_back_right_2);
    const u32 fours_77 = lop3<0xe8>(twos_233, twos_232, twos_231);
    const u32 ones_275 = lop3<0x96>(halo_below_5, halo_right_6, ones_274);
    const u32 choice_238 = lop3<0xce>(halo_below_right_4, fours_77, ones_275);
    const u32 twos_234 = twos_233 ^ twos_232;
    const u32 choice_239 = lop3<0x14>(twos_234, twos_231, choice_238);
    const u32 existing_98 = below_right_exists & choice_239;
    const u32 twos_235 = lop3<0xe8>(halo_below_right_4, halo_right_6, ones_274);
    const u32 fours_78 = lop3<0xe8>(twos_233, twos_232, twos_235);
    const u32 ones_276 = lop3<0x96>(halo_below_right_4, halo_right_6, ones_274);
    const u32 choice_240 = lop3<0xce>(halo_below_5, fours_78, ones_276);
    const u32 choice_241 = lop3<0x14>(twos_234, twos_235, choice_240);
    const u32 existing_99 = below_exists & choice_241;
    const u32 twos_236 = lop3<0xe8>(halo_below_5, halo_below_right_4, ones_274);
    const u32 fours_79 = lop3<0xe8>(twos_233, twos_232, twos_236);
    const u32 ones_277 = lop3<0x96>(halo_below_5, halo_below_right_4, ones_274);
    const u32 choice_242 = lop3<0xce>(halo_right_6, fours_79, ones_277);
    const u32 choice_243 = lop3<0x14>(twos_234, twos_236, choice_242);
    const u32 existing_100 = right_exists & choice_243;
    const u32 twos_237 = lop3<0xe8>(existing_100, existing_99, existing_98);
    const u32 ones_278 = existing_99 ^ existing_98;
    const u32 ones_279 = existing_100 ^ ones_278;
    const u32 ones_280 = lop3<0x96>(halo_below_5, halo_below_right_4, halo_right_6);
    const u32 twos_238 = lop3<0xe8>(halo_back_below_1, ones_280, ones_273);
    const u32 twos_239 = lop3<0xe8>(halo_below_5, halo_below_right_4, halo_right_6);
    const u32 fours_80 = lop3<0xe8>(twos_239, twos_233, twos_238);
    const u32 ones_281 = ones_280 ^ ones_273;
    const u32 ones_282 = halo_back_below_1 ^ ones_281;
    const u32 choice_244 = lop3<0xce>(own_7, fours_80, ones_282);
    const u32 twos_240 = twos_239 ^ twos_233;
    const u32 choice_245 = lop3<0x14>(twos_240, twos_238, choice_244);
    const u32 ones_283 = lop3<0x96>(halo_back_below_1, own_7, ones_280);
    const u32 twos_241 = lop3<0xe8>(ones_283, halo_back_3, halo_back_right_2);
    const u32 twos_242 = lop3<0xe8>(halo_back_below_1, own_7, ones_280);
    const u32 fours_81 = lop3<0xe8>(twos_242, twos_239, twos_241);
    const u32 ones_284 = lop3<0x96>(ones_283, halo_back_3, halo_back_right_2);
    const u32 choice_246 = lop3<0xce>(halo_back_below_right_0, fours_81, ones_284);
    const u32 twos_243 = twos_242 ^ twos_239;
    const u32 choice_247 = lop3<0x14>(twos_243, twos_241, choice_246);
    const u32 back_below_right_exists = presence(world, back_below_right, word);
    const u32 existing_101 = choice_247 & back_below_right_exists;
    const u32 twos_244 = lop3<0xe8>(choice_245, existing_101, ones_279);
    const u32 fours_82 = twos_244 & twos_237;
    const u32 twos_245 = twos_244 ^ twos_237;
    const u32 ones_285 = choice_245 ^ existing_101;
    const u32 ones_286 = ones_285 ^ ones_279;
    const u32 twos_246 = lop3<0xe8>(own_7, ones_280, ones_273);
    const u32 fours_83 = lop3<0xe8>(twos_239, twos_233, twos_246);
    const u32 ones_287 = own_7 ^ ones_281;
    const u32 choice_248 = lop3<0xce>(halo_back_below_1, fours_83, ones_287);
    const u32 choice_249 = lop3<0x14>(twos_240, twos_246, choice_248);
    const u32 existing_102 = back_below_exists & choice_249;
    const u32 twos_247 = lop3<0xe8>(ones_283, halo_back_below_right_0, halo_back_3);
    const u32 fours_84 = lop3<0xe8>(twos_242, twos_239, twos_247);
    const u32 ones_288 = lop3<0x96>(ones_283, halo_back_below_right_0, halo_back_3);
    const u32 choice_250 = lop3<0xf4>(fours_84, ones_288, halo_back_right_2);
    const u32 choice_251 = lop3<0x14>(twos_243, twos_247, choice_250);
    const u32 existing_103 = back_right_exists & choice_251;
    const u32 twos_248 = lop3<0xe8>(existing_103, existing_102, ones_286);
    const u32 choice_252 = lop3<0x14>(twos_245, twos_248, fours_82);
    const u32 ones_289 = existing_102 ^ ones_286;
    const u32 ones_290 = existing_103 ^ ones_289;
    const u32 twos_249 = lop3<0xe8>(ones_283, halo_back_below_right_0, halo_back_right_2);
    const u32 fours_85 = lop3<0xe8>(twos_242, twos_239, twos_249);
    const u32 ones_291 = lop3<0x96>(ones_283, halo_back_below_right_0, halo_back_right_2);
    const u32 choice_253 = lop3<0xce>(halo_back_3, fours_85, ones_291);
    const u32 choice_254 = lop3<0x14>(twos_243, twos_249, choice_253);
    const u32 choice_255 = lop3<0xc4>(choice_254, choice_252, ones_290);
    const u32 existing_104 = back_exists & choice_255;
    const u32 ones_292 = existing_103 ^ existing_102;
    const u32 existing_105 = back_exists & choice_254;
    const u32 ones_293 = ones_292 ^ existing_105;
    const u32 twos_250 = lop3<0xe8>(ones_293, choice_245, existing_101);
    const u32 twos_251 = lop3<0xe8>(existing_103, existing_102, existing_105);
    const u32 fours_86 = twos_251 & twos_250;
    const u32 twos_252 = twos_251 ^ twos_250;
    const u32 ones_294 = ones_293 ^ ones_285;
    const u32 twos_253 = lop3<0xe8>(existing_100, existing_99, ones_294);
    const u32 choice_256 = lop3<0x14>(twos_252, twos_253, fours_86);
    const u32 ones_295 = existing_100 ^ existing_99;
    const u32 ones_296 = ones_295 ^ ones_294;
    const u32 choice_257 = lop3<0xd0>(choice_256, choice_239, ones_296);
    const u32 existing_106 = below_right_exists & choice_257;
    const u32 ones_297 = existing_106 ^ existing_104;
    const u32 twos_254 = lop3<0xe8>(existing_100, ones_294, existing_98);
    const u32 choice_258 = lop3<0x12>(twos_252, fours_86, twos_254);
    const u32 ones_298 = ones_294 ^ existing_98;
    const u32 ones_299 = existing_100 ^ ones_298;
    const u32 choice_259 = lop3<0xc4>(choice_241, choice_258, ones_299);
    const u32 existing_107 = below_exists & choice_259;
    const u32 ones_300 = ones_297 ^ existing_107;
    const u32 twos_255 = lop3<0xe8>(ones_293, choice_245, ones_279);
    const u32 choice_260 = lop3<0x16>(twos_251, twos_237, twos_255);
    const u32 ones_301 = ones_293 ^ ones_279;
    const u32 ones_302 = choice_245 ^ ones_301;
    const u32 choice_261 = lop3<0xc4>(choice_247, choice_260, ones_302);
    const u32 existing_108 = back_below_right_exists & choice_261;
    const u32 twos_256 = lop3<0xe8>(existing_103, existing_105, ones_286);
    const u32 choice_262 = lop3<0x12>(twos_245, fours_82, twos_256);
    const u32 ones_303 = existing_103 ^ existing_105;
    const u32 ones_304 = ones_286 ^ ones_303;
    const u32 choice_263 = lop3<0xc4>(choice_249, choice_262, ones_304);
    const u32 existing_109 = back_below_exists & choice_263;
    const u32 ones_305 = existing_109 ^ existing_108;
    const u32 twos_257 = lop3<0xe8>(existing_102, existing_105, ones_286);
    const u32 choice_264 = lop3<0x12>(twos_245, fours_82, twos_257);
    const u32 ones_306 = existing_105 ^ ones_289;
    const u32 choice_265 = lop3<0xc4>(choice_251, choice_264, ones_306);
    const u32 existing_110 = back_right_exists & choice_265;
    const u32 ones_307 = ones_305 ^ existing_110;
    const u32 twos_258 = lop3<0xe8>(existing_99, ones_294, existing_98);
    const u32 choice_266 = lop3<0x12>(twos_252, fours_86, twos_258);
    const u32 ones_308 = existing_99 ^ ones_298;
    const u32 choice_267 = lop3<0xc4>(choice_243, choice_266, ones_308);
    const u32 existing_111 = right_exists & choice_267;
    const u32 twos_259 = lop3<0xe8>(ones_307, existing_111, ones_300);
    const u32 twos_260 = lop3<0xe8>(existing_109, existing_108, existing_110);
    const u32 twos_261 = lop3<0xe8>(existing_106, existing_104, existing_107);
    const u32 choice_268 = lop3<0x16>(twos_261, twos_260, twos_259);
    const u32 ones_309 = ones_307 ^ existing_111;
    const u32 ones_310 = ones_309 ^ ones_300;
    const u32 twos_262 = lop3<0xe8>(ones_293, existing_101, ones_279);
    const u32 fours_87 = lop3<0xe8>(twos_251, twos_237, twos_262);
    const u32 ones_311 = existing_101 ^ ones_301;
    const u32 choice_269 = lop3<0xce>(choice_245, fours_87, ones_311);
    const u32 twos_263 = twos_251 ^ twos_237;
    const u32 choice_270 = lop3<0x14>(twos_263, twos_262, choice_269);
    const u32 choice_271 = lop3<0xd0>(choice_268, choice_270, ones_310);
    out_alive[7 * WORDS] = choice_271;
}
