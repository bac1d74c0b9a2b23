"""Trajectories made of trajectories: parts, reversals, unions, derivatives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces import TrajectoryBase
from pyrave.spatial import as_number
from pyrave.trajectories import ConfigurationSpecification
from pyrave.trajectories.groups import (
    interpolation_degree,
    is_joint_kind,
    time_derivative_order,
)
from pyrave.trajectories.specification import convert_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array
    from pyrave.trajectories.groups import Group

_SAME = 1e-10
"""Smallest difference of two times, as a part of the duration."""
_MAX_DERIVATIVES = 6


def trajectory_segment(
    trajectory: TrajectoryBase, start: float, end: float
) -> TrajectoryBase:
    """Return the part of a trajectory from one time to another, from time 0.

    Raises
    ------
    ArgumentError
        Times that are not within the trajectory, or not in this order.
    StateError
        The trajectory has no times or no waypoints.
    """
    times, rows = timed_rows(trajectory)
    first = as_number(start, "start", 0.0, trajectory.duration)
    last = as_number(end, "end", first, trajectory.duration)
    least = _SAME * trajectory.duration
    inside = (times > first + least) & (times < last - least)
    ends = trajectory.sample_points([first, last])
    moments = np.concatenate(([first], times[inside], [last]))
    rows = np.vstack((ends[:1], rows[inside], ends[1:]))
    if last - first <= least:
        moments, rows = moments[:1], rows[:1]
    return _like(trajectory, trajectory.spec, moments - first, rows)


def segment_trajectory(trajectory: TrajectoryBase, start: float, end: float) -> None:
    """Cut a trajectory to the motion from one time to another; see above."""
    _replace(trajectory, trajectory_segment(trajectory, start, end))


def reverse_trajectory(trajectory: TrajectoryBase) -> TrajectoryBase:
    """Return a trajectory that goes back the same way in the same times.

    Raises
    ------
    StateError
        The trajectory has no times or no waypoints.
    """
    times, rows = timed_rows(trajectory)
    backwards = rows[::-1].copy()
    for group in trajectory.spec.groups:
        columns = slice(group.offset, group.end)
        degree = interpolation_degree(group.interpolation)
        if degree == 0 or not group.interpolation:
            # what held up to a waypoint holds from there on, up to the next one
            backwards[1:, columns] = rows[:0:-1, columns]
            backwards[0, columns] = rows[0, columns]
        if (time_derivative_order(group.kind) or 0) % 2:
            backwards[:, columns] *= -1.0
    return _like(trajectory, trajectory.spec, times[-1] - times[::-1], backwards)


def merge_trajectories(trajectories: Sequence[TrajectoryBase]) -> TrajectoryBase:
    """Return one trajectory that does what several do at the same time.

    It has waypoints where any of them has; those that end earlier hold.

    Parameters
    ----------
    trajectories
        Timed ones, of different joints or bodies.

    Raises
    ------
    ArgumentError
        None at all, or two that say different things about the same values.
    StateError
        A trajectory has no times or no waypoints.
    """
    if not trajectories:
        raise ArgumentError("there are no trajectories to merge")
    all_times = np.concatenate([timed_rows(one)[0] for one in trajectories])
    total = all_times.max()
    times = np.unique(all_times)
    times = times[np.diff(times, prepend=-np.inf) > _SAME * total]
    spec, taken = ConfigurationSpecification(), set[str]()
    for k, one in enumerate(trajectories):
        own = one.spec.remove_groups("deltatime")
        names = {name for group in own.groups for name in _values_of(group)}
        if taken & names:
            raise ArgumentError(
                f"trajectory {k} has {min(taken & names)!r}, which one before it has"
            )
        taken |= names
        # each keeps its own groups, which may be interpolated in different ways
        for group in own.groups:
            if group.kind != "iswaypoint" or group.name not in taken:
                spec = spec.add_group(group)
        taken.add("iswaypoint")
    spec = spec.add_delta_time_group()
    rows = np.zeros((len(times), spec.dof))
    for one in trajectories:
        sampled = one.sample_points(np.minimum(times, one.duration))
        beyond = times > one.duration + _SAME * total
        for group in one.spec.groups:
            if (time_derivative_order(group.kind) or 0) > 0:
                sampled[beyond, group.offset : group.end] = 0.0
        convert_data(spec, sampled, one.spec, out=rows, fill=False)
    return _like(trajectories[0], spec, times, rows)


def add_derivatives(trajectory: TrajectoryBase, order: int = 1) -> None:
    """Add groups of time derivatives up to an order, with what the motion does.

    Where a derivative jumps at a waypoint, that before it is taken.

    Raises
    ------
    ArgumentError
        An order that is not 1 to 6.
    StateError
        The trajectory has no times or no waypoints.
    """
    times, rows = timed_rows(trajectory)
    highest = as_number(order, "order", 1, _MAX_DERIVATIVES)
    if highest != int(highest):
        raise ArgumentError(f"order is {order!r}, expected a whole number")
    spec = trajectory.spec
    positions = [g for g in spec.groups if time_derivative_order(g.kind) == 0]
    wanted = spec
    for k in range(1, int(highest) + 1):
        for group in positions:
            (derived,) = _only(group).convert_to_derivative_specification(k).groups
            if all(one.name != derived.name for one in wanted.groups):
                wanted = wanted.add_group(derived)
    found = convert_data(wanted, rows, spec)
    for group in positions:
        values = _only(group)
        for k in range(1, int(highest) + 1):
            (name,) = (
                one.name for one in values.convert_to_derivative_specification(k).groups
            )
            target = next(one for one in wanted.groups if one.name == name)
            columns = slice(target.offset, target.end)
            for row in range(len(rows) - 1):
                ends = _derivatives(trajectory, group, times[row : row + 2], k)
                if row == 0:
                    found[0, columns] = ends[0]
                found[row + 1, columns] = ends[1]
    _replace(trajectory, _like(trajectory, wanted, times, found))


def _derivatives(
    trajectory: TrajectoryBase, group: Group, ends: Array, order: int
) -> Array:
    """Return derivatives (2, dof) at both ends of a segment, from samples of it."""
    span = ends[1] - ends[0]
    if span <= 0.0:
        return np.zeros((2, group.dof))
    degree = max(1, interpolation_degree(group.interpolation) or 1)
    nodes = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
    values = trajectory.sample_points(ends[0] + span * nodes, _only(group))
    powers = np.linalg.solve(np.vander(nodes, increasing=True), values)
    shape = np.polynomial.polynomial.polyder(powers, order)
    at_ends = np.polynomial.polynomial.polyval(np.array([0.0, 1.0]), shape)
    return np.asarray(at_ends.T / span**order)


def _only(group: Group) -> ConfigurationSpecification:
    return ConfigurationSpecification((replace(group, offset=0),))


def _values_of(group: Group) -> list[str]:
    """Return names of the values that a group has and another one may not have."""
    if group.kind == "iswaypoint":
        return []
    if is_joint_kind(group.kind):
        kind, body = group.kind, group.body_name
        return [f"{kind} {body} {index}" for index in group.joint_indices.tolist()]
    return [group.name]


def timed_rows(trajectory: TrajectoryBase) -> tuple[Array, Array]:
    """Return times (n,) of waypoints, and these."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(f"expected a trajectory, got {trajectory!r}")
    rows = trajectory.waypoints
    spans = trajectory.spec.extract_delta_time(rows) if len(rows) else None
    if spans is None:
        lacks = "deltatime group" if len(rows) else "waypoints"
        raise StateError(f"the trajectory has no {lacks}; retime it first")
    return np.cumsum(spans), rows


def _like(
    trajectory: TrajectoryBase,
    spec: ConfigurationSpecification,
    times: Array,
    rows: Array,
) -> TrajectoryBase:
    """Return a new trajectory of the same type."""
    spec.insert_delta_time(rows, np.diff(times, prepend=0.0))
    made = trajectory.env.create("trajectory", trajectory.interface_id)
    made.init(spec)
    made.insert(0, rows)
    made.description = trajectory.description
    return made


def _replace(trajectory: TrajectoryBase, other: TrajectoryBase) -> None:
    """Put the waypoints of another trajectory into one, whose readables stay."""
    rows, spec = other.waypoints, other.spec
    trajectory.init(spec)
    trajectory.insert(0, rows)
