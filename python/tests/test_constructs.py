"""Every construct of the language: how it is written in Python, and the text that is traced.

Each case names the rules of the grammar that it stands for; together they are all of them but those that Python has no use for.
"""

import pathlib
import re

import pytest

import squeeze as sq

CASES = {}
GRAMMAR = pathlib.Path(__file__).parents[2] / "crates" / "compiler" / "src" / "text" / "syntax" / "grammar.pest"


def case(grammar, *lines):
    """A function that makes a rule or a domain; `lines` are in its text, in this order."""

    def noted(function):
        CASES[function.__name__] = (function, grammar.split(), lines)
        return function

    return noted


@case(
    "rule_definition rule_item param param_range state init next let_entry observe type_name name",
    "/// Relaxation towards the neighbours.",
    "rule relax {",
    "// How fast.",
    "param k: f32 in 0.0..=1.0 = 0.1",
    "state u: f32",
    "init u = uniform()",
    "let flow = sum(moore, nb.u - u)",
    "next u = u + k * flow",
    "observe total = sum(u)",
    "observe hot = count(u > 0.9)",
)
def rule():
    @sq.rule
    class relax:
        "Relaxation towards the neighbours."

        k = sq.param(0.1, min=0, max=1, doc="How fast.")
        u = sq.state(sq.f32, init=lambda c: sq.uniform())

        def next(c):
            flow = c.sum(sq.moore, lambda nb: nb.u - c.u)
            return {"u": c.u + c.k * flow}

        def observe(a):
            return {"total": a.sum("u"), "hot": a.count(lambda c: c.u > 0.9)}

    return relax


@case(
    "type_name",
    "param a: i32 = 3",
    "param b: bit = true",
    "param d: f64 = 1.0",
    "param e: f32 = 2.0 * f32(a)",
    "param f: u32 in 1..=9 = 2",
    "param g: f64 in 0.0..=0.5 / dimension = 0.1",
    "state s1: u8",
    "state s2: u16",
    "state s3: u32",
    "state s4: i64",
    "state s5: bit",
    "state s6: f64",
    "state s7: i32",
    "init s7 = a",
    "next s1 = s1 + u8(s7 + a)",
)
def types():
    @sq.rule
    class numbers:
        a = sq.param(3)
        b = sq.param(True)
        d = sq.param(1, type=sq.f64)
        e = sq.param(2.0 * sq.f32(a))
        f = sq.param(2, min=1, max=9, type="u32")
        g = sq.param(0.1, min=0, max=0.5 / sq.dimension)
        s1 = sq.state(sq.u8)
        s2 = sq.state(sq.u16)
        s3 = sq.state("u32")
        s4 = sq.state(sq.i64)
        s5 = sq.state(bool)
        s6 = sq.state(sq.f64)
        s7 = sq.state(sq.i32, init=a)

        def next(c):
            used = sq.i32(c.f) + sq.i32(c.b) + sq.i32(c.d + sq.f64(c.e) + c.g) + sq.i32(c.s2)
            return {"s1": c.s1 + sq.u8(c.s7 + c.a), "s7": used + sq.i32(c.s3) + sq.i32(c.s4) + sq.i32(c.s5) + sq.i32(c.s6)}

    return numbers


@case(
    "enum_type match_expression arms arm pattern_range pattern_end",
    "state phase: enum { rest, excited, refractory }",
    "state n: u8",
    "init phase = phase(below(3))",
    "init n = u8(below(10))",
    "next phase = match phase { rest => excited, excited | refractory => rest, }",
    "next n = match n { 0 => 1, 2..=3 | 7 => 0, _ => n, }",
)
def choices():
    Phase = sq.enum("rest", "excited", "refractory")

    @sq.rule
    class chosen:
        phase = sq.state(Phase, init=Phase(sq.below(3)))
        n = sq.state(sq.u8, init=sq.u8(sq.below(10)))

        def next(c):
            return {
                "phase": sq.match(c.phase, {Phase.rest: Phase.excited, ("excited", "refractory"): "rest"}),
                "n": sq.match(c.n, {0: 1, (range(2, 4), 7): 0}, otherwise=c.n),
            }

    return chosen


