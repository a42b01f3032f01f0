#!/usr/bin/env python3
"""One run by ranks beside one process, and weak scaling: benches/ranks.py SQUEEZE [MPIEXEC] [cores=16] [parts=strong,weak,peer,sweep] [seconds=1.5]

MPIEXEC starts MPI's processes (`mpiexec` if it is not said; that of MPICH binds nothing). strong: each case by one process with all cores, then by 1, 2, 4, … ranks that have them all
together, and by one process again; the better of the two counts, and digests must agree. weak: a torus that grows with the ranks, each with one thread, beside one process with as many
threads. peer: heat on a torus by mpi4py and numba (benches/peers/ranks/heat.py), as many ranks of one thread each. sweep: members dealt out among ranks. The last line counts failures.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GIVEN = [part for part in sys.argv[2:] if "=" not in part]
OPTIONS = dict(part.split("=", 1) for part in sys.argv[2:] if "=" in part)
SQUEEZE, MPIEXEC = str(Path(sys.argv[1]).resolve()), GIVEN[0] if GIVEN else "mpiexec"
CORES, SECONDS = int(OPTIONS.get("cores", 16)), float(OPTIONS.get("seconds", 1.5))
PARTS = OPTIONS.get("parts", "strong,weak,peer,sweep").split(",")
COUNTS = [1 << bit for bit in range(CORES.bit_length()) if 1 << bit <= CORES]
# The name, the domain and its options, the rule.
CASES = [
    ("life, triangle 20", ["sierpinski_triangle", "-l", "20"], "life"),
    ("heat, triangle 17", ["sierpinski_triangle", "-l", "17"], "heat"),
    ("life, carpet 10", ["sierpinski_carpet", "-l", "10"], "life"),
    ("life, torus 16384²", ["T16384"], "life"),
]
PEER = Path(__file__).with_name("peers") / "ranks" / "heat.py"
failures = 0


def fail(words):
    global failures
    failures += 1
    print(words, flush=True)


def started(ranks, command, **options):
    """The output of a command, by this number of ranks if there are several."""
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks else []
    done = subprocess.run([*launcher, *command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f"{' '.join(command[1:6])} by {ranks} ranks: {done.stderr.strip()[-300:]}")
        return None
    return done.stdout


def step(domain, rule, steps, ranks, threads, digest=True):
    """Microseconds a step and the digest. No ranks are one process without a launcher."""
    command = [SQUEEZE, "run", *domain, "-r", rule, "-n", str(steps), "--seed", "3", "--activity", "off", "--json", "--backend", "cpu", "--threads", str(threads)]
    out = started(ranks, command + ([] if digest else ["--no-digest"]))
    if out is None:
        return None, None
    result = json.loads(out)
    return 1e6 * result["seconds_per_step"], result.get("digest")


def steps_for(domain, rule, threads):
    """As many steps as take the seconds."""
    took, _ = step(domain, rule, 16, 0, threads, digest=False)
    return None if took is None else max(16, min(20000, int(SECONDS * 1e6 / took)))


def strong():
    for name, domain, rule in CASES:
        steps = steps_for(domain, rule, CORES)
        if steps is None:
            continue
        one, wanted = step(domain, rule, steps, 0, CORES)
        many = {ranks: step(domain, rule, steps, ranks, CORES // ranks) for ranks in COUNTS}
        again, _ = step(domain, rule, steps, 0, CORES)
        if one is None or again is None:
            continue
        best, told = min(one, again), []
        for ranks, (took, digest) in many.items():
            if took is not None and digest != wanted:
                fail(f"{name} by {ranks} ranks: THE DIGEST IS ANOTHER")
            if took is not None:
                told.append(f"{ranks}: {took:.1f} ({100 * best / took:.0f}%)")
        print(f"{name}, {steps} steps: one process {one:.1f} and {again:.1f} µs a step; ranks {', '.join(told)}", flush=True)


def weak():
    for rule, side, rows in (("life", 16384, 4096), ("heat", 4096, 2048)):
        one, told, steps = None, [], steps_for([f"T{side},{rows}"], rule, 1)
        for ranks in COUNTS:
            domain = [f"T{side},{rows * ranks}"]
            took, _ = step(domain, rule, steps, ranks, 1, digest=False)
            alone, _ = step(domain, rule, steps, 0, ranks, digest=False)
            if took is None or alone is None:
                continue
            one = one or took
            told.append(f"{ranks}: {took:.1f} ({100 * one / took:.0f}%; threads {alone:.1f}, {100 * one / alone:.0f}%)")
        print(f"weak, {rule}, {side} × {rows} a rank of one thread: {', '.join(told)} µs a step", flush=True)


def peer():
    side = 8192
    steps = steps_for([f"T{side}"], "heat", CORES)
    for ranks in COUNTS[1:]:
        mine, _ = step([f"T{side}"], "heat", steps, ranks, 1, digest=False)
        out = started(ranks, [sys.executable, str(PEER), str(side), str(max(10, steps * ranks // CORES // 2))])
        if mine is not None and out:
            theirs = float(out.split()[-1])
            print(f"heat, torus {side}², {ranks} ranks of one thread: Squeeze {mine:.1f}, mpi4py and numba {theirs:.1f} µs a step: {theirs / mine:.2f} times as fast", flush=True)


def sweep():
    command = [SQUEEZE, "sweep", "sierpinski_carpet", "-r", "ising", "-l", "5", "-n", "1000", "--set", "beta=0.3..=0.7/0.01", "--seeds", "0..8", "--observe-every", "100", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        tables, took = set(), {}
        for ranks in [0, *COUNTS]:
            out, began = os.path.join(folder, f"by{ranks}"), time.perf_counter()
            if started(ranks, [*command, "--backend", "cpu", "--threads", str(CORES // max(ranks, 1)), "--out", out]) is None:
                continue
            took[ranks] = time.perf_counter() - began
            tables.add(Path(out, "observables.csv").read_bytes())
        if len(tables) > 1:
            fail("the tables of the sweep differ")
        if 0 in took:
            told = ", ".join(f"{ranks}: {time:.2f} ({100 * took[0] / time:.0f}%)" for ranks, time in took.items() if ranks)
            print(f"sweep of 328 members: one process {took[0]:.2f} s; ranks {told}", flush=True)


for part in PARTS:
    {"strong": strong, "weak": weak, "peer": peer, "sweep": sweep}[part]()
print(f"{failures} failures")
sys.exit(failures > 0)
