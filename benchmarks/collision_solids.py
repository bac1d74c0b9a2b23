"""Random solids of every kind at random places, for `collision_answers.py`.

Solids are of about 1 m; `scaled` makes them of any size by powers of two, which changes
no digit, so that one pair is the same pair at every size.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import Cone, Mesh, Solid
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import matrix_from_quat

KINDS = (
    "sphere", "box", "cylinder", "capsule", "cone", "hull", "closed mesh", "open mesh",
)  # fmt: skip
REGIMES = ("apart", "touching", "nested", "degenerate")
SCALES = tuple(range(-20, 11))
"""Exponents of two: 1e-6 to 1e3 m."""
_GAPS = (0.0, 1e-9, -1e-9, 1e-7, -1e-7, 2e-6, -2e-6, 1e-4, -1e-4, 1e-2, -1e-2)


def random_solid(rng: np.random.Generator, kind: str, regime: str) -> Solid:
    """Return a solid of 0.03 to 1 m; flat or thin ones if the regime is degenerate."""
    sizes = 10.0 ** rng.uniform(-1.5, 0.0, 3)
    if rng.random() < 0.3:
        sizes[:] = sizes[0]
    if regime == "degenerate":
        thin = 10.0 ** rng.uniform(-9.0, -2.0)
        chosen = rng.permutation(3)[: rng.integers(1, 3)]
        sizes[chosen] *= thin
    x, y, z = sizes.tolist()
    match kind:
        case "sphere":
            return Sphere(x)
        case "box":
            return Box((x, y, z))
        case "cylinder":
            return Cylinder(x, 2.0 * z)
        case "capsule":
            return Capsule(x, 2.0 * z)
        case "cone":
            return Cone(x, 2.0 * z)
        case "hull":
            return _hull(rng, sizes)
        case "closed mesh":
            return _ring(rng, sizes)
        case _:
            return _sheet(rng, sizes) if rng.random() < 0.6 else _soup(rng, sizes)


def _hull(rng: np.random.Generator, sizes: np.ndarray) -> Mesh:
    points = rng.normal(size=(int(rng.integers(4, 60)), 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    if rng.random() < 0.3:  # all corners of a box, and points on its sides
        corners = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, 8).T
        points = np.concatenate((corners, corners[:4] * (1.0, 1.0, 0.0)))
    points = points * sizes + 0.3 * rng.normal(size=3) * sizes
    faces = np.array(((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)))
    try:
        return Mesh(points, faces).convex_hull() if len(points) < 5 else _around(points)
    except ArgumentError:  # as good as flat: only triangles are left of it
        return Mesh(points, faces)


def _around(points: np.ndarray) -> Mesh:
    count = len(points) - len(points) % 3
    return Mesh(points, np.arange(count).reshape(-1, 3)).convex_hull()


def _grid(points: np.ndarray, *, closed: bool) -> Mesh:
    """Return the triangles of a grid (m, n, 3), joined at its sides if it is closed."""
    m, n = points.shape[:2]
    number = np.arange(m * n).reshape(m, n)
    right, up = np.roll(number, -1, 0), np.roll(number, -1, 1)
    both = np.roll(right, -1, 1)
    quads = np.stack((number, right, both, up), axis=-1)
    quads = (quads if closed else quads[:-1, :-1]).reshape(-1, 4)
    faces = np.concatenate((quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]))
    return Mesh(points.reshape(-1, 3), faces)


def _ring(rng: np.random.Generator, sizes: np.ndarray) -> Mesh:
    """Return an uneven torus, which is solid."""
    m, n = int(rng.integers(5, 16)), int(rng.integers(4, 9))
    u = np.linspace(0.0, 2.0 * np.pi, m, endpoint=False)[:, None]
    v = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)[None, :]
    tube = rng.uniform(0.1, 0.45) * (1.0 + rng.uniform(-0.3, 0.3, (m, n)))
    across = 1.0 + tube * np.cos(v)
    points = np.stack(
        (across * np.cos(u), across * np.sin(u), tube * np.sin(v)), axis=-1
    )
    return _grid(points * sizes, closed=True)


def _sheet(rng: np.random.Generator, sizes: np.ndarray) -> Mesh:
    m, n = rng.integers(2, 10, 2).tolist()
    x, y = np.meshgrid(np.linspace(-1, 1, m), np.linspace(-1, 1, n), indexing="ij")
    z = rng.uniform(-1, 1, (m, n)) if rng.random() < 0.7 else np.zeros((m, n))
    return _grid(np.stack((x, y, z), axis=-1) * sizes, closed=False)


def _soup(rng: np.random.Generator, sizes: np.ndarray) -> Mesh:
    n = int(rng.integers(1, 40))
    points = rng.uniform(-1, 1, (n, 1, 3)) + 0.4 * rng.normal(size=(n, 3, 3))
    return Mesh(
        points.reshape(-1, 3) * sizes, np.arange(3 * n, dtype=np.int32).reshape(-1, 3)
    )


def scaled(solid: Solid, factor: float) -> Solid:
    """Return a solid that is so many times as large."""
    match solid:
        case Mesh():
            return Mesh(solid.vertices * factor, solid.faces)
        case Sphere():
            return Sphere(solid.radius * factor)
        case Box():
            return Box(tuple(half * factor for half in solid.half_extents))
        case Cone():
            return Cone(solid.radius * factor, solid.height * factor)
        case _:
            return replace(
                solid, radius=solid.radius * factor, height=solid.height * factor
            )


def reach(solid: Solid) -> float:
    """Return the radius of a ball around the origin that holds a solid."""
    match solid:
        case Mesh():
            return float(np.linalg.norm(solid.vertices, axis=1).max())
        case Sphere():
            return solid.radius
        case Box():
            return float(np.linalg.norm(solid.half_extents))
        case Capsule():
            return solid.radius + 0.5 * solid.height
        case _:
            return float(np.hypot(solid.radius, 0.5 * solid.height))


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a rotation (3, 3), often by right angles, sometimes nearly so."""
    choice = rng.random()
    if choice < 0.25:
        turn = np.eye(3)[rng.permutation(3)] * rng.choice((-1.0, 1.0), (3, 1))
        turn[0] *= np.linalg.det(turn)
        return turn
    quat = rng.normal(size=4)
    if choice < 0.35:
        quat = np.array((1.0, *(10.0 ** rng.uniform(-10, -3) * rng.normal(size=3))))
    return matrix_from_quat(quat / np.linalg.norm(quat))[:3, :3]


def random_poses(
    rng: np.random.Generator, one: Solid, other: Solid, regime: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return poses (4, 4) of two solids."""
    first, second = np.eye(4), np.eye(4)
    first[:3, :3] = random_rotation(rng)
    second[:3, :3] = (
        first[:3, :3] if rng.random() < 0.15 else random_rotation(rng)
    )  # fmt: skip
    away = rng.normal(size=3)
    if rng.random() < 0.3:
        away = np.eye(3)[rng.integers(3)]
    away /= np.linalg.norm(away)
    if regime == "nested":
        place = rng.uniform(-0.5, 0.5) * reach(one) * away
    else:
        place = rng.uniform(0.0, 1.5) * (reach(one) + reach(other)) * away
    origin = rng.normal(size=3) * rng.choice((0.0, 1.0, 10.0))
    first[:3, 3] = origin
    second[:3, 3] = origin + place
    return first, second


def random_gap(rng: np.random.Generator) -> float:
    """Return a gap of solids that touch, or nearly so, metres."""
    return float(rng.choice(_GAPS))
