// Runs life.cu: reads the tables of its World, computes the first state and STEPS steps, and prints the population and the digest.
//
//     squeeze emit sierpinski_triangle --rule life --level 10 --prefix triangle -o life.cu --world life.world
//     nvcc -O3 -std=c++17 -arch=native --fmad=false host.cu -o host && ./host life.world STEPS

#include "life.cu"
#include "world.h"

#include <utility>

// All but the kernels.
using namespace triangle_life_kernels;

int main(int count, char **arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: host WORLD STEPS\n");
        return 2;
    }
    Tables<World> tables(arguments[1]);
    const u32 steps = tables.steps(arguments[2]);
    World &world = tables.world;
    world.seed = 1;
    // Behind the last superblock stands one of zeros.
    const u64 columns = (u64)world.end * MICRO_CELLS;
    const size_t bytes = (columns + MICRO_CELLS) * WORDS * sizeof(u32);
    u32 *alive = on_device<u32>("", bytes), *new_alive = on_device<u32>("", bytes);
    // The comment over each kernel says how many threads a superblock takes.
    const auto blocks = [&](u64 threads) { return (u32)((world.end * threads + 127) / 128); };
    triangle_life_init<<<blocks(32 * WORDS), 128>>>(alive, world);
    check(cudaGetLastError(), "the first state");

    cudaEvent_t began, ended;
    check(cudaEventCreate(&began), "an event");
    check(cudaEventCreate(&ended), "an event");
    check(cudaEventRecord(began), "an event");
    for (u32 step = 0; step < steps; step += tables.steps_a_pass) {
        world.later = step + 1;
        triangle_life<<<blocks(WORDS), 128>>>(alive, new_alive, world);
        std::swap(alive, new_alive);
    }
    check(cudaGetLastError(), "a pass");
    check(cudaEventRecord(ended), "an event");
    check(cudaEventSynchronize(ended), "the passes");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, began, ended), "the time");

    // The lanes of a column are the bits of its words.
    std::vector<u32> state(columns * WORDS);
    check(cudaMemcpy(state.data(), alive, state.size() * sizeof(u32), cudaMemcpyDeviceToHost), "copying the state");
    u64 population = 0, digest = 0;
    for (u64 column = 0; column < columns; ++column) {
        for (u64 lane = 0; lane < LANES; ++lane) {
            const u64 value = state[column * WORDS + lane / 32] >> lane % 32 & 1;
            population += value;
            digest += digest_of(tables.replicas[lane] * tables.lane_cells + column, value);
        }
    }
    std::printf("population %llu, digest %016llx\n", population, digest);
    std::fprintf(stderr, "%.3f microseconds a step\n", steps ? 1e3 * milliseconds / steps : 0.0);
    return 0;
}
