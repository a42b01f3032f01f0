"""Texts of symbols.

A text is put together of pieces: strings, and pairs of a symbol and its pieces, so that each symbol knows where it stands in the text and an error
of the compiler finds the line of Python (`Text.place_of`).

A *section* is what is printed together: the steps' values, one `init`, one observable, the term of one reduction. In a section a symbol that is used
twice, or that a local variable names, becomes a `let`. Those that look at a neighbour stand in the block of their aggregate, all others at the
section's beginning, in the order in which they were made.
"""

import sys

from .places import error, unknown
from .symbols import Symbol

_BINDING = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9,
}  # fmt: skip
_COMPARISON, _SUM, _UNARY, _ATOM = 3, 8, 10, 11
#: Operators around one another, beyond which a part gets a name: the language takes 1000.
DEEPEST = 200
_TRIVIAL = {"literal", "ref", "name", "variant", "nb", "const", "local"}


def vector_of(node):
    """The vector that a symbol is a component of, and how the component is written behind it; of any other symbol itself, and nothing."""
    suffix = ""
    while isinstance(node, Symbol) and node.op == "component":
        suffix = f".{node.data[0]}{suffix}"
        (node,) = node.args
    return node, suffix


def is_trivial(node):
    """Whether a symbol is as short as a name for it."""
    return vector_of(node)[0].op in _TRIVIAL


#: Words that no `let` is called: they begin entries, or every cell knows them, or they are functions.
WORDS = frozenset(
    """if match else let true false in x y z dx dy dz level side step width height depth cell cells colour weight pi tau nb
    param state input along init next observe global const fn neighbourhood allow picture stop equilibrium when repeat flush rolling from disorder once by at end of enum
    abs sign min max clamp pow popcount sqrt floor ceil round trunc fract exp log log2 sin cos tan tanh asin acos atan atan2 hypot
    sum count any all degree mean product pick random uniform bits below normal exponential moore von_neumann
    vec2 vec3 complex dot norm cross conj arg re im on_sphere
    variance median quantile histogram overlap bit u8 u16 i32 u32 i64 f32 f64 dimension use fractal domain rule""".split()
)


def is_name(text):
    """Whether the language takes this as a name."""
    return text.isascii() and text.isidentifier()


class Scope:
    """The names of the symbols that are `let`s, and of those around."""

    def __init__(self, parent=None):
        self.parent = parent
        self.names = {}
        self.taken = set()
        #: For each aggregate, the symbols that become `let`s in the block of its term.
        self.inner = {}

    def name_of(self, node):
        scope = self
        while scope is not None:
            if id(node) in scope.names:
                return scope.names[id(node)]
            scope = scope.parent
        return None

    def inner_of(self, bound):
        scope = self
        while scope is not None:
            if bound in scope.inner:
                return scope.inner[bound]
            scope = scope.parent
        return []

    def is_taken(self, name):
        scope = self
        while scope is not None:
            if name in scope.taken:
                return True
            scope = scope.parent
        return False

    def give(self, node, name):
        self.names[id(node)] = name
        self.taken.add(name)


def read_elsewhere(node):
    """What a node reads at another cell, if that is no state or `let` with a name of its own."""
    if node.op in ("nb", "at") and isinstance(node.data[0], Symbol):
        target, _ = vector_of(node.data[0])
        return None if target.op == "ref" else target
    return None


