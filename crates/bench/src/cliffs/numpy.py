"""The rules of cliffs.rule as one writes them with numpy: whole arrays of the bounding box, with a mask for the holes."""

from peer import Skip, answer, clock, compare


def mask_of(case, numpy, level):
    """The expanded grid [y, x], true where there is a cell."""
    mask = numpy.ones((1, 1), dtype=bool)
    for mu in range(1, level + 1):
        scale, replicas = case.pattern(mu)
        pattern = numpy.zeros((scale, scale), dtype=bool)
        for x, y in replicas:
            pattern[y, x] = True
        mask = numpy.kron(pattern, mask)
    return mask


def shift(offset):
    """Slices of the places whose neighbour at the offset (dx, dy) is inside, and of those neighbours."""
    own, other = [], []
    for d in reversed(offset):
        own.append(slice(max(0, -d), -d if d > 0 else None))
        other.append(slice(max(0, d), d if d < 0 else None))
    return tuple(own), tuple(other)


def moore(radius):
    reach = range(-radius, radius + 1)
    return [(dx, dy) for dy in reach for dx in reach if (dx, dy) != (0, 0)]


VON_NEUMANN = [(0, -1), (-1, 0), (1, 0), (0, 1)]


class Rule:
    dtype = "float32"
    # Whether a run of another start and other random numbers is compared: the outcome is then by chance.
    by_chance = False

    def __init__(self, case, numpy, mask):
        self.numpy, self.mask = numpy, mask
        self.random = numpy.random.default_rng(0)
        self.u = (self.random.random(mask.shape, dtype=numpy.float32) * mask).astype(self.dtype)
        self.begin()

    def begin(self):
        pass

    def set(self, values):
        self.u = values.astype(self.dtype)

    def sum(self, u, offsets, weight=None):
        total = self.numpy.zeros_like(u)
        for offset in offsets:
            own, other = shift(offset)
            total[own] += u[other] if weight is None else weight(offset) * u[other]
        return total

    def box(self, u, radius, dtype):
        """The sum over a square, by sums along rows and columns."""
        numpy, side = self.numpy, 2 * radius + 1
        sums = numpy.pad(u.astype(dtype), ((radius + 1, radius), (radius + 1, radius)))
        sums = numpy.cumsum(numpy.cumsum(sums, axis=0, dtype=dtype), axis=1, dtype=dtype)
        return sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]


class Sine(Rule):
    def step(self):
        self.u = self.numpy.sin(self.u) + self.numpy.float32(1.5)


class Power(Rule):
    def step(self):
        self.u = self.numpy.float32(0.5) + self.numpy.float32(0.3) * self.numpy.power(self.u, self.numpy.float32(1.5))


class Oscillators(Rule):
    def begin(self):
        self.there = self.mask.astype(self.numpy.float32)

    def step(self):
        numpy = self.numpy
        total = numpy.zeros_like(self.u)
        for offset in VON_NEUMANN:
            own, other = shift(offset)
            total[own] += self.there[other] * numpy.sin(self.u[other] - self.u[own])
        self.u = self.u + numpy.float32(0.01) + numpy.float32(0.1) * total


class Weights(Rule):
    def weight(self, offset):
        dx, dy = offset
        return self.numpy.exp(self.numpy.float32(-(dx * dx + dy * dy) / 4.0))

    def begin(self):
        self.there = self.mask.astype(self.numpy.float32)
        self.all = self.numpy.float32(11.0)

    def step(self):
        numpy = self.numpy
        total = self.sum(self.u, moore(3), self.weight)
        self.u = (numpy.float32(0.9) * total / self.all + numpy.float32(0.05)) * self.there


class Normalised(Weights):
    def begin(self):
        super().begin()
        # It does not change.
        self.all = self.numpy.maximum(self.sum(self.there, moore(3), self.weight), self.numpy.float32(1.0))


class Counted(Rule):
    dtype = "uint8"

    def begin(self):
        self.u = (self.random.random(self.mask.shape) < 0.45).astype(self.numpy.uint8) * self.mask

    def step(self):
        n = self.box(self.u, 5, self.numpy.int32) - self.u
        alive = self.u == 1
        self.u = ((alive & (n >= 33) & (n <= 57) | ~alive & (n >= 34) & (n <= 45)) & self.mask).astype(self.numpy.uint8)


class Summed(Rule):
    def begin(self):
        self.there = self.mask.astype(self.numpy.float32)

    def step(self):
        numpy = self.numpy
        total = (self.box(self.u, 13, numpy.float64) - self.u).astype(numpy.float32)
        self.u = (numpy.float32(0.9) * total / numpy.float32(728.0) + numpy.float32(0.05)) * self.there


class Lenia(Rule):
    def begin(self):
        numpy = self.numpy
        try:
            from scipy import fft
            self.fft, lengths = fft, [fft.next_fast_len(n + 26, real=True) for n in self.mask.shape]
        except ImportError:
            self.fft, lengths = numpy.fft, [n + 26 for n in self.mask.shape]
        y, x = numpy.mgrid[-13:14, -13:14]
        kernel = numpy.exp(-(x * x + y * y) / 40.0).astype(numpy.float32)
        kernel[13, 13] = 0
        self.lengths = lengths
        self.kernel = self.fft.rfft2(kernel, lengths).astype(numpy.complex64)
        self.there = self.mask.astype(numpy.float32)

    def step(self):
        numpy = self.numpy
        product = self.fft.rfft2(self.u, self.lengths) * self.kernel
        height, width = self.u.shape
        around = self.fft.irfft2(product, self.lengths)[13 : 13 + height, 13 : 13 + width].astype(numpy.float32)
        around /= numpy.float32(125.0)
        growth = numpy.float32(2.0) * numpy.exp(-((around - numpy.float32(0.3)) ** 2) / numpy.float32(0.02))
        self.u = numpy.clip(self.u + numpy.float32(0.1) * (growth - numpy.float32(1.0)), 0, 1) * self.there


