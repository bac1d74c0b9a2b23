"""Unknown keywords of public functions are told the nearest one."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pickle
import re

import pytest

import pyrave
from pyrave.argument_names import is_suggesting, methods_suggest, suggests_arguments
from pyrave.cards import unlisted_names


def words(*texts):
    return " ".join(texts).split()


COVERED = words(
    "ActiveDofs AttachedSensor BodyDynamics BodyGrabs BodyStructure Configurations",
    "ConnectedBodies Environment Geometry Grippers Joint KinBody Link Manipulator",
    "PlannerParameters Robot",
    "SensorBase TrajectoryBase",
)
WHOLLY_LEFT_OUT = {
    "authors write their methods, and steps, queries and searches call them": words(
        "CollisionCheckerBase ControllerBase IkSolverBase InterfaceBase",
        "JointController ModuleBase PairwiseChecker PeriodicSensor PhysicsEngineBase",
        "PlannerBase SensorGeometry SensorSystemBase SpaceSamplerBase ViewerBase",
    ),
    "they are data, made and read in loops": words(
        "ConfigurationSpecification ContactArea IkParameterization",
        "LaserData NamedCollection XmlElement",
    ),
    "suggestions are made of it": words("SceneError"),
}
HOT = {
    "queries of microseconds, which scripts ask in loops": words(
        "ActiveDofs.includes ActiveDofs.jacobian ActiveDofs.set_values",
        "ActiveDofs.set_velocities ActiveDofs.subtract_values BodyGrabs.link_of",
        "BodyStructure.affects BodyStructure.are_adjacent_links",
        "BodyStructure.dof_affects BodyStructure.is_dof_in_chain",
        "BodyStructure.joint_of_dof Environment.body_of_id",
        "Environment.check_collision Environment.distance Environment.lock",
        "Environment.raycast Joint.affects Joint.subtract_values",
        "KinBody.check_self_collision KinBody.get_state KinBody.hessian",
        "KinBody.is_attached KinBody.is_grabbing KinBody.jacobian KinBody.joint_dict",
        "KinBody.link_index KinBody.set_dof_values KinBody.set_dof_velocities",
        "KinBody.set_state KinBody.subtract_dof_values KinBody.values_with",
        "Manipulator.compute_configurations Manipulator.is_child_link",
        "Manipulator.is_grabbing Manipulator.jacobian SensorBase.last_data",
        "TrajectoryBase.get_duration TrajectoryBase.get_num_waypoints",
        "TrajectoryBase.get_waypoint TrajectoryBase.sample",
    ),
    "called in each step of a simulation": words(
        "BodyDynamics.set_dof_torques Environment.publish Environment.step",
        "Joint.add_torques Link.set_force Link.set_torque SensorBase.accept",
        "SensorBase.get_transform SensorBase.measure SensorBase.publish",
        "SensorBase.simulation_step",
    ),
}
EVERY_HOT = set().union(*HOT.values())
LAZY_ROOMS = words(
    "formats geometry grasping ik interfaces manipulation planning scene sensing",
    "testing trajectories",
)
HOT_ROOMS = words("kinematics spatial collision")
"""Functions of arrays, which bodies and queries call each time."""


@pytest.fixture(scope="module")
def env():
    return pyrave.load("scenes/demo.env.xml")


def arm(env):
    return env.robots[0].active_manipulator


CALLS = [
    (
        lambda env: env.picture(siez=(64, 48)),
        "siez",
        "Environment.picture() has no argument 'siez', did you mean 'size'?; arguments",
    ),
    (
        lambda env: env.robots[0].grab("mug", lnik=3),
        "lnik",
        "Robot.grab() has no argument 'lnik', did you mean 'link'?; arguments: body, ",
    ),
    (
        lambda env: env.robots[0].execute(x=2),
        "x",
        "Robot.execute() has no argument 'x'; arguments: trajectory, dt, ",
    ),
    (lambda env: arm(env).straight_line(gaol=3), "gaol", "mean 'goal'"),
    (lambda env: env.create("trajectory", "").insert(indx=0), "indx", "'index'"),
    (lambda _: pyrave.Environment(registy=None), "registy", "Environment() has no"),
    (lambda _: pyrave.PlannerParameters(random_sed=1), "random_sed", "'random_seed'"),
    (lambda _: pyrave.load(sorce="x"), "sorce", "load() has no argument 'sorce', did"),
    (lambda _: pyrave.load("scenes/demo.env.xml", strct=True), "strct", "'strict'"),
    (lambda env: pyrave.planning.retime(env, bdy=1), "bdy", "retime() has no"),
    (lambda env: pyrave.TrajectoryBase.from_xml(env, txt="x"), "txt", "Base.from_xml"),
]


@pytest.mark.parametrize(("call", "name", "says"), CALLS)
def test_an_unknown_keyword_is_told_the_nearest(env, call, name, says):
    with pytest.raises(pyrave.ArgumentNameError, match=re.escape(says)) as caught:
        call(env)
    assert caught.value.name == name
    assert isinstance(caught.value, TypeError)
    assert caught.value.__context__ is None
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (str(again), again.name) == (str(caught.value), name)


def test_errors_of_the_body_pass_untouched():
    @suggests_arguments
    def outer(*, size: int = 0) -> int:
        return inner(siez=size)

    def inner() -> int:
        return 0

    with pytest.raises(TypeError, match=r"inner\(\) got an unexpected") as caught:
        outer(size=1)
    assert not isinstance(caught.value, pyrave.Error)
    with pytest.raises(TypeError, match="positional argument") as caught:
        outer(1)
    assert not isinstance(caught.value, pyrave.Error)
    with pytest.raises(pyrave.ArgumentNameError, match="'size'"):
        outer(siez=1)


def test_decorators_below_may_fail_first():
    @suggests_arguments
    @contextlib.contextmanager
    def held(seconds=1.0):
        yield seconds

    with pytest.raises(pyrave.ArgumentNameError, match="did you mean 'seconds'"):
        held(second=1)
    with held(seconds=2.0) as found:
        assert found == 2.0


def test_functions_that_take_any_keyword_say_what_python_says():
    @suggests_arguments
    def create(kind, **settings):
        return kind, settings

    with pytest.raises(TypeError, match="missing 1 required") as caught:
        create(knd=1)
    assert not isinstance(caught.value, pyrave.Error)


def test_signatures_remain(env):
    parameters = inspect.signature(pyrave.Environment.picture).parameters
    assert list(parameters)[:2] == ["self", "path"]
    assert env.picture.__doc__.startswith("Return")
    assert pickle.loads(pickle.dumps(pyrave.load)) is pyrave.load  # noqa: S301


def test_bases_of_a_hot_method_leave_it_alone():
    class Base:
        _hot = "ask"

        def ask(self, x=0):
            return x

        @staticmethod
        def make(size=0):
            return size

        @classmethod
        def made(cls, size=0):
            return cls, size

    kind = methods_suggest(methods_suggest(Base))
    assert not is_suggesting(kind.ask)
    assert not is_suggesting(inspect.unwrap(kind.make))
    assert kind.made(size=1) == (Base, 1)
    for call in (kind.make, kind.made, kind().make, kind().made):
        with pytest.raises(pyrave.ArgumentNameError, match=r"Base.mad?e?k?.*'size'"):
            call(siez=1)


def test_bases_stay_as_they_are():
    class Base:
        def ask(self, x=0):
            return x

    before = Base.ask

    @methods_suggest
    class Kind(Base):
        def tell(self, x=0):
            return x

    assert Base.ask is before
    assert Kind.ask is before
    assert is_suggesting(Kind.tell)


# -- which are covered -----------------------------------------------------------------


def takes_keywords(function):
    parameters = inspect.signature(function).parameters.values()
    return any(
        one.name not in {"self", "cls"}
        and one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}
        for one in parameters
    )


def methods(kind):
    """Name -> function, of the methods that `dir` lists of a class."""
    unlisted = unlisted_names(kind)
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        found = getattr(found, "__func__", found)
        if not inspect.isfunction(found) or name[0] == "_" or name in unlisted:
            continue
        if found.__module__.startswith("pyrave."):
            yield name, found


@pytest.mark.parametrize("name", COVERED)
def test_all_methods_of_a_class_suggest_but_hot_ones(name):
    kind = getattr(pyrave, name)
    for method, function in methods(kind):
        hot = any(f"{one.__name__}.{method}" in EVERY_HOT for one in kind.__mro__)
        assert is_suggesting(function) is not hot, f"{name}.{method}"


def test_hot_methods_are_there():
    for one in EVERY_HOT:
        kind, _, method = one.partition(".")
        assert kind in COVERED
        assert callable(getattr(getattr(pyrave, kind), method)), one


def test_each_public_class_is_covered_or_left_out_for_a_reason():
    left_out = set().union(*WHOLLY_LEFT_OUT.values())
    assert not left_out & set(COVERED)
    for name in pyrave.__all__:
        kind = getattr(pyrave, name)
        if not isinstance(kind, type) or name in left_out or name in COVERED:
            continue
        # errors, enumerations and records of data
        assert not [one for one, made in methods(kind) if takes_keywords(made)], name


@pytest.mark.parametrize("room", ["", *LAZY_ROOMS])
def test_all_functions_of_a_room_suggest(room):
    module = importlib.import_module(f"pyrave.{room}".rstrip("."))
    made = [getattr(module, name) for name in module.__all__]
    functions = [one for one in made if inspect.isfunction(one)]
    assert functions
    for one in functions:
        assert is_suggesting(one), one
        assert vars(importlib.import_module(one.__module__))[one.__name__] is one


@pytest.mark.parametrize("room", HOT_ROOMS)
def test_functions_of_arrays_are_left_alone(room):
    module = importlib.import_module(f"pyrave.{room}")
    made = [getattr(module, name) for name in module.__all__]
    assert any(map(inspect.isfunction, made))
    assert not any(map(is_suggesting, made))
