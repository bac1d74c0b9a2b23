"""Attributes that do not exist are refused with the nearest name."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import pyrave
from pyrave.argument_names import methods_suggest
from pyrave.attributes import Closed, TellsNames
from pyrave.errors import NotSupportedError
from pyrave.ik import IkPath, IkPathEnd
from pyrave.near_names import did_you_mean


@pytest.fixture(scope="module")
def env():
    return pyrave.load("scenes/demo.env.xml")


TYPOS = [
    ("env", "physics_engin", "physics_engine"),
    ("env.robots[0]", "dof_value", "dof_values"),
    ("env.bodies[0]", "transfrom", "transform"),
    ("env.robots[0].links[0]", "enable", "enabled"),
    ("env.robots[0].manipulators[0]", "ik_solvr", "ik_solver"),
    ("env.robots[0].joints[0]", "limit", "limits"),
    ("env.bodies[0].links[0].geometries[0]", "colour", "diffuse_color"),
    ("env.robots[0].controller", "user_dat", "user_data"),
    ("env.robots[0].attached_sensors[0]", "transfrm", "transform"),
    ("env.sensors[0]", "trnsform", "transform"),
    ("env.collision_checker", "optoins", "options"),
    ("env.physics_engine", "contcts", "contacts"),
    ("env.create('trajectory', '')", "duraton", "duration"),
    ("env.create('planner', 'BiRRT')", "needs_gol", "needs_goal"),
]


@pytest.mark.parametrize(("what", "name", "near"), TYPOS)
def test_typos_are_refused(env, what, name, near):
    item = eval(what, {"env": env})  # noqa: S307 - of this table
    with pytest.raises(pyrave.Error, match=near) as caught:
        setattr(item, name, 1)
    assert isinstance(caught.value, AttributeError)
    assert caught.value.name == name
    assert not hasattr(item, name)
    item.user_data["own"] = 1
    assert item.user_data["own"] == 1


def test_parameters_of_planners(env):
    parameters = pyrave.PlannerParameters()
    with pytest.raises(pyrave.AttributeNameError, match="'max_iterations'"):
        parameters.max_iteration = 3


def test_functions_are_no_methods_because_of_their_first_argument(env):
    def move(robot):
        robot.dof_value = np.zeros(robot.dof)

    with pytest.raises(pyrave.AttributeNameError):
        move(env.robots[0])


def test_methods_of_its_own_add_attributes(env):
    class Own(pyrave.ModuleBase):
        declared: int

        def __init__(self, env, *args):
            self.early = 1
            super().__init__(env, *args)
            self.counter = 0

        def simulation_step(this, dt):  # noqa: N805 - some write that
            this.steps = 1

            def later():
                this.late = 2

            later()

    own = Own(env)
    own.counter += 1
    own.declared = 3
    own._anything = 4
    with pytest.raises(pyrave.AttributeNameError, match="no attribute 'late'"):
        own.simulation_step(0.01)
    assert (own.early, own.counter, own.steps) == (1, 1, 1)
    own.steps = 5
    with pytest.raises(pyrave.AttributeNameError, match="did you mean 'counter'"):
        own.countr = 1


def test_class_methods_add_attributes_and_functions_of_a_class_do_not(env):
    class Own(pyrave.ModuleBase):
        @classmethod
        def made(cls, env):
            own = cls(env)
            own.count = 3
            return own

    def make(kind):
        kind().physics_engin = 1

    assert Own.made(env).count == 3
    assert methods_suggest(Own).made(env).count == 3
    with pytest.raises(pyrave.AttributeNameError, match="did you mean"):
        make(pyrave.Environment)


def test_data_of_views_hold_no_environment():
    env = pyrave.load("scenes/demo.env.xml")
    link = env.robots[0].links[0]
    link.user_data["robot"] = env.robots[0]
    gone = weakref.ref(env.robots[0])
    del env, link
    gc.collect()
    assert gone() is None


def test_methods_and_what_is_read_only(env):
    robot = env.robots[0]
    with pytest.raises(pyrave.AttributeNameError, match=r"dof of .* is read only"):
        robot.dof = 3
    with pytest.raises(pyrave.AttributeNameError, match=r"step of .* is a method"):
        env.step = 0.01


def test_names_of_openrave(env, monkeypatch):
    robot = env.robots[0]
    with pytest.raises(pyrave.AttributeNameError, match="GetRobots is 'robots' here"):
        env.GetRobots()
    with pytest.raises(pyrave.AttributeNameError, match="'dof_values'"):
        robot.SetDOFValues([0.0])
    with pytest.raises(pyrave.AttributeNameError, match=r"Environment\.create"):
        pyrave.RaveCreateModule(env, "x")
    with pytest.raises(pyrave.AttributeNameError, match="did you mean 'load'"):
        pyrave.laod("x")
    assert not hasattr(robot, "GetTransform")
    assert not [name for name in dir(robot) if name.startswith("Get")]


def test_slots_are_all_that_closed_classes_have():
    class Plain(Closed):
        __slots__ = ("a",)

    plain = Plain()
    plain.a = 1
    with pytest.raises(AttributeError):
        plain.b = 1
    assert "b" not in Plain._settable


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("PIDController", ["IdealController", "JointPIDController"], "'JointPID"),
        ("pidcontroller", ["IdealController", "JointPIDController"], "'JointPID"),
        ("colour", ["diffuse_color", "name"], "'diffuse_color'"),
        ("colour", ["diffuse_color", "ambient_color"], "'diffuse_color' or 'ambient_"),
        ("transform", ["transforms", "link_transforms"], "'transforms'"),
    ],
)
def test_near_names_have_the_words(name, known, near):
    assert f"did you mean {near}" in did_you_mean(name, known)


def test_nothing_is_near():
    assert did_you_mean("xyzzy", ["diffuse_color", "name"]) == ""


NAMES_OF_PARTS = [
    ("dof_jerk_limits", "limits.jerk"),
    ("velocity_limits", "limits.velocity"),
    ("active_dof_values", "active.values"),
    ("set_active_dof_values", "active.set_values"),
    ("affine_limits", "active.affine_limits"),
    ("kinetic_energy", "dynamics.kinetic_energy"),
    ("closed_loops", "structure.closed_loops"),
]


@pytest.mark.parametrize(("name", "there"), NAMES_OF_PARTS)
def test_names_of_parts_are_told_where_they_are(env, name, there):
    robot = env.robots[0]
    part, attribute = there.split(".")
    assert hasattr(getattr(robot, part), attribute)
    with pytest.raises(pyrave.AttributeNameError, match=f"it is '{there}' here"):
        getattr(robot, name)
    with pytest.raises(pyrave.AttributeNameError, match=f"it is '{there}' here"):
        setattr(robot, name, 1)
    assert not hasattr(robot, name)
    assert name not in dir(robot)


def test_names_of_a_sensor_are_told_by_what_carries_it(env):
    mounted = env.robots[0].attached_sensors[0]
    for name in ("power", "change_settings", "register_data_callback"):
        told = f"it is 'sensor.{name}' here"
        with pytest.raises(pyrave.AttributeNameError, match=told):
            getattr(mounted, name)
        with pytest.raises(pyrave.AttributeNameError, match=told):
            setattr(mounted, name, 1)
        assert name not in dir(mounted)


def test_authors_may_have_names_of_parts(env):
    class Own(pyrave.KinBody):
        contract = 2

        def __init__(self, env, *args):
            super().__init__(env, *args)
            self.kinetic_energy = 3.0

    assert Own(env).kinetic_energy == 3.0


def _path():
    values = np.zeros((1, 2))
    return IkPath(values, 2, IkPathEnd.OUT_OF_REACH)


READ = [
    (lambda env: env.robots, "nmaes", "names"),
    (lambda _: pyrave.CollisionReport(), "min_distnce", "min_distance"),
    (lambda _: _path(), "stauts", "status"),
    (lambda _: pyrave.Handle(print), "closd", "closed"),
    (
        lambda env: env.robots[0].manipulators[0].find_ik(np.eye(4)),
        "caus",
        "cause",
    ),
    (lambda env: env.load_string("<environment/>"), "problms", "problems"),
    (lambda _: pyrave.LaserData(), "rangs", "ranges"),
]


@pytest.mark.parametrize(("make", "name", "near"), READ)
def test_names_that_results_lack_are_told_the_nearest(make, name, near):
    env = pyrave.load("scenes/demo.env.xml")
    item = make(env)
    with pytest.raises(pyrave.AttributeNameError, match=f"did you mean '{near}'"):
        getattr(item, name)
    assert not hasattr(item, name)
    with pytest.raises(AttributeError, match="has no attribute '_hidden'") as caught:
        item._hidden  # noqa: B018 - that it raises counts
    assert not isinstance(caught.value, pyrave.Error)
    assert copy.copy(item).__class__ is type(item)


def test_collections_and_handles_keep_no_typos(env):
    for item in (env.robots, pyrave.Handle(print)):
        with pytest.raises(pyrave.AttributeNameError, match="no attribute 'other'"):
            item.other = 1
    name = env.robots[0].name
    with pytest.raises(pyrave.AttributeNameError, match=rf"write \['{name}'\]"):
        getattr(env.robots, name)


def test_records_that_tell_names_pickle():
    sent = pickle.dumps(pyrave.CollisionReport(min_distance=2.0))
    report = pickle.loads(sent)  # noqa: S301 - our own
    assert report == pyrave.CollisionReport(min_distance=2.0)
    assert copy.deepcopy(_path()).status is IkPathEnd.OUT_OF_REACH


def test_what_a_property_raises_is_not_hidden():
    class Failing(TellsNames):
        @property
        def value(self):
            return self.inner.value

        inner = 3

    with pytest.raises(AttributeError, match="'int' object has no attribute 'value'"):
        Failing().value  # noqa: B018 - that it raises counts


@pytest.mark.parametrize(
    "part",
    [
        lambda robot: robot,
        lambda robot: robot.links[0],
        lambda robot: robot.limits,
        lambda robot: robot.attached_sensors["laser"],
        lambda robot: robot.attached_sensors["laser"].sensor,
        lambda robot: robot.controller,
        lambda robot: robot.active_manipulator.ik_solver,
        lambda robot: robot.env.collision_checker,
        lambda robot: robot.env.check_collision(robot, report=True),
    ],
)
def test_parts_of_an_environment_are_not_copied_alone(part):
    one = part(pyrave.load("scenes/demo.env.xml").robots[0])
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(NotSupportedError, match="part of its environment; copy or"):
            copied(one)
