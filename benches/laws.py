#!/usr/bin/env python3
"""The page of laws (docs/src/laws.md): published critical points, exponents and exact values beside ours.  benches/laws.py SQUEEZE [backend=auto] [only=1,5,27] [seeds=32] [steps=SHARE] [out=FILE] [quick]

    python3 benches/laws.py target/release/squeeze backend=cuda out=laws.md
    python3 benches/laws.py target/debug/squeeze backend=cpu quick

Prints a row of the page as soon as it is known, and writes it to FILE. Each is made by `squeeze sweep` and `squeeze analyse` alone, of rules that ship and those of benches/laws.rule. `quick` makes some rows of
small systems, in seconds, and ends with exit code 1 if one lies more than four errors off; `steps=0.1` takes a tenth of the steps. Updates are those of whole systems, of all sizes, values and seeds; time is what sweeps and analysis took. Rows whose
sweeps an earlier row has made take no time of their own.
"""
import functools
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
SQUEEZE = str(Path(sys.argv[1]).resolve())
OPTIONS = dict(one.split("=", 1) for one in sys.argv[2:] if "=" in one)
QUICK = "quick" in sys.argv[2:]
BACKEND, ONLY, SHARE = OPTIONS.get("backend", "auto"), OPTIONS.get("only", "").split(","), float(OPTIONS.get("steps", "1"))
PLACE = Path(tempfile.mkdtemp(prefix="laws-"))
RULES = str(Path(__file__).resolve().with_suffix(".rule"))
SEEDS = 8 if QUICK else int(OPTIONS.get("seeds", "32"))
ONSAGER = math.log(1 + math.sqrt(2)) / 2
updates = 0


def squeeze(*words):
    told = subprocess.run([SQUEEZE, *map(str, words)], capture_output=True, text=True)
    if told.returncode:
        raise RuntimeError(f"squeeze {' '.join(map(str, words))}: {told.stderr.strip()}")
    return told.stdout


@functools.lru_cache(None)
def sweep(domain, rule, level, values, steps, seeds=None, every=1, more=()):
    """The folder of a sweep; `domain` and `rule` are words of the command, `values` those of --set."""
    global updates
    folder = PLACE / f"sweep{sweep.cache_info().currsize}"
    seeds, steps = seeds or SEEDS, max(60, int(SHARE * steps))
    here = [word.replace("laws#", f"{RULES}#") for word in (*domain.split(), "-r", rule)]
    name, listed = values.split("=", 1)
    low, _, high = str(level).partition("..=")
    updates += steps * seeds * len(listed.split(",")) * (int(high) - int(low) + 1 if high else 1)
    squeeze(
        "sweep", *here, *(["-l", level] if level else []), "-n", steps, "--observe-every", every, "--discard", max(20, steps // 20), "--seeds", f"0..{seeds}",
        "--set", f"{name}={listed}", "--per-member", "--backend", BACKEND, "--quiet", "-o", folder, *more,
    )  # fmt: skip
    return folder


@functools.lru_cache(None)
def members(folder):
    """The means of each member of a sweep: {(seed, value): {observable: mean}}; of a single value the value is `None`."""
    lines = (folder / "per_member.csv").read_text().splitlines()
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","))) for line in lines[1:]]
    varied = [name for name in names if f"{name}_error" in names or f"{name}_tau" in names]
    varied = [name for name in names[names.index("seed") + 1 : names.index(varied[0])] if name not in ("level", "disorder")]
    return {(row["seed"], float(row[varied[0]]) if varied else None): {name: float(text) for name, text in row.items()} for row in rows}


def jackknife(folders, function):
    """A function of means by folder, value and observable, and its error by leaving out one seed in all folders."""
    tables = [members(folder) for folder in folders]
    seeds = sorted({seed for seed, _ in tables[0]})

    def of(without):
        means = []
        for table in tables:
            here = {}
            for value in sorted({value for _, value in table}):
                rows = [table[seed, value] for seed in seeds if seed != without]
                here[value] = {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}
            means.append(here)
        return function(means)

    each = [of(seed) for seed in seeds]
    middle = math.fsum(each) / len(each)
    return of(None), math.sqrt((len(each) - 1) / len(each) * math.fsum((one - middle) ** 2 for one in each))


