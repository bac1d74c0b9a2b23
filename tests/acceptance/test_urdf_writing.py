"""Real robots written as URDF: descriptions, poses and inertias are what they were."""

from __future__ import annotations

import dataclasses
import os
import re

import numpy as np
import pytest
from corpus import LONG, openrave_files, openrave_root, short
from lxml import etree
from test_urdf_robots import ROBOTS, robot_name, skip_if_not_installed
from urdf_twin import UrdfTwin, followers_of
from urdf_written import worst_pose

import pyrave

ROOT = openrave_root()
# robots and bodies: a sensor alone has none
SINGLE = tuple(
    name
    for name in short(openrave_files())
    if not name.endswith((".env.xml", ".sensor.xml"))
)
UNLIKE = ("spherical", "move along paths")


@pytest.mark.parametrize("path", ROBOTS, ids=robot_name)
def test_robots_of_packages_read_back_equal(path, tmp_path):
    skip_if_not_installed(path)
    scene = pyrave.read(path)
    has_srdf = any(key == "srdf" for key, _ in scene.bodies[0].readables)
    target = tmp_path / path.name
    assert pyrave.convert(path, target, srdf=has_srdf) == ()
    again = pyrave.read(target)
    assert pyrave.scene.same(again, scene)  # angles of poses are rounded
    # what acts nowhere is told where it is read, and not always written
    assert _told(again) == _told(scene)
    before = target.read_text("utf-8")
    pyrave.convert(target, target, srdf=has_srdf)
    assert _rounded(target.read_text("utf-8")) == _rounded(before)


@pytest.mark.parametrize("suffix", [".robot.xml", ".dae"])
@pytest.mark.parametrize("path", ROBOTS if LONG else ROBOTS[4::4], ids=robot_name)
def test_robots_come_back_through_other_formats(path, suffix, tmp_path):
    skip_if_not_installed(path)
    scene = pyrave.read(path)
    has_srdf = any(key == "srdf" for key, _ in scene.bodies[0].readables)
    between, target = tmp_path / f"between{suffix}", tmp_path / "back.urdf"
    pyrave.convert(path, between)
    assert pyrave.convert(between, target, srdf=has_srdf) == ()
    (body,) = pyrave.read(target).bodies
    # MuJoCo is told what to mend where a robot is from no URDF file
    kept = tuple(pair for pair in body.readables if pair[0] != "mujoco")
    assert pyrave.scene.same(dataclasses.replace(body, readables=kept), scene.bodies[0])


def _rounded(text):
    """Return a text whose numbers have no last digits: angles are computed anew."""
    return re.sub(
        r"-?\d+\.\d+(?:e[-+]?\d+)?",
        lambda found: f"{round(float(found[0]), 12) + 0.0}",
        text,
    )


def _told(scene):
    """Return the codes of problems but of what acts nowhere."""
    return sorted(one.code for one in scene.problems if one.code != "acts-nowhere")


def _bodies(name):
    """Return the bodies of a file, each as a scene of its own."""
    scene = pyrave.read(ROOT / name, resource_roots=[ROOT])
    found = [body for body in scene.bodies if body.links]
    assert found
    return [
        dataclasses.replace(scene, bodies=(body,), interfaces=(), grabs=())
        for body in found
    ]


def _saved(name, target):
    """Save each body of a file; yield it, what is told, and the robot read back."""
    for scene in _bodies(name):
        env = pyrave.Environment()
        env.add_scene(scene)
        told = "".join(env.save(target))
        again = pyrave.load(target)
        yield env.bodies[0], told, again.robots[0]


@pytest.mark.skipif(ROOT is None, reason="the real files are not here")
@pytest.mark.parametrize("name", SINGLE)
def test_bodies_of_openrave_move_as_before(name, tmp_path):
    for body, told, robot in _saved(name, tmp_path / "robot.urdf"):
        if not any(what in told for what in UNLIKE):
            assert worst_pose(body, robot, np.random.default_rng(4), 20) < 1e-14
        for link, other in zip(body.links, robot.links, strict=False):
            assert other.name == link.name or not link.name
            assert other.mass == link.mass
            assert np.array_equal(other.local_com, link.local_com)
            assert np.array_equal(other.local_inertia, link.local_inertia)


@pytest.mark.skipif(ROOT is None, reason="the real files are not here")
@pytest.mark.parametrize("name", SINGLE)
def test_pinocchio_sees_the_written_bodies_as_we_do(name, tmp_path):
    target = tmp_path / "robot.urdf"
    for _, _, robot in _saved(name, target):
        root = etree.parse(target).getroot()
        twin = UrdfTwin(target, followers_of(root))
        rng = np.random.default_rng(5)
        # joints that follow stop at limits of their own
        bounds = [np.clip(limit, -np.pi, np.pi) for limit in robot.dof_limits]
        for q in rng.uniform(*bounds, (20, robot.dof)):
            poses = robot.compute_link_transforms(q[None])[0]
            assert np.abs(poses - twin.link_poses(robot, q)).max() < 1e-12
        assert twin.worst_inertia(robot) < 1e-12


@pytest.mark.skipif(ROOT is None, reason="the real files are not here")
@pytest.mark.parametrize("library", ["mujoco", "yourdfpy"])
def test_other_libraries_load_the_written_bodies(library, tmp_path, monkeypatch):
    module = pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves a log where it runs
    loaded = 0
    for name in SINGLE if LONG else SINGLE[::4]:
        for number, scene in enumerate(_bodies(name)):
            missing = [
                mesh
                for link in scene.bodies[0].links
                for geometry in link.geometries
                if not getattr(
                    mesh := getattr(geometry.shape, "mesh", None), "found", True
                )
            ]
            if missing:
                continue
            folder = tmp_path / f"{name.replace(os.sep, '_')}_{number}"
            folder.mkdir()
            env = pyrave.Environment()
            env.add_scene(scene)
            target = folder / "robot.urdf"
            env.save(target)
            if library == "mujoco":
                module.MjModel.from_xml_path(str(target))
            else:
                module.URDF.load(str(target), load_meshes=False)
            loaded += 1
    assert loaded > 5
