"""Functions that kernels call by their addresses.

A kernel that takes a function as an argument would be compiled again for each function.
It takes a number instead, `address_of` one that is compiled, and ``returns_bool(number,
...)`` or ``returns_int(number, ...)`` calls it, here in Python, compiled as machine
code (`pyrave.jit.numba_internals`). The types of the arguments have to be those that
the function was compiled for; nothing checks them. Nobody counts references: who passes
an address keeps the function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["address_of", "returns_bool", "returns_int"]

_functions: dict[int, Callable[..., Any]] = {}
_addresses: dict[Callable[..., Any], int] = {}


def address_of(function: Callable[..., Any]) -> int:
    """Return the number by which kernels call a function.

    Parameters
    ----------
    function
        Compiled for one list of types (`Kernel.now`), or plain Python if
        nothing is compiled.
    """
    known = _addresses.get(function)
    if known is not None:
        return known
    if hasattr(function, "overloads"):
        from pyrave.jit.numba_internals import address_of_code

        address = address_of_code(function)
    else:
        address = id(function)
    _functions[address], _addresses[function] = function, address
    return address


def returns_bool(address: int, *args: Any) -> bool:
    """Return the result of the function at an address, True or False."""
    return bool(_functions[int(address)](*args))


def returns_int(address: int, *args: Any) -> int:
    """Return the result of the function at an address, a whole number."""
    return int(_functions[int(address)](*args))
