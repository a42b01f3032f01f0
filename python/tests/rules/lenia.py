import squeeze as sq

RINGS = {
    (0, 1): 0.17, (0, 2): 0.95, (0, 3): 0.61, (1, 1): 0.53, (1, 2): 1.0, (1, 3): 0.46, (2, 2): 0.75, (2, 3): 0.1,
}  # fmt: skip
ring = sq.neighbourhood(
    {
        (x, y): RINGS[min(abs(x), abs(y)), max(abs(x), abs(y))]
        for y in range(-3, 4)
        for x in range(-3, 4)
        if (x, y) != (0, 0) and (min(abs(x), abs(y)), max(abs(x), abs(y))) in RINGS
    }
)


@sq.rule
class lenia:
    """Lenia, a continuous game of life."""

    centre = sq.param(0.15, min=0, max=1)
    width = sq.param(0.025, min=0.001, max=1)
    dt = sq.param(0.1, min=0, max=1)
    a = sq.state(sq.f32, init=lambda c: sq.where((c.x // 8 + c.y // 8) % 3 == 0, sq.uniform(), 0.0))

    @sq.fn
    def growth(c, u: sq.f32) -> sq.f32:
        return 2.0 * sq.exp(-(((u - c.centre) / c.width) ** 2.0) / 2.0) - 1.0

    def next(c):
        around = c.sum(ring, lambda nb: nb.weight * nb.a) / sq.max(c.sum(ring, lambda nb: nb.weight), 1.0)
        return {"a": sq.clamp(c.a + c.dt * c.growth(around), 0.0, 1.0)}

    def observe(a):
        return {"mass": a.sum("a"), "peak": a.max("a")}
