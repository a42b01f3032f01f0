"""numpy on the bounding box: whole-array slices of the expanded grid, with a mask for the holes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "common"))
from peer import Skip, answer, clock, compare


def mask_of(case, numpy, level):
    """The expanded grid, true where there is a cell; axes z, y, x."""
    mask = numpy.ones((1,) * case.dimension, dtype=bool)
    for mu in range(1, level + 1):
        scale, replicas = case.pattern(mu)
        pattern = numpy.zeros((scale,) * case.dimension, dtype=bool)
        for place in replicas:
            pattern[tuple(reversed(place))] = True
        mask = numpy.kron(pattern, mask)
    return mask


def shifts(dimension, moore):
    """Pairs of slices (of a cell's own places, of its neighbour's), one for each neighbour."""
    def pair(d):
        return (slice(max(0, -d), -d if d > 0 else None), slice(max(0, d), d if d < 0 else None))

    offsets = [()]
    for _ in range(dimension):
        offsets = [offset + (d,) for offset in offsets for d in (-1, 0, 1)]
    for offset in offsets:
        distance = sum(map(abs, offset))
        if distance > 0 and (moore or distance == 1):
            pairs = [pair(d) for d in offset]
            yield tuple(own for own, _ in pairs), tuple(other for _, other in pairs)


class Life:
    """Birth with 2 neighbours, survival with 2 or 3, over the Moore neighbourhood."""

    bytes_a_place = 8

    def __init__(self, case, numpy, mask):
        self.mask = mask
        self.shifts = list(shifts(case.dimension, True))
        self.alive = numpy.random.default_rng(0).integers(0, 2, mask.shape, dtype=numpy.uint8) * mask
        self.count = numpy.empty_like(self.alive)

    def set(self, values):
        self.alive = values.astype(self.alive.dtype)

    def get(self):
        return self.alive

    def step(self):
        self.count.fill(0)
        for own, other in self.shifts:
            self.count[own] += self.alive[other]
        self.alive = ((self.count == 2) | ((self.count == 3) & (self.alive == 1))).astype(self.alive.dtype)
        self.alive *= self.mask


class Heat:
    """u + alpha * sum(nb.u - u) over the von Neumann neighbourhood, in single precision."""

    bytes_a_place = 24

    def __init__(self, case, numpy, mask):
        self.alpha = numpy.float32(case.params["alpha"])
        self.shifts = list(shifts(case.dimension, False))
        self.mask = mask.astype(numpy.float32)
        self.u = numpy.zeros(mask.shape, dtype=numpy.float32)
        self.u[..., 0, :] = case.params["hot"]
        self.u *= self.mask
        # How many neighbours there are does not change; a hole's value is 0.
        self.degree = numpy.zeros_like(self.u)
        for own, other in self.shifts:
            self.degree[own] += self.mask[other]
        # Times alpha, and 0 in holes, so that these stay 0.
        self.kept = self.mask - self.alpha * self.degree * self.mask
        self.mask *= self.alpha

    def set(self, values):
        self.u = values.astype(self.u.dtype)

    def get(self):
        return self.u

    def step(self):
        total = self.kept * 0
        for own, other in self.shifts:
            total[own] += self.u[other]
        total *= self.mask
        self.u *= self.kept
        self.u += total


def function(name, dtype):
    """A function of each value by itself, as in benches/functions.rule."""

    class Function:
        bytes_a_place = 24

        def __init__(self, case, numpy, mask):
            self.dtype = numpy.dtype(dtype)
            places = sum(numpy.indices(mask.shape))
            self.u = ((0.3 + 0.01 * places) * mask).astype(self.dtype)
            constant = self.dtype.type
            self.function = {
                "sin": lambda u: numpy.sin(u) + constant(1.5),
                "cos": lambda u: numpy.cos(u) + constant(1.5),
                "exp": lambda u: numpy.exp(-u) + constant(0.5),
                "log": lambda u: numpy.log(u) + constant(2.0),
                "tanh": lambda u: numpy.tanh(u) + constant(0.5),
                "atan": lambda u: numpy.arctan(u) + constant(0.5),
                "atan2": lambda u: numpy.arctan2(u, constant(0.7)) + constant(0.5),
                "pow": lambda u: numpy.power(u, constant(0.7)) + constant(0.2),
            }[name]

        def set(self, values):
            self.u = values.astype(self.dtype)

        def get(self):
            return self.u

        def step(self):
            self.u = self.function(self.u)

    return Function


class Kuramoto:
    """phase + 0.01 + 0.1 * sum(sin(nb.phase - phase)) over the von Neumann neighbourhood, in single precision."""

    bytes_a_place = 24

    def __init__(self, case, numpy, mask):
        self.numpy = numpy
        self.shifts = list(shifts(case.dimension, False))
        self.mask = mask.astype(numpy.float32)
        random = numpy.random.default_rng(0).random(mask.shape, dtype=numpy.float32)
        self.phase = random * numpy.float32(6.2831853)

    def set(self, values):
        self.phase = values.astype(self.numpy.float32)

    def get(self):
        return self.phase

    def step(self):
        numpy = self.numpy
        total = numpy.zeros_like(self.phase)
        for own, other in self.shifts:
            total[own] += self.mask[other] * numpy.sin(self.phase[other] - self.phase[own])
        self.phase = self.phase + numpy.float32(0.01) + numpy.float32(0.1) * total


FUNCTIONS = ("sin", "cos", "exp", "log", "tanh", "atan", "atan2", "pow")
RULES = {"life": Life, "heat": Heat, "kuramoto": Kuramoto}
RULES |= {f"{name}_{dtype}": function(name, numpy_dtype) for name in FUNCTIONS for dtype, numpy_dtype in (("f32", "float32"), ("f64", "float64"))}


def measure(case):
    import numpy

    if case.rule not in RULES:
        raise Skip("the rule is not among its own")
    rule = RULES[case.rule]
    case.needs(case.side(case.level) ** case.dimension * rule.bytes_a_place)

    small = case.check["level"]
    mask = mask_of(case, numpy, small)
    places = tuple(reversed(tuple(case.coordinates(numpy, 0, small))))
    checked = rule(case, numpy, mask)
    values = numpy.zeros(mask.shape)
    values[places] = case.check["before"]
    checked.set(values)
    for _ in range(case.check["steps"]):
        checked.step()
    compare(numpy, checked.get()[places], case.check["after"])

    return clock(rule(case, numpy, mask_of(case, numpy, case.level)).step, case.seconds)


answer("numpy, bounding box", measure)
