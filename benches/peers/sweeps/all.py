#!/usr/bin/env python3
"""The same sweep by Squeeze and by its peers, at one size, as one table.

    benches/peers/sweeps/all.py SQUEEZE [--members M] [--steps N] [--threads T] [--level R] [--gpu]

A part of `squeeze sweep sierpinski_carpet --rule ising --level 5 --steps 10000 --observe-every 10 --seeds 0..64 --set beta=0.40..=0.48/0.002`: M members,
whose temperatures are spread over its 41, and N steps. Squeeze's time is that of everything: start, compilation, files. The peers' is that of
stepping alone. A peer whose package is not there is left out (numba and numpy for one, JAX for the other). With --gpu Squeeze also runs the
whole sweep on a GPU, and JAX has all members there.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BETAS, SEEDS, STEPS, EVERY = 41, 64, 10_000, 10
HERE = pathlib.Path(__file__).parent


def squeeze(program, chosen, backend, members, steps):
    seeds = max(1, members // BETAS)
    numbers = range(0, BETAS * SEEDS, max(1, BETAS * SEEDS // members))
    betas = sorted({number // SEEDS for number in list(numbers)[:members]})
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "sweep")
        command = [program, "sweep", "sierpinski_carpet", "--rule", "ising", "--level", str(chosen.level), "--steps", str(steps)]
        command += ["--observe-every", str(EVERY), "--seeds", f"0..{seeds}", "--backend", backend]
        command += ["--threads", str(chosen.threads)] if backend == "cpu" else []
        command += ["--set", "beta=" + ",".join(f"{0.40 + 0.002 * beta:.3f}" for beta in betas), "--out", str(out)]
        before, began = os.times(), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - began, os.times()
        lines = (out / "observables.csv").read_text().splitlines()
    names = lines[0].split(",")
    step, seen = names.index("step"), names.index("disagreements")
    rows = [line.split(",") for line in lines[1:]]
    late = [float(row[seen]) for row in rows if int(row[step]) > steps // 2]
    members = len(betas) * seeds
    part = members * steps / (BETAS * SEEDS * STEPS)
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "name": f"Squeeze, all told, backend {backend}",
        "members": members,
        "steps": steps,
        "seconds": seconds,
        "seconds_of_all": seconds / part,
        "processor_seconds_of_all": processor / part,
        "mean_disagreements": sum(late) / max(1, len(late)),
    }


def peer(script, arguments):
    done = subprocess.run([sys.executable, str(HERE / script), *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("squeeze")
    parser.add_argument("--members", type=int, default=32, help="at most 41, or a multiple of 41")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--level", type=int, default=5)
    parser.add_argument("--gpu", action="store_true", help="the whole sweep on a GPU too")
    chosen = parser.parse_args()
    if chosen.members < 1 or chosen.members > BETAS and (chosen.members % BETAS or SEEDS % (chosen.members // BETAS)):
        parser.error("the members are at most 41, or 41 times a divisor of 64")
    sizes = ["--members", str(chosen.members), "--steps", str(chosen.steps), "--level", str(chosen.level)]
    found = [squeeze(chosen.squeeze, chosen, "cpu", chosen.members, chosen.steps)]
    if chosen.gpu:
        found.append(squeeze(chosen.squeeze, chosen, "cuda", BETAS * SEEDS, STEPS))
    there = importlib.util.find_spec
    if there("numba") and there("numpy"):
        found.append(peer("numba_sweep.py", [*sizes, "--processes", str(chosen.threads)]))
    if there("jax"):
        all_members = ["--members", str(BETAS * SEEDS), "--steps", str(min(chosen.steps, 200)), "--level", str(chosen.level)]
        found.append(peer("jax_sweep.py", all_members if chosen.gpu else sizes))
    print(f"{chosen.members} members, {chosen.steps} steps, {chosen.threads} threads or processes, level {chosen.level}")
    print("| who | members, steps | seconds | of the whole sweep | processor time of it | mean disagreements |")
    print("|---|---|---|---|---|---|")
    for one in found:
        processor = one.get("processor_seconds_of_all")
        name = one["name"] + (f" ({one['device']})" if "device" in one else "")
        told = "" if processor is None else f"{processor:.0f} s"
        print(f"| {name} | {one['members']}, {one['steps']} | {one['seconds']:.2f} | {one['seconds_of_all']:.0f} s | {told} | {one['mean_disagreements']:.0f} |")


main()
