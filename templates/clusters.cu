// Clusters: the connected components of bonds.
//
// Cells are taken in tiles, boxes of ROWS rows of at most 32 places, each of which one warp labels in shared memory: a run of cells that are joined along a row
// is one node, and what is left of a tile is a list of its local clusters. These are numbered, and are the nodes of a forest of all tiles, which bonds between
// tiles join. Unions hang the greater number below the lesser one, so that the result is the same in whatever order they come. The least cell of a cluster is
// found apart: cells of tiles do not follow each other on boxes.

// A local cluster that is marked by its number in place of a parent.
constexpr u32 NUMBERED = 0x80000000;

__device__ __forceinline__ u32 lowest(u32 bits) { return (u32)__ffs((int)bits) - 1; }

// The bits from one place on, of places below 32; bits that lie `by` places higher, or lower where it is negative.
__device__ __forceinline__ u32 from_place(u32 place) { return ALL << place; }
__device__ __forceinline__ u32 moved_down(u32 bits, int by) {
    return by >= 32 || by <= -32 ? 0 : by >= 0 ? bits >> by : bits << -by;
}

// Where a tile lies, and how much of it lies in the domain.
struct Box {
    u32 corner[3];
    u32 sides[3];
};

__device__ __forceinline__ Box box_of(const ClusterTiles &tiles, u32 tile) {
    Box box = {{0, 0, 0}, {WIDTH, HEIGHT, DEPTH}};
    if (!FRACTAL) {
        const u32 places[3] = {tile % tiles.along_x, tile / tiles.along_x % tiles.along_y, tile / tiles.along_x / tiles.along_y};
        const u32 extent[3] = {tiles.width, tiles.height, tiles.depth};
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            box.corner[axis] = places[axis] * box.sides[axis];
            box.sides[axis] = min(box.sides[axis], extent[axis] - box.corner[axis]);
        }
    }
    return box;
}

// The number of the column at a place of rows, or that of all columns if none is stored there.
__device__ __forceinline__ u64 column_of(const ClusterTiles &tiles, u64 line, u32 x) {
    const u64 number = line * tiles.columns_of_row + x / tiles.lanes;
    return tiles.index == nullptr ? number : tiles.index[number];
}

// The places of a row of a tile that are cells.
__device__ u32 cells_of_row(const ClusterTiles &tiles, u32 tile, u32 row) {
    if (FRACTAL) {
        return tiles.rows[row];
    }
    const Box box = box_of(tiles, tile);
    const u32 y = row % HEIGHT, z = row / HEIGHT;
    if (y >= box.sides[1] || z >= box.sides[2]) {
        return 0;
    }
    const u32 here = box.sides[0] == 32 ? ALL : ~from_place(box.sides[0]);
    if (tiles.mask == nullptr) {
        return here;
    }
    const u64 line = box.corner[1] + y + (u64)tiles.height * (box.corner[2] + z), column = column_of(tiles, line, box.corner[0]);
    return column >= tiles.columns ? 0 : here & tiles.mask[column * tiles.mask_words + box.corner[0] % tiles.lanes / 32];
}

// The index of the first cell of a word of a mask.
__device__ __forceinline__ u64 first_cell_of(const ClusterTiles &tiles, u64 word) {
    return tiles.wide != 0 ? static_cast<const u64 *>(tiles.cell_indices)[word] : static_cast<const u32 *>(tiles.cell_indices)[word];
}

// The number that tells which of two cells stands before the other: of fractals the index, of masks and boxes that of the place.
__device__ __forceinline__ u32 order_of(const ClusterTiles &tiles, u32 tile, u32 row, u32 x) {
    if (FRACTAL) {
        return tile * CELLS + tiles.numbers[32 * row + x];
    }
    const Box box = box_of(tiles, tile);
    const u32 y = box.corner[1] + row % HEIGHT, z = box.corner[2] + row / HEIGHT;
    return box.corner[0] + x + tiles.width * (y + tiles.height * z);
}

// The index of a cell, from that number.
__device__ u64 index_of(const ClusterTiles &tiles, u32 order) {
    if (FRACTAL || tiles.mask == nullptr) {
        return order;
    }
    const u32 x = order % tiles.width;
    const u64 column = column_of(tiles, order / tiles.width, x), word = column * tiles.mask_words + x % tiles.lanes / 32;
    return first_cell_of(tiles, word) + (u64)__popc(tiles.mask[word] & ~from_place(x % 32));
}

// The number by which a cell draws.
__device__ u64 draw_number(const ClusterTiles &tiles, u32 order) {
    if (FRACTAL) {
        // The digits of its index, the finest first, which counts most.
        constexpr u32 cells[LEVELS] = {CELLS_OF_LEVELS};
        u32 reversed = 0;
#pragma unroll
        for (u32 i = 0; i < LEVELS; ++i) {
            reversed = reversed * cells[i] + order % cells[i];
            order /= cells[i];
        }
        return reversed;
    }
    const u32 x = order % tiles.width, y = order / tiles.width % tiles.height, z = order / tiles.width / tiles.height;
    const u64 place = x + (u64)tiles.numbered_row * (y + (u64)tiles.height * z);
    return place / 256 * 256 + 128 * ((x + y + z) % 2) + place % 256 / 2;
}

// Where the values of a cell stand.
struct Place {
    u64 column;
    u64 lane;
};

__device__ Place place_of(const ClusterTiles &tiles, u32 tile, u32 row, u32 x) {
    const u32 order = order_of(tiles, tile, row, x);
    if (FRACTAL) {
        return {order % tiles.lane_stride, tiles.lanes_of_replicas[order / tiles.lane_stride]};
    }
    if (tiles.packed != 0) {
        return {0, index_of(tiles, order)};
    }
    const u32 at = order % tiles.width;
    return {column_of(tiles, order / tiles.width, at), at % tiles.lanes};
}

