"""Elements, numbers and poses of written COLLADA."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from pyrave.formats.output import numbers as written_numbers
from pyrave.formats.output.writable import with_xml_characters
from pyrave.spatial import rotation_vector
from pyrave_collada.document.parsed import EXACT_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyrave.scene import Pose

NAMESPACE = "http://www.collada.org/2008/03/COLLADASchema"
MATHML = "http://www.w3.org/1998/Math/MathML"
PYRAVE = "pyrave"
"""Profile and type of extras with what COLLADA has no place for."""

_MOST = 1e12
_EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def root_element() -> Any:
    """Return an empty ``<COLLADA>``."""
    root = etree.Element(f"{{{NAMESPACE}}}COLLADA", nsmap={None: NAMESPACE})
    root.set("version", "1.5.0")
    return root


def add(parent: Any, tag: str, text: str = "", /, **attributes: str) -> Any:
    """Append an element of the parent's namespace; empty attributes are left out."""
    child = etree.SubElement(parent, _name(parent, tag))
    if text:
        child.text = with_xml_characters(text)
    for name, value in attributes.items():
        if value:
            child.set(name, with_xml_characters(value))
    return child


def _name(parent: Any, tag: str) -> str:
    """Return a tag in a parent's namespace: COLLADA's, unless it has another."""
    namespace = etree.QName(parent).namespace or NAMESPACE
    return f"{{{namespace}}}{tag}"


def add_extra(
    parent: Any, kind: str, name: str = "", *, profile: str = "OpenRAVE", key: str = ""
) -> Any:
    """Append an ``<extra>`` of a type, and return its ``<technique>``."""
    extra = add(parent, "extra", type=kind, name=name, id=key)
    return add(extra, "technique", profile=profile)


def add_exact(parent: Any) -> Any:
    """Append an ``<extra>`` for what only pyrave reads, and return its content.

    The content has a namespace and a prefix of its own: tools that know the names of
    COLLADA's elements take none of it for theirs.
    """
    technique = add_extra(parent, PYRAVE, profile=PYRAVE)
    return etree.SubElement(
        technique, f"{{{EXACT_NAMESPACE}}}exact", nsmap={PYRAVE: EXACT_NAMESPACE}
    )


def add_truth(parent: Any, value: bool) -> None:
    """Append a ``<bool>``."""
    add(parent, "bool", "true" if value else "false")


def add_float(parent: Any, value: float) -> None:
    """Append a ``<float>``."""
    add(parent, "float", numbers((value,)))


def numbers(values: Iterable[float]) -> str:
    """Return numbers that read back exactly, unless absurd, separated by blanks."""
    return written_numbers.numbers(values, _MOST)


def degrees(angle: float) -> float:
    """Return an angle (rad) in degrees."""
    return written_numbers.finite(written_numbers.rounded(math.degrees(angle)), _MOST)


def add_pose(parent: Any, pose: Pose) -> None:
    """Append a pose as ``<translate>`` and ``<rotate>``."""
    add(parent, "translate", numbers(pose.translation))
    add(parent, "rotate", numbers(_axis_and_degrees(pose.rotation)))


def _axis_and_degrees(rotation: Sequence[float]) -> tuple[float, float, float, float]:
    if tuple(rotation) == _EYE:
        return 1.0, 0.0, 0.0, 0.0
    turn = rotation_vector(np.array(rotation).reshape(3, 3))
    angle = math.hypot(*turn)
    if not angle > 0.0:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (float(part) / angle for part in turn)
    return x, y, z, degrees(angle)
