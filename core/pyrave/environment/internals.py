"""Parts of an environment, for the functions of this room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.environment.contents import Contents
from pyrave.environment.engines import Engines
from pyrave.environment.events import Events
from pyrave.environment.ignored_pairs import IgnoredPairs
from pyrave.environment.load_record import LoadRecord
from pyrave.environment.lock import EnvironmentLock
from pyrave.environment.packed_bodies import Packing
from pyrave.environment.published_states import Publisher
from pyrave.environment.simulation.simulated_parts import SimulatedParts
from pyrave.environment.simulation.steps import Stepper

if TYPE_CHECKING:
    from pyrave.environment.ray_world import RayCaster
    from pyrave.pictures import Drawings


class Internals:
    """The parts of one environment, ``env.internals``; private to this room.

    `Environment` is the face: plugins and scripts use that, and nothing here is a
    promise to them. The functions of this room and pyrave's own tools use these parts.
    """

    def __init__(self) -> None:
        self.lock = EnvironmentLock()
        self.contents = Contents()
        self.simulated = SimulatedParts()
        self.ignored = IgnoredPairs()
        self.events = Events()
        self.engines = Engines()
        self.record = LoadRecord()
        self.stepper = Stepper()
        self.publisher = Publisher()
        self.packing = Packing()
        self._rays: RayCaster | None = None
        self.drawings: Drawings | None = None
        """Drawings of scripts, once there are any."""
        self.user_data: dict[str, Any] = {}

    @property
    def rays(self) -> RayCaster:
        """Ray caster, made for the first cast."""
        if self._rays is None:
            from pyrave.environment.ray_world import RayCaster

            self._rays = RayCaster(self.packing)
        return self._rays

    def take_over(self, other: Internals) -> None:
        """Take the clock and scene-wide data of the environment this is cloned from."""
        self.stepper.time = other.stepper.time
        self.packing.ids.take_over(other.packing.ids)
        self.record.extras = other.record.extras
        self.contents.placeholders += other.contents.placeholders
        self.publisher.state = other.publisher.state
