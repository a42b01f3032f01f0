// Reductions over all cells are added up in several places, so that blocks do not wait for each other; other threads add those up.
{{ totals }}

// Adds the values of a warp's threads to a total.
template <class Kind> __device__ __forceinline__ void add_up(i64 *total, i64 value) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        value = Kind::both(value, __shfl_xor_sync(0xffffffff, value, step));
    }
    if (threadIdx.x % 32 == 0) {
        Kind::add_to(total, value);
    }
}
