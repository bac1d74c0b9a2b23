"""Bodies that are parts of a robot while they are active."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.attributes import Closed
from pyrave.bodies.robot_description import as_robot, check_references
from pyrave.cards import counted
from pyrave.errors import ArgumentError, NameConflictError, NotFoundError, StateError
from pyrave.scene import (
    IDENTITY,
    BodyDescription,
    ConnectedBodyDescription,
    JointDescription,
    Pose,
    RobotDescription,
    XmlReadable,
)
from pyrave.scene.checks import validated
from pyrave.texts import name_fault

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.attached_sensor import AttachedSensor
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment
    from pyrave.scene import AttachedSensorDescription
    from pyrave.scene.readable import ReadableItems
    from pyrave.spatial import Array

Part = TypeVar("Part")


@methods_suggest
class ConnectedBodies(Closed, Mapping[str, "ConnectedBody"]):
    """The bodies by name; ``add`` and ``remove`` change them.

    They are saved with the robot, and clones have them. A robot that is in an
    environment is removed before its parts change, and added again.
    """

    __slots__ = ("_robot",)

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def add(
        self,
        name: str,
        body: BodyDescription,
        link: Link | str,
        pose: ArrayLike | Pose = IDENTITY,
        *,
        active: bool = True,
    ) -> ConnectedBody:
        """Connect a body to a link; while it is active it is part of the robot.

        Parameters
        ----------
        name
            By which it is known; not that of its links.
        body
            A description, as of `Environment.read` or `KinBody.describe`, that shares
            no names of links, joints, manipulators and sensors with the robot.
        pose
            (4, 4) or 7-vector T_link_body.
        active
            False: it is mounted later.

        Raises
        ------
        NameConflictError
            There is one of that name.
        NotFoundError
            The robot has no such link.
        SceneError
            A name of the body is one of the robot, too.
        StateError
            The robot is in an environment.
        """
        robot, known = self._robot, str(getattr(link, "name", link))
        if not isinstance(name, str) or not name or name_fault(name):
            raise ArgumentError(f"the name of a connected body is {name!r}")
        if name in self:
            raise NameConflictError(f"{robot!r} has a connected body {name!r} already")
        if known not in robot.links:
            raise NotFoundError("link", known, robot.links.names)
        place = pose if isinstance(pose, Pose) else Pose.from_matrix(_matrix(pose))
        parts = _plain(robot.env, validated(BodyDescription, body))
        made = validated(
            ConnectedBodyDescription,
            ConnectedBodyDescription(name, known, parts, place, active=False),
        )
        if active:
            _require_free(robot)
            _become(
                robot, _with(as_robot(robot.describe()), replace(made, active=True))
            )
        else:
            robot.describe_as(connected_bodies=(*self._known(), made))
        return self[name]

    def remove(self, name: str) -> None:
        """Forget a body by name; one that is active is taken off."""
        self[name].active = False
        kept = tuple(one for one in self._known() if one.name != name)
        self._robot.describe_as(connected_bodies=kept)

    def _known(self) -> tuple[ConnectedBodyDescription, ...]:
        return self._robot.description.connected_bodies

    def __getitem__(self, name: str) -> ConnectedBody:
        if not any(one.name == name for one in self._known()):
            raise NotFoundError("connected body", name, list(self))
        return ConnectedBody(self._robot, name)

    def __iter__(self) -> Iterator[str]:
        return iter([one.name for one in self._known()])

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        names = f": {', '.join(self)}" if self else ""
        return f"<{counted(len(self), 'connected body')}{names}>"


class ConnectedBody(Closed):
    """A body that is part of a robot while it is active."""

    __slots__ = ("_name", "_robot")

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot = robot
        self._name = name

    @property
    def name(self) -> str:
        """Its name in `Robot.connected_bodies`."""
        return self._name

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self._robot

    @property
    def description(self) -> ConnectedBodyDescription:
        """Its link, pose and parts, as data."""
        known = self._robot.description.connected_bodies
        found = next((one for one in known if one.name == self._name), None)
        if found is None:
            raise StateError(f"{self._robot!r} has no connected body {self._name!r}")
        return found

    @property
    def active(self) -> bool:
        """True while its parts are parts of the robot. Assignable.

        The robot keeps pose, joint values, sensors and solvers of parts that stay. It
        must be in no environment.
        """
        return self.description.active

    @active.setter
    def active(self, active: bool) -> None:
        if not isinstance(active, bool):
            raise ArgumentError(f"active is {active!r}, expected True or False")
        known, robot = self.description, self._robot
        if active == known.active:
            return
        _require_free(robot)
        present = as_robot(robot.describe())
        made = replace(known, active=active)
        _become(robot, _with(present, made) if active else _without(present, made))

    @property
    def link(self) -> Link:
        """The link that carries it."""
        return self._robot.links[self.description.link]

    @property
    def local_transform(self) -> Array:
        """(4, 4) T_link_body."""
        return self.description.pose.matrix.copy()

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_body."""
        return np.asarray(self.link.transform @ self.description.pose.matrix)

    @property
    def links(self) -> tuple[Link, ...]:
        """Its links in the robot; none while it is not active."""
        robot = self._robot
        return self._present(self.description.body.links, robot.links)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Its joints in the robot, passive ones too, without that which connects it."""
        parts = self._robot.all_joints
        by_name = {joint.name: joint for joint in parts}
        return self._present(self.description.body.joints, by_name)

    @property
    def manipulators(self) -> tuple[Manipulator, ...]:
        """Its manipulators in the robot."""
        robot = self._robot
        return self._present(self.description.body.manipulators, robot.manipulators)

    @property
    def attached_sensors(self) -> tuple[AttachedSensor, ...]:
        """Its sensors in the robot."""
        robot, body = self._robot, self.description.body
        return self._present(body.attached_sensors, robot.attached_sensors)

    def _present(self, described: Any, parts: Any) -> tuple[Any, ...]:
        if not self.active:
            return ()
        return tuple(parts[one.name] for one in described if one.name in parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConnectedBody):
            return NotImplemented
        return self._robot is other._robot and self._name == other._name

    def __hash__(self) -> int:
        return hash((id(self._robot), self._name))

    def __repr__(self) -> str:
        state = "active" if self.active else "not active"
        return f"<connected body {self._name!r} of {self._robot.name!r}: {state}>"


def _matrix(pose: Any) -> Array:
    from pyrave.spatial import as_pose

    return as_pose(pose, "pose")


def _plain(env: Environment, body: BodyDescription) -> RobotDescription:
    """Return a body whose data are XML alone, and its sensors named with settings."""
    robot = as_robot(body)
    return replace(
        robot,
        composition=None,
        readables=_xml(robot.readables),
        links=tuple(
            replace(
                link,
                readables=_xml(link.readables),
                geometries=tuple(
                    replace(one, readables=_xml(one.readables))
                    for one in link.geometries
                ),
            )
            for link in robot.links
        ),
        joints=tuple(
            replace(one, readables=_xml(one.readables)) for one in robot.joints
        ),
        manipulators=tuple(
            replace(one, readables=_xml(one.readables)) for one in robot.manipulators
        ),
        attached_sensors=tuple(_named(env, one) for one in robot.attached_sensors),
    )


def _xml(readables: ReadableItems) -> ReadableItems:
    found = ((key, one, one.to_xml()) for key, one in readables)
    return tuple(
        (key, one if isinstance(one, XmlReadable) else XmlReadable(element))
        for key, one, element in found
        if element is not None
    )


def _named(
    env: Environment, one: AttachedSensorDescription
) -> AttachedSensorDescription:
    """Return a sensor whose id has the settings behind it that its data say."""
    if not one.interface:
        return replace(one, readables=_xml(one.readables))
    sensor = env.create("sensor", one.interface)
    sensor.take_readables(one.readables)
    words = (sensor.interface_id, *sensor.id_words)
    return replace(one, interface=" ".join(words), readables=())


def _require_free(robot: Robot) -> None:
    if robot.id >= 0:
        raise StateError(
            f"{robot!r} is in an environment; remove it before its connected bodies "
            "change, and add it again"
        )


def _connection(one: ConnectedBodyDescription) -> str:
    """Return the name of the joint that holds a connected body."""
    return f"{one.name}_connection"


def _with(robot: RobotDescription, one: ConnectedBodyDescription) -> RobotDescription:
    """Return a robot with the parts of a connected body behind its own."""
    body = one.body
    carrier = next(link for link in robot.links if link.name == one.link)
    base = body.links[0]
    # what its own links are placed in, seen from the robot
    origin = carrier.pose @ one.pose @ base.pose.inverse()
    joint = JointDescription(
        _connection(one), "fixed", one.link, base.name, T_parent_joint=one.pose
    )
    values = None
    if robot.dof_values is not None or body.dof_values is not None:
        values = (*_values(robot), *_values(body))
    return replace(
        robot,
        links=(*robot.links, *(replace(k, pose=origin @ k.pose) for k in body.links)),
        joints=(*robot.joints, joint, *body.joints),
        adjacent=robot.adjacent | body.adjacent,
        frames=(*robot.frames, *body.frames),
        manipulators=(*robot.manipulators, *body.manipulators),
        attached_sensors=(*robot.attached_sensors, *body.attached_sensors),
        configurations=(*robot.configurations, *body.configurations),
        connected_bodies=_replaced(robot, one),
        dof_values=values,
        composition=None,
    )


def _without(
    robot: RobotDescription, one: ConnectedBodyDescription
) -> RobotDescription:
    """Return a robot without the parts of a connected body."""
    body = one.body
    links = {link.name for link in body.links}
    values = None
    if robot.dof_values is not None:
        gone = {joint.name for joint in body.joints}
        kept: list[float] = []
        place = 0
        for joint in robot.joints:
            count = _dof(joint)
            if joint.name not in gone:
                kept += robot.dof_values[place : place + count]
            place += count
        values = tuple(kept)
    joints = (*body.joints, JointDescription(_connection(one), "fixed", "", ""))
    return replace(
        robot,
        links=_but(robot.links, body.links),
        joints=_but(robot.joints, joints),
        adjacent=frozenset(
            pair for pair in robot.adjacent if not links.intersection(pair)
        ),
        frames=_but(robot.frames, body.frames),
        manipulators=_but(robot.manipulators, body.manipulators),
        attached_sensors=_but(robot.attached_sensors, body.attached_sensors),
        configurations=_but(robot.configurations, body.configurations),
        connected_bodies=_replaced(robot, one),
        dof_values=values,
        composition=None,
    )


def _but(parts: tuple[Any, ...], gone: tuple[Any, ...]) -> tuple[Any, ...]:
    names = {one.name for one in gone}
    return tuple(one for one in parts if one.name not in names)


def _replaced(
    robot: RobotDescription, one: ConnectedBodyDescription
) -> tuple[ConnectedBodyDescription, ...]:
    known = robot.connected_bodies
    if all(its.name != one.name for its in known):
        return (*known, one)
    return tuple(one if its.name == one.name else its for its in known)


def _dof(joint: JointDescription) -> int:
    """Return the number of a joint's degrees of freedom."""
    followed = any(axis.mimic is not None for axis in joint.axes)
    return len(joint.axes) if joint.active and not followed else 0


