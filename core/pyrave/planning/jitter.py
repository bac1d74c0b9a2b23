"""Free configurations and poses near those that collide."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.planning.query.arguments import as_mover, as_seed, as_start
from pyrave.planning.query.causes import PlanFailureCode, collision_cause, listed
from pyrave.planning.query.constraints import PathConstraints
from pyrave.planning.query.space import PlanningSpace
from pyrave.records import Record
from pyrave.spatial import as_number, matrix_from_axis_angle
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array, IndicesLike

_AT_ONCE = 50
_MAX_PAIRS = 4
_HINT = "A larger jitter, or more tries, may find one."
_AROUND = 1e-5
"""Radians or metres around free values that are free, too."""


@dataclass(frozen=True, slots=True)
class FreeNearby(Record):
    """A free configuration or pose near another; true if there is one.

    Parameters
    ----------
    found
        Values (n,), or a pose (4, 4); None without any.
    cause
        Why there is none, and what to try; empty if there is one.
    """

    found: Array | None = None
    cause: str = ""

    def __bool__(self) -> bool:
        return self.found is not None


def free_values_near(
    mover: Robot | Manipulator,
    values: ArrayLike | None = None,
    *,
    dof_indices: IndicesLike | None = None,
    manipulator: Manipulator | str | None = None,
    jitter: float = 0.03,
    tries: int = 1000,
    seed: int = 0,
    constraints: Any = (),
) -> FreeNearby:
    """Return free values near given ones, within limits and constraints.

    Neither at the values nor a little around them does anything collide, so that
    rounding does not decide. Links that do not move may touch what they stand on. The
    robot stays where it is.

    Parameters
    ----------
    mover
        In an environment: a manipulator's arm, or the active degrees of freedom of a
        robot, base motions too.
    values
        (n,) values of what moves; those beyond limits count as at them. Where the robot
        is if left out.
    dof_indices
        Joints of a robot instead of its active degrees of freedom.
    manipulator
        Whose tool constraints are about; the active one of a robot.
    jitter
        Radians or metres by which each value may change; first tries change less.
    tries
        How many random configurations are looked at.
    seed
        Of what is random: the same seed gives the same result.
    constraints
        What is kept: functions of values that return True or False, or numbers that are
        0; `ToolDirection`, `TaskSpaceRegion` or another `Constraint`.

    Returns
    -------
    FreeNearby
        True with (n,) values, the given ones if these are free. Else its `cause` says
        what they run into.

    Raises
    ------
    ArgumentError
        Values of a wrong length or not finite, joints without limits, nothing to move,
        options without meaning.
    StateError
        The robot is in no environment.
    """
    robot, arm = as_mover(mover, manipulator, dof_indices)
    most = as_number(jitter, "jitter", 1e-9)
    count = int(as_number(tries, "tries", 1))
    rng = np.random.default_rng(as_seed(seed))
    with ExitStack() as stack:
        stack.enter_context(robot.env.lock())
        stack.enter_context(
            robot.preserve_state(StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS)
        )
        if isinstance(mover, Manipulator):
            robot.set_active_dofs(mover.arm_indices)
        elif dof_indices is not None:
            robot.set_active_dofs(dof_indices)
        space = PlanningSpace(robot)
        stack.enter_context(robot.env.collision_checker.moving_links())
        given = space.values if values is None else as_start(values, space, "values")
        near = _Neighbourhood(
            space, PathConstraints(space, arm, constraints), space.clipped(given), most
        )
        return near.first_free(rng, count)


@dataclass(frozen=True, slots=True)
class _Neighbourhood(Record):
    """Configurations at most so far from one, in each value."""

    space: PlanningSpace
    constraints: PathConstraints
    centre: Array
    most: float

    def first_free(self, rng: np.random.Generator, count: int) -> FreeNearby:
        around = np.vstack((np.eye(self.space.dof), -np.eye(self.space.dof))) * _AROUND
        for candidates in self._candidates(rng, count):
            for row in candidates[~self.space.hits(candidates)]:
                if not self.space.hits(self.space.clipped(row + around)).any():
                    return FreeNearby(row.copy())
        return FreeNearby(cause=self._cause(count))

    def _candidates(self, rng: np.random.Generator, count: int) -> Iterator[Array]:
        """Give configurations (k, n) that keep constraints, nearer ones first."""
        yield self._kept(self.centre[None])
        for done in range(0, count, _AT_ONCE):
            size = min(_AT_ONCE, count - done)
            reach = self.most * (done + np.arange(1, size + 1)) / count
            step = rng.uniform(-1.0, 1.0, (size, self.space.dof)) * reach[:, None]
            yield self._kept(self.space.clipped(self.centre + step))

    def _kept(self, rows: Array) -> Array:
        """Return configurations led to where constraints are met, if that is near."""
        if not self.constraints:
            return rows
        found = [self.constraints.projected(row) for row in rows]
        near = [
            row
            for row in found
            if row is not None
            and np.abs(self.space.difference(row, self.centre)).max() <= self.most
        ]
        return np.reshape(near, (-1, self.space.dof))

    def _cause(self, count: int) -> str:
        what = f"{self.space.robot.name!r} at {self.centre.round(4)}"
        if self.constraints and not self.constraints.are_met(self.centre):
            wrong = f"{what}: {self.constraints.text(self.centre)}"
        else:
            wrong = collision_cause(
                self.space, self.centre, PlanFailureCode.GOAL_COLLISION, what
            ).text
        kept = " and keeps the constraints" if self.constraints else ""
        return (
            f"{wrong}; none of {count} configurations whose values are up to "
            f"{self.most:g} away is free{kept}.\n{_HINT}"
        )


def free_transform_near(
    body: KinBody, *, jitter: float = 0.03, tries: int = 1000, seed: int = 0
) -> FreeNearby:
    """Return a pose (4, 4) of a body near its present one that does not collide.

    The body stays where it is.

    Parameters
    ----------
    jitter
        Metres by which the body may be moved along each axis, and radians by which it
        may be turned; first tries change less.
    tries
        How many random poses are asked for.
    seed
        Of what is random: the same seed gives the same result.

    Returns
    -------
    FreeNearby
        True with T_world_body, the present pose if it is free. Else its `cause` says
        what the body runs into.
    """
    most = as_number(jitter, "jitter", 1e-9)
    count = int(as_number(tries, "tries", 1))
    rng = np.random.default_rng(as_seed(seed))
    present = body.transform
    with body.env.lock(), body.preserve_state(StateParts.TRANSFORMS):
        for k in range(count + 1):
            pose = present.copy()
            if k:
                reach = most * k / count
                pose[:3, 3] += rng.uniform(-reach, reach, 3)
                axis = rng.normal(size=3)
                turn = matrix_from_axis_angle(axis, rng.uniform(-reach, reach))
                pose[:3, :3] = turn @ present[:3, :3]
                body.transform = pose
            if not body.env.check_collision(body):
                return FreeNearby(pose)
    pairs = body.env.check_collision(body, report=True).pairs
    said = listed(map(str, pairs), _MAX_PAIRS, "; ") or "the checker names no links"
    return FreeNearby(
        cause=f"{body.name!r} collides: {said}; none of {count} poses that are up to "
        f"{most:g} away is free.\n{_HINT}"
    )
