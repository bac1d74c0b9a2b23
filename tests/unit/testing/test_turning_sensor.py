"""A scanner that turns between measurements conforms; one that is noisy does not."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.testing import SensorContract

_STEP = 0.4


class Spinner(pyrave.PeriodicSensor):
    """One ray, which turns on by 0.4 rad with each measurement."""

    contract = 2
    data_type = pyrave.LaserData
    period = 0.02

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.angle = 0.0

    def direction(self):
        return np.array([[np.cos(self.angle), np.sin(self.angle), 0.0]])

    def measure(self):
        self.angle += _STEP
        pose = self.transform
        rays = self.direction() @ pose[:3, :3].T
        return self.new_data(
            positions=pose[None, :3, 3],
            ranges=4.0 * rays,
            intensity=np.zeros(1),
            body_ids=np.full(1, -1),
        )

    def get_own_state(self):
        return self.angle

    def set_own_state(self, state):
        self.angle = state


class TestSpinner(SensorContract):
    """It meets all that sensors promise."""

    interface = Spinner
    test_geometry_kept = None  # its geometry is fixed


class Shaky(Spinner):
    """Turns, and not evenly."""

    def direction(self):
        self.angle += 1e-3 * self.random.normal()
        return super().direction()


class Forgetful(Spinner):
    """Turns, and does not say where it is."""

    def set_own_state(self, state):
        pass


@pytest.mark.parametrize("cls", [Shaky, Forgetful])
def test_noise_and_forgotten_state_are_found(cls):
    kit = type("Kit", (SensorContract,), {"interface": cls})()
    with pytest.raises(AssertionError, match="add noise only where a setting"):
        kit.test_exact_at_first(kit.new_environment())
