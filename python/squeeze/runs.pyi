from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self, TypeAlias

from numpy.typing import ArrayLike, NDArray

from .domains import _AnyFractal
from .rules import _AnyRule
from .simulation import Series, _InputValues, _Setting

#: What stands for the folder of a run or a sweep.
_AnyFolder: TypeAlias = str | PathLike[str] | Run | Sweep
#: One value, or several.
_Values: TypeAlias = Any

def run(
    fractal: _AnyFractal,
    rule: _AnyRule | type,
    *,
    steps: int,
    level: int | None = None,
    seed: int = 0,
    disorder: int | None = None,
    every: int | None = None,
    out: str | PathLike[str] | None = None,
    devices: Sequence[int] | str | None = None,
    params: Mapping[str, _Setting] | None = None,
    initial: Mapping[str, ArrayLike | str | PathLike[str]] | None = None,
    inputs: Mapping[str, _InputValues] | None = None,
    **named: Any,
) -> Run: ...
def sweep(
    fractal: _AnyFractal,
    rule: _AnyRule | type,
    *,
    steps: int,
    level: _Values = None,
    seeds: int | Sequence[int] = 1,
    disorder: _Values = None,
    every: int | None = None,
    discard: int | str | None = None,
    exchange: str | None = None,
    exchange_every: int | None = None,
    out: str | PathLike[str] | None = None,
    devices: Sequence[int] | str | None = None,
    params: Mapping[str, _Values] | None = None,
    initial: Mapping[str, ArrayLike | str | PathLike[str]] | None = None,
    inputs: Mapping[str, _InputValues] | None = None,
    **named: Any,
) -> Any: ...
def open(folder: str | PathLike[str]) -> Any: ...

class Run:
    def __init__(self, folder: Any) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def manifest(self) -> dict[str, Any]: ...
    @property
    def observables(self) -> Series: ...
    @property
    def digest(self) -> dict[str, str] | None: ...
    @property
    def steps(self) -> list[int]: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def state(self, name: str, step: int | None = None) -> NDArray[Any]: ...
    def to_xarray(self) -> Any: ...
    def resume(self, to: int | None = None, *, backend: str | None = None, threads: int | None = None, **options: Any) -> Self: ...
    def __fspath__(self) -> str: ...

class Sweep:
    def __init__(self, folder: Any) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def manifest(self) -> dict[str, Any]: ...
    @property
    def dataset(self) -> Any: ...
    def table(self, name: str) -> Table: ...
    def resume(self, *, backend: str | None = None, threads: int | None = None, **options: Any) -> Self: ...
    def __fspath__(self) -> str: ...

def analyse(
    *folders: Any,
    binder: Mapping[str, str] | None = None,
    fluctuation: Mapping[str, str] | None = None,
    discard: int | str | None = None,
    only: _Values = None,
    reweight: Mapping[str, Any] | str | None = None,
    **options: Any,
) -> Analysis: ...

class Analysis:
    dataset: Any
    notes: list[str]
    def __init__(self, folders: Sequence[str], options: Mapping[str, Any]) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def crossing(self, name: str, **options: Any) -> list[dict[str, Any]]: ...
    def maximum(self, name: str, **options: Any) -> list[dict[str, Any]]: ...
    def collapse(self, name: str, nu: float, gamma: float, **options: Any) -> list[dict[str, Any]]: ...
    def power_law(self, name: str, **options: Any) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def plot(self, name: str, x: str, hue: str | None = None, ax: Any = None) -> Any: ...

class Table(dict[str, NDArray[Any]]):
    def to_pandas(self) -> Any: ...

class Dataset(dict[str, NDArray[Any]]):
    dims: list[str]
    coords: dict[str, NDArray[Any]]
    attrs: dict[str, Any]
    def __init__(self, arrays: Mapping[str, NDArray[Any]], dims: list[str], coords: dict[str, NDArray[Any]], attrs: dict[str, Any]) -> None: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def to_pandas(self) -> Any: ...

def export(folder: Any, out: str | PathLike[str] | None = None, **options: Any) -> Any: ...
def plot(*folders: Any, out: str | PathLike[str] | None = None, **options: Any) -> Any: ...

class Drawing(str): ...

def overlap(*folders: Any, out: str | PathLike[str] | None = None, **options: Any) -> NDArray[Any]: ...
def info(
    fractal: _AnyFractal,
    rule: _AnyRule | type | None = None,
    *,
    level: int | None = None,
    inputs: Mapping[str, _InputValues] | None = None,
    **options: Any,
) -> dict[str, Any]: ...
def emit(
    fractal: _AnyFractal,
    rule: _AnyRule | type,
    *,
    level: int | None = None,
    target: str = "cuda",
    out: str | PathLike[str] | None = None,
    **options: Any,
) -> str: ...
