"""Every shipped rule is written in Python too; the traced text gives the digests and observables of the shipped one."""

import importlib.util
import pathlib

import pytest

import squeeze as sq
from squeeze import _library

HERE = pathlib.Path(__file__).parent
SHIPPED = HERE.parents[1] / "rules"
NAMES = sorted(path.stem for path in (HERE / "rules").glob("*.py"))
#: Where the command runs them; others are simulated below.
DOMAINS = ["sierpinski_carpet -l 3", "menger_sponge -l 2"]
#: Rules that Python cannot say yet, and why.
NOT_YET = dict.fromkeys(
    ["dither", "exponential_filter", "gauss_seidel", "geodesic", "lcs", "lcs_bits", "needleman_wunsch", "smith_waterman", "sor", "space_time", "tasep"],
    "its inputs have no words in Python, or it is not written in Python yet",
)


def traced(name):
    spec = importlib.util.spec_from_file_location(f"traced_{name}", HERE / "rules" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_all_shipped_rules_are_here():
    if not SHIPPED.is_dir():
        pytest.skip("the sources are not here")
    shipped = {path.stem for path in SHIPPED.rglob("*.rule")}
    assert set(NAMES) <= shipped
    assert shipped - set(NAMES) <= set(NOT_YET)


@pytest.mark.parametrize("name", NAMES)
def test_digests(name, squeeze):
    rule = traced(name)
    file = squeeze.file(f"{name}.rule", rule.source)
    squeeze.text("check", "--deny", "warnings", str(file))
    compared = 0
    for domain in DOMAINS:
        try:
            expected = squeeze.run(domain, name, "-n", "12", "-s", "3")
        except RuntimeError as refused:
            # A rule of three dimensions in the plane.
            with pytest.raises(RuntimeError):
                squeeze.run(domain, file, "-n", "12", "-s", "3")
            assert "3-D" in str(refused), refused
            continue
        assert squeeze.run(domain, file, "-n", "12", "-s", "3") == expected, domain
        compared += 1
    assert compared


def results(domain, level, rule, backend):
    """Digests and observables after some steps; `None` if the domain has too few dimensions."""
    try:
        sim = sq.Simulation(domain, rule, level=level, seed=3, backend=backend, threads=1)
    except sq.Error as refused:
        assert "3-D" in str(refused), refused
        return None
    sim.step(12)
    return sim.digest(), sim.observe()


@pytest.mark.skipif(_library._native is None, reason="the extension module is not built")
@pytest.mark.parametrize("name", NAMES)
def test_backends(name):
    rule = traced(name)
    domains = [(sq.fractal("sierpinski_carpet"), 3), (sq.torus(36, 24), None), (sq.box(9, 8, 10, periodic="x"), None)]
    found = [[results(*domain, one, backend) for one in (name, rule) for backend in ("cpu", "reference")] for domain in domains]
    for same in found:
        assert same == same[:1] * 4
    assert any(same[0] is not None for same in found)
