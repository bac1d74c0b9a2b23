"""Contacts that are shown to the collision callbacks, and may be ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import (
    CollisionAction,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    Contact,
)

if TYPE_CHECKING:
    from pyrave.bodies.link import Link
    from pyrave.interfaces import EnvironmentProtocol
    from pyrave_mujoco.scene import Scene


class Asking:
    """Asks the callbacks of an environment about each pair of links that touches.

    A pair is asked about once in a step of the environment, when it first touches.
    """

    def __init__(self, env: EnvironmentProtocol) -> None:
        self._env = env
        self._answers: dict[tuple[int, int], bool] = {}

    @property
    def is_needed(self) -> bool:
        """Whether anybody wants to be asked."""
        return bool(len(self._env.collision_callbacks))

    def forget(self) -> None:
        """Ask about all pairs again."""
        self._answers.clear()

    def position(self, scene: Scene) -> None:
        """Evaluate what depends on positions, without the contacts that are ignored."""
        library, model, data = scene.library, scene.model, scene.data
        library.mj_fwdPosition(model, data)
        if not data.ncon:
            return
        bodies = model.geom_bodyid[data.contact.geom]
        ignored = False
        for k, (one, other) in enumerate(bodies.tolist()):
            if self._is_ignored(scene, one, other, bodies):
                data.contact[k].exclude = 1
                ignored = True
        if ignored:
            library.mj_makeConstraint(model, data)
            library.mj_island(model, data)
            library.mj_projectConstraint(model, data)

    def step(self, scene: Scene) -> None:
        """Take a step of the model's length; `RK4` is replaced by `Euler`."""
        library, model, data = scene.library, scene.model, scene.data
        self.position(scene)
        library.mj_fwdVelocity(model, data)
        library.mj_step2(model, data)

    def forward(self, scene: Scene) -> None:
        """Evaluate all about the present state, as the last step did."""
        library, model, data = scene.library, scene.model, scene.data
        self.position(scene)
        library.mj_fwdVelocity(model, data)
        library.mj_fwdActuation(model, data)
        library.mj_fwdAcceleration(model, data)
        library.mj_fwdConstraint(model, data)

    def _is_ignored(
        self, scene: Scene, one: int, other: int, bodies: np.ndarray
    ) -> bool:
        key = (min(one, other), max(one, other))
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._ask(scene, one, other, bodies)
        return known

    def _ask(self, scene: Scene, one: int, other: int, bodies: np.ndarray) -> bool:
        data = scene.data
        same = (bodies == (one, other)).all(axis=1) & (data.contact.exclude == 0)
        contacts = tuple(
            Contact(
                np.array(data.contact.pos[k]),
                np.array(data.contact.frame[k, :3]),
                -float(data.contact.dist[k]),
            )
            for k in np.flatnonzero(same).tolist()
        )
        if not contacts:
            return False
        first, second = (CollisionSide.of_link(_link(scene, k)) for k in (one, other))
        pair = CollisionPair(first, second, contacts)
        report = CollisionReport([pair], from_physics=True)
        answers = self._env.collision_callbacks(report, self._env.report_problem)
        return CollisionAction.IGNORE in answers


def _link(scene: Scene, number: int) -> Link:
    body, index = scene.link_of_body[number]
    return body.links[index]
