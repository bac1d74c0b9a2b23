"""Laser scans and rays in OpenRAVE's lab1 scene against what OpenRAVE measured.

OpenRAVE cast the rays with ODE, whose meshes have single precision.

Deliberate difference: normals here look at the ray's origin even where that lies
inside of the geometry; ODE then gives the outward normal and a positive depth.
"""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

import pyrave
from pyrave import CollisionReport, ConfigureCommand

SHARED = corpus.shared_folder()
ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(SHARED is None, reason="the corpus is not here")

MESH_TOLERANCE = 1e-5
EXACT = 1e-9


def topic(name):
    path = SHARED / "expected" / "openrave_topics" / f"{name}.json"
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def lab():
    """Return lab1, with all of its meshes."""
    env = pyrave.Environment()
    env.load(ROOT / "data" / "lab1.env.xml", resource_roots=[ROOT])
    env.raycast([[0, 0, 50]], [[0, 0, 1]])
    assert not any("mesh" in problem.code for problem in env.problems)
    return env


@pytest.fixture(scope="module")
def recorded():
    return topic("sensors")


def placed(lab, entry, interface):
    laser = lab.create("sensor", interface)
    pose = np.eye(4)
    pose[:3] = np.asarray(entry["pose"])[:3]
    laser.set_transform(pose)
    return laser


SCANNERS = [
    "BaseLaser2D",
    "base_laser2d",
    "BaseSpinningLaser2D",
    "BaseFlashLidar3D",
    "base_laser3d",
]


def laser_value(geometry, name):
    """Return a value; scanners without planes have no steps between rays: 0."""
    return getattr(geometry, name, 0.0)


@pytest.mark.parametrize("interface", SCANNERS)
def test_defaults(lab, recorded, interface):
    entry = recorded[interface]
    laser = placed(lab, entry, interface)
    geometry = laser.get_sensor_geometry()
    for name, value in entry["supports"]["Laser"].items():
        assert laser_value(geometry, name) == np.ravel(value)[0], name
    assert laser.interface_id == interface
    assert laser.configure(ConfigureCommand.POWER_ON) == entry["poweron"]


@pytest.mark.parametrize("interface", ["BaseForce6D", "base_force6d"])
def test_defaults_of_the_force_sensor(lab, recorded, interface):
    entry = recorded[interface]
    sensor = placed(lab, entry, interface)
    geometry = sensor.get_sensor_geometry()
    for name, value in entry["supports"]["Force6D"].items():
        found = getattr(geometry, name)
        np.testing.assert_array_equal(np.ravel(found), np.ravel(value), name)
    data = sensor.measure()
    np.testing.assert_array_equal(data.force, entry["data"]["force"])
    np.testing.assert_array_equal(data.torque, entry["data"]["torque"])
    assert sensor.configure(ConfigureCommand.POWER_ON) == entry["poweron"]


@pytest.mark.parametrize("interface", SCANNERS)
def test_scan(lab, recorded, interface):
    entry = recorded[interface]
    data = placed(lab, entry, interface).measure()
    wanted = {
        name: np.asarray(entry["data"][name])
        for name in ("positions", "ranges", "intensity")
    }
    np.testing.assert_array_equal(data.positions, wanted["positions"])
    assert data.ranges.shape == wanted["ranges"].shape
    distances = np.linalg.norm(wanted["ranges"], axis=1)
    np.testing.assert_allclose(
        data.ranges / data.distances[:, None],
        wanted["ranges"] / distances[:, None],
        atol=EXACT,
    )
    error = np.abs(data.distances - distances)
    blocked = error > MESH_TOLERANCE
    exact = error < EXACT
    assert exact.sum() > 0.9 * len(error)
    assert (data.intensity == wanted["intensity"])[exact].all()
    assert ((data.body_ids >= 0) == (data.intensity == 1)).all()
    assert not blocked.any(), np.flatnonzero(blocked)


@pytest.mark.parametrize(
    ("name", "n_lasers"),
    [
        ("data/testwamcamera.env.xml", 3),
        ("robots/barrett-wam-sensors.zae", 1),
        ("robots/pr2-beta-static.zae", 2),
    ],
)
def test_described_scanners(name, n_lasers):
    """The lasers that a robot file describes have OpenRAVE's geometry."""
    path = SHARED / "expected" / "openrave" / f"{name}.json"
    content = json.loads(path.read_text())
    (robot,) = [body["robot"] for body in content["bodies"] if body.get("robot")]
    env = pyrave.Environment()
    env.load(ROOT / name, resource_roots=[ROOT])
    n_seen = 0
    for entry in robot["attached_sensors"]:
        described = entry["sensor"] or {"supports": {}}
        wanted = described["supports"].get("Laser")
        if wanted is None:
            continue
        n_seen += 1
        sensor = env.robots[0].attached_sensors[entry["name"]].sensor
        assert sensor.interface_id == entry["sensor"]["xml_id"]
        geometry = sensor.get_sensor_geometry()
        for field, value in wanted.items():
            found = laser_value(geometry, field)
            wanted_one = np.ravel(value)[0]
            np.testing.assert_allclose(found, wanted_one, rtol=1e-15, err_msg=field)
        np.testing.assert_allclose(
            sensor.transform, entry["sensor"]["transform"], atol=EXACT
        )
    assert n_seen == n_lasers


def test_rays(lab):
    """The generic collision checker answers rays; ODE is the reference."""
    env = lab
    content = topic("collision")["ode"]
    n_exact = 0
    for ray, wanted in zip(content["rays"], content["rays_single"], strict=True):
        report = CollisionReport()
        hit = env.collision_checker.check_ray(ray[:3], ray[3:], report=report)
        length = np.linalg.norm(ray[3:])
        own = report.min_distance if hit else length
        theirs = wanted["minDistance"] if wanted["hit"] else length
        assert hit == wanted["hit"]
        assert own == pytest.approx(theirs, abs=MESH_TOLERANCE)
        if not hit or abs(own - theirs) > EXACT:
            continue
        n_exact += 1
        (info,) = wanted["infos"]
        (contact,) = report.pairs[0].contacts
        (expected,) = info["contacts"]
        assert report.pairs[0].first.body_name == info["first"].split()[0]
        np.testing.assert_allclose(contact.position, expected["pos"], atol=EXACT)
        side = -np.sign(expected["depth"])
        normal = side * np.asarray(expected["norm"])
        np.testing.assert_allclose(contact.normal, normal, atol=EXACT)
        assert contact.depth == pytest.approx(side * expected["depth"], abs=EXACT)
    assert n_exact > 50
