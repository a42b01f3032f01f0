// Digests, and folds of floats in the order of indices, whatever the storage.

// The bits of the value of a lane.
__device__ __forceinline__ u64 bits_at(const Columns &columns, u64 column, u64 lane) {
    lane += columns.lane;
    if (columns.planes > 0) {
        const u32 *word = static_cast<const u32 *>(columns.values) + column * columns.planes * columns.words + lane / 32;
        u64 bits = 0;
        for (u32 plane = 0; plane < columns.planes; ++plane) {
            bits |= (u64)(word[(u64)plane * columns.words] >> (lane % 32) & 1) << plane;
        }
        return bits;
    }
    const u64 at = column * columns.stride + lane;
    return columns.bytes == 8   ? static_cast<const u64 *>(columns.values)[at]
         : columns.bytes == 4 ? static_cast<const u32 *>(columns.values)[at]
         : columns.bytes == 2 ? static_cast<const unsigned short *>(columns.values)[at]
                              : static_cast<const u8 *>(columns.values)[at];
}

// Whether there is a cell in a lane, and its index.
__device__ __forceinline__ bool index_at(const Columns &columns, u64 column, u64 lane, u64 &cell_index) {
    if (columns.replicas != nullptr) {
        cell_index = columns.replicas[lane] * columns.lane_stride + columns.first + column;
        return true;
    }
    if (columns.mask != nullptr) {
        const u64 word = column * columns.words + lane / 32;
        const u32 cells = columns.mask[word], bit = 1u << (lane % 32);
        const u64 first = columns.wide != 0 ? static_cast<const u64 *>(columns.cell_indices)[word]
                                            : static_cast<const u32 *>(columns.cell_indices)[word];
        cell_index = first + (u64)__popc(cells & (bit - 1));
        return (cells & bit) != 0;
    }
    if (columns.columns_of_row == 0) {
        cell_index = columns.first + lane;
        return true;
    }
    const u64 number = columns.first + column, x = number % columns.columns_of_row * columns.lanes + lane;
    cell_index = number / columns.columns_of_row * columns.width + x;
    return x < columns.width;
}

// The digest of a state, over `count` columns.
extern "C" __global__ void __launch_bounds__(128) digest(const Columns columns, u64 count, u64 *digest) {
    const u64 places = count * columns.lanes;
    u64 sum = 0, cell_index;
    for (u64 place = (u64)blockIdx.x * 128 + threadIdx.x; place < places; place += (u64)gridDim.x * 128) {
        const u64 column = place / columns.lanes, lane = place % columns.lanes;
        if (index_at(columns, column, lane, cell_index)) {
            sum += mix(mix(cell_index) ^ bits_at(columns, column, lane));
        }
    }
    add_up(digest, sum);
}

// Gives the cells at `places` places their indices, as numbers of 64 bits.
extern "C" __global__ void __launch_bounds__(128) fill_index(const Columns columns, u64 places) {
    const u64 place = (u64)blockIdx.x * 128 + threadIdx.x;
    const u64 column = place / columns.lanes, lane = place % columns.lanes;
    u64 cell_index;
    if (place < places && index_at(columns, column, lane, cell_index)) {
        static_cast<u64 *>(const_cast<void *>(columns.values))[column * columns.stride + columns.lane + lane] = cell_index;
    }
}

// Among `places` places the floats of the cells with indices from `first` on and before `end`, in the order of indices.
extern "C" __global__ void __launch_bounds__(128) pack_terms(const Columns columns, u64 places, u64 first, u64 end, f64 *terms) {
    const u64 place = (u64)blockIdx.x * 128 + threadIdx.x;
    const u64 column = place / columns.lanes, lane = place % columns.lanes;
    u64 cell_index;
    if (place >= places || !index_at(columns, column, lane, cell_index) || cell_index < first || cell_index >= end) {
        return;
    }
    const u64 bits = bits_at(columns, column, lane);
    terms[cell_index - first] = columns.bytes == 8 ? __longlong_as_double((i64)bits) : (f64)__uint_as_float((u32)bits);
}

// How many values a fold takes at each digit that a launch folds, the finest digit first; 1 behind the last.
struct Digits {
    u32 k[4];
};

// How many values are loaded before the first of them is needed.
constexpr u32 AT_ONCE = 8;

// Folds values as they come, digit by digit.
template <class Kind> struct Fold {
    u32 count[4];
    f64 fold[4];

    __device__ __forceinline__ Fold() {
#pragma unroll
        for (u32 digit = 0; digit < 4; ++digit) {
            count[digit] = 0;
            fold[digit] = 0;
        }
    }

    __device__ __forceinline__ void push(const Digits &digits, f64 value) {
#pragma unroll
        for (u32 digit = 0; digit < 4; ++digit) {
            value = Kind::next(count[digit], fold[digit], value);
            fold[digit] = value;
            if (++count[digit] < digits.k[digit]) {
                return;
            }
            count[digit] = 0;
        }
    }

    // The fold of all values, of which there may be too few to fill the last fold of a digit.
    __device__ __forceinline__ f64 finish() const {
        f64 value = fold[3];
        bool carried = false;
#pragma unroll
        for (u32 digit = 0; digit < 4; ++digit) {
            if (carried || count[digit] > 0) {
                value = carried ? Kind::next(count[digit], fold[digit], value) : fold[digit];
                carried = true;
            }
        }
        return value;
    }
};

// Folds `all` values, `stride` from each other.
template <class Kind, class Element>
__device__ __forceinline__ f64 fold_values(const Element *first, u64 stride, u32 all, const Digits &digits) {
    Fold<Kind> fold;
    for (u32 row = 0; row < all; row += AT_ONCE) {
        f64 values[AT_ONCE];
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            values[i] = row + i < all ? (f64)first[(row + i) * stride] : 0;
        }
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            if (row + i < all) {
                fold.push(digits, values[i]);
            }
        }
    }
    return fold.finish();
}

// Folds rows into fewer, which follow each other. A row has as many places as a column has lanes; each place is folded by itself.
template <class Kind, class Element>
__device__ __forceinline__ void fold_rows(const Element *source, u64 stride, u32 width, u64 rows, const Digits &digits, f64 *folds) {
    const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
    const u32 all = digits.k[0] * digits.k[1] * digits.k[2] * digits.k[3];
    const u64 first = thread / width * all;
    if (first < rows) {
        const u32 here = rows - first < all ? (u32)(rows - first) : all;
        folds[thread] = fold_values<Kind>(source + first * stride + thread % width, stride, here, digits);
    }
}

// The same for a kind given by its number.
template <class Element>
__device__ __forceinline__ void fold_rows_of(u32 kind, const Element *source, u64 stride, u32 width, u64 rows, const Digits &digits, f64 *folds) {
    switch (kind) {
        case 0: return fold_rows<Sum>(source, stride, width, rows, digits, folds);
        case 1: return fold_rows<Min>(source, stride, width, rows, digits, folds);
        default: return fold_rows<Max>(source, stride, width, rows, digits, folds);
    }
}

extern "C" __global__ void __launch_bounds__(128) fold_f32(
    const f32 *source, u64 stride, u32 width, u64 rows, const Digits digits, u32 kind, f64 *folds
) {
    fold_rows_of(kind, source, stride, width, rows, digits, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_f64(
    const f64 *source, u64 stride, u32 width, u64 rows, const Digits digits, u32 kind, f64 *folds
) {
    fold_rows_of(kind, source, stride, width, rows, digits, folds);
}
