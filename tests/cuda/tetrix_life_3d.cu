// life_3d on tetrix at level 7, by Squeeze 0.1.0
//
// T = 0: 1 lanes a column fill 3% of the vector registers they take
// L = 1: 4 micro cells a superblock, about 339 operations; 4096 superblocks
// t = 2: 2.50 cells computed for one that is kept; bound by operations, 109.85 ps a cell and step expected
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = 1;
constexpr u32 WORDS = 1;
constexpr u32 STRIDE = 8;
constexpr u32 MICRO_CELLS = 4;
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

// Whether a random word is below a probability times 2^32.
__device__ __forceinline__ bool chance(u32 word, double probability) {
    const double bound = probability * 4294967296.0;
    return bound >= 4294967296.0 || bound > 0.0 && word < (u32)bound;
}

// life_3d_init: one step of 4 micro cells; a thread takes one lane, a superblock 32 threads.
// 5.25 operations a cell and step (0 on bits, 21 on numbers), 0 + 0 loads, 4 stores, 7 live values
extern "C" __global__ void __launch_bounds__(128) life_3d_init(
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
    const int superblock_z = world.superblock_corners[3 * (u64)superblock + 2];
    const int lane_z = world.lane_corners[2 * LANES + lane];
    const int corner_z_0 = (int)((u32)lane_z + (u32)superblock_z);
    const float cast_0 = (float)corner_z_0;
    const float product_0 = 0x1.99999ap-2f /* 0.4 */ * cast_0;
    const int side = world.side;
    const float cast_1 = (float)side;
    const float quotient_0 = product_0 / cast_1;
    const float sum_0 = 0x1.99999ap-4f /* 0.1 */ + quotient_0;
    const double chance_0 = (double)sum_0;
    const u32 draw_0 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 0, time, 0);
    const bool chance_1 = chance(draw_0, chance_0);
    store_bits(out_alive + 0 * WORDS, chance_1, place);
    const u32 draw_1 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 1, time, 0);
    const bool chance_2 = chance(draw_1, chance_0);
    store_bits(out_alive + 1 * WORDS, chance_2, place);
    const u32 draw_2 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 2, time, 0);
    const bool chance_3 = chance(draw_2, chance_0);
    store_bits(out_alive + 2 * WORDS, chance_3, place);
    const int z_0 = (int)((u32)corner_z_0 + (u32)1);
    const float cast_2 = (float)z_0;
    const float product_1 = 0x1.99999ap-2f /* 0.4 */ * cast_2;
    const float quotient_1 = product_1 / cast_1;
    const float sum_1 = 0x1.99999ap-4f /* 0.1 */ + quotient_1;
    const double chance_4 = (double)sum_1;
    const u32 draw_3 = random_word(world.seed, lane * world.lane_cells + (u64)superblock * MICRO_CELLS + 3, time, 0);
    const bool chance_5 = chance(draw_3, chance_4);
    store_bits(out_alive + 3 * WORDS, chance_5, place);
}

