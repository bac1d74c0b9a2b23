"""A stand-in for the function that compiles a kernel in a worker process."""

import os

from pyrave.cli.commands.warm import Compiled


def compile_or_end(name):
    """End the process at the kernel "bad"; return what became of another."""
    if name == "bad":
        os._exit(9)
    return Compiled(0.5, "")
