//! Device functions for operations that CUDA C has no operator for, or another meaning of it. A program holds those that it
//! uses. The longer ones lie in `templates/helpers`.

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
    RandomClass,
    RandomBits,
    RandomQuad,
    RandomQuadOfWarp,
    Decide,
    Gathering,
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
    HiddenF32,
    HiddenF64,
    Negated,
    AddBit,
    AddDigits,
    LaneCount,
}

impl Helper {
    /// All of them, in the order in which they stand in a program.
    pub const ALL: [Helper; 41] = [
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
        Helper::RandomClass,
        Helper::RandomBits,
        Helper::RandomQuad,
        Helper::RandomQuadOfWarp,
        Helper::Decide,
        Helper::Gathering,
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
        Helper::HiddenF32,
        Helper::HiddenF64,
        Helper::Negated,
        Helper::AddBit,
        Helper::AddDigits,
        Helper::LaneCount,
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
            Helper::RandomClass => "RandomClass",
            Helper::RandomBits => "random_bits",
            Helper::RandomQuad => "block_of_quad",
            Helper::RandomQuadOfWarp => "blocks_of_warp",
            Helper::Decide => "decide",
            Helper::Gathering => "Gathering",
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
            Helper::HiddenF32 | Helper::HiddenF64 => "hidden",
            Helper::Negated => "negated",
            Helper::AddBit => "add_bit",
            Helper::AddDigits => "add_digits",
            Helper::LaneCount => "lane_count",
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
            Helper::LaneCount => {
                "\
// What another thread of the warp has counted in the lane that is this thread's number in the warp.
template <u32 DIGITS>
__device__ __forceinline__ u32 lane_count(const u32 (&digits)[DIGITS], u32 from_thread) {
    u32 count = 0;
    #pragma unroll
    for (u32 i = 0; i < DIGITS; ++i) {
        count |= (__shfl_sync(0xffffffff, digits[i], from_thread) >> (threadIdx.x % 32) & 1) << i;
    }
    return count;
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
            Helper::Quad => include_str!("../../../templates/helpers/quad.cu"),
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
            Helper::Plane => include_str!("../../../templates/helpers/random_plane.cu"),
            Helper::RandomWord => include_str!("../../../templates/helpers/random_word.cu"),
            Helper::RandomWords => include_str!("../../../templates/helpers/random_words.cu"),
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

// That which the host computed.
__device__ __forceinline__ Threshold threshold_of(long long threshold) {
    return {(u32)threshold, (u32)((u64)threshold >> 32)};
}
"
            }
            Helper::RandomClass => {
                "\
// Lanes whose random bit has one probability.
struct RandomClass {
    u32 lanes;
    Threshold threshold;
};
"
            }
            Helper::RandomBits => include_str!("../../../templates/helpers/random_bits.cu"),
            Helper::RandomQuad => include_str!("../../../templates/helpers/random_quad.cu"),
            Helper::RandomQuadOfWarp => include_str!("../../../templates/helpers/random_quad_of_warp.cu"),
            Helper::Decide => include_str!("../../../templates/helpers/decide.cu"),
            Helper::Gathering => include_str!("../../../templates/helpers/gathering.cu"),
            Helper::RandomBitsOfCells => include_str!("../../../templates/helpers/random_bits_of_cells.cu"),
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
            Helper::HiddenF32 => {
                "\
// A zero that the compiler does not know. Of a choice between a zero and what was compared with it, it would make a minimum or maximum, which tells zeros apart.
__device__ __forceinline__ float hidden(float v) {
    float result;
    asm(\"mov.b32 %0, %1;\" : \"=f\"(result) : \"f\"(v));
    return result;
}
"
            }
            Helper::HiddenF64 => {
                "\
// A zero that the compiler does not know. Of a choice between a zero and what was compared with it, it would make a minimum or maximum, which tells zeros apart.
__device__ __forceinline__ double hidden(double v) {
    double result;
    asm(\"mov.b64 %0, %1;\" : \"=d\"(result) : \"d\"(v));
    return result;
}
"
            }
            Helper::Negated => {
                "\
// A number with the other sign. The compilers of CUDA 12.6 to 13.3 make one instruction of `max(max(a, -b), c)` and of two minima, for
// architectures 9.0 and 10.0, and forget the sign, unless they see no negation.
__device__ __forceinline__ int negated(int v) {
    int result;
    asm(\"not.b32 %0, %1; add.s32 %0, %0, 1;\" : \"=r\"(result) : \"r\"(v));
    return result;
}
"
            }
        }
    }
}
