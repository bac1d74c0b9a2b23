"""Base of engines that follow the packed world of their environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyrave.attributes import not_alone
from pyrave.interfaces.base import InterfaceBase, author_code

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.world import Changes


class WorldEngine(InterfaceBase):
    """Base of what keeps structures of its own about all bodies.

    An engine that overrides `update` hears of each change once. The environment calls
    `synchronise` before it asks an engine of its own something; an engine whose
    queries scripts may call does so at the begin of each.
    """

    __reduce_ex__ = not_alone
    synchronises_itself: ClassVar[bool] = False
    """True if each of its queries calls `synchronise`; callers then need not."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._seen_version = 0

    def update(self, changes: Changes) -> None:
        """Take over what changed in ``env.world`` since the last call.

        The first call lists all bodies as added. Does nothing unless a subclass
        overrides it.

        Parameters
        ----------
        changes
            Ids of bodies; their rows are in ``env.world.tables``.
        """

    def synchronise(self) -> None:
        """Call `update` if anything changed since the last call."""
        if type(self).update is WorldEngine.update:
            return  # nobody listens: no reason to pack the world
        world = self.env.world
        if world.version != self._seen_version:
            changes = world.changes_since(self._seen_version)
            with author_code(self, "update"):
                self.update(changes)
            self._seen_version = changes.version

    def forget_world(self) -> None:
        """Let the next `update` list all bodies as added, as at the beginning."""
        self._seen_version = 0
