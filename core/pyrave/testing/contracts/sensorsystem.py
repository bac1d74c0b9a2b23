"""The contract of sensor systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.testing.contracts.interface import InterfaceContract
from pyrave.testing.scene import BALL, BOX

if TYPE_CHECKING:
    from pyrave.environment import Environment


class SensorSystemContract(InterfaceContract):
    """What sensor systems promise."""

    interface_type = "sensorsystem"

    def test_tracks(self, env: Environment) -> None:
        """A body is tracked from ``add_kinbody`` to remove_kinbody."""
        system = self.make(env)
        box, ball = self.body(env, BOX), self.body(env, BALL)
        for body in (box, ball):
            assert system.is_body_present(body) is False
            assert system.remove_kinbody(body) is False
            assert system.enable_body(body, True) is False
        system.add_kinbody(box)
        assert system.enable_body(box, False) is True
        assert isinstance(system.is_body_present(box), bool)
        assert system.remove_kinbody(box) is True
        assert system.remove_kinbody(box) is False

    def test_switches(self, env: Environment) -> None:
        """``switch_body`` gives one body's tracking to another."""
        system = self.make(env)
        box, ball = self.body(env, BOX), self.body(env, BALL)
        assert system.switch_body(box, ball) is False
        system.add_kinbody(box)
        assert system.switch_body(box, ball) is True
        assert system.remove_kinbody(ball) is True
        assert system.remove_kinbody(box) is False

    def test_reset(self, env: Environment) -> None:
        """``reset()`` forgets all bodies; it may be called repeatedly."""
        system, box = self.make(env), self.body(env, BOX)
        system.add_registered_bodies(list(env.bodies))
        system.add_kinbody(box)
        system.reset()
        system.reset()
        assert system.remove_kinbody(box) is False
        assert system.is_body_present(box) is False
