// Cells in columns, whatever the storage, and folds of their values.

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

// The index of the first cell of a word of rows with a mask, or of the next cell.
__device__ __forceinline__ u64 first_cell(const Columns &columns, u64 word) {
    return columns.wide != 0 ? static_cast<const u64 *>(columns.cell_indices)[word]
                             : static_cast<const u32 *>(columns.cell_indices)[word];
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
        cell_index = first_cell(columns, word) + (u64)__popc(cells & (bit - 1));
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
template <class Kind, class Values>
__device__ __forceinline__ f64 fold_values(const Values &first, u64 stride, u32 all, const Digits &digits) {
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
