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
{%- if kernel.near %}
    __shared__ index around[GROUP * AROUND];
{%- if kernel.there %}
    __shared__ bool there[GROUP * TILE_PLACES];
{%- endif %}
{%- for tile in kernel.tiles %}
    __shared__ {{ tile.type }} {{ tile.name }}[GROUP * TILE_PLACES];
{%- endfor %}
{%- endif %}
    const index first = (index)blockIdx.x * GROUP;

{%- if kernel.corners %}

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
{%- if kernel.near %}
    locate_around(first, corners, around);
    __syncthreads();

    // The tiles.
    for (u32 i = threadIdx.x; i < GROUP * TILE_PLACES; i += THREADS) {
        const u32 block = i / TILE_PLACES;
{%- if axes == 3 %}
        const u32 x = i % TILE + (RHO - HALO), y = i / TILE % TILE + (RHO - HALO), z = i % TILE_PLACES / (TILE * TILE) + (RHO - HALO);
        const index number = around[block * AROUND + x / RHO + 3 * (y / RHO) + 9 * (z / RHO)];
        const u32 place = x % RHO + RHO * (y % RHO) + RHO * RHO * (z % RHO);
{%- else %}
        const u32 x = i % TILE + (RHO - HALO), y = i % TILE_PLACES / TILE + (RHO - HALO);
        const index number = around[block * AROUND + x / RHO + 3 * (y / RHO)];
        const u32 place = x % RHO + RHO * (y % RHO);
{%- endif %}
{%- if kernel.there %}
        there[i] = number != NONE && is_cell(place);
{%- endif %}
{%- for tile in kernel.tiles %}
        {{ tile.name }}[i] = number == NONE ? ({{ tile.type }})0 : {{ tile.memory }}[(u64)number * BLOCK_PLACES + place];
{%- endfor %}
    }
    __syncthreads();
{%- endif %}

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
{%- if kernel.near or kernel.point %}
{%- if axes == 3 %}
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
{%- else %}
        const u32 right = place % RHO, down = place / RHO;
{%- endif %}
{%- endif %}
{%- if kernel.point %}
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down{% if axes == 3 %}, z = corners[block].z * RHO + in{% endif %};
{%- endif %}
{%- if kernel.near %}{%- if axes == 3 %}
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
