"""The ray scenes of an environment: what is solid, and what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.environment.raycasting import RayWorld

__all__ = ["Worlds"]


class Worlds:
    """Makes the ray scenes when they are first asked for, and keeps them up to date."""

    def __init__(self) -> None:
        self._solid: RayWorld | None = None
        self._shown: RayWorld | None = None

    def solid(self, env: Environment) -> RayWorld:
        """Return the enabled geometries, with their collision shapes."""
        from pyrave.environment.raycasting import RayWorld

        self._solid = self._solid or RayWorld()
        self._solid.update(env)
        return self._solid

    def shown(self, env: Environment) -> RayWorld:
        """Return the visible geometries, with the shapes that show them."""
        from pyrave.environment.shown import ShownWorld

        self._shown = self._shown or ShownWorld()
        self._shown.update(env)
        return self._shown
