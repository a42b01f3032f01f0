//// Functions
// What a thread of another block has told, and all that it wrote before.
__device__ __forceinline__ u32 told(const u32 *flag) {
    u32 value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// Sets a flag behind earlier writes of the warp.
__device__ __forceinline__ void tell(u32 *flag, u32 value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(flag), "r"(value) : "memory");
}

// The value of the thread before.
template <class T> __device__ __forceinline__ T before(T value) {
    return (T)__shfl_up_sync(0xffffffff, value, 1);
}
__device__ __forceinline__ bool before(bool value) {
    return __shfl_up_sync(0xffffffff, (u32)value, 1) != 0;
}
__device__ __forceinline__ double before(double value) {
    return __longlong_as_double(__shfl_up_sync(0xffffffff, __double_as_longlong(value), 1));
}

// The value of a thread.
template <class T> __device__ __forceinline__ T of_thread(T value, int thread) {
    return (T)__shfl_sync(0xffffffff, value, thread);
}
__device__ __forceinline__ bool of_thread(bool value, int thread) {
    return __shfl_sync(0xffffffff, (u32)value, thread) != 0;
}
__device__ __forceinline__ float of_thread(float value, int thread) {
    return __uint_as_float(__shfl_sync(0xffffffff, __float_as_uint(value), thread));
}
__device__ __forceinline__ double of_thread(double value, int thread) {
    return __longlong_as_double(__shfl_sync(0xffffffff, __double_as_longlong(value), thread));
}

// A bit of a plane, of which a column has PLANES.
template <u32 PLANES, u32 PLANE> __device__ __forceinline__ bool bit_of(const u32 *memory, Place place) {
    return memory[((u64)(place / LANES) * PLANES + PLANE) * WORDS + place % LANES / 32] >> (place % 32) & 1;
}

// Gives a bit of a word a value; other threads may do so with other bits.
__device__ __forceinline__ void put_bit(u32 *word, u32 bit, bool value) {
    if (value) {
        atomicOr(word, 1u << bit);
    } else {
        atomicAnd(word, ~(1u << bit));
    }
}

// Asks for a place that is needed soon.
__device__ __forceinline__ void ask_for(const void *place) {
    asm volatile("prefetch.global.L1 [%0];" : : "l"(place) : "memory");
}

// The number by which the cell of a place, counted through all rows, draws.
__device__ __forceinline__ u64 number_of(u64 place, u32 odd) {
    return place / 256 * 256 + 128 * odd + place % 256 / 2;
}

//// Column
// Computes a column of the thread's lines, where all that they look at along them may be known to be there.
const auto compute = [&](int c, const bool INSIDE) {
#pragma unroll
    for (int r = 0; r < LINES; ++r) {
        int across = first + r, along = c - SHEAR * across;
{%- for plane in kept %}
        {{ plane.ty }} {{ plane.next }} = 0;
{%- endfor %}
        if (INSIDE || across < ACROSS && (u32)along < (u32)ALONG) {
            along = {{ along.coordinate }};
            across = {{ across.coordinate }};
            const u32 x = (u32){{ x }}, row = (u32){{ y }}, word = x / 32, column = column_of(world, row, word / WORDS);
            const u32 cells = STORES_ALL || column != world.columns ? own_cells(world, word, column) : 0;
            if (FULL || cells >> (x % 32) & 1) {
{%- for line in body %}
{% if line %}                {{ line }}{% endif %}
{%- endfor %}
            }
        }
{%- if kept and along.wraps == "true" %} else if (across < ACROSS && along < 0 && along >= -BACK) {
            // Beyond the seam nothing is new yet.
            const Place at = place_in(c, across);
{%- for plane in kept %}
            {{ plane.next }} = {{ plane.at }};
{%- endfor %}
        }
{%- endif %}
{%- if kept %}
#pragma unroll
        for (int i = BACK; i > 0; --i) {
{%- for plane in kept %}
            {{ plane.kept }}[ABOVE + r][i] = {{ plane.kept }}[ABOVE + r][i - 1];
{%- endfor %}
        }
{%- for plane in kept %}
        {{ plane.kept }}[ABOVE + r][0] = {{ plane.next }};
{%- endfor %}
{%- endif %}
    }
};

