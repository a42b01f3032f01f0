// Lanes whose random bit has one probability.
struct QuadClass {
    Quad lanes;
    Threshold threshold;
};

// The planes of 128 cells from `first` on, which may lie in two blocks.
__device__ __forceinline__ Quad random_quad(u64 seed, u64 first, u32 time, u32 number) {
    const RandomPlane here = random_plane(seed, first / 128, time, number);
    if constexpr (LANES % 128 == 0) {
        return Quad(here.words[0], here.words[1], here.words[2], here.words[3]);
    } else {
        const RandomPlane next = random_plane(seed, first / 128 + 1, time, number);
        const u32 shift = (u32)(first % 32);
        const bool one = first / 32 & 1, two = first / 64 & 1;
        u32 words[6];
#pragma unroll
        for (u32 i = 0; i < 6; ++i) {
            const u32 later = i < 2 ? here.words[i + 2] : next.words[i - 2];
            words[i] = two ? later : i < 4 ? here.words[i] : next.words[i - 4];
        }
#pragma unroll
        for (u32 i = 0; i < 5; ++i) {
            words[i] = one ? words[i + 1] : words[i];
        }
        return Quad(__funnelshift_r(words[0], words[1], shift), __funnelshift_r(words[1], words[2], shift),
                    __funnelshift_r(words[2], words[3], shift), __funnelshift_r(words[3], words[4], shift));
    }
}

// The random bits of the 128 cells from `first` on, which are the lanes of this thread: whether the random word of a lane is below
// the threshold of its class. Words are compared from their first bits on, until the warp has decided them all. Classes beyond the
// first `COMMON` have lanes at the border only.
template <u32 COMMON, u32 CLASSES>
__device__ __forceinline__ Quad quad_of_random_bits(u64 seed, u64 first, u32 time, u32 draw, const QuadClass (&classes)[CLASSES]) {
    Quad result(0), undecided(0), border(0);
    u32 thresholds[CLASSES];
    bool certain = false;
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        certain = certain || thresholds[i] == 0;
        undecided = undecided | classes[i].lanes;
        border = i >= COMMON ? border | classes[i].lanes : border;
    }
    if (certain) {
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            result = classes[i].threshold.always ? result | classes[i].lanes : result;
            undecided = thresholds[i] == 0 ? undecided & ~classes[i].lanes : undecided;
        }
    }
    const bool rare = COMMON < CLASSES && __any_sync(0xffffffff, any(border));
    // No word is below what is left of a threshold if that is 0. A warp may have members with other thresholds, so that all of it is asked.
    bool more = true;
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, more && any(undecided)); plane += 2) {
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const Quad words = random_quad(seed, first, time, 32 * draw + plane + i);
            Quad threshold(0);
#pragma unroll
            for (u32 j = 0; j < COMMON; ++j) {
                threshold = thresholds[j] & 0x80000000 >> i ? threshold | classes[j].lanes : threshold;
            }
            if (rare) {
#pragma unroll
                for (u32 j = COMMON; j < CLASSES; ++j) {
                    threshold = thresholds[j] & 0x80000000 >> i ? threshold | classes[j].lanes : threshold;
                }
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
