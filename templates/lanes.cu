// The layout. A column has LANES lanes: bits in WORDS words, numbers in STRIDE values. A superblock has MICRO_CELLS columns.
constexpr u32 LANES = {{ lanes }};
constexpr u32 WORDS = {{ words }};
constexpr u32 STRIDE = {{ stride }};
constexpr u32 MICRO_CELLS = {{ micro_cells }};
{%- if members %}
// The superblocks of the domain, and the blocks and parameters of one member. Those of all members follow each other.
constexpr u32 UNITS = {{ superblocks }};
constexpr u32 MEMBER_BLOCKS = {{ superblocks }};
constexpr u32 PARAMS = {{ params }};
{%- endif %}
{%- if as_lanes %}
// The lanes are members of an ensemble: none ever moves.
{%- endif %}
// DIRECTIONS lead to the superblocks around one. A wrap says how lanes move on the way: there is one for each of the {{ places }} places of a superblock and
// those around it, in reading order; with STAY, in the middle, lanes do not move.
constexpr u32 DIRECTIONS = {{ directions }};
constexpr u32 STAY = {{ directions // 2 }};
// A lane that does not exist.
constexpr u32 ABSENT = 0xffffffff;

// (column[word] rotated left) & mask
{{ term }}

// What a pass needs besides the states. Behind the last block of each state stands one that is 0, `absent`: a neighbour that does not
// exist in any lane.
{{ world }}

{% if as_lanes -%}
// The neighbour in a direction, of all members; `absent` if there is none.
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
    return {there == MEMBER_BLOCKS ? world.absent : member * MEMBER_BLOCKS + there, STAY + right + 3 * down + 9 * in};
{% else %}    return {world.neighbours[(u64)superblock * DIRECTIONS + direction], STAY + right + 3 * down + 9 * in};
{% endif %}}
{%- endif %}
{%- if far %}

{{ far }}
{%- endif %}
