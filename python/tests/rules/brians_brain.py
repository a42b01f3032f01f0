import squeeze as sq

Cell = sq.enum("ready", "firing", "recovering")


@sq.rule
class brians_brain:
    """Brian's brain: fires with two firing neighbours, then recovers."""

    cell = sq.state(Cell, init=sq.where(sq.random(0.3), Cell.firing, Cell.ready))

    def next(c):
        near = c.count(sq.moore, lambda nb: nb.cell == Cell.firing)
        return {
            "cell": sq.match(
                c.cell,
                {
                    Cell.ready: sq.where(near == 2, Cell.firing, Cell.ready),
                    Cell.firing: Cell.recovering,
                    Cell.recovering: Cell.ready,
                },
            )
        }

    def observe(a):
        return {"firing_cells": a.count(lambda c: c.cell == Cell.firing)}
