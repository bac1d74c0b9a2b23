"""Elements of written Dynamic WorkCells, which are no WorkCell's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.formats.output.numbers import numbers
from pyrave.scene import IDENTITY
from pyrave_workcell.workcell.writing.elements import add

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.scene import Pose, XmlElement

_TYPES = frozenset({"string", "int", "float", "Q"})
_EYE = IDENTITY.rotation


def add_text(parent: Any, tag: str, text: str, /, **attributes: str) -> Any:
    """Append an element with a text."""
    element = add(parent, tag, **attributes)
    element.text = text
    return element


def add_numbers(
    parent: Any, tag: str, values: Iterable[float], /, **attributes: str
) -> Any:
    """Append an element with numbers."""
    return add_text(parent, tag, numbers(values), **attributes)


def add_transform(parent: Any, tag: str, pose: Pose) -> None:
    """Append a transform, none for the identity."""
    if pose == IDENTITY:
        return
    element = add(parent, tag)
    add_numbers(element, "Pos", pose.translation)
    if pose.rotation != _EYE:
        add_numbers(element, "Rotation3D", pose.rotation)


def add_value(parent: Any, name: str, value: tuple[float, ...] | str) -> None:
    """Append a property: a text, a number or several."""
    if isinstance(value, str):
        add_text(parent, "Property", value, name=name, type="string")
    else:
        kind = "float" if len(value) == 1 else "Q"
        add_numbers(parent, "Property", value, name=name, type=kind)


def add_kept(parent: Any, element: XmlElement) -> bool:
    """Append a property that was kept; return whether it can be one."""
    kind = element.get("type") or "string"
    if kind not in _TYPES:
        return False
    name = element.get("name") or ""
    add_text(parent, "Property", element.text, name=name, type=kind)
    return True
