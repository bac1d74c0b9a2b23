"""Singular configurations of an arm, at random: samples for benchmarks and tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyrave.bodies import Manipulator
from pyrave.spatial import Array
from pyrave_ik.arm.poses import random_configurations, sampled_range

Indices = NDArray[np.int64]

_GRID = 61
_SAMPLES = 5
_REFINEMENTS = 60
_ROWS = 200
_DRAWS = 10
_RANK_LOST = 1e-7
"""A least singular value below it is zero, with metres and radians mixed."""
_SNAP = 1e-6
_NEAR = (-9.0, -1.5)
_BESIDE = (-11.0, -4.0)
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)


class SingularJoint(NamedTuple):
    """A value of one joint at which an arm is singular, wherever the others are.

    Parameters
    ----------
    joint
        Index among the arm's joints.
    value
        Radians or metres, within its limits.
    """

    joint: int
    value: float


def right_angle_configurations(
    arm: Manipulator, n: int, rng: np.random.Generator, *, near: bool = False
) -> Array:
    """Return (n, n_arm) values that are multiples of a right angle, within the limits.

    Sliding joints, and turning ones whose limits hold no multiple, are anywhere.

    Parameters
    ----------
    near
        Move every value by 1e-9 to 1e-3, another size for each row.
    """
    lower, upper = sampled_range(arm)
    slides = arm.robot.model.prismatic[arm.arm_indices]
    quarter = 0.5 * np.pi
    first, last = np.ceil(lower / quarter), np.floor(upper / quarter)
    held = ~slides & (last >= first)
    values = rng.uniform(lower, upper, (n, len(lower)))
    steps = first + np.floor(rng.uniform(size=values.shape) * (last - first + 1.0))
    values = np.where(held, steps * quarter, values)
    if near:
        size = 10.0 ** rng.uniform(-9.0, -3.0, (n, 1))
        values = values + size * rng.uniform(-1.0, 1.0, values.shape)
    return np.asarray(values)


def adversarial_configurations(
    arm: Manipulator, n: int, rng: np.random.Generator
) -> Array:
    """Return (n, n_arm) values where limits, right angles and singularities meet.

    Each joint is, with the same chance, anywhere, on a limit, at a multiple of a right
    angle, or 1e-11 to 1e-4 beside one of these two, within the limits.
    """
    lower, upper = sampled_range(arm)
    anywhere = rng.uniform(lower, upper, (n, len(lower)))
    angles = right_angle_configurations(arm, n, rng)
    ends = np.where(rng.uniform(size=anywhere.shape) < 0.5, lower, upper)
    sort = rng.integers(5, size=anywhere.shape)
    values = np.choose(sort, [anywhere, ends, angles, ends, angles])
    away = 10.0 ** rng.uniform(*_BESIDE, values.shape)
    away *= rng.choice((-1.0, 1.0), values.shape)
    return np.asarray(np.clip(np.where(sort > 2, values + away, values), lower, upper))


def straight_configurations(
    arm: Manipulator,
    n: int,
    rng: np.random.Generator,
    joints: Sequence[SingularJoint],
    *,
    near: bool = False,
) -> Array:
    """Return (n, n_arm) random values, one joint in each row at a singular value.

    Parameters
    ----------
    joints
        From `singular_joints`; without one there are no rows.
    near
        Move that joint away by 1e-9 to 3e-2, evenly on a logarithmic scale.
    """
    lower, upper = sampled_range(arm)
    if not joints:
        return np.empty((0, len(lower)))
    values = rng.uniform(lower, upper, (n, len(lower)))
    chosen = rng.integers(len(joints), size=n)
    columns = np.array([one.joint for one in joints])[chosen]
    singular = np.array([one.value for one in joints])[chosen]
    if near:
        away = 10.0 ** rng.uniform(*_NEAR, n) * rng.choice((-1.0, 1.0), n)
        singular = np.clip(singular + away, lower[columns], upper[columns])
    values[np.arange(n), columns] = singular
    return np.asarray(values)


def singular_joints(
    arm: Manipulator, rng: np.random.Generator
) -> tuple[SingularJoint, ...]:
    """Return the values of single joints at which an arm loses rank.

    Of an arm with more than six joints each choice of six counts as an arm: a straight
    wrist stays a singularity where a shoulder can make up for it. Found by minimising
    the least singular value of the tool's Jacobian over one joint, with the others at
    random; a value counts if it is singular for five of them. Values within 1e-6 of a
    multiple of 15 degrees are that multiple.

    Parameters
    ----------
    rng
        Of the other joints' values.
    """
    others = random_configurations(arm, _SAMPLES, rng)
    n = others.shape[1]
    choices = np.array(list(combinations(range(n), min(n, 6))))
    found: list[SingularJoint] = []
    for joint in range(n):
        # from several places, as another singularity may hide the one that stays
        columns = np.tile(choices[(choices == joint).any(axis=1)], (_SAMPLES, 1))
        rows = np.repeat(others, len(columns) // _SAMPLES, axis=0)
        owners, values = _singular_along(arm, rows, np.full(len(rows), joint), columns)
        for owner, value in zip(owners, values, strict=True):
            if any(
                one.joint == joint and abs(one.value - value) < _SNAP for one in found
            ):
                continue
            rows = others.copy()
            rows[:, joint] = value
            least = _least_singular(arm, rows, np.tile(columns[owner], (_SAMPLES, 1)))
            if (least < _RANK_LOST).all():
                found.append(SingularJoint(joint, float(value)))
    return tuple(sorted(found))


def singular_configurations(
    arm: Manipulator, n: int, rng: np.random.Generator
) -> Array:
    """Return up to n configurations (k, n_arm) in which the arm has lost rank.

    All joints are at random but one, which is where the least singular value of the
    tool's Jacobian vanishes; of an arm with more than six joints that of six of them,
    which are chosen at random. There are fewer than n, or none, if that is rare.
    """
    lower, upper = sampled_range(arm)
    size = len(lower)
    found = [np.empty((0, size))]
    count, drawn = 0, min(n, _ROWS)
    for _ in range(_DRAWS * (1 + n // _ROWS)):
        rows = rng.uniform(lower, upper, (drawn, size))
        order = rng.permuted(np.tile(np.arange(size), (drawn, 1)), axis=1)
        joints, columns = order[:, 0], np.sort(order[:, : min(size, 6)], axis=1)
        owners, values = _singular_along(arm, rows, joints, columns)
        mixed = rng.permutation(len(owners))
        rows[owners[mixed], joints[owners[mixed]]] = values[mixed]
        found.append(rows[np.unique(owners)])
        count += len(found[-1])
        if count >= n:
            break
    return np.concatenate(found)[:n]


def _singular_along(
    arm: Manipulator, rows: Array, joints: Indices, columns: Indices
) -> tuple[Indices, Array]:
    """Return where columns of the Jacobian depend on one another as one joint moves.

    Parameters
    ----------
    rows
        (k, n_arm) values of the other joints.
    joints, columns
        (k,) the joint of each row that moves, and (k, m) the columns.

    Returns
    -------
    owners, values
        (c,) rows, and values of their joints.
    """
    lower, upper = (limit[joints] for limit in sampled_range(arm))
    grid = np.linspace(lower, upper, _GRID, axis=1)

    def least(owners: Indices, values: Array) -> Array:
        moved = rows[owners]
        moved[np.arange(len(owners)), joints[owners]] = values
        return _least_singular(arm, moved, columns[owners])

    everyone = np.arange(len(rows))
    sampled = least(np.repeat(everyone, _GRID), grid.ravel()).reshape(grid.shape)
    # columns that depend on one another everywhere have no singularity of the joint
    regular = np.median(sampled, axis=1) > _RANK_LOST
    padded = np.pad(sampled, ((0, 0), (1, 1)), constant_values=np.inf)
    lowest = (sampled <= padded[:, :-2]) & (sampled <= padded[:, 2:])
    # on either side of a zero values grow at least threefold within a step
    padded[:, [0, -1]] = padded[:, [1, -2]]
    steep = np.maximum(padded[:, :-2], padded[:, 2:]) >= 2.0 * sampled
    owners, place = np.nonzero(lowest & steep & regular[:, None])
    low = grid[owners, np.maximum(place - 1, 0)]
    high = grid[owners, np.minimum(place + 1, _GRID - 1)]
    # golden section
    for _ in range(_REFINEMENTS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        go_left = least(owners, left) < least(owners, right)
        low, high = np.where(go_left, low, left), np.where(go_left, right, high)
    values = 0.5 * (low + high)
    rounded = np.rint(values / (np.pi / 12.0)) * (np.pi / 12.0) + 0.0
    values = np.where(np.abs(values - rounded) < _SNAP, rounded, values)
    values = np.clip(values, lower[owners], upper[owners])
    lost = least(owners, values) < _RANK_LOST
    return owners[lost], values[lost]


def _least_singular(arm: Manipulator, rows: Array, columns: Indices) -> Array:
    """Return the least singular value (k,) of some columns (k, m) of the Jacobian."""
    if not len(rows):
        return np.empty(0)
    robot, indices = arm.robot, arm.arm_indices
    full = np.tile(robot.dof_values, (len(rows), 1))
    full[:, indices] = rows
    point = arm.local_tool_transform[:3, 3]
    jacobians = robot.compute_jacobians(full, arm.end_effector, point)[:, :, indices]
    chosen = np.take_along_axis(jacobians, columns[:, None, :], axis=2)
    return np.asarray(np.linalg.svd(chosen, compute_uv=False)[:, -1])
