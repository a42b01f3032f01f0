"""The model's table of `docs/src/clusters.md`: `python benches/model.py SQUEEZE [MACHINE]` asks `info --ranks` and prints it.

A field is the share of N times one's speed that N are expected to reach; `–` is where N do not hold the run. The largest take a minute each.
"""

import json
import subprocess
import sys

# The domain, its level, the rule, and the least of RANKS that holds it.
CASES = [
    ("sierpinski_triangle", 20, "life", 2),
    ("sierpinski_triangle", 25, "life", 8),
    ("sierpinski_triangle", 28, "life", 64),
    ("sierpinski_triangle", 18, "heat", 2),
    ("sierpinski_triangle", 21, "heat", 2),
    ("sierpinski_carpet", 11, "life", 2),
    ("sierpinski_carpet", 12, "life", 2),
    ("menger_sponge", 7, "life_3d", 2),
    ("T65536", None, "life", 2),
    ("T32768", None, "ising", 2),
]
RANKS = [2, 8, 64, 1024]


def share(squeeze, machine, domain, level, rule, ranks):
    """The expected share in percent, or what `info` says in its place."""
    command = [squeeze, "info", domain, "--rule", rule, "--ranks", str(ranks), "--machine", machine, "--json"]
    command += ["--level", str(level)] if level is not None else []
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return found.stderr.splitlines()[0]
    answer = json.loads(found.stdout)["ranks"]
    if answer["seconds_per_pass"] is None:
        return "no estimate"
    return f"{100 * answer['seconds_alone'] / answer['seconds_per_pass'] / ranks:.0f}%"


def main():
    squeeze, machine = sys.argv[1], (sys.argv[2:] or ["h200"])[0]
    print(f"| {machine} | " + " | ".join(map(str, RANKS)) + " |\n|---|" + "---|" * len(RANKS))
    for domain, level, rule, least in CASES:
        name = domain if level is None else f"{domain} {level}"
        print(f"| {rule}, {name} |", end="", flush=True)
        for ranks in RANKS:
            print(f" {share(squeeze, machine, domain, level, rule, ranks) if ranks >= least else '–'} |", end="", flush=True)
        print(flush=True)


main()
