import squeeze as sq

Health = sq.enum("susceptible", "infected", "recovered")


@sq.rule
class sir:
    """Susceptible, infected, recovered."""

    infection = sq.param(0.3, min=0, max=1, doc="Probability in a step that an infected neighbour infects.")
    recovery = sq.param(0.2, min=0, max=1, doc="Probability in a step that an infected cell recovers.")
    start = sq.param(0.01, min=0, max=1, doc="Share of infected cells in the beginning.")
    health = sq.state(Health, init=sq.where(sq.random(start), Health.infected, Health.susceptible))

    def next(c):
        sick = c.count(sq.von_neumann, lambda nb: nb.health == "infected")
        infects = sq.random(1.0 - (1.0 - c.infection) ** sq.f32(sick))
        recovers = sq.random(c.recovery)
        return {
            "health": sq.match(
                c.health,
                {
                    "susceptible": sq.where(infects, "infected", "susceptible"),
                    "infected": sq.where(recovers, "recovered", "infected"),
                    "recovered": "recovered",
                },
            )
        }

    def observe(a):
        return {
            "infected_cells": a.count(lambda c: c.health == "infected"),
            "recovered_cells": a.count(lambda c: c.health == "recovered"),
        }
