"""Collisions of an environment as data and as lines of text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment import Environment
    from pyrave.interfaces.collision.report import (
        CollisionPair,
        CollisionReport,
        CollisionSide,
    )

TOUCHING = 1e-6
"""Solids that overlap by less are said to touch, metres."""


def require_collisions(env: Environment) -> None:
    """Raise NotSupportedError if the collision checker never finds any."""
    from pyrave.errors import NotSupportedError

    checker = env.collision_checker
    if not checker.finds_collisions:
        raise NotSupportedError(
            f"the collision checker {checker.interface_id} never finds a collision; "
            "choose another one (`pyrave plugins` lists them)"
        )


def find_collisions(
    env: Environment, bodies: Iterable[KinBody], other: KinBody | None = None
) -> list[CollisionPair]:
    """Return the pairs of geometries that collide, with the deepest contact of each.

    Parameters
    ----------
    bodies
        Each is compared with all other bodies and with itself.
    other
        If given, they are compared with this body alone.
    """
    from pyrave.interfaces.collision.report import CollisionOptions

    options = (
        CollisionOptions.ALL_LINK_COLLISIONS
        | CollisionOptions.ALL_GEOMETRY_COLLISIONS
        | CollisionOptions.CONTACTS
    )
    found: dict[frozenset[object], CollisionPair] = {}
    done: list[KinBody] = []
    with env.collision_checker.options(options):
        for body in bodies:
            for _, report in _reports(env, body, other, done):
                for pair in report.pairs:
                    # what bodies hold is compared with others for both
                    found.setdefault(frozenset(map(_key, _sides(pair))), pair)
            done.append(body)
    return list(found.values())


def find_distances(
    env: Environment, bodies: Iterable[KinBody], other: KinBody | None = None
) -> list[dict[str, Any]]:
    """Return the smallest signed distances of bodies as data, the smallest first.

    What has nothing to be near is left out.
    """
    from pyrave.interfaces.collision.report import CollisionOptions

    found = []
    with env.collision_checker.options(CollisionOptions.DISTANCE):
        for body in bodies:
            for to, report in _reports(env, body, other):
                if report.nearest is None or not math.isfinite(report.distance):
                    continue
                one, two = report.nearest
                found.append(
                    {
                        "body": body.name,
                        "to": to,
                        "distance": report.distance,
                        "first": _side_summary(one),
                        "second": _side_summary(two),
                        "points": report.nearest_points,
                    }
                )
    return sorted(found, key=lambda one: one["distance"])


def _reports(
    env: Environment,
    body: KinBody,
    other: KinBody | None,
    without: Sequence[KinBody] = (),
) -> Iterator[tuple[str, CollisionReport]]:
    """Yield the other side of each comparison, by name, and its report."""
    report = env.check_collision(body, other, excluded_bodies=without, report=True)
    yield "others" if other is None else other.name, report
    if other is None:
        yield "itself", body.check_self_collision(report=True)


def _sides(pair: CollisionPair) -> tuple[CollisionSide, CollisionSide]:
    return pair.first, pair.second


def _key(side: CollisionSide) -> tuple[int, int, int]:
    return side.body_id, side.link_id, side.geometry_id


def depth_of(pair: CollisionPair) -> float | None:
    """Return the depth of a pair's overlap, None if the checker has none."""
    return max((contact.depth for contact in pair.contacts), default=None)


def pair_summary(pair: CollisionPair) -> dict[str, Any]:
    """Return a pair that collides as data for JSON."""
    return {
        "first": _side_summary(pair.first),
        "second": _side_summary(pair.second),
        "depth": depth_of(pair),
        "contacts": [
            {"position": one.position, "normal": one.normal, "depth": one.depth}
            for one in pair.contacts
        ],
    }


def _side_summary(side: CollisionSide) -> dict[str, Any]:
    place = None
    if side.link is not None and side.geometry is not None:
        place = [one is side.geometry for one in side.link.geometries].index(True)
    return {
        "body": side.body_name,
        "link": side.link_name,
        "geometry": side.geometry_name,
        "geometry_index": place,
    }


def side_text(side: dict[str, Any]) -> str:
    """Return the names of one side of a pair, given as data."""
    names = side["body"], side["link"], side["geometry"]
    return "/".join(name for name in names if name)


def collisions_text(pairs: Sequence[CollisionPair]) -> tuple[str, list[str]]:
    """Return a heading, and a line for each pair of names, the deepest first.

    Geometries without names share the line of their links.
    """
    from pyrave.cards import counted

    groups: dict[tuple[str, str], list[float | None]] = {}
    for pair in pairs:
        groups.setdefault((str(pair.first), str(pair.second)), []).append(
            depth_of(pair)
        )
    lines = []
    for (one, other), depths in groups.items():
        deepest = max((depth for depth in depths if depth is not None), default=None)
        many = f" ({len(depths)} pairs of geometries)" if len(depths) > 1 else ""
        text = f"{one} x {other}: {_overlap(deepest)}{many}"
        # what only touches stays in its order, whatever rounding makes of its depth
        rank = 0.0 if deepest is None or deepest < TOUCHING else deepest
        lines.append((rank, text))
    lines.sort(key=lambda line: -line[0])
    if not lines:
        return "nothing collides", []
    n_overlaps = sum(depth > 0 for depth, _ in lines)
    overlaps = f" ({counted(n_overlaps, 'overlap')})" if n_overlaps else ""
    return counted(len(lines), "collision") + overlaps, [text for _, text in lines]


def _overlap(depth: float | None) -> str:
    if depth is None:
        return "collide"
    return "touch" if depth < TOUCHING else f"{depth:.4g} m deep"
