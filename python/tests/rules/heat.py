import squeeze as sq


@sq.rule
class heat:
    """Heat flow with insulating edges."""

    alpha = sq.param(0.1, min=0, max=0.5 / sq.dimension)
    hot = sq.param(1000.0)
    u = sq.state(sq.f32, init=lambda c: sq.where(c.y == 0, c.hot, 0))

    def next(c):
        return {"u": c.u + c.alpha * c.sum(sq.von_neumann, lambda nb: nb.u - c.u)}

    def observe(a):
        return {"total": a.sum("u"), "coldest": a.min("u"), "hottest": a.max("u")}
