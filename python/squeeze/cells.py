"""What the functions of a rule are called with: a cell, a neighbour, all cells."""

from . import language
from .declarations import Input, Param, State
from .places import error, unknown
from .symbols import BIT, COMPONENTS, FLOAT, INT, WHOLE, Symbol, joined, made, symbol

_MISSING = object()


class _Reader:
    """The names of a rule, as attributes or entries."""

    __slots__ = ("_rule",)

    def __init__(self, rule):
        object.__setattr__(self, "_rule", rule)

    def __setattr__(self, name, value):
        raise error("a state is not assigned while a rule is traced", f"return {{{name!r}: …}}")

    __setitem__ = __setattr__

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name):
        if isinstance(name, (State, Param, Input)):
            return Symbol("ref", (name,), (), name.kind)
        if not isinstance(name, str):
            raise error(f"`{type(self).__name__.lower()}[…]` of {name!r}", "write the name of a state")
        found = self._rule.read(name, self)
        if found is None:
            found = self._built_in(name)
        if found is None:
            raise unknown("name", name, [*self._rule.entries, *self._known()])
        return found


class Cell(_Reader):
    """A cell: its states, parameters and `let`s by name, its place and time, and reductions over its neighbours."""

    __slots__ = ()

    def _built_in(self, name):
        if name in language.CELL_NAMES:
            return language.name(name, language.CELL_NAMES[name])
        if name in language.NEIGHBOUR_NAMES:
            raise error(f"`{name}` belongs to a neighbour", f"write nb.{name} in c.sum(sq.moore, lambda nb: …)")
        return None

    def _known(self):
        return language.CELL_NAMES

    def sum(self, neighbourhood, term):
        """The sum over the neighbours that exist; 0 of none. Of bits it is their number."""
        return self._aggregate("sum", neighbourhood, term)

    def count(self, neighbourhood, term):
        """How many neighbours fulfil the condition."""
        return self._aggregate("count", neighbourhood, term)

    def any(self, neighbourhood, term):
        """Whether a neighbour fulfils the condition."""
        return self._aggregate("any", neighbourhood, term)

    def all(self, neighbourhood, term):
        """Whether all neighbours fulfil the condition."""
        return self._aggregate("all", neighbourhood, term)

    def product(self, neighbourhood, term):
        """The product over the neighbours that exist; 1 of none."""
        return self._aggregate("product", neighbourhood, term)

    def min(self, neighbourhood, term, *, otherwise):
        """The least over the neighbours that exist; `otherwise` of none."""
        return self._aggregate("min", neighbourhood, term, otherwise)

    def max(self, neighbourhood, term, *, otherwise):
        """The greatest over the neighbours that exist; `otherwise` of none."""
        return self._aggregate("max", neighbourhood, term, otherwise)

    def mean(self, neighbourhood, term, *, otherwise):
        """The mean over the neighbours that exist; `otherwise` of none."""
        return self._aggregate("mean", neighbourhood, term, otherwise)

    def pick(self, neighbourhood, term, *, otherwise):
        """The value at one of the neighbours that exist, drawn at random; `otherwise` of none."""
        return self._aggregate("pick", neighbourhood, term, otherwise)

    def degree(self, neighbourhood):
        """How many neighbours exist."""
        return self._aggregate("degree", neighbourhood, _MISSING)

    def _aggregate(self, kind, neighbourhood, term, otherwise=_MISSING):
        neighbourhood = language.neighbourhood_of(neighbourhood)
        bound, before = object(), made()
        args = []
        if term is not _MISSING:
            neighbour = Neighbour(self._rule, bound)
            if isinstance(term, str):
                value = neighbour[term]
            elif callable(term) and not isinstance(term, Symbol):
                value = symbol(term(neighbour))
            else:
                value = symbol(term)
            refuse_draws(
                value, before, "a draw inside an aggregate: each neighbour draws for itself", "draw above, w = sq.uniform(), and read `nb[w]`"
            )
            if value.free - {bound}:
                raise error(
                    "the neighbour of an aggregate around, inside another aggregate",
                    "give the inner aggregate a name at the cell, n = c.sum(…), and read `nb[n]`",
                )
            args.append(value)
        if otherwise is not _MISSING:
            args.append(symbol(otherwise))
        kinds = joined(arg.kind for arg in args)
        found = {"count": INT, "degree": INT, "any": BIT, "all": BIT, "mean": kinds if kinds in COMPONENTS else FLOAT}.get(kind)
        found = found or (INT if kind == "sum" and kinds == BIT else kinds)
        node = Symbol("aggregate", (kind, neighbourhood, bound, otherwise is not _MISSING), tuple(args), found, bound)
        if kind == "pick":
            object.__setattr__(node, "draws", True)
        return node