@case(
    "if_expression kw_if kw_else closed parenthesised",
    "next u = if u > 0.5 { 1.0 } else if u > 0.2 { 0.5 } else { 0.0 }",
    "next v = (if u > 0.5 { 1.0 } else { 2.0 }) + v * (u - v)",
)
def conditions():
    @sq.rule
    class conditional:
        u = sq.state(sq.f32)
        v = sq.state(sq.f32)

        def next(c):
            return {
                "u": sq.where(c.u > 0.5, 1.0, c.u > 0.2, 0.5, 0.0),
                "v": sq.where(c.u > 0.5, 1.0, 2.0) + c.v * (c.u - c.v),
            }

    return conditional


@case(
    "block",
    "init a = { let w = bits(); if w % 10 == 0 { w } else { w + 1 } }",
    "let t = u - v",
    "next u = t * t + sum(moore, { let t_2 = nb.u - u; t_2 * t_2 })",
    "next v = t + t",
)
def blocks():
    @sq.rule
    class blocked:
        def start(c):
            w = sq.bits()
            return sq.where(w % 10 == 0, w, w + 1)

        a = sq.state(sq.u32, init=start)
        u = sq.state(sq.f32)
        v = sq.state(sq.f32)

        def next(c):
            t = c.u - c.v
            return {"u": t**2 + c.sum(sq.moore, lambda nb: (nb.u - c.u) ** 2), "v": t + t, "a": c.a}

    return blocked


@case(
    "expression tail operand prefix negate not infix multiply divide remainder add minus shift_left shift_right less_equal greater_equal less greater equal not_equal "
    "and or bit_and bit_or bit_xor within range set number integer whole digits float exponent yes no",
    "let a = -n + n * 3 - n / 2 % 5",
    "let b = !n & n | n ^ n << 2 >> 1",
    "let d = n < 3 && n <= 4 || n > 5 && n >= 6",
    "let e = !(n == 7) && n != 8",
    "let f = n in 2..=3 || n in {2, 5} || n in -1..=1",
    "let g = u > 1e-10 && u < 1e+22 && u != -0.5",
    "let h = (n + 1) * (n - (n - 2)) / -n",
    "next up = (if d && e || f || g { up } else { false }) != true",
)
def operators():
    @sq.rule
    class operated:
        n = sq.state(sq.i32)
        u = sq.state(sq.f32)
        up = sq.state(sq.bit)

        def next(c):
            n = c.n
            a = -n + n * 3 - n // 2 % 5
            b = ~n & n | n ^ n << 2 >> 1
            d = (n < 3) & (n <= 4) | (n > 5) & (n >= 6)
            e = ~(n == 7) & (n != 8)
            f = sq.between(n, 2, 3) | n.isin(2, 5) | n.isin(range(-1, 2))
            g = (c.u > 1e-10) & (c.u < 1e22) & (c.u != -0.5)
            h = (n + 1) * (n - (n - 2)) // -n
            return {"up": sq.where(d & e | f | g, c.up, False) != True, "n": a + b + h}  # noqa: E712

    return operated


