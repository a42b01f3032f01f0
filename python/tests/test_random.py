"""Random expressions give in a rule what they give in Python, and random arrays come back as they were given."""

import operator

import pytest

import squeeze as sq
from squeeze import _library

if _library._native is None:
    pytest.skip("the extension module is not built", allow_module_level=True)
np = pytest.importorskip("numpy")
pytest.importorskip("hypothesis")
from hypothesis import given  # noqa: E402
from hypothesis import strategies as some  # noqa: E402


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


NUMBERS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor}
BITS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}

leaves = some.sampled_from(["a", "b"]) | some.integers(-1000, 1000)
numbers = some.deferred(
    lambda: (
        leaves
        | some.tuples(some.sampled_from(sorted(NUMBERS)), numbers, numbers)
        | some.tuples(some.just("neg"), numbers)
        | some.tuples(some.just("if"), conditions, numbers, numbers)
        | some.tuples(some.just("max"), numbers, numbers)
        | some.tuples(some.just("twice"), numbers)
    )
)
conditions = some.deferred(
    lambda: (
        some.tuples(some.sampled_from(sorted(BITS)), some.sampled_from(["a", "b"]), numbers)
        | some.tuples(some.just("not"), conditions)
        | some.tuples(some.sampled_from(["and", "or"]), conditions, conditions)
    )
)


def traced(tree, c):
    """The symbol of a tree."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return c[tree]
    op, *parts = tree
    parts = [traced(part, c) for part in parts]
    if op in NUMBERS or op in BITS:
        return {**NUMBERS, **BITS}[op](*parts)
    if op == "twice":
        # One node, two uses: a let.
        return sq.i32(parts[0]) + parts[0]
    return {
        "neg": lambda a: -sq.i32(a),
        "not": lambda a: ~a,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "if": lambda a, b, d: sq.where(a, sq.i32(b), sq.i32(d)),
        "max": lambda a, b: sq.max(sq.i32(a), b),
    }[op](*parts)


def known(tree, values):
    """The value of a tree."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return values[tree]
    op, *parts = tree
    parts = [known(part, values) for part in parts]
    if op in NUMBERS:
        return wrapped(NUMBERS[op](*parts))
    if op in BITS:
        return BITS[op](*parts)
    return {
        "twice": lambda a: wrapped(a + a),
        "neg": lambda a: wrapped(-a),
        "not": lambda a: not a,
        "and": lambda a, b: a and b,
        "or": lambda a, b: a or b,
        "if": lambda a, b, d: b if a else d,
        "max": max,
    }[op](*parts)


@given(tree=numbers, pairs=some.lists(some.tuples(some.integers(-(2**31), 2**31 - 1), some.integers(-9, 9)), min_size=6, max_size=6))
def test_expressions(tree, pairs):
    @sq.rule
    class random:
        a = sq.state(sq.i32)
        b = sq.state(sq.i32)
        r = sq.state(sq.i32)

        def next(c):
            return {"a": c.a, "b": c.b, "r": sq.i32(traced(tree, c))}

    a, b = (np.array(column, "i4") for column in zip(*pairs))
    for backend in ("reference", "cpu"):
        sim = sq.Simulation(sq.box(6, 1), random, initial={"a": a, "b": b}, backend=backend, threads=1)
        sim.step()
        expected = [wrapped(known(tree, {"a": int(one), "b": int(other)})) for one, other in zip(a, b)]
        assert sim["r"].reshape(-1).tolist() == expected, random.source


