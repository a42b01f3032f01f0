import squeeze as sq


@sq.rule
class lcs:
    """The longest common subsequence of two texts."""

    a = sq.input(sq.u8, along="x")
    b = sq.input(sq.u8, along="y")
    l = sq.state(sq.i32, init=0)  # noqa: E741

    @sq.step(from_="+x +y")
    def fill(c):
        longer = c.l.at(-1, -1, otherwise=0) + 1
        return {"l": sq.where(c.a == c.b, longer, sq.max(c.l.at(-1, 0, otherwise=0), c.l.at(0, -1, otherwise=0)))}

    def observe(a):
        return {"length": a.max("l")}
