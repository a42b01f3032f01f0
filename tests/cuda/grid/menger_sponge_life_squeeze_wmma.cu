// life on menger_sponge at level 3, by Squeeze 0.1.0
//
// strategy squeeze, blocks of side 3, maps wmma
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 27u;
constexpr index BLOCK_SIDE = 9u;
constexpr u32 RHO = 3;
constexpr u32 BLOCK_PLACES = 27;
constexpr u32 MICRO_CELLS = 20;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 400u;
constexpr u32 GROUP = 12;
constexpr u32 THREADS = 256;
// Around a block are 27 blocks, itself in the middle.
constexpr u32 AROUND = 27;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 5;
constexpr u32 TILE_PLACES = 125;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 31;

struct Point {
    index x, y, z;
};

// What a step needs besides the states.
struct World {
    const u64 *params; // the parameters' bits
    u64 seed;
    u32 time;          // the t that is computed
};

// Random numbers: Philox4x32-10 of a cell's canonical index, the time and the number of the draw.
__device__ __forceinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    u32 a = (u32)cell, b = (u32)(cell >> 32), c = time, d = draw / 4;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const u64 first = (u64)0xd2511f53u * a, second = (u64)0xcd9e8d57u * c;
        a = (u32)(second >> 32) ^ b ^ key_low;
        c = (u32)(first >> 32) ^ d ^ key_high;
        b = (u32)second;
        d = (u32)first;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    return draw % 4 == 0 ? a : draw % 4 == 1 ? b : draw % 4 == 2 ? c : d;
}

// Whether a random word is below a probability times 2^32.
__device__ __forceinline__ bool chance(u32 word, double probability) {
    const double bound = probability * 4294967296.0;
    return bound >= 4294967296.0 || bound > 0.0 && word < (u32)bound;
}

// The neighbourhoods, in their order.
__device__ constexpr int OFFSETS_0[][3] = {
    {-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {1, 0, -1}, {-1, 1, -1}, {0, 1, -1},
    {1, 1, -1}, {-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0},
    {1, 1, 0}, {-1, -1, 1}, {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1}, {-1, 1, 1},
    {0, 1, 1}, {1, 1, 1},
};

// H_ν of menger_sponge: the replica at a place in reading order, 31 at a hole.
__device__ constexpr u8 REPLICA[] = {
    0, 1, 2, 3, 31, 4, 5, 6, 7, 8, 31, 9, 31, 31, 31, 10,
    31, 11, 12, 13, 14, 15, 31, 16, 17, 18, 19,
};
__device__ __forceinline__ u32 replica(u32 place) {
    return REPLICA[place];
}

// H_λ of menger_sponge: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x9224889224ull >> 2 * replica) & 0x3;
}

// H_λ of menger_sponge: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0xa940a0a940ull >> 2 * replica) & 0x3;
}

// H_λ of menger_sponge: the z of a replica.
__device__ __forceinline__ u32 offset_z(u32 replica) {
    return (u32)(0xaaaa550000ull >> 2 * replica) & 0x3;
}

// The place in its block of each micro cell.
__device__ constexpr u8 MICRO_PLACE[] = {
    0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 15, 17, 18, 19, 20, 21,
    23, 24, 25, 26,
};

__device__ constexpr u32 MICRO_MASK[] = {
    129928175,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE && point.z < BLOCK_SIDE;
}

// Where the block lies that is in some direction of one.
__device__ __forceinline__ Point beside(Point corner, u32 direction) {
    return {corner.x + direction % 3 - 1, corner.y + direction / 3 % 3 - 1, corner.z + direction / 9 - 1};
}

// λ: where the block lies that compact space keeps under a number.
__device__ __forceinline__ Point lambda(index number) {
    index rest = number, x = 0, y = 0, z = 0;
    u32 digit;
    digit = (u32)(rest % 20), rest /= 20;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    digit = (u32)rest;
    x += (index)offset_x(digit) * 3u, y += (index)offset_y(digit) * 3u, z += (index)offset_z(digit) * 3u;
    return {x, y, z};
}

