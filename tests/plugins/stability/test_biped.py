"""The humanoid that ships: it stands on its soles and falls where it should."""

import numpy as np
import pytest

import pyrave
import pyrave_stability as stability
from pyrave.scene import BodyDescription, Inertial, LinkDescription
from pyrave_stability import Ground

FLOOR = Ground()


@pytest.fixture
def env():
    return pyrave.load("robots/biped.robot.xml", strict=True)


@pytest.fixture
def robot(env):
    return env.robots["biped"]


def bend(robot, knees):
    """Bend both legs so that the soles stay level, and put them on the floor."""
    for side in ("left", "right"):
        for joint, share in (("hip_pitch", -0.5), ("knee", 1.0), ("ankle_pitch", -0.5)):
            robot.joints[f"{side}_{joint}"].values = [share * knees]
    pose = robot.transform
    pose[2, 3] -= robot.manipulators["left_leg"].transform[2, 3]
    robot.transform = pose


def test_it_stands_on_both_soles(robot):
    assert [t.area.name for t in stability.touching(robot, FLOOR)] == ["sole", "sole"]
    region = stability.support_polygon(robot, FLOOR)
    np.testing.assert_allclose(region.corners.min(axis=0), (-0.075, -0.14))
    np.testing.assert_allclose(region.corners.max(axis=0), (0.125, 0.14))
    x = robot.center_of_mass[0]
    assert stability.stability_margin(robot, FLOOR) == pytest.approx(0.075 + x)
    found = stability.balance(robot, FLOOR)
    assert found.holds
    total = sum(force.sum(axis=0) for force in found.forces)
    np.testing.assert_allclose(total, -robot.mass * robot.env.gravity, atol=1e-9)


def test_it_squats(robot):
    bend(robot, 1.2)
    assert robot.transform[2, 3] < 0.62
    assert len(stability.touching(robot, FLOOR)) == 2
    assert stability.stability_margin(robot, FLOOR) > 0.03


def test_it_leans_until_it_falls(robot):
    """It tips over its toes where the plumb line of the centre of mass leaves them."""
    margins = []
    for angle in np.linspace(0, -0.4, 9):
        for side in ("left", "right"):
            robot.joints[f"{side}_ankle_pitch"].values = [angle]
        # the body turns over the feet, which stay where they are
        foot = np.eye(4)
        foot[:3, 3] = 0, 0.09, 0.06
        held = np.linalg.inv(robot.links["left_foot"].transform) @ robot.transform
        robot.transform = foot @ held
        assert len(stability.touching(robot, FLOOR)) == 2
        x = robot.center_of_mass[0]
        margins.append(stability.stability_margin(robot, FLOOR))
        assert margins[-1] == pytest.approx(min(0.125 - x, x + 0.075), abs=1e-9)
        assert stability.balance(robot, FLOOR).holds == (margins[-1] >= 0)
    assert margins[0] > 0 > margins[-1]


def test_a_load_in_the_hand_moves_the_balance(env, robot):
    before = stability.stability_margin(robot, FLOOR)
    load = env.create_body(
        BodyDescription("load", (LinkDescription("base", inertial=Inertial(60.0)),))
    )
    hand = robot.manipulators["left_arm"]
    load.transform = hand.transform
    alone = stability.center_of_mass(robot)
    robot.grab(load, "left_hand")
    moved = stability.center_of_mass(robot)
    share = 60.0 / (60.0 + robot.mass)
    expected = alone + share * (load.transform[:3, 3] - alone)
    np.testing.assert_allclose(moved, expected, atol=1e-12)
    assert moved[1] > alone[1]
    assert stability.balance(robot, FLOOR).holds
    y = moved[1]
    assert stability.stability_margin(robot, FLOOR) == pytest.approx(
        min(before, 0.14 - y), abs=0.02
    )
    assert not stability.balance(robot, [Ground((0, 0, -1))]).holds


def test_too_heavy_for_one_sole(robot):
    """On one leg each sole bears 900 N; a load of 60 kg more is too much."""
    touches = stability.touching(robot, FLOOR)[:1]
    one = stability.wrench_set(touches, origin=(0.025, 0.09, 0))
    assert one.limits.tolist() == [900.0]
    assert one.contains((0, 0, 899, 0, 0, 0))
    assert not one.contains((0, 0, 901, 0, 0, 0))


def test_copies_and_files_keep_its_contacts(env, robot, tmp_path):
    twin = env.clone().robots["biped"]
    assert len(stability.touching(twin, FLOOR)) == 2
    path = tmp_path / "copy.robot.xml"
    (loss,) = env.save(path, expand=True)
    assert "contacts of links are for pyrave alone: 'biped'" in loss
    again = pyrave.load(path, strict=True).robots[0]
    for link, other in zip(robot.links, again.links, strict=True):
        assert link.description.contacts == other.description.contacts
