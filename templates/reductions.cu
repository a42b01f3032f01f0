// How sums, least and greatest values are folded.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef int i32;
typedef float f32;
typedef double f64;

// The fold so far, of which `before` values came in, and the next one.
struct Sum {
    static __device__ __forceinline__ f64 next(u32 before, f64 fold, f64 value) { return (before == 0 ? 0.0 : fold) + value; }
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

