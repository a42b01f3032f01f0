"""The rules of the manual's chapter on Python give the texts that stand below them."""

import pathlib
import re

import pytest

import squeeze as sq

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "src" / "python.md"


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
