"""Triangle meshes of many kinds, as the collision kernels and coal take them."""

from itertools import combinations

import numpy as np
import pytest
from convex_solids import coal_distance, coal_module

from pyrave.geometry import Mesh
from pyrave.geometry.kernels.primitives import SPHERE
from pyrave.jit import KernelModule
from pyrave.jit.compiler import whole
from pyrave_collision.meshes import SolidMeshes, mesh_scratch

_MESHES = "pyrave_collision.kernels.meshes."
MESH_CONVEX = KernelModule(_MESHES + "mesh_convex")
MESH_MESH = KernelModule(_MESHES + "mesh_mesh")
MESH_CONVEX_CONTACTS = KernelModule(
    "pyrave_collision.kernels.meshes.mesh_convex_contacts"
)
MESH_MESH_CONTACTS = KernelModule(_MESHES + "mesh_mesh_contacts")
MESH_CONVEX_DISTANCE = KernelModule(
    "pyrave_collision.kernels.meshes.mesh_convex_distance"
)
MESH_MESH_DISTANCE = KernelModule(_MESHES + "mesh_mesh_distance")
MESH_PLANE_CONTACTS = KernelModule(
    "pyrave_collision.kernels.meshes.mesh_plane_contacts"
)
MESH_PLANE = KernelModule(_MESHES + "mesh_plane")
NO_HULLS = np.empty((0, 3)), np.zeros(1, np.int32), np.zeros(1, np.int32)


class Meshes:
    """Several meshes, and questions about them."""

    def __init__(self, *meshes, compiled=True):
        self.meshes = meshes
        self.solids = SolidMeshes.from_meshes(meshes)
        self.scratch = mesh_scratch()
        self._compiled = compiled

    def _call(self, module, name, *arguments):
        if self._compiled:
            kernel = whole(module.key, name)
        else:
            kernel = getattr(module.python, name)
        with np.errstate(all="ignore"):  # as compiled code is
            return kernel(self.solids.arrays, *arguments, self.scratch)

    def overlap(self, a, pose_a, b, pose_b, margin=0.0):
        return self._call(MESH_MESH, "meshes_overlap", a, pose_a, b, pose_b, margin)

    def overlaps_solid(self, a, pose_a, solids, i, pose_i, margin=0.0):
        return self._call(
            MESH_CONVEX, "mesh_convex_overlap",
            a, pose_a, solids.rows[i], pose_i, *solids.hulls, margin,
        )  # fmt: skip

    def distance(self, a, pose_a, b, pose_b, most=np.inf, enough=0.0):
        return self._near(
            MESH_MESH_DISTANCE, "meshes_distance",
            a, pose_a, b, pose_b, most, enough,
        )  # fmt: skip

    def distance_to_solid(self, a, pose_a, solids, i, pose_i, most=np.inf, enough=0.0):
        return self._near(
            MESH_CONVEX_DISTANCE, "mesh_convex_distance",
            a, pose_a, solids.rows[i], pose_i, *solids.hulls, most, enough,
        )  # fmt: skip

    def distance_to_plane(self, a, pose_a, pose_plane, most=np.inf, enough=0.0):
        return self._near(
            MESH_PLANE, "mesh_plane_distance", a, pose_a, pose_plane, most, enough
        )

    def contacts(self, a, pose_a, b, pose_b, most=1000):
        """Contacts (n, 8) of two meshes."""
        rows = np.full((most, 8), np.nan)
        count = self._call(
            MESH_MESH_CONTACTS, "meshes_contacts", a, pose_a, b, pose_b, rows
        )
        return rows[:count]

    def contacts_with_solid(self, a, pose_a, solids, i, pose_i, margin=0.0, most=1000):
        """Contacts (n, 8) of a mesh and a solid."""
        rows = np.full((most, 8), np.nan)
        count = self._call(
            MESH_CONVEX_CONTACTS, "mesh_convex_contacts",
            a, pose_a, solids.rows[i], pose_i, *solids.hulls, margin, rows,
        )  # fmt: skip
        return rows[:count]

    def contact_with_plane(self, a, pose_a, pose_plane, margin=0.0):
        """Contacts (0 or 1, 8) of a mesh and a plane."""
        rows = np.full((1, 8), np.nan)
        count = self._call(
            MESH_PLANE_CONTACTS, "mesh_plane_contact",
            a, pose_a, pose_plane, margin, rows,
        )  # fmt: skip
        return rows[:count]

    def triangle(self, a, row):
        """Triangle (3, 3) of a mesh that a contact names."""
        pool = self.solids.pool
        return pool.corners[pool.begins[a, 2] + int(row)].reshape(3, 3)

    def _near(self, *arguments):
        """The distance, and the two nearest points (2, 3), nan if there are none."""
        out = np.full(9, np.nan)
        distance = self._call(*arguments, out)
        way = out[3:6] - out[:3]
        assert out[6:] * distance == pytest.approx(way, abs=1e-9, nan_ok=True)
        return distance, out[:6].reshape(2, 3)


