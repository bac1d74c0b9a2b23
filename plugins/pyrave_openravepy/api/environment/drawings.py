"""Drawings of an environment, and the handles that keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import ApiObject
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["EnvironmentDrawings", "GraphHandle"]

_COLOR = (1.0, 0.5, 0.5, 1.0)
# of a point that is so many pixels wide, seen from two metres with 960 columns
_METRES_A_PIXEL = 2e-3
_MOST_COLORS = 64

_Draw = Callable[[NDArray[np.float64]], Iterable[Any]]


class GraphHandle(Guarded):
    """Keeps what was drawn; closed or dropped, it erases it.

    Parameters
    ----------
    draw
        Draws it moved by a pose (4, 4), and returns pyrave's handles.
    """

    def __init__(self, draw: _Draw) -> None:
        self._draw = draw
        self._shown = True
        self._drawn: list[Any] = list(draw(np.eye(4)))

    def SetTransform(self, transform: Any) -> None:
        moved = list(self._draw(matrix_of(transform)))
        self.Close()
        self._drawn = moved
        self.SetShow(self._shown)

    def SetShow(self, show: bool) -> None:
        self._shown = bool(show)
        for one in self._drawn:
            one.visible = self._shown

    def Close(self) -> None:
        for one in self._drawn:
            one.close()
        self._drawn = []

    def close(self) -> None:
        self.Close()


class EnvironmentDrawings(ApiObject):
    """The part of `Environment` that draws; without a viewer nothing is drawn."""

    def _keep(self, draw: _Draw) -> GraphHandle | None:
        # scripts ask whether the handle is None, which OpenRAVE gives without a viewer
        return GraphHandle(draw) if self._native.viewers else None

    def plot3(
        self, points: Any, pointsize: float, colors: Any = None, drawstyle: int = 0
    ) -> GraphHandle | None:
        places, tints = _places(points), _colors(colors, len(_places(points)))
        # pixels, or the radius of spheres
        size = 2.0 * pointsize if drawstyle else _METRES_A_PIXEL * pointsize
        draw = self._native.draw
        return self._keep(
            lambda T: [draw.points(_moved(T, places), color=tints, size=size)]
        )

    def drawlinestrip(
        self, points: Any, linewidth: float, colors: Any = None, drawstyle: int = 0
    ) -> GraphHandle | None:
        places = _places(points)
        ends = np.stack((places[:-1], places[1:]), axis=1)
        tints = _colors(colors, len(places))[: len(ends)]
        return self._lines(ends, linewidth, tints, drawstyle)

    def drawlinelist(
        self, points: Any, linewidth: float, colors: Any = None, drawstyle: int = 0
    ) -> GraphHandle | None:
        places = _places(points)
        ends = places[: len(places) // 2 * 2].reshape(-1, 2, 3)
        tints = _colors(colors, len(places))[::2][: len(ends)]
        return self._lines(ends, linewidth, tints, drawstyle)

    def _lines(
        self, ends: NDArray[np.float64], linewidth: float, tints: Any, drawstyle: int
    ) -> GraphHandle | None:
        # as there: pixels, or metres of tubes
        wide = linewidth / _METRES_A_PIXEL if drawstyle else linewidth
        width = float(np.clip(wide, 0.1, 100.0))
        draw = self._native.draw
        return self._keep(
            lambda T: [draw.lines(_moved(T, ends), color=tints, width=width)]
        )

    def drawarrow(
        self, p1: Any, p2: Any, linewidth: float = 2e-3, color: Any = None
    ) -> GraphHandle | None:
        ends, tint = _places([p1, p2]), _colors(color, 1)[0]
        draw = self._native.draw

        def arrow(T: NDArray[np.float64]) -> list[Any]:
            start, end = _moved(T, ends)
            return [draw.arrow(start, end, color=tint, radius=linewidth)]

        return self._keep(arrow)

    def drawlabel(
        self, label: str, worldPosition: Any, color: Any = None, height: float = 0.05
    ) -> GraphHandle | None:
        place, tint = _places(worldPosition), _colors(color, 1)[0]
        draw, text = self._native.draw, str(label)
        return self._keep(
            lambda T: [draw.text(text, _moved(T, place)[0], color=tint, height=height)]
        )

    def drawbox(self, pos: Any, extents: Any, color: Any = None) -> GraphHandle | None:
        return self.drawboxarray(pos, extents, color)

    def drawboxarray(
        self, pos: Any, extents: Any, color: Any = None
    ) -> GraphHandle | None:
        places = _places(pos)
        frames = np.tile(np.eye(4), (len(places), 1, 1))
        frames[:, :3, 3] = places
        return self._boxes(frames, extents, _colors(color, len(places)))

    def drawaabb(
        self, aabb: Any, transform: Any, color: Any = None, transparency: float = 0.0
    ) -> GraphHandle | None:
        frame = np.eye(4)
        frame[:3, 3] = np.asarray(aabb.pos(), float)
        return self._boxes(
            (matrix_of(transform) @ frame)[None],
            aabb.extents(),
            _colors(color, 1, transparency),
        )

    def drawobb(
        self, obb: Any, color: Any = None, transparency: float = 0.0
    ) -> GraphHandle | None:
        frames = matrix_of(obb.transform())[None]
        return self._boxes(frames, obb.extents(), _colors(color, 1, transparency))

    def _boxes(
        self, frames: NDArray[np.float64], extents: Any, tints: Any
    ) -> GraphHandle | None:
        sizes = np.array(extents, dtype=np.float64)
        draw = self._native.draw
        return self._keep(lambda T: [draw.boxes(T @ frames, sizes, color=tints)])

    def drawplane(
        self, transform: Any, extents: Any, texture: Any
    ) -> GraphHandle | None:
        frame, sizes = matrix_of(transform), np.array(extents, float).ravel()[:2]
        image = _image(texture)
        draw = self._native.draw
        return self._keep(lambda T: [draw.plane(T @ frame, sizes, texture=image)])

    def drawtrimesh(
        self, points: Any, indices: Any = None, colors: Any = None
    ) -> GraphHandle | None:
        places = _places(points)
        corners = np.arange(len(places)) if indices is None else np.asarray(indices)
        faces = corners.astype(np.int64).reshape(-1, 3)
        if faces.size and not (faces.min() >= 0 and faces.max() < len(places)):
            raise pyrave.ArgumentError(
                f"indices go from {faces.min()} to {faces.max()}, expected 0 to "
                f"{len(places) - 1}: there are {len(places)} points"
            )
        parts = _same_colors(faces, _colors(colors, len(places)))
        draw = self._native.draw
        return self._keep(
            lambda T: [
                draw.mesh(places, part, pose=T, color=tint) for part, tint in parts
            ]
        )


def _places(points: Any) -> NDArray[np.float64]:
    """Return points (n, 3), given as rows that begin with them or as flat numbers."""
    found = np.array(points, dtype=np.float64)
    rows = found.reshape(-1, 3) if found.ndim < 2 and not found.size % 3 else found
    if rows.ndim != 2 or rows.shape[1] < 3:
        raise pyrave.ArgumentError(
            f"points have shape {found.shape}, expected (n, 3), or 3 n numbers"
        )
    # clouds of points have 1, colors or normals behind the position
    return rows[:, :3]


def _colors(colors: Any, count: int, transparency: float = 0.0) -> NDArray[np.float64]:
    """Return a color (count, 4) of each: one of three or four numbers, or of each.

    Rows that are too many are left out; of too few the last one goes on.
    """
    found = np.array(_COLOR if colors is None else colors, dtype=np.float64)
    if found.ndim == 1 and found.size not in {3, 4}:
        # flat, as points are
        wide = found.size // count if count and found.size % count == 0 else 0
        found = found.reshape(count, wide) if wide in {3, 4} else found
    rows = np.atleast_2d(found)
    if rows.ndim != 2 or rows.shape[1] not in {3, 4} or not len(rows):
        raise pyrave.ArgumentError(
            f"colors have shape {np.shape(colors)}, expected (3,) or (4,), or one row "
            f"for each of {count}"
        )
    made = np.ones((count, 4))
    each = np.minimum(np.arange(count), len(rows) - 1)
    made[:, : rows.shape[1]] = np.clip(rows[each], 0.0, 1.0)
    if transparency:
        made[:, 3] = 1.0 - float(np.clip(transparency, 0.0, 1.0))
    return made


def _moved(T: NDArray[np.float64], points: NDArray[np.float64]) -> Any:
    return points @ T[:3, :3].T + T[:3, 3]


def _same_colors(
    faces: NDArray[np.int64], tints: NDArray[np.float64]
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return faces with the color that they share, the mean of their corners'."""
    if not len(faces):
        return []
    means = tints[faces].mean(axis=1)
    steps = 256
    while True:
        rounded, which = np.unique(np.rint(means * steps), axis=0, return_inverse=True)
        # coarser where there are too many to draw each by itself
        if len(rounded) <= _MOST_COLORS or steps == 1:
            break
        steps //= 2
    which = which.ravel()
    return [(faces[which == k], row / steps) for k, row in enumerate(rounded)]


def _image(texture: Any) -> NDArray[np.uint8]:
    """Return an image (h, w, 3) of bytes from one of bytes or of numbers 0..1."""
    found = np.asarray(texture)
    if found.ndim == 2:
        found = np.repeat(found[:, :, None], 3, axis=2)
    if found.ndim != 3 or found.shape[2] not in {3, 4}:
        raise pyrave.ArgumentError(
            f"texture has shape {found.shape}, expected (height, width, 3)"
        )
    if found.dtype != np.uint8:
        found = np.rint(np.clip(found, 0.0, 1.0) * 255.0).astype(np.uint8)
    return np.ascontiguousarray(found[:, :, :3])
