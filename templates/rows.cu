//// World
// The box, and where neighbours beyond an edge of it lie on its other side.
constexpr u32 WIDTH = {{ extent[0] }};
constexpr u32 HEIGHT = {{ extent[1] }};
constexpr u32 DEPTH = {{ extent[2] }};
constexpr bool PERIODIC_X = {{ periodic[0] }};
constexpr bool PERIODIC_Y = {{ periodic[1] }};
constexpr bool PERIODIC_Z = {{ periodic[2] }};
constexpr int SIDE = {{ side }};
// A column is a stretch of a row: LANES places, bits in WORDS words. A row has COLUMNS_OF_ROW of them, stored if they have a cell.
constexpr u32 LANES = {{ lanes }};
constexpr u32 WORDS = {{ words }};
constexpr u32 COLUMNS_OF_ROW = {{ columns_of_row }};
// Whether every place is a cell, and whether every column is stored.
constexpr bool FULL = {{ full }};
constexpr bool STORES_ALL = {{ stores_all }};
// A row that does not exist.
constexpr u32 ABSENT = 0xffffffff;

{% if packed -%}
// States hold the cells alone, by index; of bits each plane is a stretch of words. Behind the last cell there is a 0.
constexpr u64 CELLS = {{ cells }}ull;
constexpr u64 PLANE_WORDS = CELLS / 32 + (CELLS % 32 != 0) + 1;

// A place of a state: the index of a cell, or CELLS.
{%- else -%}
// A place of a stored column: column * LANES + lane. Behind the last column of each state stands one that is 0.
{%- endif %}
typedef {{ place }} Place;

// A type for the numbers of cells.
typedef {{ cell_index }} CellIndex;

// What a pass needs besides the states. Where every place is a cell there are no tables.
{{ world }}

// Brings a coordinate beyond an edge to the other side if the axis is periodic. Returns whether there is such a place.
template <u32 LENGTH, bool PERIODIC> __device__ __forceinline__ bool turn(int &v) {
    if (PERIODIC) {
        v = v < 0 ? v + (int)LENGTH : v >= (int)LENGTH ? v - (int)LENGTH : v;
    }
    return (u32)v < LENGTH;
}

// The row through a place, or ABSENT.
__device__ __forceinline__ u32 row_at(int y, int z) {
    return turn<HEIGHT, PERIODIC_Y>(y) && turn<DEPTH, PERIODIC_Z>(z) ? (u32)z * HEIGHT + (u32)y : ABSENT;
}

// The stored column of a row with this number in the row, or the number of all columns.
__device__ __forceinline__ u32 column_of(const World &world, u32 row, u32 number) {
{%- if first_row is not none %}
    // Rows from {{ first_row }} on are stored, around the last one of all.
    const u32 at = (row {% if first_row > 0 %}- {{ first_row }}u + (row < {{ first_row }}u ? HEIGHT * DEPTH : 0){% endif %}) * COLUMNS_OF_ROW + number;
    return at < world.columns ? at : world.columns;
{%- else %}
    const u32 at = row * COLUMNS_OF_ROW + number{% if first %} - {{ first }}u{% endif %};
    return STORES_ALL ? at : world.index[at];
{%- endif %}
}

// The cells of a word of a stored column.
__device__ __forceinline__ u32 own_cells(const World &world, u32 word, u32 column) {
    if (!FULL) {
        return world.mask[(u64)column * WORDS + word % WORDS];
    }
    const int rest = (int)WIDTH - 32 * (int)word;
    return rest >= 32 ? 0xffffffff : rest > 0 ? (1u << rest) - 1 : 0;
}

{% if packed -%}
{{ gathering }}
// The places of a word of a stored column, in a plane of bits of the cells alone. Behind the last word of a plane there is another one.
__device__ __forceinline__ u32 packed_word(const World &world, const u32 *plane, u32 column, u32 word) {
    const u64 at = (u64)column * WORDS + word;
    const u32 in_row = column % COLUMNS_OF_ROW * WORDS + word, cells = FULL ? own_cells(world, in_row, column) : world.mask[at];
    if (cells == 0) {
        return 0;
    }
    const u64 first = FULL ? (u64)(column / COLUMNS_OF_ROW) * WIDTH + 32ull * in_row : world.cell_indices[at];
    const u32 bits = __funnelshift_r(plane[first / 32], plane[first / 32 + 1], (u32)(first % 32));
    return FULL || cells == 0xffffffff ? bits & cells : Gathering(cells).back(bits);
}

