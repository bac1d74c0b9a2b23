"""Scenes of single solids for tests of collision checkers."""

import numpy as np
import pytest

from pyrave.errors import Error
from pyrave.geometry import Mesh
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    MeshData,
    Sphere,
    TriMesh,
)
from pyrave.spatial import matrix_from_quat

CHECKERS = ("Native", "coal")


def installed_checker(env, checker):
    """Let an environment use a checker, or skip the test if it is not installed."""
    try:
        env.collision_checker = checker
    except Error as error:
        pytest.skip(str(error).splitlines()[0])
    return env.collision_checker


def add_solid(env, name, *shapes, pose=None):
    """Add a body of one link with a geometry for each shape."""
    geometries = tuple(GeometryDescription(shape=shape) for shape in shapes)
    link = LinkDescription("base", geometries=geometries)
    body = env.create_body(BodyDescription(name, links=(link,)))
    if pose is not None:
        body.transform = pose
    return body


def at(x, y=0.0, z=0.0):
    """Return a pose without rotation."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def random_pose(rng, reach):
    """Return a pose with any rotation and a place in a cube."""
    quat = rng.normal(size=4)
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_quat(quat / np.linalg.norm(quat))
    pose[:3, 3] = rng.uniform(-reach, reach, 3)
    return pose


def random_solid(rng, kinds=(Box, Sphere, Cylinder, Capsule)):
    """Return a primitive of 0.1 to 1 m."""
    kind = kinds[rng.integers(len(kinds))]
    if kind is Box:
        return Box(tuple(rng.uniform(0.05, 0.5, 3).tolist()))
    if kind is Sphere:
        return Sphere(float(rng.uniform(0.05, 0.5)))
    return kind(*rng.uniform(0.1, 0.5, 2).tolist())


def as_shape(mesh):
    """Return a mesh as the shape of a scene."""
    vertices = tuple(map(tuple, mesh.vertices.tolist()))
    return TriMesh(MeshData(vertices, tuple(map(tuple, mesh.faces.tolist()))))


def torus(ring=1.0, tube=0.3, n=32, m=16):
    """Return a closed torus about z that is not convex."""
    u, v = np.meshgrid(
        np.arange(n) * (2 * np.pi / n), np.arange(m) * (2 * np.pi / m), indexing="ij"
    )
    reach = ring + tube * np.cos(v)
    vertices = np.stack(
        (reach * np.cos(u), reach * np.sin(u), tube * np.sin(v)), axis=-1
    ).reshape(-1, 3)
    k = np.arange(n * m).reshape(n, m)
    right, up = np.roll(k, -1, 0), np.roll(k, -1, 1)
    both = np.roll(right, -1, 1)
    quads = np.stack((k, right, both, up), axis=-1).reshape(-1, 4)
    faces = np.concatenate((quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]))
    return Mesh(vertices, faces)


def triangle_distance(point, corners):
    """Return the distance of a point to (m, 3, 3) triangles, by brute force."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    best = np.inf
    for start, end in ((a, b), (b, c), (c, a)):
        way = end - start
        along = np.einsum("ij,ij->i", point - start, way) / (way * way).sum(1)
        nearest = start + np.clip(along, 0, 1)[:, None] * way
        best = min(best, np.linalg.norm(point - nearest, axis=1).min())
    normal = np.cross(b - a, c - a)
    inside = np.ones(len(a), bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= (
            np.einsum("ij,ij->i", np.cross(end - start, point - start), normal) >= 0
        )
    if inside.any():
        height = np.einsum("ij,ij->i", point - a, normal) / np.linalg.norm(
            normal, axis=1
        )
        best = min(best, np.abs(height[inside]).min())
    return best
