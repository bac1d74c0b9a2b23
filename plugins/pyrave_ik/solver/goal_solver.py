"""One kind of goal of one arm, prepared for the kernels."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.spatial import Array
from pyrave_ik.arm.chain import ORIGIN, joint_periods
from pyrave_ik.kernels.packed_arm import ONE_TURN
from pyrave_ik.methods.analytic import AnalyticSolver, end_of
from pyrave_ik.methods.bounded_arm import BoundedArm
from pyrave_ik.methods.least_squares import ENDLESS
from pyrave_ik.methods.packed_arm import are_wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.ik import IkParameterization, IkParameterizationType
    from pyrave_ik.arm.chain import ArmChain

    Flags = NDArray[np.bool_]

_KEPT = 256
_ARMS = 4
_solvers: OrderedDict[tuple[object, ...], AnalyticSolver | NotSupportedError] = (
    OrderedDict()
)
_lock = Lock()


class GoalSolver:
    """Solves one kind of goals. Immutable; threads may share it.

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
    point
        See `AnalyticSolver`.

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
        point: Array = ORIGIN,
    ) -> None:
        self.solver = solver = _solver(chain, kind, direction, free, point)
        self.free_dofs = tuple(chain.arm[axis] for axis in solver.free)
        self.free_scale = chain.scale[list(solver.free)]
        self.free_offset = chain.offset[list(solver.free)]
        self._threshold = threshold or 0.0
        self._arms: tuple[tuple[Array, bool, bool, BoundedArm], ...] = ()

    def bounded(
        self, bounds: Array, *, given: bool = False, turns: bool = False
    ) -> BoundedArm:
        """Return a solver of goals within limits, as `bounds_of` writes them.

        Parameters
        ----------
        given
            Whether held joints have the values that are given, and no others.
        turns
            Whether solutions are listed in all turns within limits.
        """
        for known, same, every, bounded in self._arms:
            if known is bounds and same is given and every is turns:
                return bounded
        bounded = self._bounded_arm(bounds, given=given, every=turns)
        # with and without limits
        self._arms = ((bounds, given, turns, bounded), *self._arms[: _ARMS - 1])
        return bounded

    def bounded_near(
        self, bounds: Array, reference: Array, *, turns: bool
    ) -> BoundedArm:
        """Return an arm within limits whose solutions are near joint values (d,)."""
        return self._bounded_arm(bounds, every=turns, reference=reference)

    def _bounded_arm(
        self,
        bounds: Array,
        *,
        given: bool = False,
        every: bool = False,
        reference: Array | None = None,
    ) -> BoundedArm:
        solver = self.solver
        return BoundedArm(
            solver.decomposition,
            solver.chain,
            solver.free,
            bounds,
            turns=solver.turns.tolist(),
            threshold=self._threshold,
            dh_frames=solver.dh_frames,
            given=given,
            every=every,
            reference=reference,
        )

    def held(self, values: Array) -> Array:
        """Return values (m, f) of the free axes from those of their joints."""
        return np.ascontiguousarray(self.free_scale * values + self.free_offset)

    def end(self, goal: IkParameterization) -> tuple[Array, Array]:
        """Return T_base_goal (4, 4) and the virtual joints (k, 8) of a goal."""
        return end_of(self.solver.task(goal))


def bounds_of(
    chain: ArmChain, lower: Array, upper: Array, circular: Flags, *, ignored: bool
) -> Array:
    """Return (d, 5) rows: lower, upper, mode, reference, period of one turn.

    The reference of limits many turns apart is the value nearest to 0 about which there
    is a whole turn within them.

    Parameters
    ----------
    lower, upper, circular
        (d,) of the arm's joints.
    ignored
        Whether limits do not count.
    """
    rows = np.zeros((chain.n, 5))
    rows[:, 0], rows[:, 1] = lower, upper
    periods = joint_periods([chain], lower, upper)
    rows[:, 4] = np.where(np.isfinite(periods), periods, 0.0)
    beyond = np.maximum(abs(lower), abs(upper)) >= ENDLESS
    wide = are_wide(rows)
    endless = circular | (wide & beyond) | ignored
    rows[endless, 2] = ONE_TURN
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
    point: Array,
) -> AnalyticSolver:
    """Return a solver that was planned before for the same geometry, or a new one."""
    key = (
        *(a.tobytes() for a in (chain.screws, chain.home, chain.scale, chain.offset)),
        chain.ranges.tobytes(),
        chain.arm,
        chain.names,
        kind,
        np.asarray(direction, dtype=np.float64).tobytes(),
        None if free is None else tuple(free),
        point.tobytes(),
    )
    with _lock:
        known = _solvers.get(key)
        if known is not None:
            _solvers.move_to_end(key)
    if known is None:
        try:
            known = AnalyticSolver(chain, kind, direction, free, point)
        except NotSupportedError as error:
            known = error.with_traceback(None)
        with _lock:
            _solvers[key] = known
            while len(_solvers) > _KEPT:
                _solvers.popitem(last=False)
    if isinstance(known, NotSupportedError):
        raise type(known)(str(known))
    return known
