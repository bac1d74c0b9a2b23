"""Writing a scene description as COLLADA 1.5 with OpenRAVE's extensions.

Ids, names and the order of elements are those of OpenRAVE's own writer. The result is
read back, and what came out different is said exactly in extras of the profile
``pyrave``, which other programs pass over.
"""

from __future__ import annotations

import dataclasses
import io
import os
import zipfile
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from pyrave.errors import Problem, SceneError, Severity
from pyrave.formats import (
    Diagnostics,
    ReadContext,
    Resolver,
    SceneSource,
    write_bytes,
)
from pyrave.formats.file_names import FileNames
from pyrave.formats.writable import writable
from pyrave_collada.exact import exact_part
from pyrave_collada.scene import read_collada
from pyrave_collada.write_exact import Differences
from pyrave_collada.write_extras import add_model_extras, add_system_extras
from pyrave_collada.write_geometry import GeometryLibrary
from pyrave_collada.write_model import add_class, add_model
from pyrave_collada.write_physics import (
    add_grabs,
    add_physics_instance,
    add_physics_model,
)
from pyrave_collada.write_plan import BodyPlan, plan_body
from pyrave_collada.write_systems import add_bindings, add_scene_instance, add_systems
from pyrave_collada.write_tags import PYRAVE, add, add_extra, numbers, root_element
from pyrave_collada.write_visual import add_nodes, add_visual

if TYPE_CHECKING:
    from pyrave.formats import Target, WriteContext
    from pyrave.scene import BodyDescription, SceneDescription
    from pyrave_collada.write_geometry import Shown

__all__ = ["collada_bytes", "write_collada"]

_LIBRARIES = (
    ("visual_scenes", "vscenes"),
    ("geometries", "geometries"),
    ("effects", "effects"),
    ("materials", "materials"),
    ("nodes", "nodes"),
    ("kinematics_models", "kmodels"),
    ("articulated_systems", "asystems"),
    ("kinematics_scenes", "kscenes"),
    ("physics_scenes", "pscenes"),
    ("physics_models", "pmodels"),
)
# OpenRAVE takes a tool without a version for one that writes speeds in radians
_TOOL = "pyrave Collada Writer v1"
_EPOCH = "1980-01-01T00:00:00Z"
_DOS_EPOCH = (1980, 1, 1, 0, 0, 0)
_OTHER_JOINTS = {
    "spherical": "three axes that turn one after the other",
    "trajectory": "a joint that rests",
}


def write_collada(
    scene: SceneDescription, target: Target, context: WriteContext
) -> list[Problem]:
    """Write a scene to a path or a binary file object; ``.zae`` is zipped.

    Returns
    -------
    list of Problem
        What other programs, or pyrave too, will not find in the file.

    Raises
    ------
    SceneError
        If the scene holds something that no file can say, or the file cannot be
        written. Nothing is changed then.
    """
    path = ""
    if isinstance(target, (str, os.PathLike)):
        path = os.fspath(target)
    data, losses = collada_bytes(scene, context, PurePath(path).stem or "scene")
    if path.lower().endswith(".zae"):
        data = _zipped(data, PurePath(path).stem)
    write_bytes(target, data)
    return losses


def collada_bytes(
    scene: SceneDescription, context: WriteContext, name: str = "scene"
) -> tuple[bytes, list[Problem]]:
    """Return the document of a scene, and what is lost.

    Parameters
    ----------
    name
        What the scenes in the document are called.
    """
    scene = writable(scene)
    try:
        with np.errstate(all="ignore"):
            data, lost = _Draft(scene, context, name).finish()
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, SceneError):
            raise
        raise SceneError(f"the scene cannot be written as COLLADA: {error}") from error
    losses = [
        Problem(Severity.WARNING, message, code="not-written")
        for message in dict.fromkeys(lost)
    ]
    context.diagnostics.extend(losses)
    return data, losses


