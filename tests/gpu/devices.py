#!/usr/bin/env python3
"""Runs on several GPUs equal runs on one: tests/gpu/devices.py SQUEEZE DEVICES [agree] [ends] [filled] [jobs=N] [part=I/N] [seconds=S] [mpiexec=PATH] [domain=NAME]

agree: every shipped rule on eight domains has the digests and observables of the first of DEVICES alone, or is refused in words; with PATH also as ranks of MPI, a GPU each.
ends: a run that a signal ends, and one that is killed, resumes on all and on one to the digest of a whole run. filled: a GPU whose memory others fill is told in words.
Without names all. After S seconds agree begins no further case, and with NAME it takes the domains alone whose names have it.
"""
import json
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

SQUEEZE, DEVICES = str(Path(sys.argv[1]).resolve()), sys.argv[2]
FIRST = DEVICES.split(",")[0]
SAID = dict((part + "=").split("=")[:2] for part in sys.argv[3:])
PARTS = [part for part in SAID if part not in ("jobs", "part", "seconds", "mpiexec", "domain")] or ["agree", "ends", "filled"]
MPIEXEC = SAID.get("mpiexec")
JOBS = int(SAID.get("jobs") or 8)
ROOT = Path(__file__).resolve().parents[2]
DOMAINS = {
    "sierpinski_triangle": ["-l", "11"],
    "sierpinski_carpet": ["-l", "6"],
    "vicsek": ["-l", "7"],
    "menger_sponge": ["-l", "4"],
    "T1024,640": [],
    "MASK#rock": [],
    "MASK#layers": [],
    "full_square": ["-l", "9", "--periodic"],
}
failures = 0


def run(launcher, *words):
    done = subprocess.run([*launcher, SQUEEZE, *words], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 and done.stdout.startswith("{") else done.stderr.strip()


def verdict(one, many, how, where):
    """A word for what several gave beside one, and where, with what they said."""
    if one[0] != 0 and many[0] == one[0] == 2:
        return "refused by both", where
    if many[0] == 2 and one[0] == 0:
        return f"refused on several{how}", f"{where}: {many[1].splitlines()[0] if many[1] else ''}"
    if one[0] or many[0]:
        return f"failed{how}", f"{where}: {str(one)[:300]} {str(many)[:300]}"
    same = all(one[1][key] == many[1][key] for key in ("digest", "observables"))
    return f"{'same' if same else 'differ'}{how}", where


def agree(folder):
    global failures
    (folder / "mask.fractal").write_text("domain rock { size (700, 520)  cells random(0.7) }\ndomain layers { size (64, 48, 20)  periodic }\n")
    rules = sorted((ROOT / "rules").rglob("*.rule"))

    end = time.monotonic() + float(SAID.get("seconds") or 3600)

    def case(domain, rule):
        if time.monotonic() > end:
            return [("late", "")]
        options = ["run", domain.replace("MASK", str(folder / "mask.fractal")), *DOMAINS[domain], "-r", str(rule), "-n", "13", "--seed", "5", "--json", "--allow-nan", "--backend", "cuda"]
        where = f"{rule.stem} on {domain}"
        one, several = run([], *options, "--devices", FIRST), run([], *options, "--devices", DEVICES)
        verdicts = [verdict(one, several, "", where)]
        if MPIEXEC and several[0] == 0:
            verdicts.append(verdict(one, run([MPIEXEC, "-n", str(len(DEVICES.split(",")))], *options), " as ranks", where))
        return verdicts

    cases = [(domain, rule) for domain in DOMAINS if SAID.get("domain", "") in domain for rule in rules]
    random.Random(3).shuffle(cases)
    part, of = map(int, (SAID.get("part") or "1/1").split("/"))
    counts, reasons = {}, {}
    with ThreadPoolExecutor(JOBS) as pool:
        for seen in pool.map(lambda pair: case(*pair), cases[part - 1 :: of]):
            for word, where in seen:
                counts[word] = counts.get(word, 0) + 1
                if word.startswith(("failed", "differ")):
                    failures += 1
                    print(word.upper(), where, flush=True)
                if word.startswith("refused on several"):
                    reason = where.split(": ", 1)[1]
                    reasons[reason] = reasons.get(reason, 0) + 1
    print("agree:", counts, flush=True)
    for reason, count in reasons.items():
        print(f"  {count} × {reason}", flush=True)


def ends(folder):
    global failures
    case = ["sierpinski_triangle", "-l", "18", "-r", "heat", "-n", "20000", "--seed", "5", "--backend", "cuda", "--activity", "off"]
    code, whole = run([], "run", *case, "--json", "--devices", FIRST)
    for name, what in (("USR1", signal.SIGUSR1), ("TERM", signal.SIGTERM), ("KILL", signal.SIGKILL)):
        for then in (FIRST, DEVICES):
            out = folder / f"{name}{then.replace(',', '_')}"
            save = ["--save-every", "2000"] if name == "KILL" else []
            child = subprocess.Popen([SQUEEZE, "run", *case, *save, "--devices", DEVICES, "-o", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(3.5)
            child.send_signal(what)
            error = child.communicate()[1]
            code, result = run([], "resume", str(out), "--devices", then, "--json")
            if code or result["digest"] != whole["digest"]:
                failures += 1
                print(f"ends: {name}, resumed on {then}: WRONG {child.returncode} {error[-200:]} {result}", flush=True)
            else:
                print(f"ends: {name}: exit code {child.returncode}, resumed on {then}: same digest", flush=True)


HOG = """
import ctypes, time
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
context, free, total, memory = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_uint64()
device = ctypes.c_int()
cuda.cuDeviceGet(ctypes.byref(device), DEVICE)
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(free.value - (1500 << 20))) == 0
print("filled", flush=True)
time.sleep(600)
"""


def filled(_folder):
    global failures
    last = DEVICES.split(",")[-1]
    hog = subprocess.Popen([sys.executable, "-c", HOG.replace("DEVICE", last)], stdout=subprocess.PIPE, text=True)
    hog.stdout.readline()
    code, said = run([], "run", "sierpinski_triangle", "-l", "19", "-r", "heat", "-n", "10", "--devices", DEVICES, "--backend", "cuda", "--json")
    hog.kill()
    hog.wait()
    print(f"filled: exit code {code}: {said if code else 'RAN'}", flush=True)
    failures += code not in (1, 2)


with TemporaryDirectory() as folder:
    for part in PARTS:
        {"agree": agree, "ends": ends, "filled": filled}[part](Path(folder))
print(f"{failures} failures")
sys.exit(failures > 0)
