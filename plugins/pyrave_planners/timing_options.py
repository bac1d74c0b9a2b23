"""Settings of retimers and smoothers."""

from __future__ import annotations

from dataclasses import dataclass

from pyrave.interfaces import setting


@dataclass(frozen=True, slots=True)
class TimingOptions:
    """How a path is timed; OpenRAVE's names of parameters mean the same."""

    interpolation: str = setting("", "of the result: that of the planner, or empty")
    has_timestamps: bool = setting(False, "keep the times between waypoints")
    has_velocities: bool = setting(False, "keep the velocities at waypoints")
    verify_initial_path: bool = setting(
        True, "ask whether the path that is given is free before it is smoothed"
    )
    max_link_speed: float = setting(
        0.0, "of the origins of links; 0 is no limit", unit="m/s", least=0.0
    )
    max_link_acceleration: float = setting(
        0.0,
        "of the origins of links; 0 is no limit",
        unit="m/s2",
        least=0.0,
        aliases=("maxlinkaccel",),
    )
    max_tool_speed: float = setting(
        0.0,
        "of tools; 0 is no limit",
        unit="m/s",
        least=0.0,
        aliases=("maxmanipspeed",),
    )
    max_tool_acceleration: float = setting(
        0.0,
        "of tools; 0 is no limit",
        unit="m/s2",
        least=0.0,
        aliases=("maxmanipaccel",),
    )

    @property
    def limits_links(self) -> bool:
        """Whether links or tools have a greatest speed or acceleration."""
        return any((
            self.max_link_speed, self.max_link_acceleration,
            self.max_tool_speed, self.max_tool_acceleration,
        ))  # fmt: skip
