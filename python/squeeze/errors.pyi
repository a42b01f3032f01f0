from collections.abc import Iterable, Mapping
from typing import Any

from .places import Place

class Error(Exception):
    help: list[str]
    def __init__(self, message: str, help: Iterable[str] = ()) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class Diagnostics(list[Diagnostic]): ...

class Diagnostic:
    message: str
    code: str
    help: list[str]
    file: str | None
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    label: str | None
    place: Place | None
    def __init__(self, finding: Mapping[str, Any]) -> None: ...

class CompileError(Error):
    diagnostics: Diagnostics
    def __init__(self, message: str, findings: str = "[]") -> None: ...

class InternalError(Error):
    def __init__(self, message: str) -> None: ...
