"""The transform tags, which accumulate: translations add, rotations multiply."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.scene import IDENTITY, Pose
from pyrave.scene.pose import Matrix3, Vec3

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope

EYE: Matrix3 = IDENTITY.rotation
ZERO: Vec3 = IDENTITY.translation
ONE: Vec3 = (1.0, 1.0, 1.0)
_ROTATIONS = frozenset({"rotationaxis", "quat", "rotationmat"})
_ORTHONORMAL = 1e-10
_SMALL = 1e-100


class Frame:
    """Rotation and translation while transform tags accumulate; mutable."""

    __slots__ = ("rotation", "translation")

    def __init__(self, pose: Pose = IDENTITY) -> None:
        self.rotation = pose.rotation
        self.translation = pose.translation

    @property
    def pose(self) -> Pose:
        """The pose accumulated so far."""
        if self.rotation is EYE and self.translation is ZERO:
            return IDENTITY
        return Pose(self.rotation, self.translation)

    def read(self, tag: str, element: Any, scope: Scope, scale: Vec3 = ONE) -> bool:
        """Apply a transform tag; return False if `tag` is none."""
        if tag == "translation":
            value = scope.floats(element, 3)
            if value is not None:
                x, y, z = self.translation
                self.translation = (
                    x + value[0] * scale[0],
                    y + value[1] * scale[1],
                    z + value[2] * scale[2],
                )
            return True
        if tag in _ROTATIONS:
            rotation = read_rotation(tag, element, scope)
            if rotation is not None:
                self.rotation = multiply(rotation, self.rotation)
            return True
        return False


def read_rotation(kind: str, element: Any, scope: Scope) -> Matrix3 | None:
    """Return the rotation of a ``rotationaxis``, ``quat`` or ``rotationmat``."""
    if kind == "rotationaxis":
        axis = scope.floats(element, 4)
        if axis is None:
            return None
        if not any(axis[:3]):
            if axis[3] != 0.0:
                scope.error(
                    element, "zero-axis", "the rotation axis 0 0 0 has no direction"
                )
            return EYE
        angle = math.radians(axis[3])
        return Pose.from_axis_angle(sized(axis[:3]), angle).rotation
    if kind == "quat":
        quat = scope.floats(element, 4, (1.0,))
        if quat is None:
            return None
        if not any(quat):
            scope.error(
                element, "zero-quaternion", "the quaternion 0 0 0 0 is no rotation"
            )
            return None
        return Pose.from_quaternion(sized(quat)).rotation
    matrix = scope.floats(element, 9, EYE)
    return None if matrix is None else matrix_rotation(matrix, element, scope)


def sized(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return a vector of the same direction whose square is neither 0 nor infinite."""
    size = max(map(abs, values))
    if _SMALL < size < 1.0 / _SMALL:
        return values
    return tuple(value / size for value in values)


def matrix_rotation(m: tuple[float, ...], element: Any, scope: Scope) -> Matrix3 | None:
    """Return the rotation nearest to nine numbers, as OpenRAVE finds it.

    A matrix that is a rotation already is kept bit for bit.
    """
    error = max(
        abs(
            m[3 * i] * m[3 * j]
            + m[3 * i + 1] * m[3 * j + 1]
            + m[3 * i + 2] * m[3 * j + 2]
            - (i == j)
        )
        for i in range(3)
        for j in range(i, 3)
    )
    determinant = (
        m[0] * (m[4] * m[8] - m[5] * m[7])
        - m[1] * (m[3] * m[8] - m[5] * m[6])
        + m[2] * (m[3] * m[7] - m[4] * m[6])
    )
    if determinant <= 0.0:
        scope.error(
            element,
            "not-a-rotation",
            f"the matrix has the determinant {determinant:.6g}, a rotation has 1",
        )
        return None
    if error <= _ORTHONORMAL:
        return m  # type: ignore[return-value]
    if error > 0.01:
        scope.warn(
            element,
            "not-a-rotation",
            f"the matrix is not a rotation (rows are off by {error:.3g}); "
            "the nearest one is used",
        )
    return Pose.from_quaternion(_quaternion(m)).rotation


def unit_quaternion(m: Matrix3) -> tuple[float, float, float, float]:
    """Return w x y z, of length 1, of a rotation matrix."""
    w, x, y, z = _quaternion(m)
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    return w / norm, x / norm, y / norm, z / norm


def _quaternion(m: tuple[float, ...]) -> tuple[float, float, float, float]:
    trace = m[0] + m[4] + m[8]
    if trace >= 0.0:
        return (trace + 1.0, m[7] - m[5], m[2] - m[6], m[3] - m[1])
    if m[4] > m[0] and m[4] >= m[8]:
        return (m[2] - m[6], m[1] + m[3], m[4] - m[8] - m[0] + 1.0, m[5] + m[7])
    if m[8] > m[0] and m[8] > m[4]:
        return (m[3] - m[1], m[6] + m[2], m[5] + m[7], m[8] - m[0] - m[4] + 1.0)
    return (m[7] - m[5], m[0] - m[4] - m[8] + 1.0, m[1] + m[3], m[6] + m[2])


def multiply(a: Matrix3, b: Matrix3) -> Matrix3:
    """Return the product a b of two row-major matrices."""
    if b is EYE:
        return a
    return (Pose(a) @ Pose(b)).rotation


def is_identity(pose: Pose) -> bool:
    """Return True if a pose changes nothing."""
    return pose is IDENTITY or pose == IDENTITY


def relative(base: Pose, pose: Pose) -> Pose:
    """Return T_base_pose of two poses in one frame, exact if `base` is identity."""
    if pose is base:
        return IDENTITY
    return pose if is_identity(base) else base.inverse() @ pose
