// Four words of a column, and their random planes.

//// Quad
// Four words of a column: 128 lanes.
constexpr u32 QUADS = WORDS / 4;
struct alignas(16) Quad {
    u32 words[4];

    __device__ __forceinline__ Quad() {}
    // The same word four times.
    __device__ __forceinline__ Quad(u32 word) : words{word, word, word, word} {}
    __device__ __forceinline__ Quad(u32 a, u32 b, u32 c, u32 d) : words{a, b, c, d} {}
};

__device__ __forceinline__ Quad quad_at(const u32 *words) {
    return Quad(words[0], words[1], words[2], words[3]);
}

__device__ __forceinline__ Quad operator&(const Quad &a, const Quad &b) {
    return Quad(a.words[0] & b.words[0], a.words[1] & b.words[1], a.words[2] & b.words[2], a.words[3] & b.words[3]);
}

__device__ __forceinline__ Quad operator|(const Quad &a, const Quad &b) {
    return Quad(a.words[0] | b.words[0], a.words[1] | b.words[1], a.words[2] | b.words[2], a.words[3] | b.words[3]);
}

__device__ __forceinline__ Quad operator^(const Quad &a, const Quad &b) {
    return Quad(a.words[0] ^ b.words[0], a.words[1] ^ b.words[1], a.words[2] ^ b.words[2], a.words[3] ^ b.words[3]);
}

__device__ __forceinline__ Quad operator~(const Quad &a) {
    return Quad(~a.words[0], ~a.words[1], ~a.words[2], ~a.words[3]);
}

template <int TABLE>
__device__ __forceinline__ Quad lop3(const Quad &a, const Quad &b, const Quad &c) {
    return Quad(lop3<TABLE>(a.words[0], b.words[0], c.words[0]), lop3<TABLE>(a.words[1], b.words[1], c.words[1]),
                lop3<TABLE>(a.words[2], b.words[2], c.words[2]), lop3<TABLE>(a.words[3], b.words[3], c.words[3]));
}

// Whether any bit is set.
__device__ __forceinline__ bool any(const Quad &a) {
    return (a.words[0] | a.words[1] | a.words[2] | a.words[3]) != 0;
}

//// QuadPresence
// The lanes of four words in which a neighbour exists.
__device__ __forceinline__ Quad presence(const World &world, Neighbour there, u32 quad) {
    if (there.superblock == world.absent) {
        return Quad(0);
    }
    return there.wrap == STAY ? Quad(0xffffffff) : quad_at(world.presence + there.wrap * WORDS + 4 * quad);
}

//// RandomQuad
// The block of random planes whose cells are the 128 of a thread.
__device__ __forceinline__ u64 block_of_quad(u64 first) {
    return first / 128;
}

// Goes on to the planes behind those of a word, and says to which 32.
__device__ __forceinline__ u32 further(u64 &block) {
    block += 1ull << 57;
    return (u32)(block >> 57);
}

// A plane of the 128 cells.
__device__ __forceinline__ Quad random_quad(u64 seed, u64 block, u32 time, u32 number) {
    const RandomPlane plane = random_plane(seed, block, time, number);
    return Quad(plane.words[0], plane.words[1], plane.words[2], plane.words[3]);
}

//// RandomQuadOfWarp
// The blocks of random planes in which the cells of a warp lie. These follow each other by reversed number: each thread makes one block, and
// reads the words of its own cells from all of them.
struct WarpBlocks {
    u64 block; // the block that this thread makes
    u32 begin; // where this thread's cells begin, counted from the first block's beginning
    bool more; // whether there is one block more than threads
};

__device__ __forceinline__ WarpBlocks blocks_of_warp(u64 first) {
    constexpr u32 CELLS = 32 / QUADS * LANES;
    const u64 begin = __shfl_sync(0xffffffff, first, 0);
    const u32 before = (u32)(begin % 128);
    return {begin / 128 + threadIdx.x % 32, before + (u32)(first - begin), before + CELLS > 32 * 128};
}

// Goes on to the planes behind those of a word, and says to which 32.
__device__ __forceinline__ u32 further(WarpBlocks &blocks) {
    blocks.block += 1ull << 57;
    return (u32)(blocks.block >> 57);
}

// Where word `number` of a warp's planes is kept: successive blocks lie in successive banks.
__device__ __forceinline__ u32 place_of_word(u32 number) {
    return number % 4 * 34 + number / 4;
}

// A plane of this thread's 128 cells.
__device__ __forceinline__ Quad random_quad(u64 seed, WarpBlocks blocks, u32 time, u32 number) {
    // One row for each warp of a block.
    __shared__ u32 planes[4][4 * 34];
    u32 *mine = planes[threadIdx.x / 32];
    const RandomPlane here = random_plane(seed, blocks.block, time, number);
    // Every thread has read the plane of the round before.
    __syncwarp();
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
        mine[i * 34 + threadIdx.x % 32] = here.words[i];
    }
    if (blocks.more) {
        const RandomPlane last = random_plane(seed, blocks.block + 1, time, number);
        if (threadIdx.x % 32 == 31) {
#pragma unroll
            for (u32 i = 0; i < 4; ++i) {
                mine[i * 34 + 32] = last.words[i];
            }
        }
    }
    __syncwarp();
    u32 words[5];
#pragma unroll
    for (u32 i = 0; i < 5; ++i) {
        words[i] = mine[place_of_word(blocks.begin / 32 + i)];
    }
    const u32 shift = blocks.begin % 32;
    return Quad(__funnelshift_r(words[0], words[1], shift), __funnelshift_r(words[1], words[2], shift),
                __funnelshift_r(words[2], words[3], shift), __funnelshift_r(words[3], words[4], shift));
}
