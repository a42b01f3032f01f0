// life on full_square at level 9, by Squeeze 0.1.0
//
// T = 2: 16 lanes a column fill 50% of the vector registers they take
// L = 1: 4 micro cells a superblock, about 405 operations; 4096 superblocks
// t = 2: 2.50 cells computed for one that is kept; bound by operations, 6.09 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 16;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 16;
constexpr u32 MICRO_CELLS = 4;
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

// life_init: one step of 4 micro cells; a thread takes one lane, a superblock 32 threads.
// 2.00 operations a cell and step (0 on bits, 8 on numbers), 0 + 0 loads, 4 stores, 3 live values
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
}

// life: 2 steps of 4 micro cells; a thread takes one word of 32 lanes, a superblock 1 threads.
// 31.12 operations a cell and step (249 on bits, 0 on numbers), 4 + 32 loads, 4 stores, 44 live values
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
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];
    const u32 own_1 = own_alive[1 * WORDS];
    const u32 own_3 = own_alive[3 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_2 = above_left_alive[2 * WORDS];
    u32 halo_above_left_3 = above_left_alive[3 * WORDS];
    u32 halo_above_left_0 = above_left_alive[0 * WORDS];
    u32 halo_above_left_1 = above_left_alive[1 * WORDS];

    // above
    const u32 *above_alive = alive + (u64)above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_2 = above_alive[2 * WORDS];
    u32 halo_above_0 = above_alive[0 * WORDS];
    u32 halo_above_3 = above_alive[3 * WORDS];
    u32 halo_above_1 = above_alive[1 * WORDS];

    // above right
    const u32 *above_right_alive = alive + (u64)above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_right_2 = above_right_alive[2 * WORDS];
    u32 halo_above_right_0 = above_right_alive[0 * WORDS];
    u32 halo_above_right_3 = above_right_alive[3 * WORDS];
    u32 halo_above_right_1 = above_right_alive[1 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_1 = left_alive[1 * WORDS];
    u32 halo_left_0 = left_alive[0 * WORDS];
    u32 halo_left_2 = left_alive[2 * WORDS];
    u32 halo_left_3 = left_alive[3 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_1 = right_alive[1 * WORDS];
    u32 halo_right_3 = right_alive[3 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_1 = below_left_alive[1 * WORDS];
    u32 halo_below_left_0 = below_left_alive[0 * WORDS];
    u32 halo_below_left_3 = below_left_alive[3 * WORDS];
    u32 halo_below_left_2 = below_left_alive[2 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_2 = below_alive[2 * WORDS];
    u32 halo_below_3 = below_alive[3 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_0 = below_right_alive[0 * WORDS];
    u32 halo_below_right_1 = below_right_alive[1 * WORDS];
    u32 halo_below_right_2 = below_right_alive[2 * WORDS];
    u32 halo_below_right_3 = below_right_alive[3 * WORDS];

    // Across the border lanes see other lanes.
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_2 = halo_above_left_2; halo_above_left_2 = 0;
        const u32 seen_halo_above_left_3 = halo_above_left_3; halo_above_left_3 = 0;
        const u32 seen_halo_above_left_0 = halo_above_left_0; halo_above_left_0 = 0;
        const u32 seen_halo_above_left_1 = halo_above_left_1; halo_above_left_1 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_2 |= moved(seen_halo_above_left_2, term);
            halo_above_left_3 |= moved(seen_halo_above_left_3, term);
            halo_above_left_0 |= moved(seen_halo_above_left_0, term);
            halo_above_left_1 |= moved(seen_halo_above_left_1, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_0 = halo_above_0; halo_above_0 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_1 = halo_above_1; halo_above_1 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_2 |= moved(seen_halo_above_2, term);
            halo_above_0 |= moved(seen_halo_above_0, term);
            halo_above_3 |= moved(seen_halo_above_3, term);
            halo_above_1 |= moved(seen_halo_above_1, term);
        }
    }
    if (above_right.wrap != STAY) {
        const u32 seen_halo_above_right_2 = halo_above_right_2; halo_above_right_2 = 0;
        const u32 seen_halo_above_right_0 = halo_above_right_0; halo_above_right_0 = 0;
        const u32 seen_halo_above_right_3 = halo_above_right_3; halo_above_right_3 = 0;
        const u32 seen_halo_above_right_1 = halo_above_right_1; halo_above_right_1 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_2 |= moved(seen_halo_above_right_2, term);
            halo_above_right_0 |= moved(seen_halo_above_right_0, term);
            halo_above_right_3 |= moved(seen_halo_above_right_3, term);
            halo_above_right_1 |= moved(seen_halo_above_right_1, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 seen_halo_left_0 = halo_left_0; halo_left_0 = 0;
        const u32 seen_halo_left_2 = halo_left_2; halo_left_2 = 0;
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_1 |= moved(seen_halo_left_1, term);
            halo_left_0 |= moved(seen_halo_left_0, term);
            halo_left_2 |= moved(seen_halo_left_2, term);
            halo_left_3 |= moved(seen_halo_left_3, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_1 = halo_right_1; halo_right_1 = 0;
        const u32 seen_halo_right_3 = halo_right_3; halo_right_3 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_1 |= moved(seen_halo_right_1, term);
            halo_right_3 |= moved(seen_halo_right_3, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_1 = halo_below_left_1; halo_below_left_1 = 0;
        const u32 seen_halo_below_left_0 = halo_below_left_0; halo_below_left_0 = 0;
        const u32 seen_halo_below_left_3 = halo_below_left_3; halo_below_left_3 = 0;
        const u32 seen_halo_below_left_2 = halo_below_left_2; halo_below_left_2 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_1 |= moved(seen_halo_below_left_1, term);
            halo_below_left_0 |= moved(seen_halo_below_left_0, term);
            halo_below_left_3 |= moved(seen_halo_below_left_3, term);
            halo_below_left_2 |= moved(seen_halo_below_left_2, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_2 = halo_below_2; halo_below_2 = 0;
        const u32 seen_halo_below_3 = halo_below_3; halo_below_3 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_2 |= moved(seen_halo_below_2, term);
            halo_below_3 |= moved(seen_halo_below_3, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_0 = halo_below_right_0; halo_below_right_0 = 0;
        const u32 seen_halo_below_right_1 = halo_below_right_1; halo_below_right_1 = 0;
        const u32 seen_halo_below_right_2 = halo_below_right_2; halo_below_right_2 = 0;
        const u32 seen_halo_below_right_3 = halo_below_right_3; halo_below_right_3 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_0 |= moved(seen_halo_below_right_0, term);
            halo_below_right_1 |= moved(seen_halo_below_right_1, term);
            halo_below_right_2 |= moved(seen_halo_below_right_2, term);
            halo_below_right_3 |= moved(seen_halo_below_right_3, term);
        }
    }

    // the rule
    const u32 ones_0 = lop3<0x96>(halo_left_1, halo_below_left_1, halo_below_0);
    const u32 twos_0 = lop3<0xe8>(own_0, ones_0, halo_left_0);
    const u32 twos_1 = lop3<0xe8>(own_2, halo_left_2, halo_below_left_0);
    const u32 twos_2 = lop3<0xe8>(halo_left_1, halo_below_left_1, halo_below_0);
    const u32 twos_3 = lop3<0x96>(twos_2, twos_1, twos_0);
    const u32 fours_0 = lop3<0xe8>(twos_2, twos_1, twos_0);
    const u32 ones_1 = lop3<0x96>(own_2, halo_left_2, halo_below_left_0);
    const u32 ones_2 = own_0 ^ halo_left_0;
    const u32 twos_4 = lop3<0x28>(ones_0, ones_2, ones_1);
    const u32 fours_1 = lop3<0x78>(fours_0, twos_3, twos_4);
    const u32 ones_3 = lop3<0x96>(ones_0, ones_2, ones_1);
    const u32 existing_0 = lop3<0xce>(halo_left_3, fours_1, ones_3);
    const u32 ones_4 = lop3<0x96>(own_0, ones_0, halo_left_0);
    const u32 twos_5 = lop3<0x78>(twos_3, ones_4, ones_1);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_1 = lop3<0x20>(left_exists, existing_0, twos_5);
    const u32 ones_5 = lop3<0x96>(own_0, halo_left_0, halo_above_left_2);
    const u32 twos_6 = lop3<0xe8>(halo_above_left_3, halo_left_2, ones_5);
    const u32 twos_7 = lop3<0xe8>(own_0, halo_left_0, halo_above_left_2);
    const u32 twos_8 = lop3<0xe8>(halo_above_2, halo_left_3, own_2);
    const u32 twos_9 = lop3<0x96>(twos_8, twos_7, twos_6);
    const u32 ones_6 = lop3<0x96>(halo_above_2, halo_left_3, own_2);
    const u32 ones_7 = lop3<0x96>(halo_above_left_3, halo_left_2, ones_5);
    const u32 fours_2 = lop3<0x80>(twos_9, ones_7, ones_6);
    const u32 fours_3 = lop3<0xe8>(twos_8, twos_7, twos_6);
    const u32 existing_2 = lop3<0x06>(halo_left_1, ones_7, ones_6);
    const u32 existing_3 = lop3<0xbe>(fours_3, fours_2, existing_2);
    const u32 twos_10 = lop3<0x78>(twos_9, ones_7, ones_6);
    const u32 existing_4 = lop3<0x08>(existing_3, twos_10, left_exists);
    const u32 ones_8 = existing_4 ^ existing_1;
    const u32 ones_9 = lop3<0x96>(halo_below_0, own_2, halo_below_right_0);
    const u32 twos_11 = lop3<0xe8>(halo_right_0, halo_right_2, ones_9);
    const u32 twos_12 = lop3<0xe8>(halo_below_0, own_2, halo_below_right_0);
    const u32 twos_13 = lop3<0xe8>(own_1, own_0, halo_below_1);
    const u32 twos_14 = lop3<0x96>(twos_13, twos_12, twos_11);
    const u32 ones_10 = lop3<0x96>(halo_right_0, halo_right_2, ones_9);
    const u32 ones_11 = lop3<0x96>(own_1, own_0, halo_below_1);
    const u32 fours_4 = lop3<0x80>(ones_11, twos_14, ones_10);
    const u32 fours_5 = lop3<0xe8>(twos_13, twos_12, twos_11);
    const u32 choice_0 = lop3<0x06>(own_3, ones_11, ones_10);
    const u32 choice_1 = lop3<0xbe>(fours_5, fours_4, choice_0);
    const u32 twos_15 = ones_11 & ones_10;
    const u32 choice_2 = lop3<0x14>(twos_14, twos_15, choice_1);
    const u32 ones_12 = ones_8 ^ choice_2;
    const u32 twos_16 = lop3<0xe8>(halo_above_2, ones_5, halo_above_left_0);
    const u32 twos_17 = lop3<0xe8>(halo_above_left_1, halo_above_0, halo_left_1);
    const u32 twos_18 = lop3<0x96>(twos_7, twos_17, twos_16);
    const u32 fours_6 = lop3<0xe8>(twos_7, twos_17, twos_16);
    const u32 ones_13 = lop3<0x96>(halo_above_2, ones_5, halo_above_left_0);
    const u32 ones_14 = halo_above_left_1 ^ halo_above_0;
    const u32 twos_19 = lop3<0x28>(ones_14, halo_left_1, ones_13);
    const u32 fours_7 = lop3<0x78>(fours_6, twos_18, twos_19);
    const u32 ones_15 = lop3<0x96>(ones_14, halo_left_1, ones_13);
    const u32 existing_5 = lop3<0xce>(halo_above_left_3, fours_7, ones_15);
    const u32 twos_20 = twos_18 ^ twos_19;
    const u32 above_left_exists = presence(world, above_left, word);
    const u32 existing_6 = lop3<0x08>(existing_5, twos_20, above_left_exists);
    const u32 ones_16 = lop3<0x96>(own_0, halo_above_2, halo_right_0);
    const u32 twos_21 = lop3<0xe8>(ones_16, own_3, own_2);
    const u32 twos_22 = lop3<0xe8>(halo_above_3, halo_above_right_2, halo_right_2);
    const u32 twos_23 = lop3<0xe8>(own_0, halo_above_2, halo_right_0);
    const u32 twos_24 = lop3<0x96>(twos_23, twos_22, twos_21);
    const u32 fours_8 = lop3<0xe8>(twos_23, twos_22, twos_21);
    const u32 ones_17 = lop3<0x96>(halo_above_3, halo_above_right_2, halo_right_2);
    const u32 ones_18 = own_3 ^ own_2;
    const u32 twos_25 = lop3<0x28>(ones_16, ones_18, ones_17);
    const u32 fours_9 = lop3<0x78>(fours_8, twos_24, twos_25);
    const u32 ones_19 = lop3<0x96>(ones_16, ones_18, ones_17);
    const u32 choice_3 = lop3<0xce>(own_1, fours_9, ones_19);
    const u32 choice_4 = lop3<0x14>(twos_24, twos_25, choice_3);
    const u32 twos_26 = lop3<0xe8>(choice_4, existing_6, ones_12);
    const u32 twos_27 = lop3<0xe8>(existing_4, existing_1, choice_2);
    const u32 twos_28 = lop3<0xe8>(own_3, halo_left_3, ones_0);
    const u32 twos_29 = lop3<0x96>(twos_13, twos_2, twos_28);
    const u32 ones_20 = lop3<0x96>(own_3, halo_left_3, ones_0);
    const u32 fours_10 = lop3<0x80>(twos_29, ones_20, ones_11);
    const u32 fours_11 = lop3<0xe8>(twos_13, twos_2, twos_28);
    const u32 choice_5 = lop3<0x14>(ones_20, ones_11, own_2);
    const u32 choice_6 = lop3<0xbe>(fours_11, fours_10, choice_5);
    const u32 twos_30 = ones_20 & ones_11;
    const u32 choice_7 = lop3<0x14>(twos_29, twos_30, choice_6);
    const u32 twos_31 = lop3<0xe8>(halo_above_0, own_1, ones_16);
    const u32 twos_32 = lop3<0xe8>(halo_above_1, halo_above_right_0, halo_above_right_2);
    const u32 twos_33 = lop3<0x96>(twos_32, twos_23, twos_31);
    const u32 fours_12 = lop3<0xe8>(twos_32, twos_23, twos_31);
    const u32 ones_21 = lop3<0x96>(halo_above_0, own_1, ones_16);
    const u32 ones_22 = halo_above_1 ^ halo_above_right_0;
    const u32 twos_34 = lop3<0x28>(ones_22, halo_above_right_2, ones_21);
    const u32 fours_13 = lop3<0x78>(fours_12, twos_33, twos_34);
    const u32 ones_23 = lop3<0x96>(ones_22, halo_above_right_2, ones_21);
    const u32 existing_7 = lop3<0xce>(halo_above_3, fours_13, ones_23);
    const u32 twos_35 = twos_33 ^ twos_34;
    const u32 above_exists = presence(world, above, word);
    const u32 existing_8 = lop3<0x20>(above_exists, existing_7, twos_35);
    const u32 ones_24 = lop3<0x96>(halo_above_left_1, halo_above_0, halo_above_1);
    const u32 ones_25 = lop3<0x96>(halo_above_left_3, halo_left_1, own_1);
    const u32 twos_36 = lop3<0xe8>(ones_25, halo_above_3, ones_24);
    const u32 twos_37 = lop3<0xe8>(halo_above_left_3, halo_left_1, own_1);
    const u32 twos_38 = lop3<0xe8>(halo_above_left_1, halo_above_0, halo_above_1);
    const u32 twos_39 = lop3<0x96>(twos_38, twos_37, twos_36);
    const u32 ones_26 = halo_above_left_3 ^ halo_left_1;
    const u32 ones_27 = lop3<0x96>(ones_26, own_1, halo_above_3);
    const u32 ones_28 = lop3<0x96>(ones_14, halo_above_1, ones_27);
    const u32 fours_14 = lop3<0x80>(twos_39, ones_28, own_0);
    const u32 fours_15 = lop3<0xe8>(twos_38, twos_37, twos_36);
    const u32 existing_9 = lop3<0x14>(ones_28, own_0, halo_above_2);
    const u32 existing_10 = lop3<0xbe>(fours_15, fours_14, existing_9);
    const u32 twos_40 = lop3<0x78>(twos_39, ones_28, own_0);
    const u32 existing_11 = lop3<0x08>(existing_10, twos_40, above_exists);
    const u32 twos_41 = lop3<0xe8>(existing_11, existing_8, choice_7);
    const u32 fours_16 = lop3<0xe8>(twos_41, twos_27, twos_26);
    const u32 twos_42 = twos_41 ^ twos_27;
    const u32 twos_43 = twos_42 ^ twos_26;
    const u32 ones_29 = choice_4 ^ existing_6;
    const u32 ones_30 = ones_29 ^ ones_12;
    const u32 ones_31 = existing_11 ^ existing_8;
    const u32 ones_32 = ones_31 ^ choice_7;
    const u32 twos_44 = ones_30 & ones_32;
    const u32 fours_17 = twos_43 & twos_44;
    const u32 twos_45 = lop3<0xe8>(ones_25, halo_above_3, ones_6);
    const u32 twos_46 = lop3<0x96>(twos_37, twos_8, twos_45);
    const u32 fours_18 = lop3<0xe8>(twos_37, twos_8, twos_45);
    const u32 twos_47 = lop3<0x48>(ones_27, own_3, ones_6);
    const u32 fours_19 = lop3<0x78>(fours_18, twos_46, twos_47);
    const u32 ones_33 = lop3<0x96>(ones_27, own_3, ones_6);
    const u32 choice_8 = lop3<0xce>(own_0, fours_19, ones_33);
    const u32 choice_9 = lop3<0x14>(twos_46, twos_47, choice_8);
    const u32 choice_10 = lop3<0x14>(ones_30, ones_32, choice_9);
    const u32 choice_11 = lop3<0xbe>(fours_16, fours_17, choice_10);
    const u32 choice_12 = lop3<0x14>(twos_43, twos_44, choice_11);
    out_alive[0 * WORDS] = choice_12;
    const u32 ones_34 = lop3<0x96>(own_1, halo_right_0, halo_right_1);
    const u32 twos_48 = lop3<0xe8>(halo_above_3, halo_above_right_3, ones_34);
    const u32 twos_49 = lop3<0xe8>(halo_above_1, halo_above_right_0, halo_above_right_1);
    const u32 twos_50 = lop3<0xe8>(own_1, halo_right_0, halo_right_1);
    const u32 twos_51 = lop3<0x96>(twos_50, twos_49, twos_48);
    const u32 fours_20 = lop3<0xe8>(twos_50, twos_49, twos_48);
    const u32 ones_35 = lop3<0x96>(halo_above_3, halo_above_right_3, ones_34);
    const u32 twos_52 = lop3<0x28>(ones_22, halo_above_right_1, ones_35);
    const u32 fours_21 = lop3<0x78>(fours_20, twos_51, twos_52);
    const u32 ones_36 = lop3<0x96>(ones_22, halo_above_right_1, ones_35);
    const u32 existing_12 = lop3<0xce>(halo_above_right_2, fours_21, ones_36);
    const u32 twos_53 = twos_51 ^ twos_52;
    const u32 above_right_exists = presence(world, above_right, word);
    const u32 existing_13 = lop3<0x08>(existing_12, twos_53, above_right_exists);
    const u32 twos_54 = lop3<0xe8>(ones_32, choice_9, existing_13);
    const u32 ones_37 = lop3<0x96>(halo_below_1, own_3, halo_below_right_1);
    const u32 twos_55 = lop3<0xe8>(halo_below_right_0, halo_right_3, ones_37);
    const u32 twos_56 = lop3<0xe8>(halo_below_1, own_3, halo_below_right_1);
    const u32 twos_57 = lop3<0x96>(twos_56, twos_50, twos_55);
    const u32 fours_22 = lop3<0xe8>(twos_56, twos_50, twos_55);
    const u32 ones_38 = halo_below_1 ^ own_3;
    const u32 ones_39 = lop3<0x96>(halo_right_3, ones_38, halo_below_right_1);
    const u32 twos_58 = lop3<0x28>(halo_below_right_0, ones_39, ones_34);
    const u32 fours_23 = lop3<0x78>(fours_22, twos_57, twos_58);
    const u32 ones_40 = lop3<0x96>(halo_below_right_0, ones_39, ones_34);
    const u32 existing_14 = lop3<0xce>(halo_right_2, fours_23, ones_40);
    const u32 twos_59 = twos_57 ^ twos_58;
    const u32 right_exists = presence(world, right, word);
    const u32 existing_15 = lop3<0x20>(right_exists, existing_14, twos_59);
    const u32 twos_60 = lop3<0xe8>(ones_17, halo_above_right_3, halo_right_1);
    const u32 twos_61 = lop3<0xe8>(own_1, own_3, halo_right_3);
    const u32 twos_62 = lop3<0x96>(twos_22, twos_61, twos_60);
    const u32 fours_24 = lop3<0xe8>(twos_22, twos_61, twos_60);
    const u32 ones_41 = lop3<0x96>(ones_17, halo_above_right_3, halo_right_1);
    const u32 ones_42 = own_1 ^ own_3;
    const u32 twos_63 = lop3<0x28>(ones_42, halo_right_3, ones_41);
    const u32 fours_25 = lop3<0x78>(fours_24, twos_62, twos_63);
    const u32 ones_43 = lop3<0x96>(ones_42, halo_right_3, ones_41);
    const u32 existing_16 = lop3<0xce>(halo_right_0, fours_25, ones_43);
    const u32 twos_64 = twos_62 ^ twos_63;
    const u32 existing_17 = lop3<0x08>(existing_16, twos_64, right_exists);
    const u32 twos_65 = existing_17 & existing_15;
    const u32 ones_44 = existing_17 ^ existing_15;
    const u32 twos_66 = lop3<0xea>(choice_2, ones_44, twos_65);
    const u32 fours_26 = lop3<0xe8>(twos_41, twos_66, twos_54);
    const u32 twos_67 = twos_41 ^ twos_66;
    const u32 twos_68 = twos_67 ^ twos_54;
    const u32 ones_45 = choice_9 ^ existing_13;
    const u32 ones_46 = ones_32 ^ ones_45;
    const u32 ones_47 = choice_2 ^ ones_44;
    const u32 twos_69 = ones_46 & ones_47;
    const u32 fours_27 = lop3<0x78>(fours_26, twos_68, twos_69);
    const u32 ones_48 = ones_46 ^ ones_47;
    const u32 choice_13 = lop3<0xce>(choice_4, fours_27, ones_48);
    const u32 choice_14 = lop3<0x14>(twos_68, twos_69, choice_13);
    out_alive[1 * WORDS] = choice_14;
    const u32 ones_49 = choice_4 ^ choice_9;
    const u32 twos_70 = lop3<0xe8>(own_3, ones_9, halo_below_2);
    const u32 twos_71 = lop3<0xe8>(halo_right_2, halo_below_right_2, halo_below_3);
    const u32 twos_72 = lop3<0x96>(twos_12, twos_71, twos_70);
    const u32 ones_50 = lop3<0x96>(halo_right_2, halo_below_right_2, halo_below_3);
    const u32 ones_51 = lop3<0x96>(own_3, ones_9, halo_below_2);
    const u32 fours_28 = lop3<0x80>(twos_72, ones_51, ones_50);
    const u32 fours_29 = lop3<0xe8>(twos_12, twos_71, twos_70);
    const u32 existing_18 = lop3<0x06>(halo_below_1, ones_51, ones_50);
    const u32 existing_19 = lop3<0xbe>(fours_29, fours_28, existing_18);
    const u32 twos_73 = lop3<0x78>(twos_72, ones_51, ones_50);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_20 = lop3<0x08>(existing_19, twos_73, below_exists);
    const u32 ones_52 = ones_49 ^ existing_20;
    const u32 ones_53 = lop3<0x96>(halo_left_3, halo_below_2, halo_below_left_3);
    const u32 twos_74 = lop3<0xe8>(halo_below_1, halo_below_3, ones_53);
    const u32 twos_75 = lop3<0xe8>(halo_left_3, halo_below_2, halo_below_left_3);
    const u32 twos_76 = lop3<0xe8>(halo_below_left_1, own_3, own_2);
    const u32 twos_77 = lop3<0x96>(twos_76, twos_75, twos_74);
    const u32 fours_30 = lop3<0xe8>(twos_76, twos_75, twos_74);
    const u32 ones_54 = lop3<0x96>(halo_below_1, halo_below_3, ones_53);
    const u32 twos_78 = lop3<0x28>(halo_below_left_1, ones_18, ones_54);
    const u32 fours_31 = lop3<0x78>(fours_30, twos_77, twos_78);
    const u32 ones_55 = lop3<0x96>(halo_below_left_1, ones_18, ones_54);
    const u32 existing_21 = lop3<0xce>(halo_below_0, fours_31, ones_55);
    const u32 twos_79 = twos_77 ^ twos_78;
    const u32 existing_22 = lop3<0x20>(below_exists, existing_21, twos_79);
    const u32 twos_80 = ones_52 & existing_22;
    const u32 ones_56 = ones_52 ^ existing_22;
    const u32 twos_81 = lop3<0xe8>(halo_below_0, ones_1, halo_below_left_2);
    const u32 twos_82 = lop3<0x96>(twos_1, twos_75, twos_81);
    const u32 ones_57 = lop3<0x96>(halo_below_0, ones_1, halo_below_left_2);
    const u32 fours_32 = lop3<0x80>(ones_53, twos_82, ones_57);
    const u32 fours_33 = lop3<0xe8>(twos_1, twos_75, twos_81);
    const u32 existing_23 = lop3<0x06>(halo_below_left_1, ones_53, ones_57);
    const u32 existing_24 = lop3<0xbe>(fours_33, fours_32, existing_23);
    const u32 twos_83 = lop3<0x6c>(ones_53, twos_82, ones_57);
    const u32 below_left_exists = presence(world, below_left, word);
    const u32 existing_25 = lop3<0x08>(existing_24, twos_83, below_left_exists);
    const u32 twos_84 = lop3<0xea>(ones_56, existing_25, twos_80);
    const u32 twos_85 = lop3<0xe8>(choice_4, choice_9, existing_20);
    const u32 fours_34 = lop3<0xe8>(twos_27, twos_85, twos_84);
    const u32 twos_86 = twos_27 ^ twos_85;
    const u32 twos_87 = twos_86 ^ twos_84;
    const u32 ones_58 = ones_56 ^ existing_25;
    const u32 twos_88 = ones_12 & ones_58;
    const u32 fours_35 = lop3<0x78>(fours_34, twos_87, twos_88);
    const u32 ones_59 = ones_12 ^ ones_58;
    const u32 choice_15 = lop3<0xce>(choice_7, fours_35, ones_59);
    const u32 choice_16 = lop3<0x14>(twos_87, twos_88, choice_15);
    out_alive[2 * WORDS] = choice_16;
    const u32 twos_89 = lop3<0xe8>(halo_right_3, ones_37, halo_below_right_3);
    const u32 twos_90 = lop3<0x96>(twos_56, twos_71, twos_89);
    const u32 fours_36 = lop3<0xe8>(twos_56, twos_71, twos_89);
    const u32 twos_91 = lop3<0x48>(ones_39, ones_50, halo_below_right_3);
    const u32 fours_37 = lop3<0x78>(fours_36, twos_90, twos_91);
    const u32 ones_60 = lop3<0x96>(ones_39, ones_50, halo_below_right_3);
    const u32 existing_26 = lop3<0xce>(halo_below_right_0, fours_37, ones_60);
    const u32 twos_92 = twos_90 ^ twos_91;
    const u32 below_right_exists = presence(world, below_right, word);
    const u32 existing_27 = lop3<0x08>(existing_26, twos_92, below_right_exists);
    const u32 twos_93 = lop3<0xec>(ones_56, twos_80, existing_27);
    const u32 twos_94 = lop3<0xea>(choice_7, ones_44, twos_65);
    const u32 fours_38 = lop3<0xe8>(twos_85, twos_94, twos_93);
    const u32 twos_95 = twos_85 ^ twos_94;
    const u32 twos_96 = twos_95 ^ twos_93;
    const u32 ones_61 = choice_7 ^ ones_44;
    const u32 ones_62 = ones_56 ^ existing_27;
    const u32 twos_97 = ones_62 & ones_61;
    const u32 fours_39 = lop3<0x78>(fours_38, twos_96, twos_97);
    const u32 ones_63 = ones_62 ^ ones_61;
    const u32 choice_17 = lop3<0xce>(choice_2, fours_39, ones_63);
    const u32 choice_18 = lop3<0x14>(twos_96, twos_97, choice_17);
    out_alive[3 * WORDS] = choice_18;
}
