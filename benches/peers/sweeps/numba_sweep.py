#!/usr/bin/env python3
"""A sweep of the Ising model on the Sierpinski carpet with numba, one process per member.

    benches/peers/sweeps/numba_sweep.py [--members M] [--steps N] [--processes P] [--level R]

The same as `squeeze sweep sierpinski_carpet --rule ising --level 5 --steps 10000 --observe-every 10 --seeds 0..64 --set beta=0.40..=0.48/0.002`:
41 temperatures and 64 seeds. With fewer members or steps the time of all is that of these times what they are of all, and said to be so.
Compilation is not counted.
"""

import argparse
import json
import multiprocessing
import os
import time

BETAS, SEEDS, STEPS, EVERY = 41, 64, 10_000, 10


def carpet(level):
    import numpy

    mask = numpy.ones((1, 1), dtype=numpy.uint8)
    pattern = numpy.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=numpy.uint8)
    for _ in range(level):
        mask = numpy.kron(pattern, mask)
    return mask


def member_function():
    import numba
    import numpy

    @numba.njit(fastmath=True)
    def member(mask, beta, seed, steps, every):
        side = mask.shape[0]
        # A hole's border on all sides; 0: no cell, -1 and 1: spins.
        spins = numpy.zeros((side + 2, side + 2), dtype=numpy.int8)
        state = numpy.uint64(seed) * numpy.uint64(0x9E3779B97F4A7C15) + numpy.uint64(0x2545F4914F6CDD1D)
        chances = numpy.empty(9)
        for field in range(-4, 5):
            chances[field + 4] = 1.0 / (1.0 + numpy.exp(-2.0 * beta * field))
        for y in range(side):
            for x in range(side):
                if mask[y, x]:
                    state ^= state << numpy.uint64(13)
                    state ^= state >> numpy.uint64(7)
                    state ^= state << numpy.uint64(17)
                    spins[y + 1, x + 1] = 1 if (state >> numpy.uint64(40)) & numpy.uint64(1) else -1
        seen = numpy.zeros((steps // every, 2), dtype=numpy.int64)
        for step in range(1, steps + 1):
            for parity in range(2):
                for y in range(1, side + 1):
                    for x in range(1 + (y + 1 + parity) % 2, side + 1, 2):
                        if mask[y - 1, x - 1]:
                            field = spins[y - 1, x] + spins[y + 1, x] + spins[y, x - 1] + spins[y, x + 1]
                            state ^= state << numpy.uint64(13)
                            state ^= state >> numpy.uint64(7)
                            state ^= state << numpy.uint64(17)
                            drawn = (state >> numpy.uint64(11)) * (1.0 / 9007199254740992.0)
                            spins[y, x] = 1 if drawn < chances[field + 4] else -1
            if step % every == 0:
                total, disagreements = 0, 0
                for y in range(1, side + 1):
                    for x in range(1, side + 1):
                        own = spins[y, x]
                        if own != 0:
                            total += own
                            disagreements += spins[y, x + 1] == -own
                            disagreements += spins[y + 1, x] == -own
                seen[step // every - 1, 0] = total
                seen[step // every - 1, 1] = 2 * disagreements
        return seen

    return member


def begin(level):
    global mask, function
    mask, function = carpet(level), member_function()
    function(mask, 0.4, 1, EVERY, EVERY)


def run(task):
    beta, seed, steps = task
    began = time.process_time()
    seen = function(mask, beta, seed, steps, EVERY)
    half = seen[len(seen) // 2 :, 1]
    return (float(half.mean()) if len(half) else 0.0, time.process_time() - began)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=BETAS * SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--level", type=int, default=5)
    chosen = parser.parse_args()
    every = max(1, BETAS * SEEDS // chosen.members)
    all_members = [(0.40 + 0.002 * (n // SEEDS), n % SEEDS + 1, chosen.steps) for n in range(BETAS * SEEDS)]
    tasks = all_members[::every][: chosen.members]
    with multiprocessing.Pool(chosen.processes, initializer=begin, initargs=(chosen.level,)) as pool:
        # Each process has compiled before the clock starts.
        pool.map(run, [(0.4, 1, EVERY)] * 4 * chosen.processes, chunksize=1)
        began = time.perf_counter()
        means, processor = zip(*pool.map(run, tasks, chunksize=1))
        seconds = time.perf_counter() - began
    part = len(tasks) * chosen.steps / (BETAS * SEEDS * STEPS)
    told = {"name": "numba, one process per member", "processes": chosen.processes, "members": len(tasks), "steps": chosen.steps}
    told |= {"seconds": seconds, "seconds_of_all": seconds / part, "processor_seconds_of_all": sum(processor) / part}
    print(json.dumps(told | {"mean_disagreements": sum(means) / len(means)}))


main()
