"""Random convex solids, as rows for the collision kernels and as solids of coal."""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest

from pyrave.geometry import Mesh
from pyrave.geometry.convexhull import hull_faces
from pyrave.geometry.kernels import primitives as kinds
from pyrave.geometry.kernels.primitives import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    MESH,
    SPHERE,
)
from pyrave.jit import KernelModule
from pyrave_collision.convexity import HullPool, convex_parts

SHAPES = KernelModule("pyrave_collision.kernels.shapes").python
DISTANCES = KernelModule("pyrave_collision.kernels.convex.distances")
PAIRINGS = list(
    product(("box", "sphere", "cylinder", "capsule", "cone", "hull"), repeat=2)
)
KINDS = {
    "box": BOX,
    "sphere": SPHERE,
    "cylinder": CYLINDER,
    "capsule": CAPSULE,
    "cone": CONE,
    "hull": MESH,
}
PAIRINGS = list(product(KINDS, repeat=2))


@cache
def coal_module():
    """The module coal; tests of what lacks it are skipped."""
    return pytest.importorskip("coal")


@dataclass(frozen=True)
class Solid:
    """One solid: kind, (3,) sizes, (3,) centre, and the mesh of a hull."""

    kind: int
    sizes: np.ndarray
    centre: np.ndarray
    mesh: Mesh | None = None

    def scaled(self, factor):
        mesh = None if self.mesh is None else self.mesh.scaled(factor)
        return Solid(self.kind, factor * self.sizes, factor * self.centre, mesh)

    @property
    def coal(self):
        """The same solid of coal."""
        coal = coal_module()
        x, y, z = map(float, self.sizes)
        if self.kind == BOX:
            return coal.Box(2 * x, 2 * y, 2 * z)
        if self.kind == SPHERE:
            return coal.Sphere(x)
        if self.kind == CYLINDER:
            return coal.Cylinder(x, 2 * y)
        if self.kind == CAPSULE:
            return coal.Capsule(x, 2 * y)
        if self.kind == CONE and y == 0.0:
            return coal.Cone(x, 2 * z)
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in self.mesh.vertices:
            points.append(point)
        for face in self.mesh.faces:
            triangles.append(coal.Triangle(*map(int, face)))
        return coal.Convex(points, triangles)


def seed_of(one, other):
    """A seed for each pairing."""
    return PAIRINGS.index((one, other))


class Solids:
    """Several solids as the kernels take them."""

    def __init__(self, solids):
        self.solids = list(solids)
        hulls = [convex_parts(s.mesh) for s in self.solids if s.mesh is not None]
        self.pool = HullPool.from_hulls(hulls)
        self.rows = np.zeros((len(self.solids), SHAPES.SHAPE))
        ranges = iter(self.pool.ranges)
        for solid, row in zip(self.solids, self.rows, strict=True):
            begin, end = (0, 0) if solid.mesh is None else next(ranges)
            SHAPES.write_shape(
                solid.kind, solid.sizes, solid.centre,
                self.pool.vertices, begin, end, row,
            )  # fmt: skip

    @property
    def hulls(self):
        return self.pool.vertices, self.pool.starts, self.pool.neighbours


def hull_of(points):
    """The convex mesh of points."""
    points = np.asarray(points, float)
    faces = hull_faces(points)
    used, index = np.unique(faces, return_inverse=True)
    mesh = Mesh(points[used], index.reshape(-1, 3).astype(np.int32))
    return Solid(MESH, mesh.aabb[1], mesh.aabb[0], mesh)


