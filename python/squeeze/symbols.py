"""Symbols: values of a cell that are not known yet, with operators that note what was computed.

A node is made once and never changes. It knows its kind (whether it is a bit, a whole number, a float or a variant), the aggregates whose neighbour it
looks at, and the place in Python that made it. The printer (`_printing.py`) makes a text of nodes.
"""

import math
import sys

from . import places
from .places import error, unknown

# Kinds of values. WHOLE is a literal without a point, which is a float where one is asked for.
BIT, INT, FLOAT, ENUM, WHOLE = "bit", "int", "float", "enum", "whole"
#: The components of vectors, whose kinds are the names of their types.
COMPONENTS = {"vec2": "xy", "vec3": "xyz", "complex": "xy"}


def made():
    """How many symbols were made so far: a later one has a greater `serial`."""
    return _made


def joined(kinds):
    """The kind of several values together."""
    kinds = [kind for kind in kinds if kind is not None]
    for kind in (*COMPONENTS, FLOAT, ENUM, INT, BIT, WHOLE):
        if kind in kinds:
            return kind
    return None


class Watch:
    """What is noted while functions are traced: the names of the local variables that hold symbols."""

    def __init__(self):
        self.names = {}
        self.before = None

    def __enter__(self):
        _watches.append(self)
        self.before = sys.getprofile()
        sys.setprofile(self._returned)
        return self

    def __exit__(self, *_):
        sys.setprofile(self.before)
        _watches.pop()

    def _returned(self, frame, event, _):
        if event == "return" and not frame.f_code.co_filename.startswith(places._PACKAGE):
            self.look(frame, True)

    def look(self, frame, at_end=False):
        """Learns the names of the symbols that the frame's variables hold."""
        code = frame.f_code
        if not code.co_flags & 1:  # The variables of a module or a class are no locals of a function.
            return
        arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        own = code.co_varnames + code.co_cellvars
        for name, value in frame.f_locals.items():
            if isinstance(value, Symbol) and name in own:
                # A variable names its last value; arguments and values in between only lend a name to what is used twice.
                is_own = at_end and name not in code.co_varnames[:arguments]
                if id(value) not in self.names or (is_own and not self.names[id(value)][1]):
                    self.names[id(value)] = (name, is_own, value)

    def name_of(self, node):
        """The variable's name and whether it is one of the function's own that held it in the end."""
        name, own, _ = self.names.get(id(node), (None, False, None))
        return name, own


_watches = []
_made = 0


