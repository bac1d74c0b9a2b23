"""Grasps: what a hand touches, what these contacts can hold, and sets of grasps.

``contacts``
    Where fingers touch a body.
``closure``
    What contacts can hold: epsilon, volume, forces for a load.
``grasp``
    One grasp: the hand's pose, its joints, what it touches, and scores.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.grasping.closure import Closure, Hold
    from pyrave.grasping.contacts import ContactSet
    from pyrave.grasping.grasp import Grasp

__all__ = ["Closure", "ContactSet", "Grasp", "Hold"]

__getattr__, __dir__ = exports(
    __name__, {"closure": "Closure Hold", "contacts": "ContactSet", "grasp": "Grasp"}
)
