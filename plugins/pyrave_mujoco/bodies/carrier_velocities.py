"""Velocities of bodies that are placed in each step, for what they carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import rotation_vector

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array

FASTEST = 10.0
"""m/s and rad/s; what goes further in a step has jumped."""


class Carrying:
    """Poses of placed links after the last step, from which their velocities follow.

    Attributes
    ----------
    places
        (n_links, 4, 4) poses by names of bodies.
    bodies
        Names of those that ever moved so; the model has surfaces for them.
    """

    def __init__(self) -> None:
        self.places: dict[str, Array] = {}
        self.bodies: set[str] = set()

    def forget(self, name: str) -> None:
        """Forget a body."""
        self.places.pop(name, None)
        self.bodies.discard(name)

    def moved(self, bodies: Iterable[KinBody], dt: float) -> dict[KinBody, Array]:
        """Return (n_links, 6) velocities of bodies that are elsewhere than before.

        Linear ones at the origins of links, m/s, then angular ones, rad/s; axes of the
        links. Those of jumps, and of links that the engine moves, are 0.
        """
        found = {}
        for body in bodies:
            before, now = self.places.get(body.name), body.transforms_view
            if before is None or before.shape != now.shape:
                continue
            velocities = np.zeros((len(now), 6))
            for k in _still(body):
                if not np.array_equal(before[k], now[k]):
                    velocities[k] = _velocity(before[k], now[k], dt)
            if velocities.any():
                found[body] = velocities
                self.bodies.add(body.name)
        return found

    def note(self, bodies: Iterable[KinBody]) -> None:
        """Record the poses of bodies."""
        for body in bodies:
            if _still(body):
                self.places[body.name] = body.transforms_view.copy()

    def restore(self, places: Mapping[str, Array], bodies: Iterable[str]) -> None:
        """Take over what a copy knew."""
        self.places, self.bodies = dict(places), set(bodies)


def _still(body: KinBody) -> list[int]:
    """Return the links that stay where they are put, of what holds a body if any."""
    links, holder = body.description.links, body.holder
    if holder is not None:
        hand = holder.grabs.link_of(body)
        held = hand is not None and hand.index in _still(holder)
        return list(range(len(links))) if held else []
    return [k for k, link in enumerate(links) if link.static or link.kinematic]


def _velocity(before: Array, now: Array, dt: float) -> Array:
    shift = now[:3, 3] - before[:3, 3]
    turn = rotation_vector(now[:3, :3] @ before[:3, :3].T)
    velocity = np.concatenate((shift, turn)) / dt
    if np.abs(velocity).max() > FASTEST:
        return np.zeros(6)
    return np.concatenate((velocity[:3] @ now[:3, :3], velocity[3:] @ now[:3, :3]))
