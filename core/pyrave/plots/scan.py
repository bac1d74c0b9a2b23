"""Scans as polar plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.plots.figure import Plot, new_plot
from pyrave.spatial import invert_pose, transform_points

if TYPE_CHECKING:
    from pyrave.sensing.data import LaserData


def plot_scan(scan: LaserData) -> Plot:
    """Draw where a scan met something, about its sensor; see `LaserData.plot`."""
    ends = transform_points(invert_pose(scan.pose), scan.points[scan.returned])
    flat = np.hypot(ends[:, 0], ends[:, 1])
    angles = np.arctan2(ends[:, 1], ends[:, 0])
    plot = new_plot(6, 6)
    axes = plot.add_subplot(projection="polar")
    is_flat = not len(ends) or np.ptp(ends[:, 2]) < 1e-6
    if is_flat:
        axes.scatter(angles, flat, s=6, color="tab:red")
    else:
        drawn = axes.scatter(angles, flat, s=4, c=ends[:, 2], cmap="viridis")
        plot.colorbar(drawn, ax=axes, label="height (m)", shrink=0.7)
    axes.set_title(
        f"{len(ends)} of {len(scan.ranges)} rays returned, metres; "
        f"t = {scan.stamp * 1e-6:g} s",
        fontsize="medium",
    )
    axes.set_ylim(0.0, 1.05 * float(flat.max(initial=1e-3)))
    return plot
