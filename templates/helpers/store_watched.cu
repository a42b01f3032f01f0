// Whether two values have other bits.
template <typename T> __device__ __forceinline__ bool differ(T a, T b) {
    return a != b;
}
template <> __device__ __forceinline__ bool differ<float>(float a, float b) {
    return __float_as_uint(a) != __float_as_uint(b);
}
template <> __device__ __forceinline__ bool differ<double>(double a, double b) {
    return __double_as_longlong(a) != __double_as_longlong(b);
}

// Stores a value where another one stood, and says so if it is not the same.
template <typename T> __device__ __forceinline__ void store_watched(T &place, T before, T value, bool &changed) {
    changed |= differ(before, value);
    place = value;
}
