"""Goals that no joint values reach, proven by distances alone.

A point on an axis is at rest in both links that the axis joins, so that the lengths
between points of neighbouring axes bound how far the first and the last can be apart,
whatever the joints do. Where three points are left, as of an arm with a spherical
shoulder and wrist, their distance is a function of the elbow alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkParameterizationType as Kind
from pyrave.spatial import invert_pose
from pyrave_ik.arm.chain import displaced

if TYPE_CHECKING:
    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain

_SWEEPS = 60
_SAME = 1e-9
_SAFE = 1e-7
_PLACED = {
    Kind.Transform6D,
    Kind.Translation3D,
    Kind.TranslationDirection5D,
    Kind.TranslationXAxisAngle4D,
    Kind.TranslationYAxisAngle4D,
    Kind.TranslationZAxisAngle4D,
    Kind.TranslationXAxisAngleZNorm4D,
    Kind.TranslationYAxisAngleXNorm4D,
    Kind.TranslationZAxisAngleYNorm4D,
}
"""Kinds of goals that place a point of the tool."""


@dataclass(frozen=True, eq=False)
class ReachBound:
    """Bounds of the distance of a point of the tool from one of the base.

    Parameters
    ----------
    start
        (3,) the point in the base's frame.
    tip
        (3,) the point in the tool's frame.
    least, most
        Metres, whatever the turning joints do.
    elbow
        Name of the one joint that the distance depends on; empty if there are several.
    inner, outer
        Metres, within that joint's limits.
    """

    start: Array
    tip: Array
    least: float
    most: float
    elbow: str = ""
    inner: float = 0.0
    outer: float = math.inf

    @classmethod
    def from_chain(
        cls, chain: ArmChain, kind: Kind, limits: Array
    ) -> ReachBound | None:
        """Return the bounds, None where goals of a kind place no point.

        Parameters
        ----------
        limits
            (n, 2) of the axes' values; infinite where there are none.
        """
        turning = np.flatnonzero(chain.screws[:, 6] == 0.0)
        slack = 0.5 * float(
            (limits[:, 1] - limits[:, 0])[chain.screws[:, 6] != 0.0].sum()
        )
        if kind not in _PLACED or not len(turning) or not math.isfinite(slack):
            return None
        axes, tool = _amidst(chain, limits)
        fixed = None if kind is Kind.Transform6D else tool[:3, 3]
        points = _shortest(axes[turning], fixed)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        total, longest = float(lengths.sum()), float(lengths.max(initial=0.0))
        tip = invert_pose(tool) @ np.append(points[-1], 1.0)
        least, most = max(2.0 * longest - total - slack, 0.0), total + slack
        middle = _elbow(axes[turning], points[0], points[-1]) if slack == 0.0 else -1
        if middle < 0:
            return cls(points[0], tip[:3], least, most)
        axis = turning[middle]
        ends = _distances(axes[axis], points[0], points[-1], limits[axis])
        whole = _distances(
            axes[axis], points[0], points[-1], np.array((-math.pi, math.pi))
        )
        return cls(points[0], tip[:3], *whole, chain.names[axis], *ends)

    def proof(self, goal: Array, miss: float = 0.0) -> str:
        """Return a proof that no joint values reach a goal, empty without one.

        Parameters
        ----------
        goal
            (4, 4) T_base_tool of a pose that meets it.
        miss
            How much each entry of that matrix may deviate.
        """
        point = goal[:3, :3] @ self.tip + goal[:3, 3]
        away = float(np.linalg.norm(point - self.start))
        safe = _SAFE + 2.0 * miss * (1.0 + float(np.abs(self.tip).sum()))
        text = f"its point is {away:.4g} m from where the first axis passes, "
        if away > self.most + safe:
            return f"{text}the arm reaches {self.most:.4g} m, whatever the limits"
        if away < self.least - safe:
            return f"{text}the arm keeps {self.least:.4g} m, whatever the limits"
        if not self.inner - safe <= away <= self.outer + safe:
            return (
                f"{text}the limits of {self.elbow!r} leave {self.inner:.4g} to "
                f"{self.outer:.4g} m"
            )
        return ""


def _amidst(chain: ArmChain, limits: Array) -> tuple[Array, Array]:
    """Return the screws and T_base_tool with sliders in the middle of their range."""
    screws, pose = chain.screws.copy(), np.eye(4)
    for k, row in enumerate(chain.screws):
        screws[k, :3] = pose[:3, :3] @ row[:3]
        screws[k, 3:6] = pose[:3, :3] @ row[3:6] + pose[:3, 3]
        if row[6]:
            pose = pose @ displaced(row, float(limits[k].mean()))
    return screws, pose @ chain.home


def _shortest(axes: Array, end: Array | None) -> Array:
    """Return points (k, 3), one on each axis and the end, with short ways between."""
    points = axes[:, 3:6].copy()
    if end is not None:
        points = np.vstack([points, end])
    for _ in range(_SWEEPS):
        for k, row in enumerate(axes):
            others = [points[j] for j in (k - 1, k + 1) if 0 <= j < len(points)]
            heights = [float((p - row[3:6]) @ row[:3]) for p in others]
            sizes = [
                float(np.linalg.norm(p - row[3:6] - h * row[:3]))
                for p, h in zip(others, heights, strict=True)
            ]
            if not others:
                continue
            # the straight way from one to the other, unfolded about the axis
            if len(others) == 2 and sum(sizes) > 0.0:
                along = (heights[0] * sizes[1] + heights[1] * sizes[0]) / sum(sizes)
            else:
                along = heights[0]
            points[k] = row[3:6] + along * row[:3]
    return points


def _elbow(axes: Array, first: Array, last: Array) -> int:
    """Return the only axis (of n) between two points, -1 where several are.

    The axes before it pass through the first point, those behind it through the last.
    """
    n = len(axes)
    before = after = 0
    while before < n and _is_on(axes[before], first):
        before += 1
    while after < n and _is_on(axes[n - 1 - after], last):
        after += 1
    return before if before + after + 1 == n else -1


def _is_on(axis: Array, point: Array) -> bool:
    """Return True if an axis passes through a point."""
    return bool(np.linalg.norm(np.cross(axis[:3], point - axis[3:6])) < _SAME)


def _distances(axis: Array, a: Array, b: Array, limits: Array) -> tuple[float, float]:
    """Return the least and greatest distance of a and b as b turns about an axis."""
    lower, upper = limits
    squares = [
        float(np.sum(((displaced(axis, t) @ np.append(b, 1.0))[:3] - a) ** 2))
        for t in (0.0, 0.5 * math.pi, math.pi)
    ]
    # c + p cos(t) + q sin(t)
    c = 0.5 * (squares[0] + squares[2])
    p, q = squares[0] - c, squares[1] - c
    top = math.atan2(q, p)
    if not upper - lower < 2.0 * math.pi:
        lower, upper = top - math.pi, top + math.pi
    angles = [lower, upper]
    for extreme in (top, top + math.pi):
        turn = lower + (extreme - lower) % (2.0 * math.pi)
        if turn <= upper:
            angles.append(turn)
    values = [max(c + p * math.cos(t) + q * math.sin(t), 0.0) for t in angles]
    return math.sqrt(min(values)), math.sqrt(max(values))
