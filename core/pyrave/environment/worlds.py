"""The ray scenes of an environment: what is solid, what is shown, and all there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pyrave.errors import ArgumentError, did_you_mean

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.environment.raycasting import RayWorld

__all__ = ["SURFACES", "Worlds"]

SURFACES = ("solid", "shown", "all")
"""What rays can be cast at."""


class Worlds:
    """Makes the ray scenes when they are first asked for, and keeps them up to date."""

    def __init__(self) -> None:
        self._known: dict[str, RayWorld] = {}

    def get(self, surfaces: str, env: Any) -> RayWorld:
        """Return the ray scene of one of `SURFACES`, as it is now.

        Raises
        ------
        ArgumentError
            An unknown name.
        """
        if surfaces not in SURFACES:
            raise ArgumentError(
                f"surfaces is {surfaces!r}, expected one of {', '.join(SURFACES)}"
                f"{did_you_mean(str(surfaces), SURFACES)}"
            )
        world = self._known.get(surfaces)
        if world is None:
            world = self._known[surfaces] = _made(surfaces)
        world.update(cast("Environment", env))
        return world


def _made(surfaces: str) -> RayWorld:
    if surfaces == "shown":
        from pyrave.environment.shown import ShownWorld

        return ShownWorld()
    from pyrave.environment.raycasting import RayWorld

    return RayWorld(disabled=surfaces == "all")
