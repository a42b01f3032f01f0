
// Where the group's blocks lie: λ, one thread a block.
__device__ __forceinline__ void locate_corners(index first, Point *corners) {
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        corners[block] = lambda(first + block < BLOCKS ? first + block : 0);
    }
}
{%- if nu %}

// The numbers of the blocks around each block: ν, one thread a neighbour.
__device__ __forceinline__ void locate_around(index first, const Point *corners, index *around) {
    for (u32 i = threadIdx.x; i < GROUP * AROUND; i += THREADS) {
        const u32 block = i / AROUND, direction = i % AROUND;
        around[i] = direction == AROUND / 2 ? (first + block < BLOCKS ? first + block : NONE) : nu(beside(corners[block], direction));
    }
}
{%- endif %}
