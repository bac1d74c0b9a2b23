"""Kernels that nobody has called yet."""

from __future__ import annotations

from typing import Any

from pyrave.jit import Kernel


def fresh(kernel: Kernel, **changes: Any) -> Kernel:
    """Return a kernel like another one, as it was before its first call."""
    request = kernel.request
    given = {
        "said": kernel._said,
        "seconds": kernel._seconds,
        "cost": kernel._cost,
        "compile_after": kernel._compile_after,
        "merged": request.merged,
        "whole": request.whole,
        "substitutes": dict(request.substitutes),
    }
    return Kernel(request.module, request.name, **{**given, **changes})
