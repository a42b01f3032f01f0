// The blocks of random planes that the cells of a warp lie in, which follow each other by reversed number: each thread makes one, and reads
// the words of its own cells from all of them.
struct WarpBlocks {
    u64 block; // that of this thread
    u32 begin; // of this thread's cells, from the beginning of the first block
    bool more; // there is a block for one thread more
};

__device__ __forceinline__ WarpBlocks blocks_of_warp(u64 first) {
    constexpr u32 CELLS = 32 / QUADS * LANES;
    const u64 begin = __shfl_sync(0xffffffff, first, 0);
    const u32 before = (u32)(begin % 128);
    return {begin / 128 + threadIdx.x % 32, before + (u32)(first - begin), before + CELLS > 32 * 128};
}

// Where word `number` of the planes of a warp is kept: the words of blocks that follow each other lie in banks that do.
__device__ __forceinline__ u32 place_of_word(u32 number) {
    return number % 4 * 34 + number / 4;
}

// A plane of this thread's 128 cells.
__device__ __forceinline__ Quad random_quad(u64 seed, WarpBlocks blocks, u32 time, u32 number) {
    // For each warp of a block.
    __shared__ u32 planes[4][4 * 34];
    u32 *mine = planes[threadIdx.x / 32];
    const RandomPlane here = random_plane(seed, blocks.block, time, number);
    // All have read the plane before.
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
