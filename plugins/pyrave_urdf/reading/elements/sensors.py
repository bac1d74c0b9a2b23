"""``<sensor>``: cameras, scanners and inertial sensors, in URDF or Gazebo blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats import sensor_readable
from pyrave.scene import (
    IDENTITY,
    AttachedSensorDescription,
    Pose,
)
from pyrave_urdf.reading.elements.sensor_settings import (
    finite_numbers,
    number_reader,
    settings_of,
    text,
)
from pyrave_urdf.reading.load import pose_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave.scene import JointDescription, Readable
    from pyrave_urdf.reading.elements.gazebo import Block
    from pyrave_urdf.reading.load import UrdfReading

# what OpenRAVE's cameras call z, x and y is what a sensor calls x, -y and -z
OPTICAL = Pose((0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0))
_INSIDE = frozenset({
    *("parent", "origin", "camera", "ray", "lidar", "imu", "plugin", "pose"),
    *("always_on", "update_rate", "visualize", "topic"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Link and pose of a sensor.

    Parameters
    ----------
    link, pose
        Its link, and T_link_sensor.
    joint
        The joint that it is at, or None.
    is_gazebo
        Whether it is SDFormat's.
    """

    link: str
    pose: Pose
    joint: JointDescription | None = None
    is_gazebo: bool = False


def read_sensors(
    root: Any,
    blocks: Iterable[Block],
    links: Mapping[str, Any],
    joints: Mapping[str, JointDescription],
    reading: UrdfReading,
) -> Iterator[AttachedSensorDescription]:
    """Yield the sensors of a robot whose kind is known.

    ``<sensor>`` below ``<robot>`` names its link; in ``<gazebo reference="link">`` it
    is SDFormat's. A reference to a joint is one to its child link.
    """
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    known: _Known = {}
    for element, place in _sensors(root, blocks, links, joints, reading):
        made = _read(element, place, reading, known)
        if made is None:
            continue
        interface, pose, readable = made
        name = element.get("name") or interface
        name = "_".join(name.split())
        unique = name
        while unique in taken:
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name}_{numbers[name]}"
        taken.add(unique)
        yield AttachedSensorDescription(
            unique,
            place.link,
            pose,
            interface,
            readables=((interface, readable),),
            location=reading.location(element),
        )


def _sensors(
    root: Any,
    blocks: Iterable[Block],
    links: Mapping[str, Any],
    joints: Mapping[str, JointDescription],
    reading: UrdfReading,
) -> Iterator[tuple[Any, Place]]:
    """Yield sensors and where they are."""
    for element in root.iterchildren("sensor"):
        inside, _ = reading.children(element, _INSIDE)
        parent = reading.last(inside.get("parent"))
        if parent is None:
            reading.warn(
                element,
                "unknown-link",
                f"the sensor {element.get('name')!r} has no parent; it is left out",
                'write <parent link="..."/>',
            )
            continue
        name = str(parent.get("link") or parent.get("joint") or "").strip()
        link = _link(name, links, joints)
        if link is None:
            reading.unknown(parent, "link", name, links, "unknown-link")
            continue
        pose = reading.spared(
            reading.origin, inside.get("origin"), cost="the sensor is left out"
        )
        if pose is not None:
            yield element, Place(link, pose)
    for name, _, parts in blocks:
        sensors = [one for tag, one in parts if tag == "sensor"]
        link = _link(name, links, joints) if sensors else None
        if link is not None:
            for element in sensors:
                joint = joints.get(name) if name not in links else None
                pose = _sdf_pose(element, reading)
                yield element, Place(link, pose, joint, is_gazebo=True)


def _link(
    name: str, links: Mapping[str, Any], joints: Mapping[str, JointDescription]
) -> str | None:
    if name in links:
        return name
    return joints[name].child if name in joints else None


def _sdf_pose(element: Any, reading: UrdfReading) -> Pose:
    """Return the pose that SDFormat writes as six or seven numbers, else identity."""
    found = element.find("pose")
    if found is None:
        return IDENTITY
    given = (found.text or "").split()
    numbers = finite_numbers(given)
    if found.get("rotation_format") == "quat_xyzw" and len(numbers) == _QUATERNION:
        x, y, z, *turn, w = numbers
        if any((*turn, w)):
            return Pose.from_quaternion((w, *turn), (x, y, z))
    if len(numbers) != _EULER:
        if given:
            what = f"<pose> is {' '.join(given)!r}, expected 6 numbers; it is ignored"
            reading.warn(found, "bad-number", what)
        return IDENTITY
    x, y, z, *angles = numbers
    if (found.get("degrees") or "").strip().lower() in {"true", "1"}:
        angles = [math.radians(one) for one in angles]
    roll, pitch, yaw = angles
    return pose_of(roll, pitch, yaw, (x, y, z))


_EULER, _QUATERNION = 6, 7


# -- kinds of sensors ------------------------------------------------------------------


def _read(
    element: Any, place: Place, reading: UrdfReading, known: _Known
) -> tuple[str, Pose, Readable] | None:
    """Return (interface, T_link_sensor, data) of a sensor.

    None for kinds that pyrave has none of; they are kept as data all the same.

    Parameters
    ----------
    known
        Data of sensors before, by their interface and settings.
    """
    made = settings_of(element, number_reader(reading.warn))
    if made is None:
        return None
    interface, settings = made
    pose = place.pose
    if interface == "BaseCamera" and place.is_gazebo:
        # URDF's frame of a camera is the optical one already
        pose = pose @ _sdf_pose(element.find("camera"), reading) @ OPTICAL
    elif interface == "BaseForce6D":
        pose = _axes_of_wrench(element, place)
    # robots have many sensors of one kind; what is reported stands at each of them
    key = interface, tuple(settings.items())
    readable = known.get(key)
    if readable is None:
        before = reading.reports
        readable = sensor_readable(interface, settings, element, reading)
        if reading.reports == before:
            known[key] = readable
    return interface, pose, readable


_Known = dict[tuple[str, tuple[tuple[str, str], ...]], "Readable"]


def _axes_of_wrench(element: Any, place: Place) -> Pose:
    """Return T_link_sensor of a force-torque sensor, whose ``<frame>`` has its axes.

    SDFormat's is the child's unless another is given. The parent's axes turn against
    the child, where the sensor is, unless the joint is fixed: only then they can count.
    """
    if not place.is_gazebo:
        return place.pose
    frame = element.find("force_torque")
    chosen = "child" if frame is None else text(frame, "frame").lower() or "child"
    joint = place.joint
    if chosen == "sensor" or (chosen == "parent" and joint is None):
        return place.pose
    turn = IDENTITY.rotation
    if chosen == "parent" and joint is not None and not joint.axes:
        turn = joint.T_parent_joint.inverse().rotation
    return Pose(turn, place.pose.translation)
