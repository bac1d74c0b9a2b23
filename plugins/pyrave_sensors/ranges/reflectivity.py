"""Incidence of rays on surfaces, and the reflectivity of these."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import Readable, XmlElement
from pyrave_sensors.ranges.noise import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.views.geometry import Geometry
    from pyrave.environment import RayWorld
    from pyrave.spatial import Array

REFLECTIVITY = "reflectivity"
"""Tag of a body, and key of its readable."""
# of red, green, blue in luminance: ITU-R BT.709
_LUMINANCE = (0.2126, 0.7152, 0.0722)


@dataclass(frozen=True, slots=True)
class Reflectivity(Readable):
    """The share of a scanner's light that a body sends back, 0 to 1."""

    value: float

    def to_xml(self) -> XmlElement:
        """Return the element."""
        return XmlElement(REFLECTIVITY, text=repr(self.value))


def read_reflectivity(element: Any, context: Any) -> Reflectivity | None:
    """Read ``<reflectivity>0.3</reflectivity>`` of a body."""
    text = (element.text or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0 <= value <= 1:
        return Reflectivity(value)
    context.warn(
        f"<{element.tag}> holds {text[:60]!r}, expected a number from 0 to 1; it is "
        "ignored",
        element,
        "without it the colour counts",
    )
    return None


def surfaces_met(
    directions: Array,
    normals: Array,
    instances: NDArray[np.int32],
    world: RayWorld,
    *,
    reflecting: bool,
) -> tuple[Array, Array]:
    """Return cosines of incidence angles (n,) and reflectivities (n,) of surfaces.

    Parameters
    ----------
    directions, normals
        (n, 3) unit, of rays and of the surfaces that they met, in one frame.
    instances
        (n,) int32, what each ray met in the ray scene, -1: nothing.
    world
        What was cast at.
    reflecting
        Whether reflectivities are wanted; or else they are 0.
    """
    if reflecting:
        table = _reflectivities(world, instances)
    else:
        table = np.zeros(len(world.scene) + 1)
    cosines, surface = np.empty(len(instances)), np.empty(len(instances))
    kernels.jit.incidence(directions, normals, instances, table, cosines, surface)
    return cosines, surface


def _reflectivities(world: RayWorld, instances: NDArray[np.int32]) -> Array:
    """Return the reflectivity of each instance that any ray met.

    A body's `Reflectivity` counts, or else the luminance of the geometry's diffuse
    colour times its opacity. (Scanners use infrared light, in which things may look
    different.) The last row is 0, for rays that met nothing.
    """
    table = np.zeros(len(world.scene) + 1)
    seen = np.zeros(len(table), np.bool_)
    seen[instances] = True
    for instance in np.flatnonzero(seen[:-1]).tolist():
        table[instance] = _reflectivity(world.geometry_of(instance))
    return table


def _reflectivity(geometry: Geometry) -> float:
    own = geometry.link.body.readables.get(REFLECTIVITY)
    if isinstance(own, Reflectivity):
        return own.value
    color: list[float] = geometry.diffuse_color.tolist()
    luminance = math.fsum(map(operator.mul, _LUMINANCE, color))
    return min(max(luminance, 0.0), 1.0) * (1.0 - geometry.transparency)
