"""Collision and visibility of links, and the geometries used for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import NoShape
from pyrave_collada.document.extras import extras_of
from pyrave_collada.document.parsed import children
from pyrave_collada.vocabulary import SELF_COLLISION, VISUAL_GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import GeometryDescription, LinkDescription
    from pyrave_collada.reading.extensions.places import Places
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.shapes.geometries import Geometries

_TYPES = {"self": SELF_COLLISION}


def adjacent_links(places: Places) -> Iterator[tuple[str, str]]:
    """Yield the pairs of links that never collide, each in alphabetical order."""
    for holder, _, part in extras_of(places.holders, "collision"):
        for pair in children(part, "ignore_link_pair"):
            first = places.link_at(pair, holder, "link0")
            second = places.link_at(pair, holder, "link1")
            if first is not None and second is not None and first != second:
                yield (first, second) if first < second else (second, first)


def with_collision(
    links: tuple[LinkDescription, ...],
    places: Places,
    geometries: Geometries | None,
    reading: ColladaReading,
) -> Iterator[LinkDescription]:
    """Yield links with their states and the geometries of their groups.

    Parameters
    ----------
    geometries
        None: geometries are not read.
    """
    enabled: dict[str, bool] = {}
    visible: dict[str, bool] = {}
    for kind in ("collision", "visible"):
        for holder, _, part in extras_of(places.holders, kind):
            for tag, states in (
                ("link_collision_state", enabled),
                ("link_visible_state", visible),
            ):
                _states(part, tag, holder, states, places, reading)
    bound = {} if geometries is None else _bound(places, geometries)
    for link in links:
        changes: dict[str, Any] = {}
        if not enabled.get(link.name, True):
            changes["enabled"] = False
        shown = link.geometries
        if not visible.get(link.name, True):
            shown = tuple(replace(one, visible=False) for one in shown)
        shown += tuple(bound.get(link.name, ()))
        if shown is not link.geometries:
            changes["geometries"] = shown
        yield replace(link, **changes) if changes else link


def _states(
    part: Any,
    tag: str,
    holder: Any,
    found: dict[str, bool],
    places: Places,
    reading: ColladaReading,
) -> None:
    """Note true or false of links; what several places say holds together."""
    for one in children(part, tag):
        name = places.link_at(one, holder)
        state = reading.values.resolved_truth(one, holder)
        if name is not None and state is not None:
            found[name] = found.get(name, True) and state


def _bound(
    places: Places, geometries: Geometries
) -> dict[str, list[GeometryDescription]]:
    """Return the geometries that ``bind_instance_geometry`` puts on links."""
    found: dict[str, list[GeometryDescription]] = {}
    for holder, _, part in extras_of(places.holders, "collision"):
        for one in children(part, "bind_instance_geometry"):
            name = places.link_at(one, holder)
            if name is None:
                continue
            kind = (one.get("type") or "environment").strip()
            group = _TYPES.get(kind, kind)
            found.setdefault(name, []).extend(
                geometry
                if group == VISUAL_GROUP and isinstance(geometry.shape, NoShape)
                else replace(geometry, group=group)
                for geometry in geometries.read(one, np.eye(4))
            )
    return found
