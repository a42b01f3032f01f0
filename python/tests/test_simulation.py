"""Simulations from Python: arrays, parameters, errors, interrupts, forks, threads."""

import base64
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial

import pytest

import squeeze as sq
from squeeze import _library

if _library._native is None:
    pytest.skip("the extension module is not built", allow_module_level=True)
np = pytest.importorskip("numpy")


@sq.rule
class relax:
    "Relaxation towards the neighbours."

    k = sq.param(0.1, min=0, max=1)
    u = sq.state(sq.f32, init=lambda c: sq.uniform())

    def next(c):
        flow = c.sum(sq.moore, lambda nb: nb.u - c.u)
        return {"u": c.u + c.k * flow / 8.0}

    def observe(a):
        return {"total": a.sum("u"), "hot": a.count(lambda c: c.u > 0.9), "both": [a.min("u"), a.max("u")]}


def small(**settings):
    return sq.Simulation(sq.fractal("sierpinski_carpet"), relax, level=3, seed=1, backend="cpu", threads=1, **settings)


def test_a_traced_rule_gives_the_digests_of_its_text(squeeze):
    sim = small(k=0.2)
    sim.step(10)
    told = squeeze.run("sierpinski_carpet -l 3", squeeze.file("relax.rule", relax.source), "-n", "10", "-s", "1", "--set", "k=0.2")
    assert sim.digest() == told["digest"]
    assert sim.observe() == told["observables"]
    assert relax.source == squeeze.text("fmt", "relax.rule")


def test_shipped_rules_on_three_domains_and_backends():
    for rule in ("life", "heat", "ising", "gray_scott", "greenberg_hastings"):
        for domain, level in ((sq.fractal("sierpinski_carpet"), 3), (sq.torus(36, 24), None), (sq.box(37, 22), None)):
            digests = []
            for backend in ("cpu", "reference"):
                sim = sq.Simulation(domain, rule, level=level, seed=3, backend=backend)
                sim.step(5)
                digests.append(sim.digest())
            assert digests[0] == digests[1]


def test_arrays():
    sim = small()
    u = sim["u"]
    assert (u.dtype, u.shape, u.flags.writeable) == (np.float32, (512,), False)
    before = u.copy()
    sim.step()
    assert (u == before).all()
    assert not (sim["u"] == before).all()
    with pytest.raises(ValueError, match="read-only"):
        sim["u"][3] = 1.0
    del sim
    assert (u == before).all()


def test_views_without_numpy():
    array = small().array("u")
    view = memoryview(array)
    assert (view.format, view.shape, view.readonly, view.nbytes) == ("f", (512,), True, 2048)
    assert (np.from_dlpack(np.asarray(array)) == np.asarray(array)).all()


def test_numbers_of_other_libraries():
    sim = small()
    array = sim.array("u")
    assert array.__dlpack_device__() == (1, 0)
    taken = np.from_dlpack(array)
    assert (taken.dtype, taken.shape, taken.flags.writeable) == (np.float32, (512,), False)
    assert (taken == sim["u"]).all()
    assert taken.ctypes.data % 64 == 0
    assert np.shares_memory(taken, np.asarray(array))
    own = np.from_dlpack(array, copy=True)
    own[:] = 0.5
    assert (np.asarray(array) == sim["u"]).all()
    del array, sim
    assert taken.sum() > 0
    for capsule, name in ((own_array().__dlpack__(), "dltensor"), (own_array().__dlpack__(max_version=(1, 1)), "dltensor_versioned")):
        assert f'"{name}"' in repr(capsule)
    for asked in ({"copy": False}, {"dl_device": (2, 0)}, {"stream": 1}):
        with pytest.raises(BufferError):
            own_array().__dlpack__(**asked)
    life = sq.Simulation(sq.box(5, 4), "life", backend="cpu")
    life["alive"] = np.arange(20).reshape(4, 5) % 3 == 0
    assert np.from_dlpack(life.array("alive")).dtype == bool
    life["alive"] = np.from_dlpack(life.array("alive"))
    assert life["alive"].sum() == 7
    phases = sq.Simulation("vicsek", "greenberg_hastings", level=1, backend="cpu")
    assert np.from_dlpack(phases.array("phase")).dtype == np.uint8

    class Elsewhere:
        """An array of a GPU, which numpy does not take by itself."""

        def __init__(self, values):
            self.values = values

        def __array__(self, *_, **__):
            raise TypeError("implicit conversion is not allowed")

        def __dlpack__(self, **asked):
            return self.values.__dlpack__(**asked)

        def __dlpack_device__(self):
            return (1, 0)

    sim = small()
    sim["u"] = Elsewhere(np.full(512, 0.25, "f4"))
    assert (sim["u"] == 0.25).all()
    Elsewhere.get = lambda self: self.values + 1.0
    sim["u"] = Elsewhere(np.full(512, 0.25, "f4"))
    assert (sim["u"] == 1.25).all()


