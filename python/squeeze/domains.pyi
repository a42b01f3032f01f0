from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

from numpy.typing import ArrayLike

from .language import _AnyNeighbourhood
from .symbols import _Value

#: What stands for a fractal: itself, the name of one that ships, a path, or a text.
_AnyFractal: TypeAlias = Fractal | str | PathLike[str]

class Fractal:
    name: str | None
    spec: str | None
    def __init__(
        self, name: str | None, definitions: Sequence[str] = (), spec: str | None = None, uses: Sequence[str] = (), array: Any = None
    ) -> None: ...
    @property
    def source(self) -> str | None: ...
    def __getstate__(self) -> dict[str, Any]: ...

class Kept:
    text: str
    def __init__(self, text: str) -> None: ...

def largest(neighbourhood: _AnyNeighbourhood) -> Kept: ...
def spanning(axis: str) -> Kept: ...

inverted: Kept

def fractal(
    what: _AnyFractal | None = None,
    *,
    name: str = "shape",
    pattern: str | Sequence[Any] | ArrayLike | None = None,
    replicas: Iterable[int | tuple[int, ...]] | None = None,
    scale: int | Sequence[int] | None = None,
    dimension: int | None = None,
    levels: Sequence[Any] | None = None,
    seed: int | None = None,
    doc: str | None = None,
) -> Fractal: ...
def domain(
    fractal: _AnyFractal | None = None,
    *,
    size: Sequence[int] | Literal["inputs"] | None = None,
    mask: str | PathLike[str] | None = None,
    above: int | None = None,
    below: int | None = None,
    cells: _Value | Callable[[Any], _Value] | None = None,
    params: Mapping[str, bool | int | float] | None = None,
    seed: int | None = None,
    keep: Kept | Sequence[Kept] = (),
    periodic: bool | str = False,
    edge: Mapping[str, _Value] | None = None,
    name: str = "shape",
    doc: str | None = None,
) -> Fractal: ...
def mask(places: str | PathLike[str] | ArrayLike, **settings: Any) -> Fractal: ...
def box(width: int, height: int, depth: int | None = None, **settings: Any) -> Fractal: ...
def torus(width: int, height: int, depth: int | None = None, **settings: Any) -> Fractal: ...
