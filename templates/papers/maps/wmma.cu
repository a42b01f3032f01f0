
// Levels of the maps.
constexpr u32 LEVELS = {{ levels }};
constexpr u32 ALL = 0xffffffff;
{%- for map in maps %}

{{ map.about }}
constexpr u32 {{ map.name }}_CHUNKS = {{ map.chunks }};
constexpr u32 {{ map.name }}_GROUPS = {{ map.groups }};
// The fragments of A: the parts of the weights, for each group of rows and chunk of columns what each lane holds.
{{ map.fragments }}
// By what the sum of each row is multiplied in an output.
{{ map.factors }}
{%- endfor %}
{%- for kind in multiply %}

{{ kind }}
{%- endfor %}

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
        {{ lambda.word }} digits[LAMBDA_CHUNKS];
#pragma unroll
        for (u32 chunk = 0; chunk < LAMBDA_CHUNKS; ++chunk) {
            u32 row = {{ lambda.levels }} * chunk + lane % 4 * {{ lambda.each }};
            digits[chunk] = 0;
#pragma unroll
            for (u32 i = 0; i < {{ lambda.each }}; ++i, ++row) {
                const u32 level = row / {{ axes }};
                const u32 digit = level < LEVELS ? digit_at(level, number) : 0;
                const u32 offset = level < LEVELS ? {{ lambda_offset }} : 0;
                digits[chunk] |= {{ lambda.factor_of_offset }} << ({{ lambda.bits }} * i);
            }
        }
        Point pair[2] = {};
#pragma unroll
        for (u32 group = 0; group < LAMBDA_GROUPS; ++group) {
            {{ lambda.sum }} rows[{{ lambda.sums }}] = {};
#pragma unroll
            for (u32 chunk = 0; chunk < LAMBDA_CHUNKS; ++chunk) {
                {{ lambda.multiply }}(rows, LAMBDA_WEIGHTS + (group * LAMBDA_CHUNKS + chunk) * {{ lambda.held }}, digits[chunk]);
            }
#pragma unroll
            for (u32 i = 0; i < {{ lambda.sums }}; ++i) {
                const u32 row = {{ lambda.rows }} * group + lane / 4 + i / 2 * 8;
{%- for axis in axis_names %}
                pair[i % 2].{{ axis }} += (index)rows[i] * LAMBDA_FACTORS_{{ axis | upper }}[row];
{%- endfor %}
            }
        }
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
            const u32 column = base + lane % 4 * 2 + i;
{%- for axis in axis_names %}
            pair[i].{{ axis }} = sum_of_rows(pair[i].{{ axis }});
{%- endfor %}
            if (lane < 4 && column < GROUP) {
                corners[column] = pair[i];
            }
        }
    }
}
{%- if nu %}

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
        {{ nu.word }} digits[NU_CHUNKS];
#pragma unroll
        for (u32 chunk = 0; chunk < NU_CHUNKS; ++chunk) {
            u32 level = {{ nu.levels }} * chunk + lane % 4 * {{ nu.each }};
            digits[chunk] = 0;
#pragma unroll
            for (u32 i = 0; i < {{ nu.each }}; ++i, ++level) {
                const u32 digit = level < LEVELS ? replica_at(level, point) : 0;
                hole |= digit == NO_REPLICA;
                digits[chunk] |= {{ nu.factor_of_digit }} << ({{ nu.bits }} * i);
            }
        }
        const u32 holes = __ballot_sync(ALL, hole);
        index pair[2] = {};
#pragma unroll
        for (u32 group = 0; group < NU_GROUPS; ++group) {
            {{ nu.sum }} rows[{{ nu.sums }}] = {};
#pragma unroll
            for (u32 chunk = 0; chunk < NU_CHUNKS; ++chunk) {
                {{ nu.multiply }}(rows, NU_WEIGHTS + (group * NU_CHUNKS + chunk) * {{ nu.held }}, digits[chunk]);
            }
#pragma unroll
            for (u32 i = 0; i < {{ nu.sums }}; ++i) {
                pair[i % 2] += (index)rows[i] * NU_FACTORS[{{ nu.rows }} * group + lane / 4 + i / 2 * 8];
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
{%- endif %}
