"""The environment: its parts, and `files`, `simulation` and `display` of them."""

from pyrave.environment.environment import Environment
from pyrave.environment.events import BodyEvent
from pyrave.environment.files.loader import LoadReport
from pyrave.environment.files.scene_names import KnownRobot
from pyrave.environment.published import PublishedBody, PublishedState
from pyrave.environment.ray_caster import RayWorld
from pyrave.environment.state_saver import EnvironmentSaver
from pyrave.interfaces.collision.report import CollisionAction

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
