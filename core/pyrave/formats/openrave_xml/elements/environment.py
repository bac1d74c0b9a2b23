"""``<environment>``: bodies, other interfaces, plugins and the view."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.errors import nearest
from pyrave.formats.format_detection import ROOTS_OF_OPENRAVE
from pyrave.formats.openrave_xml.builders.body_builder import BodyBuilder
from pyrave.formats.openrave_xml.builders.chains import check_chains
from pyrave.formats.openrave_xml.elements.body import Options, read_body_element
from pyrave.formats.openrave_xml.elements.interfaces import read_interface
from pyrave.formats.openrave_xml.elements.overrides import (
    Overrides,
    read_overrides,
    with_overrides,
)
from pyrave.formats.openrave_xml.gravity import engine_gravity, is_gravity_alone
from pyrave.formats.openrave_xml.read.inclusion import included
from pyrave.formats.openrave_xml.read.scope import lowered
from pyrave.formats.openrave_xml.schema import (
    ELEMENTS,
)
from pyrave.formats.openrave_xml.transforms import multiply, read_rotation
from pyrave.formats.xml import local_name
from pyrave.interfaces.types import INTERFACE_TYPES, TYPE_ALIASES
from pyrave.scene import (
    BodyDescription,
    CameraView,
    InterfaceDescription,
    PluginReference,
    Pose,
    Readable,
    RobotDescription,
    SceneDescription,
)
from pyrave.scene.pose import Matrix3, Vec3

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats.openrave_xml.read.scope import Scope
    from pyrave.formats.openrave_xml.read.state import LoadState

_BODIES = frozenset({"kinbody", "robot"})
_INTERFACES = frozenset({*INTERFACE_TYPES, *TYPE_ALIASES}) - _BODIES
_HALF_TURN = (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0)
_CAMERA_TILT = -0.5
_CAMERA_PLACE: Vec3 = (0.0, 1.5, 0.8)
_ROTATIONS = {
    "camrotationaxis": "rotationaxis",
    "camrotaxis": "rotationaxis",
    "camrotmat": "rotationmat",
}


class SceneReader:
    """Collects a scene while its files are read; belongs to one load."""

    def __init__(self, load: LoadState) -> None:
        self.load = load
        self.bodies: list[BodyDescription] = []
        self.interfaces: list[InterfaceDescription] = []
        self.plugins: list[PluginReference] = []
        self.readables: list[tuple[str, Readable]] = []
        self.gravity: Vec3 | None = None
        self.background: Vec3 | None = None
        self.unit = ("meter", 1.0)
        self.name = ""
        self.incomplete = False
        self.overrides: Overrides | None = None
        self._camera_translation: Vec3 | None = None
        self._camera_rotation: Matrix3 | None = None
        self._camera_focal: float | None = None
        self._declared: dict[str, tuple[Any, Scope]] = {}
        self._robots_wanted: list[tuple[InterfaceDescription, Any, Scope]] = []

    def read_root(self, scope: Scope) -> SceneDescription:
        """Read the main document's root, which is any interface or environment."""
        context = self.load.context
        root = scope.document.root
        tag = local_name(root)
        kind = TYPE_ALIASES.get(tag, tag)
        passed = {key.lower(): value for key, value in context.attributes.items()}
        if kind in ELEMENTS:
            scope.check_given(root, kind, passed)
        if kind == "environment":
            self.read(root, scope, passed)
        elif kind in _BODIES:
            attributes = _with_passed(root, scope, kind, passed)
            self._body(root, scope, kind, attributes, uri=scope.file)
        elif kind in INTERFACE_TYPES:
            self._interface(root, scope, passed)
        else:
            near = nearest(tag, ("environment", *INTERFACE_TYPES, *TYPE_ALIASES))
            hint = f"did you mean <{near}>? " if near else ""
            scope.error(
                root,
                "wrong-root",
                f"the root element is <{tag}>, expected <environment> or an interface",
                f"{hint}interfaces: {', '.join(INTERFACE_TYPES)}",
            )
        return self._finish(scope, kind)

    def read(
        self, element: Any, scope: Scope, passed: Mapping[str, str] | None = None
    ) -> None:
        """Read an ``<environment>`` element into this scene."""
        attributes = {**scope.attributes(element, "environment"), **(passed or {})}
        scope.keep_attributes(element, "environment", self.readables)
        children = list(element)
        for child in children:
            if lowered(child.tag, child) == "plugin":
                name = (child.text or "").strip()
                if name:
                    scope.load.context.prefer(name)
        if "file" in attributes:
            self._include(element, scope, attributes["file"])
        if attributes.get("name"):
            self.name = attributes["name"].strip()
        for child in children:
            tag = lowered(child.tag, child)
            if tag in _BODIES:
                self._body(child, scope, tag, scope.attributes(child, tag))
            elif tag in _INTERFACES:
                if tag == "physicsengine":
                    self.gravity = engine_gravity(child) or self.gravity
                    if is_gravity_alone(child):
                        continue
                self._interface(child, scope)
            elif tag == "environment":
                self.read(child, scope)
            elif tag:
                self._tag(tag, child, scope)

    def _tag(self, tag: str, element: Any, scope: Scope) -> None:
        if tag in {"bkgndcolor", "bkgndcol"}:
            known = self.background or (1.0, 1.0, 1.0)
            self.background = scope.floats(element, 3, known) or known  # type: ignore[assignment]
        elif tag == "camtrans":
            place = self._camera_translation or _CAMERA_PLACE
            self._camera_translation = scope.floats(element, 3, place)  # type: ignore[assignment]
        elif tag in _ROTATIONS:
            rotation = read_rotation(_ROTATIONS[tag], element, scope)
            if tag == "camrotaxis" and rotation is not None:
                scope.warn(
                    element,
                    "deprecated-tag",
                    "<camrotaxis> is an old form, half a turn about x apart",
                    "write <camrotationaxis>",
                )
                rotation = multiply(rotation, _HALF_TURN)
            self._camera_rotation = rotation
        elif tag == "camfocal":
            scope.note_idle("environment", element)
            self._camera_focal = scope.number(element, self._camera_focal or 0.0)
        elif tag == "plugin":
            scope.leaf(element, [key.lower() for key, _ in element.items()])
            name = (element.text or "").strip()
            settings = tuple((key.lower(), value) for key, value in element.items())
            if name:
                at = scope.location(element)
                self.plugins.append(PluginReference(name, at, settings))
            else:
                given = dict(settings).get("name", "").strip()
                hint = f"write <plugin>{given or 'name'}</plugin>"
                scope.error(element, "bad-name", "<plugin> names no plugin", hint)
        elif tag == "unit":
            self._unit(element, scope)
        elif tag == "pyrave":
            self.overrides = read_overrides(
                element, scope, self.overrides, partial(self._kept_interface, scope)
            )
        else:
            tags = ELEMENTS["environment"].tags
            self.readables += scope.part_tag(element, "environment", tags)

    def _unit(self, element: Any, scope: Scope) -> None:
        attributes = scope.attributes(element, "unit")
        text = attributes.get("scale", attributes.get("meter", "1"))
        scale = scope.attribute_floats(element, "scale", text, (1,))
        name = attributes.get("name", "").strip() or "meter"
        self.unit = (name, scale[0] if scale else 1.0)

    def _body(
        self,
        element: Any,
        scope: Scope,
        kind: str,
        attributes: dict[str, str],
        uri: str = "",
    ) -> None:
        context = self.load.context
        body = BodyBuilder(element, scope, is_robot=kind == "robot")
        options = Options(context.scale, skip=context.skip_geometry)
        read_body_element(element, scope, body, options, attributes, outermost=True)
        check_chains(body)
        if uri:
            body.uri = uri
        described = body.describe()
        self.incomplete |= body.incomplete
        other = self._declared.setdefault(described.name, (element, scope))
        if other[0] is not element and described.name:
            where = other[1].location(other[0])
            scope.error(
                element,
                "duplicate-name",
                f"a body named {described.name!r} exists already, "
                f"it was declared at {where}",
            )
        self.bodies.append(described)
        for controller in body.controllers:
            self.interfaces.append(replace(controller, robot=described.name))

    def _interface(
        self, element: Any, scope: Scope, passed: dict[str, str] | None = None
    ) -> None:
        found = read_interface(element, scope, passed=passed)
        if found is None:
            return
        self.interfaces.append(found)
        if found.type == "controller":
            self._robots_wanted.append((found, element, scope))

    def _kept_interface(self, scope: Scope, tag: str, element: Any) -> bool:
        if tag in _INTERFACES:
            self._interface(element, scope)
        return tag in _INTERFACES

    def _include(self, element: Any, scope: Scope, name: str) -> None:
        with included(
            scope, element, name, ROOTS_OF_OPENRAVE, "<environment>"
        ) as inner:
            if inner is None:
                self.incomplete = True
                return
            root = inner.document.root
            tag = local_name(root)
            if tag == "environment":
                self.read(root, inner)
            elif tag in _BODIES:
                attributes = inner.attributes(root, tag)
                self._body(root, inner, tag, attributes, uri=inner.file)
            else:
                self._interface(root, inner)

    def _check_robots(self) -> None:
        robots = {b.name for b in self.bodies if isinstance(b, RobotDescription)}
        others = {body.name for body in self.bodies} - robots
        robots |= self.load.context.known_bodies
        for controller, element, scope in self._robots_wanted:
            if not controller.robot or controller.robot in others:
                found = "names no robot"
                if controller.robot:
                    found = f"is for {controller.robot!r}, which is no robot,"
                scope.warn(
                    element,
                    "unused-controller",
                    f"the controller {found} and is not used",
                    "write robot='name'",
                )
            elif controller.robot not in robots and not self.incomplete:
                near = nearest(controller.robot, robots)
                scope.error(
                    element,
                    "unknown-robot",
                    f"no robot is named {controller.robot!r}",
                    f"did you mean {near!r}?" if near else None,
                )

    def _camera(self) -> CameraView | None:
        if (
            self._camera_translation is None
            and self._camera_rotation is None
            and self._camera_focal is None
        ):
            return None
        rotation = self._camera_rotation
        if rotation is None:
            rotation = Pose.from_axis_angle((1.0, 0.0, 0.0), _CAMERA_TILT).rotation
        translation = self._camera_translation or _CAMERA_PLACE
        return CameraView(Pose(rotation, translation), self._camera_focal or 0.0)

    def _finish(self, scope: Scope, root: str) -> SceneDescription:
        if root == "environment":
            self._check_robots()
        scene = SceneDescription(
            tuple(self.bodies),
            tuple(self.interfaces),
            tuple(self.plugins),
            self.name,
            self.gravity,
            self.background,
            self._camera(),
            self.unit,
            tuple(self.readables),
            scope.file,
            root,
            scope.location(scope.document.root),
        )
        return with_overrides(scene, self.overrides)


def _with_passed(
    root: Any, scope: Scope, kind: str, passed: Mapping[str, str]
) -> dict[str, str]:
    """Return the attributes of a root with those of a call, which win.

    Both scales count, as in OpenRAVE.
    """
    own = scope.attributes(root, kind)
    merged = {**own, **passed}
    name = "scalegeometry"
    if name in own and name in passed:
        scales = [
            scope.factors(root, f"attribute {name!r}", text)
            for text in (own[name], passed[name])
        ]
        if None not in scales:
            products = (a * b for a, b in zip(*scales, strict=True))
            merged[name] = " ".join(map(repr, products))
    return merged
