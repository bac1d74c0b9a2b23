"""A stand-in for the function that compiles a kernel in a worker process."""

import os


def compile_or_end(name):
    """End the process at the kernel "bad"; return what compiling another took."""
    if name == "bad":
        os._exit(9)
    return 0.5, ""
