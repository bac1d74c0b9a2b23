"""Dynamics of OpenRAVE's robots against Pinocchio."""

from __future__ import annotations

import corpus
import numpy as np
import pytest
from pinocchio_twin import check_dynamics, check_motion

import pyrave
from pyrave.kinematics import joint_values

ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")
ROBOTS = tuple(f for f in corpus.openrave_files() if f.endswith(".robot.xml"))
N = 10


def configurations(model, rng):
    """Rows within the limits at which no follower is near one of its own.

    The twin takes differences up to 0.0081 away.
    """
    lower, upper = np.maximum(model.dof_lower, -3), np.minimum(model.dof_upper, 3)
    rows = rng.uniform(0.99 * lower, 0.99 * upper, (20 * N, model.n_dof))
    follower = model.mimic
    low, high = model.value_lower[follower], model.value_upper[follower]

    def moves(q):
        values = joint_values(model, q)[follower]
        return (np.minimum(abs(values - low), abs(values - high)) > 0.009).all()

    return np.array([q for q in rows if moves(q)][:N])


@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics(name):
    env = pyrave.Environment()
    env.load(ROOT / name, resource_roots=[ROOT])
    rng = np.random.default_rng(ROBOTS.index(name))
    for body in env.bodies:
        model = body.model
        if not model.n_dof or len(model.closing_joints):
            continue
        q = configurations(model, rng)
        assert len(q) == N
        qd, qdd = rng.uniform(-1, 1, (2, N, model.n_dof))
        wrenches = rng.normal(size=(N, model.n_links, 6))
        check_motion(model, q, qd, qdd)
        check_dynamics(model, q, qd, qdd, wrenches)
