"""PNG files against an independent decoder, JPEG files; pictures and overlays."""

from __future__ import annotations

import math
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry import (
    Camera,
    Lens,
    RayInstance,
    RayScene,
    encode_jpeg,
    encode_png,
    overlay_points,
    overlay_segments,
    render,
    write_image,
)
from pyrave.scene import Box, Sphere
from pyrave_sensors.optics.lens import DistortedLens


def decode_png(data: bytes) -> np.ndarray:
    """Decode 8-bit RGB without interlacing; all five filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    position, chunks = 8, []
    while position < len(data):
        length = int.from_bytes(data[position : position + 4], "big")
        kind = data[position + 4 : position + 8]
        body = data[position + 8 : position + 8 + length]
        check = data[position + 8 + length : position + 12 + length]
        assert zlib.crc32(kind + body) == int.from_bytes(check, "big")
        chunks.append((kind, body))
        position += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    header = chunks[0][1]
    width, height = (int.from_bytes(header[k : k + 4], "big") for k in (0, 4))
    assert header[8:] == bytes((8, 2, 0, 0, 0))
    raw = zlib.decompress(chunks[1][1])
    stride = 3 * width
    assert len(raw) == height * (stride + 1)
    rows = [bytearray(stride)]
    for y in range(height):
        kind, *line = raw[y * (stride + 1) : (y + 1) * (stride + 1)]
        row, above = bytearray(stride), rows[-1]
        for x, value in enumerate(line):
            left = row[x - 3] if x >= 3 else 0
            corner = above[x - 3] if x >= 3 else 0
            guess = left + above[x] - corner
            paeth = min(
                (left, above[x], corner), key=lambda v, g=guess: abs(g - v)
            )  # ties keep the order left, above, corner
            add = (0, left, above[x], (left + above[x]) // 2, paeth)[kind]
            row[x] = (value + add) & 255
        rows.append(row)
    return np.array([list(row) for row in rows[1:]], np.uint8).reshape(height, width, 3)


@pytest.mark.parametrize("size", [(1, 1), (5, 3), (17, 40)])
def test_png_holds_the_pixels(size: tuple[int, int], tmp_path: Path) -> None:
    image = np.random.default_rng(0).integers(0, 256, (*size, 3)).astype(np.uint8)
    data = encode_png(image)
    np.testing.assert_array_equal(decode_png(data), image)
    assert encode_png(image[:, ::-1][:, ::-1]) == data
    write_image(tmp_path / "a.png", image)
    assert (tmp_path / "a.png").read_bytes() == data


@pytest.mark.parametrize(
    "image",
    [
        np.zeros(4, np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((4, 4, 3)),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_png_refuses_other_arrays(image) -> None:
    with pytest.raises(ArgumentError, match="expected"):
        encode_png(image)


@pytest.mark.parametrize("ending", [".jpg", ".JPEG"])
@pytest.mark.parametrize("shape", [(30, 40, 3), (30, 40), (30, 40, 1)])
def test_jpeg_holds_nearly_the_pixels(
    ending: str, shape: tuple[int, ...], tmp_path: Path
) -> None:
    pil = pytest.importorskip("PIL.Image")
    ramp = np.linspace(0, 200, 40, dtype=np.uint8)
    image = np.zeros(shape, np.uint8)
    image[...] = ramp if len(shape) == 2 else ramp[:, None]
    image[:, :10] = 250
    write_image(tmp_path / f"a{ending}", image)
    found = pil.open(tmp_path / f"a{ending}")
    assert found.format == "JPEG"
    assert np.abs(np.asarray(found) - image.squeeze().astype(float)).max() < 20
    assert encode_jpeg(image) == (tmp_path / f"a{ending}").read_bytes()


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((4, 4), np.uint16),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((0, 4), np.uint8),
    ],
)
def test_jpeg_refuses_what_it_does_not_hold(image) -> None:
    with pytest.raises(ArgumentError, match=r"JPEG does not hold; expected \(h, w\)"):
        encode_jpeg(image)


def test_names_of_images(tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(ArgumentError, match=r"'a.bmp', expected a name in .png, .jpg,"):
        write_image(tmp_path / "a.bmp", np.zeros((2, 2), np.uint8))
    monkeypatch.setitem(sys.modules, "PIL", None)
    write_image(tmp_path / "a.png", np.zeros((2, 2), np.uint8))
    with pytest.raises(NotSupportedError, match=r"pip install 'pyrave\[meshes\]'"):
        write_image(tmp_path / "a.jpg", np.zeros((2, 2), np.uint8))
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]


def _scene() -> RayScene:
    floor = np.eye(4)
    floor[2, 3] = -0.05
    ball = np.eye(4)
    ball[2, 3] = 0.5
    return RayScene(
        [RayInstance(Box((3, 3, 0.05)), floor, 1), RayInstance(Sphere(0.5), ball, 2)]
    )


CAMERA = Camera.look_at((4, 0, 2), (0, 0, 0.5), width=80, height=60)
IMAGE = np.zeros((60, 80, 3), np.uint8)
POINTS = np.eye(4)[:, :3]


def test_camera_looks_where_it_should() -> None:
    pixels, depth = CAMERA.project([(0, 0, 0.5)])
    np.testing.assert_allclose(pixels[0], (39.5, 29.5), atol=1e-9)
    assert depth[0] == pytest.approx(math.hypot(4, 1.5))
    # up in the world is up in the image (smaller row), the world's +y is to the right
    up, right = CAMERA.project([(0, 0, 0.8), (0, 0.3, 0.5)])[0]
    assert up[1] < 29.5
    assert up[0] == pytest.approx(39.5)
    assert right[0] > 39.5
    # rays and projection are inverse to each other
    eye, directions = CAMERA.rays()
    pixels, _ = CAMERA.project(eye + 3.0 * directions.reshape(-1, 3))
    x, y = np.meshgrid(np.arange(80), np.arange(60))
    np.testing.assert_allclose(
        pixels, np.column_stack((x.ravel(), y.ravel())), atol=1e-9
    )
    down = Camera.look_at((0, 0, 5), (0, 0, 0))
    np.testing.assert_allclose(down.pose[:3, 2], (0, 0, -1))
    assert np.isnan(CAMERA.project([(9, 0, 2)])[0]).all()


def test_no_points_are_seen_nowhere() -> None:
    pixels, depths = CAMERA.project([])
    assert (pixels.shape, depths.shape) == ((0, 2), (0,))
    np.testing.assert_array_equal(overlay_points(IMAGE, CAMERA, [], (1, 0, 0)), IMAGE)


def test_picture_shows_the_colours_and_repeats() -> None:
    colours = {1: (0.2, 0.8, 0.2), 2: (0.9, 0.1, 0.1)}
    image = render(_scene(), colours, CAMERA)
    assert image.shape == (60, 80, 3)
    assert image.dtype == np.uint8
    middle = image[30, 40].astype(int)
    assert middle[0] > 2 * middle[1]
    ground = image[55, 40].astype(int)
    assert ground[1] > 2 * ground[0]
    np.testing.assert_array_equal(image, render(_scene(), colours, CAMERA))
    np.testing.assert_array_equal(
        image, render(_scene(), [colours[1], colours[2]], CAMERA)
    )
    plain = render(_scene(), colours, CAMERA, background=(0, 0, 1), samples=1)
    np.testing.assert_array_equal(plain[0, 0], (0, 0, 255))


def test_shadow_darkens_only_what_the_sun_does_not_see() -> None:
    colours = [(0.8, 0.8, 0.8)] * 2
    lit = render(_scene(), colours, CAMERA, shadows=False).astype(int)
    shaded = render(_scene(), colours, CAMERA).astype(int)
    darker = (shaded < lit - 20).all(axis=2)
    assert 0.005 < darker.mean() < 0.3
    assert (shaded <= lit).all()


def test_picture_of_nothing_is_the_sky() -> None:
    image = render(RayScene(), np.zeros((0, 3)), CAMERA)
    assert len(np.unique(image[:, 0], axis=0)) > 3


def test_dots_hide_behind_surfaces() -> None:
    scene = _scene()
    image = np.zeros((60, 80, 3), np.uint8)
    behind, front = (-1.0, 0, 0.3), (0.6, 0, 0.5)
    seen = overlay_points(image, CAMERA, [front], (1, 0, 0), scene=scene)
    assert seen[..., 0].max() == 255
    hidden = overlay_points(image, CAMERA, [behind], (1, 0, 0), scene=scene)
    assert hidden.max() == 0
    through = overlay_points(image, CAMERA, [behind], (1, 0, 0))
    assert through.max() == 255
    # what lies on a surface is seen, and the image that was given is left alone
    eye = np.array((4.0, 0, 2))
    hit = scene.cast(eye, [-eye + (0, 0, 0.5)], 10.0)
    assert overlay_points(image, CAMERA, hit.position, (1, 0, 0), scene=scene).max() > 0
    assert image.max() == 0
    away = [(50, 0, 2), (np.nan, 0, 0), (0, 900, 0)]
    assert overlay_points(image, CAMERA, away, (1, 0, 0)).max() == 0


def test_dots_are_drawn_alike_however_many_are_looked_at_together(monkeypatch) -> None:
    """A scan of ten million rays must not need a kilobyte for each."""
    rng = np.random.default_rng(0)
    points, colours = rng.normal(size=(2, 500, 3))
    points[::3] = points[0]
    image = rng.integers(0, 256, IMAGE.shape).astype(np.uint8)

    def drawn() -> np.ndarray:
        tint = abs(colours)
        return overlay_points(image, CAMERA, points, tint, radius=1.7, opacity=0.5)

    together = drawn()
    assert (together != image).mean() > 0.05
    monkeypatch.setattr("pyrave.geometry.overlay._AT_ONCE", 180)
    np.testing.assert_array_equal(drawn(), together)


def test_segments_are_drawn_without_gaps() -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    line = [((0, -1, 0.5), (0, 1, 0.5))]
    drawn = overlay_segments(image, CAMERA, line, (1, 1, 1), opacity=1.0)
    a, b = CAMERA.project(line[0])[0]
    columns = np.arange(math.ceil(a[0]) + 1, math.floor(b[0]) - 1)
    assert (drawn[28:32, columns].max(axis=(0, 2)) > 100).all()
    # the part behind the ball is hidden, the ends are not
    back = [((-1, -2, 0.2), (-1, 2, 0.2))]
    full = overlay_segments(image, CAMERA, back, (1, 1, 1))
    part = overlay_segments(image, CAMERA, back, (1, 1, 1), scene=_scene())
    assert 0 < (part > 0).sum() < (full > 0).sum()
    # a line through the camera's plane is cut, one behind it is not drawn
    through = overlay_segments(image, CAMERA, [((9, 0.1, 2.5), (0, 0, 0))], (1, 1, 1))
    assert through.max() > 0
    behind = overlay_segments(image, CAMERA, [((9, 0, 2), (8, 0, 2))], (1, 1, 1))
    assert behind.max() == 0
    assert overlay_segments(image, CAMERA, np.zeros((0, 2, 3)), (1, 1, 1)).max() == 0


def test_lines_that_leave_what_a_lens_sees_are_drawn_up_to_there() -> None:
    """Where the distortion folds the image back there are no pixels."""
    lens = DistortedLens(60.0, 60.0, 39.5, 29.5, 0.0, "plumb_bob", (-1.0, 0.0))
    camera = Camera(np.eye(4), 80, 60, lens)
    ends = [((-5.0, 0.0, 1.0), (5.0, 0.0, 1.0))]
    assert np.isnan(camera.project(ends[0])[0]).all()
    image = np.zeros((60, 80, 3), np.uint8)
    drawn = overlay_segments(image, camera, ends, (1, 1, 1), opacity=1.0)
    # the radius r (1 - r^2) ends at r = 1 / sqrt(3), where it is 0.385
    columns = np.flatnonzero(drawn[28:32].max(axis=(0, 2)) > 40)
    assert columns.min() == pytest.approx(39.5 - 60 * 0.385, abs=1.5)
    assert columns.max() == pytest.approx(39.5 + 60 * 0.385, abs=1.5)
    assert (np.diff(columns) == 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Camera.at(np.eye(4), width=0), "empty"),
        (lambda: Camera.at(np.eye(4), 1 << 20, 1 << 20), "too large"),
        (lambda: Camera.at(np.eye(4), 4097, 4096), "large; at most 16777216 pixels"),
        (lambda: Camera.at(np.eye(4), "x"), "'x' x 480 pixels, expected whole numbers"),
        (lambda: Camera.at(np.eye(4), 8.5), "8.5 x 480 pixels, expected whole numbers"),
        (lambda: Camera(np.eye(4), 8, 8, Lens.centred(8, 8, -1.0)), "focal"),
        (lambda: Camera(np.eye(4), 8, 8, "x"), "lens is 'x', expected a Lens"),
        (
            lambda: CAMERA.project((1, 2)),
            r"points have shape \(2,\), expected \(n, 3\)",
        ),
        (lambda: Camera.look_at((0, 0, 0), (0, 0, 0)), "same place"),
        (
            lambda: Camera.look_at((0, 0, 0), (1, 0, 0), field_of_view=4.0),
            "field of view",
        ),
        (
            lambda: Camera.look_at((0, 0, 0), (1, 0, 0), field_of_view="x"),
            "field of view is 'x', expected a finite number",
        ),
        (
            lambda: overlay_points(IMAGE[1:], CAMERA, POINTS, (1, 0, 0)),
            r"image has shape \(59, 80, 3\), the camera's is \(60, 80, 3\)",
        ),
        (lambda: overlay_points("x", CAMERA, POINTS, (1, 0, 0)), "image has shape"),
        (
            lambda: overlay_points(IMAGE, CAMERA, "x", (1, 0, 0)),
            "points is not an array of numbers: 'x'",
        ),
        (
            lambda: overlay_points(IMAGE, CAMERA, POINTS, (1, 0)),
            r"colour has shape \(2,\), expected \(3,\) or \(4, 3\), finite",
        ),
        (
            lambda: overlay_points(IMAGE, CAMERA, POINTS, "red"),
            "colour is not an array of numbers: 'red'",
        ),
        (lambda: overlay_points(IMAGE, CAMERA, POINTS, (1, 0, np.nan)), "finite"),
        (
            lambda: overlay_points(IMAGE, CAMERA, POINTS, (1, 0, 0), radius=1e9),
            "radius is 1000000000.0, expected a number >= 0 and <= 1000",
        ),
        (
            lambda: overlay_points(IMAGE, CAMERA, POINTS, (1, 0, 0), opacity=2),
            "opacity is 2, expected a number >= 0 and <= 1",
        ),
        (
            lambda: overlay_segments(IMAGE, CAMERA, POINTS, (1, 0, 0)),
            r"segments have shape \(4, 3\), expected \(n, 2, 3\)",
        ),
        (
            lambda: overlay_segments(IMAGE, CAMERA, [POINTS[:2]], [(1, 0, 0)] * 2),
            r"colour has shape \(2, 3\), expected \(3,\) or \(1, 3\)",
        ),
        (lambda: render(_scene(), np.zeros((5, 3)), CAMERA), "colours"),
        (lambda: render(_scene(), {}, CAMERA, samples=0), "samples"),
    ],
)
def test_bad_arguments_are_named(call, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.slow
def test_importing_the_room_is_light() -> None:
    program = (
        "import sys, pyrave.geometry;"
        "print([name for name in ('numba', 'lxml') if name in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    assert out.stdout.strip() == "[]"