class Unsure(Exception):
    """Small systems crossed, at a place that has no error."""


def crossing(folders, name, values, binder=None):
    """Where the curves of two sweeps cross, by reweighting."""
    words = ["--binder", f"{name}={binder}"] if binder else []
    told = json.loads(squeeze("analyse", *folders, "--only", name, *words, "--reweight", values, "--crossing", name, "--json"))
    found = told["crossings"]
    if QUICK and len(found) == 1 and found[0]["at"] is not None and found[0]["error"] is None:
        raise Unsure(found[0]["why"])
    if len(found) != 1 or found[0]["at"] is None or found[0]["error"] is None:
        raise RuntimeError(f"no crossing: {found}")
    return found[0]["at"], found[0]["error"]


def around(middle, width):
    return f"{middle - width:.9g},{middle:.9g},{middle + width:.9g}"


def between(middle, width):
    return f"{middle - width:.9g}..={middle + width:.9g}/{width / 4:.9g}"


def inverse(found):
    """A temperature from its inverse."""
    at, error = found
    return 1 / at, error / at**2


def slope(xs, ys, correction=None):
    """The slope of a straight line through logarithms; with a `correction` beside x^-correction by least squares."""
    rows = [[1.0, math.log(x)] + ([x**-correction] if correction else []) for x in xs]
    size = len(rows[0])
    matrix = [[sum(row[i] * row[j] for row in rows) for j in range(size)] + [sum(row[i] * math.log(y) for row, y in zip(rows, ys))] for i in range(size)]
    for i in range(size):
        for j in range(size):
            if i != j:
                factor = matrix[j][i] / matrix[i][i]
                matrix[j] = [b - factor * a for a, b in zip(matrix[i], matrix[j])]
    return matrix[1][size] / matrix[1][1]


LAWS = []


def law(number, quantity, published, source, how, quick=False, places=None):
    """A row: `published` is a number, or a number and its error; `quick` ones are made of small systems too."""
    value, error = published if isinstance(published, tuple) else (published, 0.0)
    return lambda function: LAWS.append((number, quantity, value, error, source, how, quick, function))


def size(full, quick):
    return quick if QUICK else full


# ---- Ising on the square
def square(level):
    return sweep("full_square --periodic", "swendsen_wang", level, f"beta={around(ONSAGER, 0.2 / 2**level)}", size(2000, 300))


def kaufman(n, beta):
    """The energy of a cell of n × n spins on a torus (B. Kaufman, Phys. Rev. 76, 1232, 1949)."""

    def mode(k, q):
        if q == 0:
            return 2 * k + math.log(math.tanh(k))
        return math.acosh(math.cosh(2 * k) / math.tanh(2 * k) - math.cos(math.pi * q / n))

    def log_partition(k):
        # Factors are of e^(n mode / 2), to be within what numbers can hold.
        parts = []
        for odd, sign in ((1, 1), (1, -1), (0, 1), (0, -1)):
            log, up = 0.0, 1
            for q in range(n):
                a = n * mode(k, 2 * q + odd) / 2
                log += abs(a) + math.log(abs(1 + sign * math.exp(-2 * abs(a))))
                up *= -1 if sign < 0 and a < 0 else 1
            parts.append((log, up))
        top = max(log for log, _ in parts)
        return top + math.log(sum(up * math.exp(log - top) for log, up in parts)) + n * n / 2 * math.log(2 * math.sinh(2 * k))

    step = 1e-4
    return -(log_partition(beta + step) - log_partition(beta - step)) / (2 * step) / n**2


@law("1", "Ising, square: T_c", 1 / ONSAGER, "L. Onsager, Phys. Rev. 65, 117, 1944", "cumulants of 256² and 512² cross", quick=True)
def _():
    levels = size((8, 9), (3, 4))
    return inverse(crossing([square(level) for level in levels], "u", f"beta={between(ONSAGER, 0.2 / 2 ** levels[1])}", "m"))


@law("2", "Ising, square: energy of a cell at T_c, less the exact one of a torus of 256²", 0.0, "B. Kaufman, Phys. Rev. 76, 1232, 1949", "mean", quick=True)
def _():
    level = size(8, 4)
    table = members(square(level))
    beta = sorted({value for _, value in table})[1]
    exact = kaufman(2**level, beta)
    return jackknife([square(level)], lambda means: means[0][beta]["energy"] / 4**level - exact)


