//// Functions
// Places of memory beside each other.
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT) Several {
    T at[COUNT];
};

// A place up to MOST beyond an edge: on the other side if the axis is periodic, else ABSENT.
template <u32 LENGTH, bool PERIODIC, int MOST> __device__ __forceinline__ u32 around(int v) {
    constexpr int TURN = (int)LENGTH;
    if (!PERIODIC) {
        return (u32)v < LENGTH ? (u32)v : ABSENT;
    }
    return (u32)(TURN < MOST ? (v % TURN + TURN) % TURN : v < 0 ? v + TURN : v >= TURN ? v - TURN : v);
}

// Fetches the places at the sides of a lane's own ones from the lanes there.
template <int COLUMNS, int ACROSS, typename T> __device__ __forceinline__ void widen(T (&row)[COLUMNS + 2 * ACROSS]) {
#pragma unroll
    for (int i = 0; i < ACROSS; ++i) {
        row[i] = __shfl_up_sync(0xffffffff, row[COLUMNS + i], 1);
        row[COLUMNS + ACROSS + i] = __shfl_down_sync(0xffffffff, row[ACROSS + i], 1);
    }
}

// Keeps a row.
template <int COUNT, typename T> __device__ __forceinline__ void keep(T (&kept)[COUNT], const T (&row)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        kept[i] = row[i];
    }
}

// Hands the own places of a row to the next stage.
template <int COLUMNS, int ACROSS, typename T>
__device__ __forceinline__ void hand_on(T (&row)[COLUMNS + 2 * ACROSS], const T (&next)[COLUMNS]) {
#pragma unroll
    for (int i = 0; i < COLUMNS; ++i) {
        row[ACROSS + i] = next[i];
    }
}

