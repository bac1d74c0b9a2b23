"""Movers of a plan: robots and arms by name, one of them or several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.named_bodies import split_name
from pyrave.planning.query.plan import plan
from pyrave.planning.several.plan import plan_together

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.planning.query.result import PlanResult

_BY_MOVER = ("start", "constraints", "values")
"""Options that may be mappings of those that move."""


def plan_for(
    env: Environment, mover: Any, goal: Any, options: dict[str, Any]
) -> PlanResult:
    """Plan for one robot or arm, several arms of one robot, or several robots."""
    if mover is None and isinstance(options.get("values"), Mapping):
        mover = {}
    if not isinstance(mover, Mapping):
        return plan(named_mover(env, mover), goal, **options)
    if goal is not None:
        raise ArgumentError(
            f"goal is {shown(goal)} beside a mapping of robots to their goals"
        )
    for option in _BY_MOVER:
        if isinstance(options.get(option), Mapping):
            given = options[option].items()
            options[option] = {named_mover(env, one): value for one, value in given}
    goals = {named_mover(env, one): its for one, its in mover.items()}
    if len(goals) < len(mover):
        named = ", ".join(shown(one) for one in mover)
        raise ArgumentError(f"of {named} two are the same; expected one goal each")
    arms = [one for one in goals if isinstance(one, Manipulator)]
    if 1 < len(goals) == len(arms) and len({arm.robot for arm in arms}) == 1:
        for option in _BY_MOVER:
            if isinstance(options.get(option), Mapping):
                raise ArgumentError(
                    f"{option} is by arm, and all arms are of {arms[0].robot!r}: "
                    "expected one for the joints of all of them, arm by arm"
                )
        return plan(arms[0].robot, goals, **options)
    return plan_together(goals, **options)


def named_mover(env: Environment, given: Any) -> Any:
    """Return the robot ``"name"`` or the manipulator ``"name/arm"`` of a name."""
    if not isinstance(given, str):
        return given
    robot, arm = split_name(env.robots, given)
    if robot is None:
        return env.robots[given.partition("/")[0]]  # raises, with the nearest
    return robot if robot.name == given else robot.manipulators[arm]
