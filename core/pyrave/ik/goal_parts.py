"""Parts of goals by name: position, direction, quaternion, angle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.spatial import matrix_from_quat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.ik.parameterization import IkParameterizationType
    from pyrave.spatial import Array

_POINT = {"position": slice(0, 3)}
_LINE = {"direction": slice(0, 3), "position": slice(3, 6)}
_ANGLE = {"angle": slice(0, 1), "position": slice(1, 4)}
_PARTS: Mapping[str, Mapping[str, slice]] = {
    "Transform6D": {"quaternion": slice(0, 4), "position": slice(4, 7)},
    "Rotation3D": {"quaternion": slice(0, 4)},
    "Translation3D": _POINT,
    "Direction3D": {"direction": slice(0, 3)},
    "Ray4D": _LINE,
    "Lookat3D": _POINT,
    "TranslationDirection5D": _LINE,
    "TranslationXY2D": {"position": slice(0, 2)},
    "TranslationXYOrientation3D": {"position": slice(0, 2), "angle": slice(2, 3)},
    "TranslationLocalGlobal6D": {"local_point": slice(0, 3), "position": slice(3, 6)},
}


class GoalParts:
    """Named parts of the numbers of a goal, for `IkParameterization`.

    Each part is refused by goals that have none.
    """

    __slots__ = ()

    type: IkParameterizationType
    values: tuple[float, ...]

    def _part(self, name: str) -> Array:
        kind = self.type.position_type.name
        parts = _PARTS.get(kind, _ANGLE)
        if name not in parts:
            raise NotSupportedError(
                f"a {self.type.name} has no {name}; it has {' and '.join(parts)}"
            )
        return np.array(self.values[parts[name]])

    @property
    def position(self) -> Array:
        """(3,) metres, (2,) of goals in the plane.

        It is where the tool comes to, the point of a ray, or what is looked at.
        """
        return self._part("position")

    @property
    def direction(self) -> Array:
        """(3,) unit vector along which the tool's direction is to point."""
        return self._part("direction")

    @property
    def quaternion(self) -> Array:
        """(4,) unit quaternion w x y z of the tool."""
        return self._part("quaternion")

    @property
    def angle(self) -> float:
        """Radians: the turn in the plane, or from the axis that the type names."""
        return float(self._part("angle")[0])

    @property
    def local_point(self) -> Array:
        """(3,) metres, the point of the tool frame that comes to `position`."""
        return self._part("local_point")

    @property
    def pose(self) -> Array:
        """(4, 4) pose of the tool, of a ``Transform6D``."""
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_quat(self._part("quaternion"))
        pose[:3, 3] = self._part("position")
        return pose
