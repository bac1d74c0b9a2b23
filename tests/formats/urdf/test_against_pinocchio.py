"""Poses, masses and inertias of every type of joint equal Pinocchio's."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree
from scene_files import scene_beside
from urdf_twin import UrdfTwin, followers_of

import pyrave

ROBOT = scene_beside(__file__, "against_pinocchio.urdf")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    path = tmp_path_factory.mktemp("urdf") / "all.urdf"
    path.write_text(ROBOT)
    env = pyrave.load(path, strict=True)
    twin = UrdfTwin(path, followers_of(etree.fromstring(ROBOT)))
    return env, env.robots["all"], twin


def test_poses_of_100_configurations(both):
    _, robot, twin = both
    assert robot.dof == 1 + 1 + 1 + 3 + 6
    rng = np.random.default_rng(7)
    for q in rng.uniform(-1.5, 1.5, (100, robot.dof)):
        poses = robot.compute_link_transforms(q[None])[0]
        assert np.abs(poses - twin.link_poses(robot, q)).max() < 1e-12


def test_the_description_shows_the_configuration_at_zero(both):
    _, robot, twin = both
    poses = np.array([link.description.pose.matrix for link in robot.links])
    zero = twin.link_poses(robot, np.zeros(robot.dof))
    assert np.abs(poses - zero).max() < 1e-12
    assert np.abs(robot.link_transforms - zero).max() < 1e-12


def test_masses_and_inertias(both):
    _, robot, twin = both
    assert twin.worst_inertia(robot) < 1e-12
    root = robot.links["root"]
    assert root.mass == 2.0
    assert np.trace(root.local_inertia) == pytest.approx(1.5, abs=1e-15)


def test_a_planar_joint_of_any_normal_stays_in_its_plane():
    text = """<robot name="p"><link name="a"/><link name="b"/>
      <joint name="j" type="planar"><parent link="a"/><child link="b"/>
      <axis xyz="1 -2 0.5"/></joint></robot>"""
    robot = pyrave.load_string(text).robots["p"]
    normal = np.array((1, -2, 0.5)) / np.linalg.norm((1, -2, 0.5))
    rng = np.random.default_rng(1)
    for q in rng.uniform(-2, 2, (20, 3)):
        pose = robot.compute_link_transforms(q[None])[0, 1]
        assert abs(pose[:3, 3] @ normal) < 1e-14
        assert np.linalg.norm(pose[:3, 3]) == pytest.approx(np.hypot(*q[:2]))
        assert np.abs(pose[:3, :3] @ normal - normal).max() < 1e-14
        assert np.trace(pose[:3, :3]) == pytest.approx(1 + 2 * np.cos(q[2]))
