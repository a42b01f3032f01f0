"""Computes every constant of `numerics/math`: run it and compare. Needs mpmath.

Each polynomial is the Chebyshev fit of its function (near-minimax) with a stated weightless error, its coefficients
rounded to nearest f64 (or f32); the relative error that this causes in the function is printed beside it.
"""

from mpmath import mp, mpf, chebyfit, log, exp, sin, cos, tan, tanh, asin, atan, sqrt, pi, atanh, floor, nint, polyval
import struct

mp.prec = 400


def f32(v):
    return struct.unpack("f", struct.pack("f", float(v)))[0]


def show(name, values, kind="f64", per_line=4):
    print(f"const {name}: [{kind}; {len(values)}] = [")
    for v in values:
        text = repr(float(v)) if kind == "f64" else repr(float(v))
        print(f"    {text},")
    print("];")


def fit(name, f, interval, count, factor, kind="f64"):
    """`count` coefficients, highest power first; `factor(t)` turns the fit's error into the function's relative one."""
    mp.prec = 400
    coefficients = chebyfit(lambda t: f(t or mpf("1e-30")), interval, count)
    rounded = [mpf(float(c) if kind == "f64" else f32(c)) for c in coefficients]
    a, b = interval
    points = [a + (b - a) * (mpf(i) + mpf("0.123")) / 400 for i in range(400)]
    worst = max(abs((polyval(rounded, t) - f(t)) * factor(t)) for t in points)
    print(f"// {name}: relative error 2^{float(log(worst) / log(2)):.1f}")
    show(name, rounded, kind)


def split(name, value, bits):
    hi = floor(value * mpf(2) ** bits) / mpf(2) ** bits
    print(f"const {name}_HIGH: f64 = {float(hi)!r};")
    print(f"const {name}_LOW: f64 = {float(value - hi)!r};")


half_ln2 = log(2) / 2
fit("EXP64", lambda r: (exp(r) - 1 - r) / r**2, [-half_ln2, half_ln2], 11, lambda r: r**2 / exp(r))
fit("EXP64_SHORTER", lambda r: (exp(r) - 1 - r) / r**2, [-half_ln2, half_ln2], 10, lambda r: r**2 / exp(r))
fit("EXP2_SHORT", lambda r: mpf(2) ** r, [-mpf("0.5"), mpf("0.5")], 7, lambda r: mpf(2) ** -r)
fit("EXP32", lambda r: (exp(r) - 1 - r) / r**2, [-half_ln2, half_ln2], 5, lambda r: r**2 / exp(r), "f32")

# log(m) = 2 atanh(s), s = (m - 1)/(m + 1), z = s^2, m in [sqrt(1/2), sqrt(2)).
z_max = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.0001")
series = lambda z: atanh(sqrt(z)) / sqrt(z)
tiny = mpf("1e-30")
fit("LOG", lambda z: (2 * series(z) - 2) / z, [tiny, z_max], 7, lambda z: z)
fit("LOG_32", lambda z: (2 * series(z) - 2) / z, [tiny, z_max], 4, lambda z: z, "f32")
fit("LOG_LONG", lambda z: (3 * series(z) - 3 - z) / z**2, [tiny, z_max], 8, lambda z: z**2 / 3)
fit("LOG2_SHORT", lambda z: 2 * series(z) / log(2), [tiny, z_max], 5, lambda z: log(2) / 2 / series(z))

fit("TANH", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, [tiny, mpf("0.2567") ** 2], 7, lambda z: z)
fit("TANH_32", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, [tiny, mpf("0.391")], 5, lambda z: z, "f32")
t_max = tan(pi / 8) ** 2 * mpf("1.001")
fit("ATAN", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, [tiny, t_max], 11, lambda z: z)
fit("ATAN_32", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, [tiny, t_max], 5, lambda z: z, "f32")
fit("ASIN", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, [tiny, mpf("0.25")], 13, lambda z: z)
fit("ASIN_32", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, [tiny, mpf("0.25")], 6, lambda z: z, "f32")
fit("TAN_32", lambda z: (tan(sqrt(z)) / sqrt(z) - 1) / z, [tiny, (pi / 4 + mpf("1e-6")) ** 2], 8, lambda z: z)
fit("SIN_32", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, [tiny, (pi / 2 + mpf("1e-6")) ** 2], 5, lambda z: z)

q = (pi / 4 + mpf("1e-6")) ** 2
fit("SIN", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, [mpf("1e-30"), q], 7, lambda z: z)
fit("COS", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, [mpf("1e-30"), q], 7, lambda z: z**2)

split("LN2", log(2), 42)
split("HALF_LN2", log(2) / 2, 44)
hi32 = nint(log(2) * 2**16) / mpf(2) ** 16
print("LN2 f32", float(hi32), f32(log(2) - hi32), "log2 e", float(1 / log(2)), f32(1 / log(2)))
for name, v in [("FRAC_PI_4", pi / 4), ("HALF_PI", pi / 2), ("3 PI / 4", 3 * pi / 4), ("PI", pi)]:
    print(f"const {name}: Double = ({float(v)!r}, {float(v - float(v))!r});")
    print(f"f32: ({f32(v)!r}, {f32(v - mpf(f32(v)))!r})")


def parts(name, value, bits, count):
    """`count` parts of so many bits, and a rest."""
    found = []
    for _ in range(count):
        scale = mpf(2) ** (bits - int(floor(log(abs(value)) / log(2))) - 1)
        found.append(nint(value * scale) / scale)
        value -= found[-1]
    print(name, [float(part) for part in found + [value]])


parts("PI", pi, 33, 1)
parts("HALF_PI", pi / 2, 33, 3)
parts("2/(3 ln 2)", 2 / (3 * log(2)), 25, 1)
mp.prec = 2000
bits = int(floor((2 / pi) * mpf(2) ** 1216))
words = [0] + [(bits >> (64 * i)) & (2**64 - 1) for i in reversed(range(19))]
print("TWO_OVER_PI", ", ".join(f"0x{w >> 32:08x}_{w & 0xFFFFFFFF:08x}" for w in words))
print("sqrt(1/2) bits", hex(struct.unpack("Q", struct.pack("d", float(sqrt(mpf(1) / 2))))[0]))
