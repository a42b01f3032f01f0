#!/usr/bin/env python3
"""One run on one GPU and on several, in turn: benches/devices.py SQUEEZE DEVICES [speed] [large] [peer]

    python3 benches/devices.py target/release/squeeze 0,1

speed: each case runs on the first of DEVICES alone and on all of them, twice in turn; the best of each counts, and digests must agree. large: what one GPU may not hold, on all of DEVICES,
and on the first alone where it fits. peer: JAX shards the torus over as many GPUs (benches/peers/devices/jax_torus.py). Without names all. The last line counts failures.
"""
import json
import subprocess
import sys
from pathlib import Path

SQUEEZE, DEVICES = sys.argv[1], sys.argv[2]
PARTS = sys.argv[3:] or ["speed", "large", "peer"]
COUNT = len(DEVICES.split(","))
FIRST = DEVICES.split(",")[0]
# The name, the domain and its options, the rule, steps, and the aim for two.
CASES = [
    ("life, triangle 20", ["sierpinski_triangle", "-l", "20"], "life", 8000, 1.85),
    ("heat, triangle 18", ["sierpinski_triangle", "-l", "18"], "heat", 4000, 1.9),
    ("life, carpet 11", ["sierpinski_carpet", "-l", "11"], "life", 3000, 1.85),
    ("life, torus 65536²", ["T65536"], "life", 4000, 1.85),
    ("Ising, torus 32768²", ["T32768"], "ising", 1500, 1.9),
]
LARGE = [
    ("heat, triangle 21", ["sierpinski_triangle", "-l", "21"], "heat", 96, None),
    ("life, carpet 13", ["sierpinski_carpet", "-l", "13"], "life", 24, None),
    ("heat, triangle 22", ["sierpinski_triangle", "-l", "22"], "heat", 48, None),
]
failures = 0


def step(domain, rule, steps, devices):
    """Microseconds a step and the digest, or why there is none."""
    command = [SQUEEZE, "run", *domain, "-r", rule, "-n", str(steps), "--seed", "3", "--activity", "off", "--json", "--allow-nan", "--backend", "cuda", "--devices", devices]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit code {done.returncode}"
    result = json.loads(done.stdout)
    return 1e6 * result["seconds_per_step"], result["digest"]


def compare(case, times):
    global failures
    name, domain, rule, steps, aim = case
    best, digests = {}, {}
    for _ in range(times):
        for devices in (FIRST, DEVICES):
            took, digest = step(domain, rule, steps, devices)
            if took is None:
                print(f"{name} on {devices}: {digest}", flush=True)
                continue
            best[devices] = min(took, best.get(devices, took))
            if digests.setdefault("digest", digest) != digest:
                failures += 1
                print(f"{name}: DIGESTS DIFFER", flush=True)
    if FIRST in best and DEVICES in best:
        ratio = best[FIRST] / best[DEVICES]
        told = f", aim {aim}: {'met' if ratio >= aim else 'missed'}" if aim and COUNT == 2 else ""
        print(f"{name}: {best[FIRST]:.2f} µs a step on {FIRST}, {best[DEVICES]:.2f} on {DEVICES}: {ratio:.3f} times as fast{told}", flush=True)
    elif DEVICES in best:
        print(f"{name}: {best[DEVICES]:.1f} µs a step on {DEVICES}", flush=True)
    else:
        failures += 1


for part, cases, times in (("speed", CASES, 2), ("large", LARGE, 1)):
    for case in cases if part in PARTS else []:
        compare(case, times)
if "peer" in PARTS:
    subprocess.run([sys.executable, str(Path(__file__).with_name("peers") / "devices" / "jax_torus.py"), str(COUNT)], check=False)
print(f"{failures} failures")
sys.exit(failures > 0)
