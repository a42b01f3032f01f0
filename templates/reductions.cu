// How reductions combine: integers in any order, floats one after the other.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;

struct Sum {
    static constexpr i64 NOTHING = 0;
    static __device__ __forceinline__ i64 both(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
    static __device__ __forceinline__ void add_to(i64 *total, i64 value) { atomicAdd((u64 *)total, (u64)value); }
    // The fold with one more value: `fold` is that of the `before` values so far, and counts for nothing if there are none.
    static __device__ __forceinline__ f64 next(u32 before, f64 fold, f64 value) { return (before == 0 ? 0.0 : fold) + value; }
};

struct Min {
    static constexpr i64 NOTHING = 0x7fffffffffffffffll;
    static __device__ __forceinline__ i64 both(i64 a, i64 b) { return b < a ? b : a; }
    static __device__ __forceinline__ void add_to(i64 *total, i64 value) { atomicMin(total, value); }
    static __device__ __forceinline__ f64 next(u32 before, f64 fold, f64 value) {
        return before == 0 || value < fold ? value : fold;
    }
};

struct Max {
    static constexpr i64 NOTHING = -0x7fffffffffffffffll - 1;
    static __device__ __forceinline__ i64 both(i64 a, i64 b) { return a < b ? b : a; }
    static __device__ __forceinline__ void add_to(i64 *total, i64 value) { atomicMax(total, value); }
    static __device__ __forceinline__ f64 next(u32 before, f64 fold, f64 value) {
        return before == 0 || fold < value ? value : fold;
    }
};
