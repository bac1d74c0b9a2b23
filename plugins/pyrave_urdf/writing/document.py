"""Writing one robot as URDF, with its meshes and an SRDF next to it.

What URDF has no place for is reported; nothing is guessed.
"""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH100, PTH122

from __future__ import annotations

import math
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import Error, Problem, SceneError
from pyrave.formats import (
    FileNames,
    Losses,
    ReadContext,
    Resolver,
    named_simulation_data,
    write_bytes,
)
from pyrave.formats.output.writable import writable
from pyrave.scene import IDENTITY, RobotDescription, with_glue_fixed, with_names
from pyrave_urdf.reading.elements.inertia import check_inertia
from pyrave_urdf.reading.elements.mimic import leading_first
from pyrave_urdf.reading.initial_values import moving_axes, start_of
from pyrave_urdf.writing.gazebo import add_said
from pyrave_urdf.writing.joints import JointWriter, add_transmission
from pyrave_urdf.writing.kept import Kept
from pyrave_urdf.writing.links import LinkWriter
from pyrave_urdf.writing.materials import MaterialWriter
from pyrave_urdf.writing.meshes import MeshFiles
from pyrave_urdf.writing.mimic import leaders
from pyrave_urdf.writing.numbers import add
from pyrave_urdf.writing.sensors import add_sensors, in_order
from pyrave_urdf.writing.srdf import srdf_of, tell_of_bases, tell_of_srdf
from pyrave_urdf.writing.surfaces import add_surfaces, unsaid
from pyrave_urdf.writing.tree import plan_tree

if TYPE_CHECKING:
    from pyrave.formats import Target, WriteContext
    from pyrave.scene import ContactProperties, Inertial, SceneDescription
    from pyrave.scene.pose import Vec3
    from pyrave_urdf.writing.tree import Tree

_SHOWN = 8
_OWN_TAGS = frozenset({"link", "joint", "material"})
_PLAIN = frozenset({"", "robot", "kinbody", "genericrobot", "generickinbody"})
_FROM_URDF = (".urdf", ".xacro")
# kg and kg m2
_BOUND_MASS, _BOUND_INERTIA = "1e-06", "1e-09"


def write_urdf(
    scene: SceneDescription, target: Target, context: WriteContext
) -> list[Problem]:
    """Write the one body of a scene to a path or a binary file object.

    Meshes that are in no file which other programs read are written next to it, and an
    SRDF if the context asks for one.

    Returns
    -------
    list of Problem
        What URDF has no place for; its code says whether it is lost.

    Raises
    ------
    SceneError
        The scene has no body or several, or holds what no file can say.
    """
    scene = writable(scene)
    robot = with_names(_only_body(scene))
    path = None
    if isinstance(target, (str, os.PathLike)):
        path = os.path.abspath(os.fspath(target))
    losses = Losses()
    has_srdf = context.srdf and path is not None
    robot, glued = with_glue_fixed(robot, passive=not has_srdf)
    if glued:
        losses.add(
            "joints that are no degrees of freedom are fixed (not with an SRDF, which "
            "says that they are passive)",
            *glued,
            kind="written-otherwise",
        )
    _tell_of_scene(scene, robot, losses)
    try:
        draft = _Draft(robot, path, context, losses)
        data = draft.urdf(scene.contact_properties)
        if path is not None and path.lower().endswith(".xacro"):
            # nothing in it is to be expanded
            plain, data = data, data.replace(b"${", b"$${").replace(b"$(", b"$$(")
            if data != plain:
                losses.add(
                    "texts with ${ or $( have one $ more, which xacro takes away",
                    kind="written-otherwise",
                )
        srdf = draft.srdf() if has_srdf else None
    except Error:
        raise
    except ValueError as error:  # lxml's: data holds what XML cannot carry
        raise _refusal(f"the robot cannot be written as URDF: {error}") from error
    for what, names in named_simulation_data(unsaid(draft.root, robot, scene, losses)):
        losses.add(f"{what} are not written", *names)
    with draft.meshes.written():
        if srdf is not None and path is not None:
            write_bytes(f"{os.path.splitext(path)[0]}.srdf", srdf)
        write_bytes(target, data)
    found = losses.problems()
    context.diagnostics.extend(found)
    return found


