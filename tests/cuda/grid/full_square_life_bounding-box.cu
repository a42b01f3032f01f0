// life on full_square at level 9, by Squeeze 0.1.0
//
// strategy bounding-box, blocks of side 32
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

__device__ constexpr u32 MICRO_MASK[] = {
    4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295,
    4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295,
};

// Whether a place of a block is a cell.
__device__ __forceinline__ bool is_cell(u32 place) {
    return MICRO_MASK[place / 32] >> (place % 32) & 1;
}

// The micro cell at each place of a block; 0 at holes.
__device__ constexpr u16 MICRO_INDEX[] = {
    0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85,
    256, 257, 260, 261, 272, 273, 276, 277, 320, 321, 324, 325, 336, 337, 340, 341,
    2, 3, 6, 7, 18, 19, 22, 23, 66, 67, 70, 71, 82, 83, 86, 87,
    258, 259, 262, 263, 274, 275, 278, 279, 322, 323, 326, 327, 338, 339, 342, 343,
    8, 9, 12, 13, 24, 25, 28, 29, 72, 73, 76, 77, 88, 89, 92, 93,
    264, 265, 268, 269, 280, 281, 284, 285, 328, 329, 332, 333, 344, 345, 348, 349,
    10, 11, 14, 15, 26, 27, 30, 31, 74, 75, 78, 79, 90, 91, 94, 95,
    266, 267, 270, 271, 282, 283, 286, 287, 330, 331, 334, 335, 346, 347, 350, 351,
    32, 33, 36, 37, 48, 49, 52, 53, 96, 97, 100, 101, 112, 113, 116, 117,
    288, 289, 292, 293, 304, 305, 308, 309, 352, 353, 356, 357, 368, 369, 372, 373,
    34, 35, 38, 39, 50, 51, 54, 55, 98, 99, 102, 103, 114, 115, 118, 119,
    290, 291, 294, 295, 306, 307, 310, 311, 354, 355, 358, 359, 370, 371, 374, 375,
    40, 41, 44, 45, 56, 57, 60, 61, 104, 105, 108, 109, 120, 121, 124, 125,
    296, 297, 300, 301, 312, 313, 316, 317, 360, 361, 364, 365, 376, 377, 380, 381,
    42, 43, 46, 47, 58, 59, 62, 63, 106, 107, 110, 111, 122, 123, 126, 127,
    298, 299, 302, 303, 314, 315, 318, 319, 362, 363, 366, 367, 378, 379, 382, 383,
    128, 129, 132, 133, 144, 145, 148, 149, 192, 193, 196, 197, 208, 209, 212, 213,
    384, 385, 388, 389, 400, 401, 404, 405, 448, 449, 452, 453, 464, 465, 468, 469,
    130, 131, 134, 135, 146, 147, 150, 151, 194, 195, 198, 199, 210, 211, 214, 215,
    386, 387, 390, 391, 402, 403, 406, 407, 450, 451, 454, 455, 466, 467, 470, 471,
    136, 137, 140, 141, 152, 153, 156, 157, 200, 201, 204, 205, 216, 217, 220, 221,
    392, 393, 396, 397, 408, 409, 412, 413, 456, 457, 460, 461, 472, 473, 476, 477,
    138, 139, 142, 143, 154, 155, 158, 159, 202, 203, 206, 207, 218, 219, 222, 223,
    394, 395, 398, 399, 410, 411, 414, 415, 458, 459, 462, 463, 474, 475, 478, 479,
    160, 161, 164, 165, 176, 177, 180, 181, 224, 225, 228, 229, 240, 241, 244, 245,
    416, 417, 420, 421, 432, 433, 436, 437, 480, 481, 484, 485, 496, 497, 500, 501,
    162, 163, 166, 167, 178, 179, 182, 183, 226, 227, 230, 231, 242, 243, 246, 247,
    418, 419, 422, 423, 434, 435, 438, 439, 482, 483, 486, 487, 498, 499, 502, 503,
    168, 169, 172, 173, 184, 185, 188, 189, 232, 233, 236, 237, 248, 249, 252, 253,
    424, 425, 428, 429, 440, 441, 444, 445, 488, 489, 492, 493, 504, 505, 508, 509,
    170, 171, 174, 175, 186, 187, 190, 191, 234, 235, 238, 239, 250, 251, 254, 255,
    426, 427, 430, 431, 442, 443, 446, 447, 490, 491, 494, 495, 506, 507, 510, 511,
    512, 513, 516, 517, 528, 529, 532, 533, 576, 577, 580, 581, 592, 593, 596, 597,
    768, 769, 772, 773, 784, 785, 788, 789, 832, 833, 836, 837, 848, 849, 852, 853,
    514, 515, 518, 519, 530, 531, 534, 535, 578, 579, 582, 583, 594, 595, 598, 599,
    770, 771, 774, 775, 786, 787, 790, 791, 834, 835, 838, 839, 850, 851, 854, 855,
    520, 521, 524, 525, 536, 537, 540, 541, 584, 585, 588, 589, 600, 601, 604, 605,
    776, 777, 780, 781, 792, 793, 796, 797, 840, 841, 844, 845, 856, 857, 860, 861,
    522, 523, 526, 527, 538, 539, 542, 543, 586, 587, 590, 591, 602, 603, 606, 607,
    778, 779, 782, 783, 794, 795, 798, 799, 842, 843, 846, 847, 858, 859, 862, 863,
    544, 545, 548, 549, 560, 561, 564, 565, 608, 609, 612, 613, 624, 625, 628, 629,
    800, 801, 804, 805, 816, 817, 820, 821, 864, 865, 868, 869, 880, 881, 884, 885,
    546, 547, 550, 551, 562, 563, 566, 567, 610, 611, 614, 615, 626, 627, 630, 631,
    802, 803, 806, 807, 818, 819, 822, 823, 866, 867, 870, 871, 882, 883, 886, 887,
    552, 553, 556, 557, 568, 569, 572, 573, 616, 617, 620, 621, 632, 633, 636, 637,
    808, 809, 812, 813, 824, 825, 828, 829, 872, 873, 876, 877, 888, 889, 892, 893,
    554, 555, 558, 559, 570, 571, 574, 575, 618, 619, 622, 623, 634, 635, 638, 639,
    810, 811, 814, 815, 826, 827, 830, 831, 874, 875, 878, 879, 890, 891, 894, 895,
    640, 641, 644, 645, 656, 657, 660, 661, 704, 705, 708, 709, 720, 721, 724, 725,
    896, 897, 900, 901, 912, 913, 916, 917, 960, 961, 964, 965, 976, 977, 980, 981,
    642, 643, 646, 647, 658, 659, 662, 663, 706, 707, 710, 711, 722, 723, 726, 727,
    898, 899, 902, 903, 914, 915, 918, 919, 962, 963, 966, 967, 978, 979, 982, 983,
    648, 649, 652, 653, 664, 665, 668, 669, 712, 713, 716, 717, 728, 729, 732, 733,
    904, 905, 908, 909, 920, 921, 924, 925, 968, 969, 972, 973, 984, 985, 988, 989,
    650, 651, 654, 655, 666, 667, 670, 671, 714, 715, 718, 719, 730, 731, 734, 735,
    906, 907, 910, 911, 922, 923, 926, 927, 970, 971, 974, 975, 986, 987, 990, 991,
    672, 673, 676, 677, 688, 689, 692, 693, 736, 737, 740, 741, 752, 753, 756, 757,
    928, 929, 932, 933, 944, 945, 948, 949, 992, 993, 996, 997, 1008, 1009, 1012, 1013,
    674, 675, 678, 679, 690, 691, 694, 695, 738, 739, 742, 743, 754, 755, 758, 759,
    930, 931, 934, 935, 946, 947, 950, 951, 994, 995, 998, 999, 1010, 1011, 1014, 1015,
    680, 681, 684, 685, 696, 697, 700, 701, 744, 745, 748, 749, 760, 761, 764, 765,
    936, 937, 940, 941, 952, 953, 956, 957, 1000, 1001, 1004, 1005, 1016, 1017, 1020, 1021,
    682, 683, 686, 687, 698, 699, 702, 703, 746, 747, 750, 751, 762, 763, 766, 767,
    938, 939, 942, 943, 954, 955, 958, 959, 1002, 1003, 1006, 1007, 1018, 1019, 1022, 1023,
};

