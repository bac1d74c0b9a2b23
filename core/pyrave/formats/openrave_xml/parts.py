"""Remembering what files a body was composed of, while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.formats.openrave_xml.geom import mesh_file_and_scale
from pyrave.formats.openrave_xml.transforms import is_identity, relative
from pyrave.formats.xml import to_xml_element
from pyrave.scene import IDENTITY, Composition, Part, Pose, XmlElement
from pyrave.scene.pose import Vec3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats.openrave_xml.builder import (
        BodyBuilder,
        LinkBuilder,
    )

MESH_TAGS = frozenset({"data", "render", "collision"})


def file_name(element: XmlElement) -> str:
    """Return the name of the file that an element includes or shows, or ``""``."""
    name = (element.get("file") or "").strip()
    if not name and element.tag.lower() in MESH_TAGS:
        name = mesh_file_and_scale(element.text.strip())[0]
    return name


class PartBuilder:
    """An included file; what it gave may still be renamed and moved."""

    def __init__(
        self,
        body: BodyBuilder,
        kind: str,
        attributes: Mapping[str, str],
        scale: Vec3,
        *,
        skip: bool,
    ) -> None:
        self._known = Part(
            kind,
            attributes.get("file", "").strip(),
            "",
            attributes.get("name", "").strip(),
            attributes.get("prefix", "").strip(),
            scale,
            skip,
        )
        self._first = (len(body.links), len(body.joints))
        self._before = {*map(id, body.manipulators), *map(id, body.sensors)}

    def close(self, body: BodyBuilder, path: str) -> None:
        """Note what the file at `path` gave to the body."""
        first_link, first_joint = self._first
        self._known = replace(self._known, uri=path)
        self._links = body.links[first_link:]
        self._joints = body.joints[first_joint:]
        self._manipulators = [m for m in body.manipulators if self._is_new(m)]
        self._sensors = [s for s in body.sensors if self._is_new(s)]
        self._name = self._links[0].name if self._links else ""
        self._pose = self._links[0].pose if self._links else IDENTITY
        body.composition.parts.append(self)

    def _is_new(self, item: object) -> bool:
        return id(item) not in self._before

    def describe(self, base: Pose) -> Part:
        """Return the finished part of a body whose base link is at `base`."""
        known = self._known
        prefix, pose = known.prefix, IDENTITY
        if self._links:
            link = self._links[0]
            prefix = link.name.removesuffix(self._name) + prefix
            if is_identity(base) and link.pose == self._pose:
                pose = IDENTITY
            else:
                pose = relative(base, link.pose) @ self._pose.inverse()
        return replace(
            known,
            prefix=prefix,
            pose=pose,
            links=_names(self._links),
            joints=tuple(joint.name for joint in self._joints),
            manipulators=tuple(m.name for m in self._manipulators),
            attached_sensors=tuple(s.name for s in self._sensors),
        )


def _names(links: list[LinkBuilder]) -> tuple[str, ...]:
    return tuple(link.name for link in links)


class CompositionBuilder:
    """What a body's element includes, from its start to its end."""

    def __init__(self, body: BodyBuilder) -> None:
        reading = body.scope.reading
        self._found, self._inclusions = len(reading.found), reading.inclusions
        self.parts: list[PartBuilder] = []

    def describe(self, body: BodyBuilder, base: Pose) -> Composition | None:
        """Return the finished composition, None if the body is of one piece."""
        scope, reading = body.scope, body.scope.reading
        includes = reading.inclusions > self._inclusions
        is_root = body.uri == scope.file and not scope.file.startswith("<")
        if not includes and not is_root:
            return None
        source = to_xml_element(body.element, scope.file) if includes else None
        written = dict.fromkeys(_file_names(source)) if source is not None else {}
        files = dict.fromkeys(reading.found[self._found :])
        return Composition(
            tuple(part.describe(base) for part in self.parts),
            _whole(body) if is_root else None,
            source,
            tuple((name, scope.names[name]) for name in written if name in scope.names),
            (scope.file, *files) if is_root else tuple(files),
            body.frame,
            base,
            tuple(
                controller
                for controller in body.controllers
                if controller.location is None or controller.location.file != scope.file
            ),
            tuple(body.controllers) if is_root else (),
        )


def _whole(body: BodyBuilder) -> Part:
    context = body.scope.reading.context
    passed = {key.lower(): value for key, value in context.attributes.items()}
    file = body.scope.file
    return Part(
        "robot" if body.is_robot else "kinbody",
        file,
        file,
        passed.get("name", "").strip(),
        passed.get("prefix", "").strip(),
        context.scale,
        context.skip_geometry,
        body.frame,
        _names(body.links),
        tuple(joint.name for joint in body.joints),
        tuple(m.name for m in body.manipulators),
        tuple(s.name for s in body.sensors),
    )


def _file_names(element: XmlElement) -> Iterator[str]:
    name = file_name(element)
    if name:
        yield name
    for child in element.children:
        yield from _file_names(child)
