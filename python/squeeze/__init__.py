"""Cellular automata, PDEs and spin models on huge discrete fractals, boxes and tori, in compact memory."""
# ruff: noqa: F401

from .declarations import at_end, by_level, fn, global_, input, let, param, picture, repeat, state, step
from .domains import Fractal, box, domain, fractal, inverted, largest, mask, spanning, torus
from .errors import CompileError, Error, InternalError
from .language import (
    abs,
    acos,
    asin,
    atan,
    atan2,
    below,
    between,
    bit,
    bits,
    ceil,
    clamp,
    const,
    cos,
    dimension,
    exp,
    exponential,
    f32,
    f64,
    floor,
    fract,
    hypot,
    i32,
    i64,
    log,
    log2,
    match,
    max,
    min,
    moore,
    neighbourhood,
    normal,
    pi,
    popcount,
    pow,
    random,
    round,
    sign,
    sin,
    sqrt,
    table,
    tan,
    tanh,
    tau,
    trunc,
    u8,
    u16,
    u32,
    uniform,
    von_neumann,
    where,
)
from .language import enum_type as enum
from .places import TraceError
from .rules import Rule, rule

#: What `from squeeze import *` brings: none of the names that Python has itself.
__all__ = [
    "acos", "analyse", "asin", "at_end", "atan", "atan2", "below", "between", "bit", "bits", "box", "by_level", "ceil", "clamp",
    "CompileError", "const", "cos", "Dataset", "dimension", "domain", "emit", "Error", "exp", "exponential", "export", "f32", "f64",
    "floor", "fn", "fract", "fractal", "Fractal", "global_", "Grid", "hypot", "i32", "i64", "info", "InternalError", "inverted", "largest",
    "let", "log", "log2", "mask", "match", "moore", "neighbourhood", "normal", "overlap", "param", "pi", "picture", "plot", "popcount",
    "random", "repeat", "Rule", "rule", "run", "Run", "Series", "sign", "Simulation", "sin", "spanning", "sqrt", "state", "step", "Sweep",
    "sweep", "table", "tan", "tanh", "tau", "torus", "TraceError", "trunc", "u16", "u32", "u8", "uniform", "von_neumann", "where",
]  # fmt: skip


def __getattr__(name):
    # What needs the extension module is loaded when it is wanted.
    if name in ("Simulation", "Series", "Grid"):
        from . import simulation

        return getattr(simulation, name)
    if name in ("analyse", "Dataset", "emit", "export", "info", "open", "overlap", "plot", "run", "Run", "sweep", "Sweep"):
        from . import runs

        return getattr(runs, name)
    if name == "masks":
        import importlib

        return importlib.import_module(".masks", __name__)
    raise AttributeError(f"module 'squeeze' has no attribute {name!r}")
