// What a program around printed kernels needs: the tables of their World, memory of the device, and the digest.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

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

    uint64_t number() {
        uint64_t value = 0;
        file.read(reinterpret_cast<char *>(&value), 8);
        if (!file) {
            fail();
        }
        return value;
    }

    std::string bytes() {
        std::string bytes(number(), 0);
        file.read(&bytes[0], (std::streamsize)bytes.size());
        file.ignore((std::streamsize)(7 - (bytes.size() + 7) % 8));
        if (!file) {
            fail();
        }
        return bytes;
    }

    // A table in memory of the device.
    template <typename T>
    void table(const T *&pointer) {
        const std::string read = bytes();
        pointer = on_device<T>(read, read.size());
    }

  private:
    std::ifstream file;

    [[noreturn]] static void fail() {
        std::fprintf(stderr, "error: this is not a whole file of `squeeze emit --world`\n");
        std::exit(2);
    }
};

// A World with its tables, and where the host finds cells: the cell `replicas[lane] * lane_cells + column` is the value of this lane in this column.
template <typename World>
struct Tables {
    World world = {};
    uint64_t lane_cells;
    uint32_t steps_a_pass;
    std::vector<uint32_t> replicas;

    explicit Tables(const char *path) {
        WorldFile file(path);
        lane_cells = file.number();
        world.absent = (uint32_t)file.number();
        world.level = (int)file.number();
        world.side = (int)file.number();
        steps_a_pass = (uint32_t)file.number();
        file.table(world.neighbours);
        file.table(world.edges);
        file.table(world.sources);
        file.table(world.presence);
        file.table(world.first_terms);
        file.table(world.terms);
        file.table(world.params);
        file.table(world.lane_corners);
        file.table(world.superblock_corners);
        const std::string bytes = file.bytes();
        replicas.resize(bytes.size() / sizeof(uint32_t));
        std::memcpy(replicas.data(), bytes.data(), bytes.size());
        world.clock = on_device<uint32_t>("", sizeof(uint32_t));
        world.end = world.absent;
    }

    // The steps that were asked for, which must be whole passes.
    uint32_t steps(const char *text) const {
        const uint32_t steps = (uint32_t)std::strtoul(text, nullptr, 10);
        if (steps % steps_a_pass != 0) {
            std::fprintf(stderr, "error: a pass carries %u steps, so their number must be a multiple of it\n", steps_a_pass);
            std::exit(2);
        }
        return steps;
    }
};

static uint64_t mix(uint64_t v) {
    v += 0x9e3779b97f4a7c15ull;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
    v = (v ^ v >> 27) * 0x94d049bb133111ebull;
    return v ^ v >> 31;
}

// What a cell with these bits adds to the digest of its state.
static uint64_t digest_of(uint64_t cell, uint64_t bits) {
    return mix(mix(cell) ^ bits);
}
