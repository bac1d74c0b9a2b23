"""Which images a camera makes, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.geometry import Lamp, Lighting
from pyrave_sensors.typed import settle

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["IMAGES", "CameraOptions"]

IMAGES = ("color", "depth", "distance", "normals", "segmentation")
"""What a camera can be asked for."""

_LAMP = 7


@dataclass(frozen=True, slots=True)
class CameraOptions:
    """Which images a camera makes, and how.

    Parameters
    ----------
    outputs
        Names of `IMAGES`: ``color`` fills the data's `image`, ``depth`` and
        ``distance`` the fields of these names, ``normals`` its `normals`,
        ``segmentation`` its `body_ids`, `link_ids` and `geometry_ids`.
    shadows
        Whether lamps cast shadows.
    samples
        Rays per pixel in each direction, for the colours alone; 2 smooths edges.
    exposure_samples
        At how many moments of the exposure time the colours are seen, if anything moves
        meanwhile; 1: at the stamp alone.
    max_range
        Farthest distance that is seen, metres.
    see_invisible
        Whether what collides is seen instead of what is shown: also geometry that is
        not visible, and the collision meshes.
    include_robot
        Whether the robot that carries the camera is seen.
    noise_gaussian
        Standard deviation of noise that is the same everywhere; white is 1.
    noise_shot
        Standard deviation of a white pixel's share of noise that grows with the square
        root of the light, as the number of photons does.
    background
        Red green blue where there is nothing; None for a sky above a horizon.
    lamps
        Lamps instead of the sun; an empty tuple: light comes from the sky and the
        camera alone. None: the sun.
    """

    outputs: tuple[str, ...] = ("color",)
    shadows: bool = False
    samples: int = 1
    exposure_samples: int = 8
    max_range: float = 1000.0
    see_invisible: bool = False
    include_robot: bool = True
    noise_gaussian: float = 0.0
    noise_shot: float = 0.0
    background: tuple[float, float, float] | None = None
    lamps: tuple[Lamp, ...] | None = None

    def __post_init__(self) -> None:
        settle(self)
        for name in self.outputs:
            if name not in IMAGES:
                raise ArgumentError(
                    f"a camera makes no {name!r}, expected some of "
                    f"{', '.join(IMAGES)}{did_you_mean(name, IMAGES)}"
                )
        for name, low, high in _BOUNDS:
            value = getattr(self, name)
            if not (low <= value <= high):
                raise ArgumentError(
                    f"{name} is {value!r}, expected {low:g} to {high:g}"
                )
        if not (0 < self.max_range <= _LONGEST):
            raise ArgumentError(
                f"max_range is {self.max_range!r}, expected more than 0, to "
                f"{_LONGEST:g} metres"
            )
        if self.lamps is not None and len(self.lamps) > _MOST_LAMPS:
            raise ArgumentError(
                f"there are {len(self.lamps)} lamps, at most {_MOST_LAMPS} are allowed"
            )
        # makes the arrays, and so finds what is wrong with them
        lighting = self.lighting
        numbers = (*lighting.background_rows.ravel(), *lighting.lamp_rows.ravel())
        if not all(map(math.isfinite, numbers)):
            raise ArgumentError("lamps and background have finite numbers")

    @property
    def lighting(self) -> Lighting:
        """The light of the scene."""
        plain = Lighting(shadows=self.shadows, background=self.background)
        if self.lamps is None:
            return plain
        return Lighting(self.lamps, shadows=self.shadows, background=self.background)

    @property
    def is_noisy(self) -> bool:
        """Whether noise is added to the colours."""
        return self.noise_gaussian > 0 or self.noise_shot > 0

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> CameraOptions:
        """Return what a file says."""
        found = {
            item.name: values[item.name]
            for item in fields(cls)
            if values.get(item.name) is not None
        }
        if "outputs" in found:
            found["outputs"] = tuple(found["outputs"].split())
        if "lamps" in found:
            found["lamps"] = _lamps(found["lamps"])
        return cls(**found)

    def values(self) -> dict[str, Any]:
        """Return the options as values of a file; None where they are the default."""
        values: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            values[item.name] = None if value == item.default else value
        if values["outputs"] is not None:
            values["outputs"] = " ".join(self.outputs)
        if values["lamps"] is not None:
            numbers = [number for lamp in self.lamps or () for number in _row(lamp)]
            values["lamps"] = tuple(numbers)
        return values


_LONGEST = 1e12
_MOST_LAMPS = 64
_BOUNDS = (
    ("samples", 1, 8),
    ("exposure_samples", 1, 256),
    ("noise_gaussian", 0.0, 1e6),
    ("noise_shot", 0.0, 1e6),
)


def _lamps(numbers: tuple[float, ...]) -> tuple[Lamp, ...]:
    """Return lamps of seven numbers each: x y z w red green blue; w 0 is far away."""
    if len(numbers) % _LAMP:
        raise ArgumentError(
            f"lamps are {len(numbers)} numbers, expected seven for each: x y z w red "
            "green blue (w is 0 for a direction, 1 for a place)"
        )
    rows = zip(*[iter(numbers)] * _LAMP, strict=True)
    return tuple(Lamp((x, y, z), (r, g, b), w == 0) for x, y, z, w, r, g, b in rows)


def _row(lamp: Lamp) -> tuple[float, ...]:
    return (*lamp.place, 0.0 if lamp.far else 1.0, *lamp.color)
