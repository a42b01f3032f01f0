"""The words of the language as Python's: types, functions, choices, draws, neighbourhoods, constants. Their names are those of the language, and some
of them Python has as well: they are meant to be read as `sq.min`."""

import builtins

from .places import error, unknown
from .symbols import BIT, COMPONENTS, ENUM, FLOAT, INT, WHOLE, Symbol, call, ends, is_enum, joined, symbol

# Types.


class Type:
    """A type of the language. Called, it converts: `sq.f32(n)`."""

    __slots__ = ("name", "kind")

    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    def __call__(self, value):
        """The value converted to this type; each component of a vector."""
        value = symbol(value)
        return call(self.name, value, kind=value.kind if value.kind in COMPONENTS else self.kind)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"sq.{self.name}"


class Vector(Type):
    """A type of vectors: `sq.vec3`, and `sq.vec3[sq.f64]` of f64. Called, it makes one of its components: `sq.vec3(a, b, c)`."""

    __slots__ = ("element",)

    def __init__(self, kind, element=None):
        super().__init__(kind if element is None else f"{kind}<{element}>", kind)
        self.element = element or f32

    def __getitem__(self, element):
        element = type_of(element)
        if element not in (f32, f64):
            raise error(f"a {self.kind} of {element}", f"write sq.{self.kind}, or sq.{self.kind}[sq.f64]")
        return Vector(self.kind, None if element is f32 else element)

    def __call__(self, *components):
        """A vector of these components."""
        if len(components) != len(COMPONENTS[self.kind]):
            raise error(
                f"`{self.kind}` takes {len(COMPONENTS[self.kind])} numbers, not {len(components)}",
                f"write sq.{self.kind}({', '.join('abc'[: len(COMPONENTS[self.kind])])})",
            )
        return call(self.kind, *(float(one) if type(one) is int else one for one in components), kind=self.kind)

    def __eq__(self, other):
        return isinstance(other, Vector) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"sq.{self.kind}" if self.element is f32 else f"sq.{self.kind}[sq.{self.element}]"


bit = Type("bit", BIT)
u8 = Type("u8", INT)
u16 = Type("u16", INT)
i32 = Type("i32", INT)
u32 = Type("u32", INT)
i64 = Type("i64", INT)
f32 = Type("f32", FLOAT)
f64 = Type("f64", FLOAT)
vec2, vec3, complex = (Vector(kind) for kind in COMPONENTS)  # noqa: A001

TYPES = {one.name: one for one in (bit, u8, u16, i32, u32, i64, f32, f64, vec2, vec3, complex)}
_TYPES_OF_NUMPY = {
    "bool": bit,
    "bool_": bit,
    "uint8": u8,
    "uint16": u16,
    "int32": i32,
    "uint32": u32,
    "int64": i64,
    "float32": f32,
    "float64": f64,
    "complex64": complex,
    "complex128": Vector("complex", f64),
}


class Enum:
    """An enum: `sq.enum("rest", "excited")`. Its variants are attributes; called, it makes the variant of a number."""

    kind = ENUM

    def __init__(self, *names):
        self._names = tuple(names)
        self._variants = {name: Symbol("variant", (name, self), (), ENUM) for name in names}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._variants:
            raise unknown("variant", name, list(self._variants))
        return self._variants[name]

    def __getitem__(self, name):
        return getattr(self, name)

    def __call__(self, number):
        """The variant of this number."""
        return Symbol("enum of", (self,), (symbol(number),), ENUM)

    def __iter__(self):
        return iter(self._variants.values())

    def __len__(self):
        return len(self._variants)

    def __str__(self):
        return f"enum {{ {', '.join(self._names)} }}"

    def __repr__(self):
        return f"sq.enum({', '.join(map(repr, self._names))})"


