"""A body as URDF has robots: a tree of links, and joints with at most one axis.

The tree is the one that poses are computed along: breadth first from the base. Joints
that close loops are left out, joints of several axes become chains over links without
mass, and so do joints that do not turn about a line through the frame of their link.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from pyrave.records import Record
from pyrave.scene import IDENTITY, JointAxis, Pose, spanning_tree
from pyrave_urdf.reading.elements.joints import free_axes, planar_axes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats import Losses
    from pyrave.scene import BodyDescription, JointDescription, LinkDescription
    from pyrave.scene.pose import Vec3

_ON_AXIS = 1e-15


@dataclass(slots=True)
class WrittenJoint(Record):
    """One ``<joint>``.

    Parameters
    ----------
    kind
        URDF's type.
    origin
        T_parent_child where its value is zero.
    axis, direction
        What it moves by, and which way in the frame of the child.
    source
        The joint that it is, or is part of; None if it only holds a link.
    is_first
        Whether it carries what the source says beyond its axes.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: JointAxis | None = None
    direction: Vec3 | None = None
    source: JointDescription | None = None
    is_first: bool = True


@dataclass(slots=True)
class Tree:
    """The links and joints that are written.

    Parameters
    ----------
    root
        Name of the base.
    between
        Names of the links without mass in chains.
    axes
        The written joint of each axis: (joint, number of the axis) -> name.
    parted
        Pairs of links that one joint joined, and a chain joins now.
    """

    root: str
    joints: list[WrittenJoint] = field(default_factory=list)
    between: list[str] = field(default_factory=list)
    axes: dict[tuple[str, int], str] = field(default_factory=dict)
    parted: list[tuple[str, str]] = field(default_factory=list)


def plan_tree(body: BodyDescription, losses: Losses) -> Tree:
    """Return the plan for writing a body whose links and joints all have names."""
    return _Planner(body, losses).done()


class _Planner:
    def __init__(self, body: BodyDescription, losses: Losses) -> None:
        self._body = body
        self._losses = losses
        self._links = {link.name: link for link in body.links}
        self._tree = Tree(body.links[0].name)
        self._link_names = set(self._links)
        self._joint_names = {joint.name for joint in body.joints}

    def done(self) -> Tree:
        written: dict[str, list[WrittenJoint]] = {}
        held = []
        links = list(self._body.links)
        base = links[0].pose.inverse()
        hanging, roots = spanning_tree(self._body)
        for name in roots:
            holder = _free(f"{name}_joint", self._joint_names)
            origin = base @ self._links[name].pose
            held.append(WrittenJoint(holder, "fixed", self._tree.root, name, origin))
            self._losses.add(
                "links that no joint holds are held by fixed joints",
                name,
                kind="written-otherwise",
            )
        for joint, parent, child in hanging:
            is_forward = joint.parent == parent
            chain = _Chain(self, joint, parent, child, is_forward=is_forward)
            written[joint.name] = list(chain.joints())
        for joint in self._body.joints:
            if joint.name in written:
                self._tree.joints += written[joint.name]
            else:
                self._losses.add(
                    "joints that close loops are left out, URDF has only trees",
                    joint.name,
                )
        self._tree.joints += held
        return self._tree

    # -- what chains ask for ---------------------------------------------------------

    @property
    def losses(self) -> Losses:
        """Reports of what the file cannot express."""
        return self._losses

    @property
    def tree(self) -> Tree:
        """The plan so far."""
        return self._tree

    def link(self, name: str) -> LinkDescription:
        """Return a link."""
        return self._links[name]

    def between(self, wanted: str) -> str:
        """Return the name of a new link without mass."""
        name = _free(wanted, self._link_names)
        self._tree.between.append(name)
        return name

    def joint_name(self, wanted: str) -> str:
        """Return the name of a further joint."""
        return _free(wanted, self._joint_names)


