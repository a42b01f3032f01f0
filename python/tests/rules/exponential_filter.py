import squeeze as sq


@sq.rule
class exponential_filter:
    """Exponential smoothing along rows."""

    alpha = sq.param(0.1, min=0, max=1, type=sq.f64, doc="The share of the signal.")
    v = sq.state(sq.f64, init=lambda c: sq.f64(sq.uniform()))
    s = sq.state(sq.f64, init=0.0)

    @sq.step(from_="+x")
    def forth(c):
        return {"s": c.s.at(-1, 0, otherwise=c.v) * (1.0 - c.alpha) + c.v * c.alpha}

    def observe(a):
        return {"mean_v": a.mean("v"), "mean_s": a.mean("s")}

    shown = sq.picture("s")
