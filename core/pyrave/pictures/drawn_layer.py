"""Drawings of scripts, painted over pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry import (
    Camera,
    Lens,
    Look,
    Mesh,
    RayInstance,
    RayScene,
    Surface,
    box_mesh,
    overlay_points,
    overlay_segments,
    render,
)
from pyrave.pictures.dot_font import HEIGHT, dots_of
from pyrave.pictures.drawing_items import (
    DrawnArrow,
    DrawnBoxes,
    DrawnFrames,
    DrawnLines,
    DrawnMesh,
    DrawnPlane,
    DrawnPoints,
    DrawnText,
)
from pyrave.scene import Box
from pyrave.spatial import look_at, transform_points

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pyrave.pictures.drawing_items import Drawn
    from pyrave.spatial import Array

    Image = NDArray[np.uint8]

_SIDES = 16
# length and radius of an arrow's head, in radii of its shaft
_HEAD = 6.0, 2.5
_AXES = np.array(((0.9, 0.1, 0.1), (0.1, 0.65, 0.1), (0.15, 0.3, 0.95)))
_FAR = 1e4
_DOTS = 1.0, 40.0


@dataclass(frozen=True, eq=False)
class DrawnLayer:
    """Something that a script drew; surfaces in front hide it.

    Parameters
    ----------
    item
        What it is.
    """

    item: Drawn

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with it."""
        match self.item:
            case DrawnPoints():
                return _points(image, camera, scene, self.item)
            case DrawnLines(segments, colors, width):
                return _lines(image, camera, scene, segments, colors, width)
            case DrawnFrames(poses, length):
                tips = poses[:, None, :3, 3] + length * poses[:, :3, :3].swapaxes(1, 2)
                starts = np.broadcast_to(poses[:, None, :3, 3], tips.shape)
                axes = np.stack((starts, tips), axis=2).reshape(-1, 2, 3)
                colors = np.ones((len(axes), 4))
                colors[:, :3] = np.tile(_AXES, (len(poses), 1))
                return _lines(image, camera, scene, axes, colors, 3.0)
            case DrawnText():
                return _text(image, camera, scene, self.item)
            case _:
                return _solids(image, camera, scene, self.item)


def arrow_mesh(arrow: DrawnArrow) -> Mesh:
    """Return an arrow as triangles in the world."""
    along = arrow.end - arrow.start
    length = float(np.linalg.norm(along))
    head = min(_HEAD[0] * arrow.radius, 0.5 * length)
    profile = (
        (0.0, 0.0), (arrow.radius, 0.0), (arrow.radius, length - head),
        (_HEAD[1] * arrow.radius, length - head), (0.0, length),
    )  # fmt: skip
    angles = np.arange(_SIDES) * 2.0 * np.pi / _SIDES
    ring = np.stack((np.cos(angles), np.sin(angles), np.zeros(_SIDES)), axis=1)
    places = np.concatenate([r * ring + (0.0, 0.0, z) for r, z in profile])
    here = np.arange(_SIDES)
    there = np.roll(here, -1)
    faces = []
    for row in range(len(profile) - 1):
        low, high = row * _SIDES, (row + 1) * _SIDES
        faces.append(np.stack((low + here, low + there, high + there), axis=1))
        faces.append(np.stack((low + here, high + there, high + here), axis=1))
    # z of `look_at` is the way that it looks
    side = (1.0, 0.0, 0.0) if abs(along[2]) > 0.9 * length else (0.0, 0.0, 1.0)
    pose = look_at(arrow.start, arrow.end, side)
    return Mesh(transform_points(pose, places), np.concatenate(faces))


def plane_mesh(plane: DrawnPlane) -> Mesh:
    """Return a rectangle as triangles in its frame."""
    x, y = plane.half_extents
    corners = np.array(((-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)))
    return Mesh(corners, np.array(((0, 1, 2), (0, 2, 3))))


def _points(image: Image, camera: Camera, scene: RayScene, item: DrawnPoints) -> Image:
    if not len(item.points):
        return image
    _, depth = camera.project(item.points)
    near = depth[depth > 0.0]
    if not len(near):
        return image
    radius = 0.5 * item.size * camera.lens.fy / float(np.median(near))
    return overlay_points(
        image, camera, item.points, item.colors[:, :3], scene=scene,
        radius=float(np.clip(radius, *_DOTS)), opacity=float(item.colors[:, 3].mean()),
    )  # fmt: skip


def _lines(
    image: Image,
    camera: Camera,
    scene: RayScene,
    segments: Array,
    colors: Array,
    width: float,
) -> Image:
    if not len(segments):
        return image
    return overlay_segments(
        image, camera, segments, colors[:, :3], scene=scene, width=width,
        opacity=float(colors[:, 3].mean()),
    )  # fmt: skip


