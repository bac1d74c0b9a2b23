"""Lenses against the published formulas of OpenCV's models, and back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.geometry import Camera, Lens
from pyrave_sensors.optics.lens import DistortedLens

RATIONAL = (0.3, -0.1, 1e-3, -2e-3, 0.01, 0.6, -0.05, 0.02)
KINECT = (-8.2, 25.0, -1e-4, 2e-4, 3.0, -8.1, 24.0, 5.0)
LENSES = {
    "none": ("", ()),
    "barrel": ("plumb_bob", (-0.28, 0.07, 2e-4, 2e-5, 0.01)),
    "strong": ("plumb_bob", (-0.34, 0.14, 1e-3, -5e-4, -0.03)),
    "four": ("plumb_bob", (0.1, -0.2, 1e-3, 2e-3)),
    "rational": ("rational_polynomial", RATIONAL),
    "kinect": ("rational_polynomial", KINECT),
    "fisheye": ("equidistant", (0.1, -0.02, 0.01, -0.003)),
    "ideal fisheye": ("equidistant", ()),
}


def lens(name, **changes):
    model, coefficients = LENSES[name]
    values = {"fx": 600.0, "fy": 590.0, "cx": 319.3, "cy": 241.2, "skew": 1.5}
    values |= {"model": model, "coefficients": coefficients} | changes
    return DistortedLens(**values)


def published(a: DistortedLens, point):
    """Return the pixel of a point as OpenCV's documentation writes it."""
    k = [*a.coefficients, *([0.0] * 8)]
    if a.model == "equidistant":
        r = math.hypot(point[0] / point[2], point[1] / point[2])
        t = math.atan(r)
        bent = t * (1 + k[0] * t**2 + k[1] * t**4 + k[2] * t**6 + k[3] * t**8)
        x = bent / r * point[0] / point[2]
        y = bent / r * point[1] / point[2]
    else:
        x1, y1 = point[0] / point[2], point[1] / point[2]
        r = math.hypot(x1, y1)
        top = 1 + k[0] * r**2 + k[1] * r**4 + k[4] * r**6
        bottom = 1 + k[5] * r**2 + k[6] * r**4 + k[7] * r**6
        p1, p2 = k[2], k[3]
        x = x1 * top / bottom + 2 * p1 * x1 * y1 + p2 * (r**2 + 2 * x1**2)
        y = y1 * top / bottom + p1 * (r**2 + 2 * y1**2) + 2 * p2 * x1 * y1
    return a.fx * x + a.skew * y + a.cx, a.fy * y + a.cy


@pytest.mark.parametrize("name", LENSES)
def test_points_appear_where_the_published_model_says(name):
    rng = np.random.default_rng(3)
    points = np.column_stack(
        (rng.uniform(-0.6, 0.6, (200, 2)), rng.uniform(0.9, 3.0, 200))
    )
    expected = [published(lens(name), point) for point in points]
    np.testing.assert_allclose(lens(name).project(points), expected, atol=1e-9)


@pytest.mark.parametrize("name", LENSES)
def test_all_pixels_there_and_back(name):
    x, y = np.meshgrid(np.arange(640.0), np.arange(480.0))
    pixels = np.stack((x, y), axis=-1)
    rays = lens(name).unproject(pixels)
    assert rays.shape == (480, 640, 3)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=-1), 1.0, atol=1e-14)
    np.testing.assert_allclose(lens(name).project(rays), pixels, atol=1e-10)


