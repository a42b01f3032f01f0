#!/usr/bin/env python3
"""Compares rules in Golly's notation with Golly itself (bgolly, of Debian's package `golly`).

    tests/golly.py SQUEEZE [BGOLLY] [--generations 1000] [--cases 200] [--level 11]

Each case is a rule and a random pattern in the middle of the full square, far from the border. Patterns that come near the border before
the end are compared as long as they do not. Both programs read and write them as RLE. Says which case differs, and exits 1 then; exits 0 with a loud line if there is no bgolly.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile


def rules(count, chance):
    """Known rules first, then random ones of every kind that Golly has."""
    known = ["B3/S23", "B36/S23", "B2/S/C3", "B2/S345/C4", "B2/S34H", "B13/S13V", "B3678/S34678", "B1357/S1357", "B2/S", "B368/S245",
             "B34/S34", "B35678/S5678", "B3/S012345678", "B345/S2/C4", "B2/S23/C8", "B26/S3/C5", "B2/S12/C3V", "B24/S3/C3H",
             "R2,C0,M0,S3..6,B3..5,NM", "R3,C0,M1,S9..14,B10..13,NM", "R5,C0,M1,S34..58,B34..45,NM", "R2,C0,M0,S2..4,B3..4,NN"]
    result = known[:count]
    while len(result) < count:
        kind = chance.randrange(6)
        most = {1: 4, 2: 6}.get(kind, 8)
        digits = lambda least: "".join(str(n) for n in range(least, most + 1) if chance.random() < 0.35)
        # A rule with B0 lights up all of Golly's endless plane.
        counts = f"B{digits(1)}/S{digits(0)}"
        if kind in (3, 4):
            result.append(f"{counts}/C{chance.randrange(3, 9)}")
        elif kind == 5:
            radius = chance.randrange(2, 6)
            cells = (2 * radius + 1) ** 2 - 1
            low, start = cells // 4, cells // 5
            result.append(f"R{radius},C0,M{chance.randrange(2)},S{start}..{start + cells // 4},B{low}..{low + cells // 8},NM")
        else:
            result.append(counts + {1: "V", 2: "H"}.get(kind, ""))
    return result


def states_of(rule):
    found = re.search(r"/C(\d+)", rule)
    return int(found.group(1)) if found else 2


def theirs_of(rule):
    """The rule as Golly wants it: generations as survival/birth/states."""
    found = re.fullmatch(r"B(\d*)/S(\d*)/C(\d+)([HV]?)", rule)
    return "{1}/{0}/{2}{3}".format(*found.groups()) if found else rule


def rle(cells, rule, states):
    """Cells {(x, y): state} as RLE, with the corner of the grid at Golly's (0, 0)."""
    letter = (lambda s: "bo"[s]) if states == 2 else (lambda s: "." if s == 0 else chr(64 + s))
    rows = []
    for y in range(max(y for _, y in cells) + 1):
        last = max((x for x, row in cells if row == y), default=-1)
        rows.append("".join(letter(cells.get((x, y), 0)) for x in range(last + 1)))
    packed = "$".join(re.sub(r"(.)\1*", lambda m: (str(len(m.group())) if len(m.group()) > 1 else "") + m.group()[0], row) for row in rows)
    packed = re.sub(r"\$\$+", lambda m: f"{len(m.group())}$", packed)
    return f"x = 0, y = 0, rule = {rule}\n{packed}!\n"


