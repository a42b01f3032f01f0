//// Functions
// The row `y`, which may lie up to ALL rows beyond an edge: on the other side if the axis is periodic, else ABSENT.
template <int ALL> __device__ __forceinline__ u32 row_around(int y) {
    constexpr int LENGTH = (int)HEIGHT;
    if (!PERIODIC_Y) {
        return (u32)y < HEIGHT ? (u32)y : ABSENT;
    }
    return (u32)(LENGTH < ALL ? (y % LENGTH + LENGTH) % LENGTH : y < 0 ? y + LENGTH : y >= LENGTH ? y - LENGTH : y);
}

// A word of a row, as row_word.
template <u32 BLOCK> __device__ __noinline__ u32 word_around(const World &world, const u32 *plane, u32 row, int at) {
    return row_word<BLOCK>(world, plane, row, at);
}

//// Kernel
    // A warp computes {{ rows }} rows of {{ words }} words. It loads MARGIN more rows above and below and a word more at each side: all that {{ steps }} steps look at.
    constexpr int STEPS = {{ steps }}, REACH = {{ reach }}, MARGIN = STEPS * REACH, ALL = {{ rows }} + 2 * MARGIN;
    const int first = (int)world.first + (int)({{ block }} / {{ across }} * {{ threads // 32 }} + threadIdx.x / 32) * {{ rows }};
    const int left = (int)({{ block }} % {{ across }} * {{ words }}) - 1, lane = (int)threadIdx.x % 32, word = left + lane;
    if (first >= (int)world.end) {
        return;
    }
{%- for line in before %}
{% if line %}    {{ line }}{% endif %}
{%- endfor %}
{%- if part %}
    // The row of the memory in which the first row stands that is loaded; rows that are stored follow each other there, around a seam too.
    const int above = first - MARGIN - {{ part[0] }} + (first < {{ part[0] }} ? (int)HEIGHT : 0);
{%- endif %}

    u32 {{ cells }}[ALL]{% for plane in kept %}, {{ plane.name }}[ALL]{% endfor %};
    if (!PERIODIC_X || WIDTH % 32 == 0 || left >= 0 && left + 32 <= (int)(WIDTH / 32)) {
        // Words of a row are words of the memory.
        constexpr int ROW_WORDS = (int)(COLUMNS_OF_ROW * WORDS), TURN = (int)(WIDTH / 32);
        const int at = !PERIODIC_X || WIDTH % 32 != 0 ? word : word < 0 ? word + TURN : word % TURN;
        const bool there = at >= 0 && at < ROW_WORDS;
#pragma unroll
        for (int i = 0; i < ALL; ++i) {
            const u32 row = {% if part %}(u32)(above + i) < {{ part[1] }}u ? (u32)(above + i) : ABSENT{% else %}row_around<ALL>(first - MARGIN + i){% endif %};
            {{ cells }}[i] = 0;
{%- for plane in kept %}
            {{ plane.name }}[i] = 0;
{%- endfor %}
            if (there && row != ABSENT) {
                const u32 column = {% if part %}row * COLUMNS_OF_ROW + (u32)at / WORDS{% else %}column_of(world, row, (u32)at / WORDS){% endif %};
                {{ cells }}[i] = own_cells(world, (u32)at, column);
{%- for plane in kept %}
{%- if plane.old %}
                {{ plane.name }}[i] = ({{ plane.old }})[(u64)column * ({{ plane.block }}) + (u32)at % WORDS];
{%- endif %}
{%- endfor %}
            }
        }
    } else {
#pragma unroll
        for (int i = 0; i < ALL; ++i) {
            const u32 row = row_around<ALL>(first - MARGIN + i);
            {{ cells }}[i] = FULL ? cells_of(world, row, word) : word_around<WORDS>(world, world.mask, row, word);
{%- for plane in kept %}
            {{ plane.name }}[i] = {% if plane.old %}word_around<{{ plane.block }}>(world, {{ plane.old }}, row, word){% else %}0{% endif %};
{%- endfor %}
        }
    }
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
{%- if time %}
        const u32 time = first_time + (u32)step;
{%- endif %}
{%- for line in body %}
{% if line %}{% if line[:1] != "#" %}        {% endif %}{{ line }}{% endif %}
{%- endfor %}
    }

    if (lane == 0 || lane == 31 || word >= (int)(COLUMNS_OF_ROW * WORDS)) {
        return;
    }
    // The word in which a periodic row ends is stored up to that end.
    const u32 kept = PERIODIC_X && WIDTH % 32 != 0 && word == (int)(WIDTH / 32) ? (1u << WIDTH % 32) - 1 : 0xffffffff;
{%- if watched %}
    // All words are loaded before any is stored, so that they are waited for once.
{%- for plane in kept %}
{%- if plane.new %}
    u32 {{ plane.before }}[ALL];
{%- endif %}
{%- endfor %}
#pragma unroll
    for (int i = MARGIN; i < ALL - MARGIN; ++i) {
        const u32 row = (u32)(first - MARGIN + i);
        if (row < world.end) {
            const u32 column = {% if part %}(u32)(above + i) * COLUMNS_OF_ROW + (u32)word / WORDS{% else %}column_of(world, row, (u32)word / WORDS){% endif %};
{%- for plane in kept %}
{%- if plane.new %}
            {{ plane.before }}[i] = ({{ plane.new }})[(u64)column * ({{ plane.block }}) + (u32)word % WORDS];
{%- endif %}
{%- endfor %}
        }
    }
{%- endif %}
#pragma unroll
    for (int i = MARGIN; i < ALL - MARGIN; ++i) {
        const u32 row = (u32)(first - MARGIN + i);
        if (row < world.end) {
            const u32 column = {% if part %}(u32)(above + i) * COLUMNS_OF_ROW + (u32)word / WORDS{% else %}column_of(world, row, (u32)word / WORDS){% endif %};
            if ({% if not part %}STORES_ALL || {% endif %}column != world.columns) {
{%- for plane in kept %}
{%- if plane.new and watched %}
                store_watched(({{ plane.new }})[(u64)column * ({{ plane.block }}) + (u32)word % WORDS], {{ plane.before }}[i], {{ plane.name }}[i] & kept, changed);
{%- elif plane.new %}
                ({{ plane.new }})[(u64)column * ({{ plane.block }}) + (u32)word % WORDS] = {{ plane.name }}[i] & kept;
{%- endif %}
{%- endfor %}
            }
        }
    }