// The bits of the value of a member's cell.
__device__ u64 bits_at(const ClusterTiles &tiles, const ClusterField &field, u32 member, Place place) {
    const u8 *values = static_cast<const u8 *>(field.values) + field.of_member * member;
    if (field.planes > 0) {
        const u32 *word = reinterpret_cast<const u32 *>(values) + place.column * field.planes * tiles.words + place.lane / 32;
        u64 bits = 0;
        for (u32 plane = 0; plane < field.planes; ++plane) {
            bits |= (u64)(word[(u64)plane * tiles.words] >> (place.lane % 32) & 1) << plane;
        }
        return bits;
    }
    const u64 at = place.column * tiles.stride + place.lane;
    return field.bytes == 8   ? reinterpret_cast<const u64 *>(values)[at]
         : field.bytes == 4 ? reinterpret_cast<const u32 *>(values)[at]
         : field.bytes == 2 ? reinterpret_cast<const unsigned short *>(values)[at]
                            : values[at];
}

// A bit or an integer as a number.
__device__ __forceinline__ i64 number_at(const ClusterTiles &tiles, const ClusterField &field, u32 member, Place place) {
    const u64 bits = bits_at(tiles, field, member, place);
    return field.is_signed != 0 && field.bytes == 4 ? (i64)(int)bits : (i64)bits;
}

// A probability, of one of both widths.
__device__ __forceinline__ f64 probability_at(const ClusterTiles &tiles, const ClusterField &field, u32 member, Place place) {
    const u64 bits = bits_at(tiles, field, member, place);
    return field.bytes == 4 ? (f64)__uint_as_float((u32)bits) : __longlong_as_double((i64)bits);
}

// Gives a member's cell a number, of which as many bytes are kept as it has.
__device__ void put_number(const ClusterTiles &tiles, const ClusterField &field, u32 member, Place place, u64 bits) {
    u8 *values = static_cast<u8 *>(field.values) + field.of_member * member;
    const u64 at = place.column * tiles.stride + place.lane;
    switch (field.bytes) {
        case 8: reinterpret_cast<u64 *>(values)[at] = bits; return;
        case 4: reinterpret_cast<u32 *>(values)[at] = (u32)bits; return;
        case 2: reinterpret_cast<unsigned short *>(values)[at] = (unsigned short)bits; return;
        default: values[at] = (u8)bits; return;
    }
}

// The bits of 32 rows of a matrix, one in each thread, in place of those of its columns.
__device__ __forceinline__ u32 transposed(u32 bits) {
    const u32 thread = threadIdx.x % 32;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        // Ones in the lower `step` of every 2 * `step` bits.
        const u32 low = 0xffffffffu / ((1u << step) + 1);
        const u32 there = __shfl_xor_sync(ALL, bits, step);
        bits = thread & step ? (bits & ~low) | (there >> step & low) : (bits & low) | (there & low) << step;
    }
    return bits;
}

// The words of a field of bits, row by row of tiles. A thread takes a row; on replica lanes tiles may lie in several lanes.
extern "C" __global__ void __launch_bounds__(128) gather_rows(const ClusterTiles tiles, const ClusterField field, u32 *rows) {
    const u64 number = (u64)blockIdx.x * 128 + threadIdx.x;
    const u32 row = (u32)(number % ROWS), tile = (u32)(number / ROWS % tiles.count), member = (u32)(number / ROWS / tiles.count);
    if (member >= tiles.members) {
        return;
    }
    const u32 cells = cells_of_row(tiles, tile, row);
    u32 bits = field.values == nullptr ? cells : 0;
    if (field.values != nullptr && cells != 0) {
        if (!FRACTAL && tiles.packed == 0) {
            const Place place = place_of(tiles, tile, row, 0);
            const u32 *words = reinterpret_cast<const u32 *>(static_cast<const u8 *>(field.values) + field.of_member * member);
            bits = cells & words[place.column * tiles.words + place.lane / 32];
        } else {
            for (u32 rest = cells; rest != 0; rest &= rest - 1) {
                const u32 x = lowest(rest);
                bits |= (u32)bits_at(tiles, field, member, place_of(tiles, tile, row, x)) << x;
            }
        }
    }
    rows[number] = bits;
}

// The same where each tile lies in one lane: a warp takes a row of the tiles of 32 lanes, which stand in the same words.
extern "C" __global__ void __launch_bounds__(128) gather_lanes(const ClusterTiles tiles, const ClusterField field, u32 *rows) {
    const u64 number = ((u64)blockIdx.x * 128 + threadIdx.x) / 32;
    const u32 thread = threadIdx.x % 32, word = (u32)(number % tiles.words), row = (u32)(number / tiles.words % ROWS);
    const u64 beyond = number / tiles.words / ROWS;
    const u32 of_lane = tiles.tiles_of_lane, tile = (u32)(beyond % of_lane), member = (u32)(beyond / of_lane);
    if (member >= tiles.members) {
        return;
    }
    const u32 cell = tiles.numbers[32 * row + thread], lane = 32 * word + thread;
    const u32 *words = reinterpret_cast<const u32 *>(static_cast<const u8 *>(field.values) + field.of_member * member);
    const u32 bits = transposed(cell == NONE ? 0 : words[((u64)tile * CELLS + cell) * tiles.words + word]);
    if (lane < tiles.lanes) {
        rows[((u64)member * tiles.count + (u64)tiles.replicas[lane] * of_lane + tile) * ROWS + row] = bits;
    }
}