# ---- Ising on the cube
CUBIC, NU = 0.221654626, 0.629912


def cube(level):
    return sweep("laws#cube --periodic", "swendsen_wang", level, f"beta={around(CUBIC, 0.2 / 2 ** (level / NU))}", {4: 4000, 5: 4000, 6: 2000, 7: 500}[level])


CUBES = (4, 5, 6, 7)


@law("5", "Ising, cubic: K_c", (CUBIC, 5e-9), "A. M. Ferrenberg, J. Xu, D. P. Landau, arXiv:1806.03558", "cumulants of 64³ and 128³ cross")
def _():
    last = CUBES[-2:]
    return crossing([cube(level) for level in last], "u", f"beta={between(CUBIC, 0.2 / 2 ** (last[1] / NU))}", "m")


@law("6", "Ising, cubic: ν", (NU, 86e-6), "arXiv:1806.03558", "dU/dK at K_c, 16³ to 128³")
def _():
    def nu(means):
        slopes = []
        for here in means:
            low, _, high = sorted(here)
            u = [1 - here[k]["m4"] / (3 * here[k]["m2"] ** 2) for k in (low, high)]
            slopes.append((u[1] - u[0]) / (high - low))
        return 1 / slope([2**level for level in CUBES], slopes)

    return jackknife([cube(level) for level in CUBES], nu)


def middle(here):
    return here[sorted(here)[1]]


def alone(means):
    """The means of the only member of each seed of the only sweep."""
    return means[0][None]


@law("7", "Ising, cubic: y_h", (2.48178, 5e-5), "arXiv:2603.02962", "⟨m²⟩ at K_c of 16³ to 128³ grows as L^(2 y_h − 6), beside L^−0.83")
def _():
    return jackknife([cube(level) for level in CUBES], lambda means: 3 + slope([2**level for level in CUBES], [middle(here)["improved"] for here in means], 0.83) / 2)


@law("8", "Swendsen and Wang's moves, cubic: z of the energy", (0.459, 0.026), "G. Ossola, A. D. Sokal, hep-lat/0402019", "τ at K_c, 16³ to 128³")
def _():
    return jackknife([cube(level) for level in CUBES], lambda means: slope([2**level for level in CUBES], [middle(here)["energy_tau"] for here in means]))


# ---- Potts
@law("9", "Potts, q = 3, square: β_c", math.log(1 + math.sqrt(3)), "R. B. Potts, Proc. Camb. Phil. Soc. 48, 106, 1952", "cumulants of 128² and 256² cross", quick=True)
def _():
    levels = size((7, 8), (3, 4))
    exact = math.log(1 + math.sqrt(3))
    folders = [sweep("full_square --periodic", "laws#kinds", level, f"beta={around(exact, 0.3 / 2 ** (1.2 * level))}", size(3000, 300)) for level in levels]
    return crossing(folders, "u", f"beta={between(exact, 0.3 / 2 ** (1.2 * levels[1]))}", "m")


# ---- Ising on the carpet: one sweep of all levels, whose members exchange, so that each draws by a key of its own
@functools.lru_cache(None)
def meetings():
    """Where the cumulants of the carpet's levels 3 to 7 cross those of the next level, in β."""
    folder = sweep("sierpinski_carpet", "swendsen_wang", "3..=7", f"beta={','.join(f'{0.672 + 0.001 * at:.4g}' for at in range(21))}", 1200, 16, 4, ("--exchange", "beta", "--exchange-every", "10"))
    told = json.loads(squeeze("analyse", folder, "--only", "u", "--binder", "u=m", "--reweight", "beta=0.6724..=0.6918/0.0002", "--crossing", "u", "--json"))
    found = {one["levels"][0]: (one["at"], one["error"]) for one in told["crossings"]}
    if len(found) != 4 or None in sum(found.values(), ()):
        raise RuntimeError(f"no crossing: {told['crossings']}")
    return found


def meet(level):
    return meetings()[str(level)]


