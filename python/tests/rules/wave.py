import numpy as np

import squeeze as sq


@sq.rule
class wave:
    """Waves with reflecting holes and edges."""

    c2 = sq.param(0.25, doc="(speed × time step)²: stable from 0 to 0.5, on 3-D fractals to 0.33.")
    damping = sq.param(0.0, doc="What a step takes of the velocity: 0 (nothing) to 1.")
    sharpness = sq.param(0.02)

    def pulse(c):
        return np.exp(-c.sharpness * sq.f32(c.y) * sq.f32(c.y))

    u = sq.state(np.float32, init=pulse)
    before = sq.state(np.float32, init=pulse)

    def next(c):
        lap = c.sum(sq.von_neumann, lambda nb: nb.u - c.u)
        return {"u": c.u + (1 - c.damping) * (c.u - c.before) + c.c2 * lap, "before": c.u}

    @sq.let
    def velocity(c):
        return c.u - c.before

    @sq.let
    def tension(c):
        return c.sum(sq.von_neumann, lambda nb: (nb.u - c.u) * (nb.before - c.before))

    def observe(a):
        return {
            "energy": a.sum(lambda c: 0.5 * c.velocity * c.velocity + 0.25 * c.c2 * c.tension),
            "lowest": a.min("u"),
            "highest": a.max("u"),
        }

    picture = sq.picture("u", map="diverging")
