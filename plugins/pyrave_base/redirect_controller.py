"""A controller that hands everything to another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.authoring import BoundController
from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.settings.declarations import setting

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.commands import Command
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.spatial import Array, IndicesLike


@dataclass(frozen=True)
class RedirectSettings:
    """Settings of `RedirectController`."""

    follow: bool = setting(True, "the robot follows that of the target")


class RedirectController(BoundController):
    """Forward every call and command to another controller, for example of a clone.

    `set_target` says to which; without it, it is the controller that the robot had
    before this one. With a target in the same environment each step is forwarded too.
    A target in another environment is stepped there, and the robot here follows the
    target's robot in each step (the setting ``follow``). Targets do not
    travel with clones: a clone's redirect controller is idle until it gets one.
    """

    contract = 2
    settings_type = RedirectSettings
    word_settings = ("follow",)

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._target: ControllerBase | None = None

    @property
    def target(self) -> ControllerBase | None:
        """The controller that gets the calls."""
        return self._target

    def set_target(self, target: ControllerBase | None) -> None:
        """Forward to another controller from now on; None makes it idle.

        Raises
        ------
        ArgumentError
            The target ends in this controller itself.
        """
        link = target
        while isinstance(link, RedirectController):
            if link is self:
                raise ArgumentError(f"{self!r} can't be its own target")
            link = link.target
        self._target = target

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over a robot; its present controller is the target if none was set."""
        super().init(robot, dof_indices, control_transform)
        if self._target is None and robot.own_controller is not self:
            self.set_target(robot.own_controller)

    def reset(self, options: int = 0) -> None:
        """Reset the target."""
        if self._target is not None:
            self._target.reset(options)

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Command the target's goal."""
        return self._required().set_desired(values, transform)

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Let the target follow a trajectory; None stops it."""
        if trajectory is None and self._target is None:
            return True
        return self._required().set_path(trajectory)

    def before_physics(self, dt: float) -> None:
        """Let a target in the same environment push."""
        target, robot = self._target, self.get_robot()
        if target is not None and robot is not None and target.get_robot() is robot:
            target.before_physics(dt)

    def simulation_step(self, dt: float) -> None:
        """Step the target, or follow its robot if that is in another environment."""
        target, robot = self._target, self.get_robot()
        if target is None or robot is None:
            return
        original = target.get_robot()
        if original is robot:
            target.simulation_step(dt)
        elif original is not None and self.settings.follow:
            if original.dof != robot.dof:
                raise StateError(
                    f"robot {robot.name!r} has {robot.dof} degrees of freedom, the "
                    f"target's robot {original.name!r} has {original.dof}"
                )
            robot.transform = original.transform
            robot.dof_values = original.dof_values

    def is_done(self) -> bool:
        """Return True when the target is done, or there is none."""
        return self._target is None or self._target.is_done()

    def get_time(self) -> float:
        """Return the target's time, seconds."""
        return self._required().get_time()

    def get_velocity(self) -> Array:
        """Return the target's commanded velocities, rad/s or m/s."""
        return self._required().get_velocity()

    def get_torque(self) -> Array:
        """Return the target's commanded efforts, N m or N."""
        return self._required().get_torque()

    @property
    def commands(self) -> Mapping[str, Command]:
        """The target's commands by name."""
        return super().commands if self._target is None else self._target.commands

    def command(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a command of the target."""
        return self._required().command(name, *args, **kwargs)

    def send_command(self, text: str) -> str | None:
        """Run a command text of the target."""
        return self._required().send_command(text)

    def _required(self) -> ControllerBase:
        if self._target is None:
            raise StateError(
                f"{self!r} has no target: call set_target() with the controller that "
                "is to do the work"
            )
        return self._target
