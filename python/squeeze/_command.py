"""The command `squeeze`."""

import signal
import sys


def main():
    """Does what the command line asks."""
    # The command has a handler of its own, which ends a run on a whole step.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ._library import native

    sys.exit(native().main_of(["squeeze", *sys.argv[1:]]))