// The ways back.
extern "C" __global__ void __launch_bounds__(128) scatter_rows(const ClusterTiles tiles, const ClusterField field, const u32 *rows) {
    const u64 number = (u64)blockIdx.x * 128 + threadIdx.x;
    const u32 row = (u32)(number % ROWS), tile = (u32)(number / ROWS % tiles.count), member = (u32)(number / ROWS / tiles.count);
    if (member >= tiles.members) {
        return;
    }
    u32 rest = cells_of_row(tiles, tile, row);
    if (rest == 0) {
        return;
    }
    u32 *words = reinterpret_cast<u32 *>(static_cast<u8 *>(field.values) + field.of_member * member);
    if (!FRACTAL && tiles.packed == 0) {
        const Place place = place_of(tiles, tile, row, 0);
        words[place.column * tiles.words + place.lane / 32] = rows[number];
        return;
    }
    for (; rest != 0; rest &= rest - 1) {
        const u32 x = lowest(rest);
        const Place place = place_of(tiles, tile, row, x);
        u32 *word = words + place.column * tiles.words + place.lane / 32;
        const u32 bit = 1u << (place.lane % 32);
        if (rows[number] >> x & 1) {
            atomicOr(word, bit);
        } else {
            atomicAnd(word, ~bit);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128) scatter_lanes(const ClusterTiles tiles, const ClusterField field, const u32 *rows) {
    const u64 number = ((u64)blockIdx.x * 128 + threadIdx.x) / 32;
    const u32 thread = threadIdx.x % 32, word = (u32)(number % tiles.words), row = (u32)(number / tiles.words % ROWS);
    const u64 beyond = number / tiles.words / ROWS;
    const u32 of_lane = tiles.tiles_of_lane, tile = (u32)(beyond % of_lane), member = (u32)(beyond / of_lane);
    if (member >= tiles.members) {
        return;
    }
    const u32 cell = tiles.numbers[32 * row + thread], lane = 32 * word + thread;
    u32 *words = reinterpret_cast<u32 *>(static_cast<u8 *>(field.values) + field.of_member * member);
    const u64 there = lane < tiles.lanes ? (u64)member * tiles.count + (u64)tiles.replicas[lane] * of_lane + tile : 0;
    const u32 bits = transposed(lane < tiles.lanes ? rows[there * ROWS + row] : 0);
    if (cell != NONE) {
        words[((u64)tile * CELLS + cell) * tiles.words + word] = bits;
    }
}

// A tile of a member, which a warp takes.
struct Here {
    u32 tile;
    u32 member;
    // Its number among those of all members.
    u64 number;
};

// The tile of a warp, in blocks of OF_BLOCK; false beyond the last one.
template <u32 OF_BLOCK> __device__ __forceinline__ bool is_here(const ClusterTiles &tiles, Here &here) {
    const u32 number = blockIdx.x * OF_BLOCK + threadIdx.x / 32;
    here = {number % tiles.count, number / tiles.count, number};
    return here.member < tiles.members;
}

// The cells of a row that belong to clusters.
__device__ __forceinline__ u32 members_of_row(const ClusterTiles &tiles, const ClusterWork &work, u64 number, u32 tile, u32 row) {
    return work.belong != nullptr ? work.belong[number * ROWS + row] : cells_of_row(tiles, tile, row);
}

// The first cell of the run that a cell is in.
__device__ __forceinline__ u32 start_of(u32 starts, u32 x) { return 31 - (u32)__clz(starts & (ALL >> (31 - x))); }

// The sum over the threads of a warp before this one.
__device__ __forceinline__ u32 sum_before(u32 value) {
    const u32 thread = threadIdx.x % 32;
    u32 sum = value;
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2) {
        const u32 there = __shfl_up_sync(ALL, sum, step);
        sum += thread >= step ? there : 0;
    }
    return sum - value;
}

// The root of a node. Parents are lesser than their nodes; on the way each node is hung below the parent of its parent.
__device__ __forceinline__ u32 root_of(volatile u32 *parents, u32 node) {
    u32 parent = parents[node];
    while (parent != node) {
        const u32 above = parents[parent];
        if (above != parent) {
            parents[node] = above;
        }
        node = parent;
        parent = above;
    }
    return node;
}

// The same where others read as well, and no node is moved.
__device__ __forceinline__ u32 root_alone(const volatile u32 *parents, u32 node) {
    u32 parent = parents[node];
    while (parent != node) {
        node = parent;
        parent = parents[node];
    }
    return node;
}

__device__ __forceinline__ void unite(u32 *parents, u32 a, u32 b) {
    while (true) {
        a = root_of(parents, a);
        b = root_of(parents, b);
        if (a == b) {
            return;
        }
        const u32 least = min(a, b), other = max(a, b), before = atomicMin(&parents[other], least);
        if (before == other) {
            return;
        }
        // Another thread was faster: what it was hung below must be joined too.
        a = least;
        b = before;
    }
}

// Bonds of an offset of a row of a tile, of which two that stand side by side join the same two runs but once.
__device__ __forceinline__ u32 without_repeats(u32 bonds, u32 beside, u32 beside_there) {
    return bonds & ~((bonds & beside & beside_there) << 1);
}

// Labels a tile: the runs of its rows, the number of the local cluster of each, and of each local cluster the least cell.
extern "C" __global__ void __launch_bounds__(32) label_tiles(const ClusterTiles tiles, const ClusterWork work) {
    __shared__ u32 parents[32 * ROWS];
    __shared__ u32 cells[ROWS], beside[ROWS], starts[ROWS], left[ROWS];
    __shared__ unsigned short ids[CELLS];
    Here here;
    if (!is_here<1>(tiles, here)) {
        return;
    }
    const u32 thread = threadIdx.x;
    const Box box = box_of(tiles, here.tile);
    const u32 *bonds = work.bonds + here.number * ROWS;
    // Bonds to the right, between two places of the tile.
    for (u32 row = thread; row < ROWS; row += 32) {
        const u32 own = members_of_row(tiles, work, here.number, here.tile, row);
        const u32 right = ALONG == NONE ? 0 : bonds[ALONG * work.of_bond + row] & own & own >> 1;
        cells[row] = own;
        beside[row] = right;
        starts[row] = own & ~(right << 1);
    }
    __syncwarp();
    // A run hangs below the one that its first bond of one offset comes from; its other bonds are left to be united.
    for (u32 row = thread; row < ROWS; row += 32) {
        u32 open = 0, from = 0;
        if (LINKED != NONE) {
            const int y = (int)(row % HEIGHT) - LINKED_Y, z = (int)(row / HEIGHT) - LINKED_Z;
            if (y >= 0 && y < (int)HEIGHT && z >= 0 && z < (int)DEPTH) {
                from = (u32)z * HEIGHT + (u32)y;
                open = moved_down(bonds[LINKED * work.of_bond + from] & cells[from], -LINKED_X) & cells[row];
                open = without_repeats(open, moved_down(beside[from], -LINKED_X), beside[row]);
            }
        }
        u32 others = 0;
        for (u32 rest = starts[row]; rest != 0;) {
            const u32 start = lowest(rest);
            rest &= rest - 1;
            const u32 own = open & from_place(start) & (rest != 0 ? ~from_place(lowest(rest)) : ALL);
            parents[32 * row + start] = own == 0 ? 32 * row + start : 32 * from + start_of(starts[from], (u32)((int)lowest(own) - LINKED_X));
            others |= own & (own - 1);
        }
        left[row] = others;
    }
    __syncwarp();
    for (u32 row = thread; row < ROWS; row += 32) {
        const int y = (int)(row % HEIGHT), z = (int)(row / HEIGHT);
#pragma unroll
        for (u32 offset = 0; offset < BONDS; ++offset) {
            const int dx = OFFSETS[offset][0], dy = OFFSETS[offset][1], dz = OFFSETS[offset][2];
            if (offset == ALONG) {
                continue;
            }
            const bool linked = offset == LINKED;
            // Bonds of the offset that was taken first are known by their second cells.
            const int there_y = linked ? y - dy : y + dy, there_z = linked ? z - dz : z + dz, by = linked ? -dx : dx;
            if (there_y < 0 || there_y >= (int)HEIGHT || there_z < 0 || there_z >= (int)DEPTH) {
                continue;
            }
            const u32 there = (u32)there_z * HEIGHT + (u32)there_y;
            u32 open = left[row];
            if (!linked) {
                open = bonds[offset * work.of_bond + row] & cells[row] & moved_down(cells[there], by);
                open = without_repeats(open, beside[row], moved_down(beside[there], by));
            }
            for (; open != 0; open &= open - 1) {
                const u32 x = lowest(open);
                unite(parents, 32 * row + start_of(starts[row], x), 32 * there + start_of(starts[there], (u32)((int)x + by)));
            }
        }
    }
    __syncwarp();
    // The roots, which are no parents of lesser nodes, are numbered; all others hang below them.
    u32 count = 0;
    for (u32 first = 0; first < ROWS; first += 32) {
        const u32 row = first + thread;
        u32 roots = 0;
        for (u32 rest = row < ROWS ? starts[row] : 0; rest != 0; rest &= rest - 1) {
            const u32 node = 32 * row + lowest(rest), root = root_alone(parents, node);
            roots |= root == node ? rest & (0 - rest) : 0;
        }
        if (row < ROWS) {
            left[row] = roots;
        }
    }
    __syncwarp();
    for (u32 row = thread; row < ROWS; row += 32) {
        for (u32 rest = starts[row] & ~left[row]; rest != 0; rest &= rest - 1) {
            const u32 node = 32 * row + lowest(rest);
            static_cast<volatile u32 *>(parents)[node] = root_alone(parents, node);
        }
    }
    __syncwarp();
    for (u32 first = 0; first < ROWS; first += 32) {
        const u32 row = first + thread, roots = row < ROWS ? left[row] : 0, own = (u32)__popc(roots);
        u32 number = count + sum_before(own);
        count = __shfl_sync(ALL, number + own, 31);
        for (u32 rest = roots; rest != 0; rest &= rest - 1, ++number) {
            parents[32 * row + lowest(rest)] = NUMBERED | number;
        }
    }
    __syncwarp();
    u32 runs = 0;
    for (u32 first = 0; first < ROWS; first += 32) {
        const u32 row = first + thread, own = row < ROWS ? starts[row] : 0, of_row = (u32)__popc(own);
        u32 number = runs + sum_before(of_row);
        runs = __shfl_sync(ALL, number + of_row, 31);
        if (row < ROWS) {
            work.starts[here.number * ROWS + row] = own;
            work.first_runs[here.number * ROWS + row] = (unsigned short)number;
        }
        for (u32 rest = own; rest != 0; rest &= rest - 1, ++number) {
            u32 id = parents[32 * row + lowest(rest)];
            id = id & NUMBERED ? id : parents[id];
            ids[number] = (unsigned short)id;
        }
    }
    __syncwarp();
    // Nodes are needed no more: the least cells of local clusters take their places.
    for (u32 i = thread; i < count; i += 32) {
        parents[i] = NONE;
    }
    __syncwarp();
    for (u32 row = thread, number = 0; row < ROWS; row += 32) {
        number = work.first_runs[here.number * ROWS + row];
        for (u32 rest = starts[row]; rest != 0; ++number) {
            const u32 start = lowest(rest);
            rest &= rest - 1;
            u32 least = order_of(tiles, here.tile, row, start);
            if (!RISING) {
                for (u32 run = cells[row] & from_place(start) & (rest != 0 ? ~from_place(lowest(rest)) : ALL); run != 0; run &= run - 1) {
                    least = min(least, order_of(tiles, here.tile, row, lowest(run)));
                }
            }
            atomicMin(&parents[ids[number]], least);
        }
    }
    __syncwarp();
    const u64 nodes = here.number * CELLS;
    for (u32 i = thread; i < count; i += 32) {
        work.forest[nodes + i] = here.tile * CELLS + i;
        work.least[nodes + i] = parents[i];
    }
    for (u32 i = thread; i < runs; i += 32) {
        work.runs[nodes + i] = ids[i];
    }
    if (thread == 0) {
        work.counts[here.number] = count;
    }
}

// The number of the local cluster of a cell.
__device__ __forceinline__ u32 id_of(const ClusterWork &work, u64 number, u32 row, u32 x) {
    const u64 at = number * ROWS + row;
    const u32 before = (u32)__popc(work.starts[at] & (ALL >> (31 - x)));
    return work.runs[number * CELLS + work.first_runs[at] + before - 1];
}

// A place beyond a tile's sides: where it is, and how often the way there goes round each axis.
struct Beyond {
    u32 tile;
    u32 row;
    u32 x;
    int rounds[3];
};

// The place at these coordinates, counted from the corner of a tile; false if there is none.
__device__ bool beyond(const ClusterTiles &tiles, const Here &here, const Box &box, const int (&place)[3], Beyond &found) {
    u32 at[3];
    if (FRACTAL) {
        const int sides[3] = {(int)WIDTH, (int)HEIGHT, (int)DEPTH};
        const u32 touched = tiles.edges[here.tile];
        u32 direction = 0;
#pragma unroll
        for (int axis = 2; axis >= 0; --axis) {
            const int step = place[axis] < 0 ? -1 : place[axis] >= sides[axis] ? 1 : 0;
            // Neighbourhoods may have more axes than a fractal.
            if (step != 0 && axis >= (int)AXES) {
                return false;
            }
            const bool around = step != 0 && (touched >> (2 * axis + (step > 0)) & 1);
            if (around && !(tiles.periodic >> axis & 1)) {
                return false;
            }
            found.rounds[axis] = around ? step : 0;
            at[axis] = (u32)(place[axis] - step * sides[axis]);
            direction = axis < (int)AXES ? 3 * direction + (u32)(step + 1) : direction;
        }
        constexpr u32 ALL_DIRECTIONS = AXES == 1 ? 3 : AXES == 2 ? 9 : 27;
        found.tile = here.tile;
        if (direction != ALL_DIRECTIONS / 2) {
            const u32 entry = direction - (direction > ALL_DIRECTIONS / 2);
            found.tile = tiles.neighbours[(u64)here.tile * (ALL_DIRECTIONS - 1) + entry];
            if (found.tile >= tiles.count) {
                return false;
            }
        }
    } else {
        const u32 extent[3] = {tiles.width, tiles.height, tiles.depth};
        u32 places[3];
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) {
            i64 there = (i64)box.corner[axis] + place[axis];
            const int round = there < 0 ? -1 : there >= (i64)extent[axis] ? 1 : 0;
            if (round != 0 && !(tiles.periodic >> axis & 1)) {
                return false;
            }
            there -= (i64)round * extent[axis];
            found.rounds[axis] = round;
            places[axis] = (u32)there;
        }
        found.tile = places[0] / WIDTH + tiles.along_x * (places[1] / HEIGHT + tiles.along_y * (places[2] / DEPTH));
        at[0] = places[0] % WIDTH;
        at[1] = places[1] % HEIGHT;
        at[2] = places[2] % DEPTH;
    }
    found.row = at[1] + HEIGHT * at[2];
    found.x = at[0];
    return true;
}