@dataclass(slots=True)
class _Chain:
    """One joint of a body as joints of URDF.

    The child's pose in the parent is ``before @ motions @ after``.
    """

    planner: _Planner
    joint: JointDescription
    parent: str
    child: str
    is_forward: bool

    def joints(self) -> Iterator[WrittenJoint]:
        joint = self.joint
        native = self._native()
        if native is not None:
            yield native
            return
        before, after = joint.T_parent_joint, joint.T_child_joint.inverse()
        axes = self._axes()
        if not self.is_forward:
            before, after = joint.T_child_joint, joint.T_parent_joint.inverse()
            axes = [(n, axis, _negative(d)) for n, axis, d in reversed(axes)]
        if joint.type == "trajectory":
            above, below = (self.planner.link(n) for n in (self.parent, self.child))
            before, after = above.pose.inverse() @ below.pose, IDENTITY
        if not axes:
            name = joint.name
            yield WrittenJoint(
                *(name, "fixed", self.parent, self.child, before @ after),
                source=joint,
            )
            return
        yield from self._moving(before, axes, after)

    def _moving(
        self, before: Pose, axes: list[tuple[int, JointAxis, Vec3]], after: Pose
    ) -> Iterator[WrittenJoint]:
        planner, joint, parent = self.planner, self.joint, self.parent
        names = {0: joint.name}
        for number in sorted(number for number, _, _ in axes if number):
            names[number] = planner.joint_name(f"{joint.name}_{number}")
        last = axes[-1]
        fits = _passes_through(last[1], last[2], after)
        for step, (number, axis, way) in enumerate(axes, 1):
            name, ends = names[number], step == len(axes)
            child = self.child
            if not (ends and fits):
                child = planner.between(f"{name}_link")
            origin = before if step == 1 else IDENTITY
            seen = way
            if ends and fits and after != IDENTITY:
                origin, seen = origin @ after, after.inverse().rotate(way)
            kind = _kind(axis)
            planner.tree.axes[joint.name, number] = name
            yield WrittenJoint(
                *(name, kind, parent, child, origin, axis, seen, joint, number == 0)
            )
            parent = child
        if not fits:
            name = planner.joint_name(f"{joint.name}_offset")
            yield WrittenJoint(name, "fixed", parent, self.child, after)
        if len(axes) > 1 or not fits:
            planner.tree.parted.append((self.parent, self.child))
            what = "joints of several axes are chains of joints with one axis each"
            if len(axes) == 1:
                what = (
                    "joints whose axis passes by the origin of their link carry it "
                    "over a link without mass"
                )
            planner.losses.add(what, joint.name, kind="written-otherwise")

    def _axes(self) -> list[tuple[int, JointAxis, Vec3]]:
        joint, losses = self.joint, self.planner.losses
        if joint.type == "trajectory":
            losses.add("joints that move along paths are fixed", joint.name)
            return []
        if joint.type == "spherical":
            losses.add(
                "values of spherical joints mean another rotation: three turns, one "
                "after the other",
                joint.name,
            )
            return [
                (n, _endless(axis), axis.direction) for n, axis in enumerate(joint.axes)
            ]
        return [(n, axis, axis.direction) for n, axis in enumerate(joint.axes)]

    def _native(self) -> WrittenJoint | None:
        """Return a joint of several axes that URDF has a type for, else None."""
        joint = self.joint
        if joint.type != "compound" or not self.is_forward:
            return None
        if joint.T_child_joint != IDENTITY or any(a.mimic for a in joint.axes):
            return None
        plain = tuple(_shape_of(axis) for axis in joint.axes)
        kind, way = "floating", None
        if plain != tuple(map(_shape_of, free_axes({}, {}))):
            kind, way = "planar", joint.axes[-1].direction
            if plain != tuple(map(_shape_of, planar_axes(way, {}, {}))):
                return None
        if len({_rates_of(axis) for axis in joint.axes}) > 1:
            return None
        for number in range(len(joint.axes)):
            # nothing can follow one of several axes
            self.planner.tree.axes[joint.name, number] = ""
        return WrittenJoint(
            joint.name,
            kind,
            self.parent,
            self.child,
            joint.T_parent_joint,
            joint.axes[0],
            way,
            joint,
        )


def _passes_through(axis: JointAxis, way: Vec3, after: Pose) -> bool:
    """Return True if the frame behind a motion may as well stand before it."""
    if axis.prismatic or after.translation == (0.0, 0.0, 0.0):
        return True
    # where the axis stands, seen from the link
    x, y, z = after.translation
    a, b, c = way
    length = math.hypot(a, b, c)
    off = math.hypot(y * c - z * b, z * a - x * c, x * b - y * a)
    return off <= _ON_AXIS * length * max(1.0, math.hypot(x, y, z))


def _endless(axis: JointAxis) -> JointAxis:
    """Return one of three turns without limits if these leave out no orientation."""
    if axis.lower > -math.pi or axis.upper < math.pi:
        return axis
    return replace(axis, lower=-math.inf, upper=math.inf)


def _kind(axis: JointAxis) -> str:
    if axis.prismatic:
        return "prismatic"
    endless = math.isinf(axis.lower) and math.isinf(axis.upper)
    return "continuous" if axis.circular or endless else "revolute"


def _negative(way: Vec3) -> Vec3:
    x, y, z = way
    return -x, -y, -z


def _shape_of(axis: JointAxis) -> JointAxis:
    """Return an axis with how it moves alone."""
    return JointAxis(
        axis.direction, axis.prismatic, axis.lower, axis.upper, axis.circular
    )


def _rates_of(axis: JointAxis) -> JointAxis:
    """Return an axis with all but how it moves."""
    return replace(
        axis, direction=(0.0, 0.0, 0.0), prismatic=False, circular=False, lower=0.0,
        upper=0.0,
    )  # fmt: skip


def _free(wanted: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, and take it."""
    tails = (f"_{tail}" if tail else "" for tail in count())
    name = next(wanted + tail for tail in tails if wanted + tail not in taken)
    taken.add(name)
    return name
