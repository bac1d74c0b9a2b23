"""Classes with one habit each that goes unnoticed until a scene is large or runs long.

As `broken_sensors`: (type, check that must fail, base class -> replaced attributes).
"""

import time
from dataclasses import replace

import numpy as np
from breaking import changed, constant, keep, move, then

from pyrave.interfaces import PlannerStatus, PlannerStatusCode

HAS = PlannerStatus(PlannerStatusCode.HAS_SOLUTION)
KINDS = ("module", "sensor", "controller", "physicsengine", "collisionchecker")
BODIES = ("kinbody", "robot")
SHARED = []


def measuring(**fields):
    """Return a way to break a sensor: fields of what it measures are replaced."""
    return lambda b: {
        "measure": changed(
            b.measure,
            lambda d: replace(d, **{k: f(getattr(d, k)) for k, f in fields.items()}),
        )
    }


def counting(name):
    """Return a way to break a class: it counts calls of a method, for itself."""

    def begin(self, *_):
        self.count = 0

    def count(self, *_):
        self.count += 1

    return lambda b: {
        "__init__": then(b.__init__, begin),
        name: then(getattr(b, name), count),
    }


def listing(name):
    """Return a way to break a class: its objects write into one list."""
    return lambda b: {
        "seen": [],
        name: then(getattr(b, name), lambda self, *_: self.seen.append(1)),
    }


def lending(name):
    """Return a way to break a class: its copies get its own list."""

    def begin(self, *_):
        self.log = []

    def adopt(self, state):
        self.log = SHARED

    def lend(self):
        SHARED[:] = self.log
        self.log = SHARED

    return lambda b: {
        "__init__": then(b.__init__, begin),
        name: then(getattr(b, name), lambda self, *_: self.log.append(1)),
        "get_state": lambda self: (lend(self), b.get_state(self))[1],
        "set_state": lambda self, state: (b.set_state(self, state), adopt(self, 0))[0],
    }


def hold(index):
    """Return a method that keeps one of its arguments in the object."""
    return lambda self, *args: keep(self, args[index])


def straight(self, trajectory, *_):
    """Plan straight through walls and constraints."""
    given = self.get_parameters()
    trajectory.init(given.specification)
    trajectory.insert(
        0, np.array([given.initial_configuration, given.goal_configuration])
    )
    return HAS


def put_robot_back_late(self, *_args, **_named):
    """Leave a robot a little beside where it was."""
    move(self.env.robots[0])


def shift(self, *_):
    for body in self.env.bodies:
        pose = body.transform
        pose[2, 3] += 0.001
        body.transform = pose


def shift_constantly(b):
    def simulate_step(self, dt):
        for body in self.env.bodies:
            if not body.links[0].static:
                pose = body.transform
                pose[:3, 3] += body.base_velocity[:3] * 0.01
                body.transform = pose

    return {"simulate_step": simulate_step}


def shared_rows(b):
    """Keep the array of the caller."""

    def insert(self, index, data, spec=None, overwrite=False):
        b.insert(self, index, data, spec, overwrite)
        if isinstance(data, np.ndarray):
            self.given = data

    def get_waypoints(self, start=0, stop=None, spec=None):
        rows = getattr(self, "given", None)
        return b.get_waypoints(self, start, stop, spec) if rows is None else rows.copy()

    return {"insert": insert, "get_waypoints": get_waypoints}


def strongly(b):
    """Keep the robot."""
    return {"init": then(b.init, hold(0))}


def track_all(b):
    def add_registered_bodies(self, bodies):
        for body in bodies:
            self.add_kinbody(body)

    return {"add_registered_bodies": add_registered_bodies}


def never_ending(self, show=True):
    while True:
        time.sleep(0.02)


def creep(self, wanted, dt):
    return self.values + np.clip(self.error(wanted), -0.004, 0.004)


def follow_given(b):
    """Follow the trajectory of the caller itself."""

    def set_path(self, trajectory):
        answer = b.set_path(self, trajectory)
        self.given = trajectory
        return answer

    def simulation_step(self, dt):
        given = getattr(self, "given", None)
        if given is not None and not given.get_num_waypoints():
            self.reset()
        b.simulation_step(self, dt)

    return {"set_path": set_path, "simulation_step": simulation_step}


def fall(base):
    """Let the last joint go where a path begins."""

    def set_path(self, trajectory):
        robot = self.require_robot()
        robot.set_dof_values([0.0], [robot.dof - 1])
        return base.set_path(self, trajectory)

    return {"set_path": set_path}


