"""Contacts that are shown to the collision callbacks, and may be ignored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.interfaces import (
    CollisionAction,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    Contact,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link


class Asking:
    """Asks the callbacks of an environment about each pair of links that touches.

    A pair is asked about once in a step of the environment, when it first touches.

    Parameters
    ----------
    env
        Whose callbacks.
    library, model, data
        MuJoCo's.
    link_of_body
        Bodies with indices of links by MuJoCo's numbers.
    """

    def __init__(
        self,
        env: Environment,
        library: Any,
        model: Any,
        data: Any,
        link_of_body: Mapping[int, tuple[KinBody, int]],
    ) -> None:
        self._env = env
        self._library, self._model, self._data = library, model, data
        self._link_of_body = link_of_body
        self._answers: dict[tuple[int, int], bool] = {}

    @property
    def is_needed(self) -> bool:
        """True if there are collision callbacks."""
        return bool(len(self._env.collision_callbacks))

    def forget(self) -> None:
        """Ask about all pairs again."""
        self._answers.clear()

    def position(self) -> None:
        """Evaluate what depends on positions, without the contacts that are ignored."""
        library, model, data = self._library, self._model, self._data
        library.mj_fwdPosition(model, data)
        if not data.ncon:
            return
        bodies = model.geom_bodyid[data.contact.geom]
        ignored = False
        for k, (one, other) in enumerate(bodies.tolist()):
            if self._is_ignored(one, other, bodies):
                data.contact[k].exclude = 1
                ignored = True
        if ignored:
            library.mj_makeConstraint(model, data)
            library.mj_island(model, data)
            library.mj_projectConstraint(model, data)

    def _is_ignored(self, one: int, other: int, bodies: NDArray[np.int32]) -> bool:
        key = (min(one, other), max(one, other))
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._ask(one, other, bodies)
        return known

    def _ask(self, one: int, other: int, bodies: NDArray[np.int32]) -> bool:
        data = self._data
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
        first, second = (CollisionSide.of_link(self._link(k)) for k in (one, other))
        pair = CollisionPair(first, second, contacts)
        report = CollisionReport([pair], from_physics=True)
        answers = self._env.collision_callbacks(report, self._env.report_problem)
        return CollisionAction.IGNORE in answers

    def _link(self, number: int) -> Link:
        body, index = self._link_of_body[number]
        return body.links[index]
