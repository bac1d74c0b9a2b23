"""The generic robot: a body with manipulators, sensors and a controller."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from pyrave.bodies.active_dofs import ActiveDofs
from pyrave.bodies.affine_limits import AffineLimits
from pyrave.bodies.attached_sensor import AttachedSensor
from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import (
    ArgumentError,
    NotFoundError,
    Problem,
    SceneError,
    Severity,
    did_you_mean,
)
from pyrave.interfaces.base import read_state, write_state
from pyrave.interfaces.collection import NamedCollection
from pyrave.interfaces.controller import ControllerBase
from pyrave.kinematics.affine import Affine
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave.scene.checks import validated
from pyrave.spatial import as_indices
from pyrave.world.body_state import BodyChange, BodyState, StateParts, check_body_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.executing import Execution
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.kinematics import Model
    from pyrave.planning.query.options import RobotPlanOptions
    from pyrave.planning.query.result import PlanResult
    from pyrave.scene import Location
    from pyrave.spatial import Indices, IndicesLike


@dataclasses.dataclass(frozen=True, slots=True)
class _RobotState:
    """What a robot's state has beyond a body's."""

    active_dof_indices: tuple[int, ...] | None
    affine: Affine
    rotation_axis: tuple[float, ...]
    affine_limits: AffineLimits
    active_manipulator: str | None
    tools: tuple[tuple[str, Pose], ...]
    controller: Any

    def with_parts(self, saved: Any, parts: StateParts) -> Any:
        """Return this state with some parts replaced by those of another."""
        if not isinstance(saved, _RobotState):
            return self
        names = [
            name for part, names in _PARTS.items() if parts & part for name in names
        ]
        changes = {name: getattr(saved, name) for name in names}
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
    StateParts.ACTIVE_DOFS: ("active_dof_indices", "affine", "rotation_axis"),
    StateParts.LIMITS: ("affine_limits",),
    StateParts.ACTIVE_MANIPULATOR: ("active_manipulator",),
    StateParts.TOOLS: ("tools",),
    StateParts.REST: ("controller",),
}


_AFFINE_LIMITS = AffineLimits()


class Robot(ActiveDofs):
    """A kinematic body that acts: manipulators, attached sensors, a controller."""

    interface_type: ClassVar[str] = "robot"
    contract: ClassVar[int] = 1
    is_robot: ClassVar[bool] = True

    _unlisted = (
        "attached_sensor_edited default_grab_link manipulator_edited own_controller "
        "restore_controller"
    )

    def _setup(self, description: BodyDescription, model: Model | None) -> None:
        self._controller: ControllerBase | None = None
        self._active_dofs: Indices | None = None
        self._affine = Affine.NONE
        self._rotation_axis = np.array((0.0, 0.0, 1.0))
        self._affine_limits = _AFFINE_LIMITS
        self._active_manipulator: str | None = None
        self._manipulators: NamedCollection[Manipulator] = NamedCollection((), "")
        self._sensors: NamedCollection[AttachedSensor] = NamedCollection((), "")
        super()._setup(description, model)
        known = description if isinstance(description, RobotDescription) else None
        if known is not None:
            _check_references(known)
        self._manipulators = NamedCollection(
            (Manipulator(self, m) for m in (known.manipulators if known else ())),
            "manipulator",
        )
        self._sensors = NamedCollection(
            (
                AttachedSensor(self, s)
                for s in (known.attached_sensors if known else ())
            ),
            "attached sensor",
        )

    def clone(self) -> Robot:
        """Return a copy with its own sensors and IK solvers, and no controller."""
        copy = super().clone()
        assert isinstance(copy, Robot)  # noqa: S101 - of the same class
        for mounted, other in zip(
            self.attached_sensors, copy.attached_sensors, strict=True
        ):
            if mounted.sensor is not None:
                other.sensor = mounted.sensor.copy_to(self.env)
                write_state(other.sensor, read_state(mounted.sensor))
                other.sensor.power = mounted.sensor.power
                other.sensor.disabled = mounted.sensor.disabled
        for arm, made in zip(self.manipulators, copy.manipulators, strict=True):
            if arm.ik_solver is not None:
                made.ik_solver = arm.ik_solver.copy_to(self.env)
                write_state(made.ik_solver, read_state(arm.ik_solver))
                made.ik_solver.disabled = arm.ik_solver.disabled
        return copy

    # -- manipulators --------------------------------------------------------------

    @property
    def manipulators(self) -> NamedCollection[Manipulator]:
        """Manipulators in order."""
        return self._manipulators

    def add_manipulator(self, description: ManipulatorDescription) -> Manipulator:
        """Add a manipulator; an old one of that name is replaced."""
        description = validated(ManipulatorDescription, description)
        for link in (description.base, description.end_effector):
            if link not in self.links:
                raise NotFoundError("link", link, self.links.names)
        for joint in description.gripper_joints:
            if joint not in self.model.joint_names:
                raise NotFoundError("joint", joint, self.model.joint_names)
        manipulator = Manipulator(self, description)
        kept = [m for m in self._manipulators if m.name != description.name]
        self._set_manipulators([*kept, manipulator])
        return manipulator

    def remove_manipulator(self, name: str) -> None:
        """Remove a manipulator by name."""
        gone = self._manipulators[name]
        self._set_manipulators([m for m in self._manipulators if m is not gone])
        if self._active_manipulator == name:
            self._active_manipulator = None

    def _set_manipulators(self, manipulators: list[Manipulator]) -> None:
        self._manipulators = NamedCollection(manipulators, "manipulator")
        if isinstance(self._description, RobotDescription):
            self._description = dataclasses.replace(
                self._description,
                manipulators=tuple(m.description for m in manipulators),
            )
        self.notify(BodyChange.MANIPULATORS)

    @property
    def active_manipulator(self) -> Manipulator | None:
        """The manipulator that commands act on: the first unless set; by name too."""
        if self._active_manipulator is not None:
            return self._manipulators[self._active_manipulator]
        return self._manipulators[0] if len(self._manipulators) else None

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
        manipulator = self.active_manipulator
        return 0 if manipulator is None else manipulator.end_effector.index

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
        if isinstance(self._description, RobotDescription):
            self._description = dataclasses.replace(
                self._description,
                attached_sensors=tuple(one.description for one in sensors),
            )
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
        """The controller; the environment's default is created when first asked for."""
        if self._controller is None:
            controller = self.env.create("controller", "")
            assert isinstance(controller, ControllerBase)  # noqa: S101
            controller.init(self, np.arange(self.dof), control_transform=True)
            self._controller = controller
        return self._controller

    @property
    def own_controller(self) -> ControllerBase | None:
        """The controller if one was set or used yet."""
        return self._controller

    def set_controller(
        self,
        controller: ControllerBase | str | None,
        dof_indices: IndicesLike | None = None,
        *,
        control_transform: bool = False,
    ) -> ControllerBase | None:
        """Let a controller drive the robot.

        Parameters
        ----------
        controller
            An object, ``"Id args"``, or None for the default.
        dof_indices
            What it drives; None is all.
        control_transform
            Whether it drives the base too.
        """
        if controller is None:
            self._controller = None
            return None
        if isinstance(controller, str):
            made = self.env.create("controller", controller)
            assert isinstance(made, ControllerBase)  # noqa: S101 - registry checks
            controller = made
        if not isinstance(controller, ControllerBase) or controller.env is not self.env:
            raise ArgumentError(
                f"{controller!r} is not a controller made for the environment of "
                f"{self!r}"
            )
        wanted = range(self.dof) if dof_indices is None else dof_indices
        indices = self._different_indices(wanted)
        controller.init(self, indices, control_transform)
        controller.described = True
        controller.disabled = False
        self._controller = controller
        return controller

    def restore_controller(self, controller: ControllerBase | None) -> None:
        """Put back a controller that was bound before; it is not initialised again."""
        self._controller = controller

    # -- motions -------------------------------------------------------------------

    def plan(self, goal: Any, **options: Unpack[RobotPlanOptions]) -> PlanResult:
        """Return a verified motion to a goal, or why there is none.

        Parameters
        ----------
        goal
            (n,) values of what is planned for, or what `Manipulator.plan` takes.
        **options
            As for `Manipulator.plan`, and ``dof_indices``, joints to plan for instead
            of the active degrees of freedom (base motions too); ``manipulator``, whose
            tool is meant by poses and constraints instead of the active one.
        """
        return self.env.plan(self, goal, **options)

    def execute(
        self,
        trajectory: TrajectoryBase,
        *,
        dt: float = 0.01,
        tolerance: float = 0.02,
        patience: float = 1.0,
        progress: Callable[[float], object] | None = None,
    ) -> Execution:
        """Let the controller follow a trajectory, stepping the environment.

        Everything else in the environment goes on meanwhile, physics too.

        Parameters
        ----------
        trajectory
            Of this robot, with times; it begins where the robot is.
        dt
            Simulated seconds of a step.
        tolerance
            How far joints may be from the first and the last waypoint, radians or
            metres.
        patience
            Simulated seconds after the end that the robot may take to arrive.
        progress
            Called after each step with the time along the trajectory, seconds.

        Returns
        -------
        Execution
            True if the robot arrived; else its `reason` says what is off.

        Raises
        ------
        ArgumentError
            Not a trajectory, or one of another robot.
        StateError
            The robot is not where the trajectory begins, is in no environment, or its
            controller refuses the trajectory.
        """
        from pyrave.bodies.executing import execute

        return execute(
            self,
            trajectory,
            dt=dt,
            tolerance=tolerance,
            patience=patience,
            progress=progress,
        )

    # -- state ---------------------------------------------------------------------

    def get_state(self) -> BodyState:
        """Return a copy of the whole mutable state."""
        state = super().get_state()
        if self._controller is None:
            return state
        driven = dataclasses.replace(
            state.robot, controller=read_state(self._controller)
        )
        return dataclasses.replace(state, robot=driven)

    def basic_state(self) -> BodyState:
        """Return the state without what subclasses of plugins and controllers add."""
        chosen = self._active_dofs
        robot = _RobotState(
            None if chosen is None else tuple(chosen.tolist()),
            self._affine,
            tuple(self._rotation_axis.tolist()),
            self._affine_limits,
            self._active_manipulator,
            tuple((arm.name, arm.description.tool) for arm in self._manipulators),
            None,
        )
        return dataclasses.replace(super().basic_state(), robot=robot)

    def set_state(self, state: BodyState) -> None:
        """Take over a state of this robot or of a copy."""
        check_body_state(state, self.model, repr(self))
        kept = state.robot
        if isinstance(kept, _RobotState):
            chosen = kept.active_dof_indices
            self._active_dofs = (
                None if chosen is None else as_indices(chosen, "active_dof_indices")
            )
            self._affine = kept.affine
            self._rotation_axis = np.array(kept.rotation_axis)
            self._affine_limits = kept.affine_limits
            active = kept.active_manipulator
            # it may have been removed since
            self._active_manipulator = active if active in self._manipulators else None
            for name, tool in kept.tools:
                arm = self._manipulators.get(name)
                if arm is not None and arm.description.tool != tool:
                    arm.local_tool_transform = tool
        super().set_state(state)
        if isinstance(kept, _RobotState) and kept.controller is not None:
            # a copy from a file or pickle has not made its default one yet
            write_state(self.controller, kept.controller)


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
