"""Layers over a picture: scans, regions, paths of tools, frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import overlay_points, overlay_segments
from pyrave.spatial import as_ndarray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.geometry import Camera, RayScene
    from pyrave.sensing.data import LaserData
    from pyrave.spatial import Array

    Image = NDArray[np.uint8]

_RAY_COLOUR = (0.95, 0.15, 0.12)
_CLOUD_COLOUR = (0.05, 0.42, 0.95)
_MAX_DRAWN_RAYS = 2000
_EDGE = (0.1, 0.1, 0.1)
_BONE, _JOINT = (0.8, 0.82, 0.85), (0.98, 0.55, 0.05)
_WAY = (0.98, 0.55, 0.05)
_START, _END = (0.1, 0.65, 0.2), (0.85, 0.1, 0.1)
_REGION_COLOURS = ((0.05, 0.35, 0.95), (0.98, 0.5, 0.05), (0.1, 0.6, 0.25))
_AXIS_COLOURS = np.array(((0.9, 0.1, 0.1), (0.1, 0.65, 0.1), (0.15, 0.3, 0.95)))
# pixels of an axis that lies across the line of sight
_AXIS_LENGTH = 45.0


class Layer(Protocol):
    """Something that is painted over a picture."""

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with this over it."""
        ...


@dataclass(frozen=True, eq=False)
class Watermark:
    """An image in the upper left corner; what does not fit is cut off.

    Parameters
    ----------
    image
        (h, w, 4) uint8, red green blue and opacity.
    """

    image: NDArray[np.uint8]

    @classmethod
    def of_image(cls, image: Any) -> Watermark:
        """Return that of an image; ArgumentError for another shape or type."""
        found = as_ndarray(image, "watermark")
        if found.ndim != 3 or found.shape[2] != 4 or found.dtype != np.uint8:
            raise ArgumentError(
                f"watermark is {found.dtype} of shape {found.shape}, expected uint8 of "
                "shape (h, w, 4): red, green, blue and opacity"
            )
        return cls(found.copy())

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with this over it."""
        height, width = np.minimum(image.shape[:2], self.image.shape[:2])
        mark = self.image[:height, :width].astype(float)
        part = mark[..., 3:] / 255.0
        found = image.copy()
        under = image[:height, :width]
        mixed = part * mark[..., :3] + (1.0 - part) * under
        found[:height, :width] = np.rint(mixed).astype(np.uint8)
        return found


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points that lasers saw; surfaces in front hide them.

    Parameters
    ----------
    scan
        The scan whose rays are drawn, or None.
    points
        (n, 3) further points, world, metres.
    colour
        Red green blue 0..1 of all of it; None: red for rays, blue for points.
    """

    scan: LaserData | None = None
    points: Array | None = None
    colour: tuple[float, ...] | None = None

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with rays and points over it."""
        if self.points is not None and len(self.points):
            image = overlay_points(
                image,
                camera,
                self.points,
                self.colour or _CLOUD_COLOUR,
                scene=scene,
                radius=1.1,
                opacity=0.75,
            )
        scan = self.scan
        if scan is None or not len(scan.ranges):
            return image
        ends, seen = scan.points, scan.returned
        starts = np.broadcast_to(scan.positions, ends.shape)
        rays = np.stack((starts, ends), axis=1)
        colour = self.colour or _RAY_COLOUR
        image = overlay_segments(
            image, camera, rays[seen][::3], colour, scene=scene, opacity=0.3
        )
        return overlay_points(
            image, camera, ends[seen], colour, scene=scene, radius=1.8
        )


def cloud_of(
    scans: Sequence[LaserData],
    points: Array | None = None,
    colour: tuple[float, ...] | None = None,
) -> Cloud:
    """Return the drawing of scans: rays of one with few, or else points.

    Parameters
    ----------
    points
        (n, 3) that are drawn too, world, metres.
    """
    if len(scans) == 1 and len(scans[0].ranges) <= _MAX_DRAWN_RAYS:
        return Cloud(scans[0], points, colour)
    clouds = [scan.points[scan.returned] for scan in scans]
    if points is not None:
        clouds.append(points)
    return Cloud(None, np.concatenate(clouds) if clouds else None, colour)


@dataclass(frozen=True, eq=False)
class Regions:
    """Outlines of polygons, drawn over what hides them; the first one is blue.

    Parameters
    ----------
    polygons
        (n, 3) corners of each in their order, world, metres.
    """

    polygons: Sequence[Array]

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with the outlines over it."""
        for number, ring in enumerate(self.polygons):
            tint = _REGION_COLOURS[min(number, len(_REGION_COLOURS) - 1)]
            edges = np.stack((ring, np.roll(ring, -1, axis=0)), axis=1)
            image = overlay_segments(image, camera, edges, tint, width=4, opacity=0.95)
            image = overlay_points(image, camera, ring, tint, radius=5)
        return image


