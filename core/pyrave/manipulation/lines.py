"""Straight motions of a tool, as far as it can go."""

from __future__ import annotations

import math
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.grasping.hands import as_manipulator
from pyrave.ik.path import straight_targets
from pyrave.interfaces import CollisionOptions
from pyrave.interfaces.collision.touching_links import (
    TOUCHING,
    as_touching,
    touches_of_ends,
)
from pyrave.interfaces.trajectory import MotionResult
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning import retime, verification
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import as_direction, as_number
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array

_STEP = 0.005
"""Metres between goals along a line."""
_LONGEST, _FARTHEST = 2.0, 100.0
"""Metres of a line that are looked at at once, and of the whole line."""
_EXACT = 1e-6
"""Metres: how exact the place is where a line ends."""
_MAX_CUTS = 6
"""Times that a line is made shorter because it touches between its goals."""
_MAX_PAIRS = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LineMotion(MotionResult):
    """A straight motion of a tool; true if it is as long as it has to be.

    `Robot.execute` takes it.

    Parameters
    ----------
    distance
        Metres that the tool can go, also where that is too little.
    values
        (m, n_arm) joint values along the line up to there; m is 0 if it cannot begin.
    end
        What ends the line before the longest that was asked for, in words; empty if
        nothing does.
    cause
        Why there is no motion, in words; empty if there is one.
    timed
        The motion in time, from rest to rest; None without one. `trajectory` is it, and
        raises in place of None.
    """

    _lack: ClassVar[str] = "there is no straight motion"
    distance: float
    values: Array
    end: str = ""
    cause: str = ""
    timed: TrajectoryBase | None = None

    def __repr__(self) -> str:
        return f"<LineMotion: {self}>"

    def __str__(self) -> str:
        return self.cause or f"{self.distance:.6g} m{_behind(self.end)}"


def move_straight(
    arm: Manipulator,
    direction: ArrayLike,
    at_least: float = 0.0,
    at_most: float = 0.1,
    *,
    touching: float | None = TOUCHING,
) -> LineMotion:
    """Return the motion of a tool along a line, as far as nothing is in the way.

    The tool keeps its orientation. The line ends at the last place that is free, within
    reach and joint limits, exact to a micrometre, or after `at_most`. The robot stays
    where it is; ``robot.execute(result)`` moves it.

    Parameters
    ----------
    arm
        In an environment.
    direction
        (3,) in the world, of any length but 0.
    at_least, at_most
        Metres that the tool has to go, and may go.
    touching
        Metres: pairs of links that are no deeper in each other at the start may part,
        or slide, and what the robot holds may come to lie so deep at the end. None:
        whatever touches collides.

    Returns
    -------
    LineMotion
        False, with a cause, if the tool cannot go `at_least` so far.

    Raises
    ------
    ArgumentError
        No direction, distances that are negative or not in this order.
    StateError
        The robot is in no environment.
    """
    as_manipulator(arm)
    way = as_direction(direction, "direction")
    most = as_number(at_most, "at_most", 1e-6)
    least = as_number(at_least, "at_least", 0.0, most)
    depth = as_touching(touching)
    with arm.robot.env.lock():
        return straight(arm, arm.arm_dof_values, way, least, most, depth)


def straight(
    arm: Manipulator,
    start: Array,
    way: Array,
    least: float,
    most: float,
    touching: float | None,
    *,
    reverse: bool = False,
) -> LineMotion:
    """Return a straight motion from joint values (n_arm,); the robot stays.

    Parameters
    ----------
    way
        (3,) unit vector in the world.
    reverse
        Return the motion back to the start.
    """
    robot = arm.robot
    with ExitStack() as stack:
        stack.enter_context(robot.preserve_state(StateParts.TRANSFORMS))
        _place(arm, start)
        values, end = _reached(arm, start, way, most)
        if len(values) < 2:
            return LineMotion(0.0, values, end, _too_short(0.0, least, most, end))
        distance = _length(arm, values, way)
        touches = None
        if touching is not None:

            def place(row: Array) -> None:
                _place(arm, row)

            touches = touches_of_ends(robot, touching, place, values[0], values[-1:])
            _place(arm, start)
        for _ in range(_MAX_CUTS):
            with ExitStack() as allowed:
                if touches:
                    allowed.enter_context(robot.env.collision_checker.allowing(touches))
                values, hit = _free(arm, values)
            if hit:
                end = hit
                distance = _length(arm, values, way) if len(values) else 0.0
            if len(values) < 2 or distance < max(least - _EXACT, _EXACT):
                break
            rows = values[::-1] if reverse else values
            timed = retime(robot, rows, arm.arm_indices, path="spline")
            found = verification(robot, timed, touching=touching)
            if found:
                return LineMotion(distance, values, end, "", timed)
            end = found.cause
            moments = [one.time for one in found.violations]
            time = timed.duration - max(moments) if reverse else min(moments)
            values = _cut(arm, values, way, timed, time, reverse=reverse)
            distance = _length(arm, values, way) if len(values) else 0.0
    return LineMotion(distance, values, end, _too_short(distance, least, most, end))


