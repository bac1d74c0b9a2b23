"""Depth that is wrong, as that of a real depth camera."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave_sensors.ranges.noise import RangeNoise

SIZE = (120, 160)
CAMERA = """<sensor type="{}" name="s"><width>160</width><height>120</height>
  <kk>120 120 79.5 59.5</kk><outputs>depth distance normals segmentation</outputs>{}
  </sensor>"""
WALL = """<kinbody name="wall"><body name="b"><geom type="box">
  <extents>{} 9 .1</extents>
  <translation>0 0 2.1</translation><diffusecolor>.5 .5 .5</diffusecolor>
  </geom></body></kinbody>"""
N = SIZE[0] * SIZE[1]


def scene(kind="BaseCamera", tags="", half=9.0):
    env = pyrave.Environment()
    env.load_string(
        f"<environment>{WALL.format(half)}{CAMERA.format(kind, tags)}</environment>",
        strict=True,
    )
    return env, env.sensors["s"]


def test_depth_has_bias_and_deviation():
    _env, camera = scene()
    true = camera.measure()
    assert np.ptp(true.depth) < 1e-12
    camera.noise = RangeNoise(bias=0.02, sigma=0.01, sigma_relative=0.004)
    camera.seed = 3
    found = camera.measure()
    off = found.distance - true.distance - 0.02
    unit = off / (0.01 + 0.004 * true.distance)
    assert unit.mean() == pytest.approx(0, abs=4 / math.sqrt(N))
    assert unit.std() == pytest.approx(1, abs=4 / math.sqrt(2 * N))
    # depth is the same error, along z
    ahead = true.depth / true.distance
    np.testing.assert_allclose(found.depth, found.distance * ahead, rtol=1e-12)
    for name in ("normals", "body_ids", "link_indices", "geometry_indices"):
        np.testing.assert_array_equal(getattr(found, name), getattr(true, name))


def test_only_what_is_asked_for_is_filled():
    _env, camera = scene(tags="<noise_sigma>0.01</noise_sigma>")
    camera.options = replace(camera.options, outputs=("depth",))
    found = camera.measure()
    assert found.depth.shape == SIZE
    assert 0 < np.abs(found.depth - 2.0).max() < 0.1
    for name in ("distance", "normals", "body_ids"):
        assert getattr(found, name).size == 0
    camera.options = replace(camera.options, outputs=("color",))
    random = camera.random.bit_generator.state
    camera.measure()
    assert camera.random.bit_generator.state == random


def test_pixels_are_lost_by_angle_and_reflectivity():
    _env, camera = scene()
    true = camera.measure()
    slanted = np.arccos(true.depth / true.distance)
    camera.noise = RangeNoise(dropout_angle=0.3, dropout_reflectivity=0.8)
    chance = 1 - np.clip((slanted - 0.3) / (math.pi / 2 - 0.3), 0, 1)
    chance *= 0.5 / 0.8
    found = camera.measure()
    back = np.isfinite(found.depth)
    np.testing.assert_array_equal(back, np.isfinite(found.distance))
    np.testing.assert_array_equal(found.depth[back], true.depth[back])
    spread = math.sqrt((chance * (1 - chance)).sum())
    assert abs(back.sum() - chance.sum()) < 4 * spread
    wide = slanted > 0.5
    spread = math.sqrt((chance * (1 - chance))[wide].sum())
    assert abs(back[wide].sum() - chance[wide].sum()) < 4 * spread


def test_outliers_are_anywhere_that_the_lens_sees():
    """The image folds back in the corners: nothing is ever measured there."""
    _env, camera = scene(
        tags="<max_range>8</max_range><distortion_coeffs>-1 0 0 0</distortion_coeffs>"
    )
    seen = np.isfinite(camera.measure().depth)
    assert 0.3 < seen.mean() < 0.95
    camera.noise = RangeNoise(outlier_rate=1)
    found = camera.measure().distance
    np.testing.assert_array_equal(np.isfinite(found), seen)
    assert found[seen].mean() == pytest.approx(4, abs=0.1)
    assert found[seen].max() <= 8


@pytest.mark.parametrize("kind", ["BaseCamera", "StereoCamera", "base_pinhole_camera"])
def test_noise_repeats_and_is_saved(tmp_path, kind):
    env, camera = scene(kind)
    camera.noise = RangeNoise(sigma=0.01, dropout_angle=math.radians(60))
    camera.seed = 5
    env.save(tmp_path / "a.env.xml")
    again = pyrave.load(tmp_path / "a.env.xml", strict=True)
    twin = env.clone()
    wanted = camera.measure().depth
    for one in (again, twin):
        assert one.sensors["s"].noise.sigma == 0.01
        np.testing.assert_array_equal(one.sensors["s"].measure().depth, wanted)
    assert again.sensors["s"].noise.dropout_angle == pytest.approx(math.radians(60))
    with pytest.raises(ArgumentError, match="expected RangeNoise"):
        camera.noise = 0.1


def test_disparity_is_that_of_the_measured_depth():
    _env, pair = scene("StereoCamera", "<baseline>0.2</baseline>", half=0.5)
    true = pair.measure()
    pair.noise = RangeNoise(sigma=0.05, dropout_rate=0.3)
    found = pair.measure()
    there = np.isfinite(found.depth)
    assert 0.6 < there.sum() / np.isfinite(true.depth).sum() < 0.8
    np.testing.assert_array_equal(there, np.isfinite(found.disparity))
    wanted = 120 * 0.2 / found.depth[there]
    np.testing.assert_allclose(found.disparity[there], wanted, rtol=1e-9)
    assert np.abs(found.depth[there] - 2).max() > 0.1
    # what the second camera sees does not depend on what was measured
    np.testing.assert_array_equal(found.occluded, true.occluded)
