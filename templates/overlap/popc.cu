// How many ones each two of many rows of bits have in common, counted word by word: for any GPU, and for few rows, where reading
// them takes longest.

typedef unsigned int u32;
typedef unsigned long long u64;

// The rows of either side that a thread has.
#ifndef PAIRS
#define PAIRS 2
#endif
// Rows of a tile, and words of a row that a block looks at at a time.
constexpr u32 TILE = 16 * PAIRS;
constexpr u32 WORDS = 32;

// Of each pair of tiles in `tiles` (the first rows of both) and each piece of `words` words: 256 threads have PAIRS² pairs of rows
// each, and add what they count to `both`, row after row. Rows from `count` on are not there.
extern "C" __global__ void __launch_bounds__(256) overlap_popc(
    const u32 *rows,
    u64 stride,
    u32 count,
    const u32 *tiles,
    u32 pairs,
    u64 length,
    u64 words,
    u64 *both
) {
    // One word more, so that the rows of a column lie in different banks.
    __shared__ u32 own[TILE][WORDS + 1];
    __shared__ u32 other[TILE][WORDS + 1];
    const u32 pair = blockIdx.x % pairs;
    const u64 begin = blockIdx.x / pairs * words;
    const u64 end = length - begin < words ? length : begin + words;
    const u32 first = tiles[2 * pair], second = tiles[2 * pair + 1];
    const u32 column = threadIdx.x % 32, line = threadIdx.x / 32;
    const u32 a = threadIdx.x / 16, b = threadIdx.x % 16;
    u32 sums[PAIRS][PAIRS] = {};
    for (u64 at = begin; at < end; at += WORDS) {
        for (u32 row = line; row < TILE; row += 8) {
            const bool inside = at + column < end;
            own[row][column] = inside && first + row < count ? rows[(first + row) * stride + at + column] : 0;
            other[row][column] = inside && second + row < count ? rows[(second + row) * stride + at + column] : 0;
        }
        __syncthreads();
        for (u32 word = 0; word < WORDS; ++word) {
            u32 here[PAIRS], there[PAIRS];
#pragma unroll
            for (u32 i = 0; i < PAIRS; ++i) {
                here[i] = own[a + 16 * i][word];
                there[i] = other[b + 16 * i][word];
            }
#pragma unroll
            for (u32 i = 0; i < PAIRS; ++i) {
#pragma unroll
                for (u32 j = 0; j < PAIRS; ++j) {
                    sums[i][j] += __popc(here[i] & there[j]);
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 i = 0; i < PAIRS; ++i) {
#pragma unroll
        for (u32 j = 0; j < PAIRS; ++j) {
            const u32 row = first + a + 16 * i, with = second + b + 16 * j;
            if (row <= with && with < count) {
                atomicAdd(both + (u64)row * count + with, (u64)sums[i][j]);
            }
        }
    }
}
