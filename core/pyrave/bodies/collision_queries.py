"""Queries of a body to its collision checker: adjacent pairs, distances."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import kinematics
from pyrave.interfaces.collision.report import (
    CollisionOptions,
    CollisionReport,
    CollisionSide,
)

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.kinematics import Model
    from pyrave.spatial import Indices

CollisionFilter = Callable[[CollisionSide, CollisionSide], bool]
"""Function of the two sides of a pair that collides; returns whether it counts."""

# of a model: shapes of its links, checker, and the pairs that do not touch at zero
_free_pairs: weakref.WeakKeyDictionary[Model, tuple[tuple[Any, ...], str, Indices]] = (
    weakref.WeakKeyDictionary()
)


def checked_pairs(body: KinBody) -> Indices:
    """Return the (k, 2) link indices of the pairs that self collision queries check.

    All pairs that are not adjacent, without those that touch in the zero configuration,
    as the collision checker says. Each pair i < j once, sorted; read-only.
    """
    model = body.model
    pairs = model.non_adjacent_links
    if body.id < 0 or not len(pairs):
        return pairs
    checker = body.env.collision_checker
    if not checker.finds_collisions:
        return pairs
    shapes = tuple(link.geometries for link in body.description.links)
    group = checker.get_geometry_group()
    name = f"{checker.plugin}:{checker.interface_id}:{group}"
    known = _free_pairs.get(model)
    if known is not None and known[1] == name and _same(known[0], shapes):
        return known[2]
    zero = kinematics.link_transforms(
        model, np.eye(4), np.zeros(body.dof), passive=None
    )
    free: Indices = pairs[~checker.links_touch(body, zero, pairs)]
    free.flags.writeable = False
    _free_pairs[model] = shapes, name, free
    return free


def distance_between(
    checker: CollisionCheckerBase, first: KinBody | Link, second: KinBody | Link | None
) -> float:
    """Return the signed distance of two bodies or links, infinite without solids."""
    report = CollisionReport()
    options = checker.get_collision_options() | CollisionOptions.DISTANCE
    with checker.options(options):
        checker.check_collision(first, second, report=report)
    return report.distance


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b for a, b in zip(one, other, strict=True)
    )
