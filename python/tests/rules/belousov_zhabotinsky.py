import squeeze as sq


@sq.fn
def react(own: sq.f32, food: sq.f32, eater: sq.f32, eats: sq.f32, eaten: sq.f32) -> sq.f32:
    """What is left of a substance that feeds on one and is food of another."""
    return sq.clamp(own + own * (eats * food - eaten * eater), 0, 1)


@sq.rule
class belousov_zhabotinsky:
    """Belousov-Zhabotinsky reaction of three substances."""

    a_rate = sq.param(1.2, min=0, max=2)
    b_rate = sq.param(1.0, min=0, max=2)
    c_rate = sq.param(1.0, min=0, max=2)
    a = sq.state(sq.f32, init=sq.uniform())
    b = sq.state(sq.f32, init=sq.uniform())
    c = sq.state(sq.f32, init=sq.uniform())

    def near(cell, name):
        return (cell.sum(sq.moore, name) + cell[name]) / sq.f32(cell.degree(sq.moore) + 1)

    def next(cell):
        a, b, c = (cell.near(name) for name in "abc")
        return {
            "a": react(a, b, c, cell.a_rate, cell.c_rate),
            "b": react(b, c, a, cell.b_rate, cell.a_rate),
            "c": react(c, a, b, cell.c_rate, cell.b_rate),
        }

    def observe(a):
        return {f"total_{name}": a.sum(name) for name in "abc"}
