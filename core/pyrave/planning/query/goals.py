"""Goals of plans as users give them, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, NotFoundError, shown
from pyrave.ik import IkParameterization
from pyrave.spatial import as_numbers, as_pose

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

GoalFunction = Callable[["Array"], Any]
_POSE = 7
"""Numbers of a pose qw qx qy qz x y z."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """One goal as it was given: values, targets of one tool or more, or a function."""

    what: str
    goal: (
        Array
        | IkParameterization
        | Mapping[Manipulator, IkParameterization]
        | GoalFunction
    )


def arms_of_goal(goal: Any, robot: Robot) -> list[Manipulator]:
    """Return the arms of a robot that a goal gives targets to, by arm or its name.

    Raises
    ------
    ArgumentError
        An arm is of another robot, or two of them share joints or carry each other.
    """
    goals = goal if isinstance(goal, (list, tuple)) else [goal]
    found: list[Manipulator] = []
    for one in goals:
        if isinstance(one, Mapping):
            arms = [_as_arm(key, robot) for key in one]
            found += [arm for arm in arms if arm is not None and arm not in found]
    for k, arm in enumerate(found):
        for other in found[:k]:
            shared = np.intersect1d(arm.arm_indices, other.arm_indices)
            if len(shared):
                names = ", ".join(repr(robot.dof_names[i]) for i in shared)
                raise ArgumentError(
                    f"{arm!r} and {other!r} share {names}: they have no two goals; "
                    "give joint values, or a goal of one of them"
                )
            for one, base in ((arm, other.base.index), (other, arm.base.index)):
                if robot.model.dof_affects[one.arm_indices, base].any():
                    raise ArgumentError(
                        f"{one!r} carries the other of {arm!r} and {other!r}; give "
                        "joint values, or a goal of one of them"
                    )
    return found


def _as_arm(key: Any, robot: Robot) -> Manipulator | None:
    """Return the arm that a key of a mapping means, None if it is no arm."""
    if isinstance(key, str) and key not in robot.dof_names:
        return next((arm for arm in robot.manipulators if arm.name == key), None)
    if isinstance(key, Manipulator) and key.robot is not robot:
        raise ArgumentError(f"{key!r} is no manipulator of {robot!r}")
    return key if isinstance(key, Manipulator) else None


def read_goals(goal: Any, space: PlanningSpace) -> list[Wanted]:
    """Return the goals that a user gave, checked.

    Raises
    ------
    ArgumentError
        There is none, a wrong number of values, values that are not finite, or
        something that is no goal.
    """
    several = isinstance(goal, (list, tuple)) and not _is_numbers(goal)
    entries = list(goal) if several else _rows(goal, space)
    if not len(entries):
        raise ArgumentError("the goal is empty, expected one goal at least")
    count = len(entries)
    return [
        _wanted(one, space, "the goal" if count == 1 else f"goal {k} of {count}")
        for k, one in enumerate(entries)
    ]


def _rows(goal: Any, space: PlanningSpace) -> list[Any]:
    """Return the goals of an array of several: rows of values, or poses."""
    if callable(goal) or isinstance(goal, (IkParameterization, Mapping, str)):
        return [goal]
    array = _numbers(goal, space)
    if array.ndim == 3:
        return list(array)
    if array.ndim == 2 and not _is_pose(array, space):
        return list(array)
    return [array]


def _wanted(one: Any, space: PlanningSpace, what: str) -> Wanted:
    if isinstance(one, IkParameterization):
        return Wanted(f"{what} ({one.type.name})", one)
    if isinstance(one, Mapping):
        arms = [_as_arm(key, space.robot) for key in one]
        if any(arms):
            return Wanted(f"{what} (of {len(arms)} arms)", _targets(one, space, what))
        return Wanted(f"{what} (joint values)", _named_values(one, space))
    if isinstance(one, str) and space.robot.configurations:
        return Wanted(f"{what} ({one})", _configuration(one, space))
    if callable(one):
        return Wanted(f"{what} (a function)", one)
    array = _numbers(one, space, what)
    if array.shape == (4, 4):
        pose = as_pose(array, what)
        place = " ".join(f"{x:.4g}" for x in pose[:3, 3])
        return Wanted(
            f"{what} (pose at {place})", IkParameterization.transform_6d(pose)
        )
    if array.shape == (_POSE,) and space.dof != _POSE:
        return _wanted(as_pose(array, what), space, what)
    if array.shape == (_POSE,):
        raise ArgumentError(
            f"{what} has 7 numbers, which may be joint values or a pose: write "
            f"plan(values=...) for values of {', '.join(space.names)}, or "
            "plan(pyrave.spatial.pose_from_wxyz_xyz(...)) for a pose of the tool, "
            "qw qx qy qz x y z"
        )
    return _values(array, one, space, what)


def _targets(
    given: Mapping[Any, Any], space: PlanningSpace, what: str
) -> dict[Manipulator, IkParameterization]:
    """Return the targets of tools that a mapping of arms has."""
    found = {}
    for key, target in given.items():
        arm = _as_arm(key, space.robot)
        if arm is None:
            names = [one.name for one in space.robot.manipulators]
            raise NotFoundError("manipulator", str(key), names)
        goal = target
        if not isinstance(target, IkParameterization):
            pose = as_pose(target, f"{what} of {arm.name!r}")
            goal = IkParameterization.transform_6d(pose)
        found[arm] = goal
    return found


def read_values(values: Any, space: PlanningSpace) -> list[Wanted]:
    """Return goals given as joint values, (n,) or (k, n) for several."""
    array = _numbers(values, space, "values")
    rows = [array] if array.ndim < 2 else list(array)
    if not rows:
        raise ArgumentError("values are empty, expected one row at least")
    names = [f"values {k} of {len(rows)}" for k in range(len(rows))]
    named = zip(names if len(rows) > 1 else ["values"], rows, strict=True)
    return [_values(row, values, space, what) for what, row in named]


def _values(array: Array, one: Any, space: PlanningSpace, what: str) -> Wanted:
    if array.shape != (space.dof,):
        raise _no_goal(one, space, what)
    if not np.isfinite(array).all():
        wrong = space.named(~np.isfinite(array))
        raise ArgumentError(f"{what} has {array} for {wrong}, expected finite numbers")
    return Wanted(f"{what} (joint values)", array)


def _numbers(goal: Any, space: PlanningSpace, what: str = "the goal") -> Array:
    try:
        return np.array(as_numbers(goal, what))
    except ArgumentError:
        raise _no_goal(goal, space, what) from None


def _named_values(values: Mapping[Any, Any], space: PlanningSpace) -> Array:
    """Return a configuration: where the robot is, but for named values."""
    row = space.values
    for name, value in values.items():
        if name not in space.names:
            raise NotFoundError("planned degree of freedom", name, space.names)
        if not (isinstance(value, Real) and isfinite(value)):
            raise ArgumentError(
                f"the goal of {name!r} is {shown(value)}, expected a finite number"
            )
        row[space.names.index(name)] = value
    return row


def _configuration(name: str, space: PlanningSpace) -> Array:
    """Return a named configuration; joints that are not planned for stay."""
    joints = space.robot.configurations[name]
    row = space.values
    found = space.robot.values_with(joints)[space.indices]
    given = [
        space.robot.structure.joint_of_dof(i).name in joints
        for i in space.indices.tolist()
    ]
    if not any(given):
        raise ArgumentError(
            f"the configuration {name!r} has no joint of these: "
            f"{', '.join(space.names)}"
        )
    row[: len(given)][given] = found[given]
    return row


def _is_numbers(items: Sequence[Any]) -> bool:
    """Return True if a sequence is one vector or matrix of numbers, not several."""
    if all(isinstance(one, Real) for one in items):
        return True
    rows = all(
        isinstance(one, (list, tuple)) and all(isinstance(x, Real) for x in one)
        for one in items
    )
    return rows and len(items) == 4 and all(len(one) == 4 for one in items)


def _is_pose(array: Array, space: PlanningSpace) -> bool:
    """Return True if an array is meant as a pose, and not as rows of four values."""
    if array.shape != (4, 4):
        return False
    return space.dof != 4 or bool((array[3] == (0.0, 0.0, 0.0, 1.0)).all())


def _no_goal(goal: Any, space: PlanningSpace, what: str = "the goal") -> ArgumentError:
    found = shown(goal)
    if isinstance(goal, np.ndarray) and goal.ndim:
        found = f"{goal.tolist()} ({' x '.join(map(str, goal.shape))} values)"
    return ArgumentError(
        f"{what} is {found}, expected {space.dof} values ({', '.join(space.names)}), "
        "a (4, 4) pose of the tool, an IkParameterization, a function of values, a "
        "mapping of names to values or of arms to poses, the name of a configuration, "
        "or a list of these"
    )
