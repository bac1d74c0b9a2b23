"""Loading, reading and saving by an environment."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyrave
from pyrave.files import write_file
from pyrave_openravepy.api.enums import SelectionOptions
from pyrave_openravepy.api.environment.scales import scaled_body
from pyrave_openravepy.api.foundation.logs import RaveLogError, RaveLogWarn
from pyrave_openravepy.api.foundation.objects import ApiObject, wrap
from pyrave_openravepy.api.functions.files import RaveFindLocalFile, is_confined

__all__ = ["EnvironmentFiles", "local_name"]

_COLLADA = (".dae", ".zae", ".dae.gz")
_SCHEMES = ("file:", "openrave:")
# what OpenRAVE's readers take besides XML attributes of the root
_READER_OPTIONS = frozenset({"openravescheme", "vopenravescheme"})


class EnvironmentFiles(ApiObject):
    """The part of `Environment` that loads, reads and saves."""

    # -- loading ---------------------------------------------------------------------

    def Load(self, filename: str, atts: Any = None) -> bool:
        name = local_name(filename)
        if not _is_open(name):
            return False
        if not _changes_shapes(name, atts):
            return self._load(lambda **given: self._native.load(name, **given), atts)
        scene = self._scene(
            lambda **given: self._native.read(name, **given), atts, name
        )
        if scene is None:
            return False
        return self._load(lambda **_: self._native.add_scene(scene, rename=True), None)

    def LoadURI(self, filename: str, atts: Any = None) -> bool:
        return self.Load(filename, atts)

    def LoadData(self, data: str, atts: Any = None) -> bool:
        return self._load(lambda **given: self._native.load_string(data, **given), atts)

    def _load(self, load: Callable[..., Any], atts: Any) -> bool:
        try:
            load(rename=True, **_options(atts))
        except pyrave.Error as error:
            RaveLogError(str(error))
            return False
        return True

    # -- reading, without adding -----------------------------------------------------

    def ReadKinBodyURI(self, filename: str, atts: Any = None) -> Any:
        return self._read_file(filename, atts)

    def ReadKinBodyXMLFile(self, filename: str, atts: Any = None) -> Any:
        return self._read_file(filename, atts)

    def ReadKinBodyData(self, data: str, atts: Any = None, uri: str = "") -> Any:
        return self._read_text(data, atts, uri)

    def ReadKinBodyXMLData(self, data: str, atts: Any = None, uri: str = "") -> Any:
        return self._read_text(data, atts, uri)

    def ReadRobotURI(self, filename: str, atts: Any = None) -> Any:
        return self._read_file(filename, atts, robot=True)

    def ReadRobotXMLFile(self, filename: str, atts: Any = None) -> Any:
        return self._read_file(filename, atts, robot=True)

    def ReadRobotData(self, data: str, atts: Any = None, uri: str = "") -> Any:
        return self._read_text(data, atts, uri, robot=True)

    def ReadRobotXMLData(self, data: str, atts: Any = None, uri: str = "") -> Any:
        return self._read_text(data, atts, uri, robot=True)

    def ReadInterfaceURI(self, filename: str, atts: Any = None) -> Any:
        if not _is_open(filename):
            return None
        scene = self._scene(lambda **given: self._native.read(filename, **given), atts)
        if scene is None:
            return None
        if scene.bodies:
            return self._body_of(scene, robot=False)
        for one in scene.interfaces:
            return self._interface_of(one)
        return None

    def ReadInterfaceXMLFile(self, filename: str, atts: Any = None) -> Any:
        return self.ReadInterfaceURI(local_name(filename), atts)

    def _read_file(self, filename: str, atts: Any, *, robot: bool = False) -> Any:
        name = local_name(filename)
        if not _is_open(name):
            return None
        scene = self._scene(
            lambda **given: self._native.read(name, **given), atts, name
        )
        return None if scene is None else self._body_of(scene, robot=robot)

    def _read_text(self, data: str, atts: Any, uri: str, *, robot: bool = False) -> Any:
        def read(**given: Any) -> Any:
            # pyrave reads descriptions of files; of a text it adds what it says
            folder = Path(uri).parent if uri else Path.cwd()
            with tempfile.TemporaryDirectory() as place:
                path = Path(place, _file_name(data))
                write_file(path, data)
                return self._native.read(path, resource_roots=folder, **given)

        scene = self._scene(read, atts)
        body = None if scene is None else self._body_of(scene, robot=robot)
        if body is not None:
            body._native.uri = str(uri)
        return body

    def _scene(self, read: Callable[..., Any], atts: Any, name: str = "") -> Any:
        """Return the description of a file, shaped as attributes say, or None."""
        own, scale = _without_scale(name, atts)
        try:
            scene = read(**_options(own))
        except pyrave.Error as error:
            RaveLogError(str(error))
            return None
        change = _without_geometry if _skips_geometry(atts) else None
        if change is None and scale is not None:
            change = functools.partial(scaled_body, scale=scale)
        if change is None:
            return scene
        return dataclasses.replace(scene, bodies=tuple(map(change, scene.bodies)))

    def _body_of(self, scene: Any, *, robot: bool) -> Any:
        """Return the first body of a description, made and not added."""
        from pyrave.scene import RobotDescription, SceneDescription

        kinds = [one for one in scene.bodies if isinstance(one, RobotDescription)]
        found = next(iter(kinds if robot and kinds else scene.bodies), None)
        if found is None:
            RaveLogError("the file holds no body")
            return None
        if robot and not kinds:
            own = dataclasses.fields(found)
            values = {one.name: getattr(found, one.name) for one in own if one.init}
            found = RobotDescription(**values)
        alone = SceneDescription(bodies=(found,), plugins=scene.plugins)
        with self._native:
            try:
                (body,) = self._native.add_scene(alone, rename=True).bodies
            except pyrave.Error as error:
                RaveLogError(str(error))
                return None
            self._native.remove(body)
            body.name = found.name
        return wrap(body)

    def _interface_of(self, description: Any) -> Any:
        made = self._native.create(description.type, description.interface)
        made.take_readables(description.readables)
        return wrap(made)

    # -- saving ----------------------------------------------------------------------

    def Save(
        self,
        filename: str,
        options: int = SelectionOptions.Everything,
        atts: Any = None,
    ) -> None:
        self._chosen(int(options), atts).save(str(filename))

    def WriteToMemory(
        self,
        filetype: str,
        options: int = SelectionOptions.Everything,
        atts: Any = None,
    ) -> bytes:
        suffix = {"collada": "dae", "openrave": "env.xml"}.get(filetype, filetype)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place, f"scene.{suffix}")
            self._chosen(int(options), atts).save(path, embed_meshes=True, expand=True)
            return path.read_bytes()

    def _chosen(self, options: int, atts: Any) -> pyrave.Environment:
        """Return an environment with the bodies that are to be written."""
        env: pyrave.Environment = self._native
        if options == SelectionOptions.Everything:
            return env
        names = {str(value) for key, value in _pairs(atts) if key == "target"}
        keeps: dict[int, Callable[[Any], bool]] = {
            SelectionOptions.NoRobots: lambda body: not body.is_robot,
            SelectionOptions.Robots: lambda body: body.is_robot,
            SelectionOptions.Body: lambda body: body.name in names,
            SelectionOptions.AllExceptBody: lambda body: body.name not in names,
        }
        if options not in keeps:
            raise pyrave.ArgumentError(
                f"options are {options}, expected one of SelectionOptions: "
                f"{', '.join(one.name for one in SelectionOptions)}"
            )
        if options == SelectionOptions.Body and not names <= set(env.bodies.names):
            missing = min(names - set(env.bodies.names))
            raise pyrave.NotFoundError("body", missing, env.bodies.names)
        copy = env.clone()
        for body in tuple(copy.bodies):
            if not keeps[options](body):
                copy.remove(body)
        return copy


def local_name(filename: Any) -> str:
    """Return the name of a file from a URI of OpenRAVE, or from a name."""
    name = os.fspath(filename)
    if not isinstance(name, str):
        raise pyrave.ArgumentError(f"filename is {name!r}, expected a text")
    scheme = next((one for one in _SCHEMES if name.startswith(one)), "")
    rest = name.removeprefix(scheme)
    if scheme == "file:":
        return rest.removeprefix("//")
    return rest.lstrip("/") if scheme else rest


def _pairs(atts: Any) -> list[tuple[str, Any]]:
    """Return attributes, given by name, as pairs that may repeat, or as a target."""
    if not atts:
        return []
    if isinstance(atts, str):
        # `Save` takes the name of a body so
        return [("target", atts)]
    items = atts.items() if hasattr(atts, "items") else atts
    return [(str(key), value) for key, value in items]


def _is_open(name: str) -> bool:
    """Return True if loads may open a file that a call names; log it if not."""
    if not is_confined() or RaveFindLocalFile(name):
        return True
    RaveLogError(
        f"{name} is in none of the data folders: RaveSetDataAccess(0) opens it"
    )
    return False


def _without_scale(name: str, atts: Any) -> tuple[Any, tuple[float, ...] | None]:
    """Return attributes and a scale that readers of COLLADA do not know."""
    pairs = _pairs(atts)
    found = [value for key, value in pairs if key == "scalegeometry"]
    if not found or not name.lower().endswith(_COLLADA):
        return atts, None
    rest = [(key, value) for key, value in pairs if key != "scalegeometry"]
    words = str(found[-1]).split()
    try:
        scale = tuple(map(float, words * 3 if len(words) == 1 else words))
    except ValueError:
        scale = ()
    if len(scale) != 3 or not all(0.0 < one < math.inf for one in scale):
        raise pyrave.ArgumentError(
            f"scalegeometry is {found[-1]!r}, expected one or three positive numbers"
        )
    return rest, scale


def _changes_shapes(name: str, atts: Any) -> bool:
    return _skips_geometry(atts) or _without_scale(name, atts)[1] is not None


def _skips_geometry(atts: Any) -> bool:
    return any(
        key == "skipgeometry" and str(value).lower() not in {"0", "false", ""}
        for key, value in _pairs(atts)
    )


def _without_geometry(body: Any) -> Any:
    links = [dataclasses.replace(link, geometries=()) for link in body.links]
    return dataclasses.replace(body, links=tuple(links))


def _options(atts: Any) -> dict[str, Any]:
    given = dict(_pairs(atts))
    given.pop("skipgeometry", None)
    for key in _READER_OPTIONS & given.keys():
        del given[key]
        RaveLogWarn(f"the attribute {key!r} of a load is ignored: it does nothing here")
    options: dict[str, Any] = {"confine": True} if is_confined() else {}
    return {**options, "attributes": given} if given else options


def _file_name(data: str) -> str:
    head = data.lstrip()[:400].lower()
    if "<collada" in head:
        return "text.dae"
    return "text.xml"
