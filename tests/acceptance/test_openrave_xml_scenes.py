"""OpenRAVE's own scenes: read exactly, written and read back equal.

What `pyrave info` says is compared in a test beside this one; here is what only
descriptions have. OpenRAVE 0.149.1 forgets the mass of a link that a robot file appends
to, and does not scale the inertia of a ``mimicgeom`` mass with a total.
"""

from __future__ import annotations

import io
import json
import re

import corpus
import numpy as np
import pytest

import pyrave
from pyrave.errors import SceneError
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene, write_scene
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")

FILES = corpus.openrave_dumped()
# Links whose mass OpenRAVE resets because a file appends to them: their own files.
APPENDED = {
    "wam0": "robots/wam7.kinbody.xml",
    "handbase": "robots/barretthand.kinbody.xml",
}


def load(name):
    return pyrave.read(ROOT / name, resource_roots=[ROOT])


def load_alone(source):
    """Return a scene read by one format, from a path or a buffer."""
    context = ReadContext(
        resolver=Resolver([ROOT], data_roots=(), use_environment=False)
    )
    return read_scene(source, [OpenRAVEXmlFormat()], context)


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(
        np.asarray(found, float), np.asarray(expected, float), tolerance, tolerance
    )


@pytest.fixture(params=FILES)
def pairs(request):
    """(body, what OpenRAVE says of it) of one file."""
    expected = json.loads((EXPECTED / f"{request.param}.json").read_text())["bodies"]
    scene = load(request.param)
    assert [body.name for body in scene.bodies] == [body["name"] for body in expected]
    return list(zip(scene.bodies, expected, strict=True))


def at_rest(expected):
    passive = [v for j in expected["passive_joints"] for v in j["values"]]
    return not any(expected["dof_values"]) and not any(passive)


def test_links(pairs):
    for body, expected in pairs:
        assert [one.name for one in body.links] == [
            e["name"] for e in expected["links"]
        ]
        for link, want in zip(body.links, expected["links"], strict=True):
            assert (link.static, link.enabled) == (want["static"], want["enabled"])
            if at_rest(expected):
                pose = body.pose @ link.pose
                close(pose.matrix, want["transform"])
            inertial = link.inertial
            if link.name.rpartition("_")[2] in APPENDED and want["mass"] == 1.0:
                own = described_link(link.name.rpartition("_")[2])
                assert (inertial.mass, inertial.com) == (own.mass, own.com)
                continue
            close(inertial.mass, want["mass"])
            close(inertial.com, want["local_com"])


def described_link(name):
    """Return the mass properties of a link in the file that first describes it."""
    body = load(APPENDED[name]).bodies[0]
    return next(link.inertial for link in body.links if link.name == name)


def test_geometries(pairs):
    for body, expected in pairs:
        for link, wanted in zip(body.links, expected["links"], strict=True):
            shapes = wanted["geometries"]
            if any(g["type"] == "GeometryType.Trimesh" for g in shapes):
                continue  # OpenRAVE splits one mesh file into several geometries
            for geometry, want in zip(link.geometries, shapes, strict=True):
                assert f"GeometryType.{geometry.shape.type.title()}" == want["type"]
                close(geometry.pose.matrix, want["transform"])
                close(geometry.material.diffuse or (1, 1, 1), want["diffuse"])
                close(geometry.material.ambient or (0, 0, 0), want["ambient"])
                if geometry.shape.type == "box":
                    close(geometry.shape.half_extents, want["extents"])
                elif geometry.shape.type == "cylinder":
                    shape = (geometry.shape.radius, geometry.shape.height)
                    close(shape, (want["radius"], want["height"]))


