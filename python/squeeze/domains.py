"""Fractals and domains as texts: patterns, mixed levels, boxes, tori, masks, cells by an expression."""

import os

from . import _library, language
from . import _printing as printing
from .cells import Cell
from .declarations import number_of
from .places import error, unknown
from .symbols import BIT, FLOAT, WHOLE, Symbol, Watch, symbol

_AXES = ("x", "y", "z")
_ARRAY = "array.npy"


class Fractal:
    """What a rule runs on: a fractal, a box, a torus, a mask. `source` is its text, or `None` for what ships or lies in a file."""

    def __init__(self, name, definitions=(), spec=None, uses=(), array=None):
        self.name = name
        #: What `sq.fractal` was asked for, if that is no text.
        self.spec = spec
        self._definitions = tuple(definitions)
        self._uses = tuple(uses)
        # The places of a mask that was given as an array; the text names the file that holds them for a moment.
        self._array = array
        self._native = None

    @property
    def source(self):
        """The text, laid out as `squeeze fmt` does."""
        return _library.formatted(self._text) if self._definitions else None

    @property
    def _text(self):
        return "".join([*(f'use "{path}"\n' for path in self._uses), *self._definitions])

    def _resolved(self, sides=None):
        """The fractal of the extension module. `sides`, x first, are those of a domain that is as long as the inputs of a rule."""
        if sides is not None:
            return self._checked(sides)
        if self._native is None:
            self._native = self._checked(None)
        return self._native

    def _checked(self, sides):
        of = _library.native().Fractal
        if not self._definitions:
            return of.named(self.spec, sides)
        if self._array is not None:
            import tempfile

            import numpy

            with tempfile.TemporaryDirectory() as folder:
                numpy.save(os.path.join(folder, _ARRAY), self._array)
                return of.of_text(os.path.join(folder, "mask.fractal"), self._text, sides)
        # A text that names files lies in the folder that Python works in.
        return of.of_text(os.path.join(os.getcwd(), "python.fractal") if self._names_files else _library.NAME, self._text, sides)

    @property
    def _names_files(self):
        return bool(self._uses) or any(word in self._text for word in ('mask "', 'use "'))

    def __getstate__(self):
        return {**self.__dict__, "_native": None}

    def __repr__(self):
        return f"<fractal {self.spec or self.name}>"


class Kept:
    """The part of a domain's cells that is kept."""

    def __init__(self, text):
        self.text = text


def largest(neighbourhood):
    """The largest part that holds together by a neighbourhood."""
    found = language.neighbourhood_of(neighbourhood)
    if not found.text and not found.given:
        raise error("components join by a neighbourhood with a name", "write sq.largest(sq.moore)")
    return Kept(f"keep largest({found.text or found.given})")


def spanning(axis):
    """The parts that reach from one side to the other along an axis."""
    return Kept(f"keep spanning({_axis(axis)})")


#: Cells and holes exchanged.
inverted = Kept("invert")


def fractal(what=None, *, name="shape", pattern=None, replicas=None, scale=None, dimension=None, levels=None, seed=None, doc=None):
    """A fractal: the name of one that ships, a path, a text, or a definition.

    `pattern` is a picture, rows of `#` and `.` (or of 0–9 and a–z, which number the replicas), a list of such pictures in 3-D; or an array of numbers, of which
    those that are not 0 are replicas. `replicas` is a list of places (x, y), numbered in this order, with `scale`. `levels` is a list of fractals, from the finest
    level on; an entry (a, 3) stands three times, and `seed` draws the pattern of each level from the list.
    """
    given = [one is not None for one in (pattern, replicas, levels)]
    if what is not None:
        if any(given):
            raise error("a fractal by name and by definition", "give one of them")
        return _found(what)
    if sum(given) != 1:
        raise error("a fractal of nothing", 'write sq.fractal("sierpinski_carpet"), or give one of pattern, replicas and levels')
    before, uses, body = [], [], []
    if levels is not None:
        entries = _levels(levels, before, uses)
        body.append(f"levels random {entries} seed {int(seed)}" if seed is not None else f"levels {entries}")
    elif pattern is not None:
        planes = _planes(pattern)
        sides = [len(planes[0][0]), len(planes[0])] + ([len(planes)] if len(planes) > 1 else [])
        if dimension is not None or len(planes) > 1:
            body.append(f"dimension {dimension or 3}")
        # A line has one number.
        sides = sides[: dimension or len(sides)]
        body.append(f"scale {_scale(sides if scale is None else scale)}")
        rows = "\n---\n".join("\n".join(f'"{row}"' for row in plane) for plane in planes)
        body.append(f"pattern {{\n{rows}\n}}")
    else:
        places_of = [tuple(map(int, place if hasattr(place, "__iter__") else (place,))) for place in replicas]
        if not places_of:
            raise error("a fractal without replicas", "write replicas=[(0, 0), (0, 1), (1, 1)]")
        if scale is None:
            raise error("replicas without a scale", "write scale=2")
        dimensions = dimension or len(places_of[0])
        if dimensions != 2:
            body.append(f"dimension {dimensions}")
        body.append(f"scale {_scale(scale)}")
        entries = "\n".join(f"{number}: ({', '.join(map(str, place))})" for number, place in enumerate(places_of))
        body.append(f"replicas {{\n{entries}\n}}")
    return _made("fractal", name, doc, body, before, uses)


