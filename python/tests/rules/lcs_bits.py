import squeeze as sq


@sq.rule
class lcs_bits:
    """The length of the longest common subsequence of two texts, by differences."""

    a = sq.input("u8", along="x")
    b = sq.input("u8", along="y")
    across = sq.state(bool, init=False, doc="Whether the length grows from the left neighbour to here, and from the one above.")
    down = sq.state(bool, init=False)

    @sq.step(from_="+x +y")
    def fill(c):
        above = c.across.at(0, -1, otherwise=False)
        left = c.down.at(-1, 0, otherwise=False)
        grows = (c.a == c.b) | above | left
        return {"across": grows & ~left, "down": grows & ~above}

    def observe(a):
        return {"length": a.count(lambda c: c.across & (c.y == c.height - 1))}