// Calls `join` with the local clusters that a bond to a place beyond a tile's sides joins, and where that place is. All threads of the warp take part.
template <class Join> __device__ __forceinline__ void join_beyond(const ClusterTiles &tiles, const ClusterWork &work, const Here &here, Join join) {
    const Box box = box_of(tiles, here.tile);
    const u32 thread = threadIdx.x % 32;
    const u32 *bonds = work.bonds + here.number * ROWS;
    const u64 first_tile = (u64)here.member * tiles.count;
    auto found_at = [&](u32 row, u32 x, const int (&offset)[3], u32 &own, u32 &other, Beyond &there) {
        const int place[3] = {(int)x + offset[0], (int)(row % HEIGHT) + offset[1], (int)(row / HEIGHT) + offset[2]};
        if (!beyond(tiles, here, box, place, there)) {
            return false;
        }
        const u64 number = first_tile + there.tile;
        if (!(members_of_row(tiles, work, number, there.tile, there.row) >> there.x & 1)) {
            return false;
        }
        own = here.tile * CELLS + id_of(work, here.number, row, x);
        other = there.tile * CELLS + id_of(work, number, there.row, there.x);
        return true;
    };
#pragma unroll 1
    for (u32 offset = 0; offset < BONDS; ++offset) {
        const int by[3] = {OFFSETS[offset][0], OFFSETS[offset][1], OFFSETS[offset][2]};
        const u32 *open = bonds + offset * work.of_bond;
        u32 own = NONE, other = NONE;
        Beyond there = {NONE, 0, 0, {0, 0, 0}};
        // Rows that meet rows of the tile: the cells near its sides.
        const u32 sides = box.sides[0];
        const u32 inside = by[0] >= 0 ? (by[0] < (int)sides ? ALL >> (32 - (sides - by[0])) : 0) : (by[0] > -32 ? from_place((u32)-by[0]) : 0);
        if (by[0] != 0) {
            for (u32 row = thread; row < ROWS; row += 32) {
                const int y = (int)(row % HEIGHT) + by[1], z = (int)(row / HEIGHT) + by[2];
                if (y < 0 || y >= (int)box.sides[1] || z < 0 || z >= (int)box.sides[2]) {
                    continue;
                }
                u32 rest = open[row] & ~inside;
                rest = rest == 0 ? 0 : rest & members_of_row(tiles, work, here.number, here.tile, row);
                for (; rest != 0; rest &= rest - 1) {
                    if (found_at(row, lowest(rest), by, own, other, there)) {
                        join(own, other, there);
                    }
                }
            }
        }
        // Rows that meet none: a thread takes a cell.
        for (u32 row = 0; row < ROWS && (by[1] != 0 || by[2] != 0); ++row) {
            const int y = (int)(row % HEIGHT) + by[1], z = (int)(row / HEIGHT) + by[2];
            if (y >= 0 && y < (int)box.sides[1] && z >= 0 && z < (int)box.sides[2]) {
                continue;
            }
            const u32 cells = open[row] & members_of_row(tiles, work, here.number, here.tile, row);
            if (cells == 0) {
                continue;
            }
            const bool is_open = (cells >> thread & 1) && found_at(row, thread, by, own, other, there);
            const u32 pair_before = __shfl_up_sync(ALL, is_open ? own : NONE, 1), other_before = __shfl_up_sync(ALL, is_open ? other : NONE, 1);
            // Going round differs from cell to cell where a row ends.
            const u32 tile_before = __shfl_up_sync(ALL, is_open ? there.tile : NONE, 1);
            const bool again = thread > 0 && pair_before == own && other_before == other && tile_before == there.tile && there.x > 0;
            if (is_open && !again) {
                join(own, other, there);
            }
        }
    }
}

