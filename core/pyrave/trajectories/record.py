"""The contents of a trajectory as plain data, for files, clones and pickles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.scene.readable import Readable
    from pyrave.spatial import Array
    from pyrave.trajectories.specification import ConfigurationSpecification


@dataclass(frozen=True, slots=True, eq=False)
class TrajectoryRecord:
    """Contents of a trajectory.

    Parameters
    ----------
    waypoints
        (n, dof) float64.
    description
        Free text.
    readables
        (key, readable) pairs in order.
    """

    spec: ConfigurationSpecification
    waypoints: Array
    description: str = ""
    readables: tuple[tuple[str, Readable], ...] = ()
