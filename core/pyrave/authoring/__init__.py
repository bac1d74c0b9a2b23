"""Base classes for plugin authors: controllers, sensors, a whole trajectory.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.authoring.generic_trajectory import GenericTrajectory
    from pyrave.authoring.joint_controller import (
        BoundController,
        CommandedController,
        JointController,
    )
    from pyrave.authoring.path_follower import JointMotion, PathFollower, SavedPath
    from pyrave.authoring.periodic_sensor import PeriodicSensor

__all__ = [
    "BoundController",
    "CommandedController",
    "GenericTrajectory",
    "JointController",
    "JointMotion",
    "PathFollower",
    "PeriodicSensor",
    "SavedPath",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "generic_trajectory": "GenericTrajectory",
        "joint_controller": "BoundController CommandedController JointController",
        "path_follower": "JointMotion PathFollower SavedPath",
        "periodic_sensor": "PeriodicSensor",
    },
)
