"""Snapshots of the moving state that readers take without any lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.interfaces.kinbody import KinBody

__all__ = ["PublishedBody", "PublishedState", "snapshot"]


@dataclass(frozen=True, slots=True)
class PublishedBody:
    """State of one body; the arrays are read-only copies.

    Parameters
    ----------
    link_transforms
        (n_links, 4, 4) world poses.
    dof_values
        (dof,) radians or metres.
    """

    name: str
    link_names: tuple[str, ...]
    link_transforms: Array
    dof_values: Array


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


def snapshot(body: KinBody) -> PublishedBody:
    """Copy the state of one body."""
    transforms = body.link_transforms
    values = body.dof_values
    transforms.setflags(write=False)
    values.setflags(write=False)
    return PublishedBody(body.name, body.model.link_names, transforms, values)
