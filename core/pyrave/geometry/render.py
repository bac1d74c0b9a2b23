"""Pictures of a ray scene, cast ray by ray: no display and no graphics driver."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from pyrave.geometry.camera import Camera
    from pyrave.geometry.rayscene import RayHits, RayScene
    from pyrave.spatial import Array

__all__ = ["overlay_points", "overlay_segments", "render"]

Image = NDArray[np.uint8]
Colours = ArrayLike | Mapping[int, tuple[float, float, float]]

_MISSING = (0.72, 0.72, 0.70)
_HORIZON = np.array((0.90, 0.92, 0.94))
_ZENITH = np.array((0.52, 0.64, 0.78))
_BELOW = np.array((0.62, 0.61, 0.59))
# light: towards the sun, world; the rest comes from the sky, the ground and the camera
_SUN = np.array((-0.48, -0.28, 0.831)) / np.sqrt(0.48**2 + 0.28**2 + 0.831**2)
_SUN_STRENGTH = 0.62
_SKY_STRENGTH = 0.30
_HEAD_STRENGTH = 0.20
# a shadow ray starts this far off the surface, relative to the distance seen from
_LIFT = 1e-6
# rays cast at a time bound the memory that a picture takes
_RAYS_AT_ONCE = 1 << 18


def render(
    scene: RayScene,
    colours: Colours,
    camera: Camera,
    *,
    background: ArrayLike | None = None,
    max_range: float = 1000.0,
    samples: int = 2,
    shadows: bool = True,
) -> Image:
    """Return a shaded picture of a scene.

    Parameters
    ----------
    colours
        Red green blue 0..1: (instances, 3), or a mapping from id to colour (ids that
        are missing are grey).
    camera
        Where from, and the size of the image.
    background
        Colour (3,) where there is nothing; None for a sky above a horizon (z is up).
    max_range
        Farthest distance that is seen, metres.
    samples
        Rays per pixel in each direction; 2 smooths edges.
    shadows
        Whether the sun casts shadows.

    Returns
    -------
    ndarray
        (height, width, 3) uint8, rows from the top.
    """
    palette = _palette(scene, colours)
    if not 1 <= samples <= 8:
        raise ArgumentError(f"samples is {samples}, expected 1 to 8")
    image = np.empty((camera.height, camera.width, 3), np.uint8)
    step = max(_RAYS_AT_ONCE // (camera.width * samples * samples), 1)
    for begin in range(0, camera.height, step):
        rows = range(begin, min(begin + step, camera.height))
        eye, directions = camera.rays(rows, samples)
        flat = directions.reshape(-1, 3)
        hits = scene.cast(eye, flat, max_range)
        light = _sky(flat) if background is None else _plain(background, len(flat))
        seen = hits.hit
        if seen.any():
            light[seen] = _shade(scene, hits, flat, palette, max_range, shadows)
        pixels = light.reshape(len(rows), camera.width, samples * samples, 3).mean(
            axis=2
        )
        image[begin : rows.stop] = (np.clip(pixels, 0.0, 1.0) * 255.0 + 0.5).astype(
            np.uint8
        )
    return image


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
    """
    p = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    tint = np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(p), 3))
    finite = np.isfinite(p).all(axis=1)
    p, tint = p[finite], tint[finite]
    pixels, depth = camera.project(p)
    inside = depth > 1e-9
    inside[inside] &= (
        (pixels[inside] > -radius)
        & (pixels[inside] < np.array((camera.width, camera.height)) + radius)
    ).all(axis=1)
    p, tint, pixels = p[inside], tint[inside], pixels[inside]
    visible = _visible(scene, camera, p)
    pixels, tint = pixels[visible], tint[visible]
    reach = math.ceil(radius + 0.5)
    steps = np.arange(-reach, reach + 1)
    offsets = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    cells = np.floor(pixels).astype(np.int64)[:, None] + offsets
    away = np.sqrt(((cells + 0.5 - pixels[:, None]) ** 2).sum(axis=2))
    cover = opacity * np.clip(radius + 0.5 - away, 0.0, 1.0)
    column, row = cells[..., 0], cells[..., 1]
    dot, part = np.nonzero(
        (cover > 0)
        & (column >= 0)
        & (column < camera.width)
        & (row >= 0)
        & (row < camera.height)
    )
    # dots of one call do not add up: the one that covers most of a pixel counts
    order = np.argsort(cover[dot, part], kind="stable")
    dot, part = dot[order], part[order]
    flat = row[dot, part] * camera.width + column[dot, part]
    chosen, last = np.unique(flat[::-1], return_index=True)
    dot, part = dot[::-1][last], part[::-1][last]
    result = image.reshape(-1, 3).copy()
    below = result[chosen].astype(np.float64)
    weight = cover[dot, part][:, None]
    mixed = below + weight * (255.0 * tint[dot] - below)
    result[chosen] = np.clip(mixed + 0.5, 0.0, 255.0).astype(np.uint8)
    return result.reshape(image.shape)


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
    """
    ends = np.asarray(segments, dtype=np.float64).reshape(-1, 2, 3)
    tint = np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(ends), 3))
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
    count = int(2.0 * min(length, far)) + 2
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


def _palette(scene: RayScene, colours: Colours) -> Array:
    if isinstance(colours, Mapping):
        return np.array([colours.get(int(i), _MISSING) for i in scene.ids]).reshape(
            -1, 3
        )
    palette = np.asarray(colours, dtype=np.float64)
    if palette.shape == (3,):
        return np.tile(palette, (len(scene), 1))
    if palette.shape != (len(scene), 3):
        raise ArgumentError(
            f"colours have shape {palette.shape}, expected ({len(scene)}, 3)"
        )
    return palette


def _plain(background: ArrayLike, n: int) -> Array:
    return np.tile(np.asarray(background, dtype=np.float64), (n, 1))


def _sky(directions: Array) -> Array:
    """Return the colour of the background, a gradient from the horizon up and down."""
    z = directions[:, 2, None]
    up = np.sqrt(np.clip(z, 0.0, 1.0))
    down = np.clip(-4.0 * z, 0.0, 1.0)
    return np.asarray(_HORIZON + up * (_ZENITH - _HORIZON) + down * (_BELOW - _HORIZON))


def _shade(
    scene: RayScene,
    hits: RayHits,
    directions: Array,
    palette: Array,
    max_range: float,
    shadows: bool,
) -> Array:
    """Return the light of the rays that hit, (hits, 3), 0..1."""
    seen = hits.hit
    normal = hits.normal[seen]
    sun = np.clip(normal @ _SUN, 0.0, None)
    if shadows:
        lift = _LIFT * (1.0 + hits.distance[seen])
        lit = sun > 0.0
        origins = hits.position[seen][lit] + lift[lit, None] * normal[lit]
        if len(origins):
            towards = np.broadcast_to(_SUN, origins.shape)
            blocked = scene.cast(origins, towards, max_range, any_hit=True).hit
            sun[lit] = np.where(blocked, 0.0, sun[lit])
    sky = 0.5 * (1.0 + normal[:, 2])
    head = np.abs(np.einsum("ij,ij->i", normal, directions[seen]))
    strength = (
        0.10
        + _SUN_STRENGTH * sun
        + _SKY_STRENGTH * (0.35 + 0.65 * sky)
        + _HEAD_STRENGTH * head
    )
    return np.asarray(palette[hits.instance[seen]] * strength[:, None])
