// The block of random planes whose cells are the 128 of a thread.
__device__ __forceinline__ u64 block_of_quad(u64 first) {
    return first / 128;
}

// A plane of the 128 cells.
__device__ __forceinline__ Quad random_quad(u64 seed, u64 block, u32 time, u32 number) {
    const RandomPlane plane = random_plane(seed, block, time, number);
    return Quad(plane.words[0], plane.words[1], plane.words[2], plane.words[3]);
}
