"""The generic robot: a body with manipulators, sensors and a controller."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Unpack, overload

import numpy as np

from pyrave.attributes import answers_openrave
from pyrave.bodies.affine_limits import AffineLimits
from pyrave.bodies.equipment import Equipped
from pyrave.errors import ArgumentError, SettingError
from pyrave.interfaces.base import author_code, read_state, write_state
from pyrave.interfaces.controller import ControllerBase
from pyrave.interfaces.settings.parts import as_part
from pyrave.kinematics.affine import Affine
from pyrave.scene import BodyDescription, Pose
from pyrave.spatial import as_indices
from pyrave.world.body_state import BodyState, StateParts, check_body_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.executing import Execution
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave.kinematics import Model
    from pyrave.planning.query.options import RobotPlanOptions
    from pyrave.planning.query.result import PlanResult
    from pyrave.spatial import Indices, IndicesLike

Driver = TypeVar("Driver", bound=ControllerBase)


@dataclasses.dataclass(frozen=True, slots=True)
class _RobotState:
    """What a robot's state has beyond a body's."""

    active_dof_indices: tuple[int, ...] | None
    affine: Affine
    rotation_axis: tuple[float, ...]
    affine_limits: AffineLimits
    active_manipulator: str | None
    tools: tuple[tuple[str, Pose], ...]
    controller: tuple[str, Any] | None
    """Id of the controller and its state; None says nothing about it."""

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


@answers_openrave
class Robot(Equipped):
    """A kinematic body that acts: manipulators, attached sensors, a controller."""

    interface_type: ClassVar[str] = "robot"
    contract: ClassVar[int] = 2
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
        super()._setup(description, model)

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
            controller refuses the trajectory.
        """
        from pyrave.bodies.executing import execute

        return execute(
            (self,),
            trajectory,
            dt=dt,
            tolerance=tolerance,
            start_tolerance=start_tolerance,
            base_tolerance=base_tolerance,
            patience=patience,
            progress=progress,
        )

    # -- state ---------------------------------------------------------------------

    def _robot_state(self, *, with_driver: bool) -> _RobotState:
        chosen, driver = self._active_dofs, self._controller
        said = None
        if with_driver and driver is not None:
            said = driver.interface_id, read_state(driver)
        return _RobotState(
            None if chosen is None else tuple(chosen.tolist()),
            self._affine,
            tuple(self._rotation_axis.tolist()),
            self._affine_limits,
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
        if driver is not None:
            write_state(driver, kept.controller[1])

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
