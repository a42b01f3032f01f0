"""The printer writes as few parentheses as it may, and the names that people gave."""

import random

import pytest

import squeeze as sq
from squeeze import _printing as printing

OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
SEED = 20240229


def expression(chance, depth):
    """A random expression: a symbol, and its text with all parentheses."""
    u, v = (sq.language.name(text, sq.symbols.INT) for text in "uv")
    if depth == 0 or chance.random() < 0.1:
        number = chance.randrange(-3, 4)
        return chance.choice([(u, "u"), (v, "v"), (sq.symbols.symbol(number), f"({number})"), (sq.symbols.symbol(0.5), "0.5")])
    (a, ta), (b, tb), (d, td) = (expression(chance, depth - 1) for _ in range(3))
    kind = chance.randrange(12)
    if kind == 0:
        return -a, f"(-{ta})"
    if kind == 1:
        return ~a, f"(!{ta})"
    if kind == 2:
        return sq.where(a, b, d), f"(if {ta} {{ {tb} }} else {td[1:-1] if td.startswith('(if') else f'{{ {td} }}'})"
    if kind == 3:
        return sq.between(a, b, d), f"({ta} in {tb}..={td})"
    if kind == 4:
        return a.isin(b, d), f"({ta} in {{{tb}, {td}}})"
    if kind == 5:
        return sq.max(a, b), f"max({ta}, {tb})"
    if kind == 6:
        return sq.match(a, {1: b}, otherwise=d), f"(match {ta} {{ 1 => {tb}, _ => {td} }})"
    if kind == 7:
        state = sq.language.name("u", sq.symbols.INT)
        node = sq.symbols.Symbol("at", (_Named("u"), (1, 0)), (a,), sq.symbols.INT)
        assert state is not node
        return node, f"(u[1, 0] else ({ta}))"
    op = chance.choice(OPERATORS)
    return sq.symbols.Symbol("binary", (op,), (a, b), sq.symbols.INT), f"({ta} {op} {tb})"


class _Named:
    """What stands for a state."""

    def __init__(self, name):
        self.given = name


def test_parentheses(squeeze):
    chance = random.Random(SEED)
    texts = ["", ""]
    for number in range(400):
        node, full = expression(chance, chance.randrange(1, 5))
        printer = printing.Printer(lambda thing: thing.given)
        short = printing.flat(printer.expression(node, printer.rule))[0]
        for which, text in enumerate((short, full)):
            texts[which] += f"rule r{number} {{ state u: i32 state v: i32 next u = {text} }}\n"
    short, full = (squeeze.text("fmt", str(squeeze.file(f"{which}.rule", text))) for which, text in enumerate(texts))
    assert short == full


def lets_of(rule):
    return [line.strip() for line in rule._text.splitlines() if line.strip().startswith(("let", "next", "init"))]


def test_values_of_loops_have_no_names_of_their_own():
    @sq.rule
    class summed:
        u = sq.state(sq.f32)

        def next(c):
            total = c.u
            for number in range(2, 5):
                total = total + c.u * float(number)
            return {"u": total}

    assert lets_of(summed) == ["next u = u + u * 2.0 + u * 3.0 + u * 4.0"]


def test_values_that_are_used_twice_keep_their_variable():
    @sq.rule
    class relaxed:
        u = sq.state(sq.f32)

        def next(c):
            t = c.u
            for _ in range(3):
                t = t + 0.1 * (1.0 - t)
            return {"u": t}

    assert lets_of(relaxed) == ["let t = u + 0.1 * (1.0 - u)", "let t_2 = t + 0.1 * (1.0 - t)", "next u = t_2 + 0.1 * (1.0 - t_2)"]


def test_names_of_helpers():
    def spread(c, name):
        flow = c.sum(sq.moore, lambda nb: nb[name] - c[name])
        return flow * flow

    @sq.rule
    class two:
        u = sq.state(sq.f32)
        v = sq.state(sq.f32)

        def next(c):
            return {"u": spread(c, "u"), "v": spread(c, "v")}

    assert lets_of(two) == [
        "let flow = sum(moore, nb.u - u)",
        "let flow_2 = sum(moore, nb.v - v)",
        "next u = flow * flow",
        "next v = flow_2 * flow_2",
    ]


def test_words_of_the_language_are_no_lets():
    @sq.rule
    class worded:
        u = sq.state(sq.f32)

        def next(c):
            step = c.u * 2.0
            sum = c.u * 3.0  # noqa: A001
            u = c.u * 4.0
            _ = c.u
            return {"u": step * step + sum * sum + u * u}

    assert lets_of(worded)[:3] == ["let step_2 = u * 2.0", "let sum_2 = u * 3.0", "let u_2 = u * 4.0"]