// Whether a point lies in the grid of blocks.
__device__ __forceinline__ bool is_inside(Point point) {
    return point.x < BLOCK_SIDE && point.y < BLOCK_SIDE;
}

// Where the block lies that is in some direction of one.
__device__ __forceinline__ Point beside(Point corner, u32 direction) {
    return {corner.x + direction % 3 - 1, corner.y + direction / 3 - 1};
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

// life: the initial values.
extern "C" __global__ void __launch_bounds__(THREADS) init(
    bool *__restrict__ next_alive,
    const World world
) {
    __shared__ Point corners[GROUP];
    __shared__ bool present[GROUP];
    __shared__ u64 canonicals[GROUP];
    const index first = (index)blockIdx.x * GROUP;

    // Where the group's blocks lie, and which of them are more than holes.
    bool any_present = false;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        const index number = first + block;
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE};
        present[block] = has_block(corners[block]);
        any_present |= present[block];
    }
    if (!__syncthreads_or(any_present)) {
        return;
    }

    // The canonical index of each block's first cell.
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        canonicals[block] = canonical_of(corners[block]) * MICRO_CELLS;
    }
    __syncthreads();

    for (u32 i = threadIdx.x; i < GROUP * BLOCK_PLACES; i += THREADS) {
        const u32 block = i / BLOCK_PLACES, place = i % BLOCK_PLACES;
        if (!present[block] || !is_cell(place)) {
            continue;
        }
        const u32 right = place % RHO, down = place / RHO;
        const index x = corners[block].x * RHO + right, y = corners[block].y * RHO + down;
        const u64 own = x + ROW * y;
        const u64 canonical_index = canonicals[block] + MICRO_INDEX[place];
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
    __shared__ bool present[GROUP];
    const index first = (index)blockIdx.x * GROUP;

    // Where the group's blocks lie, and which of them are more than holes.
    bool any_present = false;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        const index number = first + block;
        corners[block] = {number % BLOCK_SIDE, number / BLOCK_SIDE};
        present[block] = has_block(corners[block]);
        any_present |= present[block];
    }
    if (!__syncthreads_or(any_present)) {
        return;
    }

    for (u32 i = threadIdx.x; i < GROUP * BLOCK_PLACES; i += THREADS) {
        const u32 block = i / BLOCK_PLACES, place = i % BLOCK_PLACES;
        if (!present[block] || !is_cell(place)) {
            continue;
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
