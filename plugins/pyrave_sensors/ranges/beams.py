"""The rays of a scan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Beams:
    """The rays of a scan in the sensor's frame.

    Parameters
    ----------
    directions
        (n, 3) unit.
    origins
        (3,) or (n, 3), metres; None: all at the sensor's origin.
    ages
        (n,) how long before the last ray each is cast, seconds; None: all at once.
    rings
        (n,) number of the laser; None: there is one.
    grid
        Rows and columns in which neighbours go much the same way; None: one row. Rays
        of a grid are cast in tiles.
    """

    directions: Array
    origins: Array | None = None
    ages: Array | None = None
    rings: NDArray[np.int64] | None = None
    grid: tuple[int, int] | None = None
    duration: float = field(default=0.0, init=False)
    """Seconds from the first ray to the last."""

    def __post_init__(self) -> None:
        if self.ages is not None:
            object.__setattr__(self, "duration", float(self.ages.max(initial=0.0)))


def planar_fan(
    min_angle: float, max_angle: float, resolution: float, time_increment: float
) -> Beams:
    """Return a fan of rays in the xy plane.

    Ray i leaves the origin at the angle ``min_angle + i * resolution`` from +x, turned
    about z; there are ``int((max_angle - min_angle) / resolution + 0.5) + 1`` of them.
    With a `time_increment` ray i is cast ``(n - 1 - i) * time_increment`` before the
    stamp.
    """
    count = ray_count(min_angle, max_angle, resolution)
    angles = min_angle + np.arange(count) * resolution
    directions = np.stack(
        (np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1
    )
    if time_increment == 0:
        return Beams(directions)
    ages = np.arange(count - 1, -1, -1.0) * time_increment
    return Beams(directions, ages=ages)


def ray_count(min_angle: float, max_angle: float, resolution: float) -> int:
    """Return the number of rays of a scan: angles in one unit, resolution > 0."""
    steps = (max_angle - min_angle) / resolution + 0.5
    return 0 if steps < 0 else 1 + int(min(steps, 1e18))
