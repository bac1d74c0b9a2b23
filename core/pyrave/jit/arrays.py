"""Types of what kernels take, as their annotations name them.

Kernel modules import the arrays for the type checker alone. ``F64`` is an array of
float64 of any rank. The parameters of a function that Python calls say the rank, as
``F64_2`` does, and are ``int``, ``float`` or ``bool`` if they are no arrays: it is
compiled for these types, and for C-contiguous arrays that can be written, but for
``ReadOnly...``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
F32_1 = F32
F32_2 = F32
F32_3 = F32
F64_1 = F64
F64_2 = F64
F64_3 = F64
F64_4 = F64
I32_1 = I32
I32_2 = I32
I32_3 = I32
I64_1 = I64
I64_2 = I64
U8_1 = U8
U8_2 = U8
ReadOnlyF64_3 = F64

ELEMENTS = {
    "F32": np.float32,
    "F64": np.float64,
    "I32": np.int32,
    "I64": np.int64,
    "U8": np.uint8,
}
"""Elements of arrays by the first part of their names."""
READ_ONLY = "ReadOnly"
NUMBERS = {"int": "int64", "float": "float64", "bool": "boolean"}
"""Names of numba's types by annotations that are no arrays."""


def types_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the types of a function's parameters as its annotations name them.

    Raises
    ------
    TypeError
        One of them has no such annotation.
    """
    found = []
    code = function.__code__
    for name in code.co_varnames[: code.co_argcount]:
        word = function.__annotations__.get(name)
        element, _, rank = str(word).removeprefix(READ_ONLY).partition("_")
        if word not in NUMBERS and not (element in ELEMENTS and rank.isdecimal()):
            raise TypeError(
                f"a kernel is compiled for the types of its annotations, but {name!r} "
                f"of {function.__module__}.{function.__name__} is annotated {word!r}; "
                "name an array with its rank, as 'F64_2' does, or int, float or bool "
                "(with `from __future__ import annotations`)"
            )
        found.append(str(word))
    return tuple(found)