class Symbol:
    """A value of a cell that is not known while a rule is traced."""

    __slots__ = ("op", "data", "args", "kind", "free", "is_total", "draws", "serial", "place", "__weakref__")

    def __init__(self, op, data=(), args=(), kind=None, bound=None):
        global _made
        _made += 1
        put = object.__setattr__
        frame = places.users_frame()
        if _watches and frame is not None:
            _watches[-1].look(frame)
        put(self, "op", op)
        put(self, "data", data)
        put(self, "args", args)
        put(self, "kind", kind)
        free = frozenset().union(*(arg.free for arg in args)) if args else frozenset()
        put(self, "free", free - {bound} if bound is not None else free)
        put(self, "is_total", any(arg.is_total for arg in args))
        put(self, "draws", op == "draw" or any(arg.draws for arg in args))
        put(self, "serial", _made)
        put(self, "place", None if frame is None else places.Place(frame))

    # What no symbol has.

    def __setattr__(self, name, value):
        raise error(f"`{name}` of a symbol cannot be set", f"return {{{name!r}: …}}: a rule says what states become, and assigns nothing")

    def __setitem__(self, key, value):
        raise error("an entry of a symbol cannot be set", "return the new values of states: {'u': …}")

    def __bool__(self):
        raise places.truth_error(sys._getframe(1))

    def __contains__(self, value):
        raise places.truth_error(sys._getframe(1))

    def __float__(self):
        raise error(
            "a symbol has no number while a rule is traced", "write sq.exp, sq.sqrt, … in the place of math.…, and sq.f32(e) in that of float(e)"
        )

    def __int__(self):
        raise error("a symbol has no number while a rule is traced", "write sq.i32(e) in the place of int(e)")

    def __complex__(self):
        raise error("a symbol has no number while a rule is traced", "write sq.complex(a, b)")

    def __index__(self):
        raise error(
            "a symbol cannot pick from a list of Python",
            "write sq.table([1.0, 0.5])[e] for a table, and sq.match(e, {0: a, 1: b}, otherwise=c) for symbols",
        )

    def __iter__(self):
        raise error("a symbol is one value of one cell: there is nothing to go through", "write c.sum(sq.moore, lambda nb: nb.u) for neighbours")

    def __len__(self):
        raise error("a symbol is one value of one cell: it has no length", "write c.degree(sq.moore) for the number of neighbours")

    def __getitem__(self, offset):
        inside = ", ".join(map(str, offset)) if isinstance(offset, tuple) else str(offset)
        raise error("a read of one neighbour says what a hole or an edge gives", f"write u.at({inside}, otherwise=0)")

    def __round__(self, digits=None):
        raise error("Python rounds halves to even numbers, the language away from zero", "write sq.round(e)")

    def __trunc__(self):
        raise error("a symbol has no number while a rule is traced", "write sq.trunc(e)")

    def __floor__(self):
        raise error("a symbol has no number while a rule is traced", "write sq.floor(e)")

    def __ceil__(self):
        raise error("a symbol has no number while a rule is traced", "write sq.ceil(e)")

    def __divmod__(self, other):
        raise error("`divmod` cannot be traced", "write a // b and a % b")

    __rdivmod__ = __divmod__

    def __matmul__(self, other):
        raise error("`@` cannot be traced: a symbol is one number", "write a * b")

    __rmatmul__ = __matmul__

    def __call__(self, *_, **__):
        raise error("a symbol is a value, and no function", "write `nb[e]` for the value of `e` at a neighbour")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        methods = [known for known in dir(type(self)) if not known.startswith("_")]
        raise unknown("method of a symbol", name, methods)

    def __hash__(self):
        return id(self)

    def __copy__(self):
        return self

    def __deepcopy__(self, _):
        return self

    def __reduce__(self):
        raise TypeError("a symbol belongs to the rule that is traced; `rule.source` is a text that can be kept")

    def __repr__(self):
        from ._printing import shown

        return f"<symbol {shown(self)}>"

    # Operators.

    def __add__(self, other):
        return _binary("+", self, other)

    def __radd__(self, other):
        # The sum of Python begins with 0.
        return self if type(other) is int and other == 0 else _binary("+", other, self)

    def __sub__(self, other):
        return _binary("-", self, other)

    def __rsub__(self, other):
        return _binary("-", other, self)

    def __mul__(self, other):
        return _binary("*", self, other)

    def __rmul__(self, other):
        return _binary("*", other, self)

    def __truediv__(self, other):
        return _quotient(self, other)

    def __rtruediv__(self, other):
        return _quotient(other, self)

    def __floordiv__(self, other):
        return _whole_quotient(self, other)

    def __rfloordiv__(self, other):
        return _whole_quotient(other, self)

    def __mod__(self, other):
        return _binary("%", self, other)

    def __rmod__(self, other):
        return _binary("%", other, self)

    def __lshift__(self, other):
        return _shift("<<", self, other)

    def __rlshift__(self, other):
        return _shift("<<", other, self)

    def __rshift__(self, other):
        return _shift(">>", self, other)

    def __rrshift__(self, other):
        return _shift(">>", other, self)

    def __and__(self, other):
        return _logical("&", self, other)

    def __rand__(self, other):
        return _logical("&", other, self)

    def __or__(self, other):
        return _logical("|", self, other)

    def __ror__(self, other):
        return _logical("|", other, self)

    def __xor__(self, other):
        return _binary("^", self, other)

    def __rxor__(self, other):
        return _binary("^", other, self)

    def __pow__(self, exponent, modulo=None):
        if modulo is not None:
            raise error("a power modulo a number cannot be traced", "write sq.pow(a, b) % n")
        if type(exponent) is int and 2 <= exponent <= 4:
            power = self
            for _ in range(exponent - 1):
                power = power * self
            return power
        return call("pow", self, exponent)

    def __rpow__(self, base):
        return call("pow", base, self)

    def __neg__(self):
        return Symbol("unary", ("-",), (self,), self.kind)

    def __pos__(self):
        return self

    def __abs__(self):
        return call("abs", self)

    def __invert__(self):
        return Symbol("unary", ("!",), (self,), self.kind)

    def __eq__(self, other):
        return _compare("==", self, other)

    def __ne__(self, other):
        return _compare("!=", self, other)

    def __lt__(self, other):
        return _compare("<", self, other)

    def __le__(self, other):
        return _compare("<=", self, other)

    def __gt__(self, other):
        return _compare(">", self, other)

    def __ge__(self, other):
        return _compare(">=", self, other)

    # Components.

    @property
    def x(self):
        """The first component of a vector, the real part of a complex number."""
        return _component(self, "x")

    @property
    def y(self):
        """The second component of a vector, the imaginary part of a complex number."""
        return _component(self, "y")

    @property
    def z(self):
        """The third component of a vec3."""
        return _component(self, "z")

    # Methods.

    def isin(self, *values):
        """Whether it is one of the values, or in a `range`, whose end is left out as everywhere in Python."""
        if len(values) == 1 and isinstance(values[0], range):
            return Symbol("in", (), (self, *map(symbol, ends(values[0]))), BIT)
        if len(values) == 1 and isinstance(values[0], (list, tuple, set, frozenset)):
            values = tuple(values[0])
        if not values:
            raise error("a set of nothing", "write n.isin(2, 3)")
        return Symbol("in set", (), (self, *map(symbol, values)), BIT)

    def at(self, *offset, otherwise):
        """The value at the cell that is `offset` away, (dx, dy) or (dx, dy, dz); `otherwise` where there is no cell.

        What is computed from states becomes a `let`, of which each cell has its own: a draw is the same for all that read it.
        """
        if len(offset) not in (2, 3) or not all(isinstance(one, int) and not isinstance(one, bool) for one in offset):
            raise error("an offset is two or three whole numbers, known beforehand", "write u.at(1, 0, otherwise=0): dx, dy and perhaps dz")
        if self.free:
            raise error("the neighbour of a neighbour cannot be read", "name the value at the cell, and read that: `nb[e]`")
        otherwise = symbol(otherwise)
        return Symbol("at", (self, tuple(map(int, offset))), (otherwise,), joined([self.kind, otherwise.kind]))

    # Numpy, which leaves its scalars and functions to symbols.

    def __array_ufunc__(self, function, method, *inputs, **options):
        from ._arrays import ufunc

        return ufunc(function, method, inputs, options)

    def __array_function__(self, function, types, inputs, options):
        from ._arrays import array_function

        return array_function(function, inputs, options)

    def __array__(self, *_, **__):
        raise error("a symbol is no array", "write a state for what each cell has, and sq.table([…]) for a table of numbers")


