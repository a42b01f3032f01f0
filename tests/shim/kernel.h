// CUDA C as C++ of the host: the head of an emitted text when `nvrtc.cpp` compiles it. No header is included, so that a
// text compiles in a fraction of a second. A kernel's threads are fibres of `cuda.cpp`, which meet where threads of a GPU do.

#define __global__
#define __device__
#define __shared__ static // blocks run one after the other
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

#include "machine.h"

// Set when the code is loaded.
extern "C" shim::Machine *shim_machine;
shim::Machine *shim_machine;

#define threadIdx (shim_machine->thread)
#define blockIdx (shim_machine->block)
#define blockDim (shim_machine->threads)
#define gridDim (shim_machine->blocks)

namespace shim {

using U16 = unsigned short;
using U32 = unsigned int;
using U64 = unsigned long long;

template <typename To, typename From>
static inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}

// The values of all lanes of the warp; lanes that do not exist have 0.
static inline const U64 *of_all(Meeting meeting, U32 mask, U64 value) {
    return shim_machine->meet_warp(meeting, mask, value);
}

static inline U32 lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

// How a kernel is called with pointers to its arguments.
template <U32... I>
struct Numbers {};
template <U32 N, U32... I>
struct Below : Below<N - 1, N - 1, I...> {};
template <U32... I>
struct Below<0, I...> {
    using All = Numbers<I...>;
};

template <auto FUNCTION>
struct Caller;
template <typename... A, void (*FUNCTION)(A...)>
struct Caller<FUNCTION> {
    static constexpr U32 COUNT = sizeof...(A);
    static constexpr U64 SIZES[] = {sizeof(A)..., 0};

    template <U32... I>
    static void spread(void **arguments, Numbers<I...>) {
        FUNCTION(*static_cast<A *>(arguments[I])...);
    }
    static void call(void **arguments) {
        spread(arguments, typename Below<COUNT>::All());
    }
};

// An F16 as a number.
static inline float of_half(U32 bits) {
    const int exponent = bits >> 10 & 31;
    const float fraction = (float)(bits & 1023) / 1024.0f;
    float value = exponent == 0 ? fraction : 1.0f + fraction;
    for (int i = exponent == 0 ? 1 : exponent; i < 15; ++i) {
        value /= 2.0f;
    }
    for (int i = 15; i < exponent; ++i) {
        value *= 2.0f;
    }
    return bits >> 15 & 1 ? -value : value;
}

} // namespace shim

// A kernel as the driver finds it: `LAUNCH_BOUND` threads a block are its most.
#define SHIM_KERNEL(NAME, LAUNCH_BOUND)                                                                                \
    extern "C" const shim::Kernel shim_kernel_##NAME;                                                                  \
    const shim::Kernel shim_kernel_##NAME = {                                                                          \
        shim::Caller<NAME>::call, shim::Caller<NAME>::SIZES, shim::Caller<NAME>::COUNT, LAUNCH_BOUND};

// Threads that meet.

static inline void __syncthreads() {
    shim_machine->meet_block(shim::Meeting::Barrier, 0);
}
static inline void __syncwarp() {
    shim::of_all(shim::Meeting::Shuffle, 0xffffffff, 0);
}
static inline int __syncthreads_or(int value) {
    return shim_machine->meet_block(shim::Meeting::BarrierOr, value != 0);
}
static inline unsigned __ballot_sync(unsigned mask, int value) {
    const shim::U64 *all = shim::of_all(shim::Meeting::Ballot, mask, value != 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        bits |= (unsigned)all[lane] << lane;
    }
    return bits;
}
static inline int __any_sync(unsigned mask, int value) {
    return __ballot_sync(mask, value) != 0;
}
static inline unsigned __match_any_sync(unsigned mask, unsigned value) {
    const shim::U64 *all = shim::of_all(shim::Meeting::Shuffle, mask, value);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        bits |= (unsigned)(all[lane] == value) << lane;
    }
    return bits;
}
template <typename T>
static inline T __shfl_sync(unsigned mask, T value, unsigned from) {
    static_assert(sizeof(T) <= 8 && T(1) / T(2) == T(0), "an integer");
    return (T)shim::of_all(shim::Meeting::Shuffle, mask, (shim::U64)value)[from % 32];
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, unsigned distance) {
    static_assert(sizeof(T) <= 8 && T(1) / T(2) == T(0), "an integer");
    return (T)shim::of_all(shim::Meeting::Shuffle, mask, (shim::U64)value)[shim::lane() ^ distance];
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
    static_assert(sizeof(T) <= 8 && T(1) / T(2) == T(0), "an integer");
    const shim::U64 *all = shim::of_all(shim::Meeting::Shuffle, mask, (shim::U64)value);
    return shim::lane() >= distance ? (T)all[shim::lane() - distance] : value;
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
    static_assert(sizeof(T) <= 8 && T(1) / T(2) == T(0), "an integer");
    const shim::U64 *all = shim::of_all(shim::Meeting::Shuffle, mask, (shim::U64)value);
    return shim::lane() + distance < 32 ? (T)all[shim::lane() + distance] : value;
}

