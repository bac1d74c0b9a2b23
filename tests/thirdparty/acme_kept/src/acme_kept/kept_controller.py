"""The controller KeptController."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from pyrave.authoring import JointController, JointMotion
from pyrave.interfaces import setting


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of `KeptController`: by keyword, as elements and as words."""

    speed: float = setting(1.0, "of joints, at most", unit="rad/s or m/s", above=0.0)


class KeptController(JointController):
    """Drives every joint towards its goal, no faster than one speed."""

    contract = 2
    settings_type = Settings

    def next_values(self, wanted: JointMotion, dt: float) -> ArrayLike:
        """Return joint values after a step, (n,) radians or metres.

        Called in each step while there is a command and nothing pushes the joints. What
        is outside of the limits is clamped.

        Parameters
        ----------
        wanted
            Where the joints should be at the end of the step.
        dt
            Length of the step, seconds.
        """
        reach = self.settings.speed * dt
        return self.values + np.clip(self.error(wanted), -reach, reach)
