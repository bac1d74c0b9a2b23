"""Motions that were recorded, as data that viewers write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrave.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.geometry import Camera


@dataclass(frozen=True, slots=True)
class RecordedFrame(Record):
    """Changes at one time.

    Parameters
    ----------
    time
        Since the beginning, seconds.
    poses
        (n_links, 3, 4) float32, the upper rows of T_world_link, of each body that moved
        or came, by its id.
    removed
        Ids of bodies that left.
    """

    time: float
    poses: dict[int, NDArray[np.float32]]
    removed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """A motion of an environment.

    Parameters
    ----------
    camera
        Where it is seen from at first.
    bodies
        All bodies that were there, by id; some may have left since.
    frames
        In the order of their times. The first one has the poses of all.
    """

    camera: Camera
    bodies: dict[int, KinBody] = field(default_factory=dict)
    frames: list[RecordedFrame] = field(default_factory=list)
