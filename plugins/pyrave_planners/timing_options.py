"""OpenRAVE's parameters of retimers and smoothers, as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

_FLAGS = ("hastimestamps", "hasvelocities", "verifyinitialpath")
_NUMBERS = ("maxlinkspeed", "maxlinkaccel", "maxmanipspeed", "maxmanipaccel")


@dataclass(frozen=True, slots=True)
class TimingOptions:
    """What OpenRAVE's parameters of timing say.

    Parameters
    ----------
    interpolation
        That of the result; empty for the planner's own.
    has_timestamps, has_velocities
        Keep the times between waypoints, and the velocities at them.
    verify_initial_path
        Ask whether the path that is given is free before it is smoothed.
    link_speed, link_acceleration, tool_speed, tool_acceleration
        Greatest speeds (m/s) and accelerations (m/s2) of the origins of links and of
        tools; 0 is no limit.
    """

    NAMES: ClassVar[frozenset[str]] = frozenset({"interpolation", *_FLAGS, *_NUMBERS})
    """Tags, in small letters and without ``_`` in front."""

    interpolation: str = ""
    has_timestamps: bool = False
    has_velocities: bool = False
    verify_initial_path: bool = True
    link_speed: float = 0.0
    link_acceleration: float = 0.0
    tool_speed: float = 0.0
    tool_acceleration: float = 0.0

    @property
    def limits_links(self) -> bool:
        """Whether links or tools have a greatest speed or acceleration."""
        return any((
            self.link_speed, self.link_acceleration,
            self.tool_speed, self.tool_acceleration,
        ))  # fmt: skip

    @classmethod
    def read(cls, extra: Mapping[str, str]) -> TimingOptions:
        """Read tags such as ``hastimestamps``; those of others are passed over.

        Raises
        ------
        ArgumentError
            A tag whose text has no meaning.
        """
        tags = {name.lstrip("_").lower(): text.strip() for name, text in extra.items()}
        flags = [_flag(name, tags.get(name)) for name in _FLAGS]
        numbers = [_number(name, tags.get(name, "0")) for name in _NUMBERS]
        timestamps, velocities, verify = flags
        return cls(
            tags.get("interpolation", ""),
            bool(timestamps),
            bool(velocities),
            verify is not False,
            *numbers,
        )


def _flag(name: str, text: str | None) -> bool | None:
    if text is None:
        return None
    known = {"1": True, "true": True, "0": False, "false": False}
    if text.lower() not in known:
        raise ArgumentError(f"<{name}> is {text!r}, expected 0 or 1")
    return known[text.lower()]


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise ArgumentError(f"<{name}> is {text!r}, expected a number >= 0")
    return value