def _scale(scale):
    sides = [scale] if isinstance(scale, int) else list(scale)
    return str(sides[0]) if len(set(sides)) == 1 else f"({', '.join(map(str, sides))})"


def _planes(pattern):
    if hasattr(pattern, "tolist"):
        pattern = pattern.tolist()
    if isinstance(pattern, str):
        pattern = [pattern]
    pattern = list(pattern)
    if not isinstance(pattern[0], str) and isinstance(pattern[0][0], (list, tuple)):
        return [_plane(plane) for plane in pattern]
    if isinstance(pattern[0], str) and any("\n" in plane.strip() for plane in pattern):
        return [plane.split() for plane in pattern]
    return [_plane(pattern)]


def _plane(rows):
    if not isinstance(rows[0], (str, list, tuple)):
        rows = [rows]
    return [row if isinstance(row, str) else "".join("#" if place else "." for place in row) for row in rows]


def _levels(levels, before, uses):
    entries = []
    for entry in levels:
        times = ""
        if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[1], int):
            entry, times = entry[0], f" * {entry[1]}"  # noqa: PLW2901
        if isinstance(entry, (list, tuple)):
            entries.append(_levels(entry, before, uses) + times)
        else:
            entries.append(_part(entry, before, uses) + times)
    return f"[{', '.join(entries)}]"


def _part(what, before, uses):
    """The name of a fractal that another one is made of; notes its definition."""
    found = _found(what)
    before.extend(one for one in found._definitions if one not in before)
    uses.extend(one for one in found._uses if one not in uses)
    if found.spec is not None and found.name is None:
        path, _, name = found.spec.partition("#")
        if path not in uses:
            uses.append(path)
        return name or os.path.splitext(os.path.basename(path))[0]
    return found.name


def _found(what):
    if isinstance(what, Fractal):
        return what
    if isinstance(what, os.PathLike):
        what = os.fspath(what)
    if not isinstance(what, str):
        raise error(f"{what!r} is no fractal", 'write sq.fractal("sierpinski_carpet"), a path or a text')
    if "{" in what:
        import re

        names = re.findall(r"^\s*(?:fractal|domain)\s+(\w+)", what, re.MULTILINE)
        if not names:
            raise error("the text defines no fractal", "write fractal NAME { … }")
        return Fractal(names[-1], [what if what.endswith("\n") else what + "\n"])
    return Fractal(what if what.isidentifier() else None, (), what)


def _made(word, name, doc, body, before, uses):
    if not printing.is_name(name):
        raise error(f"{name!r} is no name of the language", "write letters, digits and _")
    lines = "".join(f"/// {line}".rstrip() + "\n" for line in (doc or "").splitlines())
    own = f"{lines}{word} {name} {{\n" + "".join(f"    {line}\n" for part in body for line in part.splitlines()) + "}\n"
    return Fractal(name, [*before, own], None, uses)


def _axis(axis):
    if axis not in _AXES:
        raise error(f"{axis!r} is no axis", "write x, y or z")
    return axis


