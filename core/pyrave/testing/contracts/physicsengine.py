"""The contract of physics engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose

from pyrave.errors import Error
from pyrave.scene import body_from_boxes
from pyrave.testing.contracts.interface import optional, refuses
from pyrave.testing.contracts.placed import EngineContract, assert_no_failure
from pyrave.testing.scene import BALL, BOX, goes_away

if TYPE_CHECKING:
    from pyrave.environment import Environment


class PhysicsEngineContract(EngineContract):
    """Contract of physics engines."""

    interface_type = "physicsengine"
    attribute = "physics_engine"

    def test_options(self, env: Environment) -> None:
        """``get_physics_options`` returns an int, which can be set."""
        engine = self.make(env)
        bits = engine.get_physics_options()
        assert isinstance(bits, int)
        engine.set_physics_options(bits)
        assert engine.get_physics_options() == bits

    def test_gravity(self, env: Environment) -> None:
        """``get_gravity`` returns a copy of the world's gravity."""
        engine, wanted = self.installed_in(env), np.array((0.5, -1.0, -3.0))
        env.gravity = wanted
        seen = engine.get_gravity()
        assert_allclose(seen, wanted, err_msg="call super().set_gravity(gravity)")
        assert_allclose(env.gravity, wanted)
        seen[0] = 99.0
        assert_allclose(engine.get_gravity(), wanted, err_msg="return a copy")

    def test_velocities(self, env: Environment) -> None:
        """``get_link_velocities`` returns (n_links, 6), linear first, row by row."""
        engine, robot = self.installed_in(env), self.arm(env)
        rows = np.asarray(engine.get_link_velocities(robot))
        assert rows.shape == (len(robot.links), 6)
        assert np.isfinite(rows).all()
        for link, row in zip(robot.links, rows, strict=True):
            assert_allclose(engine.get_link_velocity(link), row, atol=1e-8)

    def test_set_velocity(self, env: Environment) -> None:
        """``set_link_velocity`` of a free body takes linear, angular and keeps them."""
        engine, body = self.installed_in(env), self.body(env, BOX)
        wanted = np.array((0.1, 0.2, 0.3, -0.1, 0.4, 0.5))
        engine.set_link_velocity(body.links[0], wanted[:3], wanted[3:])
        assert_allclose(engine.get_link_velocity(body.links[0]), wanted)
        engine.set_link_velocities(body, np.zeros((1, 6)))
        assert_allclose(engine.get_link_velocities(body), np.zeros((1, 6)), atol=1e-8)

    def test_refuses(self, env: Environment) -> None:
        """``set_link_velocities`` of a wrong shape raises a pyrave error."""
        engine, body = self.installed_in(env), self.body(env, BOX)
        for bad in (np.zeros((2, 6)), np.zeros((1, 5)), np.full((1, 6), np.nan)):
            assert refuses(Error, engine.set_link_velocities, body, bad)

    def test_clock(self, env: Environment) -> None:
        """The environment alone moves the clock: ``simulate_step`` does not."""
        engine, before = self.installed_in(env), env.simulation_time
        engine.simulate_step(0.01)
        assert env.simulation_time == before, "move bodies only"
        env.step(0.01)
        assert abs(env.simulation_time - before - 0.01) < 1e-9

    def test_dt(self, env: Environment) -> None:
        """``simulate_step(dt)`` moves bodies twice as far in twice the time."""
        moved = []
        for one, dt in ((env, 0.01), (self.new_environment(), 0.02)):
            engine, body = self.installed_in(one), self.body(one, BOX)
            one.gravity = np.zeros(3)
            body.transform = [1, 0, 0, 0, 5.0, 0.0, 50.0]
            engine.set_link_velocity(body.links[0], (0.3, 0.0, 0.0), np.zeros(3))
            for _ in range(2):
                one.step(dt)
            moved.append(float(body.transform[0, 3]) - 5.0)
        if not any(moved):
            self.not_applicable("it moves no bodies")
        fix = f"bodies move by velocity * dt, not by {moved[0]:g} m whatever dt is"
        assert_allclose(moved[1], 2.0 * moved[0], rtol=0.05, err_msg=fix)

    def test_static(self, env: Environment) -> None:
        """``simulate_step`` leaves bodies alone whose links are static."""
        self.installed_in(env)
        body = env.create_body(body_from_boxes("kit_table", [(8, 8, 9, 0.2, 0.2, 0.2)]))
        body.links[0].static = True
        before = body.transform
        for _ in range(10):
            env.step(0.01)
        fix = "leave out links of which link.static is True"
        assert_allclose(body.transform, before, atol=1e-9, err_msg=fix)

    def test_bodies_go_away(self, env: Environment) -> None:
        """An engine keeps no body alive that was removed (``remove_kinbody``)."""
        engine = self.installed_in(env)
        env.step(0.01)
        fix = "forget a body in remove_kinbody, or keep it by its id"
        assert goes_away(env, BALL), fix
        assert engine is env.physics_engine

    def test_finite(self, env: Environment) -> None:
        """After 1 s of ``simulate_step`` poses are finite, values within limits."""
        self.installed_in(env)
        for _ in range(100):
            env.step(0.01)
        for body in env.bodies:
            lower, upper = body.dof_limits
            assert np.isfinite(body.link_transforms).all(), body
            assert (body.dof_values >= lower - 1e-2).all(), body
            assert (body.dof_values <= upper + 1e-2).all(), body

    def test_bodies_come_and_go(self, env: Environment) -> None:
        """Bodies may be added (``init_kinbody``) and removed at any time."""
        engine, body = self.installed_in(env), self.body(env, BOX)
        twin = body.clone()
        twin.name = "kit_twin"
        twin.transform = [1, 0, 0, 0, -3, 0, 0.5]
        env.add(twin)
        fix = "set a body up in init_kinbody"
        assert np.shape(engine.get_link_velocities(twin)) == (1, 6), fix
        env.step(0.01)
        env.remove(twin)
        env.remove(body)
        env.step(0.01)
        assert_no_failure(env)

    def test_handed_over(self, env: Environment) -> None:
        """init_environment and ``destroy_environment`` may be called repeatedly."""
        first, second = self.installed_in(env), self.installed_in(env)
        env.physics_engine = second
        env.step(0.01)
        env.physics_engine = first
        env.step(0.01)
        first.destroy_environment()
        first.destroy_environment()
        first.init_environment()
        robot = self.arm(env)
        fix = "go through self.env.bodies in init_environment"
        shape = np.shape(first.get_link_velocities(robot))
        assert shape == (len(robot.links), 6), fix

    def test_optional(self, env: Environment) -> None:
        """``set_body_force`` and its kind work, or raise NotSupportedError."""
        engine, joint = self.installed_in(env), self.arm(env).joints[0]
        link = self.body(env, BOX).links[0]
        calls: dict[str, tuple[Any, ...]] = {
            "set_body_force": (link, np.zeros(3), np.zeros(3), False),
            "set_body_torque": (link, np.zeros(3), False),
            "add_joint_torque": (joint, np.zeros(joint.dof)),
            "get_joint_force_torque": (joint,),
        }
        for name, value in optional(engine, calls):
            assert not name.startswith("get") or np.shape(value) == (6,), name
