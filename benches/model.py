"""The model's table of `docs/src/clusters.md`: `python benches/model.py SQUEEZE [MACHINE]` asks `info --ranks` and prints it."""

import json
import subprocess
import sys

CASES = [
    ("sierpinski_triangle", 20, "life"),
    ("sierpinski_triangle", 25, "life"),
    ("sierpinski_triangle", 18, "heat"),
    ("sierpinski_triangle", 21, "heat"),
    ("sierpinski_carpet", 11, "life"),
    ("sierpinski_carpet", 12, "life"),
    ("menger_sponge", 7, "life_3d"),
    ("benches/domains.fractal#torus_65536", None, "life"),
]
RANKS = [2, 8, 64, 1024]


def asked(squeeze, machine, domain, level, rule, ranks):
    """The answer of `info`, or what it refuses."""
    command = [squeeze, "info", domain, "--rule", rule, "--ranks", str(ranks), "--machine", machine, "--json"]
    command += ["--level", str(level)] if level is not None else []
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return found.stderr.splitlines()[0]
    answer = json.loads(found.stdout)["ranks"]
    return f"{rule} on {domain}, {ranks} ranks: no estimate" if answer["seconds_per_pass"] is None else answer


def entry(answer):
    """A field of the table: the time of a step, and the share of N times one's speed."""
    if isinstance(answer, str):
        return "–"
    steps, ranks = answer["steps_per_pass"], len(answer["sent"])
    step, share = answer["seconds_per_pass"] / steps, answer["seconds_alone"] / answer["seconds_per_pass"] / ranks
    return f"{1e6 * step:.3g} µs, {100 * share:.0f}%"


def main():
    squeeze, machine = sys.argv[1], (sys.argv[2:] or ["h200"])[0]
    print(f"| {machine}, a step on | one | " + " | ".join(map(str, RANKS)) + " |\n|---|---|" + "---|" * len(RANKS))
    for domain, level, rule in CASES:
        answers = [asked(squeeze, machine, domain, level, rule, ranks) for ranks in RANKS]
        first = answers[0]
        alone = "–" if isinstance(first, str) else f"{1e6 * first['seconds_alone'] / first['steps_per_pass']:.3g} µs"
        name = domain.split("#")[-1] if level is None else f"{domain} {level}"
        print(f"| {rule}, {name} | {alone} | " + " | ".join(map(entry, answers)) + " |")
        for answer in answers:
            if isinstance(answer, str):
                print(answer, file=sys.stderr)


main()
