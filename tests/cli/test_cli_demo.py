"""`pyrave demo` and `pyrave run`: pictures, scans, clocks."""

from __future__ import annotations

import dataclasses
import json
import struct
import zlib

import numpy as np


def read_png(path):
    """Return width, height and the undone rows of an 8 bit RGB file."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks = {}
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, payload = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (crc,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert crc == zlib.crc32(payload, zlib.crc32(kind))
        chunks[kind] = payload
        at += 12 + size
    width, height, depth, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colours) == (8, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8)
    return width, height, rows.reshape(height, 1 + 3 * width)


def test_demo(pyrave, tmp_path):
    result = pyrave("demo", "--out", tmp_path, "--json", "--steps", 60)
    assert result.code == 0, result.err
    data = result.data
    assert data["schema"] == "pyrave-demo/2"
    assert json.loads((tmp_path / "summary.json").read_text("utf-8")) == data
    assert data["problems"] == []
    assert data["simulation_time"] == 1.2
    laser = data["laser"]
    assert laser["scans"] == 60
    scan = laser["last_scan"]
    # the last scan shows the end of the last step
    assert scan["stamp"] == data["simulation_time"]
    assert len(scan["distances"]) == len(laser["angles"]) == 281
    assert {"table", "room"} <= set(laser["hits_by_body"])
    # every hit ends on or above the floor, and none beyond the laser's range
    points = np.array(scan["positions"]) + np.array(scan["ranges"])
    hit = np.array(scan["intensity"]) > 0
    assert points[hit, 2].min() > -1e-9
    assert max(scan["distances"]) < 4 + 1e-9
    width, height, rows = read_png(tmp_path / "demo.png")
    assert (width, height) == (960, 720)
    assert len(np.unique(rows)) > 100


def test_demo_repeats_and_varies_with_its_seed(pyrave, tmp_path):
    from pyrave.cli.commands.demo import demo_scene
    from pyrave.cli.demo_motion import run_demo

    def values(seed):
        result = run_demo(demo_scene(), 5, seed, lambda _text: None)
        return result.robot.dof_values

    first = values(1)
    np.testing.assert_array_equal(first, values(1))
    assert np.abs(first - values(2)).max() > 0


def test_demo_writes_the_same_files_each_time(pyrave, tmp_path, monkeypatch):
    from pyrave.cli import demo_motion

    def run():
        result = pyrave("demo", "--out", tmp_path, "--steps", 80)
        assert result.code == 0, result.err
        assert "wall time" in result.out
        return [(tmp_path / name).read_bytes() for name in ("summary.json", "demo.png")]

    first = run()
    made = demo_motion.DemoResult

    def jittered(**found):
        # as code compiled in another moment would have it
        scan = found["scan"]
        moved = dataclasses.replace(scan, ranges=scan.ranges * (1 + 1e-15))
        return made(**found | {"scan": moved, "angles": found["angles"] - 1e-15})

    monkeypatch.setattr(demo_motion, "DemoResult", jittered)
    assert run()[0] == first[0]


def test_a_cloud_does_not_change_by_rounding():
    from pyrave.cli.demo_motion import GRAIN, _thinned

    rng = np.random.default_rng(5)
    on_borders = rng.integers(-90, 90, (500, 3)) * GRAIN
    expected = _thinned([on_borders])
    for _ in range(3):
        moved = on_borders + rng.uniform(-1e-14, 1e-14, on_borders.shape)
        np.testing.assert_allclose(_thinned([moved]), expected, atol=1e-13)


def test_demo_moves_within_its_limits(environments):
    import pyrave as package
    from pyrave.cli.demo_motion import sweep

    env = package.load(environments / "scenes" / "demo.env.xml", strict=True)
    robot = env.robots["heron7"]
    waypoints, times = sweep(robot, np.random.default_rng(3))
    lower, upper = robot.dof_limits
    assert (waypoints >= lower).all()
    assert (waypoints <= upper).all()
    assert (np.diff(times) > 0).all()
    peak = 1.5 * np.abs(np.diff(waypoints, axis=0)) / np.diff(times)[:, None]
    assert (peak <= robot.dof_velocity_limits).all()


def test_run(pyrave, environments, tmp_path):
    path = environments / "scenes" / "shelf.env.xml"
    result = pyrave(
        "run", path, "--steps", 7, "--dt", 0.025, "--json", "--out", tmp_path
    )
    assert result.code == 0, result.err
    data = result.data
    assert data["simulation_time"] == 0.175
    assert [sensor["name"] for sensor in data["sensors"]] == [
        "heron7:laser",
        "rover:laser",
    ]
    rover = data["sensors"][1]["data"]
    assert len(rover["distances"]) == 271
    assert "shelf" in rover["body_names"]
    poses = {body["name"]: np.array(body["transform"]) for body in data["bodies"]}
    np.testing.assert_allclose(poses["bottle"][:3, 3], (0.72, 0.15, 0.8325))
    read_png(tmp_path / "scene.png")
    text = pyrave("run", path, "--steps", 0)
    assert text.code == 0
    assert "none yet" in text.out


def test_a_sensor_that_cannot_be_read_is_a_problem_of_the_run(
    pyrave, environments, tmp_path, monkeypatch
):
    from pyrave_sensors.laser2d import BaseLaser2D

    def broken(self, data):
        raise RuntimeError("no signal")

    monkeypatch.setattr(BaseLaser2D, "get_sensor_data", broken)
    monkeypatch.setattr(BaseLaser2D, "render_data", True)
    path = environments / "scenes" / "shelf.env.xml"
    data = pyrave("run", path, "--steps", 1, "--json", "--out", tmp_path).data
    assert [sensor["data"] for sensor in data["sensors"]] == [None, None]
    assert [body["name"] for body in data["bodies"]]
    assert any("no signal" in problem["message"] for problem in data["problems"])
    assert (tmp_path / "scene.png").exists()


def test_run_in_real_time(pyrave, environments):
    path = environments / "scenes" / "minimal.env.xml"
    data = pyrave("run", path, "--steps", 10, "--dt", 0.02, "--realtime", "--json").data
    assert data["wall_time"] >= 0.2 - 1e-3


def test_picture_without_a_camera_sees_the_scene(pyrave, scene, tmp_path):
    path = scene(
        '<kinbody name="red"><body name="b"><geom type="box">'
        "<extents>1 1 1</extents><diffusecolor>1 0 0</diffusecolor>"
        "<translation>30 -20 5</translation></geom></body></kinbody>",
        "red.kinbody.xml",
    )
    assert pyrave("run", path, "--steps", 0, "--out", tmp_path).code == 0
    from pyrave.environment import Environment

    env = Environment()
    env.load(path)
    image = env.picture(size=(80, 60)).astype(int)
    red = (image[..., 0] > 60) & (image[..., 1] < 20) & (image[..., 2] < 20)
    assert red[30, 40]
    assert 0.05 < red.mean() < 0.9
