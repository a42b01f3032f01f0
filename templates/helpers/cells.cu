// Words of rows, in which some places are no cells.

//// Gathering
// Moves the bits where a word has ones side by side, and back.
struct Gathering {
    u32 cells;
    u32 moves[5]; // those that move by 1, 2, 4, 8 and 16 places

    __device__ __forceinline__ explicit Gathering(u32 word) : cells(word) {
        u32 zeros = ~word << 1, left = word;
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            // The bits below which the number of zeros is odd.
            u32 odd = zeros ^ zeros << 1;
            odd ^= odd << 2;
            odd ^= odd << 4;
            odd ^= odd << 8;
            odd ^= odd << 16;
            moves[i] = odd & left;
            left = (left ^ moves[i]) | moves[i] >> (1 << i);
            zeros &= ~odd;
        }
    }

    __device__ __forceinline__ u32 together(u32 bits) const {
        bits &= cells;
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const u32 moved = bits & moves[i];
            bits = (bits ^ moved) | moved >> (1 << i);
        }
        return bits;
    }

    __device__ __forceinline__ u32 back(u32 bits) const {
#pragma unroll
        for (int i = 4; i >= 0; --i) {
            bits = (bits & ~moves[i]) | (bits << (1 << i) & moves[i]);
        }
        return bits & cells;
    }
};

//// RandomBitsOfCells
// The random bits of the cells of a word, whose numbers follow each other from `first` on: whether the random word of a cell is below the
// threshold of its class. Those of the BESIDE words that threads beside each other have follow each other, too: each of these threads makes
// a block of a plane for all of them. Words are compared from their first bits on, until the warp has decided them all; all of it must ask.
template <u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 random_bits_of_cells(u64 seed, u64 first, u32 cells, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    constexpr u32 AT_ONCE = BESIDE < 4 ? BESIDE : 4, BLOCKS = BESIDE / AT_ONCE;
    // By plane: the blocks that these threads make, and the block behind them, which is made only if cells lie in it.
    __shared__ uint4 planes[128 / BESIDE][AT_ONCE][BLOCKS + 1];
    uint4(&mine)[AT_ONCE][BLOCKS + 1] = planes[threadIdx.x / BESIDE];
    const u32 thread = threadIdx.x % 32, made = thread % BESIDE / BLOCKS, part = thread % BLOCKS;
    const Gathering gathering(cells);
    u32 result = 0, undecided = 0, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = FULL ? classes[i].lanes & cells : gathering.together(classes[i].lanes);
        result |= classes[i].threshold.always ? lanes[i] : 0;
        undecided |= thresholds[i] > 0 ? lanes[i] : 0;
    }
    // The first of the words that have cells.
    const u32 some = __ballot_sync(0xffffffff, cells != 0) & (0xffffffffu >> (32 - BESIDE)) << thread / BESIDE * BESIDE;
    const u64 begin = __shfl_sync(0xffffffff, first, some != 0 ? (u32)__ffs((int)some) - 1 : thread);
    const u64 block = begin / 128;
    const u32 place = cells != 0 ? (u32)(first - 128 * block) : 0, at = place / 32, shift = place % 32;
    const bool more = __any_sync(0xffffffff, place + (u32)__popc(cells) > 128 * BLOCKS);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, undecided != 0); plane += AT_ONCE) {
        // All have read the planes before.
        __syncwarp();
        const RandomPlane here = random_plane(seed, block + part, time, 32 * draw + plane + made);
        mine[made][part] = {here.words[0], here.words[1], here.words[2], here.words[3]};
        if (more) {
            const RandomPlane last = random_plane(seed, block + BLOCKS, time, 32 * draw + plane + made);
            if (part == 0) {
                mine[made][BLOCKS] = {last.words[0], last.words[1], last.words[2], last.words[3]};
            }
        }
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            const u32 *words = &mine[i][0].x;
            const u32 word = FULL && WIDTH % 32 == 0 ? words[at] : __funnelshift_r(words[at], words[at + 1], shift);
            u32 threshold = 0;
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                threshold |= (int)(thresholds[j] << i) < 0 ? lanes[j] : 0;
            }
            result |= undecided & threshold & ~word;
            undecided &= ~(threshold ^ word);
        }
#pragma unroll
        for (u32 j = 0; j < CLASSES; ++j) {
            thresholds[j] <<= AT_ONCE;
        }
    }
    return FULL ? result : gathering.back(result);
}
