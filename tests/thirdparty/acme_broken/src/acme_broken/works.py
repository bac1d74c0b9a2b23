"""A module with nothing wrong: it must go on whatever its neighbours do."""

from __future__ import annotations

from pyrave import ModuleBase


class Works(ModuleBase):
    """Counts steps."""

    contract = 1
    steps = 0

    def simulation_step(self, dt: float) -> bool:
        """Count."""
        self.steps += 1
        return True
