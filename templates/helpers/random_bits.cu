// Random bits of a word.

//// Comparison
// How far random words are compared with the thresholds of the classes of their lanes, from their first bits on.
template <u32 CLASSES>
struct Comparison {
    // The lanes whose words are below, those whose words have been equal, what is left of thresholds, and whether further planes may decide.
    u32 result = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, more = 0, thresholds[CLASSES], lanes[CLASSES];

    // Takes the lanes of a class.
    __device__ __forceinline__ void add(u32 i, u32 of_class, const Threshold &threshold) {
        thresholds[i] = threshold.below;
        lanes[i] = of_class;
        result |= threshold.always ? of_class : 0;
        undecided |= (threshold.below | threshold.more) > 0 ? of_class : 0;
        rest |= threshold.below | threshold.more;
        more |= threshold.more;
    }

    // Whether the warp has not decided all. Where nothing but zeros is left of a threshold, no random word is below it.
    __device__ __forceinline__ bool go_on() const {
        return __any_sync(0xffffffff, rest != 0 && undecided != 0);
    }

    // Behind the planes of a word come those of further blocks. Once in 4 * 10^9 draws a random word is equal to its threshold.
    __device__ __forceinline__ void go_further(u32 &plane, u64 &block, const RandomClass (&classes)[CLASSES]) {
        if (plane < 32) {
            return;
        }
        plane = 0;
        block += 1ull << 57;
        rest = 0;
        if (more != 0) {
            more = 0;
            // One class after the other takes few registers.
#pragma unroll 1
            for (u32 i = 0; i < CLASSES; ++i) {
                Probability probability = classes[0].probability;
#pragma unroll
                for (u32 j = 1; j < CLASSES; ++j) {
                    probability = i == j ? classes[j].probability : probability;
                }
                const Threshold threshold = digits_of(probability.value(), (u32)(block >> 57));
#pragma unroll
                for (u32 j = 0; j < CLASSES; ++j) {
                    thresholds[j] = i == j ? threshold.below : thresholds[j];
                }
                more |= threshold.more;
                rest |= threshold.below | threshold.more;
            }
        }
    }

    // Compares the bits of a plane, the i-th since others were left.
    __device__ __forceinline__ void compare(u32 i, u32 words) {
        u32 threshold = 0;
#pragma unroll
        for (u32 j = 0; j < CLASSES; ++j) {
            threshold |= (int)(thresholds[j] << i) < 0 ? lanes[j] : 0;
        }
        result |= undecided & threshold & ~words;
        undecided &= ~(threshold ^ words);
    }

    // Leaves planes behind that were compared. To ask more than four classes what is left takes longer than it saves.
    __device__ __forceinline__ void leave(u32 planes) {
        rest = CLASSES <= 4 ? more : rest;
#pragma unroll
        for (u32 j = 0; j < CLASSES; ++j) {
            thresholds[j] <<= planes;
            rest |= CLASSES <= 4 ? thresholds[j] : 0;
        }
    }
};

//// RandomBits
// The random bits of the cells of a word, whose numbers follow each other from `first` on: a bit is set if the random word of its cell is
// below the threshold of the cell's class. The cells of BESIDE neighbouring threads follow each other as well: each of these threads
// makes one block of a plane for all. If ALIGNED, no block behind theirs has cells of these words, and words stand in blocks as they are.
// Random words are compared from their first bits on, until the whole warp, which must take part, has decided.
template <u32 BESIDE, bool ALIGNED, u32 CLASSES, class Cells>
__device__ __forceinline__ u32 random_bits(u64 seed, u64 first, const Cells &own, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    constexpr u32 AT_ONCE = BESIDE < 4 ? BESIDE : 4, BLOCKS = BESIDE / AT_ONCE;
    // For each plane the blocks of these threads, and the block behind them, which is made only if cells lie in it. One more block between
    // groups of threads keeps what they read at once in different banks.
    constexpr u32 ROW = BLOCKS + 1;
    __shared__ uint4 planes[128 / BESIDE][AT_ONCE * ROW + 1];
    uint4 *mine = planes[threadIdx.x / BESIDE];
    const u32 thread = threadIdx.x % 32, made = thread % BESIDE / BLOCKS, part = thread % BLOCKS;
    Comparison<CLASSES> words;
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        words.add(i, own.together(classes[i].lanes), classes[i].threshold);
    }
    u64 block = own.begin(first, BESIDE) / 128;
    const u32 place = own.cells != 0 ? (u32)(first - 128 * block) : 0, at = place / 32, shift = place % 32;
    const bool more = !ALIGNED && __any_sync(0xffffffff, place + (u32)__popc(own.cells) > 128 * BLOCKS);
