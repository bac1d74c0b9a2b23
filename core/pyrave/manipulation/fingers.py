"""Closing and opening of grippers, as far as fingers can go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError
from pyrave.grasping.hands import TOUCH, closing_rates, hand_links
from pyrave.interfaces.collision.touching_links import TOUCHING, as_touching
from pyrave.interfaces.trajectory import MotionResult
from pyrave.manipulation.closing_motion import ClosingMotion, near_pairs
from pyrave.planning import retime
from pyrave.spatial import as_number
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces import CollisionPair, TrajectoryBase
    from pyrave.spatial import Array

_NEAR = 1e-4
"""Metres at which other links of the hand count as touching at the end, too."""
_SAME = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class FingerStop:
    """End of one joint of a gripper, and what stops it there.

    Parameters
    ----------
    name
        Of the degree of freedom.
    value
        Radians or metres.
    met
        What touches, with the contact, whose normal leads out of the finger; None: the
        joint is at its limit, or does not move.
    """

    name: str
    value: float
    met: CollisionPair | None = None

    def __repr__(self) -> str:
        return f"<FingerStop {self}>"

    def __str__(self) -> str:
        text = f"{self.name!r} at {self.value:.6g}"
        if self.met is None:
            return text
        return f"{text}: {self.met.first} x {self.met.second}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FingerMotion(MotionResult):
    """A motion of a gripper's joints until they touch; true if there is one.

    `Robot.execute` takes it.

    Parameters
    ----------
    stops
        One for each of `Manipulator.gripper_indices`, in this order.
    contacts
        What is nearest to each link of the hand at the end, as near as 0.1 mm, first
        the link of the hand.
    cause
        Why nothing moves: what is in the way at the start. Empty if there is a motion.
    timed
        The motion in time, from rest to rest; None without one. `trajectory` is it, and
        raises in place of None.
    """

    _lack: ClassVar[str] = "the fingers do not move"
    stops: tuple[FingerStop, ...]
    contacts: tuple[CollisionPair, ...] = ()
    cause: str = ""
    timed: TrajectoryBase | None = None

    @property
    def values(self) -> Array:
        """(n_gripper,) values at the end, for `Manipulator.gripper_dof_values`."""
        return np.array([stop.value for stop in self.stops])

    @property
    def bodies(self) -> tuple[KinBody, ...]:
        """The bodies that the hand touches at the end, each once."""
        found = (pair.second.body for pair in self.contacts)
        return tuple(dict.fromkeys(body for body in found if body is not None))

    def __repr__(self) -> str:
        return f"<FingerMotion: {self}>"

    def __str__(self) -> str:
        return self.cause or ", ".join(map(str, self.stops))


def close(
    arm: Manipulator,
    *,
    direction: ArrayLike | None = None,
    tolerance: float = TOUCH,
    touching: float = TOUCHING,
) -> FingerMotion:
    """Return the motion that closes a gripper until its fingers touch something.

    All joints go alike along the closing direction of the manipulator. One stops where
    a link that it moves touches something, or at its limit; joints further out in the
    finger go on. Nothing is jumped over, however thin: steps are as long as distances
    allow. The robot stays where it is; ``robot.execute(result)`` closes the gripper.

    Parameters
    ----------
    arm
        A manipulator with gripper joints.
    direction
        (n_gripper,) rates of the joints, signs close; None: `chucking_direction`.
    tolerance
        Metres: fingers end as near to what they meet, and never in it.
    touching
        Metres: links that are no deeper in something at the start may part from it,
        or slide.

    Returns
    -------
    FingerMotion
        For each joint the value at which it stops, and what it met.

    Raises
    ------
    ArgumentError
        It is no manipulator, has no gripper joints, no direction closes them, or one
        of them has no limit there.
    StateError
        The robot is in no environment.
    NotSupportedError
        The collision checker knows no distances, or joints follow others by formulas
        that are not linear.
    """
    return _moved(arm, direction, tolerance, touching, 1.0)


def open(  # noqa: A001 - the opposite of close
    arm: Manipulator,
    *,
    direction: ArrayLike | None = None,
    tolerance: float = TOUCH,
    touching: float = TOUCHING,
) -> FingerMotion:
    """Return the motion that opens a gripper as far as its fingers can go.

    Parameters
    ----------
    arm, tolerance, touching
        As for `close`.
    direction
        (n_gripper,) rates of the joints, signs close, too; None: `chucking_direction`.
    """
    return _moved(arm, direction, tolerance, touching, -1.0)


def _moved(
    arm: Manipulator,
    direction: ArrayLike | None,
    tolerance: float,
    touching: float,
    sign: float,
) -> FingerMotion:
    rates = sign * closing_rates(arm, direction, "direction")
    near = as_number(tolerance, "tolerance", 1e-9)
    depth = as_touching(touching) or 0.0
    robot, indices = arm.robot, arm.gripper_indices
    env = robot.env
    moving = [int(k) for k in indices[rates != 0.0]]
    speeds = rates[rates != 0.0]
    with env.lock(), robot.preserve_state(StateParts.TRANSFORMS):
        lower, upper = (bound[moving] for bound in robot.dof_limits)
        values = robot.dof_values[moving]
        spans = np.where(speeds > 0.0, upper - values, values - lower) / np.abs(speeds)
        for k in np.flatnonzero(np.isinf(spans))[:1]:
            raise ArgumentError(
                f"joint {robot.dof_names[moving[k]]!r} of {robot!r} has no limit in "
                "the direction in which it goes, and would go on for ever where "
                "nothing is met; robot.dof_limits = lower, upper sets one"
            )
        motion = ClosingMotion(
            robot, moving, speeds, np.maximum(spans, 0.0), near, depth
        )
        motion.run()
        ends = robot.dof_values[indices]
        names = [robot.dof_names[k] for k in indices]
        stops = tuple(
            FingerStop(name, float(value), motion.met_by(int(k)))
            for k, name, value in zip(indices, names, ends, strict=True)
        )
        if motion.blocked is not None:
            return FingerMotion(stops, cause=_blocked(motion.blocked, depth))
        contacts = near_pairs(hand_links(arm), max(_NEAR, near))
    corners = np.array(motion.corners)[:, moving]
    far = np.abs(np.diff(corners, axis=0)).max(axis=1) > _SAME
    corners = corners[np.concatenate(([True], far))]
    if len(corners) == 1:
        corners = np.vstack((corners, corners))
    return FingerMotion(stops, contacts, timed=retime(robot, corners, moving))


def _blocked(pair: CollisionPair, depth: float) -> str:
    (contact,) = pair.contacts
    return (
        f"{pair.first} x {pair.second} collide at the start, {contact.depth:.3g} m "
        f"deep, and no pair may be deeper than {depth:g} m there; open the gripper or "
        "move the hand away first"
    )
