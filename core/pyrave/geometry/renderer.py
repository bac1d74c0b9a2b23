"""Pictures of a ray scene, cast ray by ray: no display and no graphics driver."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.geometry.kernels import shading as codes
from pyrave.geometry.look import Lighting, Look
from pyrave.geometry.rayscene import describe_hits
from pyrave.geometry.workers import core_count, deal
from pyrave.jit import Kernel

if TYPE_CHECKING:
    from pyrave.geometry.camera import Camera
    from pyrave.geometry.look import Colours
    from pyrave.geometry.rayhits import RayHits
    from pyrave.geometry.rayscene import RayScene
    from pyrave.spatial import Array

_shading = "pyrave.geometry.kernels.shading"
_shade = Kernel(_shading, "shade", "the light of pictures", 1, whole=True)
_shadow_rays = Kernel(_shading, "shadow_rays", whole=True)
_aim = Kernel(_shading, "aim")
_average = Kernel(_shading, "average")
_to_bytes = Kernel(_shading, "to_bytes")
KERNELS = {
    "describe": describe_hits,
    "shade": _shade,
    "shadow_rays": _shadow_rays,
    "aim": _aim,
    "average": _average,
    "to_bytes": _to_bytes,
}
"""Kernels by name, those that take longest first."""

Image = NDArray[np.uint8]

# a shadow ray starts this far off the surface, relative to the distance seen from
_LIFT = 1e-6
# a ray goes on this far behind a transparent surface, relative to its distance
_BEHIND = 1e-9
# one ray goes through at most so many transparent surfaces
_LAYERS = 32
# cosines of angles are no smaller, for what a ray stands for on a surface
_GRAZING = 0.05
# rays of one piece of work: their arrays stay in a core's cache, and are small enough
# for their memory to be used again, not asked of the system for each piece
_RAYS_AT_ONCE = 1 << 14
_MAX_SAMPLES = 8
# what shading needs to know of rays
_FIELDS = frozenset({"instance", "triangle", "normal"})
_NO_NUMBERS = np.empty(0, np.int32)
# Rough times that kernels take in the interpreter, which works on whole arrays.
_MILLISECONDS_PER_AIM = 1.4e-5
_MILLISECONDS_PER_MEAN = 6e-6
_MILLISECONDS_PER_BYTE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The visible part of a scene: instances, their colours, and lights.

    Parameters
    ----------
    scene, look
        Instances, and how they look.
    lighting
        What lights them.
    exclude
        (k,) bool, instances that are not seen, or None.
    max_range
        Farthest distance that is seen, metres.
    """

    scene: RayScene
    look: Look
    lighting: Lighting
    exclude: NDArray[np.bool_] | None = None
    max_range: float = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Images of a camera; those that were not asked for are None.

    Parameters
    ----------
    light
        (h, w, 3) float32, 1 is white, not clipped.
    image
        (h, w, 3) uint8.
    distance
        (h, w) float64, metres along the ray; inf where there is nothing.
    depth
        (h, w) float64, metres along the camera's z; inf where there is nothing.
    instance
        (h, w) int32, index in the scene; -1 where there is nothing.
    normal
        (h, w, 3) float64, unit, in the camera's frame, towards it; 0 where there is
        nothing.
    """

    light: NDArray[np.float32] | None = None
    image: Image | None = None
    distance: Array | None = None
    depth: Array | None = None
    instance: NDArray[np.int32] | None = None
    normal: Array | None = None


def render(
    scene: RayScene,
    colours: Colours | Look,
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
        How instances look; or red green blue 0..1: (instances, 3), or a mapping from
        id to colour (ids that are missing are grey).
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
    look = colours if isinstance(colours, Look) else Look.plain(scene, colours)
    plain: Any = None if background is None else tuple(np.ravel(background))
    lighting = Lighting(shadows=shadows, background=plain)
    around = Surroundings(scene, look, lighting, max_range=max_range)
    # there is an image: it was asked for
    return cast("Image", view(around, camera, {"image"}, samples=samples).image)


def view(
    around: Surroundings,
    camera: Camera,
    wanted: Collection[str],
    *,
    samples: int = 1,
    gain: float = 1.0,
    threads: int | None = None,
) -> View:
    """Return the images of a camera.

    Parameters
    ----------
    wanted
        Names of fields of `View`.
    samples
        Rays per pixel in each direction for light and image; the other fields are
        those of the ray in the middle of each pixel.
    gain
        Factor of the light of `image`.
    threads
        How many cores work; None for all. The result does not depend on it.
    """
    if not 1 <= samples <= _MAX_SAMPLES:
        raise ArgumentError(f"samples is {samples}, expected 1 to {_MAX_SAMPLES}")
    if len(around.look.base) != len(around.scene):
        raise ArgumentError(
            f"the look is that of {len(around.look.base)} instances, the scene has "
            f"{len(around.scene)}"
        )
    job = _Job(around, camera, frozenset(wanted), samples, gain)
    # whatever is prepared lazily must be ready before threads share it
    around.scene.cast(camera.pose[:3, 3], camera.pose[None, :3, 2], 1.0, fields=())
    for count in {samples, 1} if job.measured else {samples}:
        camera.keep_rays(count)
    step = max(_RAYS_AT_ONCE // (camera.width * samples * samples), 1)

    def work(first: int, last: int) -> int:
        for begin in range(first, last, step):
            job.do(range(begin, min(begin + step, last)))
        return last - first

    deal(work, camera.height, threads or core_count())
    return job.result


@dataclass(frozen=True, slots=True, eq=False)
class _Met:
    """Hits of n rays: fields of `RayHits`, flat; empty if they do not matter."""

    distance: Array
    instance: NDArray[np.int32]
    triangle: NDArray[np.int32]
    normal: Array

    @classmethod
    def of(cls, hits: RayHits, fields: Collection[str]) -> _Met:
        return cls(
            hits.distance.reshape(-1),
            hits.instance.reshape(-1) if "instance" in fields else _NO_NUMBERS,
            hits.triangle.reshape(-1) if "triangle" in fields else _NO_NUMBERS,
            hits.normal.reshape(-1, 3) if "normal" in fields else np.empty((0, 3)),
        )


class _Job:
    """One view in the making; pieces of it are done by several threads."""

    def __init__(
        self,
        around: Surroundings,
        camera: Camera,
        wanted: frozenset[str],
        samples: int,
        gain: float,
    ) -> None:
        self.around, self.camera = around, camera
        self.samples, self.gain = samples, float(gain)
        self.eye = np.ascontiguousarray(camera.pose[:3, 3])
        self.lamps = around.lighting.lamp_rows
        self.terms = around.lighting.terms
        self.background = around.lighting.background_rows
        through = around.look.translucent
        self.transparent = bool(through.any())
        # the last one is for rays that met nothing
        self.covered = np.zeros(len(around.scene) + 1, np.bool_)
        self.covered[list(around.look.coverings)] = True
        exclude = around.exclude
        self.no_shadow = through if exclude is None else through | exclude
        size = camera.height, camera.width
        self.shaded = bool(wanted & {"light", "image"})
        self.measured = wanted - {"light", "image"}
        self.result = View(
            light=np.empty((*size, 3), np.float32) if "light" in wanted else None,
            image=np.empty((*size, 3), np.uint8) if "image" in wanted else None,
            distance=np.empty(size) if "distance" in wanted else None,
            depth=np.empty(size) if "depth" in wanted else None,
            instance=np.empty(size, np.int32) if "instance" in wanted else None,
            normal=np.empty((*size, 3)) if "normal" in wanted else None,
        )

    def do(self, rows: range) -> None:
        """See some rows of the image."""
        if self.shaded:
            local, directions, hits = self._cast(rows, self.samples, _FIELDS)
            self._develop(rows, self._light(directions, hits, local))
            if self.samples == 1:
                self._measure(rows, local, hits)
                return
        if self.measured:
            local, _, hits = self._cast(rows, 1, _FIELDS & self.measured)
            self._measure(rows, local, hits)

    def _cast(
        self, rows: range, samples: int, fields: Collection[str]
    ) -> tuple[Array, Array, _Met]:
        local = self.camera.local_rays(rows, samples)
        directions = np.empty(local.shape)
        aim = _aim.auto(_MILLISECONDS_PER_AIM * local.size / 3)
        aim(local, self.camera.pose, directions)
        around = self.around
        hits = around.scene.cast(
            self.eye,
            directions,
            around.max_range,
            exclude=around.exclude,
            fields=fields,
            threads=1,
        )
        met = _Met.of(hits, fields)
        if not self.camera.lens.is_ideal:
            _blind(local, met)
        return local, directions.reshape(-1, 3), met

    def _measure(self, rows: range, local: Array, hits: _Met) -> None:
        part, result = slice(rows.start, rows.stop), self.result
        size = len(rows), self.camera.width
        distance = hits.distance.reshape(size)
        if result.distance is not None:
            result.distance[part] = distance
        if result.depth is not None:
            along = np.where(np.isfinite(distance), local[..., 2], 1.0)
            result.depth[part] = distance * along
        if result.instance is not None:
            result.instance[part] = hits.instance.reshape(size)
        if result.normal is not None:
            turned = hits.normal @ self.camera.pose[:3, :3]
            result.normal[part] = turned.reshape(*size, 3)

    # -- light ---------------------------------------------------------------------

    def _light(
        self, directions: Array, hits: _Met, local: Array
    ) -> NDArray[np.float32]:
        """Return the light of rays, (h, w, 3) as `local` float32."""
        n = len(directions)
        light = np.zeros((n, 3), np.float32)
        through = np.ones(n)
        inside = np.full(n, codes.NO_SURFACE, np.int32)
        going = self._shade(directions, hits, through, inside, light)
        if going:
            self._go_on(directions, hits, through, inside, light)
        return light.reshape(local.shape)

    def _go_on(
        self,
        directions: Array,
        hits: _Met,
        through: Array,
        inside: NDArray[np.int32],
        light: NDArray[np.float32],
    ) -> None:
        """Follow rays that come through transparent surfaces."""
        eye, around = self.eye, self.around
        rays = np.flatnonzero(through > 0.0)
        distance = hits.distance[rays]
        for _ in range(_LAYERS):
            behind = distance + _BEHIND * (1.0 + distance)
            further = _Met.of(
                around.scene.cast(
                    eye,
                    directions[rays],
                    around.max_range,
                    min_range=np.minimum(behind, around.max_range),
                    exclude=around.exclude,
                    fields=_FIELDS,
                    threads=1,
                ),
                _FIELDS,
            )
            further.instance[behind > around.max_range] = -1
            rest, within, added = through[rays], inside[rays], light[rays]
            going = self._shade(directions[rays], further, rest, within, added)
            through[rays], inside[rays], light[rays] = rest, within, added
            if not going:
                return
            on = rest > 0.0
            rays, distance = rays[on], further.distance[on]

    def _shade(
        self,
        directions: Array,
        hits: _Met,
        through: Array,
        inside: NDArray[np.int32],
        light: NDArray[np.float32],
    ) -> int:
        look = self.around.look
        covered = self._covered(hits)
        before = light[covered]
        going = _shade.now()(
            self.eye, directions,
            hits.distance, hits.instance, hits.triangle, hits.normal,
            look.table, look.base, look.face_begin, look.face_rows, look.groups,
            self.terms, self.lamps, self._shadows(directions, hits),
            self.background, through, inside, light,
        )  # fmt: skip
        if len(covered):
            colours = self._images(directions, hits, covered)
            light[covered] = before + colours * (light[covered] - before)
        return int(going)

    def _covered(self, hits: _Met) -> NDArray[np.intp]:
        """Return the rays that met a surface with images on it."""
        if not self.around.look.coverings:
            return np.empty(0, np.intp)
        return np.flatnonzero(self.covered[hits.instance])

    def _images(
        self, directions: Array, hits: _Met, rays: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Return the colours of images where rays met them, (n, 3)."""
        colours = np.empty((len(rays), 3), np.float32)
        along, distance = directions[rays], hits.distance[rays]
        points = self.eye + distance[:, None] * along
        # what a ray stands for, larger where the surface is seen from the side
        lens = self.camera.lens
        angle = 1.0 / (self.samples * math.sqrt(lens.fx * lens.fy))
        facing = np.abs(np.einsum("ni,ni->n", along, hits.normal[rays]))
        sizes = angle * distance / facing.clip(_GRAZING, 1.0)
        instances = hits.instance[rays]
        poses = self.around.scene.poses
        for number in np.unique(instances).tolist():
            here = np.flatnonzero(instances == number)
            pose = poses[number]
            local = (points[here] - pose[:3, 3]) @ pose[:3, :3]
            covering = self.around.look.coverings[number]
            faces = hits.triangle[rays[here]]
            colours[here] = covering.colours(local, faces, sizes[here])
        return colours

    def _shadows(self, directions: Array, hits: _Met) -> NDArray[np.uint8]:
        """Return (lamps, rays) 1 where a lamp does not reach; (lamps, 0) if all do."""
        n = len(directions)
        if not self.around.lighting.shadows:
            return np.zeros((len(self.lamps), 0), np.uint8)
        dark = np.zeros((len(self.lamps), n), np.uint8)
        numbers = np.empty(n, np.int32)
        origins, towards, reach = np.empty((n, 3)), np.empty((n, 3)), np.empty(n)
        for lamp, row in zip(self.lamps, dark, strict=True):
            count = _shadow_rays.now()(
                self.eye, directions,
                hits.distance, hits.instance, hits.normal,
                lamp, _LIFT, numbers, origins, towards, reach,
            )  # fmt: skip
            if count:
                blocked = self.around.scene.cast(
                    origins[:count],
                    towards[:count],
                    np.minimum(reach[:count], self.around.max_range),
                    exclude=self.no_shadow,
                    any_hit=True,
                    fields=(),
                    threads=1,
                )
                row[numbers[:count]] = blocked.hit
        return dark

    def _develop(self, rows: range, light: NDArray[np.float32]) -> None:
        part, result = slice(rows.start, rows.stop), self.result
        if self.samples > 1:
            mean = np.empty((len(rows), self.camera.width, 3), np.float32)
            average = _average.auto(_MILLISECONDS_PER_MEAN * light.size / 3)
            average(light, self.samples, mean)
            light = mean
        if result.image is not None:
            image = result.image[part]
            to_bytes = _to_bytes.auto(_MILLISECONDS_PER_BYTE * light.size)
            to_bytes(light.reshape(-1), self.gain, image.reshape(-1))
        if result.light is not None:
            result.light[part] = light


def _blind(local: Array, hits: _Met) -> None:
    """Let rays meet nothing that the lens does not see."""
    blind = np.isnan(local[..., 2]).ravel()
    hits.distance[blind] = np.inf
    if hits.instance.size:
        hits.instance[blind] = -1
    if hits.normal.size:
        hits.normal[blind] = 0.0
