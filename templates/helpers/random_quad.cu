// The blocks of random planes that a thread's 128 cells lie in: one, or two if they begin in the midst of one.
struct QuadBlocks {
    u64 block;
    u32 begin;
};

__device__ __forceinline__ QuadBlocks blocks_of_quad(u64 first) {
    return {first / 128, (u32)(first % 128)};
}

// A plane of the 128 cells.
__device__ __forceinline__ Quad random_quad(u64 seed, QuadBlocks blocks, u32 time, u32 number) {
    const RandomPlane here = random_plane(seed, blocks.block, time, number);
    if constexpr (LANES % 128 == 0) {
        return Quad(here.words[0], here.words[1], here.words[2], here.words[3]);
    } else {
        const RandomPlane next = random_plane(seed, blocks.block + 1, time, number);
        const u32 shift = blocks.begin % 32;
        const bool one = blocks.begin / 32 & 1, two = blocks.begin / 64 & 1;
        u32 words[6];
#pragma unroll
        for (u32 i = 0; i < 6; ++i) {
            const u32 later = i < 2 ? here.words[i + 2] : next.words[i - 2];
            words[i] = two ? later : i < 4 ? here.words[i] : next.words[i - 4];
        }
#pragma unroll
        for (u32 i = 0; i < 5; ++i) {
            words[i] = one ? words[i + 1] : words[i];
        }
        return Quad(__funnelshift_r(words[0], words[1], shift), __funnelshift_r(words[1], words[2], shift),
                    __funnelshift_r(words[2], words[3], shift), __funnelshift_r(words[3], words[4], shift));
    }
}
