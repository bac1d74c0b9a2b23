"""Spheres of joints, and weights and resolutions made of them."""

import numpy as np
import pytest
from grasping_scenes import block

import pyrave
from pyrave.databases import LinkStatistics
from pyrave.errors import ArgumentError, StateError
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import (
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    RobotDescription,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))


def link(name, *boxes):
    parts = tuple(
        GeometryDescription(Box(half), pose=Pose.from_translation(*place))
        for place, half in boxes
    )
    return LinkDescription(name, geometries=parts)


def joint(name, kind, parent, child, place, direction=(0, 0, 1), travel=(-1.0, 1.0)):
    lower, upper = travel
    axis = JointAxis(
        direction,
        lower=lower,
        upper=upper,
        velocity_limit=2.0,
        prismatic=kind == "slider",
    )
    where = Pose.from_translation(*place)
    return JointDescription(name, kind, parent, child, where, axes=(axis,))


def made(links, joints):
    env = pyrave.Environment()
    return env.create_body(RobotDescription("robot", tuple(links), tuple(joints)))


def pendulum():
    """Two bars in a row that turn about z, 1 and 0.5 m long."""
    half = (0.5, 0.03, 0.04)
    return made(
        [
            link("base", ((0, 0, -0.5), (0.1, 0.1, 0.1))),
            link("upper", ((0.5, 0, 0), half)),
            link("lower", ((0.25, 0, 0), (0.25, 0.03, 0.04))),
        ],
        [
            joint("shoulder", "hinge", "base", "upper", (0, 0, 0)),
            joint("elbow", "hinge", "upper", "lower", (1, 0, 0)),
        ],
    )


def test_spheres_of_two_bars():
    stats = LinkStatistics(pendulum()).build()
    own = np.linalg.norm((0.25, 0.03, 0.04)) + 0.25
    upper = np.linalg.norm((0.5, 0.03, 0.04)) + 0.5
    # of the upper bar about its joint, and of the lower one about its own, in a box
    low, high = min(-upper, 1 - own), max(upper, 1 + own)
    middle = 0.5 * (low + high)
    radius = max(abs(middle) + upper, abs(middle - 1) + own)
    np.testing.assert_allclose(stats.spheres.radii, (radius, own))
    np.testing.assert_allclose(stats.spheres.centres, ((middle, 0, 0), (1, 0, 0)))
    weights = stats.robot_weights()
    np.testing.assert_allclose(weights, np.array((radius, own)) * 2 / (radius + own))
    np.testing.assert_allclose(stats.robot_weights(multiplier=3.0), 3.0 * weights)
    np.testing.assert_allclose(
        stats.robot_resolutions(0.01), (0.01 / radius, 0.01 / own)
    )
    np.testing.assert_allclose(stats.spheres.reaches, (1 + own, own))
    assert stats.summary()["radii.elbow"] == pytest.approx(own)
    assert stats.summary()["reaches.elbow"] == own
    assert len(stats.show()) == 2


def test_nothing_goes_farther_than_a_bound():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    stats = LinkStatistics(robot).build()
    steps = stats.robot_resolutions(0.01, is_bound=True)
    assert (steps < stats.robot_resolutions(0.01) + 1e-12).any()
    rng = np.random.default_rng(2)
    farthest = np.zeros(robot.dof)
    for values in robot.sample_configurations(60, seed=3):
        before = corners(robot, values)
        for dof in rng.permutation(robot.dof)[:4]:
            moved = values.copy()
            moved[dof] += steps[dof]
            way = np.linalg.norm(corners(robot, moved) - before, axis=1).max()
            farthest[dof] = max(farthest[dof], way)
    assert (farthest <= 0.01 * (1 + 1e-9)).all()
    assert (farthest > 0.002).all()


