#!/usr/bin/env python3
"""Compares the backend cuda with the oracle and the backend cpu on a machine with a GPU, and times it.

    tests/gpu/run.py SQUEEZE FOLDER [agree[=I/N]] [cpu[=I/N]] [observe[=I/N]] [members[=I/N]] [kills[=N]] [activity] [large] [huge] [far] [masks] [time] [memcheck] [racecheck] [hidden]

SQUEEZE is the binary, FOLDER holds this file's rules and the folders fractals and rules. Without a name all parts run.
`agree=2/5` runs the second fifth of the comparisons with the oracle, to share them out over several runs, as `observe=2/5` and `members=2/5` do with theirs; `cpu=I/N` makes those of `agree` for the backend cpu, and needs no GPU. `kills=N` kills sweeps in batches on the GPU N times
(100 if it is not said) and resumes them: their tables are those of the CPU, byte for byte.
The last line counts failures, and the exit code is 1 if there are any.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE, ROOT = sys.argv[1], Path(sys.argv[2])
PARTS = dict((part + "=").split("=")[:2] for part in sys.argv[3:] or ["agree", "cpu", "observe", "members", "kills", "activity", "large", "huge", "far", "masks", "time", "memcheck", "racecheck", "hidden"])
FRACTALS = sorted(path.stem for path in (ROOT / "fractals").glob("*.fractal"))
SHIPPED = sorted(path.stem for path in (ROOT / "rules").glob("*.rule"))
RULES = SHIPPED + [str(Path(__file__).with_name(name)) for name in ("zeros.rule", "operations.rule", "tables.rule")]
SAME = ("digest", "observables")
failures = []


def run(fractal, rule, level, steps, backend, *more):
    """Masks have no level: it is None."""
    command = [SQUEEZE, "run", fractal, "--rule", rule, "--steps", str(steps)]
    command += [] if level is None else ["--level", str(level)]
    command += ["--seed", "7", "--backend", backend, "--json", "--allow-nan", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr, "code": done.returncode}


def same(case, backend, reference):
    mine, wanted = run(*case, backend), run(*case, reference)
    if "error" in wanted and wanted["code"] == 2:
        # Three-dimensional rules refuse flat fractals, on every backend.
        return None if mine.get("code") == 2 else f"{case}: {backend} accepts what {reference} refuses"
    if "error" in mine or "error" in wanted:
        return f"{case}: {mine.get('error')} {wanted.get('error')}"
    different = [key for key in SAME if mine[key] != wanted[key]]
    return f"{case}: {[(key, mine[key], wanted[key]) for key in different]}" if different else "agrees"


def compare(cases, reference, workers, backend="cuda"):
    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(lambda case: same(case, backend, reference), cases))
    wrong = [result for result in results if result not in (None, "agrees")]
    failures.extend(wrong)
    for line in wrong[:12]:
        print("WRONG", line[:1200], flush=True)
    print(f"{results.count('agrees')} cases of {backend} agree with {reference}, {len(wrong)} do not", flush=True)


def levels(fractal):
    """A level with some hundred cells and one with some thousand."""
    done = subprocess.run([SQUEEZE, "info", fractal, "--level", "8", "--json"], capture_output=True, text=True)
    fitting = [row for row in json.loads(done.stdout)["levels"][1:] if row["expanded_bytes"] <= 400_000]
    return sorted({max(row["level"] for row in fitting if row["cells"] <= most) for most in (600, 20000)})


def shard_of(part, cases):
    shard, shards = (int(number) for number in (PARTS[part] or "1/1").split("/"))
    return cases[shard - 1::shards]


for part, backend in [("agree", "cuda"), ("cpu", "cpu")]:
    if part in PARTS:
        cases = [(fractal, rule, level, 7) for fractal in FRACTALS for level in levels(fractal) for rule in RULES]
        compare(shard_of(part, cases), "reference", os.cpu_count() or 8, backend)
if "observe" in PARTS:
    # Observables are folded on the device in pieces, the states by digests that were compared above. From level 0 on, where nothing is folded,
    # to levels of several pieces of terms and of values that were folded once.
    def level_of(fractal, most):
        # Levels whose cells no 64 bits count are refused.
        asked = (subprocess.run([SQUEEZE, "info", fractal, "--level", str(top), "--json"], capture_output=True, text=True) for top in range(20, 0, -1))
        rows = json.loads(next(done for done in asked if done.returncode == 0).stdout)["levels"]
        return max(row["level"] for row in rows if row["cells"] <= most)
    small = [(fractal, rule, level, 3) for fractal in FRACTALS for rule in RULES for level in (0, 1, 2)]
    compare(shard_of("observe", small), "reference", os.cpu_count() or 8)
    middle = [(fractal, rule, level_of(fractal, 3_000_000), 2) for fractal in FRACTALS for rule in RULES]
    compare(shard_of("observe", middle), "cpu", 4)
    # Several pieces: 16 MiB of terms are four million floats.
    compare(shard_of("observe", [("sierpinski_triangle", rule, 16, 2) for rule in RULES if "3d" not in rule]), "cpu", 2)
    largest = [("lace", "wave", level_of("lace", 300_000_000), 2), ("menger_sponge", "gray_scott", level_of("menger_sponge", 300_000_000), 2)]
    compare(shard_of("observe", largest), "cpu", 1)
if "members" in PARTS:
    # Sweeps: many members in one set of kernels give the tables that the CPU gives, byte for byte.
    def sweep(backend, fractal, rule, level, steps, *more):
        with TemporaryDirectory() as folder:
            command = [SQUEEZE, "sweep", fractal, "--rule", rule, "--level", str(level), "--steps", str(steps), *more]
            done = subprocess.run([*command, "--backend", backend, "--quiet", "--out", folder + "/sweep"], capture_output=True, text=True)
            if done.returncode != 0:
                return done.stderr
            return [Path(folder, "sweep", table).read_bytes() for table in ("members.csv", "observables.csv", "summary.csv")]
    sweeps = [(fractal, rule, 3 if "3d" in rule else 5, 23, "--observe-every", "5", "--seeds", "0..5")
              for rule in SHIPPED for fractal in (("tetrix",) if "3d" in rule else ("sierpinski_triangle", "vicsek"))]
    sweeps += [("sierpinski_carpet", "ising", 4, 300, "--observe-every", "10", "--seeds", "0..16", "--set", "beta=0.3..=0.6/0.1"),
               ("sierpinski_triangle", "life", 8, 100, "--observe-every", "10", "--seeds", "0..300"),
               # Members as lanes, which draw nothing in their steps: of bits, of classes and of floats, with words filled in part, also observed in each step.
               ("sierpinski_triangle", "life", 8, 40, "--observe-every", "1", "--seeds", "0..4096"),
               ("sierpinski_triangle", "life", 12, 40, "--observe-every", "10", "--seeds", "0..64"),
               ("vicsek", "brians_brain", 4, 40, "--observe-every", "3", "--seeds", "0..100"),
               ("sierpinski_carpet", "heat", 3, 40, "--observe-every", "10", "--seeds", "0..500"),
               ("tetrix", "life_3d", 4, 30, "--observe-every", "10", "--seeds", "0..129"),
               # Parameters that differ from batch to batch, and within one.
               ("sierpinski_triangle", "heat", 5, 40, "--observe-every", "10", "--seeds", "0..100", "--set", "alpha=0.05,0.1"),
               ("sierpinski_triangle", "ising", 12, 40, "--observe-every", "10", "--seeds", "0..16"),
               # More members than are computed at a time.
               ("sierpinski_triangle", "life", 14, 20, "--observe-every", "10", "--seeds", "0..80"),
               ("sierpinski_carpet", "aggregation", 3, 400, "--observe-every", "50", "--seeds", "0..20")]
    sweeps, wrong = shard_of("members", sweeps), 0
    for case in sweeps:
        mine, wanted = sweep("cuda", *case), sweep("cpu", *case)
        # Some rules observe nothing, and no backend takes them.
        if mine != wanted:
            wrong += 1
            failures.append(f"sweep {case}")
            print("WRONG", case, mine if isinstance(mine, str) else wanted if isinstance(wanted, str) else "other tables", flush=True)
    print(f"{len(sweeps) - wrong} sweeps agree with cpu, {wrong} do not", flush=True)
if "kills" in PARTS:
    # 251 members in nine batches, and 40 in one: what a kill loses is a batch.
    random.seed(3)
    tables, killed, finished = ("members.csv", "observables.csv", "summary.csv"), 0, 0
    cases = [("sierpinski_triangle", "life", "14", "40", "0..251"), ("sierpinski_carpet", "ising", "5", "2000", "0..40")]
    with TemporaryDirectory() as folder:
        wanted = {}
        for fractal, rule, level, steps, seeds in cases:
            command = [SQUEEZE, "sweep", fractal, "--rule", rule, "--level", level, "--steps", steps, "--observe-every", "10", "--seeds", seeds, "--quiet"]
            subprocess.run([*command, "--backend", "cpu", "--out", folder + "/wanted"], capture_output=True)
            wanted[rule] = (command, [Path(folder, "wanted", table).read_bytes() for table in tables])
            shutil.rmtree(folder + "/wanted")
        while killed < int(PARTS["kills"] or 100):
            command, all_wanted = wanted[cases[finished % len(cases)][1]]
            out = Path(folder, "sweep")
            shutil.rmtree(out, ignore_errors=True)
            following = [*command, "--backend", "cuda", "--out", str(out)]
            # Longer with each kill, so that a batch comes to its end at last.
            patience = 0.5
            while True:
                sweep = subprocess.Popen(following, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                try:
                    told = sweep.communicate(timeout=random.uniform(0.02, patience))[1]
                    break
                except subprocess.TimeoutExpired:
                    sweep.send_signal(signal.SIGKILL)
                    sweep.communicate()
                    killed, patience = killed + 1, 1.25 * patience
                # Before there is a manifest there is nothing to go on with.
                if (out / "manifest.json").exists():
                    following = [SQUEEZE, "resume", str(out), "--backend", "cuda", "--quiet"]
                else:
                    shutil.rmtree(out, ignore_errors=True)
            finished += 1
            if sweep.returncode != 0 or [(out / table).read_bytes() for table in tables] != all_wanted:
                failures.append(f"a sweep that was killed: {command}")
                print("WRONG", failures[-1], told[:600], flush=True)
    print(f"{finished} sweeps were killed {killed} times and have the tables of cpu", flush=True)
if "activity" in PARTS:
    # What cannot change is left out with the same digests; what a step then takes, late in a run, and what it takes with all cells.
    gun = "x = 36, y = 9\n24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!\n"
    heap = "rule heap { state grains: i32  init grains = if x == 0 && y == 0 { 200000 } else { 0 }  let lost = if grains >= 4 { grains / 4 * 4 } else { 0 }" \
           "  next grains = grains - lost + sum(von_neumann, if nb.grains >= 4 { nb.grains / 4 } else { 0 })  observe total = sum(grains) }"
    seed = "rule seed { state a: bit  init a = x == 0 && y == 0  let n = count(moore, nb.a)  next a = if a { n in 1..=3 } else { n == 1 }  observe all = count(a) }"
    with TemporaryDirectory() as folder:
        for name, text in [("gun.rle", gun), ("heap.rule", heap), ("seed.rule", seed)]:
            Path(folder, name).write_text(text)
        cases = [("full_square", "conway", 16, ["--init", f"alive={folder}/gun.rle"]), ("sierpinski_triangle", "life", 20, []),
                 ("sierpinski_triangle", f"{folder}/seed.rule", 20, []), ("sierpinski_triangle", f"{folder}/heap.rule", 16, []), ("sierpinski_carpet", "sandpile", 8, []),
                 ("menger_sponge", "sandpile", 5, ["--set", "threshold=6"]), ("sierpinski_triangle", "life", 16, []), ("sierpinski_triangle", "heat", 16, [])]
        for fractal, rule, level, more in cases:
            of_all = run(fractal, rule, level, 400, "cuda", "--activity", "off", *more).get("seconds_per_step", 1.0)
            # Long enough for the kernels to be compiled, in the first run, and for passes that are watched.
            first = int(1.2 / of_all) // 64 * 64
            off, _, *on = (run(fractal, rule, level, steps, "cuda", "--activity", how, *more)
                           for how, steps in (("off", first), ("on", 2 * first), ("on", first), ("on", 3 * first)))
            name = f"{Path(rule).stem} on {fractal} {level}"
            if any("error" in result for result in (off, *on)) or off["digest"] != on[0]["digest"]:
                failures.append(f"activity of {name}")
                print(f"WRONG {failures[-1]} {str(off)[:300]} {str(on)[:600]}", flush=True)
                continue
            of_all, *seconds = (result["seconds_per_step"] for result in (off, *on))
            of_step = (3 * seconds[1] - seconds[0]) / 2
            print(f"activity of {name}: {1e6 * of_step:.2f} us a step from {first} to {3 * first}, {1e6 * of_all:.2f} without, {of_all / of_step:.2f} times as fast;"
                  f" of the first {first} steps {1e6 * seconds[0]:.2f}", flush=True)
if "large" in PARTS:
    cases = [("sierpinski_triangle", "life", 16, 50), ("sierpinski_triangle", "heat", 16, 20), ("vicsek", "life", 10, 21),
             ("sierpinski_carpet", "ising", 7, 20), ("menger_sponge", "life_3d", 5, 10), ("lace", "gray_scott", 8, 10)]
    compare(cases, "cpu", 2)
    # What a run folder asks for cuts the steps into pieces of odd numbers of passes, and buffers change places.
    for fractal, rule, level, steps, every in [("sierpinski_triangle", "life", 12, 100000, 7004), ("vicsek", "heat", 6, 60000, 5003),
                                               ("sierpinski_carpet", "ising", 4, 20000, 1501)]:
        with TemporaryDirectory() as folder:
            written = run(fractal, rule, level, steps, "cuda", "--out", folder + "/run", "--observe-every", str(every))
        straight = run(fractal, rule, level, steps, "cpu")
        agrees = "error" not in written and all(written[key] == straight[key] for key in SAME)
        print(f"{fractal} {rule} in pieces: {'agrees with cpu' if agrees else f'WRONG {written} {straight}'}", flush=True)
        if not agrees:
            failures.append(f"{fractal} {rule} in pieces")
if "huge" in PARTS:
    # Above r = 16 the indices of cells and columns outgrow 32 bits, here up to 31 billion cells.
    compare([("sierpinski_triangle", "life", 18, 1001), ("sierpinski_triangle", "life", 20, 101), ("sierpinski_triangle", "life", 22, 7),
             ("sierpinski_triangle", "heat", 17, 51), ("sierpinski_triangle", "heat", 18, 21), ("sierpinski_triangle", "ising", 17, 11),
             ("sierpinski_carpet", "life", 10, 21), ("vicsek", "life", 13, 21), ("menger_sponge", "life_3d", 7, 11),
             ("full_square", "life", 16, 21)], "cpu", 1)
if "far" in PARTS:
    # Rules whose kernels look beyond the superblocks beside their own, by loops: small against the oracle, larger against the CPU; what they take to compile
    # and to run, and beside them the same neighbourhoods where superblocks are unrolled.
    FAR = [f"{Path(__file__).with_name('far.rule')}#far_{name}" for name in ("count", "weights", "waves", "extremes", "steps")]
    small = [("full_square", 5), ("sierpinski_carpet", 3), ("sierpinski_triangle", 7), ("candy", 2), ("menger_sponge", 2), ("tetrix", 4)]
    compare([(fractal, rule, level, 3) for fractal, level in small for rule in FAR], "reference", os.cpu_count() or 8)
    larger = [("full_square", 9), ("sierpinski_carpet", 5), ("sierpinski_triangle", 10), ("vicsek", 6), ("lace", 5)]
    compare([(fractal, rule, level, 5) for fractal, level in larger for rule in FAR], "cpu", 2)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "timed.rule"
        path.write_text("""
