// Words of lanes: how they move, which neighbours exist, votes, and counts of bits.

//// Moved
// The part of a word of a column whose lanes move as the term says.
__device__ __forceinline__ u32 moved(u32 seen, Term term) {
    return __funnelshift_l(seen, seen, term.rotate) & term.mask;
}

//// Presence
// The lanes of one word in which a neighbour exists.
__device__ __forceinline__ u32 presence(const World &world, Neighbour there, u32 word) {
    if (there.superblock == world.absent) {
        return 0;
    }
    return there.wrap == STAY ? 0xffffffff : world.presence[there.wrap * WORDS + word];
}

//// SourceLane
// The lane of a neighbour that a lane sees, or ABSENT.
__device__ __forceinline__ u32 source_lane(const World &world, Neighbour there, u32 lane) {
    if (there.superblock == world.absent) {
        return ABSENT;
    }
    return there.wrap == STAY ? lane : world.sources[there.wrap * LANES + lane];
}

//// Lop3
// Any function of three bits: bit 4a + 2b + c of the table.
template <int TABLE>
__device__ __forceinline__ u32 lop3(u32 a, u32 b, u32 c) {
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return result;
}

//// StoreBits
// Writes the bits of 32 lanes, which are the threads of a warp, into their word.
__device__ __forceinline__ void store_bits(u32 *word, bool value, u32 place) {
    const u32 bits = __ballot_sync(0xffffffff, value);
    if (place % 32 == 0) {
        *word = bits;
    }
}

//// AddBit
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

//// AddDigits
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

//// LaneCount
// What another thread of the warp has counted in the lane whose number this thread has in the warp.
template <u32 DIGITS>
__device__ __forceinline__ u32 lane_count(const u32 (&digits)[DIGITS], u32 from_thread) {
    u32 count = 0;
    #pragma unroll
    for (u32 i = 0; i < DIGITS; ++i) {
        count |= (__shfl_sync(0xffffffff, digits[i], from_thread) >> (threadIdx.x % 32) & 1) << i;
    }
    return count;
}
