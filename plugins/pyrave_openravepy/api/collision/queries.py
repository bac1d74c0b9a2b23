"""Collision queries in all forms that OpenRAVE's `CheckCollision` takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import pyrave
from pyrave_openravepy.api.collision.report import CollisionReport
from pyrave_openravepy.api.collision.touches import drop_touches, may_only_touch
from pyrave_openravepy.api.foundation.objects import as_native

__all__ = ["check_collision", "check_rays", "check_self_collision"]

_ALL = pyrave.CollisionOptions.ALL_LINK_COLLISIONS
_FORMS = (
    "a body or link alone, two of them, a ray with or without a body, or a body or "
    "link with lists of excluded bodies and links; then perhaps a CollisionReport"
)
_NAMES = frozenset(
    (
        "body",
        "body1",
        "body2",
        "link",
        "link1",
        "link2",
        "ray",
        "bodyexcluded",
        "linkexcluded",
        "report",
    )
)


def check_collision(checker: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Return True if something collides, for any form of the arguments.

    Parameters
    ----------
    checker
        pyrave's checker.
    args, named
        What the caller gave.
    """
    unknown = named.keys() - _NAMES
    if unknown:
        raise TypeError(f"unexpected argument {min(unknown)!r}")
    report = named.pop("report", None)
    given = [*args, *(named[name] for name in _ordered(named))]
    reports = [one for one in given if isinstance(one, CollisionReport)]
    given = [one for one in given if not isinstance(one, CollisionReport)]
    report = next(iter(reports), report)
    if report is not None and not isinstance(report, CollisionReport):
        raise TypeError(f"report is {report!r}, expected a CollisionReport or None")
    # a None in the place of a report, as scripts write it
    while given and given[-1] is None:
        given.pop()
    if not given:
        raise TypeError(f"nothing is given, expected {_FORMS}")
    first, *others = given
    if _is_ray(first):
        return _check_ray(checker, first, others, report)
    if isinstance(first, Iterable):
        raise TypeError(f"the first argument is {first!r}, expected {_FORMS}")
    excluded = [one for one in others if isinstance(one, (list, tuple))]
    rest = [one for one in others if not isinstance(one, (list, tuple))]
    if len(rest) > 1 or len(excluded) not in {0, 2} or (excluded and rest):
        raise TypeError(f"{len(given)} things are given, expected {_FORMS}")
    bodies, links = excluded or ((), ())
    keywords = {
        "excluded_bodies": [as_native(one) for one in bodies],
        "excluded_links": [as_native(one) for one in links],
    }
    subjects = [as_native(one) for one in (first, *rest)]
    return _ask(
        checker,
        lambda found: checker.check_collision(*subjects, report=found, **keywords),
        report,
    )


def check_self_collision(
    checker: Any, subject: Any, report: Any = None, *, alone: bool = False
) -> bool:
    """Return True if links of a body collide with each other, or one with the others.

    Parameters
    ----------
    checker
        pyrave's checker.
    subject
        A body or link of the API.
    report
        A `CollisionReport` that is filled.
    alone
        Leave out what the body holds.
    """
    ask = (
        checker.check_standalone_self_collision
        if alone
        else checker.check_self_collision
    )
    native = as_native(subject)
    return _ask(checker, lambda found: ask(native, found), report)


def _ordered(named: dict[str, Any]) -> list[str]:
    # of two bodies the first one comes first, excluded ones come last
    return sorted(named, key=lambda name: ("exclud" in name, "link" in name, name))


def _is_ray(given: Any) -> bool:
    return callable(getattr(given, "dir", None)) and callable(
        getattr(given, "pos", None)
    )


def _ask(
    checker: Any, query: Callable[[pyrave.CollisionReport], Any], report: Any
) -> bool:
    """Run a query; solids that just touch do not collide, as in OpenRAVE."""
    checker.synchronise()
    found = pyrave.CollisionReport() if report is None else report._native
    before = list(found.pairs) if found.keep_previous else []
    hit = bool(query(found))
    if hit and may_only_touch(found):
        all_pairs = pyrave.CollisionReport()
        options = checker.get_collision_options()
        try:
            with checker.options(options | _ALL):
                query(all_pairs)
        except pyrave.NotSupportedError:
            all_pairs.pairs[:] = found.pairs
        hit = drop_touches(checker, all_pairs)
        if report is not None:
            wanted = all_pairs.pairs if _ALL in options else all_pairs.pairs[:1]
            found.pairs[:] = before + wanted
    return hit


def _check_ray(checker: Any, ray: Any, others: list[Any], report: Any) -> bool:
    if len(others) > 1:
        raise TypeError(f"{len(others) + 1} things are given, expected {_FORMS}")
    target = as_native(others[0]) if others else None
    found = pyrave.CollisionReport() if report is None else report._native
    checker.synchronise()
    direction = np.asarray(ray.dir(), float)
    if not direction.any():
        return False
    options = checker.get_collision_options()
    # OpenRAVE's rays always tell where they hit
    with checker.options(options | pyrave.CollisionOptions.CONTACTS):
        return bool(checker.check_ray(ray.pos(), direction, target, found))


def check_rays(
    env: pyrave.Environment, rays: Any, body: Any, *, front_facing_only: bool
) -> tuple[Any, Any]:
    """Return masks of rays that hit (n,), and positions and normals (n, 6).

    Parameters
    ----------
    env
        pyrave's environment.
    rays
        (n, 6) origins and directions, as long as the rays are.
    body
        What alone can be hit, of the API; None: everything.
    front_facing_only
        Leave out surfaces that are met from behind.
    """
    rows = np.array(rays, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 6:
        raise pyrave.ArgumentError(
            f"rays have shape {rows.shape}, expected (n, 6): origins and directions"
        )
    hits, places = np.zeros(len(rows), bool), np.zeros((len(rows), 6))
    lengths = np.linalg.norm(rows[:, 3:], axis=1)
    cast = np.flatnonzero(lengths > 0.0)
    if not len(cast):
        return hits, places
    target = None if body is None else as_native(body)
    found = env.raycast(
        rows[cast, :3], rows[cast, 3:], max_range=lengths[cast], bodies=target,
        fields=("position", "normal"),
    )  # fmt: skip
    met = found.id >= 0
    if front_facing_only:
        met &= np.einsum("ij,ij->i", found.normal, rows[cast, 3:]) < 0.0
    hits[cast] = met
    places[cast[met], :3] = found.position[met]
    places[cast[met], 3:] = found.normal[met]
    return hits, places
