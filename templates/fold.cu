// Folds of observables: each kernel folds the rows of a column's values, which follow each other in canonical order, into fewer rows.
// A row has as many places as a column has lanes, or words of bits; every place is folded for itself.

// How many values follow each other for each digit that a launch folds, the finest digit first; 1 behind the last.
struct Digits {
    u32 k[4];
};

// So many values are asked for before the first of them is needed.
constexpr u32 AT_ONCE = 8;

// Values as they come, folded digit by digit.
template <class Kind, class T> struct Fold {
    u32 count[4];
    T fold[4];

    __device__ __forceinline__ Fold() {
#pragma unroll
        for (u32 digit = 0; digit < 4; ++digit) {
            count[digit] = 0;
            fold[digit] = 0;
        }
    }

    __device__ __forceinline__ void push(const Digits &digits, T value) {
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
};

// Folds `all` rows, which begin at `first` and have `stride` values each, at one place.
template <class Kind, class T, class Element>
__device__ __forceinline__ T fold_rows(const Element *first, u64 stride, u32 all, const Digits &digits) {
    Fold<Kind, T> fold;
    for (u32 row = 0; row < all; row += AT_ONCE) {
        T values[AT_ONCE];
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            values[i] = row + i < all ? (T)first[(row + i) * stride] : 0;
        }
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            if (row + i < all) {
                fold.push(digits, values[i]);
            }
        }
    }
    return fold.fold[3];
}

// The fold of one word's lanes: those that `valid` has, of as many planes as a value has bits.
template <u32 PLANES> __device__ __forceinline__ i64 fold_word(Sum, const u32 *word, u64 words, u32 valid) {
    u32 sum = 0;
#pragma unroll
    for (u32 plane = 0; plane < PLANES; ++plane) {
        sum += (u32)__popc(word[plane * words] & valid) << plane;
    }
    return sum;
}

template <u32 PLANES> __device__ __forceinline__ i64 fold_word(Min, const u32 *word, u64 words, u32 valid) {
    u32 least = 0;
#pragma unroll
    for (u32 plane = PLANES; plane-- > 0;) {
        const u32 lower = valid & ~word[plane * words];
        least |= lower ? 0 : 1u << plane;
        valid = lower ? lower : valid;
    }
    return least;
}

template <u32 PLANES> __device__ __forceinline__ i64 fold_word(Max, const u32 *word, u64 words, u32 valid) {
    u32 most = 0;
#pragma unroll
    for (u32 plane = PLANES; plane-- > 0;) {
        const u32 higher = valid & word[plane * words];
        most |= higher ? 1u << plane : 0;
        valid = higher ? higher : valid;
    }
    return most;
}

// Folds `all` rows of bits at one word.
template <class Kind, u32 PLANES>
__device__ __forceinline__ i64 fold_words(const u32 *first, u64 words, u32 all, u32 valid) {
    i64 fold = 0;
#pragma unroll 8
    for (u32 row = 0; row < all; ++row) {
        fold = Kind::next(row, fold, fold_word<PLANES>(Kind(), first + row * PLANES * words, words, valid));
    }
    return fold;
}
{% for kernel in kernels %}
// {{ kernel.about }}
extern "C" __global__ void __launch_bounds__({{ threads }}) {{ kernel.name }}(
    const {{ kernel.element }} *source,
    u64 stride,
    u32 width,
    u32 lanes,
    u64 rows,
    Digits digits,
    {{ kernel.result }} *result
) {
    const u64 thread = (u64)blockIdx.x * {{ threads }} + threadIdx.x;
    const u64 row = thread / width;
    const u32 place = (u32)(thread % width);
    if (row >= rows) {
        return;
    }
    const u32 all = digits.k[0] * digits.k[1] * digits.k[2] * digits.k[3];
{%- if kernel.planes %}
    const u32 here = lanes - 32 * place;
    const u32 valid = here < 32 ? (1u << here) - 1 : 0xffffffff;
    const u32 *first = source + row * all * {{ kernel.planes }} * stride + place;
    result[thread] = fold_words<{{ kernel.kind }}, {{ kernel.planes }}>(first, stride, all, valid);
{%- else %}
    const {{ kernel.element }} *first = source + row * all * stride + place;
    result[thread] = fold_rows<{{ kernel.kind }}, {{ kernel.result }}>(first, stride, all, digits);
{%- endif %}
}
{% endfor -%}
