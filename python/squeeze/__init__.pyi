from typing import Any

from . import masks as masks
from .declarations import at_end as at_end
from .declarations import by_level as by_level
from .declarations import fn as fn
from .declarations import global_ as global_
from .declarations import input as input
from .declarations import let as let
from .declarations import param as param
from .declarations import picture as picture
from .declarations import repeat as repeat
from .declarations import state as state
from .declarations import step as step
from .domains import Fractal as Fractal
from .domains import box as box
from .domains import domain as domain
from .domains import fractal as fractal
from .domains import inverted as inverted
from .domains import largest as largest
from .domains import mask as mask
from .domains import spanning as spanning
from .domains import torus as torus
from .errors import CompileError as CompileError
from .errors import Error as Error
from .errors import InternalError as InternalError
from .language import Enum as _Enum
from .language import abs as abs
from .language import acos as acos
from .language import arg as arg
from .language import asin as asin
from .language import atan as atan
from .language import atan2 as atan2
from .language import below as below
from .language import between as between
from .language import bit as bit
from .language import bits as bits
from .language import ceil as ceil
from .language import clamp as clamp
from .language import complex as complex
from .language import conj as conj
from .language import const as const
from .language import cos as cos
from .language import cross as cross
from .language import dimension as dimension
from .language import dot as dot
from .language import exp as exp
from .language import exponential as exponential
from .language import f32 as f32
from .language import f64 as f64
from .language import floor as floor
from .language import fract as fract
from .language import hypot as hypot
from .language import i32 as i32
from .language import i64 as i64
from .language import im as im
from .language import log as log
from .language import log2 as log2
from .language import match as match
from .language import max as max
from .language import min as min
from .language import moore as moore
from .language import neighbourhood as neighbourhood
from .language import norm as norm
from .language import normal as normal
from .language import on_sphere as on_sphere
from .language import pi as pi
from .language import popcount as popcount
from .language import pow as pow
from .language import random as random
from .language import re as re
from .language import round as round
from .language import sign as sign
from .language import sin as sin
from .language import sqrt as sqrt
from .language import table as table
from .language import tan as tan
from .language import tanh as tanh
from .language import tau as tau
from .language import trunc as trunc
from .language import u8 as u8
from .language import u16 as u16
from .language import u32 as u32
from .language import uniform as uniform
from .language import vec2 as vec2
from .language import vec3 as vec3
from .language import von_neumann as von_neumann
from .language import where as where
from .places import TraceError as TraceError
from .rules import Rule as Rule
from .rules import rule as rule
from .runs import Dataset as Dataset
from .runs import Run as Run
from .runs import Sweep as Sweep
from .runs import analyse as analyse
from .runs import emit as emit
from .runs import export as export
from .runs import info as info
from .runs import open as open
from .runs import overlap as overlap
from .runs import plot as plot
from .runs import run as run
from .runs import sweep as sweep
from .simulation import Grid as Grid
from .simulation import Series as Series
from .simulation import Simulation as Simulation

def enum(*names: str | type[Any]) -> _Enum: ...

__all__ = [
    "acos", "analyse", "arg", "asin", "at_end", "atan", "atan2", "below", "between", "bit", "bits", "box", "by_level", "ceil", "clamp",
    "CompileError", "conj", "const", "cos", "cross", "Dataset", "dimension", "domain", "dot", "emit", "Error", "exp", "exponential", "export",
    "f32", "f64", "floor", "fn", "fract", "Fractal", "fractal", "global_", "Grid", "hypot", "i32", "i64", "im", "info", "InternalError",
    "inverted", "largest", "let", "log", "log2", "mask", "match", "moore", "neighbourhood", "norm", "normal", "on_sphere", "overlap", "param",
    "pi", "picture", "plot", "popcount", "random", "repeat", "Rule", "rule", "run", "Run", "Series", "sign", "Simulation", "sin",
    "spanning", "sqrt", "state", "step", "sweep", "Sweep", "table", "tan", "tanh", "tau", "torus", "TraceError", "trunc", "u16", "u32", "u8",
    "uniform", "vec2", "vec3", "von_neumann", "where",
]  # fmt: skip
