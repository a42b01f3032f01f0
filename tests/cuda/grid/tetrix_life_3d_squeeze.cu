// life_3d on tetrix at level 6, by Squeeze 0.1.0
//
// strategy squeeze, blocks of side 8, maps scalar
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule life_3d; domain tetrix debb23693f3e43ff; level 6; strategy squeeze, blocks of side 8, maps scalar; kernels c91a42dcbd164c00

namespace squeeze_tetrix_6_squeeze_8_scalar_life_3d_kernels {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 64u;
constexpr index BLOCK_SIDE = 8u;
constexpr u32 RHO = 8;
constexpr u32 BLOCK_PLACES = 512;
constexpr u32 MICRO_CELLS = 64;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 64u;
constexpr u32 GROUP = 4;
constexpr u32 THREADS = 256;
// Around a block are 27 blocks, itself in the middle.
constexpr u32 AROUND = 27;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 10;
constexpr u32 TILE_PLACES = 1000;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 7;

struct Point {
    index x, y, z;
};

// What a step needs besides the states.
struct World {
    const u64 *params; // the parameters' bits
    u64 seed;
    u32 time;          // the time that is computed
};

// A number with its digits in reversed order.
__device__ __forceinline__ u64 reversed(u64 number) {
    u64 result = 0;
    for (int level = 0; level < 6; ++level) {
        result = result * 4 + number % 4;
        number /= 4;
    }
    return result;
}

// A plane of a random draw of 128 cells whose numbers follow each other, 32 in each word: Philox4x32-10. The numbers are indices, on fractals with their digits reversed.
struct RandomPlane {
    u32 words[4];
};

__device__ __forceinline__ RandomPlane random_plane(u64 seed, u64 block, u32 time, u32 number) {
    u32 a = (u32)block, b = (u32)(block >> 32), c = time, d = number;
    u32 key_low = (u32)seed, key_high = (u32)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        u32 first_low, first_high, second_low, second_high;
        // Compiled from a shift, each half would cost an addition of 0.
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

// Word `number` of a plane.
__device__ __forceinline__ u32 word_of_plane(const RandomPlane &plane, u32 number) {
    const u32 low = number & 1 ? plane.words[1] : plane.words[0], high = number & 1 ? plane.words[3] : plane.words[2];
    return number & 2 ? high : low;
}

// The random word of the cell with this reversed number: a bit of each of the draw's 32 planes.
__device__ __forceinline__ u32 random_word(u64 seed, u64 cell, u32 time, u32 draw) {
    const u32 number = (u32)(cell / 32 % 4), bit = (u32)(cell % 32);
    u32 word = 0;
#pragma unroll 1
    for (u32 plane = 0; plane < 32; ++plane) {
        const u32 cells = word_of_plane(random_plane(seed, cell / 128, time, 32 * draw + plane), number);
        word = word << 1 | (cells >> bit & 1);
    }
    return word;
}

// A plane of a draw: behind the planes of a word come those of further blocks.
__device__ __forceinline__ RandomPlane plane_of_draw(u64 seed, u64 block, u32 time, u32 draw, u32 plane) {
    return random_plane(seed, block + ((u64)(plane / 32) << 57), time, 32 * draw + plane % 32);
}

// Whether a number between 0 and 1 whose digits are the bits of a cell, plane after plane, is less than a probability.
__device__ __forceinline__ bool happens(u64 seed, u64 cell, u32 time, u32 draw, double probability) {
    // Doubled, what is left shows its next digit.
    double left = probability;
#pragma unroll 1
    for (u32 plane = 0; left > 0.0; ++plane) {
        left += left;
        const u32 digit = left >= 1.0;
        left -= digit;
        const u32 cells = word_of_plane(plane_of_draw(seed, cell / 128, time, draw, plane), (u32)(cell / 32 % 4));
        if ((cells >> cell % 32 & 1) != digit) {
            return digit;
        }
    }
    return false;
}

// A random bit is set if its random word is less than `below`, or in any case if `always` is not 0. Where it is equal, further planes decide if `more` is not 0.
struct Threshold {
    u32 below;
    u32 always;
    u32 more;
};

// The threshold of a probability.
__device__ __forceinline__ Threshold threshold_of(double probability) {
    const double bound = probability * 4294967296.0;
    const bool always = bound >= 4294967296.0;
    const u32 below = always || !(bound > 0.0) ? 0 : (u32)bound;
    return {below, always, !always && bound > below};
}

// The threshold that the host computed: `below` in the low word, the others in the high one.
__device__ __forceinline__ Threshold threshold_of(long long threshold) {
    return {(u32)threshold, (u32)((u64)threshold >> 32) & 1, (u32)((u64)threshold >> 33)};
}

// The chance of a cell with this random word of a draw.
__device__ __forceinline__ bool chance(u32 word, double probability, u64 seed, u64 cell, u32 time, u32 draw) {
    const Threshold threshold = threshold_of(probability);
    if (threshold.more && word == threshold.below) {
        return happens(seed, cell, time, draw, probability);
    }
    return threshold.always || word < threshold.below;
}

// H_ν of tetrix: the replica at a place in reading order, 7 at a hole.
__device__ __forceinline__ u32 replica(u32 place) {
    return (u32)(0xffbe88u >> 3 * place) & 0x7;
}

// H_λ of tetrix: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x2u >> replica) & 0x1;
}

// H_λ of tetrix: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0x4u >> replica) & 0x1;
}

