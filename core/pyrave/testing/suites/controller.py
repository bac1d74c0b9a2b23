"""Checks of controllers."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave.bodies import Robot
from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import ControllerBase
from pyrave.testing.checks import NotApplicable, Violation, check, require
from pyrave.testing.scene import failures, kit_arm
from pyrave.testing.subject import Subject
from pyrave.trajectories import ConfigurationSpecification

_DT = 0.01


def _bound(
    subject: Subject, indices: Sequence[int] | None = None
) -> tuple[Robot, ControllerBase]:
    robot = kit_arm(subject.env)
    controller: ControllerBase = subject.ready()
    robot.set_controller(controller, indices)
    return robot, controller


def _steps(subject: Subject, count: int) -> None:
    for _ in range(count):
        subject.env.step(_DT)
    failed = failures(subject.env)
    require(
        not failed,
        f"its simulation step raised: {failed and failed[-1]}",
        "simulation_step must not raise; finish the command instead",
    )


@check("unbound", "Before init a controller has no robot and nothing to do.", "init")
def unbound(subject: Subject) -> None:
    controller: ControllerBase = subject.make()
    robot = controller.get_robot()
    require(robot is None, f"get_robot() returned {robot!r} before init")
    require(
        tuple(controller.get_control_dof_indices()) == (),
        "get_control_dof_indices() is not empty before init",
    )
    require(controller.is_control_transformation() is False, "it drives a base already")


@check(
    "takes-over",
    "After init(robot, indices, flag) it tells exactly these back, and is done.",
    "init",
)
def takes_over(subject: Subject) -> None:
    robot = kit_arm(subject.env)
    controller: ControllerBase = subject.make()
    wanted = tuple(reversed(range(robot.dof)))[:2]
    controller.init(robot, wanted, control_transform=False)
    require(controller.get_robot() is robot, "get_robot() is not the robot given")
    seen = controller.get_control_dof_indices()
    require(
        isinstance(seen, np.ndarray)
        and seen.dtype.kind == "i"
        and tuple(seen.tolist()) == wanted,
        f"init got the indices {wanted}, get_control_dof_indices() returned {seen!r}",
        "keep pyrave.spatial.as_indices(dof_indices, 'dof_indices'), in their order",
    )
    require(
        controller.is_control_transformation() is False,
        "is_control_transformation() is not the False given to init",
    )
    require(
        controller.is_done() is True,
        f"is_done() is {controller.is_done()!r} without any command",
        "return True when there is nothing to do",
    )
    controller.init(robot, range(robot.dof), control_transform=False)
    require(
        tuple(controller.get_control_dof_indices()) == tuple(range(robot.dof)),
        "a second init did not replace the first",
    )


@check("idle", "Without a command the robot stays exactly where it is.")
def idle(subject: Subject) -> None:
    robot, _ = _bound(subject)
    robot.dof_values = _inside(robot, 0.3)
    before, pose = robot.dof_values, robot.transform
    _steps(subject, 20)
    require(
        np.array_equal(before, robot.dof_values)
        and np.array_equal(pose, robot.transform),
        f"it moved the robot from {before.tolist()} to {robot.dof_values.tolist()}",
        "return from simulation_step at once when there is no command",
    )


def _inside(robot: Robot, fraction: float) -> Any:
    lower, upper = (np.clip(bound, -3.0, 3.0) for bound in robot.dof_limits)
    return lower + fraction * (upper - lower)


@check(
    "keeps-to-its-dofs",
    "A controller moves only the degrees of freedom given to init, and within limits.",
    "simulation_step",
)
def keeps_to_its_dofs(subject: Subject) -> None:
    robot, controller = _bound(subject, [0])
    lower, upper = robot.dof_limits
    start, pose = robot.dof_values, robot.transform
    for goal in (0.2, 1e3, -1e3):
        try:
            controller.set_desired([goal])
        except Error:
            continue  # a controller may refuse what is outside of the limits
        for _ in range(50):
            _steps(subject, 1)
            now = robot.dof_values
            require(
                np.array_equal(now[1:], start[1:])
                and np.array_equal(pose, robot.transform),
                f"given DOF 0 alone, it moved the robot from {start.tolist()} to "
                f"{now.tolist()}",
                "robot.set_dof_values(values, self.get_control_dof_indices())",
            )
            require(
                bool((now >= lower - 1e-9).all() and (now <= upper + 1e-9).all()),
                f"the values {now.tolist()} are outside of the limits",
                "robot.set_dof_values(values, indices, LimitCheck.CLAMP)",
            )


@check(
    "answers",
    "set_desired takes one value per index and returns a bool; is_done a bool.",
    "set_desired",
)
def answers(subject: Subject) -> None:
    robot, controller = _bound(subject)
    answer = controller.set_desired(_inside(robot, 0.6))
    require(
        isinstance(answer, bool),
        f"set_desired returned {answer!r}",
        "return True when the goal is accepted, False when it is refused",
    )
    for _ in range(10):
        _steps(subject, 1)
        done = controller.is_done()
        require(isinstance(done, bool), f"is_done() returned {done!r}")


@check(
    "refuses-nonsense",
    "Goals of wrong size or not finite are refused: False or a pyrave error, and the "
    "robot does not move.",
    "set_desired",
)
def refuses_nonsense(subject: Subject) -> None:
    robot, controller = _bound(subject)
    before = robot.dof_values
    n = robot.dof
    for bad in (np.zeros(n + 1), np.zeros(max(n - 1, 0)), np.full(n, np.nan)):
        try:
            answer = controller.set_desired(bad)
        except Error:
            answer = False
        require(
            answer is False,
            f"set_desired({bad.tolist()}) with {n} DOFs returned {answer!r}",
            "check it with pyrave.spatial.as_vector(values, n, 'values')",
        )
        _steps(subject, 3)
        require(
            np.array_equal(before, robot.dof_values),
            f"the refused goal {bad.tolist()} moved the robot to "
            f"{robot.dof_values.tolist()}",
            "check the goal before you keep any of it",
        )


@check(
    "reset",
    "reset() drops all commands: it is done and the robot stays where it is.",
    "reset",
)
def reset(subject: Subject) -> None:
    robot, controller = _bound(subject)
    controller.set_desired(_inside(robot, 0.7))
    _steps(subject, 2)
    before = robot.dof_values
    controller.reset()
    require(np.array_equal(before, robot.dof_values), "reset() itself moved the robot")
    require(controller.is_done() is True, "is_done() is not True after reset()")
    _steps(subject, 10)
    require(
        np.array_equal(before, robot.dof_values),
        "the robot went on moving after reset()",
        "forget goal, path and velocities in reset()",
    )


@check(
    "follows-a-path",
    "set_path returns a bool; an accepted path ends: is_done becomes True, and None "
    "stops it.",
    "set_path",
)
def follows_a_path(subject: Subject) -> None:
    robot, controller = _bound(subject)
    trajectory = _trajectory(subject, robot)
    answer = controller.set_path(trajectory)
    require(isinstance(answer, bool), f"set_path returned {answer!r}")
    if not answer:
        raise NotApplicable("it refuses a path of joint values")
    lower, upper = robot.dof_limits
    for _ in range(2000):
        _steps(subject, 1)
        now = robot.dof_values
        require(
            bool((now >= lower - 1e-9).all() and (now <= upper + 1e-9).all()),
            f"the values {now.tolist()} are outside of the limits",
        )
        if controller.is_done():
            break
    else:
        raise Violation(
            "a path of 0.5 s is not done after 20 s of simulated time",
            "is_done returns True when the end of the path is reached",
        )
    controller.set_path(_trajectory(subject, robot))
    _steps(subject, 2)
    controller.set_path(None)
    require(
        controller.is_done() is True,
        "set_path(None) did not end the path",
        "treat None as reset()",
    )


def _trajectory(subject: Subject, robot: Robot) -> Any:
    names = " ".join(map(str, range(robot.dof)))
    spec = ConfigurationSpecification().add_group(
        f"joint_values {robot.name} {names}", robot.dof, "linear"
    )
    spec = spec.add_delta_time_group()
    trajectory: Any = subject.env.create("trajectory", "")
    trajectory.init(spec)
    here = robot.dof_values
    there = here + 0.2 * (_inside(robot, 0.6) - here)
    rows = np.zeros((2, spec.dof))
    for row, (values, dt) in zip(rows, ((here, 0.0), (there, 0.5)), strict=True):
        spec.insert_joint_values(row, values, robot, list(range(robot.dof)))
        spec.insert_delta_time(row, dt)
    trajectory.insert(0, rows)
    return trajectory


@check(
    "reports",
    "get_time, get_velocity and get_torque return numbers of the right shape, or "
    "raise NotSupportedError.",
    "get_velocity",
)
def reports(subject: Subject) -> None:
    robot, controller = _bound(subject)
    n = robot.dof
    for name, shape in (("get_time", ()), ("get_velocity", (n,)), ("get_torque", (n,))):
        try:
            value = np.asarray(getattr(controller, name)())
        except NotSupportedError:
            continue
        require(
            value.shape == shape and value.dtype.kind in "fi",
            f"{name}() returned {value!r}, expected shape {shape}",
        )