def _text(image: Image, camera: Camera, scene: RayScene, item: DrawnText) -> Image:
    dot = item.height / HEIGHT
    dots = dots_of(item.text) * dot
    if not len(dots):
        return image
    # x of the camera is to the right, y down
    right, down = camera.pose[:3, 0], camera.pose[:3, 1]
    places = item.position + dots[:, :1] * right - dots[:, 1:] * down
    colors = np.broadcast_to(item.color, (len(places), 4))
    return _points(image, camera, scene, DrawnPoints(places, colors, 1.3 * dot))


def _solids(image: Image, camera: Camera, scene: RayScene, item: Any) -> Image:
    """Return a picture with solids in front of what is behind them."""
    instances: list[RayInstance] = []
    surfaces: list[Surface] = []
    corners: list[Array] = []
    for solid, pose, color in _parts(item):
        own = solid if isinstance(solid, Mesh) else box_mesh(solid.half_extents)
        corners.append(transform_points(pose, own.vertices))
        instances.append(RayInstance(solid, pose, len(instances)))
        opacity = float(color[3])
        surfaces.append(Surface((tuple(color[:3].tolist()),), opacity, len(surfaces)))
    rows, columns = _place(camera, corners)
    camera, whole = _cut(camera, rows, columns), image
    image = whole[rows, columns]
    if not image.size:
        return whole
    drawn = RayScene(instances)
    origin, directions = camera.rays()
    fields = ("position",) if getattr(item, "texture", None) is not None else ()
    found = drawn.cast(origin, directions, _FAR, fields=fields)
    behind = scene.cast(origin, directions, _FAR, fields=())
    hit = np.isfinite(found.distance) & ~(behind.distance < found.distance)
    hit = hit.reshape(image.shape[:2])
    if not hit.any():
        return whole
    opaque = [Surface(one.colors, 1.0, one.group) for one in surfaces]
    colours = render(drawn, Look.from_surfaces(opaque), camera, max_range=_FAR)
    result = image.astype(np.float64)
    cover = np.array([one.opacity for one in surfaces])
    ids = np.where(hit, found.id.reshape(hit.shape), 0)
    if fields:
        shade = _texels(item, found.position.reshape(*hit.shape, 3)[hit])
    else:
        shade = colours[hit].astype(np.float64)
    share = cover[ids[hit]][:, None]
    result[hit] = (1.0 - share) * result[hit] + share * shade
    painted = whole.copy()
    painted[rows, columns] = np.rint(result).astype(np.uint8)
    return painted


def _place(camera: Camera, corners: list[Array]) -> tuple[slice, slice]:
    """Return the rows and columns of an image outside of which no solid is seen."""
    whole = slice(0, camera.height), slice(0, camera.width)
    if not corners or not camera.lens.is_ideal:
        return whole
    pixels, depth = camera.project(np.concatenate(corners))
    if not (depth > 0.0).all():
        return whole
    size = camera.width, camera.height
    left, top = np.clip(np.floor(pixels.min(axis=0)) - 1, 0, size).astype(int).tolist()
    right, low = np.clip(np.ceil(pixels.max(axis=0)) + 2, 0, size).astype(int).tolist()
    return slice(top, low), slice(left, right)


def _cut(camera: Camera, rows: slice, columns: slice) -> Camera:
    """Return the camera of a part of an image."""
    width, height = columns.stop - columns.start, rows.stop - rows.start
    if (width, height) == (camera.width, camera.height) or width * height == 0:
        return camera
    lens = camera.lens
    place = lens.cx - columns.start, lens.cy - rows.start
    return Camera(camera.pose, width, height, Lens(lens.fx, lens.fy, *place, lens.skew))


def _parts(item: Any) -> Iterable[tuple[Any, Array, Array]]:
    """Yield solids, their poses in the world and their colours."""
    match item:
        case DrawnBoxes():
            for pose, half, color in zip(
                item.poses, item.half_extents, item.colors, strict=True
            ):
                yield Box(tuple(half.tolist())), pose, color
        case DrawnArrow():
            yield arrow_mesh(item), np.eye(4), item.color
        case DrawnMesh():
            yield Mesh(item.vertices, item.faces), item.pose, item.color
        case DrawnPlane():
            yield plane_mesh(item), item.pose, item.color


def _texels(plane: DrawnPlane, points: Array) -> Array:
    """Return the colours of a texture at points of its plane, (n, 3)."""
    texture = plane.texture
    assert texture is not None  # noqa: S101 - the caller looked
    local = (points - plane.pose[:3, 3]) @ plane.pose[:3, :2]
    share = np.clip(0.5 + 0.5 * local / plane.half_extents, 0.0, 1.0 - 1e-9)
    rows = ((1.0 - 1e-9 - share[:, 1]).clip(0.0) * texture.shape[0]).astype(np.int64)
    columns = (share[:, 0] * texture.shape[1]).astype(np.int64)
    return np.asarray(texture[rows, columns], np.float64)
