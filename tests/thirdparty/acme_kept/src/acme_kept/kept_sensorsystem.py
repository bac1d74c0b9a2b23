"""The sensorsystem KeptSensorsystem."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from pyrave import Environment
from pyrave.bodies import KinBody
from pyrave.interfaces import SensorSystemBase
from pyrave.spatial import as_pose


@dataclasses.dataclass
class Tracked:
    """The tracking data of a body."""

    body: weakref.ref[KinBody]
    data: Any = None
    enabled: bool = True
    seen: bool = False


class KeptSensorsystem(SensorSystemBase):
    """Moves bodies to poses that `update` is given, for example by a network client.

    A body is tracked when it was added, or has a readable ``kept_sensorsystem``.
    """

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._tracked: dict[str, Tracked] = {}

    def update(self, name: str, transform: ArrayLike) -> bool:
        """Move a tracked body to a pose (4, 4) T_world_body; False if ignored."""
        record = self._tracked.get(name)
        body = record.body() if record else None
        if record is None or body is None or not record.enabled:
            return False
        record.seen = True
        with self.env.lock():
            body.transform = as_pose(transform, "transform")
        return True

    def reset(self) -> None:
        """Forget all bodies."""
        self._tracked.clear()

    def add_registered_bodies(self, bodies: Sequence[KinBody]) -> None:
        """Track those of the bodies that carry a readable of this system."""
        for body in bodies:
            readable = body.readables.get("kept_sensorsystem")
            if readable is not None:
                self.add_kinbody(body, readable)

    def add_kinbody(self, body: KinBody, data: Any = None) -> Any:
        """Track a body; `data` is its readable. Returns the tracking record."""
        record = Tracked(weakref.ref(body), data)
        self._tracked[body.name] = record
        return record

    def remove_kinbody(self, body: KinBody) -> bool:
        """Stop tracking a body; False if it was not tracked."""
        return self._tracked.pop(body.name, None) is not None

    def is_body_present(self, body: KinBody) -> bool:
        """Return True if the body is tracked and was seen."""
        record = self._tracked.get(body.name)
        return record is not None and record.seen

    def enable_body(self, body: KinBody, enable: bool) -> bool:
        """Switch updates of a body; False if it is not tracked.

        Parameters
        ----------
        enable
            Whether it is updated.
        """
        record = self._tracked.get(body.name)
        if record is not None:
            record.enabled = enable
        return record is not None

    def switch_body(self, first: KinBody, second: KinBody) -> bool:
        """Give the tracking data of one body to another; False if not tracked."""
        record = self._tracked.pop(first.name, None)
        if record is None:
            return False
        record.body = weakref.ref(second)
        self._tracked[second.name] = record
        return True
