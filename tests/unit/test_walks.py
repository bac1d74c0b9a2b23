"""Calls that lie between a user and the result: budgets, which only fall.

Each walk is an ordinary call, made again when all is known: kernels are compiled or
interpreted, and do not count. A commit that passes a budget makes the walk shorter, or
raises the budget with a reason beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

import pyrave
from pyrave.jit import eager

BOX = """<environment><kinbody name="b"><body name="l"><geom type="box">
<extents>.1 .1 .1</extents></geom></body></kinbody></environment>"""


def walked(call: Callable[[], object], before: int = 5) -> tuple[int, int]:
    """Return how many functions of pyrave a call runs, and in how many modules.

    The shortest of three: one of them may be that with which compiling begins to pay.
    """
    names: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("pyrave") and ".kernels." not in name:
            names.append(name)

    found = []
    with eager():  # the same number, whatever the cache has
        for count in range(before + 3):
            names.clear()
            sys.setprofile(note if count >= before else None)
            try:
                call()
            finally:
                sys.setprofile(None)
            found.append((len(names), len(set(names))))
    return min(found[before:])


@pytest.fixture(scope="module")
def env():
    return pyrave.load("scenes/demo.env.xml")


def load(_):
    return lambda: pyrave.load_string(BOX)


def solve_ik(_):
    arm = pyrave.load("robots/arms/puma560.robot.xml").robots[0].active_manipulator
    pose = arm.transform
    return lambda: arm.solve_ik(pose)


def check_collision(env):
    robot = env.robots[0]
    count = iter(range(1_000_000))

    def moved():
        robot.set_dof_values([0.001 * next(count)], [0])
        return env.check_collision(robot)

    return moved


def dynamics(env):
    robot = env.robots[0]
    rates = robot.dof_velocities

    def moved():
        robot.dof_velocities = rates
        robot.inverse_dynamics(rates)
        robot.forward_dynamics(rates)
        robot.mass_matrix()
        robot.jacobian(3)

    return moved


def plan(env):
    arm = env.robots[0].active_manipulator
    goal = arm.arm_dof_values + 0.1
    return lambda: arm.plan(values=goal)


def read(env):
    env.step(0.1)
    return env.sensors[0].read


def step(env):
    return lambda: env.step(0.1)


@pytest.mark.filterwarnings("ignore::pyrave.SceneWarning")
@pytest.mark.parametrize(
    ("make", "calls", "modules"),
    [
        (load, 350, 75),
        (solve_ik, 25, 14),
        (check_collision, 75, 25),
        (dynamics, 47, 13),
        (plan, 804, 88),  # 797 alone, 801 behind all other tests of a process
        (read, 29, 6),
        (step, 132, 38),  # with the types of 11 arrays that are read only, for numba
    ],
)
def test_few_functions_lie_on_the_way(env, make, calls, modules):
    made, rooms = walked(make(env))
    assert made <= calls, made
    assert rooms <= modules, rooms
