"""``MobileDevice``: a base that drives on two wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_workcell.workcell.document import WORLD, Frame
from pyrave_workcell.workcell.load import turned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import Pose
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.document import Device
    from pyrave_workcell.workcell.load import WorkcellReading

DRIVE = "DifferentialDrive"
"""Controller that drives the base of a mobile device by its wheels."""
_WHEELS = (("LeftWheel", 1.0), ("RightWheel", -1.0))
FRAMES = frozenset({"Frame", "Joint", "DHJoint", "SerialChain"})
_AROUND_X = (0.0, 0.0, 90.0)


def mobile_frames(
    node: CellNode, device: str, reading: WorkcellReading
) -> Iterator[Frame]:
    """Yield the base and the wheels of a mobile device.

    The base is free; the wheels turn about the axle, which is the base's y. There are
    none if it has neither all of its parts nor frames.
    """
    base = f"{device}.{(node.get('basename') or '').strip()}"
    width = 0.0
    parts = {child.tag: child for child in node}
    if "AxelWidth" in parts:
        width = reading.numbers(parts["AxelWidth"], 1)[0]
    needed = ("AxelWidth", "LeftWheel", "RightWheel")
    reading.last_counts(node, needed)
    missing = [tag for tag in needed if tag not in parts]
    if missing and not parts.keys() & FRAMES:
        return  # RobWork drops it, too
    yield Frame(base, WORLD, "Movable", node, daf=True, device=device)
    for tag in missing:
        reading.error(
            node, "missing-tag", f"the MobileDevice {device!r} has no <{tag}>"
        )
    for tag, side in _WHEELS:
        wheel = parts.get(tag)
        if wheel is not None:
            reading.attributes(wheel, ("name",), ("name",))
            name = f"{device}.{(wheel.get('name') or '').strip()}"
            pose = wheel_pose(side, width)
            yield Frame(name, base, "Revolute", wheel, pose, device=device)


def wheel_pose(side: float, width: float) -> Pose:
    """Return T_base_wheel of the wheel on the left (1) or on the right (-1)."""
    return turned(_AROUND_X, (0.0, 0.5 * side * width, 0.0))


def drive_of(device: Device) -> str:
    """Return the controller of a mobile device: the distance of its wheels."""
    for child in device.node:
        if child.tag == "AxelWidth":
            return f"{DRIVE} {child.text.strip()}"
    return DRIVE
