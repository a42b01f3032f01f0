"""What users do by mistake, and what goes on at once: right, or a clear exception."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import squeeze as sq
from squeeze import _library

if _library._native is None:
    pytest.skip("the extension module is not built", allow_module_level=True)
np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")
strategies = hypothesis.strategies

RULE = """
rule many {
    param k: f32 in 0.0..=1.0 = 0.5
    state b: bit
    state n: u8
    state w: u16
    state i: i32
    state l: i64
    state u: f32
    state d: f64
    state e: enum { one, two, three }
    next i = i + 1
    observe total = sum(i)
}
"""
TYPES = {"b": "?", "n": "u1", "w": "u2", "i": "i4", "l": "i8", "u": "f4", "d": "f8", "e": "u1"}
DTYPES = ["?", "i1", "u1", "i2", "u2", "<i4", ">i4", "u4", "i8", "u8", "f2", "f4", ">f4", "f8", "c8", "U3", "O", "M8[s]", "S2"]
ROCK = np.array([[1, 1, 0, 1, 1], [0, 1, 1, 1, 0], [1, 1, 1, 1, 1]], bool)


def shapes():
    yield "vicsek", 2
    yield sq.box(5, 3), None
    yield sq.mask(ROCK), None
    yield sq.box(4, 3, 2), None


@strategies.composite
def arrays(draw, shape, cells):
    """Arrays that may fit: of any type, with strides, of nearly the right shape."""
    dtype = np.dtype(draw(strategies.sampled_from(DTYPES)))
    sides = draw(strategies.sampled_from([(), (cells,), tuple(shape), (cells + 1,), (0,), (1, cells), tuple(shape)[::-1], (cells, 1), (2, *shape)]))
    values = draw(
        strategies.lists(
            strategies.sampled_from([0, 1, 2, 3, 255, 256, -1, 70000, 2**40, 0.5, float("nan"), float("inf"), -0.0]), min_size=1, max_size=4
        )
    )
    size = int(np.prod(sides, dtype=int))
    with np.errstate(all="ignore"):
        try:
            flat = np.resize(np.array(values, dtype=object), size).astype(dtype)
        except (ValueError, OverflowError, TypeError):
            flat = np.zeros(size, dtype)
    array = flat.reshape(sides)
    kind = draw(strategies.sampled_from(["plain", "fortran", "strided", "reversed", "readonly", "list", "masked"]))
    if kind == "fortran":
        return np.asfortranarray(array)
    if kind == "strided" and array.ndim:
        wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if kind == "reversed" and array.ndim:
        return array[::-1][::-1]
    if kind == "readonly":
        array.flags.writeable = False
    if kind == "masked" and array.dtype.kind in "biuf":
        return np.ma.masked_array(array, np.zeros(array.shape, bool))
    return array.tolist() if kind == "list" else array


@hypothesis.given(strategies.data())
def test_what_is_set_is_read_or_refused(data):
    shape, level = data.draw(strategies.sampled_from(list(shapes())))
    backend = data.draw(strategies.sampled_from(["cpu", "reference"]))
    sim = sq.Simulation(shape, RULE, level=level, backend=backend, threads=1)
    for _ in range(data.draw(strategies.integers(1, 5))):
        name = data.draw(strategies.sampled_from([*TYPES, "x"]))
        given = data.draw(arrays(sim.shape, sim.cells))
        before = {state: np.asarray(sim.array(state)).copy() for state in TYPES}
        try:
            if data.draw(strategies.booleans()):
                sim[name] = given
            else:
                sim = sq.Simulation(shape, RULE, level=level, backend=backend, threads=1, initial={name: given})
                before = {state: np.zeros_like(values) for state, values in before.items()}
        except (sq.Error, KeyError) as refused:
            assert str(refused)
            assert name != "x" or isinstance(refused, KeyError)
        else:
            array = np.asarray(given)
            with np.errstate(all="ignore"):
                expected = array.astype(TYPES[name])
            if expected.ndim == 0:
                expected = np.full(sim.cells, expected)
            elif expected.shape != (sim.cells,):
                places = sim.coords.T[::-1]
                expected = expected[tuple(places)]
            before[name] = expected
        for state, values in before.items():
            assert np.array_equal(np.asarray(sim.array(state)), values, equal_nan=TYPES[state][0] == "f"), state
        if data.draw(strategies.booleans()):
            sim.step(1)


@hypothesis.given(strategies.data())
def test_grids_are_sliced_as_arrays_are(data):
    shape, level = data.draw(strategies.sampled_from(list(shapes())))
    sim = sq.Simulation(shape, RULE, level=level, backend="cpu", threads=1)
    sim["d"] = np.arange(float(sim.cells))
    whole = np.full(sim.shape, np.nan)
    whole[tuple(sim.coords.T[::-1])] = np.arange(float(sim.cells))
    numbers = strategies.one_of(strategies.none(), strategies.integers(-30, 30))
    slices = strategies.builds(slice, numbers, numbers, strategies.sampled_from([None, 1, 2, 3]))
    keys = data.draw(strategies.lists(strategies.one_of(slices, strategies.integers(-12, 12), strategies.just(...)), max_size=4))
    try:
        expected = whole[tuple(keys)]
    except IndexError:
        with pytest.raises(IndexError):
            sim.grid("d")[tuple(keys)]
    else:
        assert np.array_equal(sim.grid("d")[tuple(keys)], expected, equal_nan=True)


def test_numbers_in_place():
    sim = sq.Simulation(sq.box(5, 3), RULE, backend="cpu")
    for write in (
        lambda: sim["u"].__setitem__(0, 1.0),
        lambda: sim["u"].__iadd__(1.0),
        lambda: sim["u"].sort(),
        lambda: memoryview(sim.array("u")).__setitem__(0, 1.0),
        lambda: sim["u"].setflags(write=True),
        lambda: np.from_dlpack(sim.array("u")).__setitem__(0, 1.0),
    ):
        with pytest.raises((ValueError, TypeError)):
            write()
    assert not sim["u"].any()


def test_simulations_end_in_threads():
    begun = threading.Barrier(5)
    kept = []
    alone = sq.Simulation("vicsek", "gray_scott", level=3, seed=1, backend="cpu", threads=2)
    alone.step(160)

    def work(sim):
        begun.wait()
        sim.step(40)
        kept.append(sim["u"])

    for _ in range(3):
        kept.clear()
        sim = sq.Simulation("vicsek", "gray_scott", level=3, seed=1, backend="cpu", threads=2)
        threads = [threading.Thread(target=work, args=(sim,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        begun.wait()
        # The last thread that has it ends it.
        del sim
        for thread in threads:
            thread.join()
        assert len(kept) == 4 and all(np.isfinite(one).all() for one in kept)
        # Threads step in turns, which may end within forty steps; the one that steps last reads what all steps give.
        assert any((one == alone["u"]).all() for one in kept)


@pytest.mark.skipif(os.name != "posix", reason="terminals are those of Unix")
@pytest.mark.parametrize("work", ["sim.step(10**9)", "sim.observe_steps(10**9, every=10**8)", "sq.run('vicsek', 'life', level=3, steps=10**9)"])
def test_control_c_in_a_terminal(work):
    pty = pytest.importorskip("pty")
    code = f"""
        import fcntl, sys, termios
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        import squeeze as sq
        sim = sq.Simulation("sierpinski_carpet", "gray_scott", level=4, backend="cpu", threads=1)
        sim.step(1)
        try:
            print("ready", flush=True)
            {work}
        except KeyboardInterrupt:
            sim.step(1)
            print("interrupted")
    """
    parent, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", textwrap.dedent(code)]
    process = subprocess.Popen(words, stdin=child, stdout=subprocess.PIPE, start_new_session=True, text=True, env=environment)
    os.close(child)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        os.write(parent, b"\x03")
        told, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(parent)
    assert (told, process.returncode) == ("interrupted\n", 0)


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
def test_control_c_in_a_kernel(tmp_path, monkeypatch):
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    kernel, client = manager.start_new_kernel(startup_timeout=60, kernel_name="python3", stderr=subprocess.DEVNULL)
    try:

        def answer(code, interrupt=False):
            # A kernel sets aside what reaches it soon after an error, unless it was told not to.
            asked = client.execute(code, stop_on_error=False)
            if interrupt:
                time.sleep(1.0)
                kernel.interrupt_kernel()
            while True:
                reply = client.get_shell_msg(timeout=60)
                if reply["parent_header"].get("msg_id") == asked:
                    return reply["content"]

        begin = "import squeeze as sq\nsim = sq.Simulation('sierpinski_carpet', 'gray_scott', level=4, backend='cpu', threads=1)\nsim.step(1)"
        assert answer(begin)["status"] == "ok"
        reply = answer("sim.step(10**9)", interrupt=True)
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        assert answer("sim.step(1); assert sim.time > 2")["status"] == "ok"
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


def test_a_run_ends_with_its_user(tmp_path):
    # A notebook's kernel that is started anew is killed.
    code = f"import squeeze as sq; print('ready', flush=True); sq.run('vicsek', 'life', level=3, steps=10**9, out={str(tmp_path / 'run')!r})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.readline() == "ready\n"
    for _ in range(300):
        time.sleep(0.1)
        if (tmp_path / "run" / "manifest.json").exists():
            break
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    for _ in range(300):
        if sys.platform != "linux" or max(sq.open(tmp_path / "run").steps, default=0) > 0:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the run goes on")