class _Settings:
    """The names of a domain's parameters, for `cells`."""

    def __init__(self, params):
        self.entries = dict.fromkeys(params)
        self.params = params

    def read(self, name, _):
        if name in self.params:
            return Symbol("name", (name,), (), symbol(self.params[name]).kind)
        if name in ("level", "step", "cell", "cells", "colour"):
            raise unknown("name", name, ["x", "y", "z", "side", "width", "height", "depth", *self.params])
        return None


def domain(
    fractal=None,
    *,
    size=None,
    mask=None,
    above=None,
    below=None,
    cells=None,
    params=None,
    seed=None,
    keep=(),
    periodic=False,
    edge=None,
    name="shape",
    doc=None,
):
    """A domain: of a fractal, a size (width, height[, depth]) or a mask, the path of a picture, an array or a pattern.

    The size "inputs" is that of the rule's inputs along each axis.

    `cells` is a bit of each place of a box: a function of its coordinates, sides and `params`. `periodic` joins the edges along the axes that it names
    ("xy"), or along all of them. `edge` says what lies beyond the other edges: {"u": 0.0}, or "reflect", and beyond a single side {"u at -x": 0.0}. `keep` is one of `sq.largest(…)`, `sq.spanning(…)`
    and `sq.inverted`, or several, applied in this order.
    """
    before, uses, body = [], [], []
    if sum(one is not None for one in (fractal, size, mask)) != 1:
        raise error("a domain is made of a fractal, a size or a mask", "give one of them")
    params = dict(params or {})
    body += [f"param {key}: {_setting(value)}" for key, value in params.items()]
    if fractal is not None:
        body.append(f"fractal {_part(fractal, before, uses)}")
    if size is not None:
        body.append("size inputs" if size == "inputs" else f"size ({', '.join(str(int(one)) for one in size)})")
    if mask is not None:
        if above is not None and below is not None:
            raise error("a mask above and below a value", "give one of them")
        bound = f" above {int(above)}" if above is not None else f" below {int(below)}" if below is not None else ""
        body.append(f'mask "{os.fspath(mask)}"{bound}')
    if cells is not None:
        with printing.deep(), Watch() as watch:
            printer = printing.Printer(watch=watch)
            node = symbol(cells(Cell(_Settings(params))) if callable(cells) and not isinstance(cells, Symbol) else cells)
            body.append("cells " + printing.flat(printer.block(node, printer.rule))[0])
    if seed is not None:
        body.append(f"seed {int(seed)}")
    for kept in [keep] if isinstance(keep, Kept) else keep:
        body.append(kept.text)
    if periodic:
        axes = [] if periodic is True else [_axis(axis) for axis in periodic if axis not in ", "]
        body.append("periodic" + (f" {', '.join(axes)}" if axes else ""))
    for state, value in (edge or {}).items():
        shown = value if value == "reflect" else printing.flat(printing.Printer().expression(symbol(value), printing.Scope()))[0]
        state, at, side = state.partition(" at ")
        body.append(f"edge {state} = {shown}{at}{side}")
    return _made("domain", name, doc, body, before, uses)


def _setting(value):
    of = {BIT: language.bit, WHOLE: language.i32, FLOAT: language.f32}.get(symbol(value).kind)
    if of is None:
        raise error(f"a parameter of a domain is a number or a bit, not {value!r}", "write params={'p': 0.65}")
    return f"{of} = {printing.literal(number_of(symbol(value), of).data[0])}"


def mask(places, **settings):
    """The cells of a mask: the path of a picture, an array or a pattern, or an array [y, x] or [z, y, x] whose places that are not 0 are cells."""
    if isinstance(places, (str, os.PathLike)):
        return domain(mask=places, **settings)
    import numpy

    made = domain(mask=_ARRAY, **settings)
    made._array = numpy.ascontiguousarray(numpy.asarray(places) != 0)
    return made


def box(width, height, depth=None, **settings):
    """A box without holes, or with the `cells` of `sq.domain`."""
    return domain(size=(width, height) if depth is None else (width, height, depth), **settings)


def torus(width, height, depth=None, **settings):
    """A box whose opposite edges are joined."""
    settings.setdefault("periodic", True)
    return box(width, height, depth, **settings)