def grid_mesh(points, wrap=(True, True)):
    """Triangles of a grid of points (m, n, 3), joined at its sides or not."""
    m, n = points.shape[:2]
    number = np.arange(m * n).reshape(m, n)
    faces = []
    for i in range(m if wrap[0] else m - 1):
        for j in range(n if wrap[1] else n - 1):
            a, b = number[i, j], number[(i + 1) % m, j]
            c, d = number[(i + 1) % m, (j + 1) % n], number[i, (j + 1) % n]
            faces += [(a, b, c), (a, c, d)]
    return Mesh(points.reshape(-1, 3), np.array(faces, np.int32))


def torus(m=24, n=12, large=0.7, small=0.25, bumps=0.0, rng=None):
    """A closed ring around z, its surface uneven by a part of its small radius."""
    u = np.linspace(0.0, 2 * np.pi, m, endpoint=False)[:, None]
    v = np.linspace(0.0, 2 * np.pi, n, endpoint=False)[None, :]
    r = small * (1.0 + (bumps * rng.uniform(-1, 1, (m, n)) if bumps else 0.0))
    r = r + np.zeros((m, n))
    across = large + r * np.cos(v)
    return grid_mesh(
        np.stack((across * np.cos(u), across * np.sin(u), r * np.sin(v)), axis=-1)
    )


def ball(m=24, n=12, radius=1.0, bumps=0.0, rng=None):
    """A closed sphere of n rings, its surface uneven by a part of its radius."""
    u = np.linspace(0.0, np.pi, n + 1)[1:-1, None]
    v = np.linspace(0.0, 2 * np.pi, m, endpoint=False)[None, :]
    r = radius * (1.0 + (bumps * rng.uniform(-1, 1, (n - 1, m)) if bumps else 0.0))
    side = np.stack(
        (r * np.sin(u) * np.cos(v), r * np.sin(u) * np.sin(v), r * np.cos(u) + 0 * v),
        axis=-1,
    ).reshape(-1, 3)
    top, bottom, last = len(side), len(side) + 1, (n - 2) * m
    faces = [
        face
        for i in range(n - 2)
        for j in range(m)
        for a, b in [(i * m + j, i * m + (j + 1) % m)]
        for face in ((a, a + m, b + m), (a, b + m, b))
    ]
    faces += [(top, j, (j + 1) % m) for j in range(m)]
    faces += [(bottom, last + (j + 1) % m, last + j) for j in range(m)]
    vertices = np.vstack((side, [[0, 0, radius], [0, 0, -radius]]))
    return Mesh(vertices, np.array(faces, np.int32))


