"""What the class of a rule declares: states, parameters, steps, `let`s, globals, functions, pictures."""

from . import language
from .places import error
from .symbols import BIT, COMPONENTS, FLOAT, INT, WHOLE, Symbol, symbol


def doc_of(thing):
    """The documentation of a function or a class, without its indentation."""
    if not thing.__doc__:
        return None
    import inspect

    return inspect.cleandoc(thing.__doc__)


class State(Symbol):
    """A value of each cell: `sq.state(sq.f32, init=0.0)`."""

    __slots__ = ("type", "init", "rolling", "given", "doc")

    def __init__(self, type, init, rolling, name, doc):  # noqa: A002
        of = language.type_of(type)
        super().__init__("ref", (self,), (), of.kind)
        for slot, value in (("type", of), ("init", init), ("rolling", bool(rolling)), ("given", name), ("doc", doc)):
            object.__setattr__(self, slot, value)


def state(type, init=None, *, rolling=False, name=None, doc=None):  # noqa: A002
    """A value of each cell.

    `init` is its value before the first step: a number, a variant, a symbol, or a function of the cell; without it zero. A type is `sq.bit`, `sq.u8`,
    `sq.u16`, `sq.i32`, `sq.u32`, `sq.i64`, `sq.f32`, `sq.f64`, `sq.vec2`, `sq.vec3`, `sq.complex` (of f64 as `sq.vec3[sq.f64]`) or `sq.enum(…)`. With `rolling` an ordered step keeps its last line alone, and is 0 elsewhere.
    `name` is for names that Python does not allow, `doc` a comment.
    """
    return State(type, init, rolling, name, doc)


class Input(Symbol):
    """A value of each coordinate along an axis: `sq.input(sq.u8, along="x")`."""

    __slots__ = ("type", "along", "given", "doc")

    def __init__(self, type, along, name, doc):  # noqa: A002
        of = language.type_of(type)
        if along not in ("x", "y", "z"):
            raise error(f"an input along {along!r}", 'write sq.input(sq.u8, along="x"): along x, y or z')
        super().__init__("ref", (self,), (), of.kind)
        for slot, value in (("type", of), ("along", along), ("given", name), ("doc", doc)):
            object.__setattr__(self, slot, value)


def input(type, *, along, name=None, doc=None):  # noqa: A001, A002
    """Data from outside: a value for each coordinate along the axis `along`, "x", "y" or "z", which `inputs=` of a simulation, run or sweep gives.

    `c.a` is the value at the cell's own coordinate, `nb.a` and `c.a.at(1, 0, otherwise=0)` are those of neighbours. A type is `sq.u8` (letters of texts too),
    `sq.u16`, `sq.i32`, `sq.u32`, `sq.i64`, `sq.f32` or `sq.f64`. `name` is for names that Python does not allow, `doc` a comment.
    """
    return Input(type, along, name, doc)


class Param(Symbol):
    """A number that a run can set: `sq.param(0.1, min=0, max=1)`."""

    __slots__ = ("type", "value", "range", "given", "doc", "follows")

    def __init__(self, default, low, high, type, name, doc):  # noqa: A002
        value = symbol(default)
        #: Whether it is an f64 where all floats of the rule's states are.
        follows = type is None and (value.kind == FLOAT or value.kind in COMPONENTS) and _has_no_type(value)
        if type is None:
            type = {BIT: language.bit, WHOLE: language.i32, INT: language.i32, FLOAT: language.f32}.get(value.kind) or language.TYPES.get(value.kind)  # noqa: A001
            if type is None:
                raise error(f"the type of the parameter's default {default!r} is not known", "write sq.param(default, type=…)")
        of = language.type_of(type)
        if (low is None) != (high is None):
            raise error("a range has two ends", "write sq.param(0.1, min=0, max=1)")
        ends = None if low is None else (number_of(low, of), number_of(high, of))
        super().__init__("ref", (self,), (), of.kind)
        for slot, found in (("type", of), ("value", number_of(value, of)), ("range", ends), ("given", name), ("doc", doc), ("follows", follows)):
            object.__setattr__(self, slot, found)


def _has_no_type(node):
    """Whether a value of literals, and of parameters of such values, is as good in one type of floats as in another."""
    if node.op == "ref":
        return isinstance(node.data[0], Param) and node.data[0].follows
    if node.op == "call" and node.data[0] in language.TYPES and node.data[0] not in COMPONENTS:
        return False
    return node.op in ("literal", "binary", "unary", "call", "if", "name", "component") and all(map(_has_no_type, node.args))


