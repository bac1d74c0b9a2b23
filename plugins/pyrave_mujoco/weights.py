"""Links on which gravity does not act."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array
    from pyrave_mujoco.scene import Scene


class Weightless:
    """Compensates gravity for links that have no weight."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        moves = scene.model.body_weldid
        found = [
            part.ids[~part.body.model.link_weighs]
            for part in scene.parts
            if part.moves and not part.body.model.link_weighs.all()
        ]
        ids = np.concatenate(found) if found else np.empty(0, np.int64)
        self._ids = ids[moves[ids] > 0]

    def apply(self, gravity: Array) -> None:
        """Add the forces against an acceleration (3,) to those of users."""
        if len(self._ids):
            scene = self._scene
            masses = scene.model.body_mass[self._ids]
            scene.data.xfrc_applied[self._ids, :3] -= np.outer(masses, gravity)
            scene.is_pushed = True
