from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeAlias

from .places import Place

#: What stands for a rule: itself, a name that ships, a path, a text, or a notation such as B3/S23.
_AnyRule: TypeAlias = Rule | str | PathLike[str]

class Rule:
    name: str | None
    spec: str | None
    def __init__(
        self,
        name: str | None,
        text: str | None,
        spans: Sequence[Any] = (),
        doc: str | None = None,
        owner: type | None = None,
        spec: str | None = None,
    ) -> None: ...
    @property
    def source(self) -> str | None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def place_of(self, line: int, column: int) -> Place | None: ...
    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]: ...

def rule(what: type | _AnyRule) -> Rule: ...
