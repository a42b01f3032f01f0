// Members as lanes of the same columns: their bits are gathered from columns of separate simulations, and brought back.
//
// A column of the lanes holds one cell, by canonical index, of all members. Apart, members stand one after the other in columns of their own.

typedef unsigned int u32;
typedef unsigned long long u64;

// Where a state lies.
{{ sides }}

// Gives lanes the bits of members: a thread for each cell and word.
extern "C" __global__ void __launch_bounds__(128) put_bits(const u32 *apart, u32 *lanes, const Sides sides) {
    const u32 first_word = sides.first / 32, words = (sides.first + sides.count - 1) / 32 - first_word + 1;
    const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
    const u64 cell = thread / words;
    const u32 word = first_word + (u32)(thread % words);
    if (cell >= sides.cells) {
        return;
    }
    const u32 lane = sides.lanes_of_replicas[cell / sides.lane_stride];
    const u64 column = cell % sides.lane_stride * sides.planes;
    const u32 begin = max(sides.first, 32 * word), end = min(sides.first + sides.count, 32 * word + 32);
    for (u32 plane = 0; plane < sides.planes; ++plane) {
        const u32 *from = apart + (column + plane) * sides.apart_width + lane / 32;
        u32 bits = 0, given = 0;
        for (u32 member = begin; member < end; ++member) {
            bits |= (from[(member - sides.first) * sides.member] >> lane % 32 & 1) << member % 32;
            given |= 1u << member % 32;
        }
        u32 *to = lanes + (cell * sides.planes + plane) * sides.width + word;
        *to = *to & ~given | bits;
    }
}

// Copies the bits of member `sides.first` from the lanes into the first of the separate simulations: a thread for each column and word.
extern "C" __global__ void __launch_bounds__(128) take_bits(u32 *apart, const u32 *lanes, const Sides sides) {
    const u64 thread = (u64)blockIdx.x * 128 + threadIdx.x;
    const u64 column = thread / sides.apart_width;
    const u32 word = (u32)(thread % sides.apart_width);
    if (column >= sides.columns) {
        return;
    }
    const u32 here = min(32u, sides.apart_lanes - 32 * word);
    for (u32 plane = 0; plane < sides.planes; ++plane) {
        u32 bits = 0;
        for (u32 lane = 0; lane < here; ++lane) {
            const u64 cell = sides.replicas[32 * word + lane] * sides.lane_stride + column;
            const u32 seen = lanes[(cell * sides.planes + plane) * sides.width + sides.first / 32];
            bits |= (seen >> sides.first % 32 & 1) << lane;
        }
        apart[(column * sides.planes + plane) * sides.apart_width + word] = bits;
    }
}
