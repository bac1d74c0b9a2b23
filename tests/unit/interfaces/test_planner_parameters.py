"""Parameters of planners: spaces and functions made from a robot."""

import gc
import math
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import pyrave
from pyrave import (
    PlannerBase,
    PlannerParameters,
    PlannerStatus,
    PlannerStatusCode,
    setting,
)
from pyrave.errors import ArgumentError, SettingError
from pyrave.interfaces import PlannerAction, PlannerProgress
from pyrave.scene import JointAxis, JointDescription, LinkDescription, RobotDescription


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def robot(env):
    axes = [
        JointAxis((0.0, 0.0, 1.0), lower=-1, upper=2, weight=2.0),
        JointAxis((0.0, 0.0, 1.0), circular=True),
        JointAxis((0.0, 0.0, 1.0), prismatic=True, lower=0, upper=1),
    ]
    links = tuple(LinkDescription(f"L{i}") for i in range(4))
    joints = tuple(
        JointDescription(
            f"J{i}",
            "slider" if axis.prismatic else "hinge",
            f"L{i}",
            f"L{i + 1}",
            axes=(axis,),
        )
        for i, axis in enumerate(axes)
    )
    made = env.create("robot", "")
    made.init(RobotDescription("r", links, joints))
    env.add(made)
    return made


def test_everything_comes_from_the_active_joints(robot):
    robot.dof_values = (0.5, 3.0, 0.2)
    robot.set_active_dofs([1, 0])
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    assert parameters.dof == 2
    assert parameters.specification.groups[0].name == "joint_values r 1 0"
    assert parameters.initial_configuration.tolist() == [3.0, 0.5]
    assert parameters.lower_limits.tolist() == [-10000, -1]
    assert parameters.upper_limits.tolist() == [10000, 2]
    limits = robot.dof_velocity_limits
    assert parameters.velocity_limits.tolist() == [limits[1], limits[0]]
    assert parameters.get_state().tolist() == [3.0, 0.5]
    assert parameters.set_state(np.array((1.0, 0.25)))
    assert robot.dof_values.tolist() == [0.25, 1.0, 0.2]
    a, b = np.array((3.0, 1.0)), np.array((-3.0, 0.5))
    gap = 6 - 2 * math.pi
    np.testing.assert_allclose(parameters.difference(a, b), (gap, 0.5))
    expected = math.sqrt(gap**2 + (2 * 0.5) ** 2)
    assert parameters.distance_metric(a, b) == pytest.approx(expected)
    near = parameters.neighbour_state(a, np.array((0.1, 5.0)))
    np.testing.assert_allclose(near, (3.1, 2))
    parameters.upper_limits = np.array((0.0, 0.0))
    np.testing.assert_allclose(parameters.neighbour_state(a, 0 * a), 0)


def test_parameters_die_without_the_collector(robot):
    gc.disable()
    try:
        parameters = PlannerParameters()
        parameters.set_robot_active_joints(robot)
        function = parameters.neighbour_state
        watched = weakref.ref(parameters)
        del parameters
        assert watched() is None
        assert function(np.ones(3), np.ones(3)).tolist() == [2, 2, 2]
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("code", "good"),
    [
        (PlannerStatusCode.FAILED, False),
        (PlannerStatusCode.HAS_SOLUTION, True),
        (PlannerStatusCode.INTERRUPTED, False),
        (PlannerStatusCode.INTERRUPTED_WITH_SOLUTION, True),
        (PlannerStatusCode.ENV_COLLISION | PlannerStatusCode.GOAL, False),
    ],
)
def test_a_status_is_true_with_a_solution(code, good):
    assert bool(PlannerStatus(code)) is good


class Nothing(PlannerBase):
    contract = 2

    def init_plan(self, robot, parameters):
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION)

    def plan_path(self, trajectory, options=0):
        return PlannerStatus(PlannerStatusCode.FAILED, "nothing planned")

    def get_parameters(self):
        return None


def test_progress_callbacks_decide(env):
    planner = Nothing(env)
    assert planner.call_progress(PlannerProgress(0)) is PlannerAction.CONTINUE
    seen = []
    planner.register_progress_callback(seen.append)
    handle = planner.register_progress_callback(
        lambda p: PlannerAction.INTERRUPT if p.iteration > 2 else None
    )
    assert planner.call_progress(PlannerProgress(1)) is PlannerAction.CONTINUE
    assert planner.call_progress(PlannerProgress(3)) is PlannerAction.INTERRUPT
    handle.close()
    assert planner.call_progress(PlannerProgress(4)) is PlannerAction.CONTINUE
    assert [p.iteration for p in seen] == [1, 3, 4]


