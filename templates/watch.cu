// Tiles that need not be computed again: those around which nothing is other than it was two passes ago. A pass computes the tiles of a list and
// makes the list of the next one: the tiles that look at one that changed, each once. The order of a list does not matter.
struct Watch {
    u32 *count;       // how many tiles the pass computes
    u32 *next_count;  // how many the next one does; 0 before the pass
    u32 *later_count; // that of the pass behind it, which is made 0
    u32 *list;
    u32 *next_list;
    u32 *marks;      // a bit for each tile of the list; the pass takes them away
    u32 *next_marks; // those of the next list
};

constexpr u32 TILES = {{ tiles }};

// A tile of the list has been computed.
__device__ __forceinline__ void take_away(const Watch &watch, u32 tile) {
    atomicAnd(&watch.marks[tile / 32], ~(1u << (tile % 32)));
}

// Lists all tiles for the pass, and none for the next one.
extern "C" __global__ void __launch_bounds__({{ threads }}) list_all(const Watch watch) {
    for (u32 tile = blockIdx.x * {{ threads }} + threadIdx.x; tile < TILES; tile += gridDim.x * {{ threads }}) {
        watch.list[tile] = tile;
        if (tile % 32 == 0) {
            watch.marks[tile / 32] = 0xffffffff;
            watch.next_marks[tile / 32] = 0;
        }
        if (tile == 0) {
            *watch.count = TILES;
            *watch.next_count = 0;
        }
    }
}
