"""The ``<configuration>`` element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError
from pyrave.trajectories.groups import Group
from pyrave.trajectories.xml_input import (
    attribute,
    child_elements,
    parse,
    problem,
    quoted,
    tag_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_GROUP_DOF = 1_000_000
"""More values in one group are taken for a broken or hostile file."""


def write(groups: Sequence[Group]) -> str:
    """Return the element, one group a line, without a final newline."""
    lines = [
        f'<group name={quoted(group.name)} offset="{group.offset}" dof="{group.dof}" '
        f"interpolation={quoted(group.interpolation)}/>"
        for group in groups
    ]
    return "\n".join(("<configuration>", *lines, "</configuration>"))


def read(source: Any) -> tuple[Group, ...]:
    """Return the groups of text, bytes or an element."""
    element = parse(source)
    if tag_of(element) != "configuration":
        raise problem(f"<{element.tag}> found, expected <configuration>", element)
    groups = []
    for child in child_elements(element):
        if tag_of(child) != "group":
            raise problem(f"<{child.tag}> found, expected <group>", child)
        groups.append(_group(child))
    return tuple(groups)


def _group(element: Any) -> Group:
    name = attribute(element, "name")
    if not name:
        raise problem("a group has no name", element)
    offset = _count(element, "offset", name)
    dof = _count(element, "dof", name)
    try:
        return Group(name, offset, dof, attribute(element, "interpolation") or "")
    except ArgumentError as error:
        raise problem(str(error), element) from error


def _count(element: Any, key: str, name: str) -> int:
    text = attribute(element, key)
    try:
        value = int(text or "")
    except ValueError as error:
        raise problem(
            f"{key} of group {name!r} is {text!r}, expected a whole number", element
        ) from error
    if not 0 <= value <= MAX_GROUP_DOF:
        raise problem(
            f"{key} of group {name!r} is {value}, expected 0 to {MAX_GROUP_DOF}",
            element,
        )
    return value