@case(
    "calls reference arguments argument",
    "let a = abs(u) + sign(u) + min(u, v, 1.0) + max(u, 0) + clamp(u, 0.0, 1.0) + pow(u, 0.5) + pow(2.0, u)",
    "let b = sqrt(u) + floor(u) + ceil(u) + round(u) + trunc(u) + fract(u)",
    "let d = exp(u) + log(u) + sin(u) + cos(u) + tanh(u) + atan(u) + atan2(u, v) + hypot(u, v)",
    "let e = popcount(i32(u)) + i32(pi * tau)",
    "let g = log2(u) + tan(u) + asin(u) + acos(u)",
    "next u = a + b + d + f32(e) + g",
)
def functions():
    @sq.rule
    class called:
        u = sq.state(sq.f32)
        v = sq.state(sq.f32)

        def next(c):
            u, v = c.u, c.v
            a = abs(u) + sq.sign(u) + sq.min(u, v, 1.0) + sq.max(u, 0) + sq.clamp(u, 0.0, 1.0) + u**0.5 + 2.0**u
            b = sq.sqrt(u) + sq.floor(u) + sq.ceil(u) + sq.round(u) + sq.trunc(u) + sq.fract(u)
            d = sq.exp(u) + sq.log(u) + sq.sin(u) + sq.cos(u) + sq.tanh(u) + sq.atan(u) + sq.atan2(u, v) + sq.hypot(u, v)
            e = sq.popcount(sq.i32(u)) + sq.i32(sq.pi * sq.tau)
            g = sq.log2(u) + sq.tan(u) + sq.asin(u) + sq.acos(u)
            return {"u": a + b + d + sq.f32(e) + g, "v": v}

    return called


@case(
    "field otherwise neighbourhood_entry places weighted place offsets",
    "neighbourhood kernel [(1, 0): 2.0, (-1, 0): 1.0]",
    "neighbourhood knight [(1, 2), (2, 1)]",
    "let a = sum(moore, nb.u) + product(von_neumann, nb.u) + (min(moore, nb.u) else u)",
    "let b = (max(moore(2), nb.u) else (u + 1.0)) + (mean(knight, nb.u) else 0.0)",
    "let d = count([(1, 0), (-1, 0)], nb.u > 0.5) + degree(moore) + sum(von_neumann(3), dx * dy)",
    "let f = sum(kernel, weight * nb.u) + (u[1, 0] else 0.0) + (u[-1, 0] else (-u)) + (u[0, 1] else (u[0, 2] else 0.0))",
    "next u = a + b + f32(d) + f",
    "next up = any(moore, nb.u > 0.5) && all(knight, nb.u < u)",
)
def neighbours():
    knight = sq.neighbourhood([(1, 2), (2, 1)])

    @sq.rule
    class looked:
        kernel = sq.neighbourhood({(1, 0): 2.0, (-1, 0): 1.0})
        u = sq.state(sq.f32)
        up = sq.state(sq.bit)

        def next(c):
            a = c.sum(sq.moore, "u") + c.product(sq.von_neumann, "u") + c.min(sq.moore, "u", otherwise=c.u)
            b = c.max(sq.moore(2), "u", otherwise=c.u + 1.0) + c.mean(knight, "u", otherwise=0.0)
            d = c.count([(1, 0), (-1, 0)], lambda nb: nb.u > 0.5) + c.degree(sq.moore) + c.sum(sq.von_neumann(3), lambda nb: nb.dx * nb.dy)
            e = c.any(sq.moore, lambda nb: nb.u > 0.5) & c.all(knight, lambda nb: nb.u < c.u)
            f = c.sum(c.kernel, lambda nb: nb.weight * nb.u) + c.u.at(1, 0, otherwise=0.0) + c.u.at(-1, 0, otherwise=-c.u)
            f = f + c.u.at(0, 1, otherwise=c.u.at(0, 2, otherwise=0.0))
            return {"u": a + b + sq.f32(d) + f, "up": e}

    return looked


@case(
    "place",
    "neighbourhood up [(0, 0, 1), (0, 0, -1)]",
    "next u = sum(up, f32(dz) * nb.u) + (u[0, 0, 1] else 0.0) + f32(x + y * z)",
)
def space():
    up = sq.neighbourhood([(0, 0, 1), (0, 0, -1)])

    @sq.rule
    class spacious:
        u = sq.state(sq.f32)

        def next(c):
            return {"u": c.sum(up, lambda nb: sq.f32(nb.dz) * nb.u) + c.u.at(0, 0, 1, otherwise=0.0) + sq.f32(c.x + c.y * c.z)}

    return spacious