#pragma unroll 1
    for (u32 plane = 0; words.go_on(); plane += AT_ONCE) {
        words.go_further(plane, block, classes);
        // Every thread has read the planes of the round before.
        __syncwarp();
        const RandomPlane here = random_plane(seed, block + part, time, 32 * draw + plane + made);
        mine[made * ROW + part] = {here.words[0], here.words[1], here.words[2], here.words[3]};
        if (more) {
            const RandomPlane last = random_plane(seed, block + BLOCKS, time, 32 * draw + plane + made);
            if (part == 0) {
                mine[made * ROW + BLOCKS] = {last.words[0], last.words[1], last.words[2], last.words[3]};
            }
        }
        __syncwarp();
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            const u32 *made_words = &mine[i * ROW].x;
            words.compare(i, ALIGNED ? made_words[at] : __funnelshift_r(made_words[at], made_words[at + 1], shift));
        }
        words.leave(AT_ONCE);
    }
    return own.back(words.result);
}

//// RandomBitsOfMembers
// The random bits of a cell in the lanes of a word, which are members: each has a seed of its own.
template <u32 CLASSES>
__device__ __forceinline__ u32 random_bits_of_members(const u64 *seeds, u64 cell, u32 time, u32 draw, u32 word, const RandomClass (&classes)[CLASSES]) {
    u32 result = 0;
#pragma unroll 1
    for (u32 lane = 0; lane < 32 && 32 * word + lane < LANES; ++lane) {
        const u64 seed = seeds[32 * word + lane];
        const u32 drawn = random_word(seed, cell, time, draw);
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            const Threshold threshold = classes[i].threshold;
            bool below = threshold.always || drawn < threshold.below;
            if (threshold.more && drawn == threshold.below && (classes[i].lanes >> lane & 1)) {
                below = happens(seed, cell, time, draw, classes[i].probability.value());
            }
            result |= classes[i].lanes & (u32)below << lane;
        }
    }
    return result;
}

//// RandomBitsOfRow
// Exchanges the middle two of each four groups of SIZE bits; `second` has ones in the second group of each four.
template <u32 SIZE> __device__ __forceinline__ u32 exchanged(u32 bits, u32 second) {
    const u32 moved = (bits >> SIZE ^ bits) & second;
    return bits ^ moved ^ moved << SIZE;
}

// The even bits of a word in its lower half, the odd ones in the upper half.
__device__ __forceinline__ u32 separated(u32 bits) {
    return exchanged<8>(exchanged<4>(exchanged<2>(exchanged<1>(bits, 0x22222222), 0x0c0c0c0c), 0x00f000f0), 0x0000ff00);
}

// The way back.
__device__ __forceinline__ u32 interleaved(u32 bits) {
    return exchanged<1>(exchanged<2>(exchanged<4>(exchanged<8>(bits, 0x0000ff00), 0x00f000f0), 0x0c0c0c0c), 0x22222222);
}

