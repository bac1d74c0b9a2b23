"""Time-optimal retiming of splines against toppra, on the same splines and grids.

Seven joints, random waypoints, natural cubic splines. The least processor time of
samples that alternate, the ordinary calls: waypoints in, cubics in time out.

* Time: <= 0.02x toppra for grids of 100 and 1000 steps, ten waypoints, and for 100
  waypoints.
* Torques: an arm of seven joints within limits of torques, with the same dynamics.
* Duration: within 1 % of toppra's. Its trajectories go beyond limits between points of
  a coarse grid; the greatest excess of both is printed.

``pip install pyrave[bench]`` installs toppra. ``--samples`` for another number than 31.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import logging
from typing import Any

import numpy as np
import toppra
from measuring import interleaved, pin_to_one_core, report
from toppra import algorithm, constraint

import pyrave
from pyrave.planning import retime, time_optimal

DOF, SETS = 7, 5
CASES = {"steps_100": (10, 100), "steps_1000": (10, 1000), "waypoints_100": (100, 1000)}
TORQUES = np.array([176.0, 176.0, 110.0, 110.0, 110.0, 40.0, 40.0])


def excess(rates: Any, changes: Any, velocity: Any, acceleration: Any) -> float:
    """Return by which part a motion goes beyond its limits."""
    most = max(np.abs(rates / velocity).max(), np.abs(changes / acceleration).max())
    return max(0.0, float(most) - 1.0)


def compare(seed: int, waypoints: int, steps: int, samples: int) -> dict[str, float]:
    """Retime one spline with both."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2, 2, (waypoints, DOF))
    velocity, acceleration = rng.uniform(1, 3, DOF), rng.uniform(2, 20, DOF)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.r_[0.0, np.cumsum(lengths)]

    def ours() -> Any:
        return time_optimal(points, velocity, acceleration, path="spline", steps=steps)

    grid = knots[-1] * np.linspace(0.0, 1.0, steps + 1)

    def theirs() -> Any:
        path = toppra.SplineInterpolator(knots, points, bc_type="natural")
        limits = [
            constraint.JointVelocityConstraint(np.c_[-velocity, velocity]),
            constraint.JointAccelerationConstraint(np.c_[-acceleration, acceleration]),
        ]
        return algorithm.TOPPRA(limits, path, gridpoints=grid).compute_trajectory(0, 0)

    own, other = ours(), theirs()
    times = np.linspace(0.0, other.duration, 20_001)
    _, rates, changes = own.at(np.linspace(0.0, own.duration, 20_001))
    taken = interleaved({"pyrave": ours, "toppra": theirs}, samples)
    return {
        "us": 1e6 * taken["pyrave"]["cpu_s"],
        "toppra_us": 1e6 * taken["toppra"]["cpu_s"],
        "ratio": taken["pyrave"]["cpu_s"] / taken["toppra"]["cpu_s"],
        "duration_ratio": own.duration / other.duration,
        "excess": excess(rates, changes, velocity, acceleration),
        "toppra_excess": excess(
            other(times, 1), other(times, 2), velocity, acceleration
        ),
    }


def compare_torques(seed: int, samples: int) -> dict[str, float]:
    """Retime a spline of an arm within limits of torques with both, 100 steps."""
    robot = pyrave.load("robots/arms/iiwa14.robot.xml").robots[0]
    robot.dof_acceleration_limits = np.full(DOF, 200.0)
    points = np.random.default_rng(seed).uniform(-1.2, 1.2, (5, DOF))
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.r_[0.0, np.cumsum(lengths)]
    velocity = robot.dof_velocity_limits

    def dynamics(q: Any, qd: Any, qdd: Any) -> Any:
        return robot.dynamics.compute_inverse_dynamics(q[None], qd[None], qdd[None])[0]

    def ours() -> Any:
        return retime(robot, points, path="spline", torque_limits=TORQUES)

    def theirs() -> Any:
        path = toppra.SplineInterpolator(knots, points, bc_type="natural")
        limits = [
            constraint.JointVelocityConstraint(np.c_[-velocity, velocity]),
            constraint.JointTorqueConstraint(
                dynamics, np.c_[-TORQUES, TORQUES], np.zeros(DOF)
            ),
        ]
        grid = np.linspace(0.0, knots[-1], 101)
        return algorithm.TOPPRA(limits, path, gridpoints=grid).compute_trajectory(0, 0)

    def most(q: Any, qd: Any, qdd: Any) -> float:
        torques = robot.dynamics.compute_inverse_dynamics(q, qd, qdd)
        return float(np.abs(torques / TORQUES).max())

    own, other = ours(), theirs()
    times = np.linspace(0.0, own.duration, 20_001)
    rows = own.sample_points(times)[:, :DOF]
    rates, step = (rows[2:] - rows[:-2]) / (2 * times[1]), times[1]
    changes = (rows[2:] - 2 * rows[1:-1] + rows[:-2]) / step**2
    theirs_at = np.linspace(0.0, other.duration, 20_001)
    taken = interleaved({"pyrave": ours, "toppra": theirs}, samples)
    return {
        "us": 1e6 * taken["pyrave"]["cpu_s"],
        "toppra_us": 1e6 * taken["toppra"]["cpu_s"],
        "ratio": taken["pyrave"]["cpu_s"] / taken["toppra"]["cpu_s"],
        "duration_ratio": own.duration / other.duration,
        "greatest_part": most(rows[1:-1], rates, changes),
        "toppra_greatest_part": most(
            other(theirs_at), other(theirs_at, 1), other(theirs_at, 2)
        ),
    }


def medians(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the medians of figures."""
    return {
        name: round(float(np.median([row[name] for row in rows])), 6)
        for name in rows[0]
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=31)
    samples = parser.parse_args().samples
    toppra.setup_logging("ERROR")
    logging.getLogger("toppra").setLevel(logging.ERROR)
    pin_to_one_core()
    found = {
        name: medians([compare(seed, *case, samples) for seed in range(SETS)])
        for name, case in CASES.items()
    }
    few = max(3, samples // 5)
    found["torques"] = medians([compare_torques(seed, few) for seed in range(SETS)])
    report("retiming", toppra=importlib.metadata.version("toppra"), **found)


if __name__ == "__main__":
    main()
