"""Meshes of radii at heights, and the hollow of containers."""

from __future__ import annotations

import numpy as np
import pytest
from loops import each

import pyrave
from pyrave.errors import ArgumentError
from pyrave.geometry import Mesh
from pyrave.scene import (
    Box,
    Container,
    GeometryDescription,
    Pose,
    body_from_geometries,
    revolved_shape,
)

SHAPES = {
    "frustum": ([(0.0, 0.3), (0.5, 0.1)], np.pi * 0.5 * (0.09 + 0.03 + 0.01) / 3),
    "cone": ([(-1.0, 0.5), (1.0, 0.0)], np.pi * 0.25 * 2.0 / 3),
    "upturned cone": ([(0.0, 0.0), (1.0, 0.5)], np.pi * 0.25 / 3),
    "double cone": ([(0, 0), (1, 1), (2, 0)], np.pi * 2.0 / 3),
    "step": ([(0, 1), (1, 1), (1, 0.5), (2, 0.5)], np.pi * 1.25),
}


@each("name", SHAPES)
def test_meshes_are_closed_and_have_the_volume_of_the_polygon(name):
    slices, volume = SHAPES[name]
    for segments in (3, 64):
        data = revolved_shape(slices, segments=segments).mesh
        mesh = Mesh(data.vertices, data.faces)
        assert mesh.is_watertight
        assert mesh.is_winding_consistent
        # a polygon of n corners in a circle of radius 1
        area = 0.5 * segments * np.sin(2.0 * np.pi / segments)
        assert mesh.volume == pytest.approx(volume * area / np.pi)
        assert data.vertices[:, 2].min() == slices[0][0]
        assert data.vertices[:, 2].max() == slices[-1][0]


def test_it_collides_where_it_is():
    env = pyrave.Environment()
    cup = revolved_shape([(0.0, 0.1), (1.0, 0.3)])
    env.create_body(body_from_geometries("cup", [GeometryDescription(cup)]))
    probe = env.create_body(
        body_from_geometries("probe", [GeometryDescription(Box((0.01,) * 3))])
    )
    for x, z, hit in ((0.15, 0.05, False), (0.15, 0.5, True), (0.3, 0.5, False)):
        probe.transform = Pose.from_translation(x, 0.0, z).matrix
        assert env.check_collision("cup", "probe") == hit


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        ([(0, 1)], r"shape \(1, 2\), expected"),
        ([(0, 1, 2), (1, 1, 2)], r"shape \(2, 3\), expected"),
        ([(1, 1), (0, 1)], "heights of slices fall"),
        ([(0, np.nan), (1, 1)], "not finite"),
        ([(0, -1), (1, 1)], "a radius is -1.0"),
        ([(0, 0), (1, 0)], "enclose no volume"),
        ([(0, 1), (0, 2)], "enclose no volume"),
    ],
)
def test_wrong_slices_are_refused(slices, message):
    with pytest.raises(ArgumentError, match=message):
        revolved_shape(slices)


def test_too_few_corners_are_refused():
    with pytest.raises(ArgumentError, match="segments"):
        revolved_shape([(0, 1), (1, 1)], segments=2)


def test_the_hollow_of_a_container_is_free():
    container = Container((0.4, 0.6, 0.3), (0.36, 0.56, 0.25))
    pose, half = container.hollow
    assert pose.matrix[:3, 3] == pytest.approx((0.0, 0.0, 0.175))
    assert half == pytest.approx((0.18, 0.28, 0.125))
    env = pyrave.Environment()
    env.create_body(body_from_geometries("crate", [GeometryDescription(container)]))
    for factor, hit in ((0.99, False), (1.02, True)):
        size = tuple(factor * one for one in half)
        inside = GeometryDescription(Box(size), pose=pose)
        body = env.create_body(body_from_geometries(f"b{hit}", [inside]))
        assert env.check_collision("crate", body) == hit
