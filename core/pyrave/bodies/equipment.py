"""What robots have beyond bodies: manipulators, configurations, attached sensors."""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any, cast, overload

from pyrave.bodies.active_dofs import ActiveDofs
from pyrave.bodies.attached_sensor import AttachedSensor
from pyrave.bodies.configurations import Configurations, described_configuration
from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.new_manipulator import described_manipulator, how_to_add
from pyrave.bodies.new_sensor import mounted_sensor
from pyrave.errors import (
    ArgumentError,
    NotFoundError,
    Problem,
    SceneError,
    Severity,
    StateError,
    did_you_mean,
)
from pyrave.interfaces.collection import NamedCollection
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave.scene.checks import validated
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from pyrave.bodies.joint import Joint
    from pyrave.bodies.link import Link
    from pyrave.bodies.named_values import JointValues
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.kinematics import Model
    from pyrave.scene import Location


_FORWARD = (0.0, 0.0, 1.0)
_NO_JOINTS: tuple[str, ...] = ()


class Equipped(ActiveDofs):
    """The part of `pyrave.Robot` about manipulators, configurations and sensors."""

    def _setup(self, description: BodyDescription, model: Model | None) -> None:
        self._active_manipulator: str | None = None
        self._manipulators: NamedCollection[Manipulator] = NamedCollection((), "")
        self._sensors: NamedCollection[AttachedSensor] = NamedCollection((), "")
        known = _as_robot(description)
        super()._setup(known, model)
        _check_references(known)
        self._manipulators = self._collected(
            Manipulator(self._robot, one) for one in known.manipulators
        )
        self._sensors = NamedCollection(
            (AttachedSensor(self._robot, one) for one in known.attached_sensors),
            "attached sensor",
        )

    @property
    def _robot(self) -> Robot:
        return cast("Robot", self)

    # -- manipulators --------------------------------------------------------------

    @property
    def manipulators(self) -> NamedCollection[Manipulator]:
        """Manipulators in order."""
        return self._manipulators

    @overload
    def add_manipulator(
        self,
        manipulator: str,
        *,
        base: Link | str | None = None,
        tip: Link | str,
        tool: ArrayLike | Pose | None = None,
        direction: ArrayLike = _FORWARD,
        gripper_joints: Iterable[Joint | str] = _NO_JOINTS,
    ) -> Manipulator: ...
    @overload
    def add_manipulator(self, manipulator: ManipulatorDescription) -> Manipulator: ...
    def add_manipulator(
        self,
        manipulator: str | ManipulatorDescription,
        *,
        base: Link | str | None = None,
        tip: Link | str | None = None,
        tool: ArrayLike | Pose | None = None,
        direction: ArrayLike = _FORWARD,
        gripper_joints: Iterable[Joint | str] = _NO_JOINTS,
    ) -> Manipulator:
        """Add a manipulator; an old one of that name is replaced.

        Parameters
        ----------
        manipulator
            Its name; or its whole description, and nothing else is given.
        base, tip
            Links between which the arm is; None is the base of the robot.
        tool
            (4, 4) or 7-vector T_tip_tool, or None: the tool frame is the tip's.
        direction
            (3,) in which the tool approaches, in the tool frame.
        gripper_joints
            Joints of the gripper, which are not the arm's.

        Raises
        ------
        NotFoundError
            There is no such link or joint.
        ArgumentError
            No joint moves between the links, or a value has no meaning.
        """
        if isinstance(manipulator, str):
            description = described_manipulator(
                self, manipulator, base, tip, tool, direction, gripper_joints
            )
        else:
            description = validated(ManipulatorDescription, manipulator)
            is_whole = direction is _FORWARD and gripper_joints is _NO_JOINTS
            ends = base, tip, tool
            if not is_whole or any(one is not None for one in ends):
                raise ArgumentError(
                    "a description says base, tip, tool, direction and gripper joints "
                    "itself; give a name with these"
                )
        description = validated(ManipulatorDescription, description)
        for link in (description.base, description.end_effector):
            if link not in self.links:
                raise NotFoundError("link", link, self.links.names)
        for joint in description.gripper_joints:
            if joint not in self.model.joint_names:
                raise NotFoundError("joint", joint, self.model.joint_names)
        made = Manipulator(self._robot, description)
        kept = [m for m in self._manipulators if m.name != description.name]
        self._set_manipulators([*kept, made])
        return made

    def remove_manipulator(self, name: str) -> None:
        """Remove a manipulator by name."""
        gone = self._manipulators[name]
        self._set_manipulators([m for m in self._manipulators if m is not gone])
        if self._active_manipulator == name:
            self._active_manipulator = None

    def _set_manipulators(self, manipulators: list[Manipulator]) -> None:
        self._manipulators = self._collected(manipulators)
        self._describe_as(manipulators=tuple(m.description for m in manipulators))
        self.notify(BodyChange.MANIPULATORS)

    def _collected(
        self, manipulators: Iterable[Manipulator]
    ) -> NamedCollection[Manipulator]:
        owner = weakref.ref(self)  # a robot that is removed ends at once

        def how(_name: str) -> str:
            robot = owner()
            return "" if robot is None or robot.manipulators else how_to_add(robot)

        return NamedCollection(manipulators, "manipulator", how)

    @property
    def description(self) -> RobotDescription:
        """The description it was made from and edited since, without the state."""
        assert isinstance(self._description, RobotDescription)  # noqa: S101 - `_setup`
        return self._description

    def _describe_as(self, **fields: Any) -> None:
        self._description = dataclasses.replace(self._description, **fields)

    @property
    def active_manipulator(self) -> Manipulator:
        """The manipulator that commands act on: the first unless set; by name too.

        Raises
        ------
        StateError
            The robot has none; says how to add one.
        """
        if not self._manipulators:
            raise StateError(f"{self!r} has no manipulator; {how_to_add(self)}")
        if self._active_manipulator is not None:
            return self._manipulators[self._active_manipulator]
        return self._manipulators[0]

    @active_manipulator.setter
    def active_manipulator(self, manipulator: Manipulator | str | None) -> None:
        if isinstance(manipulator, Manipulator):
            manipulator = manipulator.name
        if manipulator is not None:
            manipulator = self._manipulators[manipulator].name
        self._active_manipulator = manipulator

    def manipulator_edited(self) -> None:
        """Take over the descriptions of the manipulators; they call this."""
        self._set_manipulators(list(self._manipulators))

    def default_grab_link(self) -> int:
        """Return the end effector of the active manipulator, or the base."""
        arms = self._manipulators
        return self.active_manipulator.end_effector.index if arms else 0

    # -- configurations ------------------------------------------------------------

    @property
    def configurations(self) -> Configurations:
        """Named configurations, such as the group states of an SRDF.

        ``robot.set_state("home")`` moves the joints there, and ``robot.plan("home")``
        plans a motion.
        """
        return Configurations(self.description.configurations)

    def add_configuration(self, name: str, joints: JointValues | None = None) -> None:
        """Give joint values a name; an old configuration of it is replaced.

        Parameters
        ----------
        joints
            Values by joint, as `set_joints` takes them; None: the present ones of all.

        Raises
        ------
        NotFoundError, ArgumentError
            As for `set_joints`.
        """
        made = described_configuration(
            self.model, name, self.joint_dict() if joints is None else joints
        )
        known = self.description.configurations
        kept = [one for one in known if one.name != name]
        self._describe_as(configurations=(*kept, made))

    def remove_configuration(self, name: str) -> None:
        """Remove a configuration by name; `NotFoundError` if there is none."""
        known = self.configurations
        known[name]
        kept = [c for c in self.description.configurations if c.name != name]
        self._describe_as(configurations=tuple(kept))

    # -- sensors -------------------------------------------------------------------

    @property
    def attached_sensors(self) -> NamedCollection[AttachedSensor]:
        """Sensors that the robot carries, in order."""
        return self._sensors

    def add_attached_sensor(
        self, description: AttachedSensorDescription
    ) -> AttachedSensor:
        """Add a mounting frame; an old one of that name is replaced.

        Assign a sensor to its `sensor` to measure with it.
        """
        description = validated(AttachedSensorDescription, description)
        if description.link not in self.links:
            raise NotFoundError("link", description.link, self.links.names)
        mounted = AttachedSensor(self._robot, description)
        kept = [one for one in self._sensors if one.name != description.name]
        self._set_sensors([*kept, mounted])
        return mounted

    def add_sensor(
        self,
        name: str,
        interface: str | SensorBase,
        /,
        *,
        link: Link | str,
        pose: ArrayLike | Pose | None = None,
        power: bool | None = None,
        **settings: Any,
    ) -> AttachedSensor:
        """Mount a new sensor on a link; an old one of that name is replaced.

        Parameters
        ----------
        interface
            An object or an id, for example ``"BaseLaser2D"``.
        pose
            (4, 4) or 7-vector T_link_sensor, or None: the sensor is in the link's
            frame.
        power
            Whether it is switched on: it measures while the environment steps. None:
            new ones are, an object stays as it is.
        **settings
            Of the sensor of an id, SI units and radians, such as ``max_range=5.0``;
            ``pyrave plugins show BaseLaser2D`` lists them.

        Raises
        ------
        InterfaceNotFoundError, InterfaceCreationError
            As for `Environment.create`.
        NotFoundError
            There is no such link, or a setting names something that is not there.
        SettingError
            A setting is not known or has no meaning. Nothing is mounted.
        StateError
            The object is mounted, or in the environment.
        """
        mounted = mounted_sensor(
            self._robot, name, interface, link, pose, power, settings
        )
        kept = [one for one in self._sensors if one.name != name]
        self._set_sensors([*kept, mounted])
        return mounted

    def remove_attached_sensor(self, name: str) -> None:
        """Remove a mounting frame and its sensor by name."""
        gone = self._sensors[name]
        self._set_sensors([one for one in self._sensors if one is not gone])

    def attached_sensor_edited(self) -> None:
        """Take over the descriptions of the attached sensors; they call this."""
        self._set_sensors(list(self._sensors))

    def _set_sensors(self, sensors: list[AttachedSensor]) -> None:
        for mounted in self._sensors:
            if mounted not in sensors:
                mounted.release()
        self._sensors = NamedCollection(sensors, "attached sensor")
        self._describe_as(attached_sensors=tuple(one.description for one in sensors))
        self.notify(BodyChange.SENSORS)

    def notify(self, change: BodyChange) -> None:
        """Tell the callbacks, and the environment if it is in one."""
        if change is BodyChange.NAME:
            for mounted in self._sensors:
                mounted.rename()
        super().notify(change)


