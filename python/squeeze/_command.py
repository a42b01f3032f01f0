"""The command `squeeze`."""

import os
import signal
import sys

#: The process that a run or a sweep of the package belongs to, and whose end is the run's.
PARENT = "SQUEEZE_PARENT"


def main():
    """Does what the command line asks."""
    parent = os.environ.pop(PARENT, None)
    if parent is not None:
        _end_with(int(parent))
    # The command has a handler of its own, which ends a run on a whole step.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ._library import native

    sys.exit(native().main_of(["squeeze", *sys.argv[1:]]))


def _end_with(parent):
    """Asks Linux for an interrupt when the parent ends, by whatever signal: the run saves its state."""
    if sys.platform == "linux":
        import ctypes

        set_signal_of_parents_end = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_end, int(signal.SIGINT))
        if os.getppid() != parent:
            sys.exit(1)