//// Kernel
    // Lines run along {{ along.name }} and follow each other along {{ across.name }}. In column c of line q lies the place c - SHEAR * q of the line.
    constexpr int ALONG = {{ along.side }}, ACROSS = {{ across.side }}, SHEAR = {{ shear }};
    // A thread has LINES lines. It keeps what stands BACK columns back there and on the lines ABOVE.
    constexpr int LINES = {{ lines }}, ABOVE = {{ above }}, BACK = {{ back }}, STRIP = 32 * LINES;
{%- if flags and waits or not flags %}
    constexpr int TILE = {{ tile }};
{%- endif %}
{%- if not flags %}
    constexpr int STRIPS = {{ strips }}, TILES = {{ tiles }};
{%- endif %}
    const int thread = (int)(threadIdx.x % 32);
{%- for line in before %}
{% if line %}    {{ line }}{% endif %}
{%- endfor %}
{%- if kept or asked %}

    // The place in a column of a line, or one of the column of zeros.
    const auto place_in = [&](int c, int line) {
        int along = c - SHEAR * line, across = line;
        const bool there = turn<(u32)ALONG, {{ along.wraps }}>(along) && turn<(u32)ACROSS, {{ across.wraps }}>(across);
        along = {{ along.coordinate }};
        across = {{ across.coordinate }};
        return place_at(world, there ? (u32){{ y }} : ABSENT, {{ x }});
    };
{%- endif %}

