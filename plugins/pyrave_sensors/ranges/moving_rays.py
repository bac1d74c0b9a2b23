"""Casting rays one after another at things that move meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_sensors.ranges.noise import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.geometry import RayHits
    from pyrave.spatial import Array
    from pyrave_sensors.tracks.pose_history import PoseHistory

# rays that touch the sphere around a link are not lost by rounding
_MORE = 1.0 + 1e-6


def cast_over_time(
    env: Environment,
    origins: Array,
    directions: Array,
    times: Array,
    moving: Sequence[tuple[Link, PoseHistory]],
    *,
    exclude: Iterable[KinBody | Link] = (),
    fields: Sequence[str] = (),
    **limits: Any,
) -> RayHits:
    """Return the first hits of rays, each at its own time.

    What rests is met as it is. A link that moves is met where it is by a ray that the
    motion of the link from the ray's time to now has carried along: to the link that
    is the same, so it is exact.

    Parameters
    ----------
    origins
        (3,) or (..., 3).
    directions
        (..., 3) unit.
    times
        (n,) of the rays in their order, microseconds.
    moving
        Links that moved, and where they were.
    exclude, fields, limits
        Of `Environment.raycast`; of the fields instances and normals are kept
        right.
    """
    if moving:
        exclude = (*exclude, *(link for link, _ in moving))
    hits = env.raycast(origins, directions, exclude=exclude, fields=fields, **limits)
    if not moving:
        return hits
    rays = directions.reshape(-1, 3)
    starts = np.ascontiguousarray(np.broadcast_to(origins, directions.shape))
    starts = starts.reshape(-1, 3)
    for link, poses in moving:
        some = _reaching(link, poses, starts, rays)
        if not len(some):
            continue
        turns, places = poses.at(times[some])
        # (k, 3, 3) from the world at the rays' times to the world now
        carried = link.pose_view[:3, :3] @ turns.transpose(0, 2, 1)
        found = env.raycast(
            _turned(carried, starts[some] - places) + link.pose_view[:3, 3],
            _turned(carried, rays[some]),
            bodies=(link,),
            fields=fields,
            **limits,
        )
        nearer = np.flatnonzero(found.distance < hits.distance.reshape(-1)[some])
        for name in ("distance", "id", *fields):
            rows = getattr(found, name)[nearer]
            if name == "normal":
                rows = _turned(carried[nearer].transpose(0, 2, 1), rows)
            whole = getattr(hits, name)
            whole.reshape(len(rays), *rows.shape[1:])[some[nearer]] = rows
    return hits


def _reaching(
    link: Link, poses: PoseHistory, origins: Array, directions: Array
) -> NDArray[np.intp]:
    """Return the rays that may meet a moving link: a bit more than do."""
    box = link.local_aabb
    if box is None:
        return np.empty(0, np.intp)
    middle, half = box
    there = np.array([pose[:3, :3] @ middle + pose[:3, 3] for _, pose in poses.items])
    center = there.mean(axis=0)
    # between two poses it strays from the straight line by less than the line's length
    stray = np.sqrt((np.diff(there, axis=0) ** 2).sum(axis=1)).max(initial=0.0)
    away = np.sqrt(((there - center) ** 2).sum(axis=1)).max()
    reach = float(np.sqrt(half @ half) + away + stray)
    near = np.empty(len(directions), np.bool_)
    kernels.jit.approach(origins, directions, center, reach * _MORE, near)
    return np.flatnonzero(near)


def _turned(turns: Array, vectors: Array) -> Array:
    return np.asarray((turns @ vectors[:, :, None])[:, :, 0])