def _only_body(scene: SceneDescription) -> RobotDescription:
    """Return the body of a scene as a robot."""
    names = [body.name for body in scene.bodies]
    if len(names) != 1:
        listed = ", ".join(map(repr, names[:_SHOWN]))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        what = f"{len(names)} bodies: {listed}{more}" if names else "no body"
        # a robot is meant more likely than what stands around it
        likely = next((robot.name for robot in scene.robots), names[0] if names else "")
        raise _refusal(
            f"URDF holds one robot, the scene has {what}",
            f"say which: body={likely!r} (--body {likely})" if names else None,
        )
    body = scene.bodies[0]
    if not body.links:
        raise _refusal(f"the body {body.name!r} has no links, URDF needs at least one")
    if isinstance(body, RobotDescription):
        return body
    own = {one.name: getattr(body, one.name) for one in fields(body)}
    return RobotDescription(**own)


def _refusal(message: str, hint: str | None = None) -> SceneError:
    return SceneError.refusal("not-written", message, hint=hint)


def _tell_of_scene(
    scene: SceneDescription, robot: RobotDescription, losses: Losses
) -> None:
    """Report losses of the scene and of the body as a whole."""
    body = scene.bodies[0]
    if not isinstance(body, RobotDescription):
        losses.add(
            "the body becomes a robot, URDF has nothing else",
            robot.name,
            kind="written-otherwise",
        )
    for item in scene.interfaces:
        if not _is_usual(item.type, item.interface):
            losses.add(
                f"each {item.type} of the scene is not written",
                item.name or item.interface,
            )
    for what, is_there in (
        ("gravity", scene.gravity is not None and not _is_on_earth(scene.gravity)),
        ("background colour", scene.background_color is not None),
        ("camera of the viewer", scene.camera is not None),
    ):
        if is_there:
            losses.add(f"the {what} of the scene is not written")
    if scene.plugins:
        losses.add("plugins are not written", *(one.name for one in scene.plugins))
    if scene.readables:
        losses.add("data of the scene are not written", *dict(scene.readables))
    if scene.grabs:
        losses.add("what bodies hold is not written", *(g.body for g in scene.grabs))
    if robot.pose @ robot.links[0].pose != IDENTITY:
        losses.add("the place in the world is not written", robot.name)
    shown = [a.initial for j in robot.joints for a in j.axes if a.mimic is None]
    axes = [axis for joint in robot.joints for axis in moving_axes(joint)]
    values = robot.dof_values or tuple(axis.initial for axis in axes)
    if any(shown) or values != tuple(map(start_of, axes)):
        losses.add("initial values of joints are not written", robot.name)
    if robot.interface.lower() not in _PLAIN:
        losses.add(f"the interface {robot.interface!r} is not written", robot.name)
    if robot.commands:
        losses.add("commands are not written", robot.name)
    if not robot.joined_links_adjacent:
        losses.add("that joined links may collide is not written", robot.name)


def _is_on_earth(gravity: Vec3) -> bool:
    """Return True if simulators that read URDF have a gravity by default."""
    return math.dist(gravity, (0.0, 0.0, -9.81)) < 0.02


def _is_usual(kind: str, interface: str) -> bool:
    """Return True if an environment has an interface anyway."""
    usual = {"controller": "idealcontroller", "physicsengine": "generic"}
    usual["collisionchecker"] = "generic"
    return kind in usual and interface.lower().startswith(usual[kind])


