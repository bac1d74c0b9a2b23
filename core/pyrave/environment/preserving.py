"""The state of a whole environment, to be put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.errors import PluginError
from pyrave.interfaces.body_state import StateParts
from pyrave.interfaces.grabbing import holders_first
from pyrave.interfaces.state_saver import StateSaver

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment

__all__ = ["EnvironmentSaver"]


class EnvironmentSaver:
    """The state of all bodies and the clock, as they are when it is made."""

    def __init__(self, env: Environment, parts: StateParts = StateParts.ALL) -> None:
        self._env = env
        self._saved = [StateSaver(body, parts) for body in holders_first(env.bodies)]
        self._time = env.simulation_time

    def restore(self) -> None:
        """Put back everything that is still there; raise for the first that fails."""
        failures = []
        for saved in self._saved:
            if saved.body in self._env.bodies:
                try:
                    saved.restore()
                except PluginError as error:
                    failures.append(error)
        self._env.internals.set_time(self._time)
        if failures:
            raise failures[0]
