"""Calls whose errors become `openrave_exception`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import isgeneratorfunction
from types import FunctionType
from typing import Any, TypeVar

import pyrave.errors as native
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import (
    NotSupportedError,
    PlanningError,
    openrave_exception,
)
from pyrave_openravepy.api.foundation.options import returning_transforms

__all__ = ["ENVIRONMENT", "Guarded", "guarded", "unlocked"]

Function = TypeVar("Function", bound=Callable[..., Any])

_WRONG_VALUES = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    OSError,
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
            if bytes in map(type, args):
                args = _with_texts(args)
            return function(*args, **keywords)
        except _OWN:
            raise
        except _TRANSLATED as error:
            raise _translated(function, error) from error

    @functools.wraps(function)
    def items(*args: Any, **keywords: Any) -> Any:
        try:
            yield from function(*args, **keywords)
        except _OWN:
            raise
        except _TRANSLATED as error:
            raise _translated(function, error) from error

    yields = isgeneratorfunction(function)
    return items if yields else call  # type: ignore[return-value]


def unlocked(function: Function) -> Function:
    """Let a method run without the lock of its environment: it waits or locks."""
    function.unlocked = True  # type: ignore[attr-defined]
    return function


def _guarded_method(function: Function) -> Function:
    """Return a guarded method that no thread of the simulation comes between.

    Scripts of OpenRAVE lock where they like; here a step that runs meanwhile would
    see halves of a change.
    """
    if getattr(function, "unlocked", False) or isgeneratorfunction(function):
        return guarded(function)

    @functools.wraps(function)
    def call(self: Any = None, *args: Any, **keywords: Any) -> Any:
        try:
            if bytes in map(type, args):
                args = _with_texts(args)
            env = self.__dict__.get(ENVIRONMENT)
            if env is None or not env.running:
                return function(self, *args, **keywords)
            with env:
                return function(self, *args, **keywords)
        except _OWN:
            raise
        except _TRANSLATED as error:
            if not hasattr(self, "__dict__"):
                text = f"it is a method, called with {self!r:.80} instead of an object"
                raise _translated(function, TypeError(text)) from error
            raise _translated(function, error, type(self)) from error

    return call  # type: ignore[return-value]


def _with_texts(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with texts in place of their bytes.

    Scripts of Python 2 give names, commands and XML as either. Data that are no text
    stay as they are.
    """
    return tuple(_text(one) if isinstance(one, bytes) else one for one in args)


def _text(given: bytes) -> str | bytes:
    try:
        return given if b"\0" in given else given.decode()
    except UnicodeDecodeError:
        return given


ENVIRONMENT = "_environment"
"""The attribute of objects that keeps pyrave's environment."""


_OWN = (openrave_exception, PlanningError)
_TRANSLATED = (native.Error, *_WRONG_VALUES)


def _translated(
    function: Callable[..., Any], error: Exception, owner: type | None = None
) -> openrave_exception:
    if not isinstance(error, native.Error):
        name = own = function.__qualname__
        if owner is not None:
            # the class that scripts know, not the part of it that has the method
            known = (one.__name__ for one in owner.__mro__ if one.__name__[0] != "_")
            name = f"{next(known)}.{function.__name__}"
        text = str(error).replace(f"{own}()", f"{name}()") or type(error).__name__
        if not text.startswith(name):
            text = f"{name}: {text}"
        return openrave_exception(text, ErrorCode.InvalidArguments)
    if isinstance(error, native.NotSupportedError):
        return NotSupportedError(str(error))
    code = next((code for kind, code in _CODES if isinstance(error, kind)), None)
    return openrave_exception(str(error), code or ErrorCode.Failed)


class Guarded:
    """Base of classes of the API: their public methods are `guarded`.

    While a thread steps the environment of an object, its methods have the lock.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, value in list(vars(cls).items()):
            if name.startswith("_") and name not in _OPERATORS:
                continue
            if isinstance(value, FunctionType):
                method = returning_transforms(name, value)
                setattr(cls, name, _guarded_method(method))
            elif isinstance(value, staticmethod):
                setattr(cls, name, staticmethod(guarded(value.__func__)))
            elif isinstance(value, property):
                getter = value.fget and _guarded_method(value.fget)
                setter = value.fset and _guarded_method(value.fset)
                setattr(cls, name, property(getter, setter, doc=value.__doc__))

    def __getattr__(self, name: str) -> Any:
        raise _unknown(type(self), name)

    def __format__(self, spec: str) -> str:
        # of any object, as in Python 2: "{:s}".format(robot)
        return format(str(self), spec)


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


def _unknown(owner: type, name: str) -> AttributeError:
    text = f"{owner.__name__} has no attribute {name!r}"
    if not name.startswith("_"):
        hint = native.did_you_mean(name, [one for one in dir(owner) if one[0] != "_"])
        text += hint
    # without the object, with which Python would suggest a name once more
    return AttributeError(text, name=name)
