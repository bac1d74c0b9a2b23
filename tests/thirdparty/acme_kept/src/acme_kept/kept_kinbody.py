"""The kinbody KeptKinbody."""

from __future__ import annotations

import dataclasses

import numpy as np

from pyrave.bodies import KinBody
from pyrave.interfaces import setting


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of `KeptKinbody`: by keyword, as elements and as words."""

    speed: float = setting(1.0, "about its z axis", unit="rad/s", above=0.0)


class KeptKinbody(KinBody):
    """Turns about its own z axis while the simulation runs.

    ``type="KeptKinbody 0.5"`` gives the speed in rad/s.
    """

    contract = 2
    settings_type = Settings
    word_settings = ("speed",)

    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds; subclasses override it."""
        super().simulation_step(dt)
        angle = self.settings.speed * dt
        cosine, sine = np.cos(angle), np.sin(angle)
        turn = np.eye(4)
        turn[:2, :2] = ((cosine, -sine), (sine, cosine))
        self.transform = self.transform @ turn
