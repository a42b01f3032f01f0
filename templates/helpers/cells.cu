// The cells among the places of a word.

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

//// FirstCells
// The cells of a word that stand side by side from its first place on, as those of the words beside it do.
struct FirstCells {
    u32 cells;

    // The first cell of the words of `beside` threads: that of the first thread, for threads without a word may stand anywhere.
    __device__ __forceinline__ u64 begin(u64 first, u32 beside) const {
        return __shfl_sync(0xffffffff, first, (int)(threadIdx.x % 32 / beside * beside));
    }

    __device__ __forceinline__ u32 together(u32 bits) const {
        return bits & cells;
    }

    __device__ __forceinline__ u32 back(u32 bits) const {
        return bits;
    }
};