// life_3d: 2 steps of 4 micro cells; a thread takes one word of 32 lanes, a superblock 1 threads.
// 54.00 operations a cell and step (432 on bits, 0 on numbers), 4 + 75 loads, 4 stores, 64 live values
extern "C" __global__ void __launch_bounds__(128) life_3d(
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

    const u32 none = after_pass_before();
    alive += none;
    new_alive += none;
    const u32 *own_alive = alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;
    const u32 own_3 = own_alive[3 * WORDS];
    const u32 own_0 = own_alive[0 * WORDS];
    const u32 own_2 = own_alive[2 * WORDS];
    const u32 own_1 = own_alive[1 * WORDS];

    // front above
    const u32 *front_above_alive = alive + (u64)front_above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_above_3 = front_above_alive[3 * WORDS];
    u32 halo_front_above_2 = front_above_alive[2 * WORDS];

    // front above right
    const u32 *front_above_right_alive = alive + (u64)front_above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_above_right_2 = front_above_right_alive[2 * WORDS];
    u32 halo_front_above_right_3 = front_above_right_alive[3 * WORDS];

    // front left
    const u32 *front_left_alive = alive + (u64)front_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_left_3 = front_left_alive[3 * WORDS];
    u32 halo_front_left_1 = front_left_alive[1 * WORDS];

    // front
    const u32 *front_alive = alive + (u64)front.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_3 = front_alive[3 * WORDS];
    u32 halo_front_0 = front_alive[0 * WORDS];
    u32 halo_front_2 = front_alive[2 * WORDS];
    u32 halo_front_1 = front_alive[1 * WORDS];

    // front right
    const u32 *front_right_alive = alive + (u64)front_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_right_3 = front_right_alive[3 * WORDS];
    u32 halo_front_right_1 = front_right_alive[1 * WORDS];
    u32 halo_front_right_2 = front_right_alive[2 * WORDS];
    u32 halo_front_right_0 = front_right_alive[0 * WORDS];

    // front below left
    const u32 *front_below_left_alive = alive + (u64)front_below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_left_1 = front_below_left_alive[1 * WORDS];
    u32 halo_front_below_left_3 = front_below_left_alive[3 * WORDS];

    // front below
    const u32 *front_below_alive = alive + (u64)front_below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_3 = front_below_alive[3 * WORDS];
    u32 halo_front_below_1 = front_below_alive[1 * WORDS];
    u32 halo_front_below_2 = front_below_alive[2 * WORDS];
    u32 halo_front_below_0 = front_below_alive[0 * WORDS];

    // front below right
    const u32 *front_below_right_alive = alive + (u64)front_below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_front_below_right_3 = front_below_right_alive[3 * WORDS];

    // above left
    const u32 *above_left_alive = alive + (u64)above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_above_left_2 = above_left_alive[2 * WORDS];
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
    u32 halo_above_right_1 = above_right_alive[1 * WORDS];
    u32 halo_above_right_3 = above_right_alive[3 * WORDS];
    u32 halo_above_right_0 = above_right_alive[0 * WORDS];

    // left
    const u32 *left_alive = alive + (u64)left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_left_0 = left_alive[0 * WORDS];
    u32 halo_left_3 = left_alive[3 * WORDS];
    u32 halo_left_2 = left_alive[2 * WORDS];
    u32 halo_left_1 = left_alive[1 * WORDS];

    // right
    const u32 *right_alive = alive + (u64)right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_right_3 = right_alive[3 * WORDS];
    u32 halo_right_2 = right_alive[2 * WORDS];
    u32 halo_right_0 = right_alive[0 * WORDS];
    u32 halo_right_1 = right_alive[1 * WORDS];

    // below left
    const u32 *below_left_alive = alive + (u64)below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_left_1 = below_left_alive[1 * WORDS];
    u32 halo_below_left_2 = below_left_alive[2 * WORDS];
    u32 halo_below_left_3 = below_left_alive[3 * WORDS];
    u32 halo_below_left_0 = below_left_alive[0 * WORDS];

    // below
    const u32 *below_alive = alive + (u64)below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_3 = below_alive[3 * WORDS];
    u32 halo_below_1 = below_alive[1 * WORDS];
    u32 halo_below_0 = below_alive[0 * WORDS];
    u32 halo_below_2 = below_alive[2 * WORDS];

    // below right
    const u32 *below_right_alive = alive + (u64)below_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_below_right_1 = below_right_alive[1 * WORDS];
    u32 halo_below_right_3 = below_right_alive[3 * WORDS];
    u32 halo_below_right_0 = below_right_alive[0 * WORDS];
    u32 halo_below_right_2 = below_right_alive[2 * WORDS];

    // back above left
    const u32 *back_above_left_alive = alive + (u64)back_above_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_left_1 = back_above_left_alive[1 * WORDS];
    u32 halo_back_above_left_2 = back_above_left_alive[2 * WORDS];

    // back above
    const u32 *back_above_alive = alive + (u64)back_above.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_2 = back_above_alive[2 * WORDS];
    u32 halo_back_above_1 = back_above_alive[1 * WORDS];
    u32 halo_back_above_3 = back_above_alive[3 * WORDS];
    u32 halo_back_above_0 = back_above_alive[0 * WORDS];

    // back above right
    const u32 *back_above_right_alive = alive + (u64)back_above_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_above_right_2 = back_above_right_alive[2 * WORDS];

    // back left
    const u32 *back_left_alive = alive + (u64)back_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_left_1 = back_left_alive[1 * WORDS];
    u32 halo_back_left_2 = back_left_alive[2 * WORDS];
    u32 halo_back_left_3 = back_left_alive[3 * WORDS];
    u32 halo_back_left_0 = back_left_alive[0 * WORDS];

    // back
    const u32 *back_alive = alive + (u64)back.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_2 = back_alive[2 * WORDS];
    u32 halo_back_1 = back_alive[1 * WORDS];
    u32 halo_back_0 = back_alive[0 * WORDS];
    u32 halo_back_3 = back_alive[3 * WORDS];

    // back right
    const u32 *back_right_alive = alive + (u64)back_right.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_right_1 = back_right_alive[1 * WORDS];
    u32 halo_back_right_2 = back_right_alive[2 * WORDS];
    u32 halo_back_right_0 = back_right_alive[0 * WORDS];
    u32 halo_back_right_3 = back_right_alive[3 * WORDS];

    // back below left
    const u32 *back_below_left_alive = alive + (u64)back_below_left.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_below_left_1 = back_below_left_alive[1 * WORDS];

    // back below
    const u32 *back_below_alive = alive + (u64)back_below.superblock * (MICRO_CELLS * WORDS) + word;
    u32 halo_back_below_2 = back_below_alive[2 * WORDS];
    u32 halo_back_below_1 = back_below_alive[1 * WORDS];
    u32 halo_back_below_0 = back_below_alive[0 * WORDS];
    u32 halo_back_below_3 = back_below_alive[3 * WORDS];

    // Across the border lanes see other lanes.
    if (front_above.wrap != STAY) {
        const u32 seen_halo_front_above_3 = halo_front_above_3; halo_front_above_3 = 0;
        const u32 seen_halo_front_above_2 = halo_front_above_2; halo_front_above_2 = 0;
        const u32 last = world.first_terms[front_above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_above_3 |= moved(seen_halo_front_above_3, term);
            halo_front_above_2 |= moved(seen_halo_front_above_2, term);
        }
    }
    if (front_above_right.wrap != STAY) {
        const u32 seen_halo_front_above_right_2 = halo_front_above_right_2; halo_front_above_right_2 = 0;
        const u32 seen_halo_front_above_right_3 = halo_front_above_right_3; halo_front_above_right_3 = 0;
        const u32 last = world.first_terms[front_above_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_above_right_2 |= moved(seen_halo_front_above_right_2, term);
            halo_front_above_right_3 |= moved(seen_halo_front_above_right_3, term);
        }
    }
    if (front_left.wrap != STAY) {
        const u32 seen_halo_front_left_3 = halo_front_left_3; halo_front_left_3 = 0;
        const u32 seen_halo_front_left_1 = halo_front_left_1; halo_front_left_1 = 0;
        const u32 last = world.first_terms[front_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_left_3 |= moved(seen_halo_front_left_3, term);
            halo_front_left_1 |= moved(seen_halo_front_left_1, term);
        }
    }
    if (front.wrap != STAY) {
        const u32 seen_halo_front_3 = halo_front_3; halo_front_3 = 0;
        const u32 seen_halo_front_0 = halo_front_0; halo_front_0 = 0;
        const u32 seen_halo_front_2 = halo_front_2; halo_front_2 = 0;
        const u32 seen_halo_front_1 = halo_front_1; halo_front_1 = 0;
        const u32 last = world.first_terms[front.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_3 |= moved(seen_halo_front_3, term);
            halo_front_0 |= moved(seen_halo_front_0, term);
            halo_front_2 |= moved(seen_halo_front_2, term);
            halo_front_1 |= moved(seen_halo_front_1, term);
        }
    }
    if (front_right.wrap != STAY) {
        const u32 seen_halo_front_right_3 = halo_front_right_3; halo_front_right_3 = 0;
        const u32 seen_halo_front_right_1 = halo_front_right_1; halo_front_right_1 = 0;
        const u32 seen_halo_front_right_2 = halo_front_right_2; halo_front_right_2 = 0;
        const u32 seen_halo_front_right_0 = halo_front_right_0; halo_front_right_0 = 0;
        const u32 last = world.first_terms[front_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_right_3 |= moved(seen_halo_front_right_3, term);
            halo_front_right_1 |= moved(seen_halo_front_right_1, term);
            halo_front_right_2 |= moved(seen_halo_front_right_2, term);
            halo_front_right_0 |= moved(seen_halo_front_right_0, term);
        }
    }
    if (front_below_left.wrap != STAY) {
        const u32 seen_halo_front_below_left_1 = halo_front_below_left_1; halo_front_below_left_1 = 0;
        const u32 seen_halo_front_below_left_3 = halo_front_below_left_3; halo_front_below_left_3 = 0;
        const u32 last = world.first_terms[front_below_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_left_1 |= moved(seen_halo_front_below_left_1, term);
            halo_front_below_left_3 |= moved(seen_halo_front_below_left_3, term);
        }
    }
    if (front_below.wrap != STAY) {
        const u32 seen_halo_front_below_3 = halo_front_below_3; halo_front_below_3 = 0;
        const u32 seen_halo_front_below_1 = halo_front_below_1; halo_front_below_1 = 0;
        const u32 seen_halo_front_below_2 = halo_front_below_2; halo_front_below_2 = 0;
        const u32 seen_halo_front_below_0 = halo_front_below_0; halo_front_below_0 = 0;
        const u32 last = world.first_terms[front_below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_3 |= moved(seen_halo_front_below_3, term);
            halo_front_below_1 |= moved(seen_halo_front_below_1, term);
            halo_front_below_2 |= moved(seen_halo_front_below_2, term);
            halo_front_below_0 |= moved(seen_halo_front_below_0, term);
        }
    }
    if (front_below_right.wrap != STAY) {
        const u32 seen_halo_front_below_right_3 = halo_front_below_right_3; halo_front_below_right_3 = 0;
        const u32 last = world.first_terms[front_below_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[front_below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_front_below_right_3 |= moved(seen_halo_front_below_right_3, term);
        }
    }
    if (above_left.wrap != STAY) {
        const u32 seen_halo_above_left_2 = halo_above_left_2; halo_above_left_2 = 0;
        const u32 seen_halo_above_left_1 = halo_above_left_1; halo_above_left_1 = 0;
        const u32 last = world.first_terms[above_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_left_2 |= moved(seen_halo_above_left_2, term);
            halo_above_left_1 |= moved(seen_halo_above_left_1, term);
        }
    }
    if (above.wrap != STAY) {
        const u32 seen_halo_above_2 = halo_above_2; halo_above_2 = 0;
        const u32 seen_halo_above_0 = halo_above_0; halo_above_0 = 0;
        const u32 seen_halo_above_3 = halo_above_3; halo_above_3 = 0;
        const u32 seen_halo_above_1 = halo_above_1; halo_above_1 = 0;
        const u32 last = world.first_terms[above.wrap * WORDS + word + 1];
        #pragma unroll 1
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
        const u32 seen_halo_above_right_1 = halo_above_right_1; halo_above_right_1 = 0;
        const u32 seen_halo_above_right_3 = halo_above_right_3; halo_above_right_3 = 0;
        const u32 seen_halo_above_right_0 = halo_above_right_0; halo_above_right_0 = 0;
        const u32 last = world.first_terms[above_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[above_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_above_right_2 |= moved(seen_halo_above_right_2, term);
            halo_above_right_1 |= moved(seen_halo_above_right_1, term);
            halo_above_right_3 |= moved(seen_halo_above_right_3, term);
            halo_above_right_0 |= moved(seen_halo_above_right_0, term);
        }
    }
    if (left.wrap != STAY) {
        const u32 seen_halo_left_0 = halo_left_0; halo_left_0 = 0;
        const u32 seen_halo_left_3 = halo_left_3; halo_left_3 = 0;
        const u32 seen_halo_left_2 = halo_left_2; halo_left_2 = 0;
        const u32 seen_halo_left_1 = halo_left_1; halo_left_1 = 0;
        const u32 last = world.first_terms[left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_left_0 |= moved(seen_halo_left_0, term);
            halo_left_3 |= moved(seen_halo_left_3, term);
            halo_left_2 |= moved(seen_halo_left_2, term);
            halo_left_1 |= moved(seen_halo_left_1, term);
        }
    }
    if (right.wrap != STAY) {
        const u32 seen_halo_right_3 = halo_right_3; halo_right_3 = 0;
        const u32 seen_halo_right_2 = halo_right_2; halo_right_2 = 0;
        const u32 seen_halo_right_0 = halo_right_0; halo_right_0 = 0;
        const u32 seen_halo_right_1 = halo_right_1; halo_right_1 = 0;
        const u32 last = world.first_terms[right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_right_3 |= moved(seen_halo_right_3, term);
            halo_right_2 |= moved(seen_halo_right_2, term);
            halo_right_0 |= moved(seen_halo_right_0, term);
            halo_right_1 |= moved(seen_halo_right_1, term);
        }
    }
    if (below_left.wrap != STAY) {
        const u32 seen_halo_below_left_1 = halo_below_left_1; halo_below_left_1 = 0;
        const u32 seen_halo_below_left_2 = halo_below_left_2; halo_below_left_2 = 0;
        const u32 seen_halo_below_left_3 = halo_below_left_3; halo_below_left_3 = 0;
        const u32 seen_halo_below_left_0 = halo_below_left_0; halo_below_left_0 = 0;
        const u32 last = world.first_terms[below_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_left_1 |= moved(seen_halo_below_left_1, term);
            halo_below_left_2 |= moved(seen_halo_below_left_2, term);
            halo_below_left_3 |= moved(seen_halo_below_left_3, term);
            halo_below_left_0 |= moved(seen_halo_below_left_0, term);
        }
    }
    if (below.wrap != STAY) {
        const u32 seen_halo_below_3 = halo_below_3; halo_below_3 = 0;
        const u32 seen_halo_below_1 = halo_below_1; halo_below_1 = 0;
        const u32 seen_halo_below_0 = halo_below_0; halo_below_0 = 0;
        const u32 seen_halo_below_2 = halo_below_2; halo_below_2 = 0;
        const u32 last = world.first_terms[below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_3 |= moved(seen_halo_below_3, term);
            halo_below_1 |= moved(seen_halo_below_1, term);
            halo_below_0 |= moved(seen_halo_below_0, term);
            halo_below_2 |= moved(seen_halo_below_2, term);
        }
    }
    if (below_right.wrap != STAY) {
        const u32 seen_halo_below_right_1 = halo_below_right_1; halo_below_right_1 = 0;
        const u32 seen_halo_below_right_3 = halo_below_right_3; halo_below_right_3 = 0;
        const u32 seen_halo_below_right_0 = halo_below_right_0; halo_below_right_0 = 0;
        const u32 seen_halo_below_right_2 = halo_below_right_2; halo_below_right_2 = 0;
        const u32 last = world.first_terms[below_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[below_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_below_right_1 |= moved(seen_halo_below_right_1, term);
            halo_below_right_3 |= moved(seen_halo_below_right_3, term);
            halo_below_right_0 |= moved(seen_halo_below_right_0, term);
            halo_below_right_2 |= moved(seen_halo_below_right_2, term);
        }
    }
    if (back_above_left.wrap != STAY) {
        const u32 seen_halo_back_above_left_1 = halo_back_above_left_1; halo_back_above_left_1 = 0;
        const u32 seen_halo_back_above_left_2 = halo_back_above_left_2; halo_back_above_left_2 = 0;
        const u32 last = world.first_terms[back_above_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_above_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_above_left_1 |= moved(seen_halo_back_above_left_1, term);
            halo_back_above_left_2 |= moved(seen_halo_back_above_left_2, term);
        }
    }
    if (back_above.wrap != STAY) {
        const u32 seen_halo_back_above_2 = halo_back_above_2; halo_back_above_2 = 0;
        const u32 seen_halo_back_above_1 = halo_back_above_1; halo_back_above_1 = 0;
        const u32 seen_halo_back_above_3 = halo_back_above_3; halo_back_above_3 = 0;
        const u32 seen_halo_back_above_0 = halo_back_above_0; halo_back_above_0 = 0;
        const u32 last = world.first_terms[back_above.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_above.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_above_2 |= moved(seen_halo_back_above_2, term);
            halo_back_above_1 |= moved(seen_halo_back_above_1, term);
            halo_back_above_3 |= moved(seen_halo_back_above_3, term);
            halo_back_above_0 |= moved(seen_halo_back_above_0, term);
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
        const u32 seen_halo_back_left_2 = halo_back_left_2; halo_back_left_2 = 0;
        const u32 seen_halo_back_left_3 = halo_back_left_3; halo_back_left_3 = 0;
        const u32 seen_halo_back_left_0 = halo_back_left_0; halo_back_left_0 = 0;
        const u32 last = world.first_terms[back_left.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_left.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_left_1 |= moved(seen_halo_back_left_1, term);
            halo_back_left_2 |= moved(seen_halo_back_left_2, term);
            halo_back_left_3 |= moved(seen_halo_back_left_3, term);
            halo_back_left_0 |= moved(seen_halo_back_left_0, term);
        }
    }
    if (back.wrap != STAY) {
        const u32 seen_halo_back_2 = halo_back_2; halo_back_2 = 0;
        const u32 seen_halo_back_1 = halo_back_1; halo_back_1 = 0;
        const u32 seen_halo_back_0 = halo_back_0; halo_back_0 = 0;
        const u32 seen_halo_back_3 = halo_back_3; halo_back_3 = 0;
        const u32 last = world.first_terms[back.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_2 |= moved(seen_halo_back_2, term);
            halo_back_1 |= moved(seen_halo_back_1, term);
            halo_back_0 |= moved(seen_halo_back_0, term);
            halo_back_3 |= moved(seen_halo_back_3, term);
        }
    }
    if (back_right.wrap != STAY) {
        const u32 seen_halo_back_right_1 = halo_back_right_1; halo_back_right_1 = 0;
        const u32 seen_halo_back_right_2 = halo_back_right_2; halo_back_right_2 = 0;
        const u32 seen_halo_back_right_0 = halo_back_right_0; halo_back_right_0 = 0;
        const u32 seen_halo_back_right_3 = halo_back_right_3; halo_back_right_3 = 0;
        const u32 last = world.first_terms[back_right.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_right.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_right_1 |= moved(seen_halo_back_right_1, term);
            halo_back_right_2 |= moved(seen_halo_back_right_2, term);
            halo_back_right_0 |= moved(seen_halo_back_right_0, term);
            halo_back_right_3 |= moved(seen_halo_back_right_3, term);
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
        const u32 seen_halo_back_below_2 = halo_back_below_2; halo_back_below_2 = 0;
        const u32 seen_halo_back_below_1 = halo_back_below_1; halo_back_below_1 = 0;
        const u32 seen_halo_back_below_0 = halo_back_below_0; halo_back_below_0 = 0;
        const u32 seen_halo_back_below_3 = halo_back_below_3; halo_back_below_3 = 0;
        const u32 last = world.first_terms[back_below.wrap * WORDS + word + 1];
        #pragma unroll 1
        for (u32 i = world.first_terms[back_below.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            halo_back_below_2 |= moved(seen_halo_back_below_2, term);
            halo_back_below_1 |= moved(seen_halo_back_below_1, term);
            halo_back_below_0 |= moved(seen_halo_back_below_0, term);
            halo_back_below_3 |= moved(seen_halo_back_below_3, term);
        }
    }

    // the rule
    const u32 twos_0 = lop3<0xe8>(halo_left_2, halo_left_3, halo_left_0);
    const u32 twos_1 = lop3<0xe8>(own_0, own_3, halo_front_3);
    const u32 ones_0 = lop3<0x96>(own_0, own_3, halo_front_3);
    const u32 twos_2 = lop3<0xe8>(halo_above_2, own_2, ones_0);
    const u32 fours_0 = lop3<0xe8>(twos_2, twos_1, twos_0);
    const u32 twos_3 = twos_2 ^ twos_1;
    const u32 twos_4 = twos_3 ^ twos_0;
    const u32 ones_1 = lop3<0x96>(halo_above_2, own_2, ones_0);
    const u32 twos_5 = lop3<0xe8>(ones_1, halo_front_left_3, halo_above_left_2);
    const u32 ones_2 = lop3<0x96>(ones_1, halo_front_left_3, halo_above_left_2);
    const u32 ones_3 = halo_left_2 ^ halo_left_3;
    const u32 twos_6 = lop3<0x60>(ones_2, ones_3, halo_left_0);
    const u32 fours_1 = lop3<0xe8>(twos_6, twos_5, twos_4);
    const u32 fours_2 = fours_1 ^ fours_0;
    const u32 ones_4 = lop3<0x96>(ones_2, ones_3, halo_left_0);
    const u32 existing_0 = lop3<0xc4>(halo_left_1, fours_2, ones_4);
    const u32 existing_1 = ones_4 & ~fours_2;
    const u32 twos_7 = twos_6 ^ twos_5;
    const u32 twos_8 = lop3<0x96>(twos_3, twos_7, twos_0);
    const u32 existing_2 = lop3<0xe2>(existing_1, twos_8, existing_0);
    const u32 left_exists = presence(world, left, word);
    const u32 existing_3 = existing_2 & left_exists;
    const u32 twos_9 = lop3<0xe8>(halo_above_1, halo_above_3, halo_above_0);
    const u32 twos_10 = lop3<0xe8>(own_1, halo_left_1, ones_0);
    const u32 fours_3 = lop3<0xe8>(twos_1, twos_10, twos_9);
    const u32 twos_11 = twos_1 ^ twos_10;
    const u32 twos_12 = twos_11 ^ twos_9;
    const u32 ones_5 = lop3<0x96>(own_1, halo_left_1, ones_0);
    const u32 twos_13 = lop3<0xe8>(ones_5, halo_front_above_3, halo_above_left_1);
    const u32 ones_6 = lop3<0x96>(ones_5, halo_front_above_3, halo_above_left_1);
    const u32 ones_7 = halo_above_1 ^ halo_above_3;
    const u32 twos_14 = lop3<0x60>(ones_6, ones_7, halo_above_0);
    const u32 fours_4 = lop3<0xe8>(twos_14, twos_13, twos_12);
    const u32 fours_5 = fours_4 ^ fours_3;
    const u32 ones_8 = lop3<0x96>(ones_6, ones_7, halo_above_0);
    const u32 existing_4 = lop3<0xc4>(halo_above_2, fours_5, ones_8);
    const u32 existing_5 = ones_8 & ~fours_5;
    const u32 twos_15 = twos_14 ^ twos_13;
    const u32 twos_16 = lop3<0x96>(twos_15, twos_11, twos_9);
    const u32 existing_6 = lop3<0xe2>(existing_5, twos_16, existing_4);
    const u32 above_exists = presence(world, above, word);
    const u32 existing_7 = existing_6 & above_exists;
    const u32 ones_9 = existing_7 ^ existing_3;
    const u32 ones_10 = lop3<0x96>(halo_below_1, halo_below_3, halo_below_left_1);
    const u32 twos_17 = lop3<0xe8>(ones_10, halo_front_below_3, halo_below_0);
    const u32 fours_6 = lop3<0xe8>(twos_1, twos_10, twos_17);
    const u32 twos_18 = twos_11 ^ twos_17;
    const u32 ones_11 = halo_below_1 ^ halo_below_3;
    const u32 ones_12 = lop3<0x96>(ones_11, halo_below_left_1, halo_front_below_3);
    const u32 twos_19 = lop3<0x60>(ones_5, ones_12, halo_below_0);
    const u32 twos_20 = lop3<0xe8>(halo_below_1, halo_below_3, halo_below_left_1);
    const u32 fours_7 = lop3<0xe8>(twos_19, twos_20, twos_18);
    const u32 fours_8 = fours_7 ^ fours_6;
    const u32 ones_13 = lop3<0x96>(ones_5, ones_12, halo_below_0);
    const u32 choice_0 = lop3<0xc4>(own_2, fours_8, ones_13);
    const u32 choice_1 = ones_13 & ~fours_8;
    const u32 twos_21 = twos_19 ^ twos_20;
    const u32 twos_22 = twos_21 ^ twos_18;
    const u32 choice_2 = lop3<0xe2>(choice_1, twos_22, choice_0);
    const u32 ones_14 = ones_9 ^ choice_2;
    const u32 twos_23 = lop3<0xe8>(halo_front_1, halo_front_2, halo_front_0);
    const u32 twos_24 = lop3<0xe8>(halo_above_2, own_2, halo_left_1);
    const u32 ones_15 = lop3<0x96>(halo_above_2, own_2, halo_left_1);
    const u32 twos_25 = lop3<0xe8>(own_1, own_0, ones_15);
    const u32 fours_9 = lop3<0xe8>(twos_25, twos_24, twos_23);
    const u32 twos_26 = twos_25 ^ twos_24;
    const u32 twos_27 = twos_26 ^ twos_23;
    const u32 ones_16 = lop3<0x96>(own_1, own_0, ones_15);
    const u32 twos_28 = lop3<0xe8>(ones_16, halo_front_above_2, halo_front_left_1);
    const u32 ones_17 = lop3<0x96>(ones_16, halo_front_above_2, halo_front_left_1);
    const u32 ones_18 = halo_front_1 ^ halo_front_2;
    const u32 twos_29 = lop3<0x60>(ones_17, ones_18, halo_front_0);
    const u32 fours_10 = lop3<0xe8>(twos_29, twos_28, twos_27);
    const u32 fours_11 = fours_10 ^ fours_9;
    const u32 ones_19 = lop3<0x96>(ones_17, ones_18, halo_front_0);
    const u32 existing_8 = lop3<0xb0>(fours_11, ones_19, halo_front_3);
    const u32 existing_9 = ones_19 & ~fours_11;
    const u32 twos_30 = twos_29 ^ twos_28;
    const u32 twos_31 = lop3<0x96>(twos_26, twos_30, twos_23);
    const u32 existing_10 = lop3<0xe2>(existing_9, twos_31, existing_8);
    const u32 front_exists = presence(world, front, word);
    const u32 existing_11 = existing_10 & front_exists;
    const u32 ones_20 = lop3<0x96>(halo_back_1, halo_back_2, halo_back_left_1);
    const u32 twos_32 = lop3<0xe8>(ones_20, halo_back_above_2, halo_back_0);
    const u32 fours_12 = lop3<0xe8>(twos_25, twos_24, twos_32);
    const u32 twos_33 = twos_26 ^ twos_32;
    const u32 ones_21 = halo_back_1 ^ halo_back_2;
    const u32 ones_22 = lop3<0x96>(ones_21, halo_back_left_1, halo_back_above_2);
    const u32 twos_34 = lop3<0x60>(ones_16, ones_22, halo_back_0);
    const u32 twos_35 = lop3<0xe8>(halo_back_1, halo_back_2, halo_back_left_1);
    const u32 fours_13 = lop3<0xe8>(twos_34, twos_35, twos_33);
    const u32 fours_14 = fours_13 ^ fours_12;
    const u32 ones_23 = lop3<0x96>(ones_16, ones_22, halo_back_0);
    const u32 choice_3 = lop3<0xb0>(fours_14, ones_23, own_3);
    const u32 choice_4 = ones_23 & ~fours_14;
    const u32 twos_36 = twos_34 ^ twos_35;
    const u32 twos_37 = twos_36 ^ twos_33;
    const u32 choice_5 = lop3<0xe2>(choice_4, twos_37, choice_3);
    const u32 ones_24 = choice_5 ^ existing_11;
    const u32 ones_25 = lop3<0x96>(halo_right_2, halo_right_3, halo_above_right_2);
    const u32 twos_38 = lop3<0xe8>(ones_25, halo_front_right_3, halo_right_0);
    const u32 fours_15 = lop3<0xe8>(twos_2, twos_1, twos_38);
    const u32 twos_39 = twos_3 ^ twos_38;
    const u32 ones_26 = halo_right_2 ^ halo_right_3;
    const u32 ones_27 = lop3<0x96>(ones_26, halo_above_right_2, halo_front_right_3);
    const u32 twos_40 = lop3<0x60>(ones_1, ones_27, halo_right_0);
    const u32 twos_41 = lop3<0xe8>(halo_right_2, halo_right_3, halo_above_right_2);
    const u32 fours_16 = lop3<0xe8>(twos_40, twos_41, twos_39);
    const u32 fours_17 = fours_16 ^ fours_15;
    const u32 ones_28 = lop3<0x96>(ones_1, ones_27, halo_right_0);
    const u32 choice_6 = lop3<0xc4>(own_1, fours_17, ones_28);
    const u32 choice_7 = ones_28 & ~fours_17;
    const u32 twos_42 = twos_40 ^ twos_41;
    const u32 twos_43 = twos_42 ^ twos_39;
    const u32 choice_8 = lop3<0xe2>(choice_7, twos_43, choice_6);
    const u32 ones_29 = ones_24 ^ choice_8;
    const u32 twos_44 = ones_29 & ones_14;
    const u32 twos_45 = lop3<0xe8>(existing_7, existing_3, choice_2);
    const u32 twos_46 = lop3<0xe8>(choice_5, existing_11, choice_8);
    const u32 fours_18 = lop3<0xe8>(twos_46, twos_45, twos_44);
    const u32 ones_30 = ones_29 ^ ones_14;
    const u32 ones_31 = own_3 ^ halo_front_3;
    const u32 twos_47 = lop3<0x48>(own_1, ones_15, ones_31);
    const u32 twos_48 = lop3<0xe8>(own_1, own_3, halo_front_3);
    const u32 twos_49 = lop3<0x96>(twos_24, twos_48, twos_47);
    const u32 fours_19 = lop3<0xe8>(twos_24, twos_48, twos_47);
    const u32 ones_32 = lop3<0x96>(own_1, ones_15, ones_31);
    const u32 choice_9 = lop3<0xc4>(own_0, fours_19, ones_32);
    const u32 choice_10 = lop3<0xe4>(ones_32, choice_9, twos_49);
    const u32 choice_11 = lop3<0xb0>(fours_18, ones_30, choice_10);
    const u32 twos_50 = twos_46 ^ twos_45;
    const u32 twos_51 = twos_50 ^ twos_44;
    const u32 choice_12 = lop3<0xe4>(ones_30, choice_11, twos_51);
    out_alive[0 * WORDS] = choice_12;
    const u32 twos_52 = lop3<0xe8>(halo_front_1, halo_front_right_2, halo_front_right_1);
    const u32 twos_53 = lop3<0xe8>(own_1, halo_right_0, halo_right_1);
    const u32 ones_33 = lop3<0x96>(own_1, halo_right_0, halo_right_1);
    const u32 twos_54 = lop3<0xe8>(halo_right_2, halo_above_right_2, ones_33);
    const u32 fours_20 = lop3<0xe8>(twos_54, twos_53, twos_52);
    const u32 twos_55 = twos_54 ^ twos_53;
    const u32 twos_56 = twos_55 ^ twos_52;
    const u32 ones_34 = lop3<0x96>(halo_right_2, halo_above_right_2, ones_33);
    const u32 twos_57 = lop3<0xe8>(ones_34, halo_front_above_right_2, halo_front_right_0);
    const u32 ones_35 = lop3<0x96>(ones_34, halo_front_above_right_2, halo_front_right_0);
    const u32 ones_36 = halo_front_1 ^ halo_front_right_2;
    const u32 twos_58 = lop3<0x60>(ones_35, ones_36, halo_front_right_1);
    const u32 fours_21 = lop3<0xe8>(twos_58, twos_57, twos_56);
    const u32 fours_22 = fours_21 ^ fours_20;
    const u32 ones_37 = lop3<0x96>(ones_35, ones_36, halo_front_right_1);
    const u32 existing_12 = lop3<0xc4>(halo_front_right_3, fours_22, ones_37);
    const u32 existing_13 = ones_37 & ~fours_22;
    const u32 twos_59 = twos_58 ^ twos_57;
    const u32 twos_60 = lop3<0x96>(twos_55, twos_59, twos_52);
    const u32 existing_14 = lop3<0xe2>(existing_13, twos_60, existing_12);
    const u32 front_right_exists = presence(world, front_right, word);
    const u32 existing_15 = existing_14 & front_right_exists;
    const u32 ones_38 = lop3<0x96>(halo_right_3, halo_front_right_3, ones_33);
    const u32 twos_61 = lop3<0xe8>(halo_below_1, ones_38, halo_below_right_1);
    const u32 twos_62 = lop3<0xe8>(halo_right_3, halo_front_right_3, ones_33);
    const u32 fours_23 = lop3<0xe8>(twos_53, twos_62, twos_61);
    const u32 twos_63 = twos_53 ^ twos_62;
    const u32 twos_64 = twos_63 ^ twos_61;
    const u32 ones_39 = lop3<0x96>(halo_below_right_0, halo_below_right_3, halo_front_below_right_3);
    const u32 ones_40 = lop3<0x96>(halo_below_1, ones_38, halo_below_right_1);
    const u32 twos_65 = ones_40 & ones_39;
    const u32 twos_66 = lop3<0xe8>(halo_below_right_0, halo_below_right_3, halo_front_below_right_3);
    const u32 fours_24 = lop3<0xe8>(twos_65, twos_66, twos_64);
    const u32 fours_25 = fours_24 ^ fours_23;
    const u32 ones_41 = ones_40 ^ ones_39;
    const u32 existing_16 = lop3<0xc4>(halo_right_2, fours_25, ones_41);
    const u32 existing_17 = lop3<0x14>(ones_40, ones_39, fours_25);
    const u32 twos_67 = lop3<0x6a>(ones_40, ones_39, twos_66);
    const u32 twos_68 = twos_67 ^ twos_64;
    const u32 existing_18 = lop3<0xe2>(existing_17, twos_68, existing_16);
    const u32 right_exists = presence(world, right, word);
    const u32 existing_19 = right_exists & existing_18;
    const u32 twos_69 = lop3<0xe8>(halo_above_1, halo_above_right_3, halo_above_right_1);
    const u32 fours_26 = lop3<0xe8>(twos_53, twos_62, twos_69);
    const u32 twos_70 = twos_63 ^ twos_69;
    const u32 twos_71 = lop3<0xe8>(ones_38, halo_front_above_right_3, halo_above_right_0);
    const u32 ones_42 = lop3<0x96>(ones_38, halo_front_above_right_3, halo_above_right_0);
    const u32 ones_43 = halo_above_1 ^ halo_above_right_3;
    const u32 twos_72 = lop3<0x60>(ones_42, ones_43, halo_above_right_1);
    const u32 fours_27 = lop3<0xe8>(twos_72, twos_71, twos_70);
    const u32 fours_28 = fours_27 ^ fours_26;
    const u32 ones_44 = lop3<0x96>(ones_42, ones_43, halo_above_right_1);
    const u32 existing_20 = lop3<0xc4>(halo_above_right_2, fours_28, ones_44);
    const u32 existing_21 = ones_44 & ~fours_28;
    const u32 twos_73 = twos_72 ^ twos_71;
    const u32 twos_74 = lop3<0x96>(twos_73, twos_63, twos_69);
    const u32 existing_22 = lop3<0xe2>(existing_21, twos_74, existing_20);
    const u32 above_right_exists = presence(world, above_right, word);
    const u32 existing_23 = existing_22 & above_right_exists;
    const u32 twos_75 = lop3<0xe8>(existing_23, existing_19, existing_15);
    const u32 twos_76 = lop3<0xe8>(choice_5, existing_11, existing_7);
    const u32 twos_77 = lop3<0xe8>(halo_back_1, ones_34, halo_back_right_1);
    const u32 fours_29 = lop3<0xe8>(twos_54, twos_53, twos_77);
    const u32 twos_78 = twos_55 ^ twos_77;
    const u32 ones_45 = lop3<0x96>(halo_back_right_0, halo_back_right_2, halo_back_above_right_2);
    const u32 ones_46 = lop3<0x96>(halo_back_1, ones_34, halo_back_right_1);
    const u32 twos_79 = ones_46 & ones_45;
    const u32 twos_80 = lop3<0xe8>(halo_back_right_0, halo_back_right_2, halo_back_above_right_2);
    const u32 fours_30 = lop3<0xe8>(twos_79, twos_80, twos_78);
    const u32 fours_31 = fours_30 ^ fours_29;
    const u32 ones_47 = ones_46 ^ ones_45;
    const u32 existing_24 = lop3<0xc4>(halo_right_3, fours_31, ones_47);
    const u32 existing_25 = lop3<0x14>(ones_46, ones_45, fours_31);
    const u32 twos_81 = lop3<0x6a>(ones_46, ones_45, twos_80);
    const u32 twos_82 = twos_81 ^ twos_78;
    const u32 existing_26 = lop3<0xe2>(existing_25, twos_82, existing_24);
    const u32 existing_27 = right_exists & existing_26;
    const u32 twos_83 = lop3<0xe8>(choice_2, choice_10, existing_27);
    const u32 twos_84 = twos_76 ^ twos_83;
    const u32 twos_85 = twos_84 ^ twos_75;
    const u32 ones_48 = choice_2 ^ choice_10;
    const u32 ones_49 = ones_48 ^ existing_27;
    const u32 ones_50 = existing_11 ^ existing_7;
    const u32 ones_51 = choice_5 ^ ones_50;
    const u32 twos_86 = lop3<0x60>(own_1, ones_27, halo_right_1);
    const u32 twos_87 = lop3<0xe8>(ones_25, halo_front_right_3, halo_right_1);
    const u32 fours_32 = lop3<0xe8>(twos_41, twos_87, twos_86);
    const u32 ones_52 = lop3<0x96>(own_1, ones_27, halo_right_1);
    const u32 existing_28 = lop3<0xc4>(halo_right_0, fours_32, ones_52);
    const u32 twos_88 = twos_41 ^ twos_87;
    const u32 ones_53 = ones_27 ^ halo_right_1;
    const u32 twos_89 = lop3<0x6c>(own_1, twos_88, ones_53);
    const u32 existing_29 = lop3<0xe4>(ones_52, existing_28, twos_89);
    const u32 existing_30 = existing_29 & right_exists;
    const u32 twos_90 = lop3<0xe8>(ones_51, existing_30, ones_49);
    const u32 ones_54 = ones_51 ^ existing_30;
    const u32 ones_55 = ones_54 ^ ones_49;
    const u32 ones_56 = existing_23 ^ existing_19;
    const u32 ones_57 = ones_56 ^ existing_15;
    const u32 twos_91 = ones_55 & ones_57;
    const u32 fours_33 = lop3<0xe8>(twos_91, twos_90, twos_85);
    const u32 fours_34 = lop3<0xe8>(twos_76, twos_83, twos_75);
    const u32 fours_35 = fours_33 ^ fours_34;
    const u32 ones_58 = ones_55 ^ ones_57;
    const u32 choice_13 = lop3<0xc4>(choice_8, fours_35, ones_58);
    const u32 twos_92 = twos_91 ^ twos_90;
    const u32 twos_93 = twos_92 ^ twos_85;
    const u32 choice_14 = ones_58 & ~fours_35;
    const u32 choice_15 = lop3<0xe2>(choice_14, twos_93, choice_13);
    out_alive[1 * WORDS] = choice_15;
    const u32 twos_94 = lop3<0xe8>(halo_front_2, halo_front_below_2, halo_front_below_1);
    const u32 twos_95 = lop3<0xe8>(own_2, halo_below_0, halo_below_2);
    const u32 ones_59 = lop3<0x96>(own_2, halo_below_0, halo_below_2);
    const u32 twos_96 = lop3<0xe8>(halo_below_1, halo_below_left_1, ones_59);
    const u32 fours_36 = lop3<0xe8>(twos_96, twos_95, twos_94);
    const u32 twos_97 = twos_96 ^ twos_95;
    const u32 twos_98 = twos_97 ^ twos_94;
    const u32 ones_60 = lop3<0x96>(halo_below_1, halo_below_left_1, ones_59);
    const u32 twos_99 = lop3<0xe8>(ones_60, halo_front_below_left_1, halo_front_below_0);
    const u32 ones_61 = lop3<0x96>(ones_60, halo_front_below_left_1, halo_front_below_0);
    const u32 ones_62 = halo_front_2 ^ halo_front_below_2;
    const u32 twos_100 = lop3<0x60>(ones_61, ones_62, halo_front_below_1);
    const u32 fours_37 = lop3<0xe8>(twos_100, twos_99, twos_98);
    const u32 fours_38 = fours_37 ^ fours_36;
    const u32 ones_63 = lop3<0x96>(ones_61, ones_62, halo_front_below_1);
    const u32 existing_31 = lop3<0xc4>(halo_front_below_3, fours_38, ones_63);
    const u32 existing_32 = ones_63 & ~fours_38;
    const u32 twos_101 = twos_100 ^ twos_99;
    const u32 twos_102 = lop3<0x96>(twos_97, twos_101, twos_94);
    const u32 existing_33 = lop3<0xe2>(existing_32, twos_102, existing_31);
    const u32 front_below_exists = presence(world, front_below, word);
    const u32 existing_34 = existing_33 & front_below_exists;
    const u32 ones_64 = lop3<0x96>(halo_below_3, halo_front_below_3, ones_59);
    const u32 twos_103 = lop3<0xe8>(halo_right_2, ones_64, halo_below_right_2);
    const u32 twos_104 = lop3<0xe8>(halo_below_3, halo_front_below_3, ones_59);
    const u32 fours_39 = lop3<0xe8>(twos_95, twos_104, twos_103);
    const u32 twos_105 = twos_95 ^ twos_104;
    const u32 twos_106 = twos_105 ^ twos_103;
    const u32 ones_65 = lop3<0x96>(halo_right_2, ones_64, halo_below_right_2);
    const u32 twos_107 = ones_39 & ones_65;
    const u32 fours_40 = lop3<0xe8>(twos_66, twos_107, twos_106);
    const u32 fours_41 = fours_40 ^ fours_39;
    const u32 ones_66 = ones_39 ^ ones_65;
    const u32 existing_35 = lop3<0xc4>(halo_below_1, fours_41, ones_66);
    const u32 existing_36 = lop3<0x14>(ones_39, ones_65, fours_41);
    const u32 twos_108 = lop3<0x6c>(ones_39, twos_66, ones_65);
    const u32 twos_109 = twos_108 ^ twos_106;
    const u32 existing_37 = lop3<0xe2>(existing_36, twos_109, existing_35);
    const u32 below_exists = presence(world, below, word);
    const u32 existing_38 = below_exists & existing_37;
    const u32 twos_110 = lop3<0xe8>(halo_left_2, halo_below_left_3, halo_below_left_2);
    const u32 fours_42 = lop3<0xe8>(twos_95, twos_104, twos_110);
    const u32 twos_111 = twos_105 ^ twos_110;
    const u32 twos_112 = lop3<0xe8>(ones_64, halo_front_below_left_3, halo_below_left_0);
    const u32 ones_67 = lop3<0x96>(ones_64, halo_front_below_left_3, halo_below_left_0);
    const u32 ones_68 = halo_left_2 ^ halo_below_left_3;
    const u32 twos_113 = lop3<0x60>(ones_67, ones_68, halo_below_left_2);
    const u32 fours_43 = lop3<0xe8>(twos_113, twos_112, twos_111);
    const u32 fours_44 = fours_43 ^ fours_42;
    const u32 ones_69 = lop3<0x96>(ones_67, ones_68, halo_below_left_2);
    const u32 existing_39 = lop3<0xc4>(halo_below_left_1, fours_44, ones_69);
    const u32 existing_40 = ones_69 & ~fours_44;
    const u32 twos_114 = twos_113 ^ twos_112;
    const u32 twos_115 = lop3<0x96>(twos_114, twos_105, twos_110);
    const u32 existing_41 = lop3<0xe2>(existing_40, twos_115, existing_39);
    const u32 below_left_exists = presence(world, below_left, word);
    const u32 existing_42 = existing_41 & below_left_exists;
    const u32 twos_116 = lop3<0xe8>(existing_42, existing_38, existing_34);
    const u32 twos_117 = lop3<0xe8>(halo_back_2, ones_60, halo_back_below_2);
    const u32 fours_45 = lop3<0xe8>(twos_96, twos_95, twos_117);
    const u32 twos_118 = twos_97 ^ twos_117;
    const u32 ones_70 = lop3<0x96>(halo_back_below_0, halo_back_below_1, halo_back_below_left_1);
    const u32 ones_71 = lop3<0x96>(halo_back_2, ones_60, halo_back_below_2);
    const u32 twos_119 = ones_71 & ones_70;
    const u32 twos_120 = lop3<0xe8>(halo_back_below_0, halo_back_below_1, halo_back_below_left_1);
    const u32 fours_46 = lop3<0xe8>(twos_119, twos_120, twos_118);
    const u32 fours_47 = fours_46 ^ fours_45;
    const u32 ones_72 = ones_71 ^ ones_70;
    const u32 existing_43 = lop3<0xc4>(halo_below_3, fours_47, ones_72);
    const u32 existing_44 = lop3<0x14>(ones_71, ones_70, fours_47);
    const u32 twos_121 = lop3<0x6a>(ones_71, ones_70, twos_120);
    const u32 twos_122 = twos_121 ^ twos_118;
    const u32 existing_45 = lop3<0xe2>(existing_44, twos_122, existing_43);
    const u32 existing_46 = below_exists & existing_45;
    const u32 twos_123 = lop3<0xe8>(existing_3, choice_10, existing_46);
    const u32 twos_124 = twos_46 ^ twos_123;
    const u32 twos_125 = twos_124 ^ twos_116;
    const u32 ones_73 = existing_3 ^ choice_10;
    const u32 ones_74 = ones_73 ^ existing_46;
    const u32 twos_126 = lop3<0x28>(own_2, ones_12, halo_below_2);
    const u32 twos_127 = lop3<0xe8>(own_2, ones_10, halo_front_below_3);
    const u32 twos_128 = lop3<0x96>(twos_20, twos_127, twos_126);
    const u32 fours_48 = lop3<0xe8>(twos_20, twos_127, twos_126);
    const u32 ones_75 = lop3<0x96>(own_2, ones_12, halo_below_2);
    const u32 existing_47 = lop3<0xc4>(halo_below_0, fours_48, ones_75);
    const u32 existing_48 = lop3<0xe4>(ones_75, existing_47, twos_128);
    const u32 existing_49 = existing_48 & below_exists;
    const u32 twos_129 = lop3<0xe8>(ones_29, existing_49, ones_74);
    const u32 ones_76 = ones_29 ^ existing_49;
    const u32 ones_77 = ones_76 ^ ones_74;
    const u32 ones_78 = existing_42 ^ existing_38;
    const u32 ones_79 = ones_78 ^ existing_34;
    const u32 twos_130 = ones_77 & ones_79;
    const u32 fours_49 = lop3<0xe8>(twos_130, twos_129, twos_125);
    const u32 fours_50 = lop3<0xe8>(twos_46, twos_123, twos_116);
    const u32 fours_51 = fours_49 ^ fours_50;
    const u32 ones_80 = ones_77 ^ ones_79;
    const u32 choice_16 = lop3<0xc4>(choice_2, fours_51, ones_80);
    const u32 twos_131 = twos_130 ^ twos_129;
    const u32 twos_132 = twos_131 ^ twos_125;
    const u32 choice_17 = ones_80 & ~fours_51;
    const u32 choice_18 = lop3<0xe2>(choice_17, twos_132, choice_16);
    out_alive[2 * WORDS] = choice_18;
    const u32 twos_133 = lop3<0xe8>(halo_above_3, halo_back_above_3, halo_back_above_1);
    const u32 twos_134 = lop3<0xe8>(halo_back_0, own_3, halo_back_3);
    const u32 ones_81 = lop3<0x96>(halo_back_0, own_3, halo_back_3);
    const u32 twos_135 = lop3<0xe8>(halo_back_1, halo_back_left_1, ones_81);
    const u32 fours_52 = lop3<0xe8>(twos_135, twos_134, twos_133);
    const u32 twos_136 = twos_135 ^ twos_134;
    const u32 twos_137 = twos_136 ^ twos_133;
    const u32 ones_82 = lop3<0x96>(halo_back_1, halo_back_left_1, ones_81);
    const u32 twos_138 = lop3<0xe8>(ones_82, halo_back_above_left_1, halo_back_above_0);
    const u32 ones_83 = lop3<0x96>(ones_82, halo_back_above_left_1, halo_back_above_0);
    const u32 ones_84 = halo_above_3 ^ halo_back_above_3;
    const u32 twos_139 = lop3<0x60>(ones_83, ones_84, halo_back_above_1);
    const u32 fours_53 = lop3<0xe8>(twos_139, twos_138, twos_137);
    const u32 fours_54 = fours_53 ^ fours_52;
    const u32 ones_85 = lop3<0x96>(ones_83, ones_84, halo_back_above_1);
    const u32 existing_50 = lop3<0xc4>(halo_back_above_2, fours_54, ones_85);
    const u32 existing_51 = ones_85 & ~fours_54;
    const u32 twos_140 = twos_139 ^ twos_138;
    const u32 twos_141 = lop3<0x96>(twos_136, twos_140, twos_133);
    const u32 existing_52 = lop3<0xe2>(existing_51, twos_141, existing_50);
    const u32 back_above_exists = presence(world, back_above, word);
    const u32 existing_53 = existing_52 & back_above_exists;
    const u32 ones_86 = lop3<0x96>(halo_back_2, halo_back_above_2, ones_81);
    const u32 twos_142 = lop3<0xe8>(halo_right_3, ones_86, halo_back_right_3);
    const u32 twos_143 = lop3<0xe8>(halo_back_2, halo_back_above_2, ones_81);
    const u32 fours_55 = lop3<0xe8>(twos_134, twos_143, twos_142);
    const u32 twos_144 = twos_134 ^ twos_143;
    const u32 twos_145 = twos_144 ^ twos_142;
    const u32 ones_87 = lop3<0x96>(halo_right_3, ones_86, halo_back_right_3);
    const u32 twos_146 = ones_45 & ones_87;
    const u32 fours_56 = lop3<0xe8>(twos_80, twos_146, twos_145);
    const u32 fours_57 = fours_56 ^ fours_55;
    const u32 ones_88 = ones_45 ^ ones_87;
    const u32 existing_54 = lop3<0xc4>(halo_back_1, fours_57, ones_88);
    const u32 existing_55 = lop3<0x14>(ones_45, ones_87, fours_57);
    const u32 twos_147 = lop3<0x6c>(ones_45, twos_80, ones_87);
    const u32 twos_148 = twos_147 ^ twos_145;
    const u32 existing_56 = lop3<0xe2>(existing_55, twos_148, existing_54);
    const u32 back_exists = presence(world, back, word);
    const u32 existing_57 = back_exists & existing_56;
    const u32 twos_149 = lop3<0xe8>(halo_left_3, halo_back_left_3, halo_back_left_2);
    const u32 fours_58 = lop3<0xe8>(twos_134, twos_143, twos_149);
    const u32 twos_150 = twos_144 ^ twos_149;
    const u32 twos_151 = lop3<0xe8>(ones_86, halo_back_above_left_2, halo_back_left_0);
    const u32 ones_89 = lop3<0x96>(ones_86, halo_back_above_left_2, halo_back_left_0);
    const u32 ones_90 = halo_left_3 ^ halo_back_left_3;
    const u32 twos_152 = lop3<0x60>(ones_89, ones_90, halo_back_left_2);
    const u32 fours_59 = lop3<0xe8>(twos_152, twos_151, twos_150);
    const u32 fours_60 = fours_59 ^ fours_58;
    const u32 ones_91 = lop3<0x96>(ones_89, ones_90, halo_back_left_2);
    const u32 existing_58 = lop3<0xc4>(halo_back_left_1, fours_60, ones_91);
    const u32 existing_59 = ones_91 & ~fours_60;
    const u32 twos_153 = twos_152 ^ twos_151;
    const u32 twos_154 = lop3<0x96>(twos_153, twos_144, twos_149);
    const u32 existing_60 = lop3<0xe2>(existing_59, twos_154, existing_58);
    const u32 back_left_exists = presence(world, back_left, word);
    const u32 existing_61 = existing_60 & back_left_exists;
    const u32 twos_155 = lop3<0xe8>(existing_61, existing_57, existing_53);
    const u32 twos_156 = lop3<0xe8>(halo_below_3, ones_82, halo_back_below_3);
    const u32 fours_61 = lop3<0xe8>(twos_135, twos_134, twos_156);
    const u32 twos_157 = twos_136 ^ twos_156;
    const u32 ones_92 = lop3<0x96>(halo_below_3, ones_82, halo_back_below_3);
    const u32 twos_158 = ones_70 & ones_92;
    const u32 fours_62 = lop3<0xe8>(twos_120, twos_158, twos_157);
    const u32 fours_63 = fours_62 ^ fours_61;
    const u32 ones_93 = ones_70 ^ ones_92;
    const u32 existing_62 = lop3<0xc4>(halo_back_2, fours_63, ones_93);
    const u32 existing_63 = lop3<0x14>(ones_70, ones_92, fours_63);
    const u32 twos_159 = lop3<0x6c>(ones_70, twos_120, ones_92);
    const u32 twos_160 = twos_159 ^ twos_157;
    const u32 existing_64 = lop3<0xe2>(existing_63, twos_160, existing_62);
    const u32 existing_65 = back_exists & existing_64;
    const u32 twos_161 = lop3<0xe8>(choice_8, choice_10, existing_65);
    const u32 twos_162 = twos_45 ^ twos_161;
    const u32 twos_163 = twos_162 ^ twos_155;
    const u32 ones_94 = choice_8 ^ choice_10;
    const u32 ones_95 = ones_94 ^ existing_65;
    const u32 twos_164 = lop3<0x48>(ones_22, own_3, halo_back_3);
    const u32 twos_165 = lop3<0xe8>(ones_20, halo_back_above_2, halo_back_3);
    const u32 twos_166 = lop3<0x96>(twos_35, twos_165, twos_164);
    const u32 fours_64 = lop3<0xe8>(twos_35, twos_165, twos_164);
    const u32 ones_96 = lop3<0x96>(ones_22, own_3, halo_back_3);
    const u32 existing_66 = lop3<0xc4>(halo_back_0, fours_64, ones_96);
    const u32 existing_67 = lop3<0xe4>(ones_96, existing_66, twos_166);
    const u32 existing_68 = existing_67 & back_exists;
    const u32 twos_167 = lop3<0xe8>(ones_14, existing_68, ones_95);
    const u32 ones_97 = ones_14 ^ existing_68;
    const u32 ones_98 = ones_97 ^ ones_95;
    const u32 ones_99 = existing_61 ^ existing_57;
    const u32 ones_100 = ones_99 ^ existing_53;
    const u32 twos_168 = ones_98 & ones_100;
    const u32 fours_65 = lop3<0xe8>(twos_168, twos_167, twos_163);
    const u32 fours_66 = lop3<0xe8>(twos_45, twos_161, twos_155);
    const u32 fours_67 = fours_65 ^ fours_66;
    const u32 ones_101 = ones_98 ^ ones_100;
    const u32 choice_19 = lop3<0xc4>(choice_5, fours_67, ones_101);
    const u32 twos_169 = twos_168 ^ twos_167;
    const u32 twos_170 = twos_169 ^ twos_163;
    const u32 choice_20 = ones_101 & ~fours_67;
    const u32 choice_21 = lop3<0xe2>(choice_20, twos_170, choice_19);
    out_alive[3 * WORDS] = choice_21;
}
