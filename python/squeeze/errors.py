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
        self.diagnostics = [Diagnostic(one) for one in json.loads(findings)]

    def __reduce__(self):
        return (type(self), (self.args[0], self._findings))


class InternalError(Error):
    """An error of the library itself: please report it."""

    def __init__(self, message):
        super().__init__(f"an error of the library itself, please report it: {message}")
        self._words = message

    def __reduce__(self):
        return (type(self), (self._words,))
