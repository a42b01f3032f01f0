import squeeze as sq


@sq.rule
class schrodinger:
    """Schroedinger's equation: a packet of waves that meets a wall."""

    dt = sq.param(0.2, min=0, max=0.3)
    wall = sq.param(0.0, min=-0.6, max=0.6)
    wave = sq.param(0.7)
    spread = sq.param(0.08)

    def init(c):
        far = sq.vec2(sq.f32(c.x) - 0.25 * sq.f32(c.width), sq.f32(c.y) - 0.5 * sq.f32(c.height)) / (c.spread * sq.f32(c.side))
        angle = c.wave * sq.f32(c.x)
        return {"psi": sq.exp(-0.25 * sq.dot(far, far)) * sq.complex(sq.cos(angle), sq.sin(angle))}

    psi = sq.state(sq.complex)

    @sq.let
    def energy(c):
        potential = sq.where(sq.abs(c.x - c.width // 2) <= c.width // 16, c.wall, 0.0)
        return potential * c.psi - 0.5 * c.sum(sq.von_neumann, lambda nb: nb.psi - c.psi)

    @sq.step
    def real(c):
        return {"psi": sq.complex(c.psi.x + c.dt * c.energy.y, c.psi.y)}

    @sq.step
    def imaginary(c):
        return {"psi": sq.complex(c.psi.x, c.psi.y - c.dt * c.energy.x)}

    def observe(a):
        density = a.sum(lambda c: sq.dot(c.psi, c.psi))
        return {
            "total": a.sum(lambda c: c.psi.x * c.psi.x + c.psi.y * (c.psi.y + c.dt * c.energy.x)),
            "right": a.sum(lambda c: sq.where(c.x > c.width // 2, sq.dot(c.psi, c.psi), 0.0)),
            "mean_energy": a.sum(lambda c: sq.dot(c.psi, c.energy)) / density,
        }
