#!/usr/bin/env python3
"""Heat on a mask beside others: benches/peers/masks/heat.py SQUEEZE [side=4096] [density=0.6] [seconds=2] [backend=cpu|cuda] [threads=1]

The mask is made by chance. A sparse matrix on its cells (scipy; on a GPU CuPy or PyTorch, what there is) and whole-array slices of its box (numpy) are
held against Squeeze's own values after eight steps and timed by the median of their steps. Squeeze is timed by `squeeze bench` on as many threads, as rows
and packed. Prints milliseconds a step, and how often Squeeze's time goes into each.
"""
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE = str(Path(sys.argv[1]).resolve())
OPTIONS = dict(part.split("=", 1) for part in sys.argv[2:])
SIDE, DENSITY, SECONDS = int(OPTIONS.get("side", 4096)), float(OPTIONS.get("density", 0.6)), float(OPTIONS.get("seconds", 2))
BACKEND, THREADS = OPTIONS.get("backend", "cpu"), OPTIONS.get("threads", "1")
STEPS = 8
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = THREADS

import numpy  # noqa: E402


def squeeze(*arguments):
    done = subprocess.run([SQUEEZE, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"squeeze {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def clock(step, wait=lambda: None):
    step()
    wait()
    times = []
    while len(times) < 3 or sum(times) < SECONDS:
        began = time.perf_counter()
        step()
        wait()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def matrix(mask, alpha):
    """u + alpha * sum(nb.u - u) on the cells in reading order, as the weights, columns and starts of the rows of one CSR matrix."""
    height, width = mask.shape
    rank = numpy.where(mask, numpy.cumsum(mask, dtype=numpy.int32).reshape(mask.shape) - 1, -1)
    around = numpy.full((5, height, width), -1, dtype=numpy.int32)
    around[0, 1:], around[1, :, 1:], around[2] = rank[:-1], rank[:, :-1], rank
    around[3, :, :-1], around[4, :-1] = rank[:, 1:], rank[1:]
    around = around.transpose(1, 2, 0)[mask]
    there = around >= 0
    degree = there.sum(axis=1) - 1
    weights = numpy.full(around.shape, alpha, dtype=numpy.float32)
    weights[:, 2] = 1 - alpha * degree
    starts = numpy.zeros(len(around) + 1, dtype=numpy.int32)
    numpy.cumsum(there.sum(axis=1), out=starts[1:])
    return weights[there], around[there], starts


class Slices:
    """numpy on the box: a slice of the whole array for each neighbour, holes held at 0 and counted out."""

    def __init__(self, mask, u, alpha):
        self.mask, self.alpha = mask.astype(numpy.float32), numpy.float32(alpha)
        self.u = numpy.zeros(mask.shape, dtype=numpy.float32)
        self.u[mask] = u
        self.weight = 1 - self.alpha * self.around(self.mask)
        self.cells = mask

    def around(self, values):
        total = numpy.zeros_like(values)
        total[1:] += values[:-1]
        total[:-1] += values[1:]
        total[:, 1:] += values[:, :-1]
        total[:, :-1] += values[:, 1:]
        return total

    def step(self):
        self.u = (self.u * self.weight + self.alpha * self.around(self.u)) * self.mask


def tell(name, seconds, ours):
    print(f"  {name:34} {1e3 * seconds:10.3f} ms a step, {seconds / ours:6.2f} of Squeeze's", flush=True)


def on_gpu(mask, alpha, u, steps_end, ours):
    """The same matrix on a GPU, by whichever of CuPy and PyTorch is there."""
    parts, shape = matrix(mask, alpha), (len(u), len(u))
    found = False
    try:
        import cupy
        from cupyx.scipy import sparse

        found = True
        there = sparse.csr_matrix(tuple(map(cupy.asarray, parts)), shape=shape)
        state = [cupy.asarray(u)]

        def step():
            state[0] = there @ state[0]

        for _ in range(STEPS):
            step()
        judge(cupy.asnumpy(state[0]), steps_end, "CuPy")
        tell("CuPy, CSR", clock(step, cupy.cuda.Device().synchronize), ours)
    except ImportError:
        pass
    try:
        import torch

        found = True
        weights, columns, starts = (torch.from_numpy(part).cuda() for part in parts)
        there = torch.sparse_csr_tensor(starts, columns, weights, size=shape)
        state = [torch.from_numpy(u).cuda()]

        def torch_step():
            state[0] = there @ state[0]

        for _ in range(STEPS):
            torch_step()
        judge(state[0].cpu().numpy(), steps_end, "PyTorch")
        tell("PyTorch, CSR", clock(torch_step, torch.cuda.synchronize), ours)
    except ImportError:
        pass
    if not found:
        print("  neither CuPy nor PyTorch is installed")


def judge(found, expected, name):
    if not numpy.allclose(found, expected, rtol=1e-4, atol=1e-3):
        sys.exit(f"{name} computes something else")


def main():
    alpha, hot = numpy.float32(0.1), numpy.float32(1000)
    mask = numpy.random.default_rng(5).random((SIDE, SIDE), dtype=numpy.float32) < DENSITY
    u = numpy.where(numpy.arange(SIDE)[:, None] == 0, hot, numpy.float32(0)) * numpy.ones(mask.shape, dtype=numpy.float32)
    u = u[mask]
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        numpy.save(folder / "porous.npy", mask)
        domain = folder / "porous.fractal"
        domain.write_text('domain porous { mask "porous.npy" }\n')
        bench = ["bench", f"{domain},heat" + (",cuda" if BACKEND == "cuda" else ""), "--seconds", SECONDS, "--json"]
        if BACKEND == "cpu":
            bench += ["--threads", THREADS]
        ours, packed = [json.loads(squeeze(*bench, *more))["measurements"][0]["seconds_per_step"] for more in ([], ["--packed"])]
        run, end = folder / "run", folder / "end.npy"
        squeeze("run", domain, "--rule", "heat", "--steps", STEPS, "--save-every", STEPS, "--out", run, "--quiet")
        squeeze("export", run, "--field", "u", "-o", end)
        end = numpy.load(end)
    print(f"heat, {SIDE} x {SIDE} places, {len(u)} cells, {BACKEND}" + (f", {THREADS} threads" if BACKEND == "cpu" else ""))
    tell("Squeeze, rows", ours, ours)
    tell("Squeeze, packed", packed, ours)
    if BACKEND == "cuda":
        return on_gpu(mask, alpha, u, end, ours)
    from scipy import sparse

    csr, state = sparse.csr_matrix(matrix(mask, alpha), shape=(len(u), len(u))), [u]

    def step():
        state[0] = csr @ state[0]

    for _ in range(STEPS):
        step()
    judge(state[0], end, "scipy")
    tell(f"scipy {__import__('scipy').__version__}, CSR (one thread)", clock(step), ours)
    box = Slices(mask, u, alpha)
    for _ in range(STEPS):
        box.step()
    judge(box.u[mask], end, "numpy")
    tell(f"numpy {numpy.__version__}, slices of the box", clock(box.step), ours)


if __name__ == "__main__":
    main()
