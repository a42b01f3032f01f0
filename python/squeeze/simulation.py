"""Simulations: a rule on a fractal, with states as arrays."""

from . import _printing as printing
from ._library import native, refuse_ranks
from .domains import Fractal, fractal
from .errors import Error
from .places import unknown
from .rules import Rule, rule
from .symbols import symbol

_native = native()
_DTYPES = {
    "bit": "bool", "u8": "uint8", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64", "f32": "float32", "f64": "float64", "enum": "uint8",
}  # fmt: skip

#: Notebooks draw no simulation of more cells, which would take seconds.
_MOST_DRAWN = 100_000_000


class Simulation(_native.Simulation):
    """A rule on a fractal at a level.

    `fractal` and `rule` are those of `sq.fractal` and `sq.rule`, or what these take. Parameters are keywords, or entries of `params` where a name is taken.
    `initial` are arrays by the names of states: one value for each cell in canonical order, or one for each place of the grid. `inputs` are the values of the
    rule's inputs by name: bytes, a list or an array of one for each coordinate along the axis, or the path of a file as the command takes it. `backend` is auto, cpu, cuda
    or reference; `threads` is how many of a CPU it takes, without it all. `devices` are the GPUs that compute it together: "all", or a list of numbers as `squeeze doctor` prints
    them; a rule with ordered steps runs on one. `wavefront` says how tiles of ordered steps wait for one another on cuda: launches, barrier or
    flags, which is usual. The same fractal, rule, level, seed and parameters give the same states, bit for bit, on every machine and backend.

    Lengths are places of the grid, times are steps; units are those of the rule. Wrong names raise `TypeError` (parameters) or `KeyError` (states, inputs), wrong
    texts `sq.CompileError`, all other wrong input and failures of the machine `sq.Error`.
    """

    def __new__(
        cls, fractal, rule, *, level=None, seed=0, disorder=None, backend="auto", threads=None, devices=None,
        wavefront=None,         params=None, initial=None, inputs=None, **named
    ):  # fmt: skip
        refuse_ranks()
        shape, law = _fractal_of(fractal), _rule_of(rule)
        checked, sides = _with_inputs(law._resolved(), inputs)
        domain = shape._resolved(sides)
        if level is None and domain.has_levels:
            raise Error("a fractal needs a level", ["write sq.Simulation(fractal, rule, level=5): level 0 is a single cell"])
        if level is not None and not domain.has_levels:
            raise Error(f"`{domain.name}` has no level", ["leave out level="])
        known = [name for name, *_ in checked.params]
        values = {**(params or {}), **named}
        for name in values:
            if name not in known:
                raise unknown("parameter", name, known, TypeError)
        settings = [f"{name}={_text(value)}" for name, value in values.items()]
        types = {name: ty for name, ty, _ in checked.states_in(domain)}
        begun, shapes = [], {}
        for name, array in (initial or {}).items():
            if name not in types:
                raise unknown("state", name, list(types), KeyError)
            given = _array(array, types[name], name)
            begun.append((name, _bytes(given), given.ndim > 1))
            shapes[name] = given.shape
        made = super().__new__(
            cls, domain, checked, level=level or 0, seed=seed, disorder=disorder, backend=backend, threads=threads, devices=devices,
            wavefront=wavefront, settings=settings, initial=begun
        )  # fmt: skip
        for name, sides in shapes.items():
            if sides not in ((made.cells,), made.shape):
                raise _wrong_shape(name, sides, made)
        put = super(Simulation, made).__setattr__
        put("fractal", shape)
        put("rule", law)
        put("_types", types)
        put("_names", known)
        put("params", Params(made))
        return made

    def __getattr__(self, name):
        if name.startswith("__") or "_names" not in self.__dict__:
            raise AttributeError(name)
        if name in self._names:
            return self._param(name)
        raise unknown("attribute", name, [*self._names, *(one for one in dir(type(self)) if not one.startswith("_"))])

    def __setattr__(self, name, value):
        if name not in self._names or hasattr(type(self), name):
            raise unknown("parameter", name, self._names)
        self.params[name] = value

    def __getitem__(self, name):
        """The values of a state, as an array that nobody can change: in canonical order on fractals, [y, x] or [z, y, x] on boxes and masks.

        Its type is that of the state: bool of bits, uint8 of enums, else the integer or float of the same width. In holes of masks floats are NaN; arrays of other
        types are masked there. An unknown state raises `KeyError`.
        """
        import numpy

        self._check(name)
        shape = self.shape
        if self.level is not None:
            return numpy.asarray(self._read(name))
        if self.cells < _product(shape):
            return self.grid(name)[...]
        return numpy.asarray(self._read(name)).reshape(shape)

    def __setitem__(self, name, value):
        """Gives a state these values: one number, one for each cell in canonical order, or one for each place of the grid, whose holes are left out.

        Another shape, and values that the state's type does not hold, raise `sq.Error`; floats are rounded to floats.
        """
        import numpy

        self._check(name)
        given = _array(value, self._types[name], name)
        if given.ndim == 0:
            given = numpy.broadcast_to(given, (self.cells,))
        elif given.shape == self.shape and given.shape != (self.cells,):
            if self.cells == given.size:
                given = given.reshape(-1)
            else:
                # The places that are cells, in canonical order.
                x, y, z = numpy.asarray(self._places()).T
                given = given.reshape(self._extent[::-1])[z, y, x]
        elif given.shape != (self.cells,):
            raise _wrong_shape(name, given.shape, self)
        self._write(name, _bytes(given))

    def array(self, name):
        """The values of a state in canonical order, without numpy: an object with the buffer protocol and DLPack, in the memory of the CPU.

        `torch.from_dlpack`, `jax.numpy.from_dlpack` and `numpy.from_dlpack` take it without a copy where they know that it cannot be changed; bits are bytes of 0 and
        1, that is bools.
        """
        self._check(name)
        return self._read(name)

    def grid(self, name):
        """The expanded grid of a state, of which `[y0:y1, x0:x1]` (in 3-D `[z0:z1, y0:y1, x0:x1]`) is a picture: holes are NaN in floats, else masked."""
        self._check(name)
        return Grid(self, name)

    @property
    def shape(self):
        """The sides of the expanded grid: (height, width), or (depth, height, width) in 3-D, or (width,) on a line."""
        return tuple(self._extent[: self.dimension][::-1])

    @property
    def coords(self):
        """The places of all cells in canonical order, an array of one row (x, y[, z]) for each."""
        import numpy

        return numpy.asarray(self._places())[:, : self.dimension]

    def observe_steps(self, steps, every=1):
        """Computes steps, and observes now, every so many steps and at the end: arrays by name, `step` first.

        Their first axis is time; lists have a second one. Numbers are int64 or float64. An interrupt raises `KeyboardInterrupt` between two steps.
        """
        if every < 1:
            raise Error(f"observables every {every} steps", ["write 1 or more"])
        return Series(self._observe_steps(steps, every))

    def view(self, *, height=560, playing=False):
        """A widget for notebooks that shows the simulation and steers it, as the page of `squeeze view` does.

        `height` is that of the widget in pixels. While its *Play* is on, the simulation takes steps between the cells that are executed. What cells change is shown, too.
        It needs anywidget; `sq.Error` is raised without it.
        """
        from ._widget import widget

        if not 100 <= height <= 10_000:
            raise Error(f"a view {height} pixels high", ["write 100 to 10000"])
        return widget(self, height, playing)

    def _shown(self):
        return self._picture(_MOST_DRAWN)

    def _repr_html_(self):
        import base64
        import html

        told = f"<div>{html.escape(repr(self)[1:-1])}</div>"
        drawn = self._shown()
        if drawn is None:
            return told
        picture = base64.b64encode(drawn).decode()
        return f'{told}<img style="max-width:512px;max-height:512px" alt="the state" src="data:image/png;base64,{picture}">'

    def _check(self, name):
        if name not in self._types:
            raise unknown("state", name, list(self._types), KeyError)

    def __dir__(self):
        return [*super().__dir__(), *self._names]

    def __reduce__(self):
        raise TypeError("a simulation cannot be pickled: make one in each process, of its fractal and rule, which can")

    def __repr__(self):
        at = "" if self.level is None else f" at level {self.level}"
        return f"<{self.rule.name} on {self.fractal.spec or self.fractal.name}{at}: {self.cells} cells, step {self.time}, {self.backend}>"


