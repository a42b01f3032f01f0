"""Runs, sweeps and analyses by the command, read back as arrays."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import squeeze as sq
from squeeze import _library, runs

if _library._native is None:
    pytest.skip("the extension module is not built", allow_module_level=True)
np = pytest.importorskip("numpy")


@sq.rule
class relax:
    "Relaxation towards the neighbours."

    k = sq.param(0.1, min=0, max=1)
    u = sq.state(sq.f32, init=lambda c: sq.uniform())

    def next(c):
        return {"u": c.u + c.k * c.sum(sq.moore, lambda nb: nb.u - c.u) / 8.0}

    def observe(a):
        return {"total": a.sum("u"), "both": [a.min("u"), a.max("u")]}


def test_a_run_is_that_of_a_simulation(tmp_path):
    found = sq.run("sierpinski_carpet", relax, level=3, seed=1, k=0.2, steps=20, every=6, out=tmp_path / "run", save_every=10)
    sim = sq.Simulation("sierpinski_carpet", relax, level=3, seed=1, k=0.2)
    series = sim.observe_steps(20, every=6)
    assert found.digest == sim.digest()
    assert (found["u"] == sim["u"]).all()
    assert found.steps == [0, 10, 20]
    for name, values in found.observables.items():
        assert (values == series[name]).all(), name
    assert found.observables["both"].shape == (5, 2)
    again = sq.open(tmp_path / "run").resume(to=30)
    sim.step(10)
    assert again.digest == sim.digest()
    assert (again.state("u", step=10) != again["u"]).any()
    assert sq.export(again, window=(0, 0, 9, 9)).shape == (9, 9)
    assert os.path.getsize(sq.export(again, tmp_path / "last.png", colours="viridis")) > 100
    assert sq.plot(again, only="total").startswith("<svg")
    with pytest.raises(sq.Error, match="no state|did you mean|v"):
        again["v"]


def test_runs_of_all_kinds_of_domains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = np.ones((6, 8), bool)
    places[2:4, 3:5] = False
    np.save("places.npy", places)
    for shape, cells in (
        (sq.torus(9, 7), 63),
        (sq.mask(places), 44),
        (sq.mask("places.npy", periodic="x"), 44),
        (sq.fractal(levels=[sq.fractal(pattern="##\n#.", name="corner"), "vicsek"]), 15),
        ("P5,4", 20),
    ):
        level = {"level": 2} if cells == 15 else {}
        found = sq.run(shape, "life", steps=4, seed=3, **level)
        sim = sq.Simulation(shape, "life", seed=3, **level)
        sim.step(4)
        assert (found["alive"].size, found.digest) == (cells, sim.digest())
    assert sq.info(sq.torus(9, 7), "life")["rule"] == "life"
    assert "__global__" in sq.emit(sq.torus(64, 64), relax)
    assert "fn main" in sq.emit("vicsek", "life", level=4, target="rust")


def test_initial_values(tmp_path):
    values = np.linspace(0.0, 1.0, 512, dtype="f4")
    np.save(tmp_path / "u.npy", values)
    sim = sq.Simulation("sierpinski_carpet", relax, level=3, initial={"u": values})
    sim.step(3)
    for given in (values, values.astype("f8"), tmp_path / "u.npy"):
        assert sq.run("sierpinski_carpet", relax, level=3, steps=3, initial={"u": given}).digest == sim.digest()
    with pytest.raises(KeyError, match="u"):
        sq.run("sierpinski_carpet", relax, level=3, steps=3, initial={"w": values})
    with pytest.raises(sq.Error, match="512"):
        sq.run("sierpinski_carpet", relax, level=3, steps=3, initial={"u": values[1:]})
    with pytest.raises(sq.Error, match="begins with an array"):
        sq.sweep("sierpinski_carpet", relax, level=3, steps=3, initial={"u": values}, out=tmp_path / "sweep")


SWEEP = dict(level=[1, 2], beta=np.array([0.4, 0.8, 1.2]), seeds=8, steps=1000, discard=100, every=5)


def test_sweeps_are_labelled(tmp_path):
    xarray = pytest.importorskip("xarray")
    found = sq.sweep("sierpinski_carpet", "ising", out=tmp_path / "binder", **SWEEP)
    assert isinstance(found, xarray.Dataset)
    assert found.m2.dims == ("level", "beta")
    assert found.beta.values.tolist() == [0.4, 0.8, 1.2]
    assert {"m2_error", "m2_tau", "n"} <= set(found)
    # What the eight spins of level 1 give can be summed: the mean number of pairs that disagree, counted from both sides, at these temperatures.
    states = np.arange(256)[:, None] >> np.arange(8) & 1
    places = [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)]
    pairs = [(a, b) for a in range(8) for b in range(a) if sum(abs(p - q) for p, q in zip(places[a], places[b])) == 1]
    disagree = 2 * sum(states[:, a] != states[:, b] for a, b in pairs)
    for beta in (0.4, 0.8):
        weight = np.exp(-beta * disagree)
        one = found.sel(level=1, beta=beta, method="nearest")
        assert abs(one.disagreements - (disagree * weight).sum() / weight.sum()) < 5 * one.disagreements_error

    analysis = sq.analyse(found, binder={"u": "m"}, fluctuation={"chi": "m"})
    assert analysis["u"].dims == ("level", "beta")
    # Its bias is taken away.
    assert np.allclose(analysis["u"], 1 - found.m4 / (3 * found.m2**2), atol=0.02)
    assert "chi_error" in analysis.dataset
    (crossing,) = analysis.crossing("u")
    assert crossing["parameter"] == "beta"
    table = analysis.to_pandas()
    assert table.index.names == ["level", "beta"]
    assert list(sq.open(tmp_path / "binder").table("members"))[:2] == ["member", "seed"]
    assert sq.open(tmp_path / "binder").resume().dataset.m2.equals(found.m2)
    assert pickle.loads(pickle.dumps(found)).equals(found)
    both = sq.analyse(tmp_path / "binder", tmp_path / "binder")
    assert both["m2"].dims == ("folder", "level", "beta") or both["m2"].dims == ("point",)
    with pytest.raises(KeyError, match="did you mean|known here"):
        analysis.plot("u", x="betta")
    pyplot = pytest.importorskip("matplotlib").use("Agg") or pytest.importorskip("matplotlib.pyplot")
    axes = analysis.plot("u", x="beta", hue="level")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["level = 1", "level = 2"]
    assert axes.containers[0].lines[0].get_ydata().tolist() == analysis["u"].sel(level=1).values.tolist()
    pyplot.close("all")


def test_curves_between_members(tmp_path):
    pytest.importorskip("xarray")
    found = sq.sweep(
        "sierpinski_carpet", "ising", level=1, beta=np.array([0.4, 0.5]), seeds=8, steps=2000, discard=100, every=5, out=tmp_path / "ring"
    )
    curves = sq.analyse(found, only=["disagreements"], fluctuation={"c": "disagreements"}, reweight={"beta": [0.42, 0.45, 0.48]})
    assert curves["disagreements"].dims == ("beta",)
    # Level 1 is a ring of eight spins: of each pair of neighbours the mean product is (t + t^7) / (1 + t^8), where t = tanh(beta).
    t = np.tanh(curves["beta"].values)
    exact = 8 * (1 - (t + t**7) / (1 + t**8))
    assert (abs(curves["disagreements"] - exact) < 5 * curves["disagreements_error"]).all()
    (greatest,) = curves.maximum("c")
    assert greatest["at"] is None and greatest["why"].startswith("it is greatest at the"), greatest
    with pytest.raises(sq.Error, match="independent samples"):
        sq.analyse(found, only="m2", reweight={"beta": [-4.0]})


def test_sweeps_without_xarray(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    found = sq.sweep("sierpinski_carpet", "ising", **{**SWEEP, "steps": 200, "discard": 0})
    assert isinstance(found, runs.Dataset)
    assert found["m2"].shape == (2, 3)
    assert found["beta"].tolist() == [0.4, 0.8, 1.2]
    assert found.dims == ["level", "beta"]
    pytest.importorskip("pandas")
    assert found.to_pandas().loc[(2, 0.8), "m2"] == found["m2"][1, 1]
    with pytest.raises(sq.Error, match="no folder"):
        sq.analyse(found)


def test_sweeps_of_one_point_of_pairs_and_of_lists():
    one = sq.sweep("sierpinski_carpet", relax, level=2, seeds=4, steps=20, every=5)
    assert one["total"].shape == ()
    assert one["both"].shape == (2,)
    pairs = sq.sweep("sierpinski_carpet", "heat", level=2, alpha=[0.1, 0.2], hot=[500.0, 1000.0], seeds=[3], steps=20, zip=True)
    assert pairs["total"].shape == (2,)
    assert pairs["alpha"].shape == (2,)
    alone = sq.sweep("sierpinski_carpet", "greenberg_hastings", level=2, steps=8, seeds=range(2, 5))
    assert set(alone["n"].shape) == set()


def test_members_exchange_their_states(tmp_path):
    found = sq.sweep(
        "sierpinski_carpet", "ising", level=1, beta=[0.5, 0.4, 0.3], seeds=2, steps=60, every=5, exchange="beta", exchange_every=5, out=tmp_path / "ladders"
    )
    assert found["m2"].shape == (3,)
    folder = sq.open(tmp_path / "ladders")
    assert folder.table("members")["key"].tolist() == [2 << 32, (2 << 32) + 1, 1 << 32, (1 << 32) + 1, 0, 1]
    pairs, replicas = folder.table("exchange"), folder.table("replicas")
    assert pairs["tried"].tolist() == [6, 6, 6, 6]
    assert (pairs["accepted"] / pairs["tried"] == pairs["rate"]).all()
    assert replicas["steps_lowest"].sum() == 120
    assert set(folder.table("observables")["replica"].tolist()) == {0, 1, 2}
    with pytest.raises(sq.Error, match="has one value"):
        sq.sweep("sierpinski_carpet", "ising", level=1, beta=0.5, steps=60, exchange="beta", exchange_every=5)


def test_states_are_labelled(tmp_path):
    xarray = pytest.importorskip("xarray")
    for shape, rule, name, options in (("vicsek", relax, "u", {"level": 2}), (sq.box(5, 3), "life", "alive", {})):
        found = sq.run(shape, rule, steps=4, seed=1, save_every=2, **options)
        states = found.to_xarray()
        assert isinstance(states, xarray.Dataset)
        assert (states[name].dims, states.step.values.tolist()) == (("step", "cell"), [0, 2, 4])
        sim = sq.Simulation(shape, rule, seed=1, **options)
        sim.step(2)
        assert (states[name].sel(step=2).values == np.asarray(sim.array(name))).all()
        assert states[name].dtype == sim[name].dtype
        assert np.stack([states.x, states.y], axis=1).tolist() == sim.coords.tolist()


def test_masks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = np.array([[1, 1, 0], [0, 1, 1]], bool)
    told = sq.masks.info(places)
    assert (told["width"], told["height"], told["cells"], told["runs"]) == (3, 2, 4, 2)
    values = np.arange(6.0).reshape(2, 3)
    cells = sq.masks.pack(places, values)
    assert cells.tolist() == [0.0, 1.0, 4.0, 5.0]
    again = sq.masks.unpack(sq.mask(places), cells, hole=float("nan"))
    assert np.array_equal(again, np.where(places, values, np.nan), equal_nan=True)
    np.save("places.npy", places)
    np.save("values.npy", values.astype("i2"))
    for one in ("places.npy", sq.mask("places.npy"), tmp_path / "places.npy"):
        assert sq.masks.pack(one, "values.npy").dtype == np.int16
    assert sq.masks.unpack(places, cells.astype("u1"), "out.npy", hole=7) == "out.npy"
    assert np.load("out.npy").tolist() == [[0, 1, 7], [7, 4, 5]]
    assert sq.masks.info(sq.box(4, 3))["cells"] == 12
    with pytest.raises(sq.Error, match="shape"):
        sq.masks.pack(places, values[1:])
    with pytest.raises(sq.Error, match="no file"):
        sq.masks.info("nowhere.npy")


def test_results_can_be_pickled(tmp_path):
    found = sq.run("vicsek", relax, level=2, steps=4, every=2, out=tmp_path / "run")
    again = pickle.loads(pickle.dumps(found))
    assert (again.path, again.digest) == (found.path, found.digest)
    series = pickle.loads(pickle.dumps(found.observables))
    assert series["total"].tolist() == found.observables["total"].tolist()
    means = sq.sweep("vicsek", relax, level=[1, 2], steps=4, every=2, out=tmp_path / "sweep")
    analysis = pickle.loads(pickle.dumps(sq.analyse(means)))
    assert analysis["total"].values.tolist() == means.total.values.tolist()
    table = sq.open(tmp_path / "sweep").table("members")
    assert list(pickle.loads(pickle.dumps(table))) == list(table)


def test_wrong_words():
    with pytest.raises(sq.Error, match="did you mean `life`"):
        sq.run("vicsek", "lifee", level=2, steps=2)
    with pytest.raises(sq.Error, match="--bta"):
        sq.run("vicsek", "ising", level=2, steps=2, bta=1.0)
    with pytest.raises(TypeError, match="did you mean `beta`"):
        sq.run("vicsek", "ising", level=2, steps=2, params={"bta": 1.0})
    with pytest.raises(sq.Error) as caught:
        sq.run("vicsek", "ising", steps=2)
    assert "level" in str(caught.value)
    with pytest.raises(sq.Error, match="no folder of a run"):
        sq.open("nowhere")
    with pytest.raises(sq.Error):
        sq.export("nowhere")
    with pytest.raises(TypeError, match="steps"):
        sq.run("vicsek", "life", level=2)


def test_warnings_are_pythons(tmp_path):
    sq.sweep("sierpinski_carpet", "ising", level=3, beta=0.9, seeds=8, steps=400, every=1, out=tmp_path / "early")
    with pytest.warns(UserWarning, match="discarded|equilibrium"):
        sq.analyse(tmp_path / "early", discard=0)


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
def test_an_interrupt_saves_the_run(tmp_path):
    code = f"""
        import squeeze as sq
        try:
            sq.run("sierpinski_carpet", "gray_scott", level=5, steps=10**8, out={str(tmp_path / "run")!r}, threads=1)
        except KeyboardInterrupt:
            print("interrupted", sq.open({str(tmp_path / "run")!r}).steps)
    """
    path = os.pathsep.join(sys.path)
    words = [sys.executable, "-c", textwrap.dedent(code)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    for _ in range(600):
        time.sleep(0.1)
        if (tmp_path / "run" / "manifest.json").exists():
            break
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    told = child.communicate(timeout=60)[0]
    assert told.startswith("interrupted ["), told
    assert sq.open(tmp_path / "run").steps[-1] > 0
