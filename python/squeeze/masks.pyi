from os import PathLike
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from .domains import Fractal

#: What stands for a mask: a box or a mask, the path of a picture, an array or a pattern, or an array of bits.
_AnyMask: TypeAlias = Fractal | str | PathLike[str] | ArrayLike

def info(of: _AnyMask) -> dict[str, Any]: ...
def pack(of: _AnyMask, array: ArrayLike | str | PathLike[str], out: str | PathLike[str] | None = None, *, backend: str | None = None) -> Any: ...
def unpack(
    of: _AnyMask,
    cells: ArrayLike | str | PathLike[str],
    out: str | PathLike[str] | None = None,
    *,
    hole: bool | int | float | complex = 0,
    backend: str | None = None,
) -> Any: ...
