#!/usr/bin/env python3
"""Compares rules in Golly's notation with Golly itself (bgolly, of Debian's package `golly`).

    tests/golly.py SQUEEZE [BGOLLY] [--generations 1000] [--cases 200] [--level 11]

Each case is a rule and a random pattern in the middle of the full square, which is a box in one case and a torus in the next. The start and the end are
exported, and Golly reads the start as it was written: its head says the rule and the grid. Says which case differs, and exits 1 then; exits 0 with a loud
line if there is no bgolly.
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


def table(number, chance, folder):
    """A random table whose lines name variables more than once, in a file of its own."""
    states = chance.randrange(3, 6)
    shape, places = chance.choice([("vonNeumann", 4), ("hexagonal", 6), ("oneDimensional", 2)])
    symmetries = {"vonNeumann": ["none", "rotate4", "permute"], "hexagonal": ["none", "rotate6", "permute"], "oneDimensional": ["none", "permute"]}[shape]
    names = chance.sample(["a", "b", "c", "A", "Z", "aa", "x"], 5)
    lines = [f"n_states:{states}", f"neighborhood:{shape}", f"symmetries:{chance.choice(symmetries)}"]
    for name in names:
        lines.append(f"var {name}={{{','.join(map(str, chance.sample(range(states), chance.randrange(2, states + 1))))}}}")
    # What is empty stays so.
    lines.append(",".join("0" * (places + 2)))
    while len(lines) < 12:
        bound = chance.sample(names, chance.randrange(1, 4))
        inputs = [chance.choice(bound) if chance.random() < 0.8 else str(chance.randrange(states)) for _ in range(places + 1)]
        become = chance.choice(inputs)
        lines.append(",".join([*inputs, become]))
    path = os.path.join(folder, f"Bound{number}.rule")
    with open(path, "w") as file:
        file.write("\n".join([f"@RULE Bound{number}", "@TABLE", *lines, ""]))
    return path


def rules(count, chance, folder):
    """Known rules first, then random ones of every kind that Golly has."""
    known = ["conway", "brians_brain", "wireworld", "larger_than_life", "B3/S23", "B36/S23", "B2/S/C3", "B2/S345/C4", "B2/S34H", "B13/S13V", "B3678/S34678", "B1357/S1357", "B2/S", "B368/S245",
             "B34/S34", "B35678/S5678", "B3/S012345678", "B345/S2/C4", "B2/S23/C8", "B26/S3/C5", "B2/S12/C3V", "B24/S3/C3H",
             "R2,C0,M0,S3..6,B3..5,NM", "R3,C0,M1,S9..14,B10..13,NM", "R5,C0,M1,S34..58,B34..45,NM", "R2,C0,M0,S2..4,B3..4,NN",
             "R3,C0,M1,S9..14,B10..13,NC", "R2,C4,M0,S3..6,B4..6,NC",
             "HighLife", "Day & Night", "B2-a/S12", "B3/S2-i34q", "B2ce3aei4z5r6n7c/S23-a4cw8", "W30", "W110", "W22",
             "WireWorld.rule", "Langtons-Loops.rule", "BriansBrain.rule", "LifeHistory.rule", "Banks-III.rule", "Banks-II.rule", "Ed-rep.rule", "Caterpillars.rule",
             "Codd.rule"]
    result = known[:count]
    while len(result) < count:
        kind = chance.randrange(9)
        most = {1: 4, 2: 6}.get(kind, 8)
        digits = lambda least: "".join(str(n) for n in range(least, most + 1) if chance.random() < 0.35)
        # A rule with B0 lights up all of Golly's endless plane.
        counts = f"B{digits(1)}/S{digits(0)}"
        if kind == 8:
            result.append(table(len(result), chance, folder))
        elif kind in (3, 4):
            result.append(f"{counts}/C{chance.randrange(3, 9)}")
        elif kind == 6:
            result.append(f"W{2 * chance.randrange(128)}")
        elif kind == 7:
            letters = {1: "ce", 2: "ceaikn", 3: "ceaiknjqry", 4: "ceaiknjqrytwz", 5: "ceaiknjqry", 6: "ceaikn", 7: "ce"}
            part = lambda: "".join(f"{n}{chance.choice(['', '-'])}{''.join(chance.sample(list(of), chance.randrange(1, len(of))))}" for n, of in letters.items() if chance.random() < 0.4)
            result.append(f"B{part()}/S{part()}")
        elif kind == 5:
            radius = chance.randrange(2, 6)
            cells = (2 * radius + 1) ** 2 - 1
            low, start = cells // 4, cells // 5
            result.append(f"R{radius},C0,M{chance.randrange(2)},S{start}..{start + cells // 4},B{low}..{low + cells // 8},NM")
        else:
            result.append(counts + {1: "V", 2: "H"}.get(kind, ""))
    return result


def states_of(rule):
    if rule.endswith(".rule"):
        with open(rule) as file:
            return int(re.search(r"^(?:n_states\s*:|num_states\s*=)\s*(\d+)", file.read(), re.M).group(1))
    shipped = {"brians_brain": 3, "wireworld": 4}
    found = re.search(r"[/,]C(\d+)", rule)
    return max(2, int(found.group(1))) if found else shipped.get(rule, 2)


def rle(cells, states):
    """Cells {(x, y): state} as RLE without a head."""
    letter = (lambda s: "bo"[s]) if states == 2 else (lambda s: "." if s == 0 else chr(64 + s))
    rows = []
    for y in range(max(y for _, y in cells) + 1):
        last = max((x for x, row in cells if row == y), default=-1)
        rows.append("".join(letter(cells.get((x, y), 0)) for x in range(last + 1)))
    packed = "$".join(re.sub(r"(.)\1*", lambda m: (str(len(m.group())) if len(m.group()) > 1 else "") + m.group()[0], row) for row in rows)
    packed = re.sub(r"\$\$+", lambda m: f"{len(m.group())}$", packed)
    return f"{packed}!\n"


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


def squeeze(arguments, rule, start, generations, flags, folder):
    """Exports the pattern after so many generations, and says where."""
    field = "alive" if states_of(rule) == 2 else "cell"
    path, run, out = (os.path.join(folder, name) for name in ("start.rle", "run", f"{generations}.rle"))
    with open(path, "w") as file:
        file.write(rle(start, states_of(rule)))
    shutil.rmtree(run, ignore_errors=True)
    command = [arguments.squeeze, "run", "full_square", "--rule", rule, "--level", str(arguments.level), "--steps", str(generations), "--init", f"{field}={path}", "--out", run, "--quiet", *flags]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([arguments.squeeze, "export", run, "--field", field, "-o", out], check=True, stdout=subprocess.DEVNULL)
    return out


def folder_of_rules(bgolly):
    return os.path.join(os.path.dirname(os.path.dirname(shutil.which(bgolly))), "share", "golly", "Rules", "")


def golly(arguments, pattern, folder):
    """What Golly makes of a pattern, by the reader of the family that its head belongs to."""
    with open(pattern) as file:
        head = file.readline()
    rule = head.split("rule = ")[1].split(":")[0].strip()
    family = "Larger than Life" if re.match(r"R\d", rule) else "Generations" if rule.count("/") == 2 else "QuickLife" if "/" in rule or re.match(r"W\d", rule) else "RuleLoader"
    result = os.path.join(folder, "golly.rle")
    rules = folder_of_rules(arguments.bgolly)
    if rule.startswith("Bound"):
        rules = os.path.join(arguments.tables, "")
    subprocess.run([arguments.bgolly, "-a", family, "-s", rules, "-q", "-m", str(arguments.generations), "-o", result, pattern], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(result) as file:
        return head, parse(file.read())


def compare(arguments, rule, start, flags):
    """The head of the pattern, the cells that live after all generations, and whether both programs agree."""
    with tempfile.TemporaryDirectory() as folder:
        head, theirs = golly(arguments, squeeze(arguments, rule, start, 0, flags, folder), folder)
        with open(squeeze(arguments, rule, start, arguments.generations, flags, folder)) as file:
            ours = parse(file.read())
    grid = ":T" if flags else ":P"
    return head, len(ours), grid in head and normal(ours) == normal(theirs)


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
    if shutil.which(arguments.bgolly) is None:
        print("SKIPPED: there is no bgolly; Debian's package `golly` has it", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        arguments.tables = folder
        return compare_all(arguments)


def compare_all(arguments):
    chance = random.Random(1)
    cases, middle = [], (1 << arguments.level) // 2
    for rule in rules(arguments.cases, chance, arguments.tables):
        rule = os.path.join(folder_of_rules(arguments.bgolly), rule) if rule.endswith(".rule") else rule
        states = states_of(rule)
        start = {(middle + x, middle + y): chance.randrange(1, states) if states > 2 and chance.random() < 0.2 else 1
                 for y in range(12) for x in range(12) if chance.random() < 0.45}
        start[middle, middle] = 1
        cases.append((rule, start, ["--periodic"] if len(cases) % 2 else []))
    wrong, left = 0, arguments.first - 1
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda case: compare(arguments, *case), cases[left:])
        for number, ((rule, *_), (head, cells, same)) in enumerate(zip(cases[left:], results), left):
            wrong += not same
            print(f"{number + 1:4} {os.path.basename(rule) if rule.endswith('.rule') else rule:32} {head.strip():60} {cells:7} cells: {'equal' if same else 'DIFFERENT'}", flush=True)
    print(f"{wrong} of {len(cases) - left} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
