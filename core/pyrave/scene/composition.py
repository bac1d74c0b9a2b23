"""Files that a body was composed of, as data that a writer can put back."""

from __future__ import annotations

from dataclasses import dataclass

from pyrave.records import Record
from pyrave.scene.interface import InterfaceDescription
from pyrave.scene.pose import IDENTITY, Pose, Vec3
from pyrave.scene.readable import XmlElement


@dataclass(frozen=True, slots=True)
class Part(Record):
    """A file that a body was composed of, and what of the body came from it.

    Parameters
    ----------
    kind
        ``"kinbody"`` or ``"robot"``: the element that includes the file.
    file
        Name of the file as written.
    uri
        Absolute path that it was found at.
    name
        Name that the including element gave, or empty.
    prefix
        What stands before the names that the file gives its items.
    scale, skip_geometry
        Factors of all lengths along x y z, and whether geometries were left out.
    pose
        T_body_part: where the frame of the file stands in the body.
    links, joints, manipulators, attached_sensors
        Names, in the finished body, of what came from the file.
    """

    kind: str
    file: str
    uri: str
    name: str = ""
    prefix: str = ""
    scale: Vec3 = (1.0, 1.0, 1.0)
    skip_geometry: bool = False
    pose: Pose = IDENTITY
    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    manipulators: tuple[str, ...] = ()
    attached_sensors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Composition:
    """Composition of a body from files. Never part of a comparison.

    Parameters
    ----------
    parts
        The files that the body's element includes, in order.
    whole
        The file whose root the body is, or None: its element stands inside a scene.
    source
        The body's element as written, if it includes files, else None. A writer of the
        same format puts it back where it still gives what the description holds.
    names
        (file name as written in `source`, absolute path that it stands for).
    files
        Everything that was opened or looked up for the body. Whoever reads the parts
        again opens nothing else.
    frame, base
        T_world_element of the element's transform tags, and T_element_base.
    controllers
        What the included files give the robot besides; they name no robot.
    whole_controllers
        What `whole` gives it: with those of the body's own element.
    """

    parts: tuple[Part, ...] = ()
    whole: Part | None = None
    source: XmlElement | None = None
    names: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    frame: Pose = IDENTITY
    base: Pose = IDENTITY
    controllers: tuple[InterfaceDescription, ...] = ()
    whole_controllers: tuple[InterfaceDescription, ...] = ()
