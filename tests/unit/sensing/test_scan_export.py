"""Scans as arrays and pictures, and several images in one call."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave import ArgumentError, save_sensor_data
from pyrave.sensing import CameraData, LaserData

from .test_image_export import data as image
from .test_image_export import pixels


def scan(n, stamp=0, **more):
    ranges = np.column_stack((np.ones(n), np.arange(n), np.zeros(n)))
    return LaserData(
        stamp=stamp, positions=np.zeros((1, 3)), ranges=ranges,
        intensity=np.arange(n) % 2.0, body_ids=np.full(n, -1), **more,
    )  # fmt: skip


def test_whole_scans_are_kept(tmp_path):
    path = tmp_path / "a.npz"
    rings = np.arange(3)
    scans = [scan(4, 10), scan(3, 20, rings=rings)]
    assert save_sensor_data(scans, path) == "scans"
    found = np.load(path)
    assert found["rays"].tolist() == [4, 3]
    assert found["stamp"].tolist() == [10, 20]
    assert found["pose"].shape == (2, 4, 4)
    np.testing.assert_array_equal(found["ranges"][4:], scans[1].ranges)
    np.testing.assert_array_equal(found["positions"], np.zeros((7, 3)))
    # not of every scan
    assert "rings" not in found
    assert save_sensor_data(scans[1], path) == "scans"
    np.testing.assert_array_equal(np.load(path)["rings"], rings)


def test_points_are_a_picture(tmp_path):
    path = tmp_path / "a.png"
    rng = np.random.default_rng(0)
    cloud = LaserData(
        positions=np.zeros((1, 3)), ranges=rng.uniform(-1, 1, (500, 3)),
        intensity=np.ones(500), body_ids=np.zeros(500, np.int64),
    )  # fmt: skip
    assert save_sensor_data(cloud, path) == "picture"
    shown = pixels(path)
    assert shown.shape == (720, 960, 3)
    inked = (shown < 250).any(axis=2)
    assert 0.003 < inked.mean() < 0.05
    # all of it is seen: nothing at the border
    assert not inked[[0, -1]].any()
    assert not inked[:, [0, -1]].any()
    # high points are yellow, low ones blue
    rows = np.nonzero(inked)[0]
    high, low = shown[:260][inked[:260]], shown[460:][inked[460:]]
    assert rows.size
    assert high[:, 0].mean() > 1.5 * low[:, 0].mean()
    assert save_sensor_data(LaserData(), path) == "picture"
    assert save_sensor_data(cloud, tmp_path / "a.jpg") == "picture"
    assert (tmp_path / "a.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    assert (pixels(path) == 255).all()


def test_images_are_numbered_or_stacked(tmp_path):
    both = [image(), image()]
    assert save_sensor_data(both, tmp_path / "a.depth.png") == "depth"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["a.depth-000.png", "a.depth-001.png"]
    assert save_sensor_data(both, tmp_path / "a.npz") == "all"
    found = np.load(tmp_path / "a.npz")
    assert found["image"].shape == (2, 2, 2, 3)
    assert found["pose"].shape == (2, 4, 4)
    assert found["stamp"].tolist() == [0, 0]
    assert save_sensor_data(both, tmp_path / "a.npy") == "image"
    assert np.load(tmp_path / "a.npy").shape == (2, 2, 2, 3)


@pytest.mark.parametrize(
    ("data", "name", "more", "said"),
    [
        ([image(), scan(2)], "a.npz", {}, "images and other data"),
        ([image(), CameraData()], "a.npz", {}, "image 1 has nothing, the first one"),
        (scan(2), "a.npz", {"frame": "sensor"}, "for whole scans in a.npz"),
        (scan(2), "a.png", {"text": True}, "for the picture a.png"),
        ([image()], "a.png", {"text": True}, "for the image a.png"),
        (scan(2), "a.bmp", {}, "as '.bmp'; expected .ply.*.npz, .png, .jpg"),
        (scan(2), "no/a.npz", {}, "cannot be written: No such file"),
        (scan(2), "no/a.png", {}, "cannot be written: No such file"),
    ],
)
def test_what_is_refused(tmp_path, data, name, more, said):
    with pytest.raises(ArgumentError, match=said):
        save_sensor_data(data, tmp_path / name, **more)
    assert not list(tmp_path.iterdir())
