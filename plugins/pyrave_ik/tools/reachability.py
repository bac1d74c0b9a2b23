"""Picture of a tool's reachable positions, and its freedom of orientation there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.arm.poses import tool_poses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies import Manipulator
    from pyrave.plots.figure import Plot
    from pyrave.spatial import Array

PANEL = 360
"""Pixels of one view."""
MARGIN = 16
VIEWS = ((0, 1), (0, 2), (1, 2))
"""Axes across and up: from above, from the side, from the front."""

# dark blue to yellow, evenly spaced in lightness
_SCALE = np.array(
    [
        (0.13, 0.15, 0.35),
        (0.14, 0.35, 0.55),
        (0.13, 0.55, 0.55),
        (0.37, 0.73, 0.42),
        (0.93, 0.87, 0.25),
    ]
)
_PAPER = np.array((1.0, 1.0, 1.0))
_LINE = np.array((0.85, 0.86, 0.88))
_BASE = np.array((0.9, 0.2, 0.15))


@dataclass(frozen=True, eq=False)
class Reachability:
    """Positions of the tool at random configurations.

    Parameters
    ----------
    points
        (n, 3) of the tool in the base link, metres.
    directions
        (n, 3) unit vectors, where the tool pointed.
    """

    points: Array
    directions: Array

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and greatest coordinates."""
        return self.points.min(axis=0), self.points.max(axis=0)

    @property
    def radius(self) -> float:
        """Greatest distance from the base link's origin, metres."""
        return float(np.linalg.norm(self.points, axis=1).max())

    def freedom(
        self, view: tuple[int, int], shape: int, window: tuple[Array, float]
    ) -> Array:
        """Return (shape, shape) in how many of 26 directions the tool pointed, 0..1.

        Parameters
        ----------
        view
            Axes across and up.
        window
            Centre (3,) and width of what is seen, metres.
        """
        centre, width = window
        cells = np.floor(((self.points - centre) / width + 0.5) * shape).astype(
            np.int64
        )
        across, up = cells[:, view[0]], cells[:, view[1]]
        inside = (across >= 0) & (across < shape) & (up >= 0) & (up < shape)
        seen = np.zeros((shape, shape, 27), dtype=bool)
        octant = np.rint(self.directions * np.sqrt(1.5)).clip(-1, 1).astype(np.int64)
        number = (octant + 1) @ np.array((9, 3, 1))
        seen[shape - 1 - up[inside], across[inside], number[inside]] = True
        return np.asarray(seen.sum(axis=2) / 26.0)


def reach(arm: Manipulator, configurations: Array) -> Reachability:
    """Return tool positions in the base link at (n, n_arm) values of the arm."""
    tools = tool_poses(arm, configurations)
    return Reachability(tools[:, :3, 3], tools[:, :3, :3] @ arm.direction)


def draw(found: Reachability) -> NDArray[np.uint8]:
    """Return a picture (h, w, 3) of three views side by side: x-y, x-z and y-z.

    A cell is bright where the tool pointed in many directions. Lines are half a metre
    apart, the cross is the base link's origin.
    """
    lower, upper = found.bounds
    lower, upper = np.minimum(lower, 0.0), np.maximum(upper, 0.0)
    centre, width = _window(lower, upper)
    cells = _cells(len(found.points))
    panels = []
    for view in VIEWS:
        share = found.freedom(view, cells, (centre, width))
        rows = np.arange(PANEL) * cells // PANEL
        share = share[rows][:, rows]
        image = np.where(share[..., None] > 0.0, _coloured(share), _PAPER)
        _mark(image, share, view, centre, width)
        panels.append(image)
    gap = np.broadcast_to(_PAPER, (PANEL, MARGIN, 3))
    row = np.concatenate([gap, *(p for one in panels for p in (one, gap))], axis=1)
    frame = np.broadcast_to(_PAPER, (MARGIN, row.shape[1], 3))
    whole = np.concatenate([frame, row, frame])
    return np.asarray((whole * 255.0 + 0.5).astype(np.uint8))


def plot(found: Reachability) -> Plot:
    """Return the same three views with axes in metres and a scale, by matplotlib."""
    from pyrave.plots.figure import new_plot

    lower, upper = found.bounds
    lower, upper = np.minimum(lower, 0.0), np.maximum(upper, 0.0)
    centre, width = _window(lower, upper)
    figure = new_plot(13, 4.6)
    axes = figure.subplots(1, len(VIEWS))
    for ax, view in zip(axes, VIEWS, strict=True):
        share = found.freedom(view, _cells(len(found.points)), (centre, width))
        half = 0.5 * width
        across, up = (centre[axis] for axis in view)
        drawn = ax.imshow(
            np.where(share > 0.0, share, np.nan),
            extent=(across - half, across + half, up - half, up + half),
            vmin=0.0,
            vmax=1.0,
        )
        ax.plot(0.0, 0.0, "+", color="tab:red", markersize=12, markeredgewidth=2)
        ax.set_xlabel(f"{'xyz'[view[0]]} of the base link (m)")
        ax.set_ylabel(f"{'xyz'[view[1]]} (m)")
        ax.grid(alpha=0.3)
    figure.colorbar(drawn, ax=axes, label="share of 26 directions that the tool takes")
    return figure


def _window(lower: Array, upper: Array) -> tuple[Array, float]:
    """Return the middle and the width of what views show, metres."""
    return 0.5 * (lower + upper), float((upper - lower).max()) * 1.08 + 1e-6


def _cells(n: int) -> int:
    """Return the number of cells along a side of a view, for so many points."""
    return int(np.clip(np.sqrt(n / 40.0), 24, 120))


def _coloured(share: Array) -> Array:
    """Return the colours (..., 3) of values 0..1."""
    at = np.clip(share, 0.0, 1.0) * (len(_SCALE) - 1)
    low = np.minimum(at.astype(np.int64), len(_SCALE) - 2)
    part = (at - low)[..., None]
    return np.asarray(_SCALE[low] * (1.0 - part) + _SCALE[low + 1] * part)


def _mark(
    image: Array, share: Array, view: tuple[int, int], centre: Array, width: float
) -> None:
    """Draw the grid on the paper, and the cross."""

    def pixel(value: float, axis: int) -> int:
        return int(((value - centre[axis]) / width + 0.5) * PANEL)

    empty = share == 0.0
    step = 0.5 * max(1, int(width / 8.0))
    first = np.ceil((centre - 0.5 * width) / step)
    for line in range(int(width / step) + 1):
        across = pixel((first[view[0]] + line) * step, view[0])
        up = PANEL - 1 - pixel((first[view[1]] + line) * step, view[1])
        if 0 <= across < PANEL:
            image[empty[:, across], across] = _LINE
        if 0 <= up < PANEL:
            image[up, empty[up]] = _LINE
    x, y = pixel(0.0, view[0]), PANEL - 1 - pixel(0.0, view[1])
    image[max(y - 6, 0) : y + 7, max(x - 1, 0) : x + 2] = _BASE
    image[max(y - 1, 0) : y + 2, max(x - 6, 0) : x + 7] = _BASE
