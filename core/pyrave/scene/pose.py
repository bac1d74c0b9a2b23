"""Rigid transforms as plain hashable data, for descriptions.

Numbers are Python floats, so that descriptions compare exactly, hash and pickle.
Composition in plain Python costs about as much as one numpy call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError
from pyrave.records import Record, made_quickly

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vec3 = tuple[float, float, float]
"""Three numbers."""
Matrix3 = tuple[float, float, float, float, float, float, float, float, float]
"""Nine numbers, row by row."""

_EYE: Matrix3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_ZERO: Vec3 = (0.0, 0.0, 0.0)


def rotation_error(matrix: Matrix3) -> float:
    """Return the deviation of a matrix from a rotation, in the products of its rows.

    Infinite for a reflection, and where an element is not a number.
    """
    a, b, c, d, e, f, g, h, i = matrix
    if not a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0.0:
        return math.inf
    return max(
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0),
        abs(a * d + b * e + c * f),
        abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i),
    )


@made_quickly
@dataclass(frozen=True, slots=True)
class Pose(Record):
    """A rigid transform T_a_b: maps coordinates in frame b to frame a.

    Parameters
    ----------
    rotation
        Row-major 3x3 rotation matrix R_a_b as nine floats.
    translation
        Origin of b in a, metres.
    """

    rotation: Matrix3 = _EYE
    translation: Vec3 = _ZERO

    @classmethod
    def from_translation(cls, x: float, y: float, z: float) -> Pose:
        """Return a pure translation, metres."""
        return cls(_EYE, (x, y, z))

    @classmethod
    def from_axis_angle(
        cls, axis: Sequence[float], angle: float, translation: Vec3 = _ZERO
    ) -> Pose:
        """Return the rotation by `angle` radians about `axis` (any length but 0)."""
        x, y, z = axis
        norm = math.sqrt(x * x + y * y + z * z)
        if not norm > 0:
            raise ArgumentError(f"rotation axis {tuple(axis)} has no direction")
        half = 0.5 * angle
        s = math.sin(half) / norm
        return cls.from_quaternion((math.cos(half), x * s, y * s, z * s), translation)

    @classmethod
    def from_quaternion(cls, wxyz: Sequence[float], translation: Vec3 = _ZERO) -> Pose:
        """Return the rotation of a quaternion w x y z (normalised here)."""
        w, x, y, z = wxyz
        norm2 = w * w + x * x + y * y + z * z
        if not norm2 > 0:
            raise ArgumentError(f"quaternion {tuple(wxyz)} has no direction")
        s = 2.0 / norm2
        xx, yy, zz = s * x * x, s * y * y, s * z * z
        xy, xz, yz = s * x * y, s * x * z, s * y * z
        wx, wy, wz = s * w * x, s * w * y, s * w * z
        rotation = (
            1.0 - yy - zz,
            xy - wz,
            xz + wy,
            xy + wz,
            1.0 - xx - zz,
            yz - wx,
            xz - wy,
            yz + wx,
            1.0 - xx - yy,
        )
        return cls(rotation, translation)

    @classmethod
    def from_matrix(
        cls, matrix: Sequence[Sequence[float]] | NDArray[np.float64]
    ) -> Pose:
        """Return the pose of a (4, 4) or (3, 4) row-major matrix."""
        r = [[float(value) for value in row] for row in matrix[:3]]
        return cls(
            (*r[0][:3], *r[1][:3], *r[2][:3]),  # type: ignore[arg-type]
            (r[0][3], r[1][3], r[2][3]),
        )

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The transform as a new (4, 4) float64 row-major array."""
        import numpy as np

        r, t = self.rotation, self.translation
        return np.array(
            (
                (r[0], r[1], r[2], t[0]),
                (r[3], r[4], r[5], t[1]),
                (r[6], r[7], r[8], t[2]),
                (0.0, 0.0, 0.0, 1.0),
            )
        )

    def __matmul__(self, other: Pose) -> Pose:
        """Return the composition T_a_c of self = T_a_b and other = T_b_c."""
        if self is IDENTITY:
            return other
        if other is IDENTITY:
            return self
        a, p = self.rotation, self.translation
        b, q = other.rotation, other.translation
        if b is _EYE or b == _EYE:
            rotation = a
        elif a is _EYE or a == _EYE:
            rotation = b
        else:
            rotation = (
                a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
                a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
                a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
                a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
                a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
                a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
                a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
                a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
                a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
            )
        return Pose(rotation, p if q == _ZERO else self.apply(q))

    def apply(self, point: Sequence[float]) -> Vec3:
        """Return the coordinates in a of a point given in b, metres."""
        r, t = self.rotation, self.translation
        x, y, z = point
        return (
            r[0] * x + r[1] * y + r[2] * z + t[0],
            r[3] * x + r[4] * y + r[5] * z + t[1],
            r[6] * x + r[7] * y + r[8] * z + t[2],
        )

    def rotate(self, vector: Sequence[float]) -> Vec3:
        """Return the components in a of a direction given in b."""
        r = self.rotation
        x, y, z = vector
        return (
            r[0] * x + r[1] * y + r[2] * z,
            r[3] * x + r[4] * y + r[5] * z,
            r[6] * x + r[7] * y + r[8] * z,
        )

    def inverse(self) -> Pose:
        """Return T_b_a."""
        r, t = self.rotation, self.translation
        transposed = (r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8])
        x, y, z = Pose(transposed).rotate(t)
        return Pose(transposed, (-x, -y, -z))


IDENTITY = Pose()
