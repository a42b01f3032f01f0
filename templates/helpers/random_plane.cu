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

// One of its words.
__device__ __forceinline__ u32 word_of_plane(const RandomPlane &plane, u32 number) {
    const u32 low = number & 1 ? plane.words[1] : plane.words[0], high = number & 1 ? plane.words[3] : plane.words[2];
    return number & 2 ? high : low;
}
