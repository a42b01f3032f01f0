"""scipy.sparse on the compact cells: one product of a CSR matrix and the vector of all cells a step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "common"))
from peer import Skip, answer, clock, compare


def offsets(dimension, moore):
    offsets = [()]
    for _ in range(dimension):
        offsets = [offset + (d,) for offset in offsets for d in (-1, 0, 1)]
    distances = {offset: sum(map(abs, offset)) for offset in offsets}
    return [offset for offset in offsets if distances[offset] == 1 or moore and distances[offset] > 1]


def inverse(case, numpy, low, high):
    """nu for the digits of levels low + 1 to high alone, as a table over their box; -1 is a hole."""
    places = case.coordinates(numpy, low, high)
    side = case.side(high) // case.side(low)
    table = numpy.full((side,) * case.dimension, -1, dtype=numpy.int32)
    table[tuple(places)] = numpy.arange(places.shape[1], dtype=numpy.int32)
    return table


def adjacency(case, numpy, sparse, level, moore, weight):
    """The matrix with `weight` where two cells are neighbours. nu is two look-ups, one for each half of the digits."""
    half = level // 2
    low, high = inverse(case, numpy, 0, half), inverse(case, numpy, half, level)
    side, low_side, low_cells = case.side(level), case.side(half), case.cells(half)
    places, cells = case.coordinates(numpy, 0, level), case.cells(level)
    starts, columns = numpy.zeros(cells + 1, dtype=numpy.int32), []
    around = offsets(case.dimension, moore)

    def neighbours(offset):
        at = [axis + d for axis, d in zip(places, offset)]
        inside = numpy.ones(cells, dtype=bool)
        for axis, d in zip(at, offset):
            if d:
                inside &= (axis >= 0) & (axis < side)
                axis[~inside] = 0
        upper = high[tuple(axis // low_side for axis in at)]
        lower = low[tuple(axis % low_side for axis in at)]
        inside &= (upper >= 0) & (lower >= 0)
        return inside, upper * low_cells + lower

    found = 0
    for offset in around:
        inside, other = neighbours(offset)
        starts[1:] += inside
        columns.append((inside, other[inside]))
        found += len(columns[-1][1])
    numpy.cumsum(starts, out=starts)
    indices, filled = numpy.empty(found, dtype=numpy.int32), starts[:-1].copy()
    while columns:
        inside, other = columns.pop(0)
        indices[filled[inside]] = other
        filled += inside
    weights = numpy.full(found, weight)
    return sparse.csr_matrix((weights, indices, starts), shape=(cells, cells))


class Life:
    """Birth with 2 neighbours, survival with 2 or 3, over the Moore neighbourhood."""

    def __init__(self, case, numpy, sparse, level):
        self.matrix = adjacency(case, numpy, sparse, level, True, numpy.uint8(1))
        self.alive = numpy.random.default_rng(0).integers(0, 2, case.cells(level), dtype=numpy.uint8)

    def set(self, values):
        self.alive = values.astype(self.alive.dtype)

    def get(self):
        return self.alive

    def step(self):
        count = self.matrix @ self.alive
        self.alive = ((count == 2) | ((count == 3) & (self.alive == 1))).astype(self.alive.dtype)


class Heat:
    """u + alpha * sum(nb.u - u) over the von Neumann neighbourhood: one matrix holds it all. In single precision."""

    def __init__(self, case, numpy, sparse, level):
        alpha = numpy.float32(case.params["alpha"])
        matrix = adjacency(case, numpy, sparse, level, False, alpha)
        degree = numpy.diff(matrix.indptr).astype(numpy.float32)
        self.matrix = (matrix + sparse.diags(1 - alpha * degree, format="csr", dtype=numpy.float32)).tocsr()
        self.u = numpy.float32(case.params["hot"]) * (case.coordinates(numpy, 0, level)[1] == 0)

    def set(self, values):
        self.u = values.astype(self.u.dtype)

    def get(self):
        return self.u

    def step(self):
        self.u = self.matrix @ self.u


RULES = {"life": Life, "heat": Heat}


def measure(case):
    import numpy
    from scipy import sparse

    if case.rule not in RULES:
        raise Skip("the rule is not among its own")
    # Indices, weights and what building them takes: at most about this for fractals, which have few neighbours.
    cells = case.cells(case.level)
    if cells * 3**case.dimension >= 2**31:
        raise Skip("its 32-bit indices do not reach")
    case.needs(cells * 100)

    checked = RULES[case.rule](case, numpy, sparse, case.check["level"])
    checked.set(numpy.array(case.check["before"]))
    for _ in range(case.check["steps"]):
        checked.step()
    compare(numpy, checked.get(), case.check["after"])

    return clock(RULES[case.rule](case, numpy, sparse, case.level).step, case.seconds)


answer("scipy.sparse, CSR", measure)
