// How many ones each two of many rows of bits have in common, by the tensor cores of architectures 8.0 to 9.0: their products of bits
// count the ones of `a & b`, 16 rows with 8 over 256 columns at a time. Which bits meet which does not matter as long as both rows
// agree, so that every thread takes the 16 bytes that lie best.

typedef unsigned int u32;
typedef unsigned long long u64;

// Rows of a warp, and rows beside them.
#ifndef WARP_HEIGHT
#define WARP_HEIGHT 64
#define WARP_WIDTH 64
#endif
// Rows of a block, those that they meet, 16-byte pieces of a row that a block looks at at a time, and threads.
constexpr u32 HEIGHT = 4 * WARP_HEIGHT;
constexpr u32 WIDTH = 2 * WARP_WIDTH;
constexpr u32 PIECES = 4;
constexpr u32 THREADS = 256;

// Starts to copy 16 bytes to shared memory.
__device__ __forceinline__ void copy(uint4 *to, const uint4 *from) {
    const u32 address = (u32)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

// Adds to `sums` the ones that 16 rows have in common with 8.
__device__ __forceinline__ void product(int sums[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Of each pair of tiles in `tiles` (the first rows of both) and each piece of `steps` steps of 512 columns. `rows` has `stride` pieces of
// 16 bytes in a row, and zeros in rows from `count` on, up to whole tiles.
extern "C" __global__ void __launch_bounds__(THREADS) overlap_mma(
    const uint4 *__restrict__ rows,
    u64 stride,
    u32 count,
    const u32 *__restrict__ tiles,
    u32 pairs,
    u64 length,
    u64 steps,
    u64 *both
) {
    // Two stages: one is filled while the other is counted.
    __shared__ uint4 own[2][HEIGHT][PIECES];
    __shared__ uint4 other[2][WIDTH][PIECES];
    const u32 pair = blockIdx.x % pairs;
    const u64 begin = blockIdx.x / pairs * steps;
    const u64 end = length - begin < steps ? length : begin + steps;
    const u32 first = tiles[2 * pair], second = tiles[2 * pair + 1];
    const u32 warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, piece = threadIdx.x % 4;
    const u32 top = warp % 4 * WARP_HEIGHT, left = warp / 4 * WARP_WIDTH;
    const auto fill = [&](u64 step, u32 stage) {
        const u32 row = threadIdx.x / PIECES, column = threadIdx.x % PIECES;
        const uint4 *const from = rows + step * PIECES + column;
#pragma unroll
        for (u32 i = 0; i < HEIGHT; i += THREADS / PIECES) {
            copy(&own[stage][i + row][column], from + (u64)(first + i + row) * stride);
        }
#pragma unroll
        for (u32 i = 0; i < WIDTH; i += THREADS / PIECES) {
            copy(&other[stage][i + row][column], from + (u64)(second + i + row) * stride);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    int sums[WARP_HEIGHT / 16][WARP_WIDTH / 8][4] = {};
    fill(begin, 0);
    for (u64 step = begin; step < end; ++step) {
        const u32 stage = (step - begin) % 2;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (step + 1 < end) {
            fill(step + 1, 1 - stage);
        }
        uint4 upper[WARP_HEIGHT / 16], lower[WARP_HEIGHT / 16];
#pragma unroll
        for (u32 i = 0; i < WARP_HEIGHT / 16; ++i) {
            upper[i] = own[stage][top + 16 * i + group][piece];
            lower[i] = own[stage][top + 16 * i + 8 + group][piece];
        }
#pragma unroll
        for (u32 j = 0; j < WARP_WIDTH / 8; ++j) {
            const uint4 with = other[stage][left + 8 * j + group][piece];
#pragma unroll
            for (u32 i = 0; i < WARP_HEIGHT / 16; ++i) {
                product(sums[i][j], upper[i].x, lower[i].x, upper[i].y, lower[i].y, with.x, with.y);
                product(sums[i][j], upper[i].z, lower[i].z, upper[i].w, lower[i].w, with.z, with.w);
            }
        }
    }
#pragma unroll
    for (u32 i = 0; i < WARP_HEIGHT / 16; ++i) {
#pragma unroll
        for (u32 j = 0; j < WARP_WIDTH / 8; ++j) {
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                const u32 row = first + top + 16 * i + group + k / 2 * 8, with = second + left + 8 * j + 2 * piece + k % 2;
                if (row <= with && with < count) {
                    atomicAdd(both + (u64)row * count + with, (u64)(u32)sums[i][j][k]);
                }
            }
        }
    }
}

// What the tensor cores do if nothing has to be fetched: `times` rounds of as many products as a step has.
extern "C" __global__ void __launch_bounds__(THREADS) overlap_mma_rate(u32 times, u32 *out) {
    int sums[WARP_HEIGHT / 16][WARP_WIDTH / 8][4] = {};
    const u32 word = threadIdx.x * 0x9e3779b9;
    for (u32 round = 0; round < times; ++round) {
#pragma unroll
        for (u32 j = 0; j < WARP_WIDTH / 8; ++j) {
#pragma unroll
            for (u32 i = 0; i < WARP_HEIGHT / 16; ++i) {
                product(sums[i][j], word, ~word, word + i, word ^ i, word + j, word ^ j);
                product(sums[i][j], ~word, word, word - i, word ^ i, word - j, word ^ j);
            }
        }
    }
    u32 sum = 0;
#pragma unroll
    for (u32 i = 0; i < WARP_HEIGHT / 16; ++i) {
#pragma unroll
        for (u32 j = 0; j < WARP_WIDTH / 8; ++j) {
            sum += sums[i][j][0] + sums[i][j][1] + sums[i][j][2] + sums[i][j][3];
        }
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
