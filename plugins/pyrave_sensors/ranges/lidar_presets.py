"""Published figures of spinning lidars.

Angles, order and times of firing are those of the makers' manuals: VLP-16, 63-9243
Rev. D, table 9-1 and section 8.1; HDL-32E, 63-9113, "Laser Firing Sequence" and
appendix E. Of the OS1 the data sheet's figures are used (64 lasers evenly over 45
degrees, 1024 columns a turn, all lasers of a column at once); each device has a table
of its own. Real devices turn clockwise seen from above, ours counter-clockwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of lidar.

    Parameters
    ----------
    elevations
        Of each laser, degrees, from the lowest.
    firing_times
        Of each laser after the column's first, seconds.
    ranges
        Shortest and longest, metres.
    rate
        Turns per second that are usual.
    cycle
        Seconds from column to column whatever the rate is; or 0.
    columns
        In a turn whatever the rate is, if there is no `cycle`.
    """

    elevations: tuple[float, ...]
    firing_times: tuple[float, ...]
    ranges: tuple[float, float]
    rate: float = 10.0
    cycle: float = 0.0
    columns: int = 0

    def values(self, rate: float | None = None) -> dict[str, Any]:
        """Return the settings at a number of turns per second, SI units."""
        turn = 1.0 / (rate or self.rate)
        increment = self.cycle or turn / self.columns
        return {
            "resolution": 2.0 * math.pi * increment / turn,
            "min_range": self.ranges[0],
            "max_range": self.ranges[1],
            "time_increment": increment,
            "time_scan": turn,
            "elevations": tuple(map(math.radians, self.elevations)),
            "firing_times": self.firing_times,
        }


def _interleaved(count: int, step: float) -> tuple[float, ...]:
    """Return firing times of two banks that take turns, each from below."""
    half = count // 2
    order = [2 * k if k < half else 2 * (k - half) + 1 for k in range(count)]
    return tuple(step * place for place in order)


PRESETS = {
    "VLP-16": Preset(
        elevations=tuple(float(angle) for angle in range(-15, 16, 2)),
        firing_times=_interleaved(16, 2.304e-6),
        ranges=(0.5, 100.0),
        cycle=55.296e-6,
    ),
    "HDL-32E": Preset(
        elevations=tuple((k - 23) * 4.0 / 3.0 for k in range(32)),
        firing_times=_interleaved(32, 1.152e-6),
        ranges=(0.05, 100.0),
        cycle=46.08e-6,
    ),
    "OS1-64": Preset(
        elevations=tuple(-22.5 + 45.0 * k / 63 for k in range(64)),
        firing_times=(),
        ranges=(0.5, 120.0),
        columns=1024,
    ),
}
"""Preset by name."""
