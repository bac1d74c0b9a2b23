"""The numerical search where there is no closed form, on behalf of another solver."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, ClassVar

from pyrave_ik.numerical import NumericalIk

if TYPE_CHECKING:
    from pyrave.interfaces import IkSolverBase, Manipulator

__all__ = ["Search"]

_log = logging.getLogger("pyrave.ik")


class Search(NumericalIk):
    """Searches with the filters and finish callbacks of the solver it stands in for.

    What it finds is not promised to be all.

    Parameters
    ----------
    solver
        Whom it stands in for.
    arm
        The manipulator of that solver.
    reason
        Why that solver cannot solve the arm.
    """

    contract: ClassVar[int] = 1

    def __init__(self, solver: IkSolverBase, arm: Manipulator, reason: str) -> None:
        super().__init__(solver.env)
        self._filters = solver._filters  # noqa: SLF001 - the same lists
        self._finish_callbacks = solver._finish_callbacks  # noqa: SLF001
        self.note = (
            f"{reason}; solutions are searched for numerically, and there may be more "
            "than are found"
        )
        _log.info("%s: %s", arm.name, self.note)
        self.init(arm)
