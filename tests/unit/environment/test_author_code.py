"""Plugins that raise or return nonsense where they are installed or asked."""

import numpy as np
import pytest

import pyrave
from pyrave import (
    CollisionCheckerBase,
    ControllerBase,
    IkSolverBase,
    ModuleBase,
    PhysicsEngineBase,
    PluginError,
)


class BrokenError(RuntimeError):
    pass


def failing(base, method):
    """Return a class whose abstract methods do nothing, and one method raises."""

    def fail(self, *args, **kwargs):
        raise BrokenError("out of order")

    methods = dict.fromkeys(base.__abstractmethods__, lambda self, *args, **kw: None)
    return type("Faulty", (base,), {**methods, "contract": 1, method: fail})


@pytest.fixture
def scene(env, xml):
    env.load_string(xml.environment(xml.robot()))
    return env


@pytest.mark.parametrize(
    ("base", "kind"),
    [
        (PhysicsEngineBase, "physics_engine"),
        (CollisionCheckerBase, "collision_checker"),
    ],
)
def test_an_engine_that_does_not_start_leaves_the_one_before(scene, base, kind):
    before = getattr(scene, kind)
    faulty = failing(base, "init_environment")(scene)
    with pytest.raises(
        PluginError, match=r"init_environment\(\).*BrokenError: out of order"
    ):
        scene.add(faulty)
    assert getattr(scene, kind) is before
    scene.step(0.01)
    assert not scene.problems


def test_a_controller_that_does_not_start_leaves_the_one_before(scene):
    robot = scene.robots["arm"]
    before = robot.controller
    faulty = failing(ControllerBase, "init")(scene)
    with pytest.raises(PluginError, match=r"init\(\).*Faulty.*out of order") as caught:
        robot.set_controller(faulty)
    assert isinstance(caught.value.__cause__, BrokenError)
    assert robot.controller is before


def test_a_module_whose_main_raises_is_not_added(scene):
    with pytest.raises(PluginError, match=r"main\(\) of .*out of order"):
        scene.add(failing(ModuleBase, "main")(scene))
    assert not scene.modules


@pytest.fixture
def arm():
    return pyrave.load("robots/arms/ur5e.robot.xml").robots[0].active_manipulator


def solver_of(arm, **methods):
    base = failing(IkSolverBase, "nothing")
    methods.setdefault("init", lambda self, one: True)
    methods["get_manipulator"] = lambda self: arm
    return type("Faulty", (base,), {"contract": 1, **methods})(arm.robot.env)


def test_a_solver_that_raises_at_the_start_is_not_taken(arm):
    before = arm.require_ik_solver()
    with pytest.raises(PluginError, match=r"init\(\) of .*ZeroDivisionError"):
        arm.ik_solver = solver_of(arm, init=lambda self, one: 1 // 0)
    assert arm.ik_solver is before


@pytest.mark.parametrize(
    "answer",
    [None, 7, pyrave.IkReturn(pyrave.IkAction.SUCCESS, np.full(6, np.nan)),
     pyrave.IkReturn(pyrave.IkAction.SUCCESS, np.zeros(5))],
)  # fmt: skip
def test_nonsense_of_a_solver_is_named(arm, answer):
    arm.ik_solver = solver_of(
        arm, solve=lambda *a, **k: answer, solve_all=lambda *a, **k: [answer]
    )
    for ask in (arm.solve_ik, arm.find_ik, lambda goal: arm.solve_ik(goal, all=True)):
        with pytest.raises(
            PluginError, match=r"solve(_all)?\(\) of .*Faulty.*IkReturn"
        ):
            ask(arm.transform)


def test_a_solver_that_raises_is_named(arm):
    arm.ik_solver = solver_of(arm, solve=lambda *a, **k: 1 // 0)
    with pytest.raises(PluginError, match=r"solve\(\) of .*ZeroDivisionError"):
        arm.solve_ik(arm.transform)