@dataclass(frozen=True, eq=False)
class Way:
    """A way of a tool, over what hides it: its start is green, its end red.

    Parameters
    ----------
    points
        (m, 3) world, metres.
    """

    points: Array

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with the way over it."""
        if not len(self.points):
            return image
        segments = np.stack((self.points[:-1], self.points[1:]), axis=1)
        for colour, wider in ((_EDGE, 2.0), (_WAY, 0.0)):
            image = overlay_segments(
                image, camera, segments, colour, width=3.0 + wider, opacity=1.0
            )
        ends = self.points[[0, -1]]
        for colours, radius in (((_EDGE, _EDGE), 7.0), ((_START, _END), 5.5)):
            image = overlay_points(
                image, camera, ends, np.array(colours), radius=radius
            )
        return image


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A body without a shape: its links' origins, and lines between those of a joint.

    Parameters
    ----------
    places
        (n, 3) origins of links, world, metres.
    bones
        (m, 2, 3) ends of the lines.
    """

    places: Array
    bones: Array

    @classmethod
    def from_body(cls, body: KinBody) -> Skeleton | None:
        """Return that of a body with joints that has no geometry; None of others."""
        if not body.all_joints or any(link.geometries for link in body.links):
            return None
        bones = [
            (joint.parent_link.transform[:3, 3], joint.child_link.transform[:3, 3])
            for joint in body.all_joints
        ]
        return cls(body.link_transforms[:, :3, 3], np.array(bones))

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with lines and dots over it."""
        for colour, wider in ((_EDGE, 2.0), (_BONE, 0.0)):
            image = overlay_segments(
                image, camera, self.bones, colour,
                scene=scene, width=5.0 + wider, opacity=1.0,
            )  # fmt: skip
        for colour, radius in ((_EDGE, 6.0), (_JOINT, 4.5)):
            image = overlay_points(
                image, camera, self.places, colour, scene=scene, radius=radius
            )
        return image


@dataclass(frozen=True, eq=False)
class Frames:
    """Axes of frames, over what hides them: x red, y green, z blue.

    Parameters
    ----------
    poses
        (k, 4, 4) T_world_frame.
    """

    poses: Array

    def paint(self, image: Image, camera: Camera, scene: RayScene) -> Image:
        """Return the picture with the axes over it, of the same size far and near."""
        origins = self.poses[:, :3, 3]
        _, depth = camera.project(origins)
        seen = depth > 0.0
        length = _AXIS_LENGTH * depth[seen] / camera.lens.fy
        tips = np.swapaxes(self.poses[seen, :3, :3], 1, 2) * length[:, None, None]
        starts = np.broadcast_to(origins[seen, None], tips.shape)
        axes = np.stack((starts, starts + tips), axis=2).reshape(-1, 2, 3)
        tints = np.tile(_AXIS_COLOURS, (int(seen.sum()), 1))
        image = overlay_segments(image, camera, axes, _EDGE, width=5.0, opacity=0.5)
        image = overlay_segments(image, camera, axes, tints, width=3.0, opacity=1.0)
        return overlay_points(image, camera, origins[seen], _EDGE, radius=3.0)
