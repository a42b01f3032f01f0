import squeeze as sq


@sq.rule
class life_3d:
    """Life in three dimensions."""

    alive = sq.state(sq.bit, init=lambda c: sq.random(0.1 + 0.4 * sq.f32(c.z) / sq.f32(c.depth)))

    def next(c):
        n = c.count(sq.moore, lambda nb: nb.alive)
        return {"alive": sq.where(c.alive, n.isin(range(3, 6)), n.isin(3, 4))}

    def observe(a):
        return {"population": a.sum("alive"), "in_front": a.sum(lambda c: c.alive & (c.z < c.depth // 2))}
