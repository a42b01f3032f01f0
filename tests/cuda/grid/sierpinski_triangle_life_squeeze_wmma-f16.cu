// life on sierpinski_triangle at level 9, by Squeeze 0.1.0
//
// strategy squeeze, blocks of side 16, maps wmma-f16
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17
//
// made for: rule life; domain sierpinski_triangle 3b1298cdcf1aa7bf; level 9; strategy squeeze, blocks of side 16, maps wmma-f16; kernels c49b78635b2547a5

namespace squeeze_sierpinski_triangle_9_squeeze_16_wmma_f16_life_kernels {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 512u;
constexpr index BLOCK_SIDE = 32u;
constexpr u32 RHO = 16;
constexpr u32 BLOCK_PLACES = 256;
constexpr u32 MICRO_CELLS = 81;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 243u;
constexpr u32 GROUP = 3;
constexpr u32 THREADS = 256;
// Around a block are 9 blocks, itself in the middle.
constexpr u32 AROUND = 9;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 18;
constexpr u32 TILE_PLACES = 324;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 3;

struct Point {
    index x, y;
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
    for (int level = 0; level < 9; ++level) {
        result = result * 3 + number % 3;
        number /= 3;
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

// H_ν of sierpinski_triangle: the replica at a place in reading order, 3 at a hole.
__device__ __forceinline__ u32 replica(u32 place) {
    return (u32)(0x9cu >> 2 * place) & 0x3;
}

// H_λ of sierpinski_triangle: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0x4u >> replica) & 0x1;
}

// H_λ of sierpinski_triangle: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0x6u >> replica) & 0x1;
}

// The place in its block of each micro cell.
__device__ constexpr u8 MICRO_PLACE[] = {
    0, 16, 17, 32, 48, 49, 34, 50, 51, 64, 80, 81, 96, 112, 113, 98,
    114, 115, 68, 84, 85, 100, 116, 117, 102, 118, 119, 128, 144, 145, 160, 176,
    177, 162, 178, 179, 192, 208, 209, 224, 240, 241, 226, 242, 243, 196, 212, 213,
    228, 244, 245, 230, 246, 247, 136, 152, 153, 168, 184, 185, 170, 186, 187, 200,
    216, 217, 232, 248, 249, 234, 250, 251, 204, 220, 221, 236, 252, 253, 238, 254,
    255,
};

__device__ constexpr u32 MICRO_MASK[] = {
    196609, 983045, 3342353, 16711765, 50528513, 252642565, 858984721, 4294923605,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE;
}

// Where the block lies that is in some direction of one.
__device__ __forceinline__ Point beside(Point corner, u32 direction) {
    return {corner.x + direction % 3 - 1, corner.y + direction / 3 - 1};
}

// λ: where the block lies that compact space keeps under a number.
__device__ __forceinline__ Point lambda(index number) {
    index rest = number, x = 0, y = 0;
    u32 digit;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 16u, y += (index)offset_y(digit) * 16u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    return {x, y};
}

// ν: the number under which compact space keeps the block at a point, if there is one.
__device__ __forceinline__ index nu(Point point) {
    if (!is_inside(point)) { return NONE; }
    index x = point.x, y = point.y;
    index sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 27u, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 3u, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 81u, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return NONE; }
    sum += (index)digit * 9u;
    return sum;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 3ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 9ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 27ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 81ull;
    return sum;
}

// Where the cell at a point is kept, if there is one.
__device__ __forceinline__ u64 place_of(index x, index y) {
    if (x >= CELL_SIDE || y >= CELL_SIDE) { return HOLE; }
    const Point point = {x / RHO, y / RHO};
    const u32 place = (u32)(x % RHO) + RHO * (u32)(y % RHO);
    const index number = nu(point);
    return number != NONE && is_cell(place) ? (u64)number * BLOCK_PLACES + place : HOLE;
}

// λ of cells by their canonical index.
__device__ __forceinline__ Point cell_of(u64 canonical) {
    u64 rest = canonical;
    index x = 0, y = 0;
    u32 digit;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 16u, y += (index)offset_y(digit) * 16u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 32u, y += (index)offset_y(digit) * 32u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 64u, y += (index)offset_y(digit) * 64u;
    digit = (u32)(rest % 3), rest /= 3;
    x += (index)offset_x(digit) * 128u, y += (index)offset_y(digit) * 128u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 256u, y += (index)offset_y(digit) * 256u;
    return {x, y};
}

// The place in memory of the cell with a canonical index.
__device__ __forceinline__ u64 place_of_cell(u64 canonical) {
    const Point cell = cell_of(canonical);
    return place_of(cell.x, cell.y);
}

// What the digit of a level counts in a number.
__device__ constexpr u32 WEIGHTS[] = {
    1, 27, 3, 81, 9,
};

