"""Views in notebooks: what a widget answers to the messages of its pages, and what is said without it."""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import squeeze as sq
from squeeze import _library

pytestmark = pytest.mark.skipif(_library._native is None, reason="the extension module is not built")

TILES = {"id": 1, "state": 0, "theme": "dark", "colours": "rule", "log": False, "range": None, "trim": 0, "mu": 0, "level": 3, "tiles": ["0"]}


class Page:
    """A page of a widget, in the place of a browser."""

    def __init__(self, shown, name="a", base64=False):
        self.shown, self.name, self.base64, self.sent = shown, name, False, []
        shown.send = lambda content, buffers=None: self.sent.append((content, buffers))
        [(trial, [data])] = self.post(open=True)
        assert trial == {"page": name, "trial": True} and len(data) == 1
        self.base64 = base64
        [(first, _)] = self.post(ready=True)
        self.hello = json.loads(first["text"])["hello"]

    def post(self, **more):
        self.sent.clear()
        self.shown._handle_custom_msg({"page": self.name, "base64": self.base64, **more}, [])
        return list(self.sent)

    def say(self, **message):
        return self.post(text=json.dumps(message))

    def frame(self):
        """The next frame: its head and its bytes."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            for content, buffers in self.say(next=True):
                data = base64.b64decode(content["base64"]) if "base64" in content else buffers and buffers[0]
                if data:
                    length = int.from_bytes(data[:4], "little")
                    return json.loads(data[4 : 4 + length]), data[4 + length :]
                time.sleep(content.get("later", 0) / 1000)
        raise AssertionError("no frame comes")


@pytest.fixture
def sim():
    return sq.Simulation("sierpinski_carpet", "life", level=3, seed=1, backend="cpu", threads=1)


def test_a_page_sees_and_steers(sim):
    pytest.importorskip("anywidget")
    own = sq.Simulation("sierpinski_carpet", "life", level=3, seed=1, backend="cpu", threads=1)
    shown = sim.view()
    page = Page(shown)
    assert page.hello["fractal"] == "sierpinski_carpet" and page.hello["mode"] == "steered" and page.hello["text"] is None
    page.say(look=TILES)
    head, cells = page.frame()
    assert (head["time"], head["playing"], len(cells)) == (0, False, 512)
    page.say(step=3)
    own.step(3)
    assert sim.time == 3 and sim.digest() == own.digest()
    # What cells of the notebook do is shown, and takes the way back along.
    sim["alive"] = False
    head, cells = page.frame()
    assert head["time"] == 3 and len(set(cells)) == 1
    answers = page.say(back=True)
    assert "no states before this step are kept" in answers[0][0]["text"]
    sim.step(2)
    assert page.frame()[0]["time"] == 5
    page.say(draw={"state": 0, "value": "1", "places": [["0", "0", "0"]], "on": False})
    assert sim["alive"].sum() == 1
    page.say(reset="1")
    own = sq.Simulation("sierpinski_carpet", "life", level=3, seed=1, backend="cpu", threads=1)
    assert sim.time == 0 and sim.digest() == own.digest()
    # It plays while messages come, and stands still otherwise.
    page.say(speed=0)
    page.say(play=True)
    assert page.frame()[0]["time"] > 0
    before = sim.time
    time.sleep(0.1)
    assert sim.time == before
    page.say(play=False)
    # A file, an unknown command, and one that would be too much.
    window = {**{key: TILES[key] for key in TILES if key not in ("tiles", "mu", "level")}, "origin": ["0", "0", "0"], "size": ["27", "27"], "reduce": 1, "enlarge": 4}
    [(_, [data])] = page.say(save={"as": "png", **window})
    length = int.from_bytes(data[:4], "little")
    assert json.loads(data[4 : 4 + length])["type"] == "image/png" and data[4 + length :][1:4] == b"PNG"
    assert "no command" in page.say(words=window)[0][0]["text"]
    assert "no message `fly`" in page.say(fly=1)[0][0]["text"]
    assert "no message of a view" in page.post(text=5)[0][0]["text"]
    assert page.post(close=True) == []


def test_answers_are_as_slow_as_jupyter_wants(sim):
    pytest.importorskip("anywidget")
    page = Page(sim.view(playing=True), base64=True)
    page.say(look=TILES)
    begin, count = time.monotonic(), 0
    while time.monotonic() < begin + 1.5:
        page.frame()
        count += 1
    # 40 000 bytes, or a third more, count for each.
    assert 5 <= count <= 27, count


def test_an_interrupt_ends_what_a_page_asks_for(sim):
    pytest.importorskip("anywidget")
    big = sq.Simulation("sierpinski_carpet", "gray_scott", level=6, seed=1, backend="cpu", threads=1)
    page = Page(big.view())
    timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        page.say(step=65536)
    timer.join()
    assert time.monotonic() - begin < 20 and 0 < big.time < 65536
    page.say(step=1)


def test_two_views_know_of_one_another(sim):
    pytest.importorskip("anywidget")
    one, two = Page(sim.view()), Page(sim.view())
    for page in (one, two):
        page.say(look=TILES)
        page.frame()
    two.say(step=4)
    two.say(draw={"state": 0, "value": "1", "places": [["0", "0", "0"]], "on": False})
    one.say(step=3)
    digest = sim.digest()
    assert two.frame()[0]["time"] == 7
    # What the other one did is no step of this one's way back.
    assert "no states before this step are kept" in two.say(back=True)[0][0]["text"]
    assert "no stroke since the last step" in two.say(undo=True)[0][0]["text"]
    assert sim.time == 7 and sim.digest() == digest
    one.say(back=True)
    assert sim.time == 6


def test_a_closed_view_lets_its_simulation_go():
    pytest.importorskip("anywidget")
    sim = sq.Simulation("vicsek", "life", level=2, seed=1, backend="cpu", threads=1)
    shown = sim.view()
    page = Page(shown)
    shown.close()
    assert shown._simulation is None and page.post(open=True) == []


def test_pages_come_and_go(sim):
    pytest.importorskip("anywidget")
    shown = sim.view()
    for name in range(12):
        last = Page(shown, name=str(name))
    # The earliest went, and may come again.
    last.name = "0"
    assert any("hello" in content.get("text", "") for content, _ in last.say(look=TILES))
    last.name = "11"
    assert not any("hello" in content.get("text", "") for content, _ in last.say(look=TILES))


def test_a_picture_shows_without_a_widget(sim):
    pytest.importorskip("anywidget")
    found = sim.view()._repr_mimebundle_()
    data = found[0] if isinstance(found, tuple) else found
    assert base64.b64decode(data["image/png"])[1:4] == b"PNG"
    assert "application/vnd.jupyter.widget-view+json" in data


def test_what_is_wrong_is_said(sim):
    with pytest.raises(sq.Error, match="99999 pixels high"):
        sim.view(height=99999)
    text = (
        "import sys; sys.modules['anywidget'] = None\nimport squeeze as sq\n"
        "try: sq.Simulation('vicsek', 'life', level=1).view()\nexcept sq.Error as error: print(error, *error.help)"
    )
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "needs anywidget" in run.stdout and "squeeze-fractals[view]" in run.stdout, run.stdout + run.stderr
