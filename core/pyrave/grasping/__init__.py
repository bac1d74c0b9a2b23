"""Grasps: what a hand touches, what these contacts can hold, and sets of grasps.

``contacts``
    Where fingers touch a body.
``grasp``
    One grasp: the hand's pose, its joints, what it touches, and scores.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.grasping.contacts import ContactSet
    from pyrave.grasping.grasp import Grasp

__all__ = ["ContactSet", "Grasp"]

__getattr__, __dir__ = exports(__name__, {"contacts": "ContactSet", "grasp": "Grasp"})
