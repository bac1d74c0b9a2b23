"""Options of cameras: which images are made, and how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.geometry import Lamp, Lighting
from pyrave.interfaces.settings.declarations import settle
from pyrave_sensors.settings.fields import Form, setting

IMAGES = ("color", "depth", "distance", "normals", "segmentation")
"""Kinds of images that a camera can take."""

_LAMP = 7
_LONGEST = 1e12
_MAX_LAMPS = 64


def _lamps(numbers: tuple[float, ...]) -> tuple[Lamp, ...]:
    """Return lamps of seven numbers each: x y z w red green blue; w 0 is far away."""
    if len(numbers) % _LAMP:
        raise ArgumentError(
            f"lamps are {len(numbers)} numbers, expected seven for each: x y z w red "
            "green blue (w is 0 for a direction, 1 for a place)"
        )
    rows = zip(*[iter(numbers)] * _LAMP, strict=True)
    return tuple(Lamp((x, y, z), (r, g, b), w == 0) for x, y, z, w, r, g, b in rows)


def _lamp_numbers(lamps: tuple[Lamp, ...]) -> tuple[float, ...]:
    rows = ((*one.place, 0.0 if one.far else 1.0, *one.color) for one in lamps)
    return tuple(number for row in rows for number in row)


def _as_lamps(given: Any) -> tuple[Lamp, ...]:
    """Return lamps as a tuple; raises ArgumentError for anything else."""
    lamps = tuple(given) if isinstance(given, (tuple, list)) else None
    if lamps is None or not all(isinstance(one, Lamp) for one in lamps):
        raise ArgumentError(f"lamps is {shown(given)}, expected several Lamp, or None")
    if len(lamps) > _MAX_LAMPS:
        raise ArgumentError(
            f"there are {len(lamps)} lamps, at most {_MAX_LAMPS} are allowed"
        )
    return lamps


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@dataclass(frozen=True)
class CameraOptions:
    """Settings of a camera: images, lights and noise.

    Of `IMAGES` in `outputs`, ``color`` fills the data's `image`, ``depth`` and
    ``distance`` the fields of these names, ``normals`` its `normals`, ``segmentation``
    its `body_ids`, `link_indices` and `geometry_indices`. An empty tuple of `lamps`:
    light comes from the sky and the camera alone.

    Raises
    ------
    ArgumentError
        A value has another type, or is out of range.
    """

    # fmt: off
    outputs: tuple[str, ...] = setting(
        ("color",), example="color depth", form=Form(str, _words, " ".join),
        doc="some of `color`, `depth`, `distance`, `normals`, `segmentation`")
    shadows: bool = setting(False, example="1", doc="1: lamps cast shadows")
    samples: int = setting(
        1, example="2", least=1, most=8,
        doc="rays per pixel in each direction, for the colours alone; 2 smooths edges")
    exposure_samples: int = setting(
        8, example="8", least=1, most=256,
        doc="moments of the exposure time at which colours are seen, if anything moves")
    max_range: float = setting(
        1000.0, example="1000", above=0.0, most=_LONGEST, unit="metres",
        doc="farthest distance that is seen")
    see_invisible: bool = setting(
        False, example="1", doc="1: collision geometry is seen instead, visible or not")
    include_robot: bool = setting(
        True, example="0",
        doc="0: the robot that carries the camera is not seen, bodies it holds are")
    noise_gaussian: float = setting(
        0.0, example="0.01", least=0.0, most=1e6,
        doc="standard deviation of the colours; white is 1")
    noise_shot: float = setting(
        0.0, example="0.01", least=0.0, most=1e6,
        doc="standard deviation at white; it grows with the root of the light")
    background: tuple[float, float, float] | None = setting(
        None, example="0.5 0.7 0.9", shown="a sky above a horizon",
        doc="red green blue where there is nothing")
    lamps: tuple[Lamp, ...] | None = setting(
        None, example="0 0 1 0 0.6 0.6 0.6", shown="the sun", values="lamps, or None",
        form=Form(tuple, _lamps, _lamp_numbers),
        doc="x y z w red green blue for each; w 0 is a direction, 1 a place")
    # fmt: on

    def __post_init__(self) -> None:
        settle(self)
        for name in self.outputs:
            if name not in IMAGES:
                raise ArgumentError(
                    f"a camera makes no {name!r}, expected some of "
                    f"{', '.join(IMAGES)}{did_you_mean(name, IMAGES)}"
                )
        if self.lamps is not None:
            object.__setattr__(self, "lamps", _as_lamps(self.lamps))
        # makes the arrays, and so finds invalid ones
        lighting = self.lighting
        numbers = (*lighting.background_rows.ravel(), *lighting.lamp_rows.ravel())
        if not all(map(math.isfinite, numbers)):
            raise ArgumentError("lamps and background must have finite numbers")

    @property
    def lighting(self) -> Lighting:
        """The light of the scene."""
        more: dict[str, Any] = {} if self.lamps is None else {"lamps": self.lamps}
        return Lighting(shadows=self.shadows, background=self.background, **more)

    @property
    def is_noisy(self) -> bool:
        """True if noise is added to the colours."""
        return self.noise_gaussian > 0 or self.noise_shot > 0
