"""Settings of retimers and smoothers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyrave.interfaces import setting


def _limit(of: str, unit: str, *aliases: str) -> Any:
    text = f"of {of}; 0 is no limit"
    return setting(0.0, text, unit=unit, least=0.0, aliases=aliases)


@dataclass(frozen=True, slots=True)
class TimingOptions:
    """Settings of how a path is timed; OpenRAVE's names of parameters mean the same."""

    interpolation: str = setting("", "of the result: that of the planner, or empty")
    has_timestamps: bool = setting(False, "keep the times between waypoints")
    has_velocities: bool = setting(False, "keep the velocities at waypoints")
    verify_initial_path: bool = setting(
        True, "ask whether the path that is given is free before it is smoothed"
    )
    max_link_speed: float = _limit("the origins of links", "m/s")
    max_link_acceleration: float = _limit(
        "the origins of links", "m/s2", "maxlinkaccel"
    )
    max_tool_speed: float = _limit("tools", "m/s", "maxmanipspeed")
    max_tool_acceleration: float = _limit("tools", "m/s2", "maxmanipaccel")

    @property
    def limits_links(self) -> bool:
        """True if speeds or accelerations of links or tools are limited."""
        return any((
            self.max_link_speed, self.max_link_acceleration,
            self.max_tool_speed, self.max_tool_acceleration,
        ))  # fmt: skip
