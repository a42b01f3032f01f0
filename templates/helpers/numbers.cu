// Operations on numbers for which CUDA C has no operator, or one with another meaning.

//// DivideI32
// 0 if the divisor is 0; wraps.
__device__ __forceinline__ int whole_quotient(int a, int b) {
    return b == 0 ? 0 : b == -1 ? (int)(0u - (u32)a) : a / b;
}

//// RemainderI32
// 0 if the divisor is 0. Also if it is -1: then the quotient of the least number overflows.
__device__ __forceinline__ int whole_remainder(int a, int b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

//// DivideU32
// 0 if the divisor is 0.
__device__ __forceinline__ u32 whole_quotient(u32 a, u32 b) {
    return b == 0 ? 0 : a / b;
}

//// RemainderU32
// 0 if the divisor is 0.
__device__ __forceinline__ u32 whole_remainder(u32 a, u32 b) {
    return b == 0 ? 0 : a % b;
}

//// DivideI64
// 0 if the divisor is 0; wraps.
__device__ __forceinline__ long long whole_quotient(long long a, long long b) {
    return b == 0 ? 0 : b == -1 ? (long long)(0 - (u64)a) : a / b;
}

//// RemainderI64
// 0 if the divisor is 0. Also if it is -1: then the quotient of the least number overflows.
__device__ __forceinline__ long long whole_remainder(long long a, long long b) {
    return b == 0 || b == -1 ? 0 : a % b;
}

//// SaturateU8
// Truncated; 0 for NaN.
__device__ __forceinline__ u8 saturate_u8(double v) {
    return v >= 255.0 ? 255 : v > 0.0 ? (u8)(u32)v : 0;
}

//// SaturateU16
// Truncated; 0 for NaN.
__device__ __forceinline__ unsigned short saturate_u16(double v) {
    return v >= 65535.0 ? 65535 : v > 0.0 ? (unsigned short)(u32)v : 0;
}

//// SaturateI32
// Truncated; 0 for NaN.
__device__ __forceinline__ int saturate_i32(double v) {
    if (v >= 2147483647.0) {
        return 2147483647;
    }
    return v > -2147483648.0 ? (int)v : v <= -2147483648.0 ? -2147483647 - 1 : 0;
}

//// SaturateU32
// Truncated; 0 for NaN.
__device__ __forceinline__ u32 saturate_u32(double v) {
    return v >= 4294967295.0 ? 4294967295u : v > 0.0 ? (u32)v : 0;
}

//// SaturateI64
// Truncated; 0 for NaN.
__device__ __forceinline__ long long saturate_i64(double v) {
    if (v >= 9223372036854775808.0) {
        return 9223372036854775807ll;
    }
    return v > -9223372036854775808.0 ? (long long)v : v <= -9223372036854775808.0 ? -9223372036854775807ll - 1 : 0;
}

//// CanonicalF32
// The value that is stored: all NaNs are one.
__device__ __forceinline__ float canonical(float v) {
    return v == v ? v : __int_as_float(0x7fc00000);
}

//// CanonicalF64
// The value that is stored: all NaNs are one.
__device__ __forceinline__ double canonical(double v) {
    return v == v ? v : __longlong_as_double(0x7ff8000000000000);
}

//// FlushedSum
// A sum, or the zero of its sign where it is below the least normal number.
__device__ __forceinline__ float flushed_sum(float a, float b) {
    float result;
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}

//// FlushedDifference
// A difference, or the zero of its sign where it is below the least normal number.
__device__ __forceinline__ float flushed_difference(float a, float b) {
    float result;
    asm("sub.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}

//// HiddenF32
// A zero that the compiler does not know to be one. From a choice between a known zero and what was compared with it the compiler makes a minimum or maximum, which tells -0 from 0.
__device__ __forceinline__ float hidden(float v) {
    float result;
    asm("mov.b32 %0, %1;" : "=f"(result) : "f"(v));
    return result;
}

//// HiddenF64
// A zero that the compiler does not know to be one. From a choice between a known zero and what was compared with it the compiler makes a minimum or maximum, which tells -0 from 0.
__device__ __forceinline__ double hidden(double v) {
    double result;
    asm("mov.b64 %0, %1;" : "=d"(result) : "d"(v));
    return result;
}

//// Negated
// A number with the other sign. The compilers of CUDA 12.6 to 13.3 make one instruction of `max(max(a, -b), c)` and of two minima, for
// architectures 9.0 and 10.0, and forget the sign, unless they see no negation.
__device__ __forceinline__ int negated(int v) {
    int result;
    asm("not.b32 %0, %1; add.s32 %0, %0, 1;" : "=r"(result) : "r"(v));
    return result;
}
