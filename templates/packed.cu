// The places of a word of a stored column, in a plane of bits of the cells alone. Behind the last word of a plane there is another one.
__device__ __forceinline__ u32 packed_word(const World &world, const u32 *plane, u32 column, u32 word) {
    const u64 at = (u64)column * WORDS + word;
    const u32 in_row = column % COLUMNS_OF_ROW * WORDS + word, cells = FULL ? own_cells(world, in_row, column) : world.mask[at];
    if (cells == 0) {
        return 0;
    }
    const u64 first = FULL ? (u64)(column / COLUMNS_OF_ROW) * WIDTH + 32ull * in_row : world.cell_indices[at];
    const u32 bits = __funnelshift_r(plane[first / 32], plane[first / 32 + 1], (u32)(first % 32));
    return FULL || cells == 0xffffffff ? bits & cells : Gathering(cells).back(bits);
}

// Stores some bits of a word whose others belong to other threads.
__device__ __forceinline__ void store_part(u32 *word, u32 own, u32 bits) {
    if (own == 0xffffffff) {
        *word = bits;
    } else {
        atomicAnd(word, ~own | bits);
        atomicOr(word, bits);
    }
}

// Keeps the bits of the cells of a word, whose indices follow each other from `first` on.
__device__ __forceinline__ void store_packed(u32 *plane, u64 first, u32 cells, u32 bits) {
    const u32 together = FULL || cells == 0xffffffff ? bits & cells : Gathering(cells).together(bits), count = (u32)__popc(cells);
    const u64 own = ((1ull << count) - 1) << (first % 32), value = (u64)together << (first % 32);
    store_part(plane + first / 32, (u32)own, (u32)value);
    if (own >> 32 != 0) {
        store_part(plane + first / 32 + 1, (u32)(own >> 32), (u32)(value >> 32));
    }
}
