"""What scripts register: it lies over the installed plugins, newest on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.interfaces.handles import Handle
from pyrave.plugins.records import InterfaceName

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Layer", "Registration"]

Registration = Handle
"""Takes a registration back when closed or at the end of its ``with`` block.

Merely dropping it does not: what is registered stays as long as its environment.
"""


class Layer:
    """Interfaces and XML readers registered in one environment (or process-wide)."""

    __slots__ = ("_interfaces", "_readers")

    def __init__(self) -> None:
        self._interfaces: _Stacks = {}
        self._readers: _Stacks = {}

    def take(self, other: Layer) -> None:
        """Offer what another layer has now, each as long as it is registered there."""
        for mine, its in (
            (self._interfaces, other._interfaces),
            (self._readers, other._readers),
        ):
            for key, stack in its.items():
                mine.setdefault(key, []).extend(item for item in stack if item.open)

    def add_interface(
        self, interface_type: str, interface_id: str, factory: Callable[..., Any]
    ) -> Registration:
        """Register a factory; a later one for the same id lies over it."""
        return _push(self._interfaces, interface_type, interface_id, factory)

    def add_reader(
        self, interface_type: str, tag: str, reader: Callable[..., Any]
    ) -> Registration:
        """Register a reader; closing the handle restores the previous one."""
        return _push(self._readers, interface_type, tag, reader)

    def interface(self, interface_type: str, name: str) -> tuple[str, Any] | None:
        """Return (id as registered, factory), or None."""
        found = _top(self._interfaces, interface_type, name)
        return None if found is None else (found.name, found.value)

    def reader(self, interface_type: str, tag: str) -> Any | None:
        """Return the reader of a tag, or None."""
        found = _top(self._readers, interface_type, tag)
        return None if found is None else found.value

    def ids(self, interface_type: str) -> list[str]:
        """Return the registered ids of a type."""
        return _names(self._interfaces, interface_type)

    def tags(self, interface_type: str) -> list[str]:
        """Return the tags of a type with registered readers."""
        return _names(self._readers, interface_type)

    def all_interfaces(self) -> list[InterfaceName]:
        """Return the types and ids of everything registered."""
        return [
            InterfaceName(kind, found.name)
            for (kind, name) in self._interfaces
            if (found := _top(self._interfaces, kind, name)) is not None
        ]


class _Item:
    """Something registered; layers of clones share it, so that closing it ends all."""

    __slots__ = ("name", "open", "value")

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value
        self.open = True


_Stacks = dict[tuple[str, str], list[_Item]]


def _push(stacks: _Stacks, kind: str, name: str, value: Any) -> Registration:
    key, item = (kind, name.lower()), _Item(name, value)
    stacks.setdefault(key, []).append(item)

    def undo() -> None:
        item.open = False
        stack = stacks[key]
        # by identity: the same factory may be registered twice
        stack[:] = [one for one in stack if one is not item]
        if not stack:
            del stacks[key]

    return Registration(undo)


def _top(stacks: _Stacks, kind: str, name: str) -> _Item | None:
    stack = stacks.get((kind, name.lower()), ())
    return next((item for item in reversed(stack) if item.open), None)


def _names(stacks: _Stacks, kind: str) -> list[str]:
    return [
        found.name
        for (key, name) in stacks
        if key == kind and (found := _top(stacks, kind, name)) is not None
    ]
