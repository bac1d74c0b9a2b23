"""Properties that make a frame a sensor: cameras and scanners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.formats import sensor_readable
from pyrave.formats.numbers import plain_floats
from pyrave.scene import Pose

if TYPE_CHECKING:
    from pyrave.scene import Readable
    from pyrave_workcell.workcell.document import Property
    from pyrave_workcell.workcell.load import WorkcellReading

# RobWork's cameras look along -z, y up; those of pyrave along z, y down
LENS = Pose((1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0))
# its scanner fans out in the plane of y and -z; those of pyrave about z, from x
FAN = Pose((0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0))
_MAX_IMAGE = 100_000.0
_MAX_TEXT = 1000
_MIN_ANGLE = 1e-6
_FORMS = {
    "Camera": "fovy width height",
    "Scanner25D": "fovy width height",
    "Scanner2D": "fovy count",
}


@dataclass(frozen=True, slots=True)
class Sensor:
    """A sensor in a frame; `turn` is T_frame_sensor."""

    interface: str
    turn: Pose
    readable: Readable


def sensor_of(prop: Property, reading: WorkcellReading) -> Sensor | None:
    """Return the sensor that a property of a frame means, None if it means none."""
    form = _FORMS.get(prop.name)
    if form is None or not prop.frame:
        return None
    try:
        numbers = [*plain_floats(prop.text[:_MAX_TEXT])]
    except ValueError:
        numbers = []
    fovy, *counts = numbers or [0.0]
    good = all(1.0 <= one <= _MAX_IMAGE and one == int(one) for one in counts)
    if len(numbers) != len(form.split()) or not _MIN_ANGLE < fovy < 180.0 or not good:
        reading.warn(
            prop.node,
            "bad-sensor",
            f"the property {prop.name!r} is {prop.text!r}, expected {form!r}: degrees "
            "above 0 and below 180, and whole numbers; there is no sensor",
        )
        return None
    if prop.name == "Scanner2D":
        interface, turn = "BaseLaser2D", FAN
        settings = _fan(fovy, counts[0])
    else:
        interface = "BaseCamera" if prop.name == "Camera" else "BaseFlashLidar3D"
        turn = LENS
        settings = _image(fovy, *counts)
    return Sensor(
        interface, turn, sensor_readable(interface, settings, prop.node, reading)
    )


def _image(fovy: float, width: float, height: float) -> dict[str, str]:
    focal = 0.5 * height / math.tan(math.radians(0.5 * fovy))
    numbers = focal, focal, 0.5 * width, 0.5 * height
    return {
        "width": str(int(width)),
        "height": str(int(height)),
        "kk": " ".join(map(repr, numbers)),
    }


def _fan(fovy: float, count: float) -> dict[str, str]:
    found = {"minangle": repr(-0.5 * fovy), "maxangle": repr(0.5 * fovy)}
    if count > 1.0:
        found["resolution"] = repr(fovy / (count - 1.0))
    return found
