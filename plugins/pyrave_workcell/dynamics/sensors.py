"""Sensors and controllers of a Dynamic WorkCell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.scene import Pose
from pyrave_workcell.dynamics.document import (
    Controller,
    ForceTorque,
    Named,
    Skin,
    Touch,
)
from pyrave_workcell.dynamics.values import DynamicsReading, rows_of
from pyrave_workcell.workcell.load import rotation_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene import ControlMode
    from pyrave_workcell.syntax import CellNode

_KILOPASCAL = 1000.0
_MAX_CELLS = 1_000_000
_SKIN = (
    *("Name", "Pos", "RPY", "TexelArray", "TexelHeightMap", "TexelSize", "MaxForce"),
    *("MinForce", "MaxPenetration", "Body"),
)
_MODES: dict[str, ControlMode] = {
    "Position": "position",
    "CntPosition": "continuous_position",
    "Velocity": "velocity",
    "Force": "force",
    "Current": "current",
}
_TIMED = ("TimeStep",)


# -- sensors ---------------------------------------------------------------------------


def read_force_torque(element: CellNode, reading: DynamicsReading) -> ForceTorque:
    """Return an ``<FTSensor>`` or ``<TactileMultiAxisSensor>``."""
    reading.check(element, ("RefFrame",), ("name", "body", "body1"))
    frame = reading.child(element, "RefFrame", required=False)
    return ForceTorque(
        reading.attribute(element, "name"),
        reading.attribute(element, "body"),
        reading.attribute(element, "body1"),
        None if frame is None else Named(reading.name(frame), at=frame),
        at=element,
    )


def read_touch(element: CellNode, reading: DynamicsReading) -> Touch:
    """Return a ``<BodyContactSensor>``."""
    reading.check(element, (), ("name", "body"))
    name, frame = (reading.attribute(element, one) for one in ("name", "body"))
    return Touch(name, frame, at=element)


def read_skin(element: CellNode, reading: DynamicsReading) -> Skin:
    """Return a ``<TactileArraySensor>``; its RPY is in degrees."""
    reading.check(element, _SKIN, ("frame",))
    x, y, z = reading.child_numbers(element, "Pos", 3)
    angles = reading.child_numbers(element, "RPY", 3)
    rotation = rotation_of(*map(math.radians, angles))
    width, height = reading.child_numbers(element, "TexelSize", 2)
    if min(width, height) < 0.0:
        reading.error(element, "bad-number", "<TexelSize> has numbers below 0")
        width = height = 0.0
    lowest = reading.not_negative(element, "MinForce") * _KILOPASCAL
    highest = reading.not_negative(element, "MaxForce") * _KILOPASCAL
    if lowest > highest:
        text = f"MinForce is above MaxForce, {lowest} and {highest} Pa"
        reading.error(element, "bad-limit", text)
    return Skin(
        reading.text(element, "Name"),
        reading.attribute(element, "frame"),
        Pose(rotation, (x, y, z)),
        _heights(element, reading),
        (width, height),
        min(lowest, highest),
        highest,
        at=element,
    )


def _heights(
    element: CellNode, reading: DynamicsReading
) -> tuple[tuple[float, ...], ...]:
    """Return the heights of the corners of a grid, in rows as the text has them."""
    counts = reading.child_numbers(element, "TexelArray", 2)
    heights = reading.child(element, "TexelHeightMap")
    numbers = () if heights is None else reading.numbers(heights)
    flat = ((0.0, 0.0), (0.0, 0.0))
    if not all(one.is_integer() and 1 <= one <= _MAX_CELLS for one in counts):
        text = f"<TexelArray> is {counts}, expected two whole numbers above 0"
        reading.error(element, "bad-number", text)
        return flat
    rows, columns = (int(one) + 1 for one in counts)
    if heights is not None and len(numbers) != rows * columns:
        text = f"<TexelHeightMap> has {len(numbers)} numbers, expected {rows}x{columns}"
        reading.error(heights, "bad-number", text)
        return flat
    return rows_of(numbers, columns) or flat


# -- controllers -----------------------------------------------------------------------


def _read_pd(element: CellNode, reading: DynamicsReading) -> Controller:
    reading.check(element, ("Sync", "PDParams", *_TIMED), ("name", "device", "type"))
    written = reading.attribute(element, "type")
    if written not in _MODES:
        text = f"the controller has the type {written!r}, expected {', '.join(_MODES)}"
        reading.error(element, "bad-value", text)
    if reading.boolean(element, "Sync"):
        text = "controllers that move joints in step (<Sync>) are not supported"
        reading.error(element, "bad-value", text, "write <Sync>false</Sync>")
    gains = _rows(element, "PDParams", 2, reading)
    if not gains and reading.child(element, "PDParams", required=False) is not None:
        text = "<PDParams> holds no pair of gains"
        reading.error(element, "bad-number", text)
    name, device = _names(element, reading)
    step = reading.not_negative(element, "TimeStep")
    mode = _MODES.get(written, "position")
    return Controller(name, "pd", device, mode, gains, step, at=element)


def _read_spring(element: CellNode, reading: DynamicsReading) -> Controller:
    reading.check(element, ("SpringParams", *_TIMED), ("name", "device"))
    name, device = _names(element, reading)
    gains = _rows(element, "SpringParams", 3, reading)
    step = reading.not_negative(element, "TimeStep")
    return Controller(
        name, "spring", device, gains=gains, time_step=step, at=element
    )  # fmt: skip


def _read_pose(element: CellNode, reading: DynamicsReading) -> Controller:
    reading.check(element, _TIMED, ("name", "device"))
    name, device = _names(element, reading)
    step = reading.not_negative(element, "TimeStep")
    return Controller(name, "pose", device, time_step=step, at=element)


def _read_queue(element: CellNode, reading: DynamicsReading) -> Controller:
    reading.check(element, (), ("name", "device"))
    name, device = _names(element, reading)
    return Controller(name, "motion_queue", device, at=element)


def _names(element: CellNode, reading: DynamicsReading) -> tuple[str, str]:
    return reading.attribute(element, "name"), reading.attribute(element, "device")


def _rows(
    element: CellNode, tag: str, size: int, reading: DynamicsReading
) -> tuple[tuple[float, ...], ...]:
    """Return the numbers of a child in rows; what is over is left out."""
    child = reading.child(element, tag)
    if child is None:
        return ()
    numbers = reading.numbers(child)
    over = len(numbers) % size
    if over:
        text = f"<{tag}> has {len(numbers)} numbers; the last {over} are left out"
        hint = f"they are {size} for each joint"
        reading.warn(child, "bad-number", text, hint)
    return rows_of(numbers[: len(numbers) - over], size)


CONTROLLERS: dict[str, Callable[[CellNode, DynamicsReading], Controller]] = {
    "PDDeviceController": _read_pd,
    "PoseDeviceController": _read_pose,
    "SerialDeviceController": _read_queue,
    "SpringJointController": _read_spring,
}
"""Readers of controllers by tag."""