@case(
    "let_entry",
    "let spin = if up { 1 } else { -1 }",
    "let field = sum(von_neumann, nb.spin)",
    "let bond = random(0.5)",
    "let beyond = field[1, 0] else 0",
    "let held = bond && (bond[-1, 0] else false)",
    "next up = if held { up } else { any(moore, nb.bond && nb.held) && beyond > field }",
)
def lets():
    @sq.rule
    class kept:
        up = sq.state(sq.bit, init=sq.random(0.5))
        spin = sq.where(up, 1, -1)

        @sq.let
        def field(c):
            return c.sum(sq.von_neumann, lambda nb: nb.spin)

        def next(c):
            bond = sq.random(0.5)
            beyond = c.field.at(1, 0, otherwise=0)
            held = bond & bond.at(-1, 0, otherwise=False)
            return {"up": sq.where(held, c.up, c.any(sq.moore, lambda nb: nb[bond] & nb[held]) & (beyond > c.field))}

    return kept


@case(
    "step guard coloured repeat",
    "const times = 4",
    "let way = below(4)",
    "step bonds when step % 10 == 1 {",
    "let w = bits()",
    "next name = w | 1",
    "next other = w",
    "}",
    "repeat times {",
    "// Names spread by a cell.",
    "step spread { next name = max(moore, nb.name) else name }",
    "step more when x > 0 { next name = name + (way[1, 0] else 0) }",
    "}",
    "repeat 2 {",
    "step flip colour of von_neumann {",
    "next other = other + u32(colour)",
    "}",
    "}",
)
def steps():
    times = sq.const(4)

    @sq.rule
    class stepped:
        name = sq.state(sq.u32)
        other = sq.state(sq.u32)
        often = sq.repeat(times)
        twice = sq.repeat(2)

        @sq.step(when=lambda c: c.step % 10 == 1)
        def bonds(c):
            w = sq.bits()
            return {"name": w | 1, "other": w}

        @often.step
        def spread(c):
            "Names spread by a cell."
            return {"name": c.max(sq.moore, "name", otherwise=c.name)}

        @often.step(when=lambda c: c.x > 0)
        def more(c):
            way = sq.below(4)
            return {"name": c.name + way.at(1, 0, otherwise=0)}

        @twice.step(colour=sq.von_neumann)
        def flip(c):
            return {"other": c.other + sq.u32(c.colour)}

    return stepped


@case(
    "ordered order signed_axis",
    "step begin {",
    "step hop from (-x) when n {",
    "let stays = n && !(taken[1, 0] else false)",
    "next taken = stays",
    "step go from all {",
    "step rows from (+y, -x) {",
)
def ordered_steps():
    @sq.rule
    class ordered:
        n = sq.state(sq.bit, init=sq.random(0.5))
        taken = sq.state(sq.bit)

        @sq.step
        def begin(c):
            return {"taken": False}

        @sq.step(from_="-x", when=lambda c: c.n)
        def hop(c):
            stays = c.n & ~c.taken.at(1, 0, otherwise=False)
            return {"n": stays | c.taken, "taken": stays}

        @sq.step(from_="all")
        def go(c):
            return {"n": c.n | c.any(sq.moore, "n")}

        @sq.step(from_=("+y", "-x"))
        def rows(c):
            return {"n": c.n | c.any(sq.von_neumann, "n")}

    return ordered