class Coins(Rule):
    dtype = "uint8"
    by_chance = True

    def step(self):
        self.u = ((self.random.random(self.mask.shape, dtype=self.numpy.float32) < 0.3) & self.mask).view("uint8")


class Spins(Rule):
    dtype = "int8"
    by_chance = True

    def begin(self):
        numpy = self.numpy
        y, x = numpy.indices(self.mask.shape)
        self.half = [self.mask & ((x + y) % 2 == colour) for colour in (0, 1)]
        self.u = numpy.where(self.random.random(self.mask.shape) < 0.5, 1, -1).astype(numpy.int8) * self.mask
        field = numpy.arange(-4, 5, dtype=numpy.float32)
        self.chance = (1 / (1 + numpy.exp(-2 * 0.44 * field))).astype(numpy.float32)

    def step(self):
        numpy = self.numpy
        for half in self.half:
            field = self.sum(self.u, VON_NEUMANN)
            up = self.random.random(self.mask.shape, dtype=numpy.float32) < self.chance[field + 4]
            self.u = numpy.where(half, numpy.where(up, 1, -1), self.u).astype(numpy.int8)


class Colours(Rule):
    def begin(self):
        y, x = self.numpy.indices(self.mask.shape)
        self.guards = [self.mask & (x % 2 == a) & (y % 2 == b) for a, b in ((0, 0), (1, 0), (0, 1), (1, 1))]

    def step(self):
        numpy = self.numpy
        for guard in self.guards:
            new = numpy.float32(0.1) * self.u + numpy.float32(0.1) * self.sum(self.u, moore(1))
            self.u = numpy.where(guard, new, self.u)


class Cold(Rule):
    def begin(self):
        self.there = self.mask.astype(self.numpy.float32)
        self.degree = self.sum(self.there, VON_NEUMANN)
        self.u *= self.numpy.float32(2e-38)

    def step(self):
        flow = self.sum(self.u, VON_NEUMANN) - self.degree * self.u
        self.u = (self.u + self.numpy.float32(0.1) * flow) * self.there


class Reaction(Rule):
    def begin(self):
        self.there = self.mask.astype(self.numpy.float32)
        self.degree = self.sum(self.there, VON_NEUMANN)
        self.v = self.numpy.float32(0.2) * self.there

    def step(self):
        f32 = self.numpy.float32
        eaten = self.u * self.v * self.v
        spread = [self.sum(values, VON_NEUMANN) - self.degree * values for values in (self.u, self.v)]
        u = self.u + f32(0.16) * spread[0] - eaten + f32(0.04) * (f32(1.0) - self.u)
        self.v = (self.v + f32(0.08) * spread[1] + eaten - f32(0.1) * self.v) * self.there
        self.u = u * self.there


class Separation(Rule):
    def begin(self):
        self.there = self.mask.astype(self.numpy.float32)
        self.degree = self.sum(self.there, VON_NEUMANN)
        self.u = self.numpy.float32(0.2) * self.u - self.numpy.float32(0.1) * self.there

    def spread(self, values):
        return self.sum(values, VON_NEUMANN) - self.degree * values

    def step(self):
        f32 = self.numpy.float32
        mu = (self.u * self.u * self.u - self.u - f32(0.5) * self.spread(self.u)) * self.there
        self.u = (self.u + f32(0.02) * self.spread(mu)) * self.there


class Epidemic(Rule):
    dtype = "uint8"
    by_chance = True

    def begin(self):
        numpy = self.numpy
        self.u = ((self.random.random(self.mask.shape) < 0.1) & self.mask).astype(numpy.uint8)
        self.chance = (1 - numpy.power(numpy.float32(0.7), numpy.arange(5, dtype=numpy.float32))).astype(numpy.float32)

    def step(self):
        numpy, f32 = self.numpy, self.numpy.float32
        sick = self.sum((self.u == 1).view(numpy.uint8), VON_NEUMANN)
        drawn = self.random.random(self.mask.shape, dtype=f32)
        # Susceptible, infected and recovered are 0, 1 and 2.
        chance = numpy.where(self.u == 0, self.chance[sick], f32(0.01))
        self.u = numpy.where((drawn < chance) & self.mask, (self.u + 1) % 3, self.u).astype(numpy.uint8)


RULES = {rule.__name__.lower(): rule for rule in Rule.__subclasses__() + Weights.__subclasses__()}


def measure(case):
    import numpy

    if case.rule not in RULES:
        raise Skip("the rule is not among its own")
    rule = RULES[case.rule]
    case.needs(case.side(case.level) ** 2 * 64)
    if not rule.by_chance:
        small = case.check["level"]
        mask = mask_of(case, numpy, small)
        x, y = case.coordinates(numpy, 0, small)
        checked = rule(case, numpy, mask)
        values = numpy.zeros(mask.shape)
        values[y, x] = case.check["before"]
        checked.set(values)
        for _ in range(case.check["steps"]):
            checked.step()
        compare(numpy, checked.u[y, x], case.check["after"])
    return clock(rule(case, numpy, mask_of(case, numpy, case.level)).step, case.seconds)


answer("numpy", measure)
