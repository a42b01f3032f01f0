import squeeze as sq


@sq.rule
class geodesic:
    """The length of the shortest way from the upper edge."""

    far = sq.const(1000000000)
    d = sq.state(sq.i32, init=lambda c: sq.where(c.y == 0, 0, c.far))
    changed = sq.state(sq.bit, init=False)

    @sq.step
    def begin(c):
        return {"changed": False}

    @sq.step(from_="all")
    def go(c):
        near = sq.min(c.d, c.min(sq.von_neumann, "d", otherwise=c.far) + 1)
        return {"d": near, "changed": c.changed | (near != c.d)}

    def observe(a):
        return {
            "left": a.count("changed"),
            "reached": a.count(lambda c: c.d < c.far),
            "farthest": a.max(lambda c: sq.where(c.d < c.far, c.d, 0)),
        }

    def stop(a):
        return a.left == 0