def corners(robot, values):
    """Return corners of the boxes of links in the world."""
    robot.set_dof_values(values, limits=LimitCheck.NONE)
    signs = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    found = []
    for one in robot.links:
        middle, half = one.local_aabb
        pose = one.transform
        found.append((middle + signs * half) @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(found)


def test_what_is_held_counts():
    robot = pendulum()
    stats = LinkStatistics(robot).build()
    alone = stats.robot_weights(), stats.spheres.reaches
    robot.dof_values = [0.3, -0.4]
    tip = robot.links["lower"].transform @ (0.5, 0, 0, 1)
    thing = block(robot.env, "thing", (0.2, 0.1, 0.1), tip[:3])
    robot.grab(thing, robot.links["lower"])
    far = 0.5 + np.linalg.norm((0.2, 0.1, 0.1))
    np.testing.assert_allclose(stats.spheres.reaches, (1 + far, far))
    np.testing.assert_allclose(stats.spheres.radii[1], far)
    robot.release(thing)
    assert (stats.robot_weights() == alone[0]).all()
    assert stats.key == LinkStatistics(pendulum()).key


def test_what_hangs_behind_sliding_and_passive_joints_counts():
    robot = made(
        [
            link("base"),
            link("turning"),
            link("sliding"),
            link("tip", ((0, 0, 0), (0.1, 0.1, 0.1))),
        ],
        [
            joint("turn", "hinge", "base", "turning", (0, 0, 0)),
            joint(
                "slide",
                "slider",
                "turning",
                "sliding",
                (0.2, 0, 0),
                (1, 0, 0),
                (0, 0.5),
            ),
            joint("wrist", "hinge", "sliding", "tip", (0, 0, 0)),
        ],
    )
    stats = LinkStatistics(robot).build()
    ball = np.linalg.norm((0.1, 0.1, 0.1))
    np.testing.assert_allclose(stats.spheres.reaches[[0, 2]], (0.7 + ball, ball))
    # at both ends of the travel, and the joint: from 0 to 0.7 + ball
    np.testing.assert_allclose(stats.spheres.radii[0], 0.5 * (0.7 + ball))
    np.testing.assert_allclose(stats.robot_resolutions(0.01)[1], 0.01)
    assert stats.robot_weights()[1] == 1.0


def test_weights_by_other_rules():
    robot = pendulum()
    stats = LinkStatistics(robot).build()
    assert stats.robot_weights("equal", 2.0).tolist() == [2.0, 2.0]
    robot.dof_velocity_limits = [1.0, 3.0]
    np.testing.assert_allclose(stats.robot_weights("time"), (1.5, 0.5))


def test_the_robot_is_given_both_in_one_line():
    robot = pendulum()
    stats = LinkStatistics(robot).build()
    stats.set_robot_weights(multiplier=2.0)
    stats.set_robot_resolutions(0.002)
    assert (robot.dof_weights == stats.robot_weights(multiplier=2.0)).all()
    assert (robot.dof_resolutions == stats.robot_resolutions(0.002)).all()
    limits = robot.active.affine_limits
    about, all_round = stats.spheres.base_reaches
    own = np.linalg.norm((0.25, 0.03, 0.04)) + 0.25
    assert about == pytest.approx(1 + own)
    down = np.linalg.norm((0.1, 0.1, 0.1)) + 0.5
    assert all_round == pytest.approx(max(1 + own, down))
    assert limits.of(Affine.X | Affine.Y, "resolution").tolist() == [0.002, 0.002]
    turn = limits.of(Affine.ROTATION_AXIS, "resolution")
    np.testing.assert_allclose(turn, 0.002 / about)
    mean = stats.spheres.radii.mean()
    np.testing.assert_allclose(
        limits.of(Affine.ROTATION_AXIS, "weight"), 2.0 * about / mean
    )
    np.testing.assert_allclose(limits.of(Affine.Z, "weight"), 2.0)
    np.testing.assert_allclose(
        limits.of(Affine.ROTATION_QUAT, "weight"), 4.0 * all_round / mean
    )
    robot.set_active_dofs([0], Affine.ROTATION_AXIS, (1, 0, 0))
    turn = stats.affine_resolutions(0.002).of(Affine.ROTATION_AXIS, "resolution")
    np.testing.assert_allclose(turn, 0.002 / all_round)
    stats.set_robot_weights("equal")
    assert (
        robot.active.affine_limits.of(Affine.TRANSFORM, "weight").tolist() == [1.0] * 7
    )
    stats.set_robot_weights("time")
    assert robot.dof_weights.tolist() == [1.0, 1.0]


def test_names_and_places_do_not_change_the_key_and_sizes_do():
    robot = pendulum()
    key = LinkStatistics(robot).key
    robot.transform = [1, 0, 0, 0, 1, 2, 3]
    robot.dof_values = [0.1, 0.2]
    env = robot.env
    env.remove(robot)
    robot.name = "other"
    env.add(robot)
    assert LinkStatistics(robot).key == key
    robot.links["lower"].add_geometry(GeometryDescription(Box((0.1, 0.1, 0.1))))
    assert LinkStatistics(robot).key != key


def test_robots_without_joints_or_geometry():
    bare = made([link("base")], [])
    stats = LinkStatistics(bare).build()
    assert stats.robot_weights().shape == (0,)
    assert stats.robot_weights("time").shape == (0,)
    stats.set_robot_resolutions()
    empty = made(
        [link("base"), link("tip")],
        [joint("turn", "hinge", "base", "tip", (0, 0, 0))],
    )
    stats = LinkStatistics(empty).build()
    assert stats.robot_weights().tolist() == [1.0]
    assert stats.robot_resolutions(0.01).tolist() == [0.01]
    assert stats.show() == []


def test_wrong_input_is_told():
    robot = pendulum()
    stats = LinkStatistics(robot)
    with pytest.raises(StateError, match=r"call build\(\) or load\(\)"):
        stats.robot_weights()
    stats.build()
    with pytest.raises(ArgumentError, match="did you mean 'reach'"):
        stats.robot_weights("reech")
    for wrong in (0.0, -1.0, np.nan, "x"):
        with pytest.raises(ArgumentError, match="multiplier"):
            stats.robot_weights(multiplier=wrong)
        with pytest.raises(ArgumentError, match="metres"):
            stats.set_robot_resolutions(wrong)
    with pytest.raises(ArgumentError, match="robot of linkstatistics is 3"):
        LinkStatistics(3)
