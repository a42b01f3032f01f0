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
