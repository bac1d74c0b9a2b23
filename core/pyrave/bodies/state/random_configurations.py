"""Random configurations of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array, Indices

_MOST = 1e9
_SEEDS = 1 << 64


def sample_values(body: KinBody, dof_indices: Indices, n: int, seed: int) -> Array:
    """Return (n, k) random values of degrees of freedom, even within their limits.

    Parameters
    ----------
    dof_indices
        (k,) which ones. Joints that turn without end get values of one turn.
    seed
        Equal ones give equal values; fewer of them are the first of more.

    Raises
    ------
    ArgumentError
        A joint has no limits, or `n` or `seed` are no such numbers.
    """
    count = int(as_number(n, "n", 0, _MOST))
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ArgumentError(f"seed is {shown(seed)}, expected 0, 1, 2, ...")
    if not 0 <= seed < _SEEDS:
        raise ArgumentError(f"seed is {seed}, expected 0 to 2**64 - 1")
    lower, upper = (np.array(bound[dof_indices]) for bound in body.dof_limits)
    endless = body.model.circular[: body.dof][dof_indices]
    lower[endless], upper[endless] = -np.pi, np.pi
    without = ~(np.isfinite(lower) & np.isfinite(upper))
    if without.any():
        names = np.array(body.dof_names)[dof_indices][without]
        raise ArgumentError(
            f"{', '.join(map(repr, names.tolist()))} of {body!r} has no limits within "
            "which values could be chosen; joint.limits sets them"
        )
    places = np.random.default_rng(seed).random((count, len(lower)))
    return np.asarray(lower + places * (upper - lower))
