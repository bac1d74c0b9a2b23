"""Values at recent times."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from pyrave import Environment

T = TypeVar("T")


def ticks_of(env: Environment) -> int:
    """Return the simulated time in whole microseconds, which compare exactly."""
    return round(env.simulation_time * 1e6)


class History(Generic[T]):
    """Values at recent times, oldest first.

    Parameters
    ----------
    items
        (time in microseconds, value), times increasing.
    most
        So many are kept.
    """

    def __init__(self, items: Iterable[tuple[int, T]] = (), *, most: int) -> None:
        self._items: deque[tuple[int, T]] = deque(items, maxlen=most)

    @property
    def items(self) -> tuple[tuple[int, T], ...]:
        """All of them; may be kept as state."""
        return tuple(self._items)

    def clear(self) -> None:
        """Forget all of them."""
        self._items.clear()

    def record(self, time: int, thing: T) -> None:
        """Add the value at a time; it replaces one recorded for that time.

        An earlier time clears the history.
        """
        items = self._items
        if items and items[-1][0] > time:
            items.clear()
        if items and items[-1][0] == time:
            items.pop()
        items.append((time, thing))

    def drop_before(self, time: float) -> None:
        """Drop values without a part in the changes from `time` on."""
        items = self._items
        while len(items) > 2 and items[1][0] <= time:
            items.popleft()
