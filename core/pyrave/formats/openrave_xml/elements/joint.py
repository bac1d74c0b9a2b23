"""``<joint>``: frames, axes, limits and mimic formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyrave.cards import counted
from pyrave.errors import nearest
from pyrave.formats.likely_units import are_degrees, are_radians
from pyrave.formats.openrave_xml.builders.item_builders import (
    JointBuilder,
    LinkBuilder,
    joint_motion,
)
from pyrave.formats.openrave_xml.elements.overrides import read_overrides
from pyrave.formats.openrave_xml.read.scope import lowered
from pyrave.formats.openrave_xml.schema import ELEMENTS, JOINT_DOFS
from pyrave.formats.openrave_xml.transforms import ONE, ZERO, relative, sized
from pyrave.formats.openrave_xml.values import WrongCountError
from pyrave.formats.xml import to_xml_element
from pyrave.scene import (
    IDENTITY,
    JointAxis,
    MimicFormula,
    Pose,
    XmlReadable,
)
from pyrave.scene.pose import Vec3

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.builders.body_builder import BodyBuilder
    from pyrave.formats.openrave_xml.read.scope import Scope

_UNIT = 1e-12
_AXES: tuple[Vec3, Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_AXIS_TAGS = {
    "hinge": ("axis",),
    "slider": ("axis",),
    "universal": ("axis1", "axis2"),
    "hinge2": ("axis1", "axis2"),
    "spherical": (),
}
# what other formats call them
_OTHER_WORDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "rotational": "hinge",
    "prismatic": "slider",
    "linear": "slider",
    "ball": "spherical",
}
_DEFAULT_AXIS = JointAxis(_AXES[2])
_LIMIT_TAGS = frozenset({"limits", "limitsrad", "limitsdeg"})
_RANGES = {"slider": 10.0, "spherical": 100.0}
# Tags with one number a degree of freedom: (field, in degrees).
_PER_DOF = {
    "weight": ("weight", False),
    "initial": ("initial", False),
    "maxvel": ("velocity_limit", False),
    "maxveldeg": ("velocity_limit", True),
    "hardmaxvel": ("hard_velocity_limit", False),
    "maxaccel": ("acceleration_limit", False),
    "maxacceldeg": ("acceleration_limit", True),
    "maxtorque": ("torque_limit", False),
    "maxinertia": ("inertia_limit", False),
}
_UNUSED = {
    "maxforce": "<maxtorque> limits a joint",
    "axis3": "no type of joint has a third axis of its own",
    "mode": "there are no angular motors",
}


class _Tags:
    """Contents of the tags of one joint.

    `axes` has what each axis tag says, None after an error, and its element.
    """

    __slots__ = (
        *("anchor", "axes", "bodies", "limits", "offset", "old_limits"),
        *("unknown_bodies", "values"),
    )

    def __init__(self) -> None:
        self.anchor: Vec3 = ZERO
        self.axes: dict[int, tuple[tuple[float, ...] | None, Any]] = {}
        self.bodies: list[LinkBuilder] = []
        self.unknown_bodies = 0
        self.offset: LinkBuilder | None = None
        self.limits: list[tuple[float, float]] | None = None
        self.old_limits: dict[str, tuple[float, ...]] = {}
        self.values: dict[str, tuple[float, ...]] = {}


def read_joint(element: Any, scope: Scope, body: BodyBuilder, scale: Vec3) -> None:
    """Read a ``<joint>`` and add it to `body`."""
    attributes = scope.attributes(element, "joint")
    said = attributes.get("type", "hinge").strip().lower()
    kind = _kind(element, scope, said)
    joint = None
    if kind is not None:
        joint = _read_joint(element, scope, body, scale, attributes, kind)
    if joint is None or kind != said:
        body.lacks_joints = True
    else:
        body.add_joint(joint)


def _kind(element: Any, scope: Scope, said: str) -> str | None:
    """Return the type of a joint; after an error the likely one, to read the rest."""
    if said in JOINT_DOFS:
        return said
    near = _OTHER_WORDS.get(said) or nearest(said, JOINT_DOFS)
    scope.error(
        element,
        "unknown-joint-type",
        f"joint type {said!r} is not known; known: {', '.join(JOINT_DOFS)}",
        f"did you mean {near!r}?" if near else None,
    )
    return near


def _read_joint(
    element: Any,
    scope: Scope,
    body: BodyBuilder,
    scale: Vec3,
    attributes: dict[str, str],
    kind: str,
) -> JointBuilder | None:
    """Return a joint, None after an error."""
    if "scalegeometry" in attributes:
        text = attributes["scalegeometry"]
        own = scope.factors(element, "attribute 'scalegeometry'", text)
        if own is not None:
            scale = own
    name = attributes.get("name", "").strip()
    joint = JointBuilder(name, kind, element, scope)
    scope.keep_attributes(element, "joint", joint.readables)
    tags = _Tags()
    for child in element:
        _read_tag(lowered(child.tag, child), child, scope, body, joint, tags)
    circular = "circular" in attributes and scope.boolean(
        element, "circular", attributes["circular"], default=True
    )
    joint.active = "enable" not in attributes or scope.boolean(
        element, "enable", attributes["enable"], default=True
    )
    ranges = _limits(element, scope, joint, tags, circular=circular)
    mimic = _mimic(element, scope, attributes)
    if not _find_ends(joint, tags, body):
        return None
    if mimic is not None:
        joint.active = False
    static = not circular and all(low >= high for low, high in ranges)
    directions = _directions(element, scope, joint, tags, static=static)
    if directions is None:
        return None
    anchor = (
        tags.anchor[0] * scale[0], tags.anchor[1] * scale[1], tags.anchor[2] * scale[2]
    ) if scale is not ONE else tags.anchor  # fmt: skip
    if kind == "slider":
        anchor = ZERO
    frame = joint.parent.pose
    if tags.offset is not joint.parent:
        in_body = tags.offset.pose if tags.offset is not None else Pose()
        to_parent = relative(frame, in_body)
        anchor = to_parent.apply(anchor)
        directions = [to_parent.rotate(direction) for direction in directions]
    to_child = relative(frame, joint.child.pose)
    base = body.links[0]
    if joint.child.static and not joint.parent.static and joint.parent is not base:
        joint.parent, joint.child = joint.child, joint.parent
        to_child = to_child.inverse()
        anchor = to_child.apply(anchor)
        directions = [to_child.rotate((-x, -y, -z)) for x, y, z in directions]
    if kind == "hinge" and not tags.axes and not static:
        directions = [_AXES[2]]
        _warn_default_axis(joint)
    joint.axes = tuple(
        JointAxis(
            direction,
            prismatic=kind == "slider",
            lower=ranges[index][0],
            upper=ranges[index][1],
            circular=circular,
            mimic=mimic if index == 0 else None,
            **{name: values[index] for name, values in tags.values.items()},
        )
        for index, direction in enumerate(directions)
    )
    if static and not tags.axes and tags.anchor is ZERO and tags.offset is None:
        # Glued links: the joint sits in the child link, as OpenRAVE reports it.
        joint.frames = (to_child, IDENTITY)
        return joint
    in_parent = Pose.from_translation(*anchor)
    motion = joint_motion(joint.axes, [axis.initial for axis in joint.axes])
    joint.frames = (in_parent, to_child.inverse() @ in_parent @ motion)
    if not joint.name and not static:
        scope.warn(element, "unnamed-joint", "the joint has no name")
    return joint


def _find_ends(joint: JointBuilder, tags: _Tags, body: BodyBuilder) -> bool:
    """Set the links that a joint connects; return False after an error."""
    links, scope, element = tags.bodies, joint.scope, joint.element
    count = len(links)
    if count < 2:
        named = count + tags.unknown_bodies
        # links that are not known, and files that declare them, were reported already
        if named < 2 and not body.incomplete:
            message = f"joint {joint.name!r} has {counted(named, '<body> tag')}"
            scope.error(element, "joint-links", f"{message}, expected 2")
        return False
    joint.parent, joint.child = links[0], links[-1]
    if joint.parent is joint.child:
        message = f"joint {joint.name!r} joins link {joint.parent.name!r} to itself"
        scope.error(element, "joint-links", message)
        return False
    if count > 2:
        message = f"joint {joint.name!r} has {count} <body> tags, expected 2; the first"
        scope.warn(element, "joint-links", f"{message} and the last are taken")
    return True


def _warn_default_axis(joint: JointBuilder) -> None:
    joint.scope.warn(
        joint.element,
        "missing-axis",
        f"hinge {joint.name!r} has no <axis>; it turns about 0 0 1 of link "
        f"{joint.parent.name!r}, as in OpenRAVE",
        "write the <axis>",
    )


def _read_tag(
    tag: str,
    child: Any,
    scope: Scope,
    body: BodyBuilder,
    joint: JointBuilder,
    tags: _Tags,
) -> None:
    dofs = JOINT_DOFS[joint.type]
    if tag in {"body", "offsetfrom"}:
        name = scope.word(child)
        link = body.find_link(name, any_case=tag == "body")
        if link is None and tag == "offsetfrom":
            instead = "anchor and axes are in the frame of the body"
            body.unknown_link(child, scope, name, instead)
        elif link is None:
            body.unknown_link(child, scope, name, error=True)
            tags.unknown_bodies += 1
        elif tag == "body":
            tags.bodies.append(link)
        else:
            tags.offset = link
    elif tag == "anchor":
        tags.anchor = scope.floats(child, 3, tags.anchor) or ZERO  # type: ignore[assignment]
    elif tag in {"axis", "axis1", "axis2"}:
        _read_axis(tag, child, scope, joint.type, tags)
    elif tag in _LIMIT_TAGS:
        _read_limits(tag, child, scope, joint.type, tags)
    elif tag in {"lostop", "histop"}:
        scope.warn(
            child, "deprecated-tag", f"<{tag}> is an old form", "write <limitsdeg>"
        )
        bound = _range(joint.type) * (-1.0 if tag == "lostop" else 1.0)
        stops = scope.floats(child, dofs, (bound,) * dofs, infinite=True)
        if stops is not None:
            tags.old_limits[tag] = stops
    elif tag in _PER_DOF:
        scope.note_idle("joint", child)
        _read_per_dof(tag, child, scope, joint.type, tags)
    elif tag in {"resolution", "resolutionrad"}:
        value = scope.number(child, _DEFAULT_AXIS.resolution)
        if value is not None:
            turn = tag == "resolution" and joint.type != "slider"
            tags.values["resolution"] = (math.radians(value) if turn else value,) * dofs
    elif tag == "actuator":
        _read_actuator(child, scope, joint)
    elif tag == "pyrave":
        joint.overrides = read_overrides(child, scope, joint.overrides)
    elif tag in _UNUSED:
        scope.warn(child, "unused-tag", f"<{tag}> is not used: {_UNUSED[tag]}")
    elif tag:
        joint.readables += scope.part_tag(child, "joint", ELEMENTS["joint"].tags)


def _read_actuator(element: Any, scope: Scope, joint: JointBuilder) -> None:
    """Check an ``<actuator>``, and keep it as it is written."""
    kind = scope.attributes(element, "actuator").get("type", "electric_motor")
    if kind.strip().lower() != "electric_motor":
        scope.error(
            element,
            "unknown-actuator-type",
            f"actuator type {kind!r} is not known",
            "known: electric_motor",
        )
    tags = ELEMENTS["actuator"].tags
    for child in element:
        tag = lowered(child.tag, child)
        if tag not in tags:
            scope.unknown_tag(child, tags, report=bool(tag))
            continue
        scope.note_idle("actuator", child)
        if tags[tag].content != "text":
            scope.floats(child, 2 if tag.endswith("_point") else 1)
    joint.actuator = XmlReadable(to_xml_element(element, scope.file))


def _read_axis(tag: str, child: Any, scope: Scope, kind: str, tags: _Tags) -> None:
    names = _AXIS_TAGS[kind]
    if tag not in names:
        has = " and ".join(f"<{name}>" for name in names)
        hint = f"write {has}" if has else None
        message = f"<{tag}> is not used by a {kind} joint"
        scope.warn(child, "unused-tag", message, hint)
        return
    index = names.index(tag)
    known = tags.axes.get(index, (None, None))[0] or ()
    tags.axes[index] = (scope.floats(child, 3, known), child)


def _read_limits(tag: str, child: Any, scope: Scope, kind: str, tags: _Tags) -> None:
    limits = scope.floats(child, infinite=True)
    if limits is None:
        return
    wanted = 2 * JOINT_DOFS[kind]
    if len(limits) != wanted:
        problem = WrongCountError(limits, str(wanted), child.text or "")
        scope.warn(child, "bad-number", f"<{tag}> {problem}; it is not used")
        return
    factor = math.pi / 180.0 if tag == "limitsdeg" and kind != "slider" else 1.0
    pairs = zip(limits[::2], limits[1::2], strict=True)
    # a spherical joint of any orientation has a range that looks like degrees
    turns = kind != "slider" and {*map(abs, limits)} != {_RANGES.get(kind)}
    _check_limits(tag, limits, scope, child, turns=turns)
    tags.limits = [(min(pair) * factor, max(pair) * factor) for pair in pairs]


def _check_limits(
    tag: str, limits: Sequence[float], scope: Scope, child: Any, *, turns: bool
) -> None:
    """Warn of what is probably a mistake; the limits are taken as they are."""
    shown = " ".join(f"{value:g}" for value in limits)
    if any(low > high for low, high in zip(limits[::2], limits[1::2], strict=True)):
        scope.warn(
            child,
            "swapped-limits",
            f"<{tag}> is {shown}: a lower limit is above its upper one; they are "
            "exchanged",
            "write the lower limit first",
        )
    if turns and tag == "limitsdeg" and are_radians(limits):
        scope.warn(
            child,
            "likely-unit",
            f"<limitsdeg> is {shown} degrees, which look like radians",
            "write <limits> if they are",
        )
    elif turns and tag != "limitsdeg" and are_degrees(limits):
        scope.warn(
            child,
            "likely-unit",
            f"<{tag}> is {shown} radians, which look like degrees",
            "write <limitsdeg> if they are; circular='true' is for endless joints",
        )


def _read_per_dof(tag: str, child: Any, scope: Scope, kind: str, tags: _Tags) -> None:
    dofs = JOINT_DOFS[kind]
    field, degrees = _PER_DOF[tag]
    known = tags.values.get(field, (getattr(_DEFAULT_AXIS, field),) * dofs)
    infinite = tag.startswith(("max", "hard"))
    values = scope.floats(child, dofs, known, infinite=infinite)
    if values is None:
        return
    if tag != "initial" and min(values) < 0.0:
        scope.error(child, "bad-size", f"<{tag}> is {values[0]}, expected 0 or more")
        return
    if degrees:  # those of sliders too, as in OpenRAVE
        values = tuple(map(math.radians, values))
    tags.values[field] = values


def _range(kind: str) -> float:
    """Return the limit either way of an axis for which no limits are given."""
    return _RANGES.get(kind, math.pi)


def _limits(
    element: Any, scope: Scope, joint: JointBuilder, tags: _Tags, *, circular: bool
) -> list[tuple[float, float]]:
    dofs = JOINT_DOFS[joint.type]
    bound = _range(joint.type)
    if tags.old_limits:
        if tags.limits is not None:
            scope.error(
                element, "mixed-limits", "<lostop> or <histop> together with <limits>"
            )
        factor = 1.0 if joint.type == "slider" else math.pi / 180.0
        sides = [
            [value * factor for value in tags.old_limits[tag]]
            if tag in tags.old_limits
            else [default] * dofs
            for tag, default in (("lostop", -bound), ("histop", bound))
        ]
        tags.axes = {
            index: (None if axis is None else tuple(-value for value in axis), child)
            for index, (axis, child) in tags.axes.items()
        }
        return [(min(pair), max(pair)) for pair in zip(*sides, strict=True)]
    if tags.limits is None:
        return [(-bound, bound)] * dofs
    for index, (lower, upper) in enumerate(tags.limits):
        if lower == upper != 0.0 and not circular:
            scope.warn(
                element,
                "equal-limits",
                f"joint {joint.name!r} has equal limits {lower}, taken as 0",
            )
            tags.limits[index] = (0.0, 0.0)
    return tags.limits


def _directions(
    element: Any, scope: Scope, joint: JointBuilder, tags: _Tags, *, static: bool
) -> list[Vec3] | None:
    """Return the unit axes, None after an error."""
    if joint.type == "spherical":
        return list(_AXES)
    found: list[Vec3] = []
    for index, name in enumerate(_AXIS_TAGS[joint.type]):
        direction, child = tags.axes.get(index, ((), None))
        if direction is None:
            return None  # what it says is no direction, and was reported
        if not any(direction):
            if static or (joint.type == "hinge" and child is None):
                found.append(_AXES[2])
                continue
            what = "is missing" if child is None else "is 0 0 0"
            message = f"<{name}> of joint {joint.name!r} {what}, expected a direction"
            scope.error(element if child is None else child, "zero-axis", message)
            return None
        x, y, z = sized(direction)
        size = x * x + y * y + z * z
        if abs(size - 1.0) > _UNIT:
            norm = math.sqrt(size)
            x, y, z = x / norm, y / norm, z / norm
        found.append((x, y, z))
    return found


def _mimic(
    element: Any, scope: Scope, attributes: dict[str, str]
) -> MimicFormula | None:
    formulas = {"pos": "", "vel": "", "accel": ""}
    for name, value in attributes.items():
        if name.startswith("mimic_"):
            kind = next((k for k in formulas if name.startswith(f"mimic_{k}")), None)
            if kind is None:
                scope.unknown_attribute(element, name, ELEMENTS["joint"].attributes)
            else:
                formulas[kind] = value.strip()
    if "mimic_pos" in attributes and not formulas["pos"]:
        scope.warn(
            element,
            "bad-mimic",
            "mimic_pos is empty, so the joint follows no other",
            "write a formula, or leave the attribute out",
        )
    if formulas["pos"]:
        return MimicFormula(
            formulas["pos"], formulas["vel"], formulas["accel"], scope.location(element)
        )
    if "mimic" not in attributes:
        return None
    words = attributes["mimic"].split()
    scope.warn(
        element,
        "deprecated-attribute",
        "attribute 'mimic' is an old form",
        "write mimic_pos='c0*joint+c1'",
    )
    if not words:
        message = f"mimic={attributes['mimic']!r}, expected 'joint c0 c1'"
        scope.error(element, "bad-mimic", message)
        return None
    numbers = scope.attribute_floats(element, "mimic", " ".join(words[1:]), (0, 1, 2))
    if numbers is None:
        return None
    c0, c1 = (*numbers, *(1.0, 0.0)[len(numbers) :])[:2]
    name = words[0]
    return MimicFormula(
        f"{c0!r}*{name}+{c1!r}",
        f"|{name} {c0!r}",
        f"|{name} 0",
        scope.location(element),
    )
