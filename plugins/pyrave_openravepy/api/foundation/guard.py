"""Calls whose errors become `openrave_exception`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import pyrave.errors as native
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import (
    NotSupportedError,
    PlanningError,
    openrave_exception,
)

__all__ = ["Guarded", "guarded"]

Function = TypeVar("Function", bound=Callable[..., Any])

_WRONG_VALUES = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
)
# the first kind that fits
_CODES: tuple[tuple[type[native.Error], ErrorCode], ...] = (
    (native.NotSupportedError, ErrorCode.CommandNotSupported),
    (native.CommandError, ErrorCode.CommandNotSupported),
    (native.LockTimeoutError, ErrorCode.Timeout),
    (native.StateError, ErrorCode.InvalidState),
    (native.PluginError, ErrorCode.InvalidPlugin),
    (native.ArgumentError, ErrorCode.InvalidArguments),
    (native.NotFoundError, ErrorCode.InvalidArguments),
    (native.NameConflictError, ErrorCode.InvalidArguments),
)


def guarded(function: Function) -> Function:
    """Return a function that raises nothing of pyrave's or Python's own kinds.

    Wrong arguments, in kind or in number, are `openrave_exception` as well.
    """

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except (openrave_exception, PlanningError):
            raise
        except native.Error as error:
            raise _translated(error) from error
        except _WRONG_VALUES as error:
            text = f"{function.__qualname__}: {error or type(error).__name__}"
            raise openrave_exception(text, ErrorCode.InvalidArguments) from error

    return call  # type: ignore[return-value]


def _translated(error: native.Error) -> openrave_exception:
    if isinstance(error, native.NotSupportedError):
        return NotSupportedError(str(error))
    code = next((code for kind, code in _CODES if isinstance(error, kind)), None)
    return openrave_exception(str(error), code or ErrorCode.Failed)


class Guarded:
    """Base of classes of the API: their public methods are `guarded`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, value in list(vars(cls).items()):
            if name.startswith("_") and name not in _OPERATORS:
                continue
            if isinstance(value, FunctionType):
                setattr(cls, name, guarded(value))
            elif isinstance(value, staticmethod):
                setattr(cls, name, staticmethod(guarded(value.__func__)))
            elif isinstance(value, property):
                getter = value.fget and guarded(value.fget)
                setter = value.fset and guarded(value.fset)
                setattr(cls, name, property(getter, setter, doc=value.__doc__))

    def __getattr__(self, name: str) -> Any:
        raise _unknown(type(self), name, self)


# operators whose operands users give; comparisons answer NotImplemented by themselves
_OPERATORS = frozenset(
    (
        "__init__",
        "__enter__",
        "__exit__",
        "__getitem__",
        "__len__",
        "__call__",
        "__mul__",
        "__rmul__",
        "__add__",
        "__iadd__",
    )
)


def _unknown(owner: type, name: str, found: object) -> AttributeError:
    text = f"{owner.__name__} has no attribute {name!r}"
    if not name.startswith("_"):
        hint = native.did_you_mean(name, [one for one in dir(owner) if one[0] != "_"])
        text += hint
    return AttributeError(text, name=name, obj=found)
