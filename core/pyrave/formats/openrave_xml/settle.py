"""Adding ``<pyrave>`` elements where tags alone say something else."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyrave.errors import SceneError
from pyrave.formats.field_values import encode
from pyrave.formats.mesh_values import faces_alone
from pyrave.formats.openrave_xml.exact import is_settable
from pyrave.formats.openrave_xml.write_tags import Node, add
from pyrave.scene import Readable, SceneDescription, XmlReadable

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.writing import Writing
    from pyrave.scene import BodyDescription

_NESTED = frozenset({
    *("bodies", "interfaces", "links", "joints", "geometries", "manipulators"),
    "attached_sensors",
})  # fmt: skip


def settle(node: Node, wanted: Any, read: Any, writing: Writing) -> None:
    """Add what makes an element that is read as `read` give what is `wanted`.

    Raises
    ------
    SceneError
        If no element can say it.
    """
    changed: dict[str, Any] = {}
    orders: dict[str, list[int]] = {}
    for field in dataclasses.fields(wanted):
        name = field.name
        if not field.compare:
            continue
        mine, other = getattr(wanted, name), getattr(read, name)
        if name == "readables":
            _miss(mine, other, node, writing)
            order = _matched(mine, other) if len(mine) == len(other) else []
            if order != sorted(order) and mine == tuple(other[i] for i in order):
                orders[name] = order
        elif name == "dof_values" and mine is None and _starts_outside(wanted):
            changed[name] = mine  # else limits that a <set> gives bring them inside
        elif mine == other or _writes_itself(mine):
            continue
        elif name in _NESTED:
            order = _settle_nested(node, name, mine, other, writing)
            if order != sorted(order):
                orders[name] = order
        elif is_settable(wanted, name):
            changed[name] = mine
        else:
            raise SceneError(
                f"cannot be written: {name} {mine!r} would be read back as {other!r}"
            )
    if not changed and not orders:
        return
    if not node.is_scene and isinstance(wanted, SceneDescription):
        raise SceneError(
            f"cannot be written: a {wanted.root} file holds no {', '.join(changed)}"
        )
    element = node.element.find("pyrave")
    element = add(node.element, "pyrave") if element is None else element
    for name, value in changed.items():
        data = faces_alone(value, getattr(read, name)) if name == "shape" else None
        text = json.dumps(data or encode(value, writing.names))
        add(element, "set", text).set("name", name)
    for name, order in orders.items():
        add(element, "order", " ".join(map(str, order))).set("name", name)


def _starts_outside(body: BodyDescription) -> bool:
    """Return whether a degree of freedom starts outside its limits."""
    return any(
        not axis.circular and not axis.lower <= axis.initial <= axis.upper
        for joint in body.joints
        if joint.active
        for axis in joint.axes
    )


def _settle_nested(
    node: Node, name: str, mine: Sequence[Any], other: Sequence[Any], writing: Writing
) -> list[int]:
    """Settle objects one by one; return where each wanted one stands as read."""
    children = node.children.get(name, [])
    if len(mine) != len(other):
        raise SceneError(
            f"cannot be written: {len(other)} of {len(mine)} {name} would be read back"
        )
    order = list(range(len(mine)))
    if name in node.reordered:
        order = _matched(mine, other)
    children = children or [None] * len(mine)
    for child, index, one in zip(children, order, mine, strict=True):
        if child is not None:
            settle(child, one, other[index], writing)
    return order


def _matched(mine: Sequence[Any], other: Sequence[Any]) -> list[int]:
    """Return for each object where it stands among the others, equal ones first."""
    free = list(range(len(other)))
    found: list[int | None] = []
    for item in mine:
        equal = next((index for index in free if other[index] == item), None)
        if equal is not None:
            free.remove(equal)
        found.append(equal)
    rest = iter(free)
    return [next(rest) if index is None else index for index in found]


def _miss(
    mine: Sequence[tuple[str, Readable]],
    other: Sequence[tuple[str, Readable]],
    node: Node,
    writing: Writing,
) -> None:
    """Tell of readables whose elements are taken for tags of the format."""
    if len(mine) <= len(other):
        return
    kept = {key.lower() for key, _ in other}
    for key, readable in mine:
        xml = readable.to_xml()
        is_own = xml is not None and xml.tag.lower() != node.element.tag
        said = is_own and id(readable) not in writing.left_out
        if said and key.lower() not in kept:
            message = f"the readable {key!r} is read back as a tag of the format"
            writing.lose(readable, message)


def _writes_itself(value: Any) -> bool:
    """Return whether a value is data of a plugin, which only its reader can read."""
    return isinstance(value, Readable) and not isinstance(value, XmlReadable)