// ν: the number under which compact space keeps the block at a point, if there is one.
__device__ __forceinline__ index nu(Point point) {
    if (!is_inside(point)) { return NONE; }
    index x = point.x, y = point.y, z = point.z;
    index sum = 0;
    u32 digit;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3) + 9 * (u32)(z % 3));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit, x /= 3, y /= 3, z /= 3;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3) + 9 * (u32)(z % 3));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 20u;
    return sum;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y, z = point.z;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3) + 9 * (u32)(z % 3));
    sum += (u64)digit, x /= 3, y /= 3, z /= 3;
    digit = replica((u32)(x % 3) + 3 * (u32)(y % 3) + 9 * (u32)(z % 3));
    sum += (u64)digit * 20ull;
    return sum;
}

// Where the cell at a point is kept, if there is one.
__device__ __forceinline__ u64 place_of(index x, index y, index z) {
    if (x >= CELL_SIDE || y >= CELL_SIDE || z >= CELL_SIDE) { return HOLE; }
    const Point point = {x / RHO, y / RHO, z / RHO};
    const u32 place = (u32)(x % RHO) + RHO * (u32)(y % RHO) + RHO * RHO * (u32)(z % RHO);
    const index number = nu(point);
    return number != NONE && is_cell(place) ? (u64)number * BLOCK_PLACES + place : HOLE;
}

// λ of cells by their canonical index.
__device__ __forceinline__ Point cell_of(u64 canonical) {
    u64 rest = canonical;
    index x = 0, y = 0, z = 0;
    u32 digit;
    digit = (u32)(rest % 20), rest /= 20;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    digit = (u32)(rest % 20), rest /= 20;
    x += (index)offset_x(digit) * 3u, y += (index)offset_y(digit) * 3u, z += (index)offset_z(digit) * 3u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 9u, y += (index)offset_y(digit) * 9u, z += (index)offset_z(digit) * 9u;
    return {x, y, z};
}

// The place in memory of the cell with a canonical index.
__device__ __forceinline__ u64 place_of_cell(u64 canonical) {
    const Point cell = cell_of(canonical);
    return place_of(cell.x, cell.y, cell.z);
}

// What the digit of a level counts in a number.
__device__ constexpr u32 WEIGHTS[] = {
    1, 20,
};

// The side of the replicas of a level.
__device__ constexpr u32 SCALES[] = {
    1, 3,
};

// The digit of a number at a level.
__device__ __forceinline__ u32 digit_at(u32 level, index number) {
    return (u32)(number / WEIGHTS[level] % 20);
}

__device__ __forceinline__ u32 offset_at_x(u32 level, u32 digit) {
    return offset_x(digit);
}

__device__ __forceinline__ u32 offset_at_y(u32 level, u32 digit) {
    return offset_y(digit);
}

__device__ __forceinline__ u32 offset_at_z(u32 level, u32 digit) {
    return offset_z(digit);
}

// The replica of a level that holds a point.
__device__ __forceinline__ u32 replica_at(u32 level, Point point) {
    const index side = SCALES[level];
    const u32 x = (u32)(point.x / side % 3);
    const u32 y = (u32)(point.y / side % 3);
    const u32 z = (u32)(point.z / side % 3);
    return replica(x + 3 * (y + 3 * z));
}

// Levels of the maps.
constexpr u32 LEVELS = 2;
constexpr u32 ALL = 0xffffffff;

