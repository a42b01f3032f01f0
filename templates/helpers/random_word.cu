// The random word of the cell with this reversed number: a bit of each of the draw's 32 planes.
__device__ __forceinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    const u32 number = (u32)(cell / 32 % 4), bit = (u32)(cell % 32);
    u32 word = 0;
#pragma unroll 1
    for (u32 plane = 0; plane < 32; ++plane) {
        const u32 cells = word_of_plane(random_plane(seed, cell / 128, time, 32 * draw + plane), number);
        word = word << 1 | (cells >> bit & 1);
    }
    return word;
}
