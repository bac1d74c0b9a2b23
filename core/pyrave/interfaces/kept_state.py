"""Saved states of objects other than bodies."""

from __future__ import annotations

from typing import Generic, TypeVar

from pyrave import interfaces
from pyrave.interfaces.base import InterfaceBase, author_code, read_state, write_state

Item = TypeVar("Item", bound=InterfaceBase)


class KeptState(Generic[Item]):
    """An object as it was, with all that a clone of it has.

    Parameters
    ----------
    item
        The object; it is kept alive.

    Raises
    ------
    PluginError
        Its class raises.
    """

    __slots__ = ("_disabled", "_power", "_state", "item")

    def __init__(self, item: Item) -> None:
        self.item = item
        self._disabled = item.disabled
        self._power: bool | None = None
        if isinstance(item, interfaces.SensorBase):
            with author_code(item, "configure"):
                self._power = item.power
        self._state = read_state(item)

    def restore(self) -> None:
        """Let the object be as it was; raises a `PluginError` if its class raises."""
        if self._power is not None and isinstance(self.item, interfaces.SensorBase):
            with author_code(self.item, "configure"):
                self.item.power = self._power
        write_state(self.item, self._state)
        self.item.disabled = self._disabled
