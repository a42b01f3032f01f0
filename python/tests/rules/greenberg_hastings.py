import squeeze as sq

Phase = sq.enum("rest excited refractory")


def start(c):
    w = sq.bits() % 10
    return sq.where(w == 0, Phase.excited, w == 1, Phase.refractory, Phase.rest)


@sq.rule
class greenberg_hastings:
    """Excitable cells after Greenberg and Hastings."""

    threshold = sq.param(1, doc="Excited neighbours that it takes: 1 to 4, on 3-D fractals to 6.")
    spark = sq.param(0.0005, doc="Probability that a resting cell fires by itself: 0 to 1.")
    phase = sq.state(Phase, init=start)

    def next(c):
        n = c.count(sq.von_neumann, lambda nb: nb.phase == Phase.excited)
        fires = (n >= c.threshold) | sq.random(c.spark)
        is_excited, is_refractory = c.phase == Phase.excited, c.phase == Phase.refractory
        return {"phase": sq.where(is_excited, Phase.refractory, is_refractory, Phase.rest, fires, Phase.excited, Phase.rest)}

    def observe(a):
        return {
            "firing": a.count(lambda c: c.phase == Phase.excited),
            "recovering": a.count(lambda c: c.phase == Phase.refractory),
        }
