"""The environment: simulation step and clock, lock, clones, published state."""

from pyrave.environment.environment import Environment
from pyrave.environment.events import BodyEvent
from pyrave.environment.loading import LoadReport
from pyrave.environment.preserving import EnvironmentSaver
from pyrave.environment.published import PublishedBody, PublishedState
from pyrave.environment.raycasting import RayWorld
from pyrave.environment.scene_names import KnownRobot
from pyrave.interfaces.collisionreport import CollisionAction

__all__ = [
    "BodyEvent",
    "CollisionAction",
    "Environment",
    "EnvironmentSaver",
    "KnownRobot",
    "LoadReport",
    "PublishedBody",
    "PublishedState",
    "RayWorld",
]


def __dir__() -> list[str]:
    return sorted(__all__)
