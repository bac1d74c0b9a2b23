"""Configurations of an arm for measurements, the tool's poses and goals there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkParameterization, residuals_of
from pyrave.ik import IkParameterizationType as Kind
from pyrave.spatial import invert_pose

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterizationType
    from pyrave.spatial import Array

_CHUNK = 5000
_ENDLESS = 100.0
_LOCAL_POINT = (0.1, 0.05, 0.2)
"""Point of the tool, metres, for goals of `TranslationLocalGlobal6D`."""
_MET = 1e-9
_FLAT = 1e-3


def random_configurations(arm: Manipulator, n: int, rng: np.random.Generator) -> Array:
    """Return (n, n_arm) values within the limits; one turn where there are none."""
    lower, upper = sampled_range(arm)
    return np.asarray(rng.uniform(lower, upper, (n, len(lower))))


def meeting(
    arm: Manipulator,
    kind: IkParameterizationType,
    configurations: Array,
    rng: np.random.Generator,
) -> Array:
    """Return the configurations (k, n_arm) whose tools meet goals of a kind.

    All do of most kinds. For those that ask for a direction in a plane one joint is
    turned until the direction lies in it, where one can do that within its limits.

    Parameters
    ----------
    configurations
        (n, n_arm).
    """
    rows = configurations
    if kind.name.endswith("Norm4D"):
        rows = _turned_into_plane(arm, kind, rows, rng)
    return np.asarray(rows[_met(arm, kind, rows)])


def _met(arm: Manipulator, kind: IkParameterizationType, rows: Array) -> Array:
    """Return the mask of rows whose tools meet their goals, also in the world."""
    poses = tool_poses(arm, rows)
    goals = goal_values(kind, poses, arm.direction)
    base = arm.base.transform
    back = invert_pose(base)
    if len(goals):
        seen = [
            IkParameterization(kind, tuple(goal)).transformed(base).transformed(back)
            for goal in goals.tolist()
        ]
        goals = np.array([one.values for one in seen])
    off = residuals_of(kind, goals, poses, arm.direction)
    return np.asarray(np.maximum(*off) < _MET)


def _turned_into_plane(
    arm: Manipulator,
    kind: IkParameterizationType,
    configurations: Array,
    rng: np.random.Generator,
) -> Array:
    """Return configurations with one joint turned to bring the direction in a plane.

    The component across the plane is ``a + b cos q + c sin q`` of a turning joint; its
    values at three angles give its zeros. Joints near the tool are tried first.
    """
    across = ("XYZ".index(kind.name[len("Translation")]) + 2) % 3
    lower, upper = sampled_range(arm)
    rows = configurations.copy()
    turning = ~arm.robot.model.prismatic[arm.arm_indices]
    thirds = 2.0 / 3.0 * np.pi * np.arange(3.0)

    def component(some: Array) -> Array:
        return np.asarray(tool_poses(arm, some)[:, across, :3] @ arm.direction)

    for joint in np.flatnonzero(turning)[::-1]:
        out = np.flatnonzero(np.abs(component(rows)) > _MET)
        if not len(out):
            break
        some = np.repeat(rows[out], 3, axis=0)
        some[:, joint] = np.tile(thirds, len(out))
        at = component(some).reshape(-1, 3)
        mean = at.mean(axis=1)
        cosine = at @ np.cos(thirds) / 1.5
        sine = at @ np.sin(thirds) / 1.5
        size = np.hypot(cosine, sine)
        crosses = (size > _FLAT) & (np.abs(mean) < size)
        half = np.arccos(-mean[crosses] / size[crosses])
        sign = rng.choice((-1.0, 1.0), len(half))
        value = np.arctan2(sine[crosses], cosine[crosses]) + sign * half
        value += 2.0 * np.pi * np.ceil((lower[joint] - value) / (2.0 * np.pi))
        inside = value <= upper[joint]
        rows[out[crosses][inside], joint] = value[inside]
    return rows


def sampled_range(arm: Manipulator) -> tuple[Array, Array]:
    """Return the limits (n_arm,) of values at random: one turn of endless joints."""
    indices = arm.arm_indices
    lower, upper = (limit[indices] for limit in arm.robot.dof_limits)
    endless = upper - lower > _ENDLESS
    return np.where(endless, -np.pi, lower), np.where(endless, np.pi, upper)


def tool_poses(arm: Manipulator, values: Array) -> Array:
    """Return T_base_tool (n, 4, 4) at (n, n_arm) values, by the robot's kinematics."""
    robot = arm.robot
    columns = arm.arm_indices
    base, end = arm.base.index, arm.end_effector.index
    found = np.empty((len(values), 4, 4))
    for start in range(0, len(values), _CHUNK):
        some = values[start : start + _CHUNK]
        full = np.tile(robot.dof_values, (len(some), 1))
        full[:, columns] = some
        links = robot.compute_link_transforms(full)
        # no joint of the arm moves its base
        to_base = invert_pose(links[0, base])
        tools = to_base @ links[:, end] @ arm.local_tool_transform
        found[start : start + len(some)] = tools
    return found


def goal_values(kind: IkParameterizationType, poses: Array, direction: Array) -> Array:
    """Return the numbers of a goal of a kind for each tool pose (n, 4, 4).

    Parameters
    ----------
    direction
        (3,) the tool's direction in the tool frame.
    """
    if kind is Kind.Transform6D:
        return np.concatenate([_quats(poses[:, :3, :3]), poses[:, :3, 3]], axis=1)
    made = [
        IkParameterization.from_pose(kind, pose, direction, _LOCAL_POINT).values
        for pose in poses
    ]
    return np.array(made).reshape(len(poses), kind.n_values)


def _quats(r: Array) -> Array:
    """Return the unit quaternions w x y z of rotations (n, 3, 3).

    All products of two components are sums of entries: the row with the largest square
    is the quaternion times its largest component.
    """
    skew, even = r - r.transpose(0, 2, 1), r + r.transpose(0, 2, 1)
    products = np.empty((len(r), 4, 4))
    products[:, 0, 1:] = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
    products[:, 1:, 0] = products[:, 0, 1:]
    products[:, 1:, 1:] = even
    trace = np.trace(r, axis1=1, axis2=2)
    products[:, 0, 0] = 1.0 + trace
    for i in range(3):
        products[:, 1 + i, 1 + i] = 1.0 - trace + 2.0 * r[:, i, i]
    largest = np.argmax(np.diagonal(products, axis1=1, axis2=2), axis=1)
    rows = products[np.arange(len(r)), largest]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