def own_array():
    return small().array("u")


@pytest.mark.parametrize("sides", [(1, 1), (13, 1), (128, 1), (129, 3), (2100, 2003)])
def test_bits_of_all_sizes(sides):
    sim = sq.Simulation(sq.box(*sides), "life", backend="cpu", threads=1)
    bits = np.random.default_rng(3).random(sides[::-1]) < 0.5
    sim["alive"] = bits
    assert (sim["alive"] == bits).all()
    assert set(np.unique(sim["alive"].view("u1"))) <= {0, 1}


def test_boxes_have_their_shape():
    sim = sq.Simulation(sq.box(7, 5), "heat", backend="cpu", hot=3.0)
    assert sim["u"].shape == sim.shape == (5, 7)
    assert (sim["u"][0] == 3.0).all()
    assert (sim["u"][1:] == 0.0).all()
    assert sim.coords.tolist()[:3] == [[0, 0], [1, 0], [2, 0]]
    space = sq.Simulation(sq.box(4, 3, 2), "heat", backend="cpu")
    assert space["u"].shape == (2, 3, 4)
    sim["u"] = np.arange(35.0).reshape(5, 7)
    assert sim["u"][4, 6] == 34.0
    assert sim.grid("u")[1:3, 2:4].tolist() == [[9.0, 10.0], [16.0, 17.0]]
    assert sim.grid("u")[2, 3] == 17.0
    assert sim.grid("u")[..., -1].tolist() == [6.0, 13.0, 20.0, 27.0, 34.0]
    assert sim.grid("u")[::2, 0].tolist() == [0.0, 14.0, 28.0]
    assert sim.grid("u")[5:, :].shape == (0, 7)


def test_grids_have_holes():
    sim = small()
    grid = sim.grid("u")[...]
    assert grid.shape == (27, 27)
    assert int(np.isnan(grid).sum()) == 27 * 27 - 512
    x, y = sim.coords.T
    assert (grid[y, x] == sim["u"]).all()
    life = sq.Simulation("sierpinski_carpet", "life", level=2, backend="cpu", seed=4)
    alive = life.grid("alive")[...]
    assert isinstance(alive, np.ma.MaskedArray)
    assert alive.mask[1, 1]
    assert alive.dtype == bool
    assert int(alive.sum()) == int(life["alive"].sum()) == life.observe()["population"]


def test_masks():
    places = np.ones((6, 8), bool)
    places[2:4, 3:5] = False
    sim = sq.Simulation(sq.mask(places, periodic="x"), "heat", backend="cpu", hot=1.0)
    assert (sim.cells, sim.shape, sim.level) == (44, (6, 8), None)
    u = sim["u"]
    assert np.isnan(u[2, 3])
    assert int(np.isnan(u).sum()) == 4
    sim["u"] = np.arange(48.0).reshape(6, 8)
    assert sim["u"][3, 5] == 29.0
    assert np.isnan(sim["u"][3, 4])
    again = pickle.loads(pickle.dumps(sq.mask(places)))
    assert sq.Simulation(again, "life", backend="cpu").cells == 44


