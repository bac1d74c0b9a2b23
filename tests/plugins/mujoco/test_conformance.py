"""The engine ``mujoco`` keeps the contract of engines that simulate rigid bodies.

Engines that are broken in one way do not.
"""

import math
from inspect import signature

import numpy as np
import pytest

from pyrave.testing import RigidBodyContract

pytest.importorskip("mujoco")
from pyrave_mujoco.engine import MujocoEngine


class TestMujoco(RigidBodyContract):
    interface = "mujoco"


class WrongSign(MujocoEngine):
    """Lets bodies fall upwards."""

    def ready(self):
        self._gravity = -self.env.gravity
        try:
            return super().ready()
        finally:
            self._gravity = -self._gravity


class Deaf(MujocoEngine):
    """Takes no state from bodies once it has started."""

    def simulate_step(self, dt):
        if self._transfer is not None:
            self._transfer.changed.clear()
        super().simulate_step(dt)


class Ahead(MujocoEngine):
    """Has kinematic bodies where they will be at the beginning of a step."""

    def ready(self):
        scene = super().ready()
        scene.belts.sweep = lambda left: None
        return scene


class Lasting(MujocoEngine):
    """Lets forces act for ever."""

    def simulate_step(self, dt):
        kept = [dict(one) for one in self._parts()]
        super().simulate_step(dt)
        for one, before in zip(self._parts(), kept, strict=True):
            one.update(before)

    def _parts(self):
        loads = self._loads
        return loads._forces, loads._torques, loads._efforts


class Weak(MujocoEngine):
    """Forgets forces."""

    def simulate_step(self, dt):
        self._loads.clear()
        super().simulate_step(dt)


class Replacing(MujocoEngine):
    """Replaces forces instead of adding them."""

    def set_body_force(self, link, force, position, add):
        super().set_body_force(link, force, position, False)


class Adding(MujocoEngine):
    """Adds forces instead of replacing them."""

    def set_body_force(self, link, force, position, add):
        super().set_body_force(link, force, position, True)


class Central(MujocoEngine):
    """Takes all forces for such at the centre of mass."""

    def set_body_force(self, link, force, position, add):
        super().set_body_force(link, force, link.global_com, add)


class Careless(MujocoEngine):
    """Takes forces that are no numbers."""

    def set_body_torque(self, link, torque, add):
        super().set_body_torque(link, np.zeros(3), add)


class AnyStep(MujocoEngine):
    """Takes steps of any length."""

    def simulate_step(self, dt):
        if isinstance(dt, float) and dt > 0.0 and math.isfinite(dt):
            super().simulate_step(dt)


class Reversed(MujocoEngine):
    """Has joint torques of the wrong sign."""

    def add_joint_torque(self, joint, torques):
        super().add_joint_torque(joint, -np.asarray(torques))


class Ghostly(MujocoEngine):
    """Lets nothing touch."""

    def ready(self):
        scene = super().ready()
        scene.model.geom_contype[:] = scene.model.geom_conaffinity[:] = 0
        return scene


class Slippery(MujocoEngine):
    """Knows no friction."""

    def ready(self):
        scene = super().ready()
        scene.model.geom_friction[:, 0] = 1e-5
        return scene


class Sticky(MujocoEngine):
    """Lets nothing slide."""

    def ready(self):
        scene = super().ready()
        scene.model.geom_friction[:, 0] = 5.0
        return scene


class Viscous(MujocoEngine):
    """Moves all through honey."""

    def ready(self):
        scene = super().ready()
        scene.model.dof_damping[:] = 1.0
        return scene


class Limitless(MujocoEngine):
    """Lets joints pass their limits."""

    def ready(self):
        scene = super().ready()
        scene.model.jnt_limited[:] = 0
        return scene


class Forgetful(MujocoEngine):
    """Has copies that start with other settings."""

    def set_state(self, state):
        from pyrave_mujoco.settings import MujocoSettings

        super().set_state(state)
        self._part_settings = MujocoSettings(time_step=0.0005)
        self._kept.clear()


