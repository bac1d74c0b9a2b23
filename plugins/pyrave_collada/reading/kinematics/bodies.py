"""Bodies: links and joints of kinematics models, with all that is bound to them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import (
    IDENTITY,
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    Surface,
)
from pyrave_collada.document.parsed import one_word
from pyrave_collada.reading.formulas.mimic import read_formulas
from pyrave_collada.reading.rigid import rigid_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene import GeometryDescription, MimicFormula
    from pyrave.spatial import Array
    from pyrave_collada.reading.kinematics.masses import RigidBodies
    from pyrave_collada.reading.kinematics.models import Axis, Joint, Link, Span
    from pyrave_collada.reading.kinematics.systems import AxisSettings, System
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.shapes.geometries import Geometries
    from pyrave_collada.reading.shapes.nodes import VisualNode

_ENDLESS = 1e6
"""Limits of sliding joints about which nothing is said, metres, as OpenRAVE has it."""
_SAME_FRAME = 1e-12
_SPEED, _SLIDING_SPEED = 0.5, 0.01
_TURNS, _SLIDES = "r", "p"


@dataclass(slots=True, eq=False)
class Binding:
    """Binding of a system: its place among the visual nodes.

    Parameters
    ----------
    scene
        The roots of the visual scene.
    node
        The node of its first link, or None.
    holders
        Nodes that hold a transform which a joint drives; perhaps several times.
    moves
        Transforms of nodes that joints drive.
    """

    scene: list[VisualNode]
    node: VisualNode | None = None
    holders: list[VisualNode] = field(default_factory=list)
    moves: dict[Any, tuple[Joint, Axis]] = field(default_factory=dict)

    def is_moved(self, element: Any) -> bool:
        """Return True if a joint drives a transform."""
        return element in self.moves


@dataclass(slots=True, eq=False)
class Body:
    """A body in the making.

    Parameters
    ----------
    names
        Name in the description of each link of the models: equal ones are one link.
    poses
        T_base_link of each, all joints at zero.
    joints
        Name of each joint, that of its first use if it is used several times.
    used
        Joint of each name.
    nodes
        The visual nodes that show each link, parents last.
    anchors
        Those of them that are links' own, parents first: the bound node, and nodes that
        joints move.
    """

    system: System
    binding: Binding
    base: Link
    description: BodyDescription
    names: dict[Link, str]
    poses: dict[str, Pose]
    joints: dict[Joint, str]
    used: dict[str, Joint] = field(default_factory=dict)
    nodes: dict[str, list[VisualNode]] = field(default_factory=dict)
    anchors: dict[str, list[VisualNode]] = field(default_factory=dict)


def read_body(
    system: System,
    binding: Binding,
    physics: RigidBodies,
    geometries: Geometries | None,
    reading: ColladaReading,
) -> Body | None:
    """Return a system as a body; None, after a report, if it has no link."""
    links = [link for _, model in system.models for link in model.links]
    if not links:
        reading.warn(
            system.instance,
            "empty-body",
            f"{system.name!r} has no links; it is left out",
        )
        return None
    base = links[0]
    names = {link: link.name for link in links}
    spans = [span for _, model in system.models for span in model.spans]
    poses = _poses(system, base, names, spans)
    world = _world(base, binding)
    body = Body(
        system,
        binding,
        base,
        BodyDescription(
            one_word(system.name) or "body",
            pose=world,
            location=reading.location(system.instance),
        ),
        names,
        poses,
        {},
    )
    _share_nodes(body, spans)
    joints = _joints(system, spans, names, reading)
    body.used = {one.name: joint for joint, one in joints}
    for joint, one in joints:
        body.joints.setdefault(joint, one.name)
    elements: dict[str, Any] = {}
    for link, name in names.items():
        elements.setdefault(name, link.element)
    described = tuple(
        _link(name, element, body, physics, geometries, reading)
        for name, element in elements.items()
    )
    body.description = replace(
        body.description,
        links=described,
        joints=tuple(one for _, one in joints),
    )
    return body


# -- poses -----------------------------------------------------------------------------


def _poses(
    system: System, base: Link, names: dict[Link, str], spans: list[Span]
) -> dict[str, Pose]:
    """Return T_base_link by name with all joints at zero."""
    to_base = base.pose.inverse()
    found: dict[str, Pose] = {names[base]: IDENTITY}
    for _, model in system.models:
        for root in model.roots:
            found.setdefault(names[root], to_base @ root.pose)
    waiting = list(spans)
    while waiting:
        rest = []
        for span in waiting:
            parent, child = names[span.parent], names[span.child]
            if parent not in found:
                rest.append(span)
            elif child not in found:
                found[child] = found[parent] @ span.before @ span.after
        if len(rest) == len(waiting):
            break
        waiting = rest
    for name in names.values():
        found.setdefault(name, IDENTITY)
    return found


def _world(base: Link, binding: Binding) -> Pose:
    """Return T_world_base: where the bound node is, else where the model says.

    Below another node the bound one's own transforms place shapes alone, and the model
    says where the base is in the node above, as in OpenRAVE: ROS's converter of URDF
    writes the origin of the base's shape there.
    """
    node, is_moved = binding.node, binding.is_moved
    if node is None:
        return base.pose
    if node.parent is None:
        return rigid_part(node.world(is_moved))
    return rigid_part(node.parent.world(is_moved)) @ base.pose


# -- what is on links ------------------------------------------------------------------


def _share_nodes(body: Body, spans: list[Span]) -> None:
    """Find the nodes that show each link.

    A node with a driven transform shows the link behind that joint, wherever it is (of
    several the last: flat trees repeat the joints in front); others show what the node
    above them shows, or the link without a joint that has their name.
    """
    top, moves = body.binding.node, body.binding.moves
    behind: dict[Joint, str] = {}
    for span in spans:
        behind.setdefault(span.joint, body.names[span.child])
    roots = [link for _, model in body.system.models for link in model.roots]
    loose = {body.names[root] for root in roots} - {body.names[body.base]}
    starts = dict.fromkeys([*([] if top is None else [top]), *body.binding.holders])
    shows: dict[VisualNode, str] = {}

    def own(node: VisualNode) -> str | None:
        if node is top:
            return body.names[body.base]
        driven = [moves[one][0] for one, _ in node.transforms if one in moves]
        found = [behind[joint] for joint in driven if joint in behind]
        if found:
            return found[-1]
        name = one_word(node.element.get("name") or "")
        return name if name in loose and name not in body.anchors else None

    for start in starts:
        if any(above in starts for above in start.ancestors()):
            continue  # it is walked through with the one above
        for node in start.walk():
            link = own(node)
            if link is not None:
                body.anchors.setdefault(link, []).append(node)
            elif node.parent in shows:
                link = shows[node.parent]
            if link is not None:
                shows[node] = link
        for node in start.postorder():
            if node in shows:
                body.nodes.setdefault(shows[node], []).append(node)


def _link(
    name: str,
    element: Any,
    body: Body,
    physics: RigidBodies,
    geometries: Geometries | None,
    reading: ColladaReading,
) -> LinkDescription:
    pose = body.poses[name]
    world = (body.description.pose @ pose).inverse().matrix
    shown: list[GeometryDescription] = []
    inertial, static = (
        Inertial(1e-10, inertia=(1e-7, 0, 0, 0, 1e-7, 0, 0, 0, 1e-7)),
        False,
    )
    own = body.anchors.get(name, [])
    for node in body.nodes.get(name, ()):
        if geometries is not None and node.geometries:
            matrix = _in_link(world, node, own, body.binding.is_moved)
            for instance in node.geometries:
                shown += geometries.read(instance, matrix)
    # a rigid body is a link's if it is bound to the link's own node
    rigid = next(filter(None, map(physics.body_at, own)), None)
    if rigid is not None:
        there = _frame_of_mass(body, pose, rigid.parent)
        inertial, static = rigid.inertial(there), not rigid.dynamic
    surface = Surface("") if rigid is None else rigid.surface
    return LinkDescription(
        name,
        pose=pose,
        geometries=tuple(shown),
        inertial=inertial,
        static=static,
        location=reading.location(element),
        material=surface.material,
        object_type=surface.object_type,
    )


def _frame_of_mass(body: Body, pose: Pose, name: str) -> Pose:
    """Return T_link_node for the node in whose frame a physics model gives masses.

    Wherever the body stands: without rounding where it is the frame of the base.
    """
    is_moved = body.binding.is_moved
    parent = _node_named(body.binding, name)
    if parent is None:
        return pose.inverse()
    offset = body.description.pose.inverse().matrix @ parent.world(is_moved)
    in_link = pose.inverse()
    if np.abs(offset - np.eye(4)).max() < _SAME_FRAME:
        return in_link
    return rigid_part(in_link.matrix @ offset)


def _in_link(
    world: Array,
    node: VisualNode,
    anchors: list[VisualNode],
    is_moved: Callable[[Any], bool],
) -> Array:
    """Return T_link_node; without rounding where the link's own node is its frame."""
    inside = np.eye(4)
    for above in (node, *node.ancestors()):
        if above not in anchors:
            inside = above.local(is_moved) @ inside
            continue
        offset = world @ above.world(is_moved)
        if np.abs(offset - np.eye(4)).max() < _SAME_FRAME:
            return inside
        break
    return np.asarray(world @ node.world(is_moved))


