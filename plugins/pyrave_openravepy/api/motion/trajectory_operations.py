"""Trajectories that are converted, cut, joined, turned round or verified."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap
from pyrave_openravepy.api.motion.configuration_space import positions_of
from pyrave_openravepy.api.motion.planner_parameters import PlannerParameters
from pyrave_openravepy.api.motion.specification import native_specification
from pyrave_openravepy.api.motion.timed_trajectories import TimedSpace

__all__ = [
    "ComputeTrajectoryDerivatives",
    "ConvertTrajectorySpecification",
    "GetTrajectorySegment",
    "MergeTrajectories",
    "ReverseTrajectory",
    "SegmentTrajectory",
    "VerifyTrajectory",
]

_STEP = 2e-3
_TOLERANCE = 1e-4
"""Part of a limit by which OpenRAVE lets trajectories pass it."""


@guarded
def ConvertTrajectorySpecification(trajectory: Any, spec: Any) -> None:
    """Give a trajectory another specification; what it lacks is as bodies stand."""
    native, wanted = as_native(trajectory), native_specification(spec)
    rows = native.get_waypoints(spec=wanted) if len(native) else None
    native.init(wanted)
    if rows is not None:
        native.insert(0, rows)


@guarded
def ComputeTrajectoryDerivatives(trajectory: Any, maxderiv: int) -> None:
    """Add time derivatives up to an order, as the trajectory moves."""
    from pyrave.planning import add_derivatives

    add_derivatives(as_native(trajectory), int(maxderiv))


@guarded
def ReverseTrajectory(trajectory: Any) -> Any:
    """Return a trajectory that goes back the same way."""
    from pyrave.planning import reverse_trajectory

    return wrap(reverse_trajectory(as_native(trajectory)))


@guarded
def SegmentTrajectory(trajectory: Any, starttime: float, endtime: float) -> None:
    """Cut a trajectory to the part between two times."""
    from pyrave.planning import segment_trajectory

    native = as_native(trajectory)
    segment_trajectory(native, *_within(native, starttime, endtime))


@guarded
def GetTrajectorySegment(trajectory: Any, starttime: float, endtime: float) -> Any:
    """Return the part of a trajectory between two times."""
    from pyrave.planning import trajectory_segment

    native = as_native(trajectory)
    return wrap(trajectory_segment(native, *_within(native, starttime, endtime)))


def _within(native: Any, start: float, end: float) -> tuple[float, float]:
    # times beyond the end are the end, as there
    duration = float(native.duration)
    return min(float(start), duration), min(float(end), duration)


@guarded
def MergeTrajectories(trajectories: Any) -> Any:
    """Return one trajectory that does what several do at the same time."""
    from pyrave.planning import merge_trajectories

    return wrap(merge_trajectories([as_native(one) for one in trajectories]))


@guarded
def VerifyTrajectory(
    parameters: Any,
    trajectory: Any,
    samplingstep: float = _STEP,
    releasegil: bool = True,  # noqa: ARG001 - scripts may give it
) -> None:
    """Raise `openrave_exception` of a trajectory that breaks limits or collides.

    Parameters
    ----------
    parameters
        Their limits count; None: those of the bodies.
    trajectory
        With times or without; without them it is looked at lines between waypoints.
    samplingstep
        Seconds between samples.
    """
    native = as_native(trajectory)
    if parameters is not None and not isinstance(parameters, PlannerParameters):
        raise TypeError(
            f"expected PlannerParameters or None, found {type(parameters).__name__}"
        )
    step = float(samplingstep) if float(samplingstep) > 0.0 else _STEP
    # the simulation runs in another thread
    with native.env.lock():
        found = [str(one) for one in _violations(native, parameters, step)]
    if found:
        raise openrave_exception(
            "the trajectory is not valid: " + "; ".join(found),
            ErrorCode.InconsistentConstraints,
        )


def _violations(native: Any, parameters: Any, step: float) -> Iterator[Any]:
    from pyrave.planning import verify

    spec = positions_of(native.spec)
    timed, without = native, set[str]()
    lines = {"", "linear", "next"}
    known = [native.spec.find_compatible_group(group) for group in spec.groups]
    if any(group is not None and group.interpolation in lines for group in known):
        # velocities jump at waypoints
        without.add("acceleration")
    if native.spec.find_compatible_group("deltatime") is None:
        timed = native.env.create("trajectory", "")
        timed.init(spec)
        timed.insert(0, native.get_waypoints(spec=spec))
        space = TimedSpace(native.env, spec)
        status = space.timed(timed, "LinearTrajectoryRetimer")
        if not status:
            yield status.description
            return
        without = {"velocity", "acceleration"}
    for body in spec.extract_used_bodies(native.env):
        with ExitStack() as stack:
            if parameters is not None:
                stack.enter_context(body.preserve_state())
                _limit(body, parameters._native)
            found = verify(body, timed, step=step, tolerance=_TOLERANCE)
        yield from (one for one in found if one.kind not in without)


def _limit(body: Any, parameters: Any) -> None:
    """Give a body the limits that parameters have for its joints."""
    for group in parameters.specification.groups:
        if group.kind != "joint_values" or group.body_name != body.name:
            continue
        for name in ("velocity_limits", "acceleration_limits"):
            given = getattr(parameters, name)
            if len(given) == parameters.dof:
                attribute = f"dof_{name}"
                limits = np.array(getattr(body, attribute))
                limits[group.joint_indices] = given[group.columns]
                setattr(body, attribute, limits)