def symbol(value):
    """A symbol of a number, a bit, the name of a variant or a symbol."""
    if isinstance(value, Symbol):
        return value
    if is_member(value):
        return Symbol("variant", (value.name, None), (), ENUM)
    if isinstance(value, str):
        return Symbol("variant", (value, None), (), ENUM)
    if not isinstance(value, (bool, int, float, complex)) and hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()  # A scalar of numpy or torch.
    if isinstance(value, bool):
        return Symbol("literal", (value,), (), BIT)
    if isinstance(value, int):
        return Symbol("literal", (int(value),), (), WHOLE)
    if isinstance(value, complex):
        return call("complex", value.real, value.imag, kind="complex")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise error(f"{value} is no number of the language", "write a finite number")
        return Symbol("literal", (float(value),), (), FLOAT)
    if callable(value):
        raise error(f"a function where a value is wanted: {getattr(value, '__name__', value)!r}", "call it")
    if getattr(value, "ndim", 0):
        raise error("an array where one value is wanted", "write sq.table(array)[e] for a table of numbers, a state for what each cell has")
    raise error(f"{value!r} is neither a number nor a symbol", "write a number, a symbol or the name of a variant")


def is_member(value):
    # Who has a member has imported `enum`, which takes longer to load than most of this package.
    enum = sys.modules.get("enum")
    return enum is not None and isinstance(value, enum.Enum)


def is_enum(what):
    enum = sys.modules.get("enum")
    return enum is not None and isinstance(what, type) and issubclass(what, enum.Enum)


def ends(values):
    if values.step != 1 or not values:
        raise error(f"{values!r} is no range of whole numbers one after the other", "write range(2, 4) for 2 and 3")
    return values.start, values.stop - 1


def _binary(op, left, right):
    left, right = symbol(left), symbol(right)
    return Symbol("binary", (op,), (left, right), joined([left.kind, right.kind]))


def _shift(op, left, right):
    left, right = symbol(left), symbol(right)
    return Symbol("binary", (op,), (left, right), left.kind)


def _logical(op, left, right):
    left, right = symbol(left), symbol(right)
    if BIT in (left.kind, right.kind):
        return Symbol("binary", (op * 2,), (left, right), BIT)
    return Symbol("binary", (op,), (left, right), joined([left.kind, right.kind]))


def _compare(op, left, right):
    return Symbol("binary", (op,), (symbol(left), symbol(right)), BIT)


def _component(vector, name):
    if vector.kind in COMPONENTS and name in COMPONENTS[vector.kind]:
        return Symbol("component", (name,), (vector,), FLOAT)
    what = f"a {vector.kind}" if vector.kind in COMPONENTS else "what is no vector"
    raise error(f"`.{name}` of {what}", "x and y are the components of a vec2 and a complex, x, y and z those of a vec3")


def _quotient(left, right):
    left, right = symbol(left), symbol(right)
    if {left.kind, right.kind} <= {INT, WHOLE}:
        cast = "sq.f64" if left.is_total or right.is_total else "sq.f32"
        raise error(
            "`/` of whole numbers is a fraction in Python, and loses its remainder in the language",
            f"write a // b for the whole part, {cast}(a) / {cast}(b) for the fraction",
        )
    return _binary("/", left, right)


def _whole_quotient(left, right):
    left, right = symbol(left), symbol(right)
    if any(kind == FLOAT or kind in COMPONENTS for kind in (left.kind, right.kind)):
        raise error("`//` of floats cannot be traced", "write sq.floor(a / b)")
    # Python rounds down, the language towards zero: the same where neither is negative.
    return _binary("/", left, right)


def call(name, *arguments, kind=None):
    arguments = tuple(map(symbol, arguments))
    return Symbol("call", (name,), arguments, kind or joined(argument.kind for argument in arguments))
