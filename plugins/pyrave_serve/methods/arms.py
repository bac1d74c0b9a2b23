"""Tools of manipulators: inverse kinematics, plans, motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics import Affine
from pyrave.planning import retime
from pyrave_serve.call_objects import Desk
from pyrave_serve.methods.kinds import Joints, Numbers, Rows, Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array

_ROWS = 1000
"""A motion comes with at most so many rows of values."""


def get_tool(desk: Desk, robot: str, manipulator: str | None = None) -> Any:
    """Return the pose of a manipulator's tool.

    Parameters
    ----------
    robot
        Its name.
    manipulator
        Its name; the active one without.

    Returns
    -------
    object
        ``manipulator``, ``joints`` (names), ``transform`` (4x4, world), ``jacobian``
        (6 rows: linear, then angular, world axes) and ``velocity``.
    """
    arm = desk.arm(robot, manipulator)
    names = desk.robot(robot).dof_names
    return {
        "manipulator": arm.name,
        "joints": [names[i] for i in arm.arm_indices.tolist()],
        "transform": arm.transform,
        "jacobian": arm.jacobian(),
        "velocity": arm.velocity,
    }


def solve_ik(
    desk: Desk,
    robot: str,
    target: Target,
    manipulator: str | None = None,
    all: bool = False,  # noqa: A002 - the name of Manipulator.solve_ik
    timeout: float | None = None,
) -> Any:
    """Return joint values that bring a tool to a goal; the robot does not move.

    Parameters
    ----------
    robot
        Its name.
    target
        Where the tool shall be, world; or a goal of another type.
    manipulator
        Its name; the active one without.
    all
        Return all solutions, not the nearest to the present values.
    timeout
        Seconds that a search may take.

    Returns
    -------
    list
        Values of the joints of the arm, or null; with ``all`` a list of these.
    """
    arm = desk.arm(robot, manipulator)
    seconds = None if timeout is None else desk.seconds(timeout)
    if all:
        return arm.solve_ik(target, all=True, timeout=seconds)
    return arm.solve_ik(target, timeout=seconds)


def plan(
    desk: Desk,
    robot: str,
    target: Target | None = None,
    values: Joints | None = None,
    configuration: str | None = None,
    manipulator: str | None = None,
    planner: str = "BiRRT",
    seed: int = 0,
    timeout: float = 5.0,
    speed: float = 1.0,
) -> Any:
    """Plan a motion that collides with nothing; `execute` lets the robot follow it.

    Parameters
    ----------
    robot
        Its name.
    target
        The goal: where the tool shall be, world.
    values
        Or the goal: of the joints of the arm, or of some by name.
    configuration
        Or the goal: one of the robot's named configurations.
    manipulator
        Its name; the active one without.
    planner
        Id of a planner, and its arguments.
    seed
        Of everything random: the same seed gives the same motion.
    timeout
        Seconds that it may take.
    speed
        Part of the velocity and acceleration limits that is used, above 0 to 1.

    Returns
    -------
    object
        ``found``; then ``trajectory`` (its name), ``duration``, ``joints`` (names),
        ``times`` and ``values`` (a row for each time); else ``cause`` and ``hint``.
    """
    goals = [one for one in (target, values, configuration) if one is not None]
    if len(goals) != 1:
        raise ArgumentError(
            f"{len(goals)} goals are given, expected one of target, values and "
            "configuration"
        )
    arm = desk.arm(robot, manipulator)
    rows = values if isinstance(values, np.ndarray) else None
    result = arm.plan(
        goals[0] if rows is None else None,
        values=rows,
        planner=planner,
        seed=seed,
        speed=speed,
        timeout=desk.seconds(timeout),
    )
    if not result:
        cause = result.failure
        return {
            "found": False,
            "cause": "" if cause is None else cause.text,
            "hint": "" if cause is None else cause.hint,
        }
    name = desk.kept.trajectories.put(result.trajectory)
    return {
        "found": True,
        "trajectory": name,
        **_motion(result.trajectory, arm),
    }


def execute(desk: Desk, trajectory: str, dt: float = 0.01) -> Any:
    """Let the robot follow a trajectory, in simulated time.

    Parameters
    ----------
    trajectory
        What `plan` or `make_trajectory` returned.
    dt
        Simulated seconds of a step.

    Returns
    -------
    object
        ``arrived``, ``seconds`` of simulated time, and the ``cause`` if it did not
        arrive.
    """
    motion = desk.kept.trajectories.find(trajectory)
    done = desk.env.execute(
        motion, dt=dt, progress=lambda _: desk.check_time("the motion")
    )
    return {"arrived": bool(done), "seconds": done.seconds, "cause": done.cause}


def make_trajectory(
    desk: Desk,
    robot: str,
    waypoints: Rows,
    times: Numbers | None = None,
    manipulator: str | None = None,
) -> Any:
    """Make a trajectory through waypoints; whether anything is in the way is not asked.

    Parameters
    ----------
    robot
        Its name.
    waypoints
        A row of values of the joints of the arm for each.
    times
        When the arm is there, seconds from a start, in straight lines; without them it
        begins where the arm is, and is as fast as the limits let.
    manipulator
        Its name; the active one without.

    Returns
    -------
    object
        ``trajectory`` (its name), ``duration``, ``joints``, ``times`` and ``values``.
    """
    arm = desk.arm(robot, manipulator)
    joints = arm.arm_indices
    if waypoints.shape[1] != len(joints):
        raise ArgumentError(
            f"waypoints have {waypoints.shape[1]} values each, expected {len(joints)}"
        )
    if times is None:
        now = desk.robot(robot).dof_values[joints]
        made = retime(arm, np.vstack((now, waypoints)))
    else:
        made = timed(desk.robot(robot), joints, waypoints, times)
    name = desk.kept.trajectories.put(made)
    return {"trajectory": name, **_motion(made, arm)}


def timed(
    robot: Robot,
    joints: Any,
    values: Array,
    times: Array,
    poses: Sequence[ArrayLike] = (),
) -> TrajectoryBase:
    """Return a trajectory through points at times, linear between them.

    Parameters
    ----------
    joints
        (k,) degrees of freedom of the robot.
    values
        (n, k) radians or metres.
    times
        (n,) seconds from a start.
    poses
        n poses of the base, or none.

    Raises
    ------
    ArgumentError
        Other numbers of them, or times that decrease.
    """
    if not len(values) or len(times) != len(values):
        raise ArgumentError(f"{len(times)} times are given for {len(values)} points")
    spans = np.diff(times, prepend=times[0])
    if (spans < 0.0).any():
        raise ArgumentError("times decrease; they are those of the points from a start")
    base = Affine.TRANSFORM if len(poses) else Affine.NONE
    spec = robot.specification_of(joints, base, interpolation="linear")
    spec = spec.add_delta_time_group()
    rows = np.zeros((len(values), spec.dof))
    spec.insert_joint_values(rows, values, robot, joints)
    for row, pose in zip(rows, poses, strict=False):
        spec.insert_transform(row, pose, robot)
    spec.insert_delta_time(rows, spans)
    made = robot.env.create("trajectory", "")
    made.init(spec)
    made.insert(0, rows)
    return made


def _motion(trajectory: Any, arm: Any) -> dict[str, Any]:
    """Return the values of an arm along a trajectory, evenly in time."""
    robot = arm.robot
    spec = robot.specification_of(arm.arm_indices)
    count = min(_ROWS, 2 + int(trajectory.duration / 0.02))
    times = np.linspace(0.0, trajectory.duration, count)
    names = robot.dof_names
    return {
        "duration": trajectory.duration,
        "joints": [names[i] for i in arm.arm_indices.tolist()],
        "times": times,
        "values": trajectory.sample_points(times, spec),
    }


METHODS = (get_tool, solve_ik, plan, make_trajectory, execute)