HABITS = [
    ("sensor", "data_shapes", measuring(ranges=np.transpose)),
    ("sensor", "data_shapes", measuring(ranges=lambda r: r * np.nan)),
    ("sensor", "data_shapes", measuring(ranges=lambda r: r + np.inf)),
    ("sensor", "data_shapes", measuring(intensity=lambda _: np.ones(7))),
    ("sensor", "data_shapes", measuring(positions=lambda p: p[0])),
    ("sensor", "data_shapes", measuring(body_ids=lambda _: [None])),
    ("sensor", "data_shapes", measuring(ranges=lambda r: r * 100.0)),
    ("sensor", "measures", measuring(pose=lambda p: 2.0 * p)),
    ("sensor", "measures", measuring(stamp=lambda t: t * 1e6)),
    (
        "sensor",
        "measuring_moves_nothing",
        lambda b: {"measure": then(b.measure, put_robot_back_late)},
    ),
    (
        "sensor",
        "measuring_moves_nothing",
        lambda b: {
            "measure": then(b.measure, lambda self: keep(self, *self.env.bodies))
        },
    ),
    (
        "sensor",
        "repeatable",
        measuring(intensity=lambda _: np.array([time.time() % 1.0])),
    ),
    *((kind, "state_is_whole", counting("simulation_step")) for kind in KINDS[:3]),
    *((kind, "state_is_whole", listing("simulation_step")) for kind in KINDS[:3]),
    ("module", "state_is_whole", lending("simulation_step")),
    ("physicsengine", "state_is_whole", counting("simulate_step")),
    ("collisionchecker", "state_is_whole", counting("check_pair")),
    *((kind, "state_is_whole", counting("simulation_step")) for kind in BODIES),
    *((kind, "clone_has_its_state", counting("simulation_step")) for kind in BODIES),
    ("module", "reset", lambda b: {"reset": constant(None)}),
    ("module", "reset", counting("simulation_step")),
    ("controller", "path_is_copied", follow_given),
    ("controller", "moves_with_time", lambda b: {"next_values": creep}),
    ("controller", "robot_goes_away", strongly),
    (
        "controller",
        "stays_at_the_end",
        lambda b: {"next_values": lambda self, wanted, dt: wanted.values - 0.002},
    ),
    ("controller", "what_a_path_leaves_out", fall),
    (
        "planner",
        "keeps_its_problem",
        lambda b: {
            "plan_path": then(
                b.plan_path,
                lambda self, *_: self.get_parameters().goal_configuration.fill(0.0),
            )
        },
    ),
    (
        "planner",
        "progress",
        lambda b: {"call_progress": lambda self, progress: None, "plan_path": straight},
    ),
    ("planner", "constraints", lambda b: {"plan_path": straight}),
    ("planner", "walls", lambda b: {"plan_path": straight}),
    ("physicsengine", "dt", shift_constantly),
    ("physicsengine", "static", lambda b: {"simulate_step": shift}),
    (
        "physicsengine",
        "bodies_go_away",
        lambda b: {
            "simulate_step": then(
                b.simulate_step, lambda self, _: keep(self, *self.env.bodies)
            )
        },
    ),
    ("trajectory", "rows_are_copied", shared_rows),
    (
        "trajectory",
        "rows_are_copied",
        lambda b: {
            "insert": then(b.insert, lambda self, _, data, *__: np.copyto(data, 0.0))
        },
    ),
    ("sensorsystem", "tracks_what_it_is_given", track_all),
    (
        "sensorsystem",
        "tracks_what_it_is_given",
        lambda b: {"is_body_present": lambda self, body: bool(self._tracked)},
    ),
    (
        "sensorsystem",
        "tracks_what_it_is_given",
        lambda b: {"add_kinbody": then(b.add_kinbody, shift)},
    ),
    (
        "sensorsystem",
        "bodies_go_away",
        lambda b: {"add_kinbody": then(b.add_kinbody, hold(0))},
    ),
    ("viewer", "main_ends", lambda b: {"main": never_ending, "time_limit": 1.0}),
    ("viewer", "main_ends", lambda b: {"main": lambda self, show=True: None}),
    ("viewer", "main_ends", lambda b: {"main": lambda self, show=True: 3}),
    (
        "viewer",
        "shows_only",
        lambda b: {"environment_sync": then(b.environment_sync, shift)},
    ),
    (
        "viewer",
        "shows_only",
        lambda b: {"environment_sync": lambda self: self.env.step(0.01)},
    ),
    (
        "viewer",
        "shows_only",
        lambda b: {
            "environment_sync": lambda self: keep(self, *self.env.bodies),
        },
    ),
    (
        "collisionchecker",
        "moves_nothing",
        lambda b: {"check_pair": then(b.check_pair, put_robot_back_late)},
    ),
    (
        "collisionchecker",
        "moves_nothing",
        lambda b: {"check_ray": then(b.check_ray, shift)},
    ),
    (
        "collisionchecker",
        "bodies_go_away",
        lambda b: {
            "check_pair": lambda self, first, second: (
                keep(self, first, second),
                b.check_pair(self, first, second),
            )[1]
        },
    ),
]