// Joins local clusters of different tiles.
extern "C" __global__ void __launch_bounds__(32 * TILES) join_tiles(const ClusterTiles tiles, const ClusterWork work) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    u32 *forest = work.forest + (u64)here.member * tiles.count * CELLS;
    join_beyond(tiles, work, here, [=](u32 own, u32 other, const Beyond &) { unite(forest, own, other); });
}

// Hangs each local cluster below its root, and finds the least cell of each cluster.
extern "C" __global__ void __launch_bounds__(32 * TILES) find_roots(const ClusterTiles tiles, const ClusterWork work) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u64 nodes = here.number * CELLS, first = (u64)here.member * tiles.count * CELLS;
    const u32 count = work.counts[here.number];
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {
        // A node that was moved here might stand above its root again.
        const u32 root = root_alone(work.forest + first, here.tile * CELLS + i);
        static_cast<volatile u32 *>(work.forest)[nodes + i] = root;
        if (root != here.tile * CELLS + i && work.least[nodes + i] < static_cast<volatile u32 *>(work.least)[first + root]) {
            atomicMin(&work.least[first + root], work.least[nodes + i]);
        }
    }
}

// How the values of the cells of a cluster combine.
enum Combine : u32 { ADD, OR, AND, LEAST, GREATEST };

__device__ __forceinline__ i64 nothing_of(u32 combine) {
    return combine == AND ? -1 : combine == LEAST ? 0x7fffffffffffffffll : combine == GREATEST ? -0x7fffffffffffffffll - 1 : 0;
}

