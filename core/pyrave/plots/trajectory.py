"""Values, velocities and accelerations of a trajectory over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.plots.figure import Plot, new_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces.trajectory import TrajectoryBase
    from pyrave.spatial import Array, Indices

_STEP = 2e-3
_MAX_SAMPLES = 20_000
# limits are drawn if they are not farther off than so many spans of what is drawn
_NEAR = 1.0


@dataclass(frozen=True, eq=False)
class _Panel:
    """One quantity of several joints.

    Parameters
    ----------
    lines
        (m, k) values over time.
    lower, upper
        (k,) limits; nan where there is none.
    """

    label: str
    lines: Array
    lower: Array
    upper: Array


def plot_trajectory(
    trajectory: TrajectoryBase, body: KinBody | None, *, relative: bool
) -> Plot:
    """Draw a trajectory; see `TrajectoryBase.plot`.

    What is drawn is sampled, not what waypoints say.
    """
    times, rows = _sampled(trajectory)
    which = None
    if body is not None:
        used = np.sort(trajectory.spec.extract_used_indices(body)[0])
        which = body.model.dof_numbers(used, body.name)
    if body is None or which is None or not len(which):
        names, panels = _groups(trajectory, rows)
    else:
        names = [body.dof_names[k] for k in which.tolist()]
        values = trajectory.spec.extract_joint_values(rows, body, which)
        lines = np.empty((len(rows), 0)) if values is None else values
        panels = _joint_panels(body, which, times, lines)
        if relative:
            panels = [_relative(panel) for panel in panels]
    plot = new_plot(9, 2.6 * max(len(panels), 1))
    axes = np.atleast_1d(plot.subplots(max(len(panels), 1), sharex=True))
    for ax, panel, labels in zip(axes, panels, names_of(names, panels), strict=False):
        _draw(ax, times, panel, labels, far=np.inf if relative else _NEAR)
    is_timed = trajectory.spec.find_compatible_group("deltatime") is not None
    axes[-1].set_xlabel("time (s)" if is_timed else "waypoint")
    return plot


def names_of(names: list[str], panels: list[_Panel]) -> list[list[str]]:
    """Return the labels of each panel's lines; the first one alone has a legend."""
    counts = [panel.lines.shape[1] for panel in panels]
    if counts and all(count == len(names) for count in counts):
        return [names, *([] for _ in counts[1:])]
    return [[str(i) for i in range(count)] for count in counts]


def _sampled(trajectory: TrajectoryBase) -> tuple[Array, Array]:
    """Return times, seconds, and rows; of what has no times the waypoints."""
    if trajectory.spec.find_compatible_group("deltatime") is None:
        rows = trajectory.get_waypoints()
        return np.arange(len(rows), dtype=np.float64), rows
    duration = trajectory.duration
    count = int(np.clip(np.ceil(duration / _STEP) + 1, 3, _MAX_SAMPLES))
    times = np.linspace(0.0, max(duration, _STEP), count)
    return times, trajectory.sample_points(times)


def _joint_panels(
    body: KinBody, which: Indices, times: Array, lines: Array
) -> list[_Panel]:
    lower, upper = (limits[which] for limits in body.dof_limits)
    joints = [(body.structure.joint_of_dof(k), k) for k in which.tolist()]
    free = np.array([joint.circular[k - joint.dof_index] for joint, k in joints])
    unknown = np.full(len(which), np.nan)
    panels = [
        _Panel(
            "value (rad, m)",
            lines,
            np.where(free, unknown, lower),
            np.where(free, unknown, upper),
        )
    ]
    for label, limits in (
        ("velocity (rad/s, m/s)", body.dof_velocity_limits[which]),
        ("acceleration (rad/s², m/s²)", body.dof_acceleration_limits[which]),
    ):
        if len(times) > 2:  # exact at the ends where rates change evenly
            lines = np.gradient(lines, times, axis=0, edge_order=2)
        else:
            lines = np.gradient(lines, times, axis=0) if len(times) > 1 else 0.0 * lines
        panels.append(_Panel(label, lines, -limits, limits))
    return panels


def _relative(panel: _Panel) -> _Panel:
    """Return a panel with values as parts of their ranges, or rates of their limits."""
    known = np.isfinite(panel.lower + panel.upper)
    rate = panel.label.partition(" ")[0] != "value"
    start = np.where(known & ~np.bool_(rate), panel.lower, 0.0)
    whole = np.where(known, panel.upper - start, 1.0)
    lines = (panel.lines - start) / np.where(whole > 0.0, whole, 1.0)
    word = panel.label.partition(" ")[0]
    part = "limit" if rate else "range"
    n = lines.shape[1]
    return _Panel(
        f"{word}, part of {part}", lines, np.full(n, -1.0 if rate else 0.0), np.ones(n)
    )


def _groups(trajectory: TrajectoryBase, rows: Array) -> tuple[list[str], list[_Panel]]:
    """Return panels of all groups, of a trajectory that is about no known joints."""
    panels = []
    for group in trajectory.spec.groups:
        if group.kind == "deltatime":
            continue
        lines = rows[:, group.columns]
        unknown = np.full(lines.shape[1], np.nan)
        panels.append(_Panel(group.kind, lines, unknown, unknown))
    return [], panels


def _draw(ax: Axes, times: Array, panel: _Panel, labels: list[str], far: float) -> None:
    """Draw lines, and limits that are not farther off than `far` spans of these."""
    low, high = _span(panel.lines)
    reach = far * max(high - low, 1e-3)
    shown = set()
    for k, line in enumerate(panel.lines.T):
        label = labels[k] if labels else None
        (drawn,) = ax.plot(times, line, label=label)
        for limit in (panel.lower[k], panel.upper[k]):
            # equal limits of several joints are one grey line
            if low - reach <= limit <= high + reach:
                same = np.sum((panel.lower == limit) | (panel.upper == limit)) > 1
                if same and limit in shown:
                    continue
                shown.add(limit)
                colour = "0.4" if same else drawn.get_color()
                ax.axhline(limit, color=colour, linestyle="--", linewidth=1.0)
    ax.set_ylabel(panel.label)
    ax.grid(alpha=0.3)
    if labels:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")


def _span(lines: Array) -> tuple[float, float]:
    finite = lines[np.isfinite(lines)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