@law("11", "Ising, carpet: T_c", (1.4783, 1e-4), "J. Genzor, arXiv:1904.10645v1", "cumulants of levels 3 to 7, in one sweep, cross at β_c + a q^level")
def _():
    found = [meet(level) for level in range(3, 7)]

    def limit(places):
        best = None
        for step in range(20, 90):
            powers = [(step / 100) ** at for at in range(len(places))]
            weights = [1 / error**2 for _, error in found]
            sums = [math.fsum(w * p**a * x**b for w, p, x in zip(weights, powers, places)) for a, b in ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1))]
            base = (sums[2] * sums[3] - sums[1] * sums[4]) / (sums[0] * sums[2] - sums[1] ** 2)
            size_of = (sums[3] - base * sums[0]) / sums[1]
            miss = math.fsum(w * (x - base - size_of * p) ** 2 for w, p, x in zip(weights, powers, places))
            best = min(best or (miss, base), (miss, base))
        return 1 / best[1]

    draw = random.Random(1)
    spread = [limit([draw.gauss(at, error) for at, error in found]) for _ in range(400)]
    mean = math.fsum(spread) / len(spread)
    return limit([at for at, _ in found]), math.sqrt(math.fsum((one - mean) ** 2 for one in spread) / (len(spread) - 1))


@law("12", "Ising, carpet: β where cumulants of levels 3 and 4 cross", (0.6893, 0.0010), "single-cluster moves, thirteen minutes of one core", "crossing in that sweep")
def _():
    return meet(3)


@law("12", "the same of levels 4 and 5", (0.6823, 0.0011), "the same", "the same")
def _():
    return meet(4)


for level, exactly in ((4, (2.31, 0.06)), (5, (2.57, 0.10)), (6, (2.91, 0.22))):

    @law("31", f"Swendsen and Wang's moves, carpet of level {level}: τ of the energy at T = 1.4749", exactly, "one core, a program of its own", "mean over seeds")
    def _(level=level):
        return jackknife([sweep("sierpinski_carpet", "swendsen_wang", level, f"beta={1 / 1.4749:.9g}", {4: 4000, 5: 4000, 6: 3000}[level])], lambda means: alone(means)["energy_tau"])


# ---- Ising on carpets of level k, tiled
for k, n, exactly in ((1, 7, 1.838423079), (2, 6, 1.653855017), (3, 5, 1.567585602), (4, 4, 1.525655035), (5, 3, 1.504463457)):

    @law("14" if k < 4 else "15", f"Ising, tiled carpets of level {k}: T_c", exactly, "exactly, as D. Codello, V. Drach, A. Hietanen, arXiv:1505.02699, do", f"cumulants of sides {3**k * 2 ** (n - 1)} and {3**k * 2**n} cross")
    def _(k=k, n=n, exactly=exactly):
        # Wide enough for three errors on each side.
        width = {1: 0.2, 2: 0.2, 3: 0.3, 4: 0.4, 5: 0.4}[k] / (3**k * 2**n)
        folders = [sweep(f"laws#carpets_{k} --periodic", "swendsen_wang", k + of, f"beta={around(1 / exactly, width * 2 ** (n - of))}", {1: 2000, 2: 2000, 3: 1500, 4: 700, 5: 500}[k], every=4) for of in (n - 1, n)]
        return inverse(crossing(folders, "u", f"beta={between(1 / exactly, width)}", "m"))


# ---- Ising on the gasket, whose bonds are a tree
def gasket(level, tanh):
    """The sum of the correlations of all pairs of cells: from the origin, from a tip, of all; how far tips lie from the origin and from each other."""
    origin, tip, pairs, high, wide = 1.0, 1.0, 1.0, 0, 0
    for _ in range(level):
        pairs = 3 * pairs + 4 * tip * tanh * origin + 2 * origin**2 * tanh ** (wide + 2)
        tip, origin = tip + tanh ** (high + 1) * tip + tanh ** (high + wide + 2) * origin, origin * (1 + 2 * tanh ** (high + 1))
        high, wide = 2 * high + 1, 2 * high + 2 + wide
    return pairs


