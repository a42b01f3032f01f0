"""Opens what a run left with the libraries that people use, and compares digests.

Usage: check.py FOLDER, with runs and exports as crates/cli/tests/python.rs makes them.
"""

import json
import sys
from pathlib import Path

import numpy
import scipy.sparse
import scipy.sparse.csgraph
import zarr
from PIL import Image
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader

MASK = (1 << 64) - 1


def mix(v):
    v = v + numpy.uint64(0x9E3779B97F4A7C15)
    v = (v ^ (v >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return v ^ (v >> numpy.uint64(31))


def digest(values):
    bits = values.view({1: "u1", 4: "<u4", 8: "<u8"}[values.dtype.itemsize]).astype("<u8")
    cells = numpy.arange(len(bits), dtype="<u8")
    return f"{int(mix(mix(cells) ^ bits).sum(dtype='<u8')) & MASK:016x}"


def values_of(array):
    about = array.attrs["squeeze"]
    values = array[:]
    if about["type"] == "bit":
        values = numpy.unpackbits(values, bitorder="little")[: about["cells"]]
    assert len(values) == about["cells"]
    return values


def check_run(run):
    result = json.loads((run / "manifest.json").read_text())["result"]
    group = zarr.open_group(str(run / "states" / f"{result['step']}.zarr"), mode="r")
    assert dict(group.attrs)["squeeze"]["step"] == result["step"]
    for name, expected in result["digest"].items():
        assert digest(values_of(group[name])) == expected, (run, name)
    return result["digest"], {name: values_of(group[name]) for name in result["digest"]}


def check_exports(folder):
    digests, values = check_run(folder / "flat")
    whole = numpy.load(folder / "v.npy")
    assert digest(whole) == digests["v"] and (whole == values["v"]).all()
    window = numpy.load(folder / "window.npy")
    assert window.shape == (20, 30) and window.dtype == numpy.float32
    holes = numpy.isnan(window)
    assert holes.any() and not holes.all()

    reader = vtkXMLImageDataReader()
    reader.SetFileName(str(folder / "window.vti"))
    reader.Update()
    image = reader.GetOutput()
    assert reader.GetErrorCode() == 0 and image.GetExtent() == (5, 35, 7, 27, 0, 1), image.GetExtent()
    v = vtk_to_numpy(image.GetCellData().GetArray("v")).reshape(20, 30)
    assert numpy.array_equal(v, window, equal_nan=True)
    ghosts = vtk_to_numpy(image.GetCellData().GetArray("vtkGhostType")).reshape(20, 30)
    assert ((ghosts == 32) == holes).all() and (ghosts[~holes] == 0).all()

    reader.SetFileName(str(folder / "solid.vti"))
    reader.Update()
    solid = reader.GetOutput()
    ghosts = vtk_to_numpy(solid.GetCellData().GetArray("vtkGhostType"))
    assert solid.GetNumberOfCells() == 9**3 and (ghosts == 0).sum() == 400

    picture = Image.open(folder / "window.png").convert("RGB")
    assert picture.size[0] == 30 * 8 and picture.getpixel((0, 0)) is not None
    white = numpy.asarray(picture)[4 : 20 * 8 : 8, 4::8].min(axis=2) == 255
    assert (white == holes).all()
    frames = Image.open(folder / "flat" / "animation.gif")
    assert frames.n_frames == 4, frames.n_frames
    frames.seek(3)
    frames.convert("RGB")

    csr = scipy.sparse.load_npz(folder / "cells.npz")
    csr.check_format(full_check=True)
    assert csr.shape == (len(whole), len(whole)) and (csr.data == 1).all()
    degrees = numpy.diff(csr.indptr)
    assert degrees.min() >= 0 and degrees.max() <= 4
    assert (csr != csr.T).nnz == 0, "neighbours are mutual"
    components, _ = scipy.sparse.csgraph.connected_components(csr, directed=False)
    assert components == 1, "the carpet hangs together"


def write_first_values(folder):
    """Values for `--init`, made by numpy and zarr, and the digests that they must give."""
    random = numpy.random.default_rng(5)
    cells = 8**3
    u = random.random(cells, dtype=numpy.float32)
    numpy.save(folder / "u.npy", u)
    v = random.random(cells, dtype=numpy.float32)
    # In shards, packed by gzip, and with chunks that are not written since they hold the fill value alone.
    v[100:300] = 0.25
    array = zarr.create_array(
        str(folder / "v.zarr"), shape=v.shape, chunks=(50,), shards=(100,), dtype=v.dtype,
        fill_value=0.25, compressors=zarr.codecs.GzipCodec(),
    )
    array[:] = v
    assert not (folder / "v.zarr/c/1").exists()
    alive = random.integers(0, 2, cells).astype(bool)
    numpy.save(folder / "alive.npy", alive)
    expected = {"u": digest(u), "v": digest(v), "alive": digest(alive.view("u1"))}
    (folder / "expected.json").write_text(json.dumps(expected))


def check_stack(folder):
    """All states of a run, with time as an axis."""
    group = zarr.open_consolidated(str(folder / "flat.zarr"), mode="r")
    times = group["time"][:]
    assert list(times) == [0, 50, 90], times
    for row, time in enumerate(times):
        state = zarr.open_group(str(folder / "flat/states" / f"{time}.zarr"), mode="r")
        assert (group["v"][row] == state["v"][:]).all()
    assert group["v"].metadata.dimension_names == ("time", "cell")
    places = numpy.stack([group["x"][:], group["y"][:]], axis=1)
    assert len({tuple(place) for place in places}) == len(places) == group["v"].shape[1]


folder = Path(sys.argv[1])
for run in ["flat", "bits", "kinds", "solid"]:
    check_run(folder / run)
check_exports(folder)
check_stack(folder)
write_first_values(folder)
print("all is well")
