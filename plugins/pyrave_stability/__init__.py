"""Stability of standing bodies: contacts, support polygons, static equilibrium.

A stance is formed by the contact areas of bodies (`pyrave.Link.contacts`) in their
present configuration on one or several `Ground` planes. Nothing here changes a body.
"""

from pyrave_stability.equilibrium import Balance, balance, equilibrium_region
from pyrave_stability.ground import Ground
from pyrave_stability.region import SupportRegion
from pyrave_stability.support import center_of_mass, stability_margin, support_polygon
from pyrave_stability.touching import CIRCLE_CORNERS, Touch, touching
from pyrave_stability.wrenches import (
    WrenchSet,
    friction_margin,
    rectangle_wrench_faces,
    wrench_set,
)

__all__ = [
    "CIRCLE_CORNERS",
    "Balance",
    "Ground",
    "SupportRegion",
    "Touch",
    "WrenchSet",
    "balance",
    "center_of_mass",
    "equilibrium_region",
    "friction_margin",
    "rectangle_wrench_faces",
    "stability_margin",
    "support_polygon",
    "touching",
    "wrench_set",
]
