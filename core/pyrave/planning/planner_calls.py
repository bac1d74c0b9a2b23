"""Trajectories that planners time or smooth in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.robot import Robot
from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces import PlannerBase, PlannerParameters, TrajectoryBase
from pyrave.interfaces.settings.parts import as_part
from pyrave.planning.search.planner import SearchPlanner
from pyrave.planning.trajectory_operations import timed_rows
from pyrave.spatial import as_number, as_vector
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def retime_trajectory(
    trajectory: TrajectoryBase,
    robot: Robot,
    *,
    planner: str | PlannerBase | None = None,
    has_timestamps: bool = False,
    velocity_scale: float = 1.0,
    acceleration_scale: float = 1.0,
    **settings: Any,
) -> None:
    """Put times into a trajectory of joint values, by a retimer.

    Parameters
    ----------
    trajectory
        Of joint values of the robot; changed in place.
    planner
        The retimer: an object or an id; None for the default, of parabolic blends.
    has_timestamps
        Keep the times between waypoints, and make velocities for them.
    velocity_scale, acceleration_scale
        Parts of the limits, above 0 and up to 1.
    **settings
        Of the retimer of an id, for example ``has_velocities=True``.

    Raises
    ------
    ArgumentError
        The trajectory has no joint values of the robot, or a scale is out of range.
    StateError
        The planner refuses, and says why; the trajectory stays as it was.
    """
    if has_timestamps:
        settings["has_timestamps"] = True
    scales = velocity_scale, acceleration_scale
    _planned(trajectory, robot, planner, scales, settings, {})


def smooth_trajectory(
    trajectory: TrajectoryBase,
    robot: Robot,
    *,
    planner: str | PlannerBase | None = None,
    velocity_scale: float = 1.0,
    acceleration_scale: float = 1.0,
    iterations: int = 0,
    seed: int = 0,
    **settings: Any,
) -> None:
    """Make a trajectory of joint values shorter and time it, by a smoother.

    Parameters are those of `retime_trajectory`; ``iterations`` of 0 is the planner's
    own number. It asks the environment's collision checker.

    Parameters
    ----------
    velocity_scale
        Fraction of the velocity limits, above 0 to 1.
    acceleration_scale
        Fraction of the acceleration limits, above 0 to 1.
    iterations
        Short cuts that are tried; 0: as the smoother has it.
    **settings
        Of the smoother of an id.
    """
    fields = {"max_iterations": iterations, "random_seed": seed}
    scales = velocity_scale, acceleration_scale
    planner = planner or robot.env.registry.default_id("planner", "smoother")
    _planned(trajectory, robot, planner, scales, settings, fields)


def insert_waypoint(
    trajectory: TrajectoryBase,
    index: int,
    values: ArrayLike,
    robot: Robot,
    *,
    planner: str | PlannerBase | None = None,
    **settings: Any,
) -> None:
    """Insert joint values before waypoint `index`, and time everything again.

    Parameters
    ----------
    index
        0 to the number of waypoints, which is the end.
    values
        (k,) of the joints of the trajectory.
    **settings
        Of the retimer of an id.

    Raises
    ------
    ArgumentError, StateError
        As `retime_trajectory`; the trajectory stays as it was.
    """
    problem = _problem(trajectory, robot)
    spec = problem.specification
    place = as_number(index, "index", 0, len(trajectory))
    if place != int(place):
        raise ArgumentError(f"index is {index!r}, expected a whole number")
    row = as_vector(values, spec.dof, "values")
    rows = trajectory.get_waypoints(0, None, spec)
    scratch = _scratch(trajectory, problem, np.insert(rows, int(place), row, axis=0))
    _planned(scratch, robot, planner, (1.0, 1.0), settings, {})
    _take_over(trajectory, scratch)


def extend_trajectory(
    trajectory: TrajectoryBase,
    values: ArrayLike,
    robot: Robot,
    *,
    at_start: bool = False,
    planner: str | PlannerBase | None = None,
    **settings: Any,
) -> None:
    """Lead to joint values after the end of a timed trajectory, or from them to it.

    What is there keeps its times.

    Parameters
    ----------
    values
        (k,) of the joints of the trajectory.
    at_start
        Begin with the values instead.
    **settings
        Of the retimer of an id.

    Raises
    ------
    ArgumentError, StateError
        As `retime_trajectory`, or the trajectory has no times.
    """
    problem = _problem(trajectory, robot)
    spec = problem.specification
    row = as_vector(values, spec.dof, "values")
    times, rows = timed_rows(trajectory)
    near = trajectory.get_waypoint(0 if at_start else -1, spec)
    ends = np.stack((row, near) if at_start else (near, row))
    piece = _scratch(trajectory, problem, ends)
    _planned(piece, robot, planner, (1.0, 1.0), settings, {})
    new = piece.get_waypoints(0, None, trajectory.spec)
    if at_start:
        rows = np.concatenate((new[:-1], rows))
        spans = np.concatenate(
            (
                np.diff(timed_rows(piece)[0], prepend=0.0),
                np.diff(times),
            )
        )
    else:
        rows = np.concatenate((rows, new[1:]))
        spans = np.concatenate(
            (
                np.diff(times, prepend=0.0),
                np.diff(timed_rows(piece)[0]),
            )
        )
    trajectory.spec.insert_delta_time(rows, spans)
    trajectory.insert(0, rows[: len(trajectory)], overwrite=True)
    trajectory.append(rows[len(trajectory) :])


def _problem(trajectory: TrajectoryBase, robot: Robot) -> PlannerParameters:
    """Return parameters for the joints of a robot that a trajectory moves."""
    moving = _moving(trajectory, robot)
    parameters = PlannerParameters()
    with robot.preserve_state(StateParts.PLANNED):
        robot.set_active_dofs(moving)
        parameters.set_robot_active_joints(robot)
    return parameters


def _moving(trajectory: TrajectoryBase, robot: Robot) -> list[int]:
    """Return the indices of joints of a robot that a trajectory moves."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"expected a robot, got {robot!r}")
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(f"expected a trajectory, got {trajectory!r}")
    moving = [
        index
        for group in trajectory.spec.groups
        if group.kind == "joint_values" and group.body_name == robot.name
        for index in group.joint_indices.tolist()
    ]
    if not moving:
        raise ArgumentError(
            f"the trajectory has no joint values of {robot.name!r}; its groups are "
            + (", ".join(group.name for group in trajectory.spec.groups) or "none")
        )
    return moving


