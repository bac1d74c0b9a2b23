"""Chains, tasks and limits as one problem of damped least squares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces import IkParameterizationType as Kind
from pyrave.jit import KernelModule
from pyrave.spatial import Array, as_vector, invert_pose, matrix_from_quat
from pyrave_ik.chain import joint_periods
from pyrave_ik.following import Descent, Following, bare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave.interfaces import IkParameterization
    from pyrave_ik.chain import ArmChain

__all__ = ["NumericProblem", "NumericResult", "frames_of", "solve_numeric"]

kernels = KernelModule("pyrave_ik.kernels.numerical._kernels")
_at = KernelModule("pyrave_ik.kernels.residuals._kernels").plain

TOLERANCE = 1e-9
PART_OF_REACH = 0.3
"""Of the reach counts as a radian: most poses are met with the fewest steps so."""
ENDLESS = 9999.0
"""Joints with limits beyond this turn without end."""
_TABLE = 100
_SEED = 20261121
_SETTLE = 30
_APPROACH = 200
_STEPS = 20
_STEPS_FOLLOWED = 60
"""Formulas bend the way of a start; it takes more steps."""
_ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class NumericResult:
    """What a numerical solve came to. Immutable.

    Parameters
    ----------
    q
        (n,) joint values that meet the tasks or, where none were found, those that
        come nearest: the least weighted sum of squares.
    success
        Whether every task is met within the tolerance; for a least-squares solve,
        whether a minimum was reached.
    position_error
        Metres that the worst task is missed by.
    rotation_error
        Radians that the worst task is missed by.
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
    """Chains that share joints, each with a tool that has a task.

    Immutable after construction; threads may share it. Making one costs about a
    millisecond, so keep it for many targets.

    Parameters
    ----------
    chains
        t chains in one frame, whose ``arm`` counts the same joints.
    lower, upper
        (n,) limits; beyond +-9999 a joint turns without end.
    directions
        (t, 3) directions of the tools in the tool frames.
    weights
        (t,) of the squares of what each task misses; they matter where not all tasks
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
        t = len(chains)
        self.lower = as_vector(lower, None, "lower")
        self.n = n = len(self.lower)
        self.upper = as_vector(upper, n, "upper")
        crossed = np.flatnonzero(self.lower > self.upper)
        if len(crossed):
            raise ArgumentError(
                f"the lower limit of joint {crossed[0]} is above the upper one: "
                f"{self.lower[crossed[0]]:g} > {self.upper[crossed[0]]:g}"
            )
        most = max((max(chain.arm) for chain in chains if chain.n), default=-1)
        if most >= n:
            raise ArgumentError(f"a chain has joint {most}, limits are given for {n}")
        given = np.ones(t) if weights is None else as_vector(weights, t, "weights")
        if not (given > 0.0).all():
            raise ArgumentError(f"weights are {given.tolist()}, expected positive ones")
        self._directions = np.tile((0.0, 0.0, 1.0), (t, 1))
        if directions is not None:
            self._directions[:] = np.asarray(directions, dtype=np.float64)
        follows = [chain.follows(n) for chain in chains]
        coupled = any(chain.couplings is not None for chain in chains)
        given_chains = chains
        if coupled:
            chains = [bare(chain) for chain in chains]
        frames = [frames_of(chain) for chain in chains]
        reach = PART_OF_REACH * max(_reach(rows) for rows in frames)
        self.length = (reach or 1.0) if length is None else float(length)
        if not self.length > 0.0:
            raise ArgumentError(f"length is {length}, expected a positive number")
        self._frames = np.concatenate(frames)
        self._axes = np.concatenate(
            [np.stack([c.scale, c.screws[:, 6]], axis=1) for c in chains]
        )
        self._dofs = np.concatenate([np.array(c.arm, np.int64) for c in chains])
        self._starts = np.cumsum([0, *(c.n for c in chains)])
        self._following: Following | None = None
        if coupled:
            m = len(self._dofs)
            arrays = (self._frames, self._axes, np.arange(m), self._starts)
            self._following = Following(given_chains, arrays)
        root = np.sqrt(given)
        self._weights = np.stack([root / self.length, root], axis=1)
        moved = np.concatenate(follows)
        slides = moved[self._axes[:, 1] != 0.0].any(axis=0)
        # a joint that can go all the way round has no limits for the search
        periods = joint_periods(given_chains, self.lower, self.upper)
        wide = self.upper - self.lower >= periods - 1e-9
        self._turns = np.where(wide & np.isfinite(periods), periods, 0.0)
        """(n,) periods of joints that can go all the way round, 0 for the others."""
        self._ends = (
            np.where(self._turns != 0.0, -np.inf, self.lower),
            np.where(self._turns != 0.0, np.inf, self.upper),
        )
        middle = np.zeros(n) if center is None else as_vector(center, n, "center")
        low, high = self._range(slides, middle)
        rng = np.random.default_rng(_SEED)
        self._table = low + rng.random((_TABLE, n)) * (high - low)
        self._tips = np.empty((_TABLE, t, 12))
        if not coupled:
            kernels.auto(_TABLE * 0.05).tips_of(
                self._frames,
                self._axes,
                self._dofs,
                self._starts,
                self._table,
                self._tips,
            )

    def _range(self, slides: NDArray[np.bool_], middle: Array) -> tuple[Array, Array]:
        """Return the box from which configurations are drawn."""
        turn = np.where(self._turns != 0.0, self._turns, 2.0 * math.pi)
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
        least_squares: bool = False,
        nearest: bool = True,
        starts: int = 100,
        tolerance: float = TOLERANCE,
    ) -> NumericResult:
        """Return joint values that meet all goals, or how near they can be met.

        Parameters
        ----------
        goals
            One per chain, in the chains' frame.
        q0
            (n,) where to begin.
        least_squares
            True: goals that cannot be met together are met in the least-squares sense.
        nearest
            Of the configurations that joints beyond those of the tasks leave, take the
            one nearest to `q0`.
        starts
            Most starts to try.
        tolerance
            Metres and radians that may be missed.
        """
        kinds, targets, tools = self._goals(goals)
        given = np.empty((0, self.n))
        if q0 is not None:
            given = as_vector(q0, self.n, "q0")[None].copy()
        most = max(1, starts if not least_squares else min(starts, 20))
        near = given[0] if len(given) else None
        wanted = near if nearest else None
        run = self._run if self._following is None else self._followed
        found, q, miss, taken, steps = run(
            (kinds, targets, tools, self._weights),
            given,
            wanted,
            np.array([tolerance, tolerance]),
            most,
        )
        q = self._placed(q, near)
        return NumericResult(
            q,
            found or least_squares,
            float(miss[0]),
            float(miss[1]),
            taken,
            steps,
            tuple(np.flatnonzero(q <= self.lower + 1e-9).tolist()),
            tuple(np.flatnonzero(q >= self.upper - 1e-9).tolist()),
        )

    def _run(
        self,
        goals: tuple[Any, ...],
        given: Array,
        wanted: Array | None,
        allowed: Array,
        starts: int,
        *,
        approaching: bool = True,
    ) -> tuple[bool, Array, Array, int, int]:
        """Return success, joint values, what they miss, starts and steps.

        Parameters
        ----------
        approaching
            Whether to go on to where the goals are missed least if they are not met.
        """
        module = kernels.auto(100.0)
        q = np.empty(self.n)
        report = np.zeros(4)
        problem = (self._frames, self._axes, self._dofs, self._starts, *goals)
        found = bool(
            module.solve(
                *problem,
                *self._ends,
                self._turns,
                given,
                self._table,
                self._tips,
                allowed,
                _STEPS,
                starts,
                q,
                report,
            )
        )
        miss = report[:2].copy()
        if found and wanted is not None:
            q = self._placed(q, wanted)
            module.settle(*problem, *self._ends, allowed, wanted, _SETTLE, q)
        if not found and approaching:
            module.approach(*problem, *self._ends, _APPROACH, q, miss)
            found = bool((miss <= allowed).all())
        return found, q, miss, int(report[2]), int(report[3])

    def _followed(
        self,
        goals: tuple[Any, ...],
        given: Array,
        wanted: Array | None,
        allowed: Array,
        starts: int,
        *,
        approaching: bool = True,
    ) -> tuple[bool, Array, Array, int, int]:
        """Do `_run` for axes that follow joints by formulas."""
        assert self._following is not None  # noqa: S101 - who calls saw to it
        descent = Descent(self._following.stacked(goals), *self._ends, allowed)
        rows = np.concatenate([given, self._table])[:starts]
        found, q, taken = descent.search(list(rows), _STEPS_FOLLOWED)
        if found and wanted is not None:
            q = descent.settle(self._placed(q, wanted), wanted, _SETTLE)
        if found or not approaching:
            miss = descent.stacked(q)[2]
        else:
            q, miss = descent.approach(q, _APPROACH)
            found = descent.met(miss)
        return found, q, miss, taken, descent.steps

    def _placed(self, q: Array, near: Array | None) -> Array:
        """Return joints moved by whole turns: into limits, and near others if asked.

        Joints without limits are in -pi..pi if nothing else is asked.
        """
        free = self._turns != 0.0
        turn = np.where(free, self._turns, 1.0)
        low, high = np.maximum(self.lower, -1e4), np.minimum(self.upper, 1e4)
        wanted = 0.5 * (low + high) if near is None else near
        moved = q + turn * np.round((wanted - q) / turn)
        moved += turn * np.ceil((low - moved) / turn) * (moved < low)
        moved -= turn * np.ceil((moved - high) / turn) * (moved > high)
        return np.where(free, np.clip(moved, low, high), q)

    def solve_several(
        self,
        goals: Sequence[IkParameterization] | IkParameterization,
        starts: int = 64,
        tolerance: float = TOLERANCE,
    ) -> Array:
        """Return the distinct configurations (k, n) that starts from a table lead to.

        There is no promise that these are all.
        """
        kinds, targets, tools = self._goals(goals)
        data = (kinds, targets, tools, self._weights)
        allowed = np.array([tolerance, tolerance])
        run = self._run if self._following is None else self._followed
        found: list[Array] = []
        for row in self._table[:starts]:
            met, q, *_ = run(data, row[None], None, allowed, 1, approaching=False)
            q = self._placed(q, row)
            if met and not any(self._same(q, other) for other in found):
                found.append(q)
        return np.array(found).reshape(len(found), self.n)

    def _same(self, a: Array, b: Array) -> bool:
        off = a - b
        free = self._turns != 0.0
        off[free] -= self._turns[free] * np.round(off[free] / self._turns[free])
        return bool(np.abs(off).max() < 1e-5)

    def tools(self, q: ArrayLike) -> Array:
        """Return the poses (t, 4, 4) of the tools at joint values (n,)."""
        row = as_vector(q, self.n, "q")[None].copy()
        if self._following is not None:
            return self._following.tools(row[0])
        t = len(self._starts) - 1
        tips = np.empty((1, t, 12))
        kernels.auto(0.05).tips_of(
            self._frames, self._axes, self._dofs, self._starts, row, tips
        )
        poses = np.tile(np.eye(4), (t, 1, 1))
        poses[:, :3] = tips[0].reshape(t, 3, 4)
        return poses

    def _goals(
        self, goals: Sequence[IkParameterization] | IkParameterization
    ) -> tuple[NDArray[np.int64], Array, Array]:
        several = goals if isinstance(goals, (list, tuple)) else [goals]
        t = len(self._starts) - 1
        if len(several) != t:
            raise ArgumentError(f"{len(several)} goals are given for {t} chains")
        kinds = np.empty(t, np.int64)
        targets = np.zeros((t, 12))
        tools = np.zeros((t, 6))
        for i, goal in enumerate(several):
            kinds[i], tools[i, 3:] = _target(goal, targets[i])
            tools[i, :3] = self._directions[i]
        return kinds, targets, tools


def solve_numeric(
    chain: ArmChain,
    goal: IkParameterization,
    q0: ArrayLike | None,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    direction: ArrayLike = (0.0, 0.0, 1.0),
    least_squares: bool = False,
    starts: int = 100,
) -> NumericResult:
    """Solve one task of one chain; see `NumericProblem`, which is for many.

    Parameters
    ----------
    goal
        In the chain's base frame.
    q0
        (n,) where to begin, or None.
    lower, upper
        (n,) limits of the arm's joints.
    direction
        (3,) the tool's direction in the tool frame.
    """
    directions = as_vector(direction, 3, "direction")[None]
    problem = NumericProblem([chain], lower, upper, directions=directions)
    return problem.solve(goal, q0, least_squares=least_squares, starts=starts)


_PLAIN = {
    Kind.Transform6D: _at.POSE,
    Kind.Rotation3D: _at.ROTATION,
    Kind.Translation3D: _at.POINT,
    Kind.TranslationLocalGlobal6D: _at.POINT,
    Kind.Direction3D: _at.DIRECTION,
    Kind.Ray4D: _at.RAY,
    Kind.Lookat3D: _at.LOOKAT,
    Kind.TranslationDirection5D: _at.POINT_DIRECTION,
    Kind.TranslationXY2D: _at.PLANE_POINT,
    Kind.TranslationXYOrientation3D: _at.PLANE_POSE,
}


def _target(goal: IkParameterization, out: Array) -> tuple[int, tuple[float, ...]]:
    """Write a goal as the kernels want it; return its kind and the point to place."""
    kind, v = goal.type, goal.array
    if kind.is_velocity:
        raise NotSupportedError(
            f"{kind.name} is a velocity: joint velocities follow at a configuration"
        )
    pose = out.reshape(3, 4)
    known = _PLAIN.get(kind)
    if known is None:
        axis = "XYZ".index(kind.name[len("Translation")])
        out[0] = v[0]
        pose[:, 3] = v[1:]
        if kind.name.endswith("Norm4D"):
            return _at.SHADOW + axis, _ORIGIN
        # the angle to an axis has no sign
        out[0] = abs((v[0] + math.pi) % (2.0 * math.pi) - math.pi)
        return _at.ANGLE + axis, _ORIGIN
    match kind:
        case Kind.Transform6D | Kind.Rotation3D:
            pose[:, :3] = matrix_from_quat(v[:4])
            pose[:, 3] = v[4:] if kind is Kind.Transform6D else 0.0
        case Kind.Direction3D:
            pose[:, 0] = v
        case Kind.Ray4D | Kind.TranslationDirection5D:
            pose[:, 0] = v[:3]
            pose[:, 3] = v[3:]
        case Kind.TranslationXY2D:
            pose[:2, 3] = v
        case Kind.TranslationXYOrientation3D:
            out[0] = v[2]
            pose[:2, 3] = v[:2]
        case Kind.TranslationLocalGlobal6D:
            pose[:, 3] = v[3:]
            return known, tuple(v[:3].tolist())
        case _:
            pose[:, 3] = v
    return known, _ORIGIN


def _reach(frames: Array) -> float:
    return float(np.linalg.norm(frames[1:, 3::4], axis=1).sum())


def frames_of(chain: ArmChain) -> Array:
    """Return the displacements (m + 1, 12) between frames whose z are the axes."""
    rows = []
    before = np.eye(4)
    for screw, offset in zip(chain.screws, chain.offset, strict=True):
        frame = _axis_frame(screw)
        rows.append(invert_pose(before) @ frame)
        still = np.eye(4)  # the axis' displacement at the joint's zero
        if screw[6]:
            still[2, 3] = offset
        else:
            c, s = math.cos(offset), math.sin(offset)
            still[:2, :2] = ((c, -s), (s, c))
        # what follows is displaced by the offset, seen from this axis
        before = frame @ invert_pose(still)
    rows.append(invert_pose(before) @ chain.home)
    return np.array([row[:3].ravel() for row in rows])


def _axis_frame(screw: Array) -> Array:
    """Return a frame on an axis with z along it."""
    z = screw[:3]
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    frame[:3, 3] = screw[3:6]
    return frame