class Printer:
    """Prints the symbols of one rule or domain."""

    def __init__(self, name_of=lambda thing: "?", watch=None):
        self.name_of = name_of
        self.watch = watch
        self.rule = Scope()
        self.rule.taken |= WORDS
        #: `let`s of the rule that were found on the way: names and pieces.
        self.lets = []
        self.used = set()
        self.drawn = set()
        #: The names by which symbols were printed.
        self.printed = set()
        #: The variants of all enums.
        self.variants = []

    # Sections.

    def fresh(self, node, scope, of_rule):
        """A name for a new `let`."""
        wanted = self.watch.name_of(node)[0] if self.watch else None
        base = wanted if wanted is not None and is_name(wanted) else "t"
        name, number = base, 1
        while scope.is_taken(name) or (of_rule and name in self.used):
            number += 1
            name = f"{base}_{number}"
        self.used.add(name)
        return name

    def plan(self, roots, scope):
        """The symbols of a section that become `let`s at its beginning, in order, and those of them that other cells read."""
        counts, nodes, elsewhere = {}, {}, []
        stack = list(roots)
        while stack:
            node = stack.pop()
            counts[id(node)] = counts.get(id(node), 0) + 1
            if counts[id(node)] > 1 or scope.name_of(node) is not None:
                continue
            nodes[id(node)] = node
            if node.op != "reduce":
                stack.extend(node.args)
            target = read_elsewhere(node)
            if target is not None:
                if target.is_total or target.free:
                    raise error(
                        "only what each cell computes for itself can be read at a neighbour",
                        "name the value at the cell, and read that: `nb[e]`",
                        node.place,
                    )
                elsewhere.append(target)
                stack.append(target)
        is_root = {id(root) for root in roots}
        wanted = {id(target) for target in elsewhere}
        for key, node in nodes.items():
            named = self.watch is not None and self.watch.name_of(node)[1]
            alone = counts[key] == 1 and key in is_root
            if not is_trivial(node) and (counts[key] > 1 or (named and not alone)):
                wanted.add(key)
        chosen, depths = [], {}
        for node in sorted(nodes.values(), key=lambda node: node.serial):
            depth = 1 + max((depths.get(id(arg), 0) for arg in node.args), default=0)
            is_let = id(node) in wanted or (depth > DEEPEST and id(node) not in is_root)
            depths[id(node)] = 0 if is_let else depth
            if is_let:
                chosen.append(node)
        # What other cells read is the rule's, and so is what that is computed of.
        of_rule, stack = set(), list(elsewhere)
        while stack:
            node = stack.pop()
            if id(node) not in of_rule:
                of_rule.add(id(node))
                stack.extend(node.args)
                target = read_elsewhere(node)
                stack.extend([] if target is None else [target])
        outer = []
        for node in chosen:
            if node.free:
                (bound,) = node.free
                scope.inner.setdefault(bound, []).append(node)
            else:
                outer.append(node)
        return outer, of_rule

    def give_to_rule(self, node, scope):
        """Makes a symbol a `let` of the rule."""
        if scope.name_of(node) is None:
            name = self.fresh(node, scope, True)
            value = self.expression(node, scope)
            self.rule.give(node, name)
            self.lets.append((name, value, node))

    def section(self, roots, parent, all_of_rule=False):
        """The scope of a section, and the names and pieces of its `let`s."""
        scope = Scope(parent)
        outer, of_rule = self.plan(roots, scope)
        lets = []
        for node in outer:
            if all_of_rule or id(node) in of_rule:
                self.give_to_rule(node, scope)
            else:
                name = self.fresh(node, scope, False)
                value = self.expression(node, scope)
                scope.give(node, name)
                lets.append((name, value, node))
        return scope, lets

    def block(self, root, parent):
        """A section of one value: the value, or a block with `let`s."""
        scope, lets = self.section([root], parent)
        return _braced(lets, self.expression(root, scope))

    # Expressions.

    def expression(self, node, scope, least=0):
        """The pieces of a symbol; in parentheses if it binds less than `least`."""
        name = scope.name_of(node)
        if name is not None:
            self.printed.add(name)
            return [(node, [name])]
        pieces, binding = getattr(self, "_" + node.op.replace(" ", "_"))(node, scope)
        return [(node, ["(", *pieces, ")"] if binding < least else pieces)]

    def _list(self, nodes, scope):
        pieces = []
        for node in nodes:
            pieces += [", "] if pieces else []
            pieces += self.expression(node, scope)
        return pieces

    def _literal(self, node, scope):
        return [literal(node.data[0])], _UNARY if _is_negative(node) else _ATOM

    def _name(self, node, scope):
        return [node.data[0]], _ATOM

    _local = _name

    def _ref(self, node, scope):
        return [self._target(node, scope)], _ATOM

    def _const(self, node, scope):
        return [self.name_of(node)], _ATOM

    def _variant(self, node, scope):
        name = node.data[0]
        if name not in self.variants:
            raise unknown("variant", name, self.variants, TypeError, node.place)
        return [name], _ATOM

    def _nb(self, node, scope):
        what = node.data[0]
        if isinstance(what, str):
            return [what], _ATOM
        what, suffix = vector_of(what)
        return ["nb.", self._target(what, scope), suffix], _ATOM

    def _target(self, what, scope):
        """The name of what is read at another cell."""
        if isinstance(what, Symbol) and what.op == "ref":
            name = self.name_of(what.data[0])
        else:
            name = (scope.name_of(what) if isinstance(what, Symbol) else None) or self.name_of(what)
        self.printed.add(name)
        return name

    def _at(self, node, scope):
        target, offset = node.data
        target, suffix = vector_of(target)
        return [self._target(target, scope), f"[{', '.join(map(str, offset))}]{suffix}", *self._otherwise(node.args[0], scope)], 0

    def _otherwise(self, node, scope):
        is_plain = scope.name_of(vector_of(node)[0]) is not None or is_trivial(node) or node.op in ("call", "apply", "enum of")
        value = self.expression(node, scope)
        return [" else ", *value] if is_plain else [" else (", *value, ")"]

    def _index(self, node, scope):
        return [self.name_of(node.data[0]), "[", *self.expression(node.args[0], scope), "]"], _ATOM

    def _unary(self, node, scope):
        return [node.data[0], *self.expression(node.args[0], scope, _UNARY)], _UNARY

    def _binary(self, node, scope):
        op = node.data[0]
        binding = _BINDING[op]
        left, right = node.args
        least = binding + 1 if binding == _COMPARISON else binding
        return [*self.expression(left, scope, least), f" {op} ", *self.expression(right, scope, binding + 1)], binding

    def _in(self, node, scope):
        value, low, high = node.args
        ends = [*self.expression(low, scope, _SUM), "..=", *self.expression(high, scope, _SUM)]
        return [*self.expression(value, scope, _COMPARISON + 1), " in ", *ends], _COMPARISON

    def _in_set(self, node, scope):
        value, *elements = node.args
        return [*self.expression(value, scope, _COMPARISON + 1), " in {", *self._list(elements, scope), "}"], _COMPARISON

    def _component(self, node, scope):
        return [*self.expression(node.args[0], scope, _ATOM), f".{node.data[0]}"], _ATOM

    def _call(self, node, scope):
        return [node.data[0], "(", *self._list(node.args, scope), ")"], _ATOM

    def _enum_of(self, node, scope):
        return [self.name_of(node.data[0]), "(", *self._list(node.args, scope), ")"], _ATOM

    def _apply(self, node, scope):
        return [self.name_of(node.data[0]), "(", *self._list(node.args, scope), ")"], _ATOM

    def _draw(self, node, scope):
        if id(node) in self.drawn:
            raise error(
                "one draw in two places, which would be two draws",
                "give it a name that both read: a `@sq.let`, or a state of its own for what `init` draws",
                node.place,
            )
        self.drawn.add(id(node))
        name, disorder = node.data
        return [name, "(", *self._list(node.args, scope), ")", *([" from disorder"] if disorder else [])], 0 if disorder else _ATOM

    def _if(self, node, scope):
        pieces = []
        while True:
            *cases, otherwise = node.args
            for condition, value in zip(cases[::2], cases[1::2]):
                pieces += ["if ", *self.expression(condition, scope, 1), " { ", *self.expression(value, scope), " } else "]
            if otherwise.op != "if" or scope.name_of(otherwise) is not None:
                return [*pieces, "{ ", *self.expression(otherwise, scope), " }"], 0
            node = otherwise

    def _match(self, node, scope):
        value, *results = node.args
        pieces = ["match ", *self.expression(value, scope, 1), " { "]
        for patterns, result in zip(node.data, results):
            pieces += [" | ".join(self._pattern(pattern, scope) for pattern in patterns), " => ", *self.expression(result, scope), ", "]
        return [*pieces, "}"], 0

    def _pattern(self, pattern, scope):
        if pattern is None:
            return "_"
        if isinstance(pattern, tuple):
            low, high = pattern
            return str(low) if low == high else f"{low}..={high}"
        return flat(self.expression(pattern, scope))[0]

    def _aggregate(self, node, scope):
        kind, neighbourhood, bound, has_else = node.data
        pieces = [kind, "(", *self.neighbourhood(neighbourhood)]
        args = list(node.args)
        otherwise = args.pop() if has_else else None
        if args:
            inner, lets = Scope(scope), []
            for inside in scope.inner_of(bound):
                name = self.fresh(inside, inner, False)
                value = self.expression(inside, inner)
                inner.give(inside, name)
                lets.append((name, value, inside))
            pieces += [", ", *_braced(lets, self.expression(args[0], inner))]
        pieces.append(")")
        return (pieces, _ATOM) if otherwise is None else ([*pieces, *self._otherwise(otherwise, scope)], 0)

    def neighbourhood(self, neighbourhood):
        """A neighbourhood as an argument: its name, or its list."""
        name = neighbourhood.text or self.name_of(neighbourhood)
        return [name] if name else self.offsets(neighbourhood)

    def offsets(self, neighbourhood):
        """The list of a neighbourhood."""
        pieces = ["["]
        for offset, weight in neighbourhood.offsets:
            pieces += [", "] if len(pieces) > 1 else []
            pieces.append(f"({', '.join(map(str, offset))})")
            pieces += [": ", *self.expression(weight, self.rule)] if weight is not None else []
        return [*pieces, "]"]

    def _reduce(self, node, scope):
        term, *others = node.args
        pieces = [node.data[0], "(", *self.block(term, self.rule)]
        for other in others:
            pieces += [", ", *self.expression(other, scope)]
        return [*pieces, ")"], _ATOM


