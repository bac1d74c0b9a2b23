"""The state of a whole environment, to be put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pyrave.bodies.grabbing import holders_first
from pyrave.bodies.state_saver import StateSaver
from pyrave.errors import PluginError, StateError
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment


class EnvironmentSaver:
    """All bodies and the clock as they were, put back at the end of a ``with`` block.

    Belongs to the environment's thread. It saves when it is made.

    Parameters
    ----------
    env
        Whose state.
    parts
        What is put back of the bodies; the rest stays as it is then.
    """

    def __init__(self, env: Environment, parts: StateParts = StateParts.ALL) -> None:
        self._env: Environment | None = env
        self._saved = [StateSaver(body, parts) for body in holders_first(env.bodies)]
        self._time = env.simulation_time

    def restore(self) -> None:
        """Put back everything that is still there.

        Raises
        ------
        StateError
            It was released.
        PluginError
            Code of a plugin raised, the first one; the others are put back.
        """
        if self._env is None:
            raise StateError("the saved state was released")
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

    def release(self) -> None:
        """Let go of the environment: the end of the block restores nothing."""
        self._env = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._env is not None:
            self.restore()
