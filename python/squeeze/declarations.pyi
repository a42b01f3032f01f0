from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from .cells import Cell
from .language import Const, Enum, Neighbourhood, Type, _AnyNeighbourhood, _AnyType
from .symbols import Symbol, _Value

def doc_of(thing: object) -> str | None: ...

class State(Symbol):
    type: Type | Enum
    init: _Value | Callable[[Cell], _Value] | None
    rolling: bool
    given: str | None
    doc: str | None
    def __init__(
        self, type: _AnyType, init: _Value | Callable[[Cell], _Value] | None, rolling: bool, name: str | None, doc: str | None
    ) -> None: ...

def state(
    type: _AnyType,
    init: _Value | Callable[[Any], _Value] | None = None,
    *,
    rolling: bool = False,
    name: str | None = None,
    doc: str | None = None,
) -> State: ...

class Input(Symbol):
    type: Type | Enum
    along: str
    given: str | None
    doc: str | None
    def __init__(self, type: _AnyType, along: str, name: str | None, doc: str | None) -> None: ...

def input(type: _AnyType, *, along: str, name: str | None = None, doc: str | None = None) -> Input: ...

class Param(Symbol):
    type: Type | Enum
    value: Symbol
    range: tuple[Symbol, Symbol] | None
    given: str | None
    doc: str | None
    follows: bool
    def __init__(
        self, default: _Value, low: _Value | None, high: _Value | None, type: _AnyType | None, name: str | None, doc: str | None
    ) -> None: ...

def number_of(value: object, of: Type | Enum) -> Symbol: ...
def param(
    default: _Value,
    *,
    min: _Value | None = None,
    max: _Value | None = None,
    type: _AnyType | None = None,
    name: str | None = None,
    doc: str | None = None,
) -> Param: ...

class Entry:
    function: Callable[..., Any]
    given: str | None
    doc: str | None
    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None: ...

class Let(Entry): ...

class Global(Entry):
    once: bool

@overload
def let(function: Callable[..., Any], *, name: str | None = None) -> Let: ...
@overload
def let(function: None = None, *, name: str | None = None) -> Callable[[Callable[..., Any]], Let]: ...
@overload
def global_(function: Callable[..., Any], *, once: bool = False, name: str | None = None) -> Global: ...
@overload
def global_(function: None = None, *, once: bool = False, name: str | None = None) -> Callable[[Callable[..., Any]], Global]: ...

class Step(Entry):
    colour: Neighbourhood | None
    when: Symbol | Callable[..., Any] | None
    order: str | None
    group: Repeat | None

class Repeat:
    times: Symbol
    def __init__(self, times: int | Const) -> None: ...
    @overload
    def step(
        self,
        function: Callable[..., Any],
        *,
        colour: _AnyNeighbourhood | None = None,
        when: Symbol | Callable[[Any], _Value] | None = None,
        from_: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Step: ...
    @overload
    def step(
        self,
        function: None = None,
        *,
        colour: _AnyNeighbourhood | None = None,
        when: Symbol | Callable[[Any], _Value] | None = None,
        from_: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Callable[[Callable[..., Any]], Step]: ...

def repeat(times: int | Const) -> Repeat: ...
@overload
def step(
    function: Callable[..., Any],
    *,
    colour: _AnyNeighbourhood | None = None,
    when: Symbol | Callable[[Any], _Value] | None = None,
    from_: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Step: ...
@overload
def step(
    function: None = None,
    *,
    colour: _AnyNeighbourhood | None = None,
    when: Symbol | Callable[[Any], _Value] | None = None,
    from_: str | Sequence[str] | None = None,
    name: str | None = None,
) -> Callable[[Callable[..., Any]], Step]: ...

class Fn:
    function: Callable[..., Any]
    given: str | None
    doc: str | None
    has_cell: bool
    parameters: list[tuple[str, Type | Enum]]
    type: Type | Enum
    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None: ...
    def __call__(self, *arguments: _Value) -> Symbol: ...

@overload
def fn(function: Callable[..., Any], *, name: str | None = None) -> Fn: ...
@overload
def fn(function: None = None, *, name: str | None = None) -> Callable[[Callable[..., Any]], Fn]: ...

class Picture:
    state: State | str
    map: str | None
    range: tuple[_Value, _Value] | None
    colours: Sequence[str] | Mapping[Any, str] | None
    def __init__(
        self, state: State | str, map: str | None, range: tuple[_Value, _Value] | None, colours: Sequence[str] | Mapping[Any, str] | None
    ) -> None: ...

def picture(
    state: State | str,
    *,
    map: str | None = None,
    range: tuple[_Value, _Value] | None = None,
    colours: Sequence[str] | Mapping[Any, str] | None = None,
) -> Picture: ...

class Observed:
    value: _Value | Sequence[_Value]
    level: int | None
    at_end: bool
    def __init__(self, value: _Value | Sequence[_Value], level: int | None, at_end: bool) -> None: ...

def by_level(value: _Value, level: int) -> Observed: ...
def at_end(value: _Value | Sequence[_Value] | Observed) -> Observed: ...
