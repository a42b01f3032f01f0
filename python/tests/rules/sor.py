import squeeze as sq


@sq.rule
class sor:
    """Successive over-relaxation for the equation of Poisson."""

    omega = sq.param(1.5, min=0, max=2, type=sq.f64, doc="From 0 to 2; 1 is the method of Gauss and Seidel.")
    source = sq.param(1.0, type=sq.f64, doc="The source in the middle.")
    f = sq.state(sq.f64, init=lambda c: sq.where((c.x == c.width // 2) & (c.y == c.height // 2), c.source, 0.0))
    u = sq.state(sq.f64, init=0.0)

    @sq.step(from_=["+x", "+y"])
    def relax(c):
        return {"u": c.u + c.omega * (0.25 * (c.f + c.sum(sq.von_neumann, "u")) - c.u)}

    def observe(a):
        return {"residual": a.max(lambda c: abs(0.25 * (c.f + c.sum(sq.von_neumann, "u")) - c.u)), "highest": a.max("u")}

    shown = sq.picture("u")