def test_what_is_set():
    sim = small()
    sim["u"] = 0.5
    assert (sim["u"] == 0.5).all()
    sim["u"] = np.linspace(0.0, 1.0, 512)
    assert sim["u"][-1] == 1.0
    sim["u"] = list(range(512))
    assert sim["u"][5] == 5.0
    sim["u"] = np.arange(1024.0)[::2]
    assert sim["u"][5] == 10.0
    grid = np.random.default_rng(1).random((27, 27)).astype("f4")
    sim["u"] = grid
    x, y = sim.coords.T
    assert (sim["u"] == grid[y, x]).all()
    sim["u"] = np.full(512, np.nan)
    assert np.isnan(sim["u"]).all()
    for wrong, told in ((np.zeros(511), "shape"), (np.zeros((27, 26)), "shape"), (np.zeros(512, complex), "complex128"), (["a"] * 512, "U1")):
        with pytest.raises(sq.Error, match=told):
            sim["u"] = wrong
    life = sq.Simulation("vicsek", "life", level=2, backend="cpu")
    life["alive"] = np.arange(25) % 2
    assert life["alive"].sum() == 12
    with pytest.raises(sq.Error, match="holds bit"):
        life["alive"] = np.full(25, 0.5)
    with pytest.raises(sq.Error, match="no bit holds"):
        life["alive"] = np.full(25, 2)
    phases = sq.Simulation("vicsek", "greenberg_hastings", level=2, backend="cpu")
    with pytest.raises(sq.Error, match="200"):
        phases["phase"] = np.full(25, 200)
    with pytest.raises(KeyError, match="did you mean `alive`"):
        life["aliv"]


def test_initial_values():
    values = np.random.default_rng(2).random(512).astype("f4")
    sim = small(initial={"u": values})
    assert (sim["u"] == values).all()
    with pytest.raises(sq.Error, match="there are 512 cells"):
        small(initial={"u": values[:-1]})


def test_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pair = sq.domain(size="inputs")
    sim = sq.Simulation(pair, "lcs", backend="cpu", inputs={"a": b"GATTACA", "b": b"TACGATACA"})
    sim.step()
    assert (sim.shape, sim.observe()) == ((9, 7), {"length": 6})
    (tmp_path / "b.fa").write_text(">one\nTACG\nATACA\n")
    (tmp_path / "pair.fractal").write_text("domain pair { size inputs }\n")
    letters = np.frombuffer(b"GATTACA", "u1")
    for shape in ("pair.fractal", "domain pair { size inputs }"):
        for given in ({"a": letters, "b": "b.fa"}, {"a": list(letters.astype(int)), "b": tmp_path / "b.fa"}):
            other = sq.Simulation(shape, "lcs", backend="reference", inputs=given)
            other.step()
            assert other.digest() == sim.digest()
            assert sq.run(shape, "lcs", steps=1, inputs=given).digest == sim.digest()
    # The text is as it was written, and the sides are known to it alone.
    told = sq.fractal("/// Of size inputs.\ndomain pair { size inputs  cells x >= 0 }\n")
    other = sq.Simulation(told, "lcs", backend="cpu", inputs={"a": b"GATTACA", "b": b"TACGATACA"})
    other.step()
    assert (other.digest(), "size inputs  cells" in told._text) == (sim.digest(), True)
    swept = sq.sweep(pair, "needleman_wunsch", steps=1, open=[1, 2], every=1, inputs={"a": b"GATTACA", "b": b"GATTACA"})
    assert swept["score"].shape == (2,)
    assert sq.info(pair, "lcs", inputs={"a": b"AB", "b": b"ABC"})["cells"] == 6
    for given, told in (
        ({"a": b"GATTACA"}, "the input `b`, which is not given"),
        ({"a": b"GATTACA", "b": np.zeros((3, 3), "u1")}, r"shape \(3, 3\)"),
        ({"a": b"GATTACA", "b": [300]}, "no u8 holds"),
        ({"a": b"GATTACA", "b": b""}, "holds no values"),
        ({"a": b"GATTACA", "b": "none.txt"}, "none.txt"),
    ):
        with pytest.raises(sq.Error, match=told):
            sq.Simulation(pair, "lcs", inputs=given)
    with pytest.raises(KeyError, match="unknown input `c`"):
        sq.Simulation(pair, "lcs", inputs={"c": b"A"})
    with pytest.raises(sq.Error, match="input"):
        sq.Simulation(pair, "lcs")
    with pytest.raises(sq.Error, match="side"):
        sq.Simulation(sq.box(5, 5), "lcs", inputs={"a": b"GATTACA", "b": b"AAAAA"})
    with pytest.raises(KeyError, match="unknown state `a`"):
        sim["a"]


