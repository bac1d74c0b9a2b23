"""Scenes and rays of the benchmarks of ray casts, the same for all peers."""

from __future__ import annotations

import numpy as np

from pyrave.geometry import (
    Mesh,
    RayInstance,
    capsule_mesh,
    shape_mesh,
    sphere_mesh,
)
from pyrave.scene import Box, Cylinder, Sphere
from pyrave.spatial import matrix_from_axis_angle

EYE = (5.0, 3.5, 2.5)


def terrain(side, seed=0):
    """Return a hilly square of side * side vertices."""
    rng = np.random.default_rng(seed)
    line = np.linspace(-4.0, 4.0, side)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = 0.3 * np.sin(3 * x) * np.cos(2 * y) + 0.015 * rng.normal(size=x.shape)
    index = np.arange(side * side).reshape(side, side)
    a, b = index[:-1, :-1].ravel(), index[1:, :-1].ravel()
    c, d = index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    faces = np.concatenate((np.stack((a, b, c), 1), np.stack((a, c, d), 1)))
    return Mesh(np.stack((x, y, z), axis=-1).reshape(-1, 3), faces.astype(np.int32))


def mesh_scene(triangles=100_000):
    """Return one mesh of hills with 40 round things above them."""
    rng = np.random.default_rng(1)
    parts = [terrain(int(np.sqrt(triangles * 0.2)))]
    segments = max(int(np.sqrt(triangles * 0.015)), 8)
    for k in range(40):
        part = (
            sphere_mesh(rng.uniform(0.2, 0.5), segments)
            if k % 2
            else capsule_mesh(0.2, 0.5, segments)
        )
        place = rng.uniform((-4.0, -4.0, 0.3), (4.0, 4.0, 3.0))
        parts.append(Mesh(part.vertices + place, part.faces))
    return Mesh.merge(parts)


def primitives(count=50):
    """Return boxes, spheres and cylinders as instances."""
    rng = np.random.default_rng(5)
    items = []
    for k in range(count):
        shape = (
            Box(tuple(rng.uniform(0.1, 0.4, 3))),
            Sphere(rng.uniform(0.1, 0.4)),
            Cylinder(rng.uniform(0.1, 0.3), rng.uniform(0.2, 0.8)),
        )[k % 3]
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
        pose[:3, 3] = rng.uniform((-4.0, -4.0, 0.0), (4.0, 4.0, 2.0))
        items.append(RayInstance(shape, pose, k))
    return items


def triangles_of(items):
    """Return the triangles (n, 3, 3) of instances in the world."""
    parts = []
    for item in items:
        mesh = item.solid if isinstance(item.solid, Mesh) else shape_mesh(item.solid)
        pose = np.asarray(item.T_world)
        parts.append(mesh.triangles() @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(parts)


def laser(beams=1081):
    """Return origin and directions of a scan of 270 degrees."""
    angle = np.deg2rad(np.linspace(-135.0, 135.0, beams))
    directions = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    return np.array((0.1, 0.2, 1.0)), directions


def camera(width=640, height=480):
    """Return origin and directions (height, width, 3) of an image of 60 degrees."""
    focal = 0.5 * height / np.tan(np.deg2rad(30.0))
    ahead = np.array((-0.8, -0.5, -0.25))
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    x = (np.arange(width) + 0.5 - 0.5 * width) / focal
    y = (np.arange(height) + 0.5 - 0.5 * height) / focal
    directions = x[None, :, None] * right + y[:, None, None] * down + ahead
    directions /= np.linalg.norm(directions, axis=-1)[..., None]
    return np.array(EYE), directions


def random_rays(count=100_000, seed=3):
    """Return origins and directions that have nothing in common."""
    rng = np.random.default_rng(seed)
    origins = rng.uniform((-4.0, -4.0, 0.3), (4.0, 4.0, 3.0), size=(count, 3))
    directions = rng.normal(size=(count, 3))
    return origins, directions / np.linalg.norm(directions, axis=1)[:, None]


BUNDLES = {"laser": laser, "camera": camera, "random": random_rays}
