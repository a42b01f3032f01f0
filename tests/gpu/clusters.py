#!/usr/bin/env python3
"""Clusters on a GPU: tests/gpu/clusters.py SQUEEZE [digests] [members] [resume] [sanitize]

digests: digests and observables of all that can be asked of clusters are those of the CPU, step by step, on fractals, masks, boxes and tori. members: tables of sweeps are the same bytes, with
exchange and without. resume: a run that is stopped and resumed has the digests of one that is not. sanitize: memcheck and synccheck over a case of each storage; threads of a tile join clusters side by side, which racecheck would call a race. Without names all.
"""
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE = str(Path(sys.argv[1]).resolve())
PARTS = sys.argv[2:] or ["digests", "members", "resume", "sanitize"]
TEXT = """
rule asked {
    param p: f64 = 0.5
    state site: bit
    state n: i32
    state k: u8
    bond open over von_neumann: bit
    clusters c of open
    clusters d of open when site
    init site = random(0.9)
    init n = i32(below(50)) - 20
    init k = u8(below(200))
    init open = random(p)
    state root: i64
    state size: i64
    state total: i64
    state least: i32
    state most: u8
    state word: u32
    state chance: f32
    state way: u32
    state bits: u8
    step ask {
        next root = root(d)
        next size = count() of c
        next total = sum(n) of d + count(n > 3) of d
        next least = min(n) of d else 100
        next most = max(k) of c
        next word = bits() at d
        next chance = uniform() at c
        next way = below(u32(k)) at d
        next bits = u8(any(n > 27) of c) + 2 * u8(all(n < 25) of d) + 4 * u8(spans(c, x)) + 8 * u8(spans(d, y)) + 16 * u8(random(0.375) at d) + 32 * u8(random(f32(k) / 256.0) at c)
        next open = if random(0.3) { random(p) } else { open }
        next n = n + i32(below(3)) - 1
    }
    observe number = count(true per c)
    observe largest = max(count() of c)
    observe squares = sum(count() of c * count() of c per c)
}
rule turned {
    param beta: f64 = 0.44068679350977147
    state up: bit
    bond open over von_neumann: bit
    clusters c of open
    init up = random(0.5)
    step join { next open = up == nb.up && random(1.0 - exp(-2.0 * beta)) }
    step turn { next up = random(0.5) at c }
    observe m = sum(if up { 1 } else { -1 })
    observe e = sum(if up == nb.up { -1 } else { 1 } over von_neumann)
    observe largest = max(count() of c)
    equilibrium exp(-beta * e)
}
rule near {
    state spin: u8
    init spin = u8(below(3))
    bond near over moore = spin == nb.spin && random(0.3)
    clusters c of near
    next spin = u8(below(3) at c)
}
rule whole {
    state up: bit
    init up = random(0.5)
    bond all over von_neumann = up || !up
    clusters c of all
    state size: i64
    state round: bit
    next up = random(0.5) at c
    next size = count() of c
    next round = spans(c, x)
}
domain square { fractal full_square  periodic }
domain carpet { fractal sierpinski_carpet  periodic }
domain torus { size (1024, 1024)  periodic }
domain odd { size (1301, 777)  periodic x }
domain rags { size (1501, 603)  cells random(0.75)  periodic }
domain lumps { size (2100, 500)  cells (x / 700 + y / 7) % 2 == 0 && random(0.9) }
domain cube { size (130, 90, 70)  periodic x, z }
domain space { size (200, 100, 50)  cells random(0.6)  periodic y }
domain line { size (100000, 1)  periodic x }
"""
DOMAINS = [["#square", "-l", "9"], ["#square", "-l", "5"], ["#carpet", "-l", "5"], ["sierpinski_carpet", "-l", "6"], ["sierpinski_triangle", "-l", "12"], ["vicsek", "-l", "7"],
           ["menger_sponge", "-l", "4"], ["tetrix", "-l", "8"], ["filigree", "-l", "5"], ["cantor_set", "-l", "10"], ["#torus"], ["#odd"], ["#rags"], ["#lumps"], ["#cube"], ["#space"], ["#line"]]
