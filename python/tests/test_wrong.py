"""What cannot be traced says so: what it is, where, and what to write."""

import math
import re

import pytest

import squeeze as sq
from squeeze import _library

CASES = {}


def case(message, marked, instead):
    """A `next` that is refused: a part of the message, of the source that is marked, and of the help."""

    def noted(function):
        CASES[function.__name__] = (function, message, marked, instead)
        return function

    return noted


def traced(function):
    class wrong:
        beta = sq.param(0.5)
        up = sq.state(sq.bit, init=sq.random(0.5))
        u = sq.state(sq.f32)
        k = sq.state(sq.u8)
        next = function

    return sq.rule(wrong)


@case("`if` sees no value", "n == 3", "sq.where(condition, then, otherwise)")
def if_(c):
    n = c.count(sq.moore, lambda nb: nb.up)
    if n == 3:
        return {"up": True}
    return {"up": c.up}


@case("`a if c else b` sees no value", "c.up", "sq.where(c, a, b)")
def if_expression(c):
    return {"u": 1.0 if c.up else 0.0}


@case("`a if c else b` sees no value", "nb.up", "sq.where(c, a, b)")
def if_expression_in_a_lambda(c):
    return {"u": c.sum(sq.moore, lambda nb: 1.0 if nb.up else -1.0)}


@case("`while` sees no value", "c.u > 0", "a Python loop")
def while_(c):
    while c.u > 0:
        pass


@case("`assert` sees no value", "c.u > 0", "stop")
def assert_(c):
    assert c.u > 0


@case("`and` sees no value", "c.up", "(a) & (b)")
def and_(c):
    return {"up": c.up and c.k == 2}


@case("`or` sees no value", "c.up", "(a) | (b)")
def or_(c):
    return {"up": c.up or c.u > 1}


@case("`and` sees no value", "c.up", "(a) & (b)")
def and_in_if(c):
    if c.up and c.k == 2:
        return {"up": True}


@case("`not` sees no value", "c.up", "~condition")
def not_(c):
    return {"up": not c.up}


@case("a chained comparison sees no value", "2 <= c.k <= 3", "sq.between(n, 2, 3)")
def chain(c):
    return {"up": 2 <= c.k <= 3}


@case("a chained comparison sees no value", "c.k == 2 | c.k == 3", "need brackets")
def precedence(c):
    return {"up": c.k == 2 | c.k == 3}


@case("`in` sees no value", "c.k in (2, 3)", "n.isin(2, 3)")
def in_(c):
    return {"up": c.k in (2, 3)}


@case("`match` sees no value", "0", "sq.match(value")
def match_(c):
    match c.k:
        case 0:
            return {"u": 1.0}
        case _:
            return {"u": 2.0}


@case("`if` in a comprehension sees no value", "c.up", "sq.where")
def comprehension(c):
    return {"u": [1 for _ in (1, 2) if c.up]}


@case("Python's `min` sees no value", "min(c.u, 1.0)", "sq.min(a, b)")
def min_(c):
    return {"u": min(c.u, 1.0)}


@case("Python's `max` sees no value", "max(c.u, 1.0)", "sq.max(a, b)")
def max_(c):
    return {"u": max(c.u, 1.0)}


@case("Python's `any` sees no value", "any([c.up, c.up])", "c.any(sq.moore")
def any_(c):
    return {"up": any([c.up, c.up])}


@case("a symbol has no number", "math.exp(c.u)", "sq.exp")
def math_(c):
    return {"u": math.exp(c.u)}


@case("a symbol has no number", "float(c.u)", "sq.f32(e)")
def float_(c):
    return {"u": float(c.u)}


@case("a symbol has no number", "int(c.u)", "sq.i32(e)")
def int_(c):
    return {"u": int(c.u)}


@case("Python rounds halves to even", "round(c.u)", "sq.round(e)")
def round_(c):
    return {"u": round(c.u)}


@case("cannot pick from a list", "[1.0, 2.0][c.k]", "sq.table([1.0, 0.5])[e]")
def index(c):
    return {"u": [1.0, 2.0][c.k]}


@case("nothing to go through", "list(c.u)", "c.sum(sq.moore")
def iterate(c):
    return {"u": list(c.u)}


