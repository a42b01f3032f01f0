#!/usr/bin/env python3
"""Compares the papers' strategies with the oracle on a machine with a GPU, all maps and some sizes of blocks, and looks for races.

    tests/gpu/strategies.py SQUEEZE FOLDER [agree] [sanitise]

SQUEEZE is the binary, FOLDER holds the folders fractals and rules. Without a name all parts run. The last line counts failures,
and the exit code is 1 if there are any.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

SQUEEZE, ROOT = sys.argv[1], Path(sys.argv[2])
PARTS = sys.argv[3:] or ["agree", "sanitise"]
FRACTALS = sorted(path.stem for path in (ROOT / "fractals").glob("*.fractal"))
RULES = sorted(path.stem for path in (ROOT / "rules").glob("*.rule")) + [str(Path(__file__).with_name("operations.rule"))]
WAYS = [["bounding-box"]] + [[strategy, "--map", map] for strategy in ("lambda", "squeeze") for map in ("scalar", "warp", "wmma")]
SAME = ("digest", "observables")
failures = []


def run(fractal, rule, level, backend, *more):
    command = [SQUEEZE, "run", fractal, "--rule", rule, "--level", str(level), "--steps", "5", "--seed", "7"]
    done = subprocess.run([*command, "--backend", backend, "--json", *more], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr, "code": done.returncode}


def sizes(fractal):
    """A level of at most some thousand cells, and the blocks that it can be cut into."""
    done = subprocess.run([SQUEEZE, "info", fractal, "--level", "8", "--json"], capture_output=True, text=True)
    rows = [row for row in json.loads(done.stdout)["levels"] if row["expanded_bytes"] <= 100_000 and row["cells"] <= 20000]
    level = max(row["level"] for row in rows)
    return level, [str(row["side"]) for row in rows if row["expanded_bytes"] <= 1024 and row["level"] <= level]


def judge(fractal, rule, level, rhos):
    wanted, results = run(fractal, rule, level, "reference"), []
    for way, rho in zip(WAYS, rhos):
        more = ["--strategy", *way] + (["--rho", rho] if rho else [])
        mine, case = run(fractal, rule, level, "cuda", *more), f"{fractal} {rule} {level} {' '.join(more)}"
        if "error" in wanted:
            # Three-dimensional rules refuse flat fractals, on every backend.
            results.append("refused" if mine.get("code") == 2 == wanted["code"] else f"{case}: {mine} {wanted}")
        elif "error" in mine:
            results.append(f"{case}: {mine['error']}")
        else:
            different = [(key, mine[key], wanted[key]) for key in SAME if mine[key] != wanted[key]]
            results.append(f"{case}: {different}" if different else "agrees")
    return results


if "agree" in PARTS:
    cases, turn = [], 0
    for fractal in FRACTALS:
        level, sides = sizes(fractal)
        # Each way meets each size of blocks with some rule; seven ways and these never fall into step for long.
        choices = [None, *sides]
        for rule in RULES:
            turn += 1
            cases.append((fractal, rule, level, [choices[(turn + 3 * i) % len(choices)] for i in range(len(WAYS))]))
    with ThreadPoolExecutor(16) as pool:
        results = [result for list_ in pool.map(lambda case: judge(*case), cases) for result in list_]
    wrong = [result for result in results if result not in ("agrees", "refused")]
    failures.extend(wrong)
    for line in wrong[:12]:
        print("WRONG", line[:1000], flush=True)
    print(f"{results.count('agrees')} cases agree with the oracle, {len(wrong)} do not, {results.count('refused')} are refused by all")
if "sanitise" in PARTS:
    cases = [("sierpinski_triangle", "life", 7), ("tetrix", "heat", 4), ("vicsek", "ising", 4), ("lace", "larger_than_life", 3)]

    def sanitise(job):
        (fractal, rule, level), way, tool = job
        command = ["compute-sanitizer", "--tool", tool, SQUEEZE, "run", fractal, "--rule", rule, "--level", str(level)]
        command += ["--steps", "3", "--backend", "cuda", "--strategy", *way]
        done = subprocess.run(command, capture_output=True, text=True)
        fine = done.returncode == 0 and ("ERROR SUMMARY: 0 errors" in done.stdout or "RACECHECK SUMMARY: 0 hazards" in done.stdout)
        return None if fine else f"{tool} {fractal} {rule} {level} {' '.join(way)}: {done.stdout[-1500:]}{done.stderr[-500:]}"

    jobs = [(case, way, tool) for way, case in zip(WAYS, cycle(cases)) for tool in ("memcheck", "racecheck")]
    jobs += [(cases[0], way, tool) for way in WAYS[1::2] for tool in ("memcheck", "racecheck")]
    with ThreadPoolExecutor(8) as pool:
        wrong = [result for result in pool.map(sanitise, jobs) if result]
    failures.extend(wrong)
    for line in wrong[:5]:
        print("WRONG", line, flush=True)
    print(f"compute-sanitizer: {len(jobs) - len(wrong)} of {len(jobs)} runs are clean, memcheck and racecheck", flush=True)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
