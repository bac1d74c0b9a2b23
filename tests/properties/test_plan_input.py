"""Whatever is given as a goal or an option: a result, or an error in words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyrave
from pyrave.planning import PlanResult

NUMBERS = st.one_of(
    st.floats(-4, 4), st.floats(), st.integers(-9, 9), st.booleans(), st.none()
)
THINGS = st.one_of(
    NUMBERS,
    st.text(max_size=5),
    st.binary(max_size=5),
    st.lists(NUMBERS, max_size=8),
    st.lists(st.lists(NUMBERS, max_size=4), max_size=4),
    st.dictionaries(st.sampled_from(["joint1", "joint9", 3]), NUMBERS, max_size=3),
    st.builds(np.zeros, st.lists(st.integers(0, 8), max_size=4).map(tuple)),
    st.just(np.eye(4)),
    st.just(object()),
    st.just(lambda _: None),
    st.just({1, 2}),
    st.just(np.array(["a", "b"])),
    st.just(np.array([1j] * 7)),
)
NAMES = (
    *("start", "seed", "timeout", "speed", "constraints", "planner"),
    *("jerk_limits", "progress", "parameters"),
)
OPTIONS = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, THINGS))


@pytest.fixture(scope="module")
def arm():
    return pyrave.load("robots/heron7.robot.xml").robots[0].active_manipulator


def asked(arm, goal, **options):
    before = arm.robot.dof_values.tobytes()
    said, result = "", None
    try:
        result = arm.plan(goal, **{"timeout": 0.05, **options})
    except pyrave.Error as error:
        said = str(error)
    if result is None:
        assert len(said) > 20
        assert "\n  File" not in said
    else:
        assert isinstance(result, PlanResult)
        assert bool(result) == (not result.cause)
    assert arm.robot.dof_values.tobytes() == before


@given(goal=THINGS)
def test_any_goal(arm, goal):
    asked(arm, goal)


@given(goals=st.lists(THINGS, max_size=3))
def test_any_goals(arm, goals):
    asked(arm, goals)


@given(options=OPTIONS)
def test_any_options(arm, options):
    timeout = options.get("timeout")
    if isinstance(timeout, float) and 1.0 < timeout < np.inf:
        options["timeout"] = 1.0
    asked(arm, {"joint1": 0.1}, **options)
