// Looks at states that stay where they are: the values of some cells, and sums over blocks of cells that follow each other.

// The column and the lane of a cell of a whole state of `count` columns: the inverse of `index_at`.
__device__ __forceinline__ void find_cell(
    const Columns &columns, u64 count, const u32 *lanes_of_replicas, u64 cell_index, u64 &column, u64 &lane
) {
    if (columns.replicas != nullptr) {
        column = cell_index % columns.lane_stride;
        lane = lanes_of_replicas[cell_index / columns.lane_stride];
    } else if (columns.mask != nullptr) {
        // The last word that begins with this cell or one before.
        u64 low = 0, high = count * columns.words;
        while (high - low > 1) {
            const u64 middle = (low + high) / 2;
            (first_cell(columns, middle) <= cell_index ? low : high) = middle;
        }
        u32 cells = columns.mask[low];
        for (u64 cell = first_cell(columns, low); cell < cell_index; ++cell) {
            cells &= cells - 1;
        }
        column = low / columns.words;
        lane = low % columns.words * 32 + (u64)(__ffs((int)cells) - 1);
    } else if (columns.columns_of_row == 0) {
        column = 0;
        lane = cell_index;
    } else {
        const u64 x = cell_index % columns.width;
        column = cell_index / columns.width * columns.columns_of_row + x / columns.lanes;
        lane = x % columns.lanes;
    }
}

// Some cells that follow each other, and where their values are put: eight bits to a unit, which is a byte, or a number to each.
struct Wanted {
    u64 first;
    u64 end;
    u64 unit;
};

// Puts the values of lists of cells one behind the other, `units` units in all. The first list begins with unit 0, the next where it ends.
extern "C" __global__ void __launch_bounds__(128) gather(
    const Columns columns, u64 count, const u32 *lanes_of_replicas, const Wanted *wanted, u32 lists, u64 units, u32 bytes, void *values
) {
    const u64 unit = (u64)blockIdx.x * 128 + threadIdx.x;
    if (unit >= units) {
        return;
    }
    u32 low = 0, high = lists;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        (wanted[middle].unit <= unit ? low : high) = middle;
    }
    const Wanted list = wanted[low];
    // Bits have no bytes of their own.
    const u32 of_unit = bytes == 0 ? 8 : 1;
    const u64 first = list.first + (unit - list.unit) * of_unit;
    u64 value = 0, column, lane;
#pragma unroll 1
    for (u32 i = 0; i < of_unit && first + i < list.end; ++i) {
        find_cell(columns, count, lanes_of_replicas, first + i, column, lane);
        value |= bits_at(columns, column, lane) << i;
    }
    switch (bytes) {
        case 8: static_cast<u64 *>(values)[unit] = value; return;
        case 4: static_cast<u32 *>(values)[unit] = (u32)value; return;
        case 2: static_cast<unsigned short *>(values)[unit] = (unsigned short)value; return;
        default: static_cast<u8 *>(values)[unit] = (u8)value; return;
    }
}

// Adds two bits of each of 32 lanes to `sum`, and returns what is carried.
__device__ __forceinline__ u32 carry(u32 &sum, u32 a, u32 b) {
    const u32 carried = (sum & a) | (sum & b) | (a & b);
    sum ^= a ^ b;
    return carried;
}

// Counts the values that are `value` in each lane of some words, in `blocks` blocks of `rows` columns from column `first` on. As many threads as there are pieces
// share a word of a block: each takes every so manieth row. `counts` is 0 before.
extern "C" __global__ void __launch_bounds__(128) count_values(
    const Columns columns, u32 value, const u32 *words, u32 width, u64 first, u64 rows, u64 blocks, u32 pieces, u32 *counts
) {
    const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
    const u64 place = thread % width, block = thread / width / pieces;
    if (block >= blocks) {
        return;
    }
    const u64 of_row = (u64)columns.planes * columns.words;
    const u32 *source = static_cast<const u32 *>(columns.values) + (first + block * rows) * of_row + words[place];
    u32 totals[32] = {};
    for (u64 row = thread / width % pieces; row < rows;) {
        // The number of each lane, a bit to a plane: eight planes hold what 31 times eight rows come to.
        u32 sums[8] = {};
        for (u32 turn = 0; turn < 31 && row < rows; ++turn) {
            u32 same[8];
            u64 from[8];
#pragma unroll
            for (u32 i = 0; i < 8; ++i) {
                const u64 at = row + (u64)i * pieces;
                same[i] = at < rows ? 0xffffffff : 0;
                // The last row again where none is left: eight loads without a branch are under way at once.
                from[i] = (at < rows ? at : rows - 1) * of_row;
            }
#pragma unroll 1
            for (u32 plane = 0; plane < columns.planes; ++plane) {
                const u32 other = value >> plane & 1 ? 0 : 0xffffffff;
                u32 read[8];
#pragma unroll
                for (u32 i = 0; i < 8; ++i) {
                    read[i] = source[from[i] + (u64)plane * columns.words];
                }
#pragma unroll
                for (u32 i = 0; i < 8; ++i) {
                    same[i] &= read[i] ^ other;
                }
            }
            const u32 two = carry(sums[0], same[0], same[1]), four = carry(sums[1], two, carry(sums[0], same[2], same[3]));
            const u32 more = carry(sums[0], same[4], same[5]);
            u32 carried = carry(sums[2], four, carry(sums[1], more, carry(sums[0], same[6], same[7])));
#pragma unroll
            for (u32 plane = 3; plane < 8; ++plane) {
                const u32 next = sums[plane] & carried;
                sums[plane] ^= carried;
                carried = next;
            }
            row += 8ull * pieces;
        }
#pragma unroll
        for (u32 lane = 0; lane < 32; ++lane) {
#pragma unroll
            for (u32 plane = 0; plane < 8; ++plane) {
                totals[lane] += (sums[plane] >> lane & 1) << plane;
            }
        }
    }
#pragma unroll
    for (u32 lane = 0; lane < 32; ++lane) {
        atomicAdd(&counts[(block * width + place) * 32 + lane], totals[lane]);
    }
}

// Numbers of a type, given by its place in the list of `LaneType`, as f64.
struct Numbers {
    const void *values;
    u64 first;
    u32 type;

    __device__ __forceinline__ f64 operator[](u64 i) const {
        const u64 at = first + i;
        switch (type) {
            case 1: return (f64)static_cast<const u8 *>(values)[at];
            case 2: return (f64)static_cast<const unsigned short *>(values)[at];
            case 3: return (f64)static_cast<const int *>(values)[at];
            case 4: return (f64)static_cast<const u32 *>(values)[at];
            case 5: return (f64)static_cast<const i64 *>(values)[at];
            case 6: return (f64)static_cast<const f32 *>(values)[at];
            default: return static_cast<const f64 *>(values)[at];
        }
    }
};

// Adds up rows of some lanes, of which there are `width`, into fewer rows of as many; of all lanes where there is no list of them.
extern "C" __global__ void __launch_bounds__(128) sum_rows(
    const void *values, u32 type, u64 stride, const u32 *lanes, u32 width, u64 rows, const Digits digits, f64 *sums
) {
    const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
    const u32 all = digits.k[0] * digits.k[1] * digits.k[2] * digits.k[3];
    const u64 first = thread / width * all, place = thread % width;
    if (first < rows) {
        const u32 here = rows - first < all ? (u32)(rows - first) : all;
        const Numbers numbers{values, first * stride + (lanes == nullptr ? place : lanes[place]), type};
        sums[thread] = fold_values<Sum>(numbers, stride, here, digits);
    }
}
