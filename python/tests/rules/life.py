import squeeze as sq


@sq.rule
class life:
    """Life on fractals: B2/S23 over the Moore neighbourhood."""

    alive = sq.state(sq.bit, init=sq.random(0.5))

    def next(c):
        n = c.count(sq.moore, "alive")
        return {"alive": sq.where(c.alive, n.isin(range(2, 4)), n == 2)}

    def observe(a):
        return {"population": a.sum("alive")}
