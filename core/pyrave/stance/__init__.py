"""Standing: what touches the ground, what the ground can do, and what keeps balance.

A stance is what the contact areas of bodies (`pyrave.Link.contacts`) make of their
present configuration on one or several `Ground` planes. Nothing here changes a body.
"""

from pyrave.stance.equilibrium import Balance, balance, equilibrium_region
from pyrave.stance.ground import Ground
from pyrave.stance.region import SupportRegion
from pyrave.stance.support import center_of_mass, stability_margin, support_polygon
from pyrave.stance.touching import CIRCLE_CORNERS, Touch, touching
from pyrave.stance.wrenches import (
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
