// Four words of a column: 128 lanes.
constexpr u32 QUADS = WORDS / 4;
struct alignas(16) Quad {
    u32 words[4];

    __device__ __forceinline__ Quad() {}
    // The same word four times.
    __device__ __forceinline__ Quad(u32 word) : words{word, word, word, word} {}
    __device__ __forceinline__ Quad(u32 a, u32 b, u32 c, u32 d) : words{a, b, c, d} {}
};

__device__ __forceinline__ Quad quad_at(const u32 *words) {
    return Quad(words[0], words[1], words[2], words[3]);
}

__device__ __forceinline__ Quad operator&(const Quad &a, const Quad &b) {
    return Quad(a.words[0] & b.words[0], a.words[1] & b.words[1], a.words[2] & b.words[2], a.words[3] & b.words[3]);
}

__device__ __forceinline__ Quad operator|(const Quad &a, const Quad &b) {
    return Quad(a.words[0] | b.words[0], a.words[1] | b.words[1], a.words[2] | b.words[2], a.words[3] | b.words[3]);
}

__device__ __forceinline__ Quad operator^(const Quad &a, const Quad &b) {
    return Quad(a.words[0] ^ b.words[0], a.words[1] ^ b.words[1], a.words[2] ^ b.words[2], a.words[3] ^ b.words[3]);
}

__device__ __forceinline__ Quad operator~(const Quad &a) {
    return Quad(~a.words[0], ~a.words[1], ~a.words[2], ~a.words[3]);
}

template <int TABLE>
__device__ __forceinline__ Quad lop3(const Quad &a, const Quad &b, const Quad &c) {
    return Quad(lop3<TABLE>(a.words[0], b.words[0], c.words[0]), lop3<TABLE>(a.words[1], b.words[1], c.words[1]),
                lop3<TABLE>(a.words[2], b.words[2], c.words[2]), lop3<TABLE>(a.words[3], b.words[3], c.words[3]));
}

// Whether it has any bit.
__device__ __forceinline__ bool any(const Quad &a) {
    return (a.words[0] | a.words[1] | a.words[2] | a.words[3]) != 0;
}