# Of complex numbers: the operations on their parts in f32.
COMPLEX = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "*": lambda a, b: (a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]),
    "conj": lambda a: (a[0], -a[1]),
    "neg": lambda a: (-a[0], -a[1]),
    "scaled": lambda a, b: (a[0] * b[0], a[1] * b[0]),
    "swapped": lambda a: (a[1], a[0]),
}
WITH_SYMBOLS = {
    **NUMBERS,
    "conj": sq.conj,
    "neg": operator.neg,
    "scaled": lambda a, b: a * b.x,
    "swapped": lambda a: sq.complex(sq.im(a), sq.re(a)),
}
points = some.sampled_from(["a", "b"]) | some.complex_numbers(max_magnitude=4, width=64).map(lambda one: complex(np.complex64(one)))
points = some.recursive(
    points,
    lambda inner: (
        some.tuples(some.sampled_from(["+", "-", "*", "scaled"]), inner, inner) | some.tuples(some.sampled_from(["conj", "neg", "swapped"]), inner)
    ),
    max_leaves=8,
)


def of_points(tree, leaf, operations):
    """The value of a tree of complex numbers."""
    if not isinstance(tree, tuple):
        return leaf(tree)
    op, *parts = tree
    return operations[op](*(of_points(part, leaf, operations) for part in parts))


@given(tree=points, pairs=some.lists(some.complex_numbers(max_magnitude=9, width=64), min_size=12, max_size=12))
def test_complex_numbers(tree, pairs):
    @sq.rule
    class random:
        a = sq.state(sq.complex)
        b = sq.state(sq.complex)
        r = sq.state(sq.complex)

        def next(c):
            leaf = lambda one: c[one] if isinstance(one, str) else sq.complex(one.real, one.imag)  # noqa: E731
            return {"r": of_points(tree, leaf, WITH_SYMBOLS)}

    values = np.array(pairs, np.complex64).reshape(2, 6)
    given = {f"{name}.{part}": getattr(one, kind) for name, one in zip("ab", values) for part, kind in (("x", "real"), ("y", "imag"))}
    with np.errstate(all="ignore"):
        parts = lambda one: (values["ab".index(one)].real, values["ab".index(one)].imag) if isinstance(one, str) else (np.float32(one.real), np.float32(one.imag))  # noqa: E731
        expected = of_points(tree, parts, COMPLEX)
    for backend in ("reference", "cpu"):
        sim = sq.Simulation(sq.box(6, 1), random, initial={name: np.ascontiguousarray(one) for name, one in given.items()}, backend=backend, threads=1)
        sim.step()
        for part, known in zip("xy", expected):
            assert np.array_equal(sim[f"r.{part}"].reshape(-1), np.broadcast_to(known, 6), equal_nan=True), random.source


TYPES = {"bit": "?", "u8": "u1", "u16": "u2", "i32": "i4", "u32": "u4", "i64": "i8", "f32": "f4", "f64": "f8"}


@given(name=some.sampled_from(sorted(TYPES)), data=some.data(), step=some.sampled_from([1, 2, -1, -3]), order=some.sampled_from("CF"))
def test_arrays(name, data, step, order):
    @sq.rule
    class kept:
        u = sq.state(getattr(sq, name))

        def next(c):
            return {"u": c.u}

    dtype = np.dtype(TYPES[name])
    raw = data.draw(some.binary(min_size=35 * dtype.itemsize, max_size=35 * dtype.itemsize))
    values = np.frombuffer(raw, np.uint8).astype(bool)[:35] if name == "bit" else np.frombuffer(raw, dtype)
    places = np.zeros((5, 7 * abs(step)), dtype, order=order)[:, ::step]
    # There is one NaN.
    places[...] = np.where(np.isnan(values), dtype.type("nan"), values).reshape(5, 7) if dtype.kind == "f" else values.reshape(5, 7)
    sim = sq.Simulation(sq.box(7, 5), kept, backend="reference")
    sim["u"] = places
    assert sim["u"].tobytes() == np.ascontiguousarray(places).tobytes()
    sim.step()
    assert sim["u"].tobytes() == np.ascontiguousarray(places).tobytes()
    assert np.array_equal(sim.grid("u")[1:4, ::2], places[1:4, ::2], equal_nan=dtype.kind == "f")
