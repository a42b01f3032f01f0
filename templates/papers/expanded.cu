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
{%- if bounding_box %}
    __shared__ bool present[GROUP];
{%- endif %}
{%- if kernel.canonical %}
    __shared__ u64 canonicals[GROUP];
{%- endif %}
{%- if kernel.there %}
    __shared__ bool around[GROUP * AROUND];
    __shared__ bool there[GROUP * TILE_PLACES];
{%- endif %}
    const index first = (index)blockIdx.x * GROUP;

{%- if bounding_box %}

    // Where the group's blocks lie, and which of them are more than holes.
    bool any_present = false;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        const index number = first + block;
{%- if axes == 3 %}
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE % BLOCK_SIDE, number / (BLOCK_SIDE * BLOCK_SIDE)};
{%- else %}
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE};
{%- endif %}
        present[block] = has_block(corners[block]);
        any_present |= present[block];
    }
    if (!__syncthreads_or(any_present)) {
        return;
    }
{%- else %}

    locate_corners(first, corners);
    __syncthreads();
{%- endif %}
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

{%- if bounding_box %}

    for (u32 i = threadIdx.x; i < GROUP * BLOCK_PLACES; i += THREADS) {
        const u32 block = i / BLOCK_PLACES, place = i % BLOCK_PLACES;
        if (!present[block] || !is_cell(place)) {
            continue;
        }
{%- else %}

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
{%- endif %}
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
        const u64 canonical_index = canonicals[block] + {% if bounding_box %}MICRO_INDEX[place]{% else %}i % MICRO_CELLS{% endif %};
{%- endif %}
{%- for line in kernel.body %}
{% if line %}        {{ line }}{% endif %}
{%- endfor %}
    }
}
{% endfor -%}
