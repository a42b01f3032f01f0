"""numpy's product of unpacked bits in single precision, on one thread: what `squeeze bench --overlap --peers benches/overlap` compares with."""

import json
import os
import statistics
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"


def measure(question):
    import numpy

    rows, bits = question["overlap"]["rows"], question["overlap"]["bits"]
    needed = 4 * rows * bits + 8 * rows * rows
    if needed > question["memory"]:
        return {"skipped": f"needs about {needed / 1e9:.0f} GB"}
    if bits > 1 << 24:
        return {"skipped": "sums beyond 2^24 are not exact in single precision"}
    packed = numpy.random.default_rng(0).integers(0, 256, (rows, (bits + 7) // 8), dtype=numpy.uint8)
    unpacked = numpy.unpackbits(packed, axis=1, bitorder="little")[:, :bits].astype(numpy.float32)
    unpacked @ unpacked.T
    times = []
    while len(times) < 3 or sum(times) < question["seconds"]:
        began = time.perf_counter()
        unpacked @ unpacked.T
        times.append(time.perf_counter() - began)
    return {"seconds_per_step": statistics.median(times)}


try:
    answer = measure(json.load(sys.stdin))
except ImportError as missing:
    answer = {"skipped": f"{missing.name} is not installed"}
print(json.dumps({"name": "numpy, f32 dot of unpacked bits"} | answer))
