"""Writes a table of BENCHMARKS.md from what `squeeze bench --json` prints: python3 benches/table.py NAME < JSON

The table stands behind the line that ends with `<!-- bench: NAME -->`: its caption, with device, date, commit and command. `aims.sh --write` calls this.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

# What each table is to reach, by case ("*" for all); some tables have several aims. The number that has an aim is the time of a step, the steps that an observable takes or all told, at
# most; or a peer's time over ours or a ratio, at least.
AIMS = {
    "gpu": ("a step", {
        "full_square,ising,14": 149e-6, "sierpinski_carpet,ising,9": 95.9e-6, "sierpinski_triangle,ising,16": 47.8e-6,
        "sierpinski_triangle,ising,18": 277e-6, "sierpinski_triangle,forest_fire,16": 22.4e-6, "full_square,voter,13": 149e-6,
        "sierpinski_carpet,voter,8": 35.5e-6, "sierpinski_triangle,life,12": 0.8e-6, "sierpinski_triangle,life,16": 2e-6,
        "sierpinski_triangle,life,20": 75e-6, "full_square,life,16": 180e-6, "menger_sponge,life_3d,7": 200e-6,
    }),
    "gpu-members": ("ratio", {"*": 0.9}),
    "gpu-members-observed": ("ratio", {"*": 0.8}),
    "gpu-sweep": ("all told", {"*": 20}),
    "cpu-spins": ("a step", {"full_square,ising,10": 524e-6}),
    "cpu-functions": ("peer", {"*": 1.0}),
    "cpu-observables": ("observable", {
        "sierpinski_carpet,ising,5": 1, "sierpinski_carpet,heat,6": 1, "sierpinski_triangle,heat,11": 1, "sierpinski_triangle,life,11": 1,
        "sierpinski_triangle,life,13": 1, "full_square,gray_scott,9": 1,
    }),
    "cpu-fields": [
        ("a window", {"sierpinski_triangle,life,14": 1e-3, "full_square,life,12": 1e-3, "torus_4096,conway": 1e-3}),
        ("ratio", {"full_square,life,12": 0.3, "full_square,heat,12": 0.5, "torus_4096,heat": 0.5}),
    ],
    "gpu-fields": [("a window", {"*": 0.2e-3}), ("its bytes", {"*": 1e6}), ("sums of blocks", {"*": 2e-3})],
    "cpu-members": ("ratio", {"*": 0.85}),
    "cpu-members-observed": ("ratio", {"*": 0.8}),
    "cpu-sweep": ("all told", {"*": 360}),
}


def digits(value):
    """Three significant digits."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{digits(value / scale)} {unit}"
    return f"{digits(value / 1e-9)} ns"


def count(value):
    for unit, scale in (("trillion", 1e12), ("billion", 1e9), ("million", 1e6)):
        if value >= scale:
            return f"{digits(value / scale)} {unit}"
    return digits(value)


def layout(row):
    found = row.get("layout")
    if isinstance(found, dict):
        return ".".join("–" if found[key] is None else str(found[key]) for key in "TLt")
    return found or "–"


def columns(kind, row):
    """What is shown of a row, and its numbers that may have an aim."""
    case = ",".join(str(row[key]) for key in ("fractal", "rule", "level") if row.get(key) is not None)
    shown, step = {"case": case}, row.get("seconds_per_step")
    if kind == "measurements":
        peers = [peer for peer in row["peers"] if "times_ours" in peer]
        shown |= {"layout": layout(row), "a step": seconds(step), "cells a second": count(row["cells_per_second"])}
        shown |= {"of copy": digits(row["ratio_to_copy"])} | {f"{peer['name']} takes": f"{digits(peer['times_ours'])} ×" for peer in peers}
        return shown, {"a step": step} | {"peer": peer["times_ours"] for peer in peers[:1]}
    if kind == "observations":
        steps = row["steps_per_observable"]
        shown |= {"observables": len(row["observables"]), "a step": seconds(step), "all observables": seconds(row["seconds_per_observation"])}
        return shown | {"steps an observable": digits(steps)}, {"observable": steps}
    if kind == "looks":
        times = {name: row[f"seconds_per_{name}"] for name in ("window", "sums", "field")}
        shown |= {"a step": seconds(step), "a window": seconds(times["window"])}
        bytes = row["bytes_per_window"]
        shown |= {} if bytes is None else {"its bytes": digits(bytes)}
        shown |= {"sums of blocks": seconds(times["sums"]), "the field": seconds(times["field"]), "of copy": digits(row["ratio_to_copy"])}
        return shown, {"a window": times["window"], "its bytes": bytes, "sums of blocks": times["sums"], "ratio": row["ratio_to_copy"]}
    if kind == "members":
        observed = row["observe_every"] and f"every {row['observe_every']} steps"
        shown |= {"members": row["members"], "layout": layout(row), "observed": observed or "never", "a step": seconds(step)}
        shown |= {"one run": f"{seconds(row['seconds_per_step_of_one'])} (r = {row['level_of_one']})", "ratio of cells a second": digits(row["ratio"])}
        return shown, {"ratio": row["ratio"]}
    return {"case": row["case"], "all told": seconds(row["seconds"])}, {"all told": row["seconds"]}


def judged(name, shown, numbers):
    """The row with its aims, if it has some."""
    aims_of_table, told = AIMS.get(name, []), []
    for what, aims in aims_of_table if isinstance(aims_of_table, list) else [aims_of_table]:
        aim, value = aims.get(shown["case"], aims.get("*")), numbers.get(what)
        if aim is None or value is None:
            continue
        at_least, text = what in ("peer", "ratio"), seconds if what in ("a step", "a window", "sums of blocks", "all told") else digits
        met = value >= aim if at_least else value <= aim
        told.append(f"{'≥' if at_least else '≤'} {text(aim)}: {'met' if met else 'missed'}")
    return shown | {"aim": ", ".join(told)} if told else shown


def table(name, printed):
    kind = next(key for key, value in printed.items() if isinstance(value, list))
    measured = [row for row in printed[kind] if "left_out" not in row]
    rows = [judged(name, *columns(kind, row)) for row in measured]
    titles = list(dict.fromkeys(title for row in rows for title in row))
    device = next((row["device"] for row in measured if row.get("device")), printed["device"])
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    lines = [f"{device}, {datetime.date.today()}, commit {commit}: `{printed['command']}` <!-- bench: {name} -->", ""]
    lines += [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    lines += [f"| {' | '.join(str(row.get(title, '')) for title in titles)} |" for row in rows]
    return "\n".join(lines)


name = sys.argv[1]
page = pathlib.Path(__file__).parent.parent / "BENCHMARKS.md"
text = page.read_text()
found = re.search(rf"^.* <!-- bench: {name} -->\n\n(\|.*\n)+", text, re.MULTILINE)
if not found:
    sys.exit(f"BENCHMARKS.md has no table `{name}`")
page.write_text(f"{text[: found.start()]}{table(name, json.load(sys.stdin))}\n{text[found.end() :]}")
