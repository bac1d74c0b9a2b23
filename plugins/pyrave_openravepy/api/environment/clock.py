"""The clock and the lock of an environment."""

from __future__ import annotations

import threading
from typing import Self

import pyrave
from pyrave_openravepy.api.environment.life import STEP
from pyrave_openravepy.api.foundation.guard import unlocked
from pyrave_openravepy.api.foundation.objects import ApiObject

__all__ = ["EnvironmentClock"]

_MICROSECONDS = 1_000_000


class EnvironmentClock(ApiObject):
    """The part of `Environment` that steps, tells the time and is locked."""

    def StepSimulation(self, timestep: float) -> None:
        self._native.step(float(timestep))

    @unlocked
    def StartSimulation(self, timestep: float, realtime: bool = True) -> None:
        self._native.stop()
        # OpenRAVE's step of 0 or less is its usual one
        step = float(timestep)
        self._native.start(step if step > 0.0 else STEP, realtime=bool(realtime))

    @unlocked
    def StopSimulation(self, shutdownthread: int = 1) -> None:
        self._native.stop()

    def IsSimulationRunning(self) -> bool:
        return bool(self._native.running)

    def GetSimulationTime(self) -> int:
        seconds: float = self._native.simulation_time
        return round(seconds * _MICROSECONDS)

    @unlocked
    def Lock(self, timeout: float | None = None) -> bool:
        native = self._native
        try:
            if timeout is None:
                native.__enter__()
            else:
                native.lock(max(float(timeout), 0.0)).__enter__()
        except pyrave.LockTimeoutError:
            return False
        self._held.natives.append(native)
        return True

    @unlocked
    def TryLock(self) -> bool:
        return self.Lock(0.0)

    @unlocked
    def Unlock(self) -> None:
        if not self._held.natives:
            name = threading.current_thread().name
            raise pyrave.StateError(
                f"thread {name} unlocks an environment that it has not locked: call "
                "Lock() before, once for each Unlock(), or write 'with env:'"
            )
        self._held.natives.pop().__exit__()

    @unlocked
    def LockPhysics(self, lock: bool, timeout: float | None = None) -> bool:
        if lock:
            return self.Lock(timeout)
        self.Unlock()
        return True

    @unlocked
    def __enter__(self) -> Self:
        self.Lock()
        return self

    @unlocked
    def __exit__(self, *exc_info: object) -> None:
        self.Unlock()
