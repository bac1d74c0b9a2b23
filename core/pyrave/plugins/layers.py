"""What scripts register: it lies over the installed plugins, newest on top."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyrave.interfaces.handles import Handle
from pyrave.plugins.records import InterfaceName

Registration = Handle
"""Takes a registration back when closed or at the end of its ``with`` block.

Merely dropping it does not: what is registered stays as long as its environment.
"""


@dataclass(slots=True, eq=False)
class Registered:
    """Something registered; layers of clones share it, so that closing it ends all."""

    name: str
    value: Any
    open: bool = True


class Stacks:
    """Registered things by (interface type, name without case); the last one counts."""

    __slots__ = ("_stacks",)

    def __init__(self) -> None:
        self._stacks: dict[tuple[str, str], list[Registered]] = {}

    def push(self, interface_type: str, name: str, value: Any) -> Registration:
        """Register something; closing the handle restores what was there before."""
        key, item = (interface_type, name.lower()), Registered(name, value)
        self._stacks.setdefault(key, []).append(item)

        def undo() -> None:
            item.open = False
            stack = self._stacks[key]
            stack.remove(item)
            if not stack:
                del self._stacks[key]

        return Registration(undo)

    def top(self, interface_type: str, name: str) -> Registered | None:
        """Return what is registered under a name, or None."""
        stack = self._stacks.get((interface_type, name.lower()), ())
        return next((item for item in reversed(stack) if item.open), None)

    def names(self, interface_type: str = "") -> list[InterfaceName]:
        """Return what is registered for a type, or for all."""
        kinds = [key for key in self._stacks if interface_type in {"", key[0]}]
        tops = ((kind, self.top(kind, name)) for kind, name in kinds)
        return [InterfaceName(kind, top.name) for kind, top in tops if top is not None]

    def take(self, other: Stacks) -> None:
        """Offer what another has now, each as long as it is registered there."""
        for key, stack in other._stacks.items():
            self._stacks.setdefault(key, []).extend(i for i in stack if i.open)


@dataclass(slots=True, eq=False)
class Layer:
    """Interfaces and XML readers registered in one environment (or process-wide)."""

    interfaces: Stacks = field(default_factory=Stacks)
    readers: Stacks = field(default_factory=Stacks)
