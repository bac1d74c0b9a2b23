"""Whatever a body is, the URDF of it loads, moves as it does, and is written again."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scene_strategies import built_scenes
from urdf_written import worst_pose

import pyrave
from pyrave.scene import SceneDescription
from pyrave_urdf.reading.load import pose_of
from pyrave_urdf.writing.numbers import rpy

thorough = settings(max_examples=20, suppress_health_check=list(HealthCheck))
angle = st.floats(-7, 7) | st.sampled_from(
    [k * 0.25 * math.pi for k in range(-8, 9)] + [1.5708, -1.5708, 3.14159, 1e-12]
)


@settings(thorough, max_examples=150)
@given(angle, angle, angle)
def test_angles_read_back_as_the_same_rotation(roll, pitch, yaw):
    rotation = pose_of(roll, pitch, yaw, (0, 0, 0)).rotation
    again = pose_of(*rpy(rotation), (0, 0, 0)).rotation
    assert max(abs(a - b) for a, b in zip(again, rotation, strict=True)) < 1e-13


@settings(thorough, max_examples=100)
@given(st.tuples(*[st.floats(-1, 1)] * 4))
def test_any_rotation_is_met_to_rounding(quaternion):
    assume(math.hypot(*quaternion) > 1e-3)
    rotation = pyrave.scene.Pose.from_quaternion(quaternion).rotation
    again = pose_of(*rpy(rotation), (0, 0, 0)).rotation
    assert max(abs(a - b) for a, b in zip(again, rotation, strict=True)) < 1e-13


@thorough
@given(built_scenes(), st.booleans())
def test_any_body_is_written_and_read(tmp_path_factory, scene, srdf):
    folder = tmp_path_factory.mktemp("written")
    env = pyrave.Environment()
    env.add_scene(scene)
    for body in env.bodies:
        if not body.links:
            continue
        path = folder / "robot.urdf"
        losses = env.save(path, body=body.name, srdf=srdf)
        robot = pyrave.load(path).robots[0]
        told = "".join(losses)
        assert [link.name for link in robot.links[: len(body.links)]] == [
            link.name for link in body.links
        ]
        # joints that follow stop at limits of their own in ours alone
        if not any(what in told for what in ("spherical", "paths", "stop at limits")):
            assert worst_pose(body, robot, np.random.default_rng(1), 3) < 1e-12
        written = pyrave.read(path)
        again = folder / "again.urdf"
        keeps = any(key == "srdf" for key, _ in written.bodies[0].readables)
        pyrave.convert(path, again, srdf=keeps)
        assert pyrave.scene.same(pyrave.read(again), written)
        for one in (path, again):
            one.with_suffix(".srdf").unlink(missing_ok=True)


@settings(thorough, max_examples=10)
@given(built_scenes())
def test_pinocchio_reads_what_is_written(tmp_path_factory, scene):
    pinocchio = pytest.importorskip("pinocchio")
    folder = tmp_path_factory.mktemp("pinocchio")
    for body in scene.bodies:
        if not body.links:
            continue
        one = SceneDescription((body,))
        env = pyrave.Environment()
        env.add_scene(one)
        path = folder / "robot.urdf"
        env.save(path)
        robot = pyrave.load(path).robots[0]
        model = pinocchio.buildModelFromUrdf(str(path))
        joints = (*robot.joints, *robot.passive_joints)
        assert model.nv == sum(len(joint.values) for joint in joints)
