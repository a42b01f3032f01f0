#!/usr/bin/env python3
"""Gray–Scott and Ising on a torus by Squeeze from Python, and by the programs that users of Python know, as one table.

    python3 benches/peers/python/compare.py [--side 512] [--seconds 2] [--threads 1] [--only NAME,...]

Each runs in a process of its own; times are those of the processor with one thread, which other programs disturb less, and of the clock with several. *First result* is the time from the start of Python, with imports and compilers, to the mean of v, or of pairs of neighbours that
disagree, after a step; *a step* is the median afterwards. The means after all steps are compared: of Gray–Scott after 1000 steps from one beginning, of Ising at β = 0.4
over the last half of 1000. A package that is not there is left out.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

FEED, KILL, DU, DV = 0.04, 0.06, 0.16, 0.08
BETA = 0.4


def beginning(numpy, side):
    y, x = numpy.mgrid[:side, :side]
    spot = (x // 4 + 2 * (y // 4)) % 7 == 0
    return numpy.where(spot, 0.5, 1.0).astype("f4"), numpy.where(spot, 0.25, 0.0).astype("f4")


class Squeeze:
    """This package."""

    def __init__(self, task, side, threads):
        import squeeze as sq

        self.name = "v" if task == "gray_scott" else "disagreements"
        if task == "ising":
            self.sim = sq.Simulation(sq.torus(side, side), "ising", seed=1, beta=BETA, threads=threads, backend="cpu")
        else:
            import numpy

            initial = dict(zip("uv", beginning(numpy, side)))
            settings = dict(feed=FEED, kill=KILL, du=DU, dv=DV)
            self.sim = sq.Simulation(sq.torus(side, side), "gray_scott", initial=initial, threads=threads, backend="cpu", **settings)

    def step(self, steps):
        self.sim.step(steps)

    def mean(self):
        if self.name == "v":
            return self.sim.observe()["total_v"] / self.sim.cells
        return self.sim.observe()["disagreements"] / self.sim.cells


class Numpy:
    """Whole arrays, rolled."""

    def __init__(self, task, side, threads):
        import numpy

        self.numpy, self.task = numpy, task
        if task == "gray_scott":
            self.u, self.v = beginning(numpy, side)
        else:
            self.dice = numpy.random.default_rng(1)
            self.up = self.dice.random((side, side), dtype="f4") < 0.5
            self.even = numpy.indices((side, side)).sum(0) % 2 == 0

    def around(self, a):
        roll = self.numpy.roll
        return roll(a, 1, 0) + roll(a, -1, 0) + roll(a, 1, 1) + roll(a, -1, 1)

    def step(self, steps):
        np = self.numpy
        for _ in range(steps):
            if self.task == "gray_scott":
                u, v = self.u, self.v
                reaction = u * v * v
                self.u = u + np.float32(DU) * (self.around(u) - 4 * u) - reaction + np.float32(FEED) * (1 - u)
                self.v = v + np.float32(DV) * (self.around(v) - 4 * v) + reaction - np.float32(FEED + KILL) * v
            else:
                for colour in (self.even, ~self.even):
                    field = 2 * self.around(self.up.astype("f4")) - 4
                    drawn = self.dice.random(self.up.shape, dtype="f4") < 1 / (1 + np.exp(np.float32(-2 * BETA) * field))
                    self.up = np.where(colour, drawn, self.up)

    def mean(self):
        if self.task == "gray_scott":
            return float(self.v.mean())
        return float(2 * ((self.up != self.numpy.roll(self.up, 1, 0)).mean() + (self.up != self.numpy.roll(self.up, 1, 1)).mean()))


class Numba(Numpy):
    """Loops, compiled."""

    def __init__(self, task, side, threads):
        import numba

        super().__init__(task, side, threads)
        numba.set_num_threads(threads)

        @numba.njit(parallel=threads > 1, fastmath=True)
        def react(u, v, next_u, next_v):
            height, width = u.shape
            for y in numba.prange(height):
                up, down = (y - 1) % height, (y + 1) % height
                for x in range(width):
                    left, right = x - 1 if x else width - 1, x + 1 if x + 1 < width else 0
                    a, b = u[y, x], v[y, x]
                    reaction = a * b * b
                    spread_u = u[up, x] + u[down, x] + u[y, left] + u[y, right] - numba.float32(4) * a
                    spread_v = v[up, x] + v[down, x] + v[y, left] + v[y, right] - numba.float32(4) * b
                    next_u[y, x] = a + numba.float32(DU) * spread_u - reaction + numba.float32(FEED) * (numba.float32(1) - a)
                    next_v[y, x] = b + numba.float32(DV) * spread_v + reaction - numba.float32(FEED + KILL) * b

        @numba.njit(parallel=threads > 1)
        def flip(spins, chances):
            height, width = spins.shape
            for colour in range(2):
                for y in numba.prange(height):
                    up, down = (y - 1) % height, (y + 1) % height
                    for x in range((y + colour) % 2, width, 2):
                        left, right = x - 1 if x else width - 1, x + 1 if x + 1 < width else 0
                        spins[y, x] = np_random() < chances[spins[up, x] + spins[down, x] + spins[y, left] + spins[y, right]]

        np_random = self.numpy.random.random
        self.react, self.flip = react, flip
        if task == "gray_scott":
            self.others = self.u.copy(), self.v.copy()
        else:
            self.up = self.up.astype("u1")
            self.chances = 1 / (1 + self.numpy.exp(-2 * BETA * (2 * self.numpy.arange(5) - 4.0)))

    def step(self, steps):
        for _ in range(steps):
            if self.task == "gray_scott":
                self.react(self.u, self.v, *self.others)
                (self.u, self.v), self.others = self.others, (self.u, self.v)
            else:
                self.flip(self.up, self.chances)


class Jax:
    """Whole arrays, compiled by XLA."""

    def __init__(self, task, side, threads):
        import jax
        import jax.numpy as jnp
        import numpy

        self.jax, self.jnp, self.task = jax, jnp, task

        def around(a):
            return jnp.roll(a, 1, 0) + jnp.roll(a, -1, 0) + jnp.roll(a, 1, 1) + jnp.roll(a, -1, 1)

        def react(_, uv):
            u, v = uv
            reaction = u * v * v
            return u + DU * (around(u) - 4 * u) - reaction + FEED * (1 - u), v + DV * (around(v) - 4 * v) + reaction - (FEED + KILL) * v

        even = jnp.indices((side, side)).sum(0) % 2 == 0

        def flip(_, state):
            up, key = state
            for colour in (even, ~even):
                key, own = jax.random.split(key)
                field = 2 * around(up.astype("float32")) - 4
                up = jnp.where(colour, jax.random.uniform(own, up.shape) < jax.nn.sigmoid(2 * BETA * field), up)
            return up, key

        body = react if task == "gray_scott" else flip
        self.many = jax.jit(lambda state, steps: jax.lax.fori_loop(0, steps, body, state))
        if task == "gray_scott":
            self.state = tuple(map(jnp.asarray, beginning(numpy, side)))
        else:
            key = jax.random.key(1)
            self.state = (jax.random.uniform(key, (side, side)) < 0.5, key)

    def step(self, steps):
        self.state = self.jax.block_until_ready(self.many(self.state, steps))

    def mean(self):
        jnp = self.jnp
        if self.task == "gray_scott":
            return float(self.state[1].mean())
        up = self.state[0]
        return float(2 * ((up != jnp.roll(up, 1, 0)).mean() + (up != jnp.roll(up, 1, 1)).mean()))


class Taichi:
    """Kernels of Taichi, on the CPU."""

    def __init__(self, task, side, threads):
        import numpy
        import taichi as ti

        ti.init(arch=ti.cpu, cpu_max_num_threads=threads, random_seed=1, log_level=ti.ERROR)
        self.ti, self.task, self.turn, self.side = ti, task, 0, side
        if task == "gray_scott":
            self.fields = [(ti.field(ti.f32, (side, side)), ti.field(ti.f32, (side, side))) for _ in range(2)]
            for field, values in zip(self.fields[0], beginning(numpy, side)):
                field.from_numpy(values)
        else:
            self.up = ti.field(ti.i32, (side, side))
            self.up.from_numpy((numpy.random.default_rng(1).random((side, side)) < 0.5).astype("i4"))

        @ti.kernel
        def react(u: ti.template(), v: ti.template(), next_u: ti.template(), next_v: ti.template()):
            for y, x in u:
                up, down, left, right = (y - 1 + side) % side, (y + 1) % side, (x - 1 + side) % side, (x + 1) % side
                a, b = u[y, x], v[y, x]
                reaction = a * b * b
                next_u[y, x] = a + DU * (u[up, x] + u[down, x] + u[y, left] + u[y, right] - 4.0 * a) - reaction + FEED * (1.0 - a)
                next_v[y, x] = b + DV * (v[up, x] + v[down, x] + v[y, left] + v[y, right] - 4.0 * b) + reaction - (FEED + KILL) * b

        @ti.kernel
        def flip(spins: ti.template(), colour: ti.i32):
            for y, x in spins:
                if (y + x) % 2 == colour:
                    n = spins[(y - 1 + side) % side, x] + spins[(y + 1) % side, x] + spins[y, (x - 1 + side) % side] + spins[y, (x + 1) % side]
                    spins[y, x] = ti.cast(ti.random(ti.f32) < 1.0 / (1.0 + ti.exp(-2.0 * BETA * (2.0 * n - 4.0))), ti.i32)

        self.react, self.flip = react, flip

    def step(self, steps):
        for _ in range(steps):
            if self.task == "gray_scott":
                self.react(*self.fields[self.turn], *self.fields[1 - self.turn])
                self.turn = 1 - self.turn
            else:
                self.flip(self.up, 0)
                self.flip(self.up, 1)
        self.ti.sync()

    def mean(self):
        import numpy

        if self.task == "gray_scott":
            return float(self.fields[self.turn][1].to_numpy().mean())
        up = self.up.to_numpy()
        return float(2 * ((up != numpy.roll(up, 1, 0)).mean() + (up != numpy.roll(up, 1, 1)).mean()))


class PyPde:
    """py-pde, with its explicit solver, in f64."""

    def __init__(self, task, side, threads):
        import numpy
        import pde

        if task != "gray_scott":
            raise ImportError("it has no spins", name="spins")
        grid = pde.CartesianGrid([[0, side]] * 2, side, periodic=True)
        self.state = pde.FieldCollection([pde.ScalarField(grid, one) for one in beginning(numpy, side)])
        rhs = {
            "u": f"{DU} * laplace(u) - u * v**2 + {FEED} * (1 - u)",
            "v": f"{DV} * laplace(v) + u * v**2 - {FEED + KILL} * v",
        }
        self.solver = pde.EulerSolver(pde.PDE(rhs))
        self.stepper = self.solver.make_stepper(self.state, dt=1)
        self.time = 0

    def step(self, steps):
        self.time = self.stepper(self.state, self.time, self.time + steps)

    def mean(self):
        return float(self.state[1].data.mean())


PEERS = {"Squeeze": Squeeze, "numpy": Numpy, "numba": Numba, "JAX": Jax, "Taichi": Taichi, "py-pde": PyPde}


def measured(name, task, side, seconds, threads):
    """Runs one of them in this process; prints a line for the first result, and one for all."""
    clock = time.process_time if threads == 1 else time.perf_counter
    peer = PEERS[name](task, side, threads)
    peer.step(1)
    print(json.dumps({"first": peer.mean(), "took": time.process_time()}), flush=True)
    done, times, piece = 1, [], 1
    while len(times) < 5 or sum(times) < seconds:
        begin = clock()
        peer.step(piece)
        took = clock() - begin
        times.append(took)
        done += piece
        if took < seconds / 20 and done + 2 * piece < 900:
            piece, times = 2 * piece, []
        if done + piece > 1000 and len(times) >= 3:
            break
    step = statistics.median(times) / piece
    if task == "gray_scott":
        peer.step(max(1000 - done, 0))
        mean = peer.mean()
    else:
        peer.step(max(500 - done, 0))
        means = []
        for _ in range(50):
            peer.step(10)
            means.append(peer.mean())
        mean = statistics.fmean(means)
    print(json.dumps({"step": step, "mean": mean, "steps": max(done, 1000)}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default=",".join(PEERS))
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peer:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.threads])
        measured(*chosen.peer, chosen.side, chosen.seconds, chosen.threads)
        return
    print(f"{chosen.side}² places, {chosen.threads} threads")
    print("| task | who | first result | a step | cells a second | mean |")
    print("|---|---|---|---|---|---|")
    for task in ("gray_scott", "ising"):
        for name in chosen.only.split(","):
            words = [sys.executable, __file__, "--peer", name, task, "--side", str(chosen.side), "--seconds", str(chosen.seconds)]
            begin = time.perf_counter()
            process = subprocess.Popen([*words, "--threads", str(chosen.threads)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            first = next((line for line in process.stdout if line.startswith("{")), None)
            took = time.perf_counter() - begin
            rest, said = process.communicate()
            if first is None or process.returncode:
                print(f"| {task} | {name} | {said.strip().splitlines()[-1] if said.strip() else 'nothing'} | | | |", flush=True)
                continue
            took = json.loads(first)["took"] if chosen.threads == 1 else took
            found = json.loads(rest.strip().splitlines()[-1])
            rate = chosen.side**2 / found["step"]
            print(f"| {task} | {name} | {took:.2f} s | {found['step'] * 1e6:.0f} µs | {rate:.3g} | {found['mean']:.4f} |", flush=True)


main()
