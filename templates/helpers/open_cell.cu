// A cell that is not decided yet: where its bit is in a block of planes, and the first plane that it has not been compared with.
struct alignas(16) OpenCell {
    u64 block;
    u32 bit;
    u32 plane;
};
