"""Writing a scene description as OpenRAVE XML.

What OpenRAVE has a tag for is written with that tag, and files that bodies were
composed of are named again. The result is then read back: a body that its files give no
longer is written out instead, and each other field that came out different is kept
exactly in a ``<pyrave>`` element.
"""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import Error, Problem, SceneError, Severity
from pyrave.formats.context import ReadContext
from pyrave.formats.diagnostics import Diagnostics
from pyrave.formats.new_names import without_blanks
from pyrave.formats.openrave_xml.read.reader import read_openrave_xml
from pyrave.formats.openrave_xml.write.body import body_node, interface_node
from pyrave.formats.openrave_xml.write.foreign import hide_foreign, tell_included
from pyrave.formats.openrave_xml.write.gravity import add_gravity
from pyrave.formats.openrave_xml.write.losses import (
    report_losses,
    report_missing_meshes,
)
from pyrave.formats.openrave_xml.write.pyrave_blocks import Settling
from pyrave.formats.openrave_xml.write.recomposition import (
    Form,
    completed,
    composed_node,
    forms_of,
    given_controllers,
    is_faithful,
)
from pyrave.formats.openrave_xml.write.state import Writing
from pyrave.formats.openrave_xml.write.tags import WrittenElement, add
from pyrave.formats.output.file_names import FileNames
from pyrave.formats.output.numbers import numbers
from pyrave.formats.output.targets import Target, write_bytes
from pyrave.formats.output.writable import fits_xml, writable
from pyrave.formats.registry import SceneSource
from pyrave.formats.resolver import Resolver
from pyrave.scene import (
    BodyDescription,
    InterfaceDescription,
    MeshReference,
    RobotDescription,
    SceneDescription,
)

if TYPE_CHECKING:
    from pyrave.formats.context import WriteContext

_SCENE_ONLY = (
    *("plugins", "name", "gravity", "background_color", "camera", "unit", "grabs"),
    *("frames", "constraints", "contact_properties", "ignored_pairs"),
)


def write_openrave_xml(
    scene: SceneDescription, target: Target, context: WriteContext
) -> list[Problem]:
    """Write `scene` to a path or a binary file object.

    Returns
    -------
    list of Problem
        What could not be written, one warning each.

    Raises
    ------
    SceneError
        If the scene holds something that no file can say, for example a duplicate
        name or a control character, or the file cannot be written. Nothing is changed
        then.
    """
    path = os.fspath(target) if isinstance(target, (str, os.PathLike)) else None
    text, losses = openrave_xml_text(scene, context, path)
    write_bytes(target, text.encode("utf-8"))
    return losses


def openrave_xml_text(
    scene: SceneDescription, context: WriteContext, target: str | None = None
) -> tuple[str, list[Problem]]:
    """Return the XML of a scene, and what could not be written.

    Parameters
    ----------
    target
        File that the text will replace: it is not named as a part of the scene.
    """
    scene, blank = without_blanks(writable(scene))
    try:
        root, writing = _Draft(scene, context, target).finish()
        etree.indent(root.element)
        text = etree.tostring(root.element, encoding="unicode")
    except Error:
        raise
    except ValueError as error:  # lxml's: a name or a text that XML cannot carry
        raise SceneError(f"the scene cannot be written as XML: {error}") from error
    if not context.embed_meshes:  # which tells of them
        report_missing_meshes(scene, writing)
    if blank:
        writing.losses.add(
            "blanks in names are written as _", *blank, kind="written-otherwise"
        )
    losses = writing.losses.problems()
    context.diagnostics.extend(losses)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + text + "\n", losses


