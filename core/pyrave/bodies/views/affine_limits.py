"""Limits of base motions: ranges, velocities, resolutions and weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import Affine
from pyrave.spatial import Array

Quantity = Literal["lower", "upper", "velocity", "resolution", "weight"]


@dataclass(frozen=True, slots=True)
class AffineRange:
    """Limits of one kind of base motion, each with one number per value.

    Parameters
    ----------
    lower, upper
        Metres or radians.
    velocity
        Per second; OpenRAVE takes it for acceleration and jerk too.
    resolution
        Step of path checks, metres or radians.
    weight
        Of the configuration distance.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    resolution: tuple[float, ...]
    weight: tuple[float, ...]

    @classmethod
    def uniform(
        cls,
        size: int,
        bound: float,
        velocity: float,
        resolution: float,
        weight: float,
    ) -> AffineRange:
        """Return the same limits for `size` values, from -bound to bound."""
        return cls(
            *(
                (number,) * size
                for number in (-bound, bound, velocity, resolution, weight)
            )
        )


@dataclass(frozen=True, slots=True)
class AffineLimits:
    """Limits of all base motions of a robot; the defaults are OpenRAVE's.

    Parameters
    ----------
    translation
        Of x, y and z.
    rotation_axis
        Of the angle about an axis.
    rotation_3d
        Of the rotation vector.
    rotation_quat
        Velocity, resolution and weight of the four numbers. Their range follows from
        `max_angle`.
    max_angle
        How far a quaternion may turn the base from the world's axes, radians.
    """

    translation: AffineRange = field(
        default_factory=lambda: AffineRange.uniform(3, 100.0, 1.0, 0.001, 2.0)
    )
    rotation_axis: AffineRange = field(
        default_factory=lambda: AffineRange.uniform(1, 10000.0, 0.4, 0.01, 2.0)
    )
    rotation_3d: AffineRange = field(
        default_factory=lambda: AffineRange.uniform(3, 10000.0, 0.07, 0.01, 1.0)
    )
    rotation_quat: AffineRange = field(
        default_factory=lambda: AffineRange.uniform(4, 1.0, 1.0, 0.01, 0.4)
    )
    max_angle: float = math.pi

    def changed(self, kind: Affine, **values: object) -> AffineLimits:
        """Return limits with numbers of one kind of motion replaced.

        Parameters
        ----------
        kind
            A rotation, or any of X, Y and Z for translations.
        **values
            ``lower upper velocity resolution weight``: one number for all values or
            one each; ``max_angle`` for a quaternion instead of a range.

        Raises
        ------
        ArgumentError
            Numbers without meaning, or not one kind of motion.
        """
        name = _NAMES.get(int(kind))
        if name is None:
            raise ArgumentError(
                f"{kind!r} is not one kind of base motion; expected Affine.X | "
                "Affine.Y | Affine.Z or one rotation"
            )
        if "max_angle" in values and name == "rotation_quat":
            angle = _numbers(values.pop("max_angle"), 1, "max_angle")[0]
            if not 0 <= angle <= math.pi:
                raise ArgumentError(f"max_angle is {angle}, expected 0 to pi")
            return replace(self, max_angle=angle).changed(kind, **values)
        known: AffineRange = getattr(self, name)
        taken = {"velocity", "resolution", "weight"}
        if name != "rotation_quat":
            taken |= {"lower", "upper"}
        for key in values:
            if key not in taken:
                raise ArgumentError(
                    f"limits of {name} have no {key!r}, expected {sorted(taken)}"
                )
        given = {
            key: _numbers(value, len(known.lower), key) for key, value in values.items()
        }
        made = replace(known, **given)
        for low, high in zip(made.lower, made.upper, strict=True):
            if low > high:
                raise ArgumentError(f"the lower limit {low} is above the upper {high}")
        for key in ("velocity", "resolution", "weight"):
            if min(getattr(made, key)) < 0:
                raise ArgumentError(f"{key} has a negative value: {given[key]}")
        changes: dict[str, Any] = {name: made}
        return replace(self, **changes)

    def of(self, mask: Affine, quantity: Quantity) -> Array:
        """Return one quantity of the values that a mask selects, (mask.size,)."""
        if not mask:
            return np.empty(0)
        found = [
            getattr(self.translation, quantity)[i] for i in range(3) if mask & (1 << i)
        ]
        for bit, name in _ROTATIONS.items():
            if mask & bit:
                found += getattr(getattr(self, name), quantity)
        result = np.array(found, dtype=np.float64)
        if mask & Affine.ROTATION_QUAT and quantity in {"lower", "upper"}:
            result[-4:] = self._quat_bound(quantity)
        return result

    def _quat_bound(self, quantity: Quantity) -> Array:
        # a turn by at most this angle; OpenRAVE takes the whole angle, which leaves
        # nothing at its default of pi
        cosine, sine = math.cos(self.max_angle / 2), math.sin(self.max_angle / 2)
        low = np.array((cosine, -sine, -sine, -sine))
        return low if quantity == "lower" else np.array((1.0, sine, sine, sine))


_ROTATIONS = {
    Affine.ROTATION_AXIS: "rotation_axis",
    Affine.ROTATION_3D: "rotation_3d",
    Affine.ROTATION_QUAT: "rotation_quat",
}
_NAMES = {
    **{int(bit): name for bit, name in _ROTATIONS.items()},
    **dict.fromkeys(range(1, 8), "translation"),
}


def _numbers(value: object, size: int, name: str) -> tuple[float, ...]:
    try:
        array = np.broadcast_to(np.asarray(value, dtype=np.float64), (size,))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {value!r}, expected {size} numbers") from None
    if np.isnan(array).any():
        raise ArgumentError(f"{name} has values that are not numbers: {value!r}")
    return tuple(array.tolist())
