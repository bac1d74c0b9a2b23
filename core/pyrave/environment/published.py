"""Snapshots of the moving state that readers take without any lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.environment.failures import fail
from pyrave.spatial import Array

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment


@dataclass(frozen=True, slots=True)
class PublishedBody:
    """State of one body; the arrays are read-only copies.

    Parameters
    ----------
    link_transforms
        (n_links, 4, 4) world poses.
    dof_values
        (dof,) radians or metres.
    id
        See `KinBody.id`.
    """

    name: str
    link_names: tuple[str, ...]
    link_transforms: Array
    dof_values: Array
    id: int = -1


@dataclass(frozen=True, slots=True)
class PublishedState:
    """State of an environment at one simulated time (microseconds)."""

    simulation_time: int
    bodies: tuple[PublishedBody, ...]

    def __getitem__(self, name: str) -> PublishedBody:
        for body in self.bodies:
            if body.name == name:
                return body
        from pyrave.errors import NotFoundError

        raise NotFoundError("published body", name, [b.name for b in self.bodies])


def _snapshot(body: KinBody) -> PublishedBody:
    """Copy the state of one body."""
    transforms = body.link_transforms
    values = body.dof_values
    transforms.setflags(write=False)
    values.setflags(write=False)
    return PublishedBody(body.name, body.model.link_names, transforms, values, body.id)


def published_bodies(
    env: Environment, cache: MutableMapping[KinBody, tuple[int, PublishedBody]]
) -> tuple[PublishedBody, ...]:
    """Copy the state of all bodies; those that did not move are taken from a cache."""
    found = []
    for body in env.bodies:
        known = cache.get(body)
        if known is None or known[0] != body.pose_stamp:
            # no `PluginGuard`: one for each body that moved costs more than the rest
            try:
                known = (body.pose_stamp, _snapshot(body))
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - code of plugins
                if not body.disabled:
                    fail(env, body, "reading its state raised", error)
                continue
            cache[body] = known
        found.append(known[1])
    return tuple(found)
