"""Configuration specifications of bodies."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pyrave.kinematics.affine import Affine
from pyrave.spatial import IndicesLike, as_indices

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.trajectories.specification import ConfigurationSpecification


def body_specification(
    name: str,
    dof_indices: IndicesLike,
    affine: int,
    axis: Iterable[float],
    interpolation: str = "",
) -> ConfigurationSpecification:
    """Return a group of joint values and one of base motions, those not empty.

    Parameters
    ----------
    name
        Of the body.
    affine, axis
        Kind of base motion, see `Affine`, and its (3,) axis if it turns about one.
    """
    indices = tuple(as_indices(dof_indices, "dof_indices").tolist())
    return _made(name, indices, int(affine), tuple(axis), interpolation)


@lru_cache(256)
def _made(
    name: str,
    indices: tuple[int, ...],
    affine: int,
    axis: tuple[float, ...],
    interpolation: str,
) -> ConfigurationSpecification:
    from pyrave.trajectories.specification import ConfigurationSpecification

    made = ConfigurationSpecification()
    if indices:
        numbers = " ".join(map(str, indices))
        group = f"joint_values {name} {numbers}"
        made = made.add_group(group, len(indices), interpolation)
    if affine:
        group = f"affine_transform {name} {affine}"
        if affine & Affine.ROTATION_AXIS:
            group += " " + " ".join(repr(float(number)) for number in axis)
        made = made.add_group(group, Affine(affine).size, interpolation)
    return made
