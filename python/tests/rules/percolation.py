import squeeze as sq


@sq.rule
class percolation:
    """Site percolation with cluster labels and water from the top."""

    p = sq.param(0.6, min=0, max=1, type=sq.f64)
    wet = sq.state(sq.bit, init=lambda c: c.open & (c.y == 0))
    open = sq.state(sq.bit, init=sq.random(p))
    name = sq.state(sq.u32, init=sq.where(open, sq.bits() | 1, 0))
    label = sq.state(sq.u32, init=name)

    def next(c):
        greatest = c.max(sq.von_neumann, "label", otherwise=0)
        return {
            "wet": c.open & (c.wet | c.any(sq.von_neumann, "wet")),
            "label": sq.where(c.open, sq.max(c.label, greatest), 0),
        }

    def observe(a):
        return {
            "open_cells": a.sum("open"),
            "clusters": a.count(lambda c: c.open & (c.label == c.name)),
            "wet_cells": a.sum("wet"),
            "depth": a.max(lambda c: sq.where(c.wet, c.y, -1)),
        }
