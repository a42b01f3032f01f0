// Lanes whose random bit has one probability.
struct QuadClass {
    Quad lanes;
    Threshold threshold;
};

__device__ __forceinline__ u32 word_of_quad(const Quad &quad, u32 number) {
    const u32 low = number & 1 ? quad.words[1] : quad.words[0], high = number & 1 ? quad.words[3] : quad.words[2];
    return number & 2 ? high : low;
}

// Decides the few lanes of a warp that the first `plane` planes have not: the threads that have some name one cell each, and all threads make
// planes for these. What is left of the thresholds of classes begins with the next plane.
template <u32 CLASSES, class Blocks>
__device__ __forceinline__ void decide_open_cells(u64 seed, Blocks blocks, u32 time, u32 draw, u32 plane, const QuadClass (&classes)[CLASSES],
                                                  const u32 (&thresholds)[CLASSES], Quad undecided, Quad &result) {
    // For each warp of a block.
    __shared__ OpenCell open_cells[4][32];
    OpenCell *const open = open_cells[threadIdx.x / 32];
    const u32 own = threadIdx.x % 32;
    u32 lane = 0, rest = 0, next = 0;
#pragma unroll 1
    for (;;) {
        if (rest == 0 && any(undecided)) {
            const u32 number = undecided.words[0] ? 0 : undecided.words[1] ? 1 : undecided.words[2] ? 2 : 3;
            const u32 lanes = word_of_quad(undecided, number), bit = lanes & (0 - lanes);
#pragma unroll
            for (u32 i = 0; i < CLASSES; ++i) {
                rest = word_of_quad(classes[i].lanes, number) & bit ? thresholds[i] : rest;
            }
#pragma unroll
            for (u32 i = 0; i < 4; ++i) {
                undecided.words[i] ^= i == number ? bit : 0;
            }
            lane = 32 * number + 31 - __clz(bit);
            next = plane;
        }
        const u32 waiting = __ballot_sync(0xffffffff, rest != 0);
        if (waiting == 0) {
            // No word is below what is left of a threshold if that is 0.
            if (!__any_sync(0xffffffff, any(undecided))) {
                return;
            }
            continue;
        }
        // As many planes for each cell as there are threads.
        const u32 planes_log = __clz(__popc(waiting) - 1) - 27, rank = __popc(waiting & ((1u << own) - 1));
        if (rest != 0) {
            open[rank] = open_cell(blocks, lane, 32 * draw + next);
        }
        __syncwarp();
        const OpenCell cell = open[own >> planes_log];
        const RandomPlane made = random_plane(seed, cell.block, time, cell.plane + (own & ((1u << planes_log) - 1)));
        const u32 bits = __ballot_sync(0xffffffff, word_of_plane(made, cell.bit / 32) >> cell.bit % 32 & 1);
        if (rest != 0) {
            const u32 word = __brev(bits >> (rank << planes_log)), left = 32 - next;
            const u32 planes = 1u << planes_log < left ? 1u << planes_log : left;
            const u32 differing = (word ^ rest) & ~(0xffffffff >> planes);
            if (differing != 0) {
                const u32 below = rest << __clz(differing) >> 31;
#pragma unroll
                for (u32 i = 0; i < 4; ++i) {
                    result.words[i] |= i == lane / 32 ? below << lane % 32 : 0;
                }
            }
            rest = differing != 0 ? 0 : rest << planes;
            next += planes;
        }
        __syncwarp();
    }
}

// The random bits of the 128 cells of these blocks, which are the lanes of this thread: whether the random word of a lane is below
// the threshold of its class. Words are compared from their first bits on, until the warp has decided them all; of whole warps, what the first
// `TOGETHER` planes do not decide is decided cell by cell. Classes beyond the first `COMMON` have lanes at the border only.
template <u32 TOGETHER, u32 COMMON, u32 CLASSES, class Blocks>
__device__ __forceinline__ Quad quad_of_random_bits(u64 seed, Blocks blocks, u32 time, u32 draw, const QuadClass (&classes)[CLASSES]) {
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
    for (u32 plane = 0; plane < TOGETHER && __any_sync(0xffffffff, more && any(undecided)); plane += 2) {
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const Quad words = random_quad(seed, blocks, time, 32 * draw + plane + i);
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
    if constexpr (TOGETHER < 32) {
        decide_open_cells(seed, blocks, time, draw, TOGETHER, classes, thresholds, undecided, result);
    }
    return result;
}
