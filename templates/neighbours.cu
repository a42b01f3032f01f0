// Which superblocks are neighbours.

// A digit that no cell has.
constexpr u32 HOLE = 0xffffffff;

// The number of the cell of a pattern at a place, or HOLE.
__device__ u32 cell_at(Level level, const u32 *digits, const u32 place[3]) {
    u32 low = 0, high = level.cells;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        const u32 *entry = digits + level.sorted + 4 * middle;
        const bool before = entry[2] != place[2] ? entry[2] < place[2]
                          : entry[1] != place[1] ? entry[1] < place[1]
                                                 : entry[0] < place[0];
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const u32 *entry = digits + level.sorted + 4 * low;
    const bool found = low < level.cells && entry[0] == place[0] && entry[1] == place[1] && entry[2] == place[2];
    return found ? entry[3] : HOLE;
}

// For each superblock its neighbours in all directions, in reading order, or the number of superblocks where there is none; the
// sides that it touches (bit 2a the low one of axis a, 2a + 1 the high); and, if wanted, the corner of its first cell.
extern "C" __global__ void __launch_bounds__(128) neighbour_table(
    const Level *levels,
    const u32 *digits,
    u32 count,
    u32 axes,
    u32 superblocks,
    u32 micro_width,
    u32 micro_height,
    u32 micro_depth,
    u32 *neighbours,
    u8 *edges,
    int *corners
) {
    const u32 superblock = blockIdx.x * 128 + threadIdx.x;
    if (superblock >= superblocks) {
        return;
    }
    // A place on no side but its own extremes: cleared digit by digit.
    u32 touched = (1 << 2 * axes) - 1;
    int corner[3] = {0, 0, 0};
    u32 rest = superblock, scales[3] = {micro_width, micro_height, micro_depth};
    for (u32 i = 0; i < count; ++i) {
        const Level level = levels[i];
        const u32 *place = digits + level.places + 3 * (rest % level.cells);
        rest /= level.cells;
        for (u32 axis = 0; axis < axes; ++axis) {
            const u32 v = place[axis];
            corner[axis] += (int)(v * scales[axis]);
            touched &= ~((v != 0 ? 1u : 0u) << 2 * axis | (v != level.sides[axis] - 1 ? 2u : 0u) << 2 * axis);
            scales[axis] *= level.sides[axis];
        }
    }
    edges[superblock] = (u8)touched;
    if (corners) {
        for (u32 axis = 0; axis < 3; ++axis) {
            corners[3 * (u64)superblock + axis] = corner[axis];
        }
    }
    const u32 places = axes == 1 ? 3 : axes == 2 ? 9 : 27;
    u64 at = (u64)superblock * (places - 1);
    for (u32 direction = 0; direction < places; ++direction) {
        if (direction == places / 2) {
            continue;
        }
        // One step away is addition with a carry from digit to digit; what is carried out of the last one wraps around.
        int carry[3] = {
            (int)(direction % 3) - 1,
            axes < 2 ? 0 : (int)(direction / 3 % 3) - 1,
            axes < 3 ? 0 : (int)(direction / 9) - 1,
        };
        u32 neighbour = 0, weight = 1;
        bool exists = true;
        rest = superblock;
        for (u32 i = 0; i < count; ++i) {
            const Level level = levels[i];
            const u32 *place = digits + level.places + 3 * (rest % level.cells);
            rest /= level.cells;
            u32 there[3];
            for (u32 axis = 0; axis < 3; ++axis) {
                const bool low = carry[axis] < 0 && place[axis] == 0;
                const bool high = carry[axis] > 0 && place[axis] == level.sides[axis] - 1;
                there[axis] = low ? level.sides[axis] - 1 : high ? 0 : place[axis] + (u32)carry[axis];
                carry[axis] = low ? -1 : high ? 1 : 0;
            }
            const u32 digit = cell_at(level, digits, there);
            exists &= digit != HOLE;
            neighbour += digit * weight;
            weight *= level.cells;
        }
        neighbours[at++] = exists ? neighbour : superblocks;
    }
}
