"""The ray scene of what pictures show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.environment.raycasting import RayWorld, solids_of_shape
from pyrave.geometry import RayInstance

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.kinbody import Geometry, Link

__all__ = ["ShownWorld"]


class ShownWorld(RayWorld):
    """Instances of all visible geometries, enabled or not, with what shows them."""

    def __init__(self) -> None:
        super().__init__()
        self._descriptions: list[object] = []

    def update(self, env: Environment) -> None:
        """Bring the ray scene up to the present state of the bodies."""
        bodies = tuple(env.bodies)
        # whether something is visible is in its description, which is immutable
        descriptions: list[object] = [
            geometry.description
            for body in bodies
            for link in body.links
            for geometry in link.geometries
        ]
        if len(descriptions) != len(self._descriptions) or any(
            new is not old
            for new, old in zip(descriptions, self._descriptions, strict=True)
        ):
            self._descriptions = descriptions
            self._rebuild(bodies)
        super().update(env)

    def _takes(self, link: Link) -> bool:
        return True

    def _solids(self, geometry: Geometry, body_index: int) -> list[RayInstance]:
        if not geometry.visible or geometry.transparency >= 1.0:
            return []
        mesh = geometry.shown_mesh
        if mesh is not None:
            return [RayInstance(mesh, geometry.world_transform, body_index)]
        if geometry.unusable:
            return []
        return solids_of_shape(geometry, body_index)
