
// Levels of the maps, and the threads that take one together; a power of two.
constexpr u32 LEVELS = {{ levels }};
constexpr u32 WIDTH = {{ width }};
constexpr u32 ALL = 0xffffffff;

// The sum over the threads of one map.
__device__ __forceinline__ index sum_of_levels(index part) {
#pragma unroll
    for (u32 distance = WIDTH / 2; distance > 0; distance /= 2) {
        part += __shfl_xor_sync(ALL, part, distance);
    }
    return part;
}

// Where the group's blocks lie: λ, one thread a level.
__device__ __forceinline__ void locate_corners(index first, Point *corners) {
    const u32 lane = threadIdx.x % 32;
#pragma unroll 1
    for (u32 base = threadIdx.x / 32 * (32 / WIDTH); base < GROUP; base += THREADS / WIDTH) {
        const u32 block = base + lane / WIDTH;
        const bool exists = block < GROUP && first + block < BLOCKS;
        Point corner = {};
        for (u32 level = lane % WIDTH; level < LEVELS; level += WIDTH) {
            const u32 digit = digit_at(level, exists ? first + block : 0);
{%- for axis in axis_names %}
            corner.{{ axis }} += offset_at_{{ axis }}(level, digit) * SCALES[level];
{%- endfor %}
        }
{%- for axis in axis_names %}
        corner.{{ axis }} = sum_of_levels(corner.{{ axis }});
{%- endfor %}
        if (lane % WIDTH == 0 && block < GROUP) {
            corners[block] = corner;
        }
    }
}
{%- if nu %}

// The numbers of the blocks around each: ν, one thread a level.
__device__ __forceinline__ void locate_around(index first, const Point *corners, index *around) {
    const u32 lane = threadIdx.x % 32;
    for (u32 block = threadIdx.x; block < GROUP; block += THREADS) {
        around[block * AROUND + AROUND / 2] = first + block < BLOCKS ? first + block : NONE;
    }
#pragma unroll 1
    for (u32 base = threadIdx.x / 32 * (32 / WIDTH); base < GROUP * (AROUND - 1); base += THREADS / WIDTH) {
        const u32 i = base + lane / WIDTH;
        const bool exists = i < GROUP * (AROUND - 1);
        const u32 block = exists ? i / (AROUND - 1) : 0;
        const u32 direction = i % (AROUND - 1) + (i % (AROUND - 1) >= AROUND / 2);
        const Point point = beside(corners[block], direction);
        bool hole = !is_inside(point);
        index number = 0;
        for (u32 level = lane % WIDTH; level < LEVELS; level += WIDTH) {
            const u32 digit = replica_at(level, point);
            hole |= digit == NO_REPLICA;
            number += digit * WEIGHTS[level];
        }
        number = sum_of_levels(number);
        const u32 holes = __ballot_sync(ALL, hole) >> (lane / WIDTH * WIDTH);
        if (lane % WIDTH == 0 && exists) {
            around[block * AROUND + direction] = (holes & {{ width_mask }}) != 0 ? NONE : number;
        }
    }
}
{%- endif %}
