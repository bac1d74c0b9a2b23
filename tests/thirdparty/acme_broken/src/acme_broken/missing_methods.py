"""A sensor whose author forgot most methods."""

from __future__ import annotations

from pyrave import ConfigureCommand, SensorBase


class HalfASensor(SensorBase):
    """Can be configured, and nothing else."""

    contract = 2

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Do nothing."""
        return 0
