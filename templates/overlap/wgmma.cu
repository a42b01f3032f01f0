// How many ones each two of many rows of bits have in common, by the tensor cores of architecture 9.0 alone: four warps together count the
// ones of `a & b` for 64 rows and up to 256 others over 256 columns at a time, and take both from shared memory. One warp of a
// block lets rows be copied there, some steps ahead; the others wait for what was copied and count.

typedef unsigned int u32;
typedef unsigned long long u64;

// Bytes of each row in a step: as many as a line of shared memory has, which is kept in the order `SWIZZLE`.
constexpr u32 DEPTH = 128;
// Rows that are copied at a time.
constexpr u32 BOX = 64;
// A block counts 128 rows with 256; two blocks have the same 256 and copy one half of them each, for both.
constexpr u32 HEIGHT = 128;
constexpr u32 WIDTH = 256;
constexpr u32 BLOCKS = 2;
// Steps that lie in shared memory at once.
constexpr u32 STAGES = 4;
// Bytes of shared memory for copies where rows are few.
constexpr u32 FEW_BYTES = 192 * 1024;

// A tensor map of the driver (`CUtensorMap`) of the rows, in elements of 8 bytes.
struct alignas(128) Map {
    u64 words[16];
};

extern __shared__ char memory[];

// Shared memory for copies begins at a multiple of this.
constexpr u32 ALIGNMENT = 1024;

__device__ __forceinline__ u32 copies() {
    return ((u32)__cvta_generic_to_shared(memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// What tells the tensor cores where rows are: lines of 128 bytes, eight of them 1024 bytes, in swizzled order.
__device__ __forceinline__ u64 described(u32 address) {
    constexpr u64 SWIZZLE = 1, EIGHT_LINES = 1024;
    return (u64)(address % (1 << 18) / 16) | (u64)1 << 16 | EIGHT_LINES / 16 << 32 | SWIZZLE << 62;
}

__device__ __forceinline__ u32 rank() {
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void all_blocks_meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Makes a barrier on which `arrivals` threads arrive.
__device__ __forceinline__ void make(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Arrives, and announces copies of `bytes` bytes.
__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Arrives at the barrier of another block, or of this one.
__device__ __forceinline__ void arrive(u32 barrier, u32 block) {
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(barrier), "r"(block));
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}

// Waits for the end of the barrier's phase with this parity, 0 or 1: all threads have arrived, and all announced bytes are there.
__device__ __forceinline__ void wait(u32 barrier, u32 odd) {
    u32 done;
    do {
        asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(odd)
                     : "memory");
    } while (!done);
}

// Starts to copy a step of 64 rows.
__device__ __forceinline__ void copy(u32 to, const Map &rows, u64 step, u32 row, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(&rows), "r"(barrier), "r"((u32)step * (DEPTH / 8)), "r"(row)
                 : "memory");
}

// Starts to copy a step of 64 rows to all blocks that have the same.
__device__ __forceinline__ void copy_to_all(u32 to, const Map &rows, u64 step, u32 row, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], "
                 "[%2], %5;" ::"r"(to),
                 "l"(&rows), "r"(barrier), "r"((u32)step * (DEPTH / 8)), "r"(row), "h"((unsigned short)((1 << BLOCKS) - 1))
                 : "memory");
}

#define SUMS(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])

// 64 rows with 64.
__device__ __forceinline__ void multiply(int (&d)[32], u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k256.s32.b1.b1.and.popc "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, 1;"
                 : SUMS(0), SUMS(8), SUMS(16), SUMS(24)
                 : "l"(a), "l"(b));
}

// 64 rows with 128.
__device__ __forceinline__ void multiply(int (&d)[64], u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k256.s32.b1.b1.and.popc "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, 1;"
                 : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56)
                 : "l"(a), "l"(b));
}

// 64 rows with 256.
__device__ __forceinline__ void multiply(int (&d)[128], u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                 "%128, %129, 1;"
                 : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56),
                   SUMS(64), SUMS(72), SUMS(80), SUMS(88), SUMS(96), SUMS(104), SUMS(112), SUMS(120)
                 : "l"(a), "l"(b));
}

