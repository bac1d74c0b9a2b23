"""Bodies whose changes are not in the packed world yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from pyrave.world.ids import IdSource

_RELATIONS = BodyChange.GRAB | BodyChange.ADJACENCY


@dataclass(slots=True, eq=False)
class PendingChanges:
    """Changes that wait until somebody reads the packed world of an environment.

    Bodies put themselves into the sets: to move a body costs no more than that.

    Parameters
    ----------
    ids
        Where geometries that are new to a body get their ids from.
    relations
        How often bodies took hold of others or let go, or got other adjacent links.
    moved, masked, painted, reshaped
        Bodies with other poses of links; links switched on or off; other looks; other
        solids.
    unpublished
        Bodies that moved since the state of the environment was published.
    """

    ids: IdSource
    relations: int = 0
    moved: set[Any] = field(default_factory=set)
    masked: set[Any] = field(default_factory=set)
    painted: set[Any] = field(default_factory=set)
    reshaped: set[Any] = field(default_factory=set)
    unpublished: set[Any] = field(default_factory=set)

    def note(self, body: Any, change: BodyChange) -> None:
        """Wait with a change of a body until the packed world is used."""
        if change & _RELATIONS:
            self.relations += 1
        if change & BodyChange.GEOMETRY:
            self.reshaped.add(body)
        if change & BodyChange.ENABLED:
            self.masked.add(body)
        if change & BodyChange.VISIBLE:
            self.painted.add(body)

    def forget(self, body: Any) -> None:
        """Let go of a body."""
        for waiting in (
            *(self.moved, self.masked, self.painted, self.reshaped, self.unpublished),
        ):
            waiting.discard(body)
