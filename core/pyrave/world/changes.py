"""Changes of a packed world since a reader last looked."""

from __future__ import annotations

from typing import NamedTuple


class Changes(NamedTuple):
    """Ids of the bodies that changed between two versions of a packed world.

    A body that was added is in none of the other lists; one that was added and removed
    in between is in none at all.

    Parameters
    ----------
    version
        The world's version now: what to ask with the next time.
    added, removed
        Bodies that came or went.
    reshaped
        Bodies whose solids are others, or are at other places in their links.
    moved
        Bodies whose links or solids are at other places in the world.
    masked
        Bodies whose links were switched on or off, or whose solids were shown, hidden
        or painted.
    reset
        The given version is too old: forget all bodies, and
        take `added` for what there is.
    """

    version: int
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    reshaped: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()
    masked: tuple[int, ...] = ()
    reset: bool = False

    @property
    def other_solids(self) -> bool:
        """True if solids were added, removed or reshaped."""
        return self.reset or bool(self.added or self.removed or self.reshaped)

    def __bool__(self) -> bool:
        return self.reset or bool(
            self.added or self.removed or self.reshaped or self.moved or self.masked
        )