// H_λ of tetrix: the z of a replica.
__device__ __forceinline__ u32 offset_z(u32 replica) {
    return (u32)(0x8u >> replica) & 0x1;
}

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    0, 1, 8, 64, 2, 3, 10, 66, 16, 17, 24, 80, 128, 129, 136, 192,
    4, 5, 12, 68, 6, 7, 14, 70, 20, 21, 28, 84, 132, 133, 140, 196,
    32, 33, 40, 96, 34, 35, 42, 98, 48, 49, 56, 112, 160, 161, 168, 224,
    256, 257, 264, 320, 258, 259, 266, 322, 272, 273, 280, 336, 384, 385, 392, 448,
};

__device__ constexpr u32 MICRO_MASK[] = {
    288577023, 16975119, 1114197, 65541, 4403, 259, 17, 1, 16975119, 0, 65541, 0, 259, 0, 1, 0,
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
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u, z += (index)offset_z(digit) * 2u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u, z += (index)offset_z(digit) * 4u;
    return {x, y, z};
}

// ν: the number under which compact space keeps the block at a point, if there is one.
__device__ __forceinline__ index nu(Point point) {
    if (!is_inside(point)) { return NONE; }
    index x = point.x, y = point.y, z = point.z;
    index sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2) + 4 * (u32)(z % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit, x /= 2, y /= 2, z /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2) + 4 * (u32)(z % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 4u, x /= 2, y /= 2, z /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2) + 4 * (u32)(z % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 16u;
    return sum;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y, z = point.z;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2) + 4 * (u32)(z % 2));
    sum += (u64)digit, x /= 2, y /= 2, z /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2) + 4 * (u32)(z % 2));
    sum += (u64)digit * 4ull, x /= 2, y /= 2, z /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2) + 4 * (u32)(z % 2));
    sum += (u64)digit * 16ull;
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
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit), y += (index)offset_y(digit), z += (index)offset_z(digit);
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u, z += (index)offset_z(digit) * 2u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u, z += (index)offset_z(digit) * 4u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u, z += (index)offset_z(digit) * 8u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 16u, y += (index)offset_y(digit) * 16u, z += (index)offset_z(digit) * 16u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 32u, y += (index)offset_y(digit) * 32u, z += (index)offset_z(digit) * 32u;
    return {x, y, z};
}

// The place in memory of the cell with a canonical index.
__device__ __forceinline__ u64 place_of_cell(u64 canonical) {
    const Point cell = cell_of(canonical);
    return place_of(cell.x, cell.y, cell.z);
}

// Where the group's blocks lie: λ, one thread a block.
__device__ __forceinline__ void locate_corners(index first, Point *corners) {
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        corners[block] = lambda(first + block < BLOCKS ? first + block : 0);
    }
}

// The numbers of the blocks around each block: ν, one thread a neighbour.
__device__ __forceinline__ void locate_around(index first, const Point *corners, index *around) {
    for (u32 i = threadIdx.x; i < GROUP * AROUND; i += THREADS) {
        const u32 block = i / AROUND, direction = i % AROUND;
        around[i] = direction == AROUND / 2 ? (first + block < BLOCKS ? first + block : NONE) : nu(beside(corners[block], direction));
    }
}

