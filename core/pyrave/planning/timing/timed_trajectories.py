"""Motions in time as trajectories."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning.timing.timed_path import TimedPath


def write_timed(
    trajectory: TrajectoryBase,
    values: ConfigurationSpecification,
    timed: TimedPath,
    *,
    interpolation: str = "cubic",
    is_waypoint: bool = False,
) -> None:
    """Make a trajectory that of a motion in time.

    Parameters
    ----------
    values
        What the joint values of `timed` mean: groups without derivatives.
    interpolation
        ``"linear"``, ``"quadratic"``, ``"cubic"`` or ``"quintic"``, which must be that
        of the pieces. Quintic pieces have accelerations; a single point rests.
    is_waypoint
        Add the group ``iswaypoint``, in which all are.
    """
    columns = [timed.positions, timed.velocities]
    if interpolation == "quintic":
        rest = np.zeros_like(timed.positions)
        columns.append(rest if timed.accelerations is None else timed.accelerations)
    columns.append(np.diff(timed.times, prepend=0.0)[:, None])
    if is_waypoint:
        columns.append(np.ones((len(timed.times), 1)))
    trajectory.init(_specification(values, interpolation, is_waypoint))
    trajectory.insert(0, np.hstack(columns))


@lru_cache(256)
def _specification(
    values: ConfigurationSpecification, interpolation: str, is_waypoint: bool
) -> ConfigurationSpecification:
    """Return the meaning of a motion's columns: values, rates, times."""
    spec = ConfigurationSpecification(
        tuple(replace(group, interpolation=interpolation) for group in values.groups)
    ).add_derivative_groups(1)
    if interpolation == "quintic":
        spec = spec.add_derivative_groups(2)
    spec = spec.add_delta_time_group()
    return spec.add_group("iswaypoint", 1, "next") if is_waypoint else spec
