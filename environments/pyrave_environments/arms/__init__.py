"""Arms by their published dimensions: data, and the robots made of it.

The robots are pure kinematics: no shapes, no masses. They also ship as files, for
scenes and commands: ``robots/arms/NAME.robot.xml``.
"""

from __future__ import annotations

import difflib

from pyrave_environments.arms.data import Arm, At, Row
from pyrave_environments.arms.making import arm_description, random_arm
from pyrave_environments.arms.table import ARMS

__all__ = ["ARMS", "Arm", "At", "Row", "arm", "arm_description", "random_arm"]


def arm(name: str) -> Arm:
    """Return an arm of the table.

    Raises
    ------
    KeyError
        There is no such arm; says which there are.
    """
    for one in ARMS:
        if one.name == name:
            return one
    known = [one.name for one in ARMS]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}" if near else ""
    raise KeyError(f"no arm {name!r}{hint}; arms: {', '.join(known)}")
