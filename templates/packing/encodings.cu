// Encodings of masks that find cells by their numbers, as in "Binary scan encoding with backward application" (Langer and Summ, 2025), to be
// compared with how `pack.cu` does without looking for cells; and what makes and checks the arrays of such comparisons.

// Words of a chunk.
constexpr u32 CHUNK = 32 * TILES;

// A mask of which each place is a cell with the chance `bound` / 2^32.
extern "C" __global__ void __launch_bounds__(1024) draw_mask(u32 *mask, u64 places, u64 bound) {
    const u64 word = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (32 * word < places) {
        u32 bits = 0;
        for (u32 bit = 0; bit < 32 && 32 * word + bit < places; ++bit) {
            bits |= (u32)(mix(32 * word + bit) >> 32 < bound) << bit;
        }
        mask[word] = bits;
    }
}

// The value of each place is its number.
extern "C" __global__ void __launch_bounds__(1024) number_places(u32 *values, u64 places) {
    const u64 place = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (place < places) {
        values[place] = (u32)place;
    }
}

// Counts what is wrong with packed numbers of places: there are as many as cells, so all are right if they ascend and are cells.
extern "C" __global__ void __launch_bounds__(1024) check_packed(const u32 *mask, const u32 *packed, u64 cells, u64 *wrong) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u64 is_wrong = 0;
    if (cell < cells) {
        const u32 place = packed[cell];
        is_wrong = (mask[place / 32] >> place % 32 & 1) == 0 || (cell > 0 && packed[cell - 1] >= place);
    }
    add_up(wrong, is_wrong);
}

// Counts what is wrong with numbers of places unpacked, where holes have `hole`.
extern "C" __global__ void __launch_bounds__(1024) check_unpacked(const u32 *mask, const u32 *values, u64 places, u32 hole, u64 *wrong) {
    const u64 place = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u64 is_wrong = 0;
    if (place < places) {
        const bool cell = (mask[place / 32] >> place % 32 & 1) != 0;
        is_wrong = values[place] != (cell ? (u32)place : hole);
    }
    add_up(wrong, is_wrong);
}

// The places of all cells: what a library without masks keeps.
extern "C" __global__ void __launch_bounds__(1024) permutation(Tiles tiles, u32 *places) {
    if (tile_number() < tiles.count) {
        pack_tile<u32>(
            tile_of(tiles), [&](u64 place) { return (u32)place; }, [&](u64 rank, u32 place) { places[rank] = place; });
    }
}

extern "C" __global__ void __launch_bounds__(1024) gather(const u32 *places, u64 cells, const u32 *values, u32 *packed) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < cells) {
        packed[cell] = values[places[cell]];
    }
}

extern "C" __global__ void __launch_bounds__(1024) scatter(const u32 *places, u64 cells, const u32 *packed, u32 *values) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < cells) {
        values[places[cell]] = packed[cell];
    }
}

