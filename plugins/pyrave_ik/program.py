"""One kind of goal of one arm, prepared for the kernels."""

from __future__ import annotations

import os
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.jit import KernelModule
from pyrave.spatial import Array
from pyrave_ik.analytic import TOLERANCE, AnalyticSolver
from pyrave_ik.quick import QuickPoses, quick_poses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.interfaces import IkParameterization, IkParameterizationType
    from pyrave_ik.chain import ArmChain
    from pyrave_ik.goals import Task

    Flags = NDArray[np.bool_]
    Indices = NDArray[np.int64]

__all__ = ["AS_IT_IS", "ONE_TURN", "WITHIN", "Program", "bounds_of"]

kernels = KernelModule("pyrave_ik.kernels.answers._kernels")

WITHIN, ONE_TURN, AS_IT_IS = 0.0, 1.0, 2.0
"""Modes of bounds: all turns inside the limits, one turn, the value as it is given."""
MAX_ROWS = 2_000_000
MANY_TURNS = 4.0
"""Limits that are farther apart than so many turns do not multiply solutions."""
_ENDLESS = 9999.0
_CHUNK = 256
_NO_MARKS = np.empty(0, dtype=np.int64)
_KEPT = 256
_planned: OrderedDict[tuple[object, ...], AnalyticSolver | NotSupportedError] = (
    OrderedDict()
)
_lock = Lock()


class Program:
    """Runs the kernels for one kind of goal. Immutable; threads may share it.

    Parameters
    ----------
    chain
        The arm.
    kind
        The kind of goals.
    direction
        (3,) the tool's direction in the tool frame.
    free
        Axes that are held; None: the best choice.
    threshold
        How far solutions may miss goals that are not reached; None: not at all.

    Raises
    ------
    NotSupportedError
        As `AnalyticSolver`.
    """

    def __init__(
        self,
        chain: ArmChain,
        kind: IkParameterizationType,
        direction: Array,
        free: Sequence[int] | None,
        threshold: float | None,
    ) -> None:
        self.solver = solver = _solver(chain, kind, direction, free)
        self.n = chain.n
        self.free_axes = solver.free
        self.free_dofs = tuple(chain.arm[axis] for axis in solver.free)
        self.free_scale = chain.scale[list(solver.free)]
        self.free_offset = chain.offset[list(solver.free)]
        given = np.append(solver.turns, (TOLERANCE, threshold or TOLERANCE))
        axes = np.column_stack([chain.screws, chain.scale, chain.offset])
        self._arm = (
            solver.how,
            given,
            np.ascontiguousarray(axes),
            np.ascontiguousarray(chain.home[:3]),
            np.array(chain.arm, dtype=np.int64),
            np.array(solver.free, dtype=np.int64),
        )
        self._plain = (np.empty((0, 7)), np.empty(0, dtype=np.int64))
        self._rows = 64
        self._threshold = threshold
        self._quick: tuple[tuple[Array, QuickPoses | None], ...] = ()

    def quick(self, bounds: Array) -> QuickPoses | None:
        """Return the one-call way for poses within these bounds, if there is one."""
        for known, way in self._quick:
            if known is bounds:
                return way
        way = None if self._threshold else quick_poses(self.solver, bounds)
        # with and without limits
        self._quick = ((bounds, way), *self._quick[:1])
        return way

    def held(self, values: Array) -> Array:
        """Return values (m, f) of the free axes from those of their joints."""
        return np.ascontiguousarray(self.free_scale * values + self.free_offset)

    def end(self, goal: IkParameterization) -> tuple[Array, Array, Indices]:
        """Return T_base_goal (3, 4), virtual joints and their sides of a goal."""
        task: Task = self.solver.task(goal)
        sides = np.array(task.sides, dtype=np.int64)
        return np.ascontiguousarray(task.goal[:3]), task.virtual, sides

    def all(
        self,
        end: tuple[Array, Array, Indices],
        samples: Array,
        bounds: Array,
        *,
        marked: bool = False,
    ) -> tuple[Array, Indices]:
        """Return all joint values (k, d) and, if asked, the branch of each row."""
        goal, virtual, sides = end
        quick = self.quick(bounds)
        if quick is not None:
            rows = quick.goal(goal)
            return rows, quick.branches(rows, goal) if marked else _NO_MARKS
        size = self._rows
        while True:
            out = np.empty((size, self.n))
            marks = np.empty(size, dtype=np.int64) if marked else _NO_MARKS
            n = kernels.jit.all_answers(
                *self._arm, samples, virtual, sides, goal, bounds, out, marks
            )
            if n <= size:
                return out[:n], marks[:n]
            size = self._grown(n)

    def of_pose(self, base: Array, pose: Array, samples: Array, bounds: Array) -> Array:
        """Return all joint values (k, d) for T_world_base and T_world_tool."""
        quick = self.quick(bounds)
        if quick is not None:
            return quick.pose(base, pose)
        size = self._rows
        while True:
            out = np.empty((size, self.n))
            n = kernels.jit.pose_answers(
                *self._arm, samples, *self._plain, base, pose, bounds, out, _NO_MARKS
            )
            if n <= size:
                return out[:n]
            size = self._grown(n)

    def nearest(
        self,
        end: tuple[Array, Array, Indices],
        samples: Array,
        bounds: Array,
        near: Array,
        ways: Array,
    ) -> Array | None:
        """Return the joint values (d,) nearest to `near`, or None."""
        goal, virtual, sides = end
        out = np.empty(self.n)
        if kernels.jit.nearest_answer(
            *self._arm, samples, virtual, sides, goal, bounds, near, ways, out
        ):
            return out
        return None

    def many(
        self, base: Array, poses: Array, samples: Array, bounds: Array
    ) -> tuple[Array, Indices]:
        """Return joint values one behind the other and counts, from all cores."""
        chunks = [poses[i : i + _CHUNK] for i in range(0, len(poses), _CHUNK)]

        quick = self.quick(bounds)

        def run(chunk: Array) -> tuple[Array, Indices]:
            if quick is not None:
                return quick.poses(base, chunk)
            return self._chunk(base, chunk, samples, bounds)

        workers = min(len(chunks), os.cpu_count() or 1)
        if workers > 1:
            run(poses[:1])  # compiles before there are threads
            with ThreadPoolExecutor(workers) as pool:
                found = list(pool.map(run, chunks))
        else:
            found = [run(chunk) for chunk in chunks]
        if not found:
            return np.empty((0, self.n)), np.empty(0, dtype=np.int64)
        return (
            np.concatenate([rows for rows, _ in found]),
            np.concatenate([counts for _, counts in found]),
        )

    def _chunk(
        self, base: Array, poses: Array, samples: Array, bounds: Array
    ) -> tuple[Array, Indices]:
        counts = np.empty(len(poses), dtype=np.int64)
        size = 8 * len(poses) + self._rows
        pieces = []
        first = 0
        while first < len(poses):
            out = np.empty((size, self.n))
            done = kernels.jit.many_answers(
                *self._arm,
                samples,
                *self._plain,
                base,
                poses[first:],
                bounds,
                counts[first:],
                out,
            )
            pieces.append(out[: int(counts[first : first + done].sum())])
            first += done
            size = min(2 * size, MAX_ROWS)
            if done == 0:
                size = max(size, self._grown(int(counts[first])))
        return np.concatenate(pieces), counts

    def _grown(self, n: int) -> int:
        if n > MAX_ROWS:
            raise NotSupportedError(
                f"there are {n} solutions, more than {MAX_ROWS}; give wider steps of "
                "the free joints, free=, or narrower limits"
            )
        self._rows = n + n // 4
        return self._rows