def test_rolling_states():
    @sq.rule
    class score:
        a = sq.input(sq.u8, along="x")
        b = sq.input(sq.u8, along="y")
        length = sq.state(sq.i32, rolling=True)

        @sq.step(from_="+x +y")
        def fill(c):
            longer = c.length.at(-1, -1, otherwise=0) + 1
            return {"length": sq.where(c.a == c.b, longer, sq.max(c.length.at(-1, 0, otherwise=0), c.length.at(0, -1, otherwise=0)))}

        def observe(a):
            return {"length": a.max("length")}

    given = {"a": b"GATTACA", "b": b"TACGATACA"}
    of_backends = [sq.Simulation(sq.domain(size="inputs"), score, backend=backend, inputs=given) for backend in ("cpu", "reference")]
    for sim in of_backends:
        sim.step()
        assert sim.observe() == {"length": 6}
        assert (sim["length"].any(axis=1) == [False] * 8 + [True]).all()
    assert of_backends[0].digest() == of_backends[1].digest()


def test_parameters():
    assert small(k=0.1).k == small().k == 0.1
    sim = small(k=0.25)
    assert sim.k == sim.params["k"] == 0.25
    sim.k = 0.5
    sim.params["k"] = sim.k / 2
    assert dict(sim.params.items()) == {"k": 0.25}
    assert "k" in dir(sim)
    with pytest.raises(AttributeError, match="unknown parameter `bta`"):
        sim.bta = 1.0
    with pytest.raises(AttributeError, match="unknown attribute `kk`"):
        sim.kk  # noqa: B018
    with pytest.raises(TypeError, match="did you mean `k`|known here: k"):
        small(kk=1)
    with pytest.raises(sq.Error, match="range|from 0"):
        sim.k = 2.0
    with pytest.raises(sq.Error):
        small(k="much")
    assert sim.k == 0.25


def test_observables_over_time():
    sim = small()
    series = sim.observe_steps(20, every=6)
    assert series["step"].tolist() == [0, 6, 12, 18, 20]
    assert series["total"].dtype == np.float64
    assert series["hot"].dtype == np.int64
    assert series["both"].shape == (5, 2)
    other = small()
    other.step(12)
    assert series["total"][2] == other.observe()["total"]
    assert sim.time == 20
    assert sim.observe_steps(0)["step"].tolist() == [20]
    pandas = pytest.importorskip("pandas")
    table = series.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["total", "hot", "both[0]", "both[1]"]
    with pytest.raises(sq.Error, match="every 0 steps"):
        sim.observe_steps(5, every=0)


def test_errors_of_texts_are_values():
    with pytest.raises(sq.CompileError) as caught:
        sq.rule("rule r {\n    state u: f32\n    next u = u + x\n}\n")
    (one,) = caught.value.diagnostics
    assert (one.line, one.column, one.end_column, one.file) == (3, 18, 19, "<python>")
    assert "do not fit" in one.message
    assert one.help
    assert "<python>:3:18" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics[0].line == 3
    with pytest.raises(sq.Error, match="life"):
        sq.rule("lifee")
    with pytest.raises(sq.Error):
        sq.Simulation("sierpinski_carpett", "life", level=2)
    with pytest.raises(sq.Error, match="needs a level"):
        sq.Simulation("vicsek", "life")
    with pytest.raises(sq.Error, match="has no level"):
        sq.Simulation(sq.box(3, 3), "life", level=2)
    with pytest.raises(ValueError, match="there is no backend"):
        sq.Simulation("vicsek", "life", level=2, backend="gpu")
    with pytest.raises(ValueError, match="there is no wavefront"):
        sq.Simulation(sq.box(9, 9), "gauss_seidel", wavefront="waves")
    with pytest.raises(ValueError, match="no step with an order"):
        sq.Simulation("vicsek", "life", level=2, wavefront="flags")
    with pytest.raises(ValueError, match="the backend `cpu` runs no waves"):
        sq.Simulation(sq.box(9, 9), "gauss_seidel", wavefront="flags", backend="cpu")


