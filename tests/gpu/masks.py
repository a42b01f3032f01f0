#!/usr/bin/env python3
"""Masks and boxes on a GPU: tests/gpu/masks.py SQUEEZE [digests] [times] [huge]

digests: large masks, boxes and tori have the digests and observables of the CPU. times: how long a mask takes until its first step, and what a step
takes beside a copy of its bytes and beside a full square of the same side. huge: life on boxes and tori of 65536 x 65535 places. Without names all.
"""
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE, PARTS = sys.argv[1], sys.argv[2:] or ["digests", "times", "huge"]
MASKS = """
domain box { size (16384, 16384) }
domain torus { size (16384, 16384)  periodic }
domain open { size (16384, 16384)  cells random(0.6) }
domain cluster { size (16384, 16384)  cells random(0.6)  keep largest(von_neumann) }
domain dense { size (16384, 16384)  cells random(0.95)  periodic }
domain ragged { size (4001, 3003) }
domain ragged_torus { size (4001, 3003)  cells random(0.7)  periodic }
domain lumps { size (5000, 4000)  cells (x / 700 + y / 7) % 2 == 0 && random(0.9) }
domain space { size (500, 400, 300)  cells random(0.7)  periodic y }
domain cube { size (512, 256, 128)  periodic x, z }
domain huge { size (65536, 65535) }
domain huge_torus { size (65536, 65535)  periodic }
"""
failures = []


def run(mask, rule, steps, backend):
    command = [SQUEEZE, "run", mask, "--rule", rule, "--steps", str(steps), "--backend", backend, "--seed", "5", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}


def bench(case, seconds="0.5"):
    done = subprocess.run([SQUEEZE, "bench", case, "--seconds", seconds, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{case}: WRONG {done.stderr.strip()[:400]}", flush=True)
        failures.append(case)
        return None
    return json.loads(done.stdout)["measurements"][0]


with TemporaryDirectory() as folder:
    path = Path(folder) / "masks.fractal"
    path.write_text(MASKS)
    if "digests" in PARTS:
        flat = ("life", "heat", "ising", "gray_scott", "greenberg_hastings")
        cases = [(mask, rule, 9) for mask in ("ragged", "ragged_torus", "lumps") for rule in flat]
        cases += [(mask, rule, 9) for mask in ("space", "cube") for rule in ("life_3d", "heat", "ising")]
        cases += [(mask, rule, 3) for mask in ("torus", "cluster") for rule in ("life", "ising")]
        wrong = 0

        def both(case):
            mask, rule, steps = case
            return case, *(run(f"{path}#{mask}", rule, steps, backend) for backend in ("cuda", "cpu"))

        # Several at a time: most of it is the CPU's part.
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(both, cases))
        for (mask, rule, _), found, wanted in results:
            if "error" in found and "error" in wanted:
                continue
            agrees = "error" not in found and "error" not in wanted and all(found[key] == wanted[key] for key in ("digest", "observables"))
            if not agrees:
                wrong += 1
                failures.append(f"{mask} {rule}")
                print(f"WRONG {mask} {rule}: {str(found)[:600]} {str(wanted)[:600]}", flush=True)
        print(f"{len(cases) - wrong} of {len(cases)} cases agree with cpu", flush=True)
    if "times" in PARTS:
        for mask in ("open", "cluster"):
            began = time.monotonic()
            subprocess.run([SQUEEZE, "info", f"{path}#{mask}", "--json"], capture_output=True)
            print(f"{mask}: {time.monotonic() - began:.2f} s until its cells are known", flush=True)
        square = {}
        for rule in ("life", "heat", "ising"):
            row = bench(f"full_square,{rule},14,cuda")
            square[rule] = row["seconds_per_step"] if row else float("nan")
            print(f"full_square {rule}, level 14: {1e6 * square[rule]:.1f} us a step", flush=True)
        for mask in ("box", "torus", "open", "cluster", "dense"):
            for rule in ("life", "heat", "ising"):
                began = time.monotonic()
                row = bench(f"{path}#{mask},{rule},cuda")
                if row is None:
                    continue
                print(f"{mask} {rule}: {1e6 * row['seconds_per_step']:.1f} us a step, {row['seconds_per_step'] / square[rule]:.2f} of full_square,"
                      f" {row['ratio_to_copy'] or 0:.2f} of copy, of stored bytes {row['ratio_to_copy_of_stored'] or 0:.2f};"
                      f" {time.monotonic() - began:.1f} s in all", flush=True)
    if "huge" in PARTS:
        took = []
        for case in ("full_square,life,16,cuda", f"{path}#huge,life,cuda", f"{path}#huge_torus,life,cuda"):
            row = bench(case)
            if row is not None:
                took.append(row["seconds_per_step"])
                print(f"{case.rsplit('/', 1)[-1]}: {1e6 * took[-1]:.1f} us a step", flush=True)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
