import numpy as np

import squeeze as sq


@sq.rule
class kuramoto:
    """Oscillators that pull one another along."""

    coupling = sq.param(0.2, min=0, max=1)
    spread = sq.param(0.02, min=0, max=1)
    cosine = sq.state(sq.f32)
    sine = sq.state(sq.f32)
    speed = sq.state(sq.f32)

    def init(c):
        cosine = sq.cos(sq.tau * sq.uniform())
        height = sq.sqrt(1.0 - cosine * cosine)
        return {
            "cosine": cosine,
            "sine": sq.where(sq.random(0.5), height, -height),
            "speed": sq.uniform(-c.spread, c.spread),
        }

    def next(c):
        pull = c.mean(sq.von_neumann, lambda nb: nb.sine * c.cosine - nb.cosine * c.sine, otherwise=0.0)
        turn = c.speed + c.coupling * pull
        across = c.cosine * np.cos(turn) - c.sine * np.sin(turn)
        up = c.sine * np.cos(turn) + c.cosine * np.sin(turn)
        # Back to the circle, from which rounding leads away.
        return {"cosine": across / np.hypot(across, up), "sine": up / np.hypot(across, up)}

    def observe(a):
        return {"cosines": a.sum("cosine"), "sines": a.sum("sine")}
