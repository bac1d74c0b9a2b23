"""Data of URDF and SRDF beyond descriptions: soft limits, group states.

Descriptions carry it as readables of plain XML, so that every format of scenes can; the
functions here say what it means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pyrave.errors import SceneError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import JointDescription, RobotDescription, XmlElement


@dataclass(frozen=True, slots=True)
class SafetyController:
    """``<safety_controller>``: limits inside the limits, radians or metres.

    Parameters
    ----------
    k_position, k_velocity
        How far the soft limits of velocity and effort follow from the distance to the
        soft limits of position and velocity: 1/s, and N m s/rad or N s/m.
    """

    soft_lower_limit: float = 0.0
    soft_upper_limit: float = 0.0
    k_position: float = 0.0
    k_velocity: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """``<calibration>``: where the reference edges are, radians or metres; or NaN."""

    rising: float = math.nan
    falling: float = math.nan


@dataclass(frozen=True, slots=True)
class EndEffector:
    """``<end_effector>`` of an SRDF: a group of joints that a link carries."""

    name: str
    group: str
    parent_link: str
    parent_group: str = ""


@dataclass(frozen=True, slots=True)
class VirtualJoint:
    """``<virtual_joint>`` of an SRDF: how the root moves in the world.

    Parameters
    ----------
    type
        ``fixed``, ``planar`` or ``floating``.
    """

    name: str
    type: str
    parent_frame: str
    child_link: str


class _Joint(Protocol):
    @property
    def description(self) -> Any: ...


class _Robot(Protocol):
    @property
    def readables(self) -> Any: ...


def safety_controller(
    joint: JointDescription | _Joint,
) -> SafetyController | None:
    """Return the soft limits of a joint, or None.

    Raises
    ------
    SceneError
        A file of another format holds something else than numbers there.
    """
    element = _last(joint, "safety_controller")
    if element is None:
        return None
    return SafetyController(
        *(_number(element, name) for name in SafetyController.__dataclass_fields__)
    )


def calibration(joint: JointDescription | _Joint) -> Calibration | None:
    """Return the reference positions of a joint, or None.

    Raises as `safety_controller`.
    """
    element = _last(joint, "calibration")
    if element is None:
        return None
    rising = _number(element, "reference_position", math.nan)
    return Calibration(
        _number(element, "rising", rising), _number(element, "falling", math.nan)
    )


def group_states(
    robot: RobotDescription | _Robot,
) -> dict[str, dict[str, dict[str, tuple[float, ...]]]]:
    """Return the named configurations of a robot's groups, as its SRDF has them.

    Returns
    -------
    dict
        Group -> name of the state -> joint -> its values, radians or metres.

    Raises
    ------
    SceneError
        A file of another format holds something else than numbers there.
    """
    found: dict[str, dict[str, dict[str, tuple[float, ...]]]] = {}
    for element in _srdf(robot, "group_state"):
        states = found.setdefault(element.get("group") or "", {})
        states[element.get("name") or ""] = {
            joint.get("name") or "": _numbers(joint, "value")
            for joint in element.children
            if joint.tag == "joint"
        }
    return found


def end_effectors(robot: RobotDescription | _Robot) -> tuple[EndEffector, ...]:
    """Return the end effectors of a robot's SRDF."""
    return tuple(
        EndEffector(*(one.get(name) or "" for name in EndEffector.__dataclass_fields__))
        for one in _srdf(robot, "end_effector")
    )


def virtual_joints(robot: RobotDescription | _Robot) -> tuple[VirtualJoint, ...]:
    """Return the joints by which a robot's SRDF joins it to the world."""
    names = VirtualJoint.__dataclass_fields__
    return tuple(
        VirtualJoint(*(one.get(name) or "" for name in names))
        for one in _srdf(robot, "virtual_joint")
    )


def _elements(item: Any, key: str) -> Iterator[XmlElement]:
    # joints of an environment have what their descriptions say
    holder = item if hasattr(item, "readables") else item.description
    readables = holder.readables
    pairs = readables if isinstance(readables, tuple) else readables.items()
    for name, readable in pairs:
        element = readable.to_xml() if name == key else None
        if element is not None:
            yield element


def _last(item: Any, key: str) -> XmlElement | None:
    return next(reversed([*_elements(item, key)]), None)


def _srdf(item: Any, tag: str) -> Iterator[XmlElement]:
    for whole in _elements(item, "srdf"):
        for element in whole.children:
            if element.tag == tag:
                yield element


def _number(element: XmlElement | None, name: str, default: float = 0.0) -> float:
    if element is None or element.get(name) is None:
        return default
    found = _numbers(element, name)
    if len(found) != 1:
        raise _wrong(element, name, "one number")
    return found[0]


def _numbers(element: XmlElement, name: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, (element.get(name) or "").split()))
    except ValueError:
        raise _wrong(element, name, "numbers") from None


def _wrong(element: XmlElement, name: str, expected: str) -> SceneError:
    # URDF is checked when it is read; other formats only keep these elements
    place = element.location
    return SceneError.refusal(
        "bad-number",
        f"<{element.tag}> has {name}={element.get(name)!r}, expected {expected}",
        file=None if place is None else place.file,
        line=None if place is None else place.line,
        column=None if place is None else place.column,
        hint="correct it in the file that the body comes from",
    )