failures = []


def squeeze(*words, prefix=()):
    return subprocess.run([*prefix, SQUEEZE, *words], capture_output=True, text=True)


def judge(what, same, detail=""):
    print(f"{what}: {'same' if same else 'OTHER ' + detail}", flush=True)
    if not same:
        failures.append(what)


def at(place, domain):
    return [f"{place}/c.rule{domain[0]}" if domain[0].startswith("#") else domain[0], *domain[1:]]


def sight(place, domain, rule, backend, steps, *more, prefix=()):
    done = squeeze("run", *at(place, domain), "-r", f"{place}/c.rule#{rule}", "-n", str(steps), "--backend", backend, "--json", *more, prefix=prefix)
    if done.returncode != 0:
        return {"error": done.stderr[-500:]}
    found = json.loads(done.stdout)
    return {"digest": found["digest"], "observables": found["observables"]}


def digests(place):
    def compare(case):
        domain, rule = case
        wanted, found = (sight(place, domain, rule, backend, 5) for backend in ("cpu", "cuda"))
        judge(f"{rule} on {' '.join(domain)}", found == wanted and "error" not in found, f"{found} in place of {wanted}")

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(compare, [(domain, rule) for domain in DOMAINS for rule in ("asked", "turned", "near", "whole")]))


def members(place):
    for domain in (["#carpet", "-l", "4"], ["sierpinski_triangle", "-l", "6"], ["#square", "-l", "6"]):
        for name, more in (("alone", []), ("exchange", ["--exchange", "beta", "--exchange-every", "5"])):
            tables = []
            for backend in ("cpu", "cuda"):
                out = Path(place, f"{backend}-{name}-{domain[0].strip('#')}")
                done = squeeze("sweep", *at(place, domain), "-r", f"{place}/c.rule#turned", "-n", "100", "--observe-every", "5", "--seeds", "0..3", "--set", "beta=0.35..=0.5/0.05",
                               *more, "--backend", backend, "--quiet", "-o", str(out))
                tables.append({table.name: table.read_bytes() for table in out.glob("*.csv")} if done.returncode == 0 else done.stderr)
            judge(f"sweep, {name}, on {' '.join(domain)}", tables[0] == tables[1], str(tables[1])[:500])


def resume(place):
    for domain in (["#carpet", "-l", "5"], ["#rags"]):
        out = str(Path(place, f"run-{domain[0].strip('#')}"))
        where = [*at(place, domain), "-r", f"{place}/c.rule#turned", "--backend", "cuda", "--json"]
        whole = squeeze("run", *where, "-n", "40")
        squeeze("run", *where, "-n", "23", "-o", out, "--save-every", "23")
        rest = squeeze("resume", out, "--steps", "40", "--json")
        same = whole.returncode == 0 == rest.returncode and json.loads(whole.stdout)["digest"] == json.loads(rest.stdout)["digest"]
        judge(f"resumed on {' '.join(domain)}", same, whole.stderr + rest.stderr)


def sanitize(place):
    for tool in ("memcheck", "synccheck"):
        for domain in (["#carpet", "-l", "3"], ["#rags"], ["menger_sponge", "-l", "2"]):
            prefix = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9"]
            done = squeeze("run", *at(place, domain), "-r", f"{place}/c.rule#asked", "-n", "2", "--backend", "cuda", prefix=prefix)
            said = done.stdout + done.stderr
            judge(f"{tool} on {' '.join(domain)}", done.returncode == 0 and "SUMMARY: 0" in said, said[-600:])


with TemporaryDirectory(prefix="clusters-") as place:
    Path(place, "c.rule").write_text(TEXT)
    for part in PARTS:
        {"digests": digests, "members": members, "resume": resume, "sanitize": sanitize}[part](place)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
