// Random bits of the 128 cells of these blocks that are of one draw, whose planes are made once: of each the thresholds of the classes.
template <u32 BITS, u32 CLASSES, class Blocks>
__device__ __forceinline__ QuadsOfBits<BITS> quads_of_random_bits(u64 seed, Blocks blocks, u32 time, u32 draw, const Quad (&lanes)[CLASSES],
                                                                  const Threshold (&thresholds)[BITS][CLASSES]) {
    QuadsOfBits<BITS> result;
    Quad undecided[BITS], all(0);
    u32 rest[BITS][CLASSES];
#pragma unroll
    for (u32 bit = 0; bit < BITS; ++bit) {
        result.bits[bit] = Quad(0);
        undecided[bit] = Quad(0);
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            rest[bit][i] = thresholds[bit][i].below;
            result.bits[bit] = thresholds[bit][i].always ? result.bits[bit] | lanes[i] : result.bits[bit];
            undecided[bit] = rest[bit][i] > 0 ? undecided[bit] | lanes[i] : undecided[bit];
        }
        all = all | undecided[bit];
    }
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, any(all)); plane += 2) {
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const Quad words = random_quad(seed, blocks, time, 32 * draw + plane + i);
            all = Quad(0);
#pragma unroll
            for (u32 bit = 0; bit < BITS; ++bit) {
                Quad threshold(0);
#pragma unroll
                for (u32 j = 0; j < CLASSES; ++j) {
                    threshold = rest[bit][j] & 0x80000000 >> i ? threshold | lanes[j] : threshold;
                }
                result.bits[bit] = result.bits[bit] | (undecided[bit] & threshold & ~words);
                undecided[bit] = undecided[bit] & ~(threshold ^ words);
                all = all | undecided[bit];
            }
        }
#pragma unroll
        for (u32 bit = 0; bit < BITS; ++bit) {
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                rest[bit][j] <<= 2;
            }
        }
    }
    return result;
}
