"""Rays as collision queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.collision.report import (
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    Contact,
)
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment


def check_ray(
    env: Environment,
    origin: ArrayLike,
    direction: ArrayLike,
    target: KinBody | Link | None = None,
    report: CollisionReport | None = None,
    options: CollisionOptions = CollisionOptions.NONE,
) -> bool:
    """Check a ray against the enabled geometries of an environment.

    Parameters
    ----------
    origin
        (3,) world, metres.
    direction
        (3,) world; its length is the range, metres.
    target
        What alone can be hit; None is everything.
    report
        Gets the nearest hit, with `CollisionOptions.RAY_ANY_HIT` any: what was hit is
        the first of the pair, the contact's normal is turned towards the origin;
        `min_distance` and minus the contact's depth are the distance along the ray.

    Raises
    ------
    ArgumentError
        The direction has no length, or something is not finite.
    """
    start = as_vector(origin, 3, "origin")
    ray = as_vector(direction, 3, "direction")
    length = float(np.sqrt(ray @ ray))
    if report is not None:
        report.reset()
        report.options = options
    if not length > 0:
        raise ArgumentError("direction is zero: its length is the ray's range")
    hits = env.raycast(
        start[None],
        ray[None],
        max_range=length,
        bodies=None if target is None else (target,),
        any_hit=report is None or CollisionOptions.RAY_ANY_HIT in options,
        fields=() if report is None else ("instance", "position", "normal"),
    )
    if not bool(hits.hit[0]):
        return False
    if report is not None:
        geometry = env.ray_world.geometry_of(int(hits.instance[0]))
        distance = float(hits.distance[0])
        contact = Contact(hits.position[0].copy(), hits.normal[0].copy(), -distance)
        hit = CollisionSide.of_geometry(geometry)
        report.pairs.append(CollisionPair(hit, contacts=(contact,)))
        report.min_distance = min(report.min_distance, distance)
    return True
