import squeeze as sq


@sq.rule
class potts:
    """Potts model with q kinds, checkerboard Metropolis."""

    q = sq.param(3, min=2, max=256, type=sq.u32)
    beta = sq.param(1.0, min=0, max=100)
    spin = sq.state(sq.u8, init=sq.u8(sq.below(q)))

    @sq.step(colour=sq.von_neumann)
    def change(c):
        proposed = sq.u8(sq.below(c.q))
        now = c.count(sq.von_neumann, lambda nb: nb.spin == c.spin)
        then = c.count(sq.von_neumann, lambda nb: nb.spin == proposed)
        return {"spin": sq.where(sq.random(sq.exp(c.beta * sq.f32(then - now))), proposed, c.spin)}

    def observe(a):
        return {
            "agreements": a.sum(lambda c: c.count(sq.von_neumann, lambda nb: nb.spin == c.spin)),
            "of_first_kind": a.count(lambda c: c.spin == 0),
        }
