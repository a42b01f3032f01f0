import squeeze as sq


def wanted(c):
    """The value at which nothing is left."""
    return 0.25 * (c.f + c.sum(sq.von_neumann, "u"))


@sq.rule
class gauss_seidel:
    """The method of Gauss and Seidel for the equation of Poisson."""

    source = sq.param(1.0, type=sq.f64, doc="The source in the middle.")
    f = sq.state(sq.f64, init=lambda c: sq.where((c.x == c.width // 2) & (c.y == c.height // 2), c.source, 0.0))
    u = sq.state(sq.f64, init=0.0)

    @sq.step(from_="+x +y")
    def relax(c):
        return {"u": wanted(c)}

    def observe(a):
        return {"residual": a.max(lambda c: abs(wanted(c) - c.u)), "highest": a.max("u")}

    shown = sq.picture("u")
