"""Errors of the library."""


class Error(Exception):
    """The input is wrong, or the machine fails. `help` are lines that say what would be valid."""

    def __init__(self, message, help=()):  # noqa: A002
        super().__init__(message)
        self.help = list(help)

    def __str__(self):
        return "\n".join([super().__str__(), *(f"help: {line}" for line in self.help)])

    def __reduce__(self):
        return (type(self), (self.args[0], self.help))


def _escaped(text):
    import html

    return html.escape(str(text))


class Diagnostics(list):
    """The errors of a text, which notebooks show as a table."""

    def _repr_html_(self):
        rows = []
        for one in self:
            place = f"{one.file}:{one.line}:{one.column}" if one.line else ""
            if one.place is not None:
                place = f"{one.place.file}:{one.place.line}"
            told = "<br>".join(map(_escaped, [f"{one.message}: {one.label}" if one.label else one.message, *(f"help: {line}" for line in one.help)]))
            rows.append(f'<tr><td style="text-align:left"><code>{_escaped(place)}</code></td><td style="text-align:left">{told}</td></tr>')
        return f"<table><tr><th>place</th><th>error</th></tr>{''.join(rows)}</table>"


class Diagnostic:
    """One error of a text: `message`, `help` (a list of lines), `file`, `line`, `column`, `end_line`, `end_column`, all from 1, `label`, and for a rule
    that was traced `place`, its place in Python."""

    def __init__(self, finding):
        place = finding.get("place") or {}
        self.message, self.code, self.help = finding["message"], finding["code"], list(finding["help"])
        self.file, self.line, self.column = place.get("file"), place.get("line"), place.get("column")
        self.end_line, self.end_column, self.label = place.get("end_line"), place.get("end_column"), place.get("text")
        self.place = None

    def __repr__(self):
        return f"<{self.file}:{self.line}:{self.column}: {self.message}>"


class CompileError(Error):
    """A text has errors: `diagnostics` are all of them."""

    def __init__(self, message, findings="[]"):
        import json

        super().__init__(message.rstrip())
        self._findings = findings
        self._is_shown = False
        self.diagnostics = Diagnostics(Diagnostic(one) for one in json.loads(findings))

    def _repr_html_(self):
        styles = {"error": "color:#b3261e;font-weight:bold", "help": "color:#1a6b3c", "= help": "color:#1a6b3c", "-->": "opacity:0.7"}
        lines = []
        for line in str(self).splitlines():
            style = next((style for begin, style in styles.items() if line.lstrip().startswith(begin)), None)
            lines.append(f'<span style="{style}">{_escaped(line)}</span>' if style else _escaped(line))
        return "<pre>{}</pre>".format("\n".join(lines))

    def _render_traceback_(self):
        # IPython asks for the lines below a cell: those of the user's code, and in a notebook the errors with colours.
        import os
        import traceback

        package = os.path.dirname(os.path.abspath(__file__)) + os.sep
        frames = [frame for frame in traceback.extract_tb(self.__traceback__) if not frame.filename.startswith(package)]
        lines = [line.rstrip("\n") for line in traceback.format_list(frames)]
        from IPython import display, get_ipython

        if hasattr(get_ipython(), "kernel"):
            # It asks twice: for what is shown, and for its answer to the notebook.
            if not self._is_shown:
                display.display(display.HTML(self._repr_html_()))
            self._is_shown = True
            count = len(self.diagnostics)
            return [*lines, f"CompileError: {'an error' if count == 1 else f'{count} errors'} in a text of the language, shown above"]
        return [*lines, f"CompileError: {self}"]

    def __reduce__(self):
        return (type(self), (self.args[0], self._findings))


class InternalError(Error):
    """An error of the library itself: please report it."""

    def __init__(self, message):
        super().__init__(f"an error of the library itself, please report it: {message}")
        self._words = message

    def __reduce__(self):
        return (type(self), (self._words,))
