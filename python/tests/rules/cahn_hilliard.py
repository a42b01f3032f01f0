import squeeze as sq


@sq.rule
class cahn_hilliard:
    """Phase separation by Cahn and Hilliard."""

    gamma = sq.param(0.5)
    dt = sq.param(0.02)
    mean_u = sq.param(0.0)
    u = sq.state(sq.f32, init=mean_u + sq.uniform(-0.1, 0.1))

    def next(c):
        mu = c.u**3 - c.u - c.gamma * c.sum(sq.von_neumann, lambda nb: nb.u - c.u)
        return {"u": c.u + c.dt * c.sum(sq.von_neumann, lambda nb: nb[mu] - mu)}

    def observe(a):
        def energy(c):
            well = 1.0 - c.u * c.u
            steep = c.sum(sq.von_neumann, lambda nb: (nb.u - c.u) ** 2)
            return 0.25 * well * (1.0 - c.u * c.u) + 0.25 * c.gamma * steep

        return {"total": a.sum("u"), "spread": a.variance("u"), "free": a.sum(energy)}