// life_3d: the initial values.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_tetrix_6_squeeze_8_scalar_life_3d_init(
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
        const u32 right = place % RHO, down = place / RHO % RHO, in = place / (RHO * RHO);
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down, z = corners[block].z * RHO + in;
        const u64 canonical_index = canonicals[block] + i % MICRO_CELLS;
        const int cell_z = (int)z;
        const float cast_0 = (float)cell_z;
        const float product_0 = 0x1.99999ap-2f /* 0.4 */ * cast_0;
        const int side = 64;
        const float cast_1 = (float)side;
        const float quotient_0 = product_0 / cast_1;
        const float sum_0 = 0x1.99999ap-4f /* 0.1 */ + quotient_0;
        const double chance_0 = (double)sum_0;
        const u32 draw_0 = random_word(world.seed, reversed(canonical_index), world.time, 0);
        const bool chance_1 = chance(draw_0, chance_0, world.seed, reversed(canonical_index), world.time, 0);
        next_alive[own] = chance_1;
    }
}

// life_3d: one step.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_tetrix_6_squeeze_8_scalar_life_3d_next(
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
        const bool alive_front_above_left = tile_alive[centre - TILE * TILE - TILE - 1];
        const bool alive_front_above = tile_alive[centre - TILE * TILE - TILE];
        const bool alive_front_above_right = tile_alive[centre - TILE * TILE - TILE + 1];
        const bool alive_front_left = tile_alive[centre - TILE * TILE - 1];
        const bool alive_front = tile_alive[centre - TILE * TILE];
        const bool alive_front_right = tile_alive[centre - TILE * TILE + 1];
        const bool alive_front_below_left = tile_alive[centre - TILE * TILE + TILE - 1];
        const bool alive_front_below = tile_alive[centre - TILE * TILE + TILE];
        const bool alive_front_below_right = tile_alive[centre - TILE * TILE + TILE + 1];
        const bool alive_above_left = tile_alive[centre - TILE - 1];
        const bool alive_above = tile_alive[centre - TILE];
        const bool alive_above_right = tile_alive[centre - TILE + 1];
        const bool alive_left = tile_alive[centre - 1];
        const bool alive_right = tile_alive[centre + 1];
        const bool alive_below_left = tile_alive[centre + TILE - 1];
        const bool alive_below = tile_alive[centre + TILE];
        const bool alive_below_right = tile_alive[centre + TILE + 1];
        const bool alive_back_above_left = tile_alive[centre + TILE * TILE - TILE - 1];
        const bool alive_back_above = tile_alive[centre + TILE * TILE - TILE];
        const bool alive_back_above_right = tile_alive[centre + TILE * TILE - TILE + 1];
        const bool alive_back_left = tile_alive[centre + TILE * TILE - 1];
        const bool alive_back = tile_alive[centre + TILE * TILE];
        const bool alive_back_right = tile_alive[centre + TILE * TILE + 1];
        const bool alive_back_below_left = tile_alive[centre + TILE * TILE + TILE - 1];
        const bool alive_back_below = tile_alive[centre + TILE * TILE + TILE];
        const bool alive_back_below_right = tile_alive[centre + TILE * TILE + TILE + 1];
        const int count_0 = alive_front_above_left + alive_front_above + alive_front_above_right + alive_front_left
            + alive_front + alive_front_right + alive_front_below_left + alive_front_below + alive_front_below_right
            + alive_above_left + alive_above + alive_above_right + alive_left + alive_right + alive_below_left
            + alive_below + alive_below_right + alive_back_above_left + alive_back_above + alive_back_above_right
            + alive_back_left + alive_back + alive_back_right + alive_back_below_left + alive_back_below
            + alive_back_below_right;
        const bool test_0 = count_0 >= 3;
        const bool test_1 = count_0 <= 5;
        const bool both_0 = test_0 & test_1;
        const bool own_alive = alive[own];
        const bool choice_0 = both_0 & own_alive;
        const bool test_2 = count_0 <= 4;
        const bool both_1 = test_0 & test_2;
        const bool choice_1 = both_1 & !own_alive;
        const bool choice_2 = choice_0 | choice_1;
        next_alive[own] = choice_2;
    }
}


// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) squeeze_tetrix_6_squeeze_8_scalar_life_3d_read_cells_1(const u8 *state, u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) squeeze_tetrix_6_squeeze_8_scalar_life_3d_write_cells_1(u8 *state, const u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(CELL_SIDE) + sizeof(BLOCK_SIDE) + sizeof(RHO) + sizeof(BLOCK_PLACES) + sizeof(MICRO_CELLS) + sizeof(BLOCKS) + sizeof(GROUP) + sizeof(THREADS) + sizeof(AROUND) + sizeof(HALO) + sizeof(TILE) + sizeof(TILE_PLACES) + sizeof(NONE) + sizeof(HOLE) + sizeof(NO_REPLICA) > 0, "");

} // namespace squeeze_tetrix_6_squeeze_8_scalar_life_3d_kernels
