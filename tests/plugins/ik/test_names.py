"""Names of solvers in OpenRAVE's files resolve to the analytic solver."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import numpy as np
import pytest
from arms import WAM, arm_xml, screws_of

import pyrave
from pyrave_ik.solver import analytic_ik as solver_module
from pyrave_ik.solver.names import OLD_NAMES, OLD_PATTERNS


def loaded(words):
    env = pyrave.Environment()
    env.load_string(arm_xml(*screws_of(WAM), solver=words), strict=True)
    return env, env.robots[0].manipulators[0]


@pytest.mark.parametrize(
    ("words", "library", "steps", "threshold"),
    [
        ("WAM7ikfast 0.05", "", (0.05,), None),
        ("wam7IKFAST", "", (), None),
        ("ikfast barrettwam 0.05", "barrettwam", (0.05,), None),
        ("ikfast barrettwam ikthreshold 1e-4 0.05", "barrettwam", (0.05,), 1e-4),
        ("ikfast_pr2_leftarm", "", (), None),
        ("MyOwnikfast 0.1 0.2", "", (0.1, 0.2), None),
        ("ikfast_of_my_arm", "", (), None),
    ],
)
def test_old_names_make_the_analytic_solver(words, library, steps, threshold):
    env, arm = loaded(words)
    solver = arm.ik_solver
    assert isinstance(solver, solver_module.AnalyticIk)
    assert (solver.settings.library, solver.settings.steps) == (library, steps)
    assert solver.settings.threshold == threshold
    assert solver.interface_id.lower() == words.split()[0].lower()
    assert "needs no generated code" in solver.note
    assert not env.problems
    kept = env.describe().bodies[0].manipulators[0].ik_solver
    assert kept == words


def test_our_own_name_has_no_note_and_takes_no_library():
    _env, arm = loaded("Analytic 0.05")
    assert arm.ik_solver.note == ""
    with pytest.raises(pyrave.Error, match="'barrettwam 0"):
        _env.create("iksolver", "Analytic barrettwam 0.05")


def test_the_note_is_told_once(caplog, monkeypatch):
    monkeypatch.setattr(solver_module, "_noted", set())
    with caplog.at_level(logging.INFO, logger="pyrave"):
        kept = [loaded("PA10ikfast 0.1") for _ in range(3)]
    notes = [r for r in caplog.records if "PA10ikfast" in r.message]
    assert len(notes) == 1
    assert notes[0].levelno == logging.INFO
    assert kept


def test_names_are_listed_and_others_are_not_taken():
    env = pyrave.Environment()
    ids = env.registry.ids("iksolver")
    assert ids[0] == "Analytic"
    assert {*OLD_NAMES, "ikfast*", "*ikfast"} <= set(ids)
    for wrong in ("TheirSolver", "ik", "fast"):
        with pytest.raises(pyrave.InterfaceNotFoundError):
            env.create("iksolver", wrong)


def test_what_is_registered_by_name_wins_over_patterns():
    env, arm = loaded("WAM7ikfast")

    class Mine(solver_module.AnalyticIk):
        contract = 2

    with env.register("iksolver", "mine_ikfast", Mine):
        assert type(env.create("iksolver", "mine_ikfast")) is Mine
    assert type(env.create("iksolver", "mine_ikfast")) is not Mine
    assert arm.own_ik_solver is not None


def test_a_threshold_takes_goals_that_are_just_missed():
    def straight(words):
        env, arm = loaded(words)
        q = np.array((0.3, 0.4, 0.0, 0.2, 0.1, 0.8, 0.3))
        with arm.robot.preserve_state():
            arm.arm_dof_values = q
            pose = arm.transform
        return env, arm, pose

    env, arm, _pose = straight("Analytic 0.5")
    # the farthest that the wrist can be from the shoulder, and a hair more
    reach = max(
        np.linalg.norm(_wrist_at(arm, x) - arm.base.transform[:3, 3])
        for x in np.linspace(-0.5, 0.5, 2001)
    )
    far = np.eye(4)
    far[:3, 3] = (0.0, 0.0, reach + 0.06 + 2e-5)
    assert arm.solve_ik(far) is None
    env_b, tolerant, _ = straight("Analytic ikthreshold 1e-4 0.5")
    solution = tolerant.solve_ik(far)
    tolerant.arm_dof_values = solution
    assert 1e-6 < np.abs(tolerant.transform - far).max() < 1e-4
    assert env
    assert env_b


def _wrist_at(arm, elbow):
    with arm.robot.preserve_state():
        arm.arm_dof_values = (0, 0, 0, elbow, 0, 0, 0)
        return arm.transform[:3, 3] - 0.06 * arm.transform[:3, 2]


def listed(section):
    """Return the words in the first column of a section's table."""
    page = Path(__file__).parents[3] / "docs" / "reference" / "ik-names.md"
    part = page.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("##")[0]
    columns = re.findall(r"^\| (`[^|]*) \|", part, re.MULTILINE)
    names = [name for text in columns for name in re.findall(r"`([^`]+)`", text)]
    return {name.split()[0] for name in names}


def test_the_documentation_has_the_same_names():
    assert listed("Names in OpenRAVE's files") == {*OLD_NAMES, *OLD_PATTERNS}
    ids = set(pyrave.Environment().registry.ids("iksolver"))
    assert listed("Solvers") == ids - {*OLD_NAMES, *OLD_PATTERNS}
    # names that differ in an axis stand together, shortened
    short = listed("Kinds of goals")
    kinds = short | {f"Translation{name}" for name in short}
    kinds |= {f"Translation{name}AxisAngle4D" for name in short & {"Y", "Z"}}
    types = [kind for kind in pyrave.IkParameterizationType if not kind.is_velocity]
    assert {kind.name for kind in types} <= kinds


@pytest.mark.parametrize(
    ("words", "held"),
    [("WAM7ikfast", [2]), ("PA10ikfast 0.1", [2]), ("ikfast_pr2_leftarm", [2])],
)
def test_names_of_ready_made_solvers_hold_the_joint_of_the_original(words, held):
    _env, arm = loaded(words)
    assert arm.ik_solver.get_free_indices().tolist() == held


def test_names_of_ready_made_solvers_choose_for_arms_and_goals_of_other_sizes():
    _env, arm = loaded("ikfast_pr2_leftarm_torso")
    assert arm.ik_solver.get_num_free_parameters() == 1
    _env, arm = loaded("WAM7ikfast")
    goal = arm.ik_parameterization("TranslationDirection5D")
    assert arm.solve_ik(goal) is not None
    _env, arm = loaded("WAM7ikfast free j4")
    assert arm.ik_solver.get_free_indices().tolist() == [4]


@pytest.mark.parametrize(
    "words",
    ["steps=0.1 0.2", "free=a free b", "threshold=1 ikthreshold 2", "free= free="],
)
def test_a_setting_is_said_once(words):
    with pytest.raises(pyrave.SettingError, match="give two settings"):
        pyrave.Environment().create("iksolver", f"Analytic {words}")


def test_the_tolerance_of_the_numerical_solver_is_its_setting():
    solver = pyrave.Environment().create("iksolver", "Numerical", tolerance=1e-5)
    assert solver.tolerance == 1e-5
    with pytest.raises(AttributeError):
        solver.tolerance = 1e-3
    solver.change_settings(tolerance=1e-4)
    assert solver.tolerance == 1e-4
