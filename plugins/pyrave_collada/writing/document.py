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
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from pyrave.errors import Error, Problem, SceneError
from pyrave.formats import (
    Diagnostics,
    Losses,
    ReadContext,
    Resolver,
    SceneSource,
    named_simulation_data,
    write_bytes,
)
from pyrave.formats.output.file_names import FileNames
from pyrave.formats.output.writable import writable
from pyrave.formats.xml import MAX_DEPTH, elements_too_deep
from pyrave_collada.document.extras import exact_part
from pyrave_collada.document.urls import url_of
from pyrave_collada.reading.scene import read_collada
from pyrave_collada.writing.constraints import add_constraints, unsaid
from pyrave_collada.writing.exact import Differences
from pyrave_collada.writing.extras import add_model_extras, add_system_extras
from pyrave_collada.writing.geometry import GeometryLibrary
from pyrave_collada.writing.losses import not_for_others
from pyrave_collada.writing.model import add_class, add_model
from pyrave_collada.writing.names import check_bodies
from pyrave_collada.writing.origins import Origins
from pyrave_collada.writing.physics import (
    add_grabs,
    add_physics_instance,
    add_physics_model,
    rigid_paths,
)
from pyrave_collada.writing.plan import BodyPlan, plan_body
from pyrave_collada.writing.references import is_as_described, reference_to
from pyrave_collada.writing.surfaces import PhysicsMaterials
from pyrave_collada.writing.systems import add_bindings, add_scene_instance, add_systems
from pyrave_collada.writing.tags import (
    add,
    add_exact,
    add_extra,
    numbers,
    root_element,
)
from pyrave_collada.writing.visual import add_nodes, add_visual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats import Target, WriteContext
    from pyrave.scene import SceneDescription
    from pyrave_collada.writing.geometry import Shown
    from pyrave_collada.writing.origins import Origin
    from pyrave_collada.writing.references import Reference

_LIBRARIES = (
    ("visual_scenes", "vscenes"),
    ("geometries", "geometries"),
    ("effects", "effects"),
    ("materials", "materials"),
    ("nodes", "nodes"),
    ("kinematics_models", "kmodels"),
    ("articulated_systems", "asystems"),
    ("kinematics_scenes", "kscenes"),
    ("physics_materials", "pmaterials"),
    ("physics_scenes", "pscenes"),
    ("physics_models", "pmodels"),
)
# OpenRAVE takes a tool without a version for one that writes speeds in radians
_TOOL = "pyrave Collada Writer v1"
_EPOCH = "1980-01-01T00:00:00Z"
_DOS_EPOCH = (1980, 1, 1, 0, 0, 0)


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
    data, losses = collada_bytes(scene, context, path)
    if path.lower().endswith(".zae"):
        data = _zipped(data, PurePath(path).stem)
    write_bytes(target, data)
    return losses