// λ: 3 rows of limbs of 8 bits by 6 columns, U8 into S32; 1 product(s) for eight maps, each exact.
constexpr u32 LAMBDA_CHUNKS = 1;
constexpr u32 LAMBDA_GROUPS = 1;
// The fragments of A: the weights' limbs, for each group of rows and chunk of columns what each lane holds.
__device__ constexpr u32 LAMBDA_WEIGHTS[] = {
    50331649, 0, 0, 0, 256, 3, 0, 0, 65536, 768, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
// What the sum of a row counts in an output.
__device__ constexpr u32 LAMBDA_FACTORS_X[] = {
    1, 0, 0, 0, 0, 0, 0, 0,
};
__device__ constexpr u32 LAMBDA_FACTORS_Y[] = {
    0, 1, 0, 0, 0, 0, 0, 0,
};
__device__ constexpr u32 LAMBDA_FACTORS_Z[] = {
    0, 0, 1, 0, 0, 0, 0, 0,
};

// ν: 2 rows of limbs of 8 bits by 2 columns, U8 into S32; 1 product(s) for eight maps, each exact.
constexpr u32 NU_CHUNKS = 1;
constexpr u32 NU_GROUPS = 1;
// The fragments of A: the weights' limbs, for each group of rows and chunk of columns what each lane holds.
__device__ constexpr u32 NU_WEIGHTS[] = {
    1, 0, 0, 0, 256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
// What the sum of a row counts in an output.
__device__ constexpr u32 NU_FACTORS[] = {
    1, 20, 0, 0, 0, 0, 0, 0,
};

// Adds the product of 8 rows of 16 bytes and 16 rows of 8 bytes, in integers of 32 bits. A lane holds two sums of its row.
__device__ __forceinline__ void multiply_bytes(int (&rows)[2], const u32 *weights, u32 digits) {
    asm volatile(
        "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(rows[0]), "+r"(rows[1])
        : "r"(weights[threadIdx.x % 32]), "r"(digits)
    );
}

// The sum over the rows of a product, of which a lane has some.
__device__ __forceinline__ index sum_of_rows(index part) {
#pragma unroll
    for (u32 distance = 4; distance < 32; distance *= 2) {
        part += __shfl_xor_sync(ALL, part, distance);
    }
    return part;
}

// Where the group's blocks lie: λ on tensor cores, eight blocks a warp.
__device__ __forceinline__ void locate_corners(index first, Point *corners) {
    const u32 lane = threadIdx.x % 32;
#pragma unroll 1
    for (u32 base = threadIdx.x / 32 * 8; base < GROUP; base += THREADS / 4) {
        // B: a column a block, a row an axis of a level.
        const u32 block = base + lane / 4;
        const index number = block < GROUP && first + block < BLOCKS ? first + block : 0;
        u32 digits[LAMBDA_CHUNKS];
#pragma unroll
        for (u32 chunk = 0; chunk < LAMBDA_CHUNKS; ++chunk) {
            u32 row = 16 * chunk + lane % 4 * 4;
            digits[chunk] = 0;
#pragma unroll
            for (u32 i = 0; i < 4; ++i, ++row) {
                const u32 level = row / 3;
                const u32 digit = level < LEVELS ? digit_at(level, number) : 0;
                const u32 offset = level < LEVELS ? row % 3 == 0 ? offset_at_x(level, digit) : row % 3 == 1 ? offset_at_y(level, digit) : offset_at_z(level, digit) : 0;
                digits[chunk] |= offset << (8 * i);
            }
        }
        Point pair[2] = {};
#pragma unroll
        for (u32 group = 0; group < LAMBDA_GROUPS; ++group) {
            int rows[2] = {};
#pragma unroll
            for (u32 chunk = 0; chunk < LAMBDA_CHUNKS; ++chunk) {
                multiply_bytes(rows, LAMBDA_WEIGHTS + (group * LAMBDA_CHUNKS + chunk) * 32, digits[chunk]);
            }
#pragma unroll
            for (u32 i = 0; i < 2; ++i) {
                const u32 row = 8 * group + lane / 4 + i / 2 * 8;
                pair[i % 2].x += (index)rows[i] * LAMBDA_FACTORS_X[row];
                pair[i % 2].y += (index)rows[i] * LAMBDA_FACTORS_Y[row];
                pair[i % 2].z += (index)rows[i] * LAMBDA_FACTORS_Z[row];
            }
        }
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const u32 column = base + lane % 4 * 2 + i;
            pair[i].x = sum_of_rows(pair[i].x);
            pair[i].y = sum_of_rows(pair[i].y);
            pair[i].z = sum_of_rows(pair[i].z);
            if (lane < 4 && column < GROUP) {
                corners[column] = pair[i];
            }
        }
    }
}

// The numbers of the blocks around each: ν on tensor cores, eight at a time.
__device__ __forceinline__ void locate_around(index first, const Point *corners, index *around) {
    const u32 lane = threadIdx.x % 32;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        around[block * AROUND + AROUND / 2] = first + block < BLOCKS ? first + block : NONE;
    }
#pragma unroll 1
    for (u32 base = threadIdx.x / 32 * 8; base < GROUP * (AROUND - 1); base += THREADS / 4) {
        // B: a column a neighbour, a row a level.
        const u32 column = base + lane / 4 < GROUP * (AROUND - 1) ? base + lane / 4 : 0;
        const u32 direction = column % (AROUND - 1) + (column % (AROUND - 1) >= AROUND / 2);
        const Point point = beside(corners[column / (AROUND - 1)], direction);
        bool hole = !is_inside(point);
        u32 digits[NU_CHUNKS];
#pragma unroll
        for (u32 chunk = 0; chunk < NU_CHUNKS; ++chunk) {
            u32 level = 16 * chunk + lane % 4 * 4;
            digits[chunk] = 0;
#pragma unroll
            for (u32 i = 0; i < 4; ++i, ++level) {
                const u32 digit = level < LEVELS ? replica_at(level, point) : 0;
                hole |= digit == NO_REPLICA;
                digits[chunk] |= digit << (8 * i);
            }
        }
        const u32 holes = __ballot_sync(ALL, hole);
        index pair[2] = {};
#pragma unroll
        for (u32 group = 0; group < NU_GROUPS; ++group) {
            int rows[2] = {};
#pragma unroll
            for (u32 chunk = 0; chunk < NU_CHUNKS; ++chunk) {
                multiply_bytes(rows, NU_WEIGHTS + (group * NU_CHUNKS + chunk) * 32, digits[chunk]);
            }
#pragma unroll
            for (u32 i = 0; i < 2; ++i) {
                pair[i % 2] += (index)rows[i] * NU_FACTORS[8 * group + lane / 4 + i / 2 * 8];
            }
        }
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const u32 mine = lane % 4 * 2 + i, neighbour = base + mine;
            const index number = sum_of_rows(pair[i]);
            if (lane < 4 && neighbour < GROUP * (AROUND - 1)) {
                const u32 place = neighbour % (AROUND - 1) + (neighbour % (AROUND - 1) >= AROUND / 2);
                around[neighbour / (AROUND - 1) * AROUND + place] = (holes >> (4 * mine) & 15) != 0 ? NONE : number;
            }
        }
    }
}

