"""The contract of physics engines that simulate rigid bodies, by closed forms."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import JointDrive
from pyrave.scene import (
    BodyDescription,
    Box,
    ContactMaterial,
    ContactProperties,
    Friction,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
)
from pyrave.testing.contracts.interface import refuses
from pyrave.testing.contracts.physicsengine import PhysicsEngineContract

if TYPE_CHECKING:
    from pyrave.environment import Environment

_G = 10.0
_HALF = 0.1
_MOMENT = 2.0 / 3.0 * _HALF**2
_DOWN = (0.0, 0.0, -_G)


class RigidBodyContract(PhysicsEngineContract):
    """Contract of engines that simulate rigid bodies, joints and contacts.

    It is for engines which say that they do. Its scenes are its own: a box of 1 kg and
    0.2 m, two such boxes, a pendulum of 1 kg at 1 m, a floor.

    Attributes
    ----------
    step
        Length of the steps, seconds.
    accuracy
        Relative error that closed forms may have.
    """

    step: ClassVar[float] = 0.005
    accuracy: ClassVar[float] = 0.02

    # -- scenes --------------------------------------------------------------------

    def world(
        self, *bodies: BodyDescription, gravity: tuple[float, float, float] = _DOWN
    ) -> Environment:
        """Return an environment with bodies on the engine."""
        env = self.new_environment()
        for body in tuple(env.bodies):
            env.remove(body)
        env.gravity = gravity
        for one in bodies:
            env.create_body(one)
        self.installed_in(env)
        return env

    def run(self, env: Environment, seconds: float) -> None:
        """Step for a time."""
        for _ in range(round(seconds / self.step)):
            env.step(self.step)

    # -- free bodies ---------------------------------------------------------------

    def test_free_fall(self) -> None:
        """``simulate_step`` lets a free body fall: g t, and g t^2 / 2."""
        for gravity in (_DOWN, (3.0, 0.0, 0.0)):
            env = self.world(_box("a", (0, 0, 100)), gravity=gravity)
            self.run(env, 1.0)
            body, wanted = env.bodies["a"], np.array(gravity)
            speed, way = body.base_velocity[:3], body.transform[:3, 3] - (0, 0, 100)
            assert_allclose(speed, wanted, atol=self.accuracy * _G)
            assert_allclose(way, 0.5 * wanted, atol=0.5 * self.accuracy * _G)

    def test_uniform_motion(self) -> None:
        """``simulate_step`` keeps velocities without forces, also of static links."""
        static = _box("b", (3, 0, 0), static=True)
        env = self.world(_box("a"), static, gravity=(0, 0, 0))
        body = env.bodies["a"]
        body.base_velocity = (1, 2, 3, 0, 0, 2)
        fixed = env.bodies["b"].transform
        self.run(env, 0.5)
        assert_allclose(body.base_velocity, (1, 2, 3, 0, 0, 2), atol=self.accuracy)
        assert_allclose(body.transform[:3, 3], (0.5, 1, 1.5), atol=self.accuracy)
        turned = body.transform[:2, 0]
        assert_allclose(turned, (math.cos(1), math.sin(1)), atol=self.accuracy)
        assert_array_equal(env.bodies["b"].transform, fixed)

    def test_momentum(self) -> None:
        """``simulate_step`` keeps the momentum of two bodies that meet."""
        env = self.world(_box("a"), _box("b", (0.5, 0, 0)), gravity=(0, 0, 0))
        a, b = env.bodies
        a.base_velocity = (1, 0, 0, 0, 0, 0)
        self.run(env, 1.0)
        total = a.base_velocity[:3] + b.base_velocity[:3]
        assert_allclose(total, (1, 0, 0), atol=1e-3)
        assert b.base_velocity[0] > 0.1, "they have gone through each other"
        assert a.transform[0, 3] < b.transform[0, 3]
        energy = a.base_velocity[0] ** 2 + b.base_velocity[0] ** 2
        assert energy < 1.0 + self.accuracy, "a collision makes no energy"

    # -- joints --------------------------------------------------------------------

    def test_pendulum(self) -> None:
        """``simulate_step`` swings a pendulum with the period of a closed form."""
        env = self.world(_pendulum())
        body, start = env.bodies["pendulum"], 0.1
        body.dof_values = [start]
        crossings, before = [], start
        for k in range(round(5.0 / self.step)):
            env.step(self.step)
            now = float(body.dof_values[0])
            if before * now < 0.0:
                crossings.append(self.step * (k + before / (before - now)))
            before = now
        assert len(crossings) > 3, "it does not swing"
        period = 2.0 * math.pi * math.sqrt((1.0 + _MOMENT) / _G)
        found = 2.0 * float(np.diff(crossings).mean())
        assert_allclose(found, period, rtol=self.accuracy)
        wrong = "values, link poses and rates of a body belong together"
        tip = body.links[1].transform[:3, 3]
        assert_allclose(np.hypot(*(tip[[0, 2]])), 1.0, atol=1e-6, err_msg=wrong)
        rate = body.dynamics.link_velocities[1, 4]
        assert_allclose(rate, body.dof_velocities[0], atol=1e-6, err_msg=wrong)

    def test_joint_limits(self) -> None:
        """``simulate_step`` stops joints at their limits."""
        env = self.world(_pendulum(limits=(-0.2, 3.0)))
        body = env.bodies["pendulum"]
        body.dof_values = [1.0]
        lowest = 1.0
        for _ in range(round(2.0 / self.step)):
            env.step(self.step)
            lowest = min(lowest, float(body.dof_values[0]))
        assert -0.25 < lowest < -0.1

    # -- contacts ------------------------------------------------------------------

    def test_rest(self) -> None:
        """``simulate_step`` lets a box rest on a floor."""
        env = self.world(_floor(), _box("a", (0, 0, _HALF)))
        self.run(env, 1.0)
        body = env.bodies["a"]
        assert_allclose(body.transform[:3, 3], (0, 0, _HALF), atol=5e-3)
        assert_allclose(body.base_velocity, np.zeros(6), atol=0.02)

    def test_friction(self) -> None:
        """``simulate_step`` lets a box slide above the angle of friction only."""
        friction = 0.4
        properties = ContactProperties(
            materials=(ContactMaterial("stuff"),),
            friction=(Friction("stuff", "stuff", friction),),
            default_material="stuff",
        )
        for slope in (0.2, 0.8):
            angle = math.atan(slope)
            along, down = _G * math.sin(angle), -_G * math.cos(angle)
            floor, crate = _floor(), _box("a", (0, 0, _HALF), (0.2, 0.2, 0.1))
            env = self.world(floor, crate, gravity=(along, 0.0, down))
            env.contact_properties = properties
            self.run(env, 1.0)
            way = env.bodies["a"].transform[0, 3]
            expected = 0.5 * max(0.0, along + friction * down)
            assert_allclose(way, expected, atol=0.01 + 0.1 * expected)

    def test_contacts(self) -> None:
        """``contacts`` has the forces that carry a box, out of the first link."""
        env = self.world(_floor(), _box("a", (0, 0, _HALF)))
        self.run(env, 1.0)
        found = self.offered(env.physics_engine.contacts)
        assert found, "a box on a floor touches it"
        total, crate = np.zeros(3), env.bodies["a"]
        for one in found:
            assert crate in {one.first.body, one.second.body}
            sign = 1.0 if one.second.body is crate else -1.0
            total += sign * one.force
            assert sign * one.normal[2] > 0.99, "the normal points out of the first"
            assert abs(one.position[2]) < 0.01
        assert_allclose(total, (0, 0, _G), atol=5 * self.accuracy * _G)

    # -- state in and out ----------------------------------------------------------

    def test_state_goes_in(self) -> None:
        """``simulate_step`` starts from the poses, values and rates that are set."""
        env = self.world(_box("a", (0, 5, 0)), _pendulum(), gravity=(0, 0, 0))
        self.run(env, 0.1)
        body, arm = env.bodies
        body.transform = [1, 0, 0, 0, 7, 8, 9]
        body.base_velocity = (0, 0, 1, 0, 0, 0)
        arm.dof_values, arm.dof_velocities = [0.5], [0.4]
        self.run(env, 0.1)
        assert_allclose(body.transform[:3, 3], (7, 8, 9.1), atol=self.accuracy)
        assert_allclose(arm.dof_values, [0.54], atol=self.accuracy)
        assert_allclose(arm.dof_velocities, [0.4], atol=self.accuracy)
        body.base_velocity = np.zeros(6)
        self.run(env, 0.1)
        assert_allclose(body.transform[:3, 3], (7, 8, 9.1), atol=self.accuracy)

    def test_kinematic(self) -> None:
        """``simulate_step`` leaves kinematic bodies where scripts put them.

        They push things as far as they are themselves after the step, and not one step
        ahead.
        """
        env = self.world(_box("a", (0, 0, 1), kinematic=True), _box("b", (0, 0, 1.2)))
        lift, load = env.bodies
        n = round(0.5 / self.step)
        for k in range(1, n + 1):
            lift.transform = [1, 0, 0, 0, 0, 0, 1 + self.step * k]
            env.step(self.step)
        top = 1 + self.step * n
        assert_allclose(lift.transform[:3, 3], (0, 0, top), atol=1e-9)
        assert_allclose(load.transform[2, 3], top + 0.2, atol=0.3 * self.step)

    def test_copies(self) -> None:
        """``get_state`` and ``set_state`` let a copy go on as the original does."""
        env = self.world(_floor(), _box("a", (0, 0, 0.12)), _pendulum(at=(2, 0, 2)))
        env.bodies["pendulum"].dof_values = [0.8]
        env.bodies["a"].base_velocity = (0.5, 0, 0, 0, 0, 1)
        self.run(env, 0.3)
        copies = [env.clone()]
        if self.installed:
            copies.append(pickle.loads(pickle.dumps(env)))  # noqa: S301 - our own
        for one in (env, *copies):
            assert_array_equal(one.gravity, _DOWN)
            self.run(one, 0.2)
        for copy in copies:
            for body, other in zip(env.bodies, copy.bodies, strict=True):
                for name in ("link_transforms", "dof_values", "base_velocity"):
                    ours, theirs = getattr(body, name), getattr(other, name)
                    wrong = f"{name} of {body.name} after another 0.2 s"
                    assert_allclose(theirs, ours, atol=1e-9, err_msg=wrong)

    # -- forces --------------------------------------------------------------------

    def test_forces(self) -> None:
        """``set_body_force`` and ``set_body_torque`` act once, for one step."""
        env = self.world(_box("a"), gravity=(0, 0, 0))
        body = env.bodies["a"]
        link = body.links[0]
        try:
            link.set_force((2, 0, 0), link.global_com)
        except NotSupportedError as error:
            self.not_applicable(str(error))
        env.step(self.step)
        assert_allclose(body.base_velocity, _rates(2 * self.step), atol=1e-6)
        env.step(self.step)
        once = "a force acts for one step"
        assert_allclose(body.base_velocity[0], 2 * self.step, atol=1e-6, err_msg=once)
        body.base_velocity = np.zeros(6)
        link.set_force((5, 0, 0), link.global_com)
        link.set_force((1, 0, 0), link.global_com)
        link.set_force((2, 0, 0), link.global_com, add=True)
        env.step(self.step)
        added = "add=False replaces a force, add=True adds to it"
        assert_allclose(body.base_velocity[0], 3 * self.step, atol=1e-6, err_msg=added)
        body.base_velocity = np.zeros(6)
        # at an arm of 0.1 m, and a torque of the opposite sense and twice as much
        link.set_force((1, 0, 0), np.add(link.global_com, (0, 0.1, 0)))
        link.set_torque((0, 0, 0.3))
        env.step(self.step)
        spin = self.step * (0.3 - 0.1) / _MOMENT
        assert_allclose(body.base_velocity[5], spin, rtol=self.accuracy)

    def test_joint_torques(self) -> None:
        """``add_joint_torque`` accelerates a joint, for one step."""
        env = self.world(_pendulum(), gravity=(0, 0, 0))
        body = env.bodies["pendulum"]
        try:
            body.dynamics.set_dof_torques([3.0])
        except NotSupportedError as error:
            self.not_applicable(str(error))
        for _ in range(2):
            env.step(self.step)
        rate = 3.0 * self.step / (1.0 + _MOMENT)
        assert_allclose(body.dof_velocities, [rate], rtol=self.accuracy)

    def test_joint_drives(self) -> None:
        """``drive_joints`` is stable, pushes what a limit holds, keeps to torques."""
        env = self.world(_pendulum(limits=(-0.2, 3.0)), gravity=(0, 0, 0))
        engine, body = env.physics_engine, env.bodies["pendulum"]
        if not engine.can_drive(body, [0]):
            self.not_applicable("can_drive says no")

        def follow(goal: float, stiffness: float, damping: float) -> None:
            row = np.array((goal, 0.0, stiffness, damping, 0.0))
            for _ in range(100):
                engine.drive_joints(body, JointDrive(np.array((0,)), *row[:, None]))
                env.step(self.step)

        follow(0.5, 1e6, 1e4)  # explicit steps stand 2.4e4 and 400
        assert_allclose(body.dof_values, [0.5], atol=self.accuracy * 0.5)
        follow(-0.5, 100.0, 20.0)
        wanted = 100.0 * (-0.5 - body.dof_values)
        assert_allclose(engine.get_joint_efforts(body), wanted, rtol=self.accuracy)
        assert_allclose(wanted, [-30.0], rtol=0.1)
        body.dof_torque_limits = [3.0]
        follow(-0.5, 100.0, 20.0)
        assert_allclose(engine.get_joint_efforts(body), [-3.0], rtol=self.accuracy)

    def test_joint_forces(self) -> None:
        """``get_joint_force_torque`` has the weight that hangs on a joint."""
        env = self.world(_pendulum())
        engine, body = env.physics_engine, env.bodies["pendulum"]
        env.step(self.step)
        found = self.offered(engine.get_joint_force_torque, body.joints[0])
        assert_allclose(found[:3], (0, 0, _G), atol=self.accuracy * _G)
        assert_allclose(found[3:], np.zeros(3), atol=self.accuracy * _G)

    def test_wrong_input(self) -> None:
        """``simulate_step`` and forces refuse what has no meaning; nothing moves."""
        env = self.world(_box("a"), gravity=(0, 0, 0))
        engine, body = env.physics_engine, env.bodies["a"]
        env.step(self.step)
        place, link = body.transform, body.links[0]
        for dt in (0.0, -0.01, math.nan, math.inf, "x"):
            assert refuses(Error, engine.simulate_step, dt), f"dt is {dt}"
        bad: tuple[Any, ...] = ((math.nan, 0, 0), (1, 0), "x")
        for value in bad:
            for call in (
                lambda v: engine.set_body_force(link, v, (0, 0, 0), False),
                lambda v: engine.set_body_force(link, (1, 0, 0), v, False),
                lambda v: engine.set_body_torque(link, v, False),
            ):
                assert refuses(Error, call, value), f"a force is {value}"
        env.step(self.step)
        assert_allclose(body.transform, place, atol=1e-9)


def _rates(x: float) -> tuple[float, ...]:
    return x, 0.0, 0.0, 0.0, 0.0, 0.0


def _inertial(at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Inertial:
    return Inertial(1.0, at, (_MOMENT, 0, 0, 0, _MOMENT, 0, 0, 0, _MOMENT))


def _box(
    name: str,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    half: tuple[float, float, float] = (_HALF,) * 3,
    **link: Any,
) -> BodyDescription:
    shape = (GeometryDescription(Box(half)),)
    base = LinkDescription("base", geometries=shape, inertial=_inertial(), **link)
    return BodyDescription(name, links=(base,), pose=Pose(translation=at))


def _floor() -> BodyDescription:
    return _box("floor", (0.0, 0.0, -0.5), (20.0, 20.0, 0.5), static=True)


def _pendulum(
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    limits: tuple[float, float] = (-3.0, 3.0),
) -> BodyDescription:
    """Return a static base on which 1 kg hangs at 1 m, turning about y."""
    links = (
        LinkDescription("base", inertial=_inertial(), static=True),
        LinkDescription(
            "bob", pose=Pose(translation=(0.0, 0.0, -1.0)), inertial=_inertial()
        ),
    )
    joint = JointDescription(
        "hinge",
        "hinge",
        "base",
        "bob",
        T_child_joint=Pose(translation=(0.0, 0.0, 1.0)),
        axes=(JointAxis((0.0, 1.0, 0.0), False, *limits),),
    )
    place = Pose(translation=at)
    return BodyDescription("pendulum", links=links, joints=(joint,), pose=place)
