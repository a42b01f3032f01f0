"""The notebooks of the manual run from a fresh kernel, and their figures show what they showed."""

import json
import os
import pathlib
import shutil
import sys

import pytest

from squeeze import _library

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "notebooks"
HERE = pathlib.Path(__file__).parent / "notebooks"
NAMES = ["binder_crossing", "first_steps", "heat_in_a_rock", "own_automaton"]
#: What a kernel does before the cells of a notebook: figures stay open.
BEFORE = "%config InlineBackend.close_figures = False"
#: What it prints behind them: the data of all figures, and digests.
BEHIND = """
import json, hashlib
import numpy as np
import matplotlib.pyplot as plt

def told(array):
    array = np.ma.filled(np.ma.asarray(array).astype(float), np.nan)
    few = array if array.size <= 40 else array.reshape(-1)[:: max(array.size // 40, 1)]
    return {"shape": list(array.shape), "sum": float(np.nansum(array)), "some": [None if np.isnan(one) else float(one) for one in few.reshape(-1)]}

found = []
for number in plt.get_fignums():
    for ax in plt.figure(number).axes:
        found += [{"title": ax.get_title(), "x": told(line.get_xdata()), "y": told(line.get_ydata())} for line in ax.lines]
        found += [{"title": ax.get_title(), "image": told(image.get_array())} for image in ax.images]
names = {name: value for name, value in globals().items() if type(value).__name__ in ("Simulation", "Run")}
digests = {name: value.digest() if callable(value.digest) else value.digest for name, value in sorted(names.items()) if not name.startswith("_")}
print(json.dumps({"figures": found, "digests": digests}))
"""


def near(found, expected):
    """Whether what figures show is what they showed, up to the last digits of what is computed from states."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(near(found[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(near, found, expected))
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    return found == expected


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
# By day every second one.
@pytest.mark.parametrize("name", NAMES if os.environ.get("SQUEEZE_ALL_CASES") else NAMES[::2])
def test_notebook(name, tmp_path, tmp_path_factory, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    for needed in ("ipykernel", "matplotlib", "pandas", "xarray"):
        pytest.importorskip(needed)
    if not FOLDER.exists():
        pytest.skip("the sources are not here")
    for file in FOLDER.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    # Nothing of the user's; what matplotlib finds out of fonts serves all notebooks.
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(variable, str(tmp_path_factory.getbasetemp() / variable))
    book = nbformat.read(tmp_path / f"{name}.ipynb", as_version=4)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in book.cells), "its outputs are not kept"
    before, behind = (nbformat.v4.new_code_cell(code) for code in (BEFORE, BEHIND))
    book.cells = [before, *book.cells, behind]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    (printed,) = [output.text for output in book.cells[-1].outputs if output.output_type == "stream"]
    found = json.loads(printed)
    drawn = [
        output
        for cell in book.cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {}) or "image/gif" in output.get("data", {})
    ]
    assert drawn
    golden = HERE / f"{name}.json"
    if os.environ.get("SQUEEZE_UPDATE"):
        golden.write_text(json.dumps(found, indent=1) + "\n")
    assert near(found, json.loads(golden.read_text()))


def test_all_notebooks_are_here():
    if not FOLDER.exists():
        pytest.skip("the sources are not here")
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES
