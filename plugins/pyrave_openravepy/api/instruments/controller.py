"""Controllers, which move the joints of a robot."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.environment.life import STEP
from pyrave_openravepy.api.foundation.objects import as_native, register_kind, wrap
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interface import Interface

__all__ = ["Controller", "MultiController", "wait_a_while"]

_LONGEST = 1.0
"""Seconds that a question steps at most, however long nobody asked."""


class Controller(Interface):
    """Moves joints of a robot, and perhaps its base."""

    _asked = (-1.0, 0.0)
    """Simulated and real time of the last question that was answered by no."""

    def Init(self, robot: Any, dofindices: Any = (), controltransform: Any = 0) -> bool:
        # earlier versions had a text of arguments in the second place
        named = isinstance(dofindices, str)
        indices = np.arange(robot.GetDOF()) if named else np.array(dofindices, int)
        self._native.init(as_native(robot), indices, bool(controltransform) or named)
        return True

    def GetControlDOFIndices(self) -> NDArray[np.int64]:
        return np.array(self._native.get_control_dof_indices(), dtype=np.int64)

    def IsControlTransformation(self) -> int:
        return int(self._native.is_control_transformation())

    def GetRobot(self) -> Any:
        return wrap(self._native.get_robot())

    def Reset(self, options: int = 0) -> None:
        self._native.reset(int(options))

    def SetDesired(self, values: Any, transform: Any = None) -> bool:
        pose = None if transform is None else matrix_of(transform)
        return bool(self._native.set_desired(np.array(values, float), pose))

    def SetPath(self, traj: Any) -> bool:
        return bool(self._native.set_path(as_native(traj)))

    def SimulationStep(self, timeelapsed: float) -> None:
        self._native.simulation_step(float(timeelapsed))

    def IsDone(self) -> bool:
        if self._native.is_done():
            return True
        self._asked = wait_a_while(self._native.env, self._asked)
        return bool(self._native.is_done())

    def GetTime(self) -> float:
        return float(self._native.get_time())

    def GetVelocity(self) -> NDArray[np.float64]:
        return np.array(self._native.get_velocity())

    def GetTorque(self) -> NDArray[np.float64]:
        return np.array(self._native.get_torque())


class MultiController(Controller):
    """Shares the joints of a robot among other controllers."""

    def AttachController(
        self, controller: Any, dofindices: Any, controltransform: Any = 0
    ) -> bool:
        self._native.attach_controller(
            as_native(controller), np.array(dofindices, int), bool(controltransform)
        )
        return True

    def RemoveController(self, controller: Any) -> None:
        self._native.remove_controller(as_native(controller))

    def GetController(self, dof: int) -> Any:
        return wrap(self._native.get_controller(int(dof)))


def wait_a_while(env: Any, asked: tuple[float, float]) -> tuple[float, float]:
    """Step an environment that nobody steps, for who asks again and again.

    In OpenRAVE a loop that asks `IsDone` ends because a thread steps. Where none does,
    and no time has passed since the last question, the question lets pass as much
    as the computer's clock says, one step at least.

    Parameters
    ----------
    env
        pyrave's environment.
    asked
        What this has returned at the last question.
    """
    now = env.simulation_time
    clock = time.monotonic()
    if env.running or now != asked[0]:
        return now, clock
    for _ in range(max(1, round(min(clock - asked[1], _LONGEST) / STEP))):
        env.step(STEP)
    return env.simulation_time, clock


register_kind("controller", Controller)
register_kind(
    "controller", MultiController, lambda native: hasattr(native, "attach_controller")
)
