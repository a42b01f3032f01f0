"""Masks as data: how many cells, and arrays that hold the values of the cells alone. The command `squeeze mask` does the work."""

import json
import os
import tempfile

from .domains import Fractal, mask
from .runs import _command, _flags, _Texts


def info(of):
    """What there is to know of a mask: a dictionary with its sides, cells, density, connected components, and the bytes of each encoding.

    A mask is a box or mask of `sq.box`, `sq.mask` and the like, the path of a picture, an array or a pattern, or an array of bits [y, x] or [z, y, x].
    Errors of the command are `sq.Error`.
    """
    with _Texts() as texts:
        word = _word(texts, of)
        found = json.loads(_command("mask", "info", word, "--json", given=texts.given)[0])
    del found["mask"]
    return found


def pack(of, array, out=None, *, backend=None):
    """The values of an array at the cells of a mask, in reading order: one for each cell, by its canonical index.

    The array, or the path of an `.npy`, has the shape of the mask, [y, x] or [z, y, x], and any type of plain numbers. `out` is a file to write, whose path is
    given; without it the values are, as an array. `backend` is cpu or cuda. Another shape raises `sq.Error`.
    """
    return _moved("pack", of, array, out, backend=backend)


def unpack(of, cells, out=None, *, hole=0, backend=None):
    """An array with the shape of a mask, [y, x] or [z, y, x]: at its cells these values, one for each in reading order, elsewhere `hole`.

    `hole` is a number of the type of the values: `hole=float("nan")` for floats. The other arguments are those of `pack`.
    """
    return _moved("unpack", of, cells, out, hole=repr(hole) if isinstance(hole, float) else str(hole), backend=backend)


def _moved(what, of, array, out, **options):
    import numpy

    with _Texts() as texts, tempfile.TemporaryDirectory() as folder:
        given = array
        if not isinstance(array, (str, os.PathLike)):
            given = os.path.join(folder, "given.npy")
            numpy.save(given, numpy.asarray(array))
        file = os.path.join(folder, "moved.npy") if out is None else os.fspath(out)
        _command("mask", what, _word(texts, of), os.fspath(given), *_flags(out=file, **options), given=texts.given)
        return numpy.load(file) if out is None else file


def _word(texts, of):
    """A mask as the command takes it."""
    return texts.of(of if isinstance(of, (str, os.PathLike, Fractal)) else mask(of), None)[0]
