"""The Python package on a GPU, beside the CPU: `python3 tests/gpu/python.py` with the wheel installed, and CuPy, PyTorch and JAX as far as they are to be tried.

Digests and observables of every shipped rule on three domains, and of ordered ones in all ways to wait; arrays, windows and sets; round trips by DLPack; an interrupt; and how long an array takes beside a
copy of its bytes. The last line says `same`, or how much is wrong.
"""

import os
import signal
import sys
import threading
import time

import numpy as np

import squeeze as sq
from squeeze import _library

#: Domains with their sides.
DOMAINS = [(sq.fractal("sierpinski_carpet"), 4, (81, 81)), (sq.torus(160, 96), None, (160, 96)), (sq.box(24, 20, 16, periodic="x"), None, (24, 20, 16))]
wrong = 0


def check(what, is_right):
    global wrong
    if not is_right:
        wrong += 1
        print("WRONG", what, flush=True)


def simulated(domain, level, sides, rule, backend, **more):
    texts = {name: bytes(b"ACGT"[n * n % 7 % 4] for n in range(sides["xyz".index(axis)])) for name, _, axis in sq.rule(rule)._resolved().inputs}
    sim = sq.Simulation(domain, rule, level=level, seed=3, backend=backend, inputs=texts, **more)
    sim.step(12)
    return sim


def digests():
    compared, refused = 0, set()
    for rule in _library.native().shipped()[1]:
        for domain, level, sides in DOMAINS:
            try:
                cpu = simulated(domain, level, sides, rule, "cpu")
            except sq.Error:
                # Of three dimensions in the plane.
                continue
            try:
                gpu = simulated(domain, level, sides, rule, "cuda")
            except sq.Error as error:
                refused.add(f"{rule}: {str(error).splitlines()[0]}")
                continue
            compared += 1
            check(f"{rule} on {domain.name or domain.spec}", (gpu.backend, gpu.digest(), gpu.observe()) == ("cuda", cpu.digest(), cpu.observe()))
            for name in cpu._types:
                check(f"the array {name} of {rule}", np.array_equal(gpu.array(name), cpu.array(name), equal_nan=True))
    print(f"digests: {compared} simulations; refused on a GPU: {sorted(refused)}", flush=True)
    check("too few simulations", compared >= 60)


def waves():
    for rule in ("gauss_seidel", "sor", "lcs", "smith_waterman"):
        cpu = simulated(sq.box(700, 500), None, (700, 500), rule, "cpu")
        for wavefront in ("launches", "barrier", "flags"):
            gpu = simulated(sq.box(700, 500), None, (700, 500), rule, "cuda", wavefront=wavefront)
            check(f"{rule} by {wavefront}", gpu.digest() == cpu.digest())
    print("waves: four rules, each in three ways", flush=True)


def arrays():
    gpu = sq.Simulation("sierpinski_carpet", "gray_scott", level=6, seed=1, backend="cuda")
    cpu = sq.Simulation("sierpinski_carpet", "gray_scott", level=6, seed=1, backend="cpu")
    values = np.random.default_rng(1).random(gpu.cells).astype("f4")
    for sim in (gpu, cpu):
        sim.step(30)
        sim["u"] = values
        sim.feed = 0.05
        sim.step(30)
    check("states that were set", gpu.digest() == cpu.digest())
    check("a window", np.array_equal(gpu.grid("v")[100:164, 200:300], cpu.grid("v")[100:164, 200:300], equal_nan=True))
    many = {
        backend: sq.Simulation("sierpinski_carpet", "ising", level=5, seed=1, backend=backend).observe_steps(200, every=7)
        for backend in ("cuda", "cpu")
    }
    check("observables over time", all(np.array_equal(many["cuda"][name], many["cpu"][name]) for name in many["cpu"]))


def libraries():
    for name in ("cupy", "torch", "jax"):
        try:
            library = __import__(name)
        except ImportError:
            print(f"{name} is not here", flush=True)
            continue
        for rule, state in (("gray_scott", "u"), ("life", "alive"), ("greenberg_hastings", "phase")):
            sim = sq.Simulation("sierpinski_carpet", rule, level=5, seed=1, backend="cuda")
            sim.step(3)
            before, array = sim[state], sim.array(state)
            if name == "cupy":
                there = library.asarray(np.from_dlpack(array))
                back, host = there * 1, library.asnumpy(there)
            elif name == "torch":
                there = library.from_dlpack(array).clone().cuda()
                back, host = there.clone(), there.cpu().numpy()
            else:
                there = library.device_put(library.dlpack.from_dlpack(array))
                back, host = library.numpy.array(there), np.asarray(there)
            check(f"{state} in {name}", host.dtype == before.dtype and np.array_equal(host, before))
            other = sq.Simulation("sierpinski_carpet", rule, level=5, seed=2, backend="cuda")
            other[state] = back
            check(f"{state} back from {name}", np.array_equal(other[state], before))
            begun = sq.Simulation("sierpinski_carpet", rule, level=5, seed=2, backend="cuda", initial={state: there})
            check(f"{state} of {name} in the beginning", np.array_equal(begun[state], before))
        print(f"{name} {library.__version__}: round trips of floats, bits and enums", flush=True)


def interrupt():
    sim = sq.Simulation("sierpinski_carpet", "gray_scott", level=8, backend="cuda")
    sim.step(100)
    sent = []

    def send():
        time.sleep(0.5)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    try:
        sim.step(10**8)
        check("an interrupt", False)
    except KeyboardInterrupt:
        took = time.monotonic() - sent[0]
        print(f"interrupt: {took * 1e3:.0f} ms", flush=True)
        check("an interrupt takes long", took < 0.5)
    other = sq.Simulation("sierpinski_carpet", "gray_scott", level=8, backend="cuda")
    other.step(sim.time)
    check("what an interrupt left", other.digest() == sim.digest())


def rates():
    for rule, state, level in (("heat", "u", 9), ("life", "alive", 9)):
        sim = sq.Simulation("sierpinski_carpet", rule, level=level, backend="cuda")
        times, copies = [], []
        for _ in range(5):
            sim.step(1)
            begin = time.perf_counter()
            array = sim[state]
            times.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            array.copy()
            copies.append(time.perf_counter() - begin)
        print(f"sim[{state!r}] of {sim.cells} cells: {min(times) * 1e3:.0f} ms, {min(copies) / min(times):.2f} of a fresh copy by numpy", flush=True)


for part in (digests, waves, arrays, libraries, interrupt, rates):
    part()
print(f"{wrong} wrong" if wrong else "same")
sys.exit(bool(wrong))
