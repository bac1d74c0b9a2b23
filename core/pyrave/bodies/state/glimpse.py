"""Poses and joint values of a body, read by another thread without the lock."""

from __future__ import annotations

from typing import NamedTuple

from pyrave.cards import in_line
from pyrave.records import compared_by_items
from pyrave.spatial import Array


@compared_by_items
class Glimpse(NamedTuple):
    """Poses and joint values of a body, read by another thread without the lock.

    Parameters
    ----------
    stamp
        Its `pose_stamp` before: as long as that is the same, nothing moved.
    link_transforms
        (n_links, 4, 4) world poses.
    dof_values
        (dof,) radians or metres.
    """

    stamp: int
    link_transforms: Array
    dof_values: Array

    def __repr__(self) -> str:
        return in_line("Glimpse", self._asdict())
