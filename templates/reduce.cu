// Digests, and folds of floats in the order of indices, whatever the storage.

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

// Stores a number in a lane.
__device__ __forceinline__ void put_number(const Columns &columns, u64 column, u64 lane, u64 bits) {
    void *const values = const_cast<void *>(columns.values);
    const u64 at = column * columns.stride + columns.lane + lane;
    if (columns.bytes == 8) {
        static_cast<u64 *>(values)[at] = bits;
    } else if (columns.bytes == 4) {
        static_cast<u32 *>(values)[at] = (u32)bits;
    } else if (columns.bytes == 2) {
        static_cast<unsigned short *>(values)[at] = (unsigned short)bits;
    } else {
        static_cast<u8 *>(values)[at] = (u8)bits;
    }
}

// Gives the cells at `places` places of a box without holes the values of a list for their coordinate on an axis.
extern "C" __global__ void __launch_bounds__(128) fill_input(const Columns columns, u64 places, const u64 *list, u32 axis, u32 height) {
    const u64 place = (u64)blockIdx.x * 128 + threadIdx.x;
    const u64 column = place / columns.lanes, lane = place % columns.lanes;
    u64 cell_index;
    if (place >= places || !index_at(columns, column, lane, cell_index)) {
        return;
    }
    const u64 row = cell_index / columns.width;
    put_number(columns, column, lane, list[axis == 0 ? cell_index % columns.width : axis == 1 ? row % height : row / height]);
}

// Gives the cells at some places the values that stand in another buffer of their state.
extern "C" __global__ void __launch_bounds__(128) take_over(const Columns columns, const Columns from, const u64 *list, u64 count) {
    const u64 i = (u64)blockIdx.x * 128 + threadIdx.x;
    if (i >= count) {
        return;
    }
    const u64 column = list[i] / columns.lanes, lane = list[i] % columns.lanes, bits = bits_at(from, column, lane);
    if (columns.planes > 0) {
        u32 *const word = static_cast<u32 *>(const_cast<void *>(columns.values)) + column * columns.planes * columns.words + (columns.lane + lane) / 32;
        const u32 bit = 1u << ((columns.lane + lane) % 32);
        // Cells of the same word have other threads.
        for (u32 plane = 0; plane < columns.planes; ++plane) {
            u32 *const of_plane = word + (u64)plane * columns.words;
            if (bits >> plane & 1) {
                atomicOr(of_plane, bit);
            } else {
                atomicAnd(of_plane, ~bit);
            }
        }
    } else {
        put_number(columns, column, lane, bits);
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
