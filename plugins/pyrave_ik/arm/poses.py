"""Configurations of an arm for measurements, the tool's poses and goals there."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.ik import IkParameterization
from pyrave.ik import IkParameterizationType as Kind
from pyrave.spatial import invert_pose
from pyrave_ik.arm.residuals import residuals_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterizationType
    from pyrave.spatial import Array

    Indices = NDArray[np.int64]

_CHUNK = 5000
_ENDLESS = 100.0
_LOCAL_POINT = (0.1, 0.05, 0.2)
"""Of the tool, metres, for goals of `TranslationLocalGlobal6D`."""
_MET = 1e-9
_GRID = 61
_SAMPLES = 5
_REFINEMENTS = 60
_ROWS = 200
_DRAWS = 10
_RANK_LOST = 1e-7
"""A least singular value below it is zero, with metres and radians mixed."""
_SNAP = 1e-6
_NEAR = (-9.0, -1.5)
_FLAT = 1e-3
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


def random_configurations(arm: Manipulator, n: int, rng: np.random.Generator) -> Array:
    """Return (n, n_arm) values within the limits; one turn where there are none."""
    lower, upper = _limits(arm)
    return np.asarray(rng.uniform(lower, upper, (n, len(lower))))


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
    lower, upper = _limits(arm)
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
    lower, upper = _limits(arm)
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
    lower, upper = _limits(arm)
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
    lower, upper = (limit[joints] for limit in _limits(arm))
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
    """Return which rows' tools meet their own goals, also seen from the world."""
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
    lower, upper = _limits(arm)
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


def _limits(arm: Manipulator) -> tuple[Array, Array]:
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