__device__ __forceinline__ i64 both_of(u32 combine, i64 a, i64 b) {
    return combine == ADD ? (i64)((u64)a + (u64)b) : combine == OR ? a | b : combine == AND ? a & b : combine == LEAST ? (b < a ? b : a) : (a < b ? b : a);
}

__device__ __forceinline__ void combine_with(u32 combine, i64 *total, i64 value) {
    switch (combine) {
        case ADD: atomicAdd((u64 *)total, (u64)value); return;
        case OR: atomicOr((u64 *)total, (u64)value); return;
        case AND: atomicAnd((u64 *)total, (u64)value); return;
        case LEAST: atomicMin(total, value); return;
        default: atomicMax(total, value); return;
    }
}

// Begins the values of all clusters.
extern "C" __global__ void __launch_bounds__(32 * TILES) begin_values(const ClusterTiles tiles, const ClusterWork work, i64 value) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u64 nodes = here.number * CELLS;
    const u32 count = work.counts[here.number];
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {
        work.values[nodes + i] = value;
    }
}

// What is combined.
enum Term : u32 { ONES, BITS, NUMBERS, ENDS };

// Combines a number of each cell, in the values of roots.
extern "C" __global__ void __launch_bounds__(32) combine_cells(const ClusterTiles tiles, const ClusterWork work, const ClusterField field, u32 term, u32 combine, u32 axis) {
    __shared__ i64 totals[CELLS];
    Here here;
    if (!is_here<1>(tiles, here)) {
        return;
    }
    const u32 thread = threadIdx.x, count = work.counts[here.number];
    const u64 nodes = here.number * CELLS, first_node = (u64)here.member * tiles.count * CELLS;
    for (u32 i = thread; i < count; i += 32) {
        totals[i] = nothing_of(combine);
    }
    __syncwarp();
    for (u32 row = thread; row < ROWS; row += 32) {
        const u64 at = here.number * ROWS + row;
        const u32 cells = members_of_row(tiles, work, here.number, here.tile, row);
        u32 bits = term == BITS ? work.given[at] & cells : cells, ends = 0, last = 0;
        if (term == ENDS) {
            // Places of the first and the last coordinate along an axis.
            const u32 extent = axis == 0 ? tiles.width : axis == 1 ? tiles.height : tiles.depth;
            const u32 corner = FRACTAL ? (u32)tiles.corners[3 * (u64)here.tile + axis] : box_of(tiles, here.tile).corner[axis];
            const u32 along = corner + (axis == 1 ? row % HEIGHT : axis == 2 ? row / HEIGHT : 0);
            ends = axis == 0 ? (corner == 0 ? 1 : 0) : along == 0 ? ALL : 0;
            last = axis == 0 ? (extent - 1 - corner < 32 ? 1u << (extent - 1 - corner) : 0) : along == extent - 1 ? ALL : 0;
        }
        u32 number = work.first_runs[at];
        for (u32 rest = work.starts[at]; rest != 0; ++number) {
            const u32 start = lowest(rest);
            rest &= rest - 1;
            const u32 run = cells & from_place(start) & (rest != 0 ? ~from_place(lowest(rest)) : ALL);
            i64 value;
            if (term == NUMBERS) {
                value = nothing_of(combine);
                for (u32 others = run; others != 0; others &= others - 1) {
                    const Place place = place_of(tiles, here.tile, row, lowest(others));
                    value = both_of(combine, value, number_at(tiles, field, here.member, place));
                }
            } else if (term == ENDS) {
                value = ((run & ends) != 0 ? 1 : 0) | ((run & last) != 0 ? 2 : 0);
            } else {
                const u32 own = bits & run;
                value = combine == ADD ? (i64)__popc(own) : combine == AND ? (own == run ? -1 : 0) : own != 0 ? 1 : 0;
            }
            combine_with(combine, &totals[work.runs[nodes + number]], value);
        }
    }
    __syncwarp();
    for (u32 begin = 0; begin < count; begin += 32) {
        const u32 i = begin + thread, root = i < count ? work.forest[nodes + i] : NONE;
        // Local clusters of one cluster come together first: most belong to a large one.
        const u32 together = __match_any_sync(ALL, root), leader = lowest(together);
        if (i < count && leader != thread) {
            combine_with(combine, &totals[begin + leader], totals[i]);
        }
        __syncwarp();
        if (i < count && leader == thread) {
            combine_with(combine, &work.values[first_node + root], totals[i]);
        }
    }
}

