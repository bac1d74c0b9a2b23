"""Choices of who runs scripts, for all environments that are made from then on."""

from __future__ import annotations

from dataclasses import dataclass

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
    """

    simulation_thread: bool = True
    web_viewer: bool = True


options = EnvironmentOptions()
"""The choices of this process; a test mode switches both off."""
