"""Writes true values of the functions of `numerics/math` for binary64 arguments. Needs mpmath.

    python3 truth.py COUNT [SEED] > truth.txt

COUNT points are drawn for each function. A line holds the function, the bits of its arguments, the bits of the nearest
binary64, and what is left of the truth in units of the last place of that. `tests/math.rs` reads it.
"""

import math
import random
import struct
import sys

from mpmath import mp, mpf

mp.prec = 160
count = int(sys.argv[1])
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)


def bits(v):
    return struct.unpack("<Q", struct.pack("<d", v))[0]


def line(name, arguments, truth):
    """Truth as (nearest, rest); nothing is written beyond the largest float, where the last place has no unit."""
    high = float(truth)
    if math.isinf(high):
        return
    rest = (truth - mpf(high)) / mpf(math.ulp(high))
    words = " ".join(f"{bits(v):016x}" for v in arguments + [high])
    print(f"{name} {words} {float(rest):.5f}")


def wide(low, high):
    """A float of either sign whose exponent is uniform."""
    return rng.choice((-1, 1)) * math.ldexp(rng.uniform(1, 2), rng.randint(low, high))


def near_one():
    return 1.0 + wide(-53, -2)


def near_quarter_turn():
    """The float nearest to a multiple of π/2."""
    with mp.workprec(1300):
        return float(mp.pi / 2 * mpf(rng.getrandbits(rng.randint(1, 60))) * mpf(2) ** rng.choice((0, 0, rng.randint(0, 960))))


def one_of(*makers):
    return rng.choice(makers)()


def angle():
    return one_of(lambda: wide(-40, 1022), lambda: rng.uniform(-10, 10), near_quarter_turn, lambda: wide(-5, 40), lambda: rng.uniform(-2e6, 2e6))


def binary_log(v):
    # Of powers of two it is exact.
    mantissa, exponent = math.frexp(v)
    return mpf(exponent - 1) if mantissa == 0.5 else mp.log(mpf(v)) / mp.log(2)


half_ln2 = math.log(2) / 2
edges = [5e-324, 2.2250738585072014e-308, 1.0, 0.5, 2.0, math.sqrt(0.5), math.sqrt(2), math.pi / 4, math.pi / 2, math.pi]
edges += [math.nextafter(v, 0) for v in edges] + [math.nextafter(v, math.inf) for v in edges]
# The binary64 closest to a multiple of π/2.
edges += [math.ldexp(6381956970095103, 797)]

for v in edges + [-v for v in edges]:
    line("exp", [v], mp.exp(mpf(v)))
    line("sin", [v], mp.sin(mpf(v)))
    line("cos", [v], mp.cos(mpf(v)))
    line("tanh", [v], mp.tanh(mpf(v)))
    line("atan", [v], mp.atan(mpf(v)))
    if v > 0:
        line("log", [v], mp.log(mpf(v)))
        line("log2", [v], binary_log(v))
    line("tan", [v], mp.tan(mpf(v)))
    if abs(v) <= 1:
        line("asin", [v], mp.asin(mpf(v)))
        line("acos", [v], mp.acos(mpf(v)))
for _ in range(count):
    x = one_of(
        lambda: rng.uniform(-745.5, 709.79),
        lambda: rng.uniform(-745.5, -700),
        lambda: wide(-60, 9),
        lambda: rng.randint(-1000, 1000) * half_ln2 * (1 + wide(-53, -48)),
    )
    line("exp", [x], mp.exp(mpf(x)))
    x = abs(one_of(lambda: wide(-1074, 1023), near_one, lambda: rng.uniform(0, 4), lambda: math.ldexp(math.sqrt(0.5) + wide(-53, -5), rng.randint(-5, 5))))
    if x > 0:
        line("log", [x], mp.log(mpf(x)))
    x = angle()
    line("sin", [x], mp.sin(mpf(x)))
    x = angle()
    line("cos", [x], mp.cos(mpf(x)))
    x = one_of(lambda: wide(-40, 4), lambda: rng.uniform(-2, 2), lambda: rng.uniform(-23, 23))
    line("tanh", [x], mp.tanh(mpf(x)))
    x = one_of(lambda: wide(-60, 60), lambda: rng.uniform(-3, 3), lambda: wide(-1074, 1023))
    line("atan", [x], mp.atan(mpf(x)))
    y = one_of(lambda: wide(-60, 60), lambda: x * rng.uniform(-4, 4), lambda: wide(-1074, 1023))
    if not math.isinf(y):
        line("atan2", [y, x], mp.atan2(mpf(y), mpf(x)))
    base = abs(one_of(lambda: wide(-1070, 1023), near_one, lambda: rng.uniform(0, 10)))
    if base > 0 and base != 1:
        # Exponents that keep the power within the range, whatever the base.
        power = one_of(lambda: rng.uniform(-745, 709), lambda: wide(-30, 6))
        exponent = power / math.log(base)
        line("pow", [base, exponent], mp.exp(mpf(exponent) * mp.log(mpf(base))))
        exponent = float(rng.randint(-20, 20))
        line("pow", [-base, exponent], mpf(-base) ** int(exponent))
# Later functions come last, so that the points of earlier ones stay as they are.
for _ in range(count):
    x = abs(one_of(lambda: wide(-1074, 1023), near_one, lambda: rng.uniform(0, 4), lambda: math.ldexp(math.sqrt(0.5) + wide(-53, -5), rng.randint(-5, 5))))
    if x > 0:
        line("log2", [x], binary_log(x))
    x = angle()
    line("tan", [x], mp.tan(mpf(x)))
    for name, function in (("asin", mp.asin), ("acos", mp.acos)):
        x = one_of(lambda: rng.uniform(-1, 1), lambda: wide(-60, -1), lambda: rng.choice((-1, 1)) * (1 - abs(wide(-53, -2))), lambda: 0.5 + wide(-54, -4))
        if abs(x) <= 1:
            line(name, [x], function(mpf(x)))