// A node of the forest in which ways are counted that go round an axis: its parent, and how often the way there goes round.
__device__ __forceinline__ u64 node_of(u32 parent, int rounds) { return (u64)(u32)rounds << 32 | parent; }

__device__ __forceinline__ u32 root_with_rounds(volatile u64 *nodes, u32 node, int &rounds) {
    rounds = 0;
    u64 own = nodes[node];
    while ((u32)own != node) {
        const u64 above = nodes[(u32)own];
        if ((u32)above != (u32)own) {
            nodes[node] = node_of((u32)above, (int)(own >> 32) + (int)(above >> 32));
        }
        rounds += (int)(own >> 32);
        node = (u32)own;
        own = above;
    }
    return node;
}

extern "C" __global__ void __launch_bounds__(32 * TILES) begin_rounds(const ClusterTiles tiles, const ClusterWork work) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u64 nodes = here.number * CELLS;
    const u32 count = work.counts[here.number];
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {
        work.rounds[nodes + i] = node_of(here.tile * CELLS + i, 0);
    }
}

// Joins local clusters once more, and notes of those that are reached by two ways whether these go round an axis as often.
extern "C" __global__ void __launch_bounds__(32 * TILES) join_rounds(const ClusterTiles tiles, const ClusterWork work, u32 axis) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u64 first = (u64)here.member * tiles.count * CELLS;
    u64 *nodes = work.rounds + first;
    i64 *values = work.values + first;
    join_beyond(tiles, work, here, [=](u32 a, u32 b, const Beyond &there) {
        const int round = axis == 0 ? there.rounds[0] : axis == 1 ? there.rounds[1] : there.rounds[2];
        while (true) {
            int from_a, from_b;
            const u32 root_a = root_with_rounds(nodes, a, from_a), root_b = root_with_rounds(nodes, b, from_b);
            // From the place of the first root to that of the second.
            const int apart = from_b - from_a - round;
            if (root_a == root_b) {
                if (apart != 0) {
                    static_cast<volatile i64 *>(values)[root_a] = 1;
                }
                return;
            }
            const bool below_a = root_a < root_b;
            const u32 other = below_a ? root_b : root_a, least = below_a ? root_a : root_b;
            const u64 alone = node_of(other, 0), hung = node_of(least, below_a ? -apart : apart);
            if (atomicCAS(&nodes[other], alone, hung) == alone) {
                return;
            }
        }
    });
}

// Tells roots what was noted of their local clusters.
extern "C" __global__ void __launch_bounds__(32 * TILES) gather_rounds(const ClusterTiles tiles, const ClusterWork work) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u64 nodes = here.number * CELLS, first = (u64)here.member * tiles.count * CELLS;
    const u32 count = work.counts[here.number];
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {
        if (static_cast<volatile i64 *>(work.values)[nodes + i] != 0) {
            static_cast<volatile i64 *>(work.values)[first + work.forest[nodes + i]] = 1;
        }
    }
}

// The draw of a number, and for which time and members.
__device__ __forceinline__ u64 seed_of(const ClusterDraw &draw, u32 member) { return draw.seeds != nullptr ? draw.seeds[member] : draw.seed; }
__device__ __forceinline__ u32 time_of(const ClusterDraw &draw) { return *draw.clock + draw.later; }

__device__ __forceinline__ bool happens_to(const ClusterTiles &tiles, const ClusterDraw &draw, u32 member, u32 order, f64 probability) {
    return probability >= 1.0 || (probability > 0.0 && happens(seed_of(draw, member), draw_number(tiles, order), time_of(draw), draw.number, probability));
}

__device__ __forceinline__ u32 word_at(const ClusterTiles &tiles, const ClusterDraw &draw, u32 member, u32 order) {
    return random_word(seed_of(draw, member), draw_number(tiles, order), time_of(draw), draw.number);
}