//// Kernel
    // A warp stores {{ rows }} rows of {{ width }} places. It begins MARGIN rows above them and RIM lanes beside them: all that {{ steps }} steps look at.
    constexpr int STEPS = {{ steps }}, REACH = {{ reach }}, COLUMNS = {{ columns }}, ROWS = {{ rows }}, RIM = {{ rim }}, MARGIN = STEPS * REACH;
    // Whether a lane's places of a row always stand beside each other, or one by one.
    constexpr bool BESIDE = !PERIODIC_X || WIDTH % COLUMNS == 0;
    constexpr int PARTS = BESIDE ? 1 : COLUMNS, PART = COLUMNS / PARTS, BEYOND_Y = ROWS + 2 * MARGIN + 2 * REACH + 2;
    const int lane = (int)threadIdx.x % 32, first = (int)(world.first + {{ block }} / {{ across }} * ROWS);
    const int left = (int)({{ block }} % {{ across }} * {{ threads // 32 }} + threadIdx.x / 32) * {{ width }}, at = left + (lane - RIM) * COLUMNS;
    if (first >= (int)world.end || left >= (int)WIDTH) {
        return;
    }
{%- for line in before %}
{% if line %}    {{ line }}{% endif %}
{%- endfor %}
    const bool stores = lane >= RIM && lane < 32 - RIM && at < (int)WIDTH;
    u32 xs[PARTS];
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        xs[i] = around<WIDTH, PERIODIC_X, 64 * COLUMNS>(at + i * PART);
    }
{%- for state in states %}
{%- if state.rows %}
    {{ state.ty }} {{ state.rows }}[STEPS][2 * REACH][COLUMNS + 2 * {{ state.across }}] = {}, {{ state.ahead }}[2][COLUMNS] = {};
{%- endif %}
{%- endfor %}
{%- if bits %}
    // The cells of the rows that stages look at, {{ bits }} bits for each row, and of the two that are ahead.
    u64 there = 0;
    u32 cells_ahead[2] = {};
{%- endif %}
{%- if part %}
    // The row of the memory in which the first row stands that is loaded; rows that are stored follow each other there, around a seam too.
    const int above = first - MARGIN - {{ part[0] }} + (first < {{ part[0] }} ? (int)HEIGHT : 0);
    // A part is computed in pieces, of which some have few rows.
{%- endif %}
#pragma unroll 1
    for (int down = -2 * REACH; down < {% if part %}((int)world.end - first < ROWS ? (int)world.end - first : ROWS){% else %}ROWS{% endif %} + 2 * MARGIN; down += 2 * REACH) {
#pragma unroll
        for (int oldest = 0; oldest < 2 * REACH; ++oldest) {
{%- for state in states %}
            {{ state.ty }} {{ state.row }}[COLUMNS + 2 * {{ state.across }}] = {};
{%- if state.rows %}
            hand_on<COLUMNS, {{ state.across }}>({{ state.row }}, {{ state.ahead }}[oldest % 2]);
{%- endif %}
{%- endfor %}
{%- if bits %}
            const u32 of_row = cells_ahead[oldest % 2];
            cells_ahead[oldest % 2] = 0;
{%- if asks %}
            const u32 from_left = __shfl_up_sync(0xffffffff, of_row, 1) >> (COLUMNS - 2), from_right = __shfl_down_sync(0xffffffff, of_row, 1) & 3;
            there = there << {{ bits }} | (from_left | of_row << 2 | from_right << (COLUMNS + 2));
{%- else %}
            there = there << {{ bits }} | of_row << 2;
{%- endif %}
{%- endif %}
            // Loads are asked for two rows before they are needed.
{%- if part %}
            const u32 loaded = (u32)(above + down + oldest + 2), row = loaded < {{ part[1] }}u ? loaded : ABSENT;
{%- else %}
            const u32 row = around<HEIGHT, PERIODIC_Y, BEYOND_Y>(first - MARGIN + down + oldest + 2);
{%- endif %}
#pragma unroll
            for (int i = 0; i < PARTS; ++i) {
                const bool inside = row != ABSENT && xs[i] != ABSENT;
                const u32 column = inside ? {% if part %}row * COLUMNS_OF_ROW + xs[i] / LANES{% else %}column_of(world, row, xs[i] / LANES){% endif %} : world.columns;
                const Place place = (Place)column * LANES + (inside ? xs[i] % LANES : 0);
{%- for state in states %}
{%- if state.old %}
                const Several<{{ state.ty }}, PART> {{ state.values }} = *(const Several<{{ state.ty }}, PART> *)({{ state.old }} + place);
{%- endif %}
{%- endfor %}
{%- if bits %}
                u32 cells = inside ? (1u << PART) - 1 : 0;
                if (!FULL) {
                    cells = world.mask[place / 32] >> (place % 32) & ((1u << PART) - 1);
                } else if (!PERIODIC_X && xs[i] + PART > WIDTH) {
                    cells &= (1u << (WIDTH % COLUMNS)) - 1;
                }
                cells_ahead[oldest % 2] |= cells << (i * PART);
{%- endif %}
#pragma unroll
                for (int j = 0; j < PART; ++j) {
{%- for state in states %}
{%- if state.old %}
                    {{ state.ahead }}[oldest % 2][i * PART + j] = {{ state.values }}.at[j];
{%- endif %}
{%- endfor %}
                }
            }
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
{%- if time %}
                const u32 time = first_time + (u32)step;
{%- endif %}
{%- for line in body %}
{% if line %}{% if line[:1] != "#" %}                {% endif %}{{ line }}{% endif %}
{%- endfor %}
            }
            // The row of the last stage.
            const int stored_row = down + oldest - 2 * MARGIN, y = first + stored_row;
            if (stored_row >= 0 && stored_row < ROWS && stores && y < (int)world.end) {
                const u32 column = {% if part %}(u32)(above + MARGIN + stored_row) * COLUMNS_OF_ROW + (u32)at / LANES{% else %}column_of(world, (u32)y, (u32)at / LANES){% endif %};
                if (STORES_ALL || column != world.columns) {
                    const Place place = (Place)column * LANES + (u32)at % LANES;
{%- for state in states %}
{%- if state.new %}
                    Several<{{ state.ty }}, COLUMNS> {{ state.values }};
{%- endif %}
{%- endfor %}
#pragma unroll
                    for (int j = 0; j < COLUMNS; ++j) {
                        // A row that ends within a lane's places goes on with its begin, which is stored there alone.
                        const bool is_stored = !PERIODIC_X || WIDTH % COLUMNS == 0 || at + j < (int)WIDTH;
{%- for state in states %}
{%- if state.new %}
                        {{ state.values }}.at[j] = is_stored ? {{ state.row }}[{{ state.across }} + j] : 0;
{%- endif %}
{%- endfor %}
                    }
{%- for state in states %}
{%- if state.new %}
{%- if watched %}
                    const Several<{{ state.ty }}, COLUMNS> {{ state.before }} = *(const Several<{{ state.ty }}, COLUMNS> *)({{ state.new }} + place);
#pragma unroll
                    for (int j = 0; j < COLUMNS; ++j) {
                        changed |= differ({{ state.before }}.at[j], {{ state.values }}.at[j]);
                    }
{%- endif %}
                    *(Several<{{ state.ty }}, COLUMNS> *)({{ state.new }} + place) = {{ state.values }};
{%- endif %}
{%- endfor %}
                }
            }
        }
    }
