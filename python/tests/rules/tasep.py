import squeeze as sq


@sq.rule
class tasep:
    """The totally asymmetric exclusion process, updated from right to left."""

    p = sq.param(0.5, min=0, max=1, type=sq.f64, doc="The probability of a hop that has room.")
    density = sq.param(0.25, min=0, max=1, type=sq.f64, doc="The particles of a cell at the beginning.")
    n = sq.state(sq.bit, init=lambda c: sq.random(c.density))
    taken = sq.state(sq.bit, init=False, doc="Whether this cell has taken a particle from its left in this step.")

    @sq.step
    def begin(c):
        return {"taken": False}

    @sq.step(from_="-x")
    def hop(c):
        stays = c.n & ~c.taken.at(1, 0, otherwise=False)
        takes = ~stays & c.n.at(-1, 0, otherwise=False) & sq.random(c.p)
        return {"n": stays | takes, "taken": takes}

    @sq.step(when=lambda c: c.x == c.width - 1)
    def seam(c):
        # The last cell was asked first, before the first one took its particle.
        return {"n": c.n & ~c.taken.at(1, 0, otherwise=False)}

    def observe(a):
        return {"current": a.mean(lambda c: sq.where(c.taken, 1.0, 0.0)), "share": a.mean(lambda c: sq.where(c.n, 1.0, 0.0))}
