"""The extension module, where there is one: rules can be traced without it."""

try:
    from . import _native
except ImportError:
    _native = None  # type: ignore[assignment]

from .errors import CompileError, Error

#: How messages call a text that is in no file.
NAME = "<python>"


def native():
    """The extension module."""
    if _native is None:
        raise Error("the extension module of squeeze is not built", ["maturin develop --profile wheel"])
    return _native


#: What launchers tell the processes that they start together: how many these are.
_RANKS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_SIZE", "SLURM_STEP_NUM_TASKS")


def refuse_ranks():
    """Raises in a process of several that `mpirun` or `srun` started: each would compute the same, and write to the same files."""
    import os

    if os.environ.get("SQUEEZE_RANKS") == "alone":
        return
    for name in _RANKS:
        count = os.environ.get(name, "")
        if count.isdecimal() and int(count) > 1:
            raise Error(
                f"this is one of {count} processes that were started together ({name}), and simulations are not divided among processes",
                [
                    "start it once: it uses all cores by threads",
                    "set SQUEEZE_RANKS=alone where each process has work of its own, such as other seeds",
                ],
            )


def formatted(text):
    """A text, laid out as `squeeze fmt` does; as it is where there is no extension module."""
    return text if _native is None else _native.format(NAME, text)


def compiled_rule(rule):
    """A rule of a text, checked by the compiler. Errors of a traced one have places in Python."""
    if not rule._spans:
        return native().Rule.of_text(NAME, rule._text)
    try:
        return native().Rule.of_text(NAME, rule.source)
    except CompileError:
        pass
    try:
        # The same text as it was traced, line by line, whose places are known.
        return native().Rule.of_text(NAME, rule._text)
    except CompileError as error:
        lines = rule._text.split("\n")
        told = []
        for one in error.diagnostics:
            one.place = rule.place_of(one.line, one.column) if one.line else None
            shown = [f"{one.message}: {one.label}" if one.label else one.message]
            shown += [one.place.shown()] if one.place else []
            shown += [f"  in {rule.name}.source: {lines[one.line - 1].strip()}"] if one.line else []
            told.append("\n".join([*shown, *(f"help: {line}" for line in one.help)]))
        error.args = ("\n\n".join(told),)
        raise error from None