def _planned(
    trajectory: TrajectoryBase,
    robot: Robot,
    planner: str | PlannerBase | None,
    scales: tuple[float, float],
    settings: dict[str, Any],
    fields: dict[str, int],
) -> None:
    problem = _problem(trajectory, robot)
    planner = planner or robot.env.registry.default_id("planner", "retimer")
    maker = as_part(robot.env, PlannerBase, planner, settings, what="planner")
    if isinstance(maker, SearchPlanner) and not maker.needs_path:
        raise ArgumentError(
            f"planner {maker!r} finds paths, expected one that changes the path of a "
            "trajectory; robot.plan calls it"
        )
    slower = as_number(scales[0], "velocity_scale", 1e-6, 1.0)
    softer = as_number(scales[1], "acceleration_scale", 1e-6, 1.0)
    problem.velocity_limits = slower * problem.velocity_limits
    problem.acceleration_limits = softer * problem.acceleration_limits
    for name, value in fields.items():
        setattr(problem, name, value)
    with robot.preserve_state(StateParts.PLANNED):
        robot.set_active_dofs(_moving(trajectory, robot))
        status = maker.init_plan(robot, problem)
        if status:
            status = maker.plan_path(trajectory)
    if not status:
        raise StateError(f"{maker.interface_id} gave no trajectory: {status.cause}")


def _scratch(
    trajectory: TrajectoryBase, problem: PlannerParameters, rows: np.ndarray
) -> TrajectoryBase:
    made = trajectory.env.create("trajectory", "")
    made.init(problem.specification)
    made.insert(0, rows)
    return made


def _take_over(trajectory: TrajectoryBase, other: TrajectoryBase) -> None:
    trajectory.init(other.spec)
    trajectory.insert(0, other.waypoints)