def test_devices_that_are_none():
    """Whether or not there is a GPU."""
    life = {"level": 4, "devices": [0, 4000]}
    for words in ("some", [], [-1], 3, ["0"]):
        with pytest.raises(ValueError, match="names no GPUs"):
            sq.Simulation("vicsek", "life", level=4, devices=words)
    with pytest.raises(sq.Error, match="`cpu` runs on no GPU"):
        sq.Simulation("vicsek", "life", backend="cpu", **life)
    for work in (sq.Simulation, partial(sq.run, steps=2), partial(sq.sweep, steps=2, seeds=2)):
        with pytest.raises(sq.Error):
            work("vicsek", "life", **life)
    with pytest.raises(sq.Error, match="`--devices`"):
        sq.sweep("vicsek", "life", steps=2, level=4, devices="all", backend="cpu")


def test_waves():
    """On a GPU, or a machine whose `auto` has none: states and ways of waiting are the same."""
    found = set()
    for wavefront in ("launches", "barrier", "flags", None):
        sim = sq.Simulation(sq.box(70, 50), "gauss_seidel", seed=3, wavefront=wavefront)
        sim.step(3)
        found.add(tuple(sim.digest().values()))
    assert len(found) == 1


def test_errors_and_simulations_in_notebooks():
    with pytest.raises(sq.CompileError) as caught:
        sq.rule("rule r {\n    state u: f32\n    next u = u <x\n}\n")
    shown = caught.value._repr_html_()
    assert shown.startswith("<pre><span")
    assert "next u = u &lt;x" in shown
    assert "&lt;python&gt;:3:" in caught.value.diagnostics._repr_html_()
    pytest.importorskip("IPython")
    lines = caught.value._render_traceback_()
    assert "sq.rule(" in lines[0]
    assert not any("_library.py" in line for line in lines)
    assert lines[-1].startswith("CompileError: error")
    shown = small()._repr_html_()
    assert "relax on sierpinski_carpet at level 3" in shown
    assert 1000 < len(shown) < 1_000_000
    assert base64.b64decode(shown.split("base64,")[1].split('"')[0]).startswith(b"\x89PNG")


def test_processes_that_are_started_together_are_refused(monkeypatch):
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
        with monkeypatch.context() as context:
            context.setenv(name, "4")
            for refused in (small, lambda: sq.run("vicsek", "life", level=2, steps=1), lambda: sq.sweep("vicsek", "life", level=2, steps=1)):
                with pytest.raises(sq.Error, match=f"one of 4 processes .*{name}"):
                    refused()
            context.setenv("SQUEEZE_RANKS", "alone")
            assert small().cells == 512
            context.delenv("SQUEEZE_RANKS")
            context.setenv(name, "1")
            assert small().cells == 512


def test_errors_of_traced_rules_point_at_python():
    with pytest.raises(sq.CompileError) as caught:

        @sq.rule
        class wrong:
            u = sq.state(sq.f32)

            def next(c):
                return {"u": c.u + c.x}

    assert 'return {"u": c.u + c.x}' in str(caught.value)
    (one,) = caught.value.diagnostics
    assert one.place.file == __file__
    assert "wrong.source: next u = u + x" in str(caught.value)


def test_rules_and_fractals_can_be_pickled():
    again = pickle.loads(pickle.dumps(relax))
    assert again.source == relax.source
    plus = pickle.loads(pickle.dumps(sq.fractal(pattern=".#.\n###\n.#.", name="plus")))
    sims = [sq.Simulation(plus, rule, level=2, seed=1, backend="cpu") for rule in (again, relax)]
    for sim in sims:
        sim.step(3)
    assert sims[0].digest() == sims[1].digest()
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(sims[0])


