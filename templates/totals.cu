typedef long long i64;

// Where sums over all cells are added up: in so many places, which are added up elsewhere, so that blocks do not wait for each other.
struct Totals {
    i64 *values;
    u32 slots;
};

// What the threads of a warp have, added up, or the least or the greatest of it, goes into a total.
__device__ __forceinline__ void add_sum(i64 *total, i64 value) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        value = (i64)((u64)value + (u64)__shfl_xor_sync(0xffffffff, value, step));
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd((u64 *)total, (u64)value);
    }
}

__device__ __forceinline__ void add_least(i64 *total, i64 value) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        const i64 other = __shfl_xor_sync(0xffffffff, value, step);
        value = other < value ? other : value;
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(total, value);
    }
}

__device__ __forceinline__ void add_greatest(i64 *total, i64 value) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        const i64 other = __shfl_xor_sync(0xffffffff, value, step);
        value = value < other ? other : value;
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(total, value);
    }
}
