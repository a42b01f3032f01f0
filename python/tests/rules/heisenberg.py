import squeeze as sq


@sq.rule
class heisenberg:
    """Heisenberg model, heat bath and half turns."""

    beta = sq.param(0.693, min=0, max=100)
    field = sq.param(sq.vec3(0, 0, 0))
    s = sq.state(sq.vec3, init=lambda c: sq.on_sphere())

    @sq.let
    def around(c):
        return c.sum(sq.von_neumann, "s")

    @sq.let
    def pull(c):
        return c.around + c.field

    @sq.let
    def strength(c):
        return sq.norm(c.pull)

    @sq.step(colour=sq.von_neumann)
    def bathe(c):
        free = sq.on_sphere()
        up = c.pull / sq.max(c.strength, 1e-20)
        height = 1.0 + sq.log(1.0 - sq.uniform() * (1.0 - sq.exp(-2.0 * c.beta * c.strength))) / (c.beta * c.strength)
        beside = free - sq.dot(free, up) * up
        size = sq.norm(beside)
        drawn = height * up + sq.sqrt(sq.max(0.0, 1.0 - height * height)) / size * beside
        return {"s": sq.where((c.beta * c.strength > 1e-4) & (size > 1e-4), drawn / sq.norm(drawn), free)}

    @sq.step(colour=sq.von_neumann)
    def turn(c):
        turned = 2.0 * sq.dot(c.s, c.pull) / sq.max(c.strength * c.strength, 1e-30) * c.pull - c.s
        return {"s": sq.where(c.strength > 1e-4, turned / sq.norm(turned), c.s)}

    def observe(a):
        m = a.mean("s")
        energy = -0.5 * a.sum(lambda c: sq.dot(c.s, c.around)) - sq.dot(a.sum("s"), a.field)
        return {"energy": energy, "m": m, "m2": sq.dot(m, m)}

    def equilibrium(a):
        return sq.exp(-a.beta * a.energy)
