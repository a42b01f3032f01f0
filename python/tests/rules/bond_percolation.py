import squeeze as sq

Site = sq.enum("dry", "front", "wet")


@sq.rule
class bond_percolation:
    """Bond percolation as an epidemic."""

    p = sq.param(0.5, type=sq.f64)
    site = sq.state(Site, init=lambda c: sq.where(c.y == 0, Site.front, Site.dry))

    def next(c):
        # The bonds to the right and down, drawn by the cell at their left or upper end, and read by both.
        right, down = sq.random(c.p), sq.random(c.p)

        def is_front(*offset):
            return c.site.at(*offset, otherwise=Site.dry) == Site.front

        reached = (
            (right & is_front(1, 0))
            | (right.at(-1, 0, otherwise=False) & is_front(-1, 0))
            | (down & is_front(0, 1))
            | (down.at(0, -1, otherwise=False) & is_front(0, -1))
        )
        return {"site": sq.where(c.site == Site.front, Site.wet, (c.site == Site.dry) & reached, Site.front, c.site)}

    def observe(a):
        return {
            "active": a.count(lambda c: c.site == Site.front),
            "cluster": a.count(lambda c: c.site != Site.dry),
            "across": a.count(lambda c: (c.y == c.height - 1) & (c.site != Site.dry)),
        }

    def stop(a):
        return a.active == 0