@law("17", "Ising, gasket at β = 1: energy of a cell", -math.tanh(1), "its bonds are a tree: −tanh β of a bond; no order", "mean at level 10, whose cells have 1 − 3^−10 bonds", quick=True)
def _():
    level = size(10, 5)
    return jackknife([sweep("sierpinski_triangle", "swendsen_wang", level, "beta=1", size(2000, 200))], lambda means: alone(means)["energy"] / (3**level - 1))


@law("17", "the same: cells × ⟨m²⟩ of level 10 over the sum of all correlations", 1.0, "tanh β to the distance, over all pairs", "improved", quick=True)
def _():
    level = size(10, 5)
    exact = gasket(level, math.tanh(1)) / 9**level
    return jackknife([sweep("sierpinski_triangle", "swendsen_wang", level, "beta=1", size(2000, 200))], lambda means: alone(means)["improved"] / exact)


# ---- Percolation
def percolation(level):
    # Values close enough to share samples, whose numbers of open bonds are spread by 0.35 / 2^level of all.
    return sweep("full_square --periodic", "laws#bonds", level, f"p={around(0.5, 1.2 / 2**level)}", size({6: 1000, 7: 1000, 8: 1000, 9: 500, 10: 250}, {3: 300, 4: 300})[level])


@law("18", "Bond percolation, square: clusters a cell at p = 1/2", (3 * math.sqrt(3) - 5) / 2, "H. N. V. Temperley, E. H. Lieb, Proc. R. Soc. A 322, 251, 1971", "mean, 1024², of which 0.88 clusters are left out", quick=True)
def _():
    level = size(10, 4)
    return jackknife([percolation(level)], lambda means: (means[0][0.5]["number"] - 0.8835) / 4**level)


@law("18", "the same: p where chances to go round cross", 0.5, "H. Kesten, Commun. Math. Phys. 74, 41, 1980", "512² and 1024²", quick=True)
def _():
    levels = size((9, 10), (3, 4))
    return crossing([percolation(level) for level in levels], "some", f"p={between(0.5, 1.2 / 2 ** levels[1])}")


@law("20", "Bond percolation, square: chance of two clusters across or more", (0.00658, 3e-5), "L. N. Shchur, S. S. Kosyakov, 1997", "129 × 128 cells")
def _():
    return jackknife([sweep("laws#rectangle", "laws#bonds", None, "p=0.5", 6000, 128)], lambda means: alone(means)["several"])


@law("22", "Site percolation, cubic: p_c", (0.31160, 12e-5), "arXiv:1501.01586", "chances to go round of 64³ and 128³ cross")
def _():
    folders = [sweep("laws#cube --periodic", "laws#sites", level, f"p={around(0.3116, 0.2 / 2 ** (level / 0.88))}", steps) for level, steps in ((6, 500), (7, 100))]
    return crossing(folders, "some", f"p={between(0.3116, 0.2 / 2 ** (7 / 0.88))}")


@law("23", "Bond percolation, square: dimension of the largest cluster", 91 / 48, "B. Nienhuis, J. Stat. Phys. 34, 731, 1984", "64² to 1024²")
def _():
    levels = range(6, 11)
    return jackknife([percolation(level) for level in levels], lambda means: slope([2**level for level in levels], [middle(here)["largest"] for here in means]))


for rule, name, threshold in (("laws#sites", "Site", 0.759), ("laws#bonds", "Bond", 0.684)):

    @law("24", f"{name} percolation, carpet: p where chances to go across of levels 5 and 6 cross", (threshold, 5e-4), "a program of its own (M. E. J. Newman, R. M. Ziff, Phys. Rev. Lett. 85, 4104, 2000)", "crossing")
    def _(rule=rule, threshold=threshold):
        folders = [sweep("sierpinski_carpet", rule, level, f"p={around(threshold, width)}", 400) for level, width in ((5, 0.004), (6, 0.002))]
        return crossing(folders, "some", f"p={between(threshold, 0.002)}")


# ---- XY
XY = 0.45420


def turns(level):
    return sweep("laws#cube --periodic", "laws#xy", level, f"beta={around(XY, 0.3 / 2 ** (level / 0.67))}", {3: 4000, 4: 4000, 5: 4000, 6: 2500}[level], every=4)


