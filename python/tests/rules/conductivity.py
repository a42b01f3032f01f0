import squeeze as sq


@sq.rule
class conductivity:
    """The current from the left face of a rock to the right one."""

    flush = True
    momentum = sq.param(0.98, min=0, max=1, type=sq.f64)
    relaxation = sq.param(0.9, min=0, max=1, type=sq.f64)

    def start(c):
        return sq.where(c.x == 0, 1.0, 0.0)

    v = sq.state(sq.f64, init=start)
    before = sq.state(sq.f64, init=start)

    def next(c):
        around = c.mean(sq.von_neumann, "v", otherwise=c.v)
        moved = c.v + c.momentum * (c.v - c.before) + c.relaxation * (around - c.v)
        return {"v": sq.where(c.x == 0, 1.0, c.x == c.width - 1, 0.0, moved), "before": c.v}

    @sq.let
    def current(c):
        """What leaves a cell to the right."""
        return c.v - c.v.at(1, 0, otherwise=c.v)

    def observe(a):
        def through(column):
            return a.sum(lambda c: sq.where(c.x == column(c), c.current, 0.0))

        inflow = through(lambda c: 0)
        middle = through(lambda c: sq.min(c.width // 2, c.width - 2))
        outflow = through(lambda c: c.width - 2)
        change = a.max(lambda c: abs(c.v - c.before))
        is_small = (abs(inflow) * sq.f64(a.cells) <= 1e-3) & (abs(outflow) * sq.f64(a.cells) <= 1e-3)
        blocked = sq.where((a.step >= 100) & (change <= 1e-10) & is_small, 1, 0)
        return {"inflow": inflow, "middle": middle, "outflow": outflow, "change": change, "blocked": blocked}

    def stop(a):
        is_even = (abs(a.inflow - a.outflow) <= 1e-10 * a.inflow) & (abs(a.inflow - a.middle) <= 1e-10 * a.inflow)
        return (a.blocked == 1) | (a.step >= 100) & is_even

    picture = sq.picture(v, range=(0.0, 1.0))
