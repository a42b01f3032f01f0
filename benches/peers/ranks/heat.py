#!/usr/bin/env python3
"""Heat on a torus by mpi4py and numba, a part of the rows for each rank: mpiexec -n N python3 benches/peers/ranks/heat.py SIDE STEPS

Written as one would by hand: f32, two buffers, a row of ghosts above and below, whose exchange runs beside the rows that need none of them. numba compiles the rows with fastmath, on one
thread a rank. The first rank compares the mean with the beginning's, which heat keeps, and prints microseconds a step.
"""
import sys
import time

import numba
import numpy
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK, RANKS = WORLD.rank, WORLD.size
SIDE, STEPS = int(sys.argv[1]), int(sys.argv[2])
FIRST, LAST = SIDE * RANK // RANKS, SIDE * (RANK + 1) // RANKS
ROWS = LAST - FIRST
ALPHA = numpy.float32(0.1)


@numba.njit(fastmath=True, boundscheck=False)
def rows(u, v, first, last, alpha):
    side = u.shape[1]
    for y in range(first, last):
        v[y, 0] = u[y, 0] + alpha * (u[y - 1, 0] + u[y + 1, 0] + u[y, side - 1] + u[y, 1] - numpy.float32(4) * u[y, 0])
        for x in range(1, side - 1):
            v[y, x] = u[y, x] + alpha * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - numpy.float32(4) * u[y, x])
        v[y, side - 1] = u[y, side - 1] + alpha * (u[y - 1, side - 1] + u[y + 1, side - 1] + u[y, side - 2] + u[y, 0] - numpy.float32(4) * u[y, side - 1])


def step(u, v):
    above, below = (RANK - 1) % RANKS, (RANK + 1) % RANKS
    requests = [WORLD.Irecv(u[0], above, 1), WORLD.Irecv(u[-1], below, 2), WORLD.Isend(u[-2], below, 1), WORLD.Isend(u[1], above, 2)]
    rows(u, v, 2, ROWS, ALPHA)
    MPI.Request.Waitall(requests)
    rows(u, v, 1, 2, ALPHA)
    rows(u, v, ROWS, ROWS + 1, ALPHA)


u = numpy.random.default_rng(RANK).random((ROWS + 2, SIDE), dtype=numpy.float32)
v = numpy.zeros_like(u)
mean = WORLD.allreduce(u[1:-1].sum(dtype=numpy.float64)) / SIDE**2
for _ in range(4):
    step(u, v)
    u, v = v, u
WORLD.Barrier()
began = time.perf_counter()
for _ in range(STEPS):
    step(u, v)
    u, v = v, u
WORLD.Barrier()
took = (time.perf_counter() - began) / STEPS * 1e6
after = WORLD.allreduce(u[1:-1].sum(dtype=numpy.float64)) / SIDE**2
if RANK == 0:
    if abs(after - mean) > 1e-5:
        sys.exit(f"the mean was {mean} and is {after}")
    print(f"{RANKS} ranks of one thread, heat on a torus {SIDE}², microseconds a step: {took:.2f}")
