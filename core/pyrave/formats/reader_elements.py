"""Elements as custom readers get them: read-only copies with names in lower case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any, NoReturn

from lxml import etree

from pyrave.formats.xml import local_name

_Plain: Any = etree.ElementBase
_CHANGES = (
    "__delitem__ __setitem__ addnext addprevious append clear extend insert remove "
    "replace set"
)


def _refuse(*_arguments: Any, **_more: Any) -> NoReturn:
    raise TypeError(
        "this element is read-only: it is a copy for the reader, and what is changed "
        "in it would be lost; copy.deepcopy(element) can be changed"
    )


class ReadOnlyElement(etree.ElementBase):  # type: ignore[misc]  # it has no types
    """An element whose changes would be lost, and which refuses them."""

    @property
    def attrib(self) -> Mapping[str, str]:
        """The attributes."""
        return MappingProxyType(dict(self.items()))

    tag = property(_Plain.tag.__get__, _refuse)
    text = property(_Plain.text.__get__, _refuse)
    tail = property(_Plain.tail.__get__, _refuse)

    def __deepcopy__(self, _memo: object = None) -> Any:
        """Return an element that can be changed."""
        return etree.fromstring(etree.tostring(self, with_tail=False))

    __copy__ = __deepcopy__


for _name in _CHANGES.split():
    setattr(ReadOnlyElement, _name, _refuse)

_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)
_PARSER.set_element_class_lookup(
    etree.ElementDefaultClassLookup(element=ReadOnlyElement)
)


def reader_copy(
    element: Any, without: Sequence[Any] = ()
) -> tuple[Any, dict[Any, Any]]:
    """Return a copy that is read-only, and the original of each element in it.

    Parameters
    ----------
    without
        Children that are left out.
    """
    holder = _PARSER.makeelement("holder")
    # what is in the document of this parser gets its class once nobody has it otherwise
    _Plain.append(holder, _lower_copy(element, without))
    copy = holder[0]
    _Plain.remove(holder, copy)
    left_out = {one for child in without for one in child.iter(etree.Element)}
    kept = (one for one in element.iter(etree.Element) if one not in left_out)
    originals = dict(zip(copy.iter(etree.Element), kept, strict=False))
    return copy, originals


def _lower_copy(element: Any, without: Sequence[Any]) -> Any:
    copy = deepcopy(element)
    for index in sorted(map(element.index, without), reverse=True):
        del copy[index]
    copy.tail = None
    for node in copy.iter(etree.Element):
        name = local_name(node)
        if node.tag != name and ":" not in name:
            node.tag = name
        items = node.items()
        if any(key != key.lower() for key, _ in items):
            for key, _ in items:
                del node.attrib[key]
            for key, value in reversed(items):
                node.set(key.lower(), value)
    return copy