// Draws for all clusters: words, or whether something of one probability happens.
extern "C" __global__ void __launch_bounds__(32 * TILES) draw_values(const ClusterTiles tiles, const ClusterWork work, const ClusterDraw draw, u32 words) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u64 nodes = here.number * CELLS;
    const u32 count = work.counts[here.number];
    for (u32 i = threadIdx.x % 32; i < count; i += 32) {
        if (work.forest[nodes + i] == here.tile * CELLS + i) {
            const u32 order = work.least[nodes + i];
            work.values[nodes + i] = words != 0 ? (i64)word_at(tiles, draw, here.member, order)
                                                : (i64)happens_to(tiles, draw, here.member, order, __longlong_as_double((i64)draw.probability));
        }
    }
}

// What cells are given that belong to no cluster.
enum Otherwise : u32 { ZERO, ONE, OWN_DRAW };

// Gives cells a bit of their clusters: whether the value is `wanted`, or not 0 where that is -1.
extern "C" __global__ void __launch_bounds__(32 * TILES) give_bits(const ClusterTiles tiles, const ClusterWork work, const ClusterDraw draw, i64 wanted, u32 otherwise) {
    __shared__ u32 bits_of_tiles[TILES][CELLS / 32 + 1];
    u32 *bits_of_ids = bits_of_tiles[threadIdx.x / 32];
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u32 thread = threadIdx.x % 32, count = work.counts[here.number];
    const u64 nodes = here.number * CELLS, first = (u64)here.member * tiles.count * CELLS;
    for (u32 begin = 0; begin < count; begin += 32) {
        const u32 i = begin + thread;
        const i64 value = i < count ? work.values[first + work.forest[nodes + i]] : 0;
        const u32 bits = __ballot_sync(ALL, i < count && (wanted == -1 ? value != 0 : value == wanted));
        if (thread == 0) {
            bits_of_ids[begin / 32] = bits;
        }
    }
    __syncwarp();
    for (u32 row = thread; row < ROWS; row += 32) {
        const u64 at = here.number * ROWS + row;
        const u32 cells = members_of_row(tiles, work, here.number, here.tile, row);
        // A bit where the value changes from run to run, of which the sums from the left are the values.
        u32 bits = 0, before = 0, number = work.first_runs[at];
        for (u32 rest = work.starts[at]; rest != 0; rest &= rest - 1, ++number) {
            const u32 id = work.runs[nodes + number], value = bits_of_ids[id / 32] >> (id % 32) & 1;
            bits |= (value ^ before) << lowest(rest);
            before = value;
        }
#pragma unroll
        for (u32 step = 1; step < 32; step *= 2) {
            bits ^= bits << step;
        }
        bits &= cells;
        if (work.belong != nullptr && otherwise != ZERO) {
            for (u32 others = cells_of_row(tiles, here.tile, row) & ~cells; others != 0; others &= others - 1) {
                const u32 order = order_of(tiles, here.tile, row, lowest(others));
                const bool own = otherwise == ONE || happens_to(tiles, draw, here.member, order, __longlong_as_double((i64)draw.probability));
                bits |= own ? others & (0 - others) : 0;
            }
        }
        work.given[at] = bits;
    }
}

// What cells are given one by one.
enum Given : u32 { ROOT, IS_ROOT, VALUE, WORD, UNIFORM, BELOW, CHANCE };

// Gives cells values of their clusters, one by one: bits as rows of tiles, numbers where they stand. `field` is the cell's own bound or probability.
extern "C" __global__ void __launch_bounds__(32 * TILES) give_cells(const ClusterTiles tiles, const ClusterWork work, const ClusterDraw draw, const ClusterField field, const ClusterField to, u32 given) {
    Here here;
    if (!is_here<TILES>(tiles, here)) {
        return;
    }
    const u32 x = threadIdx.x % 32;
    const u64 nodes = here.number * CELLS, first = (u64)here.member * tiles.count * CELLS;
    for (u32 row = 0; row < ROWS; ++row) {
        const u32 all = cells_of_row(tiles, here.tile, row);
        bool bit = false;
        if (all >> x & 1) {
            const bool belongs = members_of_row(tiles, work, here.number, here.tile, row) >> x & 1;
            const u32 own = order_of(tiles, here.tile, row, x), root = belongs ? work.forest[nodes + id_of(work, here.number, row, x)] : NONE;
            const u32 order = belongs ? work.least[first + root] : own;
            const Place place = place_of(tiles, here.tile, row, x);
            const u32 word = given == WORD || given == UNIFORM || given == BELOW
                ? (belongs ? (u32)work.values[first + root] : word_at(tiles, draw, here.member, own)) : 0;
            u64 bits = 0;
            switch (given) {
                case ROOT: bits = belongs ? index_of(tiles, order) : ~0ull; break;
                case IS_ROOT: bit = belongs && own == order; break;
                case VALUE: bits = belongs ? (u64)work.values[first + root] : 0; break;
                case WORD: bits = word; break;
                case UNIFORM: bits = __float_as_uint((f32)(word >> 8) * (1.0f / 16777216.0f)); break;
                case BELOW: bits = (u64)word * (u32)bits_at(tiles, field, here.member, place) >> 32; break;
                default: bit = happens_to(tiles, draw, here.member, order, probability_at(tiles, field, here.member, place)); break;
            }
            if (given != IS_ROOT && given != CHANCE) {
                put_number(tiles, to, here.member, place, bits);
            }
        }
        if (given == IS_ROOT || given == CHANCE) {
            const u32 bits = __ballot_sync(ALL, bit);
            if (x == 0) {
                work.given[here.number * ROWS + row] = bits;
            }
        }
    }
}
