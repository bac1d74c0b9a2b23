"""Self-motions: the motions of an arm's joints that keep a goal.

At a configuration they are the null space of the goal's Jacobian. Over random
configurations it shows which joints can be held: those that it moves. A joint that it
never moves, such as the elbow of an arm with a spherical shoulder and wrist, has its
value from the goal, and holding it at any other loses all solutions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkParameterization
from pyrave_ik.arm.chain import displaced
from pyrave_ik.arm.goals import task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.ik import IkParameterizationType
    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain

_SAMPLES = 128
_SEED = 20261201
_LEAST = 1e-3
_LINE_LEAST = 0.02
ARC = 1.2
"""Way in the space of the joints, radians, from one value of a held joint to the next
where the search begins."""
_STEPS = (0.03, 0.6)
"""Least and greatest step of a held joint, radians."""
_FAST = 0.8
_MARGIN = 0.1


@dataclass(frozen=True, eq=False)
class Line:
    """A held joint that a search takes through its range, others held at values.

    Parameters
    ----------
    index
        Which of the held joints.
    step
        Of its axis, radians or metres, with which a search begins.
    reach
        (7,) how far joints of the loop and this one may move within a step: of the
        arm's axes that move then, in their order, and infinite for virtual joints.
    """

    index: int
    step: float
    reach: Array


@dataclass(frozen=True, eq=False)
class NullSpace:
    """Null spaces of a kind of goals at random configurations. Immutable.

    Parameters
    ----------
    bases
        (s, n, f) orthonormal: f motions of the n axes that keep the goal. Sliding axes
        count in units of `scale`.
    scale
        (n,) 1, and for a sliding axis half of the arm's reach, metres.
    ranges
        (n,) width of each axis' range in these units, at most a turn.
    """

    bases: Array
    scale: Array
    ranges: Array

    @classmethod
    def of(
        cls,
        chain: ArmChain,
        kind: IkParameterizationType,
        direction: Array,
        point: Array,
        *,
        planar: bool = False,
    ) -> NullSpace:
        """Return the null spaces of an arm's goals, see `AnalyticSolver`."""
        rng = np.random.default_rng(_SEED)
        slides = chain.screws[:, 6] != 0.0
        scale = np.where(slides, 0.5 * chain.reach, 1.0)
        lower, upper = chain.ranges.T
        values = rng.uniform(lower, upper, (_SAMPLES, chain.n))
        jacobians, poses = _jacobians(chain, values)
        jacobians *= scale
        surplus = chain.n - kind.dof
        for i, pose in enumerate(poses):
            goal = IkParameterization.from_pose(kind, pose, direction, point)
            task = task_of(goal, direction, chain.home, planar=planar)
            surplus = chain.n + len(task.names) - 6
            if not task.names:
                break
            # the first virtual joint is carried by the tool, the others by the goal
            frames = [pose, *(task.goal for _ in task.virtual[1:])]
            free = [_twist(*pair) for pair in zip(task.virtual, frames, strict=True)]
            by_goal = np.linalg.qr(np.array(free).T)[0]
            jacobians[i] -= by_goal @ (by_goal.T @ jacobians[i])
        rows = np.linalg.svd(jacobians)[2]
        bases = rows[:, chain.n - surplus :].transpose(0, 2, 1)
        width = np.where(slides, upper - lower, np.minimum(upper - lower, 2 * math.pi))
        return cls(bases, scale, width / scale)

    def shares(self) -> Array:
        """Return the median part (n,) that each axis has in motions that keep goals."""
        return _median(np.linalg.norm(self.bases, axis=2))

    def coverage(self, held: Sequence[int]) -> float:
        """Return the median volume, 0..1, that held axes show of motions of size 1."""
        volumes = np.abs(np.linalg.det(self.bases[:, list(held)]))
        return float(_median(volumes))

    def extent(self, held: Sequence[int]) -> float:
        """Return the volume of held axes' range as motions that keep goals go.

        Infinite where these do not move them.
        """
        covered = self.coverage(held)
        ranges = float(np.prod(self.ranges[list(held)]))
        return ranges / covered if covered > _LEAST else math.inf

    def line(self, held: Sequence[int], order: Sequence[int], virtual: int) -> Line:
        """Return the search of a held axis: that which moves least of all that do.

        Parameters
        ----------
        order
            All axes in the order in which the kernels have them.
        virtual
            Number of virtual joints.
        """
        motions = [self._alone(held, k) for k in range(len(held))]
        found = zip(motions, held, strict=True)
        speed = np.array([_median(np.abs(v[:, axis])) for v, axis in found])
        index = int(np.argmin(np.where(speed > _LINE_LEAST, speed, 2.0 - speed)))
        axis, motion = held[index], np.abs(motions[index])
        step = min(max(ARC * float(speed[index]), _STEPS[0]), _STEPS[1])
        rates = motion / np.maximum(motion[:, [axis]], _LEAST)
        most = (_quantile(rates, _FAST) * step + _MARGIN) * self.scale
        moving = [i for i in order if i == axis or i not in held]
        reach = np.concatenate([most[moving], np.full(virtual, math.inf)])
        return Line(index, step * float(self.scale[axis]), reach)

    def _alone(self, held: Sequence[int], index: int) -> Array:
        """Return motions (s, n) of size 1 that keep all held axes but one."""
        others = [axis for k, axis in enumerate(held) if k != index]
        if not others:
            return np.asarray(self.bases[:, :, 0])
        weights = np.linalg.svd(self.bases[:, others])[2][:, -1]
        return np.asarray(np.einsum("snf,sf->sn", self.bases, weights))


def _jacobians(chain: ArmChain, values: Array) -> tuple[Array, Array]:
    """Return the Jacobians (s, 6, n) at values (s, n) of the axes, and T_base_tool."""
    poses = np.tile(np.eye(4), (len(values), 1, 1))
    columns = []
    for row, value in zip(chain.screws, values.T, strict=True):
        columns.append([_twist(row, pose) for pose in poses])
        poses = poses @ np.array([displaced(row, float(x)) for x in value])
    return np.array(columns).transpose(1, 2, 0), poses @ chain.home


def _twist(row: Array, pose: Array) -> Array:
    """Return the twist (6,), angular first, of a screw behind a displacement."""
    axis = pose[:3, :3] @ row[:3]
    if row[6]:
        return np.concatenate([np.zeros(3), axis])
    point = pose[:3, :3] @ row[3:6] + pose[:3, 3]
    x, y, z = axis
    px, py, pz = point
    return np.array([x, y, z, py * z - pz * y, pz * x - px * z, px * y - py * x])


def _median(rows: Array) -> Array:
    """Return the median of rows (n, ...), of the two in the middle the mean.

    That of numpy imports `numpy.ma`, of which a first call would wait.
    """
    ordered = np.sort(rows, axis=0)
    return np.asarray(0.5 * (ordered[(len(rows) - 1) // 2] + ordered[len(rows) // 2]))


def _quantile(rows: Array, share: float) -> Array:
    """Return the values that a share of rows (n, ...) is below, those of numpy."""
    ordered, place = np.sort(rows, axis=0), share * (len(rows) - 1)
    low = int(place)
    below, above = ordered[low], ordered[min(low + 1, len(rows) - 1)]
    part, between = place - low, above - below
    # from the nearer end, so that equal ends give the same
    near = above - between * (1.0 - part) if part >= 0.5 else below + between * part
    return np.asarray(near)
