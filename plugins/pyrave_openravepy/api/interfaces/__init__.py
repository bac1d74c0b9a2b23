"""Classes with the commands of modules as methods, under OpenRAVE's argument names.

``BaseManipulation``, ``TaskManipulation``, ``Grasper``, ``visualfeedback``
    One class each; a command that finds nothing raises `PlanningError`.
``commands``
    What they share.
"""

from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation
from pyrave_openravepy.api.interfaces.Grasper import Grasper
from pyrave_openravepy.api.interfaces.TaskManipulation import TaskManipulation
from pyrave_openravepy.api.interfaces.visualfeedback import VisualFeedback

__all__ = ["BaseManipulation", "Grasper", "TaskManipulation", "VisualFeedback"]

# OpenRAVE's modules have the names of their classes; scripts go either way
for _one in (BaseManipulation, Grasper, TaskManipulation):
    setattr(_one, _one.__name__, _one)