def _node_named(binding: Binding, key: str) -> VisualNode | None:
    """Return the node of an id: of the nodes of a system if it is one of them."""
    top = binding.node
    own = [] if top is None else [*top.ancestors(), *top.walk()]
    for suffixed in (True, False):
        for one in own:
            name = one.element.get("id") or ""
            if key and (name + one.suffix if suffixed else name) == key:
                return one
    everywhere = (one for top in binding.scene for one in top.walk())
    named = (one for one in everywhere if one.element.get("id") == key)
    return next(named, None) if key else None


# -- joints ----------------------------------------------------------------------------


def _joints(
    system: System, spans: list[Span], names: dict[Link, str], reading: ColladaReading
) -> list[tuple[Joint, JointDescription]]:
    formulas = read_formulas(system, reading)
    found: list[tuple[Joint, JointDescription]] = []
    taken: set[str] = set()
    for span in spans:
        name, number = span.joint.name, 2
        while name in taken:
            name, number = f"{span.joint.name}_{number}", number + 1
        taken.add(name)
        found.append((span.joint, _joint(name, span, system, formulas, names, reading)))
    return found


def _joint(
    name: str,
    span: Span,
    system: System,
    formulas: dict[tuple[Joint, Axis], MimicFormula],
    names: dict[Link, str],
    reading: ColladaReading,
) -> JointDescription:
    moving = [axis for axis in span.joint.axes if axis.moves]
    active = bool(moving)
    axes = []
    for axis in moving:
        settings = system.settings_of(span.joint, axis)
        if settings.active is False:
            active = False
        mimic = formulas.get((span.joint, axis))
        if mimic is not None:
            active = False
        if _are_equal(axis, settings):
            reading.warn(
                axis.element,
                "equal-limits",
                f"the joint {name!r} has equal limits, taken as 0",
            )
        axes.append(_axis(axis, settings, mimic))
    kinds = "".join(_SLIDES if axis.prismatic else _TURNS for axis in moving)
    kind: Any = {"": "fixed", _TURNS: "hinge", _SLIDES: "slider"}.get(kinds)
    if kind is None:
        kind = kinds if len(kinds) == 2 else "compound"
    return JointDescription(
        name,
        kind,
        names[span.parent],
        names[span.child],
        span.before,
        span.after.inverse(),
        tuple(axes),
        active,
        location=reading.location(span.element),
    )


