"""Paths of goals, and the joint paths that follow them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.attributes import TellsNames
from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotSupportedError, StateError, shown
from pyrave.ik._algebra import interpolated
from pyrave.ik.parameterization import IkParameterization
from pyrave.spatial import as_pose, as_poses, rotation_vector

if TYPE_CHECKING:
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.spatial import Array


class IkPathEnd(enum.Enum):
    """Reason for the end of a joint path."""

    COMPLETE = "complete"
    """The last pose is reached."""
    NO_START = "no start"
    """No solution of the first pose was found."""
    JOINT_LIMIT = "joint limit"
    SINGULAR = "singular"
    """Joints would have to move too fast, or to jump."""
    OUT_OF_REACH = "out of reach"
    COLLISION = "collision"
    FILTER = "filter"
    """A custom filter of the solver refuses the configuration."""
    NOT_FOUND = "not found"
    """The solver finds no solution that continues the path, and gives no cause."""


@dataclass(frozen=True, eq=False, repr=False)
class IkPath(TellsNames):
    """Joint values along a path of goals; true if it reaches the last one.

    Parameters
    ----------
    values
        (m, n_arm) joint values of the first m goals, m may be 0. Circular joints count
        on without wrapping.
    n_targets
        How many goals there were.
    status
        Why the path ends, for programs.
    cause
        Why it ends early, in words, with the number of the goal, counted from 0, and
        with what was tried. Empty if it is complete.
    end
        Where it ends: number of the last goal that is reached, and the fraction of the
        way to the next one. -1 if the first goal is not reached.
    arm
        Whose joints they are, if it is known; it is not pickled.
    """

    values: Array
    n_targets: int
    status: IkPathEnd
    cause: str = ""
    end: float = -1.0
    arm: Manipulator | None = None

    def __post_init__(self) -> None:
        if not self and not self.cause:
            object.__setattr__(self, "cause", self.status.value)

    def __bool__(self) -> bool:
        return self.status is IkPathEnd.COMPLETE

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        if self:
            step = f"joints move by {self.largest_step:.3g} at most"
            return f"<IkPath: {counted(len(self), 'goal')}, {step}>"
        goals = f"{len(self)} of {counted(self.n_targets, 'goal')}"
        return f"<IkPath: ends after {goals}: {self.cause}>"

    def _repr_html_(self) -> str:
        from pyrave.ik.path_html import path_card

        return path_card(self)

    @property
    def trajectory(self) -> TrajectoryBase:
        """The path in time, as fast as the joints' limits allow.

        It is made when it is first asked for; `planning.retime` has options.

        Raises
        ------
        StateError
            The path ends early; says why, as `cause` does.
        ArgumentError
            It is not known whose joints move, or these have no limits of velocity or
            acceleration.
        """
        if not self:
            raise StateError(f"the joint path ends early: {self.cause}")
        return self._timed

    @cached_property
    def _timed(self) -> TrajectoryBase:
        if self.arm is None:
            raise ArgumentError(
                "it is not known whose joints the path moves; planning.retime(arm, "
                "path) makes a trajectory of it"
            )
        return self.arm.robot.env.retime(self.arm, self)

    def __getstate__(self) -> dict[str, Any]:
        names = ("values", "n_targets", "status", "cause", "end")
        return {name: getattr(self, name) for name in names} | {"arm": None}

    @property
    def largest_step(self) -> float:
        """Farthest that a joint moves from one goal to the next, radians or metres."""
        return float(np.abs(np.diff(self.values, axis=0)).max(initial=0.0))


def as_targets(targets: Any) -> Array | tuple[IkParameterization, ...]:
    """Return a path of goals, checked: poses (n, 4, 4), or goals of one kind.

    Parameters
    ----------
    targets
        (n, 4, 4) or (n, 7) T_world_tool, or a sequence of poses or goals.

    Raises
    ------
    ArgumentError
        There are no goals, goals of several kinds, or something that is not a pose.
    NotSupportedError
        They are velocities.
    """
    if isinstance(targets, IkParameterization):
        raise ArgumentError(
            f"a path is one {targets.type.name}, expected a sequence of goals"
        )
    several = isinstance(targets, Sequence)
    if several and any(isinstance(one, IkParameterization) for one in targets):
        kind = getattr(targets[0], "type", None)
        for number, one in enumerate(targets):
            if not isinstance(one, IkParameterization) or one.type is not kind:
                found = getattr(getattr(one, "type", None), "name", shown(one))
                wanted = getattr(kind, "name", shown(targets[0]))
                raise ArgumentError(
                    f"goal {number} of a path is {found}, goal 0 is {wanted}; expected "
                    "goals of one kind"
                )
        if targets[0].type.is_velocity:
            raise NotSupportedError(
                f"a path of {targets[0].type.name} cannot be followed: expected poses "
                "or goals of positions"
            )
        return tuple(targets)
    if several and len(targets):
        targets = np.array([as_pose(one, f"pose {i}") for i, one in enumerate(targets)])
    if not np.size(targets):
        raise ArgumentError("a path has no poses, expected one at least")
    return as_poses(targets, "poses")


def goal_between(
    first: IkParameterization, last: IkParameterization, fraction: float
) -> IkParameterization:
    """Return the goal at a fraction 0..1 of the way between two goals of one kind.

    Positions and angles change at constant rates, the orientation of a pose turns at a
    constant angular velocity, and directions turn in the plane of the two.
    """
    values = interpolated(first.type.name, first.array, last.array, fraction)
    return IkParameterization(first.type, tuple(values.tolist()))


def straight_targets(
    first: IkParameterization | Array, last: IkParameterization | Array, steps: int
) -> Array | tuple[IkParameterization, ...]:
    """Return steps + 1 goals in even steps between two; see `goal_between`.

    Parameters
    ----------
    first, last
        Two goals of one kind, or two poses (4, 4).
    """
    parts = np.arange(steps + 1) / steps
    if isinstance(first, IkParameterization) and isinstance(last, IkParameterization):
        inner = [goal_between(first, last, part) for part in parts[1:-1].tolist()]
        return (first, *inner, last)
    end = np.asarray(last)
    poses = poses_between(np.asarray(first), end, parts)
    poses[-1] = end
    return poses


def poses_between(first: Array, last: Array, parts: Array) -> Array:
    """Return poses (k, 4, 4) at parts (k,) of a straight line with an even turn."""
    poses = np.tile(first, (len(parts), 1, 1))
    turn = rotation_vector(last[:3, :3] @ first[:3, :3].T)
    poses[:, :3, :3] = _turned(turn, parts) @ first[:3, :3]
    poses[:, :3, 3] += parts[:, None] * (last[:3, 3] - first[:3, 3])
    return poses


def _turned(vector: Array, parts: Array) -> Array:
    """Return the rotations (k, 3, 3) about a rotation vector by parts (k,) of it."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / angle if angle else vector
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    turns = (parts * angle)[:, None, None]
    turned = np.sin(turns) * cross + (1.0 - np.cos(turns)) * (cross @ cross)
    return np.asarray(np.eye(3) + turned)
