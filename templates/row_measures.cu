// What every simulation on a mask or a box needs besides its own kernels: digests, and folds of observables in the order of indices.

// Columns of a state, and where the cells are in them. If every place is a cell there are no tables. Of packed states the places are the cells themselves.
struct Columns {
    const void *values; // planes of bits, words after words, or numbers
    const u32 *mask;    // word: a bit for each lane that is a cell
    const void *cell_indices;  // word: the index of its first cell
    u64 first;          // without tables: the number of the first column; if packed: the index of the first cell
    u32 planes;         // of bits; 0 for numbers
    u32 type;           // of numbers: bytes, and 16 more for floats, 32 more for i32
    u32 words;          // of a column's plane, or of a packed one
    u32 wide;           // whether indices have 64 bits
    u32 columns_of_row; // without tables: how many columns a row has, and its places
    u32 width;
    u32 packed;
};

constexpr u32 FLOAT = 16;
constexpr u32 SIGNED = 32;

// The bits of the value at a place.
__device__ __forceinline__ u64 bits_at(const Columns &columns, u64 place) {
    if (columns.planes > 0) {
        const u32 *words = static_cast<const u32 *>(columns.values);
        const u64 in_column = place / 32 / columns.words * columns.planes * columns.words + place / 32 % columns.words;
        const u64 word = columns.packed != 0 ? place / 32 : in_column;
        u64 bits = 0;
        for (u32 plane = 0; plane < columns.planes; ++plane) {
            bits |= (u64)(words[word + (u64)plane * columns.words] >> (place % 32) & 1) << plane;
        }
        return bits;
    }
    const u32 bytes = columns.type % 16;
    return bytes == 8   ? static_cast<const u64 *>(columns.values)[place]
         : bytes == 4 ? static_cast<const u32 *>(columns.values)[place]
         : bytes == 2 ? static_cast<const unsigned short *>(columns.values)[place]
                      : static_cast<const u8 *>(columns.values)[place];
}

// Whether there is a cell at a place, and its index.
__device__ __forceinline__ bool index_at(const Columns &columns, u64 place, u64 &cell_index) {
    if (columns.packed != 0) {
        cell_index = columns.first + place;
        return true;
    }
    if (columns.mask == nullptr) {
        const u32 lanes = 32 * columns.words, column = (u32)(columns.first + place / lanes);
        const u32 x = column % columns.columns_of_row * lanes + (u32)(place % lanes);
        cell_index = (u64)(column / columns.columns_of_row) * columns.width + x;
        return x < columns.width;
    }
    const u32 cells = columns.mask[place / 32], bit = 1u << (place % 32);
    const u64 first = columns.wide != 0 ? static_cast<const u64 *>(columns.cell_indices)[place / 32]
                                        : static_cast<const u32 *>(columns.cell_indices)[place / 32];
    cell_index = first + (u64)__popc(cells & (bit - 1));
    return (cells & bit) != 0;
}

// The digest of a state with so many places.
extern "C" __global__ void __launch_bounds__(128) digest_rows(Columns columns, u64 places, u64 *digest) {
    u64 sum = 0, cell_index;
    for (u64 place = (u64)blockIdx.x * 128 + threadIdx.x; place < places; place += (u64)gridDim.x * 128) {
        if (index_at(columns, place, cell_index)) {
            sum += mix(mix(cell_index) ^ bits_at(columns, place));
        }
    }
    add_up(digest, sum);
}

// What an observable folds of the values of some cells, in the order of their indices: i64 of bits and integers, f64 of floats.
extern "C" __global__ void __launch_bounds__(128) pack_terms(
    Columns columns,
    u64 places,
    u64 first, // an index
    u64 end,
    u64 *terms
) {
    const u64 place = (u64)blockIdx.x * 128 + threadIdx.x;
    u64 cell_index;
    if (place >= places || !index_at(columns, place, cell_index) || cell_index < first || cell_index >= end) {
        return;
    }
    const u64 bits = bits_at(columns, place);
    const u32 type = columns.planes > 0 ? 0 : columns.type;
    terms[cell_index - first] = type == (FLOAT | 4)    ? (u64)__double_as_longlong((f64)__uint_as_float((u32)bits))
                        : type == (SIGNED | 4) ? (u64)(i64)(int)(u32)bits
                                               : bits;
}

// Folds each 32 values into one; the last ones may be fewer.
template <class Kind, class T> __device__ __forceinline__ void fold_values(const T *values, u64 count, T *folds) {
    const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
    if (32 * thread >= count) {
        return;
    }
    const u32 here = count - 32 * thread < 32 ? (u32)(count - 32 * thread) : 32;
    T fold = 0;
    for (u32 i = 0; i < here; ++i) {
        fold = Kind::next(i, fold, values[32 * thread + i]);
    }
    folds[thread] = fold;
}

extern "C" __global__ void __launch_bounds__(128) fold_sum_integers(const i64 *values, u64 count, i64 *folds) {
    fold_values<Sum>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_min_integers(const i64 *values, u64 count, i64 *folds) {
    fold_values<Min>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_max_integers(const i64 *values, u64 count, i64 *folds) {
    fold_values<Max>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_sum_floats(const f64 *values, u64 count, f64 *folds) {
    fold_values<Sum>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_min_floats(const f64 *values, u64 count, f64 *folds) {
    fold_values<Min>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_max_floats(const f64 *values, u64 count, f64 *folds) {
    fold_values<Max>(values, count, folds);
}
