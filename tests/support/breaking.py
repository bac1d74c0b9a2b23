"""Ways to break a sound class, for tests that its contract notices.

Each function returns a method to put in the place of another, or is one.
"""

import numpy as np

from pyrave.interfaces import PlannerStatus, PlannerStatusCode

KEPT = []
"""What `keep_self` holds on to; tests empty it."""


def only(method, when, result):
    """Return a method that gives `result` when a condition on its arguments holds."""

    def call(self, *args, **kwargs):
        if when(*args):
            return result
        return method(self, *args, **kwargs)

    return call


def keep_env(base):
    def init(self, env, *args):
        base.__init__(self, env, *args)
        KEPT.append(env)

    return {"__init__": init}


def keep_self(base):
    def init(self, env, *args):
        base.__init__(self, env, *args)
        KEPT.append(self)

    return {"__init__": init}


def then(method, act):
    """Return a method that does something wrong after the right thing."""

    def call(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        act(self, *args)
        return result

    return call


def changed(method, change):
    """Return a method whose result is changed."""

    def call(self, *args, **kwargs):
        return change(method(self, *args, **kwargs))

    return call


def constant(value):
    return lambda *_args, **_kwargs: value


def raising(error):
    def call(*_args, **_kwargs):
        raise error

    return call


def accepting(method):
    """Return a method that swallows refusals."""

    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except ValueError:
            return True

    return call


def move(robot, index=-1, by=0.01):
    values = robot.dof_values
    values[index] += by
    robot.set_dof_values(values)


def late_rows(trajectory):
    rows = trajectory.get_waypoints()
    rows[-1, 0] += 0.01
    trajectory.clear_waypoints()
    trajectory.insert(0, rows)


def solved_without_text(method):
    def call(self, *args, **kwargs):
        status = method(self, *args, **kwargs)
        return PlannerStatus(status.code)

    return call


def unless_it_moves(method):
    def call(self, *args, **kwargs):
        known = self.get_parameters()
        same = known is not None and np.array_equal(
            known.initial_configuration, known.goal_configuration
        )
        if same:
            return PlannerStatus(PlannerStatusCode.FAILED)
        return method(self, *args, **kwargs)

    return call


def random_rows(self, trajectory, *_):
    rows = trajectory.get_waypoints()
    middle = rows[:1].copy()
    middle[0, 0] += np.random.default_rng().uniform(0, 1e-3)
    trajectory.insert(1, middle)


def bad_rows(self, trajectory, *_):
    rows = trajectory.get_waypoints()
    middle = rows[:1].copy()
    middle[0, 0] = 50.0
    trajectory.insert(1, middle)


def keep(self, *things):
    """Let an object hold on to others."""
    self.kept = [*getattr(self, "kept", ()), *things]
