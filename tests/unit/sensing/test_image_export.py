"""Files of images: which part of a measurement, as what."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from pyrave import ArgumentError, NotSupportedError, save_sensor_data
from pyrave.geometry import label_colors
from pyrave.sensing import (
    CameraData,
    IMUData,
    LaserData,
    StereoCameraData,
    export_image,
)

DEPTH = np.array(((0.5, np.inf), (1.2344, 100.0)))


def data():
    return CameraData(
        image=np.arange(12, dtype=np.uint8).reshape(2, 2, 3),
        depth=DEPTH,
        normals=np.array((((0, 0, -1.0), (0, 0, 0)), ((1.0, 0, 0), (0, 0.6, -0.8)))),
        body_ids=np.array(((0, -1), (3, 1)), np.int32),
    )


def pixels(path):
    """Decode a PNG file whose rows are differences to the row above."""
    content = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", content[16:26])
    channels = {0: 1, 2: 3, 6: 4}[kind]
    start = content.index(b"IDAT")
    size = struct.unpack(">I", content[start - 4 : start])[0]
    raw = zlib.decompress(content[start + 4 : start + 4 + size])
    rows = np.frombuffer(raw, np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 2).all()
    whole = np.add.accumulate(rows[:, 1:], axis=0, dtype=np.uint8)
    whole = np.ascontiguousarray(whole).view({8: ">u1", 16: ">u2"}[depth])
    return whole.reshape(height, width, channels).squeeze()


def test_the_name_says_which_part(tmp_path):
    assert export_image(data(), tmp_path / "a.png") == "image"
    np.testing.assert_array_equal(pixels(tmp_path / "a.png"), data().image)
    assert export_image(data(), tmp_path / "wall.depth.png") == "depth"
    # millimetres; nothing is 0, what is too far away the largest number
    np.testing.assert_array_equal(
        pixels(tmp_path / "wall.depth.png"), ((500, 0), (1234, 65535))
    )
    assert export_image(data(), tmp_path / "depth.npy") == "depth"
    np.testing.assert_array_equal(np.load(tmp_path / "depth.npy"), DEPTH)
    assert export_image(data(), tmp_path / "b.png", "body_ids") == "body_ids"
    shown = pixels(tmp_path / "b.png")
    np.testing.assert_array_equal(shown, label_colors(data().body_ids))
    assert (shown[0, 1] == 0).all()
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) == 4
    export_image(data(), tmp_path / "normals.png")
    np.testing.assert_array_equal(
        pixels(tmp_path / "normals.png"),
        (((128, 128, 0), (0, 0, 0)), ((255, 128, 128), (128, 204, 25))),
    )
    only = CameraData(depth=DEPTH)
    assert export_image(only, tmp_path / "plain.npy") == "depth"


def test_everything_in_one_file(tmp_path):
    assert export_image(data(), tmp_path / "all.npz") == "all"
    with np.load(tmp_path / "all.npz") as content:
        assert set(content) == {
            "stamp", "pose", "image", "depth", "normals", "body_ids",
        }  # fmt: skip
        np.testing.assert_array_equal(content["depth"], DEPTH)


def test_stereo_data_have_more_parts(tmp_path):
    stereo = StereoCameraData(
        disparity=np.array(((2.5, np.nan),)), occluded=np.array(((True, False),))
    )
    export_image(stereo, tmp_path / "disparity.png")
    np.testing.assert_array_equal(pixels(tmp_path / "disparity.png"), (40, 0))
    export_image(stereo, tmp_path / "occluded.png")
    np.testing.assert_array_equal(pixels(tmp_path / "occluded.png"), (255, 0))


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.array(((1, 65535),), np.uint16)[..., None], (1, 65535)),
        (np.array(((0.5, 2.0),), np.float32)[..., None], (128, 255)),
        (np.array(((64, 127),), np.int8)[..., None], (129, 255)),
        (np.array(((1 << 31, 0),), np.uint32)[..., None], (128, 0)),
    ],
)
def test_other_formats_become_bytes(tmp_path, image, expected):
    export_image(CameraData(image=image), tmp_path / "a.png")
    np.testing.assert_array_equal(pixels(tmp_path / "a.png"), expected)


def test_jpeg_of_what_has_8_bits(tmp_path):
    pil = pytest.importorskip("PIL.Image")
    assert export_image(data(), tmp_path / "a.jpg") == "image"
    found = pil.open(tmp_path / "a.jpg")
    assert (found.format, found.size) == ("JPEG", (2, 2))
    assert save_sensor_data([data(), data()], tmp_path / "body_ids.jpeg") == "body_ids"
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["a.jpg", "body_ids-000.jpeg", "body_ids-001.jpeg"]


def test_sensor_data_are_saved_by_their_kind(tmp_path):
    assert save_sensor_data(data(), tmp_path / "a.png") == "image"
    assert (tmp_path / "a.png").stat().st_size > 0
    assert save_sensor_data(LaserData(), tmp_path / "a.ply") == "points"
    assert (tmp_path / "a.ply").stat().st_size > 0
    with pytest.raises(ArgumentError, match=r"a.ply cannot be written: No such file"):
        save_sensor_data([LaserData()], tmp_path / "no" / "a.ply")
    with pytest.raises(NotSupportedError, match="IMUData has no points to write"):
        save_sensor_data(IMUData(), tmp_path / "a.ply")
    for other in (None, [data(), None]):
        with pytest.raises(ArgumentError, match="data is None, expected what a sensor"):
            save_sensor_data(other, tmp_path / "a.ply")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: export_image(data(), f / "a.bmp"), r"'.bmp', expected one of .png"),
        (
            lambda f: export_image(data(), f / "depth.jpg"),
            "has 16 bits, which JPEG does",
        ),
        (lambda f: export_image(data(), f / "a"), "a has no suffix, expected one of"),
        (lambda f: export_image(CameraData(), f / "a.png"), "has no image"),
        (
            lambda f: export_image(
                CameraData(image=np.zeros((2, 3, 3), np.uint8)), f / "a.depth.npy"
            ),
            "a.depth.npy cannot be written: the measurement has no 'depth', it has im",
        ),
        (
            lambda f: export_image(data(), f / "a.png", "distance"),
            "no 'distance', it has image, depth",
        ),
        (lambda f: export_image(data(), f / "no" / "a.png"), "cannot be written"),
    ],
)
def test_mistakes_are_named(tmp_path, call, message):
    with pytest.raises(ArgumentError, match=message):
        call(tmp_path)
