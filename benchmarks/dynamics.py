"""Inverse dynamics, mass matrices and forward dynamics against Pinocchio.

The robots of `robots.py`, results compared to 1e-8 first. One core, medians of
interleaved samples. No targets; the figures are ratios of time to Pinocchio's.

* Single call: Pinocchio's functions, called from Python, return views of its data.
* Batch: Pinocchio's own loop in C++ on one thread where it has one (RNEA and ABA),
  else a loop in Python.
* As called: the state is given to a robot of an environment, which is asked; batches
  through ``robot.dynamics``.

``pip install pyrave[dev]`` installs Pinocchio. With ``--samples`` and ``--batch`` for
other numbers than 31 samples and 1000 configurations.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pinocchio
from measuring import each, interleaved, pin_to_one_core, report
from robots import Robot, arm6, arm7, humanoid, mobile_tree

import pyrave
from pyrave import kinematics

CALLS = 200
"""Calls of one sample of a single call."""
GRAVITY = np.array((0.0, 0.0, -9.81))
BASE = np.eye(4)


def twin(robot: Robot, model: kinematics.Model) -> tuple[Any, Any, np.ndarray]:
    """Return Pinocchio's model and data, and its place of each of our joints."""
    other = pinocchio.buildModelFromXML(robot.urdf())
    other.gravity.linear = GRAVITY
    names = [model.joint_names[j] for j in model.value_joint[: model.n_dof]]
    places = [other.joints[other.getJointId(name)].idx_q for name in names]
    return other, other.createData(), np.argsort(places)


def measure(robot: Robot, samples: int, n: int) -> dict[str, Any]:
    """Return figures of one robot."""
    model = kinematics.compile_body(robot.description())
    env = pyrave.Environment()
    env.gravity = GRAVITY
    made = env.create("robot", "")
    made.init(robot.description())
    env.add(made)
    other, data, order = twin(robot, model)
    rng = np.random.default_rng(len(robot.parts))
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, n, model.n_dof))
    theirs = [np.ascontiguousarray(a[:, order]) for a in (q, qd, qdd)]
    columns = [np.asfortranarray(a.T) for a in theirs]
    pool = pinocchio.ModelPool(other, 1)
    room = np.zeros_like(columns[0])

    def single(function: Any) -> Any:
        return lambda i: function(model, BASE, q[i], qd[i], qdd[i], GRAVITY)

    def moving(i: int) -> Any:
        made.dof_values, made.dof_velocities = q[i], qd[i]
        return made

    def posed(i: int) -> Any:
        made.dof_values = q[i]
        return made

    many = made.dynamics
    cases = {
        "rnea/single/called": each(
            lambda i: moving(i).inverse_dynamics(qdd[i]), range(CALLS)
        ),
        "crba/single/called": each(lambda i: posed(i).mass_matrix(), range(CALLS)),
        "aba/single/called": each(
            lambda i: moving(i).forward_dynamics(qdd[i]), range(CALLS)
        ),
        "rnea/batch/called": lambda: many.compute_inverse_dynamics(q, qd, qdd),
        "crba/batch/called": lambda: many.compute_mass_matrices(q),
        "aba/batch/called": lambda: many.compute_forward_dynamics(q, qd, qdd),
        "rnea/single/pyrave": each(single(kinematics.inverse_dynamics), range(CALLS)),
        "rnea/single/pinocchio": each(
            lambda i: pinocchio.rnea(other, data, *(a[i] for a in theirs)),
            range(CALLS),
        ),
        "crba/single/pyrave": each(
            lambda i: kinematics.mass_matrix(model, q[i]), range(CALLS)
        ),
        "crba/single/pinocchio": each(
            lambda i: pinocchio.crba(other, data, theirs[0][i]), range(CALLS)
        ),
        "aba/single/pyrave": each(single(kinematics.forward_dynamics), range(CALLS)),
        "aba/single/pinocchio": each(
            lambda i: pinocchio.aba(other, data, *(a[i] for a in theirs)),
            range(CALLS),
        ),
        "rnea/batch/pyrave": lambda: kinematics.inverse_dynamics_batch(
            model, BASE, q, qd, qdd, GRAVITY
        ),
        "rnea/batch/pinocchio": lambda: pinocchio.rneaInParallel(
            1, pool, *columns, room
        ),
        "crba/batch/pyrave": lambda: kinematics.mass_matrix_batch(model, q),
        "crba/batch/pinocchio": each(
            lambda one: pinocchio.crba(other, data, one), theirs[0]
        ),
        "aba/batch/pyrave": lambda: kinematics.forward_dynamics_batch(
            model, BASE, q, qd, qdd, GRAVITY
        ),
        "aba/batch/pinocchio": lambda: pinocchio.abaInParallel(1, pool, *columns, room),
    }
    difference = 0.0
    for ours, wanted in (
        (cases["rnea/batch/pyrave"](), pinocchio.rnea),
        (cases["aba/batch/pyrave"](), pinocchio.aba),
        (cases["rnea/batch/called"](), pinocchio.rnea),
        (cases["aba/batch/called"](), pinocchio.aba),
    ):
        for i in range(20):
            expected = wanted(other, data, *(a[i] for a in theirs))
            scale = max(1.0, float(np.abs(expected).max()))
            error = np.abs(ours[i, order] - expected).max() / scale
            difference = max(difference, float(error))
    if difference > 1e-8:
        raise SystemExit(f"the libraries differ by {difference}")
    found = interleaved(cases, samples, warm_up=3)
    per_call = {
        name: figures["cpu_median_s"] / (n if "/batch/" in name else CALLS)
        for name, figures in found.items()
    }
    return {
        "links": model.n_links,
        "dof": model.n_dof,
        "largest_difference": difference,
        "ratios": {
            f"{kind}/{own}": round(
                per_call[f"{kind}/{own}"] / per_call[f"{kind}/pinocchio"], 3
            )
            for kind in sorted({name.rsplit("/", 1)[0] for name in cases})
            for own in ("called", "pyrave")
        },
        "nanoseconds_per_configuration": {
            name: round(seconds * 1e9) for name, seconds in per_call.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=31)
    parser.add_argument("--batch", type=int, default=1000)
    options = parser.parse_args()
    pin_to_one_core()
    report(
        "dynamics",
        versions={
            "pyrave": pyrave.__version__,
            "pinocchio": pinocchio.__version__,
        },
        configurations_per_batch=options.batch,
        robots={
            robot.name: measure(robot, options.samples, options.batch)
            for robot in (arm6(), arm7(), mobile_tree(), humanoid())
        },
    )


if __name__ == "__main__":
    main()
