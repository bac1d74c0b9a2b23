"""The controllers of a scene, made and given to their robots."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave import interfaces
from pyrave.bodies.kinds import is_robot
from pyrave.environment.failures import problem_at
from pyrave.errors import Error

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.environment.environment import Environment
    from pyrave.errors import Problem
    from pyrave.scene import ControllerDescription

_ARGUMENTS = {"pd": ("kp", "kd"), "spring": ("elasticity", "damping", "offset")}


def drive_robots(
    env: Environment, controllers: Iterable[ControllerDescription]
) -> list[Problem]:
    """Give robots that have no controller yet those of a scene.

    Of several that have joints in common the first one acts; others share the robot in
    a controller of several.

    Returns
    -------
    list of Problem
        A warning for each controller that cannot be.
    """
    problems: list[Problem] = []
    by_robot: dict[Robot, list[tuple[ControllerDescription, list[int]]]] = {}
    for one in controllers:
        robot = env.bodies[one.body]
        if not is_robot(robot) or robot.own_controller is not None:
            continue
        known = by_robot.setdefault(robot, [])
        dofs, taken = _dofs(robot, one), {i for _, own in known for i in own}
        if dofs and taken.isdisjoint(dofs):
            known.append((one, dofs))
    for robot, parts in by_robot.items():
        try:
            _drive(env, robot, parts)
        except Error as error:
            robot.restore_controller(None)
            names = ", ".join(repr(one.name) for one, _ in parts)
            message = f"the controllers {names} of {robot.name!r} do not act: {error}"
            where = parts[0][0].location
            problems.append(problem_at(where, message, code="simulation-conflict"))
    return problems


def _drive(
    env: Environment, robot: Robot, parts: list[tuple[ControllerDescription, list[int]]]
) -> None:
    if not parts:
        return
    made = []
    chosen = partial(env.registry.default_id, "controller")
    for one, dofs in parts:
        controller = env.create("controller", chosen(one.kind), **_settings(one))
        assert isinstance(controller, interfaces.ControllerBase)  # noqa: S101 - registry checks
        controller.scene_name = one.name
        made.append((controller, dofs))
    if len(made) == 1:
        robot.set_controller(*made[0])
    else:
        multi: Any = robot.set_controller(chosen("several"))
        for controller, dofs in made:
            multi.attach_controller(controller, dofs)
    own = robot.own_controller
    if own is not None:
        own.described = False  # the scene has it already


def _dofs(robot: Robot, one: ControllerDescription) -> list[int]:
    names = one.joints or [joint.name for joint in robot.joints]
    joints = [robot.all_joints[robot.model.joint_number(name)] for name in names]
    return [
        joint.dof_index + k
        for joint in joints
        if joint.dof_index >= 0
        for k in range(joint.dof)
    ]


def _settings(one: ControllerDescription) -> dict[str, Any]:
    """Return the settings of a controller."""
    columns = zip(*one.gains, strict=True)
    names = _ARGUMENTS.get(one.kind, ())
    found: dict[str, Any] = dict(zip(names, columns, strict=False))
    if one.time_step and one.kind != "spring":
        found["period"] = one.time_step
    return found