def _axis(axis: Axis, settings: AxisSettings, mimic: MimicFormula | None) -> JointAxis:
    length = math.hypot(*axis.direction)
    x, y, z = (part / length for part in axis.direction)
    limits = _limits(axis, settings)
    speed = _SLIDING_SPEED if axis.prismatic else _SPEED
    values: dict[str, Any] = {
        "velocity_limit": speed if settings.speed is None else settings.speed
    }
    said = {
        "acceleration_limit": settings.acceleration,
        "jerk_limit": settings.jerk,
        "hard_velocity_limit": settings.hard_speed,
        "hard_acceleration_limit": settings.hard_acceleration,
        "hard_jerk_limit": settings.hard_jerk,
        "weight": settings.planning_weight,
        "resolution": settings.resolution,
    }
    values |= {name: value for name, value in said.items() if value is not None}
    for soft in ("velocity_limit", "acceleration_limit", "jerk_limit"):
        hard = values.get(f"hard_{soft}", 0.0)
        if hard > 0.0 and values.get(soft, 0.0) > hard:
            values[soft] = hard
    lower, upper, circular = limits
    if axis.limits is not None and sorted(axis.limits) != [lower, upper]:
        values["hard_lower"], values["hard_upper"] = sorted(axis.limits)
    return JointAxis(
        (x, y, z),
        prismatic=axis.prismatic,
        lower=lower,
        upper=upper,
        circular=circular,
        mimic=mimic,
        **values,
    )


def _limits(axis: Axis, settings: AxisSettings) -> tuple[float, float, bool]:
    """Return lower, upper, circular: soft limits win over hard ones.

    Equal ones hold a joint at 0, as in OpenRAVE.
    """
    lower, upper, circular = _written_limits(axis, settings)
    if lower == upper and not circular:
        return 0.0, 0.0, False
    return lower, upper, circular


def _are_equal(axis: Axis, settings: AxisSettings) -> bool:
    """Return True if the limits of an axis are one number other than 0."""
    lower, upper, circular = _written_limits(axis, settings)
    return lower == upper != 0.0 and not circular


def _written_limits(axis: Axis, settings: AxisSettings) -> tuple[float, float, bool]:
    circular = bool(settings.circular)
    if settings.locked:
        return 0.0, 0.0, False
    lower, upper = settings.lower, settings.upper
    if lower is None or upper is None:
        if axis.limits is not None:
            lower = axis.limits[0] if lower is None else lower
            upper = axis.limits[1] if upper is None else upper
        elif axis.prismatic:
            lower = -_ENDLESS if lower is None else lower
            upper = _ENDLESS if upper is None else upper
        else:
            circular = circular or (lower is None and upper is None)
            lower = -math.pi if lower is None else lower
            upper = math.pi if upper is None else upper
    if lower > upper:
        lower, upper = upper, lower
    return lower, upper, circular


def value_factor(
    axis: Axis, reading: ColladaReading, element: Any, radians: Callable[[Any], bool]
) -> float:
    """Return the factor for a bound value of an axis."""
    if axis.prismatic:
        return reading.unit(element)
    return 1.0 if radians(element) else math.radians(1.0)
