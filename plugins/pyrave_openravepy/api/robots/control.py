"""Controllers of robots."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import pyrave
from pyrave_openravepy.api.foundation.guard import Guarded, unlocked
from pyrave_openravepy.api.foundation.objects import as_native, wrap

__all__ = ["RobotControl"]

_STEP = 0.01
_STUCK = 0.2
"""Seconds after which a simulation that does not step is stepped by who waits."""


class RobotControl(Guarded):
    """The controller of a robot."""

    _native: pyrave.Robot

    def GetController(self) -> Any:
        return wrap(self._native.controller)

    def SetController(
        self, robot: Any = None, dofindices: Any = None, controltransform: Any = None
    ) -> bool:
        """Let a controller drive the robot, all of it unless joints are named.

        ``(controller)``, ``(controller, dofindices, controltransform)``, or
        ``(controller, args)`` of earlier versions; ``(environment, id, args)`` as well.
        """
        given = as_native(robot)
        if isinstance(given, pyrave.Environment):
            given, dofindices, controltransform = dofindices, None, None
        if isinstance(dofindices, str):
            dofindices = None
        if given is None:
            self._native.set_controller(None)
            return True
        whole = controltransform is None and dofindices is None
        self._native.set_controller(
            given,
            None if dofindices is None else np.array(dofindices, dtype=np.int64),
            control_transform=whole or bool(controltransform),
        )
        return True

    @unlocked
    def WaitForController(self, timeout: float = 0.0) -> bool:
        """Wait until the controller is done; False after the seconds of a timeout.

        0 waits for as long as it takes. Where no thread steps the simulation, and where
        it waits for the lock that the caller has, this steps.
        """
        env, driver = self._native.env, self._native.controller
        limit = float(timeout)
        begin, start = env.simulation_time, time.monotonic()
        seen, changed = begin, start
        while not driver.is_done():
            now, clock = env.simulation_time, time.monotonic()
            passed = clock - start if env.running else now - begin
            if 0.0 < limit <= passed:
                return False
            if now != seen:
                seen, changed = now, clock
            if env.running and clock - changed < _STUCK:
                time.sleep(0.001)
            else:
                env.step(_STEP)
        return True
