"""A loop, its decomposition and the arm's joints as one array for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import KernelModule
from pyrave.spatial import invert_pose
from pyrave_ik.classify import Kind
from pyrave_ik.kernels.delivery import _kernels as at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array
    from pyrave_ik.classify import Decomposition

__all__ = ["TURNS", "JointMap", "kernels_of", "pack"]

_GENERAL = KernelModule("pyrave_ik.kernels.general._kernels")
_CLOSED = KernelModule("pyrave_ik.kernels.closed_arm._kernels")
_DIRECT = {
    Kind.WRIST: KernelModule("pyrave_ik.kernels.wrist._kernels"),
    Kind.PARALLEL: KernelModule("pyrave_ik.kernels.parallel._kernels"),
}
_FLAT = 1e-9
TURNS = (0.83, 2.1, -1.3)


@dataclass(frozen=True, eq=False)
class JointMap:
    """How the axes of a loop follow an arm's joints: ``scale * q + offset``.

    Parameters
    ----------
    order
        (6,) number of the joint that moves each axis.
    scale, offset
        (6,).
    lower, upper
        (6,) limits of the joints in the order of the axes; infinite for joints that
        turn without end.
    copies
        Whether all values that differ by whole turns are wanted, not one of them.
    """

    order: Sequence[int]
    scale: Array
    offset: Array
    lower: Array
    upper: Array
    copies: bool = False


def pack(
    how: Decomposition,
    screws: Array,
    home: Array,
    joints: JointMap,
    turns: Sequence[float] = TURNS,
    tolerance: float = 1e-9,
) -> Array:
    """Return what the kernels ``solve_pose`` need of an arm, float64.

    Parameters
    ----------
    how
        The decomposition of the loop.
    screws
        (6, 7) axis, point on it, 1 for sliding, in the base frame at zero.
    home
        (4, 4) T_base_tool with all axes at zero.
    turns
        (3,) see `kernels.eliminate`.
    """
    plan = np.zeros(at.SIZE)
    plan[at.KIND] = how.kind
    plan[at.FIRST] = how.first
    plan[at.BACKWARD] = how.backward
    plan[at.TOLERANCE] = tolerance
    plan[at.TURNS : at.TURNS + 3] = turns
    plan[at.SCREWS : at.SCREWS + 42] = screws.ravel()
    plan[at.HOME : at.HOME + 12] = invert_pose(home)[:3].ravel()
    plan[at.ORDER : at.ORDER + 6] = joints.order
    plan[at.SCALE : at.SCALE + 6] = joints.scale
    plan[at.OFFSET : at.OFFSET + 6] = joints.offset
    plan[at.LOWER : at.LOWER + 6] = joints.lower
    plan[at.UPPER : at.UPPER + 6] = joints.upper
    plan[at.COPIES] = joints.copies
    if how.first == 0 and not screws[:, 6].any():
        _pack_direct(plan, how, screws, home)
    return plan


def kernels_of(plan: Array) -> KernelModule:
    """Return the kernels that solve an arm: ``solve_pose`` and its like."""
    kind = Kind(int(plan[at.KIND]))
    if plan[at.FORM] != 0.0:
        return _DIRECT[kind]
    return _GENERAL if kind is Kind.GENERAL else _CLOSED


def _pack_direct(plan: Array, how: Decomposition, screws: Array, home: Array) -> None:
    """Add the links between the axes if `kernels.direct` handles such an arm."""
    mine, sign = screws.copy(), np.ones(6)
    if how.backward:
        mine = mine[::-1].copy()
        mine[:, :3] *= -1.0
    if how.kind is Kind.PARALLEL:
        for k in (2, 3):
            if mine[k, :3] @ mine[1, :3] < 0.0:
                mine[k, :3] *= -1.0
                sign[k] *= -1.0
    frames = _frames(mine)
    if frames is None:
        return
    first, last, links, zero = frames
    before = invert_pose(first)
    if how.backward:
        before, after = before @ home, last
    else:
        after = invert_pose(home) @ last
    if how.kind is Kind.WRIST:
        found = _wrist_mode(links)
    elif how.kind is Kind.PARALLEL:
        found = _parallel_mode(links)
    else:
        return
    if found is None:
        return
    mode, shift = found
    if how.kind is Kind.WRIST:
        links[1, 1] -= shift
    plan[at.FORM] = 1.0
    plan[at.LEFT : at.LEFT + 12] = before[:3].ravel()
    plan[at.RIGHT : at.RIGHT + 12] = after[:3].ravel()
    plan[at.SIGN : at.SIGN + 6] = sign
    plan[at.ZERO : at.ZERO + 6] = zero
    plan[at.LINKS : at.LINKS + 20] = links.ravel()
    plan[at.MODE] = mode
    plan[at.SHIFT] = shift


def _frames(screws: Array) -> tuple[Array, Array, Array, Array] | None:
    """Return the first and last frame, links (5, 4) and angles at zero (6,).

    Frames have z along an axis; link i takes that of axis i, x along the common normal,
    to axis i + 1: length, offset along the axis, cosine and sine of the twist.
    """
    links, zero = np.zeros((5, 4)), np.zeros(6)
    first = frame = np.eye(4)
    for i in range(5):
        z, p = screws[i, :3], screws[i, 3:6]
        w, q = screws[i + 1, :3], screws[i + 1, 3:6]
        cross = np.cross(z, w)
        sine, cosine = float(np.linalg.norm(cross)), float(z @ w)
        if sine < _FLAT:
            origin = frame[:3, 3] if i else p
            between = q - origin
            between = between - (between @ z) * z
            length = float(np.linalg.norm(between))
            if length < _FLAT:
                return None
            x, foot = between / length, origin + between
            cosine, sine = (1.0, 0.0) if cosine > 0.0 else (-1.0, 0.0)
        else:
            x = cross / sine
            between = q - p
            length = float(between @ x)
            origin = p + np.cross(between, w) @ cross / sine**2 * z
            foot = origin + length * x
            if abs(length) < _FLAT:
                length = 0.0
        out = _frame(z, x, origin)
        if i == 0:
            first = frame = out
        local = invert_pose(frame) @ out
        zero[i] = np.arctan2(local[1, 0], local[0, 0])
        links[i] = length, local[2, 3], cosine, sine
        frame = _frame(w, x, foot)
    links[np.abs(links) < 1e-13] = 0.0
    return first, frame, links, zero


def _frame(z: Array, x: Array, origin: Array) -> Array:
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2] = x, np.cross(z, x), z
    frame[:3, 3] = origin
    return frame


def _wrist_mode(links: Array) -> tuple[float, float] | None:
    """Return (mode, shift) where the position needs quadratic equations, see `direct`.

    Mode 0 and 1: an equation of heights or of distances holds joint 0 alone; 2 and 3:
    joint 2 alone. Shift is where on axis 1 distances are measured from.
    """
    (a0, _, _, s0), (a1, d1, _, s1), _, (_, _, _, s3), (_, _, _, s4) = links
    if min(abs(s3), abs(s4)) < _FLAT:
        return None
    if abs(s1) < _FLAT:
        return (0.0, 0.0) if abs(s0) > _FLAT else None
    if a1 == 0.0:
        return (1.0, d1) if abs(a0) > _FLAT or abs(s0) > _FLAT else None
    if a0 == 0.0:
        return 3.0, 0.0
    if abs(s0) < _FLAT:
        return 2.0, 0.0
    return None


def _parallel_mode(links: Array) -> tuple[float, float] | None:
    (_, _, _, s0), _, _, (_, _, _, s3), (a4, _, _, s4) = links
    if min(abs(s0), abs(s3), abs(s4)) < _FLAT or a4 != 0.0:
        return None
    return 0.0, 0.0
