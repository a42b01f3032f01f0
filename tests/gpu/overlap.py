#!/usr/bin/env python3
"""Overlaps on a GPU: every shape must give the CPU's matrix byte for byte, then times beside the device's own rates.

    tests/gpu/overlap.py SQUEEZE [shapes] [times] [large] [sweeps]

SQUEEZE is the binary. `shapes` compares, `times` and `large` time overlaps, `sweeps` a sweep, beside numba and JAX; all but the last two unless some
are named.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Rows and bytes of a row, and the bits that count; None: all.
SHAPES = [(1, 1, 1), (1, 1, 3), (2, 9, 65), (10, 1000, 7999), (11, 64, None), (16, 777, 6213), (64, 4096, None), (100, 129, 1031), (128, 65, 517)]
SHAPES += [(63, 129, 1025), (65, 5000, 39999), (127, 1000, None), (129, 5000, 39999), (255, 100, None), (256, 64, None), (257, 8192, 65535), (300, 333, 2661), (513, 1024, None), (385, 1 << 16, None), (1000, 2048, 16383)]
# Rows and bits that are timed.
TIMED = [(64, 1 << 28), (128, 1 << 27), (256, 1 << 24), (1024, 1 << 24), (4096, 1 << 22)]
LARGE = [(4096, 1 << 24)]


def npy(path, rows, width, data):
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {width}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)


def sweeps(squeeze):
    """One sweep by Squeeze, and parts of the same by peers, which say what all of it would take."""
    peers = Path(__file__).parents[2] / "benches/peers/sweeps"
    with tempfile.TemporaryDirectory() as folder:
        command = [squeeze, "sweep", "sierpinski_carpet", "--rule", "ising", "--level", "5", "--steps", "10000", "--observe-every", "10", "--seeds", "0..64"]
        command += ["--set", "beta=0.40..=0.48/0.002", "--backend", "cuda", "--quiet", "--out", folder + "/sweep"]
        began = time.time()
        subprocess.run(command, check=True, capture_output=True)
        print(f"sweep of 41 x 64 members: {time.time() - began:.1f} s with start, compilation and files", flush=True)
    for script, part in [("jax_sweep.py", ["--steps", "100"]), ("numba_sweep.py", ["--members", "32", "--steps", "1000"])]:
        done = subprocess.run([sys.executable, peers / script, *part], text=True, capture_output=True)
        print(done.stdout or done.stderr.strip().splitlines()[-1:], flush=True)


def shapes(squeeze):
    wrong = 0
    random.seed(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for rows, width, bits in SHAPES:
            data = bytearray(random.randbytes(rows * width))
            # A row of zeros and one of ones.
            if rows > 3:
                data[width : 2 * width] = bytes(width)
                data[2 * width : 3 * width] = b"\xff" * width
            npy(folder / "p.npy", rows, width, data)
            for measure in ["hamming", "overlap"] if rows < 12 else ["hamming"]:
                files = []
                for backend in ["cpu", "cuda"]:
                    command = [squeeze, "overlap", "p.npy", "--backend", backend, "--measure", measure, "-o", f"{backend}.npy", "--json"]
                    command += ["--bits", str(bits)] if bits else []
                    told = json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)
                    files.append((folder / f"{backend}.npy").read_bytes())
                if files[0] != files[1]:
                    wrong += 1
                    print(f"DIFFER: {rows} rows of {width} bytes, {bits} bits, {measure}, {told['kernel']}")
            print(f"{rows} x {bits or 8 * width}: {told['kernel']}", flush=True)
    return wrong


def times(squeeze, cases):
    wrong = 0
    for rows, bits in cases:
        began = time.time()
        command = [squeeze, "bench", "--overlap", "--backend", "cuda", "--rows", str(rows), "--bits", str(bits), "--seconds", "0.3"]
        if rows * bits < 1 << 35:
            command += ["--peers", Path(__file__).parents[2] / "benches/overlap/gpu"]
        done = subprocess.run(command, text=True, capture_output=True)
        print(done.stdout + done.stderr, f"({time.time() - began:.1f} s in all)\n", sep="", flush=True)
        wrong += done.returncode != 0
    return wrong


def main():
    squeeze, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:] or ["shapes", "times"]
    wrong = (shapes(squeeze) if "shapes" in wanted else 0) + times(squeeze, (TIMED if "times" in wanted else []) + (LARGE if "large" in wanted else []))
    if "sweeps" in wanted:
        sweeps(squeeze)
    print("all is well with overlaps on this GPU" if wrong == 0 else f"{wrong} WRONG")
    sys.exit(wrong != 0)


main()
