import squeeze as sq


@sq.rule
class kawasaki:
    """Ising model whose spins change places."""

    beta = sq.param(0.6)
    up = sq.state(sq.bit, init=sq.random(0.5))
    spin = sq.where(up, 1, -1)

    @sq.let
    def field(c):
        return c.sum(sq.von_neumann, lambda nb: nb.spin)

    def next(c):
        ticket = sq.bits()
        best = c.max(sq.von_neumann, lambda nb: nb[ticket], otherwise=0)
        is_alone = c.count(sq.von_neumann, lambda nb: nb[ticket] == best) == 1
        proposes = is_alone & (ticket > c.max(sq.von_neumann(3), lambda nb: nb[ticket], otherwise=0))
        other = c.sum(sq.von_neumann, lambda nb: sq.where(nb[ticket] == best, nb.spin, 0))
        around = c.sum(sq.von_neumann, lambda nb: sq.where(nb[ticket] == best, nb.field, 0))
        # Of unlike spins: what each feels without the other.
        change = 2 * c.spin * (c.field + c.spin - (around - c.spin))
        swap = proposes & (other == -c.spin) & sq.random(sq.exp(-c.beta * sq.f32(change)))
        is_taken = c.any(sq.von_neumann, lambda nb: nb[swap] & (nb[best] == ticket))
        return {"up": sq.where(swap | is_taken, ~c.up, c.up)}

    def observe(a):
        return {"magnetisation": a.sum("spin"), "energy": sq.i64(-a.sum(lambda c: c.spin * c.field) // 2)}
