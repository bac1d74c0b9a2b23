"""``<transmission>``: reductions become the actuators of joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.coercion import HUGE
from pyrave.formats.numbers import plain_float
from pyrave.scene import XmlElement, XmlReadable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pyrave_urdf.reading.load import UrdfReading


def read_transmissions(
    elements: Iterable[Any], joints: Collection[str], reading: UrdfReading
) -> dict[str, XmlReadable]:
    """Return the actuator of each joint that a transmission drives.

    It is an ``<actuator>`` as OpenRAVE XML has it, with the ``gear_ratio``: the size of
    the mechanical reduction, whose sign only says which way the motor turns. The
    transmission as it stands is kept besides.

    Parameters
    ----------
    elements
        ``<transmission>``: ROS control's, with ``<joint>`` and ``<actuator>``, or the
        PR2's older one, whose ``<mechanicalReduction>`` stands beside them.
    """
    found: dict[str, XmlReadable] = {}
    for element in elements:
        ratio = _ratio(element, reading)
        for joint in element.findall("joint"):
            name = str(joint.get("name") or (joint.text or "")).strip()
            if name not in joints:
                reading.unknown(joint, "joint", name, joints, "unknown-joint")
                continue
            own = _ratio(joint, reading)
            if name not in found:
                found[name] = _actuator(ratio if own is None else own)
    return found


def _ratio(element: Any, reading: UrdfReading) -> float | None:
    """Return the reduction in an element or its actuator, None if it says none."""
    for path in ("actuator/mechanicalReduction", "mechanicalReduction"):
        found = element.find(path)
        if found is None:
            continue
        text = (found.text or "").strip()
        try:
            value = plain_float(text)
        except ValueError:
            value = 0.0
        if 0.0 < abs(value) <= HUGE:
            return abs(value)
        reading.warn(
            found,
            "bad-reduction",
            f"<mechanicalReduction> holds {text!r}, expected a number that is not 0; "
            "it is ignored",
            "turns of the motor for one of the joint",
        )
    return None


def _actuator(ratio: float | None) -> XmlReadable:
    kind = (("type", "electric_motor"),)
    inside = () if ratio is None else (XmlElement("gear_ratio", text=repr(ratio)),)
    return XmlReadable(XmlElement("actuator", kind, children=inside))
