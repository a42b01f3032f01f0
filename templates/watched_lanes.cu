{{ watch }}

// Lists the superblock and those beside it if some thread found it changed: they are all that look at it. A whole warp asks.
__device__ __forceinline__ void list_beside(const World &world, const Watch &watch, u32 superblock, bool changed) {
    if (!__any_sync(0xffffffff, changed)) {
        return;
    }
    // The first of the warp's threads that found it lists for all of them.
    const u32 same = __match_any_sync(0xffffffff, changed ? superblock : ABSENT);
    if (!changed || (same & ((1u << (threadIdx.x % 32)) - 1)) != 0) {
        return;
    }
    // All of them at once: to wait for one after the other would take longer than the pass.
    u32 tiles[DIRECTIONS + 1], before[DIRECTIONS + 1], fresh = 0;
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        tiles[i] = i < DIRECTIONS ? world.neighbours[(u64)superblock * DIRECTIONS + i] : superblock;
    }
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        const u32 bit = 1u << (tiles[i] % 32);
        before[i] = tiles[i] == TILES || (atomicOr(&watch.next_marks[tiles[i] / 32], bit) & bit) != 0;
    }
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        fresh += 1 - before[i];
    }
    if (fresh == 0) {
        return;
    }
    u32 place = atomicAdd(watch.next_count, fresh);
#pragma unroll
    for (u32 i = 0; i <= DIRECTIONS; ++i) {
        if (before[i] == 0) {
            watch.next_list[place++] = tiles[i];
        }
    }
}
