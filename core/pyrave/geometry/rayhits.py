"""Hits of rays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_T = TypeVar("_T", bound=np.generic)

RAY_FIELDS = ("instance", "triangle", "position", "normal", "barycentric")
"""Fields that `RayScene.cast` computes on request, besides distances and ids."""

DEFAULT_RAY_FIELDS = ("instance", "triangle", "position", "normal")
"""Fields that it computes by default."""


_NO_FIELDS: frozenset[str] = frozenset()


def checked_fields(fields: Iterable[str]) -> frozenset[str]:
    """Return names of fields as a set.

    Raises
    ------
    ArgumentError
        An unknown name.
    """
    if not fields:
        return _NO_FIELDS
    names = (fields,) if isinstance(fields, str) else tuple(fields)
    for name in names:
        if name not in RAY_FIELDS:
            raise ArgumentError(
                f"rays have no field {name!r}, expected some of "
                f"{', '.join(RAY_FIELDS)}{did_you_mean(str(name), RAY_FIELDS)}"
            )
    return frozenset(names)


# not frozen: it is made for every scan, and that would take as long as 50 beams
@dataclass(slots=True, eq=False, repr=False)
class RayHits:
    """Hits of rays: arrays with one entry per ray, in the shape of the directions.

    Distance and id are always there, the other fields if the cast was asked for them;
    reading one that is not there raises `pyrave.ArgumentError`. After
    `RayScene.cast_all` there is one entry per crossing, and `ray` says whose it is.

    Parameters
    ----------
    distance
        (...) float64, metres along the ray; inf at a miss.
    id
        (...) int64, id of the instance; -1 at a miss.
    """

    distance: Array
    id: NDArray[np.int64]
    _instance: NDArray[np.int32] | None = None
    _triangle: NDArray[np.int32] | None = None
    _position: Array | None = None
    _normal: Array | None = None
    _barycentric: Array | None = None
    _ray: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.distance)

    def __repr__(self) -> str:
        known = [name for name in RAY_FIELDS if getattr(self, f"_{name}") is not None]
        kind = "ray" if self._ray is None else "crossing"
        shape = np.shape(self.distance)
        many = f"{'x'.join(map(str, shape))} {kind}s"
        size = counted(shape[0], kind) if len(shape) == 1 else many
        hits = counted(int(np.count_nonzero(self.hit)), "hit")
        return f"<{type(self).__name__}: {size}, {hits}; known: {', '.join(known)}>"

    @property
    def hit(self) -> NDArray[np.bool_]:
        """(...) bool, whether the ray met anything."""
        known = self.id if self._instance is None else self._instance
        return np.asarray(known >= 0)

    @property
    def instance(self) -> NDArray[np.int32]:
        """(...) int32, index of the instance in the scene; -1 at a miss."""
        return self._asked("instance", self._instance)

    @property
    def triangle(self) -> NDArray[np.int32]:
        """(...) int32, face of the mesh; -1 at a miss and on primitives."""
        return self._asked("triangle", self._triangle)

    @property
    def position(self) -> Array:
        """(..., 3) float64, world, metres; nan at a miss."""
        return self._asked("position", self._position)

    @property
    def normal(self) -> Array:
        """(..., 3) float64, unit, world, turned towards the origin; 0 at a miss."""
        return self._asked("normal", self._normal)

    @property
    def barycentric(self) -> Array:
        """(..., 3) float64, weights of the triangle's corners; nan where none is."""
        return self._asked("barycentric", self._barycentric)

    @property
    def ray(self) -> NDArray[np.int64]:
        """(m,) int64, number of the ray, counted in the directions' flat order.

        Crossings of `RayScene.cast_all` are sorted by it and then by distance.
        """
        if self._ray is None:
            return np.arange(self.distance.size).reshape(self.distance.shape)
        return self._ray

    def _asked(self, name: str, array: NDArray[_T] | None) -> NDArray[_T]:
        if array is None:
            raise ArgumentError(
                f"these hits have no {name}; ask the cast for it: fields=({name!r},)"
            )
        return array