@case("`//` of floats", "c.u // 2", "sq.floor(a / b)")
def floor_of_floats(c):
    return {"u": c.u // 2}


@case("`/` of whole numbers", "c.k / 2", "a // b for the whole part")
def fraction_of_whole_numbers(c):
    return {"k": c.k / 2}


@case("an offset is two or three", "c.u.at(1, otherwise=0)", "u.at(1, 0, otherwise=0)")
def offset(c):
    return {"u": c.u.at(1, otherwise=0)}


@case("a read of one neighbour", "c.u[1, 0]", "u.at(1, 0, otherwise=0)")
def read(c):
    return {"u": c.u[1, 0]}


@case("a state is not assigned", "c.u", "return {'u': …}")
def assignment(c):
    c.u = 1.0


@case("unknown name `betta`", "c.betta", "did you mean `beta`?")
def misspelt(c):
    return {"u": c.betta}


@case("unknown name `v`", "c.v", "known here: beta")
def unknown(c):
    return {"u": c.v}


@case("unknown name `ux`", "nb.ux", "did you mean `u`?")
def unknown_of_neighbour(c):
    return {"u": c.sum(sq.moore, lambda nb: nb.ux)}


@case("unknown variant `abc`", 'c.u + "abc"', "no variant is defined here")
def text(c):
    return {"u": c.u + "abc"}


@case("unknown state `v`", "def state(c):", "known here: k, u, up")
def state(c):
    return {"v": c.u}


@case("`next` returns a symbol", "def no_dictionary(c):", "return {'u': c.u + 1.0}")
def no_dictionary(c):
    return c.u


@case("`next` returns nothing", "def nothing(c):", "return {'u': c.u + 1.0}")
def nothing(c):
    c.u + 1.0


@case("`next` cannot be called", "def no_argument():", "def next(c)")
def no_argument():
    return {}


@case("nan is no number of the language", 'c.u + float("nan")', "finite")
def not_a_number(c):
    return {"u": c.u + float("nan")}


@case("a function where a value is wanted: 'exp'", "c.u + math.exp", "call it")
def function(c):
    return {"u": c.u + math.exp}


@case("is neither a number nor a symbol", "c.u + None", "write a number")
def none(c):
    return {"u": c.u + None}


@case("a draw inside an aggregate", "sq.uniform()", "read `nb[w]`")
def draw_of_neighbours(c):
    return {"u": c.sum(sq.moore, lambda nb: sq.uniform())}


@case("a draw inside an aggregate", 'c.pick(sq.moore, "u", otherwise=0.0)', "read `nb[w]`")
def pick_of_neighbours(c):
    return {"u": c.sum(sq.moore, lambda nb: c.pick(sq.moore, "u", otherwise=0.0))}


@case("the neighbour of an aggregate around", "c.sum(sq.moore, lambda m: m.u - nb.u)", "read `nb[n]`")
def nested(c):
    return {"u": c.sum(sq.moore, lambda nb: c.sum(sq.moore, lambda m: m.u - nb.u))}


@case("the neighbour of a neighbour", "nb.u.at(1, 0, otherwise=0)", "`nb[e]`")
def two_far(c):
    return {"u": c.sum(sq.moore, lambda nb: nb.u.at(1, 0, otherwise=0))}


@case("`nb.x` of a neighbour", "nb.x", "c.x + nb.dx")
def coordinate_of_neighbour(c):
    return {"u": c.sum(sq.moore, lambda nb: sq.f32(nb.x))}


@case("`dx` belongs to a neighbour", "c.dx", "nb.dx")
def offset_of_cell(c):
    return {"u": c.dx}


@case("`min` of one value", "sq.min(c.u)", "sq.min(a, b)")
def least_of_one(c):
    return {"u": sq.min(c.u)}


@case("a choice needs a value", "sq.where(c.up, 1.0)", "sq.where(condition, then, otherwise)")
def where_without_otherwise(c):
    return {"u": sq.where(c.up, 1.0)}


@case("is no neighbourhood", 'c.sum("moore", "u")', "sq.moore")
def neighbourhood(c):
    return {"u": c.sum("moore", "u")}


@case("is no range of whole numbers", "c.k.isin(range(0, 9, 2))", "range(2, 4)")
def stride(c):
    return {"up": c.k.isin(range(0, 9, 2))}


@pytest.mark.parametrize("name", CASES)
def test_wrong(name):
    function, message, marked, instead = CASES[name]
    with pytest.raises(sq.TraceError) as caught:
        traced(function)
    told = str(caught.value)
    first, *between, last = told.split("\n")
    assert message in first
    assert last.startswith("help: "), told
    assert instead in last
    assert re.search(r"--> .*test_wrong\.py:\d+", told), told
    shown = next(line for line in between if not line.startswith("  -->"))
    if "^" not in between[-1]:
        assert marked in shown
        return
    # Versions of Python mark a condition, or the whole of what asks for its truth.
    begin, end = between[-1].index("^"), between[-1].rindex("^") + 1
    assert marked in shown[begin:end] or shown[begin:end] in marked, told


def refused(make, message, instead=""):
    with pytest.raises(sq.TraceError) as caught:
        make()
    assert message in str(caught.value)
    assert instead in str(caught.value)


def test_declarations():
    refused(lambda: sq.state(float), "is no type of the language", "sq.f32 or sq.f64")
    refused(lambda: sq.state(complex), "is no type of the language", "sq.complex or sq.complex[sq.f64]")
    refused(lambda: sq.vec2(1.0, 2.0) // 2, "`//` of floats", "sq.floor(a / b)")
    refused(lambda: sq.state("f31"), "is no type of the language", "sq.f32")
    refused(lambda: sq.param("rest"), "the type of the parameter's default", "type=")
    refused(lambda: sq.param(0.1, min=0), "a range has two ends")
    refused(lambda: sq.moore(1.5), "a radius is a whole number")
    refused(lambda: sq.neighbourhood([(1, 0)])(2), "only `moore` and `von_neumann`")
    refused(lambda: sq.neighbourhood([]), "a neighbourhood of nothing")
    refused(lambda: sq.neighbourhood([(1,)]), "is no offset")
    refused(lambda: sq.table([]), "a table of nothing")
    refused(lambda: sq.enum(), "an enum needs the names")
    refused(lambda: sq.enum("a", "b").c, "unknown variant `c`")
    refused(lambda: sq.repeat(0), "steps that are repeated 0 times")
    refused(lambda: sq.step(colour=sq.moore, when=lambda c: c.x > 0)(lambda c: {}), "a step with colours has no condition")
    refused(lambda: sq.step(from_="x")(lambda c: {}), "is no order of axes")
    refused(lambda: sq.step(from_="+x", colour=sq.moore)(lambda c: {}), "a step with colours has no order")
    refused(lambda: sq.uniform(1.0), "`uniform` takes both ends or none")

    def untyped(a) -> sq.f32:
        return a

    def without_result(a: sq.f32):
        return a

    assert sq.fn(untyped).has_cell
    refused(lambda: sq.fn(without_result), "does not say the type of its result")


def test_one_draw_in_two_places():
    w = sq.uniform()
    with pytest.raises(sq.TraceError, match="one draw in two places"):

        @sq.rule
        class twice:
            u = sq.state(sq.f32, init=w * 2.0)
            v = sq.state(sq.f32, init=w * 3.0)

            def next(c):
                return {"u": c.u}


def test_a_let_of_itself():
    with pytest.raises(sq.TraceError, match="`a` is computed from itself"):

        @sq.rule
        class circle:
            u = sq.state(sq.f32)

            @sq.let
            def a(c):
                return c.b + 1.0

            @sq.let
            def b(c):
                return c.a + 1.0

            def next(c):
                return {"u": c.a}


def test_inits_of_one_another():
    with pytest.raises(sq.TraceError, match="read one another"):

        @sq.rule
        class circle:
            u = sq.state(sq.f32, init=lambda c: c.v)
            v = sq.state(sq.f32, init=lambda c: c.u)

            def next(c):
                return {"u": c.u}


def test_draws_where_none_may_be():
    with pytest.raises(sq.TraceError, match="a draw in the condition of a step"):

        @sq.rule
        class guarded:
            u = sq.state(sq.f32)

            @sq.step(when=lambda c: sq.random(0.5))
            def go(c):
                return {"u": c.u + 1.0}

    with pytest.raises(sq.TraceError, match="a draw in a value of all cells"):

        @sq.rule
        class observed:
            u = sq.state(sq.f32)

            def next(c):
                return {"u": c.u}

            def observe(a):
                return {"m": a.sum(lambda c: c.u * sq.uniform())}


def test_names_that_the_language_lacks():
    with pytest.raises(sq.TraceError, match="`β` is no name of the language"):

        @sq.rule
        class greek:
            β = sq.param(0.44)
            u = sq.state(sq.f32)

            def next(c):
                return {"u": c.u}


def test_another_rules_parameter():
    other = sq.param(0.5)
    with pytest.raises(sq.TraceError, match="does not declare"):

        @sq.rule
        class foreign:
            u = sq.state(sq.f32)

            def next(c):
                return {"u": c.u * other}


def test_domains():
    refused(lambda: sq.fractal(), "a fractal of nothing")
    refused(lambda: sq.fractal("vicsek", pattern="##\n#."), "by name and by definition")
    refused(lambda: sq.fractal(replicas=[(0, 0)]), "replicas without a scale")
    refused(lambda: sq.domain(), "a domain is made of")
    refused(lambda: sq.box(3, 3, periodic="w"), "'w' is no axis")
    refused(lambda: sq.box(3, 3, name="a b"), "is no name of the language")
    refused(lambda: sq.box(3, 3, cells=lambda c: c.level > 0), "unknown name `level`")


def test_the_compilers_errors_find_the_line(squeeze, monkeypatch):
    class mixed:
        k = sq.param(0.5)
        u = sq.state(sq.f32)
        n = sq.state(sq.i32)

        def next(c):
            doubled = c.n * 2
            return {"u": c.u + c.k, "n": doubled + c.u}

    # Without the extension module the text is not checked when it is traced.
    monkeypatch.setattr(_library, "_native", None)
    rule = sq.rule(mixed)
    (error,) = [one for file in squeeze.errors(rule._text)["files"] for one in file["errors"]]
    place = rule.place_of(error["line"], error["column"])
    line = mixed.next.__code__.co_firstlineno + 2
    assert (place.line, place.file) == (line, __file__)
    assert "doubled + c.u" in place.shown()