def test_values_of_the_class():
    @sq.rule
    class valued:
        beta = sq.param(0.5)
        chance = 1.0 - sq.exp(-2.0 * beta)
        start = sq.random(0.3)
        up = sq.state(sq.bit, init=start)
        both = sq.where(up, chance, 0.0)

        def next(c):
            return {"up": sq.random(c.both)}

    assert lets_of(valued) == [
        "init up = random(0.3)",
        "let chance = 1.0 - exp(-2.0 * beta)",
        "let both = if up { chance } else { 0.0 }",
        "next up = random(both)",
    ]


def test_starts_that_share():
    @sq.rule
    class shared:
        u = sq.state(sq.f32)
        v = sq.state(sq.f32)
        w = sq.state(sq.f32)

        def init(c):
            v = sq.uniform() + 1.0
            return {"u": v * v, "w": v, "v": v}

        def next(c):
            return {"u": c.u}

    assert lets_of(shared)[:3] == ["init w = uniform() + 1.0", "init u = w * w", "init v = w"]


def test_a_rule_derives_from_another():
    @sq.rule
    class base:
        k = sq.param(0.1)
        u = sq.state(sq.f32)

        @sq.let
        def more(c):
            return c.u + c.k

        def next(c):
            return {"u": c.more + c.k}

    @sq.rule
    class slower(base):
        k = sq.param(0.05)
        u = sq.state(sq.f64)

    assert lets_of(slower) == lets_of(base)
    assert "param k: f64 = 0.05" in slower._text

    @sq.rule
    class doubled(base):
        "Twice as fast."

        def next(c):
            return {"u": c.more + 2.0 * c.k}

    assert doubled._text == base._text.replace("rule base", "/// Twice as fast.\nrule doubled").replace("more + k", "more + 2.0 * k")


def test_floats_of_parameters_follow_those_of_states():
    def rule(*types):
        class r:
            k = sq.param(0.5)
            j = sq.param(0.5, type=sq.f32)
            many = sq.param(1)
            u, v = (sq.state(of) for of in types)

            def next(c):
                return {"u": c.u}

        return [line.strip() for line in sq.rule(r)._text.splitlines() if "param" in line]

    others = ["param j: f32 = 0.5", "param many: i32 = 1"]
    assert rule(sq.f64, sq.i32) == ["param k: f64 = 0.5", *others]
    assert rule(sq.f64, sq.f32) == rule(sq.bit, sq.u8) == ["param k: f32 = 0.5", *others]


def test_long_sums(squeeze):
    @sq.rule
    class long:
        u = sq.state(sq.f32)

        def next(c):
            return {"u": sum(c.u * float(number) for number in range(3000))}

    assert sum(line.count("+") for line in lets_of(long)) == 2999
    squeeze.text("check", str(squeeze.file("long.rule", long._text)))


def test_numbers():
    def text(value):
        return printing.shown(sq.symbols.symbol(value))

    assert [text(value) for value in (1, -1, True, 0.5, 1e30, 1e-7, 3.0, -0.0)] == ["1", "-1", "true", "0.5", "1e+30", "1e-07", "3.0", "-0.0"]
    numpy = pytest.importorskip("numpy")
    assert [text(value) for value in (numpy.float32(0.1), numpy.int64(7), numpy.bool_(False), numpy.array(2.5))] == [
        "0.10000000149011612",
        "7",
        "false",
        "2.5",
    ]


def test_functions_of_numpy():
    np = pytest.importorskip("numpy")

    @sq.rule
    class arrays:
        u = sq.state(np.float32)
        n = sq.state(np.int32)
        up = sq.state(bool)

        def next(c):
            u, n = c.u, c.n
            return {
                "u": np.where(c.up, np.clip(u, 0.0, 1.0), np.square(u)) + np.exp(u) * np.float32(0.5) - np.maximum(u, 2.0) / np.hypot(u, 1.0),
                "n": np.abs(n) % np.int32(3) + np.int64(2) * n,
                "up": np.logical_and(np.greater(u, 0.5), np.logical_not(c.up)),
            }

    assert lets_of(arrays) == [
        "next u = (if up { clamp(u, 0.0, 1.0) } else { u * u }) + exp(u) * 0.5 - max(u, 2.0) / hypot(u, 1.0)",
        "next n = abs(n) % 3 + 2 * n",
        "next up = u > 0.5 && !up",
    ]
    for function, told in ((np.rint, "sq.round"), (np.cumsum, "sq.where"), (np.log10, "math.log")):
        with pytest.raises(sq.TraceError, match=told):
            function(arrays_symbol())


def arrays_symbol():
    return sq.language.name("u", sq.symbols.FLOAT)
