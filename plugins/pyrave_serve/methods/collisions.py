"""Collisions, distances and rays."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces import CollisionOptions
from pyrave_serve.call_objects import Desk
from pyrave_serve.methods.kinds import Points


def check_collision(
    desk: Desk,
    body: str,
    link: str | None = None,
    other: str | None = None,
    exclude: list[str] | None = None,
    contacts: bool = False,
) -> Any:
    """Return True if a body collides with others.

    Parameters
    ----------
    body
        Its name.
    link
        Of this link alone.
    other
        With this body alone; with everything else without.
    exclude
        Names of bodies that do not count.
    contacts
        Return points of contact, and all pairs instead of the first.

    Returns
    -------
    object
        ``collides`` and ``pairs``: objects with ``first`` and ``second`` (names of
        ``body``, ``link`` and ``geometry``) and ``contacts`` (``position``,
        ``normal``, ``depth``).
    """
    first = desk.part(body, link)
    second = None if other is None else desk.body(other)
    excluded = [desk.body(name) for name in exclude or ()]
    with _asking(desk, contacts):
        report = desk.env.check_collision(
            first, second, excluded_bodies=excluded, report=True
        )
    return _summary(report)


def check_self_collision(desk: Desk, body: str, contacts: bool = False) -> Any:
    """Return True if links of a body, or what it holds, collide with each other.

    Parameters
    ----------
    body
        Its name.
    contacts
        As for `check_collision`.

    Returns
    -------
    object
        As of `check_collision`.
    """
    found = desk.body(body)
    with _asking(desk, contacts):
        report = found.check_self_collision(report=True)
    return _summary(report)


def distance(desk: Desk, body: str, other: str) -> Any:
    """Return the distance of two bodies.

    Parameters
    ----------
    body, other
        Their names.

    Returns
    -------
    number
        Metres, minus the depth where they overlap; ``"inf"`` if one of them has nothing
        that collides.
    """
    return desk.env.distance(desk.body(body), desk.body(other))


def raycast(
    desk: Desk,
    origins: Points,
    directions: Points,
    max_range: float = 1e4,
    bodies: list[str] | None = None,
    exclude: list[str] | None = None,
    surfaces: str = "collision",
) -> Any:
    """Return the first hits of rays.

    Parameters
    ----------
    origins
        Where they begin, world, metres; one serves all directions.
    directions
        Of any length but 0.
    max_range
        Metres.
    bodies
        Names of those that alone can be hit.
    exclude
        Names of bodies that rays pass through.
    surfaces
        ``collision``, ``visual`` or ``all``.

    Returns
    -------
    object
        ``hit``, ``distances``, ``positions``, ``normals``, and the names ``bodies`` and
        ``links``, one for each ray, null at a miss.
    """
    rays = max(np.size(directions), np.size(origins)) // 3
    if rays > desk.limits.rays:
        raise ArgumentError(f"{rays} rays are too many, at most {desk.limits.rays}")
    hits = desk.env.raycast(
        origins,
        np.atleast_2d(directions),
        max_range=max_range,
        bodies=None if bodies is None else [desk.body(name) for name in bodies],
        exclude=[desk.body(name) for name in exclude or ()],
        surfaces=surfaces,
    )
    links = [hits.link_of(ray) for ray in range(len(hits.hit))]
    return {
        "hit": hits.hit,
        "distances": _where(hits.hit, hits.distance),
        "positions": _where(hits.hit, hits.position),
        "normals": _where(hits.hit, hits.normal),
        "bodies": [None if link is None else link.body.name for link in links],
        "links": [None if link is None else link.name for link in links],
    }


def _where(hit: Any, values: Any) -> list[Any]:
    return [value if met else None for met, value in zip(hit, values, strict=True)]


def _asking(desk: Desk, contacts: bool) -> Any:
    options = CollisionOptions.NONE
    if contacts:
        options = CollisionOptions.CONTACTS | CollisionOptions.ALL_LINK_COLLISIONS
    return desk.env.collision_checker.options(options)


def _summary(report: Any) -> dict[str, Any]:
    return {
        "collides": bool(report),
        "pairs": [
            {
                "first": _side(pair.first),
                "second": _side(pair.second),
                "contacts": [
                    {"position": c.position, "normal": c.normal, "depth": c.depth}
                    for c in pair.contacts
                ],
            }
            for pair in report.pairs
        ],
    }


def _side(side: Any) -> dict[str, str]:
    return {
        "body": side.body_name,
        "link": side.link_name,
        "geometry": side.geometry_name,
    }


METHODS = (check_collision, check_self_collision, distance, raycast)
