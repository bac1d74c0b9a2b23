"""Template of a controller: drives to its goal at limited speed."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The controller @id@."""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from pyrave import ArgumentError, Readable, StateError, XmlElement
from pyrave.interfaces import ControllerBase
from pyrave.spatial import as_indices, as_pose, as_vector
from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pyrave.bodies import Robot
    from pyrave.interfaces import EnvironmentProtocol, TrajectoryBase
    from pyrave.spatial import Indices, IndicesLike

TAG = "@snake@_settings"


@dataclasses.dataclass(frozen=True)
class Settings(Readable):
    """Content of the tag ``<@snake@_settings speed="..."/>``, rad/s or m/s."""

    speed: float = 1.0

    def to_xml(self) -> XmlElement:
        """Return the tag that is written when the scene is saved."""
        return XmlElement(TAG, (("speed", repr(self.speed)),))


def read_settings(element: Any, context: Any) -> Settings | None:
    """Read the tag; attributes match in lower case."""
    for key in element.attrib:
        if key != "speed":
            context.warn(f"unknown attribute {key!r} of <{TAG}>", element)
    text = element.get("speed", "1")
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.0 < speed < np.inf:
        context.error(f"speed of <{TAG}> is {text!r}, expected more than 0", element)
        return None
    return Settings(speed)


class @id@(ControllerBase):
    """Drives every joint to its goal at one speed, or follows a trajectory exactly."""

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._settings = Settings()
        self._robot: weakref.ref[Robot] | None = None
        self._indices = as_indices((), "dof_indices")
        self._drives_base = False
        self._goal: NDArray[np.float64] | None = None
        self._base_goal: NDArray[np.float64] | None = None
        self._path: TrajectoryBase | None = None
        self._time = 0.0

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over what the scene's tag says."""
        if isinstance(readable, Settings):
            self._settings = readable

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot."""
        self._robot = weakref.ref(robot)
        self._indices = as_indices(dof_indices, "dof_indices")
        self._drives_base = control_transform
        self.reset()

    def get_control_dof_indices(self) -> Indices:
        """Return the degrees of freedom given to `init`."""
        return self._indices

    def is_control_transformation(self) -> bool:
        """Return True if the controller drives the base."""
        return self._drives_base

    def get_robot(self) -> Robot | None:
        """Return the robot given to `init`."""
        return None if self._robot is None else self._robot()

    def reset(self, options: int = 0) -> None:
        """Drop all commands; the robot stays where it is."""
        self._goal = self._base_goal = self._path = None
        self._time = 0.0

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Drive to joint values; the base is put to `transform` in the next step."""
        self._require_robot()
        goal = as_vector(values, len(self._indices), "values").copy()
        if transform is not None and not self._drives_base:
            raise ArgumentError("this controller does not drive the base")
        base = None if transform is None else as_pose(transform, "transform").copy()
        self.reset()
        self._goal, self._base_goal = goal, base
        return True

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Follow a timed trajectory; it must not be changed while it is followed."""
        self._require_robot()
        self.reset()
        if trajectory is not None and trajectory.get_num_waypoints():
            trajectory.sample(0.0)  # raises if the trajectory has no times
            self._path = trajectory
        return True

    def simulation_step(self, dt: float) -> None:
        """Move the robot by what it can do in `dt` seconds."""
        robot = self.get_robot()
        if robot is None:
            return
        indices = self._indices
        if self._path is not None:
            self._time = min(self._time + dt, self._path.get_duration())
            names = " ".join(str(index) for index in indices)
            spec = ConfigurationSpecification().add_group(
                f"joint_values {robot.name} {names}", len(indices), "linear"
            )
            robot.set_dof_values(self._path.sample(self._time, spec), indices)
            if self._time >= self._path.get_duration():
                self._path = None
        elif self._goal is not None:
            values = robot.dof_values[indices]
            reach = self._settings.speed * dt
            way = robot.subtract_dof_values(self._goal, values, indices)
            robot.set_dof_values(values + np.clip(way, -reach, reach), indices)
            if self._base_goal is not None:
                robot.transform = self._base_goal
            if not way.size or np.abs(way).max() <= reach:
                self._goal = self._base_goal = None

    def is_done(self) -> bool:
        """Return True when the last command is finished (or there was none)."""
        return self._goal is None and self._path is None

    def get_time(self) -> float:
        """Return the time along the trajectory, seconds."""
        return self._time

    def get_state(self) -> Any:
        """Return what a clone of the environment needs."""
        return self._goal, self._base_goal, self._path, self._time

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` returned."""
        if state is not None:
            self._goal, self._base_goal, self._path, self._time = state

    def _require_robot(self) -> Robot:
        robot = self.get_robot()
        if robot is None:
            raise StateError(f"{self!r} has no robot; use robot.set_controller() first")
        return robot
'''

_TEST = '''"""How @id@ drives."""

import numpy as np


def test_it_drives_at_its_speed(scene):
    robot = scene.robots["arm"]
    controller = robot.set_controller("@id@")
    robot.dof_values = np.zeros(robot.dof)
    goal = np.array([0.5, -0.25])
    assert controller.set_desired(goal)
    assert not controller.is_done()
    scene.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [0.1, -0.1], atol=1e-9)
    for _ in range(5):
        scene.step(0.1)
    assert controller.is_done()
    np.testing.assert_allclose(robot.dof_values, goal, atol=1e-9)


def test_reset_stops_it(scene):
    robot = scene.robots["arm"]
    controller = robot.set_controller("@id@")
    before = robot.dof_values
    controller.set_desired(before + 0.5)
    controller.reset()
    scene.step(0.1)
    np.testing.assert_allclose(robot.dof_values, before)
'''

TEMPLATE = TypeTemplate(
    _SOURCE,
    _TEST,
    """  <controller type="@id@" robot="arm">
    <@snake@_settings speed="2"/>
  </controller>
""",
    tag="@snake@_settings",
)
