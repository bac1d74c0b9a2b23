"""Active degrees of freedom: values, rates, differences, limits and derivatives."""

import math
import pickle

import numpy as np
import pytest

import pyrave
from pyrave import Affine, ArgumentError, LimitCheck
from pyrave.scene import (
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    RobotDescription,
)
from pyrave.spatial import (
    matrix_from_axis_angle,
    matrix_from_quat,
    quat_from_matrix,
    rotation_vector,
)
from pyrave.world import BodyChange

ROTATIONS = (0, Affine.ROTATION_AXIS, Affine.ROTATION_3D, Affine.ROTATION_QUAT)
MASKS = [t | r for t in (0, 1, 5, 7) for r in ROTATIONS if t | r]


def described():
    links = tuple(LinkDescription(f"L{i}") for i in range(4))
    axes = (
        ("hinge", JointAxis((0.0, 0.0, 1.0), lower=-2, upper=2, weight=3.0)),
        ("hinge", JointAxis((0.0, 1.0, 0.0), circular=True)),
        ("slider", JointAxis((1.0, 0.0, 0.0), prismatic=True, lower=-1, upper=1)),
    )
    joints = tuple(
        JointDescription(
            f"J{i}",
            kind,
            f"L{i}",
            f"L{i + 1}",
            Pose.from_axis_angle((1, 2, 3), 0.4 * i, (0.3, 0.1, 0.2)),
            axes=(axis,),
        )
        for i, (kind, axis) in enumerate(axes)
    )
    return RobotDescription("walker", links, joints)


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def robot(env):
    made = env.create("robot", "")
    made.init(described())
    env.add(made)
    return made


def choose(robot, mask, rng):
    axis = rng.normal(size=3)
    robot.set_active_dofs([2, 0], Affine(mask), axis)
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    if mask & Affine.ROTATION_AXIS:
        # only such rotations have this value
        pose[:3, :3] = matrix_from_axis_angle(axis, 0.7)
    pose[:3, 3] = rng.normal(size=3)
    robot.transform = pose
    robot.dof_values = (0.3, -0.4, 0.2)


@pytest.mark.parametrize("mask", [0, *MASKS])
@pytest.mark.parametrize("angle", [None, 1e-7, 3.0])
def test_the_active_jacobian_against_finite_differences(robot, mask, angle):
    rng = np.random.default_rng(int(mask))
    choose(robot, mask, rng)
    if angle is not None and mask & (Affine.ROTATION_3D | Affine.ROTATION_QUAT):
        pose = robot.transform
        pose[:3, :3] = matrix_from_axis_angle((1.0, -2.0, 0.5), angle)
        robot.transform = pose
    values = robot.active.values
    base = robot.links["L3"].transform
    local = np.array((0.1, -0.2, 0.3, 1.0))
    found = robot.active.jacobian("L3", (base @ local)[:3])
    rates = robot.active.quaternion_jacobian("L3")
    assert found.shape == (6, robot.active.dof)
    step = 1e-6
    for k in range(robot.active.dof):
        poses = []
        for sign in (1, -1):
            moved = values.copy()
            moved[k] += sign * step
            robot.active.set_values(moved, LimitCheck.NONE)
            poses.append(robot.links["L3"].transform)
        robot.active.set_values(values, LimitCheck.NONE)
        linear = ((poses[0] - poses[1]) @ local)[:3] / (2 * step)
        turn = poses[0][:3, :3] @ poses[1][:3, :3].T
        angular = rotation_vector(turn) / (2 * step)
        quats = [quat_from_matrix(pose[:3, :3]) for pose in poses]
        numeric = (quats[0] - quats[1]) / (2 * step)
        np.testing.assert_allclose(rates[:, k], numeric, atol=2e-8)
        np.testing.assert_allclose(found[:3, k], linear, atol=2e-8)
        np.testing.assert_allclose(found[3:, k], angular, atol=2e-8)


