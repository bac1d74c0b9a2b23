"""Time-optimal retiming of splines against toppra, on the same splines and grids.

Seven joints, ten random waypoints, natural cubic splines. Medians of interleaved
samples on one core, the ordinary calls: waypoints in, cubics in time out.

* Time: <= 0.02x toppra for grids of 100 and 1000 steps.
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

from pyrave.planning import time_optimal

DOF, WAYPOINTS, SETS = 7, 10, 5
GRIDS = 100, 1000


def excess(rates: Any, changes: Any, velocity: Any, acceleration: Any) -> float:
    """Return by which part a motion goes beyond its limits."""
    most = max(np.abs(rates / velocity).max(), np.abs(changes / acceleration).max())
    return max(0.0, float(most) - 1.0)


def compare(seed: int, steps: int, samples: int) -> dict[str, float]:
    """Retime one spline with both."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2, 2, (WAYPOINTS, DOF))
    velocity, acceleration = rng.uniform(1, 3, DOF), rng.uniform(2, 20, DOF)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.r_[0.0, np.cumsum(lengths)]

    def ours() -> Any:
        return time_optimal(points, velocity, acceleration, path="spline", steps=steps)

    def theirs() -> Any:
        path = toppra.SplineInterpolator(knots, points, bc_type="natural")
        limits = [
            constraint.JointVelocityConstraint(np.c_[-velocity, velocity]),
            constraint.JointAccelerationConstraint(np.c_[-acceleration, acceleration]),
        ]
        return algorithm.TOPPRA(
            limits, path, gridpoints=np.linspace(0.0, knots[-1], steps + 1)
        ).compute_trajectory(0, 0)

    own, other = ours(), theirs()
    times = np.linspace(0.0, other.duration, 20_001)
    _, rates, changes = own.at(np.linspace(0.0, own.duration, 20_001))
    taken = interleaved({"pyrave": ours, "toppra": theirs}, samples)
    return {
        "us": 1e6 * taken["pyrave"]["median_s"],
        "toppra_us": 1e6 * taken["toppra"]["median_s"],
        "ratio": taken["pyrave"]["median_s"] / taken["toppra"]["median_s"],
        "duration_ratio": own.duration / other.duration,
        "excess": excess(rates, changes, velocity, acceleration),
        "toppra_excess": excess(
            other(times, 1), other(times, 2), velocity, acceleration
        ),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=31)
    samples = parser.parse_args().samples
    toppra.setup_logging("ERROR")
    logging.getLogger("toppra").setLevel(logging.ERROR)
    pin_to_one_core()
    found = {}
    for steps in GRIDS:
        rows = [compare(seed, steps, samples) for seed in range(SETS)]
        found[f"steps_{steps}"] = {
            name: round(float(np.median([row[name] for row in rows])), 6)
            for name in rows[0]
        }
    report("retiming", toppra=importlib.metadata.version("toppra"), **found)


if __name__ == "__main__":
    main()
