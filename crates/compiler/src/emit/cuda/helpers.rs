//! Device functions for operations that CUDA C has no operator for, or another meaning of it. A program holds those that it
//! uses.

/// One function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::emit) enum Helper {
    Moved,
    Presence,
    SourceLane,
    Lop3,
    Quad,
    QuadPresence,
    StoreBits,
    Reversed,
    Plane,
    RandomWord,
    RandomWords,
    Threshold,
    RandomBits,
    QuadRandomBits,
    RandomBitsOfCells,
    Chance,
    DivideI32,
    RemainderI32,
    DivideU32,
    RemainderU32,
    DivideI64,
    RemainderI64,
    SaturateU8,
    SaturateU16,
    SaturateI32,
    SaturateU32,
    SaturateI64,
    CanonicalF32,
    CanonicalF64,
    FlushedSum,
    FlushedDifference,
    AddBit,
    AddDigits,
}

impl Helper {
    /// All of them, in the order in which they stand in a program.
    pub const ALL: [Helper; 33] = [
        Helper::Moved,
        Helper::Presence,
        Helper::SourceLane,
        Helper::Lop3,
        Helper::Quad,
        Helper::QuadPresence,
        Helper::StoreBits,
        Helper::Reversed,
        Helper::Plane,
        Helper::RandomWord,
        Helper::RandomWords,
        Helper::Threshold,
        Helper::RandomBits,
        Helper::QuadRandomBits,
        Helper::RandomBitsOfCells,
        Helper::Chance,
        Helper::DivideI32,
        Helper::RemainderI32,
        Helper::DivideU32,
        Helper::RemainderU32,
        Helper::DivideI64,
        Helper::RemainderI64,
        Helper::SaturateU8,
        Helper::SaturateU16,
        Helper::SaturateI32,
        Helper::SaturateU32,
        Helper::SaturateI64,
        Helper::CanonicalF32,
        Helper::CanonicalF64,
        Helper::FlushedSum,
        Helper::FlushedDifference,
        Helper::AddBit,
        Helper::AddDigits,
    ];

