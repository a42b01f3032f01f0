"""Places in Python source: where a symbol was made, and which construct asked for what a symbol does not have."""

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class TraceError(TypeError):
    """A construct of Python that cannot be traced. The message says what to write in its place."""


class Place:
    """An instruction of some code: its file, line and columns are looked up when they are wanted."""

    __slots__ = ("_code", "_instruction")

    def __init__(self, frame):
        self._code, self._instruction = frame.f_code, frame.f_lasti

    @property
    def file(self):
        """The name of the file, as Python shows it in a traceback."""
        return self._code.co_filename

    def span(self):
        """First line, last line, first column, last column; lines from 1, columns in characters from 0. `None` is what Python does not know."""
        if self._instruction < 0:
            return (self._code.co_firstlineno, None, None, None)
        for number, positions in enumerate(self._code.co_positions()):
            if number == self._instruction // 2:
                line, end_line, column, end_column = positions
                return (line, end_line, self._characters(line, column), self._characters(end_line, end_column))
        return (self._code.co_firstlineno, None, None, None)

    def _characters(self, line, column):
        # Python counts bytes of UTF-8.
        if line is None or column is None:
            return None
        import linecache

        return len(linecache.getline(self.file, line).encode()[:column].decode(errors="ignore"))

    @property
    def line(self):
        """The line, from 1."""
        return self.span()[0]

    @property
    def column(self):
        """The column of the first character, from 1, or `None`."""
        column = self.span()[2]
        return None if column is None else column + 1

    def shown(self):
        """The place and its line of source, with a mark below, for a message."""
        import linecache

        line, end_line, column, end_column = self.span()
        text = linecache.getline(self.file, line).rstrip("\n") if line else ""
        at = f"{self.file}:{line}" if column is None else f"{self.file}:{line}:{column + 1}"
        if not text.strip():
            return f"  --> {at}"
        shift = len(text) - len(text.lstrip())
        shown = f"  --> {at}\n    {text.strip()}"
        if column is None or column < shift:
            return shown
        end = end_column if end_line == line else len(text)
        return f"{shown}\n    {' ' * (column - shift)}{'^' * max(end - column, 1)}"

    def __repr__(self):
        return f"Place({self.file!r}, line {self.line})"


def users_frame():
    """The innermost frame that is not of this package, or `None`."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def here():
    """The place in the user's code that runs now, or `None`."""
    frame = users_frame()
    return None if frame is None else Place(frame)


def error(message, help=None, place=None):
    """A `TraceError` with its place and with what to write."""
    place = place or here()
    text = message if place is None else f"{message}\n{place.shown()}"
    return TraceError(f"{text}\nhelp: {help}" if help else text)


def unknown(what, name, known, kind=AttributeError, place=None):
    """The error for a name that is not known: an exception of `kind` that is a `TraceError` as well."""
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    if near:
        advice = f"did you mean `{near[0]}`?"
    else:
        advice = f"known here: {', '.join(sorted(known))}" if known else f"no {what} is defined here"
    told = error(f"unknown {what} `{name}`", advice, place)
    return type("UnknownName", (TraceError, kind), {})(str(told))


# What to write in the place of a construct that asks for the truth of a symbol.
_INSTEAD = {
    "If": ("`if` sees no value while a rule is traced", "sq.where(condition, then, otherwise)"),
    "IfExp": ("`a if c else b` sees no value while a rule is traced", "sq.where(c, a, b)"),
    "While": ("`while` sees no value while a rule is traced", "a Python loop over numbers, or a step of the rule for each turn"),
    "Assert": ("`assert` sees no value while a rule is traced", "an observable, and `stop`"),
    "Not": ("`not` sees no value while a rule is traced", "~condition"),
    "And": ("`and` sees no value while a rule is traced", "(a) & (b), with the brackets"),
    "Or": ("`or` sees no value while a rule is traced", "(a) | (b), with the brackets"),
    "Chain": (
        "a chained comparison sees no value while a rule is traced",
        "sq.between(n, 2, 3), or (2 <= n) & (n <= 3); `|` and `&` bind tighter than comparisons, so that these need brackets beside them",
    ),
    "In": ("`in` sees no value while a rule is traced", "n.isin(2, 3), or n.isin(range(2, 4))"),
    "Match": ("`match` sees no value while a rule is traced", "sq.match(value, {0: a, 1: b}, otherwise=c)"),
    "Comprehension": ("`if` in a comprehension sees no value while a rule is traced", "sq.where(condition, then, otherwise)"),
    "min": ("Python's `min` sees no value while a rule is traced", "sq.min(a, b)"),
    "max": ("Python's `max` sees no value while a rule is traced", "sq.max(a, b)"),
    "any": ("Python's `any` sees no value while a rule is traced", "(a) | (b), or c.any(sq.moore, lambda nb: …)"),
    "all": ("Python's `all` sees no value while a rule is traced", "(a) & (b), or c.all(sq.moore, lambda nb: …)"),
    "bool": ("a symbol has no truth while a rule is traced", "e != 0"),
    "sorted": ("Python's `sorted` sees no value while a rule is traced", "sq.min and sq.max"),
    None: ("the truth of a symbol is not known while a rule is traced", "sq.where(c, a, b), (a) & (b), (a) | (b) or ~a"),
}

_trees = {}


def _tree(file):
    import ast
    import linecache

    lines = linecache.getlines(file)
    if file not in _trees or _trees[file][0] != lines:
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError):
            tree = None
        _trees[file] = (lines, tree)
    return _trees[file][1]


def _asked_parts(node, ast):
    """The parts of a node whose truth it asks for, each with the name of what asks. Python says of some that the whole node asks."""
    name = type(node).__name__
    if isinstance(node, (ast.If, ast.While, ast.Assert)):
        test = node.test
        is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        yield "Not" if is_not else type(test.op).__name__ if isinstance(test, ast.BoolOp) else name, node
        yield name, test
    elif isinstance(node, ast.IfExp):
        yield from (("IfExp", node.test), ("IfExp", node))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from (("Not", node.operand), ("Not", node))
    elif isinstance(node, ast.BoolOp):
        yield type(node.op).__name__, node
        for value in node.values:
            yield type(node.op).__name__, value
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        yield "Chain", node
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        yield "In", node
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        tests = [test for generator in node.generators for test in generator.ifs]
        yield from (("Comprehension", part) for part in (tests and [node, *tests]))
    elif isinstance(node, ast.match_case):
        yield "Match", node.pattern
        if node.guard is not None:
            yield "If", node.guard
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _INSTEAD:
        yield node.func.id, node


def truth_error(frame):
    """The error for whatever asks in `frame` for the truth of a symbol: the smallest construct around the instruction that runs."""
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    place = Place(frame)
    positions = next((p for n, p in enumerate(frame.f_code.co_positions()) if n == frame.f_lasti // 2), None)
    found, size = None, None
    tree = _tree(place.file)
    if tree is not None and positions is not None and None not in positions:
        import ast

        line, end_line, column, end_column = positions
        begin, end = (line, column), (end_line, end_column)
        for node in ast.walk(tree):
            for name, part in _asked_parts(node, ast):
                first, last = (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
                is_whole = part is node and not isinstance(part, (ast.Compare, ast.Call))
                if (first, last) == (begin, end) if is_whole else first <= begin and end <= last:
                    extent = (last[0] - first[0], last[1] - first[1])
                    # Of two of one size it is the inner one, which comes later in the walk.
                    if size is None or extent <= size:
                        found, size = name, extent
    message, instead = _INSTEAD[found]
    return error(message, f"write {instead}", place)