def random_solid(rng, kind, n_vertices=None):
    """A solid of about 1 m; hulls are off their frame's origin."""
    x, y, z = rng.uniform(0.1, 1.0, 3)
    if kind == MESH:
        n = n_vertices or int(rng.integers(4, 80))
        points = rng.normal(size=(n, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        return hull_of(points * (x, y, z) + 0.3 * rng.normal(size=3))
    sizes = {
        BOX: (x, y, z),
        SPHERE: (x, 0, 0),
        CYLINDER: (x, y, 0),
        CAPSULE: (x, y, 0),
        CONE: (x, 0, z),
    }[kind]
    return Solid(kind, np.array(sizes, float), np.zeros(3))


def stacked(kind, size):
    """A solid that is 2 `size` high, its top and bottom flat or round."""
    sizes = {
        "box": (size, 0.7 * size, size),
        "sphere": (size, 0, 0),
        "cylinder": (0.6 * size, size, 0),
        "capsule": (0.4 * size, 0.6 * size, 0),
        "cone": (0.5 * size, 0.3 * size, size),
    }
    if kind == "hull":
        corners = np.array(list(product((-1, 1), (-1, 1), (-1, 1)))) * (1.2, 0.4, 1.0)
        return hull_of(size * corners)
    return Solid(KINDS[kind], np.array(sizes[kind], float), np.zeros(3))


def rotation(rng):
    """A random rotation (3, 3)."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def pose(position, turn=None):
    """A pose (12,) as the kernels take it."""
    out = np.eye(4)
    out[:3, 3] = position
    if turn is not None:
        out[:3, :3] = turn
    return out.reshape(-1)[:12].copy()


def apart(rng, nearest=0.3, furthest=1.8):
    """Two random poses, so far apart that about half of all pairs overlap."""
    there = rng.uniform(-1.0, 1.0, 3)
    way = rng.normal(size=3)
    way *= rng.uniform(nearest, furthest) / np.linalg.norm(way)
    return pose(there, rotation(rng)), pose(there + way, rotation(rng))


def transform(pose):
    """A pose of coal."""
    coal = coal_module()
    rows = pose.reshape(3, 4)
    return coal.Transform3s(rows[:, :3], rows[:, 3])


def coal_distance(a, pose_a, b, pose_b):
    """Signed distance and the result of coal, with tight tolerances."""
    coal = coal_module()
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 512
    result = coal.DistanceResult()
    at_a, at_b = transform(pose_a), transform(pose_b)
    return coal.distance(a, at_a, b, at_b, request, result), result


def furthest(solid, pose, way):
    """How far a solid reaches along a unit direction, by its definition."""
    rows = pose.reshape(3, 4)
    d = rows[:, :3].T @ way
    x, y, z = solid.sizes
    across = np.hypot(d[0], d[1])
    match solid.kind:
        case kinds.BOX:
            local = np.abs(d) @ solid.sizes
        case kinds.SPHERE:
            local = x
        case kinds.CYLINDER:
            local = x * across + y * abs(d[2])
        case kinds.CAPSULE:
            local = x + y * abs(d[2])
        case kinds.CONE:
            local = max(x * across - z * d[2], y * across + z * d[2])
        case kinds.MESH:
            local = (solid.mesh.vertices @ d).max()
    return local + rows[:, 3] @ way


def outside_by(solid, pose, point):
    """How far a point is outside of a solid at most; 0 if it is inside."""
    rows = pose.reshape(3, 4)
    p = rows[:, :3].T @ (point - rows[:, 3])
    x, y, z = solid.sizes
    r = np.hypot(p[0], p[1])
    match solid.kind:
        case kinds.BOX:
            excess = (np.abs(p) - solid.sizes).max()
        case kinds.SPHERE:
            excess = np.linalg.norm(p) - x
        case kinds.CYLINDER:
            excess = max(r - x, abs(p[2]) - y)
        case kinds.CAPSULE:
            excess = np.linalg.norm(p - (0, 0, np.clip(p[2], -y, y))) - x
        case kinds.CONE:
            excess = max(r - x + (x - y) * (p[2] + z) / (2 * z), abs(p[2]) - z)
        case kinds.MESH:
            first = solid.mesh.triangles()[:, 0]
            normals = solid.mesh.face_normals
            excess = np.einsum("ij,ij->i", p - first, normals).max()
    return max(excess, 0.0)


def convex_distance(solids, i, pose_a, j, pose_b, limit=np.inf, kernels=None):
    """Signed distance, the two points and the normal."""
    scratch = np.full(DISTANCES.python.DISTANCE_SCRATCH, np.nan)
    out = np.full(DISTANCES.python.NEAREST, np.nan)
    function = (kernels or DISTANCES.jit).convex_distance
    found = function(
        solids.rows[i], pose_a, solids.rows[j], pose_b, *solids.hulls, limit, scratch,
        out,
    )  # fmt: skip
    return found, out[:3], out[3:6], out[6:]