    /// Its name in CUDA C.
    pub const fn name(self) -> &'static str {
        match self {
            Helper::Moved => "moved",
            Helper::Quad => "Quad",
            Helper::Presence | Helper::QuadPresence => "presence",
            Helper::SourceLane => "source_lane",
            Helper::Lop3 => "lop3",
            Helper::StoreBits => "store_bits",
            Helper::Reversed => "reversed",
            Helper::Plane => "random_plane",
            Helper::RandomWord => "random_word",
            Helper::RandomWords => "random_words",
            Helper::Threshold => "threshold_of",
            Helper::RandomBits => "random_bits",
            Helper::QuadRandomBits => "quad_of_random_bits",
            Helper::RandomBitsOfCells => "random_bits_of_cells",
            Helper::Chance => "chance",
            Helper::DivideI32 | Helper::DivideU32 | Helper::DivideI64 => "whole_quotient",
            Helper::RemainderI32 | Helper::RemainderU32 | Helper::RemainderI64 => "whole_remainder",
            Helper::SaturateU8 => "saturate_u8",
            Helper::SaturateU16 => "saturate_u16",
            Helper::SaturateI32 => "saturate_i32",
            Helper::SaturateU32 => "saturate_u32",
            Helper::SaturateI64 => "saturate_i64",
            Helper::CanonicalF32 | Helper::CanonicalF64 => "canonical",
            Helper::FlushedSum => "flushed_sum",
            Helper::FlushedDifference => "flushed_difference",
            Helper::AddBit => "add_bit",
            Helper::AddDigits => "add_digits",
        }
    }

    /// Its definition; that of [`Helper::Reversed`] depends on the fractal.
    pub const fn text(self) -> &'static str {
        match self {
            Helper::Moved => {
                "\
// The part of a word of a column whose lanes move as the term says.
__device__ __forceinline__ u32 moved(u32 seen, Term term) {
    return __funnelshift_l(seen, seen, term.rotate) & term.mask;
}
"
            }
            Helper::Presence => {
                "\
// The lanes of one word in which a neighbour exists.
__device__ __forceinline__ u32 presence(const World &world, Neighbour there, u32 word) {
    if (there.superblock == world.superblocks) {
        return 0;
    }
    return there.wrap == STAY ? 0xffffffff : world.presence[there.wrap * WORDS + word];
}
"
            }
            Helper::SourceLane => {
                "\
// The lane of a neighbour that a lane sees, or ABSENT.
__device__ __forceinline__ u32 source_lane(const World &world, Neighbour there, u32 lane) {
    if (there.superblock == world.superblocks) {
        return ABSENT;
    }
    return there.wrap == STAY ? lane : world.sources[there.wrap * LANES + lane];
}
"
            }
            Helper::AddBit => {
                "\
// Counts a bit of each lane.
template <u32 DIGITS>
__device__ __forceinline__ void add_bit(u32 (&digits)[DIGITS], u32 bit) {
    #pragma unroll
    for (u32 i = 0; i < DIGITS; ++i) {
        const u32 carry = digits[i] & bit;
        digits[i] ^= bit;
        bit = carry;
    }
}
"
            }
            Helper::AddDigits => {
                "\
// Adds the number that each lane has in words of digits to another.
template <u32 DIGITS, u32 FEWER>
__device__ __forceinline__ void add_digits(u32 (&digits)[DIGITS], const u32 (&added)[FEWER]) {
    u32 carry = 0;
    #pragma unroll
    for (u32 i = 0; i < DIGITS; ++i) {
        const u32 digit = i < FEWER ? added[i < FEWER ? i : 0] : 0;
        const u32 pair = digits[i] ^ digit;
        const u32 next = digits[i] & digit | pair & carry;
        digits[i] = pair ^ carry;
        carry = next;
    }
}
"
            }
            Helper::Lop3 => {
                "\
// Any function of three bits: bit 4a + 2b + c of the table.
template <int TABLE>
__device__ __forceinline__ u32 lop3(u32 a, u32 b, u32 c) {
    u32 result;
    asm(\"lop3.b32 %0, %1, %2, %3, %4;\" : \"=r\"(result) : \"r\"(a), \"r\"(b), \"r\"(c), \"n\"(TABLE));
    return result;
}
"
            }
            Helper::Quad => {
                "\
// Four words of a column: 128 lanes.
constexpr u32 QUADS = WORDS / 4;
struct alignas(16) Quad {
    u32 words[4];

    __device__ __forceinline__ Quad() {}
    // The same word four times.
    __device__ __forceinline__ Quad(u32 word) : words{word, word, word, word} {}
    __device__ __forceinline__ Quad(u32 a, u32 b, u32 c, u32 d) : words{a, b, c, d} {}
};

__device__ __forceinline__ Quad quad_at(const u32 *words) {
    return Quad(words[0], words[1], words[2], words[3]);
}

__device__ __forceinline__ Quad operator&(const Quad &a, const Quad &b) {
    return Quad(a.words[0] & b.words[0], a.words[1] & b.words[1], a.words[2] & b.words[2], a.words[3] & b.words[3]);
}

__device__ __forceinline__ Quad operator|(const Quad &a, const Quad &b) {
    return Quad(a.words[0] | b.words[0], a.words[1] | b.words[1], a.words[2] | b.words[2], a.words[3] | b.words[3]);
}

__device__ __forceinline__ Quad operator^(const Quad &a, const Quad &b) {
    return Quad(a.words[0] ^ b.words[0], a.words[1] ^ b.words[1], a.words[2] ^ b.words[2], a.words[3] ^ b.words[3]);
}

__device__ __forceinline__ Quad operator~(const Quad &a) {
    return Quad(~a.words[0], ~a.words[1], ~a.words[2], ~a.words[3]);
}

template <int TABLE>
__device__ __forceinline__ Quad lop3(const Quad &a, const Quad &b, const Quad &c) {
    return Quad(lop3<TABLE>(a.words[0], b.words[0], c.words[0]), lop3<TABLE>(a.words[1], b.words[1], c.words[1]),
                lop3<TABLE>(a.words[2], b.words[2], c.words[2]), lop3<TABLE>(a.words[3], b.words[3], c.words[3]));
}

// Whether it has any bit.
__device__ __forceinline__ bool any(const Quad &a) {
    return (a.words[0] | a.words[1] | a.words[2] | a.words[3]) != 0;
}
"
            }
            Helper::QuadPresence => {
                "\
// The lanes of four words in which a neighbour exists.
__device__ __forceinline__ Quad presence(const World &world, Neighbour there, u32 quad) {
    if (there.superblock == world.superblocks) {
        return Quad(0);
    }
    return there.wrap == STAY ? Quad(0xffffffff) : quad_at(world.presence + there.wrap * WORDS + 4 * quad);
}
"
            }
            Helper::StoreBits => {
                "\
// Writes the bits of 32 lanes, which are the threads of a warp, into their word.
__device__ __forceinline__ void store_bits(u32 *word, bool value, u32 place) {
    const u32 bits = __ballot_sync(0xffffffff, value);
    if (place % 32 == 0) {
        *word = bits;
    }
}
"
            }
            Helper::Reversed => "",
            Helper::Plane => {
                "\
// A plane of a random draw of 128 cells that follow each other by reversed number, 32 in each word: Philox4x32-10.
struct RandomPlane {
    u32 words[4];
};

__device__ __forceinline__ RandomPlane random_plane(u64 seed, u64 block, u32 time, u32 number) {
    u32 a = (u32)block, b = (u32)(block >> 32), c = time, d = number;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        u32 first_low, first_high, second_low, second_high;
        // A shift would become an addition of nothing.
        asm(\"mov.b64 {%0, %1}, %2;\" : \"=r\"(first_low), \"=r\"(first_high) : \"l\"((u64)0xd2511f53u * a));
        asm(\"mov.b64 {%0, %1}, %2;\" : \"=r\"(second_low), \"=r\"(second_high) : \"l\"((u64)0xcd9e8d57u * c));
        a = second_high ^ b ^ key_low;
        c = first_high ^ d ^ key_high;
        b = second_low;
        d = first_low;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return {{a, b, c, d}};
}

// One of its words.
__device__ __forceinline__ u32 word_of_plane(const RandomPlane &plane, u32 number) {
    const u32 low = number & 1 ? plane.words[1] : plane.words[0], high = number & 1 ? plane.words[3] : plane.words[2];
    return number & 2 ? high : low;
}
"
            }
            Helper::RandomWord => {
                "\
// The random word of the cell with this reversed number: a bit of each of the draw's 32 planes.
__device__ __forceinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    const u32 number = (u32)(cell / 32 % 4), bit = (u32)(cell % 32);
    u32 word = 0;
#pragma unroll 1
    for (u32 plane = 0; plane < 32; ++plane) {
        const u32 cells = word_of_plane(random_plane(seed, cell / 128, time, 32 * draw + plane), number);
        word = word << 1 | (cells >> bit & 1);
    }
    return word;
}
"
            }
            Helper::RandomWords => {
                "\
// The random words of a warp, whose threads have the cells from `first` on. Each thread makes one plane of them all; then they
// transpose the planes into words.
__device__ __forceinline__ u32 random_words(u64 seed, u64 first, u32 time, u32 draw) {
    const u32 thread = threadIdx.x % 32, number = (u32)(first / 32 % 4), shift = (u32)(first % 32);
    RandomPlane plane = random_plane(seed, first / 128, time, 32 * draw + thread);
    u32 cells = word_of_plane(plane, number);
    if (shift > 0) {
        if (number == 3) {
            plane = random_plane(seed, first / 128 + 1, time, 32 * draw + thread);
        }
        cells = cells >> shift | word_of_plane(plane, (number + 1) % 4) << (32 - shift);
    }
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        // The lower halves of blocks of twice as many columns.
        const u32 low = 0xffffffffu / ((1u << step) + 1);
        const u32 there = __shfl_xor_sync(0xffffffff, cells, step);
        cells = thread & step ? (cells & ~low) | (there >> step & low) : (cells & low) | (there & low) << step;
    }
    return __brev(cells);
}
"
            }
            Helper::Threshold => {
                "\
// Words below it make a random bit, or all words do.
struct Threshold {
    u32 below;
    u32 always;
};

// That of a probability.
__device__ __forceinline__ Threshold threshold_of(double probability) {
    const double bound = probability * 4294967296.0;
    const bool always = bound >= 4294967296.0;
    return {always || !(bound > 0.0) ? 0 : (u32)bound, always};
}
"
            }
            Helper::RandomBits => {
                "\
// Lanes whose random bit has one probability.
struct RandomClass {
    u32 lanes;
    Threshold threshold;
};

// Threads with words of one column that share the planes of their lanes: each makes some, and they exchange the words of them. Where
// words are no multiple of it, a superblock has threads beyond its last word.
constexpr u32 SHARING = WORDS < 3 ? WORDS : 4;

// Word `number` + i of the planes of two blocks that follow each other.
__device__ __forceinline__ u32 word_of_planes(const u32 (&both)[8], u32 number, u32 i) {
    const u32 even = number & 2 ? both[i + 2] : both[i], odd = number & 2 ? both[i + 3] : both[i + 1];
    return number & 1 ? odd : even;
}

// The random bits of the cells from `first` on, which are the lanes of this thread's word: whether the random word of a lane is below
// the threshold of its class. Words are compared from their first bits on, until the warp has decided them all.
template <u32 CLASSES>
__device__ __forceinline__ u32 random_bits(u64 seed, u64 first, u32 time, u32 draw, const RandomClass (&classes)[CLASSES]) {
    u32 result = 0, undecided = 0, thresholds[CLASSES];
#pragma unroll
    for (u32 i = 0; i < CLASSES; ++i) {
        thresholds[i] = classes[i].threshold.below;
        result |= classes[i].threshold.always ? classes[i].lanes : 0;
        undecided |= thresholds[i] > 0 ? classes[i].lanes : 0;
    }
    const u32 member = threadIdx.x % SHARING;
    // Where the lanes of all that share begin.
    const u64 begin = first - 32 * member;
    const u64 block = begin / 128;
    const u32 number = (u32)(begin / 32 % 4), shift = (u32)(begin % 32);
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && __any_sync(0xffffffff, undecided != 0); plane += SHARING) {
        // The lanes of all that share, in the plane that this thread makes.
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
    }
    return result;
}
"
            }
            Helper::QuadRandomBits => {
                "\
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
    // No word is below what is left of a threshold if that is 0.
    bool more = true;
#pragma unroll 1
    for (u32 plane = 0; plane < 32 && more && __any_sync(0xffffffff, any(undecided)); plane += 2) {
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
"
            }
            Helper::RandomBitsOfCells => {
                "\
// Lanes whose random bit has one probability.
struct RandomClass {
    u32 lanes;
    Threshold threshold;
};

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
"
            }
            Helper::Chance => {
                "\
// Whether a random word is below a probability times 2^32.
__device__ __forceinline__ bool chance(u32 word, double probability) {
    const double bound = probability * 4294967296.0;
    return bound >= 4294967296.0 || bound > 0.0 && word < (u32)bound;
}
"
            }
            Helper::DivideI32 => {
                "\
// 0 if the divisor is 0; wraps.
__device__ __forceinline__ int whole_quotient(int a, int b) {
    return b == 0 ? 0 : b == -1 ? (int)(0u - (u32)a) : a / b;
}
"
            }
            Helper::RemainderI32 => {
                "\
// 0 if the divisor is 0.
__device__ __forceinline__ int whole_remainder(int a, int b) {
    return b == 0 || b == -1 ? 0 : a % b;
}
"
            }
            Helper::DivideU32 => {
                "\
// 0 if the divisor is 0.
__device__ __forceinline__ u32 whole_quotient(u32 a, u32 b) {
    return b == 0 ? 0 : a / b;
}
"
            }
            Helper::RemainderU32 => {
                "\
// 0 if the divisor is 0.
__device__ __forceinline__ u32 whole_remainder(u32 a, u32 b) {
    return b == 0 ? 0 : a % b;
}
"
            }
            Helper::DivideI64 => {
                "\
// 0 if the divisor is 0; wraps.
__device__ __forceinline__ long long whole_quotient(long long a, long long b) {
    return b == 0 ? 0 : b == -1 ? (long long)(0 - (u64)a) : a / b;
}
"
            }
            Helper::RemainderI64 => {
                "\
// 0 if the divisor is 0.
__device__ __forceinline__ long long whole_remainder(long long a, long long b) {
    return b == 0 || b == -1 ? 0 : a % b;
}
"
            }
            Helper::SaturateU16 => {
                "\
// Truncated; 0 for NaN.
__device__ __forceinline__ unsigned short saturate_u16(double v) {
    return v >= 65535.0 ? 65535 : v > 0.0 ? (unsigned short)(u32)v : 0;
}
"
            }
            Helper::SaturateI64 => {
                "\
// Truncated; 0 for NaN.
__device__ __forceinline__ long long saturate_i64(double v) {
    if (v >= 9223372036854775808.0) {
        return 9223372036854775807ll;
    }
    return v > -9223372036854775808.0 ? (long long)v : v <= -9223372036854775808.0 ? -9223372036854775807ll - 1 : 0;
}
"
            }
            Helper::SaturateU8 => {
                "\
// Truncated; 0 for NaN.
__device__ __forceinline__ u8 saturate_u8(double v) {
    return v >= 255.0 ? 255 : v > 0.0 ? (u8)(u32)v : 0;
}
"
            }
            Helper::SaturateI32 => {
                "\
// Truncated; 0 for NaN.
__device__ __forceinline__ int saturate_i32(double v) {
    if (v >= 2147483647.0) {
        return 2147483647;
    }
    return v > -2147483648.0 ? (int)v : v <= -2147483648.0 ? -2147483647 - 1 : 0;
}
"
            }
            Helper::SaturateU32 => {
                "\
// Truncated; 0 for NaN.
__device__ __forceinline__ u32 saturate_u32(double v) {
    return v >= 4294967295.0 ? 4294967295u : v > 0.0 ? (u32)v : 0;
}
"
            }
            Helper::CanonicalF32 => {
                "\
// What is stored: there is one NaN.
__device__ __forceinline__ float canonical(float v) {
    return v == v ? v : __int_as_float(0x7fc00000);
}
"
            }
            Helper::CanonicalF64 => {
                "\
// What is stored: there is one NaN.
__device__ __forceinline__ double canonical(double v) {
    return v == v ? v : __longlong_as_double(0x7ff8000000000000);
}
"
            }
            Helper::FlushedSum => {
                "\
// A sum, or the zero of its sign where it is below the least normal number.
__device__ __forceinline__ float flushed_sum(float a, float b) {
    float result;
    asm(\"add.ftz.f32 %0, %1, %2;\" : \"=f\"(result) : \"f\"(a), \"f\"(b));
    return result;
}
"
            }
            Helper::FlushedDifference => {
                "\
// A difference, or the zero of its sign where it is below the least normal number.
__device__ __forceinline__ float flushed_difference(float a, float b) {
    float result;
    asm(\"sub.ftz.f32 %0, %1, %2;\" : \"=f\"(result) : \"f\"(a), \"f\"(b));
    return result;
}
"
            }
        }
    }
}
