"""A URDF file as a scene: one robot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import RobotDescription, SceneDescription
from pyrave_urdf.document import open_document
from pyrave_urdf.files import Files
from pyrave_urdf.joints import Joints, follow
from pyrave_urdf.links import Links
from pyrave_urdf.materials import Materials
from pyrave_urdf.reading import Reading
from pyrave_urdf.sensors import read_sensors
from pyrave_urdf.shapes import Shapes
from pyrave_urdf.srdf import completed_by_srdf, find_srdf
from pyrave_urdf.transmissions import read_transmissions
from pyrave_urdf.tree import check_tree, placed
from pyrave_urdf.xacro_files import expanded, is_xacro

if TYPE_CHECKING:
    from pyrave.formats import ReadContext, SceneSource
    from pyrave.scene import JointDescription, LinkDescription, Readable

__all__ = ["read_urdf"]

_TAGS = frozenset({
    *("link", "joint", "material", "transmission", "gazebo", "sensor"),
})  # fmt: skip
# what is data by intent: no slip of the pen
_VENDORS = frozenset({"ros2_control", "model_state", "plugin", "mujoco", "drake"})


def read_urdf(source: SceneSource, context: ReadContext) -> SceneDescription:
    """Return the robot of a URDF or xacro file; problems go to the diagnostics.

    Raises
    ------
    SceneError
        The file is not well-formed, or it is xacro and no code may run.
    """
    data = source.data
    if is_xacro(source):
        data = expanded(source, context)
    document = open_document(data, source.file, context.limits)
    reading = Reading(context, document, source.folder)
    root = document.root
    uri = source.file if source.folder is not None else ""
    empty = SceneDescription(uri=uri, root="robot")
    if root.tag != "robot":
        reading.error(root, "wrong-root", f"the root is <{root.tag}>, expected <robot>")
        return empty
    name = (root.get("name") or "").strip()
    if not name:
        reading.error(root, "bad-name", "the robot has no name", '<robot name="...">')
    robot = _Robot(reading).read(name or "robot", uri)
    if robot is None:
        return empty
    if source.folder is not None:
        path = find_srdf(source.file, name, context)
        if path is not None:
            robot = completed_by_srdf(robot, path, name, context)
    return replace(empty, bodies=(robot,), location=reading.location(root))


class _Robot:
    """The parts of one robot while they are read."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.root = reading.document.root
        self.links: dict[str, Any] = {}
        self.joints: dict[str, Any] = {}
        self.kept: list[tuple[str, Readable]] = []
        self.kept_by: dict[str, list[tuple[str, Readable]]] = {}

    def read(self, name: str, uri: str) -> RobotDescription | None:
        """Return the robot, None if its links and joints are no tree."""
        reading = self.reading
        reading.attributes(self.root, ("name", "version"))
        for element in self.root.iterchildren("link"):
            found = reading.named(element, "link", self.links)
            if found:
                self.links.setdefault(found, element)
        for element in self.root.iterchildren("joint"):
            found = reading.named(element, "joint", self.joints)
            if found:
                self.joints.setdefault(found, element)
        if not self.links:
            reading.error(
                self.root,
                "no-link",
                "the robot has no link",
                'a robot has at least one: <link name="base"/>',
            )
            return None
        joints = self._read_joints()
        links = self._read_links()
        order = check_tree(self.links, joints, self.joints, reading)
        if order is None or len(joints) < len(self.joints):
            return None
        self._keep_others()
        sensors = tuple(read_sensors(self.root, self.links, joints, reading))
        return RobotDescription(
            "_".join(name.split()),
            links=placed(self._with_kept(links), joints, order),
            joints=tuple(self._with_kept(joints).values()),
            uri=uri,
            readables=tuple(self.kept),
            location=reading.location(self.root),
            attached_sensors=sensors,
        )

    def _read_joints(self) -> dict[str, JointDescription]:
        reader = Joints(self.reading, self.links)
        joints = {}
        for name, element in self.joints.items():
            joint = reader.read(element, name)
            if joint is not None:
                joints[name] = joint
        follow(joints, self.joints, self.reading)
        actuators = read_transmissions(
            self.root.iterchildren("transmission"), self.joints, self.reading
        )
        for name, actuator in actuators.items():
            if name in joints:
                joints[name] = replace(joints[name], actuator=actuator)
        return joints

    def _read_links(self) -> dict[str, LinkDescription]:
        files = Files(self.reading)
        materials = Materials(self.reading, files)
        reader = Links(self.reading, Shapes(self.reading, files), materials)
        return {name: reader.read(one, name) for name, one in self.links.items()}

    # -- what is kept as data --------------------------------------------------------

    def _keep_others(self) -> None:
        """Keep transmissions, Gazebo's blocks and unknown elements.

        A block that refers to a link or joint is that one's.
        """
        reading = self.reading
        for element in self.root:
            if element.tag in {"transmission", "sensor"}:
                self.kept.append(reading.kept(element, ()))
            elif element.tag == "gazebo":
                name = (element.get("reference") or "").strip()
                if name in self.links or name in self.joints:
                    kept = self.kept_by.setdefault(name, [])
                else:
                    kept = self.kept
                kept.append(reading.kept(element, ()))
        for element in reading.others(self.root, _TAGS | _VENDORS):
            self.kept.append(reading.kept(element, ("robot", "kinbody")))
        for tag in _VENDORS:
            for element in self.root.iterchildren(tag):
                self.kept.append(reading.kept(element, ("robot", "kinbody")))

    def _with_kept(self, items: dict[str, Any]) -> dict[str, Any]:
        """Return links or joints with the blocks that refer to them, each once."""
        for name in [name for name in self.kept_by if name in items]:
            item = items[name]
            kept = tuple(self.kept_by.pop(name))
            items[name] = replace(item, readables=(*item.readables, *kept))
        return items
