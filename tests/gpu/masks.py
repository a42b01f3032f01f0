#!/usr/bin/env python3
"""Masks and boxes on a GPU: tests/gpu/masks.py SQUEEZE [digests] [packed] [beyond] [packing] [times] [huge] [encodings] [activity] [out=DIR]

digests: large masks, boxes and tori have the digests and observables of the CPU. times: how long a mask takes until its first step, and what a step
takes beside a copy of its bytes and beside a full square of the same side. huge: life on boxes and tori of 65536 x 65535 places. packed: the same digests
and times of states that hold the cells alone. beyond: more than 2^32 cells, boxes and a mask, have the digests of the CPU after a step. packing: arrays are packed
and unpacked as the CPU does it. encodings: the encodings of masks beside each other, beside a copy and, where there is nvcc, beside CUB; tables and plots
go into the folder DIR. activity: what cannot change is left out with the same digests, and what a step then takes. Without names all.
"""
import json
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE = str(Path(sys.argv[1]).resolve())
OUT = next((Path(part[4:]).resolve() for part in sys.argv[2:] if part.startswith("out=")), None)
ONLY = next((part[5:].split(",") for part in sys.argv[2:] if part.startswith("only=")), None)
PARTS = [part for part in sys.argv[2:] if not part.startswith(("out=", "only="))] or ["digests", "packed", "beyond", "packing", "times", "huge", "encodings", "activity"]
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
domain beyond { size (65536, 65600) }
domain beyond_torus { size (65537, 65600)  periodic }
domain beyond_lines { size (65536, 66000)  cells y % 4000 != 77 }
domain huge { size (65536, 65535) }
domain huge_torus { size (65536, 65535)  periodic }
domain plane { size (65536, 65536) }
domain plane_torus { size (65536, 65536)  periodic }
domain pond { size (4096, 4096) }
"""
# Gosper's glider gun.
GUN = """x = 36, y = 9, rule = B3/S23
24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!
"""
failures = []


def run(mask, rule, steps, backend, *more):
    command = [SQUEEZE, "run", mask, "--rule", rule, "--steps", str(steps), "--backend", backend, "--seed", "5", "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}


def bench(case, seconds="0.5", *more):
    done = subprocess.run([SQUEEZE, "bench", case, "--seconds", seconds, "--json", *more], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{case}: WRONG {done.stderr.strip()[:400]}", flush=True)
        failures.append(case)
        return None
    return json.loads(done.stdout)["measurements"][0]


def activity(path, folder):
    """What cannot change is left out with the same digests; the time of a step with it and without."""
    gun = folder / "gun.rle"
    gun.write_text(GUN)
    init = ["--init", f"alive={gun}"]
    # Long enough for watched passes; the times are those of the steps between.
    cases = [("plane", "conway", init, 4000, 20000, 400), ("plane", "conway", init, 4000, 100000, 400), ("plane_torus", "conway", init, 4000, 100000, 400),
             ("plane", "conway", [], 100000, 200000, 400), ("torus", "conway", [], 60000, 100000, 400),
             ("pond", "conway", [], 200000, 400000, 20000), ("torus", "conway", [], 2000, 20000, 20000),
             ("box", "heat", [], 2000, 6000, 6000), ("lumps", "conway", [], 200000, 300000, 20000),
             ("ragged_torus", "conway", [], 150000, 200000, 20000)]
    for mask, rule, more, first, end, plain in cases:
        if ONLY and mask not in ONLY:
            continue
        results = {}
        for how in ("on", "off"):
            # Without activity the long way would take too long, so as many steps are compared as it takes in some seconds.
            results[how] = [run(f"{path}#{mask}", rule, steps, "cuda", "--activity", how, *more)
                            for steps in ((plain, first, end) if how == "on" else (plain, first))]
        wrong = [result["error"] for how in results for result in results[how] if "error" in result]
        if wrong or any(a["digest"] != b["digest"] for a, b in zip(results["on"], results["off"])):
            failures.append(f"activity {mask} {rule}")
            print(f"WRONG {failures[-1]} {wrong} {str(results)[:600]}", flush=True)
            continue
        seconds = [result["seconds_per_step"] * steps for result, steps in zip(results["on"], (plain, first, end))]
        of_step, all_of_step = (seconds[2] - seconds[1]) / (end - first), results["off"][1]["seconds_per_step"]
        print(f"activity {mask} {rule}: {1e6 * of_step:.2f} us a step from {first} to {end}, {1e6 * all_of_step:.2f} without, {all_of_step / of_step:.2f} times as fast;"
              f" of the first {first} steps {1e6 * seconds[1] / first:.2f}", flush=True)


def npy(path, kind, shape, data):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)


def packing(folder):
    """Packs and unpacks arrays on both backends; the files must be the same."""
    random.seed(1)
    # A prime number of bytes, so that what is repeated never stands at the same place of a row.
    noise = random.randbytes(1000003)
    cases = [(width, height, chance, kind) for (width, height), kind in zip([(1, 1), (31, 33), (1000, 1025), (4001, 1003)], ["|u1", "<f8", "<c16", "<i2"])
             for chance in (0.003, 0.1, 0.3, 0.6, 1.0)]
    cases.append((4096, 4099, 0.5, "<f4"))
    right = 0
    for number, (width, height, chance, kind) in enumerate(cases):
        domain = folder / f"{number}.fractal"
        domain.write_text(f"domain packed {{ size ({width}, {height})  cells x == 0 && y == 0 || random({chance}) }}\n")
        size = width * height * int(kind[2:])
        npy(folder / "all.npy", kind, (height, width), (noise * (size // len(noise) + 1))[:size])
        files = []
        for backend in ("cpu", "cuda"):
            packed, unpacked = folder / f"{backend}-packed.npy", folder / f"{backend}-unpacked.npy"
            for command in (["pack", domain, folder / "all.npy", "-o", packed], ["unpack", domain, packed, "-o", unpacked]):
                done = subprocess.run([SQUEEZE, "mask", *command, "--backend", backend], capture_output=True, text=True)
                if done.returncode != 0:
                    print(f"WRONG {width} x {height} {chance} {kind}: {done.stderr.strip()[:300]}", flush=True)
            files.append([path.read_bytes() if path.exists() else backend for path in (packed, unpacked)])
            for path in (packed, unpacked):
                path.unlink(missing_ok=True)
        if files[0] == files[1]:
            right += 1
        else:
            failures.append(f"{width} x {height} {chance} {kind}")
            print(f"WRONG {failures[-1]}", flush=True)
    print(f"{right} of {len(cases)} arrays are packed and unpacked as on cpu", flush=True)


def encodings(places):
    """All experiments with masks of so many places; prints those against a copy and gives all curves."""
    began = time.monotonic()
    command = [SQUEEZE, "bench", "--encodings", "--backend", "cuda", "--places", str(places), "--json"]
    if OUT:
        plots = OUT / f"encodings-{places}"
        plots.mkdir(parents=True, exist_ok=True)
        command += ["--out", str(plots)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        failures.append(f"encodings of {places} places")
        print(f"WRONG {failures[-1]}: {done.stderr.strip()[:600]}", flush=True)
        return None
    told = json.loads(done.stdout)
    if OUT:
        (OUT / f"encodings-{places}.json").write_text(done.stdout)
    found = {experiment["name"]: {curve["name"]: dict(curve["points"]) for curve in experiment["curves"]} for experiment in told["experiments"]}
    print(f"\n{told['device']}, {places} places, {time.monotonic() - began:.1f} s in all", flush=True)
    for name in ("setup-of-reading", "setup-by-size", "apply-by-size", "setup-by-block", "apply-by-block"):
        for curve, points in found[name].items():
            print(f"  {name:17} {curve:28}", " ".join(f"{x:.0f}:{y:.3g}" for x, y in points.items()))
    print(f"  {'density':17} {'':28}", " ".join(f"{x:>6g}" for x in found["pack-of-copy"]["ours"]))
    for name in ("apply-by-density", "pack-of-copy", "unpack-of-copy"):
        for curve, points in found[name].items():
            print(f"  {name:17} {curve:28}", " ".join(f"{y:6.3g}" for y in points.values()))
    for claim in told["claims"]:
        print(f"  {claim['verdict']}: {claim['says']} ({claim['here']})", flush=True)
    return found


def beside_cub(places, found, cub):
    """The same by CUB."""
    densities = list(found["pack-of-copy"]["ours"])
    done = subprocess.run([cub, str(places), *map(str, densities)], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  CUB: {done.stderr.strip()[:300]}", flush=True)
        return
    if OUT:
        (OUT / f"cub-{places}.jsonl").write_text(done.stdout)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    bits, array = places / 8e9, 4 * places / 1e9
    ours = {"setup": bits / found["setup-by-size"]["ours"][float(places)]}
    permutation = bits / found["setup-by-size"]["permutation"][float(places)]
    for row in rows:
        pack = array / found["apply-by-density"]["ours"][row["density"]]
        print(f"  density {row['density']:g}: CUB select to a permutation {1e6 * row['setup']:.0f} us, of values {1e6 * row['select']:.0f}, gather {1e6 * row['gather']:.0f},"
              f" scatter {1e6 * row['scatter']:.0f}; ours: setup {1e6 * ours['setup']:.0f}, permutation at 0.5 {1e6 * permutation:.0f}, pack {1e6 * pack:.0f};"
              f" CUB's select over ours {row['select'] / (ours['setup'] + pack):.2f}, its gather {row['gather'] / pack:.2f}", flush=True)


def compare(path, cases, more, together=4):
    """Runs cases on both backends, several at a time: most of it is the CPU's part."""

    def both(case):
        mask, rule, steps = case
        return case, run(f"{path}#{mask}", rule, steps, "cuda", *more), run(f"{path}#{mask}", rule, steps, "cpu")

    wrong = 0
    with ThreadPoolExecutor(together) as pool:
        results = list(pool.map(both, cases))
    for (mask, rule, _), found, wanted in results:
        if "error" in found and "error" in wanted:
            continue
        agrees = "error" not in found and "error" not in wanted and all(found[key] == wanted[key] for key in ("digest", "observables"))
        agrees = agrees and (not more or found["strategy"] == "packed")
        if not agrees:
            wrong += 1
            failures.append(f"{mask} {rule} {more}")
            print(f"WRONG {failures[-1]}: {str(found)[:600]} {str(wanted)[:600]}", flush=True)
    print(f"{len(cases) - wrong} of {len(cases)} cases agree with cpu {' '.join(more)}", flush=True)