class Params:
    """The parameters of a simulation, by name."""

    def __init__(self, simulation):
        self._simulation = simulation

    def _checked(self, name):
        if name not in self._simulation._names:
            raise unknown("parameter", name, self._simulation._names, KeyError)
        return name

    def __getitem__(self, name):
        return self._simulation._param(self._checked(name))

    def __setitem__(self, name, value):
        self._simulation._set_param(self._checked(name), _text(value))

    def __iter__(self):
        return iter(self._simulation._names)

    def __len__(self):
        return len(self._simulation._names)

    def __contains__(self, name):
        return name in self._simulation._names

    def keys(self):
        """The names."""
        return list(self)

    def items(self):
        """Names and values."""
        return [(name, self[name]) for name in self]

    def update(self, *given, **named):
        """Sets several."""
        for name, value in dict(*given, **named).items():
            self[name] = value

    def __repr__(self):
        return repr(dict(self.items()))


class Grid:
    """The expanded grid of a state: slices of it are arrays."""

    def __init__(self, simulation, name):
        self._simulation, self._name = simulation, name

    @property
    def shape(self):
        """The sides, the last one along x."""
        return self._simulation.shape

    def __getitem__(self, key):
        import numpy

        shape = self.shape
        keys = list(key) if isinstance(key, tuple) else [key]
        dots = [at for at, index in enumerate(keys) if index is Ellipsis]
        if len(dots) > 1:
            raise IndexError("a grid is read with one `...` at most")
        for at in dots:
            keys[at : at + 1] = [slice(None)] * (len(shape) - len(keys) + 1)
        keys += [slice(None)] * (len(shape) - len(keys))
        if len(keys) != len(shape):
            raise IndexError(f"{len(keys)} indices for a grid of {len(shape)} axes")
        begins, sizes, steps = [], [], []
        for index, side in zip(keys, shape):
            if isinstance(index, slice):
                begin, end, step = index.indices(side)
                if step < 1:
                    raise IndexError("a grid is read forwards: turn the array round")
                begins.append(begin)
                sizes.append(max(end - begin, 0))
                steps.append(slice(None, None, step))
            else:
                if not hasattr(index, "__index__") or getattr(index, "ndim", 0):
                    raise IndexError(f"{index!r} is no place of a grid: write whole numbers and slices")
                place = index.__index__()
                if not -side <= place < side:
                    raise IndexError(f"{place} lies outside a side of {side}")
                begins.append(place % side)
                sizes.append(1)
                steps.append(0)
        pad = 3 - len(shape)
        corner, size = [0] * pad + begins, [1] * pad + sizes
        if 0 in size:
            values = numpy.zeros(sizes, _DTYPES[self._simulation._types[self._name]])
            exists = numpy.zeros(sizes, bool)
        else:
            values, exists = map(numpy.asarray, self._simulation._window(self._name, corner[::-1], size[::-1]))
            values, exists = values.reshape(sizes), exists.reshape(sizes)
        values, exists = values[tuple(steps)], exists[tuple(steps)]
        if exists.all():
            return values
        if values.dtype.kind == "f":
            return numpy.where(exists, values, values.dtype.type("nan"))
        return numpy.ma.masked_array(values, ~exists)

    def __array__(self, dtype=None, copy=None):
        found = self[...]
        return found if dtype is None else found.astype(dtype)

    def __repr__(self):
        return f"<grid of {self._name}, {' × '.join(map(str, self.shape))}>"


