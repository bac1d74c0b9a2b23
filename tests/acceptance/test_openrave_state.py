"""Active degrees of freedom, manipulators, specifications and grabbing as OpenRAVE."""

from __future__ import annotations

import json
from functools import cache

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.trajectories import ConfigurationSpecification

EXPECTED = corpus.openrave_expected()
ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(
    EXPECTED is None, reason="the shared files are not there"
)


def cases():
    for path in sorted(EXPECTED.rglob("*.json")) if EXPECTED else ():
        name = path.relative_to(EXPECTED).as_posix().removesuffix(".json")
        content = json.loads(path.read_text())
        robots = [b for b in content.get("bodies", ()) if b.get("robot")]
        if robots:
            yield pytest.param(name, id=name)


CASES = list(cases())


@cache
def load(name):
    env = pyrave.Environment()
    env.load(ROOT / name, resource_roots=[ROOT])
    return env


@cache
def dumped(name):
    return json.loads((EXPECTED / f"{name}.json").read_text())["bodies"]


def pairs(name):
    env = load(name)
    for known in dumped(name):
        yield known, env.bodies[known["name"]]


def same_groups(spec, text):
    expected = ConfigurationSpecification.from_xml(text)
    found = [(g.name.split(), g.dof, g.offset, g.interpolation) for g in spec]
    assert found == [
        (g.name.split(), g.dof, g.offset, g.interpolation) for g in expected
    ]


@pytest.mark.parametrize("name", CASES)
def test_bodies(name):
    for known, body in pairs(name):
        same_groups(
            body.configuration_specification(), known["configuration_specification"]
        )
        assert [one.name for one in body.attached] == known["attached"]
        assert [one.name for one in body.grabbed] == known["grabbed"]
        found = {joint.name for joint in body.structure.dependency_ordered_joints}
        # OpenRAVE leaves out the joints that can't move
        assert set(known["dependency_ordered_joints"]) <= found
        enabled = body.structure.select_non_adjacent_links(enabled=True)
        expected = {tuple(sorted(pair)) for pair in known["non_adjacent_links_enabled"]}
        found = set(map(tuple, enabled.tolist()))
        assert found == expected - corpus.NESTED.get(name, set())


@pytest.mark.parametrize("name", CASES)
def test_active_degrees_of_freedom(name):
    for known, robot in pairs(name):
        if not known.get("robot"):
            continue
        expected = known["robot"]
        assert robot.active.dof == expected["active_dof"]
        assert robot.active_dof_indices.tolist() == expected["active_dof_indices"]
        for mine, its in (
            (robot.active.limits, expected["active_dof_limits"]),
            (robot.active.velocity_limits, expected["active_dof_max_vel"]),
            (robot.active.resolutions, expected["active_dof_resolutions"]),
            (robot.active.weights, expected["active_dof_weights"]),
            (robot.active.affine_rotation_axis, expected["affine_rotation_axis"]),
        ):
            np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-12)
        limits = robot.active.affine_limits.translation
        np.testing.assert_allclose(
            (limits.lower, limits.upper), expected["affine_translation_limits"]
        )
        same_groups(
            robot.active.configuration_specification(),
            expected["active_configuration_specification"],
        )
        arms = robot.manipulators
        active = robot.active_manipulator.name if arms else None
        assert active == expected["active_manipulator"]


@pytest.mark.parametrize("name", CASES)
def test_what_manipulators_move(name):
    for known, robot in pairs(name):
        for expected in (known.get("robot") or {}).get("manipulators", ()):
            arm = robot.manipulators[expected["name"]]
            names = [link.name for link in arm.child_links]
            assert names == expected["child_links"]
            assert {j.name for j in arm.child_joints} == set(expected["child_joints"])
            assert set(arm.child_dof_indices) == set(expected["child_dof_indices"])
            names = [link.name for link in arm.independent_links]
            assert names == expected["independent_links"]
            same_groups(
                arm.arm_configuration_specification(),
                expected["arm_configuration_specification"],
            )


@pytest.mark.parametrize("name", CASES)
def test_quaternion_jacobians(name):
    for known, robot in pairs(name):
        for one in known.get("random_configurations", ()):
            for arm_name, expected in one.get("manipulators", {}).items():
                if "rotation_jacobian" not in expected:
                    continue
                robot.set_dof_values(one["q_after"], limits=pyrave.LimitCheck.NONE)
                arm = robot.manipulators[arm_name]
                found = arm.quaternion_jacobian()
                its = np.reshape(expected["rotation_jacobian"], found.shape)
                # the sign of a quaternion has no meaning
                sign = np.sign((found * its).sum()) or 1.0
                np.testing.assert_allclose(sign * found, its, atol=1e-9)


def test_grabbing():
    path = EXPECTED.parent / "openrave_topics" / "grab.json"
    known = json.loads(path.read_text())
    env = load("data/lab1.env.xml")
    robot, mug = env.robots["BarrettWAM"], env.bodies["mug1"]
    arm = robot.active_manipulator
    with env.preserve_state():
        np.testing.assert_allclose(arm.transform, known["before"]["ee"], atol=1e-9)
        np.testing.assert_allclose(mug.transform, known["before"]["mug"], atol=1e-9)
        (expected,) = known["grabbed_info"]
        mug.transform = robot.links[expected["link"]].transform @ expected["trel"]
        robot.grab(mug)
        (info,) = robot.grabs.info
        assert (info.name, info.link) == (expected["name"], expected["link"])
        assert sorted(info.ignored_links) == sorted(expected["ignore"])
        np.testing.assert_allclose(info.T_link_body, expected["trel"], atol=1e-12)
        assert [body.name for body in robot.grabbed] == known["grabbed"]
        assert [body.name for body in robot.attached] == known["attached"]
        assert robot.grabs.link_of(mug).name == known["is_grabbing"]
        # move to where OpenRAVE's robot went: the mug stays in the hand
        rng = np.random.default_rng(0)
        robot.dof_values = rng.uniform(-0.5, 0.5, robot.dof)
        pose = robot.links[expected["link"]].transform @ expected["trel"]
        np.testing.assert_allclose(mug.transform, pose, atol=1e-12)
        relative = np.linalg.inv(arm.transform) @ mug.transform
        after = known["after_move"]
        dumped_relative = np.linalg.inv(after["ee"]) @ after["mug"]
        np.testing.assert_allclose(relative, dumped_relative, atol=1e-9)
        robot.release_all()
        assert [body.name for body in robot.grabbed] == known["released"]
    assert [body.name for body in robot.grabbed] == known["after_statesaver"]