def cube(half=1.0):
    """A closed box of twelve triangles."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]  # fmt: skip
    return Mesh(corners * np.asarray(half, float), np.array(faces, np.int32))


def sheet(m=9, n=7, bumps=0.2, rng=None):
    """An open uneven surface over the square of 1 m around the origin."""
    x, y = np.meshgrid(np.linspace(-1, 1, m), np.linspace(-1, 1, n), indexing="ij")
    z = bumps * rng.uniform(-1, 1, (m, n)) if bumps else np.zeros((m, n))
    return grid_mesh(np.stack((x, y, z), axis=-1), (False, False))


def soup(rng, n=150):
    """Triangles of all shapes at random, some of them flat, some only points."""
    triangles = rng.uniform(-1, 1, (n, 1, 3)) + rng.uniform(0.01, 0.6, (n, 1, 1)) * (
        rng.normal(size=(n, 3, 3))
    )
    triangles[::7, 2] = 0.3 * triangles[::7, 0] + 0.7 * triangles[::7, 1]
    triangles[::11, 1] = triangles[::11, 0]
    triangles[::13, 1:] = triangles[::13, :1]
    slivers = triangles[::5]
    slivers[:, 2] = slivers[:, 0] + 1e-5 * rng.normal(size=(len(slivers), 3))
    faces = np.arange(3 * n, dtype=np.int32).reshape(-1, 3)
    return Mesh(triangles.reshape(-1, 3), faces)


def surfaces(rng):
    """Meshes by name, uneven where that says something."""
    return {
        "torus": torus(bumps=0.2, rng=rng),
        "ball": ball(bumps=0.3, rng=rng),
        "sheet": sheet(rng=rng),
        "soup": soup(rng),
        "cube": cube((0.5, 0.8, 0.3)),
    }


NAMES = tuple(surfaces(np.random.default_rng(0)))


def turned_out(mesh):
    """A mesh with its triangles the other way round."""
    return Mesh(mesh.vertices, mesh.faces[:, ::-1].copy())


def moved(mesh, offset):
    """A mesh whose vertices are elsewhere in its frame."""
    return Mesh(mesh.vertices + np.asarray(offset, float), mesh.faces)


def of_coal(mesh):
    """The same surface of coal."""
    coal = coal_module()
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(np.asfortranarray(mesh.vertices))
    model.addTriangles(np.asfortranarray(mesh.faces.astype(np.int64)))
    model.endModel()
    return model


def placed(pose, points):
    """Points (n, 3) moved by a pose (12,)."""
    rows = pose.reshape(3, 4)
    return points @ rows[:, :3].T + rows[:, 3]


def distance_of_hulls(p, q):
    """Distances of the convex hulls of points (..., m, 3) and (n, 3), by enumeration.

    The least of the minima of |x|^2 over the affine hulls of all sets of up to four
    differences that have it inside.
    """
    differences = (p[..., :, None, :] - q).reshape(*p.shape[:-2], -1, 3)
    best = np.full(p.shape[:-2], np.inf)
    for size in (1, 2, 3, 4):
        for chosen in combinations(range(differences.shape[-2]), size):
            points = differences[..., chosen, :]
            first = points[..., 0, :, None]
            edges = (points[..., 1:, :] - points[..., :1, :]).swapaxes(-1, -2)
            weights = np.linalg.pinv(edges, rcond=1e-13) @ -first
            there = np.linalg.norm((first + edges @ weights)[..., 0], axis=-1)
            inside = (weights >= -1e-12).all((-1, -2))
            inside &= weights.sum((-1, -2)) <= 1 + 1e-12
            best = np.where(inside, np.minimum(best, there), best)
    return best


def gaps_of_triangles(mesh, at_mesh, solid, at_solid):
    """Signed distances of a mesh's triangles and a solid, each by coal alone.

    Those of spheres by enumeration, which are at least minus the radius.
    """
    coal = coal_module()
    if solid.kind == SPHERE:
        centre = at_solid.reshape(3, 4)[:, 3:].T
        from_centre = distance_of_hulls(placed(at_mesh, mesh.triangles()), centre)
        return from_centre - solid.sizes[0]
    twin = solid.coal
    sides = coal.StdVec_Triangle()
    sides.append(coal.Triangle(0, 1, 2))
    sides.append(coal.Triangle(0, 2, 1))
    gaps = []
    for corners in mesh.triangles():
        points = coal.StdVec_Vec3s()
        for corner in corners:
            points.append(corner)
        alone = coal.Convex(points, sides)
        gaps.append(coal_distance(alone, at_mesh, twin, at_solid)[0])
    return np.array(gaps)


def least_gap(mesh, at_mesh, solid, at_solid):
    """Least signed distance of a mesh's triangles and a solid."""
    return gaps_of_triangles(mesh, at_mesh, solid, at_solid).min()
