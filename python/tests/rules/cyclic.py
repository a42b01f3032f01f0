import squeeze as sq

Colour = sq.enum("red orange yellow green cyan blue violet pink")
SHOWN = ["e5484d", "f08c3a", "f2c230", "12a67c", "3cc8d8", "3d7be0", "8a5fd0", "e27fb8"]


@sq.rule
class cyclic:
    """Cyclic cellular automaton with eight colours."""

    threshold = sq.param(1, min=1, max=6)
    colour = sq.state(Colour, init=Colour(sq.below(8)))

    def next(c):
        eater = Colour(sq.i32(c.colour) + 1)
        eats = c.count(sq.von_neumann, lambda nb: nb.colour == eater) >= c.threshold
        return {"colour": sq.where(eats, eater, c.colour)}

    def observe(a):
        return {
            "reds": a.count(lambda c: c.colour == Colour.red),
            "borders": a.sum(lambda c: c.count(sq.von_neumann, lambda nb: nb.colour != c.colour)),
        }

    picture = sq.picture("colour", colours=dict(zip(Colour, SHOWN)))