// Stores some bits of a word, the others of which belong to other threads.
__device__ __forceinline__ void store_part(u32 *word, u32 own, u32 bits) {
    if (own == 0xffffffff) {
        *word = bits;
    } else {
        atomicAnd(word, ~own | bits);
        atomicOr(word, bits);
    }
}

// Keeps the bits of the cells of a word, whose indices follow each other from `first` on.
__device__ __forceinline__ void store_packed(u32 *plane, u64 first, u32 cells, u32 bits) {
    const u32 together = FULL || cells == 0xffffffff ? bits & cells : Gathering(cells).together(bits), count = (u32)__popc(cells);
    const u64 own = ((1ull << count) - 1) << (first % 32), value = (u64)together << (first % 32);
    store_part(plane + first / 32, (u32)own, (u32)value);
    if (own >> 32 != 0) {
        store_part(plane + first / 32 + 1, (u32)(own >> 32), (u32)(value >> 32));
    }
}
// The index of the cell at a place of a row, or CELLS if there is none.
__device__ __forceinline__ Place place_at(const World &world, u32 row, int x) {
    if (!turn<WIDTH, PERIODIC_X>(x) || row == ABSENT) {
        return (Place)CELLS;
    }
    if (FULL) {
        return (Place)((u64)row * WIDTH + (u32)x);
    }
    const u64 at = (u64)column_of(world, row, (u32)x / LANES) * WORDS + (u32)x % LANES / 32;
    const u32 cells = world.mask[at], bit = 1u << ((u32)x % 32);
    return (cells & bit) != 0 ? (Place)(world.cell_indices[at] + (u32)__popc(cells & (bit - 1))) : (Place)CELLS;
}

// Whether a cell stands at a place.
__device__ __forceinline__ bool is_cell(const World &, Place place) {
    return place != (Place)CELLS;
}
{%- else -%}
// The place in a row, or one of the column of zeros.
__device__ __forceinline__ Place place_at(const World &world, u32 row, int x) {
    const Place none = (Place)world.columns * LANES;
    if (!turn<WIDTH, PERIODIC_X>(x) || row == ABSENT) {
        return none;
    }
    return (Place)column_of(world, row, (u32)x / LANES) * LANES + (u32)x % LANES;
}

// Whether a cell stands at a place.
__device__ __forceinline__ bool is_cell(const World &world, Place place) {
    return FULL ? place != (Place)world.columns * LANES : world.mask[place / 32] >> (place % 32) & 1;
}
{%- endif %}

// A word of a plane of bits of a stored column, which has BLOCK words in all planes{% if packed %}, or 0 if the cells alone are stored{% endif %}.
template <u32 BLOCK> __device__ __forceinline__ u32 stored_word(const World &world, const u32 *plane, u32 column, u32 word) {
{%- if packed %}
    if (BLOCK == 0) {
        return packed_word(world, plane, column, word);
    }
{%- endif %}
    return plane[(u64)column * BLOCK + word];
}

// A word of a periodic row: the 32 places from 32 * at on, wherever they are stored.
template <u32 BLOCK> __device__ __noinline__ u32 turned_word(const World &world, const u32 *plane, u32 row, int at) {
    u32 result = 0;
    for (u32 done = 0; done < 32;) {
        const u32 x = (u32)(((32ll * at + done) % WIDTH + WIDTH) % WIDTH);
        const u32 to_word = 32 - x % 32, to_edge = WIDTH - x, to_end = 32 - done;
        const u32 part = to_word < to_edge ? to_word : to_edge, length = part < to_end ? part : to_end;
        const u32 bits = stored_word<BLOCK>(world, plane, column_of(world, row, x / LANES), x / 32 % WORDS) >> (x % 32);
        result |= (length < 32 ? bits & ((1u << length) - 1) : bits) << done;
        done += length;
    }
    return result;
}

