"""Stability of standing bodies: contacts, support polygons, static equilibrium.

A stance is formed by the contact areas of bodies (`pyrave.Link.contacts`) in their
present configuration on one or several `Ground` planes. Nothing here changes a body.

Names are imported when they are first used: the plugin's hooks are asked everywhere.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave_stability.equilibrium import Balance, balance, equilibrium_region
    from pyrave_stability.ground import Ground
    from pyrave_stability.ground_contacts import CIRCLE_CORNERS, Touch, touching
    from pyrave_stability.region import SupportRegion
    from pyrave_stability.support import (
        center_of_mass,
        stability_margin,
        support_polygon,
    )
    from pyrave_stability.wrenches import (
        WrenchSet,
        friction_margin,
        rectangle_wrench_faces,
        wrench_set,
    )

_HOMES = {
    "equilibrium": "Balance balance equilibrium_region",
    "ground": "Ground",
    "ground_contacts": "CIRCLE_CORNERS Touch touching",
    "region": "SupportRegion",
    "support": "center_of_mass stability_margin support_polygon",
    "wrenches": "WrenchSet friction_margin rectangle_wrench_faces wrench_set",
}

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


def __getattr__(name: str) -> Any:
    for home, known in _HOMES.items():
        if name in known.split():
            return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
