"""Colours of the instances of a ray scene, and the lights that fall on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.records import Record
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.geometry.rayscene import RayScene
    from pyrave.geometry.texture_lookup import Covering

Colours = ArrayLike | Mapping[int, tuple[float, float, float]]
Rgb = tuple[float, float, float]

_MISSING = (0.72, 0.72, 0.70)
# of red, green, blue in the brightness of a colour (ITU-R BT.709)
_LUMINANCE = (0.2126, 0.7152, 0.0722)
_MUTED = 0.75
"""Part of the difference to grey that colours lose when others are tinted."""
_HORIZON = (0.90, 0.92, 0.94)
_ZENITH = (0.52, 0.64, 0.78)
_BELOW = (0.62, 0.61, 0.59)


@dataclass(frozen=True, slots=True)
class Surface(Record):
    """The look of one instance.

    Parameters
    ----------
    colors
        Red green blue 0..1: one, or several of which `faces` chooses.
    opacity
        0 invisible to 1 opaque.
    group
        Number of what the instance is a part of; light goes through the way out of
        something transparent, of which the way in has been seen.
    faces
        (f,) int32 row of `colors` of each triangle, or None.
    covering
        Images that are multiplied with the colours, or None.
    """

    colors: tuple[Rgb, ...]
    opacity: float = 1.0
    group: int = 0
    faces: NDArray[np.int32] | None = None
    covering: Covering | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Colours of the instances of a scene, as arrays; immutable.

    Parameters
    ----------
    table
        (m, 4) float64, red green blue and opacity, 0..1.
    base
        (k,) int32, first row of `table` for each instance.
    face_begin
        (k,) int32, where the faces of an instance begin in `face_rows`, or -1.
    face_rows
        (f,) int32, row of a face, counted from `base`.
    groups
        (k,) int32, see `Surface`.
    coverings
        Images on instances, by their index.
    """

    table: Array
    base: NDArray[np.int32]
    face_begin: NDArray[np.int32]
    face_rows: NDArray[np.int32]
    groups: NDArray[np.int32]
    coverings: Mapping[int, Covering] = field(default_factory=dict)

    @classmethod
    def from_surfaces(cls, surfaces: Iterable[Surface]) -> Look:
        """Return the look of instances, in their order."""
        rows: list[tuple[float, ...]] = []
        base: list[int] = []
        begins: list[int] = []
        groups: list[int] = []
        faces: list[NDArray[np.int32]] = []
        coverings: dict[int, Covering] = {}
        n_faces = 0
        for surface in surfaces:
            if surface.covering is not None:
                coverings[len(base)] = surface.covering
            base.append(len(rows))
            rows += [(*color, surface.opacity) for color in surface.colors]
            groups.append(surface.group)
            if surface.faces is None:
                begins.append(-1)
                continue
            begins.append(n_faces)
            faces.append(surface.faces)
            n_faces += len(surface.faces)
        joined = np.concatenate(faces) if faces else np.zeros(0)
        return cls(
            np.array(rows, np.float64).reshape(-1, 4),
            np.array(base, np.int32),
            np.array(begins, np.int32),
            joined.astype(np.int32),
            np.array(groups, np.int32),
            coverings,
        )

    @classmethod
    def plain(cls, scene: RayScene, colours: Colours) -> Look:
        """Return the look of opaque instances of one colour each.

        Parameters
        ----------
        colours
            Red green blue 0..1: (instances, 3), or a mapping from id to colour (ids
            that are missing are grey).
        """
        if isinstance(colours, Mapping):
            found = [colours.get(int(i), _MISSING) for i in scene.ids]
            palette: Array = np.array(found, np.float64).reshape(-1, 3)
        else:
            palette = np.asarray(colours, dtype=np.float64)
            if palette.shape == (3,):
                palette = np.tile(palette, (len(scene), 1))
        if palette.shape != (len(scene), 3):
            raise ArgumentError(
                f"colours have shape {palette.shape}, expected ({len(scene)}, 3)"
            )
        n = len(palette)
        rows = np.arange(n, dtype=np.int32)
        return cls(
            np.column_stack((palette, np.ones(n))),
            rows,
            np.full(n, -1, np.int32),
            np.zeros(0, np.int32),
            rows,
        )

    def tinted(self, tints: Mapping[int, Rgb]) -> Look:
        """Return the look with other colours, red green blue 0..1, of some instances.

        Each of these has one colour then, and is opaque. All others become greyer and
        lose their images, so that none of them is taken for one of these.
        """
        chosen = np.array(list(tints), np.intp)
        rows = [(*colour, 1.0) for colour in tints.values()]
        base, face_begin = self.base.copy(), self.face_begin.copy()
        base[chosen] = len(self.table) + np.arange(len(chosen))
        face_begin[chosen] = -1
        others = self.table.copy()
        grey = others[:, :3] @ _LUMINANCE
        others[:, :3] += _MUTED * (grey[:, None] - others[:, :3])
        table = np.concatenate((others, np.reshape(rows, (-1, 4))))
        return replace(
            self, table=table, base=base, face_begin=face_begin, coverings={}
        )

    @property
    def translucent(self) -> NDArray[np.bool_]:
        """(k,) bool, whether light comes through an instance; they cast no shadow."""
        if not len(self.base):
            return np.zeros(0, np.bool_)
        return np.asarray(self.table[self.base, 3] < 1.0)


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp: what it lights gets its colour times the cosine, at any distance.

    Parameters
    ----------
    place
        (3,) world, metres; or the direction towards a lamp that is far away.
    color
        Red green blue; 1 lights white things up to white.
    far
        Whether `place` is a direction.
    """

    place: Rgb
    color: Rgb = (0.62, 0.62, 0.62)
    far: bool = True

    @property
    def row(self) -> tuple[float, ...]:
        """Place, 0 if far else 1, and colour."""
        x, y, z = map(float, self.place)
        length = math.sqrt(x * x + y * y + z * z) if self.far else 1.0
        if not (math.isfinite(length) and length > 0.0):
            raise ArgumentError(f"a lamp's direction is {self.place}: it has none")
        kind = 0.0 if self.far else 1.0
        return (x / length, y / length, z / length, kind, *map(float, self.color))


SUN = Lamp((-0.1, -0.547, 0.831))


@dataclass(frozen=True, slots=True)
class Lighting:
    """Lamps and ambient light of a scene.

    Parameters
    ----------
    lamps
        See `Lamp`.
    ambient
        Light from everywhere.
    sky, ground
        Light from above, and the part of it that comes from below too.
    head
        Light from the camera.
    shadows
        Whether lamps cast shadows.
    background
        Colour where there is nothing; None for a sky above a horizon (z is up).
    """

    lamps: tuple[Lamp, ...] = (SUN,)
    ambient: float = 0.10
    sky: float = 0.30
    ground: float = 0.35
    head: float = 0.20
    shadows: bool = True
    background: Rgb | None = None

    @property
    def terms(self) -> Array:
        """(4,) ambient, sky, ground, head."""
        return np.array((self.ambient, self.sky, self.ground, self.head))

    @property
    def lamp_rows(self) -> Array:
        """(l, 7) rows of the lamps."""
        return np.array([lamp.row for lamp in self.lamps]).reshape(-1, 7)

    @property
    def background_rows(self) -> Array:
        """(3, 3) colours at the horizon, overhead, below."""
        if self.background is None:
            return np.array((_HORIZON, _ZENITH, _BELOW))
        colour = np.asarray(self.background, dtype=np.float64)
        if colour.shape != (3,):
            raise ArgumentError(
                f"background has shape {colour.shape}, expected red green blue"
            )
        return np.tile(colour, (3, 1))
