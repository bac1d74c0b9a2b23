"""Scenes of many instances against brute force, watertight meshes, arguments."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from fresh_kernels import fresh
from loops import each

from pyrave.errors import ArgumentError
from pyrave.geometry import (
    Mesh,
    RayInstance,
    RayScene,
    box_mesh,
    capsule_mesh,
    cylinder_mesh,
    mesh_bvh,
    ray_instances,
    shape_mesh,
    sphere_mesh,
)
from pyrave.geometry import ray_caster as raycasting
from pyrave.geometry.kernels import bvh as tree_kernels
from pyrave.jit import Kernel, eager
from pyrave.jit import kernel as jit_kernel
from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    NoShape,
    Pose,
    Prism,
    Sphere,
)
from pyrave.spatial import matrix_from_axis_angle


def _pose(rng: np.random.Generator, spread: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    pose[:3, 3] = rng.normal(size=3) * spread
    return pose


def _soup(rng: np.random.Generator, n: int) -> Mesh:
    corners = rng.normal(size=(n, 1, 3)) + 0.3 * rng.normal(size=(n, 3, 3))
    return Mesh(corners.reshape(-1, 3), np.arange(3 * n).reshape(n, 3))


def _scene(seed: int, n: int, meshes: list[Mesh]) -> list[RayInstance]:
    rng = np.random.default_rng(seed)
    items = []
    for k in range(n):
        solid = (
            Box(tuple(rng.uniform(0.1, 0.6, 3))),
            Sphere(rng.uniform(0.1, 0.6)),
            Cylinder(rng.uniform(0.1, 0.6), rng.uniform(0.1, 1)),
            Capsule(rng.uniform(0.1, 0.4), rng.uniform(0.1, 1)),
            meshes[k % len(meshes)] if meshes else Sphere(0.2),
        )[k % 5]
        items.append(RayInstance(solid, _pose(rng, 3.0), id=100 + k // 2))
    return items


def _rays(seed: int, n: int, spread: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) * spread, rng.normal(size=(n, 3))


def _brute_mesh(triangles, origins, directions) -> np.ndarray:
    """Nearest distance by Moeller and Trumbore in numpy, (n,), inf at a miss."""
    best = np.full(len(origins), np.inf)
    for v0, v1, v2 in triangles:
        e1, e2 = v1 - v0, v2 - v0
        p = np.cross(directions, e2)
        det = p @ e1
        ok = np.abs(det) > 1e-14
        inv = 1.0 / np.where(ok, det, 1.0)
        s = origins - v0
        u = np.einsum("ij,ij->i", s, p) * inv
        q = np.cross(s, e1)
        v = np.einsum("ij,ij->i", directions, q) * inv
        t = (q @ e2) * inv
        ok &= (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
        best = np.where(ok & (t < best), t, best)
    return best


def _brute(items: list[RayInstance], origins, directions, max_range: float):
    """Nearest hit by casting against each instance alone, in its own scene."""
    best = np.full(len(origins), np.inf)
    which = np.full(len(origins), -1)
    for k, item in enumerate(items):
        alone = RayScene([item]).cast(origins, directions, max_range)
        closer = alone.distance < best
        best[closer] = alone.distance[closer]
        which[closer] = k
    return best, which


def test_mesh_equals_brute_force() -> None:
    rng = np.random.default_rng(0)
    mesh = _soup(rng, 300)
    origins, directions = _rays(1, 3000, 2.0)
    unit = directions / np.linalg.norm(directions, axis=1)[:, None]
    hits = RayScene([RayInstance(mesh)]).cast(origins, directions, 1000.0)
    expected = _brute_mesh(mesh.triangles(), origins, unit)
    np.testing.assert_array_equal(hits.hit, np.isfinite(expected))
    at = hits.hit
    assert at.sum() > 500
    np.testing.assert_allclose(hits.distance[at], expected[at], rtol=1e-9, atol=1e-11)
    # the point lies in the plane of the triangle that is named
    corners = mesh.triangles()[hits.triangle[at]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    off = np.einsum("ij,ij->i", normal, hits.position[at] - corners[:, 0])
    np.testing.assert_allclose(off, 0.0, atol=1e-10)
    cosine = np.abs(np.einsum("ij,ij->i", normal, hits.normal[at]))
    np.testing.assert_allclose(cosine, 1.0, rtol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 17, 200])
def test_scene_equals_brute_force(count: int) -> None:
    rng = np.random.default_rng(2)
    items = _scene(3, count, [_soup(rng, 40), sphere_mesh(0.5, 12)])
    origins, directions = _rays(4, 1000)
    hits = RayScene(items).cast(origins, directions, 50.0)
    distance, which = _brute(items, origins, directions, 50.0)
    np.testing.assert_array_equal(hits.distance, distance)
    np.testing.assert_array_equal(hits.instance, which)
    ids = np.array([item.id for item in items])
    np.testing.assert_array_equal(hits.id, np.where(which < 0, -1, ids[which]))


def test_plain_and_compiled_kernels_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    items = _scene(3, 25, [_soup(np.random.default_rng(2), 40), sphere_mesh(0.5, 8)])
    origins, directions = _rays(4, 200)
    with eager():
        compiled = RayScene(items).cast(origins, directions, 50.0, min_range=0.5)
        crossed = RayScene(items).cast_all(origins, directions, 50.0)
    assert len(crossed) > 10
    x, y = np.meshgrid(np.linspace(-0.4, 0.4, 12), np.linspace(-0.3, 0.3, 9))
    image = np.stack((np.ones_like(x), x, y), axis=-1)
    with eager():
        seen = RayScene(items).cast((-8, 0, 0), image, 50.0)
    assert seen.hit.any()
    # new meshes, so that their trees are built by the plain form as well
    copies = [
        RayInstance(
            Mesh(i.solid.vertices, i.solid.faces)
            if isinstance(i.solid, Mesh)
            else i.solid,
            i.T_world,
            i.id,
        )
        for i in items
    ]
    for kernel in (
        raycasting._coherent,
        raycasting._incoherent,
        raycasting._cross,
    ):
        monkeypatch.setattr(kernel, "function", kernel.python)
    monkeypatch.setattr(Kernel, "auto", lambda self, _: self.python)
    monkeypatch.setattr(Kernel, "now", lambda self: self.python)
    plain = RayScene(copies).cast(origins, directions, 50.0, min_range=0.5)
    packets = RayScene(copies).cast((-8, 0, 0), image, 50.0)
    every = RayScene(copies).cast_all(origins, directions, 50.0)
    monkeypatch.setattr(raycasting._cross, "function", None)
    monkeypatch.setattr(raycasting._cross, "ready", lambda: None)
    scalar = RayScene(copies).cast_all(origins, directions, 50.0)
    for found in (every, scalar):
        np.testing.assert_array_equal(found.ray, crossed.ray)
        np.testing.assert_array_equal(found.triangle, crossed.triangle)
        np.testing.assert_allclose(found.distance, crossed.distance, rtol=1e-13)
    np.testing.assert_array_equal(packets.instance, seen.instance)
    np.testing.assert_array_equal(packets.triangle, seen.triangle)
    np.testing.assert_allclose(packets.distance, seen.distance, rtol=1e-13)
    np.testing.assert_array_equal(plain.instance, compiled.instance)
    np.testing.assert_array_equal(plain.triangle, compiled.triangle)
    np.testing.assert_allclose(plain.distance, compiled.distance, rtol=1e-13)
    np.testing.assert_allclose(plain.normal, compiled.normal, atol=1e-12)


def test_trees_of_small_meshes_wait_for_no_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernels = []
    for name in ("_plant", "_grow"):
        kernels.append(fresh(getattr(mesh_bvh, name)))
        monkeypatch.setattr(mesh_bvh, name, kernels[-1])
    monkeypatch.setattr(jit_kernel, "in_background", lambda _: pytest.fail("too soon"))
    mesh = _soup(np.random.default_rng(5), 60)
    tree = mesh_bvh.mesh_tree(mesh)
    assert [kernel.function for kernel in kernels] == [None, None]
    assert sorted(tree.numbers) == list(range(60))
    np.testing.assert_array_equal(
        tree.corners, mesh.triangles()[tree.numbers].reshape(-1, 9)
    )


def test_any_hit_agrees_with_nearest() -> None:
    items = _scene(5, 60, [sphere_mesh(0.5, 12)])
    scene = RayScene(items)
    origins, directions = _rays(6, 4000)
    nearest = scene.cast(origins, directions, 6.0, min_range=0.3)
    anything = scene.cast(origins, directions, 6.0, min_range=0.3, any_hit=True)
    np.testing.assert_array_equal(anything.hit, nearest.hit)
    at = nearest.hit
    assert (anything.distance[at] >= nearest.distance[at]).all()
    assert (anything.distance[at] <= 6.0).all()
    assert (anything.distance[at] >= 0.3).all()


@pytest.mark.parametrize(
    "mesh",
    [
        sphere_mesh(1.0, 48),
        box_mesh((1, 1, 1)),
        cylinder_mesh(1.0, 2.0, 24),
        capsule_mesh(0.7, 1.0, 16),
    ],
    ids=["sphere", "box", "cylinder", "capsule"],
)
@each("seed", [None, 1, 2])
def test_no_ray_slips_out_of_a_closed_mesh(mesh: Mesh, seed: int | None) -> None:
    rng = np.random.default_rng(5)
    pose = np.eye(4) if seed is None else _pose(np.random.default_rng(seed), 10.0)
    scene = RayScene([RayInstance(mesh, pose)])
    n = 30_000
    inside = rng.uniform(-0.3, 0.3, size=(n, 3))
    local = rng.normal(size=(n, 3))
    # most rays go exactly for vertices, edge centres and points of edges
    corners = mesh.triangles()
    which = rng.integers(len(corners), size=n)
    side = rng.integers(3, size=n)
    a, b = corners[which, side], corners[which, (side + 1) % 3]
    part = rng.choice((0.0, 0.5, 0.25, 1 / 3), size=n)[:, None]
    inside[: n // 3] = 0.0
    local[: 2 * n // 3] = (a + part * (b - a) - inside)[: 2 * n // 3]
    origins = inside @ pose[:3, :3].T + pose[:3, 3]
    hits = scene.cast(origins, local @ pose[:3, :3].T, 100.0)
    assert hits.hit.all()
    assert hits.distance.max() < 4.0


def test_grazing_rays_from_far_are_not_lost_at_edges() -> None:
    # a plate of many strips: rays down onto its inner edges always meet it
    x = np.linspace(-1, 1, 65)
    grid = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    vertices = np.column_stack((grid, 0 * grid[:, 0]))
    index = np.arange(65 * 65).reshape(65, 65)
    a, b, c, d = (
        part.ravel()
        for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    )
    faces = np.concatenate((np.stack((a, b, c), 1), np.stack((a, c, d), 1)))
    scene = RayScene([RayInstance(Mesh(vertices, faces))])
    targets = vertices[(np.abs(grid) < 0.99).all(axis=1)]
    for eye in ((0, 0, 300.0), (300.0, 1.0, 3.0), (0.0, -900.0, 0.5), (1e3, 1e3, 1.0)):
        hits = scene.cast(eye, targets - np.array(eye), 1e5)
        assert hits.hit.all()
        # accuracy along the ray suffers by the grazing angle only
        np.testing.assert_allclose(hits.position[:, 2], 0.0, atol=1e-9)


def test_degenerate_triangles_are_harmless() -> None:
    box = box_mesh((1, 1, 1))
    n = len(box.vertices)
    extra = np.array(
        [[0, 0, 0], [0, 1, 1], [0, 3, 0], [n, n + 1, n + 2], [n, n, n + 1]], np.int32
    )
    line = np.array([[0.0, 0, 0], [0.5, 0.5, 0.5], [0.25, 0.25, 0.25]])
    mesh = Mesh(
        np.concatenate((box.vertices, line)), np.concatenate((box.faces, extra))
    )
    origins, directions = _rays(9, 5000, 3.0)
    directions[:100] = [1.0, 0.0, 0.0]
    origins[:100, 1:] = np.random.default_rng(1).choice((-1.0, 0.0, 1.0), (100, 2))
    found = RayScene([RayInstance(mesh)]).cast(origins, directions, 100.0)
    expected = RayScene([RayInstance(box)]).cast(origins, directions, 100.0)
    np.testing.assert_array_equal(found.distance, expected.distance)
    assert not np.isnan(found.distance).any()
    assert not np.isnan(found.normal).any()


def test_many_equal_triangles_build_a_bounded_tree() -> None:
    n = 5000
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.tile([0, 1, 2], (n, 1)))
    hits = RayScene([RayInstance(mesh)]).cast([[0.2, 0.2, 1]], [[0, 0, -1]], 5.0)
    assert hits.distance[0] == pytest.approx(1.0, rel=1e-15)
    # of equal distances the lowest number wins
    assert hits.triangle[0] == 0


def test_equal_distances_go_to_the_lower_triangle() -> None:
    # triangles of many sizes in one plane, so that the tree reorders them
    sizes = np.random.default_rng(0).uniform(1, 50, 200)
    corners = sizes[:, None, None] * np.array([[-1, -1, 0], [2, -1, 0], [-1, 2, 0]])
    mesh = Mesh(corners.reshape(-1, 3), np.arange(600).reshape(200, 3))
    hits = RayScene([RayInstance(mesh)]).cast([[0.1, 0.1, 1]], [[0, 0, -1]], 5.0)
    t = hits.distance[0]
    assert t == pytest.approx(1.0)
    nearest = [
        RayScene([RayInstance(Mesh(c, [[0, 1, 2]]))])
        .cast([[0.1, 0.1, 1]], [[0, 0, -1]], 5.0)
        .distance[0]
        for c in corners
    ]
    assert hits.triangle[0] == int(np.argmin(nearest))


def test_sizes_that_grow_without_end_build_a_bounded_tree() -> None:
    # each box is half as far as the one before: bins peel off a few at a time
    corner = np.repeat(2.0 ** -np.arange(120.0)[:, None], 6, axis=1)
    boxes = np.repeat(corner, 8, axis=0).astype(np.float32)
    n = len(boxes)
    bounds = np.empty((2 * n, 6), np.float32)
    links, order = np.empty((2 * n, 2), np.int32), np.empty(n, np.int32)
    nodes = tree_kernels.build_binary(boxes, 1, bounds, links, order)
    assert nodes == 2 * n - 1
    depth = np.zeros(nodes, int)
    for node in range(nodes):
        first, count = links[node]
        if count == 0:
            depth[first : first + 2] = depth[node] + 1
            assert (bounds[node, :3] <= bounds[first : first + 2, :3]).all()
            assert (bounds[node, 3:] >= bounds[first : first + 2, 3:]).all()
    assert tree_kernels.WIDTH < depth.max() < tree_kernels.DEPTH + 32
    np.testing.assert_array_equal(np.sort(order), np.arange(n))


def test_equal_distances_go_to_the_lower_instance() -> None:
    # boxes of many lengths that all end at x = 1; the tree visits them in its order
    rng = np.random.default_rng(0)
    items = []
    for k in range(60):
        half = 2.0 ** rng.integers(-3, 4)
        items.append(RayInstance(Box((half, 1, 1)), _at(1.0 - half), id=k))
    for skipped in range(5):
        hits = RayScene(items).cast(
            [[5, 0, 0]], [[-1, 0, 0]], 9.0, exclude=range(skipped)
        )
        assert hits.distance[0] == 4.0
        assert hits.instance[0] == skipped


def test_empty_scene_and_no_rays() -> None:
    hits = RayScene().cast(np.zeros((3, 3)), np.eye(3), 10.0)
    assert np.isinf(hits.distance).all()
    assert (hits.id == -1).all()
    assert np.isnan(hits.position).all()
    none = RayScene([RayInstance(Sphere(1))]).cast(
        np.zeros((0, 3)), np.zeros((0, 3)), 1
    )
    assert none.distance.shape == (0,)
    assert (
        not RayScene([RayInstance(Mesh.empty())]).cast([[0, 0, 0]], [[1, 0, 0]], 5).hit
    )


def test_exclude_by_id_and_by_mask() -> None:
    items = [
        RayInstance(Sphere(0.5), _at(2.0), id=7),
        RayInstance(Sphere(0.5), _at(4.0), id=7),
        RayInstance(Sphere(0.5), _at(6.0), id=9),
    ]
    scene = RayScene(items)

    def first(exclude=None) -> float:
        return float(
            scene.cast([[0, 0, 0]], [[1, 0, 0]], 50, exclude=exclude).distance[0]
        )

    assert first() == pytest.approx(1.5)
    assert first({7}) == first([7]) == first(np.array([7])) == pytest.approx(5.5)
    assert first(np.array([True, False, False])) == pytest.approx(3.5)
    assert first({7, 9}) == np.inf
    assert first(set()) == pytest.approx(1.5)
    with pytest.raises(ArgumentError, match="mask"):
        first(np.array([True]))


def _at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = (x, y, z)
    return pose


def test_set_poses_equals_a_new_scene() -> None:
    items = _scene(11, 50, [sphere_mesh(0.5, 8)])
    scene = RayScene(items)
    origins, directions = _rays(12, 500)
    scene.cast(origins, directions, 50.0)
    twin = scene.clone()
    before = twin.cast(origins, directions, 50.0)
    rng = np.random.default_rng(13)
    moved = np.array([3, 4, 10, 24])
    poses = np.array([_pose(rng, 3.0) for _ in moved])
    scene.set_poses(moved, poses)
    for k, pose in zip(moved, poses, strict=True):
        items[k] = RayInstance(items[k].solid, pose, items[k].id)
    expected = RayScene(items).cast(origins, directions, 50.0)
    found = scene.cast(origins, directions, 50.0)
    np.testing.assert_array_equal(found.distance, expected.distance)
    np.testing.assert_array_equal(found.instance, expected.instance)
    # the clone did not move
    after = twin.cast(origins, directions, 50.0)
    np.testing.assert_array_equal(after.distance, before.distance)


@pytest.mark.parametrize(
    "shape",
    [
        Container(
            (0.8, 0.6, 0.4), (0.7, 0.5, 0.35), (0.1, 0.05, 0.02), (0.9, 0.3, 0.1)
        ),
        Cage(
            (0.5, 0.4, 0.05), ((Pose.from_translation(0.5, 0, 0.1), (0.02, 0.4, 0.3)),)
        ),
        Prism(((0, 0), (1, 0), (0.2, 0.2), (0, 1)), 0.6),
    ],
    ids=lambda shape: shape.type,
)
def test_composed_shapes_equal_their_mesh_from_outside(shape) -> None:
    pose = _pose(np.random.default_rng(1), 1.0)
    items = ray_instances(shape, np.eye(4), 5)
    parts = RayScene(items)
    # set_poses moves all parts of the geometry with one pose
    parts.set_poses(np.arange(len(items)), np.tile(pose, (len(items), 1, 1)))
    whole = RayScene([RayInstance(shape_mesh(shape), pose, 5)])
    origins, directions = _rays(2, 4000, 3.0)
    directions = directions * 0.4 + pose[:3, 3] - origins
    far = np.linalg.norm(origins - pose[:3, 3], axis=1) > 1.6
    a = parts.cast(origins[far], directions[far], 50.0)
    b = whole.cast(origins[far], directions[far], 50.0)
    np.testing.assert_array_equal(a.id, b.id)
    at = a.hit
    assert at.sum() > 50
    np.testing.assert_allclose(a.distance[at], b.distance[at], atol=1e-11)


def test_ray_instances_of_other_shapes() -> None:
    assert ray_instances(NoShape(), np.eye(4), 1) == []
    assert ray_instances(Sphere(1), np.eye(4), 1)[0].solid == Sphere(1)
    prism = Prism(((0, 0), (1, 0), (0, 1)), 1.0)
    one, two = (ray_instances(prism, np.eye(4), 1)[0].solid for _ in range(2))
    assert one is two


def test_tree_of_a_mesh_is_shared_and_dropped_with_it() -> None:
    mesh = sphere_mesh(1.0, 8)
    RayScene([RayInstance(mesh), RayInstance(mesh, _at(3.0))]).cast(
        [[9, 0, 0]], [[-1, 0, 0]], 50
    )
    tree = mesh_bvh.mesh_tree(mesh)
    assert mesh_bvh.mesh_tree(mesh) is tree
    gone = weakref.ref(tree)
    del mesh, tree
    gc.collect()
    assert gone() is None


def test_trees_of_a_scene_are_there_once() -> None:
    meshes = [sphere_mesh(1.0, 8), _soup(np.random.default_rng(8), 90)]
    before = [mesh_bvh.mesh_tree(mesh) for mesh in meshes]
    pool = mesh_bvh.MeshPool.from_meshes(meshes)
    for known, mesh in zip(before, meshes, strict=True):
        tree = mesh_bvh.mesh_tree(mesh)
        for name in ("planes", "groups", "firsts", "corners", "numbers", "frame"):
            part = getattr(tree, name)
            assert np.shares_memory(
                part, getattr(pool, name.replace("frame", "frames"))
            )
            np.testing.assert_array_equal(part, getattr(known, name))
    # a scene with one more has them, too
    more = mesh_bvh.MeshPool.from_meshes([*meshes, _soup(np.random.default_rng(9), 20)])
    np.testing.assert_array_equal(more.corners[: len(pool.corners)], pool.corners)


def test_bounds_hold_the_hits() -> None:
    items = _scene(21, 40, [_soup(np.random.default_rng(3), 10)])
    scene = RayScene(items)
    lo, hi = scene.bounds()
    origins, directions = _rays(22, 5000)
    hits = scene.cast(origins, directions, 50.0)
    at, k = hits.hit, hits.instance[hits.hit]
    assert (hits.position[at] >= lo[k] - 1e-9).all()
    assert (hits.position[at] <= hi[k] + 1e-9).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.cast([[0, 0, 0]], [[0, 0, 0]], 1), "no direction"),
        (lambda s: s.cast([[0, 0, 0]], [[np.nan, 0, 0]], 1), "no direction"),
        (lambda s: s.cast([[0, np.inf, 0]], [[1, 0, 0]], 1), "origins 0"),
        (lambda s: s.cast([[0, 0, 0]], [[1, 0, 0]], np.inf), "max_range"),
        (lambda s: s.cast([[0, 0, 0]], [[1, 0, 0]], -1), "max_range"),
        (lambda s: s.cast([[0, 0, 0]], [[1, 0, 0]], 1, min_range=np.nan), "min_range"),
        (lambda s: s.cast([[0, 0, 0]], [[1, 0, 0]], [1, 2]), r"\(1,\)"),
        (lambda s: s.cast([[0, 0]], [[1, 0, 0]], 1), "origins have shape"),
        (lambda s: s.cast([[0, 0, 0]], [1, 0, 0], 1), "directions have shape"),
        (lambda s: s.cast([[0, 0, 0]] * 2, [[1, 0, 0]], 1), "origins have shape"),
        (lambda s: s.cast("here", [[1, 0, 0]], 1), "not numbers"),
        (lambda s: s.set_poses([1], [np.eye(4)]), "1 instances"),
        (lambda s: s.set_poses([0], [np.eye(3)]), "transforms have shape"),
        (lambda s: s.set_poses([0], [np.full((4, 4), np.nan)]), "finite"),
        (lambda s: s.set_poses([0.5], [np.eye(4)]), "indices"),
        (lambda _: RayScene([RayInstance(Sphere(-1))]), "sizes"),
        (lambda _: RayScene([RayInstance(Sphere(np.nan))]), "sizes"),
        (lambda _: RayScene([RayInstance(Sphere(1), id=-1)]), "means a miss"),
        (lambda _: RayScene([RayInstance(Sphere(1), 2 * np.eye(4))]), "T_world"),
        (lambda _: RayScene([RayInstance(NoShape())]), "ray_instances"),
    ],
)
def test_bad_arguments_are_named(call, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        call(RayScene([RayInstance(Sphere(1))]))
