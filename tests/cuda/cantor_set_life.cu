// life on cantor_set at level 5, by Squeeze 0.1.0
//
// T = 0: 1 lanes a column fill 3% of the vector registers they take
// L = 2: 4 micro cells a superblock, about 96 operations; 8 superblocks
// t = 4: 1.19 cells computed for one that is kept; bound by operations, 21069.41 ps a cell and step expected
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

// life: 4 steps of 4 micro cells; a thread takes one word of 32 lanes, a superblock 1 threads.
// 0.00 operations a cell and step (0 on bits, 0 on numbers), 0 + 0 loads, 4 stores, 1 live values
extern "C" __global__ void __launch_bounds__(128) life(
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

    const u32 none = after_pass_before();
    new_alive += none;
    u32 *out_alive = new_alive + (u64)superblock * (MICRO_CELLS * WORDS) + word;

    // the rule
    out_alive[0 * WORDS] = 0u;
    out_alive[1 * WORDS] = 0u;
    out_alive[2 * WORDS] = 0u;
    out_alive[3 * WORDS] = 0u;
}
