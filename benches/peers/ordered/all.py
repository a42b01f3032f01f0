#!/usr/bin/env python3
"""Ordered steps beside others: benches/peers/ordered/all.py SQUEEZE [letters=8192] [side=2048] [repeats=3]

Two texts by chance are aligned by Squeeze's shipped rules, by loops in numba, by parasail, rapidfuzz and edlib; the equation of Poisson is swept in f32 by
Squeeze and by loops in numba, and rows are filtered by scipy: what is installed of these. Lengths, scores and values are compared. Each is
timed by the user time of one thread, the least of some repeats, Squeeze by that of more steps than one, so that its start does not count.
Prints 10^9 cells a second, and how many times as fast Squeeze is.
"""
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy

SQUEEZE = str(Path(sys.argv[1]).resolve())
OPTIONS = dict(part.split("=", 1) for part in sys.argv[2:])
LETTERS, SIDE, REPEATS = (int(OPTIONS.get(name, value)) for name, value in [("letters", 8192), ("side", 2048), ("repeats", 3)])
# The steps of Squeeze that are timed, beside one that is not.
STEPS = 20

RULES = """
rule relax {
    state f: f32
    state u: f32
    init f = f32(uniform())
    init u = f32(uniform())
    step sweep from (+x, +y) { next u = 0.25 * (f + sum(von_neumann, nb.u)) }
}
rule filter {
    state v: f32
    state s: f32
    init v = f32(uniform())
    step forth from (+x) { next s = 0.9 * (s[-1, 0] else 0.0) + 0.1 * v }
}
rule last_line {
    input a: u8 along x
    input b: u8 along y
    state l: i32 rolling
    step fill from (+x, +y) {
        next l = if a == b { (l[-1, -1] else 0) + 1 } else { max(l[-1, 0] else 0, l[0, -1] else 0) }
    }
    observe length = max(l)
}
rule bits_of_last_line {
    input a: u8 along x
    input b: u8 along y
    state across: bit rolling
    state down: bit rolling
    step fill from (+x, +y) {
        let above = across[0, -1] else false
        let left = down[-1, 0] else false
        let grows = a == b || above || left
        next across = grows && !left
        next down = grows && !above
    }
    observe length = count(across)
}
rule points_of_last_line {
    input a: u8 along x
    input b: u8 along y
    state h: i32 rolling
    state e: i32 rolling
    state f: i32 rolling
    state best: i32 rolling
    step fill from (+x, +y) {
        let across = max((h[-1, 0] else 0) - 3, (e[-1, 0] else -1000000000) - 1)
        let down = max((h[0, -1] else 0) - 3, (f[0, -1] else -1000000000) - 1)
        let here = max((h[-1, -1] else 0) + (if a == b { 2 } else { -1 }), across, down, 0)
        next h = here
        next e = across
        next f = down
        next best = max(here, best[-1, 0] else 0, best[0, -1] else 0)
    }
    observe score = max(best)
}
domain box { size (SIDE, SIDE) }
""".replace("SIDE", str(SIDE))


def user(who=resource.RUSAGE_SELF):
    return resource.getrusage(who).ru_utime


def least(work):
    """The least user time of some repeats, and the last result."""
    times = []
    for _ in range(REPEATS):
        before = user()
        result = work()
        times.append(user() - before)
    return min(times), result


