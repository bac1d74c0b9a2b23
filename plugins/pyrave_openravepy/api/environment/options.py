"""Choices of who runs scripts, for all environments that are made from then on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["EnvironmentOptions", "options"]


@dataclass
class EnvironmentOptions:
    """Effects of `Environment()` besides that it is there.

    Parameters
    ----------
    simulation_thread
        A thread steps each new environment in real time, as in OpenRAVE.
    web_viewer
        `Environment.SetViewer` shows the environment in the browser; False: its viewer
        has a camera and draws, and nobody sees it.
    viewer
        Id in place of that which `Environment.SetViewer` is asked for, ``""`` for none.
    prepare
        Called with each new environment.
    """

    simulation_thread: bool = True
    web_viewer: bool = True
    viewer: str = ""
    prepare: Callable[[Any], object] | None = None


options = EnvironmentOptions()
"""The choices of this process; a test mode switches both off."""
