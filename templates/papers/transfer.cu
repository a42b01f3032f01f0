{%- for size in sizes %}

// Copies the values of cells that follow each other in canonical order.
extern "C" __global__ void __launch_bounds__(256) {{ size.reader }}(const {{ size.type }} *state, {{ size.type }} *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        values[i] = state[place_of_cell(first + i)];
    }
}

// Gives cells that follow each other in canonical order their values.
extern "C" __global__ void __launch_bounds__(256) {{ size.writer }}({{ size.type }} *state, const {{ size.type }} *values, u64 first, u64 count) {
    const u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        state[place_of_cell(first + i)] = values[i];
    }
}
{%- endfor %}
