import squeeze as sq

LEAST = -1000000000


@sq.rule
class smith_waterman:
    """Points of the best local alignment of two sequences."""

    same = sq.param(2, doc="Points for two equal letters and for two others.")
    other = sq.param(-1)
    open = sq.param(3, min=0, max=1000, doc="What the first letter of a gap takes, and each further one.")
    extend = sq.param(1, min=0, max=1000)
    a = sq.input(sq.u8, along="x")
    b = sq.input(sq.u8, along="y")
    h = sq.state(sq.i32, init=0, doc="The best alignment that ends here, and the best one that ends with a gap in `b` or in `a`.")
    e = sq.state(sq.i32, init=0)
    f = sq.state(sq.i32, init=0)

    @sq.step(from_="+x +y")
    def fill(c):
        across = sq.max(c.h.at(-1, 0, otherwise=0) - c.open, c.e.at(-1, 0, otherwise=LEAST) - c.extend)
        down = sq.max(c.h.at(0, -1, otherwise=0) - c.open, c.f.at(0, -1, otherwise=LEAST) - c.extend)
        met = c.h.at(-1, -1, otherwise=0) + sq.where(c.a == c.b, c.same, c.other)
        return {"h": sq.max(met, across, down, 0), "e": across, "f": down}

    def observe(a):
        return {"score": a.max("h")}
