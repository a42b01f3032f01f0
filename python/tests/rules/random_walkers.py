import squeeze as sq

WAYS = [(1, 0), (-1, 0), (0, 1), (0, -1)]
BACK = [1, 0, 3, 2]


def by_way(way, values):
    """The value of the way that was drawn."""
    *cases, last = enumerate(values)
    return sq.where(*(part for number, value in cases for part in (way == number, value)), last[1])


@sq.rule
class random_walkers:
    """Walkers that do not share cells: the symmetric exclusion process."""

    density = sq.param(0.2, type=sq.f64)
    walker = sq.state(sq.bit, init=sq.random(density))

    def next(c):
        way = sq.below(4)
        meets = by_way(way, [way.at(*offset, otherwise=number) == back for number, (offset, back) in enumerate(zip(WAYS, BACK))])
        there = by_way(way, [c.walker.at(*offset, otherwise=c.walker) for offset in WAYS])
        return {"walker": sq.where(meets, there, c.walker)}

    def observe(a):
        return {"walkers": a.sum("walker")}
