"""Trajectories as curves of animations: keys over time, with tangents where they bend.

A piece of a polynomial up to the third degree is a Bezier curve exactly (COLLADA 1.5,
chapter 4 "Curve interpolation"); of higher ones it is several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave import ArgumentError, ConfigurationSpecification

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array, Indices
    from pyrave.trajectories.groups import Group

_LINES, _STEPS = frozenset({"linear"}), frozenset({"previous", "next", "", "max"})
_CUBIC = frozenset({"quadratic", "cubic"})
_PIECES = 8
"""Bezier curves for one piece of a polynomial of a higher degree."""
# what Bezier points add to the values at 0, 1/3, 2/3, 1 of a piece
_BEZIER = np.array([[-5.0, 18.0, -9.0, 2.0], [2.0, -9.0, 18.0, -5.0]]) / 6.0


@dataclass(frozen=True, slots=True, eq=False)
class JointCurves:
    """Curves of a body's joints over time.

    Parameters
    ----------
    body, dof_indices
        Its name, and (k,) int64 the degrees of freedom.
    times, values
        (n,) float64, seconds, rising; (n, k) float64, radians or metres.
    kind
        ``LINEAR``, ``STEP`` or ``BEZIER``.
    bends
        (n - 1, 2, k) float64: the inner points of each piece, a third and two thirds
        of its time in. None unless Bezier.
    """

    body: str
    dof_indices: Indices
    times: Array
    values: Array
    kind: str = "LINEAR"
    bends: Array | None = None


def curves_of(trajectory: TrajectoryBase) -> Iterator[JointCurves]:
    """Yield the curves of a trajectory's joints, for each group of their values.

    Raises
    ------
    ArgumentError
        It has no waypoints or no timing.
    """
    spec = trajectory.spec
    if not any(group.kind == "deltatime" for group in spec):
        raise ArgumentError(
            "the trajectory has no times, and animations are over time: give it a "
            "deltatime group, or retime it"
        )
    if not len(trajectory):
        raise ArgumentError("the trajectory has no waypoints")
    steps = trajectory.get_waypoints(
        spec=ConfigurationSpecification().add_delta_time_group()
    )
    times = np.cumsum(steps[:, 0])
    # of several waypoints at one time the last one holds
    kept = np.append(np.diff(times) > 0.0, [True])
    for group in spec:
        if group.kind == "joint_values":
            yield _curves(trajectory, group, times, kept)


def parts_without_curves(trajectory: TrajectoryBase) -> list[str]:
    """Return the names of groups that animations of joints cannot say."""
    return [
        group.name
        for group in trajectory.spec
        if group.kind != "deltatime" and not group.kind.startswith("joint_")
    ]


def _curves(
    trajectory: TrajectoryBase, group: Group, times: Array, kept: Array
) -> JointCurves:
    body, dofs = group.body_name, group.joint_indices
    alone = ConfigurationSpecification().add_group(group)
    points = trajectory.get_waypoints(spec=alone)[kept]
    times = times[kept]
    if group.interpolation in _LINES or len(times) == 1:
        return JointCurves(body, dofs, times, points)
    if group.interpolation in _STEPS:
        if group.interpolation != "previous":  # the end of a piece holds in all of it
            points = np.vstack([points[1:], points[-1:]])
        return JointCurves(body, dofs, times, points, "STEP")
    if group.interpolation not in _CUBIC:
        inner = np.arange(_PIECES) / _PIECES
        fine = times[:-1, None] + np.diff(times)[:, None] * inner
        times = np.append(fine.reshape(-1), times[-1:])

    def sample(moments: Array) -> Array:
        return trajectory.sample_points(moments, alone)

    return _bezier(body, dofs, times, sample)


def _bezier(
    body: str, dofs: Indices, times: Array, sample: Callable[[Array], Array]
) -> JointCurves:
    steps = np.diff(times)
    inside = [sample(times[:-1] + steps * part) for part in (1.0 / 3.0, 2.0 / 3.0)]
    values = sample(times)
    ends = np.stack([values[:-1], *inside, values[1:]], axis=1)
    bends = np.einsum("pe,nek->npk", _BEZIER, ends)
    return JointCurves(body, dofs, times, values, "BEZIER", bends)
