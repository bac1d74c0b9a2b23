"""Scans as polar plots."""

from __future__ import annotations

import numpy as np

from pyrave.plots.figure import Plot, new_plot
from pyrave.spatial import Array


def plot_scan(ends: Array, n_rays: int, seconds: float) -> Plot:
    """Draw where a scan met something, about its sensor; see `LaserData.plot`.

    Parameters
    ----------
    ends
        (n, 3) in the sensor's frame, metres.
    n_rays
        How many rays were cast.
    seconds
        Simulated time of the scan.
    """
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
        f"{len(ends)} of {n_rays} rays returned, metres; t = {seconds:g} s",
        fontsize="medium",
    )
    axes.set_ylim(0.0, 1.05 * float(flat.max(initial=1e-3)))
    return plot
