// The interface between kernels and the driver of the host.

#pragma once

namespace shim {

struct Index {
    unsigned x, y, z;
};

// Why threads meet: all that meet must say the same.
enum class Meeting { None, Barrier, BarrierOr, Ballot, Shuffle, Multiply };

// The thread that runs, and how it meets others.
struct Machine {
    Index thread, block, threads, blocks;
    // Waits for all threads of the warp; then gives the value of each.
    const unsigned long long *(*meet_warp)(Meeting meeting, unsigned mask, unsigned long long value);
    // Waits for all threads of the block; then says whether one has a value other than 0.
    int (*meet_block)(Meeting meeting, int value);
};

struct Kernel {
    void (*call)(void **arguments);
    const unsigned long long *sizes; // of the arguments
    unsigned count;
    unsigned most_threads;
};

// How an image begins; its length and a shared object follow.
constexpr char MAGIC[8] = {'S', 'Q', 'S', 'H', 'I', 'M', '0', '1'};

} // namespace shim
