"""Interpolation of trajectory waypoints, for many sample times at once.

Within a segment of duration T ending at waypoint i, with s = t / T in 0..1, a value
of degree d is p(s) = c0 + c1 s + ... + cd s^d. Its coefficients follow from what the
waypoints say, in this order:

* odd degrees: values at both ends, then each derivative that the specification has,
  at both ends, then time integrals over the segment (the value of a velocity group
  also has to bring the positions from one waypoint to the next);
* even degrees: the value at the start and d/2 derivatives at both ends, when all
  are there; else as for odd degrees.

Scaling by powers of T makes the linear system independent of the segment: it is
inverted once per group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik.parameterization import IkParameterizationType
from pyrave.kinematics.affine import Affine, slerp
from pyrave.records import Record
from pyrave.trajectories.conversion import best_match, joint_columns
from pyrave.trajectories.groups import (
    Group,
    affine_dof,
    derivative_kind,
    interpolation_degree,
    is_joint_kind,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.spatial import Array

_MAX_ORDER = 6
_DIRECTION_TYPES = frozenset(
    {
        IkParameterizationType.Direction3D,
        IkParameterizationType.Ray4D,
        IkParameterizationType.TranslationDirection5D,
    }
)
_QUATERNION_TYPES = frozenset(
    {IkParameterizationType.Transform6D, IkParameterizationType.Rotation3D}
)


@dataclass(frozen=True, slots=True)
class Segments(Record):
    """Segments of m samples, each named by the waypoint at its end.

    Parameters
    ----------
    data
        (n, dof) waypoints.
    end
        (m,) index of the segment's last waypoint, 1 or more.
    time
        (m,) seconds since the segment's start.
    duration
        (m,) seconds, positive.
    """

    data: Array
    end: np.ndarray[tuple[int], np.dtype[np.intp]]
    time: Array
    duration: Array

    def at(self, column: Sequence[int], side: int) -> Array:
        """Return values (m, k) of columns at the start (0) or end (1)."""
        return np.asarray(self.data[(self.end + side - 1)[:, None], column])

    def pieces(self) -> tuple[Segments, NDArray[np.intp] | None]:
        """Return the segments, each but once if that is less, and which a sample is in.

        Those have no times of samples. None: it is each its own.
        """
        first, last = int(self.end.min()), int(self.end.max())
        count = last - first + 1
        if 2 * count > len(self.end):
            return self, None
        which = self.end - first
        duration = np.ones(count)
        duration[which] = self.duration
        ends = np.arange(first, last + 1)
        return Segments(self.data, ends, np.zeros(count), duration), which


@dataclass(frozen=True, slots=True)
class _Condition:
    """One equation for a polynomial.

    Parameters
    ----------
    order
        0 the value, k a derivative, -r an r-fold time integral over the segment.
    side
        0 start, 1 end; integrals have no side.
    columns
        For each value of the group where the datum is; for integrals one tuple per
        fold, the innermost first.
    """

    order: int
    side: int
    columns: tuple[tuple[int, ...], ...]

    def row(self, degree: int) -> list[float]:
        """Return the condition's factors of c0..cd."""
        if self.order < 0:
            fold = -self.order
            return [
                math.factorial(j) / math.factorial(j + fold) for j in range(degree + 1)
            ]
        if self.side:
            return [float(math.perm(j, self.order)) for j in range(degree + 1)]
        return [
            float(math.factorial(j)) if j == self.order else 0.0
            for j in range(degree + 1)
        ]

    def right_side(self, segments: Segments) -> Array:
        """Return (m, k) what the factors must add up to."""
        duration = segments.duration[:, None]
        if self.order >= 0:
            return segments.at(self.columns[0], self.side) * duration**self.order
        fold = -self.order
        outer = self.columns[fold - 1]
        total = segments.at(outer, 1)
        for power, columns in enumerate(reversed(self.columns[:fold])):
            term = segments.at(columns, 0) * duration**power
            total = total - term / math.factorial(power)
        return np.asarray(total / duration**fold)


