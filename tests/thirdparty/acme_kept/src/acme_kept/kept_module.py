"""The module KeptModule."""

from __future__ import annotations

from typing import Any

from pyrave import Environment
from pyrave.interfaces import ModuleBase, command


class KeptModule(ModuleBase):
    """Counts simulation steps and finds bodies by name."""

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._n_steps = 0

    def simulation_step(self, dt: float) -> bool:
        """Do the work of one simulation step of `dt` seconds; False when idle."""
        self._n_steps += 1
        return True

    def reset(self) -> None:
        """Return to the state after `main`; called when the environment is reset."""
        self._n_steps = 0

    @command
    def steps(self) -> int:
        """Return the number of simulation steps since the last reset."""
        return self._n_steps

    @command
    def find(self, text: str, limit: int = 10) -> str:
        """Return the names of at most `limit` bodies whose name contains `text`."""
        found = [body.name for body in self.env.bodies if text in body.name]
        return " ".join(found[:limit])

    def get_own_state(self) -> Any:
        """Return the part that this class adds to the state of the object.

        Plain data that pickles: numbers, texts, arrays, lists, dataclasses. The caller
        copies it, so it may be what the object itself goes on with.
        """
        return self._n_steps

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of it or a copy returned, copied."""
        self._n_steps = state
