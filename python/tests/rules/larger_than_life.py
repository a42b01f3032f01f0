import squeeze as sq


@sq.rule
class larger_than_life:
    """Larger than life, with a radius of two."""

    alive = sq.state(bool, init=sq.random(0.4))

    def next(c):
        n = c.count(sq.moore(2), lambda nb: nb.alive)
        return {"alive": sq.where(c.alive, n.isin(range(3, 7)), n.isin(range(3, 6)))}

    def observe(a):
        return {"population": a.sum("alive")}