// Floats go as their bits.
static inline float __shfl_up_sync(unsigned mask, float value, unsigned distance) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, 4);
    bits = __shfl_up_sync(mask, bits, distance);
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
static inline float __shfl_down_sync(unsigned mask, float value, unsigned distance) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, 4);
    bits = __shfl_down_sync(mask, bits, distance);
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
static inline double __shfl_up_sync(unsigned mask, double value, unsigned distance) {
    shim::U64 bits;
    __builtin_memcpy(&bits, &value, 8);
    bits = __shfl_up_sync(mask, bits, distance);
    __builtin_memcpy(&value, &bits, 8);
    return value;
}
static inline double __shfl_down_sync(unsigned mask, double value, unsigned distance) {
    shim::U64 bits;
    __builtin_memcpy(&bits, &value, 8);
    bits = __shfl_down_sync(mask, bits, distance);
    __builtin_memcpy(&value, &bits, 8);
    return value;
}

// Only one thread runs at a time.
template <typename T>
static inline T atomicAdd(T *sum, T value) {
    const T before = *sum;
    *sum += value;
    return before;
}

template <typename T>
static inline T atomicMin(T *least, T value) {
    const T before = *least;
    *least = value < before ? value : before;
    return before;
}
template <typename T>
static inline T atomicMax(T *greatest, T value) {
    const T before = *greatest;
    *greatest = before < value ? value : before;
    return before;
}
template <typename T>
static inline T atomicAnd(T *all, T value) {
    const T before = *all;
    *all &= value;
    return before;
}
template <typename T>
static inline T atomicOr(T *all, T value) {
    const T before = *all;
    *all |= value;
    return before;
}

template <typename T>
static inline T atomicCAS(T *place, T expected, T value) {
    const T before = *place;
    *place = before == expected ? value : before;
    return before;
}

// Functions of CUDA C.

static inline unsigned min(unsigned a, unsigned b) {
    return b < a ? b : a;
}
static inline unsigned max(unsigned a, unsigned b) {
    return a < b ? b : a;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)((((shim::U64)high << 32 | low) << (by & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((shim::U64)high << 32 | low) >> (by & 31));
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __clz(unsigned bits) {
    return bits == 0 ? 32 : __builtin_clz(bits);
}
static inline int __ffs(int value) {
    return __builtin_ffs(value);
}
static inline int __popc(unsigned value) {
    return __builtin_popcount(value);
}
static inline unsigned __brev(unsigned value) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) {
        reversed = reversed << 1 | (value >> bit & 1);
    }
    return reversed;
}
static inline float __int_as_float(int value) {
    return shim::bits_as<float>(value);
}
static inline float __uint_as_float(unsigned value) {
    return shim::bits_as<float>(value);
}
static inline int __float_as_int(float value) {
    return shim::bits_as<int>(value);
}
static inline unsigned __float_as_uint(float value) {
    return shim::bits_as<unsigned>(value);
}
static inline double __longlong_as_double(long long value) {
    return shim::bits_as<double>(value);
}
static inline long long __double_as_longlong(double value) {
    return shim::bits_as<long long>(value);
}
static inline float __double2float_rn(double value) {
    return (float)value;
}

