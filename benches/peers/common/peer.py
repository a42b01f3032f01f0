"""What the peers share: reading the case, the fractal's geometry in numpy, the clock, the answer."""

import json
import statistics
import sys
import time


class Skip(Exception):
    """The case is not for this peer; the message says why."""


class Case:
    """What `squeeze bench --peers` asks: see crates/bench/src/peers.rs."""

    def __init__(self, question):
        fractal = question["fractal"]
        self.dimension = fractal["dimension"]
        self.patterns = fractal["patterns"]
        self.level = question["level"]
        self.rule = question["rule"]["name"]
        self.params = question["rule"]["params"]
        self.memory = question["memory"]
        self.seconds = question["seconds"]
        self.check = question["check"]

    def pattern(self, mu):
        """Scale and replicas of level mu = 1, 2, ..."""
        pattern = self.patterns[(mu - 1) % len(self.patterns)]
        return pattern["scale"], [replica[: self.dimension] for replica in pattern["replicas"]]

    def side(self, level):
        side = 1
        for mu in range(1, level + 1):
            side *= self.pattern(mu)[0]
        return side

    def cells(self, level):
        cells = 1
        for mu in range(1, level + 1):
            cells *= len(self.pattern(mu)[1])
        return cells

    def needs(self, bytes_needed):
        """Skips the case if it would take more memory than there is."""
        if bytes_needed > self.memory:
            raise Skip(f"needs about {bytes_needed / 1e9:.0f} GB, there is {self.memory / 1e9:.0f} GB")

    def coordinates(self, numpy, low, high):
        """lambda for the digits of levels low + 1 to high alone: one row of places for each axis, x first."""
        at, unit = numpy.zeros((self.dimension, 1), dtype=numpy.int32), 1
        for mu in range(low + 1, high + 1):
            scale, replicas = self.pattern(mu)
            corners = unit * numpy.array(replicas, dtype=numpy.int32).T
            at = (corners[:, :, None] + at[:, None, :]).reshape(self.dimension, -1)
            unit *= scale
        return at


def clock(step, seconds):
    """The median time of step() in seconds, after a first call that does not count."""
    step()
    times = []
    while len(times) < 3 or sum(times) < seconds:
        began = time.perf_counter()
        step()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def answer(name, measure):
    """Answers the question on standard input with what measure(case) returns: seconds of one time step."""
    try:
        result = {"name": name, "seconds_per_step": measure(Case(json.load(sys.stdin)))}
    except Skip as reason:
        result = {"name": name, "skipped": str(reason)}
    except ImportError as missing:
        result = {"name": name, "skipped": f"{missing.name} is not installed"}
    except MemoryError:
        result = {"name": name, "skipped": "there is not enough memory"}
    print(json.dumps(result))


def compare(numpy, computed, expected):
    """Skips the case if this peer does not compute what the rule does."""
    if not numpy.allclose(numpy.asarray(computed, dtype=float), numpy.array(expected, dtype=float), rtol=1e-4, atol=1e-4):
        raise Skip("it does not compute what this rule does")
