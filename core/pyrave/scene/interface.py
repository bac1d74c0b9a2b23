"""Interfaces of a scene other than its bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyrave.scene.location import Location
from pyrave.scene.pose import Pose
from pyrave.scene.readable import ReadableItems


@dataclass(frozen=True, slots=True)
class InterfaceDescription:
    """An interface other than a body: sensor, controller, module, planner, ...

    Parameters
    ----------
    type
        One of the 13 interface types.
    interface
        ``"Id arg arg"``.
    name
        Name of the object, if the file gives one.
    args
        A module's ``args``.
    robot, joints, control_transform
        A controller's robot, the joints it drives (empty: all) and whether it
        drives the base.
    pose
        A sensor's T_world_sensor.
    commands
        Texts sent to the interface after creation.
    readables
        What custom readers made of its XML, by interface id or tag.
    settings
        (name, value) of an engine or a controller: a text, or numbers, one a tuple.
    """

    type: str
    interface: str
    name: str = ""
    args: str = ""
    robot: str = ""
    joints: tuple[str, ...] = ()
    control_transform: bool = False
    pose: Pose | None = None
    commands: tuple[str, ...] = ()
    readables: ReadableItems = ()
    location: Location | None = field(default=None, compare=False, repr=False)
    settings: tuple[tuple[str, tuple[float, ...] | str], ...] = ()