def _values(body: BodyDescription) -> tuple[float, ...]:
    count = sum(_dof(joint) for joint in body.joints)
    return body.dof_values if body.dof_values is not None else (0.0,) * count


def _become(robot: Robot, description: RobotDescription) -> None:
    """Make a robot that of another description; what it has of its own stays."""
    description = validated(RobotDescription, description)
    check_references(description)
    sensors = {one.name: one.sensor for one in robot.attached_sensors if one.has_sensor}
    solvers = {one.name: one.own_ik_solver for one in robot.manipulators}
    active = robot.active_manipulator.name if robot.manipulators else ""
    pose, values = robot.transform, robot.joint_dict()
    uri, own_checker = robot.uri, robot.self_collision_checker
    robot.init(description)
    robot.transform = pose
    present = robot.joint_dict()
    robot.set_joints({name: one for name, one in values.items() if name in present})
    robot.uri = uri
    robot.self_collision_checker = own_checker
    for mounted in robot.attached_sensors:
        sensor = sensors.get(mounted.name)
        if sensor is None and mounted.description.interface:
            sensor = robot.env.create("sensor", mounted.description.interface)
        if sensor is not None:
            mounted.sensor = sensor
    for arm in robot.manipulators:
        solver = solvers.get(arm.name)
        if solver is not None:
            arm.ik_solver = solver.copy_to(robot.env)
    if active in robot.manipulators:
        robot.active_manipulator = active
