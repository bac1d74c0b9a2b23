"""OpenRAVE's scenes with cameras: what they are like, and that they see something."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import corpus
import numpy as np
import pytest

import pyrave

SHARED = corpus.shared_folder()
ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(SHARED is None, reason="the corpus is not here")

# file -> how many cameras
FILES = {
    "data/camera.robot.xml": 1,
    "data/testwamcamera.env.xml": 1,
    "data/pa10calib_envcamera.env.xml": 2,
    "robots/pr2-beta-sim.robot.xml": 4,
}
OUTPUTS = ("color", "depth", "segmentation")


def cameras(env):
    return [sensor for sensor in env.sensors if sensor.interface_id == "BaseCamera"]


def loaded(name):
    env = pyrave.Environment()
    env.load(ROOT / name, resource_roots=[ROOT])
    return env


def matrix(geometry):
    """Return the (3, 3) matrix of a lens."""
    fx, fy, cx, cy = geometry.kk or (0, 0, 0, 0)
    return [[fx, geometry.skew, cx], [0, fy, cy], [0, 0, 1]]


@pytest.mark.parametrize("name", FILES)
def test_cameras_of_a_file(name):
    env = loaded(name)
    found = cameras(env)
    assert len(found) == FILES[name]
    for camera in found:
        assert not [p for p in env.problems if "Camera" in str(p)]
        known = camera.geometry.kk
        kk = None if known is None else tuple(value / 4 for value in known)
        camera.change_settings(width=160, height=120, kk=kk)
        camera.options = replace(camera.options, outputs=OUTPUTS)
        data = camera.measure()
        assert data.image.shape == (120, 160, 3)
        np.testing.assert_array_equal(np.isinf(data.depth), data.body_ids < 0)


@pytest.mark.parametrize("name", [name for name in FILES if "calib" not in name])
def test_geometries_and_poses_are_openraves(name):
    path = SHARED / "expected" / "openrave" / f"{name}.json"
    known = json.loads(path.read_text())["bodies"][0]["robot"]["attached_sensors"]
    robot = loaded(name).robots[0]
    compared = 0
    for entry in known:
        wanted = (entry["sensor"] or {"supports": {}})["supports"].get("Camera")
        if wanted is None:
            continue
        mounted = robot.attached_sensors[entry["name"]]
        geometry = mounted.sensor.get_sensor_geometry()
        np.testing.assert_array_equal(wanted["KK"]["K"], matrix(geometry))
        for field in ("width", "height", "gain", "hardware_id"):
            assert getattr(geometry, field) == wanted[field], field
        assert geometry.focal_length == wanted["KK"]["focal_length"]
        np.testing.assert_allclose(
            mounted.sensor.transform, entry["sensor"]["transform"], atol=1e-9
        )
        compared += 1
    # of the COLLADA file that it includes, too
    assert compared >= FILES[name]


def test_the_camera_of_a_collada_archive():
    env = pyrave.Environment()
    env.load(ROOT / "robots" / "barrett-wam-sensors.zae", resource_roots=[ROOT])
    path = SHARED / "expected" / "openrave" / "robots" / "barrett-wam-sensors.zae.json"
    entries = json.loads(path.read_text())["environment"]["sensors"]
    (known,) = (entry for entry in entries if entry["xml_id"] == "BaseCamera")
    camera = env.sensors[known["name"]]
    geometry, wanted = camera.get_sensor_geometry(), known["supports"]["Camera"]
    np.testing.assert_array_equal(wanted["KK"]["K"], matrix(geometry))
    assert (geometry.width, geometry.height) == (640, 480)
    np.testing.assert_allclose(camera.transform, known["transform"], atol=1e-9)


def test_defaults_are_openraves():
    path = SHARED / "expected" / "openrave_topics" / "sensors.json"
    env = pyrave.Environment()
    for interface in ("BaseCamera", "base_pinhole_camera"):
        wanted = json.loads(path.read_text())[interface]["supports"]["Camera"]
        geometry = env.create("sensor", interface).get_sensor_geometry()
        for field in ("gain", "target_region"):
            assert getattr(geometry, field) == wanted[field], field
        # it says 0 where nothing is given
        assert wanted["width"] == wanted["height"] == wanted["KK"]["K"][0][0] == 0
        assert (geometry.width, geometry.height, geometry.kk) == (640, 480, None)


def test_the_ceiling_camera_sees_the_floor():
    # without the arm, whose file is COLLADA
    text = (ROOT / "data/pa10calib_envcamera.env.xml").read_text()
    arm = re.compile(r"<Robot file=.*?</Robot>", re.DOTALL)
    text, count = arm.subn("", text, count=1)
    assert count == 1
    env = pyrave.Environment()
    env.load_string(text)
    camera = env.sensors["ceilingcamera:camera"]
    camera.options = replace(camera.options, outputs=OUTPUTS)
    data = camera.measure()
    assert data.image.shape == (480, 640, 3)
    # it looks down from 2.12 m on the floor at z = 0, past everything else
    assert (data.body_ids == env.bodies.names.index("frame")).all()
    np.testing.assert_allclose(camera.points(data)[..., 2], 0.0, atol=1e-12)
    height, slope = camera.transform[2, 3], -camera.transform[2, 2]
    assert data.depth[240, 320] == pytest.approx(height / slope)
    # the obstacle is aside: its place in the image is outside of it
    column, row = camera.project(env.bodies["obstacle"].transform[None, :3, 3])[0]
    assert not (0 <= column < 640 and 0 <= row < 480)
