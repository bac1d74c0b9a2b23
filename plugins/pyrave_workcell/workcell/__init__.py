"""WorkCells: frames, devices and models, as a file has them and as bodies."""

from pyrave_workcell.workcell.scene import WorkCell, read_workcell

__all__ = ["WorkCell", "read_workcell"]
