import squeeze as sq

empty, tree, fire = Ground = sq.enum("empty", "tree", "fire")


@sq.rule
class forest_fire:
    """Forest fires with growth and lightning."""

    growth = sq.param(0.02, doc="Probability that a tree grows on an empty cell: 0 to 1.")
    lightning = sq.param(0.0005, doc="Probability that lightning strikes a tree: 0 to 1, well below growth.")
    ground = sq.state(Ground, init=sq.where(sq.random(0.6), tree, empty))

    def next(c):
        threatened = c.any(sq.von_neumann, lambda nb: nb.ground == fire)
        burns = sq.where(threatened | sq.random(c.lightning), fire, tree)
        return {"ground": sq.where(c.ground == fire, empty, c.ground == tree, burns, sq.random(c.growth), tree, empty)}

    def observe(a):
        return {"trees": a.count(lambda c: c.ground == tree), "fires": a.count(lambda c: c.ground == fire)}

    picture = sq.picture("ground", colours={empty: "3d4f73", tree: "12a67c", fire: "ff5a1f"})
