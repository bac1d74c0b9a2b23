"""Batches: the scheme of names and arguments, equal to single calls, and Ctrl-C."""

import inspect
import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest

import pyrave
from pyrave.batches import pieces
from pyrave.errors import ArgumentError
from pyrave.interfaces import CollisionCheckerBase
from pyrave.interfaces.iksolver import IkSolverBase
from pyrave.jit import eager

SINGLE = {
    "compute_link_transforms": ("link_transforms", {}),
    "compute_jacobians": ("jacobian", {"link": -1}),
    "compute_hessians": ("hessian", {"link": -1}),
    "compute_link_velocities": ("link_velocities", {}),
    "compute_link_accelerations": ("link_accelerations", {}),
    "compute_mass_matrices": ("mass_matrix", {}),
    "compute_centers_of_mass": ("center_of_mass", {}),
    "compute_center_of_mass_jacobians": ("center_of_mass_jacobian", {}),
    "compute_inverse_dynamics": ("inverse_dynamics", {}),
    "compute_forward_dynamics": ("forward_dynamics", {}),
}


@pytest.fixture
def robot():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"]


@pytest.fixture
def arm(robot):
    return robot.manipulators["arm"]


def test_every_batch_has_its_single_call_and_takes_configurations_first(robot, arm):
    found = []
    for one in (robot, robot.dynamics, arm):
        names = [name for name in dir(one) if name.startswith("compute_")]
        found += [] if one is arm else names
        for name in names:
            first = next(iter(inspect.signature(getattr(one, name)).parameters))
            assert first == "configurations", name
    assert sorted(found) == sorted(SINGLE)
    for name in ("check_configurations", "distances"):
        order = list(inspect.signature(getattr(CollisionCheckerBase, name)).parameters)
        assert order[:3] == ["self", "body", "configurations"]
    single = inspect.signature(type(arm).solve_ik).parameters
    many = inspect.signature(type(arm).solve_ik_batch).parameters
    assert [name for name in many if name in single] == [
        name for name in single if name in many
    ]
    assert set(many) - set(single) == {"targets", "q0"}
    assert "q0" in inspect.signature(IkSolverBase.nearest_batch).parameters


def named(robot, name):
    """Return what a robot has of a name, or its dynamics."""
    return getattr(robot if hasattr(robot, name) else robot.dynamics, name)


@pytest.mark.parametrize("name", SINGLE)
def test_rows_are_what_single_calls_give(robot, name):
    rng = np.random.default_rng(4)
    rows = robot.sample_configurations(5, seed=3)
    rates, more = rng.normal(size=(2, 5, robot.dof))
    single, given = SINGLE[name]
    given = {key: robot.links[value] for key, value in given.items()}
    taken = inspect.signature(named(robot, name)).parameters
    arguments = [rows]
    arguments += [rates] if "rates" in taken else []
    arguments += [more] if {"accelerations", "torques"} & set(taken) else []
    found = named(robot, name)(*arguments, **given)
    for k, row in enumerate(rows):
        robot.dof_values = row
        robot.dof_velocities = rates[k] if "rates" in taken else np.zeros(robot.dof)
        wanted = named(robot, single)
        if callable(wanted):
            last = [more[k]] if len(arguments) == 3 else []
            wanted = wanted(*last, **given)
        np.testing.assert_allclose(found[k], wanted, atol=1e-9)


@pytest.mark.parametrize("name", SINGLE)
def test_long_batches_are_done_in_pieces(robot, name, monkeypatch):
    monkeypatch.setattr("pyrave.bodies.state.row_by_row._MANY", 50)
    monkeypatch.setattr("pyrave.bodies.state.row_by_row.FIRST", 3)
    monkeypatch.setattr("pyrave.batches.FIRST", 5)
    rows = robot.sample_configurations(23)
    _, given = SINGLE[name]
    given = {key: robot.links[value] for key, value in given.items()}
    rates = 0.1 * rows
    call = named(robot, name)
    taken = inspect.signature(call).parameters
    more = [rates] if "rates" in taken else []
    more += [rates[::-1]] if {"accelerations", "torques"} & set(taken) else []
    found = call(rows, *more, **given)
    one_by_one = [
        call(row[None], *(m[k : k + 1] for m in more), **given)[0]
        for k, row in enumerate(rows)
    ]
    np.testing.assert_allclose(found, one_by_one, atol=1e-12)
    by_name = call(
        configurations=rows, **dict(zip(list(taken)[1:], more, strict=False)), **given
    )
    np.testing.assert_allclose(found, by_name, atol=1e-12)


