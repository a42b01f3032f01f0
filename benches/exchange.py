#!/usr/bin/env python3
"""Sweeps with exchange beside the same without, in turn: benches/exchange.py SQUEEZE [backend=cpu] [threads=1] [every=10] [times=3] [check]

    python3 benches/exchange.py target/release/squeeze
    python3 benches/exchange.py target/release/squeeze backend=cuda check

Both have the same members and are observed as often as states are exchanged. `other seeds` is a sweep without exchange whose members all have seeds of their own, as ranks of ladders have: members
with one seed share their random words on a CPU, and so are cheaper (`none`). Each case runs with few and with many steps, `times` times in turn; the least difference of user time (on a CPU), or of time, counts.
The aim is 0.9 of the speed of `other seeds`. check: tables of small ladders are the same bytes as those of the backend `reference`.
"""
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SQUEEZE = sys.argv[1]
OPTIONS = dict(one.split("=") for one in sys.argv[2:] if "=" in one)
BACKEND, THREADS, EVERY = OPTIONS.get("backend", "cpu"), OPTIONS.get("threads", "1"), OPTIONS.get("every", "10")
# The name, the domain, values of beta, seeds, and steps.
CASES = {
    "cpu": [
        ("carpet 4", ["sierpinski_carpet", "-l", "4"], "0.40..=0.75/0.05", 2, 4000),
        ("carpet 6", ["sierpinski_carpet", "-l", "6"], "0.60..=0.74/0.02", 1, 2000),
        ("torus 128²", ["T128"], "0.38..=0.45/0.01", 1, 2000),
    ],
    "cuda": [
        ("carpet 5, 64 members", ["sierpinski_carpet", "-l", "5"], "0.60..=0.75/0.01", 4, 40000),
        ("carpet 6, 64 members", ["sierpinski_carpet", "-l", "6"], "0.60..=0.75/0.01", 4, 8000),
        ("carpet 7, 16 members", ["sierpinski_carpet", "-l", "7"], "0.60..=0.75/0.01", 1, 4000),
        ("torus 1024², 8 members", ["T1024"], "0.38..=0.45/0.01", 1, 2000),
    ],
}[BACKEND]
place = Path(tempfile.mkdtemp(prefix="exchange-"))
count, failures = 0, 0


def took(domain, words):
    """Seconds of a sweep."""
    global count
    count += 1
    where = ["--threads", THREADS] if BACKEND == "cpu" else []
    command = [SQUEEZE, "sweep", *domain, "-r", "ising", *words, "--backend", BACKEND, *where, "--quiet", "-o", str(place / str(count))]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    subprocess.run(command, check=True)
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return user if BACKEND == "cpu" else time.monotonic() - begin


def compare(name, domain, values, seeds, steps):
    of = {
        "exchange": ["--set", f"beta={values}", "--seeds", f"0..{seeds}", "--exchange", "beta", "--exchange-every", EVERY],
        "none": ["--set", f"beta={values}", "--seeds", f"0..{seeds}"],
    }
    if BACKEND == "cuda":
        del of["none"]
    low, high = values.split("/")[0].split("..=")
    ranks = round((float(high) - float(low)) / float(values.split("/")[1])) + 1
    of["other seeds"] = ["--set", f"beta={low}", "--seeds", f"0..{ranks * seeds}"]
    # What is compiled once is compiled before.
    for words in of.values():
        took(domain, [*words, "-n", EVERY, "--observe-every", EVERY])
    best = {}
    for _ in range(int(OPTIONS.get("times", "3"))):
        for how, words in of.items():
            few, many = (took(domain, [*words, "-n", str(n), "--observe-every", EVERY]) for n in (steps // 10, steps))
            best[how] = min(many - few, best.get(how, many))
    each = {how: f"{1e6 * seconds / (0.9 * steps * ranks * seeds):.2f}" for how, seconds in best.items()}
    ratio = best["other seeds"] / best["exchange"]
    print(
        f"{name}, exchange every {EVERY}: {each['exchange']} µs a step of a member; without {each.get('none', '-')}, with other seeds {each['other seeds']}: "
        f"{ratio:.2f} of its speed (aim 0.9: {'met' if ratio >= 0.9 else 'missed'})",
        flush=True,
    )


def check():
    """Compares tables with those of the reference."""
    global failures
    for number, (domain, rule) in enumerate([(["sierpinski_carpet", "-l", "3"], "ising"), (["T24"], "ising"), (["sierpinski_triangle", "-l", "5"], "potts")]):
        words = ["-r", rule, "-n", "300", "--observe-every", "30", "--seeds", "0..3", "--set", "beta=0.3..=0.6/0.1", "--exchange", "beta", "--exchange-every", "10", "--quiet"]
        tables = {}
        for backend in (BACKEND, "reference"):
            out = place / f"{backend}{number}"
            subprocess.run([SQUEEZE, "sweep", *domain, *words, "--backend", backend, "-o", str(out)], check=True)
            tables[backend] = {table.name: table.read_bytes() for table in out.glob("*.csv")}
        same = tables[BACKEND] == tables["reference"]
        failures += not same
        print(f"{rule} on {' '.join(domain)}: {'the same' if same else 'OTHER'} tables as the reference", flush=True)


if "check" in sys.argv:
    check()
for case in CASES:
    compare(*case)
shutil.rmtree(place)
print(f"{failures} failures")
sys.exit(failures > 0)
