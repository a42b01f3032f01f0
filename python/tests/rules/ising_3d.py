import squeeze as sq


@sq.rule
class ising_3d:
    """Ising model, heat bath by flips."""

    beta = sq.param(0.3, min=0, max=100)
    up = sq.state(sq.bit, init=sq.random(0.5))

    @sq.step(colour=sq.von_neumann)
    def flip(c):
        aligned = c.sum(sq.von_neumann, lambda nb: sq.where(nb.up == c.up, 1.0, -1.0))
        return {"up": c.up != sq.random(1 / (1 + sq.exp(2 * c.beta * aligned)))}

    def observe(a):
        magnetisation = a.sum(lambda c: sq.where(c.up, 1, -1))
        disagreements = a.sum(lambda c: c.count(sq.von_neumann, lambda nb: nb.up != c.up))
        return {"magnetisation": magnetisation, "disagreements": disagreements}