def parse(text):
    """The cells of an RLE, from its own corner."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    body = "".join(lines[1:])
    cells, x, y = {}, 0, 0
    for count, letter in re.findall(r"(\d*)([p-y]?[A-X]|[bo.$!])", body):
        count = int(count or 1)
        if letter == "!":
            break
        if letter == "$":
            x, y = 0, y + count
            continue
        state = 0 if letter in "b." else 1 if letter == "o" else ord(letter[-1]) - 64 + (24 * (ord(letter[0]) - 111) if len(letter) == 2 else 0)
        for _ in range(count):
            if state:
                cells[x, y] = state
            x += 1
    return cells


def normal(cells):
    """The same pattern with its corner at (0, 0)."""
    if not cells:
        return {}
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return {(x - left, y - top): state for (x, y), state in cells.items()}


def squeeze(program, rule, start, generations, level, folder):
    """The pattern after so many generations."""
    field = "alive" if states_of(rule) == 2 else "cell"
    path, run, out = (os.path.join(folder, name) for name in ("start.rle", "run", "end.rle"))
    with open(path, "w") as file:
        file.write(rle(start, theirs_of(rule), states_of(rule)))
    shutil.rmtree(run, ignore_errors=True)
    command = [program, "run", "full_square", "--rule", rule, "--level", str(level), "--steps", str(generations), "--init", f"{field}={path}", "--out", run, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "export", run, "--field", field, "-o", out], check=True, stdout=subprocess.DEVNULL)
    with open(out) as file:
        return parse(file.read())


def compare(arguments, rule, start):
    """How many generations were compared, the cells that live after them, and whether both programs agree."""
    middle, states = (1 << arguments.level) // 2, states_of(rule)
    radius = int(rule[1]) if rule.startswith("R") else 1
    # Nothing travels faster than its radius a step; what leaves the grid together would not show in its extent.
    safe = min(arguments.generations, (middle - 20) // radius)
    algorithm = "Larger than Life" if rule.startswith("R") else "Generations" if states > 2 else "QuickLife"
    with tempfile.TemporaryDirectory() as folder:
        pattern, result = os.path.join(folder, "p.rle"), os.path.join(folder, "r.rle")
        with open(pattern, "w") as file:
            file.write(rle({(x - middle, y - middle): s for (x, y), s in start.items()}, theirs_of(rule), states))
        for generations in dict.fromkeys([arguments.generations, safe] if states == 2 and radius == 1 else [safe]):
            if os.path.exists(result):
                os.remove(result)
            subprocess.run([arguments.bgolly, "-a", algorithm, "-q", "-m", str(generations), "-o", result, pattern], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(result) as file:
                theirs = parse(file.read())
            extent = max((max(x for x, _ in theirs) - min(x for x, _ in theirs), max(y for _, y in theirs) - min(y for _, y in theirs))) if theirs else 0
            if generations == safe or extent < middle - 20:
                break
        ours = squeeze(arguments.squeeze, rule, start, generations, arguments.level, folder)
    return generations, len(ours), normal(ours) == normal(theirs)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("squeeze")
    arguments.add_argument("bgolly", nargs="?", default="bgolly")
    arguments.add_argument("--generations", type=int, default=1000)
    arguments.add_argument("--cases", type=int, default=200)
    arguments.add_argument("--level", type=int, default=11)
    arguments.add_argument("--first", type=int, default=1, help="the number of the first case that is compared")
    arguments.add_argument("--jobs", type=int, default=1)
    arguments = arguments.parse_args()
    middle = (1 << arguments.level) // 2
    if shutil.which(arguments.bgolly) is None:
        print("SKIPPED: there is no bgolly; Debian's package `golly` has it", file=sys.stderr)
        return 0
    chance = random.Random(1)
    cases = []
    for rule in rules(arguments.cases, chance):
        states = states_of(rule)
        start = {(middle + x, middle + y): chance.randrange(1, states) if states > 2 and chance.random() < 0.2 else 1
                 for y in range(12) for x in range(12) if chance.random() < 0.45}
        start[middle, middle] = 1
        cases.append((rule, start))
    wrong, left = 0, arguments.first - 1
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda case: compare(arguments, *case), cases[left:])
        for number, ((rule, _), (generations, cells, same)) in enumerate(zip(cases[left:], results), left):
            wrong += not same
            print(f"{number + 1:4} {rule:32} {generations:5} generations, {cells:7} cells: {'equal' if same else 'DIFFERENT'}", flush=True)
    print(f"{wrong} of {len(cases) - left} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
