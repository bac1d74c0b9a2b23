"""Waypoints of trajectories that scenes hold: from their elements, and back."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyrave.environment.failures import attempted
from pyrave.errors import Problem, SceneError
from pyrave.scene import XmlElement, XmlReadable

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.scene import InterfaceDescription, Readable

CONTENT_TAGS = frozenset({"configuration", "data", "description", "readable"})
"""The tags of a ``<trajectory>`` that `TrajectoryBase.read_element` reads."""
_EXACT_DIGITS = 17

_Readables = tuple[tuple[str, "Readable"], ...]


def take_content(item: TrajectoryBase, description: InterfaceDescription) -> None:
    """Give a trajectory the waypoints of its element, if that says any.

    Raises
    ------
    SceneError
        The element contradicts itself; with the place in the scene's file.
    """
    content = [readable for _, readable in _split(description.readables)[0]]
    if not content:
        return
    own = XmlElement(
        "trajectory",
        (("type", item.interface_id),),
        children=tuple(readable.element for readable in content),
        location=description.location,
    )
    try:
        item.read_element(own)
    except SceneError as error:
        raise SceneError([_placed(one, own) for one in error.problems]) from error


def other_readables(description: InterfaceDescription) -> InterfaceDescription:
    """Return a trajectory's description without what `take_content` reads."""
    rest = _split(description.readables)[1]
    return dataclasses.replace(description, readables=rest)


def content_of(env: Environment, item: TrajectoryBase) -> _Readables:
    """Return the elements that `take_content` makes the same trajectory of."""

    def known() -> _Readables:
        from pyrave.formats.xml import XmlLimits, parse_document, to_xml_element

        if not item.spec.groups:
            return item.readables.items()
        text = item.to_xml(_EXACT_DIGITS)
        limits = XmlLimits(file_bytes=len(text.encode()), long_texts=True)
        root = parse_document(text, repr(item), limits).root
        return tuple((child.tag, XmlReadable(to_xml_element(child))) for child in root)

    return attempted(
        env,
        item,
        known,
        item.readables.items,
        what="writing its waypoints raised",
        outcome="is described without them",
    )


def _split(
    readables: _Readables,
) -> tuple[list[tuple[str, XmlReadable]], _Readables]:
    content: list[tuple[str, XmlReadable]] = []
    rest: list[tuple[str, Readable]] = []
    for key, readable in readables:
        if key.lower() in CONTENT_TAGS and isinstance(readable, XmlReadable):
            content.append((key, readable))
        else:
            rest.append((key, readable))
    return content, tuple(rest)


def _placed(problem: Problem, root: XmlElement) -> Problem:
    """Return a problem of an element as one of the file that it was read from."""
    place = root.location
    parts = (problem.element or "").split("/")
    if len(parts) > 1:
        # files may include each other: a child says which one it stands in
        tag, _, index = parts[1].rstrip("]").partition("[")
        children = [child for child in root.children if child.tag == tag]
        number = int(index or 1)
        if number <= len(children):
            place = children[number - 1].location
    return dataclasses.replace(
        problem,
        file=place.file if place else None,
        line=problem.line if place else None,
        element=None,
    )