// Starts to count a step of 64 rows with others.
template <u32 SIZE>
__device__ __forceinline__ void count_step(int (&sums)[SIZE], u32 own, u32 others) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (u32 column = 0; column < DEPTH; column += 32) {
        multiply(sums, described(own + column), described(others + column));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until no more than STEPS steps are being counted.
template <u32 STEPS>
__device__ __forceinline__ void counted() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(STEPS) : "memory");
}

// Adds what four warps counted: 64 rows from `row` on with others from `with` on. Where no count passes 32 bits, two that lie beside each other in memory
// are added at once: additions to memory are most of what a block takes beside its steps.
template <u32 SIZE>
__device__ __forceinline__ void add(const int (&sums)[SIZE], u32 row, u32 with, u32 count, bool in_pairs, u64 *both) {
    row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
    with += threadIdx.x % 4 * 2;
#pragma unroll
    for (u32 i = 0; i < SIZE; i += 2) {
        const u32 a = row + i % 4 / 2 * 8, b = with + i / 4 * 8;
        const u64 first = a <= b && b < count ? (u32)sums[i] : 0;
        const u64 second = a <= b + 1 && b + 1 < count ? (u32)sums[i + 1] : 0;
        if (in_pairs) {
            // Behind the last row, which an odd number of them pairs with none, there is no memory.
            if (a <= b + 1 && a < count && b < count) {
                atomicAdd(both + (u64)a * ((count + 1) / 2) + b / 2, first | second << 32);
            }
        } else {
            if (a <= b && b < count) {
                atomicAdd(both + (u64)a * count + b, first);
            }
            if (a <= b + 1 && b + 1 < count) {
                atomicAdd(both + (u64)a * count + b + 1, second);
            }
        }
    }
}

