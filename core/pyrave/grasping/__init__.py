"""Grasps: what a hand touches, what these contacts can hold, and sets of grasps.

``approach``
    Rays that meet a body, and the poses of hands that come along them.
``contacts``
    Where fingers touch a body.
``closure``, ``friction_cones``
    What contacts can hold: epsilon, volume, forces for a load.
``hands``
    The links of a hand, and how its joints close.
``grasper``
    A hand that comes to a body, closes, and tells what it touches, many times.
``grasp_set``
    Grasps sorted, filtered by what an arm can do, drawn, kept in files.
``grasp``, ``grasp_columns``
    One grasp: the hand's pose, its joints, what it touches, and scores; as columns.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.grasping.approach import (
        box_rays,
        circle_rays,
        hand_poses,
        noisy,
        plane_rays,
        roll_angles,
        sphere_points,
        sphere_rays,
        tilted,
    )
    from pyrave.grasping.closure import Closure, Hold
    from pyrave.grasping.contacts import ContactSet
    from pyrave.grasping.grasp import Grasp
    from pyrave.grasping.grasp_set import GraspSet
    from pyrave.grasping.grasper import Candidate, Grasper

__all__ = [
    "Candidate",
    "Closure",
    "ContactSet",
    "Grasp",
    "GraspSet",
    "Grasper",
    "Hold",
    "box_rays",
    "circle_rays",
    "hand_poses",
    "noisy",
    "plane_rays",
    "roll_angles",
    "sphere_points",
    "sphere_rays",
    "tilted",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "approach": "box_rays circle_rays hand_poses noisy plane_rays roll_angles "
        "sphere_points sphere_rays tilted",
        "closure": "Closure Hold",
        "contacts": "ContactSet",
        "grasp": "Grasp",
        "grasp_set": "GraspSet",
        "grasper": "Candidate Grasper",
    },
)
