"""What clones and pickles keep beside poses: states of all objects, failed ones."""
# ruff: noqa: S301 - the pickles are made here

import pickle

import numpy as np
import pytest

import pyrave
from pyrave import IkReturn, IkSolverBase, PlannerBase
from pyrave.ik import IkAction


class Tuned(PlannerBase):
    """A planner with a state, which a scene may hold."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.tuning = 0

    def init_plan(self, robot, parameters):
        return None

    def plan_path(self, trajectory):
        return None

    def get_parameters(self):
        return None

    def get_own_state(self):
        return self.tuning

    def set_own_state(self, state):
        self.tuning = state


class TunedIk(IkSolverBase):
    contract = 2
    tuning = 0

    def init(self, manipulator):
        self.arm = manipulator.name
        return True

    def get_manipulator(self):
        return self.env.robots[0].manipulators[self.arm]

    def solve_all(self, goal, options=0, free=None):
        return []

    def solve(self, goal, q0=None, options=0, free=None):
        return IkReturn(IkAction.REJECT_KINEMATICS)

    def get_num_free_parameters(self):
        return 0

    def get_free_parameters(self):
        return np.empty(0)

    def get_free_indices(self):
        return np.empty(0, dtype=np.int64)

    def get_own_state(self):
        return self.tuning

    def set_own_state(self, state):
        self.tuning = state


def by_clone(env):
    return env.clone()


def by_pickle(env):
    return pickle.loads(pickle.dumps(env))


@pytest.fixture
def offered():
    """Registered for the whole process, so that unpickled environments know them."""
    registry = pyrave.registry()
    with (
        registry.register("planner", "Tuned", Tuned),
        registry.register("iksolver", "TunedIk", TunedIk),
    ):
        yield


@pytest.mark.parametrize("copied", [by_clone, by_pickle])
def test_states_of_planners_and_solvers_are_kept(env, xml, offered, copied):
    env.load_string(xml.environment(xml.robot()))
    for tuning in (3, 5):
        planner = env.create("planner", "Tuned")
        planner.tuning = tuning
        env.add(planner)
    arm = env.robots[0].manipulators["hand"]
    arm.ik_solver = "TunedIk"
    arm.ik_solver.tuning = 7
    twin = copied(env)
    assert [planner.tuning for planner in twin.interfaces] == [3, 5]
    assert twin.robots[0].manipulators["hand"].ik_solver.tuning == 7
    assert twin.problems == ()
    assert env.robots[0].clone().manipulators["hand"].ik_solver.tuning == 7


def everything(env):
    robot = env.robots["arm"]
    return {
        "robot": robot,
        "body": env.bodies["block"],
        "controller": robot.controller,
        "attached": env.sensors["arm:eye"],
        "sensor": env.sensors["stand"],
        "module": env.modules[0],
        "engine": env.physics_engine,
        "checker": env.collision_checker,
        "planner": env.interfaces[0],
        "solver": robot.manipulators["hand"].ik_solver,
    }


def complete(env):
    env.add(env.create("planner", "Tuned"))
    env.robots["arm"].manipulators["hand"].ik_solver = "TunedIk"


@pytest.fixture
def spied(spies):
    from contextlib import ExitStack

    with ExitStack() as stack:
        for kind, made in (
            ("sensor", spies.sensor),
            ("controller", spies.controller),
            ("module", spies.module),
            ("physicsengine", spies.engine),
            ("collisionchecker", spies.checker),
        ):
            stack.enter_context(pyrave.registry().register(kind, made.__name__, made))
        yield


@pytest.mark.parametrize("copied", [by_clone, by_pickle])
def test_what_failed_stays_disabled_in_copies(crowded, offered, spied, copied):
    complete(crowded)
    for name in everything(crowded):
        for other, item in everything(crowded).items():
            item.disabled = other == name
        found = everything(copied(crowded))
        assert {other for other, item in found.items() if item.disabled} == {name}
    robot = crowded.robots["arm"]
    crowded.sensors["arm:eye"].disabled = robot.disabled = True
    twin = robot.clone()
    assert twin.disabled
    assert twin.attached_sensors["eye"].sensor.disabled


@pytest.mark.parametrize("copied", [by_clone, by_pickle])
def test_disabled_links_stay_disabled(env, xml, copied):
    env.load_string(xml.environment(xml.robot(), xml.body()))
    env.robots["arm"].links["upper"].enabled = False
    env.bodies["block"].enabled = False
    twin = copied(copied(env))
    assert [link.enabled for link in twin.robots["arm"].links] == [True, False, True]
    assert not twin.bodies["block"].enabled
    twin.robots["arm"].links["upper"].enabled = True
    assert not env.robots["arm"].links["upper"].enabled


def test_clones_of_clones_look_up_as_fast_and_see_the_same(env, spies):
    handle = env.register("module", "Shared", spies.module)
    twin = env
    for _ in range(5):
        twin = twin.clone()
        assert twin.create("module", "Shared").env is twin
    assert len(twin.registry._layers) == len(env.registry._layers)
    own = twin.register("module", "Shared", lambda env: spies.module(env, "own"))
    assert twin.create("module", "Shared").args == ("own",)
    assert env.create("module", "Shared").args == ()
    own.close()
    handle.close()
    for place in (env, twin):
        assert not place.registry.offers("module", "Shared")
        assert "Shared" not in place.registry.ids("module")
        assert ("module", "Shared") not in place.registry.report().registered


def test_what_no_script_may_describe_is_pickled(
    crowded,
):
    robot = crowded.robots[0]
    robot.dof_weights = np.full(robot.dof, np.inf)
    twin = pickle.loads(pickle.dumps(crowded)).robots[0]
    np.testing.assert_array_equal(twin.dof_weights, robot.dof_weights)
    with pytest.raises(pyrave.ArgumentError, match="weight is inf"):
        pyrave.Environment().create_body(robot.describe())