def refuse_draws(value, since, message, help):  # noqa: A002
    """Raises for a draw in a symbol that was made after `since`."""
    stack, seen = [value], set()
    while stack:
        node = stack.pop()
        if not node.draws or id(node) in seen:
            continue
        seen.add(id(node))
        if node.serial > since and (node.op == "draw" or node.op == "aggregate" and node.data[0] == "pick"):
            raise error(message, help, node.place)
        stack.extend(node.args)


class Neighbour(_Reader):
    """A neighbour in an aggregate: its states and `let`s by name, `nb[e]` for what it computes for itself, its offset and weight."""

    __slots__ = ("_bound",)

    def __init__(self, rule, bound):
        super().__init__(rule)
        object.__setattr__(self, "_bound", bound)

    def _symbol(self, what, kind):
        node = Symbol("nb", (what,), (), kind)
        object.__setattr__(node, "free", frozenset([self._bound]))
        return node

    def __getitem__(self, name):
        if isinstance(name, Symbol):
            found = name
        elif isinstance(name, str) and name in language.NEIGHBOUR_NAMES:
            return self._symbol(name, language.NEIGHBOUR_NAMES[name])
        else:
            found = super().__getitem__(name)
        if not isinstance(found, Symbol):
            raise error(f"`nb.{name}` is no value of a neighbour", "states and `let`s have values there")
        if found.free:
            raise error("the neighbour of a neighbour cannot be read", "give what you mean a name at the cell, and read `nb[e]`")
        return self._symbol(found.data[0] if found.op == "ref" else found, found.kind)

    def _built_in(self, name):
        if name in language.CELL_NAMES:
            raise error(
                f"`nb.{name}` of a neighbour",
                f"write c.{name} for the cell's, and c.{name} + nb.d{name} for a neighbour's" if name in "xyz" else f"write c.{name}",
            )
        return None

    def _known(self):
        return language.NEIGHBOUR_NAMES


class Totals(_Reader):
    """All cells: reductions over them, their number and their sides."""

    __slots__ = ()

    def _built_in(self, name):
        if name not in language.TOTAL_NAMES:
            return None
        return total(language.name(name, language.TOTAL_NAMES[name]))

    def _known(self):
        return language.TOTAL_NAMES

    def sum(self, term):
        """The sum over all cells: of a state's name, a symbol, or a function of the cell."""
        return self._reduce("sum", term)

    def count(self, term):
        """How many cells fulfil the condition."""
        return self._reduce("count", term)

    def min(self, term):
        """The least over all cells."""
        return self._reduce("min", term)

    def max(self, term):
        """The greatest over all cells."""
        return self._reduce("max", term)

    def mean(self, term):
        """The mean over all cells."""
        return self._reduce("mean", term)

    def variance(self, term):
        """The mean square of what differs from the mean."""
        return self._reduce("variance", term)

    def median(self, term):
        """The value in the middle."""
        return self._reduce("median", term)

    def quantile(self, term, share):
        """The value below which this share of the cells lies."""
        return self._reduce("quantile", term, share)

    def histogram(self, term, low, high, bins):
        """Counts of the values in bins; those outside are in the first and last one."""
        return self._reduce("histogram", term, low, high, bins)

    def overlap(self, condition):
        """How much the members of a sweep agree in a bit of each cell."""
        return self._reduce("overlap", condition)

    def _reduce(self, kind, term, *others):
        before = made()
        cell = Cell(self._rule)
        if isinstance(term, str):
            value = cell[term]
        elif callable(term) and not isinstance(term, Symbol):
            value = symbol(term(cell))
        else:
            value = symbol(term)
        refuse_draws(value, before, "a draw in a value of all cells", "keep what is drawn in a state, and reduce that")
        found = {"sum": INT if value.kind in (BIT, WHOLE) else value.kind, "count": INT, "histogram": INT, "min": value.kind, "max": value.kind}
        found["mean"] = value.kind if value.kind in COMPONENTS else FLOAT
        return total(Symbol("reduce", (kind,), (value, *map(symbol, others)), found.get(kind, FLOAT)))


def total(node):
    object.__setattr__(node, "is_total", True)
    return node
