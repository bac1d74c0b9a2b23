"""Template of a sensor system: poses that come from outside."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The sensor system @id@."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.interfaces import SensorSystemBase
from pyrave.spatial import as_pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike
    from pyrave.bodies import KinBody
    from pyrave.interfaces import EnvironmentProtocol


@dataclass
class Tracked:
    """What is known about a tracked body."""

    body: weakref.ref[KinBody]
    data: Any = None
    enabled: bool = True
    seen: bool = False


class @id@(SensorSystemBase):
    """Moves bodies to poses that `update` is given, for example by a network client.

    A body is tracked when it was added, or when it has a readable ``@snake@``.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._tracked: dict[str, Tracked] = {}

    def update(self, name: str, transform: ArrayLike) -> bool:
        """Take a new pose (4, 4) T_world_body of a tracked body; False if ignored."""
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
        """Track those of the bodies that have a readable of this system."""
        for body in bodies:
            readable = body.readables.get("@snake@")
            if readable is not None:
                self.add_kinbody(body, readable)

    def add_kinbody(self, body: KinBody, data: Any = None) -> Tracked:
        """Track a body."""
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
        """Switch updates of a body; False if it is not tracked."""
        record = self._tracked.get(body.name)
        if record is None:
            return False
        record.enabled = enable
        return True

    def switch_body(self, first: KinBody, second: KinBody) -> bool:
        """Give the tracking data of one body to another; False if not tracked."""
        record = self._tracked.pop(first.name, None)
        if record is None:
            return False
        record.body = weakref.ref(second)
        self._tracked[second.name] = record
        return True
'''

_TEST = '''"""What @id@ tracks."""

import numpy as np


def test_tracked_bodies_move(scene):
    system = scene.create("sensorsystem", "@id@")
    ball = scene.bodies["ball"]
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    assert not system.update("ball", pose)
    system.add_kinbody(ball)
    assert not system.is_body_present(ball)
    assert system.update("ball", pose)
    assert system.is_body_present(ball)
    np.testing.assert_allclose(ball.transform, pose)
    assert system.enable_body(ball, enable=False)
    assert not system.update("ball", np.eye(4))
    assert system.remove_kinbody(ball)
    assert not system.remove_kinbody(ball)


def test_tracking_can_switch_to_another_body(scene):
    system = scene.create("sensorsystem", "@id@")
    ball, arm = scene.bodies["ball"], scene.bodies["arm"]
    system.add_kinbody(ball)
    assert system.switch_body(ball, arm)
    assert not system.switch_body(ball, arm)
    assert system.update("arm", np.eye(4))
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <sensorsystem type="@id@"/>\n')
