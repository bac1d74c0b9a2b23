"""Chains, goals and limits as one problem of damped least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import Kernel
from pyrave.spatial import Array, as_pose, as_vector, invert_pose
from pyrave_ik.arm.chain import WORLD, joint_periods
from pyrave_ik.arm.numeric_arrays import (
    frames_of,
    goals_of,
    has_angle,
    packed,
    write_goal,
)
from pyrave_ik.arm.turns import ENDLESS
from pyrave_ik.kernels.iteration import numerical as to
from pyrave_ik.methods.coupled_axes import Following

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.ik import IkParameterization
    from pyrave_ik.arm.chain import ArmChain

TOLERANCE = 1e-9
STARTS = 100
"""Numerical starts for a goal."""
MORE_STARTS = 2000
"""The same for a goal that these nearly meet."""
NEARLY = 0.5
"""Radians, and metres by the problem's length, that are missed by less then."""
PART_OF_REACH = 0.3
"""Part of the reach that counts as a radian, chosen for the fewest steps."""
_TABLE = 100
_SEED = 20261121
_COMPILE_AFTER = 300.0
_COST = 10.0
"""Milliseconds of a solve in the interpreter."""
_ANYWHERE = np.empty(0)

kernel = Kernel(
    "pyrave_ik.kernels.iteration.numerical",
    "solve",
    "numerical inverse kinematics",
    8.0,
    cost=lambda *arrays: _COST * len(arrays[-1]),
    compile_after=_COMPILE_AFTER,
    whole=True,
)


def settings_of(
    starts: int,
    tolerance: float,
    *,
    nearest: bool = True,
    nearest_miss: bool = True,
    all: bool = False,  # noqa: A002 - as `solve_ik` has it
) -> Array:
    """Return settings as the kernel takes them.

    Parameters
    ----------
    starts
        Most starts to try.
    tolerance
        Metres and radians that may be missed.
    nearest
        Whether joints that the goals leave free end where they are nearest to the
        first start.
    nearest_miss
        Whether to find where the goals are missed least if they are not met.
    all
        Whether all distinct configurations are wanted that starts lead to.
    """
    return np.array([tolerance, tolerance, starts, nearest, nearest_miss, all], float)


@dataclass(frozen=True, eq=False)
class NumericResult:
    """Result of a numerical solve. Immutable.

    Parameters
    ----------
    q
        (n,) joint values that meet the goals or, where none were found, those that
        come nearest: the least weighted sum of squares.
    success
        Whether every goal is met within the tolerance; for a least-squares solve,
        whether a minimum was reached.
    position_error
        Metres that the worst goal is missed by.
    rotation_error
        Radians that the worst goal is missed by.
    starts, steps
        Starts that were tried, and steps that they took.
    at_lower, at_upper
        Joints of `q` that lie at a limit.
    """

    q: Array
    success: bool
    position_error: float
    rotation_error: float
    starts: int
    steps: int
    at_lower: tuple[int, ...] = ()
    at_upper: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.success

    def reason(self, names: Sequence[str]) -> str:
        """Return a sentence that says how near the solve came.

        Parameters
        ----------
        names
            (n,) names of the joints.
        """
        text = (
            f"missed by {self.position_error:.3g} m and {self.rotation_error:.3g} rad "
            f"at best, from {self.starts} starts"
        )
        ends = [f"{names[i]} at its lower limit" for i in self.at_lower]
        ends += [f"{names[i]} at its upper limit" for i in self.at_upper]
        return f"{text}; {', '.join(ends)}" if ends else text