// Sums of blocks of 2^a places in 16 bits, relative to sums of blocks of 2^(a + b) in 32 bits, which are here relative to a chunk; `end` is 1 for
// sums up to the ends of blocks, 0 for those up to their beginnings. One block a chunk, of any number of whole warps.
extern "C" __global__ void __launch_bounds__(1024)
grow_tree(const u32 *mask, u32 a, u32 b, u32 end, u16 *fine, u32 *coarse, u32 *chunks) {
    __shared__ u16 within[CHUNK];
    __shared__ u32 rows[TILES + 1];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const u32 *own = mask + (u64)blockIdx.x * CHUNK;
    for (u32 row = warp; row < TILES; row += 2 * warps) {
        // Both loads are on their way before one is waited for.
        const u32 next = row + warps < TILES ? row + warps : row;
        const u32 here = (u32)__popc(own[32 * row + lane]), there = (u32)__popc(own[32 * next + lane]);
        const u32 sums = sum_before(here | there << 16);
        within[32 * row + lane] = (u16)(sums & 0xffff);
        within[32 * next + lane] = (u16)(next == row ? sums & 0xffff : sums >> 16);
        if (lane == 31) {
            rows[row] = (sums & 0xffff) + here;
            if (next != row) {
                rows[next] = (sums >> 16) + there;
            }
        }
    }
    __syncthreads();
    if (warp == 0) {
        const u32 one = rows[2 * lane], both = one + rows[2 * lane + 1], sum = sum_before(both);
        rows[2 * lane] = sum;
        rows[2 * lane + 1] = sum + one;
        if (lane == 31) {
            rows[TILES] = sum + both;
            chunks[blockIdx.x] = sum + both;
        }
    }
    __syncthreads();
    const auto before = [&](u32 word) { return rows[word / 32] + (word < CHUNK ? within[word] : 0); };
    const u32 blocks = CHUNK >> (a - 5), sections = blocks >> b;
    for (u32 block = threadIdx.x; block < blocks; block += blockDim.x) {
        const u32 first = block >> b << (a + b - 5);
        fine[(u64)blockIdx.x * blocks + block] = (u16)(before((block + end) << (a - 5)) - before(first));
    }
    for (u32 section = threadIdx.x; section < sections; section += blockDim.x) {
        coarse[(u64)blockIdx.x * sections + section] = before((section + end) << (a + b - 5));
    }
}

// Layers of sums in 32 bits, the finest first; each of the others has every 32nd of the one before.
{{ layers }}

// Makes sums relative to chunks those of the whole mask, and fills the layers above the finest.
extern "C" __global__ void __launch_bounds__(1024) finish_tree(Layers layers, u32 sections, const u32 *chunks) {
    const u32 section = blockIdx.x * blockDim.x + threadIdx.x;
    if (section < layers.counts[0]) {
        const u32 sum = layers.sums[0][section] + chunks[section / sections];
        layers.sums[0][section] = sum;
        u32 rest = section;
#pragma unroll
        for (u32 layer = 1; layer < 5; ++layer) {
            if (layer < layers.count && rest % 32 == 0) {
                rest /= 32;
                layers.sums[layer][rest] = sum;
            } else {
                break;
            }
        }
    }
}

// The place of the cell with `number` cells before it, counted from a word on.
__device__ __forceinline__ u64 select_from(const u32 *mask, u64 word, u32 number) {
    u32 bits = mask[word];
    while (number >= (u32)__popc(bits)) {
        number -= (u32)__popc(bits);
        bits = mask[++word];
    }
    return 32 * word + select_in_word(bits, number);
}

// How many of the first `count` sums, or of those behind the first, are at most `number`; `step` is the greatest power of two in `count`.
template <class Sum>
__device__ __forceinline__ u32 count_up_to(const Sum *sums, u32 count, u32 step, u32 number) {
    u32 found = 0;
    for (; step > 0; step /= 2) {
        if (found + step <= count && sums[found + step - 1] <= number) {
            found += step;
        }
    }
    return found;
}

// A tree of two layers.
{{ fixed }}

__device__ __forceinline__ u64 select_inclusive(const Fixed &tree, u32 cell) {
    const u32 section = count_up_to(tree.coarse, tree.sections, tree.step, cell);
    const u32 rest = cell - (section > 0 ? tree.coarse[section - 1] : 0);
    const u16 *blocks = tree.fine + ((u64)section << tree.b);
    const u32 block = count_up_to(blocks, (1u << tree.b) - 1, 1u << tree.b >> 1, rest);
    const u64 word = (((u64)section << tree.b) + block) << (tree.a - 5);
    return select_from(tree.mask, word, rest - (block > 0 ? blocks[block - 1] : 0));
}

__device__ __forceinline__ u64 select_exclusive(const Fixed &tree, u32 cell) {
    const u32 section = count_up_to(tree.coarse + 1, tree.sections - 1, tree.step, cell);
    const u32 rest = cell - tree.coarse[section];
    const u16 *blocks = tree.fine + ((u64)section << tree.b);
    const u32 block = count_up_to(blocks + 1, (1u << tree.b) - 1, 1u << tree.b >> 1, rest);
    const u64 word = (((u64)section << tree.b) + block) << (tree.a - 5);
    return select_from(tree.mask, word, rest - blocks[block]);
}