@case(
    "const_entry const_type table_type table function parameter const_definition function_definition neighbourhood",
    "// A share.",
    "const quarter: f32 = 0.25",
    "const heights: [f32] = [1.0, 0.5, 0.25]",
    "fn steep(u: f32) -> f32 = u * slope",
    "// Between two values.",
    "fn mixed(a: f32, b: f32) -> f32 = { let d = b - a; a + quarter * d + d * d }",
    "init u = heights[x % 4]",
    "next u = mixed(steep(u), u)",
)
def names():
    heights = sq.table([1.0, 0.5, 0.25], sq.f32)
    quarter = sq.const(0.25, sq.f32, doc="A share.")

    @sq.fn
    def mixed(a: sq.f32, b: sq.f32) -> sq.f32:
        """Between two values."""
        d = b - a
        return a + quarter * d + d * d

    @sq.rule
    class named:
        slope = sq.param(1.5)

        @sq.fn
        def steep(c, u: "sq.f32") -> "sq.f32":
            return u * c.slope

        u = sq.state(sq.f32, init=lambda c: heights[c.x % 4])

        def next(c):
            return {"u": mixed(c.steep(c.u), c.u)}

    return named


@case(
    "disorder",
    "init site = random(0.8) from disorder",
    "init up = site && random(0.5)",
    "init kind = { let w = (bits() from disorder) % 3; w * w }",
    "init a = uniform(-1.0, 1.0) from disorder",
    "let b = normal() + uniform() + exponential()",
    "let other = pick(moore, nb.a) else a",
    "next a = a + b + other",
    "next kind = below(3)",
)
def draws():
    @sq.rule
    class drawn:
        site = sq.state(sq.bit, init=sq.random(0.8, disorder=True))
        up = sq.state(sq.bit, init=lambda c: c.site & sq.random(0.5))
        kind = sq.state(sq.u32, init=lambda c: (sq.bits(disorder=True) % 3) ** 2)
        a = sq.state(sq.f32, init=sq.uniform(-1.0, 1.0, disorder=True))

        def kind_of(c):
            w = sq.bits(disorder=True) % 3
            return w * w

        kind = sq.state(sq.u32, init=kind_of)

        def next(c):
            b = sq.normal() + sq.uniform() + sq.exponential()
            other = c.pick(sq.moore, "a", otherwise=c.a)
            return {"a": c.a + b + other, "kind": sq.below(3), "up": c.up}

    return drawn


@case(
    "list by_level at_end stop equilibrium",
    "observe warmth = mean(u)",
    "observe spread = variance(u) / (warmth * warmth)",
    "observe both = [min(u), max(u), f64(cells)]",
    "observe middle = median(u)",
    "observe hottest = quantile(u, 0.99)",
    "observe spectrum = histogram(u, 0.0, 1.0, 10)",
    "observe parts = sum(u) by level 1",
    "observe q = overlap(u > 0.5)",
    "observe warm = mean(u * k) at end",
    "observe last = [f64(step), f64(side)] at end",
    "observe size = width * height * depth + level + sum({ let d = u - k; if d > 0.0 { i64(d * d) } else { 0 } })",
    "stop when spread < 0.001 || warmth > 5.0 && !(k > 2.0)",
    "equilibrium exp(-k * warmth)",
)
def observables():
    @sq.rule
    class cooling:
        k = sq.param(1.0)
        u = sq.state(sq.f32, init=sq.uniform())

        def next(c):
            return {"u": c.u * c.k}

        def observe(a):
            warmth = a.mean("u")

            def size(c):
                d = c.u - c.k
                return sq.where(d > 0.0, sq.i64(d * d), 0)

            return {
                "warmth": warmth,
                "spread": a.variance("u") / warmth**2,
                "both": [a.min("u"), a.max("u"), sq.f64(a.cells)],
                "middle": a.median("u"),
                "hottest": a.quantile("u", 0.99),
                "spectrum": a.histogram("u", 0.0, 1.0, 10),
                "parts": sq.by_level(a.sum("u"), 1),
                "q": a.overlap(lambda c: c.u > 0.5),
                "warm": sq.at_end(a.mean(lambda c: c.u * c.k)),
                "last": sq.at_end([sq.f64(a.step), sq.f64(a.side)]),
                "size": a.width * a.height * a.depth + a.level + a.sum(size),
            }

        def stop(a):
            return (a.spread < 0.001) | (a.warmth > 5.0) & ~(a.k > 2.0)

        def equilibrium(a):
            return sq.exp(-a.k * a.warmth)

    return cooling