class _Draft:
    """One robot while it is written."""

    def __init__(
        self,
        robot: RobotDescription,
        path: str | None,
        context: WriteContext,
        losses: Losses,
    ) -> None:
        self.root = etree.Element("robot", name=robot.name)
        self._robot = robot
        self._losses = losses
        self._srdf = context.srdf
        self._reading = context.reading or ReadContext(
            resolver=Resolver(data_roots=(), use_environment=False)
        )
        self._names = FileNames(context.relative_to, self._reading.resolver)
        self._tree: Tree = plan_tree(robot, losses)
        self.meshes = MeshFiles(path, robot, self._names, context, losses)

    def urdf(self, properties: ContactProperties) -> bytes:
        """Return the document; `properties` are those of materials of links."""
        robot, tree = self._robot, self._tree
        root = self.root
        kept = Kept(root, self._losses)
        self._add_links(root, kept)
        followers = leaders(robot, tree.axes, self._refuse_follower)
        _, circle = leading_first(followers)
        if circle:
            raise _refusal(
                f"joints follow each other in a circle: {' > '.join(circle)}"
            )
        axes = {one.name: one.axis for one in tree.joints if one.axis is not None}
        writer = JointWriter(root, followers, axes, kept, self._losses)
        for joint in tree.joints:
            writer.add(joint)
        self._add_others(root, kept)
        add_surfaces(root, robot, properties)
        add_said(root, robot, tree, self._losses)
        etree.indent(root)
        text: bytes = etree.tostring(root, encoding="utf-8")
        return b'<?xml version="1.0" encoding="utf-8"?>\n' + text + b"\n"

    def srdf(self) -> bytes:
        """Return the SRDF document."""
        return srdf_of(self._robot, self._tree, self.root, self._losses)

    def _add_links(self, root: Any, kept: Kept) -> None:
        robot = self._robot
        materials = MaterialWriter(root, self._names, robot.uri)
        for link in robot.links:
            for geometry in link.geometries:
                materials.reserve(geometry)
        writer = LinkWriter(root, self.meshes, materials, kept, self._losses)
        for link in robot.links:
            writer.add(link)
        for name in self._tree.between:
            writer.add_between(name)

    def _add_others(self, root: Any, kept: Kept) -> None:
        """Append what stands besides links and joints."""
        robot, losses = self._robot, self._losses
        others = [pair for pair in robot.readables if pair[0] != "srdf"]
        kept.add(root, robot.name, others, _OWN_TAGS)
        joints = {joint.name: joint for joint in self._tree.joints}
        blocks, sensors = kept.blocks, robot.attached_sensors
        if sensors:
            blocks = in_order(root, blocks, sensors, joints, self._reading)
        root.extend(blocks)
        driven = _driven(root)
        for joint in robot.joints:
            if joint.name in joints and joint.name not in driven:
                add_transmission(root, joint, losses)
        if sensors:
            add_sensors(root, sensors, joints, self._reading, losses)
        tell_of_bases(robot, root, losses, srdf=self._srdf)
        if not self._srdf:
            tell_of_srdf(robot, self._tree, losses)
        mended = self._mended()
        if mended and root.find("mujoco") is None:
            add(add(root, "mujoco"), "compiler", **mended)

    def _mended(self) -> dict[str, str]:
        """Return the settings with which MuJoCo mends masses that it would refuse.

        A URDF file is left as it is.
        """
        if self._robot.uri.lower().endswith(_FROM_URDF):
            return {}
        mended = {}
        inertials = [link.inertial for link in self._robot.links]
        if not all(mass > 0.0 for mass in self._moving_masses()):
            mended = {"boundmass": _BOUND_MASS, "boundinertia": _BOUND_INERTIA}
        if any(check_inertia(*_moments(one)) for one in inertials):
            mended["balanceinertia"] = "true"
        return mended

    def _moving_masses(self) -> list[float]:
        """Return the mass of each group of links that moves as one."""
        masses = {link.name: link.inertial.mass for link in self._robot.links}
        holder = {
            joint.child: joint.parent
            for joint in self._tree.joints
            if joint.kind == "fixed"
        }
        total: dict[str, float] = {}
        for name in (*masses, *self._tree.between):
            first, passed = name, []
            while first in holder:
                passed.append(first)
                first = holder[first]
            holder.update(dict.fromkeys(passed, first))  # long chains are walked once
            total[first] = total.get(first, 0.0) + masses.get(name, 0.0)
        total.pop(self._tree.root, None)
        return list(total.values())

    def _refuse_follower(self, name: str) -> None:
        self._losses.add(
            "joints that follow by other formulas than factor and offset of one joint "
            "move by themselves",
            name,
        )


def _moments(inertial: Inertial) -> tuple[float, float, float, float, float, float]:
    """Return xx xy xz yy yz zz of an inertia."""
    xx, xy, xz, _, yy, yz, _, _, zz = inertial.inertia
    return xx, xy, xz, yy, yz, zz


def _driven(root: Any) -> set[str]:
    """Return the joints that transmissions name."""
    return {
        str(joint.get("name") or (joint.text or "")).strip()
        for transmission in root.iterchildren("transmission")
        for joint in transmission.findall("joint")
    }
