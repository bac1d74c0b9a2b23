"""Tables that several commands print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cards import counted
from pyrave.spatial import quat_from_matrix

if TYPE_CHECKING:
    from rich.table import Table


def numbers(values: Any, digits: int = 3) -> str:
    """Return numbers with a fixed number of digits, separated by blanks."""
    return " ".join(f"{value + 0.0:.{digits}f}" for value in values)


def bodies_table(bodies: Sequence[dict[str, Any]]) -> Table:
    """Return names, poses and joint values of bodies."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="bodies", title_justify="left")
    table.add_column("body", style="bold")
    table.add_column("position (m)")
    table.add_column("orientation w x y z")
    table.add_column("joint values")
    for body in bodies:
        pose = np.asarray(body["transform"])
        table.add_row(
            escape(body["name"]) + (" (robot)" if body["is_robot"] else ""),
            numbers(pose[:3, 3]),
            numbers(quat_from_matrix(pose[:3, :3])),
            numbers(body["dof_values"]),
        )
    return table


def sensors_table(sensors: Sequence[dict[str, Any]]) -> Table:
    """Return the last measurements of sensors, in a line each."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="sensors", title_justify="left")
    for column in ("sensor", "id", "time (s)", "measurement"):
        table.add_column(column)
    for sensor in sensors:
        data = sensor["data"]
        time = "" if data is None else f"{data['stamp']:.6f}"
        table.add_row(escape(sensor["name"]), sensor["id"], time, _measurement(sensor))
    return table


def _measurement(sensor: dict[str, Any]) -> str:
    data = sensor["data"]
    if data is None:
        return "none yet" if sensor["power"] else "switched off"
    if data["type"] == "laser":
        hit = np.asarray(data["intensity"]) > 0
        distances = np.asarray(data["distances"])
        rays = counted(len(hit), "ray")
        if not hit.any():
            return f"{rays}, nothing in range"
        near, far = distances[hit].min(), distances[hit].max()
        hits = counted(int(hit.sum()), "hit")
        return f"{rays}, {hits}, {near:.3f} .. {far:.3f} m"
    if data["type"] == "camera":
        images = {key[:-6]: size for key, size in data.items() if key[-6:] == "_shape"}
        seen = [name for name, size in images.items() if 0 not in size]
        if seen:
            height, width = images[seen[0]][:2]
            return f"{width}x{height} pixels: {', '.join(seen)}"
    return str(data["type"])
