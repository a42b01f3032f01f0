"""Runs, sweeps and what is made of their folders: the command does the work in a process of its own, and arrays are read back."""

import builtins
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
import weakref

from ._command import PARENT
from ._library import refuse_ranks
from .domains import Fractal, _found
from .errors import Error
from .places import unknown
from .rules import Rule, rule
from .simulation import Series, _array, _files_of_inputs, _text, _types


def run(
    fractal, rule, *, steps, level=None, seed=0, disorder=None, every=None, out=None, devices=None, params=None, initial=None, inputs=None, **named
):
    """Runs a rule on a fractal and records the run in a folder.

    `fractal`, `rule`, `level`, `seed`, `disorder`, `params`, `initial` and `inputs` are those of `sq.Simulation`; `initial` takes paths of files too. `every` says after how many
    steps observables are taken. `out` is a new folder; without it the folder goes with what is returned. `devices` are the GPUs that compute the run together. Other keywords are parameters of the rule, or options of the
    command `run` with `_` in the place of `-`: `save_every=100`, `image="last.png"`, `backend="cuda"`.

    Ctrl-C saves the last state and raises `KeyboardInterrupt`; `sq.open(out).resume()` goes on from there. What the command refuses raises `sq.Error`.
    """
    refuse_ranks()
    with _Texts() as texts:
        words = texts.of(fractal, rule)
        folder = _Folder(out)
        settings, flags = _parted(texts.rule, params, named)
        words += _flags(level=level, steps=steps, seed=seed, disorder=disorder, observe_every=every, out=folder.path, set=settings)
        words += _flags(init=texts.initial(initial), input=texts.inputs(inputs), devices=devices, **flags)
        _command("run", *words, "--quiet", given=texts.given)
    return Run(folder)


def sweep(
    fractal, rule, *, steps, level=None, seeds=1, disorder=None, every=None, discard=None, exchange=None, exchange_every=None, out=None,
    devices=None, params=None, initial=None, inputs=None, **named
):  # fmt: skip
    """Runs a rule with every combination of levels, seeds and values of parameters, and gives means with errors.

    `level` and parameters are one value or several (a list, a range, an array); `seeds` is how many, or which. Means leave out the first `discard` steps ("auto": as many
    as the observables need). `devices` are the GPUs among which members are dealt out. Other arguments are those of `sq.run`.

    With `exchange="beta", exchange_every=10` members with neighbouring values of that parameter try to exchange their states every ten steps; `sq.open(out).table("exchange")`
    and `"replicas"` tell what became of it.

    Each observable `m` has `m_error`, one standard error, and `m_tau`, its autocorrelation time in steps; axes are what has several values. It is an `xarray.Dataset`
    where xarray is installed, else a `Dataset`.
    """
    refuse_ranks()
    with _Texts() as texts:
        words = texts.of(fractal, rule)
        folder = _Folder(out)
        settings, flags = _parted(texts.rule, params, named)
        seeds = range(seeds) if isinstance(seeds, int) else seeds
        for name, value in (initial or {}).items():
            if out is not None and not isinstance(value, (str, os.PathLike)):
                raise Error(f"`{name}` of a sweep begins with an array", ["write the path of a file: it is read again when the sweep is resumed"])
        words += _flags(level=level, steps=steps, seeds=seeds, disorder=disorder, observe_every=every, discard=discard, out=folder.path, set=settings)
        words += _flags(exchange=exchange, exchange_every=exchange_every)
        words += _flags(init=texts.initial(initial), input=texts.inputs(inputs), devices=devices, **flags)
        found, notes = _command("sweep", *words, "--json", given=texts.given)
    found = json.loads(found)
    return _dataset([found if out is not None else {**found, "folder": None}], notes)


def open(folder):  # noqa: A001
    """The run or the sweep in a folder."""
    folder = _Folder(folder)
    return (Sweep if "sweep" in folder.manifest() else Run)(folder)