def _reached(
    arm: Manipulator, start: Array, way: Array, most: float
) -> tuple[Array, str]:
    """Return joint values along a line as far as the arm reaches, and why it ends."""
    first, rows, done, end = arm.transform.copy(), start[None], 0.0, ""
    while done < most and not end:
        length = min(most - done, _LONGEST)
        values, end = _reached_part(arm, first, rows[-1], way, length)
        rows = np.vstack((rows[:-1], values)) if len(values) or not done else rows
        first[:3, 3] += length * way
        done += length
        if done >= _FARTHEST and done < most:
            end = f"lines are no longer than {_FARTHEST:g} m"
    return rows, end


def _reached_part(
    arm: Manipulator, first: Array, start: Array, way: Array, length: float
) -> tuple[Array, str]:
    """Return joint values (m, n) along a part of a line, and why it ends."""
    end = ""
    for _ in range(2):
        last = first.copy()
        last[:3, 3] += length * way
        steps = max(math.ceil(length / _STEP), 2)
        path = arm.follow(straight_targets(first, last, steps), q0=start)
        if path or path.end <= 0.0:
            break
        end = path.cause
        length *= path.end / steps * (1.0 - 1e-9)
        if length < _EXACT:
            break
    return path.values, end or path.cause


def _free(arm: Manipulator, values: Array) -> tuple[Array, str]:
    """Return the part of a path (m, n) that collides nowhere, and what ends it."""
    with checks_of(arm.robot, arm.arm_indices) as collide:
        hits = collide(values)
        if not hits.any():
            return values, ""
        first = int(np.argmax(hits))
        if first == 0:
            return values[:0], "the start collides: " + collision_text(arm, values[0])
        free = _last_free(collide, values[first - 1], values[first])
        found = "the way on collides: " + collision_text(arm, values[first])
        return np.vstack((values[:first], free)), found


def _last_free(
    collide: Callable[[Array], NDArray[np.bool_]], free: Array, blocked: Array
) -> Array:
    """Return the last free values between two neighbours of a path, by bisection."""
    low, high = 0.0, 1.0
    while (high - low) * _STEP > 0.5 * _EXACT:
        tried = np.linspace(low, high, 9)[1:-1]
        hits = collide(free + tried[:, None] * (blocked - free))
        first = int(np.argmax(hits)) if hits.any() else len(tried)
        if first < len(tried):
            high = float(tried[first])
        if first > 0:
            low = float(tried[first - 1])
    return np.asarray(free + low * (blocked - free))


def _cut(
    arm: Manipulator,
    values: Array,
    way: Array,
    timed: TrajectoryBase,
    time: float,
    *,
    reverse: bool,
) -> Array:
    """Return a path up to shortly before the place of its trajectory at a time."""
    spec = arm.arm_configuration_specification()
    moment = timed.duration - time if reverse else time
    (there,) = timed.sample_points([moment], spec)
    distance = _length(arm, np.vstack((values[:1], there)), way) - _EXACT
    along = arm.compute_transforms(values)[:, :3, 3] @ way
    along -= along[0]
    kept = values[along < distance]
    return kept[:-1] if len(kept) == len(values) else kept


def _length(arm: Manipulator, values: Array, way: Array) -> float:
    """Return the distance that the tool goes along a path, metres."""
    ends = arm.compute_transforms(values[[0, -1]])[:, :3, 3]
    return float((ends[1] - ends[0]) @ way)


def _place(arm: Manipulator, values: Array) -> None:
    arm.robot.set_dof_values(values, arm.arm_indices, limits=LimitCheck.NONE)


def collision_text(arm: Manipulator, values: Array) -> str:
    """Return a text on the collisions of the arm at joint values."""
    robot, checker = arm.robot, arm.robot.env.collision_checker
    options = checker.get_collision_options() | CollisionOptions.CONTACTS
    parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    with ExitStack() as stack:
        stack.enter_context(robot.preserve_state(parts))
        with suppress(NotSupportedError):  # then depths are not said
            stack.enter_context(checker.options(options))
        stack.enter_context(checker.moving_links())
        robot.set_active_dofs(arm.arm_indices)
        rows = arm.compute_configurations(values[None])
        (report,) = checker.check_configurations(robot, rows, report=True)
    pairs = "; ".join(str(pair) for pair in report.pairs[:_MAX_PAIRS])
    return pairs or "the checker names no links"


def _too_short(distance: float, least: float, most: float, end: str) -> str:
    wanted = f"at least {least:g} m" if least > 0.0 else f"up to {most:g} m"
    return f"the tool can go {distance:.6g} m of {wanted}{_behind(end)}"


def _behind(end: str) -> str:
    return f": {end}" if end else ""
