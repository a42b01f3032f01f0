import squeeze as sq


@sq.rule
class voter:
    """Voter model with two opinions and noise."""

    noise = sq.param(0.001, min=0, max=1)
    opinion = sq.state(sq.bit, init=sq.random(0.5))

    def next(c):
        other = c.pick(sq.von_neumann, "opinion", otherwise=c.opinion)
        return {"opinion": sq.where(sq.random(c.noise), sq.random(0.5), sq.random(0.5), other, c.opinion)}

    def observe(a):
        return {
            "ayes": a.sum("opinion"),
            "disagreements": a.sum(lambda c: c.count(sq.von_neumann, lambda nb: nb.opinion != c.opinion)),
        }