def bounds_of(
    chain: ArmChain, lower: Array, upper: Array, circular: Flags, *, ignored: bool
) -> Array:
    """Return (d, 5) rows: lower, upper, mode, reference, period of one turn.

    Parameters
    ----------
    lower, upper, circular
        (d,) of the arm's joints.
    ignored
        Whether limits do not count.
    """
    rows = np.zeros((chain.n, 5))
    rows[:, 0], rows[:, 1] = lower, upper
    for axis, dof in enumerate(chain.arm):
        if chain.screws[axis, 6] == 0.0:
            rows[dof, 4] = 2.0 * np.pi / abs(chain.scale[axis])
    turns = rows[:, 4] > 0.0
    wide = turns & (upper - lower > MANY_TURNS * rows[:, 4])
    rows[circular | wide | ignored, 2] = ONE_TURN
    endless = circular | ~np.isfinite(lower) | ~np.isfinite(upper) | ignored
    inside = wide & ~endless
    rows[inside, 3] = np.clip(
        0.0, (lower + rows[:, 4] / 2)[inside], (upper - rows[:, 4] / 2)[inside]
    )
    return rows


def _solver(
    chain: ArmChain,
    kind: IkParameterizationType,
    direction: Array,
    free: Sequence[int] | None,
) -> AnalyticSolver:
    """Return a solver that was planned before for the same geometry, or a new one."""
    key = (
        *(a.tobytes() for a in (chain.screws, chain.home, chain.scale, chain.offset)),
        chain.arm,
        chain.names,
        kind,
        np.asarray(direction, dtype=np.float64).tobytes(),
        None if free is None else tuple(free),
    )
    with _lock:
        known = _planned.get(key)
        if known is not None:
            _planned.move_to_end(key)
    if known is None:
        try:
            known = AnalyticSolver(chain, kind, direction, free)
        except NotSupportedError as error:
            known = error.with_traceback(None)
        with _lock:
            _planned[key] = known
            while len(_planned) > _KEPT:
                _planned.popitem(last=False)
    if isinstance(known, NotSupportedError):
        raise type(known)(str(known))
    return known
