// What every simulation on a mask or a box needs besides its own kernels: digests, and folds of observables in the order of ranks.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Columns of a state, and where the cells are in them.
struct Columns {
    const void *values; // planes of bits, words after words, or numbers
    const u32 *mask;    // word: a bit for each lane that is a cell
    const u32 *ranks;   // word: the rank of its first cell
    u32 planes;         // of bits; 0 for numbers
    u32 type;           // of numbers: bytes, and 16 more for floats, 32 more for i32
    u32 words;          // of a column's plane
};

constexpr u32 FLOAT = 16;
constexpr u32 SIGNED = 32;

// The bits of the value at a place.
__device__ __forceinline__ u64 bits_at(const Columns &columns, u64 place) {
    if (columns.planes > 0) {
        const u32 *words = static_cast<const u32 *>(columns.values);
        const u64 word = place / 32 / columns.words * columns.planes * columns.words + place / 32 % columns.words;
        u64 bits = 0;
        for (u32 plane = 0; plane < columns.planes; ++plane) {
            bits |= (u64)(words[word + plane * columns.words] >> (place % 32) & 1) << plane;
        }
        return bits;
    }
    const u32 bytes = columns.type % 16;
    return bytes == 8   ? static_cast<const u64 *>(columns.values)[place]
         : bytes == 4 ? static_cast<const u32 *>(columns.values)[place]
         : bytes == 2 ? static_cast<const unsigned short *>(columns.values)[place]
                      : static_cast<const u8 *>(columns.values)[place];
}

// Whether there is a cell at a place, and its rank.
__device__ __forceinline__ bool rank_at(const Columns &columns, u64 place, u64 &rank) {
    const u32 cells = columns.mask[place / 32], bit = 1u << (place % 32);
    rank = columns.ranks[place / 32] + (u64)__popc(cells & (bit - 1));
    return (cells & bit) != 0;
}

__device__ __forceinline__ u64 mix(u64 v) {
    v += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
    v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    return v ^ v >> 31;
}

// The digest of a state with so many places.
extern "C" __global__ void __launch_bounds__(128) digest_ranks(Columns columns, u64 places, u64 *digest) {
    u64 sum = 0, rank;
    for (u64 place = (u64)blockIdx.x * 128 + threadIdx.x; place < places; place += (u64)gridDim.x * 128) {
        if (rank_at(columns, place, rank)) {
            sum += mix(mix(rank) ^ bits_at(columns, place));
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(digest, sum);
    }
}

// What an observable folds of the values of some cells, in the order of their ranks: i64 of bits and integers, f64 of floats.
extern "C" __global__ void __launch_bounds__(128) pack_terms(
    Columns columns,
    u64 places,
    u64 first, // rank
    u64 end,
    u64 *terms
) {
    const u64 place = (u64)blockIdx.x * 128 + threadIdx.x;
    u64 rank;
    if (place >= places || !rank_at(columns, place, rank) || rank < first || rank >= end) {
        return;
    }
    const u64 bits = bits_at(columns, place);
    const u32 type = columns.planes > 0 ? 0 : columns.type;
    terms[rank - first] = type == (FLOAT | 4)    ? (u64)__double_as_longlong((double)__uint_as_float((u32)bits))
                        : type == (SIGNED | 4) ? (u64)(i64)(int)(u32)bits
                                               : bits;
}

// The fold so far, of which `before` values came in, and the next one.
struct Sum {
    static __device__ __forceinline__ double next(u32 before, double fold, double value) { return (before == 0 ? 0.0 : fold) + value; }
    static __device__ __forceinline__ i64 next(u32 before, i64 fold, i64 value) {
        return (i64)((before == 0 ? 0 : (u64)fold) + (u64)value);
    }
};

struct Min {
    template <class T> static __device__ __forceinline__ T next(u32 before, T fold, T value) {
        return before == 0 || value < fold ? value : fold;
    }
};

struct Max {
    template <class T> static __device__ __forceinline__ T next(u32 before, T fold, T value) {
        return before == 0 || fold < value ? value : fold;
    }
};

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

extern "C" __global__ void __launch_bounds__(128) fold_sum_floats(const double *values, u64 count, double *folds) {
    fold_values<Sum>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_min_floats(const double *values, u64 count, double *folds) {
    fold_values<Min>(values, count, folds);
}

extern "C" __global__ void __launch_bounds__(128) fold_max_floats(const double *values, u64 count, double *folds) {
    fold_values<Max>(values, count, folds);
}