def _zipped(data: bytes, stem: str) -> bytes:
    """Return an archive with a manifest; the same document gives the same bytes."""
    from xml.sax.saxutils import escape

    document = f"{stem}.dae"
    manifest = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f"<dae_root>./{escape(document)}</dae_root>\n"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (
            ("manifest.xml", manifest.encode("utf-8")),
            (document, data),
        ):
            info = zipfile.ZipInfo(name, _DOS_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


class _Draft:
    """A scene while it is written."""

    def __init__(
        self, scene: SceneDescription, context: WriteContext, name: str
    ) -> None:
        self._scene = scene
        self._folder = context.relative_to
        self._name = name
        self._reading = context.reading or ReadContext(
            resolver=Resolver(data_roots=(), use_environment=False)
        )
        self._lost: list[str] = []
        self._plans = {
            body.name: plan_body(number, body)
            for number, body in enumerate(scene.bodies)
            if body.links
        }
        self._geometries = GeometryLibrary(self._reading.load_mesh, self._lost.append)
        self._shown: dict[tuple[str, str], list[Shown | None]] = {}
        self._systems: dict[str, Any] = {}
        self._root = root_element()

    def finish(self) -> tuple[bytes, list[str]]:
        """Return the document, and what is lost."""
        scene_element = self._write()
        read = self._read()
        names = FileNames(self._folder, self._reading.resolver)
        differences = Differences(names, self._shown, self._lost.append)
        found = {body.name: body for body in read.bodies}
        for body in self._scene.bodies:
            if body.name in self._systems:
                system = self._systems[body.name]
                differences.add(system, body, found[body.name], body.name)
        differences.add(scene_element, self._scene, read)
        if not self._scene.bodies and exact_part(scene_element) is None:
            add_extra(scene_element, PYRAVE, profile=PYRAVE)  # empty on purpose
        return self._text(), self._lost

    def _read(self) -> SceneDescription:
        """Read what is written so far."""
        reading = dataclasses.replace(
            self._reading,
            resolver=self._reading.resolver.only(()),
            diagnostics=Diagnostics(),
        )
        source = SceneSource(self._text(), "<written>", self._folder)
        read = read_collada(source, reading)
        reading.diagnostics.raise_if_refused()
        return read

    def _text(self) -> bytes:
        etree.indent(self._root)
        head = b'<?xml version="1.0" encoding="utf-8"?>\n'
        text: bytes = etree.tostring(self._root, encoding="utf-8")
        return head + text + b"\n"

    # -- elements --------------------------------------------------------------------

    def _write(self) -> Any:
        """Write the document; return its ``<scene>``."""
        root = self._root
        _add_asset(root)
        library = {
            name: add(root, f"library_{name}", id=key) for name, key in _LIBRARIES
        }
        visual = add(
            library["visual_scenes"], "visual_scene", id="vscene", name=self._name
        )
        kinematics = add(
            library["kinematics_scenes"],
            "kinematics_scene",
            id="kscene",
            name=self._name,
        )
        physics = add(
            library["physics_scenes"], "physics_scene", id="pscene", name=self._name
        )
        scene = add(root, "scene")
        instances = {
            kind: add(
                scene,
                f"instance_{kind}_scene",
                url=f"#{kind[0]}scene",
                sid=f"{kind[0]}scene_inst",
                name=self._name,
            )
            for kind in ("physics", "visual", "kinematics")
        }
        sensors = add_extra(root, "library_sensors", key="sensors")
        actuators = add_extra(root, "library_actuators", key="actuators")
        for plan in self._plans.values():
            add_visual(visual, plan)
            shown = add_nodes(library["nodes"], plan, self._geometries)
            model = add_model(library["kinematics_models"], plan, self._lost.append)
            add_model_extras(model, plan, shown)
            system = add_systems(library["articulated_systems"], plan)
            add_class(system, plan)
            add_system_extras(system, plan, sensors, actuators, self._lost.append)
            add_scene_instance(kinematics, plan)
            add_bindings(instances["kinematics"], plan)
            add_physics_instance(physics, plan)
            add_physics_model(library["physics_models"], plan, shown)
            self._systems[plan.body.name] = system
            for link, found in shown.items():
                self._shown[plan.body.name, link] = found
            self._lost += _told_of(plan)
        self._geometries.fill(
            library["geometries"], library["effects"], library["materials"]
        )
        common = add(physics, "technique_common")
        if self._scene.gravity is not None:
            add(common, "gravity", numbers(self._scene.gravity))
        add_grabs(instances["physics"], self._scene.grabs, self._plans)
        for one in library.values():
            if not len(one):
                root.remove(one)
        return scene


def _add_asset(root: Any) -> None:
    asset = add(root, "asset")
    contributor = add(asset, "contributor")
    add(contributor, "authoring_tool", _TOOL)
    # the same scene gives the same file, whenever it is written
    add(asset, "created", _EPOCH)
    add(asset, "modified", _EPOCH)
    add(asset, "unit", name="meter", meter="1")
    add(asset, "up_axis", "Z_UP")


def _told_of(plan: BodyPlan) -> list[str]:
    """Return what other programs will not find in a body."""
    body: BodyDescription = plan.body
    return [
        f"the {joint.type} joint {joint.name!r} of body {body.name!r} is one for "
        f"pyrave alone: COLLADA has none, other programs see "
        f"{_OTHER_JOINTS[joint.type]}"
        for joint in body.joints
        if joint.type in _OTHER_JOINTS
    ]
