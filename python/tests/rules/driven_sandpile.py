import squeeze as sq


@sq.rule
class driven_sandpile:
    """Sandpile driven one grain at a time."""

    def sides(c):
        return sq.where(c.depth > 1, 6, c.height > 1, 4, 2)

    grains = sq.state(sq.i32, init=lambda c: sq.i32(sq.below(c.sides())))
    falls = sq.state(sq.i32, init=0)

    @sq.let
    def topples(c):
        return c.grains >= c.sides()

    @sq.global_
    def busy(a):
        return a.count("topples")

    @sq.global_
    def target(a):
        return sq.below(a.cells)

    def next(c):
        grain = sq.where((c.busy == 0) & (c.cell == c.target), 1, 0)
        taken = sq.where(c.topples, c.sides(), 0)
        return {
            "grains": c.grains + grain - taken + c.count(sq.von_neumann, "topples"),
            "falls": c.falls + grain,
        }

    def observe(a):
        return {
            "height": a.mean("grains"),
            "total": a.sum("grains"),
            "fallen": a.sum("falls"),
            "toppling": a.count("topples"),
        }