{%- if staged %}

    // What is computed, until a line has as much as is written at once: 32 columns, while the last thread is behind.
    constexpr int PITCH = LINES == 1 ? 66 : 65;
{%- for plane in staged %}
    __shared__ {{ plane.ty }} {{ plane.staged }}[STRIP][PITCH];
{%- endfor %}
{%- endif %}
{%- for input in given %}
    __shared__ {{ input.ty }} {{ input.name }}[128];
{%- endfor %}

    // Computes the columns of a strip from one on to another.
    const auto walk = [&](int strip, int from, int to) {
        const int first = strip * STRIP + thread * LINES;
{%- if flags and waits and shear > 0 %}
        // Where lines are sheared, the line above has columns before the first one.
        while (strip > 0 && told(flags + strip) < (u32)from) {
        }
        __syncwarp();
{%- endif %}
        // Before column c is computed they hold the columns before it.
{%- for plane in kept %}
        {{ plane.ty }} {{ plane.kept }}[ABOVE + LINES][BACK + 1];
{%- endfor %}
{%- if kept %}
#pragma unroll
        for (int i = 0; i < ABOVE + LINES; ++i) {
#pragma unroll
            for (int k = 0; k <= BACK; ++k) {
                const Place at = place_in(from - 1 - k, first + i - ABOVE);
{%- for plane in kept %}
                {{ plane.kept }}[i][k] = {{ plane.at }};
{%- endfor %}
            }
        }
{%- endif %}

{%- for line in column %}
{{ line }}
{%- endfor %}
{%- for input in given %}

        // An input along the lines, a column for a thread.
        const auto {{ input.look }} = [&](int c) {
            int along = c < ALONG ? c : ALONG - 1;
            along = {{ along.coordinate }};
            return {{ input.old }}[{{ input.at }}];
        };
        {{ input.name }}[(from + thread) & 127] = {{ input.look }}(from + thread);
{%- endfor %}
{%- if kept and above > 0 %}
        // The lines above the strip, a column for a thread: of this block of columns, and of the next one.
{%- for plane in kept %}
        {{ plane.ty }} {{ plane.above }}[ABOVE], {{ plane.coming }}[ABOVE];
{%- endfor %}
        const auto look_above = [&](int c) {
#pragma unroll
            for (int b = 0; b < ABOVE; ++b) {
                const Place at = place_in(c, c < to ? strip * STRIP + b - ABOVE : -ABOVE - 1);
{%- for plane in kept %}
                {{ plane.coming }}[b] = {{ plane.at }};
{%- endfor %}
            }
        };
{%- endif %}
        __syncwarp();
        // The columns before this one may be computed: the strip before has come so far.
        int waited = from;
        for (int base = from; base < to + 32; base += 32) {
            if (base < to && base >= waited) {
{%- if flags and waits %}
                waited = base + TILE < to ? base + TILE : to;
                while (strip > 0 && told(flags + strip) < (u32)waited) {
                }
                __syncwarp();
{%- else %}
                waited = to;
{%- endif %}
{%- if kept and above > 0 %}
                look_above(base + thread);
{%- endif %}
            }
{%- if kept and above > 0 %}
#pragma unroll
            for (int b = 0; b < ABOVE; ++b) {
{%- for plane in kept %}
                {{ plane.above }}[b] = {{ plane.coming }}[b];
{%- endfor %}
            }
            if (base + 32 < waited) {
                look_above(base + 32 + thread);
            }
{%- endif %}
{%- for input in given %}
            const {{ input.ty }} {{ input.coming }} = {{ input.look }}(base + 32 + thread);
{%- endfor %}
{%- if asked %}
            // Old values of the columns behind the next ones, on the thread's lines and, for the last thread, below.
#pragma unroll
            for (int r = 0; r < LINES + {{ below }}; ++r) {
                if ((r < LINES || thread == 31) && first + r < ACROSS && base + 96 < to) {
{%- for memory in asked %}
#pragma unroll
                    for (int k = 0; k < 32; k += 32 / (int)sizeof(*{{ memory }})) {
                        ask_for({{ memory }} + place_in(base + 64 + k, first + r));
                    }
{%- endfor %}
                }
            }
{%- endif %}
            // The lines above the thread's own.
            const auto take = [&](int k, bool here) {
{%- if kept and above > 0 %}
#pragma unroll
                for (int b = 0; b < ABOVE; ++b) {
{%- for plane in kept %}
                    const {{ plane.ty }} {{ plane.before }} = before({{ plane.kept }}[LINES + b][0]), {{ plane.first }} = of_thread({{ plane.above }}[b], k);
{%- endfor %}
                    if (here) {
#pragma unroll
                        for (int i = BACK; i > 0; --i) {
{%- for plane in kept %}
                            {{ plane.kept }}[b][i] = {{ plane.kept }}[b][i - 1];
{%- endfor %}
                        }
{%- for plane in kept %}
                        {{ plane.kept }}[b][0] = thread == 0 ? {{ plane.first }} : {{ plane.before }};
{%- endfor %}
                    }
                }
{%- endif %}
{%- if meets %}
                __syncwarp();
{%- endif %}
            };
            const int least = base - 31 - SHEAR * (strip * STRIP + STRIP - 1), greatest = base + 31 - SHEAR * strip * STRIP;
            if (FULL && (strip + 1) * STRIP <= ACROSS && base - 31 >= from && base + 32 <= to && least >= {{ reach }} && greatest + {{ reach }} < ALONG) {
#pragma unroll {{ unroll }}
                for (int k = 0; k < 32; ++k) {
                    take(k, true);
                    compute(base + k - thread, true);
                }
            } else {
#pragma unroll 1
                for (int k = 0; k < 32; ++k) {
                    const int c = base + k - thread;
                    const bool here = c >= from && c < to;
                    take(k, here);
                    if (here) {
                        compute(c, false);
                    }
                }
            }
{%- for input in given %}
            {{ input.name }}[(base + 32 + thread) & 127] = {{ input.coming }};
{%- endfor %}
            __syncwarp();
{%- if flags and waits %}
            // The last thread is 31 columns behind, and its last lines are written: a strip begins a tile when this one has begun the next.
            if (thread == 0 && ((base - from) % TILE == 0 || base + 32 >= to)) {
                tell(flags + strip + 1, base + 1 < to ? (u32)(base + 1) : {% if staged %}base < to ? (u32)to : {% endif %}0xffffffff);
            }
{%- endif %}
{%- if staged %}
            // Columns that all threads have computed are written, a line after the other.
#pragma unroll 8
            for (int line = strip * STRIP; line < (strip + 1) * STRIP && line < ACROSS; ++line) {
                const int c = base - 32 + thread;
                int along = c - SHEAR * line, across = line;
                if (c >= from && c < to && (u32)along < (u32)ALONG) {
                    along = {{ along.coordinate }};
                    across = {{ across.coordinate }};
                    const Place at = (Place)(u32){{ y }} * (COLUMNS_OF_ROW * LANES) + (u32){{ x }};
{%- for plane in staged %}
                    {{ plane.old }}[at] = {{ plane.staged }}[line - strip * STRIP][c & 63];
{%- endfor %}
                }
            }
            __syncwarp();
{%- endif %}
        }
    };
    // The columns of a strip in which it has places.
    const auto begin_of = [](int strip) { return SHEAR * strip * STRIP; };
    const auto end_of = [](int strip) { return ALONG + SHEAR * ((strip + 1) * STRIP < ACROSS ? (strip + 1) * STRIP - 1 : ACROSS - 1); };
{%- if flags %}
    int strip = 0;
    if (thread == 0) {
        strip = (int)atomicAdd(flags, 1u);
    }
    strip = __shfl_sync(0xffffffff, strip, 0);
    walk(strip, begin_of(strip), end_of(strip));
{%- else %}
    const auto walk_tile = [&](int strip, int tile) {
        const int begin = begin_of(strip), end = end_of(strip);
        const int from = tile * TILE > begin ? tile * TILE : begin, to = (tile + 1) * TILE < end ? (tile + 1) * TILE : end;
        if (from < to) {
            walk(strip, from, to);
        }
    };
{%- if barrier %}
    for (int wave = 0; wave < STRIPS + TILES - 1; ++wave) {
        const int last = wave < STRIPS ? wave : STRIPS - 1, first_strip = wave < TILES ? 0 : wave - TILES + 1;
        for (int strip = first_strip + (int)(threadIdx.x / 32 * gridDim.x + blockIdx.x); strip <= last; strip += (int)(blockDim.x / 32 * gridDim.x)) {
            walk_tile(strip, wave - strip);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(flags, 1u);
            while (told(flags) < (u32)(wave + 1) * gridDim.x) {
            }
        }
        __syncthreads();
    }
{%- else %}
    const int strip = ((int)wave < TILES ? 0 : (int)wave - TILES + 1) + (int)blockIdx.x;
    walk_tile(strip, (int)wave - strip);
{%- endif %}
{%- endif %}
