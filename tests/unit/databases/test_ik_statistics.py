"""Statistics of inverse kinematics as a database."""

import numpy as np
import pytest

import pyrave
from pyrave.databases import IkStatistics
from pyrave.errors import ArgumentError, SettingError


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))


@pytest.fixture(scope="module")
def arm():
    env = pyrave.load("scenes/demo.env.xml")
    return env.robots["heron7"].manipulators["arm"]


def test_goals_are_within_reach_and_answers_right(arm):
    one = IkStatistics(arm, goals=130).build()
    found = one.arrays
    assert len(found["found"]) == 130
    asked = found["configurations"]
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    assert ((asked >= lower) & (asked <= upper)).all()
    assert len(np.unique(asked, axis=0)) == 130
    assert found["found"].mean() > 0.99
    assert np.nanmax(found["errors"]) < 1e-6
    summary = one.summary()
    assert summary["goals"] == 130
    assert summary["success_rate"] == found["found"].mean()
    assert summary["wrong_rate"] == 0.0
    assert summary["seconds_per_goal"] > 0.0
    assert "seconds" not in " ".join(found)


def test_they_do_not_depend_on_where_the_arm_is(arm):
    one = IkStatistics(arm, goals=20).build()
    arrays = dict(one.arrays)
    one.clean()
    robot = arm.robot
    with robot.preserve_state():
        robot.transform = [0.6, 0, 0.8, 0, 3, 1, 2]
        robot.dof_values = robot.sample_configurations(1, seed=3)[0]
        again = IkStatistics(arm, goals=20).build()
    for name, array in arrays.items():
        assert np.array_equal(array, again.arrays[name], equal_nan=True), name


def test_other_goals_and_all_solutions(arm):
    one = IkStatistics(arm, goals=10, type="translation3d", all_solutions=True).build()
    assert one.arrays["found"].all()
    assert (one.arrays["solutions"] > 0).all()
    assert one.summary()["solutions_mean"] == one.arrays["solutions"].mean()


@pytest.mark.parametrize("kind", ["Lookat3D", "Ray4D", "TranslationXAxisAngle4D"])
def test_what_a_goal_leaves_free_is_no_error(arm, kind):
    summary = IkStatistics(arm, goals=10, type=kind).build().summary()
    assert summary["success_rate"] == 1.0
    assert summary["wrong_rate"] == 0.0


def test_what_is_not_found_counts(arm, monkeypatch):
    one = IkStatistics(arm, goals=10)
    answers = iter([None, *[np.zeros(len(arm.arm_indices))] * 9])
    kind = type(arm)
    monkeypatch.setattr(kind, "solve_ik", lambda self, goal: next(answers))
    one.build()
    summary = one.summary()
    assert summary["success_rate"] == 0.9
    assert summary["wrong_rate"] == 0.9
    assert np.isnan(one.arrays["errors"]).tolist() == [True, *[False] * 9]
    assert len(one.show()) == 2


def test_goals_are_drawn_where_they_are(arm):
    one = IkStatistics(arm, goals=10).build()
    drawn = one.show()
    assert len(drawn) == 1
    with arm.robot.preserve_state():
        for values, place in zip(
            one.arrays["configurations"], one.arrays["positions"], strict=True
        ):
            arm.arm_dof_values = values
            world = arm.robot.transform @ np.append(place, 1.0)
            assert np.allclose(arm.transform[:3, 3], world[:3], atol=1e-9)


def test_wrong_input_is_refused(arm):
    with pytest.raises(SettingError, match="goals of inversekinematics is 0"):
        IkStatistics(arm, goals=0)
    with pytest.raises(SettingError, match="Transform6E"):
        IkStatistics(arm, type="Transform6E")
    with pytest.raises(ArgumentError, match="manipulator of inversekinematics is None"):
        IkStatistics(None)