def test_text_of_parameters_comes_back():
    known = PlannerParameters()
    known.specification = pyrave.ConfigurationSpecification().add_group(
        "joint_values arm 0 1", 2, "linear"
    )
    known.initial_configuration = np.array([0.1, -2.5e-17])
    known.goal_configuration = np.arange(4.0)
    known.resolutions = np.array([0.01, 1 / 3])
    known.max_iterations, known.max_planning_time = 70, 1.25
    known.step_length, known.random_seed = 0.07, 9
    known.extra = {"goalbias": "0.2", "note": "a < b & c"}
    inner = "<_nmaxiterations>20</_nmaxiterations>"
    known.post_processing = (("shortcut_linear", inner),)
    found = PlannerParameters()
    found.read_xml(known.to_xml())
    assert found.to_xml() == known.to_xml()
    assert found.specification == known.specification
    np.testing.assert_array_equal(found.resolutions, known.resolutions)
    np.testing.assert_array_equal(
        found.initial_configuration, known.initial_configuration
    )
    assert found.extra == known.extra
    assert found.post_processing == known.post_processing
    assert (found.max_iterations, found.max_planning_time) == (70, 1.25)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<_vgoalconfig>1 x</_vgoalconfig>", "1 x"),
        ("<_nMaxIterations>1.5</_nMaxIterations>", "whole"),
        ("<_nmaxiterations>-1</_nmaxiterations>", ">= 0"),
        ("<_fsteplength/>", "_fsteplength"),
        ("<_fsteplength>", "mismatch"),
    ],
)
def test_text_that_is_wrong_changes_nothing(inside, words):
    parameters = PlannerParameters(step_length=0.5)
    before = parameters.to_xml()
    text = "<PlannerParameters><_nmaxiterations>3</_nmaxiterations>"
    with pytest.raises(pyrave.SceneError, match=words):
        parameters.read_xml(f"{text}{inside}</PlannerParameters>")
    assert parameters.to_xml() == before


def test_other_elements_are_refused():
    with pytest.raises(pyrave.SceneError, match="PlannerParameters"):
        PlannerParameters().read_xml("<Other/>")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("goal_configuration", "x", "expected numbers"),
        ("goal_configuration", [[1], [1, 2]], "expected numbers"),
        ("step_length", "0.1", "expected a number"),
        ("step_length", float("nan"), "expected a number"),
        ("max_iterations", 1.5, "expected a whole number"),
        ("random_seed", True, "expected a whole number"),
        ("post_processing", "abc", "expected pairs of a planner"),
        ("extra", {"a": 1}, "expected a mapping of names to texts"),
        ("specification", None, "expected a ConfigurationSpecification"),
        ("set_state", 3, "expected a function or None"),
    ],
)
def test_values_are_checked_when_they_are_assigned(name, value, expected):
    parameters = PlannerParameters()
    before = getattr(parameters, name)
    with pytest.raises(ArgumentError, match=rf"parameters\.{name} is .*{expected}"):
        setattr(parameters, name, value)
    assert getattr(parameters, name) is before
    with pytest.raises(ArgumentError, match=expected):
        PlannerParameters(**{name: value})


def test_values_become_what_they_should_be():
    parameters = PlannerParameters(
        goal_configuration=[1, 2], step_length=np.float32(0.5)
    )
    assert parameters.goal_configuration.dtype == np.float64
    assert type(parameters.step_length) is float
    given = np.array([1.0, 2.0])
    parameters.goal_configuration = given
    assert parameters.goal_configuration is given


def test_tags_that_are_no_parameters_are_kept_as_texts():
    parameters = PlannerParameters(extra={"bias": "0.25", "style": "a < b"})
    copy = PlannerParameters()
    copy.read_xml(parameters.to_xml())
    assert copy.extra == parameters.extra


@dataclass(frozen=True)
class NotingSettings:
    """Settings of a planner of somebody."""

    bias: float = setting(0.1, "how often", least=0, most=1, aliases=("goalbias",))
    max_tries: int = setting(3, "so many", least=1)
    greedy: bool = setting(False, "whether it is")


class Noting(PlannerBase):
    """Note what it gets."""

    contract = 2
    settings_type = NotingSettings

    def init_plan(self, robot, parameters):
        self.found = self.settings_for(parameters)
        text = f"noted {self.found.bias:g}"
        return PlannerStatus(PlannerStatusCode.FAILED, text)

    def plan_path(self, trajectory, options=0):
        raise AssertionError

    def get_parameters(self):
        return None


def test_texts_of_files_are_settings(env):
    env.register("planner", "Noting", Noting)
    planner = env.create("planner", "Noting", greedy=True)
    planner.init_plan(
        None, PlannerParameters(extra={"GoalBias": "0.5", "_maxtries": "7"})
    )
    assert planner.found == NotingSettings(0.5, 7, greedy=True)
    assert planner.settings == NotingSettings(greedy=True)


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"bias": "much"}, "bias of Noting is 'much', expected a number from 0 to 1"),
        ({"bias": "2"}, "expected a number from 0 to 1"),
        ({"greedy": "maybe"}, "expected true or false"),
        ({"max_tries": "2.5"}, "expected a whole number"),
    ],
)
def test_wrong_texts_of_files_are_named(env, extra, expected):
    env.register("planner", "Noting", Noting)
    planner = env.create("planner", "Noting")
    with pytest.raises(SettingError, match=expected):
        planner.init_plan(None, PlannerParameters(extra=extra))


def test_plans_give_settings(env, robot):
    env.register("planner", "Noting", Noting)
    goal = robot.dof_values + 0.1
    result = robot.plan(values=goal, planner="Noting", bias=0.5)
    assert not result
    assert "noted 0.5" in result.status.cause or result.cause
    with pytest.raises(SettingError, match="expected a number from 0 to 1"):
        robot.plan(values=goal, planner="Noting", bias=5)
    with pytest.raises(SettingError, match="did you mean 'bias'"):
        robot.plan(values=goal, planner="Noting", bais=0.5)


def test_an_unknown_tag_keeps_the_elements_inside_of_it():
    parameters = PlannerParameters()
    inner = '<trajectory type="x"><data count="1">1 2</data></trajectory>'
    parameters.read_xml(
        f"<PlannerParameters><workspacetraj>\n{inner}\n</workspacetraj>"
        "<note> text </note></PlannerParameters>"
    )
    assert parameters.extra == {"workspacetraj": inner, "note": "text"}
    copy = PlannerParameters()
    copy.read_xml(parameters.to_xml())
    assert copy.extra == parameters.extra
