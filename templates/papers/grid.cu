{% for line in head -%}
//{% if line %} {{ line }}{% endif %}
{% endfor %}
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef {{ index }} index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = {{ cell_side }};
constexpr index BLOCK_SIDE = {{ block_side }};
constexpr u32 RHO = {{ rho }};
constexpr u32 BLOCK_PLACES = {{ block_places }};
constexpr u32 MICRO_CELLS = {{ micro_cells }};
{%- if expanded %}
// What a step down{% if axes == 3 %} and a step inwards count{% else %} counts{% endif %} in memory, which is expanded.
constexpr u64 ROW = {{ row }};
{%- if axes == 3 %}
constexpr u64 LAYER = {{ layer }};
{%- endif %}
{%- endif %}
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = {{ blocks }};
constexpr u32 GROUP = {{ group }};
constexpr u32 THREADS = {{ threads }};
// Around a block are {{ around }} blocks, itself in the middle.
constexpr u32 AROUND = {{ around }};
{%- if tiles %}
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = {{ halo }};
constexpr u32 TILE = {{ tile }};
constexpr u32 TILE_PLACES = {{ tile_places }};
{%- endif %}
// No block, no place in memory, no replica.
constexpr index NONE = {{ no_block }};
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = {{ no_replica }};

struct Point {
    index {{ axis_list }};
};

// What a step needs besides the states.
{{ world }}
{% for function in functions %}
{{ function }}
{%- endfor %}
