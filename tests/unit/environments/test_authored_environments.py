"""The robots, objects and scenes that ship: no warning, sound numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave
import pyrave_environments

ROOT = pyrave_environments.root()
FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.xml"))
OBJECTS = [name for name in FILES if name.startswith("objects") and "room" not in name]


def load(name):
    return pyrave.load(ROOT / name, strict=True)


@pytest.mark.parametrize("name", FILES)
def test_loads_without_a_warning(name):
    env = load(name)
    assert env.problems == ()
    for body in env.bodies:
        for link in body.links:
            moments = np.linalg.eigvalsh(link.local_inertia)
            assert link.mass > 0
            assert moments[0] > 0
            # no rigid thing turns harder about one axis than about the others together
            assert moments[2] <= moments[:2].sum() * (1 + 1e-9)


def test_found_by_name_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert pyrave.load("robots/rover.robot.xml").robots.names == ("rover",)
    assert pyrave_environments.scene("minimal").is_file()
    with pytest.raises(FileNotFoundError, match="demo, minimal, shelf, stances"):
        pyrave_environments.scene("nothing")


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_stand_on_the_ground(name):
    (body,) = load(name).bodies
    centre, half = body.aabb
    assert abs(centre[2] - half[2]) < 1e-9
    com = body.center_of_mass
    assert (np.abs(com - centre) <= half).all()


def test_things_of_the_demo_rest_on_the_table():
    env = load("scenes/demo.env.xml")
    for name in ("mug", "bottle", "crate", "brick", "block_red", "block_green"):
        centre, half = env.bodies[name].aabb
        assert abs(centre[2] - half[2] - 0.72) < 1e-9, name
    table, half = env.bodies["table"].aabb
    assert abs(table[2] + half[2] - 0.72) < 1e-12


def test_planar_arm_against_the_closed_form():
    robot = load("robots/planar3r.robot.xml").robots[0]
    rng = np.random.default_rng(5)
    for q in rng.uniform(-2.5, 2.5, (20, 3)):
        robot.dof_values = q
        angles = np.cumsum(q)
        lengths = np.array((0.4, 0.3, 0.2))
        tool = robot.manipulators["arm"].transform
        np.testing.assert_allclose(tool[0, 3], lengths @ np.cos(angles), atol=1e-12)
        np.testing.assert_allclose(tool[1, 3], lengths @ np.sin(angles), atol=1e-12)
        np.testing.assert_allclose(tool[0, 0], math.cos(angles[2]), atol=1e-12)


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    if axis == "z":
        return np.array(((c, -s, 0), (s, c, 0), (0, 0, 1)))
    return np.array(((c, 0, s), (0, 1, 0), (-s, 0, c)))


def test_arm_against_the_closed_form():
    robot = load("robots/heron7.robot.xml").robots[0]
    rng = np.random.default_rng(6)
    # heights of the joints' crossings: shoulder, elbow, wrist; then the tool
    steps = (0.33, 0.42, 0.38, 1.25 + 0.155 - 1.13)
    for q in rng.uniform(-2, 2, (20, 7)):
        robot.dof_values = [*q, 0.02]
        rotation, point = np.eye(3), np.zeros(3)
        point[2] += steps[0]
        turns = [turn(a, angle) for a, angle in zip("zyzyzyz", q, strict=True)]
        for step, part in zip(
            steps[1:], (turns[:3], turns[3:5], turns[5:]), strict=True
        ):
            for one in part:
                rotation = rotation @ one
            point = point + rotation @ (0, 0, step)
        tool = robot.manipulators["arm"].transform
        np.testing.assert_allclose(tool[:3, :3], rotation, atol=1e-12)
        np.testing.assert_allclose(tool[:3, 3], point, atol=1e-12)


def test_fingers_open_symmetrically():
    robot = load("robots/heron7.robot.xml").robots[0]
    for opening in (0.0, 0.02, 0.045):
        robot.dof_values = [0] * 7 + [opening]
        left = robot.links["left_finger"].transform[0, 3]
        right = robot.links["right_finger"].transform[0, 3]
        assert abs(left + right) < 1e-12
        assert abs(left - right - 2 * (opening + 0.004)) < 1e-12


def test_wheels_of_the_rover_touch_the_floor():
    robot = load("robots/rover.robot.xml").robots[0]
    for wheel in ("left_wheel", "right_wheel"):
        centre, half = robot.links[wheel].aabb
        assert abs(centre[2] - half[2]) < 1e-9
    assert robot.joints.names == ("left_wheel_joint", "right_wheel_joint")
    assert all(joint.circular == (True,) for joint in robot.joints)


def test_the_laser_of_the_arm_looks_along_the_tool():
    env = load("robots/heron7.robot.xml")
    robot = env.robots[0]
    tool = robot.manipulators["arm"].transform
    sensor = robot.attached_sensors["laser"].transform
    np.testing.assert_allclose(sensor[:3, 0], tool[:3, 2], atol=1e-12)
    np.testing.assert_allclose(sensor[:3, 1], tool[:3, 0], atol=1e-12)
