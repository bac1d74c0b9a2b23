"""`Module`: tasks with commands; and `SensorSystem`."""

from __future__ import annotations

from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.interface import Interface

__all__ = ["Module", "SensorSystem"]


class Module(Interface):
    """A task with commands, `SendCommand`."""

    def SimulationStep(self, timeelapsed: float) -> bool:
        return bool(self._native.simulation_step(float(timeelapsed)))

    def Destroy(self) -> None:
        self._native.destroy()


class SensorSystem(Interface):
    """Moves bodies as somebody outside tells it."""


register_kind("module", Module)
register_kind("sensorsystem", SensorSystem)
