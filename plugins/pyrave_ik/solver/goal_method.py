"""The interface between solvers and methods that find joint values of goals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyrave.ik.results import goal_of
from pyrave.records import Record
from pyrave.spatial import invert_pose
from pyrave_ik.solver.effort import NEAREST_SECONDS
from pyrave_ik.solver.results import first_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization, IkReturn
    from pyrave.interfaces import IkChecks
    from pyrave.spatial import Array, Indices
    from pyrave_ik.methods.candidates import Candidates
    from pyrave_ik.solver.effort import Clock


@dataclass(slots=True)
class Query(Record):
    """A goal with all that a method needs to solve it. Belongs to one call.

    Parameters
    ----------
    target
        A goal in the world, or (4, 4) T_world_tool.
    near
        (n_arm,) joint values that solutions are wanted near to.
    free
        Values of the held joints, 0..1 each; None: they are searched.
    clock
        The time there is.
    turns
        Whether joints come at all turns within limits, not only at the nearest.
    """

    arm: Manipulator
    target: IkParameterization | Array
    near: Array
    free: ArrayLike | None
    clock: Clock
    turns: bool = False

    def at(self, pose: Array) -> Query:
        """Return the same query for another pose, with all the time again."""
        return replace(self, target=pose, clock=self.clock.restarted())

    @property
    def base(self) -> Array:
        """T_world_base (4, 4), which changes with the robot."""
        pose: Array = self.arm.robot.transforms_view[self.arm.base.index]
        return pose

    @property
    def goal(self) -> IkParameterization:
        """The goal in the world."""
        return goal_of(self.target)

    @property
    def local(self) -> IkParameterization:
        """The goal in the frame of the arm's base."""
        return self.goal.transformed(invert_pose(self.base))


class GoalMethod(ABC):
    """Finds joint values for one kind of goals of an arm, within given limits.

    A subclass finds `candidates`; what else it knows better it overrides. Threads may
    share it.
    """

    seconds: float = NEAREST_SECONDS
    """Most that a search for one solution takes where no timeout is given."""
    note: str = ""
    """Notes for users, in words."""

    @property
    def held_dofs(self) -> tuple[int, ...]:
        """Numbers of the arm's joints that are held; none here."""
        return ()

    def free_range(self, dof: int) -> tuple[float, float]:
        """Return the range of a held joint that its free parameter covers."""
        raise IndexError(f"joint {dof} of the arm is not held")

    @abstractmethod
    def candidates(self, query: Query, *, turned: bool = False) -> Candidates:
        """Return the joint values that were found, the nearest first.

        Parameters
        ----------
        turned
            Whether joints that turn without end have the turn nearest to the start.
        """

    def rows(self, query: Query) -> Array:
        """Return all joint values (k, n_arm) that were found, in any order."""
        return self.candidates(query).solutions

    def nearest(self, query: Query) -> Array | None:
        """Return the joint values (n_arm,) nearest to the start, or None."""
        every = replace(query, turns=True)
        rows = self.candidates(every, turned=True).solutions
        return rows[0] if len(rows) else None

    def answer(self, query: Query, checks: IkChecks) -> IkReturn:
        """Return the nearest joint values that pass checks, or why there are none."""
        every = replace(query, turns=True)
        return self.first(self.candidates(every, turned=True), query, checks)

    def first(self, candidates: Candidates, query: Query, checks: IkChecks) -> IkReturn:
        """Return the nearest of candidates that passes checks, or why none does."""
        return first_of(candidates, query.arm, checks, query.goal, query.near)

    def many_nearest(self, query: Query, poses: ArrayLike) -> Array | None:
        """Return `nearest` of poses (n, 4, 4), NaN without; None: pose by pose."""

    def many_rows(self, query: Query, poses: ArrayLike) -> tuple[Array, Indices] | None:
        """Return `rows` of poses (n, 4, 4) and counts; None: pose by pose."""
