#!/usr/bin/env python3
"""Swendsen and Wang's moves on a CPU beside the same in numba, in turn: benches/clusters.py SQUEEZE [threads=1] [times=3] [numba=FILE] [check]

    python3 benches/clusters.py target/release/squeeze numba=swendsen_wang_numba.py check

`numba` names a program of one thread that walks from cell to cell, called as `FILE torus SIDE TEMPERATURE STEPS` and `FILE carpet LEVEL TEMPERATURE STEPS`, which prints `… flips/ns`. Times are of the processor:
each case runs with few and with many steps, `times` times in turn, and the least difference counts; with several threads it is time that passes. The aims on one thread are 0.2 turned cells a nanosecond and three times the rate of
numba, in the same run. check: states of small domains are those of the backend `reference`.
"""
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SQUEEZE = sys.argv[1]
OPTIONS = dict(one.split("=", 1) for one in sys.argv[2:] if "=" in one)
THREADS, TIMES, NUMBA = OPTIONS.get("threads", "1"), int(OPTIONS.get("times", "3")), OPTIONS.get("numba")
RULE = """
rule swendsen_wang {
    param beta: f32 = 0.44068679
    state up: bit
    bond open over von_neumann: bit
    clusters c of open
    init up = random(0.5)
    init open = false
    step join { next open = up == nb.up && random(1.0 - exp(-2.0 * beta)) }
    step turn { next up = random(0.5) at c }
}
domain T64 { size (64, 64) periodic }
domain T65 { size (65, 65) periodic }
domain T200 { size (200, 131) periodic }
domain T1024 { size (1024, 1024) periodic }
domain T4096 { size (4096, 4096) periodic }
"""
place = Path(tempfile.mkdtemp(prefix="clusters-"))
(place / "sw.rule").write_text(RULE)
FILE = str(place / "sw.rule")
# The name, the domain, its cells, the temperature, steps, and the words of the other program.
CASES = [
    ("torus 1024²", [f"{FILE}#T1024"], 1 << 20, 2.269185, 200, ["torus", "1024"]),
    ("torus 4096²", [f"{FILE}#T4096"], 1 << 24, 2.269185, 20, ["torus", "4096"]),
    ("carpet 5", ["sierpinski_carpet", "-l", "5"], 8**5, 1.470588, 6000, ["carpet", "5"]),
    ("carpet 6", ["sierpinski_carpet", "-l", "6"], 8**6, 1.470588, 800, ["carpet", "6"]),
]
failures = 0


def run(domain, temperature, steps, *words):
    command = [SQUEEZE, "run", *domain, "-r", FILE, "--set", f"beta={1 / temperature}", "-n", str(steps), "--json", "--quiet", *words]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    passed, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(told), used if THREADS == "1" else passed


def compare(name, domain, cells, temperature, steps, other):
    where = ["--backend", "cpu", "--threads", THREADS, "--no-digest"]
    best, numba = float("inf"), 0.0
    for _ in range(TIMES):
        few, many = (run(domain, temperature, n, *where)[1] for n in (steps // 10, steps))
        best = min(best, many - few)
        if NUMBA:
            told = subprocess.run([sys.executable, NUMBA, *other, str(temperature), str(max(steps // 10, 10))], check=True, capture_output=True, text=True).stdout
            numba = max(numba, float(told.split(" flips/ns")[0].split()[-1]))
    rate = cells * (steps - steps // 10) / best / 1e9
    beside = f", numba {numba:.4f}: {rate / numba:.1f} times its rate (aim 3)" if NUMBA else ""
    print(f"{name}, threads {THREADS}: {rate:.3f} cells a nanosecond, {1 / rate:.2f} ns each (aim 0.2){beside}", flush=True)


def check():
    global failures
    domains = [[f"{FILE}#T64"], [f"{FILE}#T65"], [f"{FILE}#T200"], ["sierpinski_carpet", "-l", "4"], ["sierpinski_triangle", "-l", "8"], ["vicsek", "-l", "5"], ["menger_sponge", "-l", "3"]]
    for domain in domains:
        told = [run(domain, 1.8, 7, "--backend", "reference")[0]["digest"]]
        told += [run(domain, 1.8, 7, "--backend", "cpu", "--threads", threads)[0]["digest"] for threads in ("1", "2", "3")]
        same = all(one == told[0] for one in told)
        failures += not same
        print(f"{' '.join(domain).removeprefix(FILE)}: {'the same' if same else 'OTHER'} states as the reference", flush=True)


if "check" in sys.argv:
    check()
for case in CASES:
    compare(*case)
print(f"{failures} failures")
sys.exit(failures > 0)
