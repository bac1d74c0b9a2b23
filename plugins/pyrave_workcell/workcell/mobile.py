"""``MobileDevice``: a base that drives on two wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_workcell.workcell.document import WORLD, Frame
from pyrave_workcell.workcell.reading import turned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave_workcell.syntax import Node
    from pyrave_workcell.workcell.reading import Reading

_WHEELS = (("LeftWheel", 1.0), ("RightWheel", -1.0))
_AROUND_X = (0.0, 0.0, 90.0)


def mobile_frames(node: Node, device: str, reading: Reading) -> Iterator[Frame]:
    """Yield the base and the wheels of a mobile device.

    The base is free; the wheels turn about the axle, which is the base's y.
    """
    reading.warn(
        node,
        "not-read-yet",
        f"not read yet: the wheels of the MobileDevice {device!r} turn, and do not "
        "drive its base",
    )
    base = f"{device}.{(node.get('basename') or '').strip()}"
    yield Frame(base, WORLD, "Movable", node, daf=True, device=device)
    width = 0.0
    parts = {child.tag: child for child in node}
    if "AxelWidth" in parts:
        width = reading.numbers(parts["AxelWidth"], 1)[0]
    needed = ("AxelWidth", "LeftWheel", "RightWheel")
    reading.last_counts(node, needed)
    for tag in needed:
        if tag not in parts:
            reading.error(
                node, "missing-tag", f"the MobileDevice {device!r} has no <{tag}>"
            )
    for tag, side in _WHEELS:
        wheel = parts.get(tag)
        if wheel is not None:
            reading.attributes(wheel, ("name",), ("name",))
            name = f"{device}.{(wheel.get('name') or '').strip()}"
            pose = turned(_AROUND_X, (0.0, 0.5 * side * width, 0.0))
            yield Frame(name, base, "Revolute", wheel, pose, device=device)