def enum_type(*names):
    """An enum of these variants: names, one text with blanks between them, or an `enum.Enum` of Python."""
    if len(names) == 1 and is_enum(names[0]):
        members = list(names[0])
        if all(isinstance(member.value, int) for member in members) and [member.value for member in members] not in (
            list(range(len(members))),
            list(range(1, len(members) + 1)),
        ):
            raise error("variants are numbered from 0 on", "give the members the values 0, 1, 2, …")
        names = [member.name for member in members]
    elif len(names) == 1 and isinstance(names[0], str):
        names = names[0].split()
    if not names or not all(isinstance(name, str) for name in names):
        raise error("an enum needs the names of its variants", 'write sq.enum("rest", "excited")')
    return Enum(*names)


def type_of(what):
    """A type of the language: itself, its name, a type of numpy, or `bool`."""
    if isinstance(what, (Type, Enum)):
        return what
    if is_enum(what):
        return enum_type(what)
    name = what if isinstance(what, str) else getattr(what, "__name__", None) or getattr(what, "name", None)
    name = str(name).rsplit(".", 1)[-1]
    if name.endswith("<f64>") and name[:-5] in COMPONENTS:
        return Vector(name[:-5], f64)
    # The type of Python is of f64, that of the language of f32 unless it says otherwise.
    found = None if what is builtins.complex else TYPES.get(name) or _TYPES_OF_NUMPY.get(name)
    if found is None:
        instead = {"float": "sq.f32 or sq.f64", "int": "sq.i32", "complex": "sq.complex or sq.complex[sq.f64]"}.get(name)
        raise error(
            f"{what!r} is no type of the language",
            f"write {instead}" if instead else f"types are {', '.join(f'sq.{name}' for name in TYPES)} and sq.enum",
        )
    return found


# Names that every cell knows.

CELL_NAMES = {
    "x": INT, "y": INT, "z": INT, "level": INT, "side": INT, "width": INT, "height": INT, "depth": INT, "step": INT,
    "cell": INT, "cells": INT, "colour": INT,
}  # fmt: skip
TOTAL_NAMES = {"cells": INT, "side": INT, "width": INT, "height": INT, "depth": INT, "level": INT, "step": INT}
NEIGHBOUR_NAMES = {"dx": INT, "dy": INT, "dz": INT, "weight": None}


def name(text, kind):
    """The symbol of a name that is built in."""
    return Symbol("name", (text,), (), kind)


pi = name("pi", FLOAT)
tau = name("tau", FLOAT)
#: The dimension of the domain, in the ends of a parameter's range alone.
dimension = name("dimension", WHOLE)


# Functions. Each is called as in the language.


def abs(value):  # noqa: A001
    """The magnitude."""
    return call("abs", value)


def sign(value):
    """−1, 0 or 1."""
    return call("sign", value)


def min(first, *others):  # noqa: A001
    """The least of two or more: `if b < a { b } else { a }`."""
    return _several("min", first, others)


def max(first, *others):  # noqa: A001
    """The greatest of two or more: `if a < b { b } else { a }`."""
    return _several("max", first, others)


def _several(name, first, others):
    if not others:
        raise error(f"`{name}` of one value", f"write sq.{name}(a, b), or c.{name}(sq.moore, lambda nb: nb.u, otherwise=0) over neighbours")
    return call(name, first, *others)


def clamp(value, low, high):
    """The value, but `low` below that and `high` above."""
    return call("clamp", value, low, high)


def pow(base, exponent):  # noqa: A001
    """The power."""
    return call("pow", base, exponent)


def popcount(value):
    """The number of bits of an integer that are set."""
    return call("popcount", value, kind=INT)


def _of_floats(name, text):
    def function(value):
        return call(name, value, kind=FLOAT)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


sqrt = _of_floats("sqrt", "The square root.")
floor = _of_floats("floor", "The greatest whole number that is not greater, as a float.")
ceil = _of_floats("ceil", "The least whole number that is not less, as a float.")
round = _of_floats("round", "The nearest whole number, halves away from zero, as a float.")  # noqa: A001
trunc = _of_floats("trunc", "The whole part, towards zero, as a float.")
fract = _of_floats("fract", "What `trunc` takes away.")
exp = _of_floats("exp", "e to the power of the value.")
log = _of_floats("log", "The natural logarithm.")
log2 = _of_floats("log2", "The binary logarithm.")
sin = _of_floats("sin", "The sine.")
cos = _of_floats("cos", "The cosine.")
tan = _of_floats("tan", "The tangent.")
tanh = _of_floats("tanh", "The hyperbolic tangent.")
asin = _of_floats("asin", "The inverse of the sine.")
acos = _of_floats("acos", "The inverse of the cosine.")
atan = _of_floats("atan", "The inverse of the tangent.")


