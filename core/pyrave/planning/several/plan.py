"""One plan of several robots: each to its goal, in one trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, NotSupportedError, shown
from pyrave.interfaces import PlannerAction, PlannerBase, PlannerProgress
from pyrave.interfaces.collision.touching_links import TOUCHING, as_touching
from pyrave.planning.query.arguments import (
    as_jerks,
    as_limits,
    as_mover,
    as_planner,
    as_seed,
    as_start,
)
from pyrave.planning.query.causes import PlanFailure, PlanFailureCode, collision_cause
from pyrave.planning.query.constraints import PathConstraints
from pyrave.planning.query.goal_search import GoalSearch, nearest_combinations
from pyrave.planning.query.goals import read_goals, read_values
from pyrave.planning.query.options import TogetherPlanOptions
from pyrave.planning.query.path_timing import MotionScale
from pyrave.planning.query.plan import Planning, Progress
from pyrave.planning.query.space import LIMIT_TOLERANCE, PlanningSpace
from pyrave.planning.several.constraints import SeveralConstraints
from pyrave.planning.several.joined_robot import joined
from pyrave.planning.several.space import JoinedSpace, Part, in_a_row
from pyrave.spatial import as_number
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.planning.query.result import PlanResult
    from pyrave.spatial import Array

_MAX_GOALS = 24


def plan_together(
    goals: Mapping[Any, Any],
    *,
    values: Mapping[Any, ArrayLike] | None = None,
    planner: str | None = None,
    start: Mapping[Any, ArrayLike] | None = None,
    seed: int = 0,
    timeout: float = 5.0,
    constraints: Mapping[Any, Any] | Any = (),
    speed: float = 1.0,
    jerk_limits: ArrayLike | None = None,
    touching: float | None = TOUCHING,
    limit_tolerance: float = LIMIT_TOLERANCE,
    progress: Callable[[PlannerProgress], PlannerAction | None] | None = None,
    max_iterations: int | None = None,
    step_length: float | None = None,
    **settings: Any,
) -> PlanResult:
    """Return one verified motion of several robots, or the reason why there is none.

    They move at the same time, each to its goal, and touch neither each other nor
    anything else. A configuration has the values of all, one robot after the other in
    the order of `goals`; ``result.path`` has these, ``result.trajectory`` a group for
    each robot. `Environment.execute` follows it. The search sees the robots as one, in
    a copy of the environment, so it is as fast as for one robot of as many joints.

    Parameters
    ----------
    goals
        What `plan` takes as a goal, by robot or manipulator: a robot moves its active
        degrees of freedom, a manipulator the joints of its arm. A goal that is a
        function gets the values of that robot.
    values
        Joint values, by robots and manipulators that have no other goal: (n,), or
        (k, n) of which one is to be reached.
    planner
        An id, None for the default: they are planned for in a copy of their
        environment.
    start
        Where to start, by robot or manipulator; others start where they are.
    constraints
        What the whole path keeps, by robot or manipulator as `plan` takes it; or
        functions of the values of all.
    jerk_limits
        One number or one for each value, per second cubed.
    seed, timeout, speed, touching, limit_tolerance, progress
        As for `plan`.
    max_iterations, step_length, **settings
        As for `plan`.

    Raises
    ------
    ArgumentError
        A robot twice, robots of several environments, or what `plan` raises.
    NotSupportedError
        A base is to move, a robot is held by a body, or the environment has callbacks
        of collisions, or a body a filter of them.
    """
    began = perf_counter()
    seconds = as_number(timeout, "timeout", 1e-6)
    scale = as_number(speed, "speed", 1e-3, 1.0)
    seed = as_seed(seed)
    limits = as_limits(max_iterations, step_length)
    goals, values = _distinct(goals, values)
    movers = _movers({**goals, **values})
    env = movers[0].robot.env
    with ExitStack() as stack:
        stack.enter_context(env.lock())
        stack.enter_context(env.preserve_state(StateParts.PLANNED))
        stack.enter_context(env.collision_checker.moving_links())
        slack = as_number(limit_tolerance, "limit_tolerance", 0.0)
        parts = _parts(movers, slack)
        robot = joined([part.robot for part in parts])
        _choose(robot, parts)
        made = _planner(robot, planner, settings)
        stack.enter_context(robot.env.collision_checker.moving_links())
        space = JoinedSpace(robot, parts, slack)
        first = space.at_limits(_start(space, start, movers))
        space.placed(first)
        asked = Planning(
            space,
            made,
            SeveralConstraints(space, _by_part(constraints, movers), first),
            first,
            np.random.default_rng(seed),
            seed,
            began,
            seconds,
            MotionScale(scale, as_jerks(jerk_limits, space)),
            Progress(progress),
            limits,
            as_touching(touching),
        )
        readers = [*[read_goals] * len(goals), *[read_values] * len(values)]
        given = [*goals.values(), *values.values()]
        wanted = [
            read(goal, part.space)
            for part, read, goal in zip(parts, readers, given, strict=True)
        ]
        return asked.result(lambda: _goals(asked, space, wanted))


def _distinct(goals: Any, values: Any) -> tuple[Mapping[Any, Any], Mapping[Any, Any]]:
    """Return goals and values by robot, checked that no robot has both."""
    values = {} if values is None else values
    for name, given in (("goals", goals), ("values", values)):
        if not isinstance(given, Mapping):
            raise ArgumentError(
                f"{name} is {shown(given)}, expected a mapping of robots and "
                f"manipulators to their {name}"
            )
    both = [mover for mover in goals if mover in values]
    if both:
        raise ArgumentError(f"{both[0]!r} has a goal and values, expected one of them")
    return goals, values


@dataclass(frozen=True, slots=True, eq=False)
class _Moving:
    """A moving part: a robot, or the joints of its arm alone."""

    robot: Robot
    arm: Manipulator | None
    only_arm: bool


def _movers(goals: Any) -> list[_Moving]:
    """Return the moving robots and manipulators, checked."""
    if not goals:
        raise ArgumentError(
            f"goals is {shown(goals)}, expected a mapping of robots and manipulators "
            "to their goals"
        )
    movers: list[_Moving] = []
    for mover in goals:
        robot, arm = as_mover(mover, None, None)
        if any(robot is other.robot for other in movers):
            raise ArgumentError(
                f"{robot!r} has two goals; robot.set_active_dofs(...) chooses the "
                "joints of several arms, and the goal is one of the robot"
            )
        if movers and robot.env is not movers[0].robot.env:
            raise ArgumentError(
                f"{robot!r} and {movers[0].robot!r} are in two environments"
            )
        movers.append(_Moving(robot, arm, isinstance(mover, Manipulator)))
    return movers


def _parts(movers: list[_Moving], limit_tolerance: float) -> list[Part]:
    """Return the robots as parts, their active degrees of freedom chosen."""
    spaces = []
    for one in movers:
        robot = one.robot
        if one.only_arm and one.arm is not None:
            robot.set_active_dofs(one.arm.arm_indices)
        if robot.active.affine:
            raise NotSupportedError(
                f"the base of {robot!r} is active; several robots are planned for with "
                "joints alone, robot.plan moves the base of one"
            )
        spaces.append((PlanningSpace(robot, limit_tolerance), one.arm))
    return in_a_row(spaces)


def _choose(robot: Robot, parts: list[Part]) -> None:
    """Make the joints of the parts the active ones of the robot that has all."""
    names = robot.dof_names
    robot.set_active_dofs([
        names.index(f"{part.robot.name}/{name}")
        for part in parts
        for name in part.space.names
    ])  # fmt: skip


def _planner(robot: Robot, planner: Any, settings: Mapping[str, Any]) -> PlannerBase:
    if planner is not None and not isinstance(planner, str):
        raise ArgumentError(
            f"planner is {shown(planner)}, expected the id of a planner: several "
            "robots are planned for in a copy of their environment"
        )
    return as_planner(robot, planner, settings, TogetherPlanOptions.__annotations__)


def _by_part(given: Any, movers: list[_Moving]) -> Any:
    """Return values given by robot or manipulator by the index of the part."""
    if not isinstance(given, Mapping):
        return given
    robots = [one.robot for one in movers]
    found = {}
    for mover, value in given.items():
        robot, _ = as_mover(mover, None, None)
        index = next((k for k, one in enumerate(robots) if one is robot), -1)
        if index < 0:
            raise ArgumentError(
                f"{mover!r} has no goal; those that move are "
                + ", ".join(map(repr, robots))
            )
        found[index] = value
    return found


def _start(space: JoinedSpace, start: Any, movers: list[_Moving]) -> Array:
    given = {} if start is None else _by_part(start, movers)
    if not isinstance(given, dict):
        raise ArgumentError(
            f"start is {shown(start)}, expected a mapping of robots and manipulators "
            "to values"
        )
    first = space.values
    for index, values in given.items():
        part = space.parts[index]
        first[part.columns] = as_start(values, part.space)
    return first


def _goals(
    asked: Planning, space: JoinedSpace, wanted: list[Any]
) -> tuple[Array, PlanFailure | None]:
    """Return configurations of all that meet each goal, nearest first, or the cause."""
    found: list[Array] = []
    none = np.empty((0, space.dof))
    for k, (part, one) in enumerate(zip(space.parts, wanted, strict=True)):
        left = asked.goal_deadline - perf_counter()
        deadline = perf_counter() + left / (len(space.parts) - k)
        start = asked.start[part.columns]
        free = PathConstraints(part.space, part.arm, ())
        search = GoalSearch(part.space, part.arm, free, start, asked.rng, deadline)
        space.place(asked.start)
        with _without([other.robot for other in space.parts if other is not part]):
            rows, cause = search.configurations(one)
        if cause is not None:
            return none, replace(cause, text=f"{part.robot.name}: {cause.text}")
        found.append(rows)
    columns = [part.columns for part in space.parts]
    choices = zip(columns, found, strict=True)
    rows = nearest_combinations(space, asked.start, choices)
    free_rows = rows[~space.hits(rows)]
    if not len(free_rows):
        return none, collision_cause(
            space,
            rows[0],
            PlanFailureCode.GOAL_COLLISION,
            "the goals together: nearest",
        )
    met = [row for row in free_rows[:_MAX_GOALS] if asked.constraints.are_met(row)]
    if not met:
        text = asked.constraints.text(free_rows[0])
        return none, PlanFailure(
            PlanFailureCode.GOAL_CONSTRAINT, f"the goals are off a constraint: {text}"
        )
    return np.array(met), None


@contextmanager
def _without(robots: list[Robot]) -> Iterator[None]:
    """Compare nothing with robots, nor with what they hold, for a ``with`` block."""
    before = []
    for robot in robots:
        for body in robot.attached:
            before += [(link, link.enabled) for link in body.links]
            body.enabled = False
    try:
        yield
    finally:
        for link, enabled in before:
            link.enabled = enabled