def test_what_the_lens_does_not_see_is_nan():
    behind = [(0.0, 0.0, -1.0), (1.0, 0.0, 0.0)]
    for name in ("none", "barrel", "rational"):
        assert np.isnan(lens(name).project(behind)).all()
    # r (1 - r^2) turns back at r = 3^-1/2, where it is 2 / 27^1/2
    folding = DistortedLens(100, 100, 0, 0, model="plumb_bob", coefficients=(-1.0,))
    edge = 100 * 2 / math.sqrt(27)
    assert np.isfinite(folding.unproject([(0.999 * edge, 0)])).all()
    assert np.isnan(folding.unproject([(1.001 * edge, 0), (0, 900)])).all()
    inside = 0.999 / math.sqrt(3)
    assert np.isfinite(folding.project([(inside, 0, 1)])).all()
    assert np.isnan(folding.project([(0, 0.7, 1)])).all()
    # a fisheye sees beyond 90 degrees, at f times the angle
    wide = DistortedLens(100, 100, 0, 0, model="equidistant")
    np.testing.assert_allclose(
        wide.project([(1, 0, -0.5)]), [(100 * math.atan2(1, -0.5), 0)]
    )
    np.testing.assert_allclose(
        wide.unproject([(50 * math.pi, 0)]), [(1, 0, 0)], atol=1e-15
    )
    assert np.isnan(wide.unproject([(101 * math.pi, 0)])).all()
    np.testing.assert_array_equal(wide.unproject((0.0, 0.0)), (0, 0, 1))
    np.testing.assert_array_equal(wide.project((0.0, 0.0, 2.0)), (0, 0))


def test_names_of_models_and_what_is_ideal():
    assert DistortedLens(1, 1, 0, 0, model=" Fisheye ").model == "equidistant"
    assert DistortedLens(1, 1, 0, 0, model="radtan").model == "plumb_bob"
    plain = DistortedLens(1, 1, 0, 0, model="0", coefficients=(1.0,))
    assert plain == DistortedLens(1, 1, 0, 0)
    assert plain.ideal == Lens(1, 1, 0, 0)
    assert DistortedLens(1, 1, 0, 0, model="plumb_bob", coefficients=(0, 0)).is_ideal
    assert not DistortedLens(1, 1, 0, 0, model="equidistant").is_ideal
    bent = lens("barrel")
    assert bent.ideal.matrix.tolist() == bent.matrix.tolist()
    pixels = bent.ideal.project([(0.1, 0.2, 1.0)])
    np.testing.assert_allclose(pixels[0], (bent.matrix @ (0.1, 0.2, 1.0))[:2])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"fx": 0.0}, "focal lengths are 0 and 590"),
        ({"cx": math.nan}, "cx of a lens is nan, expected a finite number"),
        ({"fx": "x"}, "fx of a lens is 'x', expected a finite number"),
        ({"model": 3}, "the distortion model is 3, expected one of plumb_bob"),
        ({"coefficients": ("x",)}, "coefficients of a lens is not a vector of numb"),
        ({"coefficients": (math.inf,)}, "coefficients of a lens has values that are"),
        ({"model": "plumb_bop"}, "did you mean 'plumb_bob'"),
        ({"coefficients": (1.0,) * 6}, "5 coefficients, got 6"),
    ],
)
def test_wrong_lenses_are_refused(values, message):
    with pytest.raises(ArgumentError, match=message):
        lens("barrel", **values)


def test_points_and_pixels_of_another_shape_are_refused():
    with pytest.raises(ArgumentError, match=r"points have shape \(2,\)"):
        lens("none").project((1, 2))
    with pytest.raises(ArgumentError, match="points is not an array of numbers"):
        lens("none").project("x")
    with pytest.raises(ArgumentError, match="pixels have shape"):
        lens("none").unproject((1, 2, 3))


def test_cameras_keep_their_rays_when_they_move():
    camera = Camera(np.eye(4), 64, 48, lens("barrel", fx=60, fy=60, cx=31, cy=23))
    rays = camera.local_rays()
    moved = camera.moved([1, 0, 0, 0, 0.5, 0.0, 0.0])
    assert np.shares_memory(moved.local_rays(range(5, 9)), rays)
    eye, directions = moved.rays()
    np.testing.assert_array_equal(eye, (0.5, 0, 0))
    x, y = np.meshgrid(np.arange(64), np.arange(48))
    pixels = moved.project(eye + 2.5 * directions.reshape(-1, 3))[0]
    np.testing.assert_allclose(
        pixels, np.column_stack((x.ravel(), y.ravel())), atol=1e-10
    )
    again, some = moved.unproject([(3, 4)])
    np.testing.assert_allclose(some[0], directions[4, 3])
    np.testing.assert_array_equal(again, eye)
    # four rays in a pixel, evenly around its middle
    four = camera.local_rays(samples=2)[:2, :2].reshape(-1, 3)
    np.testing.assert_allclose(
        camera.lens.project(four),
        [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)],
        atol=1e-10,
    )