def atan2(y, x):
    """The angle of the point (x, y)."""
    return call("atan2", y, x, kind=FLOAT)


def hypot(x, y):
    """The distance of the point (x, y) from the origin."""
    return call("hypot", x, y, kind=FLOAT)


# Of vectors.


def dot(a, b):
    """The sum of the products of components."""
    return call("dot", a, b, kind=FLOAT)


def norm(a):
    """The length of a vector, the magnitude of a complex number."""
    return call("norm", a, kind=FLOAT)


def cross(a, b):
    """The cross product of two vec3."""
    return call("cross", a, b)


def conj(a):
    """The complex number with the other sign of the imaginary part."""
    return call("conj", a)


arg = _of_floats("arg", "The angle of a complex number or a vec2: `atan2(a.y, a.x)`.")
re = _of_floats("re", "The real part of a complex number.")
im = _of_floats("im", "The imaginary part of a complex number.")


# Choices.


def where(condition, then, *others):
    """`then` where the condition holds, else the last value; more conditions, each with its value, may stand between: `where(c, a, d, b, otherwise)`."""
    values = (condition, then, *others)
    if len(values) % 2 == 0:
        raise error("a choice needs a value for all that is left", "write sq.where(condition, then, otherwise)")
    values = tuple(map(symbol, values))
    results = [*values[1:-1:2], values[-1]]
    return Symbol("if", (), values, joined(result.kind for result in results))


def between(value, low, high):
    """Whether `low <= value <= high`."""
    return Symbol("in", (), (symbol(value), symbol(low), symbol(high)), BIT)


_MISSING = object()


def match(value, cases, otherwise=_MISSING):
    """The case of an integer or an enum: `match(c.phase, {"rest": a, "excited": b})`, `match(c.n, {0: a, range(2, 4): b, (5, 7): d}, otherwise=e)`.

    Keys are numbers, bits, variants and ranges (whose end is left out, as everywhere in Python), or tuples of these.
    """
    patterns, results = [], []
    for key, result in dict(cases).items():
        keys = key if isinstance(key, tuple) else (key,)
        patterns.append(tuple(_pattern(one) for one in keys))
        results.append(symbol(result))
    if otherwise is not _MISSING:
        patterns.append((None,))
        results.append(symbol(otherwise))
    if not results:
        raise error("a match without cases", "write sq.match(e, {0: a}, otherwise=b)")
    return Symbol("match", tuple(patterns), (symbol(value), *results), joined(result.kind for result in results))


def _pattern(key):
    if isinstance(key, range):
        return ends(key)
    found = symbol(key)
    if found.op not in ("literal", "variant", "const") or found.kind == FLOAT:
        raise error("a case of a match is a whole number, a bit or a variant", "write sq.where(e == a, b, c) for symbols")
    return found


# Draws.


def _draw(name, arguments, disorder, kind):
    return Symbol("draw", (name, bool(disorder)), tuple(map(symbol, arguments)), kind)


def random(p, *, disorder=False):
    """True with probability p. `disorder` takes the key of the disorder seed, in `init` and in the cells of a domain."""
    return _draw("random", (p,), disorder, BIT)


def uniform(low=None, high=None, *, disorder=False):
    """An f32 from 0 to 1, or from `low` to `high`, without the last."""
    if (low is None) != (high is None):
        raise error("`uniform` takes both ends or none", "write sq.uniform() or sq.uniform(a, b)")
    return _draw("uniform", () if low is None else (low, high), disorder, FLOAT)


def bits(*, disorder=False):
    """32 random bits, u32."""
    return _draw("bits", (), disorder, INT)


def below(n, *, disorder=False):
    """A u32 less than n."""
    return _draw("below", (n,), disorder, INT)


