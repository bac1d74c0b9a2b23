"""Causes of planning failures: codes for programs, sentences for people."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import CollisionPair, PlannerStatusCode
from pyrave.texts import degrees_hint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

_MAX_PAIRS = 4
_MAX_REASONS = 3


class PlanFailureCode(enum.Enum):
    """Causes of planning failures, by kind."""

    START_LIMITS = "start beyond limits"
    START_COLLISION = "start in collision"
    START_LOOPS = "start opens a loop"
    """Passive joints cannot keep the robot's loops closed there."""
    START_CONSTRAINT = "start off constraint"
    GOAL_LIMITS = "goal beyond limits"
    GOAL_COLLISION = "goal in collision"
    GOAL_LOOPS = "goal opens a loop"
    GOAL_CONSTRAINT = "goal off constraint"
    GOAL_OUT_OF_REACH = "goal out of reach"
    GOAL_REFUSED = "goal refused"
    """A custom filter of the IK solver refuses every solution."""
    GOAL_NOT_MET = "goal not met"
    """No configuration was found that meets a goal function."""
    NO_PATH = "no path found"
    """The search ended, by time or iterations, without a path."""
    INTERRUPTED = "interrupted"
    PLANNER_REFUSED = "planner refused"
    """The planner cannot work on the problem, for a reason of its own."""
    NOT_VERIFIED = "not verified"
    """There is a path, but no trajectory along it passes verification."""

    @property
    def status(self) -> PlannerStatusCode:
        """OpenRAVE's bits of the cause."""
        return _STATUS[self]


_GOAL, _START = PlannerStatusCode.GOAL, PlannerStatusCode.INITIAL
_STATUS = {
    PlanFailureCode.START_LIMITS: _START | PlannerStatusCode.KINEMATICS,
    PlanFailureCode.START_COLLISION: _START,
    PlanFailureCode.START_LOOPS: _START | PlannerStatusCode.KINEMATICS,
    PlanFailureCode.START_CONSTRAINT: _START | PlannerStatusCode.CUSTOM_FILTER,
    PlanFailureCode.GOAL_LIMITS: _GOAL | PlannerStatusCode.KINEMATICS,
    PlanFailureCode.GOAL_COLLISION: _GOAL,
    PlanFailureCode.GOAL_LOOPS: _GOAL | PlannerStatusCode.KINEMATICS,
    PlanFailureCode.GOAL_CONSTRAINT: _GOAL | PlannerStatusCode.CUSTOM_FILTER,
    PlanFailureCode.GOAL_OUT_OF_REACH: _GOAL | PlannerStatusCode.IK,
    PlanFailureCode.GOAL_REFUSED: _GOAL
    | PlannerStatusCode.IK
    | PlannerStatusCode.CUSTOM_FILTER,
    PlanFailureCode.GOAL_NOT_MET: _GOAL,
    PlanFailureCode.NO_PATH: PlannerStatusCode.FAILED,
    PlanFailureCode.INTERRUPTED: PlannerStatusCode.INTERRUPTED,
    PlanFailureCode.PLANNER_REFUSED: PlannerStatusCode.FAILED,
    PlanFailureCode.NOT_VERIFIED: PlannerStatusCode.FAILED,
}


