"""Friction and restitution of links: Bullet's ``<contact>``, Gazebo's ``<mu1>``.

Both are values of single links. Bullet multiplies those of two links, Gazebo's engines
take the smaller one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import mul
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.numbers import plain_float
from pyrave.scene import ContactProperties, Surface
from pyrave.scene.surfaces import MOST_SURFACES, completed, tabulated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyrave_urdf.reading.elements.gazebo import Block

    Warn = Callable[[Any, str, str], None]
    """``(element, code, message)``."""

_MOST = 1e20
_COEFFICIENTS = frozenset({"mu1", "mu2"})
_CONTACTS = etree.XPath("link/contact[not(geometry)]")


@dataclass(frozen=True, slots=True)
class LinkSurfaces:
    """Surfaces of the links of a robot.

    Parameters
    ----------
    materials, object_types
        By the names of links.
    properties
        The pairs of these.
    """

    materials: dict[str, str]
    object_types: dict[str, str]
    properties: ContactProperties


_NOTHING = LinkSurfaces({}, {}, ContactProperties())


def read_surfaces(root: Any, blocks: Iterable[Block], warn: Warn) -> LinkSurfaces:
    """Return the friction and restitution of the links of a ``<robot>``.

    What makes no sense is reported and ignored. What Bullet's element says of a link
    counts before Gazebo's.
    """
    reader = _Reader(warn)
    rubbing: dict[str, Surface] = {}
    pushing: dict[str, Surface] = {}
    bouncing: dict[str, Surface] = {}
    for name, _, parts in blocks:
        last = {tag: one for tag, one in parts if tag in _COEFFICIENTS}
        if not last:
            continue
        found = [
            value for one in last.values() if (value := reader.text(one)) is not None
        ]
        if found:
            pushing[name] = Surface(f"mu {min(found)!r}", min(found))
    if pushing:
        # the order of blocks means nothing, and is another in a written file
        links = [_name_of(one) for one in root.iterchildren("link")]
        pushing = {name: pushing[name] for name in links if name in pushing}
    contacts = _CONTACTS(root)
    if not contacts and not pushing:
        return _NOTHING
    for contact in contacts:
        name = _name_of(contact.getparent())
        friction = reader.value(contact, "lateral_friction")
        if friction is not None:
            rubbing[name] = Surface(f"lateral_friction {friction!r}", friction)
            pushing.pop(name, None)
        bounce = reader.value(contact, "restitution", 1.0)
        if bounce is not None:
            bouncing[name] = Surface(f"restitution {bounce!r}", restitution=bounce)
    several = [
        tuple(dict.fromkeys(one.values())) for one in (rubbing, pushing, bouncing)
    ]
    for one in several:
        if len(one) > MOST_SURFACES:
            warn(
                root,
                "too-many-materials",
                f"links have {len(one)} different coefficients; the first "
                f"{MOST_SURFACES} count, the others are what engines have by default",
            )
    bullet, gazebo = tabulated(several[0], mul), tabulated(several[1], min)
    together = ContactProperties(
        (*bullet.materials, *gazebo.materials),
        friction=(*bullet.friction, *gazebo.friction),
    )
    elastic = tabulated(several[2], mul)
    return LinkSurfaces(
        {name: one.name for name, one in (rubbing | pushing).items()},
        {name: one.name for name, one in bouncing.items()},
        replace(
            completed(together, bullet, gazebo),
            object_types=elastic.object_types,
            restitution=elastic.restitution,
        ),
    )


def _name_of(link: Any) -> str:
    return (link.get("name") or "").strip()


class _Reader:
    def __init__(self, warn: Warn) -> None:
        self._warn = warn

    def text(self, element: Any) -> float | None:
        """Return the number in an element, None if there is none."""
        return self._number(element, element.get("value") or element.text)

    def value(self, holder: Any, tag: str, most: float = _MOST) -> float | None:
        """Return the ``value`` of the last element of a tag, None if there is none."""
        found = holder.findall(tag)
        return self._number(found[-1], found[-1].get("value"), most) if found else None

    def _number(
        self, element: Any, text: str | None, most: float = _MOST
    ) -> float | None:
        try:
            value = plain_float(text or "")
        except ValueError:
            value = math.nan
        if 0.0 <= value <= most:
            return value
        self._warn(
            element,
            "bad-number",
            f"<{element.tag}> is {(text or '').strip()[:40]!r}, expected a number from "
            f"0 to {most:g}; it is ignored",
        )
        return None
