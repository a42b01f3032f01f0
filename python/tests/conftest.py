"""The command, by which traced texts are run."""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The package that is installed, or the sources.
if importlib.util.find_spec("squeeze") is None:
    sys.path.insert(0, str(ROOT / "python"))

# A shell starts what runs in its background with interrupts ignored: tests that wait for their own would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

try:
    from hypothesis import settings
except ImportError:
    pass
else:
    settings.register_profile("few", max_examples=25, deadline=None, derandomize=True, database=None)
    settings.register_profile("nightly", max_examples=4000, deadline=None)
    settings.load_profile("few")


def command():
    """The command: $SQUEEZE, that of the package, or that of a build of the sources."""
    from squeeze import _library

    if os.environ.get("SQUEEZE"):
        return [os.environ["SQUEEZE"]]
    if _library._native is not None:
        return [sys.executable, "-m", "squeeze"]
    for path in (ROOT / "target" / "release" / "squeeze", ROOT / "target" / "debug" / "squeeze"):
        if path.exists():
            return [str(path)]
    return None


class Squeeze:
    """Runs the command."""

    def __init__(self, words, folder):
        self.words, self.folder = words, folder

    def started(self, *arguments, given=None):
        """The end of the command with these arguments."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        words = [*self.words, *arguments]
        return subprocess.run(words, input=given, capture_output=True, text=True, cwd=self.folder, env=environment, check=False)

    def text(self, *arguments, given=None):
        """What it prints; raises what it says if it fails."""
        found = self.started(*arguments, given=given)
        if found.returncode:
            raise RuntimeError(found.stderr or found.stdout)
        return found.stdout

    def run(self, fractal, rule, *arguments):
        """The result of a run: its digests and observables."""
        told = json.loads(self.text("run", *fractal.split(), "-r", str(rule), "--threads", "1", "--backend", "cpu", "--json", *arguments))
        return {"digest": told["digest"], "observables": told.get("observables")}

    def file(self, name, text):
        """A file with a text."""
        path = self.folder / name
        path.write_text(text)
        return path

    def errors(self, text):
        """The errors of a text as values."""
        path = self.file("wrong.rule", text)
        return json.loads(self.started("check", "--json", str(path)).stdout)


@pytest.fixture
def squeeze(tmp_path):
    words = command()
    if words is None:
        pytest.skip("there is no command: build it, or set $SQUEEZE")
    return Squeeze(words, tmp_path)