rule count_16 { state a: bit  init a = random(0.4)  next a = count(moore(16), nb.a) in 400..=600 }
rule count_5 { state a: bit  init a = random(0.4)  next a = count(moore(5), nb.a) in 40..=60 }
rule sum_13 { state u: f32  init u = uniform()  next u = 0.5 * u + sum(moore(13), nb.u * exp(-f32(dx * dx + dy * dy) / 40.0)) / 200.0 }
rule sum_40 { state u: f32  init u = uniform()  next u = 0.5 * u + sum(moore(40), nb.u * f32(dx * dx + dy * dy)) / 2e6 }
""")
        for fractal, level in (("full_square", 10), ("full_square", 12), ("sierpinski_carpet", 6), ("menger_sponge", 4)):
            for name in ("count_16", "count_5", "sum_13", "sum_40"):
                if fractal == "menger_sponge" and name != "count_5":
                    continue
                case = (fractal, f"{path}#{name}", level, 3)
                began = time.monotonic()
                row = run(*case, "cuda", "--no-digest")
                took = time.monotonic() - began
                print(f"{fractal} {level} {name}: " + (f"WRONG {row['error'][:300]}" if "error" in row else
                      f"{1e6 * row['seconds_per_step']:.0f} us a step, {1e12 * row['seconds_per_step'] / row['cells']:.0f} ps a cell, {took:.1f} s in all with compilation"), flush=True)
                if "error" in row:
                    failures.append(f"{fractal} {name}")
        compare([("full_square", f"{path}#{name}", 10, 3) for name in ("count_16", "count_5", "sum_13")], "cpu", 1)
if "masks" in PARTS:
    # Every rule on small masks of all shapes; some rules on large ones; box and torus; what a step costs beside a copy.
    MASKS = """
domain sheet { size (40, 9) }
domain ragged_torus { size (75, 83)  periodic }
domain long_tube { size (1057, 52)  cells random(0.9)  periodic x }
domain sparse { size (1300, 140)  cells random(0.05) }
domain thin { size (513, 141)  cells random(0.3) }
domain lumps { size (2300, 115)  cells (x / 150 + y / 7) % 2 == 0 && (x * x + y) % 11 > 1  periodic }
domain rows { size (1025, 120)  cells y % 4 == 1 }
domain cluster { size (500, 500)  cells random(0.62)  keep largest(von_neumann) }
domain line { size (70000, 1) }
domain column { size (1, 9000) }
domain layers { size (70, 53, 31)  cells z % 3 != 1 && random(0.8)  periodic x, z }
domain random_mask { size (4097, 4000)  cells random(0.6) }
domain random_torus { size (4096, 4096)  cells random(0.9)  periodic }
domain plain_torus { size (8192, 8192)  periodic }
domain box { size (16384, 16384) }
domain mask { size (16384, 16384)  cells random(0.6) }
domain torus { size (16384, 16384)  periodic }
domain space { size (500, 400, 300)  cells random(0.7)  periodic y }
"""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "masks.fractal"
        path.write_text(MASKS)
        small = ["sheet", "ragged_torus", "long_tube", "sparse", "thin", "lumps", "rows", "cluster", "line", "column", "layers"]
        compare([(f"{path}#{mask}", rule, None, 7) for mask in small for rule in RULES], "cpu", 4)
        large = ["random_mask", "random_torus", "plain_torus"]
        compare([(f"{path}#{mask}", rule, None, 20) for mask in large for rule in ("life", "heat", "ising", "gray_scott", "sandpile")], "cpu", 1)
        compare([(f"{path}#space", rule, None, 10) for rule in ("life_3d", "heat", "ising")], "cpu", 1)
        for mask in ("box", "torus", "mask"):
            for rule in ("life", "heat", "ising"):
                done = subprocess.run([SQUEEZE, "bench", f"{path}#{mask},{rule},cuda", "--seconds", "0.3", "--json"], capture_output=True, text=True)
                if done.returncode != 0:
                    print(f"{mask} {rule}: WRONG {done.stderr[:300]}", flush=True)
                    failures.append(f"{mask} {rule}")
                    continue
                row = json.loads(done.stdout)["measurements"][0]
                print(f"{mask} {rule}: {1e6 * row['seconds_per_step']:.1f} us a step, {1e12 * row['seconds_per_step'] / row['cells']:.2f} ps a cell,"
                      f" {row['ratio_to_copy'] or 0:.2f} of copy, of stored bytes {row['ratio_to_copy_of_stored'] or 0:.2f}", flush=True)
if "time" in PARTS:
    for fractal, rule, level, steps in [("sierpinski_triangle", "life", 12, 30000), ("sierpinski_triangle", "life", 16, 30000),
                                        ("sierpinski_triangle", "life", 20, 2400), ("vicsek", "life", 13, 2400),
                                        ("sierpinski_triangle", "heat", 16, 4800), ("sierpinski_triangle", "heat", 18, 1200)]:
        # The same again: the first run warms nothing that the second keeps but the files.
        took = [run(fractal, rule, level, steps, "cuda", "--no-digest") for _ in range(2)]
        shown = [f"{1e6 * row['seconds_per_step']:.2f}" if "error" not in row else row["error"][:300] for row in took]
        print(f"{fractal} {rule} {level}: {' and '.join(shown)} us a step on {took[0].get('device')}", flush=True)
    # What an observable costs; less than ten steps at level 20 is the promise.
    cases = ["sierpinski_triangle,life,16", "sierpinski_triangle,life,20", "sierpinski_triangle,heat,16", "sierpinski_triangle,heat,18",
             "sierpinski_triangle,heat,20", "sierpinski_triangle,ising,18", "lace,wave,9", "menger_sponge,gray_scott,6"]
    for case in cases:
        done = subprocess.run([SQUEEZE, "bench", case + ",cuda", "--observables", "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{case}: WRONG {done.stderr[:300]}", flush=True)
            failures.append(f"{case} observed")
            continue
        row = json.loads(done.stdout)["observations"][0]
        steps = row["steps_per_observable"]
        print(f"{case}: {len(row['observables'])} observables in {1e6 * row['seconds_per_observation']:.1f} us, a step {1e6 * row['seconds_per_step']:.2f} us:"
              f" {steps:.2f} steps an observable, the first time {1e3 * row['seconds_of_first_observation']:.0f} ms", flush=True)
        if row["level"] >= 20 and steps >= 10:
            failures.append(f"{case}: an observable costs {steps:.1f} steps")
CHECKED = [("sierpinski_triangle", "life", 9), ("sierpinski_triangle", "heat", 8), ("tetrix", "life_3d", 4),
           ("vicsek", "ising", 5), ("lace", "gray_scott", 4), ("h_fractal", "greenberg_hastings", 4), ("full_square", "ising", 8),
           ("sierpinski_carpet", "forest_fire", 4), ("full_square", "lenia", 6)]
# The papers' strategies with every map, each on one of these by turns and every other one on the first as well.
WAYS = [["bounding-box"]] + [[strategy, "--map", map] for strategy in ("lambda", "squeeze") for map in ("scalar", "warp", "wmma", "wmma-f16")]
BY_TURNS = [("sierpinski_triangle", "life", 7), ("tetrix", "heat", 4), ("vicsek", "ising", 4), ("lace", "larger_than_life", 3)]
CHECKED += [(*case, "--strategy", *way) for case, way in zip(cycle(BY_TURNS), WAYS)]
CHECKED += [(*BY_TURNS[0], "--strategy", *way) for way in WAYS[1::2]]
# Rows of masks, one with holes and a torus.
CHECKED += [("tests/gpu/checked.fractal#holes", rule, None) for rule in ("life", "heat", "ising")]
CHECKED += [("tests/gpu/checked.fractal#torus", rule, None) for rule in ("life", "gray_scott", "ising")]


def sanitise(tool, fractal, rule, level, *more):
    command = ["compute-sanitizer", "--tool", tool, SQUEEZE, "run", fractal, "--rule", rule]
    command += [] if level is None else ["--level", str(level)]
    command += ["--steps", "9", "--backend", "cuda", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    summary = "ERROR SUMMARY: 0 errors" if tool == "memcheck" else "RACECHECK SUMMARY: 0 hazards"
    fine = done.returncode == 0 and summary in done.stdout
    return f"{tool} {fractal} {rule} {level} {' '.join(more)}", None if fine else done.stdout[-1500:] + done.stderr[-500:]


for tool in ("memcheck", "racecheck"):
    if tool in PARTS:
        with ThreadPoolExecutor(6) as pool:
            for name, problem in pool.map(lambda case: sanitise(tool, *case), CHECKED):
                print(f"{name}: {problem or 'clean'}", flush=True)
                if problem:
                    failures.append(name)
if "hidden" in PARTS:
    # With the device hidden `cuda` says so and `auto` falls back.
    for name, hidden in [("device", {"CUDA_VISIBLE_DEVICES": ""}), ("too many", {"CUDA_VISIBLE_DEVICES": "99"})]:
        for backend, wanted in [("cuda", 1), ("auto", 0)]:
            command = [SQUEEZE, "run", "vicsek", "--rule", "life", "--level", "4", "--steps", "5", "--backend", backend]
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **hidden})
            said = (done.stderr.strip().splitlines() or ["(nothing)"])[:3]
            print(f"{name} hidden, --backend {backend}: exit {done.returncode}: {said}", flush=True)
            if done.returncode != wanted or "panicked" in done.stderr:
                failures.append(f"{name} hidden, {backend}")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
