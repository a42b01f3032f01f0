"""Cellular automata, PDEs and spin models on huge discrete fractals, boxes and tori, in compact memory."""
# ruff: noqa: F401

from .declarations import at_end, by_level, fn, global_, input, let, param, picture, repeat, state, step
from .domains import Fractal, box, domain, fractal, inverted, largest, mask, spanning, torus
from .errors import CompileError, Error, InternalError
from .language import (
    abs,
    acos,
    arg,
    asin,
    atan,
    atan2,
    below,
    between,
    bit,
    bits,
    ceil,
    clamp,
    complex,
    conj,
    const,
    cos,
    cross,
    dimension,
    dot,
    exp,
    exponential,
    f32,
    f64,
    floor,
    fract,
    hypot,
    i32,
    i64,
    im,
    log,
    log2,
    match,
    max,
    min,
    moore,
    neighbourhood,
    norm,
    normal,
    on_sphere,
    pi,
    popcount,
    pow,
    random,
    re,
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
    vec2,
    vec3,
    von_neumann,
    where,
)
from .language import enum_type as enum
from .places import TraceError
from .rules import Rule, rule

#: What `from squeeze import *` brings: none of the names that Python has itself.
__all__ = [
    "acos", "analyse", "arg", "asin", "at_end", "atan", "atan2", "below", "between", "bit", "bits", "box", "by_level", "ceil", "clamp",
    "CompileError", "conj", "const", "cos", "cross", "Dataset", "dimension", "domain", "dot", "emit", "Error", "exp", "exponential", "export",
    "f32", "f64", "floor", "fn", "fract", "Fractal", "fractal", "global_", "Grid", "hypot", "i32", "i64", "im", "info", "InternalError",
    "inverted", "largest", "let", "log", "log2", "mask", "match", "moore", "neighbourhood", "norm", "normal", "on_sphere", "overlap", "param",
    "pi", "picture", "plot", "popcount", "random", "repeat", "Rule", "rule", "run", "Run", "Series", "sign", "Simulation", "sin",
    "spanning", "sqrt", "state", "step", "sweep", "Sweep", "table", "tan", "tanh", "tau", "torus", "TraceError", "trunc", "u16", "u32", "u8",
    "uniform", "vec2", "vec3", "von_neumann", "where",
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