def _braced(lets, value):
    if not lets:
        return value
    pieces = ["{ "]
    for name, let, node in lets:
        pieces += [(node, [f"let {name} = ", *let]), "; "]
    return [*pieces, *value, " }"]


def _is_negative(node):
    value = node.data[0]
    return not isinstance(value, bool) and str(value).startswith("-")


def literal(value):
    """A number or a bit as the language writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    return text if isinstance(value, int) or "." in text or "e" in text else text + ".0"


def flat(pieces):
    """The text of pieces, and for each symbol where it stands: begin, end and the symbol, inner ones later."""
    text, spans, length = [], [], 0
    stack = [iter(pieces)]
    open_spans = []
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
            if open_spans and open_spans[-1][0] == len(stack):
                _, index, node = open_spans.pop()
                spans[index] = (spans[index], length, node)
        elif isinstance(piece, str):
            text.append(piece)
            length += len(piece)
        else:
            node, inner = piece
            open_spans.append((len(stack), len(spans), node))
            spans.append(length)
            stack.append(iter(inner))
    return "".join(text), spans


def shown(node):
    """A symbol in a message."""
    printer = Printer(lambda thing: getattr(thing, "given", None) or "…")
    printer.variants = _Everything()
    with deep():
        try:
            text = flat(printer.expression(node, printer.rule))[0]
        except TypeError:
            text = node.op
    return text if len(text) <= 100 else text[:99] + "…"


class _Everything:
    def __contains__(self, _):
        return True


class deep:  # noqa: N801
    """Long sums are deep trees: Python walks them as long as its own limit is out of the way."""

    def __enter__(self):
        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, 100_000))

    def __exit__(self, *_):
        sys.setrecursionlimit(self.before)