def collada_bytes(
    scene: SceneDescription, context: WriteContext, target: str = ""
) -> tuple[bytes, list[Problem]]:
    """Return the document of a scene, and what is lost.

    Parameters
    ----------
    target
        The path that is written: the scenes have its name, and no body comes from it.

    Raises
    ------
    SceneError
        If the scene holds something that no file can say.
    """
    scene = writable(scene)
    check_bodies(scene.bodies)
    draft = _Draft(scene, context, target)
    try:
        with np.errstate(all="ignore"):
            data, lost = draft.finish()
    except Error:
        raise
    except ValueError as error:  # lxml's: a name or a text that XML cannot carry
        raise SceneError(f"the scene cannot be written as COLLADA: {error}") from error
    losses = lost.problems()
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
    """A scene while it is written.

    Bodies that other files give are looked for only if the caller wants no copies of
    them. What is read back decides whether a reference still says what is described.
    """

    def __init__(
        self, scene: SceneDescription, context: WriteContext, target: str
    ) -> None:
        self._scene = scene
        self._folder = context.relative_to
        self._name = PurePath(target).stem or "scene"
        self._reading = context.reading or ReadContext(
            resolver=Resolver(data_roots=(), use_environment=False)
        )
        self._names = FileNames(self._folder, self._reading.resolver)
        self._origins: dict[str, Origin] = {}
        if context.expand is False:
            origins = Origins(self._reading, target)
            found = {body.name: origins.origin_of(body) for body in scene.bodies}
            self._origins = {name: one for name, one in found.items() if one}

    def finish(self) -> tuple[bytes, Losses]:
        """Return the document, and what is lost."""
        while True:
            self._begin()
            scene_element = self._write()
            read = self._read()
            found = {body.name: body for body in read.bodies}
            unfit = [
                body.name
                for body in self._scene.bodies
                if body.name in self._references
                and not is_as_described(body, found.get(body.name))
            ]
            if not unfit:
                break
            for name in unfit:
                del self._origins[name]
        differences = Differences(self._names, self._shown, self._lost)
        for body in self._scene.bodies:
            if body.name in self._holders:
                holder = self._holders[body.name]
                differences.add(holder, body, found[body.name], body.name)
        differences.add(scene_element, self._scene, read)
        self._note_unsaid(read)
        if not self._scene.bodies and exact_part(scene_element) is None:
            add_exact(scene_element)  # empty on purpose
        return self._text(), self._lost

    def _note_unsaid(self, read: SceneDescription) -> None:
        """Report the simulation data that only pyrave reads."""
        rest, parts = unsaid(self._materials.rest(), read)
        described = self._materials.described()
        if described:
            parts["descriptions of materials"] = described
        for what, names in (*named_simulation_data(rest), *parts.items()):
            self._hide(f"{what} are for pyrave alone", *names)

    def _begin(self) -> None:
        self._lost = Losses()
        self._hide = partial(self._lost.add, kind="pyrave-only")
        self._plans: dict[str, BodyPlan] = {}
        self._references: dict[str, Reference] = {}
        for number, body in enumerate(self._scene.bodies):
            origin = self._origins.get(body.name)
            reference = None
            if origin is not None:
                reference = reference_to(number, body, origin, self._url_of)
            if reference is not None:
                self._references[body.name] = reference
            elif body.links:
                self._plans[body.name] = plan_body(number, body)
        self._geometries = GeometryLibrary(self._reading.load_mesh, self._hide)
        self._shown: dict[tuple[str, str], list[Shown | None]] = {}
        self._holders: dict[str, Any] = {}
        self._root = root_element()

    def _url_of(self, path: str) -> str:
        return url_of(path, self._names, self._folder)

    def _read(self) -> SceneDescription:
        """Read what is written so far."""
        files = {path for one in self._references.values() for path in one.files}
        reading = dataclasses.replace(
            self._reading,
            resolver=self._reading.resolver.only(files),
            diagnostics=Diagnostics(),
        )
        source = SceneSource(self._text(), "<written>", self._folder)
        try:
            read = read_collada(source, reading)
        except SceneError:
            self._refuse_depth()
            raise
        reading.diagnostics.raise_if_refused()
        return read

    def _refuse_depth(self) -> None:
        """Raise a SceneError if links are nested deeper than readers of XML go."""
        names = [
            model.get("name")
            for element in elements_too_deep(self._root)
            for model in element.iterancestors("{*}kinematics_model")
        ]
        if names:
            raise SceneError.refusal(
                "too-complex",
                f"the body {names[0]!r} has a chain of too many links: COLLADA "
                f"nests each in the one before, and {MAX_DEPTH} levels are read",
                hint="save it in another format, such as NAME.env.xml",
            )

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
        rigid: dict[str, Mapping[str, str]] = {}
        materials = self._materials = PhysicsMaterials(self._scene)
        for body in self._scene.bodies:
            reference = self._references.get(body.name)
            if reference is not None:
                self._holders[body.name] = reference.write(
                    kinematics, visual, physics, instances["kinematics"]
                )
                rigid[body.name] = reference.rigid
                continue
            plan = self._plans.get(body.name)
            if plan is None:
                continue
            add_visual(visual, plan)
            shown = add_nodes(library["nodes"], plan, self._geometries)
            model = add_model(library["kinematics_models"], plan, self._hide)
            add_model_extras(model, plan, shown, self._geometries, self._lost.add)
            system = add_systems(library["articulated_systems"], plan)
            add_class(system, plan)
            add_system_extras(system, plan, sensors, actuators, self._lost)
            add_scene_instance(kinematics, plan)
            add_bindings(instances["kinematics"], plan)
            add_physics_instance(physics, plan)
            add_physics_model(library["physics_models"], plan, shown, materials)
            rigid[body.name] = rigid_paths(plan)
            self._holders[body.name] = system
            for link, found in shown.items():
                self._shown[plan.body.name, link] = found
            for loss, message in not_for_others(plan):
                self._lost.add(message, kind=loss)
        materials.fill(library["physics_materials"])
        # the schema wants all models before all axes
        binds = instances["kinematics"]
        binds[:] = sorted(binds, key=lambda one: "bind_joint_axis" in one.tag)
        self._geometries.fill(
            library["geometries"], library["effects"], library["materials"]
        )
        brought = {name: one.constraints for name, one in self._references.items()}
        models = library["physics_models"]
        add_constraints(models, physics, self._scene, rigid, brought)
        common = add(physics, "technique_common")
        if self._scene.gravity is not None:
            add(common, "gravity", numbers(self._scene.gravity))
        add_grabs(instances["physics"], self._scene.grabs, rigid)
        if not len(visual):
            # the schema has none without a node, and OpenRAVE loads no file without one
            add(visual, "node", id="nothing")
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
