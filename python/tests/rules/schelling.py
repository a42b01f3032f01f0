import squeeze as sq

free, red, blue = Place = sq.enum("free", "red", "blue")
WAYS = [(1, 0), (-1, 0), (0, 1), (0, -1)]


@sq.rule
class schelling:
    """Two groups that move away from one another."""

    density = sq.param(0.6, min=0, max=1, type=sq.f64)
    wish = sq.param(0.5, min=0, max=1)
    place = sq.state(Place, init=sq.where(sq.random(density), sq.where(sq.random(0.5), red, blue), free))

    @sq.let
    def others(c):
        return c.count(sq.moore, lambda nb: (nb.place != free) & (nb.place != c.place))

    @sq.let
    def own(c):
        return c.count(sq.moore, lambda nb: nb.place == c.place)

    @sq.let
    def unhappy(c):
        return (c.place != free) & (sq.f32(c.own) < c.wish * sq.f32(c.own + c.others))

    def next(c):
        way = sq.below(4)
        right, left, down, rise = (c.unhappy & (way == number) for number in range(4))
        comes = [one.at(-x, -y, otherwise=False) for one, (x, y) in zip((right, left, down, rise), WAYS)]
        open_ = (c.place == free) & (sum(map(sq.i32, comes)) == 1)
        there = [open_.at(*offset, otherwise=False) for offset in WAYS]
        leaves = c.unhappy & sq.where(way == 0, there[0], way == 1, there[1], way == 2, there[2], there[3])
        guests = [c.place.at(-x, -y, otherwise=free) for x, y in WAYS]
        guest = sq.where(comes[0], guests[0], comes[1], guests[1], comes[2], guests[2], guests[3])
        return {"place": sq.where(open_, guest, leaves, free, c.place)}

    def observe(a):
        alike = sq.f64(a.sum(lambda c: sq.where(c.place == free, 0, c.own)))
        return {
            "reds": a.count(lambda c: c.place == red),
            "blues": a.count(lambda c: c.place == blue),
            "unhappy_people": a.count("unhappy"),
            "alike": alike / sq.f64(a.sum(lambda c: sq.where(c.place == free, 0, c.own + c.others))),
        }

    picture = sq.picture("place", colours={free: "202633", red: "e5484d", blue: "4cb8ff"})
