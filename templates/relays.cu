//// Functions
// The bits of a value, and a value from its bits.
template <class T> __device__ __forceinline__ u64 bits_of(T value) {
    return sizeof(T) == 8 ? (u64)value : (u64)(u32)value;
}
__device__ __forceinline__ u64 bits_of(float value) {
    return __float_as_uint(value);
}
__device__ __forceinline__ u64 bits_of(double value) {
    return (u64)__double_as_longlong(value);
}
template <class T> __device__ __forceinline__ void from_bits(u64 bits, T &value) {
    value = (T)bits;
}
__device__ __forceinline__ void from_bits(u64 bits, float &value) {
    value = __uint_as_float((u32)bits);
}
__device__ __forceinline__ void from_bits(u64 bits, double &value) {
    value = __longlong_as_double((long long)bits);
}

// A message has 32 bits of a value, and before them the number of the strip that said it: no flag is needed to know that it has come.
__device__ __forceinline__ u32 hear(const u64 *message, u32 speaker) {
    u64 value;
    while (true) {
        asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(value) : "l"(message) : "memory");
        if ((u32)(value >> 32) == speaker) {
            return (u32)value;
        }
        __nanosleep(64);
    }
}
__device__ __forceinline__ void say(u64 *message, u32 speaker, u32 bits) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(message), "l"((u64)speaker << 32 | bits) : "memory");
}

//// Kernel
    // Lines run along {{ along.name }} and follow each other along {{ across.name }}. In column c of line q lies the place c - SHEAR * q of the line.
    constexpr int ALONG = {{ along.side }}, ACROSS = {{ across.side }}, SHEAR = {{ shear }}, STRIPS = {{ strips }};
    // A thread has LINES lines. It keeps what stands BACK columns back there and on the lines ABOVE.
    constexpr int LINES = {{ lines }}, ABOVE = {{ above }}, BACK = {{ back }}, STRIP = 32 * LINES;
    // One warp computes a block of columns, one reads the block that comes next, or AHEAD further ones of old values, and one writes the block that all
    // threads have computed, BEHIND blocks ago. Rings hold 64 columns of what they hand over.
    constexpr int BLOCK = {{ columns }}, BEHIND = {{ behind }}, AHEAD = {{ ahead }}, PITCH = 66;
{%- for ring in rings %}
    __shared__ {{ ring.ty }} {{ ring.name }}[{{ ring.lines }}][PITCH];
{%- endfor %}
{%- for plane in kept if plane.lines > 0 %}
    __shared__ {{ plane.ty }} {{ plane.above }}[{{ plane.lines }}][64];
{%- endfor %}
{%- for input in given %}
    __shared__ {{ input.ty }} {{ input.name }}[64];
{%- endfor %}
    __shared__ u64 ticket;
    const int thread = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    u64 *const messages = (u64 *)flags + 32;
{%- for line in before %}
{% if line %}    {{ line }}{% endif %}
{%- endfor %}
    // Tickets are never given back: they tell strips and steps.
    if (threadIdx.x == 0) {
        ticket = atomicAdd((u64 *)flags, (u64)1);
    }
    // Beyond edges old values are 0.
{%- for ring in rings if ring.loads %}
    for (int i = (int)threadIdx.x; i < (STRIP + {{ ring.before + ring.after }}) * PITCH; i += 96) {
        (&{{ ring.name }}[0][0])[i] = 0;
    }
{%- endfor %}
    __syncthreads();
    const int strip = (int)(ticket % STRIPS), first = strip * STRIP + thread * LINES;
    // Strips of all steps are numbered. A strip says what it has to say where a strip said it that all have heard by then: the next strip tells a column after it
    // heard it, and the one after that in answer.
    constexpr int SPEAKERS = {{ speakers }};
    const u32 speaker = (u32)ticket + 1;
{%- if rolls %}
    // Of rolling states a strip keeps its last lines alone.
    const int behind_strip = (strip + 1) * STRIP < ACROSS ? (strip + 1) * STRIP : ACROSS;
{%- endif %}
    // The columns of the strip. Where lines are sheared, the line above has columns before its first one.
    const int begin = SHEAR > 0 ? SHEAR * strip * STRIP - BACK : 0;
    const int end = ALONG + SHEAR * ((strip + 1) * STRIP < ACROSS ? (strip + 1) * STRIP - 1 : ACROSS - 1);
{%- for plane in kept %}
    // Before column c is computed they hold the columns before it.
    {{ plane.ty }} {{ plane.kept }}[ABOVE + LINES][BACK + 1] = {};
{%- endfor %}
{%- for input in given %}
    {{ input.ty }} {{ input.now }} = 0;
{%- endfor %}
{%- for input in of_lines %}
    {{ input.ty }} {{ input.name }}[LINES];
#pragma unroll
    for (int r = 0; r < LINES; ++r) {
        int across = first + r < ACROSS ? first + r : ACROSS - 1;
        across = {{ across.coordinate }};
        {{ input.name }}[r] = {{ input.old }}[{{ input.at }}];
    }
{%- endfor %}

