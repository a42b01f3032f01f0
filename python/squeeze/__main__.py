"""`python -m squeeze` is the command."""

from ._command import main

main()
