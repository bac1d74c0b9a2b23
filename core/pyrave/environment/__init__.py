"""The environment: simulation step and clock, lock, clones, published state."""

from pyrave.environment.environment import Environment
from pyrave.environment.events import BodyEvent, CollisionAction
from pyrave.environment.loading import LoadReport
from pyrave.environment.preserving import EnvironmentSaver
from pyrave.environment.published import PublishedBody, PublishedState

__all__ = [
    "BodyEvent",
    "CollisionAction",
    "Environment",
    "EnvironmentSaver",
    "LoadReport",
    "PublishedBody",
    "PublishedState",
]