@pytest.mark.parametrize("mask", [0, *MASKS])
def test_active_rates_move_the_active_values(robot, mask):
    """The rate of a value is its slope along the motion that the velocities say."""
    rng = np.random.default_rng(int(mask))
    choose(robot, mask, rng)
    rates = 0.5 * rng.normal(size=robot.active.dof)
    if mask & Affine.ROTATION_3D:
        # a rate of the rotation vector is taken as an angular velocity, as in OpenRAVE
        pose = robot.transform
        pose[:3, :3] = np.eye(3)
        robot.transform = pose
    if mask & Affine.ROTATION_QUAT:
        # only changes that keep the length are motions
        quat = robot.active.values[-4:]
        rates[-4:] -= quat * (quat @ rates[-4:])
    robot.active.velocities = rates
    np.testing.assert_allclose(robot.active.velocities, rates, atol=1e-14)
    before, pose, twist = robot.active.values, robot.transform, robot.base_velocity
    step = 1e-6
    moved = pose.copy()
    moved[:3, 3] += step * twist[:3]
    moved[:3, :3] = matrix_from_axis_angle(step * twist[3:]) @ pose[:3, :3]
    robot.transform = moved
    robot.set_dof_values(robot.dof_values + step * robot.dof_velocities)
    difference = robot.active.subtract_values(robot.active.values, before)
    np.testing.assert_allclose(difference / step, rates, atol=1e-5)


def test_rates_of_motions_that_are_not_active_stay(robot):
    robot.base_velocity = (1, 2, 3, 0.1, 0.2, 0.3)
    robot.set_active_dofs([0], Affine.Y)
    robot.active.velocities = (0.5, -7)
    np.testing.assert_allclose(robot.base_velocity, (1, -7, 3, 0.1, 0.2, 0.3))
    np.testing.assert_allclose(robot.dof_velocities, (0.5, 0, 0))


def test_velocities_are_clamped_or_refused(robot, caplog):
    robot.dof_velocity_limits = (1, 2, 3)
    robot.set_active_dofs([2, 0])
    robot.active.set_velocities((-5, 0.5), LimitCheck.CLAMP)
    assert robot.dof_velocities.tolist() == [0.5, 0, -3]
    assert not caplog.records
    robot.active.velocities = (5, 0)
    assert "velocity 5 of joint 'J2' of 'walker' is above its limit 3" in caplog.text
    with pytest.raises(ArgumentError, match="'J0'"):
        robot.active.set_velocities((0, 1.5), LimitCheck.RAISE)
    robot.active.set_velocities((0, 1.5), LimitCheck.NONE)
    assert robot.dof_velocities[0] == 1.5
    robot.set_dof_velocities((9, 9), [0, 1], LimitCheck.CLAMP)
    assert robot.dof_velocities.tolist() == [1, 2, 0]


def test_differences_go_the_short_way(robot):
    robot.set_active_dofs([1, 0], Affine.X | Affine.ROTATION_AXIS)
    found = robot.active.subtract_values((3, 1, 9, 3), (-3, -1, -9, -3))
    np.testing.assert_allclose(found, (6 - 2 * math.pi, 2, 18, 6 - 2 * math.pi))
    robot.set_active_dofs([], Affine.ROTATION_QUAT)
    quat = np.array((0.5, 0.5, -0.5, 0.5))
    np.testing.assert_allclose(robot.active.subtract_values(-quat, quat), 0)
    other = np.array((1.0, 0, 0, 0))
    found = robot.active.subtract_values(-quat, other)
    np.testing.assert_allclose(found, quat - other)


def test_names(robot):
    robot.set_active_dofs([2, 0], Affine.X | Affine.Z | Affine.ROTATION_QUAT)
    assert robot.active.names == ("J2", "J0", "x", "z", "qw", "qx", "qy", "qz")
    assert [robot.active.includes(joint) for joint in robot.joints] == [
        True,
        False,
        True,
    ]


