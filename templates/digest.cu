// The parts of which all digests are made.

typedef unsigned long long u64;

// SplitMix64's output function.
__device__ __forceinline__ u64 mix(u64 v) {
    v += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
    v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    return v ^ v >> 31;
}

// Adds the sum of a value over the threads of a warp to `*sum`.
__device__ __forceinline__ void add_up(u64 *sum, u64 value) {
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sum, value);
    }
}

