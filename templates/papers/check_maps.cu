
// Computes maps and nothing else: block i of threads takes the GROUP blocks from number `firsts[i]` on.
extern "C" __global__ void __launch_bounds__(THREADS) check_maps(const u64 *firsts, u64 *points{% if nu %}, u64 *numbers{% endif %}) {
    __shared__ Point corners[GROUP];
    const index first = (index)firsts[blockIdx.x];
    const u64 group = (u64)blockIdx.x * GROUP;
    locate_corners(first, corners);
    __syncthreads();
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
{%- for axis in axis_names %}
        points[3 * (group + block) + {{ loop.index0 }}] = corners[block].{{ axis }};
{%- endfor %}
    }
{%- if nu %}
    __shared__ index around[GROUP * AROUND];
    locate_around(first, corners, around);
    __syncthreads();
    for (u32 i = threadIdx.x; i < GROUP * AROUND; i += THREADS) {
        numbers[group * AROUND + i] = around[i] == NONE ? HOLE : around[i];
    }
{%- endif %}
}
