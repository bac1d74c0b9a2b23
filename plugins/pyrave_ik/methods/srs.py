"""Arms with a spherical shoulder and wrist, in closed form over their arm angle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.jit import KernelModule
from pyrave.spatial import Array, as_numbers, as_pose, as_vector, invert_pose
from pyrave_ik.arm.chain import normals
from pyrave_ik.arm.numeric_arrays import frames_of, goals_of, packed
from pyrave_ik.kernels.closed_forms import srs as at

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from pyrave_ik.arm.chain import ArmChain

kernels = KernelModule("pyrave_ik.kernels.closed_forms.srs")

_TOUCH = 1e-7
_TOLERANCE = 1e-9
_TURN = 2.0 * math.pi
_ENDLESS = 9999.0
_SAMPLES = 65
_ZOOMS = 6


@dataclass(frozen=True, slots=True)
class ArmAngleInterval:
    """Arm angles at which one branch reaches a target within joint limits.

    Parameters
    ----------
    branch
        0 to 7: 4 for the elbow's second angle, 2 for the shoulder's, 1 for the wrist's.
    lower, upper
        Radians; ``-pi <= lower <= pi`` and ``lower <= upper <= lower + 2 pi``: an
        interval may pass pi. Joint values are continuous inside.
    """

    branch: int
    lower: float
    upper: float

    def __contains__(self, psi: float) -> bool:
        turns = math.ceil((self.lower - psi) / _TURN - 1e-15)
        return self.lower <= psi + _TURN * turns <= self.upper


class SrsArm:
    """Solves poses of one arm at given arm angles. Immutable; threads may share it.

    The arm angle turns the elbow about the line from shoulder to wrist. It is 0 where
    the elbow lies on the side of the `reference`, and grows with a right-handed turn
    about the line; where the reference is parallel to the line, an axis of the base
    takes its place.

    Parameters
    ----------
    chain
        The arm; `of` says whether it is one of this kind.
    shoulder, wrist
        (3,) points where three axes meet, with all axes at zero, in the base frame.
    reference
        (3,) a direction in the base frame.
    """

    def __init__(
        self, chain: ArmChain, shoulder: Array, wrist: Array, reference: Array
    ) -> None:
        self.chain = chain
        self.shoulder = shoulder
        self.wrist = wrist
        self.reference = reference
        self._packed = _packed(chain, shoulder, wrist, reference)
        self._arm = np.array(chain.arm)

    @classmethod
    def of(cls, chain: ArmChain, reference: ArrayLike | None = None) -> SrsArm:
        """Return the solver of a chain.

        Parameters
        ----------
        reference
            (3,) direction in the base frame to which the elbow points at arm angle 0;
            the first joint's axis by default.

        Raises
        ------
        NotSupportedError
            The arm is of another kind; the message says why.
        """
        screws, names = chain.screws, chain.names
        if chain.n != 7:
            raise NotSupportedError(
                f"an arm angle needs seven joints, the arm has {chain.n}"
            )
        if chain.coupled:
            raise NotSupportedError("one joint moves several axes of the arm")
        if screws[:, 6].any():
            sliding = names[int(np.argmax(screws[:, 6]))]
            raise NotSupportedError(
                f"{sliding} slides; an arm angle needs joints that turn"
            )
        shoulder = _meeting(chain, (0, 1, 2), "shoulder")
        wrist = _meeting(chain, (4, 5, 6), "wrist")
        for first in (0, 4):
            for i, j in ((first, first + 1), (first + 1, first + 2)):
                if np.linalg.norm(np.cross(screws[i, :3], screws[j, :3])) < 1e-6:
                    raise NotSupportedError(
                        f"the axes of {names[i]} and {names[j]} are one line"
                    )
        _, k1, k2 = _span(chain, shoulder, wrist)
        if math.hypot(k1, k2) < 1e-9:
            raise NotSupportedError(
                f"{names[3]} does not change the distance of shoulder and wrist"
            )
        axis = screws[0, :3] if reference is None else as_vector(reference, 3, "ref")
        length = float(np.linalg.norm(axis))
        if not length > 0.0:
            raise ArgumentError("the reference direction is zero")
        return cls(chain, shoulder, wrist, axis / length)

    # -- one pose ----------------------------------------------------------------

    def at(self, q: ArrayLike) -> float:
        """Return the arm angle of joint values (7,); nan where it has none.

        It has none where shoulder and wrist coincide, or lie on the elbow's axis.
        """
        values = as_vector(q, 7, "q")
        pose = np.ascontiguousarray(self.chain.tool(values)[:3])
        angle = kernels.auto(1.0).angle_of(
            self._packed, pose, self.chain.values(values)
        )
        return float(angle)

    def solve(self, pose: ArrayLike, psi: float) -> Array:
        """Return all configurations (k, 7), k up to 8, at an arm angle.

        Angles of the axes are in -pi..pi; limits are not looked at.

        Parameters
        ----------
        pose
            T_base_tool.
        psi
            The arm angle, radians.
        """
        rows, ok = self._sweep(_target(pose), np.array([float(psi)]))
        return _distinct(rows[0][ok[0]])

    def branches(
        self, pose: ArrayLike, psis: ArrayLike
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Return configurations (k, 8, 7) at arm angles (k,), and which exist (k, 8).

        A branch keeps its place as the angle changes.
        """
        rows, ok = self._sweep(_target(pose), as_vector(psis, None, "psis"))
        return rows, ok

    def _sweep(self, target: Array, psis: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return joint values (k, 8, 7) and which are solutions (k, 8)."""
        rows = np.zeros((len(psis), 8, 7))
        ok = np.zeros((len(psis), 8))
        kernels.auto(1.0 * len(psis)).sweep(
            self._packed, target, psis, _TOLERANCE, rows, ok
        )
        return self._joints(rows), ok != 0.0

    def _joints(self, rows: Array) -> Array:
        """Return joint values of the axes' values (..., 7)."""
        out = np.empty_like(rows)
        out[..., self._arm] = (rows - self.chain.offset) / self.chain.scale
        return out

    # -- limits --------------------------------------------------------------------

    def intervals(
        self, pose: ArrayLike, lower: ArrayLike, upper: ArrayLike
    ) -> tuple[ArmAngleInterval, ...]:
        """Return the arm angles at which a pose is reached within joint limits.

        Sorted by branch and angle. The ends are exact: each is a root of one equation
        in the arm angle's cosine and sine. Branches end, too, where an outer axis of
        the shoulder or wrist comes to lie along the other one.

        Parameters
        ----------
        pose
            T_base_tool.
        lower, upper
            (7,) limits of the joints; beyond +-9999 there is none.
        """
        target = _target(pose)
        low, high = _limits(lower, upper)
        ends = self._axis_limits(low, high)
        found: list[ArmAngleInterval] = []
        for elbow in range(2):
            angles, walls = np.empty(64), np.empty(64)
            n = kernels.auto(1.0).critical(
                self._packed, target, elbow, *ends, angles, walls
            )
            if n < 0:
                continue
            order = np.argsort(angles[:n])
            cuts, parts = angles[:n][order], walls[:n][order] != 0.0
            if not n:
                cuts, parts = np.array([-math.pi]), np.zeros(1, dtype=bool)
            nexts = np.append(cuts[1:], cuts[0] + _TURN)
            rows, ok = self._sweep(target, 0.5 * (cuts + nexts))
            good = ok & self.inside(rows, low, high)[1]
            for branch in range(4 * elbow, 4 * elbow + 4):
                found += _merged(branch, cuts, nexts, parts, good[:, branch])
        return tuple(found)

    def inside(
        self,
        rows: Array,
        lower: ArrayLike,
        upper: ArrayLike,
        near: ArrayLike | None = None,
    ) -> tuple[Array, NDArray[np.bool_]]:
        """Move joint values by whole turns into limits, and near others if given.

        Parameters
        ----------
        rows
            (..., 7).
        near
            (7,) to which the copies are to be near.

        Returns
        -------
        tuple
            (..., 7) the values, and (...) which are within limits.
        """
        low, high = _limits(lower, upper)
        turn = self.periods
        moved = rows
        if near is not None:
            wanted = as_vector(near, 7, "near")
            moved = rows + turn * np.round((wanted - rows) / turn)
        moved = _inside(moved, low, high, turn)
        among = (moved >= low - 1e-9) & (moved <= high + 1e-9)
        fits = np.asarray(among.all(axis=-1))
        return np.where(fits[..., None], np.clip(moved, low, high), moved), fits

    def nearest(
        self, pose: ArrayLike, q0: ArrayLike, lower: ArrayLike, upper: ArrayLike
    ) -> tuple[float, Array] | None:
        """Return the arm angle and joint values (7,) nearest to `q0` (7,), or None."""
        wanted = as_vector(q0, 7, "q0")
        low, high = _limits(lower, upper)
        turn = self.periods

        def score(rows: Array) -> tuple[Array, Array]:
            shifted = _inside(
                rows + turn * np.round((wanted - rows) / turn), low, high, turn
            )
            return ((shifted - wanted) ** 2).sum(axis=-1), shifted

        return self._best(pose, low, high, score)

    def centered(
        self, pose: ArrayLike, lower: ArrayLike, upper: ArrayLike
    ) -> tuple[float, Array] | None:
        """Return the arm angle and joint values (7,) farthest from limits, or None.

        The distance is that of the joint nearest to a limit, in parts of its range.
        """
        low, high = _limits(lower, upper)
        turn = self.periods
        bounded = np.isfinite(high - low)
        low_end, high_end = np.where(bounded, low, -1.0), np.where(bounded, high, 1.0)
        span = np.maximum(high_end - low_end, 1e-12)

        def score(rows: Array) -> tuple[Array, Array]:
            shifted = _inside(rows, low, high, turn)
            room = np.minimum(shifted - low_end, high_end - shifted)
            parts = np.where(bounded, room / span, 0.5)
            return -parts.min(axis=-1), shifted

        return self._best(pose, low, high, score)

    def _best(
        self,
        pose: ArrayLike,
        low: Array,
        high: Array,
        score: Callable[[Array], tuple[Array, Array]],
    ) -> tuple[float, Array] | None:
        """Return the best configuration of all intervals: a grid that closes in."""
        target = _target(pose)
        best: tuple[float, float, Array] | None = None
        for one in self.intervals(pose, low, high):
            left, right = one.lower, one.upper
            for _ in range(_ZOOMS):
                # the very ends lie on limits, which rounding may pass
                psis = np.linspace(left, right, _SAMPLES)
                rows, ok = self._sweep(target, psis)
                costs, values = score(rows[:, one.branch])
                costs = np.where(ok[:, one.branch], costs, np.inf)
                values = np.clip(values, low, high)
                k = int(np.argmin(costs))
                if not np.isfinite(costs[k]):
                    break
                if best is None or costs[k] < best[0]:
                    best = float(costs[k]), float(psis[k]), values[k]
                left = psis[max(k - 1, 0)]
                right = psis[min(k + 1, _SAMPLES - 1)]
        if best is None:
            return None
        return (best[1] + math.pi) % _TURN - math.pi, best[2]

    @property
    def periods(self) -> Array:
        """(7,) what joint values make a whole turn of their axis."""
        out = np.empty(7)
        out[self._arm] = _TURN / np.abs(self.chain.scale)
        return out

    def _axis_limits(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Return the limits of the axes' values, in the chain's order."""
        with np.errstate(invalid="ignore"):
            ends = [
                self.chain.scale * bound[self._arm] + self.chain.offset
                for bound in (low, high)
            ]
        return np.minimum(*ends), np.maximum(*ends)


# -- parts -------------------------------------------------------------------------


def _target(pose: ArrayLike) -> Array:
    return np.ascontiguousarray(as_pose(pose)[:3])


def _limits(lower: ArrayLike, upper: ArrayLike) -> tuple[Array, Array]:
    low, high = _bounds(lower, "lower"), _bounds(upper, "upper")
    if (low > high).any():
        joint = int(np.argmax(low > high))
        raise ArgumentError(
            f"the lower limit of joint {joint} is above the upper one: "
            f"{low[joint]:g} > {high[joint]:g}"
        )
    return (
        np.where(low < -_ENDLESS, -np.inf, low),
        np.where(high > _ENDLESS, np.inf, high),
    )


def _bounds(values: ArrayLike, name: str) -> Array:
    """Return limits (7,), which may be infinite."""
    bounds = as_numbers(values, name)
    if bounds.shape != (7,) or np.isnan(bounds).any():
        raise ArgumentError(f"{name} is {values!r}, expected 7 limits")
    return bounds


def _inside(rows: Array, low: Array, high: Array, turn: Array) -> Array:
    """Return values moved by whole turns into limits where that is possible."""
    with np.errstate(invalid="ignore"):
        up = np.where(rows < low, np.ceil((low - rows) / turn - 1e-9), 0.0)
        down = np.where(rows > high, np.ceil((rows - high) / turn - 1e-9), 0.0)
    return np.asarray(rows + turn * (up - down))


def _merged(
    branch: int,
    cuts: Array,
    nexts: Array,
    walls: NDArray[np.bool_],
    good: NDArray[np.bool_],
) -> list[ArmAngleInterval]:
    """Return the pieces between cuts that are good, joined where no wall parts them."""
    n = len(cuts)
    if good.all() and not walls.any():
        return [ArmAngleInterval(branch, -math.pi, math.pi)]
    begins = [i for i in range(n) if good[i] and (walls[i] or not good[i - 1])]
    found = []
    for i in begins:
        j = i
        while good[(j + 1) % n] and not walls[(j + 1) % n]:
            j += 1
        upper = nexts[j % n] + (_TURN if j >= n else 0.0)
        if upper - cuts[i] > 1e-12:
            found.append(ArmAngleInterval(branch, float(cuts[i]), float(upper)))
    return found


def _distinct(rows: Array) -> Array:
    """Return the rows without repetitions: branches meet at singular poses."""
    kept: list[Array] = []
    for row in rows:
        off = [
            np.abs((row - other + math.pi) % _TURN - math.pi).max() for other in kept
        ]
        if not off or min(off) > 1e-6:
            kept.append(row)
    return np.array(kept).reshape(len(kept), 7)


def _meeting(chain: ArmChain, axes: tuple[int, ...], what: str) -> Array:
    """Return the point where three axes meet: least squares, then checked."""
    rows = chain.screws[list(axes)]
    normal = [np.eye(3) - np.outer(w, w) for w in rows[:, :3]]
    total = np.sum(normal, axis=0)
    if np.linalg.cond(total) > 1e12:
        raise NotSupportedError(f"the three axes of the {what} are parallel")
    side = np.sum([n @ p for n, p in zip(normal, rows[:, 3:6], strict=True)], axis=0)
    point = np.linalg.solve(total, side)
    off = [
        float(np.linalg.norm(n @ (point - p)))
        for n, p in zip(normal, rows[:, 3:6], strict=True)
    ]
    if max(off) > _TOUCH:
        names = ", ".join(chain.names[i] for i in axes)
        raise NotSupportedError(
            f"the axes of {names} do not meet in a {what}: they pass "
            f"{max(off):.2g} m from their common point"
        )
    return np.asarray(point)


def _span(chain: ArmChain, shoulder: Array, wrist: Array) -> tuple[float, float, float]:
    """Return the squared distance of shoulder and wrist as 1, cos, sin of the elbow."""
    w, p = chain.screws[3, :3], chain.screws[3, 3:6]
    arm = wrist - p
    along = w * (w @ arm)
    still, swinging = p - shoulder + along, arm - along
    return (
        float(still @ still + swinging @ swinging),
        float(2.0 * still @ swinging),
        float(2.0 * still @ np.cross(w, swinging)),
    )


def _packed(chain: ArmChain, shoulder: Array, wrist: Array, reference: Array) -> Array:
    """Return what the kernels need of the arm."""
    arm = np.zeros(at.PROBLEM)
    axes = chain.screws[:, :3]
    arm[at.AXES : at.AXES + 21] = axes.ravel()
    arm[at.SHOULDER : at.SHOULDER + 3] = shoulder
    arm[at.WRIST : at.WRIST + 3] = wrist
    arm[at.ELBOW : at.ELBOW + 3] = chain.screws[3, 3:6]
    arm[at.REFERENCE : at.REFERENCE + 3] = reference
    arm[at.SPAN : at.SPAN + 3] = _span(chain, shoulder, wrist)
    arm[at.HOME : at.HOME + 12] = invert_pose(chain.home)[:3].ravel()
    for part, first in enumerate((0, 4)):
        begin = at.EULER + 28 * part
        arm[begin : begin + 28] = _euler(*axes[first : first + 3])
    still = chain.bare()
    endless = np.full((2, 7), ((-np.inf,), (np.inf,)))
    none = np.empty((0, 7))
    frames = frames_of(still)
    problem = packed([still], [frames], endless, np.zeros(7), goals_of(), none)
    return np.concatenate([arm, problem])


def _euler(w0: Array, w1: Array, w2: Array) -> Array:
    """Return a joint triple's part of the packed arm; see the kernel ``decomposed``."""

    def swung(v: Array, sign: float) -> Array:
        """Return R1(sign x) v as rows 1, cos x, sin x."""
        along = w1 * (w1 @ v)
        return np.stack([along, v - along, sign * np.cross(w1, v)])

    u0, v0 = normals(w0)
    u2, v2 = normals(w2)
    last, first = swung(w2, 1.0), swung(w0, -1.0)
    c0, c1, c2 = last @ w0
    radius = math.hypot(c1, c2)
    return np.concatenate(
        [
            [c0, radius, c1 / radius, c2 / radius],
            *(u0, v0, last @ u0, last @ v0),
            *(u2, v2, first @ u2, first @ v2),
        ]
    )
