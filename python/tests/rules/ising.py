import squeeze as sq


@sq.rule
class ising:
    """Ising model, heat bath by flips."""

    beta = sq.param(0.44)
    up = sq.state(sq.bit, init=sq.random(0.5))

    @sq.step(colour=sq.von_neumann)
    def flip(c):
        aligned = c.sum(sq.von_neumann, lambda nb: sq.where(nb.up == c.up, 1.0, -1.0))
        return {"up": c.up != sq.random(1 / (1 + sq.exp(2 * c.beta * aligned)))}

    def observe(a):
        magnetisation = a.sum(lambda c: sq.where(c.up, 1, -1))
        disagreements = a.sum(lambda c: c.count(sq.von_neumann, lambda nb: nb.up != c.up))
        m = sq.f64(magnetisation) / sq.f64(a.cells)
        m2 = m**2
        return {"magnetisation": magnetisation, "disagreements": disagreements, "m": m, "m2": m2, "m4": m2**2}