@dataclass(frozen=True, slots=True)
class LimitExcess:
    """A value beyond its limits, radians or metres.

    Parameters
    ----------
    name
        Of the joint, or of the motion of the base.
    value
        What is beyond.
    lower
        Lower limit.
    upper
        Upper limit.
    slides
        True: metres, False: radians.
    """

    name: str
    value: float
    lower: float
    upper: float
    slides: bool = False
    """True if the numbers are metres, False if radians."""

    @property
    def amount(self) -> float:
        """Distance of the value beyond its limit."""
        return max(self.lower - self.value, self.value - self.upper)

    def __str__(self) -> str:
        above = self.value > self.upper
        limit, word = (self.upper, "above") if above else (self.lower, "below")
        return (
            f"{self.name!r} at {self.value:.4g} is {self.amount:.3g} {word} its limit "
            f"{limit:.4g}{'' if self.slides else degrees_hint(self.value)}"
        )


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle that motions of the search run into.

    Parameters
    ----------
    name
        A body, or two links of the robot.
    share
        Of all collisions that were met, 0..1.
    """

    name: str
    share: float

    def __str__(self) -> str:
        return f"{self.name} ({self.share:.0%})"


@dataclass(frozen=True, slots=True, repr=False)
class PlanFailure:
    """Cause of a planning failure; ``str(cause)`` is made for reading.

    Parameters
    ----------
    code
        For programs.
    text
        What is wrong, in words.
    hint
        What to try.
    pairs
        Links that collide at the start or the goal, with their contacts.
    limits
        Values beyond their limits.
    reasons
        What the IK solver says of each candidate, or the planner of its end.
    obstacles
        What blocks a search, most frequent first.
    """

    code: PlanFailureCode
    text: str
    hint: str = ""
    pairs: tuple[CollisionPair, ...] = ()
    limits: tuple[LimitExcess, ...] = ()
    reasons: tuple[str, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()

    def __repr__(self) -> str:
        return f"<PlanFailure {self.code.value}: {self.text}>"

    def __str__(self) -> str:
        return f"{self.text}\n{self.hint}" if self.hint else self.text

    @property
    def status(self) -> PlannerStatusCode:
        """OpenRAVE's bits, with those of what collides."""
        bits = self.code.status
        for pair in self.pairs:
            own = pair.first.body_id == pair.second.body_id
            bits |= (
                PlannerStatusCode.SELF_COLLISION
                if own
                else PlannerStatusCode.ENV_COLLISION
            )
        return bits


_TO_START = (
    "Set values within limits, for example robot.set_joints(...) or robot.dof_values; "
    "files may begin beyond them."
)


def limits_cause(
    space: PlanningSpace, row: Array, code: PlanFailureCode, what: str
) -> PlanFailure | None:
    """Return the cause if a configuration (n,) is beyond limits, else None."""
    beyond = space.beyond(row)
    if not beyond.any():
        return None
    joints, slides = space.indices, space.robot.model.prismatic
    excesses = tuple(
        LimitExcess(
            space.names[k],
            float(row[k]),
            float(space.lower[k]),
            float(space.upper[k]),
            slides=k >= len(joints) or bool(slides[joints[k]]),
        )
        for k in np.flatnonzero(beyond).tolist()
    )
    return PlanFailure(
        code,
        f"{what} is beyond limits: {'; '.join(map(str, excesses))}",
        _TO_START if code is PlanFailureCode.START_LIMITS else "",
        limits=excesses,
    )


def collision_cause(
    space: PlanningSpace, row: Array, code: PlanFailureCode, what: str
) -> PlanFailure:
    """Return the cause for a configuration (n,) that collides, or opens a loop."""
    if not space.placed(row):
        at_start = code is PlanFailureCode.START_COLLISION
        return PlanFailure(
            PlanFailureCode.START_LOOPS if at_start else PlanFailureCode.GOAL_LOOPS,
            f"{what} is where the loops of {space.robot!r} do not close",
            "Passive joints move on from where they are; another assembly of the "
            "mechanism, or other values, may close them.",
        )
    pairs = tuple(space.report(row).pairs)
    said = listed(map(str, pairs), _MAX_PAIRS, "; ") or "the checker names no links"
    hint = ""
    if code is PlanFailureCode.START_COLLISION:
        hint = (
            "Move the robot or what it touches apart before planning; bodies that may "
            "touch are excepted with env.ignore_collisions."
        )
    return PlanFailure(code, f"{what} collides: {said}", hint, pairs=pairs)


def listed(texts: Iterable[str], most: int, separator: str = ", ") -> str:
    """Return texts in a row, and how many more there are."""
    every = list(texts)
    shown = separator.join(every[:most])
    left = len(every) - most
    return f"{shown}{separator}and {left} more" if left > 0 else shown


def ik_cause(what: str, reasons: tuple[str, ...], code: PlanFailureCode) -> PlanFailure:
    """Return the cause for a goal that has no IK solution."""
    said = listed(reasons, _MAX_REASONS, "; ") or "the solver gives no reason"
    hint = {
        PlanFailureCode.GOAL_OUT_OF_REACH: "Move the goal or the robot's base nearer; "
        "arm.find_ik(goal, nearest=True) says how near the arm comes.",
        PlanFailureCode.GOAL_LIMITS: "Other orientations of the goal may be within the "
        "joint limits.",
        PlanFailureCode.GOAL_REFUSED: "The filters registered with the IK solver "
        "decide.",
    }[code]
    return PlanFailure(
        code, f"{what} has no IK solution: {said}", hint, reasons=reasons
    )
