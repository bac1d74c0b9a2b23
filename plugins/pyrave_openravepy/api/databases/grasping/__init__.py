"""Grasps of a body by the hand of an arm.

``rows``
    Grasps as rows of numbers, with the columns that OpenRAVE names.
``model``
    The class of the database.
"""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.databases.grasping.model import GraspingModel

__all__ = ["GraspingModel", "run"]


def run(args: Any = None, *_: Any, **kwargs: Any) -> Any:
    """Run the database as a program."""
    return GraspingModel.RunFromParser(GraspingModel, args=args, **kwargs)
