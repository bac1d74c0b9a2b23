"""A URDF file as a scene: one robot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.errors import SceneError, Severity
from pyrave.formats.joint_limits import with_joint_limits
from pyrave.scene import IDENTITY, RobotDescription, SceneDescription
from pyrave_urdf.reading.accelerations import limits_beside, with_accelerations
from pyrave_urdf.reading.bases import virtual_joints, with_held_base
from pyrave_urdf.reading.document import UNDECLARED, open_document
from pyrave_urdf.reading.elements.gazebo import blocks_of, read_said
from pyrave_urdf.reading.elements.joints import Joints
from pyrave_urdf.reading.elements.links import Links
from pyrave_urdf.reading.elements.materials import Materials
from pyrave_urdf.reading.elements.mimic import follow
from pyrave_urdf.reading.elements.sensors import read_sensors
from pyrave_urdf.reading.elements.shapes import Shapes
from pyrave_urdf.reading.elements.surfaces import read_surfaces
from pyrave_urdf.reading.elements.transmissions import read_transmissions
from pyrave_urdf.reading.files import Files
from pyrave_urdf.reading.idle import note_idle_blocks
from pyrave_urdf.reading.initial_values import start_values
from pyrave_urdf.reading.load import UrdfReading
from pyrave_urdf.reading.scaled_robot import scaled
from pyrave_urdf.reading.srdf import completed_by_srdf, find_srdf
from pyrave_urdf.reading.tree import check_tree, poses_of
from pyrave_urdf.reading.xacro_files import expanded, is_called_xacro, is_xacro
from pyrave_urdf.vocabulary import tags_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.errors import Problem
    from pyrave.formats import ReadContext, SceneSource
    from pyrave.scene import JointDescription, LinkDescription, Pose, Readable

_ONE = (1.0, 1.0, 1.0)
_ATTRIBUTES = frozenset({"name", "version"})
_TAGS = tags_of("robot")
_READ = frozenset({"link", "joint", "material"})
# what readers of plugins are not asked for
_RAW = frozenset({"transmission", "gazebo", "sensor"})

_Kept = tuple[str, "Readable"]


def read_urdf(source: SceneSource, context: ReadContext) -> SceneDescription:
    """Return the robot of a URDF or xacro file; problems go to the diagnostics.

    Raises
    ------
    SceneError
        The file is not well-formed, or it is xacro and no code may run.
    """
    data, file = source.data, source.file
    is_left_over = False
    if is_xacro(source):
        try:
            # its lines are none of the file
            data, file = expanded(source, context), f"{source.file} (expanded)"
        except SceneError as error:
            if is_called_xacro(source):
                raise
            is_left_over = True
            if context.allow_code:
                context.diagnostics.extend(map(_as_it_stands, error.problems))
    document = open_document(
        data, file, context.limits, lambda slip: context.diagnostics.extend([slip])
    )
    reading = UrdfReading(context, document, source.folder)
    root = document.root
    if is_left_over:
        _warn_of_macros(root, reading)
    _warn_of_prefixes(root, reading)
    uri = source.file if source.folder is not None else ""
    if root.tag != "robot":
        reading.error(root, "wrong-root", f"the root is <{root.tag}>, expected <robot>")
        return SceneDescription(uri=uri, root="robot")
    name = (root.get("name") or "").strip()
    if not name:
        reading.error(root, "bad-name", "the robot has no name", '<robot name="...">')
    whole = _Robot(reading)
    robot = whole.read(name or "robot", uri)
    reading.finish()
    if robot is None:
        return SceneDescription(uri=uri, root="robot")
    srdf, path = None, context.srdf_file
    if path is None and source.folder is not None:
        path = find_srdf(source.file, name, context)
    if path is not None:
        robot, srdf = completed_by_srdf(robot, path, name, context)
    robot = with_held_base(robot, whole.blocks, virtual_joints(srdf))
    beside = None
    if context.joint_limits is None and path is not None:
        beside = limits_beside(path, robot, reading)
    robot, notes = with_accelerations(
        robot, whole.silent, context.joint_limits or beside, context.acceleration_time
    )
    if beside is not None:
        robot = with_joint_limits(robot, beside)
    values = start_values(robot.joints, root, reading)
    if values is not None:
        robot = replace(robot, dof_values=values)
    if context.scale != _ONE:
        robot = _at_scale(robot, reading)
    return SceneDescription(
        uri=uri,
        root="robot",
        bodies=(robot,),
        location=reading.location(root),
        contact_properties=whole.surfaces.properties,
        notes=notes,
    )


def _as_it_stands(problem: Problem) -> Problem:
    """Return the warning that a file is read without being expanded."""
    message = f"{problem.message}; the file is read as it stands"
    return replace(problem, severity=Severity.WARNING, message=message)


def _warn_of_macros(root: Any, reading: UrdfReading) -> None:
    """Report elements of xacro that nobody expanded, each tag once."""
    found: dict[str, list[Any]] = {}
    for element in root.iter("{*}*"):
        if element.prefix == "xacro":
            found.setdefault(element.tag.rpartition("}")[2], []).append(element)
    for tag, elements in found.items():
        more = f", the first of {len(elements)}" if len(elements) > 1 else ""
        reading.warn(
            elements[0],
            "unexpanded-xacro",
            f"<xacro:{tag}> is not expanded and means nothing in URDF{more}",
            "delete it, or expand the file: allow_code=True (--allow-code)",
        )


def _warn_of_prefixes(root: Any, reading: UrdfReading) -> None:
    for prefix, uri in root.nsmap.items():
        if uri.startswith(UNDECLARED):
            reading.warn(
                root,
                "undeclared-prefix",
                f"the prefix of <{prefix}:...> is not declared",
                f'write <robot xmlns:{prefix}="...">',
            )


def _at_scale(robot: RobotDescription, reading: UrdfReading) -> RobotDescription:
    factor, *others = reading.context.scale
    if others != [factor, factor] or not factor > 0.0:
        reading.error(
            reading.document.root,
            "skewing-scale",
            f"the robot is scaled by {reading.context.scale}, which would skew what is "
            "turned",
            "scale all axes alike",
        )
        return robot
    return scaled(robot, factor)


class _Robot:
    """The parts of one robot while they are read."""

    def __init__(self, reading: UrdfReading) -> None:
        self.reading = reading
        self.root = reading.document.root
        reading.attributes(self.root, _ATTRIBUTES)
        self.parts, _ = reading.children(self.root, _TAGS)
        self.blocks = blocks_of(self.root)
        self.surfaces = read_surfaces(self.root, self.blocks, reading.warn)
        self.said = read_said(self.blocks, reading.warn)
        self.links = self._named("link")
        self.joints = self._named("joint")
        self.silent: set[str] = set()
        """Names of joints that have no limit of acceleration."""

    def _named(self, tag: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for element in self.parts.get(tag, ()):
            name = self.reading.named(element, tag, found)
            if name:
                found.setdefault(name, element)
        return found

    def read(self, name: str, uri: str) -> RobotDescription | None:
        """Return the robot, None if its links and joints are no tree."""
        reading = self.reading
        if not self.links:
            reading.error(
                self.root,
                "no-link",
                "the robot has no link",
                'a robot has at least one: <link name="base"/>',
            )
            return None
        note_idle_blocks(self.root, self.blocks, self.links, self.joints, reading)
        kept, kept_by = self._kept()
        joints = self._read_joints(kept_by)
        complete = len(joints) == len(self.parts.get("joint", ()))
        order = check_tree(self.links, joints, self.joints, reading, complete=complete)
        poses = {} if order is None else poses_of(order[0], joints.values())
        links = self._read_links(poses, kept_by)
        if order is None or len(joints) < len(self.joints):
            return None
        root = order[0]
        return RobotDescription(
            "_".join(name.split()),
            links=(links.pop(root), *links.values()),
            joints=tuple(joints.values()),
            uri=uri,
            readables=tuple(kept),
            location=reading.location(self.root),
            attached_sensors=tuple(
                read_sensors(self.root, self.blocks, self.links, joints, reading)
            ),
        )

    def _read_joints(
        self, kept_by: Mapping[str, list[_Kept]]
    ) -> dict[str, JointDescription]:
        actuators = read_transmissions(
            self.parts.get("transmission", ()), self.joints, self.reading
        )
        reader = Joints(self.reading, self.links, actuators, self.said.springs)
        joints = {}
        for name, element in self.joints.items():
            # a block that names both belongs to the link
            kept = () if name in self.links else kept_by.get(name, ())
            joint = reader.read(element, name, kept)
            if joint is not None:
                joints[name] = joint
        self.silent = reader.silent
        follow(joints, reader.mimics, self.reading)
        return joints

    def _read_links(
        self, poses: Mapping[str, Pose], kept_by: Mapping[str, list[_Kept]]
    ) -> dict[str, LinkDescription]:
        files = Files(self.reading)
        materials = Materials(self.parts.get("material", ()), self.reading, files)
        reader = Links(
            self.reading,
            Shapes(self.reading, files),
            materials,
            self.said,
            self.surfaces,
        )
        return {
            name: reader.read(
                element, name, poses.get(name, IDENTITY), kept_by.get(name, ())
            )
            for name, element in self.links.items()
        }

    def _kept(self) -> tuple[list[_Kept], dict[str, list[_Kept]]]:
        """Return the data that are kept: of the robot, and of links and joints by name.

        Gazebo's blocks that refer to a link or joint are that one's.
        """
        kept: list[_Kept] = []
        kept_by: dict[str, list[_Kept]] = {}
        for element in self.root:
            tag = element.tag
            if tag in _READ:
                continue
            name = ""
            if tag == "gazebo":
                name = (element.get("reference") or "").strip()
            known = name in self.links or name in self.joints
            (kept_by.setdefault(name, []) if known else kept).append(
                self.reading.kept(element, () if tag in _RAW else ("robot", "kinbody"))
            )
        return kept, kept_by
