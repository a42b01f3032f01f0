"""Rules written as classes: `@sq.rule`. Each function of the class is called once, with symbols; what it returns is printed as a text of the language."""

import builtins
import os
import sys
import types

from . import _library, language, places
from . import _printing as printing
from .cells import Cell, Totals, refuse_draws, total
from .declarations import Entry, Fn, Global, Input, Let, Observed, Param, Picture, Repeat, State, Step, doc_of, number_of
from .places import TraceError, error, unknown
from .symbols import COMPONENTS, FLOAT, Symbol, Watch, symbol


class Rule:
    """A rule: its name, its text and, if it was written in Python, where each part of the text comes from."""

    def __init__(self, name, text, spans=(), doc=None, owner=None, spec=None):
        self.name, self.__name__, self.__doc__ = name, name, doc
        #: What `sq.rule` was asked for, if that is no text and no class.
        self.spec = spec
        self._text, self._spans, self._class = text, spans, owner
        self._source = self._native = None

    @property
    def source(self):
        """The text, laid out as `squeeze fmt` does; `None` of a notation."""
        if self._source is None and self._text is not None:
            self._source = _library.formatted(self._text)
        return self._source

    def _resolved(self):
        """The rule of the extension module."""
        if self._native is None:
            if self.spec is not None:
                self._native = _library.native().Rule.named(self.spec)
            else:
                self._native = _library.compiled_rule(self)
        return self._native

    def __reduce__(self):
        # The class stays where it is; a text is all that another process needs.
        return (Rule, (self.name, self._text, (), self.__doc__, None, self.spec))

    def place_of(self, line, column):
        """The place in Python that a line and a column of the text, both from 1 as the tracer printed it, come from, or `None`."""
        lines = self._text.split("\n")
        at = builtins.sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
        best = None
        for begin, end, node in self._spans:
            if begin <= at <= end and node.place is not None and (best is None or end - begin <= best[0]):
                best = (end - begin, node.place)
        return best and best[1]

    def __mro_entries__(self, bases):
        # A class that derives from a rule begins with its entries.
        return (self._class,) if self._class is not None else ()

    def __repr__(self):
        return f"<rule {self.name}>"


_FUNCTIONS = ("next", "init", "observe", "stop", "equilibrium")
_SETTINGS = ("allow", "flush")


def rule(what):
    """A rule: of a class, as its decorator; of a name that ships, a path, a text, or a notation such as B3/S23."""
    if isinstance(what, Rule):
        return what
    if isinstance(what, type):
        return _traced(what)
    if isinstance(what, os.PathLike):
        what = os.fspath(what)
    if not isinstance(what, str):
        raise error(f"{what!r} is no rule", 'write @sq.rule above a class, or sq.rule("life")')
    if "{" in what:
        found = Rule(None, what)
    else:
        found = Rule(None, None, spec=what)
        found._text = _library.native().shipped_text(what)
        if found._text is None and os.path.exists(what):
            with open(what, encoding="utf-8", errors="replace") as file:
                found._text = file.read()
    of = found._resolved()
    found.name = found.__name__ = of.name
    found.__doc__ = of.doc
    return found


def _traced(owner):
    """The rule that a class describes."""
    frame = places.users_frame()
    outside = [] if frame is None else [frame.f_locals, frame.f_globals]
    outside.append(vars(sys.modules.get(owner.__module__, builtins)))
    with printing.deep(), Watch() as watch:
        found = _Builder(owner, outside, watch).build()
    if _library._native is not None:
        found._resolved()
    return found


