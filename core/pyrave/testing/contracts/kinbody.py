"""The contracts of bodies and robots."""

from __future__ import annotations

import dataclasses
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pyrave.bodies import KinBody
from pyrave.errors import ArgumentError
from pyrave.kinematics import LimitCheck
from pyrave.scene import BodyDescription
from pyrave.testing.attributes import (
    changed_attributes,
    own_attributes,
    shared_attribute,
)
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import refuses
from pyrave.testing.contracts.placed import NAME, NamedContract

if TYPE_CHECKING:
    from pyrave.environment import Environment


def _moved(body: KinBody) -> KinBody:
    lower, upper = (np.clip(bound, -2.0, 2.0) for bound in body.dof_limits)
    body.dof_values = lower + 0.6 * (upper - lower)
    body.transform = [0.6, 0.0, 0.0, 0.8, 0.1, 0.2, 0.3]
    return body


class KinBodyContract(NamedContract):
    """Contract of bodies; they are tested with the description of the arm."""

    interface_type = "kinbody"
    collection = "bodies"

    def ready(self, env: Environment) -> Any:
        """Return a body that has its description."""
        return self.initialised(env)

    def place(self, env: Environment, made: Any) -> None:
        """Add it."""
        env.add(made)

    def description(self, env: Environment) -> BodyDescription:
        """Return the description of the arm under another name, of the body's kind."""
        arm = dataclasses.replace(self.arm(env).describe(), name=NAME)
        fields = (f.name for f in dataclasses.fields(BodyDescription))
        return BodyDescription(**{name: getattr(arm, name) for name in fields})

    def initialised(self, env: Environment) -> Any:
        """Return a body that has its description."""
        body = self.make(env)
        body.init(self.description(env))
        return body

    def test_init(self, env: Environment) -> None:
        """``init(description)`` makes it what the description says."""
        body, wanted = self.initialised(env), self.description(env)
        names = [link.name for link in wanted.links]
        fix = "call super().init(description, model) first"
        assert [link.name for link in body.links] == names, fix
        assert body.name == wanted.name
        fix = "do not change the description"
        assert difference(wanted, body.describe(), "body") is None, fix

    def test_kinematics(self, env: Environment) -> None:
        """Its ``link_transforms`` are those of the generic body."""
        body = _moved(self.initialised(env))
        generic: Any = env.create(self.interface_type, "")
        generic.init(self.description(env))
        _moved(generic)
        assert_allclose(body.dof_values, generic.dof_values)
        fix = "do not override poses; move joints or the base instead"
        assert_allclose(
            body.link_transforms, generic.link_transforms, 0, 1e-12, True, fix
        )

    def test_values(self, env: Environment) -> None:
        """``dof_values`` are copies, limited, and wrong ones are refused."""
        body = self.initialised(env)
        seen = body.dof_values
        seen += 1.0
        assert not np.array_equal(seen, body.dof_values), "return a copy"
        body.set_dof_values(np.full(body.dof, 1e3), limits=LimitCheck.CLAMP)
        assert_allclose(body.dof_values, body.dof_limits[1])
        for bad in (np.zeros(body.dof + 1), np.full(body.dof, np.nan)):
            assert refuses(ArgumentError, setattr, body, "dof_values", bad)

    def test_body_state(self, env: Environment) -> None:
        """``set_state`` restores pose, values, velocities and enabled flags."""
        body, other = _moved(self.initialised(env)), self.initialised(env)
        body.dof_velocities = np.full(body.dof, 0.1)
        body.links[1].enabled = False
        kept = pickle.loads(pickle.dumps(body.get_state()))  # noqa: S301 - our own
        other.set_state(kept)
        assert difference(kept, other.get_state()) is None
        assert_array_equal(body.link_transforms, other.link_transforms)

    def test_clone(self, env: Environment) -> None:
        """``clone()`` gives an equal body that lives on its own."""
        body = _moved(self.initialised(env))
        twin, before = body.clone(), body.link_transforms
        assert type(twin) is type(body)
        assert twin.name == body.name
        assert_array_equal(before, twin.link_transforms)
        twin.dof_values = np.zeros(twin.dof)
        assert_array_equal(before, body.link_transforms, "it moves with its clone")

    def test_clone_has_its_state(self, env: Environment) -> None:
        """``clone()`` has what the author's class keeps, and shares none of it."""
        body = _moved(self.initialised(env))
        env.add(body)
        before = own_attributes(body)
        for _ in range(3):
            env.step(0.01)
        twin = body.clone()
        theirs = own_attributes(twin)
        for name, value in changed_attributes(body, before).items():
            fix = f"return {name} from get_own_state; set_own_state puts it back"
            assert name in theirs, fix
            assert difference(value, theirs[name], name) is None, fix
        assert shared_attribute(body, twin) is None, "copy it in set_own_state"

    def test_step(self, env: Environment) -> None:
        """``simulation_step`` works without a controller, and poses stay finite."""
        body = _moved(self.initialised(env))
        env.add(body)
        for _ in range(5):
            env.step(0.01)
        assert not body.disabled, [str(problem) for problem in env.problems]
        assert np.isfinite(body.link_transforms).all()


class RobotContract(KinBodyContract):
    """Contract of robots beyond bodies."""

    interface_type = "robot"

    def description(self, env: Environment) -> BodyDescription:
        """Return the description of the arm under another name."""
        return dataclasses.replace(self.arm(env).describe(), name=NAME)

    def _robot(self, env: Environment) -> Any:
        robot = self.initialised(env)
        env.add(robot)
        return robot

    def test_manipulators(self, env: Environment) -> None:
        """``manipulators`` are those described; their tool moves with the joints."""
        robot = self._robot(env)
        assert len(robot.manipulators) > 0, "call super().init()"
        arm = robot.active_manipulator
        before = arm.transform
        robot.dof_values = robot.dof_values + 0.1
        assert not np.allclose(before, arm.transform)

    def test_active_dofs(self, env: Environment) -> None:
        """Active degrees of freedom select what ``active.values`` means."""
        robot = self._robot(env)
        robot.active_dof_indices = [1]
        robot.active.values = [0.2]
        assert robot.active.dof == 1
        assert abs(robot.dof_values[1] - 0.2) < 1e-12

    def test_controller(self, env: Environment) -> None:
        """The default ``controller`` can drive it."""
        robot = self._robot(env)
        goal = robot.dof_values + 0.1
        fix = "leave controller, own_controller and set_controller to the base class"
        assert robot.controller is not None, fix
        robot.controller.set_desired(goal)
        for _ in range(3):
            env.step(0.01)
        fix += "; simulation_step calls super().simulation_step(dt)"
        assert_allclose(robot.dof_values, goal, err_msg=fix)

    def test_sensors(self, env: Environment) -> None:
        """``attached_sensors`` are those described."""
        robot = self._robot(env)
        assert len(robot.attached_sensors) == len(robot.describe().attached_sensors)