@law("25", "XY, cubic: K_c", (XY, 2e-5), "A. P. Gottlob, M. Hasenbusch, Physica A 201, 593, 1993", "cumulants of 32³ and 64³ cross")
def _():
    return crossing([turns(5), turns(6)], "u", f"beta={between(XY, 0.3 / 2 ** (6 / 0.67))}", "m")


@law("25", "XY, cubic: γ/ν", (1.9619, 8e-5), "M. Hasenbusch, arXiv:1910.05916 (2 − η)", "⟨m²⟩ of 8³ to 64³, each where ⟨m⁴⟩ is 1.243 ⟨m²⟩², grows as L^(γ/ν − 3), beside L^−0.79")
def _():
    levels = (3, 4, 5, 6)

    def moment(here):
        """⟨m²⟩ at the value of K at which the moments have that ratio, by a parabola through what is seen at three values: no K_c is asked, and errors of the two moments cancel."""
        points = [(one["m4"] / one["m2"] ** 2, one["m2"]) for one in here.values()]
        parts = [y * math.prod((1.243 - other) / (x - other) for other, _ in points if other != x) for x, y in points]
        return math.fsum(parts)

    return jackknife([turns(level) for level in levels], lambda means: 3 + slope([2**level for level in levels], [moment(here) for here in means], 0.79))


@law("26", "XY, square: η at T = 0.8933", (0.243, 0.005), "cond-mat/0202161", "⟨m²⟩ of 64² to 512² falls as L^−η")
def _():
    levels = (6, 7, 8, 9)
    folders = [sweep("full_square --periodic", "laws#xy", level, f"beta={1 / 0.8933:.9g}", 2000, every=4) for level in levels]
    return jackknife(folders, lambda means: -slope([2**level for level in levels], [here[None]["m2"] for here in means]))


# ---- Spin glass
@law("27", "±J, square: energy of a cell of ground states", (-1.4015, 0.0008), "C. De Simone et al., MPI-I-96-1-004, 1996", "the least of 16² with exchange, 200 disorders")
def _():
    folder = sweep("full_square --periodic", "edwards_anderson", 4, "beta=0.3,0.6,0.9,1.2,1.5,1.8,2.1,2.4,2.7,3.0", 10000, 200, 20, ("--exchange", "beta", "--exchange-every", "10"))
    ladder = {row.split(",")[0]: row.split(",")[1] for row in (folder / "members.csv").read_text().splitlines()[1:]}
    lines = (folder / "observables.csv").read_text().splitlines()
    column, least = lines[0].split(",").index("energy"), {}
    for line in lines[1:]:
        cells = line.split(",")
        seed = ladder[cells[0]]
        least[seed] = min(least.get(seed, 0), float(cells[column]))
    values = [energy / 256 for energy in least.values()]
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1) / len(values))


def shown(value, error):
    """A value with its error in its last digits."""
    if error == 0:
        return f"{value:.10g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{digits}f}({round(error * 10**digits)})"


def main():
    global updates
    head = "| law | published | source | how | ours | z | updates | seconds |\n|---|---|---|---|---|---|---|---|"
    table, worst, failures = [head], 0.0, 0
    print(head, flush=True)
    chosen = [row for number in ONLY for row in LAWS if row[0] == number] if ONLY != [""] else LAWS
    for _, quantity, value, error, source, how, quick, function in chosen:
        if QUICK and not quick:
            continue
        updates, begin = 0, time.monotonic()
        try:
            found, deviation = function()
        except Unsure as error:
            print(f"{quantity}: no error of a small system: {error}", flush=True)
            continue
        except RuntimeError as error:
            print(f"{quantity}: {error}", flush=True)
            failures += 1
            continue
        z = (found - value) / math.hypot(error, deviation)
        worst = max(worst, abs(z))
        row = f"| {quantity} | {shown(value, error)} | {source} | {how} | {shown(found, deviation)} | {z:+.1f} | {updates:.2g} | {time.monotonic() - begin:.1f} |"
        table.append(row)
        print(row, flush=True)
        if "out" in OPTIONS:
            Path(OPTIONS["out"]).write_text("\n".join(table) + "\n")
    shutil.rmtree(PLACE)
    print(f"{len(table) - 1} rows, the largest z {worst:.1f}, {failures} failures")
    return int(failures > 0 or QUICK and worst > 4)


if __name__ == "__main__":
    sys.exit(main())
