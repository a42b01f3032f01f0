"""Views in notebooks: widgets whose page sees and steers a simulation."""

import base64
import json

from ._library import native
from .errors import Error

_made = None


def widget(simulation, height, playing):
    """A widget that shows a simulation."""
    global _made  # noqa: PLW0603
    if _made is None:
        _made = _class()
    return _made(simulation, height, playing)


def _class():
    if not hasattr(native(), "View"):
        raise Error("this build has no views", ["build it with the feature `view`, as it is by default"])
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise Error("a view in a notebook needs anywidget", ["pip install 'squeeze-fractals[view]'", "`squeeze view` shows a run without it"]) from error

    script, page, style = native().view_files()

    class View(anywidget.AnyWidget):
        _esm = script
        _page = traitlets.Unicode(page).tag(sync=True)
        _style = traitlets.Unicode(style).tag(sync=True)
        _height = traitlets.Int().tag(sync=True)

        def __init__(self, simulation, height, playing):
            super().__init__(_height=height)
            self._simulation = simulation
            self._view = native().View(simulation, playing)
            self.on_msg(self._hear)

        def _hear(self, _, content, buffers):
            try:
                answers = self._view.hear(json.dumps(content))
            except Error as error:
                answers = [(json.dumps({"page": content.get("page"), "text": json.dumps({"error": str(error)})}), None)]
            for text, data in answers:
                answer = json.loads(text)
                if data is not None and answer.get("base64"):
                    self.send({**answer, "base64": base64.b64encode(data).decode()})
                else:
                    self.send(answer, None if data is None else [data])
            self._view.end()

        def close(self):
            super().close()
            # Nothing holds the simulation any more.
            self.on_msg(self._hear, remove=True)
            self._simulation = self._view = None

        def _repr_mimebundle_(self, **named):
            found = super()._repr_mimebundle_(**named)
            data, about = found if isinstance(found, tuple) else (found, {})
            # Where no widget shows, the present state does.
            drawn = self._simulation._shown()
            if data and drawn is not None:
                data = {**data, "image/png": base64.b64encode(drawn).decode()}
            return (data, about) if isinstance(found, tuple) else data

    return View
