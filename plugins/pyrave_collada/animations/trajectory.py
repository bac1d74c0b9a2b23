"""Animations of the joints of one body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import as_indices

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array, Indices

_INTERPOLATIONS = ("linear", "previous")


@dataclass(frozen=True, slots=True, eq=False)
class JointTrajectory:
    """Animations of the joints of one body.

    Parameters
    ----------
    body
        Its name.
    dof_indices
        (k,) int64, the degrees of freedom that move.
    times
        (n,) float64, seconds, rising.
    values
        (n, k) float64, radians or metres.
    interpolation
        ``linear`` between waypoints, or ``previous``: values hold until the next one.

    Raises
    ------
    ArgumentError
        Shapes do not fit, times do not rise, something is no finite number, or a degree
        of freedom is named twice.
    """

    body: str
    dof_indices: Indices
    times: Array
    values: Array
    interpolation: Literal["linear", "previous"] = "linear"

    def __post_init__(self) -> None:
        try:
            times = np.array(self.times, dtype=np.float64)
            values = np.array(self.values, dtype=np.float64)
            dofs = as_indices(self.dof_indices, "dof_indices")
        except (ArgumentError, TypeError, ValueError, OverflowError) as error:
            raise self._refusal(f"holds something else than numbers: {error}") from None
        if times.ndim != 1 or values.shape != (times.size, len(dofs)):
            raise self._refusal(
                f"has values of the shape {values.shape} and times of the shape "
                f"{times.shape}, expected (n, {len(dofs)}) and (n,)"
            )
        if not len(times):
            raise self._refusal("has no waypoints, expected one at least")
        if not (np.isfinite(values).all() and np.isfinite(times).all()):
            raise self._refusal("holds values that are not finite")
        if (np.diff(times) <= 0.0).any():
            raise self._refusal("has times that do not rise")
        if len(np.unique(dofs)) != len(dofs):
            raise self._refusal(f"names a degree of freedom twice: {dofs.tolist()}")
        if self.interpolation not in _INTERPOLATIONS:
            raise self._refusal(
                f"has the interpolation {self.interpolation!r}, expected one of "
                f"{', '.join(_INTERPOLATIONS)}"
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "dof_indices", dofs)

    def _refusal(self, what: str) -> ArgumentError:
        return ArgumentError(f"the trajectory of {self.body!r} {what}")

    def trajectory(self, env: Environment) -> TrajectoryBase:
        """Return a trajectory of an environment with the waypoints."""
        from pyrave import ConfigurationSpecification

        indices = " ".join(map(str, self.dof_indices.tolist()))
        spec = ConfigurationSpecification().add_group(
            f"joint_values {self.body} {indices}",
            len(self.dof_indices),
            self.interpolation,
        )
        made = env.create("trajectory", "")
        made.init(spec.add_delta_time_group())
        steps = np.diff(self.times, prepend=0.0)
        made.insert(0, np.column_stack((self.values, steps)))
        return made
