"""The contract of sensor systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import InterfaceContract
from pyrave.testing.scene import BALL, BOX, goes_away, state_of_world

if TYPE_CHECKING:
    from pyrave.environment import Environment


class SensorSystemContract(InterfaceContract):
    """Contract of sensor systems."""

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

    def test_tracks_what_it_is_given(self, env: Environment) -> None:
        """``add_registered_bodies`` takes those that have a readable of the system.

        Nothing but these and bodies of add_kinbody are tracked, or moved.
        """
        system, bodies = self.make(env), list(env.bodies)
        before = state_of_world(env)
        system.add_registered_bodies(bodies)
        system.add_kinbody(self.body(env, BOX))
        fix = "track bodies that have a readable of this system, no others"
        for body in bodies:
            if body.name != BOX:
                assert system.is_body_present(body) is False, f"{body.name}: {fix}"
                assert system.enable_body(body, True) is False, f"{body.name}: {fix}"
                assert system.remove_kinbody(body) is False, f"{body.name}: {fix}"
        env.step(0.01)
        assert difference(before, state_of_world(env), "bodies") is None, (
            "a body moves when its tracker says where it is"
        )

    def test_bodies_go_away(self, env: Environment) -> None:
        """A system keeps no body alive that left the scene (``add_kinbody``)."""
        system = self.make(env)
        system.add_kinbody(self.body(env, BALL))
        fix = "keep bodies by weakref.ref(body), or by their names"
        assert goes_away(env, BALL), fix
        system.reset()

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
