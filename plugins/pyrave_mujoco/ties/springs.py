"""Springs and dampers along the motions that a tie leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array, skew

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.scene import Spring
    from pyrave_mujoco.ties.chains import PoseJointChain

_RIGID = 1e-6
"""Ratio of compliances below which the smaller one is none."""
SHORTEST = 1e-4
"""Seconds: no spring makes steps shorter."""
_RESOLVED = 0.5
"""Step times the frequency of a spring, and times the decay of a damper."""


@dataclass(frozen=True, slots=True, eq=False)
class Bushing:
    """A spring and damper along the motions of a chain.

    Parameters
    ----------
    stiffness, damping
        (n, n) along the n rates of the chain, turns of a ball about axes of the first
        frame: N/m, N m/rad and N s/m, N m s/rad.
    shift
        (n,) displacement of slides and hinges at zero; 0 for a ball.
    turn
        (3, 3) displacement of a ball at zero.
    """

    stiffness: Array
    damping: Array
    shift: Array
    turn: Array


def read_spring(spring: Spring, n: int) -> tuple[list[int], Array, Array, str]:
    """Return free directions, stiffness and damping of these, and what is left out.

    A direction without compliance is rigid.
    """
    free = list(range(n))
    damping = np.array(spring.damping, float) if spring.damping else np.zeros((n, n))
    stiffness, note = np.zeros((n, n)), ""
    if spring.compliance:
        compliance = np.array(spring.compliance, float)
        used = compliance.any(axis=0) | compliance.any(axis=1)
        free = np.flatnonzero(used).tolist()
        rows = np.ix_(free, free)
        compliance, damping = compliance[rows], damping[rows]
        scale = np.sqrt(np.abs(np.diag(compliance)))
        scale[scale == 0.0] = 1.0
        even = compliance / np.outer(scale, scale)
        values = np.linalg.svd(even, compute_uv=False)
        if values.min(initial=1.0) >= _RIGID * values.max(initial=1.0):
            with np.errstate(all="ignore"):
                stiffness = np.linalg.inv(compliance)
        else:
            stiffness = np.full_like(compliance, np.inf)
        if not np.isfinite(stiffness).all():
            stiffness = np.zeros_like(compliance)
            note = "the spring, whose compliance has no inverse,"
    return free, stiffness, damping, note


def bushing_of(
    chain: PoseJointChain, rest: Array, stiffness: Array, damping: Array
) -> Bushing:
    """Return springs at rest where the child's frame is in that of the constraint.

    Parameters
    ----------
    rest
        (4, 4) the child in the frame of the constraint where the chain is at zero.
    """
    n = len(stiffness)
    found = chain.coordinates(rest, chain.zero)
    if chain.has_ball:
        shift = np.concatenate((found[:-4], np.zeros(3)))
        return Bushing(stiffness, damping, shift, rest[:3, :3])
    return Bushing(stiffness, damping, found[:n], np.eye(3))


def longest_step(
    chain: PoseJointChain, ends: Iterable[tuple[Link, Array]], bushing: Bushing
) -> float:
    """Return the longest step that resolves a spring and damper, seconds.

    They push with the state before a step: semi-implicit steps are stable for less than
    2 over the frequency, and explicit ones for less than 2 over the decay.

    Parameters
    ----------
    ends
        The links that move, and their (4, 4) poses in the first frame of the chain.
    """
    jacobian, softness = chain.jacobian(chain.zero), np.zeros(bushing.stiffness.shape)
    for link, pose in ends:
        arm = skew(pose[:3, :3] @ link.local_com + pose[:3, 3])
        own = pose[:3, :3] @ link.local_inertia @ pose[:3, :3].T
        inertia = np.zeros((6, 6))
        inertia[:3, :3] = link.mass * np.eye(3)
        inertia[:3, 3:], inertia[3:, :3] = -link.mass * arm, link.mass * arm
        inertia[3:, 3:] = own - link.mass * arm @ arm
        softness += np.linalg.pinv(jacobian.T @ inertia @ jacobian)
    decay = np.abs(np.linalg.eigvals(softness @ bushing.damping)).max(initial=0.0)
    square = np.abs(np.linalg.eigvals(softness @ bushing.stiffness)).max(initial=0.0)
    rate = max(float(decay), float(np.sqrt(square)))
    return _RESOLVED / rate if rate > 0.0 else np.inf