class _Builder:
    def __init__(self, owner, outside, watch):
        self.owner, self.outside = owner, outside
        self.entries = {}
        self.attributes = {}
        self.observables = {}
        self.names = {}
        self.tracing = []
        self.order = []
        #: The values of `let`s and globals that were traced. A class that derives from this one traces them anew.
        self.nodes = {}
        #: Values of the class, which are `let`s where steps or observables use them.
        self.values = {}
        self.rule = printing.Printer(self.name_of, watch)
        for base in reversed(owner.__mro__[:-1]):
            self.attributes.update((name, value) for name, value in vars(base).items() if not name.startswith("__"))
        for attribute, value in self.attributes.items():
            if isinstance(value, (State, Param, Input, language.Const, language.Table, Entry, Fn)) or (
                isinstance(value, language.Neighbourhood) and not value.text
            ):
                self.declare(value.given or attribute, value)
            elif isinstance(value, Symbol) and value.op != "literal":
                entry = Let(lambda cell, value=value: value)
                self.declare(attribute, entry)
                self.nodes[entry] = value
                self.values[id(value)] = attribute
                self.order.append((attribute, entry))

    def declare(self, name, value):
        if not printing.is_name(name):
            raise error(f"`{name}` is no name of the language", "write letters, digits and _; an entry may have a name of its own: name='beta'")
        if name in self.entries and self.entries[name] is not value:
            raise error(f"`{name}` is declared twice", "give one of them another name")
        if id(value) in self.names and self.names[id(value)] != name:
            raise error(f"`{name}` is `{self.names[id(value)]}` as well", "declare it once")
        self.entries[name] = value
        self.names[id(value)] = name
        self.rule.rule.taken.add(name)
        if isinstance(value, (State, Param)) and isinstance(value.type, language.Enum):
            self.rule.rule.taken.update(value.type._names)
            self.rule.variants.extend(one for one in value.type._names if one not in self.rule.variants)
            self.names.setdefault(id(value.type), name)

    # Reading.

    def read(self, name, reader):
        """What a name of the class means to a cell, a neighbour or all cells; `None` if it has none."""
        if isinstance(reader, Totals) and name in self.observables:
            return total(Symbol("ref", (self.observables[name],), (), self.observables[name].kind))
        entry = self.entries.get(name)
        if isinstance(entry, (State, Param, Input)):
            node = Symbol("ref", (entry,), (), entry.kind)
            return total(node) if isinstance(reader, Totals) and isinstance(entry, Param) else node
        if isinstance(entry, (language.Const, language.Table, Fn, language.Neighbourhood)):
            return entry
        if isinstance(entry, (Let, Global)):
            node = self.entry(name, entry)
            found = Symbol("ref", (entry,), (), node.kind)
            return total(found) if isinstance(reader, Totals) else found
        if name in self.attributes and name not in (*_FUNCTIONS, *_SETTINGS):
            value = self.attributes[name]
            if isinstance(value, types.FunctionType):
                return lambda *arguments, **named: value(reader, *arguments, **named)
            if isinstance(value, staticmethod):
                return value.__func__
            if isinstance(value, language.Enum):
                return value
            if not isinstance(value, (Entry, Repeat, Picture)):
                return symbol(value)
        return None

    def entry(self, name, entry):
        """The value of a `let` or a global, traced when it is first read."""
        if entry in self.tracing:
            raise error(f"`{name}` is computed from itself", "a `let` reads states, and `let`s that do not read it")
        if entry not in self.nodes:
            self.tracing.append(entry)
            self.nodes[entry] = self.value(entry.function, Totals(self) if isinstance(entry, Global) else Cell(self), name)
            self.tracing.pop()
        if (name, entry) not in self.order:
            self.order.append((name, entry))
        return self.nodes[entry]

    def called(self, function, reader, what):
        """What a function returns that is called with a cell or with all cells."""
        try:
            return function(reader)
        except TypeError as wrong:
            if isinstance(wrong, TraceError) or wrong.__traceback__.tb_next is not None:
                raise
            raise error(
                f"`{what}` cannot be called: {wrong}", "its one argument is the cell, or all cells: def next(c)", _place_of(function)
            ) from None

    def value(self, function, reader, what):
        """The one value that a function returns."""
        found = self.called(function, reader, what)
        if isinstance(found, (dict, list, tuple, type(None))):
            raise error(f"`{what}` returns {_kind_of(found)}, not a value", "return one symbol or number", _place_of(function))
        return symbol(found)

    def returned(self, function, reader, what, known=None):
        """The dictionary that a function returns."""
        found = self.called(function, reader, what)
        if not isinstance(found, dict):
            raise error(f"`{what}` returns {_kind_of(found)}, not a dictionary", "return {'u': c.u + 1.0}", _place_of(function))
        result = {}
        for name, value in found.items():
            if isinstance(name, State):
                name = self.names.get(id(name), "?")  # noqa: PLW2901
            if known is not None and name not in known:
                raise unknown("state", name, list(known), TypeError, _place_of(function))
            result[name] = value if known is None else symbol(value)
        return result

    # Names.

    def name_of(self, thing):
        if id(thing) in self.names:
            return self.names[id(thing)]
        if isinstance(thing, (State, Param, Input, Let, Global)):
            raise error(
                f"{getattr(thing, 'given', None) or 'a name'} that the rule does not declare",
                "declare it in the class: k = sq.param(0.1)",
                getattr(thing, "place", None),
            )
        if isinstance(thing, language.Enum):
            raise error("an enum that no state of the rule has", "declare a state of it: phase = sq.state(Phase)")
        name = thing.given or self.found_outside(thing)
        if name is None and isinstance(thing, Fn):
            name = thing.function.__name__
        if name is None:
            if isinstance(thing, language.Neighbourhood):
                return None
            name = "table" if isinstance(thing, language.Table) else "number"
        base, number = name if printing.is_name(name) else "t", 1
        while self.rule.rule.is_taken(name) or name in self.rule.used:
            number += 1
            name = f"{base}_{number}"
        self.declare(name, thing)
        return name

    def found_outside(self, thing):
        for names in self.outside:
            for name, value in names.items():
                if value is thing and isinstance(name, str) and printing.is_name(name):
                    return name
        return None

    # The text.

    def build(self):
        cell, totals, printer = Cell(self), Totals(self), self.rule
        states = {name: entry for name, entry in self.entries.items() if isinstance(entry, State)}
        settings = self.settings()
        params = [self.param(name, entry) for name, entry in self.entries.items() if isinstance(entry, Param)]
        inputs = [(name, entry) for name, entry in self.entries.items() if isinstance(entry, Input)]
        declared = [(entry.doc, [f"input {name}: {entry.type} along {entry.along}"], None) for name, entry in inputs]
        declared += [(entry.doc, [f"state {name}: {entry.type}{' rolling' if entry.rolling else ''}"], None) for name, entry in states.items()]
        inits = [(None, [f"init {name} = ", *printer.block(node, printer.rule)], node) for name, node in self.inits(cell, states)]
        printer.rule.names.update(self.values)
        lets = self.lets(cell)
        steps = self.steps(cell, states)
        observed = self.observed(totals)
        if "stop" in self.attributes:
            node = self.value(self.attributes["stop"], totals, "stop")
            observed.append((None, ["stop when ", *printer.block(node, printer.rule)], node))
        if "equilibrium" in self.attributes:
            node = self.value(self.attributes["equilibrium"], totals, "equilibrium")
            observed.append((None, ["equilibrium ", *printer.expression(node, printing.Scope(printer.rule))], node))
        pictures = [(None, self.picture(one), None) for one in self.attributes.values() if isinstance(one, Picture)]
        lets = [*self.used_values(), *lets, *self.found_lets()]
        definitions = self.definitions()
        groups = [settings, definitions, params, [*declared, *inits, *lets, *steps], observed, pictures]
        return self.printed(groups)

    def printed(self, groups):
        name = self.owner.__name__
        doc = doc_of(self.owner)
        pieces = [f"/// {line}".rstrip() + "\n" for line in (doc or "").splitlines()]
        pieces.append(f"rule {name} {{\n")
        first = True
        for group in filter(None, groups):
            pieces += [] if first else ["\n"]
            first = False
            for comment, line, node in group:
                if isinstance(comment, str):
                    pieces += [f"    // {one}".rstrip() + "\n" for one in comment.splitlines()]
                pieces += ["    ", (node, line) if node is not None else (_NOWHERE, line), "\n"]
        pieces.append("}\n")
        text, spans = printing.flat(pieces)
        return Rule(name, text, spans, doc, self.owner)

    def settings(self):
        lines = []
        if self.attributes.get("flush"):
            lines.append((None, ["flush"], None))
        allowed = self.attributes.get("allow", ())
        allowed = [allowed] if isinstance(allowed, str) else list(allowed)
        if allowed:
            lines.append((None, [f"allow {', '.join(allowed)}"], None))
        return lines

    def param(self, name, entry):
        printer = self.rule
        ends = []
        if entry.range:
            low, high = entry.range
            ends = [" in ", *printer.expression(low, printer.rule, 8), "..=", *printer.expression(high, printer.rule, 8)]
        types = [one.type for one in self.entries.values() if isinstance(one, State) and (one.kind == FLOAT or one.kind in COMPONENTS)]
        is_f64 = entry.follows and {getattr(one, "element", one) for one in types} == {language.f64}
        of = entry.type if not is_f64 else language.f64 if entry.kind == FLOAT else entry.type[language.f64]
        return (entry.doc, [f"param {name}: {of}", *ends, " = ", *printer.expression(entry.value, printer.rule)], entry)

    def inits(self, cell, states):
        """The initial values in the order of the text: those that read others behind them."""
        found = {}
        for name, entry in states.items():
            if entry.init is not None:
                value = entry.init
                is_function = callable(value) and not isinstance(value, (Symbol, type))
                found[name] = self.value(value, cell, f"init of {name}") if is_function else symbol(value)
        if "init" in self.attributes:
            for name, node in self.returned(self.attributes["init"], cell, "init", states).items():
                if name in found:
                    raise error(f"`{name}` has two initial values", "give it one, in sq.state or in `init`")
                found[name] = node
        # A value that is the start of one state and a part of another's is read there by the state's name.
        names = {id(node): name for name, node in reversed(found.items()) if not printing.is_trivial(node)}
        read = {name: self.states_read(node, names) - {name} for name, node in found.items()}
        ordered, left = [], dict(found)
        while left:
            ready = next((name for name in left if not read[name] & set(left)), None)
            if ready is None:
                raise error(f"the initial values of {' and '.join(left)} read one another", "one of them has to be computed first")
            node = left.pop(ready)
            ordered.append((ready, node))
        return self.named_inits(ordered)

    def states_read(self, node, starts):
        """The states whose initial values a node reads, by name or because it holds their value."""
        found, stack, seen = set(), list(node.args), set()
        if node.op == "ref":
            stack.append(node)
        while stack:
            one = stack.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if id(one) in starts:
                found.add(starts[id(one)])
                continue
            if one.op == "ref" and isinstance(one.data[0], State):
                found.add(self.names.get(id(one.data[0])))
            if one.op == "ref" and one.data[0] in self.nodes:
                stack.append(self.nodes[one.data[0]])
            stack.extend(one.args)
        return found

    def named_inits(self, ordered):
        """The initial values one after the other; each that was printed is called by its state's name in those that follow."""
        scope = self.rule.rule
        known = []
        for name, node in ordered:
            is_named = id(node) in scope.names
            if is_named:
                # The same value as that of a state above.
                node = Symbol("name", (scope.names[id(node)],), (), node.kind)  # noqa: PLW2901
            yield name, node
            if not is_named and not printing.is_trivial(node):
                scope.names[id(node)] = name
                known.append(node)
        for node in known:
            del scope.names[id(node)]

    def steps(self, cell, states):
        printer = self.rule
        # Steps of a group follow one another where the first of them stands.
        groups = {}
        for name, entry in self.entries.items():
            if isinstance(entry, Step):
                groups.setdefault(id(entry.group or entry), []).append((name, entry))
        if "next" in self.attributes:
            if groups:
                raise error("`next` beside named steps", "move it into a step: @sq.step above the function")
            values = self.returned(self.attributes["next"], cell, "next", states)
            # The section's `let`s are the rule's.
            scope, _ = printer.section(list(values.values()), printer.rule, all_of_rule=True)
            return [(None, [f"next {name} = ", *printer.expression(node, scope)], node) for name, node in values.items()]
        lines = []
        for members in groups.values():
            group = members[0][1].group
            inside = [self.step(name, entry, cell, states, "    " if group else "") for name, entry in members]
            if group is None:
                lines += inside
            else:
                body = []
                for comment, pieces, _ in inside:
                    body += [f"        // {line}".rstrip() + "\n" for line in (comment or "").splitlines()]
                    body += ["        ", *pieces, "\n"]
                times = printer.expression(group.times, printer.rule)
                lines.append((None, ["repeat ", *times, " {\n", *body, "    }"], None))
        return lines

    def step(self, name, entry, cell, states, shift):
        printer = self.rule
        head = [f"step {name}"]
        if entry.order is not None:
            head.append(f" from {entry.order}")
        if entry.colour is not None:
            head += [" colour of ", *printer.neighbourhood(entry.colour)]
        if entry.when is not None:
            guard = self.value(entry.when, cell, f"the condition of {name}") if not isinstance(entry.when, Symbol) else entry.when
            refuse_draws(guard, 0, "a draw in the condition of a step", "draw in the step: sq.where(sq.random(p), new, c.u)")
            head += [" when ", *printer.block(guard, printer.rule)]
        values = self.returned(entry.function, cell, name, states)
        scope, lets = printer.section(list(values.values()), printer.rule)
        inner = f"        {shift}"
        body = [piece for let, value, node in lets for piece in (inner, (node, [f"let {let} = ", *value]), "\n")]
        body += [
            piece
            for state_name, node in values.items()
            for piece in (inner, (node, [f"next {state_name} = ", *printer.expression(node, scope)]), "\n")
        ]
        return (entry.doc, [*head, " {\n", *body, f"    {shift}}}"], None)

    def lets(self, cell):
        """The `let`s and globals that are functions, each behind those that it reads."""
        for name, entry in self.entries.items():
            if isinstance(entry, (Let, Global)):
                self.entry(name, entry)
        lines = []
        for name, entry in self.order:
            if id(self.nodes[entry]) in self.values:
                continue
            value = self.rule.block(self.nodes[entry], self.rule.rule)
            # What neighbours read of its parts stands before it.
            lines += self.found_lets()
            word = f"let {name}" if isinstance(entry, Let) else f"global {name}{' once' if entry.once else ''}"
            lines.append((entry.doc, [f"{word} = ", *value], self.nodes[entry]))
        return lines

    def used_values(self):
        """The values of the class that were used, as `let`s."""
        lines = []
        names = self.rule.rule.names
        for name, entry in reversed(self.order):
            if id(self.nodes[entry]) in self.values and name in self.rule.printed:
                del names[id(self.nodes[entry])]
                lines.append((None, [f"let {name} = ", *self.rule.block(self.nodes[entry], self.rule.rule)], self.nodes[entry]))
                names[id(self.nodes[entry])] = name
        return lines[::-1]

    def found_lets(self):
        """The `let`s of the rule that were found since the last call."""
        found = [(None, [f"let {name} = ", *value], node) for name, value, node in self.rule.lets]
        self.rule.lets.clear()
        return found

    def observed(self, totals):
        if "observe" not in self.attributes:
            return []
        printer, lines = self.rule, []
        function = self.attributes["observe"]
        found = self.returned(function, totals, "observe")
        scope = printing.Scope(printer.rule)
        scope.taken.update(found)
        for name, given in found.items():
            if not isinstance(name, str) or not printing.is_name(name):
                raise error(f"{name!r} is no name of an observable", "write letters, digits and _", _place_of(function))
            observed = given if isinstance(given, Observed) else Observed(given, None, False)
            if isinstance(observed.value, (list, tuple)):
                nodes = list(map(symbol, observed.value))
                value = ["["]
                for node in nodes:
                    value += [", "] if len(value) > 1 else []
                    value += printer.block(node, scope)
                value.append("]")
                node, kind = None, None
            else:
                node = symbol(observed.value)
                value, kind = printer.block(node, scope), node.kind
            if observed.level is not None:
                value = [*value, f" by level {observed.level}"]
            if observed.at_end:
                value = [*value, " at end"]
            lines.append((None, [f"observe {name} = ", *value], node))
            if node is not None and scope.name_of(node) is None and not printing.is_trivial(node):
                scope.names[id(node)] = name
            entry = Symbol("name", (name,), (), kind)
            self.observables[name] = entry
            self.names[id(entry)] = name
        return lines

    def definitions(self):
        """Constants, tables, neighbourhoods and functions of the language, those of the class and those that were used."""
        printer, lines, done = self.rule, [], set()
        kinds = (language.Const, language.Table, language.Neighbourhood, Fn)
        while True:
            left = [(name, entry) for name, entry in self.entries.items() if name not in done and isinstance(entry, kinds)]
            if not left:
                break
            for name, entry in left:
                done.add(name)
                lines.append((kinds.index(type(entry)), getattr(entry, "doc", None), self.definition(name, entry, printer)))
        return [(doc, line, None) for _, doc, line in sorted(lines, key=lambda line: line[0])]

    def definition(self, name, entry, printer):
        if isinstance(entry, language.Neighbourhood):
            return [f"neighbourhood {name} ", *printer.offsets(entry)]
        if isinstance(entry, Fn):
            arguments = [Symbol("local", (one,), (), of.kind) for one, of in entry.parameters]
            before = [Cell(self)] if entry.has_cell else []
            node = symbol(entry.function(*before, *arguments))
            refuse_draws(node, 0, "a draw in a function of the language", "draw where it is called, and hand the value over")
            head = ", ".join(f"{one}: {of}" for one, of in entry.parameters)
            scope = printing.Scope(printer.rule)
            scope.taken.update(one for one, _ in entry.parameters)
            return [f"fn {name}({head}) -> {entry.type} = ", *printer.block(node, scope)]
        if isinstance(entry, language.Table):
            of = f": [{entry.type}]" if entry.type else ""
            return [f"const {name}{of} = [", *printer._list(entry.values, printer.rule), "]"]
        of = f": {entry.type}" if entry.type else ""
        return [f"const {name}{of} = ", *printer.expression(entry.value, printer.rule)]

    def picture(self, entry):
        state = entry.state
        if isinstance(state, Symbol):
            state = printing.flat(self.rule.expression(state, self.rule.rule))[0]
        pieces = ["picture ", f"{entry.map}({state})" if entry.map else state]
        if entry.range is not None:
            of = self.entries[state].type if isinstance(self.entries.get(state), State) else language.f32
            low, high = (printing.flat(self.rule.expression(number_of(end, of), self.rule.rule, 8))[0] for end in entry.range)
            pieces.append(f" in {low}..={high}")
        if entry.colours is not None:
            if hasattr(entry.colours, "items"):
                names = [(key.data[0] if isinstance(key, Symbol) else getattr(key, "name", key), code) for key, code in entry.colours.items()]
                shown = [f'{name} => "{code}"' for name, code in names]
            else:
                shown = [f'"{code}"' for code in entry.colours]
            pieces.append(f" {{ {', '.join(shown)} }}")
        return pieces


class _Nowhere:
    place = None


_NOWHERE = _Nowhere()


def _kind_of(value):
    return "nothing" if value is None else "a symbol" if isinstance(value, Symbol) else type(value).__name__


class _At:
    """The place where a function is defined."""

    def __init__(self, code):
        self.f_code, self.f_lasti = code, -1


def _place_of(function):
    code = getattr(function, "__code__", None)
    return None if code is None else places.Place(_At(code))
