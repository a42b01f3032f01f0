import squeeze as sq


@sq.fn
def resting(share: sq.f32, along: sq.f32, square: sq.f32) -> sq.f32:
    return share * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square)


@sq.fn
def balanced(share: sq.f32, across: sq.f32, u: sq.vec2) -> sq.vec3:
    along, square = across * u.x, sq.dot(u, u)
    return sq.vec3(resting(0.25 * share, along - u.y, square), resting(share, along, square), resting(0.25 * share, along + u.y, square))


@sq.fn
def pushed(share: sq.f32, across: sq.f32, u: sq.vec2) -> sq.vec3:
    straight = share * (3.0 * (across - u.x) + 9.0 * across * across * u.x)
    oblique = 0.25 * straight
    more = 2.25 * share * across * u.y
    return sq.vec3(oblique - more, straight, oblique + more)


@sq.fn
def opposite(of: sq.vec3) -> sq.vec3:
    return sq.vec3(of.z, of.y, of.x)


@sq.rule
class lattice_boltzmann:
    """Flow between walls and around holes, lattice Boltzmann."""

    viscosity = sq.param(0.1, min=0.001, max=10)
    push = sq.param(0.0)
    speed = sq.param(0.05, min=-0.2, max=0.2)
    rate = sq.param(1.0 / (3.0 * viscosity + 0.5))
    rate_of_differences = sq.param(1.0 / (0.0625 / viscosity + 0.5))
    left = sq.state(sq.vec3)
    middle = sq.state(sq.vec3)
    right = sq.state(sq.vec3)
    flow = sq.state(sq.vec2)
    shown = sq.picture(flow.x)

    def init(c):
        flow = sq.vec2(c.speed * sq.sin(sq.tau * sq.f32(c.y) / sq.f32(c.height)), 0.0)
        return {
            "flow": flow,
            "left": balanced(1.0 / 9.0, -1.0, flow),
            "middle": balanced(4.0 / 9.0, 0.0, flow),
            "right": balanced(1.0 / 9.0, 1.0, flow),
        }

    @sq.let
    def whole(c):
        return c.left + c.middle + c.right

    @sq.let
    def mass(c):
        return c.whole.x + c.whole.y + c.whole.z

    @sq.let
    def momentum(c):
        return sq.vec2(sq.dot(c.right - c.left, sq.vec3(1.0, 1.0, 1.0)), c.whole.z - c.whole.x)

    def next(c):
        u = c.momentum / c.mass + sq.vec2(0.5 * c.push, 0.0)
        own, other = 0.5 * (c.rate + c.rate_of_differences), 0.5 * (c.rate - c.rate_of_differences)

        def alone(old, share, across):
            return old, c.mass * balanced(share, across, u) - old, c.push * c.mass * pushed(share, across, u)

        def met(one, there):
            (old, missing, kick), (_, beyond, back) = one, there
            return old + own * missing + other * opposite(beyond) + (1.0 - 0.5 * own) * kick - 0.5 * other * opposite(back)

        left, middle, right = alone(c.left, 1.0 / 9.0, -1.0), alone(c.middle, 4.0 / 9.0, 0.0), alone(c.right, 1.0 / 9.0, 1.0)
        to_left, onward, to_right = met(left, right), met(middle, middle), met(right, left)

        return {
            "left": sq.vec3(
                to_left.x.at(1, 1, otherwise=to_right.z), to_left.y.at(1, 0, otherwise=to_right.y), to_left.z.at(1, -1, otherwise=to_right.x)
            ),
            "middle": sq.vec3(onward.x.at(0, 1, otherwise=onward.z), onward.y, onward.z.at(0, -1, otherwise=onward.x)),
            "right": sq.vec3(
                to_right.x.at(-1, 1, otherwise=to_left.z), to_right.y.at(-1, 0, otherwise=to_left.y), to_right.z.at(-1, -1, otherwise=to_left.x)
            ),
            "flow": u,
        }

    def observe(a):
        return {"total": a.sum("mass"), "all_momentum": a.sum("momentum"), "mean_flow": a.mean("flow"), "fastest": a.max(lambda c: sq.norm(c.flow))}
