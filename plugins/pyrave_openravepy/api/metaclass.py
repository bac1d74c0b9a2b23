"""Classes that scripts derive from, whose instances OpenRAVE finds again."""

from __future__ import annotations

import weakref
from typing import Any

__all__ = ["AutoReloader", "MetaAutoReloader", "MetaInstanceTracker"]


class MetaInstanceTracker(type):
    """Makes classes that know their living instances."""

    def __init__(
        cls, name: str, bases: tuple[type, ...], values: dict[str, Any]
    ) -> None:
        super().__init__(name, bases, values)
        cls.__instances: weakref.WeakSet[Any] = weakref.WeakSet()

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        made = super().__call__(*args, **keywords)
        cls.__instances.add(made)
        return made

    def __instances__(cls) -> list[Any]:
        return list(cls.__instances)


class MetaAutoReloader(MetaInstanceTracker):
    """Gives instances of a class that is defined again the new definition."""

    _latest: dict[tuple[str, str], weakref.ref[Any]] = {}  # noqa: RUF012

    def __init__(
        cls, name: str, bases: tuple[type, ...], values: dict[str, Any]
    ) -> None:
        super().__init__(name, bases, values)
        key = (cls.__module__, cls.__qualname__)
        old = MetaAutoReloader._latest.get(key)
        before = old() if old is not None else None
        if before is not None and "<locals>" not in cls.__qualname__:
            for instance in before.__instances__():
                instance.__class__ = cls
        MetaAutoReloader._latest[key] = weakref.ref(cls)


class AutoReloader(metaclass=MetaAutoReloader):
    """Base of classes whose instances follow when a module is loaded again."""
