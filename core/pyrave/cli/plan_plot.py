"""Plots of a trajectory, drawn by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyrave.cli.motion_plot import require_matplotlib

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import TrajectoryBase

_STEP = 2e-3


def plot_trajectory(robot: Robot, trajectory: TrajectoryBase, path: Path) -> None:
    """Draw joint values, velocities and accelerations over time, and their limits.

    Values are parts of their ranges, rates are parts of their limits: 0 to 1 and -1 to
    1 are within limits. What is drawn is sampled, not what waypoints say.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    spec = trajectory.spec
    which = np.sort(spec.extract_used_indices(robot)[0])
    count = max(3, int(np.ceil(trajectory.duration / _STEP)) + 1)
    times = np.linspace(0.0, max(trajectory.duration, _STEP), count)
    rows = trajectory.sample_points(times)
    values = spec.extract_joint_values(rows, robot, which)
    values = np.empty((count, 0)) if values is None else values
    rates = np.gradient(values, times, axis=0)
    changes = np.gradient(rates, times, axis=0)
    lower, upper = (limits[which] for limits in robot.dof_limits)
    panels = (
        ("value, part of range", (values - lower) / (upper - lower), (0.0, 1.0)),
        (
            "velocity, part of limit",
            rates / robot.dof_velocity_limits[which],
            (-1.0, 1.0),
        ),
        (
            "acceleration, part of limit",
            changes / robot.dof_acceleration_limits[which],
            (-1.0, 1.0),
        ),
    )
    figure = Figure(figsize=(9, 7.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), sharex=True)
    for ax, (label, lines, limits) in zip(axes, panels, strict=True):
        for line, k in zip(lines.T, which.tolist(), strict=True):
            ax.plot(times, line, label=robot.dof_names[k])
        for limit in limits:
            ax.axhline(limit, color="0.4", linestyle="--", linewidth=1.0)
        ax.set_ylabel(label)
        ax.grid(alpha=0.3)
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    axes[-1].set_xlabel("time (s)")
    figure.savefig(path, dpi=120)