def _as_robot(description: BodyDescription) -> RobotDescription:
    """Return a body's description as that of a robot."""
    if isinstance(description, RobotDescription):
        return description
    fields = dataclasses.fields(description)
    return RobotDescription(
        **{one.name: getattr(description, one.name) for one in fields}
    )


def _check_references(robot: RobotDescription) -> None:
    """Raise a SceneError for each link or joint that does not exist."""
    # as keys: in order for suggestions, and found at once
    links = dict.fromkeys(link.name for link in robot.links)
    joints = dict.fromkeys(joint.name for joint in robot.joints)
    wanted: list[tuple[str, str, dict[str, None], str, Location | None]] = []
    for arm in robot.manipulators:
        what = f"manipulator {arm.name!r}"
        ends = (arm.base, arm.end_effector)
        wanted += [(what, name, links, "link", arm.location) for name in ends]
        wanted += [
            (what, name, joints, "joint", arm.location) for name in arm.gripper_joints
        ]
    for one in robot.configurations:
        what = f"configuration {one.name!r}"
        wanted += [
            (what, name, joints, "joint", one.location) for name, _ in one.values
        ]
    for sensor in robot.attached_sensors:
        what = f"attached sensor {sensor.name!r}"
        wanted.append((what, sensor.link, links, "link", sensor.location))
    problems = [
        Problem(
            Severity.ERROR,
            f"{what} of {robot.name!r} names the {kind} {name!r}, which does not exist"
            f"{did_you_mean(name, known)}",
            file=place.file if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            code=f"unknown-{kind}",
        )
        for what, name, known, kind, place in wanted
        if name not in known
    ]
    if problems:
        raise SceneError(problems)
