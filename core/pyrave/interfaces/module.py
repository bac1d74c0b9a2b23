"""Base of modules: task logic with commands that lives in an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyrave.interfaces.base import InterfaceBase

if TYPE_CHECKING:
    from pyrave.environment import Environment


class ModuleBase(InterfaceBase):
    """Task logic with commands; nothing must be overridden.

    The environment calls `main` when the module is added, `simulation_step` once a
    step after the bodies, `reset` when it is reset and `destroy` at removal.
    """

    interface_type: ClassVar[str] = "module"
    contract: ClassVar[int] = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.main_args = ""
        self._name = ""

    @property
    def name(self) -> str:
        """Name in the environment: the interface id, numbered when it is taken."""
        return self._name or self.interface_id

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def main(self, args: str) -> int:
        """Start with the scene's ``args``; any other value than 0 is a failure."""
        return 0

    def destroy(self) -> None:
        """Let go of everything; called when the module is removed."""

    def reset(self) -> None:
        """Return to the state after `main`; called when the environment is reset."""

    def simulation_step(self, dt: float) -> bool:
        """Do the work of one simulation step of `dt` seconds; False when idle."""
        return False
