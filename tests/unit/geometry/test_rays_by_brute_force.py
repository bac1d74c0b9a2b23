"""Rays against every instance and triangle, one by one, in float64: the same bits."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
import pytest

from pyrave.geometry import (
    Cone,
    Mesh,
    Plane,
    RayHits,
    RayInstance,
    RayScene,
    sphere_mesh,
)
from pyrave.geometry import ray_caster as raycasting
from pyrave.geometry.kernels import primitives as solids
from pyrave.geometry.rayinstances import Solid, kind_and_sizes
from pyrave.jit import Kernel, eager
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import matrix_from_axis_angle

FARTHEST = 1e12


@pytest.fixture(params=["vectors", "plain"], autouse=True)
def kernels(request, monkeypatch):
    """Cast by kernels with vectors, and by those that go on without."""
    if request.param == "plain":
        for kernel in (raycasting._coherent, raycasting._incoherent):
            monkeypatch.setattr(kernel, "function", None)
        monkeypatch.setattr(Kernel, "ready", lambda *_, **__: None)
    with eager():
        yield request.param


NOTHING = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32))


class Rays(NamedTuple):
    """Arguments of a cast, one row or number per ray, and what is left out."""

    origins: np.ndarray
    directions: np.ndarray
    most: np.ndarray
    least: np.ndarray
    skip: np.ndarray


def _distances(corners: np.ndarray, o: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the distances (m,) of a ray to triangles (m, 3, 3), inf at a miss.

    The test of Woop, Benthin and Wald, its sums in the order of the kernels'.
    """
    c = int(np.argmax(np.abs(d)))
    a, b = (c + 1) % 3, (c + 2) % 3
    scale = 1.0 / d[c]
    z = corners[:, :, c] - o[c]
    x = corners[:, :, a] - o[a] - d[a] * scale * z
    y = corners[:, :, b] - o[b] - d[b] * scale * z
    u = x[:, 2] * y[:, 1] - y[:, 2] * x[:, 1]
    v = x[:, 0] * y[:, 2] - y[:, 0] * x[:, 2]
    w = x[:, 1] * y[:, 0] - y[:, 1] * x[:, 0]
    total = u + v + w
    sides = np.stack((u, v, w))
    missed = (sides < 0.0).any(axis=0) & (sides > 0.0).any(axis=0) | (total == 0.0)
    along = u * z[:, 0] + v * z[:, 1] + w * z[:, 2]
    return np.where(missed, np.inf, along / np.where(missed, 1.0, total) * scale)


def _turned_back(pose: np.ndarray, v: np.ndarray) -> np.ndarray:
    r = pose[:3, :3]
    return r[0] * v[0] + r[1] * v[1] + r[2] * v[2]


