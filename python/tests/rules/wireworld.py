import enum

import squeeze as sq


class Wire(enum.Enum):
    empty = 0
    head = 1
    tail = 2
    wire = 3


def start(c):
    return sq.where(sq.random(0.3), Wire.empty, sq.random(0.05), Wire.head, Wire.wire)


@sq.rule
class wireworld:
    """Wireworld: electrons on wires."""

    cell = sq.state(Wire, init=start)

    def next(c):
        heads = c.count(sq.moore, lambda nb: nb.cell == Wire.head)
        becomes = {"empty": "empty", "head": "tail", "tail": "wire", "wire": sq.where(sq.between(heads, 1, 2), "head", "wire")}
        return {"cell": sq.match(c.cell, becomes)}

    def observe(a):
        return {"electrons": a.count(lambda c: c.cell == "head"), "conductor": a.count(lambda c: c.cell != "empty")}

    picture = sq.picture("cell", colours={"empty": "2a2f3a", "head": "4cb8ff", "tail": "e5484d", "wire": "f2c230"})