def test_joints(pairs):
    for body, expected in pairs:
        joints = sorted(body.joints, key=lambda joint: not joint.active)
        wanted = expected["joints"] + expected["passive_joints"]
        assert [joint.name for joint in joints] == [want["name"] for want in wanted]
        poses = {link.name: body.pose @ link.pose for link in body.links}
        for joint, want in zip(joints, wanted, strict=True):
            assert f"JointType.{joint.type.title()}" == want["type"]
            ends = (want["first_attached"], want["second_attached"])
            assert (joint.parent, joint.child) == ends
            frame = poses[joint.parent] @ joint.T_parent_joint
            shown = frame @ joint.T_child_joint.inverse()
            close(shown.matrix, poses[joint.child].matrix)
            # OpenRAVE forgets where joints are that cannot move
            moves = any(axis.lower != axis.upper for axis in joint.axes)
            if at_rest(expected) and joint.type != "slider" and moves:
                close(frame.translation, want["anchor"])
            for index, (axis, seen) in enumerate(
                zip(joint.axes, want["axes"], strict=True)
            ):
                if at_rest(expected) and moves:
                    close(frame.rotate(axis.direction), seen["axis"])
                if not axis.circular:
                    limits = [side[index] for side in want["limits"]]
                    close((axis.lower, axis.upper), limits)
                assert axis.circular == seen["circular"]
                close(axis.velocity_limit, seen["max_vel"])
                close(axis.acceleration_limit, seen["max_accel"])
                close(axis.torque_limit, seen["max_torque"])
                close(axis.inertia_limit, seen["max_inertia"])
                close(axis.jerk_limit, want["jerk_limits"][index])
                close(axis.hard_velocity_limit, want["hard_velocity_limits"][index])
                hard = want["hard_acceleration_limits"][index]
                close(axis.hard_acceleration_limit, hard)
                close(axis.weight, want["weights"][index])
                close(axis.resolution, want["resolutions"][index])
                if axis.mimic is not None:
                    check_formulas(axis.mimic, seen["mimic_equations"])


def check_formulas(mimic, expected):
    """Compare what a file says; partials that it does not say, OpenRAVE may have."""
    formulas = (mimic.position, mimic.velocity, mimic.acceleration)
    for ours, theirs in zip(formulas, expected, strict=True):
        if ours or not mimic.position:
            assert with_decimals(ours) == with_decimals(theirs)


def with_decimals(formula):
    number = r"(?<![\w.])\d+\.?\d*(?:[eE][-+]?\d+)?"
    return re.sub(number, lambda found: repr(float(found[0])), formula)


def test_manipulators(pairs):
    for body, expected in pairs:
        if not expected["is_robot"]:
            continue
        wanted = expected["robot"]["manipulators"]
        assert [m.name for m in body.manipulators] == [want["name"] for want in wanted]
        for found, want in zip(body.manipulators, wanted, strict=True):
            assert (found.base, found.end_effector) == (
                want["base"],
                want["end_effector"],
            )
            assert list(found.gripper_joints) == want["info_gripper_joint_names"]
            close(found.chucking_direction, want["chucking_direction"])
            close(found.direction, want["direction"])
            close(found.tool.matrix, want["local_tool_transform"])


def test_mimicgeom_inertia_follows_the_total():
    # OpenRAVE keeps the inertia of density 1000 here.
    wheel = load("robots/diffdrive_sample.robot.xml").bodies[0].links[1]
    side, along = (3 * 0.04 + 0.01) / 12, 0.04 / 2
    assert wheel.inertial.mass == 1.0
    close(np.diag(np.reshape(wheel.inertial.inertia, (3, 3))), (side, along, side))


def test_appending_keeps_the_mass_of_the_wam():
    links = {x.name: x for x in load("data/lab1.env.xml").bodies[0].links}
    assert links["wam0"].inertial.mass == np.float32(9.97059584)
    assert links["handbase"].inertial.mass == np.float32(1.1)


@pytest.mark.parametrize("name", corpus.SCENES)
def test_scenes_load_with_warnings_only_and_are_written_back_equal(name):
    scene = load_alone(ROOT / name)
    codes = {problem.code for problem in scene.problems}
    # Tags that nothing reads, links without names, moments that no body has.
    assert codes <= {"unknown-tag", "unnamed-link", "bad-inertia"}
    buffer = io.BytesIO()
    assert (
        write_scene(
            scene,
            buffer,
            [OpenRAVEXmlFormat()],
            WriteContext(),
            format_name="openrave-xml",
        )
        == []
    )
    buffer.seek(0)
    again = load_alone(buffer)
    assert again == scene


@pytest.mark.parametrize("name", ["data/puma.env.xml", "data/hironxtable.env.xml"])
def test_scenes_with_collada_say_so_without_its_reader(name):
    with pytest.raises(SceneError, match=r"COLLADA.*no reader") as caught:
        load_alone(ROOT / name)
    assert caught.value.line is not None