def test_names_paths_texts_and_notations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plus.fractal").write_text("fractal plus { scale 3  pattern { .#. ### .#. } }\n")
    mixed = sq.fractal(levels=["plus.fractal", "vicsek"], name="mixed")
    for shape in ("plus.fractal", tmp_path / "plus.fractal", "fractal p { scale 2 pattern { ## #. } }", mixed):
        assert sq.Simulation(shape, "life", level=2, backend="cpu").cells in (25, 9)
    assert sq.Simulation("T30,20", "B3/S23", backend="cpu").cells == 600
    assert sq.rule("life").source.startswith("//")
    assert sq.rule("B3/S23").source is None


def test_a_panic_is_an_exception():
    code = "import squeeze as sq\ntry:\n    sq._library._native._panic('words')\nexcept sq.InternalError as error:\n    print('caught', error)\n"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert "caught" in told.stdout
    assert "words" in told.stdout


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_an_interrupt_ends_between_two_steps():
    sim = sq.Simulation("sierpinski_carpet", "gray_scott", level=5, backend="cpu", threads=1)
    sim.step(10)

    def interrupt():
        time.sleep(0.4)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    begin = time.monotonic()
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(10**8)
    took = time.monotonic() - begin
    thread.join()
    assert took < 10, "the machine may be busy"
    other = sq.Simulation("sierpinski_carpet", "gray_scott", level=5, backend="cpu", threads=1)
    other.step(sim.time)
    assert sim.digest() == other.digest()


def test_threads_take_turns():
    sim = small()
    threads = [threading.Thread(target=sim.step, args=(500,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sim.time == 2000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_does_not_hang():
    code = """
        import os, sys, warnings
        import squeeze as sq
        warnings.simplefilter("ignore")
        sim = sq.Simulation("vicsek", "life", level=3, backend="cpu", threads=2)
        sim.step(2)
        child = os.fork()
        if child == 0:
            try:
                sim.step(1)
            except sq.Error as error:
                own = sq.Simulation("vicsek", "life", level=3, backend="cpu", threads=2)
                own.step(1)
                os._exit(7)
            os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=environment(), timeout=60, check=True)
    assert told.stdout.strip() == "7", told.stderr


def digest_of(arguments):
    rule, shape, seed = arguments
    sim = sq.Simulation(shape, rule, level=3, seed=seed, backend="cpu", threads=1)
    sim.step(5)
    return sim.digest()


def test_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(digest_of, [(relax, sq.fractal("vicsek"), seed) for seed in (1, 2)])
    assert found == [digest_of((relax, sq.fractal("vicsek"), seed)) for seed in (1, 2)]


def test_the_command():
    told = subprocess.run([sys.executable, "-m", "squeeze", "check", "life"], capture_output=True, text=True, env=environment(), check=False)
    assert told.returncode == 0, told.stderr
    told = subprocess.run([sys.executable, "-m", "squeeze", "check", "lifee"], capture_output=True, text=True, env=environment(), check=False)
    assert told.returncode == 2


def test_nothing_heavy_is_imported():
    code = "import sys, squeeze; print([name for name in ('numpy', 'pandas', 'xarray', 'inspect', 'ast', 'dis') if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert told.stdout.strip() == "[]"


def test_bonds_that_are_kept_are_states_of_their_offsets():
    text = "rule glass { bond J over von_neumann: bit  state up: bit  init J = random(0.5)  init up = random(0.5)  next up = any(von_neumann, nb.J && nb.up) }"
    sim = sq.Simulation(sq.torus(12, 10), sq.rule(text), seed=3, backend="cpu")
    bonds = sim["J.0"].copy()
    assert 20 < bonds.sum() < 100
    sim["J.0"] = 1 - bonds
    assert (sim["J.0"] == 1 - bonds).all()
    assert (sq.Simulation(sq.torus(12, 10), sq.rule(text), initial={"J.0": bonds}, backend="cpu")["J.0"] == bonds).all()
    with pytest.raises(KeyError, match=r"J\.0"):
        sim["J"]
