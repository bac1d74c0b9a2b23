"""Suggestions for unknown keyword arguments of public functions.

Python's own message names no other. Nothing is checked before a call has failed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from traceback import walk_tb
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from pyrave.cards import unlisted_names
from pyrave.errors import ArgumentNameError, did_you_mean

Given = ParamSpec("Given")
Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=type[Any])


def suggests_arguments(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a function answer to an unknown keyword with the nearest one.

    A call costs a tenth of a microsecond more. What the function itself raises passes.
    """

    @wraps(function)
    def suggesting(*args: Given.args, **keywords: Given.kwargs) -> Result:
        try:
            return function(*args, **keywords)
        except TypeError as error:
            told = _explained(function, args, keywords, error)
            if told is None:
                raise
        raise told

    setattr(suggesting, "_suggests", True)  # noqa: B010 - it has no such field
    return suggesting


def methods_suggest(kind: Kind) -> Kind:
    """Let the methods that ``dir`` lists of a class suggest, and its constructor.

    Those are meant that it defines itself: a base is decorated, too. Methods that take
    so little time that it would be felt are left out: classes name them in ``_hot``, a
    text with blanks between the names.
    """
    left_out = unlisted_names(kind)
    for one in kind.__mro__:
        left_out.update(vars(one).get("_hot", "").split())
    for name, value in list(vars(kind).items()):
        if name in left_out or (name[0] == "_" and name != "__init__"):
            continue
        made: Any = None
        if isinstance(value, (classmethod, staticmethod)):
            if not is_suggesting(value.__func__):
                made = type(value)(suggests_arguments(value.__func__))
        elif isinstance(value, FunctionType) and not is_suggesting(value):
            made = suggests_arguments(value)
        if made is not None:
            setattr(kind, name, made)
    return kind


def is_suggesting(function: Any) -> bool:
    """Return True if a function or method was given to `suggests_arguments`."""
    return hasattr(function, "_suggests")


def _explained(
    function: Any, args: Any, keywords: Any, error: TypeError
) -> ArgumentNameError | None:
    """Return the exception for a call that failed because of a keyword, else None."""
    import inspect  # takes long to import

    # decorators below may have been the first to fail, the function itself was not
    body = inspect.unwrap(function).__code__
    if any(frame.f_code is body for frame, _ in walk_tb(error.__traceback__)):
        return None
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    takes = [
        one.name
        for one in parameters
        if one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}
    ]
    name = next((one for one in keywords if one not in takes), None)
    if name is None:
        return None
    owner, _, called = function.__qualname__.rpartition(".")
    if owner and args:
        kind = args[0] if isinstance(args[0], type) else type(args[0])
        # a base that nobody knows may have it
        owner = kind.__name__ if hasattr(kind, called) else owner
        takes = takes[1:] if takes[:1] in (["self"], ["cls"]) else takes
    if called == "__init__":
        owner, called = "", owner
    where = f"{owner}.{called}()" if owner else f"{called}()"
    return ArgumentNameError(
        f"{where} has no argument {name!r}{did_you_mean(name, takes)}; arguments: "
        f"{', '.join(takes) or 'none'}",
        name,
    )
