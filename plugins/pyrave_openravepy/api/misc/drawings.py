"""Drawings of axes, goals, circles and labels; each lives as long as its handle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.enums import IkParameterizationType
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["DrawAxes", "DrawCircle", "DrawIkparam", "DrawIkparam2", "DrawLabel"]

Array = NDArray[np.float64]
_COLORS = {
    "rgb": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "cmyk": ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0)),
}


@guarded
def DrawAxes(
    env: Any,
    target: Any,
    dist: float = 1.0,
    linewidth: float = 1,
    colormode: str = "rgb",
    coloradd: Any = None,
) -> Any:
    """Draw the axes of a pose, ``rgb`` or ``cmyk``, and return the handle."""
    if colormode not in _COLORS:
        raise ValueError(f"colormode is {colormode!r}, expected 'rgb' or 'cmyk'")
    pose = matrix_of(target)
    ends = pose[:3, 3] + dist * pose[:3, :3].T
    points = np.stack((np.tile(pose[:3, 3], (3, 1)), ends), axis=1).reshape(6, 3)
    colors = np.repeat(np.array(_COLORS[colormode]), 2, axis=0)
    return env.drawlinelist(points, linewidth, _tinted(colors, coloradd))


def _tinted(colors: Array, coloradd: Any) -> Array:
    if coloradd is None:
        return colors
    more = spatial.as_vector(coloradd, None, "coloradd")[:3]
    return np.asarray(np.clip(colors + more, 0.0, 1.0))


@guarded
def DrawLabel(
    env: Any,
    label: str = "Label",
    worldPosition: Any = (0.0, 0.0, 0.0),
    color: Any = (0.0, 0.0, 0.0, 1.0),
    height: float = 0.05,
) -> Any:
    """Draw a text at a place, and return the handle."""
    return env.drawlabel(label, worldPosition, color, height)


@guarded
def DrawCircle(
    env: Any,
    center: Any,
    normal: Any,
    radius: float,
    linewidth: float = 1,
    colors: Any = None,
) -> Any:
    """Draw a circle about a direction, and return the handle."""
    turn = spatial.matrix_from_quat(
        spatial.quat_rotate_direction((0.0, 0.0, 1.0), normal)
    )
    angles = np.linspace(0.0, 2.0 * np.pi, 65)
    flat = np.stack((np.cos(angles), np.sin(angles), np.zeros(65)), axis=1)
    points = spatial.as_vector(center, 3, "center") + radius * flat @ turn.T
    if colors is None:
        return env.drawlinestrip(points, linewidth)
    return env.drawlinestrip(points, linewidth, np.asarray(colors))


@guarded
def DrawIkparam(
    env: Any,
    ikparam: Any,
    dist: float = 1.0,
    linewidth: float = 1,
    coloradd: Any = None,
) -> Any:
    """Draw a goal: axes, a direction or a point, by its type."""
    kind = IkParameterizationType(int(ikparam.GetType()))
    types = IkParameterizationType
    if kind == types.Transform6D:
        frame = matrix_of(ikparam.GetTransform6D())
        return DrawAxes(env, frame, dist, linewidth, "rgb", coloradd)
    if kind == types.TranslationDirection5D:
        ray = ikparam.GetTranslationDirection5D()
        return _arrow(env, ray.pos(), ray.dir(), dist, linewidth, coloradd)
    if kind == types.Ray4D:
        ray = ikparam.GetRay4D()
        return _arrow(env, ray.pos(), ray.dir(), dist, linewidth, coloradd)
    if kind == types.Direction3D:
        way = ikparam.GetDirection3D()
        return _arrow(env, np.zeros(3), way, dist, linewidth, coloradd)
    if kind == types.Rotation3D:
        pose = np.concatenate((ikparam.GetRotation3D(), np.zeros(3)))
        return DrawAxes(env, pose, dist, linewidth, "rgb", coloradd)
    if kind == types.TranslationXYOrientation3D:
        x, y, turn = ikparam.GetTranslationXYOrientation3D()
        way = np.array((np.cos(turn), np.sin(turn), 0.0))
        return _arrow(env, np.array((x, y, 0.0)), way, dist, linewidth, coloradd)
    place = _place(ikparam, kind)
    return env.plot3(place, 10.0 * linewidth, _tinted(np.zeros((1, 3)), coloradd))


def _place(ikparam: Any, kind: Any) -> Array:
    pose = as_native(ikparam)
    values = np.asarray(pose.values, dtype=np.float64)
    if kind == IkParameterizationType.TranslationXY2D:
        return np.array([[values[0], values[1], 0.0]])
    if kind in (IkParameterizationType.Translation3D, IkParameterizationType.Lookat3D):
        return values[:3].reshape(1, 3)
    translation = getattr(pose, "position", None)
    where = values[-3:] if translation is None else translation
    return np.asarray(where, dtype=np.float64).reshape(1, 3)


def _arrow(
    env: Any, start: Any, way: Any, dist: float, width: float, coloradd: Any
) -> Any:
    begin, ahead = np.asarray(start, float), spatial.as_direction(way, "direction")
    end = begin + dist * ahead
    side = np.cross(ahead, np.eye(3)[int(np.argmin(np.abs(ahead)))])
    tip = [end - 0.2 * dist * (ahead + 0.4 * sign * side) for sign in (1.0, -1.0)]
    points = np.array((begin, end, end, tip[0], end, tip[1]))
    return env.drawlinelist(points, width, _tinted(np.zeros((6, 3)), coloradd))


DrawIkparam2 = DrawIkparam