def test_poses_are_written_to_a_given_array(robot):
    rows = robot.sample_configurations(3000)
    out = np.empty((3000, len(robot.links), 4, 4))
    assert robot.compute_link_transforms(rows, out=out) is out
    assert (out == robot.compute_link_transforms(rows)).all()
    with pytest.raises(ArgumentError):
        robot.compute_link_transforms(rows, out=out[:-1])


def test_tools_of_many_configurations_of_an_arm(robot, arm):
    values = arm.sample_configurations(6, seed=1)
    before = robot.dof_values
    poses, jacobians = arm.compute_transforms(values), arm.compute_jacobians(values)
    whole = arm.compute_configurations(values)
    assert (robot.dof_values == before).all()
    assert poses.shape == (6, 4, 4)
    assert jacobians.shape == (6, 6, 7)
    for k, row in enumerate(values):
        arm.arm_dof_values = row
        assert (whole[k] == robot.dof_values).all()
        np.testing.assert_allclose(poses[k], arm.transform, atol=1e-12)
        np.testing.assert_allclose(jacobians[k], arm.jacobian(), atol=1e-12)
    for method in (arm.compute_transforms, arm.compute_jacobians):
        assert len(method(np.empty((0, 7)))) == 0
        with pytest.raises(ArgumentError, match="configurations"):
            method(np.zeros((2, 6)))


def test_random_configurations(robot, arm):
    rows = robot.sample_configurations(500, seed=7)
    lower, upper = robot.dof_limits
    assert ((rows >= lower) & (rows <= upper)).all()
    assert (rows == robot.sample_configurations(500, seed=7)).all()
    assert (rows[:20] == robot.sample_configurations(20, seed=7)).all()
    assert (rows != robot.sample_configurations(500, seed=8)).any()
    assert (
        np.abs(rows.mean(axis=0) - (lower + upper) / 2).max()
        < 0.2 * (upper - lower).max()
    )
    assert arm.sample_configurations(4).shape == (4, 7)
    for wrong in (-1, 1.5, True, "a", None):
        with pytest.raises(ArgumentError, match="seed"):
            robot.sample_configurations(3, seed=wrong)
    with pytest.raises(ArgumentError, match="n is -1"):
        robot.sample_configurations(-1)


def test_joints_without_limits_are_named():
    robot = pyrave.load("rover").robots[0]
    wheel = robot.joints[0]
    if not wheel.circular[0]:
        wheel.limits = [-np.inf], [np.inf]
        with pytest.raises(ArgumentError, match=f"'{wheel.name}' of .* has no limits"):
            robot.sample_configurations(2)
    else:
        assert np.abs(robot.sample_configurations(99)[:, 0]).max() <= np.pi


@pytest.mark.parametrize("name", ["heron7", "ur5e", "panda", "puma560"])
def test_the_nearest_of_a_batch_is_what_single_calls_give(name):
    robot = pyrave.load(name).robots[0]
    arm = robot.active_manipulator or robot.manipulators[0]
    poses = arm.compute_transforms(arm.sample_configurations(60, seed=2))
    poses[7, :3, 3] += 9.0
    found = arm.solve_ik_batch(poses)
    assert len(found) == 60
    assert found.found.sum() == 59 == len(found.solutions)
    for k, pose in enumerate(poses):
        wanted = arm.solve_ik(pose)
        if wanted is None:
            assert k == 7
            assert np.isnan(found.values[k]).all()
        else:
            # one of them may have been solved before the kernel was compiled
            np.testing.assert_allclose(found.values[k], wanted, atol=1e-9)
    q0 = arm.sample_configurations(1, seed=9)[0]
    near = arm.solve_ik_batch(poses[:5], q0=q0)
    arm.arm_dof_values = q0
    np.testing.assert_allclose(near.values, arm.solve_ik_batch(poses[:5]).values)
    assert len(arm.solve_ik_batch(np.empty((0, 4, 4)))) == 0


def test_all_solutions_of_a_batch(arm):
    poses = arm.compute_transforms(arm.sample_configurations(5))
    found = arm.solve_ik_batch(poses, all=True)
    assert (found.counts > 1).all()
    assert (found.values == [rows[0] for rows in found]).all()
    for wrong in ({"all": True, "q0": np.zeros(7)}, {"turns": True}, {"q0": [0.0]}):
        with pytest.raises(ArgumentError):
            arm.solve_ik_batch(poses, **wrong)


def test_a_batch_without_solutions_is_false_and_says_why(arm):
    poses = arm.compute_transforms(arm.sample_configurations(3))
    found = arm.solve_ik_batch(poses)
    assert found
    assert found.cause == ""
    assert "3 of 3 goals solved" in found._repr_html_()
    poses[:, :3, 3] += 100.0
    nothing = arm.solve_ik_batch(poses)
    assert not nothing
    assert nothing.cause.startswith("none of 3 goals has a solution")
    assert nothing.cause in nothing._repr_html_()
    assert arm.solve_ik_batch(np.empty((0, 4, 4))).cause == "there are no goals"