// The side of the replicas of a level.
__device__ constexpr u32 SCALES[] = {
    1, 2, 4, 8, 16,
};

// The digit of a number at a level.
__device__ __forceinline__ u32 digit_at(u32 level, index number) {
    return (u32)(number / WEIGHTS[level] % 3);
}

__device__ __forceinline__ u32 offset_at_x(u32 level, u32 digit) {
    return offset_x(digit);
}

__device__ __forceinline__ u32 offset_at_y(u32 level, u32 digit) {
    return offset_y(digit);
}

// The replica of a level that holds a point.
__device__ __forceinline__ u32 replica_at(u32 level, Point point) {
    const u32 x = (u32)(point.x >> level) & 1;
    const u32 y = (u32)(point.y >> level) & 1;
    return replica(x + 2 * y);
}

// Levels of the maps.
constexpr u32 LEVELS = 5;
constexpr u32 ALL = 0xffffffff;

// λ: A has 2 rows, of 11-bit parts of weights, and 10 columns; products of F16 are summed in F32 without rounding. Eight maps take 1 mma.
constexpr u32 LAMBDA_CHUNKS = 1;
constexpr u32 LAMBDA_GROUPS = 1;
// The fragments of A: the parts of the weights, for each group of rows and chunk of columns what each lane holds.
__device__ constexpr u32 LAMBDA_WEIGHTS[] = {
    15360, 0, 16384, 0, 17408, 0, 18432, 0, 19456, 0, 0, 0, 0, 0, 0, 0,
    1006632960, 0, 1073741824, 0, 1140850688, 0, 1207959552, 0, 1275068416, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
// By what the sum of each row is multiplied in an output.
__device__ constexpr u32 LAMBDA_FACTORS_X[] = {
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
__device__ constexpr u32 LAMBDA_FACTORS_Y[] = {
    0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

// ν: A has 2 rows, of 11-bit parts of weights, and 5 columns; products of F16 are summed in F32 without rounding. Eight maps take 1 mma.
constexpr u32 NU_CHUNKS = 1;
constexpr u32 NU_GROUPS = 1;
// The fragments of A: the parts of the weights, for each group of rows and chunk of columns what each lane holds.
__device__ constexpr u32 NU_WEIGHTS[] = {
    15360, 0, 16896, 0, 18560, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1006632960, 0, 1107296256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
// By what the sum of each row is multiplied in an output.
__device__ constexpr u32 NU_FACTORS[] = {
    1, 27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

// An integer up to 2048 as F16, which holds it exactly.
__device__ __forceinline__ u32 half(u32 digit) {
    u16 bits;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(bits) : "r"(digit));
    return bits;
}

// Adds the product of 16 rows of 16 F16 and 16 rows of 8 F16, in F32. A lane holds two sums of its row and two of its row + 8.
__device__ __forceinline__ void multiply_sixteen(float (&rows)[4], const u32 *weights, u64 digits) {
    const u32 *mine = weights + threadIdx.x % 32 * 4;
    const u32 low = (u32)digits, high = (u32)(digits >> 32);
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(rows[0]), "+f"(rows[1]), "+f"(rows[2]), "+f"(rows[3])
        : "r"(mine[0]), "r"(mine[1]), "r"(mine[2]), "r"(mine[3]), "r"(low), "r"(high)
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
        u64 digits[LAMBDA_CHUNKS];
#pragma unroll
        for (u32 chunk = 0; chunk < LAMBDA_CHUNKS; ++chunk) {
            u32 row = 16 * chunk + lane % 4 * 4;
            digits[chunk] = 0;
#pragma unroll
            for (u32 i = 0; i < 4; ++i, ++row) {
                const u32 level = row / 2;
                const u32 digit = level < LEVELS ? digit_at(level, number) : 0;
                const u32 offset = level < LEVELS ? row % 2 == 0 ? offset_at_x(level, digit) : offset_at_y(level, digit) : 0;
                digits[chunk] |= (u64)half(offset) << (16 * i);
            }
        }
        Point pair[2] = {};
#pragma unroll
        for (u32 group = 0; group < LAMBDA_GROUPS; ++group) {
            float rows[4] = {};
#pragma unroll
            for (u32 chunk = 0; chunk < LAMBDA_CHUNKS; ++chunk) {
                multiply_sixteen(rows, LAMBDA_WEIGHTS + (group * LAMBDA_CHUNKS + chunk) * 128, digits[chunk]);
            }
#pragma unroll
            for (u32 i = 0; i < 4; ++i) {
                const u32 row = 16 * group + lane / 4 + i / 2 * 8;
                pair[i % 2].x += (index)rows[i] * LAMBDA_FACTORS_X[row];
                pair[i % 2].y += (index)rows[i] * LAMBDA_FACTORS_Y[row];
            }
        }
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const u32 column = base + lane % 4 * 2 + i;
            pair[i].x = sum_of_rows(pair[i].x);
            pair[i].y = sum_of_rows(pair[i].y);
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
        u64 digits[NU_CHUNKS];
#pragma unroll
        for (u32 chunk = 0; chunk < NU_CHUNKS; ++chunk) {
            u32 level = 16 * chunk + lane % 4 * 4;
            digits[chunk] = 0;
#pragma unroll
            for (u32 i = 0; i < 4; ++i, ++level) {
                const u32 digit = level < LEVELS ? replica_at(level, point) : 0;
                hole |= digit == NO_REPLICA;
                digits[chunk] |= (u64)half(digit) << (16 * i);
            }
        }
        const u32 holes = __ballot_sync(ALL, hole);
        index pair[2] = {};
#pragma unroll
        for (u32 group = 0; group < NU_GROUPS; ++group) {
            float rows[4] = {};
#pragma unroll
            for (u32 chunk = 0; chunk < NU_CHUNKS; ++chunk) {
                multiply_sixteen(rows, NU_WEIGHTS + (group * NU_CHUNKS + chunk) * 128, digits[chunk]);
            }
#pragma unroll
            for (u32 i = 0; i < 4; ++i) {
                pair[i % 2] += (index)rows[i] * NU_FACTORS[16 * group + lane / 4 + i / 2 * 8];
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
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_squeeze_16_wmma_f16_life_init(
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
        const u32 draw_0 = random_word(world.seed, reversed(canonical_index), world.time, 0);
        const bool chance_1 = draw_0 < 2147483648u;
        next_alive[own] = chance_1;
    }
}

// life: one step.
extern "C" __global__ void __launch_bounds__(THREADS) squeeze_sierpinski_triangle_9_squeeze_16_wmma_f16_life_next(
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
        const u32 x = i % TILE + (RHO - HALO), y = i % TILE_PLACES / TILE + (RHO - HALO);
        const index number = around[block * AROUND + x / RHO + 3 * (y / RHO)];
        const u32 place = x % RHO + RHO * (y % RHO);
        tile_alive[i] = number == NONE ? (bool)0 : alive[(u64)number * BLOCK_PLACES + place];
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u64 own = (u64)(first + block) * BLOCK_PLACES + place;
        const u32 right = place % RHO, down = place / RHO;
        const u32 centre = block * TILE_PLACES + (right + HALO) + TILE * (down + HALO);
        const bool alive_above_left = tile_alive[centre - TILE - 1];
        const bool alive_above = tile_alive[centre - TILE];
        const bool alive_above_right = tile_alive[centre - TILE + 1];
        const bool alive_left = tile_alive[centre - 1];
        const bool alive_right = tile_alive[centre + 1];
        const bool alive_below_left = tile_alive[centre + TILE - 1];
        const bool alive_below = tile_alive[centre + TILE];
        const bool alive_below_right = tile_alive[centre + TILE + 1];
        const int count_0 = alive_above_left + alive_above + alive_above_right + alive_left + alive_right
            + alive_below_left + alive_below + alive_below_right;
        const bool test_0 = count_0 >= 2;
        const bool test_1 = count_0 <= 3;
        const bool both_0 = test_0 & test_1;
        const bool own_alive = alive[own];
        const bool choice_0 = both_0 & own_alive;
        const bool equal_0 = count_0 == 2;
        const bool choice_1 = equal_0 & !own_alive;
        const bool choice_2 = choice_0 | choice_1;
        next_alive[own] = choice_2;
    }
}


// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) squeeze_sierpinski_triangle_9_squeeze_16_wmma_f16_life_read_cells_1(const u8 *state, u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) squeeze_sierpinski_triangle_9_squeeze_16_wmma_f16_life_write_cells_1(u8 *state, const u8 *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}

// Uses all constants, so that compilers do not warn of those that no kernel needs.
static_assert(sizeof(CELL_SIDE) + sizeof(BLOCK_SIDE) + sizeof(RHO) + sizeof(BLOCK_PLACES) + sizeof(MICRO_CELLS) + sizeof(BLOCKS) + sizeof(GROUP) + sizeof(THREADS) + sizeof(AROUND) + sizeof(HALO) + sizeof(TILE) + sizeof(TILE_PLACES) + sizeof(NONE) + sizeof(HOLE) + sizeof(NO_REPLICA) + sizeof(LEVELS) + sizeof(ALL) + sizeof(LAMBDA_CHUNKS) + sizeof(LAMBDA_GROUPS) + sizeof(NU_CHUNKS) + sizeof(NU_GROUPS) > 0, "");

} // namespace squeeze_sierpinski_triangle_9_squeeze_16_wmma_f16_life_kernels
