"""Each test of a contract can fail: one broken class per mistake.

The sound classes are the skeletons that ``pyrave new-plugin`` writes; they conform.
A mutant is such a class with one or two methods replaced.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from inspect import signature

import numpy as np
import pytest
from breaking import (
    KEPT,
    accepting,
    bad_rows,
    changed,
    constant,
    keep_env,
    keep_self,
    late_rows,
    move,
    raising,
    random_rows,
    solved_without_text,
    then,
    unless_it_moves,
)
from broken_habits import HABITS
from broken_sensors import SENSOR_MUTANTS

from pyrave import setting
from pyrave.errors import NotSupportedError
from pyrave.ik import IkAction, IkReturn
from pyrave.interfaces import (
    CONTRACTS,
    INTERFACE_TYPES,
    ConfigureCommand,
    PlannerStatus,
    PlannerStatusCode,
)
from pyrave.plugins.generator import new_plugin
from pyrave.testing import InterfaceContract, contract_of
from pyrave.trajectories import ConfigurationSpecification


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Return the sound classes by type."""
    package = tmp_path_factory.mktemp("skeletons") / "kit_skeletons"
    names = {kind: [f"Kit{kind.title()}"] for kind in INTERFACE_TYPES}
    new_plugin("kit_skeletons", names, package)
    sys.path.insert(0, str(package / "src"))
    try:
        return {
            kind: getattr(importlib.import_module(f"kit_skeletons.kit_{kind}"), one)
            for kind, (one,) in names.items()
        }
    finally:
        sys.path.remove(str(package / "src"))


def rules_of(kind):
    """Return the names of the tests of a contract, those of all types first."""
    names = [name for name in dir(contract_of(kind)) if name.startswith("test_")]
    return sorted(names)


def outcome(kind, interface, name):
    """Run one test of a contract; return "passed", "skipped" or what it raised."""
    limit = getattr(interface, "time_limit", contract_of(kind).time_limit)
    body = {"interface": interface, "time_limit": limit}
    contract = type("Contract", (contract_of(kind),), body)()
    test, env = getattr(contract, name), contract.new_environment()
    given = {"env": env} if signature(test).parameters else {}
    del env
    try:
        test(**given)
    except pytest.skip.Exception as skipped:
        return f"skipped: {skipped}"
    except BaseException as error:  # noqa: BLE001 - mutants may raise anything
        return error
    return "passed"


@pytest.mark.filterwarnings("ignore:no collision checker is installed")
@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_skeletons_conform(kind, sound):
    seen = {name: outcome(kind, sound[kind], name) for name in rules_of(kind)}
    # classes that are not installed do not travel in a pickle
    allowed = {"test_pickles"}
    assert {name for name, one in seen.items() if one != "passed"} <= allowed, seen
    assert all("skipped" in str(seen.get(name, "skipped")) for name in allowed)


HAS = PlannerStatus(PlannerStatusCode.HAS_SOLUTION)
POWER = ConfigureCommand.POWER_CHECK
OTHER = ConfigurationSpecification().add_group("joint_values other 0", 1, "linear")


@dataclasses.dataclass(frozen=True)
class Undocumented:
    """Settings of which nobody says what they mean."""

    speed: float = 1.0


@dataclasses.dataclass(frozen=True)
class Speed:
    """Settings as they should be."""

    speed: float = setting(1.0, "of what turns")


def with_settings(**methods):
    """Return a way to break a class that has settings."""
    return lambda _: {"settings_type": Speed, **methods}