class Run:
    """A run in a folder: `path`, `manifest`, its states by name, `observables`, `digest`."""

    def __init__(self, folder):
        self._folder = folder

    @property
    def path(self):
        """The folder."""
        return self._folder.path

    @property
    def manifest(self):
        """What its `manifest.json` says: all inputs with their texts, and who computed it."""
        return self._folder.manifest()

    @property
    def observables(self):
        """The observables over time: arrays by name, `step` first."""
        return Series(_table(os.path.join(self.path, "observables.csv")))

    @property
    def digest(self):
        """The digests of the last states, by name; `None` of a run that has not come to its end."""
        return self.manifest.get("result", {}).get("digest")

    @property
    def steps(self):
        """The steps whose states were saved."""
        found = (name.removesuffix(".zarr") for name in os.listdir(os.path.join(self.path, "states")))
        return sorted(int(name) for name in found if name.isdigit())

    def __getitem__(self, name):
        """The values of a state at the last step that was saved, in canonical order."""
        return self.state(name)

    def state(self, name, step=None):
        """The values of a state at a step that was saved, in canonical order: bits are bools, enums their numbers."""
        found = export(self, field=name, step=step)
        with builtins.open(os.path.join(self._last_state(), name, "zarr.json"), encoding="utf-8") as file:
            is_bit = json.load(file)["attributes"]["squeeze"]["type"] == "bit"
        return found.view("bool") if is_bit else found

    def _last_state(self):
        return os.path.join(self.path, "states", f"{self.steps[-1]}.zarr")

    def to_xarray(self):
        """All saved states as an `xarray.Dataset` with the axes `step` and `cell`, and the places of the cells, x, y and z, as coordinates.

        Bits are bools, enums their numbers. Everything is read into memory.
        """
        import numpy
        import xarray

        steps = self.steps
        names = sorted(one.name for one in os.scandir(self._last_state()) if one.is_dir())
        states = {name: (("step", "cell"), numpy.stack([self.state(name, step) for step in steps])) for name in names}
        places = export(self, coordinates=True).reshape(next(iter(states.values()))[1].shape[1], -1)
        coords = {axis: ("cell", numbers) for axis, numbers in zip("xyz", places.T)}
        return xarray.Dataset(states, {"step": steps, **coords}, {"folder": self.path, "squeeze": self.manifest["rule"]["name"]})

    def resume(self, to=None, *, backend=None, threads=None, **options):
        """Goes on from the last saved state, up to the step `to`, or to where it was to end."""
        _command("resume", self.path, "--quiet", *_flags(steps=to, backend=backend, threads=threads, **options))
        return self

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<run {self.path}: {self.manifest['rule']['name']} on {self.manifest['fractal']['name']}>"


class Sweep:
    """A sweep in a folder."""

    def __init__(self, folder):
        self._folder = folder

    path, manifest, __fspath__ = Run.path, Run.manifest, Run.__fspath__

    @property
    def dataset(self):
        """Means with their errors, as `sq.sweep` gives them."""
        return analyse(self).dataset

    def table(self, name):
        """One of its tables, `members`, `observables`, `ends`, `times`, `summary`, `lists`, `exchange`, `replicas`: arrays by the names of columns."""
        return Table(_table(os.path.join(self.path, f"{name}.csv")))

    def resume(self, *, backend=None, threads=None, **options):
        """Computes the members that are missing."""
        _command("resume", self.path, "--quiet", *_flags(backend=backend, threads=threads, **options))
        return self

    def __repr__(self):
        return f"<sweep {self.path}: {self.manifest['rule']['name']} on {self.manifest['fractal']['name']}>"


def analyse(*folders, binder=None, fluctuation=None, discard=None, only=None, reweight=None, **options):
    """Means with errors of runs and sweeps, anew from what they recorded.

    `folders` are paths, runs, sweeps or data sets of `sq.sweep`. `binder={"u": "m"}` adds Binder's cumulant of `m` as `u`, `fluctuation` a fluctuation; `discard` leaves
    steps out. `reweight={"beta": "0.66..=0.70/0.0005"}`, or with the values as a list or an array, gives curves between the values at which members of sweeps ran. Other
    keywords are options of the command `analyse`.
    """
    wishes = dict(binder=binder, fluctuation=fluctuation, discard=discard, only=only, reweight=reweight, **options)
    return Analysis([_path(one) for one in folders], wishes)