class Series(dict):
    """Observables over time: arrays by name, and their times as `step`."""

    def __init__(self, columns):
        import numpy

        super().__init__((name, numpy.asarray(column)) for name, column in columns.items())

    def to_pandas(self):
        """A table with a row for each time; lists have a column for each entry."""
        import pandas

        flat = {}
        for name, column in self.items():
            entries = [(name, column)] if column.ndim == 1 else [(f"{name}[{i}]", column[:, i]) for i in range(column.shape[1])]
            flat.update(entries)
        return pandas.DataFrame(flat).set_index("step")

    def __repr__(self):
        return f"<series of {', '.join(name for name in self if name != 'step')}, {len(self['step'])} times>"


def _wrong_shape(name, sides, of):
    return Error(f"`{name}` is given an array of shape {sides}", [f"write {of.cells} values in canonical order, or an array of shape {of.shape}"])


def _fractal_of(what):
    return what if isinstance(what, Fractal) else fractal(what)


def _rule_of(what):
    return what if isinstance(what, Rule) else rule(what)


def _with_inputs(law, inputs):
    """The rule with its inputs, and the sides of a domain that is as long as these."""
    if not inputs:
        return law, None
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return law.with_inputs([f"{name}={file}" for name, file in _files_of_inputs(law, inputs, folder).items()])


