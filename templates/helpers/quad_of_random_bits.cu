// Lanes whose random bit has one probability.
struct QuadClass {
    Quad lanes;
    Threshold threshold;
};

// The random bits of the 128 cells of these blocks, which are the lanes of this thread: whether the random word of a lane is below
// the threshold of its class. Words are compared from their first bits on, until the warp has decided them all.
template <u32 CLASSES, class Blocks>
__device__ __forceinline__ Quad quad_of_random_bits(u64 seed, Blocks blocks, u32 time, u32 draw, const QuadClass (&classes)[CLASSES]) {
    Quad result(0), undecided(0);
    u32 thresholds[CLASSES];
    bool certain = false;
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        certain = certain || thresholds[i] == 0;
        undecided = undecided | classes[i].lanes;
    }
    if (certain) {
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            result = classes[i].threshold.always ? result | classes[i].lanes : result;
            undecided = thresholds[i] == 0 ? undecided & ~classes[i].lanes : undecided;
        }
    }
    // No word is below what is left of a threshold if that is 0. A warp may have members with other thresholds, so that all of it is asked.
    bool more = true;
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, more && any(undecided)); plane += 2) {
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const Quad words = random_quad(seed, blocks, time, 32 * draw + plane + i);
            Quad threshold(0);
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                threshold = thresholds[j] & 0x80000000 >> i ? threshold | classes[j].lanes : threshold;
            }
            result = result | (undecided & threshold & ~words);
            undecided = undecided & ~(threshold ^ words);
        }
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            thresholds[i] <<= 2;
        }
        more = CLASSES > 1 || thresholds[0] != 0;
    }
    return result;
}