with TemporaryDirectory() as folder:
    path = Path(folder) / "masks.fractal"
    path.write_text(MASKS)
    if "digests" in PARTS or "packed" in PARTS:
        flat = ("life", "heat", "ising", "gray_scott", "greenberg_hastings")
        cases = [(mask, rule, 9) for mask in ("ragged", "ragged_torus", "lumps") for rule in flat]
        cases += [(mask, rule, 9) for mask in ("space", "cube") for rule in ("life_3d", "heat", "ising")]
        cases += [(mask, rule, 3) for mask in ("torus", "cluster") for rule in ("life", "ising")]
        compare(path, cases, [] if "digests" in PARTS else ["--packed"])
        if "digests" in PARTS and "packed" in PARTS:
            compare(path, cases, ["--packed"])
    if "beyond" in PARTS:
        # The CPU takes most of the time, and the observable.
        compare(path, [(mask, "life", 1) for mask in ("beyond", "beyond_torus", "beyond_lines")], [], 1)
        compare(path, [("beyond_lines", "life", 1)], ["--packed"], 1)
    if "packed" in PARTS:
        for mask in ("box", "dense", "open", "lumps", "cluster"):
            for rule in ("heat", "life", "ising"):
                rows, packed = (bench(f"{path}#{mask},{rule},cuda", "0.3", *more) for more in ([], ["--packed"]))
                if rows and packed:
                    print(f"packed {mask} {rule}: {1e6 * packed['seconds_per_step']:.1f} us a step, {packed['ratio_to_copy'] or 0:.2f} of copy,"
                          f" {packed['state_bytes'] / 1e6:.1f} MB; rows {1e6 * rows['seconds_per_step']:.1f} us, {rows['ratio_to_copy'] or 0:.2f},"
                          f" {rows['state_bytes'] / 1e6:.1f} MB", flush=True)
    if "encodings" in PARTS:
        nvcc, cub = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc"), Path(folder) / "cub"
        source = Path(__file__).resolve().parents[2] / "benches/encodings/cub.cu"
        command = [nvcc, "-O3", "-std=c++17", "-arch=native", "-o", cub, source]
        compiler = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) if nvcc else None
        curves = {places: encodings(places) for places in (1 << 28, 1 << 30)}
        if compiler:
            said = compiler.communicate()[0]
            if compiler.returncode != 0:
                print(said[:1000])
            for places, found in curves.items():
                if found and compiler.returncode == 0:
                    beside_cub(places, found, cub)
    if "packing" in PARTS:
        packing(Path(folder))
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
    if "activity" in PARTS:
        activity(path, Path(folder))
    if "huge" in PARTS:
        took = []
        for case in ("full_square,life,16,cuda", f"{path}#huge,life,cuda", f"{path}#huge_torus,life,cuda"):
            row = bench(case)
            if row is not None:
                took.append(row["seconds_per_step"])
                print(f"{case.rsplit('/', 1)[-1]}: {1e6 * took[-1]:.1f} us a step", flush=True)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
