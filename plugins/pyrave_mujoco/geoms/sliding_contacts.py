"""Contacts that slide without being lifted: Coulomb's law in MuJoCo's solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array

_SLOW = 1e-3
"""Velocity of sliding, m/s, below which nothing is lifted noticeably."""
_STILL = 1e-4
"""Norm of all velocities, m/s and rad/s, below which nothing slides."""
_SLIDES = 3
"""Least dimension of contacts with friction."""


class Sliding:
    """Removes the lift that MuJoCo gives to contacts that slide.

    MuJoCo minimises a convex function, and has a force of friction on an elliptic cone
    come with the normal force ``f_n = D / (1 + mu^2) (mu |r_t| - r_n)``, where ``r`` is
    what accelerations are more than those which the contact asks for. The first term
    throws up what slides, so that it hops and stops up to a third too late or early.
    With ``r_n + mu |r_t|`` for ``r_n`` it is gone, and the force is that of Coulomb's
    law: the change of variable of De Saxcé and Feng (Mathematical and Computer
    Modelling 28, 1998), with the tangential part of the step before (Acary, Cadoux,
    Lemaréchal and Malick, ZAMM 91, 2011, who iterate it).

    Parameters
    ----------
    library, model, data
        MuJoCo's.
    """

    def __init__(self, library: Any, model: Any, data: Any) -> None:
        self._library, self._model, self._data = library, model, data
        self._qvel = data.qvel

    def is_needed(self) -> bool:
        """Return True if something touches and moves."""
        if not self._data.ncon:
            return False
        speeds: Array = self._qvel
        return float(speeds.dot(speeds)) > _STILL**2

    def correct(self) -> None:
        """Change what contacts ask for, once MuJoCo knows positions and velocities."""
        data = self._data
        if not data.ncon:
            return
        speeds = np.abs(data.efc_vel)
        if not (speeds > _SLOW).any():  # of all rows, which takes less than to choose
            return
        contacts = data.contact
        first = contacts.efc_address
        chosen = (contacts.exclude == 0) & (contacts.dim >= _SLIDES) & (first >= 0)
        rows = first[chosen]
        if not len(rows):
            return
        if max(speeds[rows + 1].max(), speeds[rows + 2].max()) < _SLOW:
            return
        asked = data.efc_aref
        excess = np.empty(len(asked))
        self._library.mj_mulJacVec(self._model, data, excess, data.qacc_warmstart)
        excess -= asked
        tangential = np.hypot(excess[rows + 1], excess[rows + 2])
        asked[rows] -= contacts.friction[chosen, 0] * tangential
