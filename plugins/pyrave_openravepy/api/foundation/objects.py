"""One object of the API for each of pyrave's, so that what scripts put on it stays.

An interface or environment keeps its object of the API in its ``user_data``; a link, a
joint or another part of a body is kept by the object of its body. Objects compare and
hash by identity, since there is one for each thing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pyrave_openravepy.api.foundation.guard import ENVIRONMENT, Guarded

__all__ = [
    "ApiObject",
    "as_native",
    "class_of",
    "move_parts",
    "register_kind",
    "wrap",
    "wrap_part",
]

_KEY = "openravepy"
_PARTS = "openravepy parts"
Wrapper = TypeVar("Wrapper", bound="ApiObject")
# interface types and "environment"; the first whose test is met decides
_kinds: dict[str, list[tuple[Callable[[Any], bool], type[ApiObject]]]] = {}


class ApiObject(Guarded):
    """An object of the API that stands for one of pyrave's.

    Parameters
    ----------
    native
        pyrave's object; methods reach it as ``self._native``.
    """

    def __init__(self, native: Any) -> None:
        home = type(native).__module__.partition(".")[0]
        if home in ("builtins", "numpy") or isinstance(native, Guarded):
            raise TypeError(
                f"found {native!r:.80}, expected an object of pyrave's; environments, "
                f"bodies and RaveCreate... give objects of this class"
            )
        self._native = native


def register_kind(
    interface_type: str,
    cls: type[ApiObject],
    fits: Callable[[Any], bool] = lambda _: True,
) -> None:
    """Let `wrap` make objects of a class for pyrave's objects of a type.

    What is registered last is asked first.

    Parameters
    ----------
    interface_type
        A type of interface, ``"robot"`` for example, or ``"environment"``.
    cls
        Its class in the API.
    fits
        Says of one of pyrave's objects whether it is of this class.
    """
    _kinds.setdefault(interface_type, []).insert(0, (fits, cls))


def class_of(interface_type: str) -> Any:
    """Return the class of the API for a type of interfaces, ``"kinbody"``, ..."""
    return _kinds[interface_type][-1][1]


def wrap(native: Any) -> Any:
    """Return the object of the API for an interface or environment; None of None."""
    if native is None:
        return None
    data = native.user_data
    found = data.get(_KEY)
    if found is None:
        found = data[_KEY] = _class_for(native)(native)
        vars(found)[ENVIRONMENT] = getattr(native, "env", native)
    return found


def _class_for(native: Any) -> type[ApiObject]:
    kind = getattr(native, "interface_type", None)
    name = "environment" if kind is None else str(kind)
    return next(cls for fits, cls in _kinds[name] if fits(native))


def wrap_part(cls: type[Wrapper], native: Any, owner: Any) -> Wrapper:
    """Return the object of the API for a part of a body.

    Parameters
    ----------
    cls
        Its class in the API.
    native
        The link, joint, geometry, manipulator, ... of pyrave.
    owner
        pyrave's body or environment that the part belongs to, which keeps the object.
    """
    parts: dict[int, ApiObject] = owner.user_data.setdefault(_PARTS, {})
    found = parts.get(id(native))
    # a part that is gone may have left its address to another one
    if found is None or found._native is not native:
        found = parts[id(native)] = cls(native)
        vars(found)[ENVIRONMENT] = getattr(owner, "env", owner)
    return found  # type: ignore[return-value]


def move_parts(owner: Any, replaced: dict[int, Any]) -> None:
    """Let objects of parts of a body stand for others, which took their place.

    Parameters
    ----------
    owner
        pyrave's body or environment that the parts belong to.
    replaced
        The new part of pyrave by the `id` of the old one.
    """
    parts: dict[int, ApiObject] = owner.user_data.get(_PARTS, {})
    for old, new in replaced.items():
        known = parts.pop(old, None)
        if known is not None:
            known._native = new
            parts[id(new)] = known


def as_native(given: Any) -> Any:
    """Return pyrave's object of one of the API; anything else as it is."""
    return given._native if isinstance(given, ApiObject) else given
