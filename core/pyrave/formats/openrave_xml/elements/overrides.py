"""The ``<pyrave>`` elements of OpenRAVE XML: blocks about what encloses them.

See `pyrave.formats.leftovers`. They also hold elements of interfaces that OpenRAVE does
not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.formats.xml import local_name, to_xml_element
from pyrave.scene import Readable, XmlReadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.formats.openrave_xml.read.scope import Scope

Described = TypeVar("Described")


class Overrides:
    """Contents of the ``<pyrave>`` elements of an object, until it is made."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.block: list[Any] = []

    @property
    def readables(self) -> list[tuple[str, Readable]]:
        """The readables that they hold."""
        holders = (one for one in self.block if local_name(one) == "readable")
        return [
            (one.get("key") or local_name(child), XmlReadable(to_xml_element(child)))
            for one in holders
            for child in one
        ]


def read_overrides(
    element: Any,
    scope: Scope,
    found: Overrides | None = None,
    read_element: Callable[[str, Any], bool] | None = None,
) -> Overrides:
    """Return the content of a ``<pyrave>`` element; unknown tags are reported.

    Parameters
    ----------
    found
        What another one of the same object says, which is added to.
    read_element
        Reads the element of an interface, given its tag; returns False for others.
    """
    found = Overrides(scope) if found is None else found
    for child in element:
        tag = local_name(child)
        if tag in {"set", "order"} and child.get("name"):
            scope.leaf(child, ("name",))
            found.block.append(child)
        elif tag in {"axis", "readable", "readables"}:
            found.block.append(child)
        elif tag and (read_element is None or not read_element(tag, child)):
            scope.unknown_tag(child, ("set", "order", "readable", "readables", "axis"))
    return found


def with_overrides(item: Described, overrides: Overrides | None) -> Described:
    """Return a description with what its ``<pyrave>`` elements say."""
    if overrides is None:
        return item
    from pyrave.formats.leftovers import LeftoversReader  # few files have such elements

    scope = overrides.scope
    reader = LeftoversReader(scope, scope.resource, fixed_names=True)
    return reader.apply(item, overrides.block)
