// Words of rows, in which some places are no cells.

//// Gathering
// Gathers the bits of a word that stand where another word has ones, and scatters them again.
struct Gathering {
    u32 cells;
    u32 moves[5]; // the bits that move by 1, 2, 4, 8 and 16 places

    __device__ __forceinline__ explicit Gathering(u32 word) : cells(word) {
        u32 zeros = ~word << 1, left = word;
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            // The bits with an odd number of zeros below them.
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
// The random bits of the cells of a word, whose numbers follow each other from `first` on: a bit is set if the random word of its cell is
// below the threshold of the cell's class. BESIDE threads beside each other have words whose cells follow each other as well: each of them
// makes one block of a plane for all. Random words are compared from their first bits on, until the whole warp, which must take part, has
// decided.
template <u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 random_bits_of_cells(u64 seed, u64 first, u32 cells, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    constexpr u32 AT_ONCE = BESIDE < 4 ? BESIDE : 4, BLOCKS = BESIDE / AT_ONCE;
    // For each plane the blocks of these threads, and the block behind them, which is made only if cells lie in it.
    __shared__ uint4 planes[128 / BESIDE][AT_ONCE][BLOCKS + 1];
    uint4(&mine)[AT_ONCE][BLOCKS + 1] = planes[threadIdx.x / BESIDE];
    const u32 thread = threadIdx.x % 32, made = thread % BESIDE / BLOCKS, part = thread % BLOCKS;
    const Gathering gathering(cells);
    u32 result = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = FULL ? classes[i].lanes & cells : gathering.together(classes[i].lanes);
        result |= classes[i].threshold.always ? lanes[i] : 0;
        undecided |= thresholds[i] > 0 ? lanes[i] : 0;
        rest |= thresholds[i];
    }
    // The first word with a cell.
    const u32 some = __ballot_sync(0xffffffff, cells != 0) & (0xffffffffu >> (32 - BESIDE)) << thread / BESIDE * BESIDE;
    const u64 begin = __shfl_sync(0xffffffff, first, some != 0 ? (u32)__ffs((int)some) - 1 : thread);
    const u64 block = begin / 128;
    const u32 place = cells != 0 ? (u32)(first - 128 * block) : 0, at = place / 32, shift = place % 32;
    const bool more = __any_sync(0xffffffff, place + (u32)__popc(cells) > 128 * BLOCKS);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, rest != 0 && undecided != 0); plane += AT_ONCE) {
        // Every thread has read the planes of the round before.
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
        // Where 0 is left of a threshold, no random word is below it. To ask more than four classes takes longer than it saves.
        if (CLASSES <= 4) {
            rest = 0;
#pragma unroll
            for (u32 j = 0; j < CLASSES; ++j) {
                rest |= thresholds[j];
            }
        }
    }
    return FULL ? result : gathering.back(result);
}
