import squeeze as sq


@sq.rule
class space_time:
    """An elementary cellular automaton, row after row."""

    number = sq.param(30, min=0, max=255, type=sq.u32)
    on = sq.state(sq.bit, init=lambda c: (c.y == 0) & (c.x == c.width // 2))

    @sq.step(from_="+y", when=lambda c: c.y > 0)
    def rows(c):
        left, middle, right = (sq.u32(c.on.at(dx, -1, otherwise=False)) for dx in (-1, 0, 1))
        return {"on": c.number >> (4 * left + 2 * middle + right) & 1 == 1}

    def observe(a):
        return {"all": a.count("on"), "last": a.count(lambda c: c.on & (c.y == c.height - 1))}
