"""The controller."""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from acme_pid_controller.piddata import PidData
from pyrave import (
    ArgumentError,
    ConfigurationSpecification,
    ControllerBase,
    LimitCheck,
    StateError,
)
from pyrave.spatial import as_indices, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave import Environment, Robot, TrajectoryBase
    from pyrave.spatial import Indices, IndicesLike


@dataclasses.dataclass
class _State:
    """What changes while it runs."""

    goal: NDArray[np.float64] | None = None
    velocity: NDArray[np.float64] = dataclasses.field(
        default_factory=lambda: np.empty(0)
    )
    integral: NDArray[np.float64] = dataclasses.field(
        default_factory=lambda: np.empty(0)
    )
    path: Any = None
    time: float = 0.0

    def copy(self) -> _State:
        """Return an independent copy."""
        return dataclasses.replace(
            self, velocity=self.velocity.copy(), integral=self.integral.copy()
        )


class PidController(ControllerBase):
    """Accelerates each joint by a PID law; values, speeds and accelerations limited.

    The gains come from the tag ``<piddata>`` of the scene.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: weakref.ref[Robot] | None = None
        self._indices: tuple[int, ...] = ()
        self._drives_base = False
        self._state = _State()
        self.data = PidData()

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over a robot; what ``<piddata>`` says is there by now."""
        indices = as_indices(dof_indices, "dof_indices")
        if "piddata" in self.readables:
            data = self.readables["piddata"]
            if not isinstance(data, PidData):
                raise ArgumentError(f"piddata is a {type(data).__name__}")
            self.data = data
        for name in ("pgains", "igains", "dgains"):
            gains = getattr(self.data, name)
            if len(gains) not in {1, len(indices)}:
                raise ArgumentError(
                    f"<{name}> has {len(gains)} numbers for {len(indices)} joints of "
                    f"{robot.name!r}; give one, or one per joint"
                )
        self._robot = weakref.ref(robot)
        self._indices, self._drives_base = indices, bool(control_transform)
        self.reset()

    def get_control_dof_indices(self) -> Indices:
        """Return the joints."""
        return self._indices

    def is_control_transformation(self) -> bool:
        """Return what init was told; the base is never moved."""
        return self._drives_base

    def get_robot(self) -> Robot | None:
        """Return the robot."""
        return None if self._robot is None else self._robot()

    def reset(self, options: int = 0) -> None:
        """Stop at once."""
        n = len(self._indices)
        self._state = _State(velocity=np.zeros(n), integral=np.zeros(n))

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Steer to joint values; False for a base pose."""
        robot = self._require()
        goal = as_vector(values, len(self._indices), "values").copy()
        if transform is not None:
            return False
        lower, upper = (bound[list(self._indices)] for bound in robot.dof_limits)
        self._state.goal = np.clip(goal, lower, upper)
        self._state.path = None
        self._state.integral[:] = 0.0
        return True

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Steer along a timed trajectory."""
        robot = self._require()
        if trajectory is None:
            self.reset()
            return True
        names = " ".join(map(str, self._indices))
        spec = ConfigurationSpecification().add_group(
            f"joint_values {robot.name} {names}", len(self._indices), "linear"
        )
        duration = trajectory.get_duration()
        times = np.linspace(0.0, duration, max(2, int(duration / 0.01) + 1))
        self._state.path = (times, trajectory.sample_points(times, spec))
        self._state.time = 0.0
        self._state.goal = self._state.path[1][0]
        return True

    def simulation_step(self, dt: float) -> None:
        """Integrate the law in substeps of ``1 / rate``."""
        robot, state = self.get_robot(), self._state
        if robot is None or state.goal is None:
            return
        indices = list(self._indices)
        values = robot.dof_values[indices]
        count = max(1, int(np.ceil(dt * self.data.rate - 1e-9)))
        for _ in range(count):
            values = self._substep(robot, values, dt / count)
        robot.set_dof_values(values, indices, LimitCheck.CLAMP)
        velocities = robot.dof_velocities
        velocities[indices] = state.velocity
        robot.dof_velocities = velocities

    def _substep(
        self, robot: Robot, values: NDArray[np.float64], dt: float
    ) -> NDArray[np.float64]:
        state, indices = self._state, list(self._indices)
        if state.path is not None:
            state.time += dt
            times, rows = state.path
            state.goal = np.array(
                [np.interp(state.time, times, column) for column in rows.T]
            )
        assert state.goal is not None
        error = robot.subtract_dof_values(state.goal, values, indices)
        acceleration = (
            np.array(self.data.pgains) * error
            + np.array(self.data.igains) * state.integral
            - np.array(self.data.dgains) * state.velocity
        )
        wanted = state.velocity + acceleration * dt
        limit = robot.dof_acceleration_limits[indices]
        speed = state.velocity + _limited(acceleration, limit) * dt
        state.velocity = _limited(speed, robot.dof_velocity_limits[indices])
        # what is at a limit must not wind the integral up
        state.integral += np.where(state.velocity == wanted, error * dt, 0.0)
        return values + state.velocity * dt

    def is_done(self) -> bool:
        """Return True when the robot is at the goal and rests, or there is none."""
        robot, state = self.get_robot(), self._state
        if robot is None or state.goal is None:
            return True
        if state.path is not None and state.time < state.path[0][-1]:
            return False
        indices = list(self._indices)
        error = robot.subtract_dof_values(
            state.goal, robot.dof_values[indices], indices
        )
        return bool(np.abs(error).max() < 2e-3 and np.abs(state.velocity).max() < 2e-3)

    def get_time(self) -> float:
        """Return the time along the path, seconds."""
        return self._state.time

    def get_velocity(self) -> NDArray[np.float64]:
        """Return the joint velocities."""
        return self._state.velocity.copy()

    def get_own_state(self) -> Any:
        """Return what a twin needs."""
        return self._state.copy()

    def set_own_state(self, state: Any) -> None:
        """Go on where a twin was."""
        self._state = state.copy()

    def _require(self) -> Robot:
        robot = self.get_robot()
        if robot is None:
            raise StateError(f"{self!r} has no robot; use robot.set_controller()")
        return robot


def _limited(
    values: NDArray[np.float64], limits: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return values within -+limits; a limit of 0 is none."""
    bounds = np.where(limits > 0, limits, np.inf)
    return np.clip(values, -bounds, bounds)
