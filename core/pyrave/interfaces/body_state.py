"""The mutable state of bodies as data, and what may change about them."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

from pyrave.interfaces.grabbing import GrabbedBody
from pyrave.spatial import Array

__all__ = ["BodyChange", "BodyState"]


class BodyChange(enum.Enum):
    """What changed about a body."""

    POSE = "pose"
    SHAPE = "shape"
    NAME = "name"
    GRAB = "grab"
    SENSORS = "sensors"
    MANIPULATORS = "manipulators"


@dataclasses.dataclass(frozen=True, slots=True)
class BodyState:
    """The mutable state of a body; it pickles and fits every twin of the body.

    Parameters
    ----------
    base_pose
        (4, 4) T_world_body.
    dof_values, dof_velocities
        (dof,).
    base_velocity
        (6,) of the base link, linear first, world axes.
    enabled
        (n_links,) bool, or None when all are as described.
    limits
        Per-body limits that replace the model's, by name.
    grabbed
        What the body holds, by name.
    extra
        What a subclass adds.
    """

    base_pose: Array
    dof_values: Array
    dof_velocities: Array
    base_velocity: Array
    enabled: Array | None
    limits: dict[str, Array]
    grabbed: tuple[GrabbedBody, ...]
    extra: Any = None
