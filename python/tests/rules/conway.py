import squeeze as sq


@sq.rule
class conway:
    """Conway's life: B3/S23 over the Moore neighbourhood."""

    alive = sq.state(sq.bit, init=sq.random(0.35))

    def next(c):
        n = c.count(sq.moore, lambda nb: nb.alive)
        return {"alive": sq.where(c.alive, sq.between(n, 2, 3), n == 3)}

    def observe(a):
        return {"population": a.sum("alive")}
