"""Kinematics models: links, joints, and how joints hang between links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyrave.formats.likely_units import are_radians
from pyrave.scene import Pose
from pyrave_collada.document.extras import exact_part
from pyrave_collada.document.parsed import child, children, one_word
from pyrave_collada.vocabulary import GLUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene.pose import Vec3
    from pyrave_collada.document.references import Found
    from pyrave_collada.reading.load import ColladaReading

_AXES = ("revolute", "prismatic")
_OTHER_WORDS = {
    "hinge": "revolute",
    "rotational": "revolute",
    "slider": "prismatic",
    "linear": "prismatic",
}
"""Names of joint types in other formats."""
_SPANS = ("attachment_full", "attachment_start", "attachment_end")
_MAX_DEPTH = 2000
_UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One axis of a joint.

    Parameters
    ----------
    element
        Its ``<revolute>`` or ``<prismatic>``.
    prismatic
        Whether it slides.
    direction
        As written; all zero for axes that do not move.
    limits
        Hard limits, radians or metres, or None.
    """

    element: Any
    prismatic: bool
    direction: Vec3
    limits: tuple[float, float] | None

    @property
    def moves(self) -> bool:
        """True if the axis has a direction."""
        return math.hypot(*self.direction) > 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """One use of a joint: the same library joint may be instanced several times.

    Parameters
    ----------
    element
        Its ``<joint>``.
    place
        The ``<instance_joint>`` through which the model has it, or the joint itself.
    """

    element: Any
    place: Any
    name: str
    axes: tuple[Axis, ...]

    @property
    def is_glue(self) -> bool:
        """True if it is written only for other programs."""
        exact = exact_part(self.element)
        return exact is not None and child(exact, GLUE) is not None


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link and its own pose: that of its frame behind the joint that carries it."""

    element: Any
    name: str
    sid: str
    pose: Pose


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """A joint between two links: child = parent, `before`, motion, `after`."""

    element: Any
    parent: Link
    child: Link
    joint: Joint
    before: Pose
    after: Pose


@dataclass(slots=True, eq=False)
class KinematicsModel:
    """Contents of a ``<kinematics_model>``; `roots` and `spans` in document order."""

    element: Any
    name: str
    links: list[Link] = field(default_factory=list)
    roots: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    formulas: list[Any] = field(default_factory=list)

    def joint_of(self, found: Found) -> Joint | None:
        """Return the joint that a path leads to, to itself or to one of its axes."""
        for joint in self.joints:
            if joint.place in found.trail:
                return joint
        for joint in self.joints:
            if joint.element in found.trail:
                return joint
        return None

    def link_of(self, found: Found) -> Link | None:
        """Return the link that a path leads to."""
        return next((one for one in self.links if one.element is found.element), None)


def read_model(element: Any, reading: ColladaReading) -> KinematicsModel:
    """Return the content of a ``<kinematics_model>``."""
    return _Model(element, reading).read()


class _Model:
    """Reads one kinematics model."""

    def __init__(self, element: Any, reading: ColladaReading) -> None:
        self.reading = reading
        name = element.get("name") or element.get("id") or ""
        self.model = KinematicsModel(element, name)
        self.common = child(element, "technique_common")
        self.starts: dict[str, list[tuple[Any, Link]]] = {}
        self.ends: dict[str, list[tuple[Any, Link]]] = {}

    def read(self) -> KinematicsModel:
        model = self.model
        if self.common is None:
            self.reading.warn(
                model.element,
                "empty-model",
                "<kinematics_model> has no <technique_common>, so no links",
            )
            return model
        self._read_joints()
        for element in children(self.common, "link"):
            root = self._link(element)
            model.roots.append(root)
            self._below(root)
        self._close_loops()
        for one in children(self.common, "formula", "instance_formula"):
            target = one if one.tag == "formula" else self.reading.library.target(one)
            if target is None:
                self.reading.dangling(one, "the formula", one.get("url") or "")
            else:
                model.formulas.append(target)
        return model

    # -- joints ----------------------------------------------------------------------

    def _read_joints(self) -> None:
        names: set[str] = set()
        for place in children(self.common, "joint", "instance_joint"):
            element = place
            if place.tag == "instance_joint":
                element = self.reading.library.target(place)
                if element is None:
                    self.reading.dangling(place, "the joint", place.get("url") or "")
                    continue
            name = (
                (place.get("name") if place is not element else None)
                or element.get("name")
                or place.get("sid")
                or element.get("sid")
                or element.get("id")
                or f"joint{len(names)}"
            )
            name = _free(one_word(name), names)
            names.add(name)
            for wrong in children(element, *_OTHER_WORDS):
                self.reading.warn(
                    wrong,
                    "unknown-tag",
                    f"unknown tag <{wrong.tag}> in the joint {name!r}; it is no axis",
                    f"did you mean <{_OTHER_WORDS[wrong.tag]}>?",
                )
            axes = tuple(self._axis(one) for one in children(element, *_AXES))
            self.model.joints.append(Joint(element, place, name, axes))

    def _axis(self, element: Any) -> Axis:
        prismatic = element.tag == "prismatic"
        values = self.reading.values
        line = child(element, "axis")
        found = None if line is None else values.vector(line)
        limits = child(element, "limits")
        bounds = None
        if limits is not None:
            pair = [child(limits, tag) for tag in ("min", "max")]
            low, high = [None if one is None else values.number(one) for one in pair]
            factor = self.reading.unit(element) if prismatic else math.radians(1.0)
            if low is not None and high is not None:
                check_limits(self.reading, limits, (low, high), turns=not prismatic)
                bounds = (low * factor, high * factor)
        return Axis(element, prismatic, found or _UP, bounds)

    # -- links -----------------------------------------------------------------------

    def _link(self, element: Any) -> Link:
        sid = element.get("sid") or ""
        number = len(self.model.links)
        name = element.get("name") or element.get("id") or sid or f"link{number}"
        pose = self.reading.values.pose(element)
        link = Link(element, one_word(name), sid, pose)
        self.model.links.append(link)
        return link

    def _below(self, root: Link) -> None:
        """Read what hangs below a link, without recursion: files are hostile."""
        waiting = [(root, iter(self._spans_of(root)), 1)]
        while waiting:
            parent, spans, depth = waiting[-1]
            element = next(spans, None)
            if element is None:
                waiting.pop()
                continue
            link = self._span(parent, element)
            if link is not None and depth < _MAX_DEPTH:
                waiting.append((link, iter(self._spans_of(link)), depth + 1))

    def _spans_of(self, link: Link) -> Iterator[Any]:
        yield from children(link.element, *_SPANS)

    def _span(self, parent: Link, element: Any) -> Link | None:
        """Read one attachment; return the link below it."""
        reference = element.get("joint") or ""
        if element.tag == "attachment_start":
            self.starts.setdefault(reference, []).append((element, parent))
            return None
        if element.tag == "attachment_end":
            self.ends.setdefault(reference, []).append((element, parent))
            return None
        joint = self._joint(element)
        below = child(element, "link")
        if below is None:
            return None  # a frame at the end of a chain
        link = self._link(below)
        if joint is None:
            self.model.roots.append(link)
            return link
        before = self.reading.values.pose(element)
        if joint.is_glue:
            pose = parent.pose @ before @ link.pose
            link = self.model.links[-1] = replace(link, pose=pose)
            self.model.roots.append(link)
            return link
        span = Span(element, parent, link, joint, before, link.pose)
        self.model.spans.append(span)
        return link

    def _joint(self, element: Any) -> Joint | None:
        path = element.get("joint") or ""
        found = self.reading.library.find(path, self.model.element)
        joint = None if found is None else self.model.joint_of(found)
        if joint is None:
            known = [one.place.get("sid") or "" for one in self.model.joints]
            self.reading.warn(
                element,
                "unresolved-reference",
                f"the joint {path!r} is not in the kinematics model; the link below "
                "stands alone",
                f"its joints are {', '.join(filter(None, known[:8]))}",
            )
        return joint

    def _close_loops(self) -> None:
        """Join what ``attachment_start`` and ``attachment_end`` of one joint name."""
        pose = self.reading.values.pose
        for reference, starts in self.starts.items():
            ends = self.ends.pop(reference, [])
            if len(starts) != 1 or len(ends) != 1:
                self.reading.warn(
                    starts[0][0],
                    "open-loop",
                    f"{len(starts)} <attachment_start> and {len(ends)} "
                    f"<attachment_end> name the joint {reference!r}, expected one of "
                    "each; the loop stays open",
                )
                continue
            (first, parent), (last, below) = starts[0], ends[0]
            joint = self._joint(first)
            if joint is not None:
                after = pose(last).inverse()
                span = Span(first, parent, below, joint, pose(first), after)
                self.model.spans.append(span)
        for reference, ends in self.ends.items():
            self.reading.warn(
                ends[0][0],
                "open-loop",
                f"<attachment_end> of the joint {reference!r} has no "
                "<attachment_start>; the loop stays open",
            )


def _free(name: str, taken: set[str]) -> str:
    number, made = 2, name
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    return made


def check_limits(
    reading: ColladaReading, element: Any, limits: Sequence[float], *, turns: bool
) -> None:
    """Warn of limits, as a file has them, that are probably a mistake."""
    lower, upper = limits
    shown = f"<limits> is {lower:g} to {upper:g}"
    if lower > upper:
        reading.warn(
            element,
            "swapped-limits",
            f"{shown}: the lower limit is above the upper one; they are exchanged",
            "write the lower limit into <min>",
        )
    if turns and are_radians(limits):
        reading.warn(
            element,
            "likely-unit",
            f"{shown} degrees, which look like radians",
            f"write {math.degrees(lower):.6g} and {math.degrees(upper):.6g} if they "
            "are",
        )