class Interpolator:
    """Interpolates one group: holds one of the ends unless a subclass says better."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.columns = tuple(range(group.offset, group.end))

    def evaluate(self, segments: Segments) -> Array:
        """Return the group's values (m, dof) at the samples."""
        start = segments.at(self.columns, 0)
        end = segments.at(self.columns, 1)
        if self.group.interpolation == "previous":
            # A sample on the end of a segment is at that waypoint already.
            done = segments.time >= segments.duration
            return np.where(done[:, None], end, start)
        if self.group.interpolation == "max":
            return np.maximum(start, end)
        return end


class _Linear(Interpolator):
    """Straight lines, and arcs for quaternions and directions."""

    def __init__(self, group: Group) -> None:
        super().__init__(group)
        self._quat = _quaternion_place(group)
        self._direction = _direction_place(group)
        self._angle = _angle_place(group)

    def evaluate(self, segments: Segments) -> Array:
        start = segments.at(self.columns, 0)
        end = segments.at(self.columns, 1)
        fraction = segments.time / segments.duration
        result = start + (end - start) * fraction[:, None]
        exact = segments.time >= segments.duration
        result[exact] = end[exact]
        if self._quat is not None:
            result[:, self._quat] = slerp(
                start[:, self._quat], end[:, self._quat], fraction
            )
        if self._direction is not None:
            place = self._direction
            result[:, place] = _arc(start[:, place], end[:, place], fraction)
        if self._angle is not None:
            turn = end[:, self._angle] - start[:, self._angle]
            turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
            result[:, self._angle] = start[:, self._angle] + turn * fraction
        return result


class _Polynomial(Interpolator):
    """Polynomials of degree one and more through values and derivatives."""

    def __init__(self, group: Group, degree: int, conditions: list[_Condition]) -> None:
        super().__init__(group)
        self._conditions = conditions
        matrix = np.array([condition.row(degree) for condition in conditions])
        self._inverse = np.linalg.inv(matrix)
        self._quat = _quaternion_place(group)

    def evaluate(self, segments: Segments) -> Array:
        pieces, which = segments.pieces()
        right = np.stack([c.right_side(pieces) for c in self._conditions])
        factors = np.tensordot(self._inverse, right, axes=1)
        # by values, then samples: the loops inside of numpy are long
        each = np.ascontiguousarray(factors.transpose(0, 2, 1))
        if which is not None:
            each = np.take(each, which, axis=2)
        s = segments.time / segments.duration
        horner = each[-1]
        for factor in each[-2::-1]:
            horner *= s
            horner += factor
        result: Array = horner.T
        if self._quat is not None:
            quats = result[:, self._quat]
            length = np.linalg.norm(quats, axis=1, keepdims=True)
            result[:, self._quat] = quats / np.where(length > 0, length, 1.0)
        return result


@lru_cache(maxsize=64)
def make_interpolators(groups: tuple[Group, ...]) -> tuple[Interpolator, ...]:
    """Return one interpolator per group; they have no state.

    Raises
    ------
    ArgumentError
        A polynomial needs derivative groups that are not there.
    """
    return tuple(_make(group, groups) for group in groups)


def _make(group: Group, groups: Sequence[Group]) -> Interpolator:
    degree = interpolation_degree(group.interpolation)
    if not degree or group.kind == "deltatime":
        return Interpolator(group)
    if degree == 1:
        return _Linear(group)
    conditions = _conditions(group, degree, groups)
    if len(conditions) <= degree:
        wanted = degree // 2
        names = [derivative_kind(group.kind, k + 1) for k in range(wanted)]
        needed = ", ".join(name for name in names if name) or "derivative groups"
        raise ArgumentError(
            f"group {group.name!r} with {group.interpolation} interpolation needs "
            f"{needed} of the same joints in the specification"
        )
    return _Polynomial(group, degree, conditions[: degree + 1])