class Pushed(MujocoEngine):
    """Has contact forces on the other link."""

    def contacts(self):
        from dataclasses import replace

        return tuple(replace(one, force=-one.force) for one in super().contacts())


class Unsigned(MujocoEngine):
    """Returns what a joint's child does to its parent."""

    def get_joint_force_torque(self, joint):
        return -super().get_joint_force_torque(joint)


class Wandering(MujocoEngine):
    """Lets kinematic and static bodies drift."""

    def simulate_step(self, dt):
        super().simulate_step(dt)
        for body in self.env.bodies:
            if body.links[0].static or body.links[0].kinematic:
                pose = body.transform
                pose[0, 3] += 1e-4
                body.transform = pose


class Late(MujocoEngine):
    """Moves links, and forgets the values of their joints."""

    def simulate_step(self, dt):
        super().simulate_step(dt)
        for body in self.env.bodies:
            if body.dof:
                body.dof_velocities = 0.5 * body.dof_velocities


class Explicit(MujocoEngine):
    """Takes springs and dampers as efforts at the beginning of a step."""

    def drive_joints(self, body, drive):
        e = drive.positions - body.dof_values[drive.dofs]
        v = drive.rates - body.dof_velocities[drive.dofs]
        body.dynamics.set_dof_torques(
            drive.stiffness * e + drive.damping * v + drive.efforts
        )


class Boundless(MujocoEngine):
    """Drives joints with more than their torque limits."""

    def drive_joints(self, body, drive):
        body.dof_torque_limits = [1e9]
        super().drive_joints(body, drive)


MUTANTS = [
    (Explicit, "joint_drives"),
    (Boundless, "joint_drives"),
    (WrongSign, "free_fall"),
    (WrongSign, "pendulum"),
    (Deaf, "state_goes_in"),
    (Deaf, "kinematic"),
    (Ahead, "kinematic"),
    (Lasting, "forces"),
    (Lasting, "joint_torques"),
    (Weak, "forces"),
    (Weak, "joint_torques"),
    (Replacing, "forces"),
    (Adding, "forces"),
    (Central, "forces"),
    (Careless, "wrong_input"),
    (AnyStep, "wrong_input"),
    (Reversed, "joint_torques"),
    (Ghostly, "momentum"),
    (Ghostly, "rest"),
    (Slippery, "friction"),
    (Sticky, "friction"),
    (Viscous, "uniform_motion"),
    (Limitless, "joint_limits"),
    (Forgetful, "copies"),
    (Pushed, "contacts"),
    (Unsigned, "joint_forces"),
    (Wandering, "uniform_motion"),
    (Wandering, "kinematic"),
    (Late, "pendulum"),
]


@pytest.mark.parametrize(("engine", "rule"), MUTANTS)
def test_broken_engines_are_caught(engine, rule):
    contract = type("Contract", (RigidBodyContract,), {"interface": engine})()
    test = getattr(contract, f"test_{rule}")
    assert not signature(test).parameters
    with pytest.raises(AssertionError):
        test()


def test_each_rule_catches_something():
    own = {
        name.removeprefix("test_")
        for name in vars(RigidBodyContract)
        if name.startswith("test_")
    }
    assert own == {rule for _, rule in MUTANTS}


def test_engines_without_forces_are_not_tested_for_them():
    from pyrave.errors import NotSupportedError

    class Plain(MujocoEngine):
        """Applies and knows no forces."""

        def set_body_force(self, link, force, position, add):
            raise NotSupportedError("no forces")

        def contacts(self):
            raise NotSupportedError("no contacts")

    contract = type("Contract", (RigidBodyContract,), {"interface": Plain})()
    for test in (contract.test_forces, contract.test_contacts):
        with pytest.raises(pytest.skip.Exception, match=r"no (forces|contacts)"):
            test()
