"""Dots and lines of the world over a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, as_number, as_numbers, as_rows

if TYPE_CHECKING:
    from pyrave.geometry.camera import Camera
    from pyrave.geometry.rayscene import RayScene

Image = NDArray[np.uint8]

# radius of a dot, pixels
_LARGEST = 1000.0
# Pixels of dots that are looked at together.
_AT_ONCE = 1 << 20


def overlay_points(
    image: Image,
    camera: Camera,
    points: ArrayLike,
    colour: ArrayLike,
    *,
    scene: RayScene | None = None,
    radius: float = 2.0,
    opacity: float = 1.0,
) -> Image:
    """Return a copy of the image with round dots at points of the world.

    Parameters
    ----------
    points
        (n, 3), world, metres; rows with nan are left out.
    colour
        (3,) or (n, 3), red green blue 0..1.
    scene
        If given, dots behind its surfaces are hidden.
    radius
        Pixels.
    opacity
        0..1.

    Raises
    ------
    ArgumentError
        An image of another size than the camera's, arrays of another shape, numbers
        out of range.
    """
    _check_image(image, camera)
    radius = as_number(radius, "radius", 0.0, _LARGEST)
    opacity = as_number(opacity, "opacity", 0.0, 1.0)
    p = as_rows(points, (3,), "points")
    tint = _tints(colour, len(p))
    finite = np.isfinite(p).all(axis=1)
    p, tint = p[finite], tint[finite]
    pixels, depth = camera.project(p)
    inside = depth > 1e-9
    inside[inside] &= (
        (pixels[inside] > -radius - 0.5)
        & (pixels[inside] < np.array((camera.width, camera.height)) + radius - 0.5)
    ).all(axis=1)
    p, tint, pixels = p[inside], tint[inside], pixels[inside]
    visible = _visible(scene, camera, p)
    pixels, tint = pixels[visible], tint[visible]
    cover, shade = _dots(pixels, tint, camera.width, camera.height, radius)
    result = image.reshape(-1, 3).copy()
    drawn = np.flatnonzero(cover)
    below = result[drawn].astype(np.float64)
    mixed = below + opacity * cover[drawn, None] * (255.0 * shade[drawn] - below)
    result[drawn] = np.clip(mixed + 0.5, 0.0, 255.0).astype(np.uint8)
    return result.reshape(image.shape)


def _dots(
    pixels: Array, tint: Array, width: int, height: int, radius: float
) -> tuple[Array, Array]:
    """Return the share of each pixel that dots cover, and the dots' colours.

    They do not add up: the dot that covers most of a pixel counts.

    Parameters
    ----------
    pixels, tint
        (n, 2) and (n, 3), where the dots are, and their colours.

    Returns
    -------
    tuple of ndarray
        (height * width,) 0..1, (height * width, 3).
    """
    reach = math.ceil(radius + 0.5)
    steps = np.arange(-reach, reach + 1)
    offsets = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    most, shade = np.zeros(height * width), np.zeros((height * width, 3))
    # so many at a time that memory stays small
    some = max(1, _AT_ONCE // len(offsets))
    for first in range(0, len(pixels), some):
        middles = pixels[first : first + some, None]
        cells = np.rint(middles).astype(np.int64) + offsets
        away = np.sqrt(((cells - middles) ** 2).sum(axis=2))
        cover = np.clip(radius + 0.5 - away, 0.0, 1.0)
        inside = ((cells >= 0) & (cells < (width, height))).all(axis=2)
        dot, part = np.nonzero((cover > 0) & inside)
        covered = cover[dot, part]
        order = np.argsort(covered, kind="stable")[::-1]
        flat = cells[dot, part] @ (1, width)
        places, best = np.unique(flat[order], return_index=True)
        best = order[best]
        more = covered[best] >= most[places]
        places, best = places[more], best[more]
        most[places] = covered[best]
        shade[places] = tint[first + dot[best]]
    return most, shade


def overlay_segments(
    image: Image,
    camera: Camera,
    segments: ArrayLike,
    colour: ArrayLike,
    *,
    scene: RayScene | None = None,
    width: float = 1.0,
    opacity: float = 0.6,
) -> Image:
    """Return a copy of the image with straight lines of the world.

    Parameters
    ----------
    segments
        (n, 2, 3), both ends, world, metres; rows with nan are left out.
    colour
        (3,) or (n, 3), red green blue 0..1.
    scene
        If given, what lies behind its surfaces is hidden.
    width
        Pixels.
    opacity
        0..1.

    Raises
    ------
    ArgumentError
        As `overlay_points`.
    """
    _check_image(image, camera)
    width = as_number(width, "width", 0.0, 2.0 * _LARGEST)
    ends = as_rows(segments, (2, 3), "segments")
    tint = _tints(colour, len(ends))
    points: list[Array] = []
    tints: list[Array] = []
    for (start, stop), line in zip(ends, tint, strict=True):
        samples = _along(camera, start, stop)
        points.append(samples)
        tints.append(np.broadcast_to(line, samples.shape))
    if not points:
        return image.copy()
    return overlay_points(
        image,
        camera,
        np.concatenate(points),
        np.concatenate(tints),
        scene=scene,
        radius=0.5 * width,
        opacity=opacity,
    )


def _check_image(image: Image, camera: Camera) -> None:
    wanted = camera.height, camera.width, 3
    if getattr(image, "shape", None) != wanted:
        raise ArgumentError(
            f"the image has shape {np.shape(image)}, the camera's is {wanted}"
        )


def _tints(colour: ArrayLike, n: int) -> Array:
    """Return red green blue of each of n things, (n, 3)."""
    tint = as_numbers(colour, "colour")
    if tint.shape not in {(3,), (n, 3)} or not np.isfinite(tint).all():
        raise ArgumentError(
            f"colour has shape {tint.shape}, expected (3,) or ({n}, 3), finite"
        )
    return np.broadcast_to(tint, (n, 3))


def _along(camera: Camera, start: Array, stop: Array) -> Array:
    """Return points of a segment half a pixel apart in the image, (n, 3)."""
    if not (np.isfinite(start).all() and np.isfinite(stop).all()):
        return np.zeros((0, 3))
    near = 1e-3
    axis = camera.pose[:3, 2]
    a = float((start - camera.pose[:3, 3]) @ axis)
    b = float((stop - camera.pose[:3, 3]) @ axis)
    if a <= near and b <= near:
        return np.zeros((0, 3))
    if a < near:
        start = start + (stop - start) * ((near - a) / (b - a))
    elif b < near:
        stop = stop + (start - stop) * ((near - b) / (a - b))
    pixels, depth = camera.project(np.array((start, stop)))
    far = 2.0 * (camera.width + camera.height)
    length = float(np.sqrt(((pixels[1] - pixels[0]) ** 2).sum()))
    # an end that the lens does not see has no place: nan, which must come second here
    count = int(2.0 * min(far, length)) + 2
    # even steps in the image are harmonic steps in depth
    w = np.linspace(0.0, 1.0, count)
    t = w * depth[0] / (depth[1] + w * (depth[0] - depth[1]))
    return np.asarray(start + t[:, None] * (stop - start))


def _visible(
    scene: RayScene | None, camera: Camera, points: Array
) -> NDArray[np.bool_]:
    if scene is None or len(points) == 0:
        return np.ones(len(points), np.bool_)
    eye = camera.pose[:3, 3]
    towards = points - eye
    distance = np.sqrt(np.einsum("ij,ij->i", towards, towards))
    # a dot on a surface must not be hidden by it
    clear = distance * (1.0 - 2e-3)
    return np.asarray(~scene.cast(eye, towards, clear, any_hit=True).hit)
