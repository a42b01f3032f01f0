{% for kernel in kernels %}
{% for line in kernel.about -%}
// {{ line }}
{% endfor -%}
extern "C" __global__ void __launch_bounds__(THREADS) {{ kernel.name }}(
{%- for argument in kernel.arguments %}
    {{ argument }},
{%- endfor %}
    const World world
) {
    __shared__ Point corners[GROUP];
{%- if kernel.canonical %}
    __shared__ u64 canonicals[GROUP];
{%- endif %}
{%- if kernel.there %}
    __shared__ bool around[GROUP * AROUND];
    __shared__ bool there[GROUP * TILE_PLACES];
{%- endif %}
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();
{%- if kernel.canonical %}

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();
{%- endif %}
{%- if kernel.there %}

    // Which blocks around exist, and so which places within reach are cells.
    for (u32 i = threadIdx.x; i < GROUP * AROUND; i += THREADS) {
        around[i] = has_block(beside(corners[i / AROUND], i % AROUND));
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < GROUP * TILE_PLACES; i += THREADS) {
        const u32 block = i / TILE_PLACES;
{%- if axes == 3 %}
        const u32 x = i % TILE + (RHO - HALO), y = i / TILE % TILE + (RHO - HALO), z = i % TILE_PLACES / (TILE * TILE) + (RHO - HALO);
        const bool exists = around[block * AROUND + x / RHO + 3 * (y / RHO) + 9 * (z / RHO)];
        there[i] = exists && is_cell(x % RHO + RHO * (y % RHO) + RHO * RHO * (z % RHO));
{%- else %}
        const u32 x = i % TILE + (RHO - HALO), y = i % TILE_PLACES / TILE + (RHO - HALO);
        const bool exists = around[block * AROUND + x / RHO + 3 * (y / RHO)];
        there[i] = exists && is_cell(x % RHO + RHO * (y % RHO));
{%- endif %}
    }
    __syncthreads();
{%- endif %}

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
{%- if axes == 3 %}
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down, z = corners[block].z * RHO + in;
        const u64 own = x + ROW * y + LAYER * z;
{%- else %}
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
{%- endif %}
{%- if kernel.there %}{%- if axes == 3 %}
        const u32 centre = block * TILE_PLACES + (right + HALO) + TILE * (down + HALO) + TILE * TILE * (in + HALO);
{%- else %}
        const u32 centre = block * TILE_PLACES + (right + HALO) + TILE * (down + HALO);
{%- endif %}
{%- endif %}
{%- if kernel.canonical %}
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
{%- endif %}
{%- for line in kernel.body %}
{% if line %}        {{ line }}{% endif %}
{%- endfor %}
    }
}
{% endfor -%}
