// Where reductions over all cells are added up: in so many places, which are added up elsewhere, so that blocks do not wait for each other.
{{ totals }}

// What the threads of a warp have goes into a total.
template <class Kind> __device__ __forceinline__ void add_up(i64 *total, i64 value) {
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        value = Kind::both(value, __shfl_xor_sync(0xffffffff, value, step));
    }
    if (threadIdx.x % 32 == 0) {
        Kind::add_to(total, value);
    }
}
