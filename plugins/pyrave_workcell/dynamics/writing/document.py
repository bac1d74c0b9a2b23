"""A scene as a Dynamic WorkCell, and the WorkCell that it is about next to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import Problem, SceneError
from pyrave.scene import (
    DEFAULT_GRAVITY,
    IDENTITY,
    ContactMaterial,
    FrameDescription,
    GeometryDescription,
    LinkDescription,
    LinkReference,
    Material,
    NoShape,
    RenderMesh,
    Sphere,
    same,
)
from pyrave_workcell.dynamics.writing.bodies import BodyWriter
from pyrave_workcell.dynamics.writing.elements import add_numbers, add_text, add_value
from pyrave_workcell.dynamics.writing.ties import TieWriter
from pyrave_workcell.workcell.names import FreeNames
from pyrave_workcell.workcell.shapes import tessellated
from pyrave_workcell.workcell.writing.bodies import OTHERWISE
from pyrave_workcell.workcell.writing.document import save, written
from pyrave_workcell.workcell.writing.elements import add
from pyrave_workcell.workcell.writing.losses import report_scene

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyrave.formats import Losses, Target, WriteContext
    from pyrave.scene import (
        BodyDescription,
        ConstraintDescription,
        ContactProperties,
        SceneDescription,
    )
    from pyrave_workcell.workcell.writing.meshes import SideFiles

_DEFAULT = "default"
"""Name of a default material or type of objects that has to be added."""
_SPOT = 0.001


def write_dynamic_workcell(
    scene: SceneDescription, target: Target, context: WriteContext
) -> list[Problem]:
    """Write a scene to a path, and its WorkCell to one of the same name.

    Returns
    -------
    list of Problem
        What RobWork has no place for; its code says whether it is lost.

    Raises
    ------
    SceneError
        The scene holds what no file can say, or a file cannot be written.
    """
    return save(scene, target, context, _data)


def _data(scene: SceneDescription, files: SideFiles, losses: Losses) -> bytes:
    if files.target is None:
        message = "a Dynamic WorkCell names the file of a WorkCell: save to a path"
        raise SceneError.refusal("not-written", message)
    report_scene(scene, losses, dynamic=True)
    ties = _ties(scene)
    scene = _with_frames(_with_geometry(scene, losses, set(ties)), losses)
    made = written(scene, files, losses, frozenset(ties))
    name = files.other(".wc.xml", made.data)
    root = etree.Element("DynamicWorkCell", workcell=name)
    _add_engine(root, scene)
    gravity = scene.gravity
    if gravity is None:
        gravity = DEFAULT_GRAVITY
        losses.add("the usual gravity is written out", kind=OTHERWISE)
    add_numbers(root, "Gravity", gravity)
    contacts = _known_pairs(_with_defaults(scene, losses), losses)
    scene = replace(scene, contact_properties=contacts)
    _add_contacts(root, contacts, losses)
    bodies = BodyWriter(
        root,
        scene,
        made.cell,
        losses,
        needed=set(_needed(scene)),
        driven=_driven(scene),
        ties=ties,
    )
    others = TieWriter(root, scene, made.cell, bodies, losses)
    bodies.write(others.write_cups)
    others.write(without={one.name for one in ties.values()})
    etree.indent(root)
    data: bytes = etree.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + data + b"\n"


# -- what stands in front --------------------------------------------------------------


def _add_engine(root: Any, scene: SceneDescription) -> None:
    settings = scene.simulation.settings
    if settings:
        element = add(root, "PhysicsEngine")
        for name, value in settings:
            add_value(element, name, value)


def _with_defaults(scene: SceneDescription, losses: Losses) -> ContactProperties:
    """Return contact properties with defaults, which all bodies of RobWork need.

    Those of links of which nothing is said have no friction and no restitution.
    """
    found = scene.contact_properties
    links = [link for body in scene.bodies for link in body.links]
    changed: dict[str, Any] = {}
    for what, field, kinds in (
        ("material", "material", "materials"),
        ("type of objects", "object_type", "object_types"),
    ):
        default = f"default_{field}"
        if getattr(found, default):
            continue
        losses.add(f"a default {what} is added", kind=OTHERWISE)
        known: tuple[ContactMaterial, ...] = getattr(found, kinds)
        if any(one.name for one in known) and all(
            getattr(link, field) for link in links
        ):
            changed[default] = next(one.name for one in known if one.name)
        else:
            name = FreeNames(one.name for one in known).take(_DEFAULT)
            changed[default] = name
            changed[kinds] = (*known, ContactMaterial(name))
    return replace(found, **changed) if changed else found


def _known_pairs(found: ContactProperties, losses: Losses) -> ContactProperties:
    """Return contact properties whose pairs are of materials that there are."""
    materials = {one.name for one in found.materials if one.name}
    kinds = {one.name for one in found.object_types if one.name}
    friction = [one for one in found.friction if {one.first, one.second} <= materials]
    bounces = [one for one in found.restitution if {one.first, one.second} <= kinds]
    if len(friction) < len(found.friction) or len(bounces) < len(found.restitution):
        losses.add("friction and restitution of materials that there are not")
    return replace(found, friction=tuple(friction), restitution=tuple(bounces))


def _add_contacts(root: Any, found: ContactProperties, losses: Losses) -> None:
    for tag, one, known, default in (
        ("MaterialData", "Material", found.materials, found.default_material),
        ("ObjectTypeData", "ObjectType", found.object_types, found.default_object_type),
    ):
        data = add(root, tag)
        add_text(data, "Default", default)
        # of one name the last counts
        for kind in {kind.name: kind for kind in known if kind.name}.values():
            element = add(data, one, id=kind.name)
            if kind.description:
                add_text(element, "Description", kind.description)
    if found.friction:
        friction = add(root, "FrictionMap")
        for each in found.friction:
            pair = add(friction, "Pair", first=each.first, second=each.second)
            law = add(pair, "FrictionData", type=each.model)
            add_numbers(law, "Mu", (each.coefficient,))
            for name, values in each.parameters:
                try:
                    add_numbers(law, name, values)
                except ValueError:  # lxml's: it is no name of an element
                    losses.add("parameters of friction with such names", repr(name))
    if found.restitution:
        contacts = add(root, "ContactMap")
        for bounce in found.restitution:
            pair = add(contacts, "Pair", first=bounce.first, second=bounce.second)
            law = add(pair, "ContactData", type="Newton")
            add_numbers(law, "cr", (bounce.coefficient,))


# -- what the WorkCell needs for it ----------------------------------------------------


def _ties(scene: SceneDescription) -> dict[str, ConstraintDescription]:
    """Return the constraints that hold bases in links of other bodies, by body.

    The reader makes them of ``RefBase``, with the name of the device.
    """
    bodies = {body.name: body for body in scene.bodies}
    found = {}
    for one in scene.constraints:
        body = bodies.get(one.child.body)
        if body is None or one.kind != "fixed" or one.name != f"{body.name}.base":
            continue
        is_base = one.child.link in {"", body.links[0].name}
        plain = not one.limits and one.spring is None
        if is_base and plain and one.parent.body != body.name:
            found[body.name] = one
    return found


def _needed(scene: SceneDescription) -> Iterator[LinkReference]:
    """Yield the links that have to be bodies: constraints and others name them."""
    for one in scene.constraints:
        yield from (one.parent, one.child)
    for sensor in scene.simulation.sensors:
        for field in ("parent", "child", "link"):
            end = getattr(sensor, field, None)
            if isinstance(end, LinkReference):
                yield end
    bodies = {body.name: body for body in scene.bodies}
    driven = _driven(scene)
    for grab in scene.grabs:
        holder, held = bodies.get(grab.holder), bodies.get(grab.body)
        if holder is None or held is None or not holder.links:
            continue
        stands = any(joint.axes for joint in held.joints)
        stands = stands and (_is_dynamic(held) or held.name in driven)
        # what stands still is Movable for the WorkCell, which moves with what it holds
        if stands or (holder.links[0].static and not holder.joints):
            yield LinkReference(grab.holder, grab.link)


def _driven(scene: SceneDescription) -> dict[str, bool]:
    """Return the bodies that controllers name, and whether springs do."""
    found: dict[str, bool] = {}
    for one in scene.simulation.controllers:
        found[one.body] = found.get(one.body, False) or one.kind == "spring"
    return found


def _with_geometry(
    scene: SceneDescription, losses: Losses, tied: Collection[str]
) -> SceneDescription:
    """Return a scene whose bases that stand still are objects of RobWork.

    It takes no frame without geometry for a fixed base.
    """
    named = {end.body for end in _needed(scene)} | _driven(scene).keys()
    return replace(
        scene,
        bodies=tuple(
            _with_spot(body, losses)
            if body.name not in tied and (body.name in named or _is_dynamic(body))
            else body
            for body in scene.bodies
        ),
    )


def _is_dynamic(body: BodyDescription) -> bool:
    """Return True if a Dynamic WorkCell has anything to say of a body."""
    plain = LinkDescription("")
    fields = ("inertial", "kinematic", "material", "object_type", "dynamics")
    said = any(
        not same(getattr(link, name), getattr(plain, name))
        for link in body.links
        for name in fields
    )
    return said or any(a.torque_limit for j in body.joints for a in j.axes)


def _with_spot(body: BodyDescription, losses: Losses) -> BodyDescription:
    if not body.links:
        return body
    base = body.links[0]
    if not base.static or base.geometries:
        return body
    losses.add(
        "a spot of 1 mm that collides with nothing is added to bases without geometry: "
        "RobWork needs some",
        body.name,
        kind=OTHERWISE,
    )
    spot = GeometryDescription(
        NoShape(),
        "spot",
        material=Material(diffuse=(0.6, 0.6, 0.6)),
        render=RenderMesh(tessellated(Sphere(_SPOT))),
    )
    made = replace(base, geometries=(*base.geometries, spot))
    return replace(body, links=(made, *body.links[1:]))


def _with_frames(scene: SceneDescription, losses: Losses) -> SceneDescription:
    """Return a scene with a frame for each sensor that needs one."""
    bodies = {body.name: body for body in scene.bodies}
    for sensor in scene.simulation.sensors:
        end = getattr(sensor, "frame", None)
        if not isinstance(end, LinkReference) or end.body not in bodies:
            continue
        body = bodies[end.body]
        link = end.link or body.links[0].name
        pose = getattr(sensor, "pose", IDENTITY)
        if same(pose, IDENTITY) or any(
            one.link == link and same(one.pose, pose) for one in body.frames
        ):
            continue
        losses.add("sensors stand in frames of their own", sensor.name, kind=OTHERWISE)
        frame = FrameDescription(sensor.name, link, pose)
        bodies[end.body] = replace(body, frames=(*body.frames, frame))
    return replace(scene, bodies=tuple(bodies[body.name] for body in scene.bodies))
