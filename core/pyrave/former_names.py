"""Former names of attributes, arguments and ids: they work for a while, and warn.

A `NewName` stands wherever the former one was::

    exports(__name__, {...}, former={"Hull": NewName("ConvexHull", "pyrave 0.4")})

    class Camera:
        fov = NewName("field_of_view", "pyrave 0.4")

    @former_arguments(fov=NewName("field_of_view", "pyrave 0.4"))
    def look(field_of_view): ...

    __getattr__ = former_attributes(__name__, Hull=NewName("ConvexHull", "acme 3.0"))

    @hookimpl
    def pyrave_interfaces():
        yield "planner", "AcmeRRT", NewName("AcmeTree", "acme-planners 3.0")

What has no new name tells by `warn_of_end` what to do.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar

from pyrave.errors import ArgumentError
from pyrave.messages import user_frame

Called = TypeVar("Called", bound=Callable[..., Any])


def warn_of_end(what: str, gone_in: str, instead: str) -> None:
    """Warn with a `DeprecationWarning` at the user's line that something goes.

    Python's filters say where it is shown: by default once for each line of a program,
    and in its tests.

    Parameters
    ----------
    what
        What goes, as ``"Camera.fov"``.
    gone_in
        The version that does not have it any more, as ``"pyrave 0.4"``.
    instead
        What to do, as ``"use field_of_view"``.
    """
    text = f"{what} goes in {gone_in}: {instead}"
    warnings.warn(text, DeprecationWarning, stacklevel=1 + user_frame()[0])


class NewName(str):
    """The name that took the place of a former one, and the version without that.

    As an attribute of a class it reads and sets the one of the new name.

    Parameters
    ----------
    name
        The new name.
    gone_in
        As of `warn_of_end`.
    """

    __slots__ = ("_former", "gone_in")
    gone_in: str

    def __new__(cls, name: str, gone_in: str) -> Self:
        """Return the text with the version."""
        made = super().__new__(cls, name)
        made.gone_in, made._former = gone_in, ""
        return made

    def __repr__(self) -> str:
        return f"NewName({str(self)!r}, {self.gone_in!r})"

    def warn(self, former: str) -> None:
        """Warn that a former name was used."""
        warn_of_end(former, self.gone_in, f"it is {str(self)!r} now")

    def __set_name__(self, owner: Any, name: str) -> None:
        self._former = name
        # ``dir`` leaves them out
        known = vars(owner).get("_former_names", frozenset())
        setattr(owner, "_former_names", known | {name})  # noqa: B010 - not ours

    def __get__(self, item: Any, kind: type[Any]) -> Any:
        self.warn(f"{kind.__name__}.{self._former}")
        return getattr(kind if item is None else item, self)

    def __set__(self, item: Any, value: Any) -> None:
        self.warn(f"{type(item).__name__}.{self._former}")
        setattr(item, self, value)


def former_attributes(module: str, **names: NewName) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module that had attributes of other names.

    Parameters
    ----------
    module
        Its ``__name__``.
    """

    def get(name: str) -> Any:
        if name not in names:
            text = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(text, name=name, obj=sys.modules[module])
        names[name].warn(f"{module}.{name}")
        return getattr(sys.modules[module], names[name])

    return get


def former_arguments(**names: NewName) -> Callable[[Called], Called]:
    """Let a function or class take arguments by their former names, too."""

    def decorate(function: Any) -> Any:
        if isinstance(function, type):
            made: Any = function
            made.__init__ = decorate(made.__init__)
            return made
        where = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def renaming(*args: Any, **keywords: Any) -> Any:
            for former in names.keys() & keywords:
                name = names[former]
                # `dataclasses.replace` gives all that it was not told to replace
                caller = sys._getframe(1).f_globals["__name__"]  # noqa: SLF001
                if name in keywords and caller != "dataclasses":
                    raise ArgumentError(
                        f"{where}() got both {former!r} and {str(name)!r}, which are "
                        f"the same; give {str(name)!r}"
                    )
                name.warn(f"{where}({former}=)")
                keywords[str(name)] = keywords.pop(former)
            return function(*args, **keywords)

        return renaming

    return decorate
