#!/usr/bin/env python3
"""Swendsen and Wang's update of the Ising model at the critical point on a GPU: benches/swendsen_wang.py SQUEEZE [backend=cuda] [times=3] [steps=SHARE] [check]

    python3 benches/swendsen_wang.py target/release/squeeze check

Prints updates of spins in each nanosecond, of the best of some runs: (time of many steps − time of few) / steps between, so that what happens once does not count. `steps=0.1` takes
a tenth of the steps. check: small cases have the digests of the backend `cpu` first.
"""
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SQUEEZE = str(Path(sys.argv[1]).resolve())
OPTIONS = dict(one.split("=") for one in sys.argv[2:] if "=" in one)
BACKEND, SHARE = OPTIONS.get("backend", "cuda"), float(OPTIONS.get("steps", "1"))
TEXT = """
rule turned {
    param beta: f64 = 0.44068679350977147
    state up: bit
    init up = random(0.5)
    bond open over von_neumann = up == nb.up && random(1.0 - exp(-2.0 * beta))
    clusters c of open
    next up = random(0.5) at c
    observe m = sum(if up { 1 } else { -1 })
}
domain square { fractal full_square  periodic }
domain box { size (8192, 8192)  periodic }
domain small { size (1024, 1024)  periodic }
domain rags { size (8192, 8192)  cells random(0.9)  periodic }
"""
# The name, the domain, its cells, beta, members, steps, and the aim.
CARPET = "0.68"
CASES = [
    ("torus 8192², level 13", ["{}#square", "-l", "13"], 8192**2, None, 1, 400, 45),
    ("torus 8192², rows", ["{}#box"], 8192**2, None, 1, 400, 45),
    ("torus 1024², rows", ["{}#small"], 1024**2, None, 1, 4000, None),
    ("torus 8192² with holes", ["{}#rags"], None, None, 1, 200, None),
    ("carpet 8", ["sierpinski_carpet", "-l", "8"], 8**8, CARPET, 1, 1000, 20),
    ("carpet 5", ["sierpinski_carpet", "-l", "5"], 8**5, CARPET, 1, 10000, None),
    ("carpet 5, 64 members", ["sierpinski_carpet", "-l", "5"], 8**5, CARPET, 64, 4000, None),
    ("sponge 5", ["menger_sponge", "-l", "5"], 20**5, "0.3", 1, 200, None),
]
failures = 0


def took(domain, beta, members, steps, folder):
    set_beta = ["--set", f"beta={beta}"] if beta else []
    more = ["--seeds", f"0..{members}", "--observe-every", str(steps), "--quiet", "-o", str(folder)] if members > 1 else ["--no-digest", "--json"]
    command = [SQUEEZE, "sweep" if members > 1 else "run", *domain, "-r", RULE, "-n", str(steps), "--backend", BACKEND, *set_beta, *more]
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def check():
    global failures
    for domain in (["sierpinski_carpet", "-l", "4"], [f"{PLACE}/c.rule#small"], [f"{PLACE}/c.rule#square", "-l", "7"]):
        digests = []
        for backend in (BACKEND, "cpu"):
            command = [SQUEEZE, "run", *domain, "-r", RULE, "-n", "20", "--backend", backend, "--json"]
            digests.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["digest"])
        failures += digests[0] != digests[1]
        print(f"{' '.join(domain)}: {'the same digest as' if digests[0] == digests[1] else 'ANOTHER digest than'} on the CPU", flush=True)


with tempfile.TemporaryDirectory(prefix="swendsen-wang-") as place:
    PLACE, RULE = place, f"{place}/c.rule#turned"
    Path(place, "c.rule").write_text(TEXT)
    if "check" in sys.argv:
        check()
    rates, count = {}, 0
    for name, domain, cells, beta, members, steps, aim in CASES:
        domain = [word.format(f"{place}/c.rule") for word in domain]
        cells = cells or 0.9 * 8192**2
        steps, best = max(10, int(SHARE * steps)), None
        took(domain, beta, members, 4, f"{place}/{count}")
        for _ in range(int(OPTIONS.get("times", "3"))):
            count += 2
            seconds = [took(domain, beta, members, n, f"{place}/{count + at}") for at, n in enumerate((steps // 10, steps))]
            best = min(seconds[1] - seconds[0], best or seconds[1])
        each = best / (steps - steps // 10)
        rates[name] = members * cells / (1e9 * each)
        met = "" if aim is None else f" (aim {aim}: {'met' if rates[name] >= aim else 'missed'})"
        print(f"{name}: {1e6 * each:.1f} µs a step, {rates[name]:.1f} flips/ns{met}", flush=True)
    share = rates["carpet 5, 64 members"] / rates["carpet 8"]
    print(f"64 members of carpet 5 have {share:.2f} of the rate of carpet 8 (aim 0.5: {'met' if share >= 0.5 else 'missed'})")
print(f"{failures} failures")
sys.exit(failures > 0)
