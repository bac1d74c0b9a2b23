"""Contact areas of a body that touch a ground."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from pyrave.bodies import ContactArea, KinBody
from pyrave.errors import ArgumentError
from pyrave.scene import Box, Cylinder, Sphere
from pyrave.spatial import Array, transform_points
from pyrave_stability.arguments import several
from pyrave_stability.ground import Ground, frame_along, grounds_of
from pyrave_stability.region import hull_of

CIRCLE_CORNERS = 32
"""Corners of the polygon in the round cap of a cylinder.

It lies inside the circle, and lacks at most ``1 - cos(pi / 32)``, 0.5 %, of the radius.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """A contact area on a ground, in the configuration of the moment.

    Parameters
    ----------
    points
        (n, 3) corners of the part that touches, in the world, counter-clockwise seen
        from above the ground: one for a sphere, two for the side of a cylinder.
    """

    area: ContactArea
    ground: Ground
    points: Array

    @property
    def max_normal_force(self) -> float:
        """Largest force along the normal over all points together, newtons."""
        return self.area.max_normal_force


def carried(bodies: KinBody | Iterable[KinBody]) -> tuple[KinBody, ...]:
    """Return bodies and all that they hold, and what that holds, each once."""
    waiting = list(several(bodies, KinBody))
    found: dict[int, KinBody] = {}
    while waiting:
        body = waiting.pop(0)
        if id(body) not in found:
            found[id(body)] = body
            waiting += body.grabbed
    if not found:
        raise ArgumentError("expected at least one body, got none")
    return tuple(found.values())


def touching(
    bodies: KinBody | Iterable[KinBody], grounds: Ground | Iterable[Ground]
) -> tuple[Touch, ...]:
    """Return the contact areas that touch grounds, of bodies and what they hold.

    An area touches where its outward normal is opposite to that of the ground (within
    `Ground.angle`) and its surface is in the plane (within `Ground.distance`). Of flat
    faces these are the corners near enough to the plane: exact for boxes and meshes,
    while the cap of a cylinder is a polygon of `CIRCLE_CORNERS` corners inside it.

    Raises
    ------
    SceneError, ResourceError
        The mesh of an area cannot be read.
    """
    known = grounds_of(grounds)
    return tuple(
        Touch(area, ground, points)
        for body in carried(bodies)
        for link in body.links
        for area in link.contacts
        for ground in known
        if len(points := _points(area, ground))
    )


def _points(area: ContactArea, ground: Ground) -> Array:
    """Return the corners (n, 3) of what of an area touches."""
    pose = area.world_transform
    down = -(pose[:3, :3].T @ ground.normal)
    faces = [transform_points(pose, face) for face in _faces(area, down, ground.angle)]
    points = np.concatenate([np.zeros((0, 3)), *faces])
    points = points[np.abs(ground.height(points)) <= ground.distance]
    if len(points) < 2:
        return points
    return points[hull_of(points @ frame_along(ground.normal).T)]


def _faces(area: ContactArea, down: Array, angle: float) -> Iterator[Array]:
    """Yield corners (n, 3), in the area's frame, of what looks down."""
    shape = area.description.shape
    aligned = math.cos(angle)
    if isinstance(shape, Sphere):
        yield shape.radius * down[None]
    elif isinstance(shape, Box):
        half = np.array(shape.half_extents)
        axis = int(np.argmax(np.abs(down)))
        if abs(down[axis]) >= aligned:
            signs = np.array([(s, t) for s in (-1.0, 1.0) for t in (-1.0, 1.0)])
            corners = np.empty((4, 3))
            corners[:, axis] = math.copysign(1.0, down[axis])
            corners[:, [k for k in range(3) if k != axis]] = signs
            yield corners * half
    elif isinstance(shape, Cylinder):
        end = 0.5 * shape.height
        if abs(down[2]) >= aligned:
            turns = np.arange(CIRCLE_CORNERS) * (2 * math.pi / CIRCLE_CORNERS)
            ring = np.full((CIRCLE_CORNERS, 3), math.copysign(end, down[2]))
            ring[:, 0] = shape.radius * np.cos(turns)
            ring[:, 1] = shape.radius * np.sin(turns)
            yield ring
        elif abs(down[2]) <= math.sin(angle):
            x, y = shape.radius * down[:2] / np.linalg.norm(down[:2])
            yield np.array(((x, y, -end), (x, y, end)))
    else:
        mesh = area.mesh
        looks = mesh.face_normals @ down >= aligned
        yield mesh.vertices[np.unique(mesh.faces[looks])]
