"""Chains, limits and goals as the arrays of numbers that the numerical kernels take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkParameterizationType as Kind
from pyrave.spatial import Array, invert_pose, matrix_from_quat
from pyrave_ik.kernels.iteration import residuals as at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.ik import IkParameterization
    from pyrave_ik.arm.chain import ArmChain

_KINDS = {
    Kind.Transform6D: at.POSE,
    Kind.Rotation3D: at.ROTATION,
    Kind.Translation3D: at.POINT,
    Kind.TranslationLocalGlobal6D: at.POINT,
    Kind.Direction3D: at.DIRECTION,
    Kind.Ray4D: at.RAY,
    Kind.Lookat3D: at.LOOKAT,
    Kind.TranslationDirection5D: at.POINT_DIRECTION,
    Kind.TranslationXY2D: at.PLANE_POINT,
    Kind.TranslationXYOrientation3D: at.PLANE_POSE,
}


# -- chains ----------------------------------------------------------------------------


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


def _axes_of(chain: ArmChain) -> Array:
    """Return the rows (m, AXIS) of a chain's axes."""
    again = [joint in chain.arm[:k] for k, joint in enumerate(chain.arm)]
    return np.column_stack([chain.scale, chain.screws[:, 6], chain.arm, again])


def tools_of(chain: ArmChain, frames: Array, table: Array) -> Array:
    """Return the tools (k, 12) at joint values (k, n).

    Parameters
    ----------
    frames
        See `frames_of`.
    """
    poses = np.tile(np.eye(4), (len(table), 1, 1))
    fixed = np.tile(np.eye(4), (len(frames), 1, 1))
    fixed[:, :3] = frames.reshape(-1, 3, 4)
    for k, joint in enumerate(chain.arm):
        values = chain.scale[k] * table[:, joint]
        motion = np.tile(np.eye(4), (len(table), 1, 1))
        if chain.screws[k, 6]:
            motion[:, 2, 3] = values
        else:
            c, s = np.cos(values), np.sin(values)
            motion[:, 0, 0] = motion[:, 1, 1] = c
            motion[:, 1, 0], motion[:, 0, 1] = s, -s
        poses = poses @ fixed[k] @ motion
    return np.asarray((poses @ fixed[-1])[:, :3].reshape(-1, 12))


def packed(
    chains: Sequence[ArmChain],
    frames: Sequence[Array],
    limits: Array,
    turns: Array,
    goals: Array,
    table: Array,
) -> Array:
    """Return a problem as `kernels.iteration.residuals` describes it.

    Parameters
    ----------
    frames
        Of each chain, see `frames_of`.
    limits
        (2, n) of the joints.
    turns
        (n,) periods of joints that can go all the way round, 0 for the others.
    goals
        (t, GOAL) see `goals_of`.
    table
        (k, n) configurations to start from.
    """
    t, n, m = len(chains), limits.shape[1], sum(chain.n for chain in chains)
    # a joint that can go all the way round has no limits for the search
    endless = np.array([[-np.inf], [np.inf]])
    tips = [tools_of(*pair, table) for pair in zip(chains, frames, strict=True)]
    arrays = {
        at.FRAMES: np.concatenate(frames),
        at.AXES: np.concatenate([_axes_of(chain) for chain in chains]),
        at.STARTS: np.cumsum([0, *(chain.n for chain in chains)]),
        at.ENDS: np.where(turns != 0.0, endless, limits),
        at.LIMITS: limits,
        at.TURNS: turns,
        at.GOALS: goals,
        at.TABLE: table,
        at.TIPS: np.stack(tips, axis=1),
    }
    r = at.ROWS * t
    work = {
        at.ERROR: r,
        at.COLUMNS: n * r,
        at.MULTIPLIERS: r,
        at.CHANGE: n,
        at.MATRIX: r * r if t > 1 else 0,
        at.LINES: 6 * m,
    }
    head = np.zeros(at.SIZES)
    head[at.N_JOINTS], head[at.N_AXES] = n, m
    head[at.N_CHAINS], head[at.N_TABLE] = t, len(table)
    place = at.SIZES
    for name, array in arrays.items():
        head[name] = place
        place += array.size
    place = at.FREE
    for name, size in work.items():
        head[name] = place
        place += size
    head[at.WORK] = place
    return np.concatenate([head, *(array.ravel() for array in arrays.values())])


# -- goals -----------------------------------------------------------------------------


def goals_of(
    directions: ArrayLike = ((0.0, 0.0, 1.0),),
    weights: ArrayLike = (1.0,),
    length: float = 1.0,
) -> Array:
    """Return goals (t, GOAL) with directions and weights, and no targets yet.

    Parameters
    ----------
    directions
        (t, 3) of the tools in the tool frames.
    weights
        (t,) of the squares of what is missed.
    length
        Metres that count as much as a radian.
    """
    roots = np.sqrt(np.asarray(weights, dtype=np.float64))
    goals = np.zeros((len(roots), at.GOAL))
    goals[:, at.TOOL_DIRECTION : at.TOOL_DIRECTION + 3] = directions
    goals[:, at.LENGTH_WEIGHT] = roots / length
    goals[:, at.ANGLE_WEIGHT] = roots
    return goals


def has_angle(kind: Kind) -> bool:
    """Return True if goals of a kind have an angle in the frame of the arm's base."""
    return kind not in _KINDS or _KINDS[kind] in (at.PLANE_POINT, at.PLANE_POSE)


def write_goal(goal: IkParameterization, row: Array) -> None:
    """Write kind, target and point of a goal to a row (GOAL,).

    Raises
    ------
    NotSupportedError
        The goal is a velocity.
    """
    kind, v = goal.type, goal.array
    if kind.is_velocity:
        raise NotSupportedError(
            f"{kind.name} is a velocity: joint velocities follow at a configuration"
        )
    row[at.KIND] = _KINDS.get(kind, 0)
    row[at.TARGET : at.TARGET + 12] = 0.0
    row[at.TOOL_POINT : at.TOOL_POINT + 3] = 0.0
    target = row[at.TARGET : at.TARGET + 12].reshape(3, 4)
    match kind:
        case Kind.Transform6D | Kind.Rotation3D:
            target[:, :3] = matrix_from_quat(v[:4])
            target[:, 3] = v[4:] if kind is Kind.Transform6D else 0.0
        case Kind.Direction3D:
            target[:, 0] = v
        case Kind.Ray4D | Kind.TranslationDirection5D:
            target[:, 0] = v[:3]
            target[:, 3] = v[3:]
        case Kind.TranslationXY2D:
            target[:2, 3] = v
        case Kind.TranslationXYOrientation3D:
            target[0, 0] = v[2]
            target[:2, 3] = v[:2]
        case Kind.TranslationLocalGlobal6D:
            target[:, 3] = v[3:]
            row[at.TOOL_POINT : at.TOOL_POINT + 3] = v[:3]
        case Kind.Translation3D | Kind.Lookat3D:
            target[:, 3] = v
        case _:
            axis = "XYZ".index(kind.name[len("Translation")])
            target[:, 3] = v[1:]
            if kind.name.endswith("Norm4D"):
                row[at.KIND] = at.SHADOW + axis
                target[0, 0] = v[0]
            else:
                row[at.KIND] = at.ANGLE + axis
                # the angle to an axis has no sign
                target[0, 0] = abs((v[0] + math.pi) % (2.0 * math.pi) - math.pi)