def normal(*, disorder=False):
    """An f32 of the normal distribution."""
    return _draw("normal", (), disorder, FLOAT)


def exponential(*, disorder=False):
    """An f32 of the exponential distribution with mean 1."""
    return _draw("exponential", (), disorder, FLOAT)


def on_sphere(*, disorder=False):
    """A vec3 of f32 with norm 1, all directions alike."""
    return _draw("on_sphere", (), disorder, "vec3")


# Neighbourhoods.


class Neighbourhood:
    """Offsets of neighbours: `sq.moore`, `sq.von_neumann`, each perhaps with a radius (`sq.moore(2)`), or a list of your own."""

    __slots__ = ("text", "offsets", "given")

    def __init__(self, text=None, offsets=None, given=None):
        self.text, self.offsets, self.given = text, offsets, given

    def __call__(self, radius):
        """The same with a radius."""
        if self.text not in ("moore", "von_neumann"):
            raise error("only `moore` and `von_neumann` take a radius", "write sq.moore(2)")
        if not isinstance(radius, int) or isinstance(radius, bool):
            raise error("a radius is a whole number, known beforehand", "write sq.moore(2)")
        return Neighbourhood(f"{self.text}({radius})")

    def __repr__(self):
        return f"sq.{self.text}" if self.text else f"sq.neighbourhood({self.offsets!r})"


moore = Neighbourhood("moore")
von_neumann = Neighbourhood("von_neumann")


def neighbourhood(offsets, *, name=None):
    """A neighbourhood of a list of offsets, or of a mapping from offsets to weights, which aggregates read as `nb.weight`."""
    weights = offsets if hasattr(offsets, "items") else {}
    places_of = [tuple(offset) for offset in offsets]
    if not places_of:
        raise error("a neighbourhood of nothing", "write sq.neighbourhood([(1, 0), (-1, 0)])")
    for offset in places_of:
        if len(offset) not in (2, 3) or not all(isinstance(one, int) for one in offset):
            raise error(f"{offset!r} is no offset", "write (dx, dy), or (dx, dy, dz) in 3-D")
    entries = tuple((offset, symbol(weights[offset]) if weights else None) for offset in places_of)
    return Neighbourhood(None, entries, name)


def neighbourhood_of(what):
    """A neighbourhood, or one made of a list or a mapping that stands where it is used."""
    if isinstance(what, Neighbourhood):
        return what
    if isinstance(what, (list, tuple, dict)):
        return neighbourhood(what)
    raise error(f"{what!r} is no neighbourhood", "write sq.moore, sq.von_neumann, sq.moore(2) or a list of offsets")


# Names for values.


class Const(Symbol):
    """A number with a name: `sq.const(0.25)`."""

    __slots__ = ("value", "type", "given", "doc")

    def __init__(self, value, type=None, *, name=None, doc=None):
        value = symbol(value)
        super().__init__("const", (), (), type_of(type).kind if type else value.kind)
        put = object.__setattr__
        put(self, "value", value)
        put(self, "type", type_of(type) if type else None)
        put(self, "given", name)
        put(self, "doc", doc)


class Table:
    """Numbers by their place: `sq.table([1.0, 0.5])[e]`. An index beyond an end takes the last entry there."""

    __slots__ = ("values", "type", "given", "doc")

    def __init__(self, values, type=None, *, name=None, doc=None):
        values = values.tolist() if hasattr(values, "tolist") else list(values)
        if not values:
            raise error("a table of nothing", "write sq.table([1.0, 0.5])")
        self.values = tuple(map(symbol, values))
        self.type, self.given, self.doc = type_of(type) if type else None, name, doc

    def __getitem__(self, index):
        kind = self.type.kind if self.type else joined(value.kind for value in self.values)
        return Symbol("index", (self,), (symbol(index),), kind)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        raise error("a table is read at an index", "write table[e]")


def const(value, type=None, *, name=None, doc=None):
    """A number with a name of its own in the text."""
    return Const(value, type, name=name, doc=doc)


def table(values, type=None, *, name=None, doc=None):
    """A table of numbers, read as `table[e]`."""
    return Table(values, type, name=name, doc=doc)
