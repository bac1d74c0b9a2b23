"""Joints that hints for inverse kinematics name: a prefix may rename them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pyrave.scene import Readable, XmlElement, XmlReadable
from pyrave.scene.readable import ReadableItems

_HINT, _JOINT, _FREE = "iksolver", "free_joint", "free"


def named_joints(text: str, hints: Iterable[tuple[str, Readable]]) -> Iterator[str]:
    """Yield the names of joints in a solver's ``"Id free JOINT ..."`` and in hints."""
    words = text.split()
    for place, word in enumerate(words[:-1]):
        if word == _FREE:
            yield words[place + 1]
    for key, one in hints:
        xml = one.to_xml() if key == _HINT else None
        for child in () if xml is None else xml.children:
            if child.tag == _JOINT:
                yield child.get("joint") or ""


def renamed_solver(text: str, names: Mapping[str, str]) -> str:
    """Return a solver's ``"Id free JOINT ..."`` with other names of joints."""
    words = text.split()
    for place, word in enumerate(words[:-1]):
        if word == _FREE:
            words[place + 1] = names.get(words[place + 1], words[place + 1])
    return " ".join(words)


def renamed_hints(readables: ReadableItems, names: Mapping[str, str]) -> ReadableItems:
    """Return readables in which each ``<iksolver>`` has other names of free joints."""
    return tuple(
        (key, XmlReadable(_renamed(one.element, names)))
        if key == _HINT and isinstance(one, XmlReadable)
        else (key, one)
        for key, one in readables
    )


def _renamed(hint: XmlElement, names: Mapping[str, str]) -> XmlElement:
    children = []
    for child in hint.children:
        if child.tag == _JOINT:
            attributes = tuple(
                (key, names.get(value, value) if key == "joint" else value)
                for key, value in child.attributes
            )
            children.append(replace(child, attributes=attributes))
        else:
            children.append(child)
    return replace(hint, children=tuple(children))
