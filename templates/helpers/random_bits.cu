// Random bits of a word.

//// BelowExactly
// Of the lanes of classes that 32 planes, of which `words` gives the bits, have not decided, those where a random bit is set: plane after plane, class after class.
template <u32 CLASSES, class Words>
__device__ __forceinline__ u32 below_exactly(u32 undecided, const u32 (&lanes)[CLASSES], const RandomClass (&classes)[CLASSES], Words words) {
    u32 result = 0;
#pragma unroll 1
    for (u32 i = 0; i < CLASSES; ++i) {
        u32 open = lanes[0];
        Probability probability = classes[0].probability;
#pragma unroll
        for (u32 j = 1; j < CLASSES; ++j) {
            open = i == j ? lanes[j] : open;
            probability = i == j ? classes[j].probability : probability;
        }
        open &= undecided;
        // Doubled, what is left shows its next digit.
        double left = probability.value();
#pragma unroll 1
        for (u32 plane = 0; open != 0 && left > 0.0; ++plane) {
            left += left;
            const u32 digit = left >= 1.0, drawn = words(plane);
            left -= digit;
            result |= digit != 0 ? open & ~drawn : 0;
            open &= digit != 0 ? drawn : ~drawn;
        }
    }
    return result;
}

// The bits of a plane of 32 cells whose numbers follow each other.
__device__ __forceinline__ u32 bits_of_plane(u64 seed, u64 first, u32 time, u32 draw, u32 plane) {
    u32 bits = 0;
#pragma unroll 1
    for (u32 part = 0; part < 2; ++part) {
        // The cells in the word of the first one, then those in the next.
        const u64 begin = first / 32 * 32 + 32 * part;
        const u32 word = word_of_plane(plane_of_draw(seed, begin / 128, time, draw, plane), (u32)(begin / 32 % 4));
        bits |= part == 0 ? word >> first % 32 : word << 1 << (31 - first % 32);
    }
    return bits;
}

