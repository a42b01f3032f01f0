import squeeze as sq

free, walker, ice = Site = sq.enum("free", "walker", "ice")
WAYS = [(1, 0), (-1, 0), (0, 1), (0, -1)]


@sq.rule
class aggregation:
    """Multi-particle diffusion-limited aggregation."""

    density = sq.param(0.15, type=sq.f64)

    def start(c):
        is_middle = (c.x == c.width // 2) & (c.y == c.height // 2)
        return sq.where(is_middle, ice, sq.random(c.density), walker, free)

    site = sq.state(Site, init=start)

    def next(c):
        way = sq.below(4)
        moves = (c.site == walker) & ~c.any(sq.von_neumann, lambda nb: nb.site == ice)
        goes = [moves & (way == number) for number in range(4)]
        comers = sum(sq.i32(one.at(-x, -y, otherwise=False)) for one, (x, y) in zip(goes, WAYS))
        open_ = (c.site == free) & (comers == 1)
        there = [open_.at(*offset, otherwise=False) for offset in WAYS]
        leaves = moves & sq.where(way == 0, there[0], way == 1, there[1], way == 2, there[2], there[3])
        return {"site": sq.where((c.site == walker) & ~moves, ice, open_, walker, leaves, free, c.site)}

    def observe(a):
        return {"frozen": a.count(lambda c: c.site == ice), "grains": a.count(lambda c: c.site != free)}

    def stop(a):
        return a.frozen == a.grains
