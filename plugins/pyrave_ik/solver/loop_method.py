"""Goals as loops of six joints: closed forms and elimination, within limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkAction, IkParameterization, IkParameterizationType, IkReturn
from pyrave.spatial import as_poses, invert_pose
from pyrave_ik.arm.chain import WORLD
from pyrave_ik.arm.goals import pose_of
from pyrave_ik.methods.bounded_arm import NO_FREE, NO_VIRTUAL, BoundedArm
from pyrave_ik.methods.candidates import UNREACHED
from pyrave_ik.solver.effort import NEAREST_SECONDS, Clock
from pyrave_ik.solver.goal_method import GoalMethod, Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from pyrave.interfaces import IkChecks
    from pyrave.spatial import Array, Indices
    from pyrave_ik.methods.analytic import AnalyticSolver
    from pyrave_ik.methods.candidates import Candidates
    from pyrave_ik.solver.held_joints import HeldJoints
    from pyrave_ik.solver.numeric_method import NumericMethod

    End = tuple[Array, Array, Array]
    """T_world_base, T_world_goal and virtual joints, see `BoundedArm`."""

_POSE = IkParameterizationType.Transform6D


class LoopMethod(GoalMethod):
    """Solves goals that determine all joints but those that are held at given values.

    Parameters
    ----------
    solver
        Of the kind of goals, without limits.
    bounds
        (d, 5) limits, see `bounds_of`.
    held
        Gives the values of held joints.
    threshold
        How far solutions may miss goals that are not reached.
    numeric
        Returns what searches where loops do not decide.
    """

    def __init__(
        self,
        solver: AnalyticSolver,
        bounds: Array,
        held: HeldJoints,
        threshold: float,
        numeric: Callable[[], NumericMethod],
    ) -> None:
        self.solver = solver
        self.bounds = bounds
        self.held = held
        self._threshold = threshold
        self._numeric = numeric
        self._arms: dict[tuple[bool, bool], BoundedArm] = {}

    @property
    def held_dofs(self) -> tuple[int, ...]:
        """Numbers of the arm's joints that are held."""
        return self.solver.free_dofs

    def free_range(self, dof: int) -> tuple[float, float]:
        """Return the range of a held joint that its free parameter covers."""
        return self.held.range(dof)

    def bounded(self, *, given: bool = False, turns: bool = False) -> BoundedArm:
        """Return the arm within the limits, as the kernels take it.

        Parameters
        ----------
        given
            Whether held joints have the values that are given, and no others.
        turns
            Whether solutions are listed in all turns within limits.
        """
        known = self._arms.get((given, turns))
        if known is None:
            known = self._arms[given, turns] = self.bounded_near(
                None, given=given, turns=turns
            )
        return known

    def bounded_near(
        self, reference: Array | None, *, given: bool = False, turns: bool = False
    ) -> BoundedArm:
        """Return such an arm whose solutions are near joint values (d,)."""
        return self.solver.within(
            self.bounds,
            threshold=self._threshold,
            given=given,
            every=turns,
            reference=reference,
        )

    def end(self, query: Query) -> End:
        """Return the goal as the kernels take it."""
        target, base = query.target, query.base.copy()
        if not isinstance(target, IkParameterization):
            return base, target, NO_VIRTUAL
        if target.type is _POSE:
            return base, pose_of(target), NO_VIRTUAL
        return WORLD, *self.solver.end(target.transformed(invert_pose(base)))

    def _arm(self, query: Query) -> tuple[BoundedArm, Array]:
        """Return the arm within limits, and values (1, f) of joints that are held."""
        if query.free is None:
            return self.bounded(turns=query.turns), NO_FREE
        return self.bounded(given=True, turns=query.turns), self.held.given(query.free)

    def nearest(self, query: Query) -> Array | None:
        """Return the joint values (d,) nearest to the start, or None."""
        arm, samples = self._arm(query)
        end = self.end(query)
        found = arm.nearest(query.near, *end, samples)
        if found is None:
            _, found = self._searched(query, arm, end, samples)
        return found

    def rows(self, query: Query) -> Array:
        """Return all joint values (k, d)."""
        arm, samples = self._arm(query)
        end = self.end(query)
        rows = arm.all(*end, samples, query.near)
        if not len(rows):
            _, found = self._searched(query, arm, end, samples)
            rows = rows if found is None else found[None]
        return rows

    def candidates(self, query: Query, *, turned: bool = False) -> Candidates:
        """Return joint values, and what limits leave out."""
        arm, samples = self._arm(query)
        end = self.end(query)
        found = arm.candidates(query.near, *end, samples, turned=turned)
        complete = arm.complete
        if not len(found.solutions):
            complete, other = self._searched(query, arm, end, samples)
            if other is not None:
                found = found.with_others(other[None])
        why = ""
        if found.action == UNREACHED:
            why = self._why_none(query, complete=complete)
        return replace(found, complete=complete, why=why)

    def answer(self, query: Query, checks: IkChecks) -> IkReturn:
        """Return the nearest joint values that pass checks, or why there are none."""
        arm, samples = self._arm(query)
        if not checks.needed:
            found = arm.nearest(query.near, *self.end(query), samples)
            if found is not None:
                return IkReturn(IkAction.SUCCESS, found)
        elif arm.meets(query.near, *self.end(query)):
            # where the arm is at the goal no loop needs to be solved
            answer = checks.first(query.near[None], query.goal)
            if answer or answer.action & IkAction.QUIT:
                return answer
        return self.first(self.candidates(query, turned=True), query, checks)

    def many_nearest(self, query: Query, poses: ArrayLike) -> Array | None:
        """Return the joint values (n, d) nearest to the start, NaN without."""
        arm, samples = self._arm(query)
        base, near = query.base.copy(), query.near
        poses = as_poses(poses, "targets")
        rows = arm.many_nearest(base, poses, near, samples)
        for number in np.flatnonzero(np.isnan(rows[:, 0])):
            found = self._searched_pose(query, arm, base, poses[number], samples)
            if found is not None:
                rows[number] = found
        return rows

    def many_rows(self, query: Query, poses: ArrayLike) -> tuple[Array, Indices] | None:
        """Return all joint values (k, d) of poses one behind the other, and counts."""
        arm, samples = self._arm(query)
        base, poses = query.base.copy(), as_poses(poses, "targets")
        rows, counts = arm.many(base, poses, samples, query.near)
        ends = np.cumsum(counts)
        places, others = [], []
        for number in np.flatnonzero(counts == 0) if not samples.shape[1] else ():
            found = self._searched_pose(query, arm, base, poses[number], samples)
            if found is not None:
                places.append(int(ends[number]))
                others.append(found)
                counts[number] = 1
        if others:
            rows = np.insert(rows, places, others, axis=0)
        return rows, counts

    def _searched_pose(
        self, query: Query, arm: BoundedArm, base: Array, pose: Array, samples: Array
    ) -> Array | None:
        end = base, pose, NO_VIRTUAL
        return self._searched(query.at(pose), arm, end, samples)[1]

    def _searched(
        self, query: Query, arm: BoundedArm, end: End, samples: Array
    ) -> tuple[bool, Array | None]:
        """Return True if "no" is proven, and else what a numerical search finds.

        Near several singularities at once, and where the axes of an arm are tilted a
        little, solutions may lie where none of a neighbouring goal lead.
        """
        proven, left = arm.decides(*end, samples), query.clock.left
        if proven or samples.shape[1] or left == 0.0:
            return proven, None
        clock = Clock(left, NEAREST_SECONDS)
        return proven, self._numeric().nearest(replace(query, clock=clock))

    def _why_none(self, query: Query, *, complete: bool) -> str:
        """Return the reason for which a loop has no solutions.

        Parameters
        ----------
        complete
            Whether the method finds all.
        """
        name = self.solver.kind.name
        if not complete:
            return (
                f"no joint values were found that reach this {name}; that is no proof, "
                "as solutions may be lost near singular poses and where axes are in "
                "special positions"
            )
        held = ", ".join(self.solver.chain.names[axis] for axis in self.solver.free)
        parts = np.asarray(query.free).tolist()
        where = f" with {held} held at free={parts}" if held else ""
        return f"no joint values reach this {name}{where}, even without limits"
