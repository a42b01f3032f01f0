"""Functions of numpy on symbols. Numpy itself is not imported: it hands its functions over."""

from . import language
from .places import error
from .symbols import symbol

_OPERATORS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "true_divide": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "mod": lambda a, b: a % b,
    "fmod": lambda a, b: a % b,
    "power": lambda a, b: a**b,
    "float_power": language.pow,
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "absolute": language.abs,
    "fabs": language.abs,
    "sign": language.sign,
    "square": lambda a: a * a,
    "reciprocal": lambda a: 1.0 / a,
    "left_shift": lambda a, b: a << b,
    "right_shift": lambda a, b: a >> b,
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "invert": lambda a: ~a,
    "logical_and": lambda a, b: a & b,
    "logical_or": lambda a, b: a | b,
    "logical_xor": lambda a, b: a ^ b,
    "logical_not": lambda a: ~a,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "minimum": language.min,
    "maximum": language.max,
    "sqrt": language.sqrt,
    "exp": language.exp,
    "log": language.log,
    "sin": language.sin,
    "cos": language.cos,
    "tanh": language.tanh,
    "log2": language.log2,
    "tan": language.tan,
    "arcsin": language.asin,
    "arccos": language.acos,
    "arctan": language.atan,
    "arctan2": language.atan2,
    "hypot": language.hypot,
    "floor": language.floor,
    "ceil": language.ceil,
    "trunc": language.trunc,
    "bitwise_count": language.popcount,
}
_INSTEAD = {
    "rint": "sq.round(e), which rounds halves away from zero",
    "sinh": "(sq.exp(e) - sq.exp(-e)) / 2.0",
    "cosh": "(sq.exp(e) + sq.exp(-e)) / 2.0",
    "exp2": "sq.pow(2.0, e)",
    "log10": "sq.log(e) / math.log(10.0)",
    "expm1": "sq.exp(e) - 1.0",
    "log1p": "sq.log(1.0 + e)",
}


def ufunc(function, method, inputs, options):
    """A universal function of numpy."""
    name = function.__name__
    if method != "__call__" or any(value is not None for value in options.values()):
        raise error(
            f"`np.{name}` with options or as a reduction cannot be traced",
            "write c.sum(sq.moore, lambda nb: nb.u) over neighbours, a.sum('u') over cells",
        )
    if name in _OPERATORS:
        return _OPERATORS[name](*map(symbol, inputs))
    instead = _INSTEAD.get(name)
    raise error(f"the language has no `{name}`", f"write {instead}" if instead else f"functions are {', '.join(f'np.{name}' for name in _OPERATORS)}")


def _where(condition, *values):
    if len(values) != 2:
        raise error("`np.where` of a condition alone gives places, of which a symbol has none", "write np.where(condition, then, otherwise)")
    return language.where(condition, *values)


def _select(conditions, choices, default=0):
    return language.where(*(value for pair in zip(conditions, choices, strict=True) for value in pair), default)


def _clip(value, a_min=None, a_max=None, **ends):
    low, high = ends.pop("min", a_min), ends.pop("max", a_max)
    if ends or low is None or high is None:
        raise error("`np.clip` without both ends", "write sq.clamp(e, low, high), sq.min(e, high) or sq.max(e, low)")
    return language.clamp(value, low, high)


def _round(value, *_, **__):
    return value.__round__()


_FUNCTIONS = {"where": _where, "select": _select, "clip": _clip, "round": _round, "around": _round}


def array_function(function, inputs, options):
    """Another function of numpy."""
    name = function.__name__
    if name not in _FUNCTIONS:
        raise error(f"`np.{name}` cannot be traced", "write sq.where, sq.clamp, c.sum(sq.moore, …) over neighbours or a.sum(…) over cells")
    return _FUNCTIONS[name](*inputs, **options)