def number_of(value, of):
    """A number as one of its type is written: with a point if it is a float."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, Symbol) and value.op == "literal" and value.kind == WHOLE:
        value, is_whole = value.data[0], True
    return symbol(float(value) if is_whole and (of.kind == FLOAT or of.kind in COMPONENTS) else value)


def param(default, *, min=None, max=None, type=None, name=None, doc=None):  # noqa: A002
    """A number that a run can set. Its type is `type`, or follows from the default: i32 of an int, bit of a bool; of a float f64 if the rule has states of
    floats and all of these are f64, else f32.

    The default may be computed from parameters above it. `min` and `max` are the ends of its range, both of them allowed.
    """
    return Param(default, min, max, type, name, doc)


class Entry:
    """A function of the class that becomes an entry."""

    def __init__(self, function, name=None):
        self.function, self.given = function, name
        self.doc = doc_of(function)


class Let(Entry):
    """`@sq.let`."""


class Global(Entry):
    """`@sq.global_`."""

    once = False


def let(function=None, *, name=None):
    """A value that each cell computes in a step, and that neighbours read as they read a state: `nb.NAME`, `c.NAME.at(1, 0, otherwise=…)`."""
    return _decorated(function, lambda found: Let(found, name))


def global_(function=None, *, once=False, name=None):
    """A number of all cells, computed before each named step that uses it; with `once` before the first of a time step only."""

    def made(found):
        entry = Global(found, name)
        entry.once = once
        return entry

    return _decorated(function, made)


def _decorated(function, made):
    if function is None:
        return made
    if not callable(function):
        raise error("a decorator stands above a function", "write it above `def`")
    return made(function)


class Step(Entry):
    """`@sq.step`."""

    colour = when = order = group = None


class Repeat:
    """Steps that follow one another several times: `often = sq.repeat(12)`, and `@often.step` above each of them."""

    def __init__(self, times):
        if not isinstance(times, language.Const) and (not isinstance(times, int) or isinstance(times, bool) or times < 1):
            raise error(f"steps that are repeated {times!r} times", "write a whole number of 1 or more, or a sq.const")
        self.times = symbol(times)

    def step(self, function=None, *, colour=None, when=None, from_=None, name=None):
        """A step of the group."""

        def made(found):
            entry = _step(found, colour, when, from_, name)
            entry.group = self
            return entry

        return _decorated(function, made)


def repeat(times):
    """A group of steps that are repeated; `times` is known beforehand."""
    return Repeat(times)


def step(function=None, *, colour=None, when=None, from_=None, name=None):
    """A named step. `when` restricts it to the cells where a condition holds, `colour` updates cells that are neighbours one after the other, and `from_` takes
    all cells one after the other: "+x +y" in reading order, "all" in each pattern of signs in turn."""
    return _decorated(function, lambda found: _step(found, colour, when, from_, name))


def _step(function, colour, when, order, name):
    if colour is not None and when is not None:
        raise error("a step with colours has no condition", "write sq.where(condition, new, c.u) for the states")
    if colour is not None and order is not None:
        raise error("a step with colours has no order", "give one of them")
    entry = Step(function, name)
    if order is not None:
        axes = order.replace(",", " ").split() if isinstance(order, str) else list(order)
        if axes != ["all"] and not (axes and all(len(axis) == 2 and axis[0] in "+-" and axis[1] in "xyz" for axis in axes)):
            raise error(f"{order!r} is no order of axes", 'write from_="+x -y", the last one the slowest, or from_="all"')
        entry.order = "all" if axes == ["all"] else f"({', '.join(axes)})"
    entry.colour = None if colour is None else language.neighbourhood_of(colour)
    entry.when = when
    return entry


class Fn:
    """A function of the language: `@sq.fn` above a function whose arguments and result have types."""

    def __init__(self, function, name=None):
        self.function, self.given = function, name
        self.doc = doc_of(function)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        self.has_cell = bool(names) and names[0] not in function.__annotations__
        self.parameters = [(one, self._type(one)) for one in names[self.has_cell :]]
        self.type = self._type("return")
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def _type(self, name):
        found = self.function.__annotations__.get(name)
        if found is None:
            what = "its result" if name == "return" else f"`{name}`"
            raise error(f"`{self.function.__name__}` does not say the type of {what}", "write def mixed(a: sq.f32, b: sq.f32) -> sq.f32")
        return language.type_of(found)

    def __call__(self, *arguments):
        if len(arguments) != len(self.parameters):
            raise error(
                f"`{self.function.__name__}` takes {len(self.parameters)} arguments, not {len(arguments)}", "give one for each that has a type"
            )
        return Symbol("apply", (self,), tuple(map(symbol, arguments)), self.type.kind)


def fn(function=None, *, name=None):
    """A function of the language. A first argument without a type is the rule's, whose parameters it reads."""
    return _decorated(function, lambda found: Fn(found, name))


class Picture:
    """What the pictures of a rule show."""

    def __init__(self, state, map, range, colours):  # noqa: A002
        self.state, self.map, self.range, self.colours = state, map, range, colours


def picture(state, *, map=None, range=None, colours=None):  # noqa: A002
    """The state that pictures show, its colour map (perceptual, diverging, grey, hue), the values at the ends of the map, and colours of its own: a list, or
    a mapping from the variants of an enum to texts such as "3d4f73"."""
    return Picture(state, map, range, colours)


class Observed:
    """An observable that is told for each replica of a level, or at the end of a run alone."""

    def __init__(self, value, level, at_end):
        self.value, self.level, self.at_end = value, level, at_end


def by_level(value, level):
    """One value for each replica of a level."""
    return Observed(value, level, False)


def at_end(value):
    """A value of the end of a run alone."""
    if isinstance(value, Observed):
        return Observed(value.value, value.level, True)
    return Observed(value, None, True)
