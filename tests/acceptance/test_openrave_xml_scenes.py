"""OpenRAVE's own scenes: read exactly, written and read back equal.

Deliberate differences from OpenRAVE 0.149.1, each tested by name below: it reads
masses and colours in single precision; it does not scale the inertia of a
``mimicgeom`` mass with a total; and it forgets the mass of a link that a robot file
appends to.
"""

from __future__ import annotations

import io
import json

import corpus
import numpy as np
import pytest

from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene, write_scene
from pyrave.formats.openrave_xml.plugin import OpenRAVEXmlFormat

ROOT = corpus.openrave_root()
EXPECTED = corpus.openrave_expected()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")

FILES = [
    "data/tridoftable.env.xml",
    "data/wamtest1.env.xml",
    "data/wamtest2.env.xml",
    "data/diffdrive_sample.env.xml",
    "data/cabinet1.kinbody.xml",
    "data/balljoint.kinbody.xml",
    "robots/barrettwam.robot.xml",
    "robots/barrettwam-dual.robot.xml",
    "robots/barrettsegway.robot.xml",
    "robots/barretthand.robot.xml",
    "robots/diffdrive_sample.robot.xml",
    "robots/schunk_manip.robot.xml",
    "robots/wam4.kinbody.xml",
]
# Links whose mass OpenRAVE resets because a file appends to them.
APPENDED = {"wam0", "handbase", "l_handbase", "r_handbase"}
SINGLE = 1e-6


def load(source):
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
    scene = load(ROOT / request.param)
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
            moved = {j["hierarchy_child"] for j in expected["passive_joints"]}
            if at_rest(expected) or not moved & {link.name, *_parents(want)}:
                pose = body.pose @ link.pose
                close(pose.matrix, want["transform"])
            if link.name in APPENDED and want["mass"] == 1.0:
                continue
            close(link.inertial.mass, want["mass"], SINGLE)
            close(link.inertial.com, want["local_com"])
            if not link.name.startswith("wheel") and body.name != "diffdrive":
                inertia = np.reshape(link.inertial.inertia, (3, 3))
                close(inertia, want["local_inertia"], 1e-8)


def _parents(want):
    # A mimic finger shows its own offset at rest: OpenRAVE moves it and its children.
    return [want["name"], *want["parent_links"]]


def test_geometries(pairs):
    for body, expected in pairs:
        for link, wanted in zip(body.links, expected["links"], strict=True):
            shapes = wanted["geometries"]
            if any(g["type"] == "GeometryType.Trimesh" for g in shapes):
                continue  # OpenRAVE splits one mesh file into several geometries
            for geometry, want in zip(link.geometries, shapes, strict=True):
                assert f"GeometryType.{geometry.shape.type.title()}" == want["type"]
                close(geometry.pose.matrix, want["transform"])
                close(geometry.material.diffuse or (1, 1, 1), want["diffuse"], SINGLE)
                close(geometry.material.ambient or (0, 0, 0), want["ambient"], SINGLE)
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
            if at_rest(expected) and joint.type != "slider":
                close(frame.translation, want["anchor"])
            for index, (axis, seen) in enumerate(
                zip(joint.axes, want["axes"], strict=True)
            ):
                if at_rest(expected):
                    close(frame.rotate(axis.direction), seen["axis"])
                if not axis.circular:
                    limits = [side[index] for side in want["limits"]]
                    close((axis.lower, axis.upper), limits)
                assert axis.circular == seen["circular"]
                close(axis.velocity_limit, seen["max_vel"])
                close(axis.acceleration_limit, seen["max_accel"])
                close(axis.torque_limit, seen["max_torque"])
                close(axis.weight, want["weights"][index])
                close(axis.resolution, want["resolutions"][index])
                if axis.mimic is not None:
                    formulas = (
                        axis.mimic.position,
                        axis.mimic.velocity,
                        axis.mimic.acceleration,
                    )
                    assert list(formulas) == seen["mimic_equations"]


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
    wheel = load(ROOT / "robots/diffdrive_sample.robot.xml").bodies[0].links[1]
    side, along = (3 * 0.04 + 0.01) / 12, 0.04 / 2
    assert wheel.inertial.mass == 1.0
    close(np.diag(np.reshape(wheel.inertial.inertia, (3, 3))), (side, along, side))


def test_appending_keeps_the_mass_of_the_wam():
    links = {x.name: x for x in load(ROOT / "data/lab1.env.xml").bodies[0].links}
    assert links["wam0"].inertial.mass == np.float32(9.97059584)
    assert links["handbase"].inertial.mass == np.float32(1.1)


@pytest.mark.parametrize("name", corpus.SCENES)
def test_scenes_load_with_warnings_only_and_are_written_back_equal(name):
    scene = load(ROOT / name)
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
    again = load(buffer)
    assert again == scene


@pytest.mark.parametrize("name", ["data/puma.env.xml", "data/hironxtable.env.xml"])
def test_scenes_with_collada_say_so(name):
    from pyrave.errors import SceneError

    with pytest.raises(SceneError, match=r"COLLADA.*no reader") as caught:
        load(ROOT / name)
    assert caught.value.line is not None
