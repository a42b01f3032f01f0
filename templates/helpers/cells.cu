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
// threshold of its class. Words are compared from their first bits on, until all are decided.
template <u32 CLASSES>
__device__ __forceinline__ u32 random_bits_of_cells(u64 seed, u64 first, u32 cells, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    const Gathering gathering(cells);
    u32 result = 0, undecided = 0, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = FULL ? classes[i].lanes & cells : gathering.together(classes[i].lanes);
        result |= classes[i].threshold.always ? lanes[i] : 0;
        undecided |= thresholds[i] > 0 ? lanes[i] : 0;
    }
    const u64 block = first / 128;
    const u32 number = (u32)(first / 32 % 4), shift = (u32)(first % 32), count = (u32)__popc(cells);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && undecided != 0; ++plane) {
        const RandomPlane here = random_plane(seed, block, time, 32 * draw + plane);
        u32 word = word_of_plane(here, number) >> shift;
        if (shift + count > 32) {
            const RandomPlane next = number == 3 ? random_plane(seed, block + 1, time, 32 * draw + plane) : here;
            word |= word_of_plane(next, (number + 1) % 4) << (32 - shift);
        }
        u32 threshold = 0;
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            threshold |= (int)thresholds[i] < 0 ? lanes[i] : 0;
            thresholds[i] <<= 1;
        }
        result |= undecided & threshold & ~word;
        undecided &= ~(threshold ^ word);
    }
    return FULL ? result : gathering.back(result);
}
