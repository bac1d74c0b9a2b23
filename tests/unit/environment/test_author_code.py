"""Plugins that raise or return nonsense where they are installed or asked."""

import pickle

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
    return type("Faulty", (base,), {**methods, "contract": range(1, 3), method: fail})


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
    return type("Faulty", (base,), {"contract": range(1, 3), **methods})(arm.robot.env)


def test_a_solver_that_raises_at_the_start_is_not_taken(arm):
    before = arm.ik_solver
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


def leave(self, *args, **kwargs):
    raise SystemExit


def test_a_checker_that_raises_when_it_is_asked_is_named(scene):
    queries = {"check_collision": leave, "check_self_collision": leave}
    kind = failing(CollisionCheckerBase, "check_ray")
    options = {"get_collision_options": lambda self: pyrave.CollisionOptions(0)}
    scene.add(
        type("Faulty", (kind,), {"contract": range(1, 3), **queries, **options})(scene)
    )
    robot = scene.robots["arm"]
    for ask in (
        lambda: scene.check_collision(robot),
        robot.check_self_collision,
        lambda: scene.collision_checker.check_configurations(robot, [robot.dof_values]),
    ):
        with pytest.raises(PluginError, match=r"_collision\(\) of .*SystemExit"):
            ask()


@pytest.mark.parametrize("answer", [None, 0.0, "yes", np.zeros(2)])
def test_a_checker_that_answers_nonsense_is_named(scene, answer):
    kind = failing(CollisionCheckerBase, "check_ray")
    methods = {
        "check_collision": lambda self, *a, **k: answer,
        "get_collision_options": lambda self: pyrave.CollisionOptions(0),
    }
    scene.add(type("Faulty", (kind,), {"contract": range(1, 3), **methods})(scene))
    with pytest.raises(PluginError, match="expected True or False"):
        scene.check_collision(scene.robots["arm"])


def test_options_that_are_none_are_named(scene):
    scene.add(failing(CollisionCheckerBase, "check_ray")(scene))
    with pytest.raises(PluginError, match="expected CollisionOptions"):
        scene.check_collision(scene.robots["arm"])


def test_an_engine_that_cannot_tell_its_gravity_stops_nothing(scene, tmp_path, xml):
    scene.gravity = (0, 0, -5)
    scene.add(failing(PhysicsEngineBase, "get_gravity")(scene))
    with pytest.raises(PluginError, match=r"get_gravity\(\) of .*out of order"):
        scene.gravity  # noqa: B018
    scene.load_string("<kinbody name='more'><body name='base'/></kinbody>")
    scene.save(tmp_path / "scene.env.xml")
    pickle.dumps(scene)
    assert scene.clone().bodies.names == scene.bodies.names


def test_updates_of_an_engine_that_raise_are_named(scene):
    kind = failing(CollisionCheckerBase, "update")
    scene.add(kind(scene))
    with pytest.raises(PluginError, match=r"update\(\) of .*out of order"):
        scene.check_collision(scene.robots["arm"])


def test_a_body_that_raises_when_it_is_added_is_not_there(scene, xml):
    class Faulty(pyrave.KinBody):
        contract = 2
        attach_to_environment = leave

    scene.register("kinbody", "Faulty", Faulty)
    text = "<kinbody name='f' type='Faulty'><body name='base'/></kinbody>"
    with pytest.raises(PluginError, match=r"attach_to_environment\(\) of .*SystemExit"):
        scene.load_string(text)
    assert "f" not in scene.bodies.names


@pytest.mark.parametrize("answer", [None, "twin"])
def test_a_body_that_cannot_be_copied_is_named(scene, answer):
    class Faulty(pyrave.KinBody):
        contract = 2

        def copy_to(self, env):
            return answer

    scene.register("kinbody", "Faulty", Faulty)
    scene.load_string("<kinbody name='f' type='Faulty'><body name='base'/></kinbody>")
    with pytest.raises(PluginError, match=r"clone\(\) of .*AttributeError"):
        scene.bodies["f"].clone()


@pytest.mark.parametrize("status", [None, "fine", np.zeros(3)])
def test_a_module_whose_main_returns_no_number_is_reported(scene, status):
    methods = {"contract": range(1, 3), "main": lambda self, args: status}
    scene.add(type("Faulty", (ModuleBase,), methods)(scene))
    (problem,) = scene.problems
    assert "returned" in problem.message
    assert problem.message.endswith("not 0")


def test_sensors_that_raise_are_named(scene):
    kind = failing(pyrave.SensorBase, "configure")
    with pytest.raises(PluginError, match=r"configure\(\) of .*out of order"):
        scene.add(kind(scene))
    assert not scene.sensors
    sensor = failing(pyrave.SensorBase, "get_sensor_data")(scene)
    with pytest.raises(PluginError, match=r"get_sensor_data\(\) of .*out of order"):
        sensor.last_data()
    sensor = failing(pyrave.SensorBase, "measure")(scene)
    with pytest.raises(PluginError, match=r"measure\(\) of .*out of order"):
        sensor.read()


def test_a_controller_that_raises_when_it_executes_is_named(scene):
    robot = scene.robots["arm"]
    for method in ("set_path", "is_done"):
        kind = failing(ControllerBase, method)
        methods = {
            "contract": range(1, 3),
            "get_control_dof_indices": lambda self: np.arange(1),
        }
        if method == "is_done":
            methods["set_path"] = lambda self, path: True
        robot.set_controller(type("Faulty", (kind,), methods)(scene))
        path = pyrave.planning.retime(robot, [robot.dof_values, robot.dof_values + 0.1])
        with pytest.raises(PluginError, match=rf"{method}\(\) of .*out of order"):
            robot.execute(path)


@pytest.mark.parametrize("name", ["power", "render_data", "render_geometry"])
def test_a_sensor_that_cannot_be_switched_is_named(scene, name):
    sensor = failing(pyrave.SensorBase, "configure")(scene)
    with pytest.raises(PluginError, match=r"configure\(\) of .*out of order"):
        setattr(sensor, name, True)
    answering = {"contract": 2, "configure": lambda self, *args: np.zeros(3)}
    sensor = type("Faulty", (failing(pyrave.SensorBase, "x"),), answering)(scene)
    with pytest.raises(PluginError, match=r"configure\(\) of .*ValueError"):
        getattr(sensor, name)
