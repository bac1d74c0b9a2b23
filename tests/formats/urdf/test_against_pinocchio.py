"""Poses, masses and inertias of every type of joint equal Pinocchio's."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree
from urdf_twin import UrdfTwin, followers_of

import pyrave

ROBOT = """
<robot name="all">
  <link name="root">
    <inertial><origin xyz="0.1 0 0.2" rpy="0.3 -0.2 0.9"/><mass value="2"/>
      <inertia ixx="0.4" ixy="0.01" ixz="-0.02" iyy="0.5" iyz="0.03" izz="0.6"/>
    </inertial>
  </link>
  <link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <link name="f"><inertial><mass value="0.5"/>
    <inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
  </link>
  <link name="g"/><link name="h"/><link name="i"/>
  <joint name="turn" type="revolute"><parent link="root"/><child link="a"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="1 2 -3"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>
    <origin xyz="0 0 1" rpy="1 0 0"/><axis xyz="0 -2 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="spin" type="continuous"><parent link="b"/><child link="c"/>
    <origin rpy="0 0 -2"/><axis xyz="0 0 -1"/></joint>
  <joint name="plane" type="planar"><parent link="c"/><child link="d"/>
    <origin xyz="0 1 0" rpy="0.2 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="free" type="floating"><parent link="root"/><child link="e"/>
    <origin xyz="0 0 1" rpy="0 0.3 0"/></joint>
  <joint name="weld" type="fixed"><parent link="e"/><child link="f"/>
    <origin xyz="0 0.3 0" rpy="-1 2 -3"/></joint>
  <joint name="third" type="revolute"><parent link="g"/><child link="h"/>
    <axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/>
    <mimic joint="second" multiplier="-2" offset="-0.25"/></joint>
  <joint name="second" type="prismatic"><parent link="f"/><child link="g"/>
    <axis xyz="0 1 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/>
    <mimic joint="turn" multiplier="0.5" offset="0.1"/></joint>
  <joint name="same" type="continuous"><parent link="h"/><child link="i"/>
    <origin xyz="1 0 0"/><axis xyz="1 0 0"/><mimic joint="spin"/></joint>
</robot>
"""


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
