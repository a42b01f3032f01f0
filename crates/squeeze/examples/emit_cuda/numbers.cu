// Runs the kernels of heat.cu, to which it is linked: a rule of numbers, whose parameters stand in the tables. Prints the hottest cell and the digest.
//
//     squeeze emit sierpinski_carpet --rule heat --level 5 --set alpha=0.2 --prefix carpet -o heat.cu --header heat.h --world heat.world
//     nvcc -O3 -std=c++17 -arch=native --fmad=false heat.cu numbers.cu -o numbers && ./numbers heat.world STEPS

#include "heat.h"
#include "world.h"

#include <algorithm>
#include <utility>

int main(int count, char **arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: numbers WORLD STEPS\n");
        return 2;
    }
    Tables<carpet_heat_World> tables(arguments[1]);
    const uint32_t steps = tables.steps(arguments[2]);
    // The header says how large a buffer of each state is, and how many blocks each kernel has.
    float *u = on_device<float>("", carpet_heat_BYTES_OF_u), *new_u = on_device<float>("", carpet_heat_BYTES_OF_u);
    carpet_heat_init<<<carpet_heat_init_BLOCKS, carpet_heat_init_BLOCK_THREADS>>>(u, tables.world);
    check(cudaGetLastError(), "the first state");
    for (uint32_t step = 0; step < steps; step += tables.steps_a_pass) {
        tables.world.later = step + 1;
        carpet_heat<<<carpet_heat_BLOCKS, carpet_heat_BLOCK_THREADS>>>(u, new_u, tables.world);
        std::swap(u, new_u);
    }
    check(cudaGetLastError(), "a pass");

    // The lanes of a column are STRIDE numbers, of which the first LANES are cells.
    const uint64_t columns = (uint64_t)tables.world.end * carpet_heat_MICRO_CELLS;
    std::vector<float> state(columns * carpet_heat_STRIDE);
    check(cudaMemcpy(state.data(), u, state.size() * sizeof(float), cudaMemcpyDeviceToHost), "copying the state");
    float hottest = state[0];
    uint64_t digest = 0;
    for (uint64_t column = 0; column < columns; ++column) {
        for (uint64_t lane = 0; lane < carpet_heat_LANES; ++lane) {
            const float value = state[column * carpet_heat_STRIDE + lane];
            uint32_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            hottest = std::max(hottest, value);
            digest += digest_of(tables.replicas[lane] * tables.lane_cells + column, bits);
        }
    }
    std::printf("hottest %g, digest %016llx\n", hottest, (unsigned long long)digest);
    return 0;
}