#define SHIM_FLOAT_FUNCTION(NAME)                                                                                      \
    static inline float NAME##f(float value) {                                                                         \
        return __builtin_##NAME##f(value);                                                                             \
    }                                                                                                                  \
    static inline float NAME(float value) {                                                                            \
        return __builtin_##NAME##f(value);                                                                             \
    }                                                                                                                  \
    static inline double NAME(double value) {                                                                          \
        return __builtin_##NAME(value);                                                                                \
    }
SHIM_FLOAT_FUNCTION(sqrt)
SHIM_FLOAT_FUNCTION(floor)
SHIM_FLOAT_FUNCTION(ceil)
SHIM_FLOAT_FUNCTION(trunc)
SHIM_FLOAT_FUNCTION(round)
SHIM_FLOAT_FUNCTION(fabs)
static inline float __fsqrt_rn(float value) {
    return __builtin_sqrtf(value);
}
static inline double __dsqrt_rn(double value) {
    return __builtin_sqrt(value);
}
static inline float fmodf(float a, float b) {
    return __builtin_fmodf(a, b);
}
static inline double fmod(double a, double b) {
    return __builtin_fmod(a, b);
}

// PTX: `nvrtc.cpp` makes calls of these from inline assembly, the operands in their order.

static inline void ptx_mov_b64(unsigned &low, unsigned &high, unsigned long long both) {
    low = (unsigned)both;
    high = (unsigned)(both >> 32);
}
static inline float ptx_flushed(float v) {
    return __builtin_fabsf(v) < 1.17549435e-38f ? __builtin_copysignf(0.0f, v) : v;
}
static inline void ptx_add_ftz_f32(float &result, float a, float b) {
    result = ptx_flushed(ptx_flushed(a) + ptx_flushed(b));
}
static inline void ptx_sub_ftz_f32(float &result, float a, float b) {
    result = ptx_flushed(ptx_flushed(a) - ptx_flushed(b));
}
// Minus a number: of two instructions the first gives the name.
static inline void ptx_not_b32(int &result, int v) {
    result = (int)(0u - (unsigned)v);
}
static inline void ptx_mov_b32(float &result, float v) {
    result = v;
}
static inline void ptx_mov_b64(double &result, double v) {
    result = v;
}
static inline void ptx_lop3_b32(unsigned &result, unsigned a, unsigned b, unsigned c, int table) {
    result = 0;
    for (int i = 0; i < 8; ++i) {
        if (table >> i & 1) {
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        }
    }
}

static inline void ptx_ld_acquire_gpu_u32(unsigned &value, const unsigned *from) {
    value = *from;
}
static inline void ptx_st_release_gpu_u32(unsigned *to, unsigned value) {
    *to = value;
}
static inline void ptx_ld_relaxed_gpu_u64(unsigned long long &value, const unsigned long long *from) {
    value = *from;
}
static inline void ptx_st_relaxed_gpu_u64(unsigned long long *to, unsigned long long value) {
    *to = value;
}
static inline void ptx_prefetch_global_L1(const void *) {}
static inline void __nanosleep(unsigned) {}
static inline void __threadfence() {}

// The value must be an integer that F16 holds exactly.
static inline void ptx_cvt_rn_f16_u32(shim::U16 &result, unsigned value) {
    int exponent = 0;
    while (value >> exponent > 1) {
        ++exponent;
    }
    const unsigned fraction = exponent <= 10 ? value << (10 - exponent) : value >> (exponent - 10);
    result = value == 0 ? 0 : (shim::U16)((exponent + 15) << 10 | (fraction & 1023));
}

// Products of matrices over a warp. Lane `l` holds four elements of row l / 4 of A and of column l / 4 of B, and two elements of row
// l / 4 of the sum.
static inline void ptx_mma_sync_aligned_m8n8k16_row_col_s32_u8_u8_s32(int &first, int &second, unsigned a, unsigned b) {
    const shim::U64 *all = shim::of_all(shim::Meeting::Multiply, 0xffffffff, (shim::U64)b << 32 | a);
    int *sums[2] = {&first, &second};
    for (unsigned i = 0; i < 2; ++i) {
        const unsigned row = shim::lane() / 4, column = shim::lane() % 4 * 2 + i;
        for (unsigned k = 0; k < 16; ++k) {
            const unsigned of_a = (unsigned)all[4 * row + k / 4] >> (8 * (k % 4)) & 255;
            const unsigned of_b = (unsigned)(all[4 * column + k / 4] >> 32) >> (8 * (k % 4)) & 255;
            *sums[i] += (int)(of_a * of_b);
        }
    }
}

