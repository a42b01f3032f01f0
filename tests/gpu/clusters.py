#!/usr/bin/env python3
"""Clusters on a GPU: tests/gpu/clusters.py SQUEEZE [digests] [members] [resume] [sanitize]

digests: digests and observables of all that can be asked of clusters are those of the CPU, step by step, on fractals, masks, boxes and tori. members: tables of sweeps are the same bytes, with
exchange and without. resume: a run that is stopped and resumed has the digests of one that is not. sanitize: memcheck and synccheck over a case of each storage; threads of a tile join clusters side by side, which racecheck would call a race. Without names all.
"""
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE = str(Path(sys.argv[1]).resolve())
PARTS = sys.argv[2:] or ["digests", "members", "resume", "sanitize"]
RULES = Path(__file__).with_name("clusters.rule").read_text()
LARGE = """
domain square { fractal full_square  periodic }
domain carpet { fractal sierpinski_carpet  periodic }
domain torus { size (1024, 1024)  periodic }
domain odd { size (1301, 777)  periodic x }
domain rags { size (1501, 603)  cells random(0.75)  periodic }
domain lumps { size (2100, 500)  cells (x / 700 + y / 7) % 2 == 0 && random(0.9) }
domain cube { size (130, 90, 70)  periodic x, z }
domain space { size (200, 100, 50)  cells random(0.6)  periodic y }
domain lines { fractal line  periodic }
domain slab { size (131, 1, 40)  periodic x, z }
domain long { size (100000, 1)  periodic x }
"""
DOMAINS = [["#square", "-l", "9"], ["#square", "-l", "5"], ["#carpet", "-l", "5"], ["sierpinski_carpet", "-l", "6"], ["sierpinski_triangle", "-l", "12"], ["vicsek", "-l", "7"],
           ["menger_sponge", "-l", "4"], ["tetrix", "-l", "8"], ["filigree", "-l", "5"], ["cantor_set", "-l", "10"], ["line", "-l", "12"], ["cantor_line", "-l", "10"], ["#lines", "-l", "7"], ["#slab"], ["#torus"], ["#odd"], ["#rags"], ["#lumps"], ["#cube"], ["#space"], ["#long"]]
RULE_NAMES = re.findall(r"^rule (\w+)", RULES, re.MULTILINE)
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
        list(workers.map(compare, [(domain, rule) for domain in DOMAINS for rule in RULE_NAMES]))


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
    Path(place, "c.rule").write_text(RULES + LARGE)
    for part in PARTS:
        {"digests": digests, "members": members, "resume": resume, "sanitize": sanitize}[part](place)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
