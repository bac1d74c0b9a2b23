"""Files that OpenRAVE's own writer made of its robots: the same robots come back.

The writer puts links in the order of their joints, and gives wrong partial derivatives
of formulas; links without a name get one. Masses are compared with those that OpenRAVE
had, which are not always those of the file that it had read.
"""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave

ROOT = corpus.openrave_root()
SAVED = None if ROOT is None else ROOT.parent / "openrave_saved"
pytestmark = pytest.mark.skipif(
    SAVED is None or not SAVED.is_dir(), reason="the shared files are not there"
)
FILES = sorted(path.name for path in SAVED.iterdir()) if SAVED else []
# whose masses in OpenRAVE nobody wrote down
UNKNOWN = ("data/lab1.env.xml", "data/mug1.kinbody.xml", "robots/tridof.robot.xml")
SAME = 1e-9
UNNAMED = "_dummylink0_"


def close(found, expected, what):
    np.testing.assert_allclose(
        np.asarray(found, float), np.asarray(expected, float), SAME, SAME, err_msg=what
    )


@pytest.fixture(params=FILES, scope="module")
def file(request):
    return request.param


@pytest.fixture(scope="module")
def saved(file):
    return pyrave.load(SAVED / file, resource_roots=[ROOT])


@pytest.fixture(scope="module")
def name(file):
    """Name of the file that a saved one was read from."""
    return file.rpartition(".")[0].replace("__", "/")


@pytest.fixture(scope="module")
def pairs(saved, name):
    """Each body of a saved file with that of the first file."""
    first = pyrave.load(ROOT / name, resource_roots=[ROOT])
    assert saved.bodies.names == first.bodies.names
    return list(zip(saved.bodies, first.bodies, strict=True))


def test_they_have_no_problems_but_wrong_partials(saved):
    assert {one.code for one in saved.problems} <= {"wrong-partials"}


def test_masses_are_those_that_openrave_had(saved, name):
    if name in UNKNOWN:
        pytest.skip("what OpenRAVE had is not known")
    file = corpus.openrave_expected() / f"{name}.json"
    for body in json.loads(file.read_text("utf-8"))["bodies"]:
        links = saved.bodies[body["name"]].links
        for link in body["links"]:
            found = links[link["name"] or UNNAMED]
            close(found.mass, link["mass"], link["name"])
            close(found.local_com, link["local_com"], link["name"])
            close(found.local_inertia, link["local_inertia"], link["name"])


def test_joints_and_degrees_of_freedom(pairs):
    for found, body in pairs:
        assert [x.name for x in found.joints] == [x.name for x in body.joints]
        assert {x.name for x in found.links} == {x.name or UNNAMED for x in body.links}
        assert found.links[0].name == (body.links[0].name or UNNAMED)
        close(found.transform, body.transform, body.name)
        close(found.dof_values, body.dof_values, body.name)
        close(found.dof_limits, body.dof_limits, body.name)
        close(found.dof_velocity_limits, body.dof_velocity_limits, body.name)
        rng = np.random.default_rng(len(body.name))
        lower, upper = np.clip(body.dof_limits, -3.0, 3.0)
        for values in rng.uniform(lower, upper, (5, body.dof)):
            found.dof_values = body.dof_values = values
            for link in body.links:
                moved = found.links[link.name or UNNAMED]
                close(moved.transform, link.transform, link.name)


def test_manipulators_and_sensors(pairs):
    for found, robot in pairs:
        if not found.is_robot:
            continue
        names = [arm.name for arm in robot.manipulators]
        assert [arm.name for arm in found.manipulators] == names
        for one, other in zip(found.manipulators, robot.manipulators, strict=True):
            assert one.base.name == other.base.name
            assert one.end_effector.name == other.end_effector.name
            assert np.array_equal(one.arm_indices, other.arm_indices)
            assert np.array_equal(one.gripper_indices, other.gripper_indices)
            close(one.chucking_direction, other.chucking_direction, other.name)
            close(one.local_tool_transform, other.local_tool_transform, other.name)
            close(one.direction, other.direction, other.name)
        names = [sensor.name for sensor in robot.attached_sensors]
        assert [sensor.name for sensor in found.attached_sensors] == names
        for key in names:
            one, other = found.attached_sensors[key], robot.attached_sensors[key]
            close(one.transform, other.transform, key)


def adjacent(body):
    names = [link.name or UNNAMED for link in body.links]
    return {frozenset((names[a], names[b])) for a, b in body.adjacent_links}


def test_adjacency_and_geometry(pairs):
    for found, body in pairs:
        assert adjacent(found) == adjacent(body)
        for link in body.links:
            shown = found.links[link.name or UNNAMED].geometries
            assert len(shown) == len(link.geometries)