class _Draft:
    """A scene while the best forms of its bodies are looked for."""

    def __init__(
        self, scene: SceneDescription, context: WriteContext, target: str | None
    ) -> None:
        self._scene = scene
        self._folder = context.relative_to
        self._offered = context.offered
        self._reading = context.reading or ReadContext(
            resolver=Resolver(data_roots=(), use_environment=False)
        )
        self._names = FileNames(context.relative_to, self._reading.resolver)
        self._is_root = _is_single(scene)
        self._forms: list[list[Form]] = [
            []
            if context.expand or _came_from(body, target)
            else forms_of(body, is_root=self._is_root)
            for body in scene.bodies
        ]
        self._drop_unfit_controllers()

    def finish(self) -> tuple[WrittenElement, Writing]:
        """Return the root element, and the state that tells what was lost."""
        while True:
            writing = self._writing()
            root = self._write(writing)
            hide_foreign(root.element, writing, self._offered)
            self._add_gravity(root, writing)
            try:
                read = self._read(root)
            except SceneError as error:
                if not self._give_up_unreadable():
                    raise _not_written(error) from error
                continue
            if self._is_settled(read):
                Settling(writing).settle(root, self._scene, read)
                pairs = zip(self._scene.bodies, self._forms, strict=True)
                named = [
                    body
                    for body, forms in pairs
                    if forms and body.composition is not None and body.composition.files
                ]
                tell_included(named, writing, self._offered)
                report_losses(self._scene, read, writing)
                return root, writing

    def _writing(self) -> Writing:
        reading = self._reading
        return Writing(self._names, reading.load_mesh, reading.find_reader)

    def _is_settled(self, read: SceneDescription) -> bool:
        """Take the next form of each body that is not read as described."""
        bodies = zip(self._scene.bodies, read.bodies, strict=True)
        unfit = [
            index
            for index, (body, found) in enumerate(bodies)
            if self._forms[index] and not is_faithful(body, found)
        ]
        for index in unfit:
            body, found = self._scene.bodies[index], read.bodies[index]
            form = self._forms[index][0]
            better = completed(form, body, found)
            if form.is_first and not better.is_first:
                self._forms[index][0] = better
            else:
                del self._forms[index][0]
        return not unfit

    def _give_up_unreadable(self) -> bool:
        """Take the next form of each body that alone cannot be read."""
        found = False
        for index, forms in enumerate(self._forms):
            if not forms:
                continue
            node = composed_node(
                self._scene.bodies[index],
                forms[0],
                self._writing(),
            )
            alone = WrittenElement(etree.Element("environment"))
            alone.add("bodies", node)
            try:
                self._read(alone)
            except SceneError:
                del forms[0]
                found = True
        return found

    def _drop_unfit_controllers(self) -> None:
        """Drop forms that give a robot controllers that the scene does not have."""
        for body, forms in zip(self._scene.bodies, self._forms, strict=True):
            wanted = [dataclasses.replace(i, robot="") for i in self._of(body)]
            for form in tuple(forms):
                given = given_controllers(body, form)
                if any(given.count(one) > wanted.count(one) for one in given):
                    forms.remove(form)

    def _of(self, body: BodyDescription) -> list[InterfaceDescription]:
        return [
            item
            for item in self._scene.interfaces
            if item.type == "controller" and item.robot == body.name
        ]

    def _add_gravity(self, root: WrittenElement, writing: Writing) -> None:
        gravity = self._scene.gravity
        if gravity is not None and add_gravity(root.element, gravity):
            writing.losses.add(
                "the gravity is that of a physics engine, which OpenRAVE then has",
                kind="written-otherwise",
            )

    # -- elements --------------------------------------------------------------------

    def _write(self, writing: Writing) -> WrittenElement:
        scene = self._scene
        if self._is_root:
            return self._single(writing)
        element = etree.Element("environment")
        if scene.name and fits_xml(scene.name):
            element.set("name", scene.name)
        node = WrittenElement(element)
        for plugin in scene.plugins:
            named = add(element, "plugin", plugin.name)
            for key, value in plugin.settings:
                named.set(key, value)
        _add_view(element, scene)
        for index, body in enumerate(scene.bodies):
            node.add("bodies", self._body(index, body, writing))
        self._add_interfaces(node, writing)
        writing.readables(element, scene.readables, "environment")
        return node

    def _body(
        self, index: int, body: BodyDescription, writing: Writing
    ) -> WrittenElement:
        forms = self._forms[index]
        return (
            composed_node(body, forms[0], writing)
            if forms
            else body_node(body, writing)
        )

    def _add_interfaces(
        self, node: WrittenElement, writing: Writing, *, robot: bool = True
    ) -> None:
        """Add the other interfaces but those that files of robots give."""
        given = [
            dataclasses.replace(controller, robot=body.name)
            for body, forms in zip(self._scene.bodies, self._forms, strict=True)
            if forms
            for controller in given_controllers(body, forms[0])
        ]
        if given:
            node.reordered = frozenset({"interfaces"})
        for item in self._scene.interfaces:
            if item in given:
                given.remove(item)
                node.add("interfaces", None)
            else:
                said = item if robot else dataclasses.replace(item, robot="")
                node.add("interfaces", interface_node(said, writing))

    def _single(self, writing: Writing) -> WrittenElement:
        scene = self._scene
        if scene.bodies:
            inner = self._body(0, scene.bodies[0], writing)
            node = WrittenElement(inner.element, is_scene=False)
            node.add("bodies", inner, attach=False)
            self._add_interfaces(node, writing, robot=False)
            return node
        inner = interface_node(scene.interfaces[0], writing)
        node = WrittenElement(inner.element, is_scene=False)
        node.add("interfaces", inner, attach=False)
        return node

    # -- reading back ----------------------------------------------------------------

    def _read(self, root: WrittenElement) -> SceneDescription:
        """Read what is written so far; only files that the scene came from are used."""
        files = set(_mesh_files(self._scene))
        for body, forms in zip(self._scene.bodies, self._forms, strict=True):
            if forms and body.composition is not None:
                files.update(body.composition.files)
        reading = dataclasses.replace(
            self._reading,
            resolver=self._reading.resolver.only(files),
            diagnostics=Diagnostics(),
            known_bodies=frozenset(body.name for body in self._scene.bodies),
        )
        data = etree.tostring(root.element, encoding="utf-8")
        read = read_openrave_xml(SceneSource(data, "<written>", self._folder), reading)
        reading.diagnostics.raise_if_refused()
        return read


