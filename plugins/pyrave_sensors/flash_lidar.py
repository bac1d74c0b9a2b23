"""A range camera that lights the whole scene at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyrave_sensors.laser2d import BaseLaser2D
from pyrave_sensors.ranges.beams import Beams
from pyrave_sensors.ranges.laser_geometry import (
    ScannerGeometry,
    near_limit,
    too_many_rays,
)
from pyrave_sensors.settings.fields import FAR, Conflict, setting

_MIN_FOCAL_LENGTH = 1e-6


@dataclass(frozen=True, repr=False)
class FlashLidarGeometry(ScannerGeometry):
    """A pinhole with a ray for each pixel; as in OpenRAVE angles restrict nothing."""

    title = "a flash lidar"

    # fmt: off
    kk: tuple[float, float, float, float] = setting(
        (500.0, 500.0, 250.0, 250.0), example="500 500 32 32", least=-FAR, most=FAR,
        unit="pixels", doc="fx fy cx cy")
    width: int = setting(64, example="64", least=1, unit="pixels", doc="columns")
    height: int = setting(64, example="64", least=1, unit="pixels", doc="rows")
    min_range: float = near_limit(0.0)
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return focal lengths of zero, too many pixels, or a scanner's conflict."""
        if min(map(abs, self.kk[:2])) < _MIN_FOCAL_LENGTH:
            return Conflict(
                ("kk",),
                f"fx and fy are {self.kk[:2]}, less than {_MIN_FOCAL_LENGTH}",
            )
        names = ("width", "height") if self.width > self.height else ("height", "width")
        subject = f"{self.width} x {self.height} pixels make"
        return too_many_rays(
            self.width * self.height, names, subject
        ) or ScannerGeometry.conflict(self)

    def beams(self) -> Beams:
        """Return a ray for each pixel, column by column, see `pinhole_grid`."""
        return pinhole_grid(self)


def pinhole_grid(geometry: FlashLidarGeometry) -> Beams:
    """Return a ray for each pixel of a pinhole camera, column by column.

    The ray of the pixel in column w and row h is number ``w * height + h`` and has the
    direction ``((w - cx) / fx, (h - cy) / fy, 1)``: z looks ahead.
    """
    g = geometry
    fx, fy, cx, cy = g.kk
    grid = np.empty((g.width, g.height, 3))
    grid[..., 0] = ((np.arange(g.width) - cx) / fx)[:, None]
    grid[..., 1] = (np.arange(g.height) - cy) / fy
    grid[..., 2] = 1.0
    rays = grid.reshape(-1, 3)
    directions = rays / np.sqrt((rays**2).sum(axis=1))[:, None]
    return Beams(directions, grid=(g.width, g.height))


class BaseFlashLidar3D(BaseLaser2D[FlashLidarGeometry]):
    """Measure a grid of ranges with the rays of a pinhole camera, see `pinhole_grid`.

    XML tags: see `FlashLidarGeometry`. OpenRAVE knows no minimum range here; without
    ``minrange`` it is 0, and with one it counts.
    """

    contract = 2
    settings_type = FlashLidarGeometry