@case(
    "global once",
    "let square = u * u",
    "global average = mean(u)",
    "global dt once = 0.1 / max(square)",
    "global target = below(cells)",
    "let grain = if cell == target && cell < cells { 1.0 } else { 0.0 }",
    "next u = u + f32(dt) * (f32(average) - u) + grain",
)
def globals_():
    @sq.rule
    class relaxing:
        u = sq.state(sq.f32, init=sq.uniform())

        @sq.let
        def square(c):
            return c.u**2

        @sq.global_
        def average(a):
            return a.mean("u")

        @sq.global_(once=True)
        def dt(a):
            return 0.1 / a.max("square")

        @sq.global_
        def target(a):
            return sq.below(a.cells)

        def next(c):
            grain = sq.where((c.cell == c.target) & (c.cell < c.cells), 1.0, 0.0)
            return {"u": c.u + sq.f32(c.dt) * (sq.f32(c.average) - c.u) + grain}

    return relaxing


@case("allow flush", "flush", "allow separation, unused", "step flip colour of von_neumann {")
def settings():
    @sq.rule
    class quiet:
        flush = True
        allow = ["separation", "unused"]
        u = sq.state(sq.f32)

        @sq.step(colour=sq.von_neumann)
        def flip(c):
            return {"u": c.sum(sq.moore, "u")}

    return quiet


@case("picture shown colours colour", "picture hue(angle)")
def picture_of_angles():
    @sq.rule
    class turning:
        angle = sq.state(sq.f32, init=sq.uniform(0.0, sq.tau))

        def next(c):
            return {"angle": c.angle + 0.1}

        picture = sq.picture("angle", map="hue")

    return turning


@case("picture", 'picture u in 0.0..=1.0 { "000000", "ffffff" }')
def picture_with_colours():
    @sq.rule
    class shaded:
        u = sq.state(sq.f32, init=sq.uniform())

        def next(c):
            return {"u": 0.99 * c.u}

        shown = sq.picture(u, range=(0, 1), colours=["000000", "ffffff"])

    return shaded


@case(
    "name",
    "state lambda: f32",
    "state next: f32",
    "let t = lambda * 2.0",
    "next lambda = t + t",
    "next next = next + lambda",
)
def names_that_python_lacks():
    @sq.rule
    class named:
        lambda_ = sq.state(sq.f32, name="lambda")
        following = sq.state(sq.f32, name="next")

        def next(c):
            λ = c["lambda"] * 2.0
            return {"lambda": λ + λ, "next": c["next"] + c["lambda"]}

    return named


@case(
    "fractal fractal_part scale pattern row dimension dashes",
    "/// A corner.",
    "fractal corner {",
    "dimension 3",
    "scale 2",
    '"##"',
    "---",
    '".."',
)
def pattern_in_space():
    return sq.fractal(pattern=["##\n#.", "#.\n.."], name="corner", doc="A corner.")


@case("scale pattern", "fractal bridge {", "scale (3, 2)", '"###"', '"#.#"')
def rectangle():
    return sq.fractal(pattern=["###", "#.#"], name="bridge")


@case("replicas replica place", "fractal triangle {", "scale 2", "0: (0, 0)", "1: (0, 1)", "2: (1, 1)")
def replicas():
    return sq.fractal(replicas=[(0, 0), (0, 1), (1, 1)], scale=2, name="triangle")


@case("dimension", "dimension 1", "scale 3", "0: (0)", "1: (2)")
def line():
    return sq.fractal(replicas=[0, 2], scale=3, dimension=1, name="dust")


@case("dimension", "dimension 1", "scale 3", '"#.#"')
def line_as_picture():
    return sq.fractal(pattern="#.#", dimension=1, name="dust")


