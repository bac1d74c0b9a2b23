"""What animations do to the joints of one body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from pyrave.interfaces import EnvironmentProtocol, TrajectoryBase
    from pyrave.spatial import Array

__all__ = ["JointTrajectory"]


@dataclass(frozen=True, slots=True, eq=False)
class JointTrajectory:
    """What animations do to the joints of one body.

    Parameters
    ----------
    body
        Its name.
    dof_indices
        The degrees of freedom that move, (k,).
    times
        (n,) float64, seconds, rising.
    values
        (n, k) float64, radians or metres.
    interpolation
        ``linear`` between waypoints, or ``previous``: values hold until the next one.
    """

    body: str
    dof_indices: tuple[int, ...]
    times: Array
    values: Array
    interpolation: Literal["linear", "previous"] = "linear"

    def trajectory(self, env: EnvironmentProtocol) -> TrajectoryBase:
        """Return a trajectory of an environment with the waypoints."""
        from pyrave import ConfigurationSpecification

        indices = " ".join(map(str, self.dof_indices))
        spec = ConfigurationSpecification().add_group(
            f"joint_values {self.body} {indices}",
            len(self.dof_indices),
            self.interpolation,
        )
        made: TrajectoryBase = env.create("trajectory", "")  # type: ignore[assignment]
        made.init(spec.add_delta_time_group())
        steps = np.diff(self.times, prepend=0.0)
        made.insert(0, np.column_stack((self.values, steps)))
        return made
