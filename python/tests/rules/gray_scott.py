import squeeze as sq


@sq.rule
class gray_scott:
    """Gray-Scott reaction and diffusion."""

    feed = sq.param(0.04, doc="Supply of u: 0.01 to 0.08 shows patterns.")
    kill = sq.param(0.06, doc="Removal of v: 0.045 to 0.07 shows patterns.")
    du = sq.param(0.16)
    dv = sq.param(0.08)
    u = sq.state(sq.f32)
    v = sq.state(sq.f32)

    def init(c):
        seeded = (c.x // 4 + 2 * (c.y // 4)) % 7 == 0
        return {"u": sq.where(seeded, 0.5, 1.0), "v": sq.where(seeded, 0.25, 0.0) + 0.02 * sq.uniform()}

    def next(c):
        def lap(name):
            return c.sum(sq.von_neumann, lambda nb: nb[name] - c[name])

        reaction = c.u * c.v * c.v
        return {
            "u": c.u + c.du * lap("u") - reaction + c.feed * (1.0 - c.u),
            "v": c.v + c.dv * lap("v") + reaction - (c.feed + c.kill) * c.v,
        }

    def observe(a):
        return {"total_u": a.sum("u"), "total_v": a.sum("v"), "peak": a.max("v")}