{%- for line in column %}
{{ line }}
{%- endfor %}
    // What the lines above have, for the first thread.
{%- for plane in kept if plane.lines > 0 %}
    {{ plane.ty }} {{ plane.first }}[{{ plane.lines }}];
{%- endfor %}
    // Lets the lines above have one column more: those of the thread before have just got it.
    const auto take = [&](bool here) {
{%- for plane in kept if plane.lines > 0 %}
#pragma unroll
        for (int b = ABOVE - {{ plane.lines }}; b < ABOVE; ++b) {
            const {{ plane.ty }} {{ plane.before }} = before({{ plane.kept }}[LINES + b][0]);
            if (here) {
#pragma unroll
                for (int i = BACK; i > 0; --i) {
                    {{ plane.kept }}[b][i] = {{ plane.kept }}[b][i - 1];
                }
                {{ plane.kept }}[b][0] = thread == 0 ? {{ plane.first }}[ABOVE - 1 - b] : {{ plane.before }};
            }
        }
{%- endfor %}
    };
    const auto compute_block = [&](int block) {
        const int base = begin + block * BLOCK;
        const int least = base - 31 - SHEAR * (strip * STRIP + STRIP - 1), greatest = base + BLOCK - 1 - SHEAR * strip * STRIP;
        if ((strip + 1) * STRIP <= ACROSS && base - 31 >= begin && base + BLOCK <= end && least >= {{ reach }} && greatest + {{ reach }} < ALONG) {
            constexpr int TOGETHER = {{ unroll }};
#pragma unroll 1
            for (int from = base; from < base + BLOCK; from += TOGETHER) {
                // Loaded before anything is stored in a ring.
{%- for plane in kept if plane.lines > 0 %}
                {{ plane.ty }} {{ plane.coming }}[TOGETHER][{{ plane.lines }}];
{%- endfor %}
{%- for input in given %}
                {{ input.ty }} {{ input.coming }}[TOGETHER];
{%- endfor %}
#pragma unroll
                for (int k = 0; k < TOGETHER; ++k) {
{%- for plane in kept if plane.lines > 0 %}
#pragma unroll
                    for (int b = 0; b < {{ plane.lines }}; ++b) {
                        {{ plane.coming }}[k][b] = {{ plane.above }}[b][(from + k) & 63];
                    }
{%- endfor %}
{%- for input in given %}
                    {{ input.coming }}[k] = {{ input.name }}[(from + k - thread) & 63];
{%- endfor %}
                }
#pragma unroll
                for (int k = 0; k < TOGETHER; ++k) {
{%- for plane in kept if plane.lines > 0 %}
#pragma unroll
                    for (int b = 0; b < {{ plane.lines }}; ++b) {
                        {{ plane.first }}[b] = {{ plane.coming }}[k][b];
                    }
{%- endfor %}
{%- for input in given %}
                    {{ input.now }} = {{ input.coming }}[k];
{%- endfor %}
                    take(true);
                    compute(from + k - thread, true);
{%- if meets %}
                    __syncwarp();
{%- endif %}
                }
            }
        } else {
#pragma unroll 1
            for (int k = 0; k < BLOCK; ++k) {
                const int c = base + k - thread;
                const bool here = c >= begin && c < end;
{%- for plane in kept if plane.lines > 0 %}
#pragma unroll
                for (int b = 0; b < {{ plane.lines }}; ++b) {
                    {{ plane.first }}[b] = {{ plane.above }}[b][(base + k) & 63];
                }
{%- endfor %}
{%- for input in given %}
                {{ input.now }} = {{ input.name }}[c & 63];
{%- endfor %}
                take(here);
                if (here) {
                    compute(c, false);
                }
{%- if meets %}
                __syncwarp();
{%- endif %}
            }
        }
    };

    // Asks for a block of columns of inputs along the lines and of old values, which are kept when the next one is asked for: memory answers meanwhile.
{%- for input in given %}
    {{ input.ty }} {{ input.look }} = 0;
{%- endfor %}
{%- for ring in rings if ring.loads %}
    constexpr int {{ ring.many }} = (STRIP + {{ ring.before + ring.after }} + 32 / BLOCK - 1) / (32 / BLOCK);
    {{ ring.ty }} {{ ring.coming }}[{{ ring.many }}];
{%- endfor %}
    const auto ask = [&](int block) {
{%- if given %}
        if (thread < BLOCK) {
            const int c = begin + block * BLOCK + thread;
            int along = c < 0 ? 0 : c < ALONG ? c : ALONG - 1;
            along = {{ along.coordinate }};
{%- for input in given %}
            {{ input.look }} = {{ input.old }}[along];
{%- endfor %}
        }
{%- endif %}
{%- for ring in rings if ring.loads %}
#pragma unroll
        for (int i = 0; i < {{ ring.many }}; ++i) {
            int across = strip * STRIP + thread / BLOCK + i * (32 / BLOCK) - {{ ring.before }};
            int along = begin + (block + AHEAD) * BLOCK + thread % BLOCK - SHEAR * across;
            const bool there = (u32)across < (u32)ACROSS && (u32)along < (u32)ALONG;
            along = {{ along.coordinate }};
            across = {{ across.coordinate }};
            const Place at = (Place)(u32)across * (COLUMNS_OF_ROW * LANES) + (u32)along;
            {{ ring.coming }}[i] = there ? {{ ring.old }}[at] : ({{ ring.ty }})0;
        }
{%- endfor %}
    };
    const auto keep = [&](int block) {
{%- if given %}
        if (thread < BLOCK) {
{%- for input in given %}
            {{ input.name }}[(begin + block * BLOCK + thread) & 63] = {{ input.look }};
{%- endfor %}
        }
{%- endif %}
{%- for ring in rings if ring.loads %}
#pragma unroll
        for (int i = 0; i < {{ ring.many }}; ++i) {
            const int line = thread / BLOCK + i * (32 / BLOCK);
            if (line < STRIP + {{ ring.before + ring.after }}) {
                {{ ring.name }}[line][(begin + (block + AHEAD) * BLOCK + thread % BLOCK) & 63] = {{ ring.coming }}[i];
            }
        }
{%- endfor %}
    };
    // Waits for a block of columns of the lines above the strip.
    const auto hear_above = [&](int block) {
        const int c = begin + block * BLOCK + thread;
        if (thread < BLOCK) {
{%- for plane in kept if plane.lines > 0 %}
            for (int b = 1; b <= {{ plane.lines }}; ++b) {
                const int place = c - SHEAR * (strip * STRIP - b);
                {{ plane.ty }} value = 0;
                if (strip > 0 && (u32)place < (u32)ALONG) {
                    const u64 *const message = messages + ((u64)((strip - 1) % SPEAKERS) * {{ messages }} + {{ plane.number }} + {{ plane.words }} * (b - 1)) * ALONG + place;
                    u64 bits = hear(message, speaker - 1);
{%- if plane.words > 1 %}
                    bits |= (u64)hear(message + ALONG, speaker - 1) << 32;
{%- endif %}
                    from_bits(bits, value);
                }
                {{ plane.above }}[b - 1][c & 63] = value;
            }
{%- endfor %}
        }
    };
    // Writes a block of columns, and tells the next strip its last lines.
    const auto write = [&](int block) {
        const int c = begin + block * BLOCK + thread % BLOCK;
{%- for plane in kept if plane.lines > 0 %}
        if (thread < BLOCK && strip + 1 < STRIPS) {
            for (int b = 1; b <= {{ plane.lines }}; ++b) {
                const int place = c - SHEAR * ((strip + 1) * STRIP - b);
                if ((u32)place < (u32)ALONG) {
                    u64 *const message = messages + ((u64)(strip % SPEAKERS) * {{ messages }} + {{ plane.number }} + {{ plane.words }} * (b - 1)) * ALONG + place;
                    const u64 bits = bits_of({{ plane.ring }}[{{ plane.end_of_ring }} - b][c & 63]);
                    say(message, speaker, (u32)bits);
{%- if plane.words > 1 %}
                    say(message + ALONG, speaker, (u32)(bits >> 32));
{%- endif %}
                }
            }
        }
{%- endfor %}
{%- for ring in rings if ring.last > 0 %}
        if (strip + 1 == STRIPS && thread < BLOCK) {
            int across = ACROSS - 1, along = c - SHEAR * across;
            if ((u32)along < (u32)ALONG) {
                along = {{ along.coordinate }};
                across = {{ across.coordinate }};
                {{ ring.old }}[{{ last_row }}(u32)along] = {{ ring.name }}[{{ ring.last - 1 }}][c & 63];
            }
        }
{%- endfor %}
{%- if stores %}
        const bool all = (strip + 1) * STRIP <= ACROSS;
{%- endif %}
{%- for ring in rings if ring.stores and ring.last == 0 %}
#pragma unroll 1
        for (int from = thread / BLOCK; from < STRIP; from += 8 * (32 / BLOCK)) {
            {{ ring.ty }} values[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                values[i] = {{ ring.name }}[from + i * (32 / BLOCK) + {{ ring.before }}][c & 63];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                int across = strip * STRIP + from + i * (32 / BLOCK), along = c - SHEAR * across;
                if ((all || across < ACROSS) && (u32)along < (u32)ALONG) {
                    along = {{ along.coordinate }};
                    across = {{ across.coordinate }};
                    {{ ring.old }}[(Place)(u32)across * (COLUMNS_OF_ROW * LANES) + (u32)along] = values[i];
                }
            }
        }
{%- endfor %}
    };
    if (warp == 1) {
        for (int block = -AHEAD; block <= 0; ++block) {
            ask(block);
            keep(block);
        }
        ask(1);
        hear_above(0);
    }
    __syncthreads();
    const int blocks = (end - begin + BLOCK - 1) / BLOCK + BEHIND;
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
        if (warp == 0) {
            compute_block(block);
        } else if (warp == 1) {
            keep(block + 1);
            ask(block + 2);
            hear_above(block + 1);
        } else if (block >= BEHIND) {
            write(block - BEHIND);
        }
        __syncthreads();
    }
