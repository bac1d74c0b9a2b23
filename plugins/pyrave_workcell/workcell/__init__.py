"""WorkCells: frames, devices and models, as a file has them and as bodies."""

from pyrave_workcell.workcell.bodies import Dynamics
from pyrave_workcell.workcell.scene import (
    Arrangement,
    WorkCell,
    arrange,
    read_workcell,
)

__all__ = ["Arrangement", "Dynamics", "WorkCell", "arrange", "read_workcell"]
