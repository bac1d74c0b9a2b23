"""Cards of trajectories for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cards import card, curves, table
from pyrave.errors import Error

if TYPE_CHECKING:
    from pyrave.interfaces.trajectory import TrajectoryBase

_SAMPLES = 121


def trajectory_card(trajectory: TrajectoryBase) -> str:
    """Return a trajectory's groups, and the joint values over time, as HTML."""
    facts = {"waypoints": str(len(trajectory)), "duration": _duration(trajectory)}
    rows = [
        [group.name, str(group.dof), group.interpolation] for group in trajectory.spec
    ]
    head = ["group", "values", "interpolation"]
    return card(
        f"trajectory {trajectory.interface_id}",
        facts,
        table(head, rows) if rows else "",
        joint_curves(trajectory),
    )


def joint_curves(trajectory: TrajectoryBase) -> str:
    """Return the joint values over time as an HTML image; empty if there are none."""
    found = [one for one in trajectory.spec if one.kind == "joint_values"]
    try:
        duration = trajectory.duration
        if not found or not 0.0 < duration < np.inf:
            return ""
        times = np.linspace(0.0, duration, _SAMPLES)
        group = found[0]
        values = trajectory.sample_points(times)[:, group.offset : group.end]
    except Error:
        return ""
    if not np.isfinite(values).all():
        return ""
    env: Any = trajectory.env
    body = env.bodies.get(group.body_name)
    numbers = group.joint_indices.tolist()
    known = body is not None and max(numbers, default=0) < len(body.dof_names)
    names = [body.dof_names[k] if known else f"joint {k}" for k in numbers]
    return curves(values, names, duration)


def _duration(trajectory: TrajectoryBase) -> str:
    try:
        return f"{trajectory.duration:.3f} s"
    except Error:
        return ""
