// Members as lanes of the same columns: the bits of one are copied out of the words of all, and back. A thread takes a column.

extern "C" __global__ void __launch_bounds__(128) take_lane(const u32 *lanes, u32 words, u32 lane, u64 columns, u32 *member) {
    const u64 column = (u64)blockIdx.x * 128 + threadIdx.x;
    if (column < columns) {
        member[column] = lanes[column * words + lane / 32] >> (lane % 32) & 1;
    }
}

extern "C" __global__ void __launch_bounds__(128) put_lane(u32 *lanes, u32 words, u32 lane, u64 columns, const u32 *member) {
    const u64 column = (u64)blockIdx.x * 128 + threadIdx.x;
    if (column < columns) {
        u32 &word = lanes[column * words + lane / 32];
        word = word & ~(1u << (lane % 32)) | (member[column] & 1) << (lane % 32);
    }
}
