"""Ray intersections of primitives against closed forms and against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pyrave.geometry import RayInstance, RayScene
from pyrave.geometry.kernels import primitives as plain
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import matrix_from_axis_angle

SOLIDS = [
    Box((0.3, 0.5, 0.7)),
    Sphere(0.6),
    Cylinder(0.4, 1.1),
    Capsule(0.4, 1.1),
]


def signed_distance(solid, p: np.ndarray) -> np.ndarray:
    """Distance to the surface, negative inside; exact where used (near it)."""
    x, y, z = p.T
    if isinstance(solid, Box):
        q = np.abs(p) - np.asarray(solid.half_extents)
        outside = np.linalg.norm(np.maximum(q, 0), axis=1)
        return outside + np.minimum(q.max(axis=1), 0)
    if isinstance(solid, Sphere):
        return np.linalg.norm(p, axis=1) - solid.radius
    half = solid.height / 2
    if isinstance(solid, Cylinder):
        q = np.stack((np.hypot(x, y) - solid.radius, np.abs(z) - half), axis=1)
        outside = np.linalg.norm(np.maximum(q, 0), axis=1)
        return outside + np.minimum(q.max(axis=1), 0)
    nearest = np.stack((0 * x, 0 * x, np.clip(z, -half, half)), axis=1)
    return np.linalg.norm(p - nearest, axis=1) - solid.radius


def _rays(seed: int, n: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(n, 3)) * spread
    directions = rng.normal(size=(n, 3)) * 0.4 - origins
    return origins, directions / np.linalg.norm(directions, axis=1)[:, None]


def _pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    pose[:3, 3] = rng.normal(size=3)
    return pose


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.type)
@pytest.mark.parametrize("spread", [0.2, 2.0, 50.0])
def test_hits_lie_on_the_surface_and_nothing_lies_before(solid, spread) -> None:
    origins, directions = _rays(7, 4000, spread)
    hits = RayScene([RayInstance(solid)]).cast(origins, directions, 500.0)
    at = hits.hit
    assert at.sum() > 500
    on_surface = signed_distance(solid, hits.position[at])
    np.testing.assert_allclose(on_surface, 0.0, atol=1e-12 * max(spread, 1.0))
    # march towards the hit: the sign of the distance never changes before it
    inside = signed_distance(solid, origins) < 0
    for part in np.linspace(0.001, 0.999, 37):
        points = origins[at] + (part * hits.distance[at])[:, None] * directions[at]
        now = signed_distance(solid, points)
        assert (np.where(inside[at], -now, now) > -1e-12 * max(spread, 1.0)).all()
    # rays that miss stay outside all along
    assert not inside[~at].any()
    for t in np.linspace(0.0, 4 * spread + 4, 400):
        assert (
            signed_distance(solid, origins[~at] + t * directions[~at]) > -1e-9
        ).all()


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.type)
def test_normals_are_the_gradient_turned_to_the_ray(solid) -> None:
    origins, directions = _rays(8, 2000, 2.0)
    hits = RayScene([RayInstance(solid)]).cast(origins, directions, 100.0)
    at = hits.hit
    p, step = hits.position[at], 1e-6
    gradient = np.stack(
        [
            signed_distance(solid, p + step * e) - signed_distance(solid, p - step * e)
            for e in np.eye(3)
        ],
        axis=1,
    )
    gradient /= 2 * step
    gradient[signed_distance(solid, origins[at]) < 0] *= -1.0
    smooth = np.abs(np.linalg.norm(gradient, axis=1) - 1) < 1e-4
    assert smooth.mean() > 0.99
    np.testing.assert_allclose(hits.normal[at][smooth], gradient[smooth], atol=1e-4)
    assert (np.einsum("ij,ij->i", hits.normal[at], directions[at]) <= 0).all()
    np.testing.assert_allclose(np.linalg.norm(hits.normal[at], axis=1), 1, rtol=1e-14)


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.type)
def test_casts_move_with_the_pose(solid) -> None:
    pose = _pose(3)
    origins, directions = _rays(9, 1000, 2.0)
    still = RayScene([RayInstance(solid)]).cast(origins, directions, 100.0)
    moved = RayScene([RayInstance(solid, pose)]).cast(
        origins @ pose[:3, :3].T + pose[:3, 3], directions @ pose[:3, :3].T, 100.0
    )
    np.testing.assert_array_equal(moved.hit, still.hit)
    at = still.hit
    np.testing.assert_allclose(moved.distance[at], still.distance[at], atol=1e-12)
    expected = still.normal[at] @ pose[:3, :3].T
    edge = np.abs(moved.normal[at] - expected).max(axis=1) > 1e-9
    assert edge.sum() == 0


def test_closed_forms_on_the_axes() -> None:
    cases = [
        (Sphere(0.5), (-2, 0.3, 0), (1, 0, 0), 2 - 0.4),
        (Box((1, 2, 3)), (0.5, 0.5, 10), (0, 0, -1), 7),
        (Cylinder(0.5, 2), (0.3, -3, 0.9), (0, 1, 0), 3 - 0.4),
        (Cylinder(0.5, 2), (0.3, 0.2, 9), (0, 0, -1), 8),
        (Capsule(0.5, 2), (0, 0.3, 9), (0, 0, -1), 8 - 0.4),
        (Capsule(0.5, 2), (0.3, -3, 0.9), (0, 1, 0), 3 - 0.4),
        # from inside, the far side
        (Sphere(0.5), (0.1, 0, 0), (1, 0, 0), 0.4),
        (Box((1, 2, 3)), (0, 0, 0), (0, 1, 0), 2),
        (Cylinder(0.5, 2), (0, 0, 0.25), (0, 0, 1), 0.75),
        (Capsule(0.5, 2), (0, 0, 0.25), (0, 0, 1), 1.25),
        # on the surface
        (Box((1, 1, 1)), (-1, 0, 0), (1, 0, 0), 0),
        (Sphere(1), (-1, 0, 0), (1, 0, 0), 0),
    ]
    for solid, origin, direction, distance in cases:
        scene = RayScene([RayInstance(solid)])
        hits = scene.cast([origin], [direction], 100.0)
        assert hits.distance[0] == pytest.approx(distance, abs=1e-12), (solid, origin)


def test_sphere_far_away_keeps_its_digits() -> None:
    hits = RayScene([RayInstance(Sphere(0.1))]).cast(
        [[1e6, 0.06, 0]], [[-1, 0, 0]], 2e6
    )
    assert hits.distance[0] == pytest.approx(1e6 - 0.08, rel=1e-15)


def test_rays_parallel_to_faces() -> None:
    box = RayScene([RayInstance(Box((1, 1, 1)))])
    origins = [(-5, 1.0, 0), (-5, 1.0 + 1e-9, 0), (-5, 1.0, 1.0), (-5, 0, -1.5)]
    hits = box.cast(origins, np.tile((1.0, 0.0, 0.0), (4, 1)), 100.0)
    np.testing.assert_array_equal(hits.hit, [True, False, True, False])
    np.testing.assert_allclose(hits.distance[[0, 2]], 4.0)
    tube = RayScene([RayInstance(Cylinder(1, 2))])
    hits = tube.cast([(0.5, 0, 5), (1.5, 0, 5)], np.tile((0.0, 0.0, -1.0), (2, 1)), 9)
    np.testing.assert_array_equal(hits.hit, [True, False])
    assert hits.distance[0] == 4.0


def test_min_range_skips_the_first_surface() -> None:
    scene = RayScene([RayInstance(Sphere(1.0))])
    hits = scene.cast([[-3, 0, 0]], [[1, 0, 0]], 10.0, min_range=2.5)
    assert hits.distance[0] == pytest.approx(4.0)
    assert not scene.cast([[-3, 0, 0]], [[1, 0, 0]], 10.0, min_range=4.5).hit[0]
    assert not scene.cast([[-3, 0, 0]], [[1, 0, 0]], 1.5).hit[0]
    # both ends count
    assert scene.cast([[-3, 0, 0]], [[1, 0, 0]], 2.0, min_range=2.0).hit[0]


def test_shapes_without_surface_are_never_hit() -> None:
    nothing = [
        Box((0, 0, 0)),
        Box((1, 0, 0)),
        Sphere(0),
        Cylinder(0, 1),
        Capsule(0, 1),
    ]
    scene = RayScene([RayInstance(solid, id=k) for k, solid in enumerate(nothing)])
    origins, directions = _rays(1, 500, 1.0)
    directions[:3] = np.eye(3)
    origins[:3] = -5 * np.eye(3)
    hits = scene.cast(origins, directions, 100.0)
    assert not hits.hit.any()


def test_flat_shapes_are_plates() -> None:
    scene = RayScene([RayInstance(Box((1, 1, 0)))])
    hits = scene.cast([[0.5, 0.5, 2]], [[0, 0, -1]], 10.0)
    assert hits.distance[0] == 2.0
    np.testing.assert_array_equal(hits.normal[0], (0, 0, 1))
    disk = RayScene([RayInstance(Cylinder(1, 0))])
    assert disk.cast([[0.5, 0.5, 2]], [[0, 0, -1]], 10.0).distance[0] == 2.0
    assert not disk.cast([[0.9, 0.9, 2]], [[0, 0, -1]], 10.0).hit[0]


def test_tiny_direction_components_do_not_overflow() -> None:
    scene = RayScene([RayInstance(s, id=k) for k, s in enumerate(SOLIDS)])
    for tiny in (1e-300, 1e-200, 1e-160, 1e-20, -1e-300, 0.0, -0.0):
        hits = scene.cast([[-5, 0.1, 0.1]], [[1.0, tiny, tiny]], 100.0)
        assert hits.distance[0] == pytest.approx(5 - math.sqrt(0.36 - 0.02), abs=1e-12)


def test_interval_functions_agree_with_the_march() -> None:
    # the plain functions are what is compiled: one direct check without the scene
    near, far = plain.ray_capsule(-3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 1.0)
    assert (near, far) == (pytest.approx(2.5), pytest.approx(3.5))
    near, far = plain.ray_box(0.0, 0.0, 5.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
    assert (near, far) == (-6.0, -4.0)
    near, far = plain.ray_sphere(0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 1.0)
    assert near > far
