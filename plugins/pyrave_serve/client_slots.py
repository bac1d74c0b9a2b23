"""Connected clients, and the choice of the one that has to leave for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from pyrave_serve.call_objects import Limits


@dataclass(eq=False)
class Slot:
    """A connection.

    Parameters
    ----------
    address
        Of the computer at its other end.
    close
        Ends it.
    """

    address: str
    close: Callable[[], None]
    is_known: bool = False
    """True if the client has said who it is, or what it wants."""


@dataclass
class Slots:
    """The connections of a server, oldest first, in the thread of its event loop.

    Whoever connects and says nothing is the first to leave when another one comes, and
    leaves after `Limits.silent_seconds` at the latest: first of the computer that has
    most of the slots. So silent clients keep nobody out, however many they are.
    """

    limits: Limits
    slots: list[Slot] = field(default_factory=list)
    is_open: bool = True
    """False when the server ends: connections that come then are refused."""

    def admit(self, slot: Slot) -> bool:
        """Take a new connection in; False if too many are known, or the server ends."""
        if not self.is_open:
            return False
        limits = self.limits
        same = [one for one in self.slots if one.address == slot.address]
        if len(same) >= limits.clients_per_address:
            crowd = same
        elif len(self.slots) >= limits.clients:
            crowd = self.slots
        else:
            crowd = []
        if crowd:
            counts = Counter(one.address for one in crowd)
            silent = [one for one in crowd if not one.is_known]
            if not silent:
                return False
            # the oldest of these
            leaving = max(silent, key=lambda one: counts[one.address])
            self.leave(leaving)
            leaving.close()
        self.slots.append(slot)
        return True

    def leave(self, slot: Slot) -> None:
        """Forget a connection that has ended."""
        if slot in self.slots:
            self.slots.remove(slot)

    def expire(self, slot: Slot) -> None:
        """End a connection that is still silent."""
        if slot in self.slots and not slot.is_known:
            self.leave(slot)
            slot.close()
