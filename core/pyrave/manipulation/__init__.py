"""Manipulation: fingers that close, straight motions, pick and place as stages.

``fingers``, ``closing_motion``
    `close` and `open`: the joints of a gripper move until they touch something.
``friction_hold``
    `hold_by_friction`: fingers that push what they hold, for physics engines.
``weight_hold``
    What a hand has to hold of a body with friction, which `Grip` asks.
``lines``
    `move_straight`: the tool moves along a line as far as it can.
``pick_and_place``, ``generated_grasps``
    `pick` and `place`, and the stages `Pick` and `Place` of which they are made.
``stages``, ``motion_stages``
    What tasks consist of: a `Stage` yields ways of `Step` objects. `Series`,
    `Alternatives` and `Fallbacks` compose others; `Move`, `Approach`, `Straight`,
    `Fingers`, `Grip` and `LetGo` move, close and open.
``task``, ``joined_steps``
    `solve` looks for one trajectory through stages, with backtracking. A stage asks and
    tells the `Task`; the `TaskResult` has the motion, or a `TaskFailure`.
``viewpoints``, ``observer``, ``visibility``
    Poses of cameras around something; the `Observer`, a camera that should see it, in
    the hand or elsewhere; and what is seen: a `CameraView`.

Nothing changes the environment: results are motions that `Robot.execute` takes, and
are false, with a cause in words, where there is none.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.manipulation.fingers import FingerMotion, FingerStop, close
    from pyrave.manipulation.fingers import open as open  # noqa: A004
    from pyrave.manipulation.friction_hold import hold_by_friction
    from pyrave.manipulation.generated_grasps import box_grasps
    from pyrave.manipulation.lines import LineMotion, move_straight
    from pyrave.manipulation.motion_stages import (
        Approach,
        Fingers,
        Grip,
        LetGo,
        Move,
        Straight,
    )
    from pyrave.manipulation.observer import Observer
    from pyrave.manipulation.pick_and_place import Pick, Place, pick, place
    from pyrave.manipulation.stages import Alternatives, Fallbacks, Series, Stage, Step
    from pyrave.manipulation.task import (
        Rejection,
        Task,
        TaskFailure,
        TaskResult,
        solve,
    )
    from pyrave.manipulation.viewpoints import (
        are_in_cones,
        camera_poses,
        prune_poses,
    )
    from pyrave.manipulation.visibility import CameraView, Visibility

__all__ = [
    "Alternatives",
    "Approach",
    "CameraView",
    "Fallbacks",
    "FingerMotion",
    "FingerStop",
    "Fingers",
    "Grip",
    "LetGo",
    "LineMotion",
    "Move",
    "Observer",
    "Pick",
    "Place",
    "Rejection",
    "Series",
    "Stage",
    "Step",
    "Straight",
    "Task",
    "TaskFailure",
    "TaskResult",
    "Visibility",
    "are_in_cones",
    "box_grasps",
    "camera_poses",
    "close",
    "hold_by_friction",
    "move_straight",
    "open",
    "pick",
    "place",
    "prune_poses",
    "solve",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "viewpoints": "are_in_cones camera_poses prune_poses",
        "friction_hold": "hold_by_friction",
        "generated_grasps": "box_grasps",
        "fingers": "FingerMotion FingerStop close open",
        "lines": "LineMotion move_straight",
        "motion_stages": "Approach Fingers Grip LetGo Move Straight",
        "pick_and_place": "Pick Place pick place",
        "stages": "Alternatives Fallbacks Series Stage Step",
        "task": "Rejection Task TaskFailure TaskResult solve",
        "observer": "Observer",
        "visibility": "CameraView Visibility",
    },
)
