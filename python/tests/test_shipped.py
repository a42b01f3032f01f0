"""Every shipped rule is written in Python too; the traced text gives the digests and observables of the shipped one."""

import importlib.util
import json
import os
import pathlib

import pytest

import squeeze as sq
from squeeze import _library

HERE = pathlib.Path(__file__).parent
SHIPPED = HERE.parents[1] / "rules"
NAMES = sorted(path.stem for path in (HERE / "rules").glob("*.py"))
#: Where the command runs them; others are simulated below.
DOMAINS = {"sierpinski_carpet -l 3": 27, "menger_sponge -l 2": 9}
#: By day each rule is run by the command, or on all backends.
BY_DAY = not os.environ.get("SQUEEZE_ALL_CASES")
#: Rules that read two texts.
OF_TEXTS = ["lcs", "lcs_bits", "needleman_wunsch", "smith_waterman"]


def texts(width, height):
    """Two texts of these lengths."""
    return {"a": bytes(b"ACGT"[n * n % 4] for n in range(width)), "b": bytes(b"GACT"[n * n * n % 7 % 4] for n in range(height))}


def traced(name):
    spec = importlib.util.spec_from_file_location(f"traced_{name}", HERE / "rules" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_all_shipped_rules_are_here():
    if not SHIPPED.is_dir():
        pytest.skip("the sources are not here")
    # Bonds and clusters have tests of their own.
    shipped = {path.stem for path in SHIPPED.rglob("*.rule") if "\n    bond " not in path.read_text()}
    assert set(NAMES) == shipped


def told(squeeze, domain, rule, file, flags, inputs):
    """Digests and observables of a traced rule as the command tells them; by the command where there is no extension module."""
    if _library._native is None:
        return squeeze.run(domain, file, *flags)
    fractal, level = domain.split(" -l ")
    sim = sq.Simulation(fractal, rule, level=int(level), seed=3, backend="cpu", threads=1, inputs=inputs)
    sim.step(12)
    observables = json.loads(json.dumps(sim.observe()), parse_constant=lambda value: {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[value])
    return {"digest": sim.digest(), "observables": observables}


def test_no_rule_has_warnings(squeeze):
    files = [squeeze.file(f"{name}.rule", traced(name).source) for name in NAMES]
    squeeze.text("check", "--deny", "warnings", *map(str, files))


@pytest.mark.parametrize("name", NAMES[::2] if BY_DAY else NAMES)
def test_digests(name, squeeze):
    rule = traced(name)
    file = squeeze.file(f"{name}.rule", rule.source)
    compared = 0
    for domain, side in DOMAINS.items():
        flags, inputs = ["-n", "12", "-s", "3"], texts(side, side) if name in OF_TEXTS else {}
        for key, text in inputs.items():
            flags += ["--input", f"{key}={squeeze.file(f'{key}.txt', text.decode())}"]
        try:
            expected = squeeze.run(domain, name, *flags)
        except RuntimeError as refused:
            # A rule of three dimensions in the plane.
            with pytest.raises((RuntimeError, sq.Error)):
                told(squeeze, domain, rule, file, flags, inputs)
            assert "3-D" in str(refused), refused
            continue
        assert told(squeeze, domain, rule, file, flags, inputs) == expected, domain
        compared += 1
    assert compared


def results(domain, level, sides, name, rule, backend):
    """Digests and observables after some steps; `None` if the domain has too few dimensions."""
    try:
        inputs = texts(*sides) if name in OF_TEXTS else None
        sim = sq.Simulation(domain, rule, level=level, seed=3, backend=backend, threads=1, inputs=inputs)
    except sq.Error as refused:
        assert "3-D" in str(refused), refused
        return None
    sim.step(12)
    return sim.digest(), sim.observe()


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
@pytest.mark.parametrize("name", NAMES[1::2] if BY_DAY else NAMES)
def test_backends(name):
    rule = traced(name)
    domains = [
        (sq.fractal("sierpinski_carpet"), 3, (27, 27)),
        (sq.torus(36, 24), None, (36, 24)),
        (sq.box(9, 8, 10, periodic="x"), None, (9, 8)),
    ]
    if BY_DAY:
        # One by turns; of rules that the plane refuses the box.
        domains = [domains[NAMES.index(name) % 3], domains[2]]
    found = []
    for domain in domains:
        same = [results(*domain, name, one, backend) for one in (name, rule) for backend in ("cpu", "reference")]
        assert same == same[:1] * 4
        found.append(same)
        if BY_DAY and same[0] is not None:
            break
    assert any(same[0] is not None for same in found)