@case(
    "levels level_list level_entry use_entry",
    "fractal plus {",
    "fractal mixed {",
    "levels [vicsek, sierpinski_carpet * 2, [x_fractal, plus] * 2]",
)
def levels():
    plus = sq.fractal(pattern=".#.\n###\n.#.", name="plus")
    return sq.fractal(levels=["vicsek", ("sierpinski_carpet", 2), (["x_fractal", plus], 2)], name="mixed")


@case("random_levels", "levels random [vicsek, x_fractal] seed 7")
def random_levels():
    return sq.fractal(levels=["vicsek", "x_fractal"], seed=7, name="braid")


@case(
    "domain domain_part size cells seed keep largest setting",
    "domain cluster {",
    "param p: f32 = 0.65",
    "param thin: bit = false",
    "size (120, 80)",
    "cells random(p) && (!thin || x % 2 == 0)",
    "seed 7",
    "keep largest(von_neumann)",
)
def cluster():
    return sq.box(
        120, 80, cells=lambda c: sq.random(c.p) & (~c.thin | (c.x % 2 == 0)), params={"p": 0.65, "thin": False}, seed=7,
        keep=sq.largest(sq.von_neumann), name="cluster",
    )  # fmt: skip


@case(
    "spanning invert periodic edge axis",
    "size (40, 30, 10)",
    "cells x % 8 == 0 && !(y in 10..=12)",
    "invert",
    "keep spanning(x)",
    "periodic y, z",
    "edge u = -1.5",
    "edge v = reflect",
)
def slits():
    return sq.box(
        40, 30, 10, cells=lambda c: (c.x % 8 == 0) & ~sq.between(c.y, 10, 12), keep=[sq.inverted, sq.spanning("x")], periodic="yz",
        edge={"u": -1.5, "v": "reflect"}, name="slits",
    )  # fmt: skip


@case("base", "fractal sierpinski_carpet", "periodic x")
def tube():
    return sq.domain("sierpinski_carpet", periodic="x", name="tube")


@case("periodic", "size (30, 20)", "periodic")
def torus():
    return sq.torus(30, 20)


@case("mask above below", 'mask "rock.npy" above 900')
def mask():
    return sq.domain(mask="rock.npy", above=900, name="rock")


@case(
    "input",
    "// Heights of the ground.",
    "input ground: f64 along x",
    "input letter: u8 along y",
    "state u: f64",
    "init u = ground",
    "let high = if letter == 65 { 1.0 } else { 0.0 }",
    "next u = u + sum(moore, nb.ground) * (ground[1, 0] else 0.5) + high",
    "observe most = max(ground)",
)
def inputs():
    @sq.rule
    class given:
        ground = sq.input(sq.f64, along="x", doc="Heights of the ground.")
        of_letter = sq.input(sq.u8, along="y", name="letter")
        u = sq.state(sq.f64, init=ground)

        def next(c):
            high = sq.where(c.letter == ord("A"), 1.0, 0.0)
            return {"u": c.u + c.sum(sq.moore, "ground") * c.ground.at(1, 0, otherwise=0.5) + high}

        def observe(a):
            return {"most": a.max("ground")}

    return given


