// Tiles that need not be computed again: those around which nothing is other than it was two passes ago. A pass computes the tiles of a list and
// makes the list of the next one: the tiles that look at one that changed, each once. The order of a list does not matter.
{{ watch }}

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
