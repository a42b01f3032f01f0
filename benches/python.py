#!/usr/bin/env python3
"""How fast the Python package is beside its aims: python3 benches/python.py [CELLS], with the wheel installed. CELLS of the arrays are 10^8 unless said.

The import of a fresh interpreter; a call of `step(1)` and of `observe()` beyond what the same steps take in one call; `sim["u"]` beside a fresh copy by numpy; an
interrupt. Times are the least of several, as other programs only add to them; the rates of arrays are medians of pairs, by the time of the processor with one thread.
"""

import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

import squeeze as sq


def told(what, value, aim, met):
    print(f"{what}: {value} (aim: {aim}: {'met' if met else 'missed'})", flush=True)


def importing():
    code = "import time; t = time.perf_counter(); import squeeze; print(time.perf_counter() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(15)]
    told("import squeeze", f"{min(times) * 1e3:.1f} ms", "< 20 ms", min(times) < 0.02)


def least(work, times=7):
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def calling():
    many = 20_000
    sim = sq.Simulation("sierpinski_carpet", "ising", level=3, seed=1, backend="cpu", threads=1)
    sim.step(many)

    def steps():
        for _ in range(many):
            sim.step(1)

    def both():
        for _ in range(many // 4):
            sim.step(1)
            sim.observe()

    one = (least(steps) - least(lambda: sim.step(many))) / many
    told("step(1) beyond a step of many", f"{one * 1e6:.2f} µs", "< 0.7 µs", one < 0.7e-6)
    pair = (least(both) - least(lambda: sim.observe_steps(many // 4))) / (many // 4) - one
    told("observe() beyond an observation of many", f"{pair * 1e6:.2f} µs", "< 0.7 µs", pair < 0.7e-6)


def arrays(cells):
    side = int(cells**0.5)
    for rule, name, aim in (("heat", "u", 0.5), ("life", "alive", 0.3)):
        for where, shape, level in ((f"a box of {side}²", sq.box(side, side), None), ("the carpet at 8", "sierpinski_carpet", 8)):
            # One thread here as there: what the processor takes is less disturbed than the clock.
            sim = sq.Simulation(shape, rule, level=level, backend="cpu", threads=1)
            shares = []
            for _ in range(7):
                begin = time.process_time()
                array = sim[name]
                middle = time.process_time()
                copy = array.copy()
                shares.append((time.process_time() - middle) / (middle - begin))
                del array, copy
            share = statistics.median(shares)
            told(f"sim[{name!r}] of {rule} on {where}, of a copy", f"{share:.2f}", f"≥ {aim}", share >= aim)


def interrupts():
    sim = sq.Simulation("sierpinski_carpet", "gray_scott", level=7, backend="cpu")
    begin = time.perf_counter()
    sim.step(20)
    step, waits = (time.perf_counter() - begin) / 20, []
    for trial in range(5):
        sent = []

        def send(sent=sent, trial=trial):
            time.sleep(0.7 + 0.13 * trial)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=send).start()
        try:
            sim.step(10**9)
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - sent[0])
    told(f"an interrupt, a step being {step * 1e3:.0f} ms", f"{max(waits) * 1e3:.0f} ms at most", "≤ 150 ms", max(waits) <= max(0.15, step))


print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, {len(os.sched_getaffinity(0))} cores")
importing()
calling()
interrupts()
arrays(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8)
