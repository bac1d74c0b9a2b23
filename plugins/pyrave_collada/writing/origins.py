"""Systems of other COLLADA files that still describe a body exactly."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyrave.errors import Error
from pyrave.formats import Diagnostics, open_source
from pyrave_collada.reading.kinematics.masses import RigidBodies
from pyrave_collada.reading.scene import open_scene

if TYPE_CHECKING:
    from pyrave.formats import ReadContext
    from pyrave.scene import BodyDescription
    from pyrave_collada.reading.kinematics.bodies import Body
    from pyrave_collada.reading.scene import Scene

_SUFFIXES = (".dae", ".zae")


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """A system of another file that gives a body, but for its place and values.

    Parameters
    ----------
    scene
        The file, read.
    made
        The body as its elements make it.
    physics
        What the file says of masses.
    """

    scene: Scene
    made: Body
    physics: RigidBodies

    @property
    def element(self) -> Any:
        """The articulated system or kinematics model that other files refer to."""
        system = self.made.system
        return system.elements[0] if system.elements else system.models[0][1].element

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all documents that are read with it."""
        return tuple(map(path_of, self.scene.reading.library.documents()))


def path_of(document: Any) -> str:
    """Return the path of the file that a document is, or is a member of."""
    file: str = document.file
    for suffix in _SUFFIXES:
        head, mark, _ = file.partition(f"{suffix}!")
        if mark:
            return head + suffix
    return file


class Origins:
    """Finds where bodies are from, reading each file once.

    Parameters
    ----------
    reading
        How files are read.
    target
        The path that is about to be written, or empty: nothing refers to itself.
    """

    def __init__(self, reading: ReadContext, target: str) -> None:
        self._reading = reading
        self._target = target and os.path.realpath(target)
        self._scenes: dict[str, Scene | None] = {}

    def origin_of(self, body: BodyDescription) -> Origin | None:
        """Return the system that gives a body, None if no file does any longer."""
        scene = self._scene(body.uri)
        if scene is None:
            return None
        for made, described in scene.described:
            placed = replace(
                described, name=body.name, pose=body.pose, dof_values=body.dof_values
            )
            if placed == body:
                physics = RigidBodies(scene.physics_scenes, scene.reading)
                origin = Origin(scene, made, physics)
                known = map(os.path.realpath, origin.files)
                return None if self._target in known else origin
        return None

    def _scene(self, uri: str) -> Scene | None:
        if not uri.lower().endswith(_SUFFIXES):
            return None
        if uri not in self._scenes:
            self._scenes[uri] = None
            reading = replace(self._reading, diagnostics=Diagnostics())
            try:
                scene = open_scene(open_source(uri), reading)
                scene.read()
                reading.diagnostics.raise_if_refused()
            except Error:
                return None  # it is not there any longer: the body is written out
            self._scenes[uri] = scene
        return self._scenes[uri]
