import squeeze as sq


def start(c):
    return sq.random(sq.where((c.x < c.width // 3) & (c.y < c.height // 3), 0.8, 0.2))


@sq.rule
class lattice_gas:
    """Particles that fly straight and meet."""

    east = sq.state(sq.bit, init=start)
    west = sq.state(sq.bit, init=start)
    south = sq.state(sq.bit, init=start)
    north = sq.state(sq.bit, init=start)

    def next(c):
        across = c.east & c.west & ~c.south & ~c.north
        along = c.south & c.north & ~c.east & ~c.west
        to_east = c.east & ~across | along
        to_west = c.west & ~across | along
        to_south = c.south & ~along | across
        to_north = c.north & ~along | across
        # Where there is no cell to come from, what flew there comes back.
        return {
            "east": to_east.at(-1, 0, otherwise=to_west),
            "west": to_west.at(1, 0, otherwise=to_east),
            "south": to_south.at(0, -1, otherwise=to_north),
            "north": to_north.at(0, 1, otherwise=to_south),
        }

    def observe(a):
        return {"particles": a.sum(lambda c: sum(sq.i32(c[way]) for way in ("east", "west", "south", "north")))}
