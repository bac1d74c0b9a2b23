"""``<kinbody>``, ``<robot>`` as containers, and ``<body>`` (links)."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH109, PTH118

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

from pyrave.formats.openrave_xml.builders.body_builder import (
    BodyBuilder,
    PartBuilder,
)
from pyrave.formats.openrave_xml.builders.foreign_bodies import join_scene
from pyrave.formats.openrave_xml.builders.item_builders import (
    DEFAULT_INERTIAL,
    LinkBuilder,
    ManipulatorBuilder,
    SensorBuilder,
)
from pyrave.formats.openrave_xml.elements.custom import CustomContent
from pyrave.formats.openrave_xml.elements.geom import COLORS, read_geom
from pyrave.formats.openrave_xml.elements.joint import read_joint
from pyrave.formats.openrave_xml.elements.mass import (
    MassSpec,
    compute_inertial,
    read_mass,
)
from pyrave.formats.openrave_xml.elements.overrides import read_overrides
from pyrave.formats.openrave_xml.elements.robot import read_robot_tag
from pyrave.formats.openrave_xml.read.inclusion import included, other_scene
from pyrave.formats.openrave_xml.read.scope import Scope, lowered
from pyrave.formats.openrave_xml.read.snapshot import Snapshot, is_fresh, is_shareable
from pyrave.formats.openrave_xml.schema import ELEMENTS
from pyrave.formats.openrave_xml.transforms import ONE, Frame, is_identity
from pyrave.formats.openrave_xml.values import split_words
from pyrave.formats.xml import local_name
from pyrave.scene import Material
from pyrave.scene.pose import Vec3

# Attributes that are not passed on to an included file: the options have the scale.
_OF_ONE_ELEMENT = {"file", "name", "prefix", "scalegeometry", "skipgeometry"}

# Read in a <kinbody>; what stands right inside a <robot>, OpenRAVE passes over.
_OF_KINBODIES = ELEMENTS["kinbody"].tags.keys() - ELEMENTS["robot"].tags.keys()


class Options:
    """State that nested elements inherit; copied where an element changes it."""

    __slots__ = ("folders", "mass", "scale", "skip")

    def __init__(
        self,
        scale: Vec3 = ONE,
        mass: MassSpec | None = None,
        folders: tuple[str, ...] = (),
        *,
        skip: bool = False,
    ) -> None:
        self.scale = scale
        self.skip = skip
        self.mass = mass
        self.folders = folders

    def inside(
        self,
        attributes: dict[str, str],
        element: Any,
        scope: Scope,
        *,
        outermost: bool = False,
    ) -> Options:
        """Return the options inside an element with these attributes.

        As in OpenRAVE scales multiply, and an outermost element alone says whether
        geometries are skipped.
        """
        scale, skip = self.scale, self.skip
        if "skipgeometry" in attributes:
            text = attributes["skipgeometry"]
            given = scope.boolean(element, "skipgeometry", text, default=False)
            if outermost:
                skip |= given
            elif given != skip:
                scope.warn(
                    element,
                    "unused-attribute",
                    f"skipgeometry={text!r} is not used here: OpenRAVE takes that of "
                    "the outermost element",
                    "write it on the <kinbody> or <robot> of the scene or the call",
                )
        if "scalegeometry" in attributes:
            text = attributes["scalegeometry"]
            factors = scope.factors(element, "attribute 'scalegeometry'", text)
            if factors is not None and min(factors) <= 0.0:
                scope.error(
                    element, "bad-size", f"scalegeometry={text!r}, expected above 0"
                )
            elif factors is not None and factors != ONE:
                x, y, z = factors
                scale = (scale[0] * x, scale[1] * y, scale[2] * z)
        return Options(scale, self.mass, self.folders, skip=skip)


def read_body_element(
    element: Any,
    scope: Scope,
    body: BodyBuilder,
    options: Options,
    attributes: dict[str, str],
    *,
    outermost: bool,
) -> None:
    """Read a ``<kinbody>`` or ``<robot>`` element into `body`.

    Parameters
    ----------
    attributes
        Of the element, lower case, with those that an including element passes on.
    outermost
        The element is the body's own; others are parts of it.
    """
    kind = lowered(element.tag, element)
    options = options.inside(attributes, element, scope, outermost=outermost)
    prefix = "" if "file" in attributes else attributes.get("prefix", "").strip()
    earlier = body.mounted() if prefix else set()
    if prefix:
        scope.revisit(element, len(earlier))
    first_link, first_joint = len(body.links), len(body.joints)
    if outermost or not body.interface:
        body.interface = attributes.get("type", body.interface).strip()
    if kind == "kinbody" and "makejoinedlinksadjacent" in attributes:
        body.joined_adjacent = scope.boolean(
            element,
            "makejoinedlinksadjacent",
            attributes["makejoinedlinksadjacent"],
            default=True,
        )
    if "file" in attributes:
        inner_file = _include(element, scope, body, options, attributes, kind)
        if outermost:
            body.uri = inner_file
    written = "robot" if body.is_robot else "kinbody"
    interface = attributes.get("type", "")
    scope.keep_attributes(
        element, kind, body.readables, interface=interface, tag=written
    )
    custom = CustomContent(
        element,
        scope,
        kind,
        interface,
        body.readables,
        included="file" in attributes,
        inner=kind == "kinbody" and body.is_robot,
    )
    inherited = body.mounted()
    frame = Frame()
    transparency: float | None = None
    colors: dict[str, Any] = {}
    for child in element:
        tag = lowered(child.tag, child)
        if not tag or custom.take(tag, child):
            continue
        if kind == "robot" and tag in _OF_KINBODIES:
            custom.keep_misplaced(child)
        elif tag == "body":
            _read_link(child, scope, body, options)
        elif frame.read(tag, child, scope, options.scale):
            pass
        elif tag == "joint":
            read_joint(child, scope, body, options.scale)
        elif tag in {"kinbody", "robot"} and (tag == "kinbody" or kind == "robot"):
            read_body_element(
                child,
                scope,
                body,
                options,
                scope.attributes(child, tag),
                outermost=False,
            )
        elif tag == "mass":
            options.mass = read_mass(child, scope, None, ONE, in_body=False)
        elif tag == "adjacent":
            _read_adjacent(child, scope, body)
        elif tag == "jointvalues":
            values = scope.floats(child)
            if values is not None and (outermost or body.joint_values is None):
                body.joint_values = (values, child, scope)
        elif tag == "modelsdir":
            folder = os.path.join(scope.folder or os.getcwd(), scope.text(child))
            options.folders = (folder,)
        elif tag == "transparency":
            transparency = scope.fraction(child)
        elif tag in {"diffusecolor", "ambientcolor"}:
            colors[tag.removesuffix("color")] = scope.color(child, COLORS[tag])
        elif tag == "sendcommand":
            body.commands.append(scope.text(child))
        elif tag == "pyrave":
            known = body.overrides if outermost else None
            others = partial(_read_controller, kind, scope, body)
            said = read_overrides(child, scope, known, others)
            body.overrides = said if outermost else body.overrides
        elif kind == "robot" and read_robot_tag(tag, child, scope, body):
            pass
        else:
            custom.keep(child)
    name = attributes.get("name", "").strip()
    if name:
        body.name = name
    if outermost:
        # Kept apart from the links, so that their poses in the body stay exact.
        body.frame = frame.pose
        body.element = element
    else:
        body.move(frame.pose, first_link, first_joint)
    if transparency is not None or colors:
        changed = sum(1 + len(link.geometries) for link in body.links)
        scope.revisit(element, changed)
        _paint(body, transparency, colors)
    if kind == "robot":
        body.put_new_first(inherited)
    _prefix(body, prefix, earlier, first_link, first_joint)


def _read_controller(
    kind: str, scope: Scope, body: BodyBuilder, tag: str, element: Any
) -> bool:
    is_read = kind == "robot" and tag == "controller"
    return is_read and read_robot_tag(tag, element, scope, body)


def _include(
    element: Any,
    scope: Scope,
    body: BodyBuilder,
    options: Options,
    attributes: dict[str, str],
    kind: str,
) -> str:
    """Read the file of a ``file=``; return its path."""
    part = PartBuilder(body, kind, attributes, options.scale, skip=options.skip)
    scene = other_scene(
        scope,
        element,
        attributes["file"],
        options.scale,
        skip=options.skip,
        is_shareable=is_shareable,
    )
    if scene is not None:
        join_scene(scene, element, scope, body, attributes)
        if scope is body.scope:
            part.close(body, scene.uri)
        return scene.uri
    is_body = kind == "kinbody"
    allowed = ("kinbody",) if is_body else ("robot", "kinbody")
    expected = "<kinbody>" if is_body else "<robot> or <kinbody>"
    with included(scope, element, attributes["file"], allowed, expected) as inner:
        if inner is None:
            body.incomplete = True
            return ""
        _read_file(element, inner, body, options, attributes)
        if scope is body.scope:
            part.close(body, inner.file)
        return inner.file


def _read_file(
    element: Any,
    inner: Scope,
    body: BodyBuilder,
    options: Options,
    attributes: dict[str, str],
) -> None:
    """Read a file into a body as OpenRAVE does: into one of its own, then renamed."""
    root, load = inner.document.root, inner.load
    tag = local_name(root)
    inherited = body.mounted()
    first_link, first_joint = len(body.links), len(body.joints)
    passed = {k: v for k, v in attributes.items() if k not in _OF_ONE_ELEMENT}
    state = (body.is_robot, body.name, body.interface, body.joined_adjacent)
    key = (inner.file, options.scale, options.skip, state, *passed.items())
    reusable = options.mass is None and not options.folders and is_fresh(body)
    snapshot = load.snapshots.get(key) if reusable else None
    if snapshot is not None:
        snapshot.put_into(body, element)
    else:
        before = Snapshot.start(load)
        merged = {**inner.attributes(root, tag, attributes.get("type", "")), **passed}
        read_body_element(root, inner, body, options, merged, outermost=False)
        fits = reusable and not load.diagnostics.has_errors
        if fits and Snapshot.fits(body):
            load.snapshots[key] = Snapshot(body, before)
    if lowered(element.tag, element) == "robot":
        body.put_new_first(inherited)
    _prefix(
        body, attributes.get("prefix", "").strip(), inherited, first_link, first_joint
    )
    body.name = attributes.get("name", "").strip() or body.name


def _prefix(
    body: BodyBuilder,
    prefix: str,
    inherited: set[object],
    first_link: int,
    first_joint: int,
) -> None:
    """Put a prefix before the names of what was added to a body."""
    if not prefix:
        return
    body.rename(prefix, first_link, first_joint)
    declared: list[ManipulatorBuilder | SensorBuilder] = [
        *body.manipulators,
        *body.sensors,
    ]
    for item in declared:
        if item not in inherited:
            item.name = prefix + item.name


def _paint(
    body: BodyBuilder, transparency: float | None, colors: dict[str, Any]
) -> None:
    changes = {name: value for name, value in colors.items() if value is not None}
    if transparency is not None:
        changes["transparency"] = transparency
    painted: dict[Material, Material] = {}
    for link in body.links:
        for index, geometry in enumerate(link.geometries):
            material = painted.get(geometry.material)
            if material is None:
                material = replace(geometry.material, **changes)
                painted[geometry.material] = material
            link.geometries[index] = replace(geometry, material=material)


def _read_adjacent(element: Any, scope: Scope, body: BodyBuilder) -> None:
    names = split_words(scope.text(element))
    if len(names) != 2:
        taken = f"{names[0]!r} and {names[1]!r} are" if len(names) > 2 else "none is"
        scope.warn(
            element,
            "bad-adjacent",
            f"<adjacent> has {len(names)} names, expected 2 links; {taken} taken",
        )
    if len(names) > 1:
        body.declare_adjacent(names[0], names[1], element, scope)


def _read_link(element: Any, scope: Scope, body: BodyBuilder, options: Options) -> None:
    """Read a ``<body>``: a new link, or more of the one that has its name."""
    attributes = scope.attributes(element, "body")
    name = attributes.get("name", "").strip()
    link = body.find_link(name) if name else None
    appended = link is not None
    if link is None:
        link = LinkBuilder(name, element, scope)
        body.add_link(link)
    frame = Frame(link.pose)
    before = link.pose
    offset = _fill_link(element, scope, body, options, attributes, link, frame)
    pose = frame.pose
    link.pose = pose if offset is None else offset.pose @ pose
    if appended and link.pose != before:
        body.link_moved(link)
    if options.mass is not None and not appended and link.inertial is DEFAULT_INERTIAL:
        link.inertial = compute_inertial(options.mass, link.geometries, scope)


_LINK_ATTRIBUTES = ELEMENTS["body"].attributes.keys()


def _fill_link(
    element: Any,
    scope: Scope,
    body: BodyBuilder,
    options: Options,
    attributes: dict[str, str],
    link: LinkBuilder,
    frame: Frame,
) -> LinkBuilder | None:
    """Read the content of a ``<body>`` into `link`; return what it is offset from."""
    if "skipgeometry" in attributes or "scalegeometry" in attributes:
        options = options.inside(attributes, element, scope)
    if attributes.keys() - _LINK_ATTRIBUTES:
        link.readables = link.readables or []
        scope.keep_attributes(element, "body", link.readables)
    if "type" in attributes:
        kind = attributes["type"].strip().lower()
        if kind not in {"static", "dynamic", ""}:
            scope.warn(
                element,
                "unknown-body-type",
                f"body type {kind!r} means 'dynamic'; known: dynamic, static",
            )
        link.static = kind == "static"
    if "enable" in attributes:
        link.enabled = scope.boolean(
            element, "enable", attributes["enable"], default=True
        )
    if "file" in attributes:
        _include_link(element, scope, body, options, attributes, link, frame)
    offset: LinkBuilder | None = None
    mass: MassSpec | None = None
    skipped: list[Any] = []
    for child in element:
        tag = lowered(child.tag, child)
        if tag in {"geom", "geometry"}:
            geometry = read_geom(child, scope, options.folders, options.scale)
            if geometry is not None:
                (skipped if options.skip else link.geometries).append(geometry)
        elif tag == "mass":
            if mass is not None:
                scope.repeated(child)
            mass = read_mass(child, scope, options.mass, options.scale)
        elif frame.read(tag, child, scope, options.scale):
            pass
        elif tag == "offsetfrom":
            known = scope.word(child)
            offset = body.find_link(known)
            if offset is None:
                instead = "the pose is in the frame of the body"
                body.unknown_link(child, scope, known, instead)
            elif offset is link:
                offset = None
                message = f"link {link.name!r} cannot be offset from itself"
                scope.error(child, "bad-offset", message, "name an earlier link")
        elif tag == "body":
            _read_nested(child, scope, body, options, link)
        elif tag == "pyrave":
            link.overrides = read_overrides(child, scope, link.overrides)
        elif tag:
            if link.readables is None:
                link.readables = []
            link.readables += scope.part_tag(child, "link", ELEMENTS["body"].tags)
    if mass is not None:
        link.inertial = compute_inertial(mass, [*link.geometries, *skipped], scope)
    return offset


def _read_nested(
    element: Any, scope: Scope, body: BodyBuilder, options: Options, link: LinkBuilder
) -> None:
    """Read a ``<body>`` in a ``<body>``: its pose moves all geometries so far."""
    nested = Options(options.scale, options.mass, (), skip=options.skip)
    frame = Frame()
    attributes = scope.attributes(element, "body")
    _fill_link(element, scope, body, nested, attributes, link, frame)
    pose = frame.pose
    if not is_identity(pose):
        scope.revisit(element, len(link.geometries))
        link.geometries[:] = [
            replace(geometry, pose=pose @ geometry.pose) for geometry in link.geometries
        ]


def _include_link(
    element: Any,
    scope: Scope,
    body: BodyBuilder,
    options: Options,
    attributes: dict[str, str],
    link: LinkBuilder,
    frame: Frame,
) -> None:
    with included(scope, element, attributes["file"], ("body",), "<body>") as inner:
        if inner is None:
            return
        root = inner.document.root
        own = inner.attributes(root, "body")
        name = own.get("name", "").strip()
        if name and not link.name:
            body.name_link(link, name)
        _fill_link(root, inner, body, options, own, link, frame)