// As above with F16, of which a lane holds two of row l / 4 and two of row l / 4 + 8 of A.
static inline void ptx_mma_sync_aligned_m16n8k8_row_col_f32_f16_f16_f32(
    float &first, float &second, float &third, float &fourth, unsigned a_low, unsigned a_high, unsigned b
) {
    shim::U64 of_a[32], of_b[32];
    const shim::U64 *all = shim::of_all(shim::Meeting::Multiply, 0xffffffff, (shim::U64)a_high << 32 | a_low);
    __builtin_memcpy(of_a, all, sizeof(of_a));
    all = shim::of_all(shim::Meeting::Multiply, 0xffffffff, b);
    __builtin_memcpy(of_b, all, sizeof(of_b));
    float *sums[4] = {&first, &second, &third, &fourth};
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = shim::lane() / 4, column = shim::lane() % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned a = (unsigned)(of_a[4 * row + k / 2] >> (i / 2 * 32 + k % 2 * 16)) & 0xffff;
            const unsigned b = (unsigned)(of_b[4 * column + k / 2] >> (k % 2 * 16)) & 0xffff;
            *sums[i] += shim::of_half(a) * shim::of_half(b);
        }
    }
}

// As above with columns of A and rows of B from 8 on in further words.
static inline void ptx_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(
    float &first, float &second, float &third, float &fourth, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1
) {
    ptx_mma_sync_aligned_m16n8k8_row_col_f32_f16_f16_f32(first, second, third, fourth, a0, a1, b0);
    ptx_mma_sync_aligned_m16n8k8_row_col_f32_f16_f16_f32(first, second, third, fourth, a2, a3, b1);
}

// As above with bits, of which a lane holds two words of row l / 4 and two of row l / 4 + 8 of A; sums count the ones of both.
static inline void ptx_mma_sync_aligned_m16n8k256_row_col_s32_b1_b1_s32_and_popc(
    int &first, int &second, int &third, int &fourth, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1
) {
    shim::U64 low[32], high[32];
    // Words k and k + 4 of a row are those of lane k of its group.
    const shim::U64 *all = shim::of_all(shim::Meeting::Multiply, 0xffffffff, (shim::U64)a1 << 32 | a0);
    __builtin_memcpy(low, all, sizeof(low));
    all = shim::of_all(shim::Meeting::Multiply, 0xffffffff, (shim::U64)a3 << 32 | a2);
    __builtin_memcpy(high, all, sizeof(high));
    all = shim::of_all(shim::Meeting::Multiply, 0xffffffff, (shim::U64)b1 << 32 | b0);
    int *sums[4] = {&first, &second, &third, &fourth};
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = shim::lane() / 4, column = shim::lane() % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 4; ++k) {
            const unsigned below = (unsigned)(low[4 * row + k] >> (i / 2 * 32)) & (unsigned)all[4 * column + k];
            const unsigned above = (unsigned)(high[4 * row + k] >> (i / 2 * 32)) & (unsigned)(all[4 * column + k] >> 32);
            *sums[i] += __builtin_popcount(below) + __builtin_popcount(above);
        }
    }
}

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

// Copies to shared memory, done at once. Shared memory lies near this library's own variables.
static inline unsigned long long __cvta_generic_to_shared(const void *pointer) {
    return (unsigned long long)((const char *)pointer - (const char *)&shim_machine);
}
static inline void ptx_cp_async_cg_shared_global(unsigned to, const void *from) {
    __builtin_memcpy((char *)&shim_machine + (int)to, from, 16);
}
static inline void ptx_cp_async_commit_group() {}
static inline void ptx_cp_async_wait_group() {}
