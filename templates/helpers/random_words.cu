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