def test_the_defaults_of_the_base_are_openraves(robot):
    robot.set_active_dofs([], Affine.X | Affine.ROTATION_AXIS)
    lower, upper = robot.active.limits
    assert lower.tolist() == [-100, -10000]
    assert upper.tolist() == [100, 10000]
    assert robot.active.velocity_limits.tolist() == [1, 0.4]
    assert robot.active.acceleration_limits.tolist() == [1, 0.4]
    assert robot.active.jerk_limits.tolist() == [1, 0.4]
    assert robot.active.resolutions.tolist() == [0.001, 0.01]
    assert robot.active.weights.tolist() == [2, 2]
    robot.set_active_dofs([], Affine.ROTATION_3D)
    assert robot.active.velocity_limits.tolist() == [0.07] * 3
    assert robot.active.resolutions.tolist() == [0.01] * 3
    assert robot.active.weights.tolist() == [1] * 3
    robot.set_active_dofs([], Affine.ROTATION_QUAT)
    assert robot.active.velocity_limits.tolist() == [1] * 4
    assert robot.active.weights.tolist() == [0.4] * 4
    lower, upper = robot.active.limits
    np.testing.assert_allclose(lower, (0, -1, -1, -1), atol=1e-15)
    np.testing.assert_allclose(upper, 1)


def test_limits_of_joints_and_base_come_together(robot):
    robot.set_active_dofs([2, 0], Affine.Y | Affine.Z)
    robot.active.set_affine_limits(
        Affine.X, lower=(-1, -2, -3), upper=4, velocity=0.5, weight=(1, 2, 3)
    )
    lower, upper = robot.active.limits
    assert lower.tolist() == [-1, -2, -2, -3]
    assert upper.tolist() == [1, 2, 4, 4]
    assert robot.active.weights.tolist() == [1, 3, 2, 3]
    assert robot.active.velocity_limits.tolist() == [10, 10, 0.5, 0.5]
    robot.dof_limits = ([-0.5] * 3, [0.5] * 3)
    assert robot.active.limits[0].tolist() == [-0.5, -0.5, -2, -3]
    assert robot.clone().active.affine_limits == robot.active.affine_limits
    state = pickle.loads(pickle.dumps(robot.get_state()))  # noqa: S301 - our own
    assert state.robot.base_limits == robot.active.affine_limits


def test_quaternions_within_the_largest_angle_are_within_the_limits(robot):
    robot.set_active_dofs([], Affine.ROTATION_QUAT)
    robot.active.set_affine_limits(Affine.ROTATION_QUAT, max_angle=0.8, weight=2)
    assert robot.active.weights.tolist() == [2] * 4
    lower, upper = robot.active.limits
    rng = np.random.default_rng(0)
    for _ in range(50):
        axis = rng.normal(size=3)
        robot.transform = as_matrix(axis, 0.8 * rng.random())
        values = robot.active.values
        assert (lower - 1e-12 <= values).all()
        assert (values <= upper + 1e-12).all()
    robot.transform = as_matrix((0, 0, 1), 0.9)
    assert robot.active.values[0] < lower[0]


def test_a_base_that_may_not_move_has_limits_of_zero(robot):
    robot.set_active_dofs([], Affine.X)
    robot.active.set_affine_limits(Affine.X, velocity=0, resolution=0, weight=0)
    assert robot.active.velocity_limits.tolist() == [0]
    assert robot.active.resolutions.tolist() == [0]
    assert robot.active.weights.tolist() == [0]


def as_matrix(axis, angle):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(axis, angle)
    return pose


@pytest.mark.parametrize(
    ("kind", "values", "text"),
    [
        (Affine.NONE, {"lower": 1}, "not one kind"),
        (Affine.X | Affine.ROTATION_3D, {"lower": 1}, "not one kind"),
        (Affine.X, {"lower": 1000}, "above the upper"),
        (Affine.X, {"velocity": -1}, "negative"),
        (Affine.X, {"weight": (1, 2)}, "expected 3 numbers"),
        (Affine.X, {"weight": math.nan}, "not numbers"),
        (Affine.X, {"speed": 1}, "no 'speed'"),
        (Affine.ROTATION_QUAT, {"lower": 1}, "no 'lower'"),
        (Affine.ROTATION_QUAT, {"max_angle": 4}, "expected 0 to pi"),
    ],
)
def test_affine_limits_without_meaning_are_refused(robot, kind, values, text):
    before = robot.active.affine_limits
    with pytest.raises(ArgumentError, match=text):
        robot.active.set_affine_limits(kind, **values)
    assert robot.active.affine_limits is before
    with pytest.raises(ArgumentError, match="expected AffineLimits"):
        robot.active.affine_limits = (1, 2)


