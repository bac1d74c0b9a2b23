"""Modules whose code raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave import ModuleBase

if TYPE_CHECKING:
    from pyrave import Environment


class ConstructorRaises(ModuleBase):
    """Cannot be made."""

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        raise RuntimeError("the constructor of acme_broken raises")


class StepRaises(ModuleBase):
    """Works until the first step."""

    contract = 1

    def simulation_step(self, dt: float) -> bool:
        """Divide by zero."""
        return bool(1 // (dt * 0))
