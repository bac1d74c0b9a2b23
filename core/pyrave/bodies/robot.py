"""The generic robot: a body with manipulators, sensors and a controller."""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Unpack, overload

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.attributes import answers_other_names
from pyrave.bodies.attached_sensor import AttachedSensor
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.new_manipulator import described_manipulator, how_to_add
from pyrave.bodies.new_sensor import mounted_sensor
from pyrave.bodies.robot_description import as_robot, check_references
from pyrave.bodies.robot_parts import RobotParts
from pyrave.bodies.views.active_dofs import ActiveChoice, ActiveDofs, ActiveTable
from pyrave.bodies.views.affine_limits import AffineLimits
from pyrave.errors import ArgumentError, NotFoundError, SettingError, StateError
from pyrave.interfaces.base import author_code, read_state, write_state
from pyrave.interfaces.collection import NamedCollection
from pyrave.interfaces.controller import ControllerBase
from pyrave.interfaces.settings.parts import as_part
from pyrave.kinematics.affine import Affine
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave.scene.checks import validated
from pyrave.world.body_state import (
    BodyChange,
    BodyState,
    StateParts,
    check_body_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike

    from pyrave.bodies.execution import Execution
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave.kinematics import Model
    from pyrave.planning.query.options import RobotPlanOptions
    from pyrave.planning.query.result import PlanResult
    from pyrave.spatial import Indices, IndicesLike

Driver = TypeVar("Driver", bound=ControllerBase)
_FORWARD = (0.0, 0.0, 1.0)
_NO_JOINTS: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class _RobotState:
    """State of a robot beyond that of a body."""

    active_choice: ActiveChoice
    base_limits: AffineLimits
    active_manipulator: str | None
    tools: tuple[tuple[str, Pose], ...]
    controller: tuple[str, Any] | None
    """Id of the controller and its state; None says nothing about it."""

    def with_parts(self, saved: Any, parts: StateParts) -> Any:
        """Return this state with some parts replaced by those of another."""
        if not isinstance(saved, _RobotState):
            return self
        changes = {n: getattr(saved, n) for part, n in _PARTS.items() if parts & part}
        if parts & StateParts.ACTIVE_TOOL and not parts & StateParts.TOOLS:
            there = dict(saved.tools)
            # without a choice the first manipulator is the active one
            chosen = saved.active_manipulator or next(iter(there), None)
            changes["tools"] = tuple(
                (name, there.get(name, tool) if name == chosen else tool)
                for name, tool in self.tools
            )
        return dataclasses.replace(self, **changes)


_PARTS = {
    StateParts.ACTIVE_DOFS: "active_choice",
    StateParts.LIMITS: "base_limits",
    StateParts.ACTIVE_MANIPULATOR: "active_manipulator",
    StateParts.TOOLS: "tools",
    StateParts.REST: "controller",
}


_ALL_JOINTS = ActiveChoice()
_BASE_LIMITS = AffineLimits()


@methods_suggest
@answers_other_names
class Robot(RobotParts, KinBody):
    """A kinematic body that acts: manipulators, attached sensors, a controller."""

    interface_type: ClassVar[str] = "robot"
    contract: ClassVar[int] = 2
    is_robot: ClassVar[bool] = True
    _empty: ClassVar[BodyDescription] = RobotDescription(
        "body", links=(LinkDescription("base"),)
    )

    _unlisted = (
        "active_choice active_table attached_sensor_edited base_limits describe_as "
        "limit_base manipulator_edited own_controller restore_controller take_choices"
    )

    def _setup(self, description: BodyDescription, model: Model | None) -> None:
        self._controller: ControllerBase | None = None
        self._active_choice = _ALL_JOINTS
        self._active_table: ActiveTable | None = None
        self._active_tables: dict[ActiveChoice, ActiveTable] = {}
        self._base_limits = _BASE_LIMITS
        self._active_manipulator: str | None = None
        self._manipulators: NamedCollection[Manipulator] = NamedCollection((), "")
        self._sensors: NamedCollection[AttachedSensor] = NamedCollection((), "")
        known = as_robot(description)
        super()._setup(known, model)
        if model is None:  # the description of a copy was checked before
            check_references(known)
        self._manipulators = self._collected(
            Manipulator(self, one) for one in known.manipulators
        )
        self._sensors = NamedCollection(
            (AttachedSensor(self, one) for one in known.attached_sensors),
            "attached sensor",
        )

    def clone(self) -> Robot:
        """Return a copy with its own sensors and IK solvers, and no controller."""
        copy = super().clone()
        assert isinstance(copy, Robot)  # noqa: S101 - of the same class
        for mounted, other in zip(
            self.attached_sensors, copy.attached_sensors, strict=True
        ):
            if mounted.has_sensor:
                other.sensor = mounted.sensor.copy_to(self.env)
                write_state(other.sensor, read_state(mounted.sensor))
                other.sensor.power = mounted.sensor.power
                other.sensor.disabled = mounted.sensor.disabled
        for arm, made in zip(self.manipulators, copy.manipulators, strict=True):
            solver = arm.own_ik_solver
            if solver is not None:
                made.ik_solver = solver.copy_to(self.env)
                write_state(made.ik_solver, read_state(solver))
                made.ik_solver.disabled = solver.disabled
        return copy

    # -- active degrees of freedom -------------------------------------------------

    @property
    def active(self) -> ActiveDofs:
        """The active degrees of freedom: their values, limits, names, Jacobians."""
        return ActiveDofs(self)

    @property
    def active_dof_indices(self) -> Indices:
        """(k,) int64, degrees of freedom that planners work on; all unless set."""
        return self.active_table.indices.copy()

    @active_dof_indices.setter
    def active_dof_indices(self, dof_indices: IndicesLike) -> None:
        self.set_active_dofs(dof_indices)

    def set_active_dofs(
        self,
        dof_indices: IndicesLike,
        affine: Affine = Affine.NONE,
        rotation_axis: ArrayLike | None = None,
    ) -> None:
        """Choose joints, and affine degrees of freedom of the base behind them.

        Parameters
        ----------
        affine
            Mask of base motions; at most one kind of rotation.
        rotation_axis
            (3,) for `Affine.ROTATION_AXIS`, world axes.
        """
        indices = self._different_indices(dof_indices)
        self._choose(self._active_choice.changed(indices, affine, rotation_axis))
        self.notify(BodyChange.ACTIVE_DOFS)

    @property
    def active_choice(self) -> ActiveChoice:
        """The chosen degrees of freedom, as data; `set_active_dofs` chooses others."""
        return self._active_choice

    @property
    def base_limits(self) -> AffineLimits:
        """Limits of motions of the base: `ActiveDofs.affine_limits`."""
        return self._base_limits

    @property
    def active_table(self) -> ActiveTable:
        """`ActiveDofs.table`, the same until the choice or limits are others."""
        known = self._active_table
        if (
            known is None
            or known.base_limits is not self._base_limits
            or known.bounds is not self.limit_store.bounds
        ):
            known = self._active_table = ActiveTable.of(self, self._active_tables)
        return known

    def limit_base(self, limits: AffineLimits) -> None:
        """Replace the limits of motions of the base, for `ActiveDofs`."""
        self._base_limits = limits
        self.notify(BodyChange.LIMITS)

    def _choose(self, choice: ActiveChoice) -> None:
        self._active_table = known = self._active_tables.get(choice)
        self._active_choice = choice if known is None else known.choice

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
        made = Manipulator(self, description)
        kept = [m for m in self._manipulators if m.name != description.name]
        self._set_manipulators([*kept, made])
        return made

    def remove_manipulator(self, name: str) -> None:
        """Remove a manipulator by name."""
        gone = self._manipulators[name]
        if self._active_manipulator == name:  # before callbacks ask for it
            self._active_manipulator = None
        self._set_manipulators([m for m in self._manipulators if m is not gone])

    def _set_manipulators(self, manipulators: list[Manipulator]) -> None:
        self._manipulators = self._collected(manipulators)
        self.describe_as(manipulators=tuple(m.description for m in manipulators))
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

    def describe_as(self, **fields: Any) -> None:
        """Replace parts of the description; nothing else is told of it."""
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
        mounted = AttachedSensor(self, description)
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
        mounted = mounted_sensor(self, name, interface, link, pose, power, settings)
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
        self.describe_as(attached_sensors=tuple(one.description for one in sensors))
        self.notify(BodyChange.SENSORS)

    def notify(self, change: BodyChange) -> None:
        """Tell the callbacks, and the environment if it is in one."""
        if change is BodyChange.NAME:
            for mounted in self._sensors:
                mounted.rename()
        super().notify(change)

    # -- controller ----------------------------------------------------------------

    @property
    def controller(self) -> ControllerBase:
        """The controller; the environment's default is created when first asked for.

        Assignable: a controller, an id, or None for the default; `set_controller` takes
        settings, too.
        """
        if self._controller is None:
            controller = self.env.create("controller", "")
            assert isinstance(controller, ControllerBase)  # noqa: S101
            controller.init(self, np.arange(self.dof), control_transform=True)
            self._controller = controller
        return self._controller

    @controller.setter
    def controller(self, controller: ControllerBase | str | None) -> None:
        self.set_controller(controller)

    @property
    def own_controller(self) -> ControllerBase | None:
        """The controller if one was set or used yet."""
        return self._controller

    @overload
    def set_controller(self, controller: None) -> None: ...
    @overload
    def set_controller(
        self,
        controller: str,
        dof_indices: IndicesLike | None = None,
        *,
        control_transform: bool = False,
        **settings: Any,
    ) -> ControllerBase: ...
    @overload
    def set_controller(
        self,
        controller: Driver,
        dof_indices: IndicesLike | None = None,
        *,
        control_transform: bool = False,
    ) -> Driver: ...
    def set_controller(
        self,
        controller: ControllerBase | str | None,
        dof_indices: IndicesLike | None = None,
        *,
        control_transform: bool = False,
        **settings: Any,
    ) -> ControllerBase | None:
        """Let a controller drive the robot, and return it.

        Parameters
        ----------
        controller
            An object, an id, or None for the default.
        dof_indices
            What it drives; None is all.
        control_transform
            Whether it drives the base too.
        **settings
            Of the controller of an id, for example ``kp=100.0``.

        Raises
        ------
        ArgumentError
            It is none, was made for another environment, or does not fit the joints.
        SettingError
            A setting is unknown, or its value is of another type or out of range.
        InterfaceNotFoundError, InterfaceCreationError
            As for `Environment.create`. The controller before stays.
        """
        if controller is None:
            if settings:
                raise SettingError(
                    f"settings {', '.join(settings)} are given and no controller, "
                    "expected the id of one"
                )
            self._controller = None
            return None
        made = as_part(
            self.env, ControllerBase, controller, settings, what="controller"
        )
        wanted = range(self.dof) if dof_indices is None else dof_indices
        indices = self._different_indices(wanted)
        with author_code(made, "init"):
            made.init(self, indices, control_transform)
        made.described = True
        made.disabled = False
        self._controller = made
        return made

    def restore_controller(self, controller: ControllerBase | None) -> None:
        """Put back a controller that was bound before; it is not initialised again."""
        self._controller = controller

    # -- motions -------------------------------------------------------------------

    @overload
    def plan(
        self, goal: Any = None, **options: Unpack[RobotPlanOptions]
    ) -> PlanResult: ...

    @overload
    def plan(self, goal: Any = None, *, planner: str, **options: Any) -> PlanResult: ...

    def plan(self, goal: Any = None, **options: Any) -> PlanResult:
        """Return a verified motion to a goal, or why there is none.

        Parameters
        ----------
        goal
            What `Manipulator.plan` takes.
        **options
            As for `Manipulator.plan`, and ``dof_indices``, joints to plan for instead
            of the active degrees of freedom (base motions too); ``manipulator``, whose
            tool is meant by poses and constraints instead of the active one.
        """
        return self.env.plan(self, goal, **options)

    def execute(
        self,
        trajectory: TrajectoryBase | Motion,
        *,
        dt: float = 0.01,
        tolerance: float = 1e-3,
        start_tolerance: float = 0.02,
        base_tolerance: float = 0.01,
        body_tolerance: float | None = 2e-3,
        patience: float = 2.0,
        progress: Callable[[float], object] | None = None,
    ) -> Execution:
        """Let the controller follow a trajectory, stepping the environment.

        Everything else in the environment goes on meanwhile, physics too.

        Parameters
        ----------
        trajectory
            Of this robot, with times, or a plan or a joint path of an arm, which is
            then as fast as its joints allow. It begins where the robot is.
        dt
            Simulated seconds of a step.
        tolerance
            How far joints may be from the last waypoint, radians or metres.
        start_tolerance
            How far they may be from the first one when it begins.
        base_tolerance
            How far physics may move the base, metres and radians, if the trajectory
            leaves it where it is.
        body_tolerance
            How far other bodies may be from where a task of `pyrave.manipulation` has
            them at its begin, metres and radians; None: anywhere.
        patience
            Simulated seconds after the end that the robot may take to arrive.
        progress
            Called after each step with the time along the trajectory, seconds.

        Returns
        -------
        Execution
            True if the robot arrived, and its base stayed; else its `cause` says what
            is off, and by how much.

        Raises
        ------
        ArgumentError
            Not a trajectory, one of another robot, or a plan or path of no motion.
        StateError
            The robot is not where the trajectory begins, is in no environment, or its
            controller refuses the trajectory; or a body is not where a task has it.
        """
        from pyrave.bodies.execution import execute

        return execute(
            (self,),
            trajectory,
            dt=dt,
            tolerance=tolerance,
            start_tolerance=start_tolerance,
            base_tolerance=base_tolerance,
            body_tolerance=body_tolerance,
            patience=patience,
            progress=progress,
        )

    # -- state ---------------------------------------------------------------------

    def _robot_state(self, *, with_driver: bool) -> _RobotState:
        driver = self._controller if with_driver else None
        said = None if driver is None else (driver.interface_id, read_state(driver))
        return _RobotState(
            self.active_choice,
            self.base_limits,
            self._active_manipulator,
            tuple((arm.name, arm.description.tool) for arm in self._manipulators),
            said,
        )

    def set_state(self, state: BodyState | str) -> None:
        """Take over a state of this robot or of a copy, or a named one.

        Parameters
        ----------
        state
            The name of one of `configurations`, such as the group states of an SRDF:
            joints that it does not name stay. Or what `get_state` returned, also of a
            copy that has such a controller.

        Raises
        ------
        NotFoundError
            There is no configuration of that name; the message lists them.
        ArgumentError
            The state fits no copy, or is that of another controller.
        """
        if isinstance(state, str):
            self.set_joints(self.configurations[state])
            return
        check_body_state(state, self.model, self)
        kept = state.robot
        driver = self._controller_of(kept)
        self.take_choices(kept)
        super().set_state(state)
        if driver is not None:
            write_state(driver, kept.controller[1])

    def take_choices(self, kept: Any, parts: StateParts = StateParts.ALL) -> None:
        """Take over parts of what a robot's state has beside that of a body."""
        if parts != StateParts.ALL:
            kept = self._robot_state(with_driver=False).with_parts(kept, parts)
        if not isinstance(kept, _RobotState):
            return
        self._choose(kept.active_choice)
        self._base_limits = kept.base_limits
        active = kept.active_manipulator
        # it may have been removed since
        self._active_manipulator = active if active in self._manipulators else None
        for name, tool in kept.tools:
            arm = self._manipulators.get(name)
            if arm is not None and arm.description.tool != tool:
                arm.local_tool_transform = tool

    def _controller_of(self, kept: Any) -> ControllerBase | None:
        """Return the controller that takes the state of one, None without it.

        A copy from a file or pickle has not made its default one yet; one whose
        controller could not be copied has none.
        """
        if not isinstance(kept, _RobotState) or kept.controller is None:
            return None
        wanted, before = kept.controller[0], self._controller
        driver = self.controller
        if driver.interface_id == wanted:
            return driver
        if before is None:
            self._controller = None
            return None
        raise ArgumentError(
            f"the state is that of a robot with the controller {wanted}, and {self!r} "
            f"has {driver!r}; call set_controller({wanted!r}) first"
        )
