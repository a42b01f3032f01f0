// The permutation of the cells of a mask by CUB, as thrust's copy_if makes it, and arrays packed and unpacked by it: what libraries without masks do.
//
//     nvcc -O3 -std=c++17 -arch=native -o cub cub.cu && ./cub PLACES DENSITY...
//
// A line of JSON for each density: seconds to make the permutation from bits, and to gather; to pack without one, by DeviceSelect::Flagged of the values and
// flags that an iterator takes out of the bits; to scatter after a fill. Medians of ten repeats after a first one, with nothing in the caches.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_select.cuh>
#include <functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <vector>

#define CHECK(CALL)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (CALL);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s: %s\n", #CALL, cudaGetErrorString(error));                                        \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

__host__ __device__ inline uint64_t mix(uint64_t v) {
    v += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
    v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    return v ^ v >> 31;
}

struct Flag {
    const uint32_t *mask;
    __host__ __device__ bool operator()(uint32_t place) const {
#ifdef __CUDA_ARCH__
        return mask[place / 32] >> place % 32 & 1;
#else
        return (void)place, false;
#endif
    }
};

__global__ void draw(uint32_t *mask, uint64_t places, uint64_t bound) {
    const uint64_t word = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (32 * word < places) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < 32 && 32 * word + bit < places; ++bit) {
            bits |= (uint32_t)(mix(32 * word + bit) >> 32 < bound) << bit;
        }
        mask[word] = bits;
    }
}

__global__ void number(uint32_t *values, uint64_t count) {
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = (uint32_t)i;
    }
}

__global__ void gather(const uint32_t *places, uint64_t cells, const uint32_t *values, uint32_t *packed) {
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) {
        packed[i] = values[places[i]];
    }
}

__global__ void scatter(const uint32_t *places, uint64_t cells, const uint32_t *packed, uint32_t *values) {
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) {
        values[places[i]] = packed[i];
    }
}

__global__ void read_all(const uint4 *words, uint64_t count, uint32_t *sum) {
    uint32_t own = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x) {
        own += words[i].x ^ words[i].y ^ words[i].z ^ words[i].w;
    }
    if (own == 0x12345678) {
        *sum = own;
    }
}

static unsigned blocks(uint64_t threads) {
    return (unsigned)((threads + 255) / 256);
}

int main(int count, char **arguments) {
    const uint64_t places = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1ull << 28;
    int cache = 0;
    CHECK(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0));
    const uint64_t others_bytes = std::max<uint64_t>(2 * (uint64_t)cache, 1 << 20) / 16 * 16;
    uint32_t *mask, *permutation, *values, *packed, *selected;
    uint4 *others;
    CHECK(cudaMalloc(&mask, (places + 31) / 32 * 4));
    CHECK(cudaMalloc(&permutation, 4 * places));
    CHECK(cudaMalloc(&values, 4 * places));
    CHECK(cudaMalloc(&packed, 4 * places));
    CHECK(cudaMalloc(&selected, 16));
    CHECK(cudaMalloc(&others, others_bytes));
    CHECK(cudaMemset(others, 0, others_bytes));
    number<<<blocks(places), 256>>>(values, places);
    const auto numbers = thrust::make_counting_iterator<uint32_t>(0);
    const auto flags = thrust::make_transform_iterator(numbers, Flag{mask});
    size_t bytes = 0, bytes_of_values = 0;
    CHECK(cub::DeviceSelect::Flagged(nullptr, bytes, numbers, flags, permutation, selected, (int64_t)places));
    CHECK(cub::DeviceSelect::Flagged(nullptr, bytes_of_values, values, flags, packed, selected, (int64_t)places));
    bytes = std::max(bytes, bytes_of_values);
    void *room;
    CHECK(cudaMalloc(&room, bytes));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    const auto seconds = [&](const std::function<void()> &work) {
        std::vector<float> times;
        for (int repeat = 0; repeat < 11; ++repeat) {
            read_all<<<1024, 256>>>(others, others_bytes / 16, selected + 2);
            CHECK(cudaEventRecord(begin));
            work();
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            float milliseconds;
            CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
            times.push_back(milliseconds);
        }
        times.erase(times.begin());
        std::sort(times.begin(), times.end());
        return (times[4] + times[5]) / 2e3;
    };
    for (int i = 2; i < count; ++i) {
        const double density = std::atof(arguments[i]);
        draw<<<blocks((places + 31) / 32), 256>>>(mask, places, (uint64_t)(density * 4294967296.0));
        const auto select = [&](auto from, uint32_t *to) {
            CHECK(cub::DeviceSelect::Flagged(room, bytes, from, flags, to, selected, (int64_t)places));
        };
        const double setup = seconds([&] { select(numbers, permutation); });
        uint32_t cells;
        CHECK(cudaMemcpy(&cells, selected, 4, cudaMemcpyDeviceToHost));
        const double packing = seconds([&] { select(values, packed); });
        const double gathering = seconds([&] { gather<<<blocks(cells), 256>>>(permutation, cells, values, packed); });
        const double scattering = seconds([&] {
            CHECK(cudaMemsetAsync(values, 0xff, 4 * places));
            scatter<<<blocks(cells), 256>>>(permutation, cells, packed, values);
        });
        number<<<blocks(places), 256>>>(values, places);
        CHECK(cudaDeviceSynchronize());
        std::printf("{\"density\": %g, \"cells\": %u, \"setup\": %g, \"select\": %g, \"gather\": %g, \"scatter\": %g}\n", density, cells, setup, packing, gathering, scattering);
    }
}