@case(
    "vector_type",
    "param field: vec3 = vec3(0.0, 0.0, 0.5)",
    "param turn: complex<f64> in 0.0..=1.0 = complex(0.6, 0.8)",
    "state s: vec3",
    "state psi: complex<f64>",
    "init s = on_sphere()",
    "init psi = complex(0.0, 1.0)",
    "let near = sum(von_neumann, nb.s) + field",
    "next s = cross(s, near) / norm(near) + (s[1, 0] else field)",
    "next psi = turn * psi * conj(psi) + f64(sum(moore, nb.s.x) - near.y) * psi",
    "observe m = mean(s)",
    "observe size = norm(m)",
    "observe height = m.z",
    "observe phase = mean(arg(psi) + re(psi) - im(psi) * dot(psi, psi))",
    "picture s.z",
)
def vectors():
    @sq.rule
    class spins:
        field = sq.param(sq.vec3(0, 0, 0.5))
        turn = sq.param(0.6 + 0.8j, type=sq.complex[sq.f64], min=0, max=1)
        s = sq.state(sq.vec3, init=lambda c: sq.on_sphere())
        psi = sq.state("complex<f64>", init=1j)
        shown = sq.picture(s.z)

        @sq.let
        def near(c):
            return c.sum(sq.von_neumann, "s") + c.field

        def next(c):
            return {
                "s": sq.cross(c.s, c.near) / sq.norm(c.near) + c.s.at(1, 0, otherwise=c.field),
                "psi": c.turn * c.psi * sq.conj(c.psi) + sq.f64(c.sum(sq.moore, lambda nb: nb.s.x) - c.near.y) * c.psi,
            }

        def observe(a):
            m = a.mean("s")
            phase = a.mean(lambda c: sq.arg(c.psi) + sq.re(c.psi) - sq.im(c.psi) * sq.dot(c.psi, c.psi))
            return {"m": m, "size": sq.norm(m), "height": m.z, "phase": phase}

    return spins


@case("rolling kw_rolling", "state l: i32 rolling", "step fill from (+x, +y) { next l = max(l[-1, 0] else 0, l[0, -1] else 0) + 1 }", "observe most = max(l)")
def rolling():
    @sq.rule
    class longest:
        l = sq.state(sq.i32, rolling=True)  # noqa: E741

        @sq.step(from_="+x +y")
        def fill(c):
            return {"l": sq.max(c.l.at(-1, 0, otherwise=0), c.l.at(0, -1, otherwise=0)) + 1}

        def observe(a):
            return {"most": a.max("l")}

    return longest


@case("size", "domain pair {", "size inputs")
def pair():
    return sq.domain(size="inputs", name="pair")


# What Python writes in its own way, or not at all.
ELSEWHERE = """
    WHITESPACE blanks space semicolon comma colon dot open_brace close_brace open_paren close_paren open_bracket close_bracket arrow fat_arrow
    assign letter reserved word axis variable entry_head equals string integer else_ named
""".split()
# What texts alone can say.
IN_TEXTS = ["bond", "over", "clusters", "of_cluster", "at_cluster", "per"]


def lines_of(found):
    return [line.strip() for line in found._text.splitlines()]


@pytest.mark.parametrize("name", CASES)
def test_text(name):
    function, _, expected = CASES[name]
    text = lines_of(function())
    at = 0
    for line in expected:
        # A step of one line stands on three.
        for part in re.fullmatch(r"(step .* \{) (next .*) (\})", line).groups() if re.fullmatch(r"step .* \{ .* \}", line) else [line]:
            assert part in text[at:], "\n".join(text)
            at = text.index(part, at) + 1


def test_the_compiler_takes_all(squeeze):
    """All at once, since a command takes longer to begin than to check a text."""
    numpy = pytest.importorskip("numpy")
    numpy.save(squeeze.folder / "rock.npy", numpy.array([[1, 2000], [3, 1000]], dtype=numpy.uint16))
    files = []
    for name, (function, _, _) in CASES.items():
        found = function()
        ending = "fractal" if isinstance(found, sq.Fractal) else "rule"
        files.append(str(squeeze.file(f"{name}.{ending}", found._text)))
    squeeze.text("check", *files)
    squeeze.text("fmt", "--write", *files)
    squeeze.text("check", *files)
    squeeze.text("fmt", "--check", *files)


def test_all_of_the_grammar():
    if not GRAMMAR.exists():
        pytest.skip("the sources are not here")
    rules = re.findall(r"^(\w+)\s*=", GRAMMAR.read_text(), re.MULTILINE)
    here = {one for _, grammar, _ in CASES.values() for one in grammar}
    assert sorted(here - set(rules)) == []
    assert [one for one in rules if one not in here and one not in ELSEWHERE + IN_TEXTS and not one.startswith("kw_")] == []