def test_other_solvers_and_checks_find_the_nearest_too(arm):
    arm.robot.env.ignore_collisions("heron7/base", "table")
    poses = arm.compute_transforms(arm.sample_configurations(20))
    options = pyrave.IkFilterOptions.CHECK_ENV_COLLISIONS
    found = arm.solve_ik_batch(poses, options=options)
    checker = arm.robot.env.collision_checker
    assert 0 < found.found.sum() < 20
    rows = arm.compute_configurations(found.values[found.found])
    assert not checker.check_configurations(arm.robot, rows).any()
    arm.ik_solver = "Numerical"
    found = arm.solve_ik_batch(poses)
    assert found.found.sum() > 15
    reached = arm.compute_transforms(found.values[found.found])
    np.testing.assert_allclose(reached, poses[found.found], atol=1e-4)


def test_pieces_cover_all_rows_once(monkeypatch):
    for count in (0, 1, 1024, 1025, 100_000):
        rows = np.zeros(count, int)
        for some in pieces(count):
            rows[some] += 1
        assert (rows == 1).all()
    sizes = [some.stop - some.start for some in pieces(10_000, 100)]
    assert max(sizes) == 100
    slow = []
    for some in pieces(2000):
        slow.append(some.stop - some.start)
        time.sleep(0.1)
    assert slow[0] == 1024
    assert slow[1] < 600


CALLS = {
    "poses": lambda c: c.robot.compute_link_transforms(c.rows[:200_000]),
    "hessians": lambda c: c.robot.compute_hessians(c.rows, c.robot.links[-1]),
    "dynamics": lambda c: c.dynamics.compute_forward_dynamics(c.rows, c.rows, c.rows),
    "inverse dynamics": (
        lambda c: c.dynamics.compute_inverse_dynamics(c.rows, c.rows, c.rows)
    ),
    "masses": lambda c: c.dynamics.compute_mass_matrices(c.rows),
    "tools": lambda c: c.arm.compute_jacobians(c.rows[:, c.arm.arm_indices]),
    "ik": lambda c: c.arm.solve_ik_batch(c.poses),
    "all ik": lambda c: c.arm.solve_ik_batch(c.poses, all=True),
    "ik of six joints": lambda c: c.six.solve_ik_batch(c.poses),
    "configurations": lambda c: c.checker.check_configurations(c.robot, c.rows),
    "distances": lambda c: c.checker.distances(c.robot, c.rows),
    "motions": lambda c: c.checker.check_motions(c.robot, c.rows, c.rows[::-1]),
    "continuous": (
        lambda c: c.checker.check_motions(
            c.robot, c.rows, c.rows[::-1], continuous=True
        )
    ),
    "samples": lambda c: c.robot.sample_configurations(100_000),
    "plan": (lambda c: c.robot.plan(c.robot.sample_configurations(1)[0], timeout=60.0)),
    "rays": (
        lambda c: c.env.raycast(
            np.zeros(3), np.tile([1.0, 0.1, 0.0], (4000 * len(c.rows) // 1000, 1))
        )
    ),
}


@pytest.fixture(scope="module")
def called():
    """Return what `CALLS` are about, with forty rows, and what gives it a million."""
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    arm = robot.manipulators["arm"]
    rows = robot.sample_configurations(1000)
    found = SimpleNamespace(
        env=env, robot=robot, arm=arm, checker=env.collision_checker,
        dynamics=robot.dynamics,
        six=pyrave.load("ur5e").robots[0].manipulators[0],
    )  # fmt: skip
    poses = arm.compute_transforms(rows[:, arm.arm_indices])

    def sized(count):
        times = -(-count // 1000)
        found.rows = np.tile(rows, (times, 1))[:count]
        found.poses = np.tile(poses, (times, 1, 1))[:count]
        return found

    return sized


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_batch(name, called):
    """By processor time, of which a call takes as much on a busy machine."""
    call = CALLS[name]
    with eager():
        call(called(40))

    def calls(found):  # the jump of a loop lies outside of the "try" around it
        while True:
            call(found)

    found = called(1_000_000)
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    begin = time.process_time()
    try:
        # where one is lost another comes
        signal.setitimer(signal.ITIMER_PROF, 0.5, 5.0)
        with pytest.raises(KeyboardInterrupt):
            calls(found)
        spent = time.process_time() - begin
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    assert spent < 2.5
