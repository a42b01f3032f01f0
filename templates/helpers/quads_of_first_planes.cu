// Some random bits of 128 cells.
template <u32 BITS>
struct QuadsOfBits {
    Quad bits[BITS];
};

// Random bits of the 128 cells of these blocks that the first planes of a draw decide. Of each the thresholds of the classes, in parts of 2^PLANES.
template <u32 PLANES, u32 BITS, u32 CLASSES, class Blocks>
__device__ __forceinline__ QuadsOfBits<BITS> quads_of_first_planes(u64 seed, Blocks blocks, u32 time, u32 draw, const Quad (&lanes)[CLASSES],
                                                                   const u32 (&thresholds)[BITS][CLASSES]) {
    QuadsOfBits<BITS> result;
    Quad undecided[BITS];
#pragma unroll
    for (u32 bit = 0; bit < BITS; ++bit) {
        result.bits[bit] = Quad(0);
        undecided[bit] = Quad(0);
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            Quad &all = thresholds[bit][i] >> PLANES != 0 ? result.bits[bit] : undecided[bit];
            all = all | lanes[i];
        }
    }
#pragma unroll
    for (u32 plane = 0; plane < PLANES; ++plane) {
        const Quad words = random_quad(seed, blocks, time, 32 * draw + plane);
#pragma unroll
        for (u32 bit = 0; bit < BITS; ++bit) {
            Quad threshold(0);
#pragma unroll
            for (u32 i = 0; i < CLASSES; ++i) {
                threshold = thresholds[bit][i] >> (PLANES - 1 - plane) & 1 ? threshold | lanes[i] : threshold;
            }
            result.bits[bit] = result.bits[bit] | (undecided[bit] & threshold & ~words);
            undecided[bit] = undecided[bit] & ~(threshold ^ words);
        }
    }
    return result;
}
