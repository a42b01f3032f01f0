// Planes of random draws, the words of cells, and chances.

//// Plane
// A plane of a random draw of 128 cells whose numbers follow each other, 32 in each word: Philox4x32-10. The numbers are indices, on fractals with their digits reversed.
struct RandomPlane {
    u32 words[4];
};

__device__ __forceinline__ RandomPlane random_plane(u64 seed, u64 block, u32 time, u32 number) {
    u32 a = (u32)block, b = (u32)(block >> 32), c = time, d = number;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        u32 first_low, first_high, second_low, second_high;
        // Compiled from a shift, each half would cost an addition of 0.
        asm("mov.b64 {%0, %1}, %2;" : "=r"(first_low), "=r"(first_high) : "l"((u64)0xd2511f53u * a));
        asm("mov.b64 {%0, %1}, %2;" : "=r"(second_low), "=r"(second_high) : "l"((u64)0xcd9e8d57u * c));
        a = second_high ^ b ^ key_low;
        c = first_high ^ d ^ key_high;
        b = second_low;
        d = first_low;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return {{a, b, c, d}};
}

// Word `number` of a plane.
__device__ __forceinline__ u32 word_of_plane(const RandomPlane &plane, u32 number) {
    const u32 low = number & 1 ? plane.words[1] : plane.words[0], high = number & 1 ? plane.words[3] : plane.words[2];
    return number & 2 ? high : low;
}

//// RandomWord
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

//// RandomWords
// The random words of a warp, whose threads have the cells from `first` on. Each thread makes one plane of all these cells; then the warp
// transposes planes into words.
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
        // Ones in the lower `step` of every 2 * `step` bits.
        const u32 low = 0xffffffffu / ((1u << step) + 1);
        const u32 there = __shfl_xor_sync(0xffffffff, cells, step);
        cells = thread & step ? (cells & ~low) | (there >> step & low) : (cells & low) | (there & low) << step;
    }
    return __brev(cells);
}

//// RandomWordsOfRow
// The random words of a warp, whose threads have the 32 places of a row from `place` on, counted through all rows. Even places draw from a block of the first
// one's colour, which is `odd`, and the others from that of the other colour. Each thread makes one plane of all these cells; then the warp transposes planes into words.
__device__ __forceinline__ u32 random_words_of_row(u64 seed, u64 place, u32 odd, u32 time, u32 draw) {
    const u32 thread = threadIdx.x % 32, number = (u32)(place % 256) / 64, shift = (u32)(place % 64) / 2;
    const RandomPlane even = random_plane(seed, place / 256 * 2 + odd, time, 32 * draw + thread);
    const RandomPlane other = random_plane(seed, place / 256 * 2 + (1 - odd), time, 32 * draw + thread);
    u32 cells = (word_of_plane(even, number) >> shift & 0xffff) | word_of_plane(other, number) >> shift << 16;
#pragma unroll
    for (u32 step = 16; step > 0; step /= 2) {
        // Ones in the lower `step` of every 2 * `step` bits.
        const u32 low = 0xffffffffu / ((1u << step) + 1);
        const u32 there = __shfl_xor_sync(0xffffffff, cells, step);
        cells = thread & step ? (cells & ~low) | (there >> step & low) : (cells & low) | (there & low) << step;
    }
    return __shfl_sync(0xffffffff, __brev(cells), (int)(thread / 2 + thread % 2 * 16));
}

//// NumberOfPlace
// The number by which the place of a thread draws, of a warp that has the 32 places of a row from `place` on; the colour of the first is `odd`.
__device__ __forceinline__ u64 number_of_place(u64 place, u32 odd) {
    const u32 thread = threadIdx.x % 32, colour = (odd + thread) % 2;
    return (place + thread) / 256 * 256 + 128 * colour + (place + thread) % 256 / 2;
}

//// PlaneOfDraw
// A plane of a draw: behind the planes of a word come those of further blocks.
__device__ __forceinline__ RandomPlane plane_of_draw(u64 seed, u64 block, u32 time, u32 draw, u32 plane) {
    return random_plane(seed, block + ((u64)(plane / 32) << 57), time, 32 * draw + plane % 32);
}

//// Happens
// Whether a number between 0 and 1 whose digits are the bits of a cell, plane after plane, is less than a probability.
__device__ __forceinline__ bool happens(u64 seed, u64 cell, u32 time, u32 draw, double probability) {
    // Doubled, what is left shows its next digit.
    double left = probability;
#pragma unroll 1
    for (u32 plane = 0; left > 0.0; ++plane) {
        left += left;
        const u32 digit = left >= 1.0;
        left -= digit;
        const u32 cells = word_of_plane(plane_of_draw(seed, cell / 128, time, draw, plane), (u32)(cell / 32 % 4));
        if ((cells >> cell % 32 & 1) != digit) {
            return digit;
        }
    }
    return false;
}

//// Probability
// A probability, or a parameter that is one: it is looked at where 32 planes have not decided.
struct Probability {
    const u64 *parameters;
    u32 index;
    double number;

    __device__ __forceinline__ double value() const {
        return parameters != nullptr ? __longlong_as_double((long long)parameters[index]) : number;
    }
};

//// Threshold
// A random bit is set if its random word is less than `below`, or in any case if `always` is not 0. Where it is equal, further planes decide if `more` is not 0.
struct Threshold {
    u32 below;
    u32 always;
    u32 more;
};

// The threshold of a probability.
__device__ __forceinline__ Threshold threshold_of(double probability) {
    const double bound = probability * 4294967296.0;
    const bool always = bound >= 4294967296.0;
    const u32 below = always || !(bound > 0.0) ? 0 : (u32)bound;
    return {below, always, !always && bound > below};
}

// The threshold that the host computed: `below` in the low word, the others in the high one.
__device__ __forceinline__ Threshold threshold_of(long long threshold) {
    return {(u32)threshold, (u32)((u64)threshold >> 32) & 1, (u32)((u64)threshold >> 33)};
}

//// Digits
// Of a probability the digits that planes from 32 * turn on are compared with, as a threshold.
__device__ __forceinline__ Threshold digits_of(double probability, u32 turn) {
    double left = probability > 0.0 && probability < 1.0 ? probability : 0.0;
#pragma unroll 1
    for (; turn > 0; --turn) {
        left *= 4294967296.0;
        left -= (u32)left;
    }
    return threshold_of(left);
}

//// RandomClass
// The lanes whose random bits have the same probability.
struct RandomClass {
    u32 lanes;
    Threshold threshold;
    Probability probability;
};

//// Chance
// The chance of a cell with this random word of a draw.
__device__ __forceinline__ bool chance(u32 word, double probability, u64 seed, u64 cell, u32 time, u32 draw) {
    const Threshold threshold = threshold_of(probability);
    if (threshold.more && word == threshold.below) {
        return happens(seed, cell, time, draw, probability);
    }
    return threshold.always || word < threshold.below;
}
