"""Checks of robots, beyond those of bodies."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.testing.checks import check, require
from pyrave.testing.subject import Subject
from pyrave.testing.suites.kinbody import initialised


def _robot(subject: Subject) -> Any:
    robot = initialised(subject)
    subject.env.add(robot)
    return robot


@check("manipulators", "Manipulators are those described; their tool follows.")
def manipulators(subject: Subject) -> None:
    robot = _robot(subject)
    require(len(robot.manipulators) > 0, "it has no manipulator", "call super().init()")
    arm = robot.active_manipulator
    before = arm.transform
    robot.dof_values = robot.dof_values + 0.1
    require(
        not np.allclose(before, arm.transform), "the tool does not move with the joints"
    )


@check("active-dofs", "Active degrees of freedom select what active values mean.")
def active_dofs(subject: Subject) -> None:
    robot = _robot(subject)
    robot.active_dof_indices = [1]
    robot.active_dof_values = [0.2]
    require(
        robot.active_dof == 1 and abs(robot.dof_values[1] - 0.2) < 1e-12,
        f"the joint values are {robot.dof_values.tolist()}",
    )


@check("controller", "It can be driven by the default controller.", "controller")
def controller(subject: Subject) -> None:
    robot = _robot(subject)
    goal = robot.dof_values + 0.1
    robot.controller.set_desired(goal)
    for _ in range(3):
        subject.env.step(0.01)
    require(
        np.allclose(robot.dof_values, goal),
        f"the ideal controller left it at {robot.dof_values.tolist()}",
        "leave controller, own_controller and set_controller to the base class",
    )


@check("sensors", "Attached sensors are those described.")
def sensors(subject: Subject) -> None:
    robot = _robot(subject)
    described = getattr(robot.describe(), "attached_sensors", ())
    require(
        len(robot.attached_sensors) == len(described),
        f"{len(robot.attached_sensors)} sensors, {len(described)} described",
    )