def _add_view(element: Any, scene: SceneDescription) -> None:
    if scene.unit != ("meter", 1.0):
        unit = add(element, "unit")
        if fits_xml(scene.unit[0]):
            unit.set("name", scene.unit[0])
        unit.set("scale", numbers(scene.unit[1:]))
    if scene.background_color is not None:
        add(element, "bkgndcolor", numbers(scene.background_color))
    if scene.camera is not None:
        add(element, "camtrans", numbers(scene.camera.pose.translation))
        add(element, "camrotmat", numbers(scene.camera.pose.rotation))
        if scene.camera.focal_distance:
            add(element, "camfocal", numbers((scene.camera.focal_distance,)))


def _is_single(scene: SceneDescription) -> bool:
    """Return True if a scene is one object without an environment."""
    default = SceneDescription()
    plain = all(getattr(scene, name) == getattr(default, name) for name in _SCENE_ONLY)
    if scene.root == "environment" or not plain or scene.readables:
        return False
    if len(scene.bodies) == 1 and scene.root in {"robot", "kinbody"}:
        body = scene.bodies[0]
        is_robot = isinstance(body, RobotDescription)
        own = all(
            item.type == "controller" and item.robot == body.name and is_robot
            for item in scene.interfaces
        )
        return is_robot == (scene.root == "robot") and own
    kinds = [item.type for item in scene.interfaces]
    return not scene.bodies and kinds == [scene.root]


def _came_from(body: BodyDescription, target: str | None) -> bool:
    """Return True if a body was read from a file, or from what includes it."""
    if target is None or body.composition is None:
        return False
    real = os.path.realpath(target)
    return any(os.path.realpath(file) == real for file in body.composition.files)


def _mesh_files(scene: SceneDescription) -> list[str]:
    """Return the paths of all meshes that were found."""
    return [
        mesh.uri
        for body in scene.bodies
        for link in body.links
        for found in (
            *(shape for g in link.geometries for shape in (g.shape, g.render)),
            *(contact.shape for contact in link.contacts),
        )
        if isinstance(mesh := getattr(found, "mesh", None), MeshReference)
        and mesh.found
    ]


def _not_written(error: SceneError) -> SceneError:
    """Return the errors of reading back as such of the scene."""
    return SceneError(
        [
            dataclasses.replace(
                problem,
                message=f"cannot be written: {problem.message}",
                file=None,
                line=None,
                column=None,
            )
            for problem in error.problems
            if problem.severity is Severity.ERROR
        ]
    )
