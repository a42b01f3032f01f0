// Superblocks farther away than beside their own. The middle fractal, whose cells are superblocks, and the top one, whose cells
// are lanes, lie in boxes of places.
constexpr int MICRO_WIDTH = {{ micro[0] }}, MICRO_HEIGHT = {{ micro[1] }}, MICRO_DEPTH = {{ micro[2] }};
constexpr int MIDDLE_WIDTH = {{ middle[0] }}, MIDDLE_HEIGHT = {{ middle[1] }}, MIDDLE_DEPTH = {{ middle[2] }};
constexpr int TOP_WIDTH = {{ top[0] }}, TOP_HEIGHT = {{ top[1] }}, TOP_DEPTH = {{ top[2] }};
// Stands for a way of lanes that leads farther than to the lane beside.
constexpr u32 BEYOND = 0xffffffff;

// A superblock at any distance, and the way that lanes move on the way there: as `wrap` says or, BEYOND, to x, y, z.
struct FarNeighbour {
    u32 superblock;
    u32 wrap;
    int x;
    int y;
    int z;
};

// A coordinate brought into 0 to side - 1, and how many sides were taken from it.
__device__ __forceinline__ int turned(int v, int side, int &turns) {
    turns = 0;
    if ((u32)v >= (u32)side) {
        turns = v >= 0 ? v / side : -((side - 1 - v) / side);
        v -= turns * side;
    }
    return v;
}

// The neighbour in a direction, which leads to x, y, z.
__device__ __forceinline__ FarNeighbour far_neighbour(const World &world, {% if members %}u32 member, {% endif %}u32 superblock, int x, int y, int z) {
    const int *corner = world.superblock_corners + 3 * (u64)superblock;
    FarNeighbour there;
    x = turned(corner[0] / MICRO_WIDTH + x, MIDDLE_WIDTH, there.x);
    y = turned(corner[1] / MICRO_HEIGHT + y, MIDDLE_HEIGHT, there.y);
    z = turned(corner[2] / MICRO_DEPTH + z, MIDDLE_DEPTH, there.z);
    const bool beside = (u32)(there.x + 1) <= 2 && (u32)(there.y + 1) <= 2 && (u32)(there.z + 1) <= 2;
    there.wrap = beside ? STAY + there.x + 3 * there.y + 9 * there.z : BEYOND;
    there.superblock = world.places[((u64)z * MIDDLE_HEIGHT + y) * MIDDLE_WIDTH + x];
{% if members %}    there.superblock = there.superblock == MEMBER_BLOCKS ? world.absent : member * MEMBER_BLOCKS + there.superblock;
{% endif %}    return there;
}

// The lane at x, y, z from the lane at this place, or ABSENT.
__device__ __noinline__ u32 lane_beyond(const u32 *lanes_at, const int *place, int x, int y, int z) {
{% for axis in axes %}    {{ axis.name }} += place[{{ loop.index0 }}];
{% if axis.periodic %}    int {{ axis.name }}_turns;
    {{ axis.name }} = turned({{ axis.name }}, {{ axis.side }}, {{ axis.name }}_turns);
{% else %}    if ((u32){{ axis.name }} >= (u32){{ axis.side }}) {
        return ABSENT;
    }
{% endif %}{% endfor %}    return lanes_at[((u64)z * TOP_HEIGHT + y) * TOP_WIDTH + x];
}

// The lane of a neighbour that a lane sees, or ABSENT.
__device__ __forceinline__ u32 far_source_lane(const World &world, const FarNeighbour &there, u32 lane) {
    if (there.superblock == world.absent) {
        return ABSENT;
    }
    if (there.wrap == STAY) {
        return lane;
    }
    if (there.wrap != BEYOND) {
        return world.sources[there.wrap * LANES + lane];
    }
    return lane_beyond(world.lanes_at, world.lane_places + 3 * lane, there.x, there.y, there.z);
}
{% if words %}
// A word of a column of a neighbour, with its lanes where they are seen.
__device__ {{ inlined }} u32 far_word(const World &world, const FarNeighbour &there, const u32 *column, u32 word) {
    if (there.wrap == STAY || there.superblock == world.absent) {
        return column[word];
    }
    u32 seen = 0;
    if (there.wrap != BEYOND) {
        const u32 last = world.first_terms[there.wrap * WORDS + word + 1];
        for (u32 i = world.first_terms[there.wrap * WORDS + word]; i < last; ++i) {
            const Term term = world.terms[i];
            seen |= __funnelshift_l(column[term.word], column[term.word], term.rotate) & term.mask;
        }
        return seen;
    }
    for (u32 bit = 0; bit < 32 && 32 * word + bit < LANES; ++bit) {
        const u32 lane = far_source_lane(world, there, 32 * word + bit);
        if (lane != ABSENT) {
            seen |= (column[lane / 32] >> (lane % 32) & 1) << bit;
        }
    }
    return seen;
}

// The lanes of one word in which a neighbour exists.
__device__ {{ inlined }} u32 far_presence(const World &world, const FarNeighbour &there, u32 word) {
    if (there.superblock == world.absent) {
        return 0;
    }
    if (there.wrap == STAY) {
        return 0xffffffff;
    }
    if (there.wrap != BEYOND) {
        return world.presence[there.wrap * WORDS + word];
    }
    u32 present = 0;
    for (u32 bit = 0; bit < 32 && 32 * word + bit < LANES; ++bit) {
        present |= (u32)(far_source_lane(world, there, 32 * word + bit) != ABSENT) << bit;
    }
    return present;
}
{% endif -%}
