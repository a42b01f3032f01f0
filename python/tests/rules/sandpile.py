import squeeze as sq


@sq.rule
class sandpile:
    """Abelian sandpile with open edges."""

    threshold = sq.param(0)
    start = sq.param(7)
    grains = sq.state(sq.i32, init=start)

    @sq.let
    def most(c):
        return sq.max(c.threshold, sq.where(c.depth > 1, 6, c.height > 1, 4, 2))

    def next(c):
        lost = sq.where(c.grains >= c.most, c.most, 0)
        return {"grains": c.grains - lost + c.count(sq.von_neumann, lambda nb: nb.grains >= c.most)}

    def observe(a):
        return {"total": a.sum("grains"), "toppling": a.count(lambda c: c.grains >= c.most), "highest": a.max("grains")}
