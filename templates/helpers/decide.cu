// Random bits of four words of a column.

//// Decide
// Some random bits of 128 cells.
template <u32 BITS>
struct QuadsOfBits {
    Quad bits[BITS];
};

// Several random bits of one draw, of the 128 cells of these blocks: the planes are made once, and each bit is set if the random word of its lane
// is below the threshold of the lane's class. Random words are compared from their first bits on: by PLANES planes if these are few, else until the warp has decided;
// behind the planes of a word come those of further blocks.
template <u32 PLANES, u32 BITS, u32 CLASSES, class Blocks>
__device__ __forceinline__ QuadsOfBits<BITS> decide(u64 seed, Blocks blocks, u32 time, u32 draw, const Quad (&lanes)[CLASSES],
                                                    const Threshold (&thresholds)[BITS][CLASSES],
                                                    const Probability (&probabilities)[BITS][CLASSES]) {
    constexpr bool FEW = PLANES < 32;
    constexpr u32 AT_ONCE = FEW ? PLANES : 2;
    QuadsOfBits<BITS> result;
    Quad undecided[BITS], all(0);
    u32 rest[BITS][CLASSES], beyond = 0;
    bool certain = false;
#pragma unroll
    for (u32 bit = 0; bit < BITS; ++bit) {
        result.bits[bit] = Quad(0);
        undecided[bit] = Quad(0);
#pragma unroll
        for (u32 j = 0; j < CLASSES; ++j) {
            rest[bit][j] = thresholds[bit][j].below;
            beyond |= thresholds[bit][j].more;
            certain = certain || (rest[bit][j] | thresholds[bit][j].more) == 0;
            undecided[bit] = undecided[bit] | lanes[j];
        }
    }
    if (certain) {
#pragma unroll
        for (u32 bit = 0; bit < BITS; ++bit) {
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                result.bits[bit] = thresholds[bit][j].always ? result.bits[bit] | lanes[j] : result.bits[bit];
                undecided[bit] = (rest[bit][j] | thresholds[bit][j].more) == 0 ? undecided[bit] & ~lanes[j] : undecided[bit];
            }
        }
    }
#pragma unroll
    for (u32 bit = 0; bit < BITS; ++bit) {
        all = all | undecided[bit];
    }
    // Where 0 is left of a threshold, no random word is below it. Members in a warp may have different thresholds, so that the whole warp is asked.
    bool more = true;
#pragma unroll 1
    while (true) {
#pragma unroll 1
        for (u32 plane = 0; plane < PLANES && (FEW || __any_sync(0xffffffff, more && any(all))); plane += AT_ONCE) {
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; ++i) {
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
                    rest[bit][j] <<= AT_ONCE;
                }
            }
            more = BITS * CLASSES > 1 || (rest[0][0] | beyond) != 0;
        }
        // Once in 4 * 10^9 draws a random word is equal to its threshold.
        if (FEW || __builtin_expect(!__any_sync(0xffffffff, beyond != 0 && any(all)), 1)) {
            return result;
        }
        const u32 turn = further(blocks);
        beyond = 0;
        // One class after the other takes few registers.
#pragma unroll 1
        for (u32 i = 0; i < BITS * CLASSES; ++i) {
            Probability probability = probabilities[0][0];
#pragma unroll
            for (u32 j = 1; j < BITS * CLASSES; ++j) {
                probability = i == j ? probabilities[j / CLASSES][j % CLASSES] : probability;
            }
            const Threshold threshold = digits_of(probability.value(), turn);
#pragma unroll
            for (u32 j = 0; j < BITS * CLASSES; ++j) {
                u32 &left = rest[j / CLASSES][j % CLASSES];
                left = i == j ? threshold.below : left;
            }
            beyond |= threshold.more;
        }
    }
}
