// Runs life.cu: reads the tables of its World, computes the first state and STEPS steps, and prints the population and the digest.
//
//     nvcc -O3 -std=c++17 -arch=native --fmad=false host.cu -o host && ./host life.world STEPS

#include "life.cu"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

// All but the kernels.
using namespace triangle_life_kernels;

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

// Memory of the device, cleared, and with these bytes at its beginning.
template <typename T>
static T *on_device(const std::string &bytes, size_t size) {
    T *memory = nullptr;
    check(cudaMalloc(&memory, size ? size : 1), "memory");
    check(cudaMemset(memory, 0, size), "clearing memory");
    check(cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "copying to the device");
    return memory;
}

// The file that `squeeze emit --world` writes.
class WorldFile {
  public:
    explicit WorldFile(const char *path) : file(path, std::ios::binary) {
        char magic[8] = {};
        file.read(magic, 8);
        if (!file || std::memcmp(magic, "SQWORLD1", 8) != 0) {
            fail();
        }
    }

    u64 number() {
        u64 value = 0;
        file.read(reinterpret_cast<char *>(&value), 8);
        if (!file) {
            fail();
        }
        return value;
    }

    template <typename T>
    const T *table() {
        const std::string bytes = table_bytes();
        return on_device<T>(bytes, bytes.size());
    }

    std::string table_bytes() {
        std::string bytes(number(), 0);
        file.read(&bytes[0], (std::streamsize)bytes.size());
        file.ignore((std::streamsize)(7 - (bytes.size() + 7) % 8));
        if (!file) {
            fail();
        }
        return bytes;
    }

  private:
    std::ifstream file;

    [[noreturn]] static void fail() {
        std::fprintf(stderr, "error: this is not a whole file of `squeeze emit --world`\n");
        std::exit(2);
    }
};

static u64 mix(u64 v) {
    v += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
    v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    return v ^ v >> 31;
}

int main(int count, char **arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: host WORLD STEPS\n");
        return 2;
    }
    WorldFile file(arguments[1]);
    World world = {};
    const u64 lane_cells = file.number();
    world.superblocks = (u32)file.number();
    world.level = (int)file.number();
    world.side = (int)file.number();
    const u32 steps_a_pass = (u32)file.number();
    world.neighbours = file.table<u32>();
    world.edges = file.table<u8>();
    world.sources = file.table<u32>();
    world.presence = file.table<u32>();
    world.first_terms = file.table<u32>();
    world.terms = file.table<Term>();
    world.params = file.table<u64>();
    world.lane_corners = file.table<int>();
    world.superblock_corners = file.table<int>();
    // The replica of each lane, in canonical order.
    const std::string replica_bytes = file.table_bytes();
    std::vector<u32> replicas(LANES);
    std::memcpy(replicas.data(), replica_bytes.data(), replica_bytes.size());
    world.clock = on_device<u32>("", sizeof(u32));
    world.seed = 1;
    world.end = world.superblocks;

    const u32 steps = (u32)std::strtoul(arguments[2], nullptr, 10);
    if (steps % steps_a_pass != 0) {
        std::fprintf(stderr, "error: a pass carries %u steps, so their number must be a multiple of it\n", steps_a_pass);
        return 2;
    }
    // Behind the last superblock stands one of zeros.
    const u64 columns = (u64)world.superblocks * MICRO_CELLS;
    const size_t bytes = (columns + MICRO_CELLS) * WORDS * sizeof(u32);
    u32 *alive = on_device<u32>("", bytes), *new_alive = on_device<u32>("", bytes);
    // The comment over each kernel says how many threads a superblock takes.
    const auto blocks = [&](u64 threads) { return (u32)((world.superblocks * threads + 127) / 128); };
    triangle_life_init<<<blocks(32 * WORDS), 128>>>(alive, world);
    check(cudaGetLastError(), "the first state");

    cudaEvent_t began, ended;
    check(cudaEventCreate(&began), "an event");
    check(cudaEventCreate(&ended), "an event");
    check(cudaEventRecord(began), "an event");
    for (u32 step = 0; step < steps; step += steps_a_pass) {
        world.later = step + 1;
        triangle_life<<<blocks(WORDS), 128>>>(alive, new_alive, world);
        std::swap(alive, new_alive);
    }
    check(cudaGetLastError(), "a pass");
    check(cudaEventRecord(ended), "an event");
    check(cudaEventSynchronize(ended), "the passes");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, began, ended), "the time");

    // Cell `replica * lane_cells + column` is the bit of the replica's lane in a column's words.
    std::vector<u32> state(columns * WORDS);
    check(cudaMemcpy(state.data(), alive, state.size() * sizeof(u32), cudaMemcpyDeviceToHost), "copying the state");
    u64 population = 0, digest = 0;
    for (u64 column = 0; column < columns; ++column) {
        for (u64 lane = 0; lane < LANES; ++lane) {
            const u64 value = state[column * WORDS + lane / 32] >> lane % 32 & 1;
            population += value;
            digest += mix(mix(replicas[lane] * lane_cells + column) ^ value);
        }
    }
    std::printf("population %llu, digest %016llx\n", population, digest);
    std::fprintf(stderr, "%.3f microseconds a step\n", steps ? 1e3 * milliseconds / steps : 0.0);
    return 0;
}