class Analysis:
    """Means with errors: `analysis["u"]`, `analysis["u_error"]`, or all of them as `dataset`."""

    def __init__(self, folders, options):
        self._folders, self._options = folders, options
        found, self.notes = self._asked()
        #: The means, their errors and autocorrelation times; with several folders along an axis `folder`.
        self.dataset = _dataset(found["folders"], self.notes)

    def _asked(self, **more):
        found, notes = _command("analyse", *self._folders, "--json", *_flags(**{**self._options, **more}))
        return json.loads(found), notes

    def __getitem__(self, name):
        return self.dataset[name]

    def crossing(self, name, **options):
        """Where the curves of neighbouring levels or folders cross: dictionaries with `at`, `error`, and `why` where there is none or no error is known."""
        return self._asked(crossing=name, **options)[0]["crossings"]

    def maximum(self, name, **options):
        """Where reweighted curves are greatest: dictionaries with `at`, `height`, their errors, and `why` where there is none."""
        return self._asked(maximum=name, **options)[0]["maxima"]

    def collapse(self, name, nu, gamma, **options):
        """Exponents with which reweighted curves of several sizes fall on one another, from `nu` and `gamma` on."""
        return self._asked(collapse=f"{nu},{gamma}", **{**options, "only": name})[0]["collapses"]

    def power_law(self, name, **options):
        """Power laws through the means of `name`: dictionaries with their exponents and errors."""
        return self._asked(power_law=name, **options)[0]["power_laws"]

    def to_pandas(self):
        """A table with a row for each combination of parameters."""
        found = self.dataset
        return found.to_dataframe() if hasattr(found, "to_dataframe") else found.to_pandas()

    def plot(self, name, x, hue=None, ax=None):
        """Draws means with their errors against a parameter by matplotlib, a curve for each value of another one; gives the axes."""
        import matplotlib.pyplot as plt
        import numpy

        table = self.to_pandas().reset_index()
        for wanted in (x, hue, name):
            if wanted is not None and wanted not in table:
                raise unknown("column", wanted, list(table), KeyError)
        ax = plt.subplots()[1] if ax is None else ax
        for value, rows in [(None, table)] if hue is None else table.groupby(hue):
            rows = rows.sort_values(x)  # noqa: PLW2901
            label = None if hue is None else f"{hue} = {value}"
            ax.errorbar(rows[x], rows[name], yerr=numpy.nan_to_num(rows[f"{name}_error"]), fmt="o-", capsize=2, markersize=3, label=label)
        ax.set_xlabel(x)
        ax.set_ylabel(name)
        if hue is not None:
            ax.legend()
        return ax

    def __repr__(self):
        return repr(self.dataset)


class Table(dict):
    """Arrays by the names of columns."""

    def to_pandas(self):
        """A table of pandas."""
        import pandas

        return pandas.DataFrame(dict(self))


class Dataset(dict):
    """Arrays by name, where there is no xarray: `dims` are their axes, `coords` the values along these, `attrs` what else is known."""

    def __init__(self, arrays, dims, coords, attrs):
        super().__init__(arrays)
        self.dims, self.coords, self.attrs = dims, coords, attrs

    def __getitem__(self, name):
        return self.coords[name] if name in self.coords else super().__getitem__(name)

    def to_pandas(self):
        """A table with a row for each combination of the coordinates."""
        import numpy
        import pandas

        places = numpy.meshgrid(*(self.coords[name] for name in self.dims), indexing="ij")
        index = {name: place.reshape(-1) for name, place in zip(self.dims, places)}
        flat = {name: array.reshape(-1) for name, array in self.items() if array.ndim == len(self.dims)}
        table = pandas.DataFrame({**index, **flat})
        return table.set_index(list(self.dims)) if self.dims else table

    def __repr__(self):
        axes = ", ".join(f"{name}: {len(self.coords[name])}" for name in self.dims)
        return f"<data set of {', '.join(self)} over ({axes})>"


def export(folder, out=None, **options):
    """Exports a saved state. `out` is a file, whose ending says what is written; without it the values of the cells are given as an array.

    Keywords are options of the command `export`: `field`, `step`, `window=(x, y, width, height)`, `fps`, …
    """
    if out is not None:
        _command("export", _path(folder), *_flags(out=out, **options))
        return os.fspath(out)
    import numpy

    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "array.npy")
        _command("export", _path(folder), *_flags(out=file, **options))
        return numpy.load(file)


def plot(*folders, out=None, **options):
    """Plots observables over time, or means of sweeps with their errors. `out` is a file; without it the drawing is given, which notebooks show."""
    words = [_path(one) for one in folders]
    if out is not None:
        _command("plot", *words, *_flags(out=out, **options))
        return os.fspath(out)
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "plot.svg")
        _command("plot", *words, *_flags(out=file, **options))
        with builtins.open(file, encoding="utf-8") as svg:
            return Drawing(svg.read())


class Drawing(str):
    """A drawing as SVG."""

    def _repr_svg_(self):
        return str(self)

    def __repr__(self):
        return f"<drawing, {len(self)} bytes of SVG>"


def overlap(*folders, out=None, **options):
    """Compares saved states of bits in pairs: the matrix, also written to `out`. Keywords are options of the command `overlap`: `field`, `measure`, `between`."""
    import numpy

    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "overlap.npy") if out is None else os.fspath(out)
        _command("overlap", *(_path(one) for one in folders), *_flags(out=file, **options))
        return numpy.load(file)


