"""Registrations of scripts, which lie over the installed plugins, newest on top."""

from __future__ import annotations

from dataclasses import dataclass
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


class Layer:
    """Interfaces and XML readers registered in one environment (or process-wide).

    They are found by what they are (``"interface"`` or ``"xml reader"``), by interface
    type, and by name without case; the last one counts.
    """

    __slots__ = ("_stacks",)

    def __init__(self) -> None:
        self._stacks: dict[tuple[str, str, str], list[Registered]] = {}

    def push(
        self, what: str, interface_type: str, name: str, value: Any
    ) -> Registration:
        """Register something; closing the handle restores what was there before."""
        key, item = (what, interface_type, name.lower()), Registered(name, value)
        self._stacks.setdefault(key, []).append(item)

        def undo() -> None:
            item.open = False
            self._stacks[key].remove(item)

        return Registration(undo)

    def top(self, what: str, interface_type: str, name: str) -> Registered | None:
        """Return the newest registration of a name, or None."""
        if not self._stacks:
            return None
        stack = self._stacks.get((what, interface_type, name.lower()), ())
        return next((item for item in reversed(stack) if item.open), None)

    def names(self, what: str, interface_type: str = "") -> list[InterfaceName]:
        """Return the registered names of a type, or of all."""
        tops = [
            (key[1], self.top(*key))
            for key in self._stacks
            if key[0] == what and interface_type in {"", key[1]}
        ]
        return [InterfaceName(kind, top.name) for kind, top in tops if top is not None]

    def take(self, other: Layer) -> None:
        """Offer what another has now, each as long as it is registered there."""
        for key, stack in other._stacks.items():
            self._stacks.setdefault(key, []).extend(i for i in stack if i.open)
