"""The environment: its parts, and `files`, `simulation` and `display` of them.

``environment``, ``parts``
    The class `Environment`; its methods that create, add and choose interfaces.
``contents``, ``membership``
    What is in an environment; adding objects and taking them out.
``internals``, ``engines``, ``ignored_pairs``
    What functions of this room ask an environment for: its physics engine and collision
    checker, pairs of links that are never compared, and the parts below.
``packed_bodies``, ``published_states``, ``rays``, ``ray_world``
    Arrays of all bodies, snapshots for other threads, ray casts, one or many at a time.
``load_record``, ``problem_log``, ``failures``
    What loads reported, the log of it, and plugin code that raises.
``copies``, ``state_saver``, ``lock``, ``events``
    Clones, saved states, one thread at a time, listeners.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.environment.environment import Environment
    from pyrave.environment.events import BodyEvent
    from pyrave.environment.files.loader import LoadReport
    from pyrave.environment.files.scene_names import KnownRobot
    from pyrave.environment.published_states import PublishedBody, PublishedState
    from pyrave.environment.ray_world import RayWorld
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

__getattr__, __dir__ = exports(
    __name__,
    {
        "environment": "CollisionAction Environment",
        "events": "BodyEvent",
        "files.loader": "LoadReport",
        "files.scene_names": "KnownRobot",
        "published_states": "PublishedBody PublishedState",
        "ray_world": "RayWorld",
        "state_saver": "EnvironmentSaver",
    },
)