def info(fractal, rule=None, *, level=None, inputs=None, **options):
    """How large the levels of a fractal are, and what a rule needs there: a dictionary."""
    with _Texts() as texts:
        words = texts.of(fractal, rule)
        return json.loads(_command("info", *words, "--json", *_flags(level=level, input=texts.inputs(inputs), **options), given=texts.given)[0])


def emit(fractal, rule, *, level=None, target="cuda", out=None, **options):
    """The code that a rule on a fractal is compiled to: CUDA C, `ptx`, `rust`, `ir`. `out` is a file; `cubin` needs one."""
    with _Texts() as texts:
        words = texts.of(fractal, rule)
        return _command("emit", *words, *_flags(level=level, target=target, out=out, **options), given=texts.given)[0]


class _Folder:
    """A folder of a run or a sweep; without a path one that goes with its user."""

    def __init__(self, path):
        if path is None:
            own = tempfile.mkdtemp(prefix="squeeze-")
            weakref.finalize(self, shutil.rmtree, own, ignore_errors=True)
            path = os.path.join(own, "folder")
        self.path = os.fspath(path)

    def manifest(self):
        try:
            with builtins.open(os.path.join(self.path, "manifest.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError) as error:
            raise Error(f"{self.path} is no folder of a run or a sweep: {error}", ["write what `out=` was"]) from None


class _Texts:
    """The texts of a fractal and a rule as the command takes them: names, paths, files for the moment, and the standard input."""

    def __enter__(self):
        self._place = tempfile.TemporaryDirectory()
        self.given, self.rule = None, None
        return self

    def __exit__(self, *_):
        self._place.cleanup()

    def of(self, shape, law):
        """The words that name them."""
        words = [self._fractal(shape if isinstance(shape, Fractal) else _found(shape))]
        if law is not None:
            self.rule = law if isinstance(law, Rule) else rule(law)
            # Errors of a traced rule have their places in Python.
            self.rule._resolved()
            words.append("--rule=" + (self.rule.spec or self._file(f"{self.rule.name or 'python'}.rule", self.rule.source)))
        return words

    def _fractal(self, shape):
        if not shape._definitions:
            return shape.spec
        if shape._array is not None:
            import numpy

            numpy.save(os.path.join(self._place.name, "array.npy"), shape._array)
        elif shape._names_files:
            # Read from here, files are found from where Python works.
            self.given = shape._text
            return "-"
        return self._file(f"{shape.name}.fractal", shape._text)

    def _file(self, name, text):
        path = os.path.join(self._place.name, name)
        with builtins.open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def inputs(self, inputs):
        """Values of inputs as files."""
        if not inputs:
            return None
        if self.rule is None:
            raise Error("inputs without a rule", ["write sq.info(fractal, rule, inputs=…)"])
        return _files_of_inputs(self.rule._resolved(), inputs, self._place.name)

    def initial(self, initial):
        """Initial values as files."""
        import numpy

        files, types = {}, _types(self.rule._resolved())
        for name, value in (initial or {}).items():
            # A bond that is kept has a state for each of its offsets.
            name_of_type = name.rpartition(".")[0] or name
            if name_of_type not in types:
                raise unknown("state", name, list(types), KeyError)
            if not isinstance(value, (str, os.PathLike)):
                path = os.path.join(self._place.name, f"initial-{len(files)}.npy")
                numpy.save(path, _array(value, types[name_of_type], name))
                value = path  # noqa: PLW2901
            files[name] = os.fspath(value)
        return files


def _parted(law, params, named):
    """Parameters as settings, and options of the command."""
    known = [name for name, *_ in law._resolved().params]
    for name in params or {}:
        if name not in known and "." not in name:
            raise unknown("parameter", name, known, TypeError)
    settings = {**(params or {}), **{name: value for name, value in named.items() if name in known}}
    return settings, {name: value for name, value in named.items() if name not in known}


def _words(value):
    """A value, or several, as the command takes them."""
    if isinstance(value, range) and value.step == 1 and value:
        return f"{value.start}..{value.stop}"
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple, range)):
        return ",".join(map(_words, value))
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else _text(value)


def _flags(**options):
    """Options of the command: `True` is the flag alone, a dictionary one flag for each entry."""
    words = []
    for name, value in options.items():
        flag = f"--{name.rstrip('_').replace('_', '-')}"
        if isinstance(value, dict):
            words += [f"{flag}={key}={_words(one)}" for key, one in value.items()]
        elif value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words.append(f"{flag}={_words(value)}")
    return words


