"""cuBLAS's product of bytes (`torch._int_mm`) of unpacked bits: what `squeeze bench --overlap --backend cuda --peers benches/overlap/gpu` compares with."""

import json
import statistics
import sys
import time

# Columns that are unpacked at a time: a product of more is that of as many again and again.
COLUMNS = 1 << 20


def measure(question):
    import torch

    if not torch.cuda.is_available():
        return {"skipped": "PyTorch finds no GPU"}
    rows, bits = question["overlap"]["rows"], question["overlap"]["bits"]
    if rows < 17 or rows % 8 or bits % COLUMNS:
        return {"skipped": f"takes more than 16 rows, a multiple of 8, of a multiple of {COLUMNS} bits"}
    unpacked = torch.randint(0, 2, (rows, COLUMNS), dtype=torch.int8, device="cuda")
    few = unpacked[:, :4096].contiguous()
    exact = (few.double() @ few.double().T).to(torch.int32)
    if not torch.equal(torch._int_mm(few, few.T), exact):
        return {"skipped": "its product is wrong"}
    del few, exact

    def product():
        total = torch._int_mm(unpacked, unpacked.T)
        for _ in range(1, bits // COLUMNS):
            total += torch._int_mm(unpacked, unpacked.T)
        torch.cuda.synchronize()

    product()
    times = []
    while not times or sum(times) < question["seconds"]:
        began = time.perf_counter()
        product()
        times.append(time.perf_counter() - began)
    return {"seconds_per_step": statistics.median(times)}


try:
    answer = measure(json.load(sys.stdin))
except ImportError as missing:
    answer = {"skipped": f"{missing.name} is not installed"}
print(json.dumps({"name": "cuBLAS, product of bytes (torch._int_mm)"} | answer))