// A word of a plane of bits in a row, whose columns have BLOCK words in all planes: the 32 places from 32 * at on, 0 where there are none.
template <u32 BLOCK> __device__ __forceinline__ u32 row_word(const World &world, const u32 *plane, u32 row, int at) {
    if (row == ABSENT) {
        return 0;
    }
    if (PERIODIC_X && (at < 0 || at >= (int)(WIDTH / 32))) {
        return turned_word<BLOCK>(world, plane, row, at);
    }
    if (at < 0 || at >= (int)(COLUMNS_OF_ROW * WORDS)) {
        return 0;
    }
    return stored_word<BLOCK>(world, plane, column_of(world, row, (u32)at / WORDS), (u32)at % WORDS);
}

// The cells of a word of a row.
__device__ __forceinline__ u32 cells_of(const World &world, u32 row, int at) {
    if (!FULL) {
        return row_word<WORDS>(world, world.mask, row, at);
    }
    if (row == ABSENT || !PERIODIC_X && (at < 0 || at > (int)(WIDTH / 32))) {
        return 0;
    }
    return PERIODIC_X || at < (int)(WIDTH / 32) ? 0xffffffff : (1u << WIDTH % 32) - 1;
}

// Whether the box holds ROWS rows from this one on, and around them the given numbers of words to the left and right, rows above and below, and
// layers before and behind.
template <u32 ROWS, u32 LEFT, u32 RIGHT, u32 ABOVE, u32 BELOW, u32 BEFORE, u32 BEHIND>
__device__ __forceinline__ bool is_within(const World &world, u32 first, u32 word) {
    const int x = (int)word, y = (int)(first % HEIGHT), z = (int)(first / HEIGHT);
    return x >= (int)LEFT && x + (int)RIGHT < (int)(WIDTH / 32) && y >= (int)ABOVE && y + (int)(ROWS + BELOW) <= (int)HEIGHT && z >= (int)BEFORE
        && z + (int)BEHIND < (int)DEPTH && first + ROWS <= world.end;
}

//// Kernel
    // A block takes {{ rows }} rows of {{ width }} {% if bitwise %}words{% else %}places{% endif %}, a thread {{ each }} of them.
    const u32 first = world.first + {{ block }} / {{ across }} * {{ rows }} + threadIdx.x / {{ width }} * {{ each }};
{%- if bitwise %}
    const u32 {% if decides %}beyond{% else %}word{% endif %} = {{ block }} % {{ across }} * {{ width }} + threadIdx.x % {{ width }};
{%- else %}
    const u32 x = {{ block }} % {{ across }} * {{ width }} + threadIdx.x % {{ width }};
    const u32 word = x / 32;
{%- endif %}
{%- if not decides %}
    if (first >= world.end || word >= COLUMNS_OF_ROW * WORDS) {
        return;
    }
{%- endif %}
{%- for line in before %}
{% if line %}    {{ line }}{% endif %}
{%- endfor %}
{%- if within %}
{% for line in within %}
{% if line %}{% if line[:1] != "#" %}    {% endif %}{{ line }}{% endif %}
{%- endfor %}
{% endif %}
#pragma unroll 1
{%- if decides %}
    for (u32 each = 0; each < {{ each }}; ++each) {
        // Random bits need the whole warp: threads without a cell stay, at a place that exists, and store nothing.
        const bool is_here = first + each < world.end && beyond < COLUMNS_OF_ROW * WORDS;
        const u32 row = is_here ? first + each : world.first, word = is_here ? beyond : 0, found = column_of(world, row, word / WORDS);
        const u32 column = found == world.columns ? 0 : found, cells = is_here && found == column ? own_cells(world, word, column) : 0;
        if (!__any_sync(0xffffffff, cells != 0)) {
            continue;
        }
{%- else %}
    for (u32 row = first; row < first + {{ each }} && row < world.end; ++row) {
        const u32 column = column_of(world, row, word / WORDS);
        if (column == world.columns) {
            continue;
        }
        const u32 cells = own_cells(world, word, column);
        if (cells == 0) {
            continue;
        }
{%- endif %}
{%- for line in body %}
{% if line %}        {{ line }}{% endif %}
{%- endfor %}
    }
