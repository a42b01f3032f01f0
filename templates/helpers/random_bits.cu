// Random bits of a word of a column.

//// RandomBits
// How many threads, with words of one column, share the planes of their lanes: each makes some planes, and they exchange the words. Where
// WORDS is no multiple of SHARING, a superblock has threads beyond its last word.
constexpr u32 SHARING = WORDS < 3 ? WORDS : 4;

// Word `number` + i of a plane in two successive blocks.
__device__ __forceinline__ u32 word_of_planes(const u32 (&both)[8], u32 number, u32 i) {
    const u32 even = number & 2 ? both[i + 2] : both[i], odd = number & 2 ? both[i + 3] : both[i + 1];
    return number & 1 ? odd : even;
}

// The random bits of the cells from `first` on, which are the lanes of this thread's word: a bit is set if the random word of its lane is
// below the threshold of the lane's class. Random words are compared from their first bits on, until the warp has decided.
template <u32 CLASSES>
__device__ __forceinline__ u32 random_bits(u64 seed, u64 first, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    u32 result = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, thresholds[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        result |= classes[i].threshold.always ? classes[i].lanes : 0;
        undecided |= thresholds[i] > 0 ? classes[i].lanes : 0;
        rest |= thresholds[i];
    }
    const u32 member = threadIdx.x % SHARING;
    // Where the lanes of the threads that share begin.
    const u64 begin = first - 32 * member;
    const u64 block = begin / 128;
    const u32 number = (u32)(begin / 32 % 4), shift = (u32)(begin % 32);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, rest != 0 && undecided != 0); plane += SHARING) {
        // The lanes of the threads that share, in the plane that this thread makes.
        u32 words[SHARING];
        const RandomPlane here = random_plane(seed, block, time, 32 * draw + plane + member);
        if constexpr (LANES % (32 * SHARING) == 0) {
#pragma unroll
            for (u32 i = 0; i < SHARING; ++i) {
                words[i] = SHARING == 4 ? here.words[i] : word_of_plane(here, number + i);
            }
        } else {
            const RandomPlane next = random_plane(seed, block + 1, time, 32 * draw + plane + member);
            const u32 both[8] = {here.words[0], here.words[1], here.words[2], here.words[3],
                                 next.words[0], next.words[1], next.words[2], next.words[3]};
#pragma unroll
            for (u32 i = 0; i < SHARING; ++i) {
                words[i] = __funnelshift_r(word_of_planes(both, number, i), word_of_planes(both, number, i + 1), shift);
            }
        }
        // Now word i of this thread's plane becomes this thread's word of plane i.
#pragma unroll
        for (u32 step = SHARING / 2; step > 0; step /= 2) {
#pragma unroll
            for (u32 i = 0; i < SHARING; ++i) {
                if ((i & step) == 0) {
                    const bool upper = (member & step) != 0;
                    const u32 taken = __shfl_xor_sync(0xffffffff, upper ? words[i] : words[i + step], step);
                    words[i] = upper ? taken : words[i];
                    words[i + step] = upper ? words[i + step] : taken;
                }
            }
        }
#pragma unroll
        for (u32 i = 0; i < SHARING; ++i) {
            u32 threshold = 0;
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                threshold |= (int)(thresholds[j] << i) < 0 ? classes[j].lanes : 0;
            }
            result |= undecided & threshold & ~words[i];
            undecided &= ~(threshold ^ words[i]);
        }
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            thresholds[i] <<= SHARING;
        }
        // Where 0 is left of a threshold, no random word is below it. To ask more than four classes takes longer than it saves.
        if (CLASSES <= 4) {
            rest = 0;
#pragma unroll
            for (u32 i = 0; i < CLASSES; ++i) {
                rest |= thresholds[i];
            }
        }
    }
    return result;
}
