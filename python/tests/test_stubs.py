"""What editors and checkers of types are told of the package: that it is so, and that nothing public lacks words."""

import inspect
import os
import subprocess
import sys

import pytest

import squeeze as sq
from squeeze import _library


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
def test_stubs_are_those_of_the_package(tmp_path):
    pytest.importorskip("mypy")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MYPY_CACHE_DIR": os.devnull}
    words = [sys.executable, "-m", "mypy.stubtest", "squeeze", "--concise"]
    told = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
def test_all_that_is_public_has_words():
    silent = []
    for name in [*sq.__all__, "abs", "enum", "input", "masks", "max", "min", "open", "pow", "round"]:
        found = getattr(sq, name)
        if not inspect.isroutine(found) and not isinstance(found, type):
            continue
        silent += [] if found.__doc__ else [name]
        for member, value in vars(found).items() if isinstance(found, type) else ():
            of = value.fget if isinstance(value, property) else value
            if not member.startswith("_") and (inspect.isroutine(of) or isinstance(value, property)) and not of.__doc__:
                silent.append(f"{name}.{member}")
    assert silent == []
