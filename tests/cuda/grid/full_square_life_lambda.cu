// life on full_square at level 9, by Squeeze 0.1.0
//
// strategy lambda, blocks of side 32, maps scalar
//
// nvcc --fmad=false --prec-div=true --prec-sqrt=true --ftz=false --std=c++17

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
// Wide enough for coordinates and for the numbers of blocks.
typedef u32 index;

// The grid has CELL_SIDE cells a side, and BLOCK_SIDE blocks; a block has RHO places a side, and MICRO_CELLS of them are cells.
constexpr index CELL_SIDE = 512u;
constexpr index BLOCK_SIDE = 16u;
constexpr u32 RHO = 32;
constexpr u32 BLOCK_PLACES = 1024;
constexpr u32 MICRO_CELLS = 1024;
// What a step down counts in memory, which is expanded.
constexpr u64 ROW = 512ull;
// The blocks that are visited, and how many of them THREADS threads take together.
constexpr index BLOCKS = 256u;
constexpr u32 GROUP = 1;
constexpr u32 THREADS = 256;
// Around a block are 9 blocks, itself in the middle.
constexpr u32 AROUND = 9;
// A tile is a block with HALO places on all sides.
constexpr u32 HALO = 1;
constexpr u32 TILE = 34;
constexpr u32 TILE_PLACES = 1156;
// No block, no place in memory, no replica.
constexpr index NONE = 0xffffffffu;
constexpr u64 HOLE = 0xffffffffffffffffull;
constexpr u32 NO_REPLICA = 7;

struct Point {
    index x, y;
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
__device__ constexpr int OFFSETS_0[][2] = {
    {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
};

// H_ν of full_square: the replica at a place in reading order, 7 at a hole.
__device__ __forceinline__ u32 replica(u32 place) {
    return (u32)(0x688u >> 3 * place) & 0x7;
}

// H_λ of full_square: the x of a replica.
__device__ __forceinline__ u32 offset_x(u32 replica) {
    return (u32)(0xau >> replica) & 0x1;
}

// H_λ of full_square: the y of a replica.
__device__ __forceinline__ u32 offset_y(u32 replica) {
    return (u32)(0xcu >> replica) & 0x1;
}

// The place in its block of each micro cell.
__device__ constexpr u16 MICRO_PLACE[] = {
    0, 1, 32, 33, 2, 3, 34, 35, 64, 65, 96, 97, 66, 67, 98, 99,
    4, 5, 36, 37, 6, 7, 38, 39, 68, 69, 100, 101, 70, 71, 102, 103,
    128, 129, 160, 161, 130, 131, 162, 163, 192, 193, 224, 225, 194, 195, 226, 227,
    132, 133, 164, 165, 134, 135, 166, 167, 196, 197, 228, 229, 198, 199, 230, 231,
    8, 9, 40, 41, 10, 11, 42, 43, 72, 73, 104, 105, 74, 75, 106, 107,
    12, 13, 44, 45, 14, 15, 46, 47, 76, 77, 108, 109, 78, 79, 110, 111,
    136, 137, 168, 169, 138, 139, 170, 171, 200, 201, 232, 233, 202, 203, 234, 235,
    140, 141, 172, 173, 142, 143, 174, 175, 204, 205, 236, 237, 206, 207, 238, 239,
    256, 257, 288, 289, 258, 259, 290, 291, 320, 321, 352, 353, 322, 323, 354, 355,
    260, 261, 292, 293, 262, 263, 294, 295, 324, 325, 356, 357, 326, 327, 358, 359,
    384, 385, 416, 417, 386, 387, 418, 419, 448, 449, 480, 481, 450, 451, 482, 483,
    388, 389, 420, 421, 390, 391, 422, 423, 452, 453, 484, 485, 454, 455, 486, 487,
    264, 265, 296, 297, 266, 267, 298, 299, 328, 329, 360, 361, 330, 331, 362, 363,
    268, 269, 300, 301, 270, 271, 302, 303, 332, 333, 364, 365, 334, 335, 366, 367,
    392, 393, 424, 425, 394, 395, 426, 427, 456, 457, 488, 489, 458, 459, 490, 491,
    396, 397, 428, 429, 398, 399, 430, 431, 460, 461, 492, 493, 462, 463, 494, 495,
    16, 17, 48, 49, 18, 19, 50, 51, 80, 81, 112, 113, 82, 83, 114, 115,
    20, 21, 52, 53, 22, 23, 54, 55, 84, 85, 116, 117, 86, 87, 118, 119,
    144, 145, 176, 177, 146, 147, 178, 179, 208, 209, 240, 241, 210, 211, 242, 243,
    148, 149, 180, 181, 150, 151, 182, 183, 212, 213, 244, 245, 214, 215, 246, 247,
    24, 25, 56, 57, 26, 27, 58, 59, 88, 89, 120, 121, 90, 91, 122, 123,
    28, 29, 60, 61, 30, 31, 62, 63, 92, 93, 124, 125, 94, 95, 126, 127,
    152, 153, 184, 185, 154, 155, 186, 187, 216, 217, 248, 249, 218, 219, 250, 251,
    156, 157, 188, 189, 158, 159, 190, 191, 220, 221, 252, 253, 222, 223, 254, 255,
    272, 273, 304, 305, 274, 275, 306, 307, 336, 337, 368, 369, 338, 339, 370, 371,
    276, 277, 308, 309, 278, 279, 310, 311, 340, 341, 372, 373, 342, 343, 374, 375,
    400, 401, 432, 433, 402, 403, 434, 435, 464, 465, 496, 497, 466, 467, 498, 499,
    404, 405, 436, 437, 406, 407, 438, 439, 468, 469, 500, 501, 470, 471, 502, 503,
    280, 281, 312, 313, 282, 283, 314, 315, 344, 345, 376, 377, 346, 347, 378, 379,
    284, 285, 316, 317, 286, 287, 318, 319, 348, 349, 380, 381, 350, 351, 382, 383,
    408, 409, 440, 441, 410, 411, 442, 443, 472, 473, 504, 505, 474, 475, 506, 507,
    412, 413, 444, 445, 414, 415, 446, 447, 476, 477, 508, 509, 478, 479, 510, 511,
    512, 513, 544, 545, 514, 515, 546, 547, 576, 577, 608, 609, 578, 579, 610, 611,
    516, 517, 548, 549, 518, 519, 550, 551, 580, 581, 612, 613, 582, 583, 614, 615,
    640, 641, 672, 673, 642, 643, 674, 675, 704, 705, 736, 737, 706, 707, 738, 739,
    644, 645, 676, 677, 646, 647, 678, 679, 708, 709, 740, 741, 710, 711, 742, 743,
    520, 521, 552, 553, 522, 523, 554, 555, 584, 585, 616, 617, 586, 587, 618, 619,
    524, 525, 556, 557, 526, 527, 558, 559, 588, 589, 620, 621, 590, 591, 622, 623,
    648, 649, 680, 681, 650, 651, 682, 683, 712, 713, 744, 745, 714, 715, 746, 747,
    652, 653, 684, 685, 654, 655, 686, 687, 716, 717, 748, 749, 718, 719, 750, 751,
    768, 769, 800, 801, 770, 771, 802, 803, 832, 833, 864, 865, 834, 835, 866, 867,
    772, 773, 804, 805, 774, 775, 806, 807, 836, 837, 868, 869, 838, 839, 870, 871,
    896, 897, 928, 929, 898, 899, 930, 931, 960, 961, 992, 993, 962, 963, 994, 995,
    900, 901, 932, 933, 902, 903, 934, 935, 964, 965, 996, 997, 966, 967, 998, 999,
    776, 777, 808, 809, 778, 779, 810, 811, 840, 841, 872, 873, 842, 843, 874, 875,
    780, 781, 812, 813, 782, 783, 814, 815, 844, 845, 876, 877, 846, 847, 878, 879,
    904, 905, 936, 937, 906, 907, 938, 939, 968, 969, 1000, 1001, 970, 971, 1002, 1003,
    908, 909, 940, 941, 910, 911, 942, 943, 972, 973, 1004, 1005, 974, 975, 1006, 1007,
    528, 529, 560, 561, 530, 531, 562, 563, 592, 593, 624, 625, 594, 595, 626, 627,
    532, 533, 564, 565, 534, 535, 566, 567, 596, 597, 628, 629, 598, 599, 630, 631,
    656, 657, 688, 689, 658, 659, 690, 691, 720, 721, 752, 753, 722, 723, 754, 755,
    660, 661, 692, 693, 662, 663, 694, 695, 724, 725, 756, 757, 726, 727, 758, 759,
    536, 537, 568, 569, 538, 539, 570, 571, 600, 601, 632, 633, 602, 603, 634, 635,
    540, 541, 572, 573, 542, 543, 574, 575, 604, 605, 636, 637, 606, 607, 638, 639,
    664, 665, 696, 697, 666, 667, 698, 699, 728, 729, 760, 761, 730, 731, 762, 763,
    668, 669, 700, 701, 670, 671, 702, 703, 732, 733, 764, 765, 734, 735, 766, 767,
    784, 785, 816, 817, 786, 787, 818, 819, 848, 849, 880, 881, 850, 851, 882, 883,
    788, 789, 820, 821, 790, 791, 822, 823, 852, 853, 884, 885, 854, 855, 886, 887,
    912, 913, 944, 945, 914, 915, 946, 947, 976, 977, 1008, 1009, 978, 979, 1010, 1011,
    916, 917, 948, 949, 918, 919, 950, 951, 980, 981, 1012, 1013, 982, 983, 1014, 1015,
    792, 793, 824, 825, 794, 795, 826, 827, 856, 857, 888, 889, 858, 859, 890, 891,
    796, 797, 828, 829, 798, 799, 830, 831, 860, 861, 892, 893, 862, 863, 894, 895,
    920, 921, 952, 953, 922, 923, 954, 955, 984, 985, 1016, 1017, 986, 987, 1018, 1019,
    924, 925, 956, 957, 926, 927, 958, 959, 988, 989, 1020, 1021, 990, 991, 1022, 1023,
};

__device__ constexpr u32 MICRO_MASK[] = {
    4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295,
    4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE;
}

// λ: where the block lies that compact space keeps under a number.
__device__ __forceinline__ Point lambda(index number) {
    index rest = number, x = 0, y = 0;
    u32 digit;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)rest;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    return {x, y};
}

// Whether there is a block at a point.
__device__ __forceinline__ bool has_block(Point point) {
    if (!is_inside(point)) { return false; }
    index x = point.x, y = point.y;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    if (digit == NO_REPLICA) { return false; }
    return true;
}

// ν again: the canonical index of a block among blocks.
__device__ __forceinline__ u64 canonical_of(Point point) {
    index x = point.x, y = point.y;
    u64 sum = 0;
    u32 digit;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 4ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 16ull, x /= 2, y /= 2;
    digit = replica((u32)(x % 2) + 2 * (u32)(y % 2));
    sum += (u64)digit * 64ull;
    return sum;
}

// Where the cell at a point is kept, if there is one.
__device__ __forceinline__ u64 place_of(index x, index y) {
    if (x >= CELL_SIDE || y >= CELL_SIDE) { return HOLE; }
    const Point point = {x / RHO, y / RHO};
    const u32 place = (u32)(x % RHO) + RHO * (u32)(y % RHO);
    return has_block(point) && is_cell(place) ? x + ROW * y : HOLE;
}

// λ of cells by their canonical index.
__device__ __forceinline__ Point cell_of(u64 canonical) {
    u64 rest = canonical;
    index x = 0, y = 0;
    u32 digit;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit), y += (index)offset_y(digit);
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 2u, y += (index)offset_y(digit) * 2u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 4u, y += (index)offset_y(digit) * 4u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 8u, y += (index)offset_y(digit) * 8u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 16u, y += (index)offset_y(digit) * 16u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 32u, y += (index)offset_y(digit) * 32u;
    digit = (u32)(rest % 4), rest /= 4;
    x += (index)offset_x(digit) * 64u, y += (index)offset_y(digit) * 64u;
    digit = (u32)(rest % 4), rest /= 4;
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

// Where the group's blocks lie: λ, one thread a block.
__device__ __forceinline__ void locate_corners(index first, Point *corners) {
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        corners[block] = lambda(first + block < BLOCKS ? first + block : 0);
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
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
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
    const index first = (index)blockIdx.x * GROUP;

    locate_corners(first, corners);
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * MICRO_CELLS; i += THREADS) {
        const u32 block = i / MICRO_CELLS, place = MICRO_PLACE[i % MICRO_CELLS];
        if (first + block >= BLOCKS) {
            break;
        }
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
        const bool own_alive = alive[own];
        int count = 0;
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
            const int dx = OFFSETS_0[i][0], dy = OFFSETS_0[i][1];
            const bool inside = x + dx < CELL_SIDE && y + dy < CELL_SIDE;
            const bool nb_alive = inside ? alive[own + dx + dy * ROW] : false;
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
