"""Mass, centre and inertia of a body as a file gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_workcell.dynamics.document import Mass

if TYPE_CHECKING:
    from pyrave.scene.pose import Matrix3, Vec3
    from pyrave_workcell.dynamics.values import DynamicsReading
    from pyrave_workcell.syntax import CellNode

_DIAGONAL = 3
_MATRIX = 9
_ROUNDING = 1e-6
_FARTHEST = 1e6


def read_mass(element: CellNode, reading: DynamicsReading) -> Mass:
    """Return the mass of a body; what no real body has is a warning."""
    mass = reading.not_negative(element, "Mass")
    estimated = any(child.tag == "EstimateInertia" for child in element)
    com: Vec3 | None = None
    place = reading.child(element, "COG", required=not estimated)
    if place is not None:
        x, y, z = reading.numbers(place, 3)
        com = x, y, z
        if max(abs(x), abs(y), abs(z)) > _FARTHEST:
            text = f"the centre of mass is more than {_FARTHEST:g} m away: {com}"
            reading.warn(place, "bad-inertia", text, "lengths are metres")
    if estimated:
        if any(child.tag == "Inertia" for child in element):
            text = f"<{element.tag}> has <EstimateInertia>; its <Inertia> is left out"
            reading.warn(element, "repeated-item", text, "delete one of them")
        return Mass(mass, com)
    matrix = reading.child(element, "Inertia")
    if matrix is None:
        return Mass(mass, com)
    inertia = _inertia(matrix, reading)
    fault = _fault(inertia)
    if fault:
        reading.warn(matrix, "bad-inertia", fault, "it is taken as it is")
    return Mass(mass, com, inertia)


def _inertia(element: CellNode, reading: DynamicsReading) -> Matrix3:
    found = reading.numbers(element)
    if len(found) == _DIAGONAL:
        x, y, z = found
        return x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z
    if len(found) == _MATRIX:
        a, b, c, d, e, f, g, h, i = found
        return a, b, c, d, e, f, g, h, i
    text = f"<Inertia> has {len(found)} numbers, expected 3 (its diagonal) or 9"
    reading.error(element, "bad-number", text)
    return (0.0,) * 9


def _fault(inertia: Matrix3) -> str:
    """Return the reason for which no body has an inertia, empty if one may have it."""
    a, b, c, d, e, f, g, h, i = inertia
    slack = _ROUNDING * max(map(abs, inertia))
    if max(abs(b - d), abs(c - g), abs(f - h)) > slack:
        return "the inertia matrix is not symmetric"
    moments = sorted((a, e, i))
    if max(abs(b), abs(c), abs(f)) > 0.0:
        import numpy as np

        moments = np.linalg.eigvalsh(np.array(inertia).reshape(3, 3)).tolist()
    low, middle, high = moments
    if low < -slack:
        return "the inertia matrix is not positive"
    if high > low + middle + slack:
        return "one principal moment of inertia exceeds the sum of the others"
    return ""