// The bits of a plane of 32 places of a row from an even one on; those of the first one's colour in the lower half.
__device__ __forceinline__ u32 bits_of_row(u64 seed, u64 place, u32 odd, u32 time, u32 draw, u32 plane) {
    u32 bits = 0;
#pragma unroll 1
    for (u32 part = 0; part < 2; ++part) {
        const RandomPlane words = plane_of_draw(seed, place / 256 * 2 + (odd ^ part), time, draw, plane);
        bits |= (word_of_plane(words, (u32)(place % 256) / 64) >> place % 64 / 2 & 0xffff) << 16 * part;
    }
    return bits;
}

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
    u32 result = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, beyond = 0, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = own.together(classes[i].lanes);
        result |= classes[i].threshold.always ? lanes[i] : 0;
        undecided |= (thresholds[i] | classes[i].threshold.more) > 0 ? lanes[i] : 0;
        rest |= thresholds[i];
        beyond |= classes[i].threshold.more;
    }
    const u64 block = own.begin(first, BESIDE) / 128;
    const u32 place = own.cells != 0 ? (u32)(first - 128 * block) : 0, at = place / 32, shift = place % 32;
    const bool more = !ALIGNED && __any_sync(0xffffffff, place + (u32)__popc(own.cells) > 128 * BLOCKS);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, rest != 0 && undecided != 0); plane += AT_ONCE) {
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
            const u32 *words = &mine[i * ROW].x;
            const u32 word = ALIGNED ? words[at] : __funnelshift_r(words[at], words[at + 1], shift);
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
    // Once in 4 * 10^9 draws a random word is equal to its threshold.
    if (__builtin_expect(beyond != 0 && undecided != 0, 0)) {
        const u64 begin = 128 * block + place;
        result |= below_exactly(undecided, lanes, classes, [=](u32 plane) { return bits_of_plane(seed, begin, time, draw, plane); });
    }
    return own.back(result);
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

// Of the lanes that are undecided those whose random words are below their thresholds; a word of a plane holds a bit of each of COLOURS colours in its
// lower and its upper half. Their blocks follow each other from `block` on, and their words of a thread stand in word `at` of its own pair of blocks from bit
// `shift` on. The warp makes planes into `made`, and compares them from their first bits on, until all of it has decided.
template <u32 COLOURS, u32 BESIDE, u32 CLASSES>
__device__ __forceinline__ u32 below_thresholds(u64 seed, u64 block, u32 time, u32 draw, uint4 *made, u32 at, u32 shift, u32 &undecided, u32 rest, const u32 (&lanes)[CLASSES], u32 (&thresholds)[CLASSES]) {
    // Pairs of blocks of these threads, the blocks of a plane, the planes that are made together, and those that are compared together.
    constexpr u32 PAIRS = BESIDE < 8 ? 1 : BESIDE / 8, BLOCKS = COLOURS * PAIRS, MADE = BESIDE < BLOCKS ? BLOCKS : BESIDE;
    constexpr u32 PLANES = MADE / BLOCKS, AT_ONCE = PLANES < 4 ? PLANES : 4;
    const u32 thread = threadIdx.x % BESIDE, *own = &made[BESIDE < 8 ? 0 : thread / 8].x + at;
    u32 result = 0;
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, rest != 0 && undecided != 0); plane += AT_ONCE) {
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
        const u32 *words = own + 4 * BLOCKS * later;
#pragma unroll
        for (u32 i = 0; i < AT_ONCE; ++i) {
            u32 word = words[4 * BLOCKS * i] >> shift;
            if (COLOURS > 1) {
                word = (word & 0xffff) | words[4 * (BLOCKS * i + PAIRS)] >> shift << 16;
            }
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
    return result;
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
    u32 always = 0, undecided = 0, rest = CLASSES <= 4 ? 0 : 1, beyond = 0, thresholds[CLASSES], lanes[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        const u32 own = classes[i].lanes & cells;
        thresholds[i] = classes[i].threshold.below;
        lanes[i] = separated(own);
        always |= classes[i].threshold.always ? own : 0;
        undecided |= (thresholds[i] | classes[i].threshold.more) > 0 ? lanes[i] : 0;
        rest |= thresholds[i];
        beyond |= classes[i].threshold.more;
    }
    // Those of the first thread, for threads without a word may stand anywhere.
    const u32 thread = threadIdx.x % 32, before = thread / BESIDE * BESIDE, beside = (0xffffffffu >> (32 - BESIDE)) << before;
    const u64 pair = __shfl_sync(0xffffffff, place, (int)before) / 256;
    const u32 colour = __shfl_sync(0xffffffff, odd, (int)before), at = (u32)(place % 256) / 64, shift = (u32)(place % 64) / 2;
    const bool even = (__ballot_sync(0xffffffff, (undecided & 0xffff) != 0) & beside) != 0;
    const bool uneven = (__ballot_sync(0xffffffff, undecided >> 16 != 0) & beside) != 0;
    u32 found, behind = 0;
    if (__any_sync(0xffffffff, even && uneven)) {
        found = below_thresholds<2, BESIDE>(seed, 2 * pair + colour, time, draw, made, at, shift, undecided, rest, lanes, thresholds);
    } else {
        // The lanes of the one colour in the lower half.
        behind = uneven ? 16 : 0;
#pragma unroll
        for (u32 i = 0; i < CLASSES; ++i) {
            lanes[i] = lanes[i] >> behind & 0xffff;
        }
        undecided >>= behind;
        const u64 block = 2 * pair + (uneven ? 1 - colour : colour);
        found = below_thresholds<1, BESIDE>(seed, block, time, draw, made, at, shift, undecided, rest, lanes, thresholds);
    }
    // Once in 4 * 10^9 draws a random word is equal to its threshold.
    if (__builtin_expect(beyond != 0 && undecided != 0, 0)) {
        found |= below_exactly(undecided, lanes, classes, [=](u32 plane) { return bits_of_row(seed, place, odd, time, draw, plane) >> behind; });
    }
    return always | interleaved(found << behind);
}
