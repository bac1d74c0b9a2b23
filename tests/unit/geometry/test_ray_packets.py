"""Packets against single rays, threads, images, fields, and all crossings of rays."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from loops import each

from pyrave.errors import ArgumentError
from pyrave.geometry import (
    RAY_FIELDS,
    Cone,
    Mesh,
    Plane,
    RayHits,
    RayInstance,
    RayScene,
    capsule_mesh,
    rayscene,
    sphere_mesh,
)
from pyrave.geometry import ray_caster as raycasting
from pyrave.geometry.kernels.bvh import LINKS, ORDERS, UNUSED
from pyrave.geometry.mesh_bvh import mesh_tree
from pyrave.jit import eager
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import matrix_from_axis_angle


def _pose(rng: np.random.Generator, spread: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    pose[:3, 3] = rng.normal(size=3) * spread
    return pose


def _scene(seed: int, n: int = 60) -> RayScene:
    rng = np.random.default_rng(seed)
    meshes = [sphere_mesh(0.5, 24), capsule_mesh(0.3, 0.6, 20)]
    solids = [
        Box(tuple(rng.uniform(0.1, 0.6, 3))),
        Sphere(0.4),
        Cylinder(0.3, 0.8),
        Capsule(0.2, 0.7),
        Cone(0.4, 0.9),
        Cone(0.4, 0.9, 0.2),
        *meshes,
    ]
    items = [RayInstance(solids[k % 8], _pose(rng, 3.0), k) for k in range(n)]
    floor = np.eye(4)
    floor[2, 3] = -4.0
    return RayScene([*items, RayInstance(Plane(), floor, n)])


def _camera(height: int, width: int, spread: float = 0.6) -> np.ndarray:
    x, y = np.meshgrid(
        np.linspace(-spread, spread, width), np.linspace(-0.5, 0.5, height)
    )
    return np.stack((0.0 * x + 1.0, x, y), axis=-1)


def _equal(a, b) -> None:
    for name in ("distance", "id", *RAY_FIELDS):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def _singly(scene: RayScene, origin, directions, **options):
    """Cast rays apart, which a last one from elsewhere makes of them."""
    flat = directions.reshape(-1, 3)
    origins = np.tile(np.asarray(origin, np.float64), (len(flat) + 1, 1))
    origins[-1] += 1.0
    towards = np.concatenate((flat, flat[-1:]))
    hits = scene.cast(origins, towards, 500.0, fields=RAY_FIELDS, **options)
    return {name: getattr(hits, name)[:-1] for name in ("distance", "id", *RAY_FIELDS)}


@each("seed", range(4))
@pytest.mark.parametrize("eye", [(-9.0, 0.3, 0.2), (0.1, 0.2, 0.3), (-400.0, 1.0, 2.0)])
@pytest.mark.parametrize("turn", range(3))
def test_packets_equal_single_rays(seed: int, eye, turn: int) -> None:
    scene = _scene(seed)
    directions = np.roll(_camera(24, 40, 0.6 if eye[0] > -100 else 0.02), turn, axis=-1)
    origin = np.roll(eye, turn)
    image = scene.cast(origin, directions, 500.0, fields=RAY_FIELDS)
    single = _singly(scene, origin, directions)
    assert image.hit.sum() > 20
    far = image.distance.ravel() > 50.0
    for name, values in single.items():
        found = getattr(image, name).reshape(values.shape)
        np.testing.assert_array_equal(found[~far], values[~far], err_msg=name)


def test_packets_keep_to_range_and_exclude() -> None:
    scene = _scene(7)
    directions = _camera(32, 32)
    mask = np.arange(len(scene)) % 3 == 0
    for least in (0.0, 2.5, np.linspace(0.0, 6.0, 32 * 32).reshape(32, 32)):
        image = scene.cast((-9, 0, 0), directions, 11.0, least, mask)
        at = image.hit
        assert at.any()
        assert (image.distance[at] >= np.broadcast_to(least, at.shape)[at]).all()
        assert (image.distance[at] <= 11.0).all()
        assert not mask[image.instance[at]].any()
        flat = np.broadcast_to(least, at.shape).ravel()
        for k in range(0, 1024, 97):
            one = scene.cast(
                (-9, 0, 0), directions.reshape(-1, 3)[k : k + 1], 11.0, flat[k], mask
            )
            assert one.distance[0] == image.distance.ravel()[k]
    anything = scene.cast((-9, 0, 0), directions, 11.0, 2.5, mask, any_hit=True)
    nearest = scene.cast((-9, 0, 0), directions, 11.0, 2.5, mask)
    np.testing.assert_array_equal(anything.hit, nearest.hit)


def test_rays_from_one_point_need_no_other_kernels(monkeypatch) -> None:
    scene = _scene(3)
    wide = np.random.default_rng(1).normal(size=(60, 3))
    images = (_camera(24, 40), wide)
    expected = [scene.cast((-9, 0, 0), image, 500.0).distance for image in images]
    # origins that are all one point, and few rays in all directions
    monkeypatch.setattr(raycasting, "_incoherent", None)
    monkeypatch.setattr(rayscene, "describe_hits", None)
    with eager():
        for image, distance in zip(images, expected, strict=True):
            for origin in ((-9, 0, 0), np.broadcast_to((-9.0, 0, 0), image.shape)):
                hits = scene.cast(origin, image, 500.0, fields=())
                np.testing.assert_array_equal(hits.distance, distance)


def test_packets_meet_meshes_that_are_far_away() -> None:
    rng = np.random.default_rng(5)
    small = sphere_mesh(1e-3, 24)
    scene = RayScene([RayInstance(small, _pose(rng, 0.0), 3)])
    for far in (0.05, 1.0, 5.0, 100.0):
        directions = _camera(16, 16) * (1.0, 3e-3 / far, 3e-3 / far)
        image = scene.cast((-far, 0, 0), directions, 500.0, fields=RAY_FIELDS)
        assert 50 < image.hit.sum() < 200
        for name, values in _singly(scene, (-far, 0, 0), directions).items():
            found = getattr(image, name).reshape(values.shape)
            np.testing.assert_array_equal(found, values, err_msg=name)


def test_packets_in_the_plane_of_triangles() -> None:
    # the point of the rays lies in the planes of many triangles
    rng = np.random.default_rng(3)
    corners = rng.normal(size=(300, 3, 3))
    corners[::2, :, 2] = 0.25
    mesh = Mesh(corners.reshape(-1, 3), np.arange(900).reshape(300, 3))
    scene = RayScene([RayInstance(mesh)])
    directions = _camera(16, 16, 0.4)
    directions[8, :, 2] = 0.0
    for origin in (
        (-4.0, 0.0, 0.25),
        tuple(corners[4].mean(axis=0)),
        tuple(corners[6, 0]),
    ):
        image = scene.cast(origin, directions, 50.0, fields=RAY_FIELDS)
        single = _singly(scene, origin, directions)
        for name, values in single.items():
            found = getattr(image, name).reshape(values.shape)
            np.testing.assert_array_equal(found, values, err_msg=name)


def test_no_packet_slips_through_edges() -> None:
    scene = RayScene([RayInstance(sphere_mesh(1.0, 96))])
    for turn in range(3):
        for sign in (1.0, -1.0):
            directions = np.roll(_camera(200, 200, 0.5), turn, axis=-1) * sign
            hits = scene.cast((0.1, 0.05, -0.02), directions, 10.0)
            assert hits.hit.all()
            assert hits.distance.min() > 0.8
            assert hits.distance.max() < 1.2


def test_threads_do_not_change_anything() -> None:
    scene = _scene(1)
    rng = np.random.default_rng(2)
    origins, directions = rng.normal(size=(9001, 3)) * 3, rng.normal(size=(9001, 3))
    for args in ((origins, directions), ((0.0, 0.0, 0.5), _camera(97, 101))):
        one = scene.cast(*args, 30.0, fields=RAY_FIELDS, threads=1)
        for threads in (2, 3, 5, None):
            _equal(scene.cast(*args, 30.0, fields=RAY_FIELDS, threads=threads), one)
        anything = scene.cast(*args, 30.0, any_hit=True, threads=1)
        _equal_any = scene.cast(*args, 30.0, any_hit=True, threads=3)
        np.testing.assert_array_equal(anything.distance, _equal_any.distance)


def test_rays_apart_of_any_number_and_size() -> None:
    """Few rays or many, from afar or near: each has the answer that it has alone."""
    scene = _scene(1)
    rng = np.random.default_rng(7)
    origins, directions = rng.normal(size=(130, 3)) * 3, rng.normal(size=(130, 3))
    origins[::5] *= 1e4
    directions[::5] = -origins[::5]
    origins[::7] = 5e-324, -5e-324, 1e-310
    for count in (2, 3, 4, 5, 63, 64, 65, 130):
        together = scene.cast(origins[:count], directions[:count], 1e6)
        for k in range(count):
            alone = scene.cast(origins[k : k + 1], directions[k : k + 1], 1e6)
            assert alone.distance[0] == together.distance[k]
            assert alone.id[0] == together.id[k]
    assert together.hit[::5].any()


def test_children_are_in_order_for_each_octant() -> None:
    mesh = sphere_mesh(1.0, 24)
    planes = mesh_tree(mesh).planes
    slots = planes.view(np.int32)
    for node in range(len(planes)):
        count = int(np.count_nonzero(slots[node, LINKS] != UNUSED))
        centres = planes[node, :3, :count] + planes[node, 3:6, :count]
        for octant in range(8):
            order = slots[node, ORDERS, octant] >> np.arange(0, 24, 3) & 7
            assert sorted(order[:count]) == list(range(count))
            assert sorted(order) == list(range(8))
            signs = np.where(octant >> np.arange(3) & 1, -1.0, 1.0)
            assert (np.diff(signs @ centres[:, order[:count]]) <= 1e-6).all()


def test_casts_at_once_and_after_another_have_results_of_their_own() -> None:
    scene = _scene(3)
    rng = np.random.default_rng(4)
    origins, directions = rng.normal(size=(2, 5, 200, 3)) * 3

    def cast(k: int) -> RayHits:
        # rays from one point, and apart
        return scene.cast(
            origins[k, 0] if k % 2 else origins[k],
            directions[k],
            30.0,
            fields=RAY_FIELDS,
            threads=1,
        )

    first = [cast(k) for k in range(5)]
    kept = copy.deepcopy(first)
    with ThreadPoolExecutor(5) as pool:
        parallel = list(pool.map(cast, [*range(5)] * 8))
    for k, hits in enumerate(parallel):
        _equal(hits, kept[k % 5])
    for mine, before in zip(first, kept, strict=True):
        _equal(mine, before)


def test_flat_images_are_found_and_equal_shaped_ones() -> None:
    scene = _scene(5)
    image = _camera(80, 96)
    shaped = scene.cast((-9, 0, 0), image, 50.0, fields=RAY_FIELDS)
    flat = scene.cast((-9, 0, 0), image.reshape(-1, 3), 50.0, fields=RAY_FIELDS)
    assert shaped.distance.shape == (80, 96)
    assert shaped.position.shape == (80, 96, 3)
    for name in ("distance", "id", *RAY_FIELDS):
        a, b = getattr(shaped, name), getattr(flat, name)
        np.testing.assert_array_equal(a.reshape(b.shape), b)


def test_barycentric_weights_give_the_position() -> None:
    rng = np.random.default_rng(1)
    mesh = sphere_mesh(0.8, 12)
    pose = _pose(rng, 1.0)
    scene = RayScene(
        [RayInstance(mesh, pose), RayInstance(Sphere(0.3), _pose(rng, 2.0))]
    )
    origins = rng.normal(size=(3000, 3)) * 4
    hits = scene.cast(origins, pose[:3, 3] - origins + rng.normal(size=(3000, 3)), 50.0,
                      fields=RAY_FIELDS)  # fmt: skip
    at = hits.triangle >= 0
    assert at.sum() > 500
    corners = mesh.triangles()[hits.triangle[at]] @ pose[:3, :3].T + pose[:3, 3]
    weights = hits.barycentric[at]
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    assert weights.min() > -1e-9
    np.testing.assert_allclose(
        np.einsum("nk,nkj->nj", weights, corners), hits.position[at], atol=1e-12
    )
    assert np.isnan(hits.barycentric[~at]).all()


def test_fields_that_were_not_asked_for_say_so() -> None:
    scene = _scene(1)
    hits = scene.cast((0, 0, 0), [[1, 0, 0]], 50.0, fields=("normal",))
    assert hits.normal.shape == (1, 3)
    assert hits.hit.shape == (1,)
    with pytest.raises(ArgumentError, match=r"no position.*fields=\('position',\)"):
        hits.position  # noqa: B018
    with pytest.raises(ArgumentError, match=r"did you mean.*normal"):
        scene.cast((0, 0, 0), [[1, 0, 0]], 50.0, fields=("normals",))
    with pytest.raises(ArgumentError, match="threads"):
        scene.cast((0, 0, 0), [[1, 0, 0]], 50.0, threads=0)


@each("seed", range(3))
def test_all_crossings_are_found_one_after_the_other(seed: int) -> None:
    scene = _scene(seed)
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(400, 3)) * 4
    directions = rng.normal(size=(400, 3)) - origins
    every = scene.cast_all(origins, directions, 20.0, 0.1, fields=RAY_FIELDS)
    assert len(every) > 400
    order = np.lexsort((every.distance, every.ray))
    np.testing.assert_array_equal(order, np.arange(len(every)))
    # the same by going on from each hit to the next
    for ray in range(0, 400, 7):
        mine = every.ray == ray
        least, seen = 0.1, []
        while True:
            hit = scene.cast(origins[ray], directions[ray : ray + 1], 20.0, least)
            if not hit.hit[0]:
                break
            seen.append((hit.distance[0], hit.instance[0], hit.triangle[0]))
            least = np.nextafter(hit.distance[0], np.inf)
        found = zip(
            every.distance[mine],
            every.instance[mine],
            every.triangle[mine],
            strict=True,
        )
        assert list(found) == seen
    nearest = scene.cast(origins, directions, 20.0, 0.1, fields=RAY_FIELDS)
    first = np.concatenate(([True], every.ray[1:] != every.ray[:-1]))
    np.testing.assert_array_equal(np.unique(every.ray), np.flatnonzero(nearest.hit))
    for name in ("distance", "id", *RAY_FIELDS):
        np.testing.assert_array_equal(
            getattr(every, name)[first], getattr(nearest, name)[nearest.hit]
        )


def test_many_crossings_of_one_ray_and_none() -> None:
    n = 5000
    plates = np.zeros((n, 3, 3))
    plates[:, :, 0] = np.linspace(1.0, 9.0, n)[:, None]
    plates[:, 1, 1], plates[:, 2, 2] = 1.0, 1.0
    mesh = Mesh(plates.reshape(-1, 3), np.arange(3 * n).reshape(n, 3))
    scene = RayScene([RayInstance(mesh)])
    for threads in (1, 3):
        hits = scene.cast_all(
            (0.0, 0.2, 0.2), [[1, 0, 0], [-1, 0, 0], [1, 0, 0]], 20.0, threads=threads
        )
        np.testing.assert_array_equal(hits.ray, np.repeat((0, 2), n))
        np.testing.assert_allclose(hits.distance[:n], plates[:, 0, 0], rtol=1e-14)
    none = RayScene().cast_all((0, 0, 0), np.zeros((0, 3)), 1.0)
    assert len(none) == 0
    with pytest.raises(ArgumentError, match="direction 1"):
        scene.cast_all((0, 0, 0), [[1, 0, 0], [0, 0, 0]], 1.0)


def test_hostile_rays_in_images_are_named() -> None:
    scene = _scene(2)
    for value in (np.nan, np.inf, 0.0):
        image = _camera(20, 30)
        image[7, 11] = value
        with pytest.raises(ArgumentError, match=r"direction \(7, 11\)"):
            scene.cast((0, 0, 0), image, 10.0)
    with pytest.raises(ArgumentError, match="origins 0"):
        scene.cast((np.nan, 0, 0), _camera(20, 30).reshape(-1, 3), 10.0)
    ranges = np.full((20, 30), 5.0)
    ranges[3, 4] = -1.0
    with pytest.raises(ArgumentError, match=r"max_range is -1.0 for ray \(3, 4\)"):
        scene.cast((0, 0, 0), _camera(20, 30), ranges)


def test_far_scenes_and_origins_keep_their_digits() -> None:
    mesh = sphere_mesh(1.0, 32)
    for far in (1e4, 1e7):
        pose = np.eye(4)
        pose[:3, 3] = (far, -far, far)
        scene = RayScene([RayInstance(mesh, pose), RayInstance(Sphere(0.5), pose)])
        near = scene.cast(pose[:3, 3] - (4.0, 0, 0), _camera(16, 16, 0.2), 50.0)
        expected = RayScene([RayInstance(mesh), RayInstance(Sphere(0.5))]).cast(
            (-4.0, 0, 0), _camera(16, 16, 0.2), 50.0
        )
        np.testing.assert_array_equal(near.hit, expected.hit)
        at = near.hit
        np.testing.assert_allclose(near.distance[at], expected.distance[at], rtol=1e-8)
        # from the world's origin: far away for the mesh
        towards = pose[:3, 3] + np.random.default_rng(0).uniform(-0.5, 0.5, (200, 3))
        hits = scene.cast((0, 0, 0), towards, 1e9)
        assert hits.hit.all()
        assert (hits.instance == 0).all()
        np.testing.assert_allclose(hits.distance, far * np.sqrt(3), rtol=4.0 / far)


def test_refits_equal_new_scenes_and_bad_trees_are_built_anew() -> None:
    scene = _scene(9, 200)
    scene.cast((0, 0, 0), [[1, 0, 0]], 5.0)
    rng = np.random.default_rng(1)
    for spread in (0.01, 3.0, 60.0):
        poses = scene.poses
        moved = np.arange(0, 200, 3)
        poses[moved, :3, 3] += rng.normal(size=(len(moved), 3)) * spread
        scene.set_poses(moved, poses[moved])
        origins, directions = rng.normal(size=(500, 3)) * 6, rng.normal(size=(500, 3))
        fresh = scene.clone()
        found = scene.cast(origins, directions, 500.0)
        expected = fresh.cast(origins, directions, 500.0)
        np.testing.assert_array_equal(found.distance, expected.distance)
        np.testing.assert_array_equal(found.instance, expected.instance)