def _path(what):
    if hasattr(what, "attrs"):
        what = what.attrs.get("folder")
        if what is None:
            raise Error("the sweep has no folder any more", ["give it one: sq.sweep(…, out='binder')"])
    return os.fspath(what)


def _command(*words, given=None):
    """Does what the command does with these words: gives what it prints, and its notes. Errors are exceptions, warnings are Python's."""
    # The package is found where it was found here.
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-m", "squeeze", *words],
        stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONPATH": path, PARENT: str(os.getpid())},
    )
    try:
        printed, said = process.communicate(given)
    except BaseException:
        # It ends on a whole step, and saves it. Two signals within a second are one to it.
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    if process.returncode == 128 + signal.SIGINT or process.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    lines = said.splitlines()
    if process.returncode:
        begin = next((at for at, line in enumerate(lines) if line.startswith("error")), 0)
        help = [line.split("help: ", 1)[1] for line in lines[begin:] if line.startswith("  = help: ")]  # noqa: A001
        told = "\n".join(line for line in lines[begin:] if not line.startswith("  = help: "))
        raise Error(told.removeprefix("error: ") or f"the command ended with {process.returncode}", help)
    for line in lines:
        if line.startswith("warning: "):
            warnings.warn(line.removeprefix("warning: "), stacklevel=3)
    return printed, [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]


def _table(path):
    """The columns of a table, whole numbers as such."""
    import csv

    import numpy

    try:
        with builtins.open(path, encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
    except (OSError, ValueError) as error:
        raise Error(f"there is no table {path}: {error}", ["observables are recorded with `every=`"]) from None

    def column(values):
        for kind in (numpy.int64, numpy.float64):
            try:
                return numpy.array(values, dtype=object).astype(kind)
            except (ValueError, OverflowError):
                continue
        return numpy.array(values)

    columns = zip(*rows) if rows else [()] * len(names)
    return _lists({name: column(values) for name, values in zip(names, columns)})


def _lists(columns):
    """Columns `q[0]`, `q[1]`, … together."""
    import numpy

    found = {}
    for name, values in columns.items():
        found.setdefault(name.split("[")[0], []).append(values)
    return {name: values[0] if f"{name}[0]" not in columns else numpy.stack(values, axis=-1) for name, values in found.items()}


def _dataset(folders, notes):
    """Rows of the command's results as arrays over what has several values."""
    import numpy

    rows = []
    for found in folders:
        more = {"folder": found["folder"]} if len(folders) > 1 else {}
        rows += [({**more, **row["params"]}, row) for row in found["rows"]]
    names = list(dict.fromkeys(name for params, _ in rows for name in params))
    coords = {name: list(dict.fromkeys(params.get(name) for params, _ in rows)) for name in names}
    count = 1
    for values in coords.values():
        count *= len(values)
    attrs = {"folder": folders[0]["folder"], "notes": notes}
    if count == len(rows):
        dims, extra = names, {}
        places = [tuple(coords[name].index(params[name]) for name in names) for params, _ in rows]
    else:
        # They vary together.
        dims, extra = ["point"], {name: numpy.array([params.get(name) for params, _ in rows]) for name in names}
        coords, places = {"point": list(range(len(rows)))}, [(at,) for at in range(len(rows))]
    shape = [len(coords[name]) for name in dims]
    arrays, axes = {}, {}

    def put(name, place, numbers):
        if name not in arrays:
            arrays[name] = numpy.full([*shape, *numbers.shape], numpy.nan)
            axes[name] = [*dims, *(f"{name.removesuffix('_error').removesuffix('_tau')}_index" for _ in numbers.shape)]
        arrays[name][place] = numbers

    for place, (_, row) in zip(places, rows):
        for ending, key in (("", "mean"), ("_error", "error"), ("_tau", "tau")):
            found = _lists({name: numpy.array(numpy.nan if told.get(key) is None else told[key], float) for name, told in row["observables"].items()})
            for name, numbers in found.items():
                put(name + ending, place, numbers)
        put("n", place, numpy.array(row["n"]))
    if "n" in arrays:
        arrays["n"] = arrays["n"].astype(int)
    coords = {name: numpy.array(coords[name]) for name in dims}
    try:
        import xarray
    except ImportError:
        return Dataset({**arrays, **extra}, dims, coords, attrs)
    data = {name: (axes[name], array) for name, array in arrays.items()}
    return xarray.Dataset(data, {**coords, **{name: (dims, values) for name, values in extra.items()}}, attrs)
