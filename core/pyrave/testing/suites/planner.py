"""Checks of planners."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.bodies import Robot
from pyrave.errors import Error
from pyrave.interfaces import (
    PlannerBase,
    PlannerParameters,
    PlannerStatus,
    PlannerStatusCode,
    TrajectoryBase,
)
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.scene import kit_arm
from pyrave.testing.subject import Subject


def _problem(robot: Robot, goal: Any = None) -> PlannerParameters:
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    lower, upper = (np.clip(bound, -2.0, 2.0) for bound in robot.dof_limits)
    default = lower + 0.7 * (upper - lower)
    parameters.goal_configuration = np.asarray(default if goal is None else goal)
    parameters.max_iterations = 2000
    parameters.max_planning_time = 10.0
    parameters.random_seed = 5
    return parameters


def _status(status: Any, method: str) -> PlannerStatus:
    require(
        isinstance(status, PlannerStatus),
        f"{method} returned {status!r}",
        "return PlannerStatus(PlannerStatusCode.HAS_SOLUTION) or a failure with a "
        "description",
    )
    require(
        isinstance(status.code, PlannerStatusCode),
        f"the status code of {method} is {status.code!r}, no PlannerStatusCode",
    )
    assert isinstance(status, PlannerStatus)  # noqa: S101 - for the type checker
    return status


def _plan(
    subject: Subject, parameters: PlannerParameters
) -> tuple[PlannerStatus, TrajectoryBase]:
    """Plan; a refusal by init_plan counts as the result."""
    planner: PlannerBase = subject.make()
    trajectory: Any = subject.env.create("trajectory", "")
    status = _status(planner.init_plan(kit_arm(subject.env), parameters), "init_plan")
    if _refused(status):
        return status, trajectory
    return _status(planner.plan_path(trajectory), "plan_path"), trajectory


def _refused(status: PlannerStatus) -> bool:
    return not status


def _solved(subject: Subject) -> tuple[Robot, TrajectoryBase]:
    robot = kit_arm(subject.env)
    status, trajectory = _plan(subject, _problem(robot))
    if not status:
        raise NotApplicable(
            "it does not solve a plain joint-space problem, so it is taken for a "
            f"special planner: {status.description or status.code!r}"
        )
    return robot, trajectory


def _joint_values(robot: Robot, trajectory: TrajectoryBase) -> Any:
    spec = trajectory.get_configuration_specification()
    rows = trajectory.get_waypoints()
    indices = robot.active_dof_indices
    values = [spec.extract_joint_values(row, robot, indices) for row in rows]
    require(
        len(values) and all(v is not None for v in values),
        f"the trajectory has {len(values)} waypoints with groups "
        f"{[g.name for g in spec]}: no joint_values of {robot.name!r}",
        "trajectory.init(parameters.specification), then insert the configurations",
    )
    return np.array(values)


@check(
    "life",
    "get_parameters is None before init_plan and the parameters after it.",
    "init_plan",
)
def life(subject: Subject) -> None:
    planner: PlannerBase = subject.make()
    require(
        planner.get_parameters() is None,
        "get_parameters() is not None before init_plan",
        "self._parameters = None in __init__",
    )
    status = _status(
        planner.init_plan(kit_arm(subject.env), _problem(kit_arm(subject.env))),
        "init_plan",
    )
    require(
        _refused(status) or isinstance(planner.get_parameters(), PlannerParameters),
        f"get_parameters() is {planner.get_parameters()!r} after init_plan succeeded",
        "keep the parameters in init_plan",
    )


@check(
    "not-initialised",
    "plan_path before init_plan fails with a status or a pyrave error.",
    "plan_path",
)
def not_initialised(subject: Subject) -> None:
    planner: PlannerBase = subject.make()
    try:
        trajectory: Any = subject.env.create("trajectory", "")
        status = planner.plan_path(trajectory)
    except Error:
        return
    require(
        not _status(status, "plan_path"),
        "plan_path without init_plan claims to have a solution",
        "return PlannerStatus(PlannerStatusCode.FAILED, 'call init_plan first')",
    )


@check(
    "ends",
    "A solution begins at the initial and ends at the goal configuration.",
    "plan_path",
)
def ends(subject: Subject) -> None:
    robot, trajectory = _solved(subject)
    wanted = _problem(robot)
    values = _joint_values(robot, trajectory)
    for name, seen, given in (
        ("begins at", values[0], wanted.initial_configuration),
        ("ends at", values[-1], wanted.goal_configuration),
    ):
        require(
            np.allclose(seen, given, atol=1e-6),
            f"the trajectory {name} {seen.tolist()}, expected {given.tolist()}",
            "put the exact initial and goal configurations into the trajectory",
        )


@check(
    "within-limits",
    "Every configuration of a solution is finite and within the limits.",
    "plan_path",
)
def within_limits(subject: Subject) -> None:
    robot, trajectory = _solved(subject)
    values = _joint_values(robot, trajectory)
    lower, upper = _problem(robot).lower_limits, _problem(robot).upper_limits
    good = np.isfinite(values) & (values >= lower - 1e-9) & (values <= upper + 1e-9)
    require(
        good.all(),
        f"configuration {values[~good.all(axis=1)][:1].tolist()} is outside of the "
        f"limits {lower.tolist()}..{upper.tolist()}",
        "clip samples to parameters.lower_limits and upper_limits",
    )


@check("stays", "Planning leaves the robot where it was.", "plan_path")
def stays(subject: Subject) -> None:
    robot = kit_arm(subject.env)
    before, pose = robot.dof_values, robot.transform
    _plan(subject, _problem(robot))
    require(
        np.array_equal(before, robot.dof_values)
        and np.array_equal(pose, robot.transform),
        f"the robot stands at {robot.dof_values.tolist()}, before: {before.tolist()}",
        "plan inside `with robot.preserve_state():`",
    )


@check(
    "goal-is-start",
    "A goal equal to the start gives a short solution or a status that says why not.",
    "plan_path",
)
def goal_is_start(subject: Subject) -> None:
    robot, _ = _solved(subject)
    status, trajectory = _plan(subject, _problem(robot, robot.dof_values))
    if not status:
        require(
            status.description,
            "it failed without a description",
            "PlannerStatus(code, 'what happened')",
        )
        return
    values = _joint_values(robot, trajectory)
    require(
        np.allclose(values[-1], robot.dof_values, atol=1e-6),
        f"the trajectory ends at {values[-1].tolist()}",
    )


@check(
    "says-why-not",
    "Impossible or nonsensical problems end with a failed status, not an exception.",
    "init_plan",
)
def says_why_not(subject: Subject) -> None:
    robot = kit_arm(subject.env)
    _, upper = robot.dof_limits
    n = robot.dof
    problems = {
        "a goal outside of the limits": _problem(robot, np.minimum(upper, 1e3) + 1.0),
        "a goal of NaN": _problem(robot, np.full(n, np.nan)),
        "a goal with a value too many": _problem(robot, np.zeros(n + 1)),
        "no goal": _problem(robot, np.empty(0)),
        "empty parameters": PlannerParameters(),
    }
    for what, parameters in problems.items():
        try:
            status, _ = _plan(subject, parameters)
        except (Violation, NotApplicable):
            raise
        except Exception as error:
            raise Violation(
                f"{what} raised {type(error).__name__}: {error}",
                "check the parameters in init_plan and return PlannerStatus("
                "PlannerStatusCode.FAILED | PlannerStatusCode.GOAL, 'what is wrong')",
            ) from error
        require(
            not status,
            f"{what} was solved",
            "check the parameters in init_plan",
        )
        require(
            status.description,
            f"for {what} it failed without a description",
            "PlannerStatus(code, 'what is wrong')",
        )


@check("repeatable", "The same problem and random seed give the same solution.")
def repeatable(subject: Subject) -> None:
    robot, first = _solved(subject)
    _, second = _plan(subject, _problem(robot))
    require(
        np.array_equal(_joint_values(robot, first), _joint_values(robot, second)),
        "two planners with the same random_seed found different ways",
        "use np.random.default_rng(parameters.random_seed), never np.random",
    )


@check("reusable", "init_plan may be called again for another problem.", "init_plan")
def reusable(subject: Subject) -> None:
    robot, _ = _solved(subject)
    planner: PlannerBase = subject.make()
    other = robot.dof_values + 0.05
    for goal in (None, other):
        parameters = _problem(robot, goal)
        trajectory: Any = subject.env.create("trajectory", "")
        require(planner.init_plan(robot, parameters), "a second init_plan failed")
        require(planner.plan_path(trajectory), "a second plan_path failed")
        values = _joint_values(robot, trajectory)
        require(
            np.allclose(values[-1], parameters.goal_configuration, atol=1e-6),
            f"it ends at {values[-1].tolist()}, not at the goal of this problem",
            "forget the tree of the last problem in init_plan",
        )
