// Columns that parts of a domain read of one another: stretches of bytes, each of whole words, from one memory to another. A warp takes a stretch.
struct alignas(16) FourWords {
    u32 words[4];
};

// A stretch is three numbers: its place in the first memory, its place in the second one, and its bytes.
extern "C" __global__ void __launch_bounds__(128) move_columns(const u64 *stretches, u64 count, u64 from, u64 to) {
    const u64 number = (u64)blockIdx.x * 4 + threadIdx.x / 32;
    if (number >= count) {
        return;
    }
    const u64 source = from + stretches[3 * number], target = to + stretches[3 * number + 1], bytes = stretches[3 * number + 2];
    if ((source | target | bytes) % 16 == 0) {
        for (u64 i = threadIdx.x % 32; i < bytes / 16; i += 32) {
            ((FourWords *)target)[i] = ((const FourWords *)source)[i];
        }
    } else {
        for (u64 i = threadIdx.x % 32; i < bytes / 4; i += 32) {
            ((u32 *)target)[i] = ((const u32 *)source)[i];
        }
    }
}