def _files_of_inputs(law, inputs, folder):
    """Values of inputs as files."""
    import os

    import numpy

    files, types = {}, {name: ty for name, ty, _ in law.inputs}
    for name, value in (inputs or {}).items():
        if name not in types:
            raise unknown("input", name, list(types), KeyError)
        if not isinstance(value, (str, os.PathLike)):
            path = os.path.join(folder, f"input-{len(files)}.npy")
            if isinstance(value, (bytes, bytearray, memoryview)):
                value = numpy.frombuffer(value, "uint8")  # noqa: PLW2901
            given = _array(value, types[name], name)
            if given.ndim != 1:
                raise Error(f"the input `{name}` is given an array of shape {given.shape}", ["write one value for each coordinate along its axis"])
            numpy.save(path, given)
            value = path  # noqa: PLW2901
        files[name] = os.fspath(value)
    return files


def _types(law):
    return {name: ty for name, ty, _ in law.states}


def _text(value):
    """A number as settings of the command are written."""
    if isinstance(value, str):
        return value
    node = symbol(value)
    if node.op == "variant":
        return node.data[0]
    if node.op != "literal":
        raise Error(f"{value!r} is no number", ["write the value of a parameter"])
    return printing.literal(node.data[0])


def _product(sides):
    product = 1
    for side in sides:
        product *= side
    return product


def _array(values, ty, name):
    """Values as an array of a state's type; raises where they would change."""
    import numpy

    wanted = numpy.dtype(_DTYPES[ty])
    if isinstance(values, numpy.ma.MaskedArray):
        values = values.filled(0)
    given = _of_library(values)
    if given.dtype == wanted:
        return given
    if given.dtype.kind not in "biuf" or (given.dtype.kind == "f" and wanted.kind != "f"):
        raise Error(f"`{name}` is given values of {given.dtype}", [f"it holds {ty}: convert them, as in a.astype({_DTYPES[ty]!r})"])
    found = given.astype(wanted)
    if wanted.kind != "f" and not (found == given).all():
        raise Error(f"`{name}` is given values that no {ty} holds", [f"convert them, as in a.astype({_DTYPES[ty]!r})"])
    return found


def _of_library(values):
    """An array of numpy of what another library has, on a GPU too: by DLPack, or by the library's own way to the memory of the CPU."""
    import numpy

    try:
        return numpy.asarray(values)
    except (TypeError, RuntimeError):
        if not hasattr(values, "__dlpack__"):
            raise
    for way in ("get", "cpu"):
        if callable(getattr(values, way, None)):
            return numpy.asarray(getattr(values, way)())
    return numpy.from_dlpack(values, device="cpu")


def _bytes(array):
    import numpy

    return memoryview(numpy.ascontiguousarray(array).reshape(-1).view("uint8"))
