"""World poses of links at the start of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error
from pyrave.scene import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.scene import BodyDescription, LinkReference


class Start:
    """Poses of links where bodies have the values that they start with."""

    def __init__(self, bodies: Iterable[BodyDescription]) -> None:
        self._bodies = {body.name: body for body in bodies}
        self._poses: dict[str, dict[str, Pose]] = {}

    def pose_of(self, end: LinkReference) -> Pose:
        """Return T_world_link; the world's is the identity."""
        if not end.body:
            return IDENTITY
        body = self._bodies[end.body]
        if end.body not in self._poses:
            self._poses[end.body] = _poses(body)
        return self._poses[end.body][end.link or body.links[0].name]


def _poses(body: BodyDescription) -> dict[str, Pose]:
    shown = {link.name: body.pose @ link.pose for link in body.links}
    if body.dof_values is None or not body.joints:
        return shown
    from pyrave.kinematics import compile_body, link_transforms

    base = body.pose @ body.links[0].pose
    try:
        model = compile_body(body)
        found = link_transforms(model, base.matrix, np.array(body.dof_values))
    except Error:
        return shown  # whoever builds the body reports it
    return {
        name: Pose.from_matrix(matrix)
        for name, matrix in zip(model.link_names, found, strict=True)
    }