// life: the initial values.
extern "C" __global__ void __launch_bounds__(THREADS) init(
    bool *__restrict__ next_alive,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ u64 canonicals[GROUP];
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
        const bool draw = chance(random_word(world.seed, canonical_index, world.time, 0), 0.5);
        next_alive[own] = draw;
    }
}

// life: one step.
extern "C" __global__ void __launch_bounds__(THREADS) next(
    const bool *__restrict__ alive,
    bool *__restrict__ next_alive,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ index around[GROUP * AROUND];
    __shared__ bool tile_alive[GROUP * TILE_PLACES];
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();
    locate_around(first, corners, around);
    __syncthreads();

    // The tiles.
    for (u32 i = threadIdx.x; i < GROUP * TILE_PLACES; i += THREADS) {
        const u32 block = i / TILE_PLACES;
        const u32 x = i % TILE + (RHO - HALO), y = i / TILE % TILE + (RHO - HALO), z = i % TILE_PLACES / (TILE * TILE) + (RHO - HALO);
        const index number = around[block * AROUND + x / RHO + 3 * (y / RHO) + 9 * (z / RHO)];
        const u32 place = x % RHO + RHO * (y % RHO) + RHO * RHO * (z % RHO);
        tile_alive[i] = number == NONE ? (bool)0 : alive[(u64)number * BLOCK_PLACES + place];
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
        const u32 centre = block * TILE_PLACES + (right + HALO) + TILE * (down + HALO) + TILE * TILE * (in + HALO);
        const bool own_alive = alive[own];
        int count = 0;
        #pragma unroll
        for (int i = 0; i < 26; ++i) {
            const int dx = OFFSETS_0[i][0], dy = OFFSETS_0[i][1], dz = OFFSETS_0[i][2];
            const bool nb_alive = tile_alive[centre + dx + dy * TILE + dz * (TILE * TILE)];
            count += nb_alive;
        }
        const bool test = count >= 2;
        const bool test_ = count <= 3;
        const bool value = test & test_;
        const bool test__ = count == 2;
        const bool choice = own_alive ? value : test__;
        next_alive[own] = choice;
    }
}


// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) read_cells_1(const u8 *state, u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) write_cells_1(u8 *state, const u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}