class NumericProblem:
    """Chains that share joints, each with a tool that has a goal.

    Immutable after construction; threads may share it. Making one costs about a
    millisecond, so keep it for many goals.

    Parameters
    ----------
    chains
        t chains in one frame, whose ``arm`` counts the same joints.
    lower, upper
        (n,) limits; beyond +-9999 a joint turns without end.
    directions
        (t, 3) directions of the tools in the tool frames.
    weights
        (t,) of the squares of what each goal misses; they matter where not all goals
        can be met.
    length
        Metres that count as much as a radian; 0.3 of the reach of the longest chain by
        default.
    center
        (n,) about which starts are drawn for sliding joints with a wide range, zeros
        by default.
    """

    def __init__(
        self,
        chains: Sequence[ArmChain],
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        directions: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        length: float | None = None,
        center: ArrayLike | None = None,
    ) -> None:
        if not chains:
            raise ArgumentError("a problem needs a chain, found none")
        self.chains = tuple(chains)
        self.lower = as_vector(lower, None, "lower")
        self.n = n = len(self.lower)
        self.upper = as_vector(upper, n, "upper")
        self._check()
        coupled = any(chain.couplings is not None for chain in chains)
        bare = [chain.bare() for chain in chains] if coupled else self.chains
        frames = [frames_of(chain) for chain in bare]
        reach = PART_OF_REACH * max(_reach(rows) for rows in frames)
        self.length = (reach or 1.0) if length is None else float(length)
        if not self.length > 0.0:
            raise ArgumentError(f"length is {length}, expected a positive number")
        t = len(self.chains)
        given = np.ones(t) if weights is None else as_vector(weights, t, "weights")
        if not (given > 0.0).all():
            raise ArgumentError(f"weights are {given.tolist()}, expected positive ones")
        along = (0.0, 0.0, 1.0) if directions is None else directions
        self._goals = goals_of(along, given, self.length)
        slides = self._sliding()
        turns = self._turning()
        middle = np.zeros(n) if center is None else as_vector(center, n, "center")
        low, high = self._range(slides, turns, middle)
        rng = np.random.default_rng(_SEED)
        table = low + rng.random((_TABLE, n)) * (high - low)
        limits = np.stack([self.lower, self.upper])
        self._following: Following | None = None
        if coupled:
            self._following = Following(self.chains, limits, turns, self._goals, table)
        else:
            self.array = packed(bare, frames, limits, turns, self._goals, table)
            """The problem as the kernels take it, see `residuals`; there is
            none where axes follow joints by formulas."""

    @property
    def followed(self) -> bool:
        """True if axes follow joints by formulas, so that there is no `array`."""
        return self._following is not None

    def _check(self) -> None:
        crossed = np.flatnonzero(self.lower > self.upper)
        if len(crossed):
            raise ArgumentError(
                f"the lower limit of joint {crossed[0]} is above the upper one: "
                f"{self.lower[crossed[0]]:g} > {self.upper[crossed[0]]:g}"
            )
        most = max((max(chain.arm) for chain in self.chains if chain.n), default=-1)
        if most >= self.n:
            raise ArgumentError(
                f"a chain has joint {most}, limits are given for {self.n}"
            )

    def _sliding(self) -> NDArray[np.bool_]:
        """Return (n,) whether a joint moves a sliding axis."""
        moved = [
            chain.follows(self.n)[chain.screws[:, 6] != 0.0].any(axis=0)
            for chain in self.chains
        ]
        return np.asarray(np.any(moved, axis=0))

    def _turning(self) -> Array:
        """Return (n,) periods of joints that can go all the way round, else 0."""
        periods = joint_periods(self.chains, self.lower, self.upper)
        round_ = np.isfinite(periods) & (self.upper - self.lower >= periods - 1e-10)
        return np.where(round_, periods, 0.0)

    def _range(
        self, slides: NDArray[np.bool_], turns: Array, middle: Array
    ) -> tuple[Array, Array]:
        """Return the box from which configurations are drawn."""
        turn = np.where(turns != 0.0, turns, 2.0 * math.pi)
        most = np.where(slides, 2.0 * self.length, 0.5 * turn)
        middle = np.clip(np.where(slides, middle, 0.0), self.lower, self.upper)
        wide = slides | (self.lower < -ENDLESS) | (self.upper > ENDLESS)
        low = np.where(wide, np.maximum(self.lower, middle - most), self.lower)
        high = np.where(wide, np.minimum(self.upper, middle + most), self.upper)
        return low, high

    # -- solving ---------------------------------------------------------------

    def solve(
        self,
        goals: Sequence[IkParameterization] | IkParameterization,
        q0: ArrayLike | None = None,
        *,
        base: Array = WORLD,
        least_squares: bool = False,
        nearest: bool = True,
        starts: int = 100,
        tolerance: float = TOLERANCE,
    ) -> NumericResult:
        """Return joint values that meet all goals, or how near they can be met.

        Parameters
        ----------
        goals
            One per chain, in the frame in which the base is given.
        q0
            (n,) where to begin.
        base
            (4, 4) pose of the chains' frame.
        least_squares
            True: goals that cannot be met together are met in the least-squares sense.
        nearest
            Of the configurations that joints beyond those of the goals leave, take the
            one nearest to `q0`.
        starts
            Most starts to try.
        tolerance
            Metres and radians that may be missed.
        """
        rows, base = self._rows(goals, base)
        near = _ANYWHERE if q0 is None else as_vector(q0, self.n, "q0").copy()
        most = max(1, starts if not least_squares else min(starts, 20))
        settings = settings_of(most, tolerance, nearest=nearest)
        out = np.empty((1, self.n + to.RESULT))
        found = self._run(base, rows, near, settings, out) > 0
        q = out[0, : self.n].copy()
        distance, angle, taken, steps = out[0, self.n :].tolist()
        return NumericResult(
            q,
            found or least_squares,
            distance,
            angle,
            int(taken),
            int(steps),
            tuple(np.flatnonzero(q <= self.lower + 1e-9).tolist()),
            tuple(np.flatnonzero(q >= self.upper - 1e-9).tolist()),
        )

    def solution(
        self, base: Array, pose: Array, near: ArrayLike, settings: Array
    ) -> Array | None:
        """Return joint values (n,) that meet a pose, or None: `solve` in a hurry.

        Parameters
        ----------
        base, pose
            (4, 4) poses of the chain's frame and of its tool.
        near
            (n,) where to begin.
        settings
            See `settings_of`.

        Raises
        ------
        ArgumentError
            An array has another shape, or is no pose, or not finite.
        """
        out = np.empty((1, self.n + to.RESULT))
        found = -1
        if self._following is None and type(pose) is type(near) is np.ndarray:
            try:
                found = kernel.call(self.array, base, pose, near, settings, out)
            except (TypeError, ValueError, IndexError):
                found = -1  # arrays of another type or layout are converted below
        if found < 0:
            near = as_vector(near, self.n, "q0").copy()
            base, pose = as_pose(base, "base"), as_pose(pose, "target")
            found = self._run(base, pose, near, settings, out)
        return out[0, : self.n] if found > 0 else None

    def solve_several(
        self,
        goals: Sequence[IkParameterization] | IkParameterization,
        starts: int = 64,
        tolerance: float = TOLERANCE,
        *,
        base: Array = WORLD,
    ) -> Array:
        """Return the distinct configurations (k, n) that starts from a table lead to.

        There is no promise that these are all.
        """
        rows, base = self._rows(goals, base)
        settings = settings_of(starts, tolerance, nearest_miss=False, all=True)
        out = np.empty((min(starts, _TABLE), self.n + to.RESULT))
        count = self._run(base, rows, _ANYWHERE, settings, out)
        return out[:count, : self.n].copy()

    def tools(self, q: ArrayLike) -> Array:
        """Return the poses (t, 4, 4) of the tools at joint values (n,)."""
        values = as_vector(q, self.n, "q")
        return np.array([chain.tool(values) for chain in self.chains])

    def _run(
        self, base: Array, target: Array, near: Any, settings: Array, out: Array
    ) -> int:
        """Do `kernels.iteration.numerical.solve`."""
        if self._following is not None:
            return self._following.solve(base, target, near, settings, out)
        return kernel.call(self.array, base, target, near, settings, out)

    def _rows(
        self, goals: Sequence[IkParameterization] | IkParameterization, base: Array
    ) -> tuple[Array, Array]:
        """Return goals (t, GOAL) and the base of their frame."""
        several: Sequence[Any] = goals if isinstance(goals, Sequence) else [goals]
        if len(several) != len(self.chains):
            raise ArgumentError(
                f"{len(several)} goals are given for {len(self.chains)} chains"
            )
        if base is not WORLD and any(has_angle(one.type) for one in several):
            several = [one.transformed(invert_pose(base)) for one in several]
            base = WORLD
        rows = self._goals.copy()
        for goal, row in zip(several, rows, strict=True):
            write_goal(goal, row)
        return rows, base


def searched(
    problem: NumericProblem, goal: IkParameterization, near: Array, base: Array = WORLD
) -> NumericResult:
    """Return the results of many starts for one goal; more where it is close.

    With joints on their limits a goal may be met at a point that few descents end at.

    Parameters
    ----------
    near
        (n,) where to begin.
    base
        (4, 4) pose of the chain's frame.
    """
    result = problem.solve(goal, near, base=base, starts=STARTS)
    missed = result.position_error / problem.length + result.rotation_error
    if result or missed >= NEARLY:
        return result
    return problem.solve(goal, near, base=base, starts=MORE_STARTS)


def _reach(frames: Array) -> float:
    return float(np.linalg.norm(frames[1:, 3::4], axis=1).sum())