// The comparison of lanes to its end; a word of a plane holds a bit of each of COLOURS colours in its
// lower and its upper half. Their blocks follow each other from `block` on, and their words of a thread stand in word `at` of its own pair of blocks from bit
// `shift` on. The warp makes planes into `made`, and compares them from their first bits on, until all of it has decided.
template <u32 COLOURS, u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 below_thresholds(u64 seed, u64 block, u32 time, u32 draw, uint4 *made, u32 at, u32 shift, Comparison<CLASSES> words, const RandomClass (&classes)[CLASSES]) {
    // Pairs of blocks of these threads, the blocks of a plane, the planes that are made together, and those that are compared together.
    constexpr u32 PAIRS = BESIDE < 8 ? 1 : BESIDE / 8, BLOCKS = COLOURS * PAIRS, MADE = BESIDE < BLOCKS ? BLOCKS : BESIDE;
    constexpr u32 PLANES = MADE / BLOCKS, AT_ONCE = PLANES < 4 ? PLANES : 4;
    const u32 thread = threadIdx.x % BESIDE, *own = &made[BESIDE < 8 ? 0 : thread / 8].x + at;
#pragma unroll 1
    for (u32 plane = 0; words.go_on(); plane += AT_ONCE) {
        words.go_further(plane, block, classes);
        const u32 later = PLANES == AT_ONCE ? 0 : plane % PLANES;
        if (later == 0) {
            // Every thread has read the planes of the round before.
            __syncwarp();
#pragma unroll
            for (u32 turn = 0; turn < MADE / BESIDE; ++turn) {
                const u32 number = turn * BESIDE + thread;
                // Of a pair of blocks the one of the other colour stands beside it.
                const u64 other = block ^ number / PAIRS % COLOURS;
                const RandomPlane here = random_plane(seed, other + 2 * (number % PAIRS), time, 32 * draw + plane + number / BLOCKS);
                made[number] = {here.words[0], here.words[1], here.words[2], here.words[3]};
            }
            __syncwarp();
        }
        const u32 *compared = own + 4 * BLOCKS * later;
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            u32 word = compared[4 * BLOCKS * i] >> shift;
            if (COLOURS > 1) {
                word = (word & 0xffff) | compared[4 * (BLOCKS * i + PAIRS)] >> shift << 16;
            }
            words.compare(i, word);
        }
        words.leave(AT_ONCE);
    }
    return words.result;
}

// The random bits of the cells of a word of a row, which begins at `place`, counted through all rows: a bit is set if the random word of its cell is below the
// threshold of the cell's class. Of 256 places those of one colour draw from one block of planes and those of the other from the next; the colour of the
// first place is `odd`. The words of BESIDE neighbouring threads stand beside each other: each of these threads makes one block of a plane for all.
// The whole warp must take part. If all that is undecided beside each other is of one colour, the blocks of the other are not made.
template <u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 random_bits_of_row(u64 seed, u64 place, u32 odd, u32 cells, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    // One more block between groups of threads keeps what they read at once in different banks.
    __shared__ uint4 planes[128 / BESIDE][(BESIDE < 2 ? 2 : BESIDE) + 1];
    uint4 *made = planes[threadIdx.x / BESIDE];
    Comparison<CLASSES> words;
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        words.add(i, separated(classes[i].lanes & cells), classes[i].threshold);
    }
    // Those of the first thread, for threads without a word may stand anywhere.
    const u32 thread = threadIdx.x % 32, before = thread / BESIDE * BESIDE, beside = (0xffffffffu >> (32 - BESIDE)) << before;
    const u64 pair = __shfl_sync(0xffffffff, place, (int)before) / 256;
    const u32 colour = __shfl_sync(0xffffffff, odd, (int)before), at = (u32)(place % 256) / 64, shift = (u32)(place % 64) / 2;
    const bool even = (__ballot_sync(0xffffffff, (words.undecided & 0xffff) != 0) & beside) != 0;
    const bool uneven = (__ballot_sync(0xffffffff, words.undecided >> 16 != 0) & beside) != 0;
    if (__any_sync(0xffffffff, even && uneven)) {
        return interleaved(below_thresholds<2, BESIDE>(seed, 2 * pair + colour, time, draw, made, at, shift, words, classes));
    }
    // The lanes of the one colour in the lower half.
    const u32 behind = uneven ? 16 : 0, always = words.result;
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        words.lanes[i] = words.lanes[i] >> behind & 0xffff;
    }
    words.undecided >>= behind;
    words.result = 0;
    const u64 block = 2 * pair + (uneven ? 1 - colour : colour);
    const u32 found = below_thresholds<1, BESIDE>(seed, block, time, draw, made, at, shift, words, classes);
    return interleaved(always | found << behind);
}
