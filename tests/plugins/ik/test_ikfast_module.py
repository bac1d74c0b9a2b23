"""The module ``ikfast``: OpenRAVE's commands for solvers, answered by ours."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.errors import (
    ArgumentError,
    NotFoundError,
    NotSupportedError,
    ResourceError,
    StateError,
)
from pyrave.ik import IkParameterization, IkParameterizationType
from pyrave.spatial import wxyz_xyz_from_pose

ARM = "robots/arms/{}.robot.xml"


@pytest.fixture
def env():
    env = pyrave.load(ARM.format("puma560"))
    env.add(env.create("module", "ikfast"))
    return env


@pytest.fixture
def module(env):
    return env.modules["ikfast"]


@pytest.fixture
def arm(env):
    return env.robots[0].active_manipulator


def test_a_solver_is_there_at_once(env, module, arm):
    name = env.robots[0].name
    arm.ik_solver = "Numerical"
    code = int(IkParameterizationType.Transform6D)
    assert module.send_command(f"LoadIKFastSolver {name} {code} 0.04") == ""
    assert arm.ik_solver.interface_id == "Analytic"
    assert arm.ik_solver.settings.steps == (0.04,)
    assert module.load_solver(name, "Translation3D")
    head = pyrave.load(ARM.format("pan_tilt"))
    other = head.create("module", "ikfast")
    before = head.robots[0].active_manipulator.ik_solver
    with pytest.raises(NotSupportedError, match="goals of the kind Transform6D;"):
        other.load_solver(head.robots[0].name, code)
    assert head.robots[0].active_manipulator.ik_solver is before
    with pytest.raises(ArgumentError, match="did you mean 'Transform6D'"):
        module.load_solver(name, "Transform6")
    with pytest.raises(NotFoundError, match="nobody"):
        module.load_solver("nobody", code)


def test_libraries_are_refused_with_what_to_do(module):
    with pytest.raises(NotSupportedError, match=r"arm\.ik_solver = 'Analytic' solves"):
        module.send_command("AddIkLibrary puma /tmp/ikfast61.so")


def test_times_of_calls_are_nanoseconds(module):
    said = module.send_command("PerfTiming num 20 maxtime 30 /tmp/ikfast61.so")
    times = [float(word) for word in said.split()]
    assert len(times) == 20
    assert all(1e2 < one < 1e11 for one in times)
    assert len(module.time_solver("num 50 maxtime 0")) == 1
    for wrong, message in (
        ("nmu 5 a", "'nmu' is no option, expected num, maxtime, robot"),
        ("num", "'num' has no value"),
        ("num x", "num is 'x', expected a number"),
        ("num 1.5", "expected a whole number from 1"),
    ):
        with pytest.raises(ArgumentError, match=message):
            module.send_command(f"PerfTiming {wrong}")


def test_one_goal_is_solved(module, arm):
    values = np.array([0.3, -0.4, 0.2, 0.5, 0.6, -0.7])
    arm.arm_dof_values = values
    pose = arm.transform
    goal = IkParameterization.transform_6d(pose)
    near = " ".join(map(repr, values.tolist()))
    columns = " ".join(map(repr, pose[:3].T.ravel().tolist()))
    seven = " ".join(map(repr, wxyz_xyz_from_pose(pose).tolist()))
    arm.arm_dof_values = np.zeros(6)
    for words in (f"ikparam {goal}", f"matrix {columns}", f"pose {seven}"):
        said = module.send_command(f"IKTest {words} joints {near}")
        assert [float(one) for one in said.split()] == pytest.approx(values, abs=1e-9)
    pose[:3, 3] = 10.0
    assert module.test_goal(matrix=pose) is None
    assert module.send_command("IKTest pose 1 0 0 0 9 9 9") is None
    for given, message in (
        ({}, "0 goals are given, expected one of ikparam"),
        ({"pose": np.zeros(3)}, r"pose has shape \(3,\), expected length 7"),
        ({"matrix": np.zeros(5)}, r"matrix has the shape \(5,\)"),
    ):
        with pytest.raises(ArgumentError, match=message):
            module.test_goal(**given)


@pytest.mark.parametrize("name", ["puma560", "wam7"])
def test_solvers_are_tested(name):
    env = pyrave.load(ARM.format(name))
    module = env.create("module", "ikfast")
    robot = env.robots[0]
    values = robot.dof_values
    found = module.test_solver(robot=robot.name, numtests=40)
    assert found.tested == found.successful == 40
    assert np.array_equal(robot.dof_values, values)
    words = module.send_command(f"DebugIK robot {robot.name} numtests 10").split()
    assert words == ["10", "10", "0", "0", "0"]


def test_what_a_solver_loses_is_told(module, arm, monkeypatch):
    """Solutions that are left out, moved or not there are counted as what they are."""
    solve, calls = type(arm).solve_ik, []

    def wrong(self, goal, **options):
        rows = solve(self, goal, **options)
        calls.append(goal)
        if len(calls) == 1:
            return rows[:0]
        if len(calls) == 2:
            return rows + 1e-3
        here = np.abs(rows - self.arm_dof_values).max(axis=1)
        return rows[here > 1e-3] if len(calls) == 3 else rows

    monkeypatch.setattr(type(arm), "solve_ik", wrong)
    found = module.test_solver(numtests=5, sampledegeneratecases=0.0)
    assert (found.tested, found.successful) == (5, 2)
    goals = [cases[0][0] for cases in (found.unsolved, found.wrong, found.missing)]
    for one, asked in zip(goals, calls, strict=False):
        assert one.values == pytest.approx(asked.values)
    words = found.command_text().split()
    assert words[:3] == ["5", "2", "1"]
    told = IkParameterization.deserialize(" ".join(words[3:11]))
    assert told.values == pytest.approx(goals[1].values)


def test_configurations_of_a_file(module, arm, tmp_path):
    file = tmp_path / "rows.txt"
    file.write_text("2\n0.1 0.2 0.3 0.4 0.5 0.6\n0.1 -0.2 0.3 0.4 -0.5 0.6\n")
    assert module.send_command(f"DebugIK readfile {file}").split()[:2] == ["2", "2"]
    file.write_text("2 0.1 0.2")
    with pytest.raises(ArgumentError, match="has 3 words, expected the number of conf"):
        module.test_solver(readfile=str(file))
    with pytest.raises(ResourceError, match="gone"):
        module.test_solver(readfile=str(tmp_path / "gone.txt"))
    with pytest.raises(
        ArgumentError, match=r"sampledegeneratecases is 2\.0, expected 0"
    ):
        module.send_command("DebugIK sampledegeneratecases 2")
    with pytest.raises(ArgumentError, match="numtests is 0, expected a whole number"):
        module.test_solver(numtests=0)


def test_without_a_robot_or_an_arm_it_says_what_is_missing():
    env = pyrave.Environment()
    module = env.create("module", "ikfast")
    with pytest.raises(StateError, match="has 0 robots, expected the name of one"):
        module.test_solver()
    env.load_string("<robot name='r'><kinbody><body name='b'/></kinbody></robot>")
    with pytest.raises(StateError, match=r"robot\.add_manipulator adds one"):
        module.test_solver()
