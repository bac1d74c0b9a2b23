"""Elements, texts and numbers of written OpenRAVE XML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lxml import etree

from pyrave.formats.openrave_xml.transforms import EYE, ZERO
from pyrave.formats.output.numbers import numbers
from pyrave.formats.output.writable import fits_xml
from pyrave.scene import Pose


class WrittenElement:
    """An element, and those of the described objects inside it by field name.

    Parameters
    ----------
    element
        The element (lxml).
    is_scene
        Whether it can hold what a scene says, and not only one object.
    reordered
        Fields whose objects the element gives in another order than described.
    """

    __slots__ = ("children", "element", "is_scene", "reordered")

    def __init__(
        self, element: Any, *, is_scene: bool = True, reordered: Iterable[str] = ()
    ) -> None:
        self.element = element
        self.children: dict[str, list[WrittenElement | None]] = {}
        self.is_scene = is_scene
        self.reordered = frozenset(reordered)

    def add(
        self,
        name: str,
        node: WrittenElement | None,
        parent: Any = None,
        *,
        attach: bool = True,
    ) -> None:
        """Add a described object; its element goes into `parent` or this element.

        None stands for an object that an included file gives.
        """
        self.children.setdefault(name, []).append(node)
        if attach and node is not None:
            (self.element if parent is None else parent).append(node.element)


def add(parent: Any, tag: str, text: str = "") -> Any:
    """Append a child element, with a text if XML can carry it, and return it."""
    child = etree.SubElement(parent, tag)
    if text and fits_xml(text):
        child.text = text
    return child


def set_attributes(element: Any, **attributes: str) -> None:
    """Set the attributes that are not empty and that XML can carry."""
    for name, value in attributes.items():
        if value and fits_xml(value):
            element.set(name, value)


def add_pose(element: Any, pose: Pose) -> None:
    """Append the transform tags of a pose, none for the identity."""
    if pose.rotation != EYE:
        add(element, "rotationmat", numbers(pose.rotation))
    if pose.translation != ZERO:
        add(element, "translation", numbers(pose.translation))
