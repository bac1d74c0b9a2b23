"""The module ``urdf``: robots of URDF by command, as or_urdf has them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from pyrave.errors import ArgumentError, ResourceError, shown
from pyrave.files import write_file
from pyrave.formats import ReadContext
from pyrave.interfaces import ModuleBase, command
from pyrave.interfaces.commands.files import present_access
from pyrave_urdf.packages import Packages

_Text = list[str] | str
_KEYS = ("urdf", "srdf")


class UrdfModule(ModuleBase):
    """Commands that add robots of URDF files, with an SRDF or without.

    Each returns the name of the robot that it added, numbered if the name is taken.
    """

    contract = 1

    @command(name="load", reads=("file", "srdf"), also=("LoadURI",))
    def load(self, file: str, srdf: str = "") -> str:
        """Add the robot of a URDF file; return its name.

        Parameters
        ----------
        file
            A path, or a URI: ``package://NAME/rest``, ``model://NAME/rest``,
            ``file:``.
        srdf
            The SRDF, named alike; one that lies beside the URDF if left out.
        """
        more: dict[str, Any] = {"srdf_file": _path(srdf)} if srdf else {}
        return self._named(self.env.load(_path(file), **more, **_granted(file)))

    @command(name="LoadString")
    def load_string(self, urdf: _Text, srdf: str = "") -> str:
        """Add the robot of a URDF text; return its name.

        Parameters
        ----------
        urdf
            The XML. In a text also a JSON object with the keys ``urdf`` and ``srdf``.
        srdf
            The XML of its SRDF.
        """
        text = urdf if isinstance(urdf, str) else " ".join(urdf)
        if text.lstrip().startswith("{"):
            text, srdf = _of_json(text)
        if not srdf:
            return self._named(self.env.load_string(text, **_granted("")))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "text.srdf"
            write_file(file, srdf.encode())
            more = {"srdf_file": file, **_granted(str(file))}
            return self._named(self.env.load_string(text, **more))

    def _named(self, report: Any) -> str:
        """Return the name of the one body that was added."""
        if len(report.bodies) != 1:
            for body in report.bodies:
                self.env.remove(body)
            raise ArgumentError(
                f"{report.scene.uri or 'the text'} has {len(report.bodies)} bodies, "
                "expected one robot of URDF"
            )
        return str(report.bodies[0].name)


def _path(name: str) -> str:
    """Return the path that a name or URI means."""
    if Packages.package_of(name) is None:
        return str(ReadContext().resolver.resolve(name))
    try:
        return Packages(ReadContext(), None).path(name)
    except ResourceError as error:
        is_model = name.lower().startswith("model")
        variable = "GAZEBO_MODEL_PATH" if is_model else "ROS_PACKAGE_PATH"
        raise ResourceError(
            name,
            hint=f"set {variable} to the folder that holds the package "
            f"{Packages.package_of(name)!r}",
        ) from error


def _granted(file: str) -> dict[str, Any]:
    """Return options of a load: strangers' files name only what lies beside them."""
    if present_access() is None:
        return {"rename": True}
    folder = (str(Path(file).parent),) if file else ()
    return {"rename": True, "confine": True, "resource_roots": folder}


def _of_json(text: str) -> tuple[str, str]:
    """Return the texts of URDF and SRDF in a JSON object."""
    try:
        said = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"urdf begins like JSON and is none: {error}") from None
    fits = isinstance(said, dict) and "urdf" in said and said.keys() <= {*_KEYS}
    if not fits or not all(isinstance(one, str) for one in said.values()):
        raise ArgumentError(
            f"urdf is {shown(said)}, expected a JSON object with the texts "
            f"{' and '.join(map(repr, _KEYS))}, the second one if there is an SRDF"
        )
    return said["urdf"], said.get("srdf", "")