extern "C" __global__ void __launch_bounds__(1024) gather_inclusive(Fixed tree, u64 cells, const u32 *values, u32 *packed) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < cells) {
        packed[cell] = values[select_inclusive(tree, (u32)cell)];
    }
}

extern "C" __global__ void __launch_bounds__(1024) gather_exclusive(Fixed tree, u64 cells, const u32 *values, u32 *packed) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < cells) {
        packed[cell] = values[select_exclusive(tree, (u32)cell)];
    }
}

// A tree of as many layers as it takes: sums of blocks of 1024 places, relative to those of 2^15, and layers above.
{{ dynamic }}

__device__ __forceinline__ u64 select_dynamic(const Dynamic &tree, u32 cell) {
    u32 at = 0;
#pragma unroll
    for (u32 above = 0; above < 5; ++above) {
        const u32 layer = 4 - above;
        if (layer < tree.layers.count) {
            const u32 rest = tree.layers.counts[layer] - 32 * at;
            at = 32 * at + count_up_to(tree.layers.sums[layer] + 32 * at + 1, (rest < 32 ? rest : 32) - 1, 16, cell);
        }
    }
    const u32 rest = cell - tree.layers.sums[0][at], left = tree.blocks - 32 * at;
    const u16 *blocks = tree.fine + 32 * (u64)at;
    const u32 block = count_up_to(blocks + 1, (left < 32 ? left : 32) - 1, 16, rest);
    return select_from(tree.mask, 32 * (32 * (u64)at + block), rest - blocks[block]);
}

// The last of a node's children that begins at or before a cell. `value` is where the lane's child begins, or larger than each cell if the lane has none.
__device__ __forceinline__ u32 child(u32 value, u32 cell) {
    return (u32)__popc(__ballot_sync(0xffffffff, value <= cell)) - 1;
}

// As `select_dynamic`, of neighbouring cells in a warp: they go down together, and each by itself where the first and the last take different ways.
__device__ __forceinline__ u64 select_together(const Dynamic &tree, u32 cell) {
    const u32 lane = threadIdx.x % 32;
    const u32 first = __shfl_sync(0xffffffff, cell, 0), last = __shfl_sync(0xffffffff, cell, 31);
    u32 at = 0;
#pragma unroll
    for (u32 above = 0; above < 5; ++above) {
        const u32 layer = 4 - above;
        if (layer < tree.layers.count) {
            const u32 mine = 32 * at + lane;
            const u32 value = mine < tree.layers.counts[layer] ? tree.layers.sums[layer][mine] : 0xffffffff;
            const u32 next = child(value, first);
            if (next != child(value, last)) {
                return select_dynamic(tree, cell);
            }
            at = 32 * at + next;
        }
    }
    const u32 before = tree.layers.sums[0][at], mine = 32 * at + lane;
    const u32 value = mine < tree.blocks ? tree.fine[mine] : 0xffffffff;
    const u32 block = child(value, first - before);
    if (block != child(value, last - before)) {
        return select_dynamic(tree, cell);
    }
    const u64 tile = 32 * (u64)at + block;
    const u32 word = tree.mask[32 * tile + lane], sum = sum_before((u32)__popc(word));
    return 1024 * tile + select_in_tile(word, sum, cell - before - __shfl_sync(0xffffffff, value, block));
}

extern "C" __global__ void __launch_bounds__(1024) gather_dynamic(Dynamic tree, u64 cells, const u32 *values, u32 *packed) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < cells) {
        packed[cell] = values[select_dynamic(tree, (u32)cell)];
    }
}

extern "C" __global__ void __launch_bounds__(1024) gather_together(Dynamic tree, u64 cells, const u32 *values, u32 *packed) {
    const u64 cell = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    // Lanes behind the last cell look for it, too.
    const u64 place = select_together(tree, (u32)(cell < cells ? cell : cells - 1));
    if (cell < cells) {
        packed[cell] = values[place];
    }
}