def squeeze(*arguments):
    done = subprocess.run([SQUEEZE, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def seconds_of_squeeze(*arguments, count=STEPS):
    def steps(number):
        before = user(resource.RUSAGE_CHILDREN)
        squeeze("run", *arguments, "-n", number, "--threads", 1, "--backend", "cpu")
        return user(resource.RUSAGE_CHILDREN) - before

    return min(steps(1 + count) - steps(1) for _ in range(REPEATS)) / count


def observed(name, *arguments):
    """The last value of an observable after one step."""
    shown = squeeze("run", *arguments, "-n", 1, "--backend", "cpu")
    return int(shown.split(f"{name} = ")[1].split()[0])


def table(title, own, cells, peers):
    """Prints one block of lines; `peers` are (name, seconds)."""
    print(f"\n{title}\n{'squeeze':24} {cells / own / 1e9:8.3f}")
    for name, seconds in peers:
        print(f"{name:24} {cells / seconds / 1e9:8.3f} {seconds / own:8.2f} x", flush=True)


def same(what, one, other):
    if one != other:
        sys.exit(f"{what}: {one} and {other}")


def module(name):
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        print(f"{name} is not installed", file=sys.stderr)
        return None


numba, parasail, edlib = module("numba"), module("parasail"), module("edlib")
rapidfuzz, signal = module("rapidfuzz.distance"), module("scipy.signal")


def loop_of_lcs(a, b):
    before, row = numpy.zeros(len(a) + 1, numpy.int32), numpy.zeros(len(a) + 1, numpy.int32)
    for letter in b:
        for x in range(len(a)):
            row[x + 1] = before[x] + 1 if a[x] == letter else max(row[x], before[x + 1])
        before, row = row, before
    return before[len(a)]


def loop_of_sweep(u, f):
    for y in range(1, u.shape[0] - 1):
        for x in range(1, u.shape[1] - 1):
            near = ((u[y - 1, x] + u[y, x - 1]) + u[y, x + 1]) + u[y + 1, x]
            u[y, x] = numpy.float32(0.25) * (f[y - 1, x - 1] + near)


def alignments(folder):
    chance = numpy.random.default_rng(1)
    texts = [bytes(chance.integers(0, 4, LETTERS, dtype=numpy.uint8) + 65).decode() for _ in "ab"]
    files = [folder / name for name in ("a.txt", "b.txt")]
    for file, text in zip(files, texts):
        file.write_text(text + "\n")
    (folder / "pair.fractal").write_text("domain pair { size inputs }\n")
    inputs = [folder / "pair.fractal", "--input", f"a={files[0]}", "--input", f"b={files[1]}"]
    a, b = (numpy.frombuffer(text.encode(), numpy.uint8) for text in texts)
    cells = LETTERS * LETTERS

    own, length, peers = seconds_of_squeeze(*inputs, "-r", "lcs"), observed("length", *inputs, "-r", "lcs"), []
    if numba:
        loop = numba.njit(loop_of_lcs)
        loop(a[:9], b[:9])
        seconds, found = least(lambda: loop(a, b))
        same("numba", length, found)
        peers.append(("numba, loop over rows", seconds))
    if parasail:
        equal = parasail.matrix_create("ABCD", 1, 0)
        for name in ("nw_diag_32", "nw_scan_32", "nw_striped_32"):
            seconds, found = least(lambda: getattr(parasail, name)(*texts, 0, 0, equal).score)
            same(name, length, found)
            peers.append((f"parasail {name}", seconds))
    table(f"LCS of {LETTERS} letters each, in i32, every cell kept by squeeze alone: 10^9 cells/s", own, cells, peers)
    text = folder / "rules.rule"
    text.write_text(RULES)
    last = [*inputs, "-r", f"{text}#last_line"]
    same("last_line", length, observed("length", *last))
    table("the same, the last line kept", seconds_of_squeeze(*last, count=10 * STEPS), cells, peers)

    own, peers = seconds_of_squeeze(*inputs, "-r", "lcs_bits"), []
    same("lcs_bits", length, observed("length", *inputs, "-r", "lcs_bits"))
    if rapidfuzz:
        seconds, found = least(lambda: rapidfuzz.LCSseq.similarity(*texts))
        same("rapidfuzz", length, found)
        peers.append(("rapidfuzz LCSseq", seconds))
    if edlib:
        peers.append(("edlib, distance", least(lambda: edlib.align(*texts, mode="NW", task="distance"))[0]))
    table("LCS by bits of differences", own, cells, peers)
    last = [*inputs, "-r", f"{text}#bits_of_last_line"]
    same("bits_of_last_line", length, observed("length", *last))
    table("the same, the last line kept", seconds_of_squeeze(*last, count=40 * STEPS), cells, peers)

    own, peers = seconds_of_squeeze(*inputs, "-r", "smith_waterman"), []
    if parasail:
        score, points = observed("score", *inputs, "-r", "smith_waterman"), parasail.matrix_create("ABCD", 2, -1)
        for name in ("sw_diag_32", "sw_striped_32"):
            seconds, found = least(lambda: getattr(parasail, name)(*texts, 3, 1, points).score)
            same(name, score, found)
            peers.append((f"parasail {name}", seconds))
    table("Smith-Waterman, gaps with a price for opening, in i32, every cell kept by squeeze alone", own, cells, peers)
    last = [*inputs, "-r", f"{text}#points_of_last_line"]
    if parasail:
        same("points_of_last_line", score, observed("score", *last))
    table("the same, the last line kept", seconds_of_squeeze(*last, count=5 * STEPS), cells, peers)


def planes(folder):
    text = folder / "rules.rule"
    text.write_text(RULES)

    def values(rule, field, steps):
        out = folder / f"{rule}_{field}_{steps}"
        squeeze("run", f"{text}#box", "--rule", f"{text}#{rule}", "-n", steps, "--out", out, "--backend", "cpu")
        squeeze("export", out, "--field", field, "-o", folder / "values.npy")
        return numpy.load(folder / "values.npy").reshape(SIDE, SIDE)

    arguments, cells = [f"{text}#box", "--rule"], SIDE * SIDE
    own, peers = seconds_of_squeeze(*arguments, f"{text}#relax"), []
    if numba:
        loop, u = numba.njit(loop_of_sweep), numpy.zeros((SIDE + 2, SIDE + 2), numpy.float32)
        f, u[1:-1, 1:-1] = values("relax", "f", 0), values("relax", "u", 0)
        loop(u.copy(), f)
        seconds, _ = least(lambda: loop(u.copy(), f))
        loop(u, f)
        same("numba", u[1:-1, 1:-1].tobytes(), values("relax", "u", 1).tobytes())
        peers.append(("numba, loop", seconds))
    table(f"Gauss-Seidel in f32 on {SIDE} x {SIDE} cells", own, cells, peers)

    own, peers = seconds_of_squeeze(*arguments, f"{text}#filter"), []
    if signal:
        v, share = values("filter", "v", 0), numpy.float32
        seconds, found = least(lambda: signal.lfilter([share(0.1)], [share(1), share(-0.9)], v, axis=1))
        same("scipy", numpy.allclose(found, values("filter", "s", 1), rtol=1e-4), True)
        peers.append(("scipy lfilter", seconds))
    table("A recursive filter along rows in f32", own, cells, peers)


with TemporaryDirectory() as place:
    alignments(Path(place))
    planes(Path(place))