// Counts the ones that rows of two tiles have in common. Each two blocks take a pair of tiles (`tiles` names their first rows; a tile has 256) and a piece of
// `steps` steps of 1024 columns. Beyond `rows` all bits are 0.
extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(288, 1) overlap_wgmma(
    const __grid_constant__ Map rows,
    u32 count,
    const u32 *__restrict__ tiles,
    u32 pairs,
    u64 length,
    u64 steps,
    u32 in_pairs,
    u64 *both
) {
    __shared__ u64 barriers[2 * STAGES];
    constexpr u32 STAGE = (HEIGHT + WIDTH) * DEPTH;
    const u32 filled = (u32)__cvta_generic_to_shared(barriers), freed = filled + 8 * STAGES, own = copies();
    const u32 here = rank(), item = blockIdx.x / BLOCKS, warp = threadIdx.x / 32;
    const u64 begin = item / pairs * steps;
    const u64 end = length - begin < steps ? length : begin + steps;
    const u32 first = tiles[item % pairs * 2] + here * HEIGHT, second = tiles[item % pairs * 2 + 1];
    if (threadIdx.x == 0) {
        for (u32 stage = 0; stage < STAGES; ++stage) {
            make(filled + 8 * stage, 1);
            make(freed + 8 * stage, BLOCKS * (HEIGHT / 64));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    all_blocks_meet();
    u32 stage = 0, odd = 0;
    if (warp == HEIGHT / 16) {
        if (threadIdx.x % 32 == 0) {
            for (u64 step = begin; step < end; ++step) {
                // The first time nothing has to be freed.
                wait(freed + 8 * stage, odd ^ 1);
                const u32 barrier = filled + 8 * stage, to = own + stage * STAGE;
                expect(barrier, STAGE);
                for (u32 row = 0; row < HEIGHT; row += BOX) {
                    copy(to + row * DEPTH, rows, step, first + row, barrier);
                }
                for (u32 row = here * (WIDTH / BLOCKS); row < (here + 1) * (WIDTH / BLOCKS); row += BOX) {
                    copy_to_all(to + (HEIGHT + row) * DEPTH, rows, step, second + row, barrier);
                }
                stage = stage + 1 == STAGES ? 0 : stage + 1;
                odd ^= stage == 0;
            }
        }
    } else {
        int sums[WIDTH / 2] = {};
        const u32 top = warp / 4 * 64;
        u32 before = 0;
        u64 step = begin;
        do {
            wait(filled + 8 * stage, odd);
            const u32 at = own + stage * STAGE;
            count_step(sums, at + top * DEPTH, at + HEIGHT * DEPTH);
            counted<1>();
            if (step > begin && threadIdx.x % 128 < BLOCKS) {
                arrive(freed + 8 * before, threadIdx.x % 128);
            }
            before = stage;
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            odd ^= stage == 0;
        } while (++step < end);
        counted<0>();
        add(sums, first + top, second, count, in_pairs != 0, both);
    }
    // Until then the other block copies to this one, and tells it what is free.
    __syncwarp();
    all_blocks_meet();
}

// Up to 64 or 128 rows with each other: bytes are read once. A block takes every piece of `steps` steps whose number is its own modulo the number of
// blocks.
template <u32 ROWS>
__device__ __forceinline__ void few(const Map &rows, u32 count, u64 length, u64 steps, u32 in_pairs, u64 *both) {
    constexpr u32 STAGE = ROWS * DEPTH, FEW_STAGES = FEW_BYTES / STAGE;
    __shared__ u64 barriers[2 * FEW_STAGES];
    const u32 filled = (u32)__cvta_generic_to_shared(barriers), freed = filled + 8 * FEW_STAGES, own = copies();
    const u32 warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (u32 stage = 0; stage < FEW_STAGES; ++stage) {
            make(filled + 8 * stage, 1);
            make(freed + 8 * stage, ROWS / 64);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    u32 stage = 0, odd = 0;
    u64 step = blockIdx.x * steps, left = steps;
    const auto next = [&] {
        ++step;
        if (--left == 0) {
            left = steps;
            step += (gridDim.x - 1) * steps;
        }
    };
    if (warp == ROWS / 16) {
        if (threadIdx.x % 32 == 0) {
            for (; step < length; next()) {
                wait(freed + 8 * stage, odd ^ 1);
                expect(filled + 8 * stage, STAGE);
                for (u32 row = 0; row < ROWS; row += BOX) {
                    copy(own + stage * STAGE + row * DEPTH, rows, step, row, filled + 8 * stage);
                }
                stage = stage + 1 == FEW_STAGES ? 0 : stage + 1;
                odd ^= stage == 0;
            }
        }
    } else {
        int sums[ROWS / 2] = {};
        const u32 top = warp / 4 * 64;
        u32 before = 0;
        bool is_first = true;
        do {
            wait(filled + 8 * stage, odd);
            const u32 at = own + stage * STAGE;
            count_step(sums, at + top * DEPTH, at);
            counted<1>();
            if (!is_first && threadIdx.x % 128 == 0) {
                arrive(freed + 8 * before, 0);
            }
            before = stage;
            stage = stage + 1 == FEW_STAGES ? 0 : stage + 1;
            odd ^= stage == 0;
            is_first = false;
            next();
        } while (step < length);
        counted<0>();
        add(sums, top, 0, count, in_pairs != 0, both);
    }
}

extern "C" __global__ void __launch_bounds__(160)
    overlap_wgmma_64(const __grid_constant__ Map rows, u32 count, u64 length, u64 steps, u32 in_pairs, u64 *both) {
    few<64>(rows, count, length, steps, in_pairs, both);
}

extern "C" __global__ void __launch_bounds__(288)
    overlap_wgmma_128(const __grid_constant__ Map rows, u32 count, u64 length, u64 steps, u32 in_pairs, u64 *both) {
    few<128>(rows, count, length, steps, in_pairs, both);
}

// What the tensor cores do if nothing has to be fetched: `times` rounds of as many products as a step has.
extern "C" __global__ void __launch_bounds__(256, 1) overlap_wgmma_rate(u32 times, u32 *out) {
    const u32 own = copies(), words = (HEIGHT + WIDTH) * DEPTH / 4;
    for (u32 word = threadIdx.x; word < words; word += blockDim.x) {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(own + 4 * word), "r"((word + blockIdx.x * words) * 0x9e3779b9) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    int sums[WIDTH / 2] = {};
    for (u32 round = 0; round < times; ++round) {
        count_step(sums, own + threadIdx.x / 128 * 64 * DEPTH, own + HEIGHT * DEPTH);
        counted<1>();
    }
    counted<0>();
    u32 sum = 0;
#pragma unroll
    for (u32 i = 0; i < WIDTH / 2; ++i) {
        sum += sums[i];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
