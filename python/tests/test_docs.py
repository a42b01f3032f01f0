"""The rules of the manual's chapter on Python give the texts that stand below them."""

import pathlib
import re

import pytest

import squeeze as sq
from squeeze import _library

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "src" / "python.md"


def test_rules_of_the_manual(squeeze):
    if not PAGE.exists():
        pytest.skip("the sources are not here")
    pairs = re.findall(r"```python\n((?:(?!```).)*@sq\.rule(?:(?!```).)*)```\n\n```squeeze\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert pairs
    for code, text in pairs:
        names = {"sq": sq, "print": lambda *_: None}
        exec(compile(code, "<manual>", "exec"), names)  # noqa: S102
        (rule,) = [one for one in names.values() if isinstance(one, sq.Rule)]
        assert squeeze.text("fmt", str(squeeze.file("traced.rule", rule._text))) == text


def test_fractals_of_the_manual(squeeze):
    if not PAGE.exists():
        pytest.skip("the sources are not here")
    (code,) = re.findall(r"```python\n(carpet = .*?)```", PAGE.read_text(), re.DOTALL)
    lines = [line for line in code.splitlines() if not line.startswith("rock")]
    names = {"sq": sq}
    exec(compile("\n".join(lines), "<manual>", "exec"), names)  # noqa: S102
    shapes = {name: one for name, one in names.items() if isinstance(one, sq.Fractal) and one._definitions}
    assert len(shapes) == 5
    for name, shape in shapes.items():
        squeeze.text("check", str(squeeze.file(f"{name}.fractal", shape._text)))


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
def test_the_readme(capsys):
    pytest.importorskip("numpy")
    if not PAGE.exists():
        pytest.skip("the sources are not here")
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    names = {}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102
    assert names["sim"].time == 1000
    assert names["means"]["m2"].shape == (2, 2)
    assert names["sim"].digest()["up"] in capsys.readouterr().out


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
def test_inputs_of_the_manual(tmp_path, monkeypatch):
    pytest.importorskip("numpy")
    if not PAGE.exists():
        pytest.skip("the sources are not here")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.fa").write_text(">one\nTACGATA\nCA\n")
    (code,) = re.findall(r"```python\n(@sq\.rule\nclass common:.*?)```", PAGE.read_text(), re.DOTALL)
    names = {"sq": sq}
    exec(compile(code, "<manual>", "exec"), names)  # noqa: S102
    names["sim"].step()
    assert names["sim"].observe() == {"most": 6}


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
def test_runs_of_the_manual(tmp_path, monkeypatch):
    pytest.importorskip("xarray")
    if not PAGE.exists():
        pytest.skip("the sources are not here")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(run = .*?)```", PAGE.read_text(), re.DOTALL)
    names = {"sq": sq}
    exec(compile(code, "<manual>", "exec"), names)  # noqa: S102
    assert names["run"].steps[-1] == 2000
    assert "u_error" in names["u"].dataset