def _conditions(group: Group, degree: int, groups: Sequence[Group]) -> list[_Condition]:
    own = tuple(range(group.offset, group.end))
    derivatives: dict[int, tuple[int, ...]] = {}
    for order in range(1, _MAX_ORDER + 1):
        columns = _related_columns(group, order, groups)
        if columns is not None:
            derivatives[order] = columns
    half = degree // 2
    start = _Condition(0, 0, (own,))
    if degree % 2 == 0 and all(k in derivatives for k in range(1, half + 1)):
        result = [start]
        for order in range(1, half + 1):
            result += _both_ends(order, derivatives[order])
        return result
    result = [start, _Condition(0, 1, (own,))]
    for order, columns in derivatives.items():
        if order <= half and len(result) + 2 <= degree + 1:
            result += _both_ends(order, columns)
    chain: list[tuple[int, ...]] = []
    for fold in range(1, _MAX_ORDER + 1):
        integral = _related_columns(group, -fold, groups)
        if integral is None:
            break
        chain.append(integral)
        result.append(_Condition(-fold, 0, tuple(chain)))
    return result


def _both_ends(order: int, columns: tuple[int, ...]) -> list[_Condition]:
    return [_Condition(order, side, (columns,)) for side in (0, 1)]


def _related_columns(
    group: Group, order: int, groups: Sequence[Group]
) -> tuple[int, ...] | None:
    """Return the columns of each value's derivative (or integral), or None."""
    kind = derivative_kind(group.kind, order)
    if kind is None:
        return None
    if is_joint_kind(kind):
        found = joint_columns(
            groups, kind, group.body_name, group.joint_indices.tolist()
        )
        columns = tuple(column for column in found if column is not None)
        return columns if len(columns) == group.dof else None
    wanted = Group(group.with_kind(kind), 0, group.dof)
    match = best_match(groups, wanted)
    if match is None or match.dof != group.dof:
        return None
    return tuple(range(match.offset, match.end))


def _quaternion_place(group: Group) -> slice | None:
    """Return the place of a unit quaternion in the group."""
    if group.kind == "affine_transform":
        mask = group.affine_mask
        if mask & Affine.ROTATION_QUAT:
            first = affine_dof(int(mask) & 7)
            return slice(first, first + 4)
    if group.kind == "ikparam_values" and group.ik_type in _QUATERNION_TYPES:
        return slice(0, 4)
    return None


def _direction_place(group: Group) -> slice | None:
    """Return the place of a unit vector in the group."""
    if group.kind == "ikparam_values" and group.ik_type in _DIRECTION_TYPES:
        return slice(0, 3)
    return None


def _angle_place(group: Group) -> int | None:
    """Return the place of an unlimited angle in the group."""
    if (
        group.kind == "ikparam_values"
        and group.ik_type == IkParameterizationType.TranslationXYOrientation3D
    ):
        return 2
    return None


def _arc(start: Array, end: Array, fraction: Array) -> Array:
    """Turn unit vectors (m, 3) along the shorter arc of their plane."""
    cosine = np.clip(np.einsum("ij,ij->i", start, end), -1.0, 1.0)
    sideways = end - cosine[:, None] * start
    length = np.linalg.norm(sideways, axis=1)
    # Opposite vectors: any plane will do; take one with the axis least along them.
    lost = (length < 1e-12) & (cosine < 0)
    if lost.any():
        helper = np.eye(3)[np.argmin(np.abs(start[lost]), axis=1)]
        along = np.einsum("ij,ij->i", helper, start[lost])[:, None]
        sideways[lost] = helper - along * start[lost]
        length = np.linalg.norm(sideways, axis=1)
    angle = np.arccos(cosine) * fraction
    unit = sideways / np.where(length > 0, length, 1.0)[:, None]
    return np.asarray(np.cos(angle)[:, None] * start + np.sin(angle)[:, None] * unit)