def _crossings(solid: Solid, k: int, o: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the distances at which a ray meets a solid, by triangles if it has any."""
    if isinstance(solid, Mesh):
        return _distances(solid.triangles(), o, d)
    kind, sizes = kind_and_sizes(solid, k)
    if kind == solids.NOTHING:
        return np.zeros(0)
    near, far = solids.interval(kind, *sizes, *o.tolist(), *d.tolist())
    return np.array([near, far]) if near <= far else np.zeros(0)


def _nearest(
    items: list[RayInstance], rays: Rays
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return distance, instance and triangle of the first hits."""
    n = len(rays.directions)
    distance, which, triangle = np.full(n, np.inf), np.full(n, -1), np.full(n, -1)
    x, y, z = rays.directions.T
    towards = rays.directions * (1.0 / np.sqrt(x * x + y * y + z * z))[:, None]
    for k, item in enumerate(items):
        if rays.skip[k]:
            continue
        pose = np.asarray(item.T_world)
        for r in range(n):
            o = _turned_back(pose, rays.origins[r] - pose[:3, 3])
            t = _crossings(item.solid, k, o, _turned_back(pose, towards[r]))
            t = np.where((t >= rays.least[r]) & (t <= rays.most[r]), t, np.inf)
            if t.min(initial=np.inf) < distance[r]:
                distance[r], which[r] = t.min(), k
                triangle[r] = np.argmin(t) if isinstance(item.solid, Mesh) else -1
    return distance, which, triangle


def _check(items: list[RayInstance], rays: Rays) -> RayHits:
    scene = RayScene(items)
    hits = scene.cast(*rays)
    for found, expected in zip(
        (hits.distance, hits.instance, hits.triangle),
        _nearest(items, rays),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)
    anything = scene.cast(*rays, any_hit=True)
    np.testing.assert_array_equal(anything.hit, hits.hit)
    assert not rays.skip[anything.instance[hits.hit]].any()
    assert (anything.distance >= hits.distance).all()
    assert (anything.distance <= rays.most)[hits.hit].all()
    every = scene.cast_all(*rays)
    ray, first = np.unique(every.ray, return_index=True)
    np.testing.assert_array_equal(ray, np.flatnonzero(hits.hit))
    np.testing.assert_array_equal(every.distance[first], hits.distance[hits.hit])
    np.testing.assert_array_equal(every.instance[first], hits.instance[hits.hit])
    np.testing.assert_array_equal(every.triangle[first], hits.triangle[hits.hit])
    return hits


def _pose(rng: np.random.Generator, spread: float) -> np.ndarray:
    pose = np.eye(4)
    if rng.random() < 0.8:
        pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    pose[:3, 3] = rng.normal(size=3) * spread
    return pose


def _soup(rng: np.random.Generator, n: int) -> Mesh:
    """Return triangles of which some are equal, lines, or all corners on a grid."""
    corners = rng.normal(size=(n, 1, 3)) + rng.normal(size=(n, 3, 3)) * 0.4
    match rng.integers(3):
        case 0:
            corners[::3] = corners[0]
        case 1:
            corners[::2, 1] = corners[::2, 0]
        case 2:
            corners = np.round(corners * 4.0) / 4.0
    return Mesh(corners.reshape(-1, 3), np.arange(3 * n).reshape(n, 3))


def _items(rng: np.random.Generator, n: int, what: str) -> list[RayInstance]:
    choices: dict[str, list[Solid]] = {
        "meshes": [
            sphere_mesh(0.7, 8), NOTHING, *(_soup(rng, m) for m in (1, 7, 8, 9, 60)),
        ],
        "primitives": [
            Box((0.3, 0.5, 0.0)), Box((0.2, 0.3, 0.4)), Sphere(0.4), Sphere(0.0),
            Cylinder(0.3, 0.8), Capsule(0.2, 0.7), Cone(0.4, 0.9, 0.1),
        ],
        "planes": [Plane()],
    }  # fmt: skip
    pool = choices.get(what) or list(chain.from_iterable(choices.values()))
    items = [
        RayInstance(pool[rng.integers(len(pool))], _pose(rng, 2.0), k) for k in range(n)
    ]
    if n > 2:
        # the last is where the first is, and lies behind it in order
        items[-1] = RayInstance(items[0].solid, items[0].T_world, n - 1)
    return items


def _some_rays(rng: np.random.Generator, n: int, items: list[RayInstance]) -> Rays:
    origins = rng.normal(size=(n, 3)) * 3.0
    poses = np.array([item.T_world for item in items])
    targets = poses[rng.integers(len(items), size=n), :3, 3]
    directions = targets + rng.normal(size=(n, 3)) * 0.2 - origins
    # along axes, from the grid, with zeros of either sign; from afar; almost flat
    directions[: n // 4] = rng.choice((-1.0, 0.0, -0.0, 1.0), (n // 4, 3))
    directions[: n // 4, rng.integers(3)] = -1.0
    origins[: n // 8] = np.round(origins[: n // 8])
    origins[n // 4 : n // 3] *= 1e5
    directions[n // 4 : n // 3] = (targets - origins)[n // 4 : n // 3]
    directions[n // 3 : n // 2, 1] *= 1e-30
    ranged = rng.random() < 0.5
    return Rays(
        origins,
        directions * 10.0 ** rng.uniform(-90.0, 90.0),
        rng.uniform(0.0, 8.0, n) if ranged else np.full(n, FARTHEST),
        rng.uniform(0.0, 3.0, n) if ranged else np.zeros(n),
        rng.random(len(items)) < rng.choice((0.0, 0.3)),
    )


@pytest.mark.parametrize("what", ["meshes", "primitives", "planes", "all"])
@pytest.mark.parametrize("count", [1, 2, 3, 8, 9, 25])
def test_casts_find_what_a_search_through_everything_finds(
    what: str, count: int
) -> None:
    rng = np.random.default_rng((count, len(what)))
    met = 0
    for _ in range(8 if count < 9 else 3):
        items = _items(rng, count, what)
        # fewer than walk at a time, a part of a block, more than one
        for n in (2, 3, 5, 66):
            met += _check(items, _some_rays(rng, n, items)).hit.sum()
    assert met > 20


def test_casts_into_many_instances_find_what_a_search_finds() -> None:
    rng = np.random.default_rng(3)
    items = _items(rng, 400, "all")
    rays = _some_rays(rng, 6, items)
    assert _check(items, rays).hit.any()
    assert _check(items, rays._replace(skip=np.arange(400) != 7)).hit.sum() <= 6
    assert not _check(items, rays._replace(skip=np.ones(400, np.bool_))).hit.any()


@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize("size", [1e-3, 1.0])
@pytest.mark.parametrize("far", [1e2, 1e5, 1e8, 1e10, 5e11])
def test_rays_from_very_far_meet_what_the_exact_test_says(
    far: float, size: float, others: int
) -> None:
    """Where float64 rounds by more than a mesh is wide, the answer is still one."""
    rng = np.random.default_rng(others)
    mesh = sphere_mesh(size, 12)
    items = [RayInstance(mesh, _pose(rng, size), 0)]
    items += [RayInstance(mesh, _pose(rng, 3.0 * size), 1 + k) for k in range(others)]
    n = 130
    corners = mesh.triangles()[rng.integers(len(mesh.faces), size=n)]
    part = rng.choice((0.0, 0.25, 0.5), (n, 1))
    targets = part * corners[:, 0] + (1.0 - part) * corners[:, 1]
    pose = np.asarray(items[0].T_world)
    origins = rng.normal(size=(n, 3))
    origins *= far / np.linalg.norm(origins, axis=1)[:, None]
    rays = Rays(
        origins, targets @ pose[:3, :3].T + pose[:3, 3] - origins,
        np.full(n, FARTHEST), np.zeros(n), np.zeros(len(items), np.bool_),
    )  # fmt: skip
    assert _check(items, rays).hit.sum() > 100


@pytest.mark.parametrize("what", ["meshes", "primitives", "planes", "all"])
def test_a_few_rays_are_cast_in_the_interpreter(what: str, monkeypatch) -> None:
    for kernel in (raycasting._coherent, raycasting._incoherent):
        monkeypatch.setattr(kernel, "function", None)
    monkeypatch.setattr(Kernel, "early", lambda self, _: self.python)
    monkeypatch.setattr(Kernel, "auto", lambda self, _: self.python)
    rng = np.random.default_rng(len(what))
    items = _items(rng, 9, what)
    assert _check(items, _some_rays(rng, 12, items)).hit.any()