# (type, check that must fail, base class -> replaced attributes)
MUTANTS = [
    ("module", "settings_declared", lambda _: {"settings_type": Undocumented}),
    (
        "module",
        "settings_refused",
        with_settings(change_settings=lambda *_, **__: None),
    ),
    (
        "module",
        "settings_change",
        with_settings(settings_changed=raising(OSError("no"))),
    ),
    ("module", "contract_stated", lambda b: {"contract": None}),
    ("module", "documented", lambda b: {"__doc__": ""}),
    ("module", "env_goes_away", keep_env),
    ("module", "goes_away", keep_self),
    ("module", "state", lambda b: {"get_state": constant(lambda: 0)}),
    ("module", "readables", lambda b: {"readable_changed": raising(KeyError("kit"))}),
    ("module", "main", lambda b: {"main": constant(None)}),
    ("module", "main", lambda b: {"main": constant(3)}),
    ("module", "step", lambda b: {"simulation_step": constant(None)}),
    ("module", "runs", lambda b: {"simulation_step": raising(OSError("no"))}),
    ("module", "reset", lambda b: {"reset": raising(OSError("no"))}),
    ("module", "destroy", lambda b: {"destroy": raising(OSError("no"))}),
    (
        "module",
        "several",
        lambda b: {"name": property(lambda _: "one", constant(None))},
    ),
    ("module", "removable", lambda b: {"destroy": raising(OSError("no"))}),
    *SENSOR_MUTANTS,
    ("controller", "unbound", lambda b: {"is_control_transformation": constant(True)}),
    (
        "controller",
        "takes_over",
        lambda b: {"get_control_dof_indices": changed(b.get_control_dof_indices, set)},
    ),
    ("controller", "takes_over", lambda b: {"is_done": constant(False)}),
    (
        "controller",
        "idle",
        lambda b: {"simulation_step": lambda self, dt: move(self.get_robot())},
    ),
    (
        "controller",
        "keeps_to_its_dofs",
        lambda b: {
            "simulation_step": then(
                b.simulation_step, lambda self, dt: move(self.get_robot())
            )
        },
    ),
    ("controller", "answers", lambda b: {"set_desired": constant(None)}),
    ("controller", "answers", lambda b: {"is_done": constant(None)}),
    (
        "controller",
        "refuses_nonsense",
        lambda b: {"set_desired": accepting(b.set_desired)},
    ),
    (
        "controller",
        "goal_is_copied",
        lambda b: {
            "set_desired": then(
                b.set_desired,
                lambda self, values, *_: setattr(self, "_goal", values),
            )
        },
    ),
    ("controller", "a_clone_goes_on", lambda b: {"get_state": constant(None)}),
    ("controller", "done_means_done", lambda b: {"is_done": constant(True)}),
    ("controller", "reset", lambda b: {"reset": lambda self, options=0: None}),
    ("controller", "follows_a_path", lambda b: {"set_path": constant(None)}),
    ("controller", "follows_a_path", lambda b: {"is_done": constant(False)}),
    ("controller", "reports", lambda b: {"get_velocity": constant(np.zeros(99))}),
    ("planner", "life", lambda b: {"get_parameters": constant("parameters")}),
    ("planner", "life", lambda b: {"init_plan": constant(True)}),
    ("planner", "not_initialised", lambda b: {"plan_path": constant(HAS)}),
    (
        "planner",
        "ends",
        lambda b: {"plan_path": then(b.plan_path, lambda self, t, *_: late_rows(t))},
    ),
    ("planner", "within_limits", lambda b: {"plan_path": then(b.plan_path, bad_rows)}),
    (
        "planner",
        "stays",
        lambda b: {
            "plan_path": then(b.plan_path, lambda self, *_: move(self.env.robots[0]))
        },
    ),
    (
        "planner",
        "goal_is_start",
        lambda b: {"plan_path": unless_it_moves(b.plan_path)},
    ),
    ("planner", "says_why_not", lambda b: {"init_plan": raising(ValueError("bad"))}),
    (
        "planner",
        "says_why_not",
        lambda b: {"init_plan": solved_without_text(b.init_plan)},
    ),
    ("planner", "repeatable", lambda b: {"plan_path": then(b.plan_path, random_rows)}),
    (
        "planner",
        "reusable",
        lambda b: {
            "init_plan": lambda self, robot, parameters: (
                b.init_plan(self, robot, parameters)
                if self.get_parameters() is None
                else PlannerStatus(PlannerStatusCode.FAILED, "used up")
            )
        },
    ),
    ("spacesampler", "dimension", lambda b: {"get_dof": constant(2.0)}),
    ("spacesampler", "supports", lambda b: {"supports": constant(False)}),
    (
        "spacesampler",
        "shape",
        lambda b: {"sample_sequence": constant(np.full((1, 1), np.nan))},
    ),
    (
        "spacesampler",
        "refuses",
        lambda b: {
            "sample_sequence": lambda self, n=1, interval=3: b.sample_sequence(
                self, abs(n), interval
            )
        },
    ),
    (
        "spacesampler",
        "ends_of_the_range",
        lambda b: {
            "sample_sequence": lambda self, n=1, interval=3: np.zeros(
                (n, self.get_number_of_values())
            )
        },
    ),
    (
        "spacesampler",
        "seed",
        lambda b: {
            "sample_sequence": lambda self, n=1, interval=3: (
                np.random.default_rng().random((n, self.get_number_of_values()))
            )
        },
    ),
    (
        "spacesampler",
        "global_state",
        lambda b: {
            "sample_sequence": lambda self, n=1, interval=3: np.random.rand(  # noqa: NPY002
                n, self.get_number_of_values()
            )
        },
    ),
    (
        "spacesampler",
        "one_by_one",
        lambda b: {
            "sample_sequence": changed(b.sample_sequence, lambda rows: rows[::-1])
        },
    ),
    ("spacesampler", "complete", lambda b: {"sample_complete": constant(1.0)}),
    (
        "spacesampler",
        "space",
        lambda b: {"set_space_dof": lambda self, dof: b.set_space_dof(self, 1)},
    ),
    ("spacesampler", "resumes", lambda b: {"set_state": lambda self, state: None}),
    ("physicsengine", "options", lambda b: {"get_physics_options": constant("none")}),
    (
        "physicsengine",
        "gravity",
        lambda b: {"get_gravity": lambda self: self._gravity},
    ),
    (
        "physicsengine",
        "velocities",
        lambda b: {"get_link_velocity": constant(np.ones(6))},
    ),
    (
        "physicsengine",
        "set_velocity",
        lambda b: {
            "set_link_velocity": lambda self, link, linear, angular: (
                b.set_link_velocity(self, link, angular, linear)
            )
        },
    ),
    (
        "physicsengine",
        "refuses",
        lambda b: {"set_link_velocities": accepting(b.set_link_velocities)},
    ),
    (
        "physicsengine",
        "clock",
        lambda b: {
            "simulate_step": lambda self, dt: self.env.internals.stepper.set_time(
                self.env.internals.stepper.time + 10_000
            )
        },
    ),
    (
        "physicsengine",
        "finite",
        lambda b: {
            "simulate_step": lambda self, dt: self.env.robots[0]._values.fill(9.0)
        },
    ),
    (
        "physicsengine",
        "bodies_come_and_go",
        lambda b: {"init_kinbody": raising(OSError("full"))},
    ),
    (
        "physicsengine",
        "handed_over",
        lambda b: {
            "init_environment": lambda self: None,
            "get_link_velocities": lambda self, body: np.zeros((0, 6)),
        },
    ),
    (
        "physicsengine",
        "optional",
        lambda b: {"set_body_force": raising(TypeError("x"))},
    ),
    ("collisionchecker", "options", lambda b: {"get_collision_options": constant(0)}),
    ("collisionchecker", "tolerance", lambda b: {"set_tolerance": constant(None)}),
    ("collisionchecker", "apart", lambda b: {"check_collision": constant(True)}),
    ("collisionchecker", "overlap", lambda b: {"check_collision": constant(False)}),
    (
        "collisionchecker",
        "overlap",
        lambda b: {
            "check_collision": lambda self, first, second=None, **k: (
                getattr(first, "name", "") == "kit_box"
                and b.check_collision(self, first, second, **k)
            )
        },
    ),
    ("collisionchecker", "moves_along", lambda b: {"check_collision": constant(True)}),
    ("collisionchecker", "disabled", lambda b: {"check_collision": constant(True)}),
    (
        "collisionchecker",
        "excluded",
        lambda b: {
            "check_collision": lambda self, first, second=None, *, report=None, **_: (
                b.check_collision(self, first, second, report=report)
            )
        },
    ),
    (
        "collisionchecker",
        "report",
        lambda b: {
            "check_collision": lambda self, first, second=None, *, report=None, **k: (
                b.check_collision(self, first, second, **k)
            )
        },
    ),
    (
        "collisionchecker",
        "closed_forms",
        lambda b: {
            "check_collision": lambda self, first, second=None, **k: (
                not first.name.startswith("kit_solid")
                and b.check_collision(self, first, second, **k)
            )
        },
    ),
    ("collisionchecker", "closed_forms", lambda b: {"exact": True}),
    ("collisionchecker", "distances", lambda b: {"set_collision_options": constant(0)}),
    (
        "collisionchecker",
        "options_are_restored",
        lambda b: {
            "set_collision_options": lambda self, options: (
                b.set_collision_options(self, options) if options else None
            )
        },
    ),
    (
        "collisionchecker",
        "all_link_collisions",
        lambda b: {
            "check_collision": lambda self, first, second=None, *, report=None, **k: (
                b.check_collision(self, first, second, report=report, **k),
                report and report.pairs.clear(),
            )[0]
        },
    ),
    ("collisionchecker", "ignored_pairs", lambda b: {"is_ignored": constant(False)}),
    (
        "collisionchecker",
        "configurations",
        lambda b: {
            "check_configurations": lambda self, body, rows, **k: np.zeros(
                len(rows), bool
            )
        },
    ),
    ("collisionchecker", "grabbed", lambda b: {"check_collision": constant(True)}),
    ("collisionchecker", "ray", lambda b: {"check_ray": constant(False)}),
    (
        "collisionchecker",
        "ray",
        lambda b: {
            "check_ray": lambda self, origin, direction, target=None, report=None: (
                b.check_ray(self, origin, np.multiply(direction, 99), target, report)
            )
        },
    ),
    (
        "collisionchecker",
        "self_collision",
        lambda b: {"check_self_collision": constant(True)},
    ),
    (
        "collisionchecker",
        "bodies_come_and_go",
        lambda b: {"remove_kinbody": raising(KeyError("body"))},
    ),
    ("trajectory", "empty", lambda b: {"__bool__": constant(False)}),
    ("trajectory", "insert", lambda b: {"remove": constant(None)}),
    (
        "trajectory",
        "overwrite",
        lambda b: {
            "insert": lambda self, index, data, spec=None, overwrite=False: b.insert(
                self, index, data, spec
            )
        },
    ),
    ("trajectory", "refuses", lambda b: {"remove": accepting(b.remove)}),
    ("trajectory", "time", lambda b: {"get_duration": constant(3.0)}),
    ("trajectory", "sample", lambda b: {"sample": constant(np.zeros(3))}),
    (
        "trajectory",
        "first_holds",
        lambda b: {
            "sample": lambda self, time, spec=None: b.sample(self, time + 0.7, spec)
        },
    ),
    (
        "trajectory",
        "untimed",
        lambda b: {"sample": accepting(b.sample), "get_duration": constant(1.0)},
    ),
    (
        "trajectory",
        "converts",
        lambda b: {
            "insert": lambda self, index, data, spec=None, overwrite=False: b.insert(
                self, index, np.zeros((len(data), self.spec.dof)), None, overwrite
            )
        },
    ),
    ("trajectory", "serialises", lambda b: {"deserialize": constant(None)}),
    ("trajectory", "swap", lambda b: {"swap": constant(None)}),
    ("iksolver", "fits", lambda b: {"get_manipulator": constant("arm")}),
    ("iksolver", "fits", lambda b: {"init": then(lambda *_: None, lambda *_: None)}),
    ("iksolver", "free", lambda b: {"get_num_free_parameters": constant(7)}),
    (
        "iksolver",
        "verifies",
        lambda b: {
            "solve_all": lambda self, goal, *_: [
                IkReturn(IkAction.SUCCESS, np.full(3, 0.05))
            ]
        },
    ),
    ("iksolver", "verifies", lambda b: {"solve_all": constant([])}),
    (
        "iksolver",
        "nearest",
        lambda b: {
            "solve": lambda self, goal, q0=None, *_: IkReturn(
                IkAction.SUCCESS, np.asarray(q0) + 1.0
            )
        },
    ),
    (
        "iksolver",
        "leaves_the_robot",
        lambda b: {
            "solve": then(b.solve, lambda self, *_: move(self.get_manipulator().robot))
        },
    ),
    (
        "iksolver",
        "out_of_reach",
        lambda b: {
            "solve": lambda self, *_: IkReturn(IkAction.SUCCESS, np.zeros(3)),
        },
    ),
    (
        "iksolver",
        "filters",
        lambda b: {"call_filters": lambda self, q, goal: IkReturn(IkAction.SUCCESS, q)},
    ),
    ("sensorsystem", "tracks", lambda b: {"is_body_present": constant(True)}),
    ("sensorsystem", "tracks", lambda b: {"remove_kinbody": constant(True)}),
    ("sensorsystem", "switches", lambda b: {"switch_body": constant(True)}),
    ("sensorsystem", "reset", lambda b: {"reset": constant(None)}),
    ("viewer", "main", lambda b: {"main": lambda self: 0}),
    ("viewer", "quit", lambda b: {"quit_main_loop": raising(OSError("no loop"))}),
    ("viewer", "sync", lambda b: {"environment_sync": raising(OSError("no window"))}),
    ("viewer", "optional", lambda b: {"set_camera": raising(TypeError("camera"))}),
    ("kinbody", "init", lambda b: {"init": lambda self, description, model=None: None}),
    (
        "kinbody",
        "kinematics",
        lambda b: {
            "link_transforms": property(lambda self: self.transforms_view + 0.1)
        },
    ),
    (
        "kinbody",
        "values",
        lambda b: {"dof_values": property(lambda self: self._values)},
    ),
    ("kinbody", "body_state", lambda b: {"set_state": lambda self, state: None}),
    ("kinbody", "clone", lambda b: {"clone": lambda self: self}),
    ("kinbody", "step", lambda b: {"simulation_step": raising(OSError("stuck"))}),
    (
        "robot",
        "kinematics",
        lambda b: {
            "link_transforms": property(lambda self: self.transforms_view + 0.1)
        },
    ),
    ("robot", "manipulators", lambda b: {"manipulators": ()}),
    ("robot", "controller", lambda b: {"controller": None}),
    ("robot", "active_dofs", lambda b: {"set_active_dofs": lambda self, *_: None}),
    ("robot", "sensors", lambda b: {"attached_sensors": (1, 2)}),
    *HABITS,
]


