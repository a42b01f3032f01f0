import squeeze as sq


@sq.rule
class swift_hohenberg:
    """Stripes by Swift and Hohenberg."""

    r = sq.param(0.3)
    dt = sq.param(0.015, doc="Time step: stable below 0.04 in the plane and 0.016 in space.")
    u = sq.state(sq.f32, init=sq.uniform(-0.1, 0.1))

    def next(c):
        curved = c.sum(sq.von_neumann, lambda nb: nb.u - c.u)
        stiff = c.sum(sq.von_neumann, lambda nb: nb[curved] - curved)
        return {"u": c.u + c.dt * (c.r * c.u - c.u * c.u * c.u - c.u - 2 * curved - stiff)}

    def observe(a):
        return {"power": a.mean(lambda c: c.u**2), "highest": a.max("u")}
