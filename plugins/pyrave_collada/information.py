"""Data of COLLADA beyond descriptions: parameters, and hints for solvers.

Descriptions carry them as readables of plain XML, so that every format of scenes can;
the functions here say what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pyrave.errors import ArgumentError
from pyrave.scene import XmlElement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.scene import (
        JointDescription,
        LinkDescription,
        ManipulatorDescription,
        Readable,
    )

Parameter = tuple[float, ...] | tuple[int, ...] | str
"""Value of a parameter: a float_array, an int_array or a string_value."""

Number = TypeVar("Number", float, int)

_INFORMATION = frozenset({"link_info", "joint_info"})


@dataclass(frozen=True, slots=True)
class IkHint:
    """Settings of a manipulator's inverse kinematics from an ``<iksolver>``.

    Parameters
    ----------
    type
        ``Transform6D``, ``Translation3D``, ...; empty: any.
    interface, plugin
        Id of a solver and where it is; empty: not said.
    free_joints
        Names of joints to try values of, and the steps (radians or metres; 0: not
        said).
    """

    type: str = ""
    interface: str = ""
    plugin: str = ""
    free_joints: tuple[tuple[str, float], ...] = ()

    def to_element(self) -> XmlElement:
        """Return the ``<iksolver>``; free joints go by their names."""
        inner = []
        for name, step in self.free_joints:
            size = (("stepsize", repr(step)),) if step else ()
            inner.append(XmlElement("free_joint", (("joint", name), *size)))
        if self.interface:
            parts = [XmlElement("interface", text=self.interface)]
            if self.plugin:
                parts.append(XmlElement("plugin", text=self.plugin))
            profile = (("profile", "OpenRAVE"),)
            technique = XmlElement("technique", profile, children=tuple(parts))
            inner.append(XmlElement("interface_type", children=(technique,)))
        kind = (("type", self.type),) if self.type else ()
        return XmlElement("iksolver", kind, children=tuple(inner))

    @classmethod
    def of_element(cls, element: XmlElement) -> IkHint:
        """Return the hint of an ``<iksolver>`` with names of joints.

        Raises
        ------
        ArgumentError
            A step is no number.
        """
        free = []
        names = {"interface": "", "plugin": ""}
        waiting = list(element.children)
        while waiting:
            one = waiting.pop(0)
            if one.tag == "free_joint":
                text = one.get("stepsize") or "0"
                (step,) = _numbers(float, [text], "the stepsize of a free joint")
                free.append((one.get("joint") or "", step))
            elif one.tag in names:
                names[one.tag] = one.text.strip()
            waiting += one.children
        kind = element.get("type") or ""
        return cls(kind, names["interface"], names["plugin"], tuple(free))


class _Described(Protocol):
    @property
    def description(self) -> Any: ...


def parameters(
    item: LinkDescription | JointDescription | _Described,
) -> dict[str, Parameter]:
    """Return the parameters that ``link_info`` or ``joint_info`` gives to an item.

    Parameters
    ----------
    item
        A link or a joint, of a body or of a description.

    Returns
    -------
    dict
        Values by name: tuples of float or int, or text; of equal names the last one.

    Raises
    ------
    ArgumentError
        An array holds something else than numbers, as COLLADA that is read does not.

    Examples
    --------
    >>> from pyrave.scene import LinkDescription, XmlElement, XmlReadable
    >>> array = XmlElement("float_array", (("name", "gains"),), text="1 2.5")
    >>> info = XmlReadable(XmlElement("link_info", children=(array,)))
    >>> parameters(LinkDescription("hand", readables=(("link_info", info),)))
    {'gains': (1.0, 2.5)}
    """
    found: dict[str, Parameter] = {}
    for element in _elements(item, _INFORMATION):
        for one in element.children:
            name = one.get("name")
            if name:
                found[name] = _value(one)
    return found


def ik_hints(item: ManipulatorDescription | _Described) -> tuple[IkHint, ...]:
    """Return the hints for a manipulator's inverse kinematics, in their order.

    Raises
    ------
    ArgumentError
        A step is no number, as COLLADA that is read does not have it.
    """
    return tuple(map(IkHint.of_element, _elements(item, frozenset({"iksolver"}))))


def _elements(item: Any, keys: frozenset[str]) -> Iterable[XmlElement]:
    description = getattr(item, "description", item)
    items: Iterable[tuple[str, Readable]] = description.readables
    for key, readable in items:
        element = readable.to_xml() if key.lower() in keys else None
        if element is not None:
            yield element


def _value(element: XmlElement) -> Parameter:
    words, what = element.text.split(), f"<{element.tag}> {element.get('name')!r}"
    match element.tag:
        case "float_array":
            return _numbers(float, words, what)
        case "int_array":
            return _numbers(int, words, what)
        case _:
            return element.text.strip()


def _numbers(kind: type[Number], words: Iterable[str], what: str) -> tuple[Number, ...]:
    try:
        return tuple(map(kind, words))
    except ValueError:
        raise ArgumentError(
            f"{what} holds {' '.join(words)[:60]!r}, expected numbers ({kind.__name__})"
        ) from None