@pytest.mark.parametrize("mask", [0, *MASKS])
def test_the_specification_reads_and_applies_the_active_values(env, robot, mask):
    rng = np.random.default_rng(int(mask))
    choose(robot, mask, rng)
    spec = robot.active.configuration_specification("linear")
    assert spec.dof == robot.active.dof
    values = robot.active.values
    np.testing.assert_allclose(spec.read(env), values, atol=1e-14)
    pose = robot.transform
    robot.active.values = robot.active.values * 0.9
    spec.apply(env, values)
    np.testing.assert_allclose(robot.active.values, values, atol=1e-14)
    np.testing.assert_allclose(robot.transform, pose, atol=1e-14)
    assert all(group.interpolation == "linear" for group in spec)


def test_the_whole_configuration(env, robot):
    robot.dof_values = (0.1, 0.2, 0.3)
    robot.transform = (0.6, 0, 0.8, 0, 1, 2, 3)
    spec = robot.configuration_specification()
    names = [group.name for group in spec]
    assert names == ["joint_values walker 0 1 2", "affine_transform walker 39"]
    expected = (0.1, 0.2, 0.3, 1, 2, 3, 0.6, 0, 0.8, 0)
    np.testing.assert_allclose(robot.configuration_values, expected, atol=1e-15)
    np.testing.assert_allclose(spec.read(env), expected, atol=1e-15)
    values = robot.configuration_values
    robot.transform = np.eye(4)
    robot.dof_values = (0, 0, 0)
    robot.configuration_values = values
    np.testing.assert_allclose(robot.configuration_values, expected, atol=1e-15)
    np.testing.assert_allclose(robot.transform[:3, :3], matrix_from_quat(values[-4:]))
    with pytest.raises(ArgumentError, match="length 10"):
        robot.configuration_values = (1, 2)


def test_changes_are_told(robot):
    changes = []
    robot.register_change_callback(changes.append)
    robot.set_active_dofs([0])
    robot.active.set_affine_limits(Affine.X, lower=-1)
    robot.dof_weights = (1, 1, 1)
    assert changes == [BodyChange.ACTIVE_DOFS, BodyChange.LIMITS, BodyChange.LIMITS]


def test_the_table_is_the_same_until_choice_or_limits_are_others():
    robot = pyrave.load("robots/rover.robot.xml").robots[0]
    names = ("velocity_limits", "acceleration_limits", "resolutions", "weights")

    def compared():
        table = robot.active.table
        assert table.names == robot.active.names
        for name in names:
            np.testing.assert_array_equal(
                getattr(table, name), getattr(robot.active, name)
            )
        np.testing.assert_array_equal((table.lower, table.upper), robot.active.limits)
        return table

    robot.set_active_dofs([], Affine.X | Affine.ROTATION_AXIS)
    first = compared()
    assert robot.active.table is first
    with pytest.raises(ValueError, match="read-only"):
        first.weights[0] = 2.0
    assert list(first.periods) == [np.inf, 2 * np.pi]
    robot.set_active_dofs([], Affine.Y)
    assert compared().names == ("y",)
    robot.set_active_dofs([], Affine.X | Affine.ROTATION_AXIS)
    assert robot.active.table is first
    robot.active.set_affine_limits(Affine.ROTATION_AXIS, lower=-1.0, upper=1.0)
    assert list(compared().periods) == [np.inf, np.inf]
    robot.set_active_dofs(range(robot.dof))
    before = compared()
    robot.dof_weights = 2.0 * robot.dof_weights
    assert compared() is not before


def test_the_table_follows_limits_that_change_without_bounds():
    robot = pyrave.load("robots/rover.robot.xml").robots[0]
    before = robot.active.table
    robot.dof_velocity_limits = 0.5 * robot.dof_velocity_limits
    after = robot.active.table
    np.testing.assert_allclose(after.velocity_limits, 0.5 * before.velocity_limits)
