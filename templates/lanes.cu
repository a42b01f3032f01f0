{% for line in head -%}
//{% if line %} {{ line }}{% endif %}
{% endfor %}
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = {{ lanes }};
constexpr u32 WORDS = {{ words }};
constexpr u32 STRIDE = {{ stride }};
constexpr u32 MICRO_CELLS = {{ micro_cells }};
{%- if members %}
// Superblocks and parameters of one member. Those of all members follow each other.
constexpr u32 SUPERBLOCKS = {{ superblocks }};
constexpr u32 PARAMS = {{ params }};
{%- endif %}
{%- if as_lanes %}
// The lanes are members of an ensemble: none ever moves.
{%- endif %}
// Directions to other superblocks, and ways for lanes to move: one for each of {{ places }} places around a superblock and its own.
constexpr u32 DIRECTIONS = {{ directions }};
constexpr u32 STAY = {{ directions // 2 }};
// A lane that does not exist.
constexpr u32 ABSENT = 0xffffffff;

// (column[word] rotated left) & mask
struct Term {
    u32 word;
    u32 rotate;
    u32 mask;
};

// What a pass needs besides the states. Behind the last superblock of each state stands one that is 0: a neighbour that does not
// exist in any lane.
struct World {
    const u32 *neighbours;        // superblock * DIRECTIONS + direction: a superblock, or the number of superblocks
    const u8 *edges;              // superblock: the sides of its lane that it touches, bit 2a the low one of axis a, 2a + 1 the high
    const u32 *sources;           // wrap * LANES + lane: the lane that is seen, or ABSENT
    const u32 *presence;          // wrap * WORDS + word: the lanes that see one
    const u32 *first_terms;       // wrap * WORDS + word: where its terms begin; the next word's begin where they end
    const Term *terms;            // bits that move together
    const u64 *params;            // the parameters' bits{% if members %}, member after member{% endif %}
    const int *lane_corners;      // axis * LANES + lane: where the lane begins in the whole
    const int *superblock_corners; // 3 * superblock + axis: where the superblock begins in its lane
    const u32 *clock;             // the time before some passes
{% if members %}    const u64 *seeds;             // of each member
    u32 superblocks;              // of all members
{% else %}    u64 seed;
    u32 superblocks;
{% endif %}    u32 first;                    // the first superblock of the pass
    u32 end;                      // the one after its last
    u32 later;                    // the first time that the pass computes, counted from the clock
    int level;
    int side;
{%- if far %}
    const u32 *places;            // a place of the middle fractal's box, x first: the superblock there, or the number of superblocks of one member
    const u32 *lanes_at;          // a place of the top fractal's box, x first: the lane there, or ABSENT
    const int *lane_places;       // 3 * lane + axis: where the lane lies in the top fractal
{%- endif %}
};

{% if as_lanes -%}
// The neighbour in a direction, of all members; the number of superblocks if there is none.
__device__ __forceinline__ u32 neighbour(const World &world, u32 superblock, u32 direction) {
    return world.neighbours[(u64)superblock * DIRECTIONS + direction];
}
{%- else -%}
// A superblock in some direction, and the way that lanes move on the way there.
struct Neighbour {
    u32 superblock;
    u32 wrap;
};

// The neighbour in a direction, which leads to x, y, z. On the sides that are touched it lies in another lane.
__device__ __forceinline__ Neighbour neighbour(const World &world, {% if members %}u32 member, {% endif %}u32 superblock, u32 direction, int x, int y, int z) {
    const u32 edges = world.edges[superblock];
    const int right = x < 0 ? -(edges & 1) : x > 0 ? edges >> 1 & 1 : 0;
    const int down = y < 0 ? -(edges >> 2 & 1) : y > 0 ? edges >> 3 & 1 : 0;
    const int in = z < 0 ? -(edges >> 4 & 1) : z > 0 ? edges >> 5 & 1 : 0;
{% if members %}    const u32 there = world.neighbours[(u64)superblock * DIRECTIONS + direction];
    return {there == SUPERBLOCKS ? world.superblocks : member * SUPERBLOCKS + there, STAY + right + 3 * down + 9 * in};
{% else %}    return {world.neighbours[(u64)superblock * DIRECTIONS + direction], STAY + right + 3 * down + 9 * in};
{% endif %}}
{%- endif %}
{%- if far %}

{{ far }}
{%- endif %}

{{ launch }}
{%- if totals %}

{{ totals }}
{%- endif %}
{% for function in functions %}
{{ function }}
{%- endfor %}
{%- for kernel in kernels %}
{% for line in kernel.about -%}
// {{ line }}
{% endfor -%}
extern "C" __global__ void __launch_bounds__({{ threads }}) {{ kernel.name }}(
{%- for argument in kernel.arguments %}
    {{ argument }},
{%- endfor %}
    const World world
) {
    let_next_begin();
{%- for line in kernel.together %}
    {{ line }}
{%- endfor %}
{%- for line in kernel.enter %}
    {{ line }}
{%- endfor %}
{%- for line in kernel.body %}
{% if line %}    {{ line }}{% endif %}
{%- endfor %}
{%- for line in kernel.leave %}
    {{ line }}
{%- endfor %}
}
{% endfor -%}
