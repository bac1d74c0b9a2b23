"""A clock that tests move, in place of the one that pyrave's code reads."""

from __future__ import annotations

import importlib
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


class MovedClock:
    """Seconds that pass only as a test says, however fast the machine is.

    Parameters
    ----------
    tick
        Seconds that pass each time that somebody looks.
    """

    def __init__(self, tick: float = 0.0) -> None:
        self.tick = tick
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        self.now += self.tick
        return self.now

    def show_to(self, patch: pytest.MonkeyPatch, *names: str) -> None:
        """Let modules, and what has been imported of packages, read this clock."""
        for name in names:
            importlib.import_module(name)
        shown = {"perf_counter": self, "monotonic": self}
        stand_in = SimpleNamespace(**{**vars(time), **shown})
        for name, module in list(sys.modules.items()):
            if not name.startswith(names):
                continue
            for clock in shown:
                if getattr(module, clock, None) is getattr(time, clock):
                    patch.setattr(module, clock, self)
            if getattr(module, "time", None) is time:
                patch.setattr(module, "time", stand_in)