@pytest.mark.filterwarnings("ignore:no collision checker is installed")
@pytest.mark.parametrize(
    ("kind", "name", "change"),
    MUTANTS,
    ids=[f"{kind}-{name}-{i}" for i, (kind, name, _) in enumerate(MUTANTS)],
)
def test_mutant_is_found(kind, name, change, sound):
    base = sound[kind]
    body = {"__doc__": "A mutant.", "__module__": __name__, "contract": CONTRACTS[kind]}
    body |= change(base)
    if body["contract"] is None:
        del body["contract"]
    mutant = type("Mutant", (base,), body)
    seen = outcome(kind, mutant, f"test_{name}")
    KEPT.clear()
    assert isinstance(seen, BaseException), (
        f"{seen}: the check misses it, or the skeleton's base class mends it"
    )
    # a mutant that names what its skeleton no longer has is found for another reason
    assert "'Mutant' object has no attribute" not in str(seen), seen


def test_every_test_of_a_contract_has_a_mutant():
    """What no mutant can show is listed here."""
    rest = {"loads", "creates", "constructor", "commands", "independent"}
    rest |= {"runs", "clones", "removable", "pickles"}
    common = {f"test_{name}" for name in rest} | set(dir(InterfaceContract))
    shown = {(kind, f"test_{name}") for kind, name, _ in MUTANTS}
    missing = {
        (kind, name)
        for kind in INTERFACE_TYPES
        for name in rules_of(kind)
        if name not in common
        and (kind, name) not in shown
        and not (kind == "robot" and ("kinbody", name) in shown)
    }
    assert not missing
    of_all = {name for name in dir(InterfaceContract) if name.startswith("test_")}
    assert of_all - {name for _, name in shown} < {f"test_{name}" for name in rest}


@pytest.mark.filterwarnings("ignore:no collision checker is installed")
def test_a_checker_that_checks_nothing_must_say_so():
    seen = outcome("collisionchecker", "GenericCollisionChecker", "test_overlap")
    assert seen.startswith("skipped")
    assert "env.problems" in seen


def test_what_is_not_supported_is_skipped(sound):
    class Fixed(sound["spacesampler"]):
        """It has no complete sets."""

        contract = 1

        def sample_complete(self, n, interval=3):
            raise NotSupportedError("there are no complete sets")

    seen = outcome("spacesampler", Fixed, "test_complete")
    assert seen == "skipped: there are no complete sets"
