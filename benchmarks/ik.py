"""Inverse kinematics of arms with six joints against EAIK.

The same arms from the same tables of Denavit and Hartenberg in all libraries, poses of
random configurations, one core, medians of interleaved samples. Every solution of ours
is verified by the kernel; those of the peers are not in the time that is shown.

* Single call: all solutions of one pose through the low-level kernel. Targets: <= 0.7x
  EAIK with a spherical wrist, <= 0.4x with three parallel axes.
* Batch: all solutions of many poses, per pose, <= 0.3x EAIK.
* General: all solutions of an arm without a closed form, <= 200 us.
* Free joint: all solutions of a WAM arm with its third joint at 126 values, <= 0.5 ms.

``pip install eaik`` installs the peer; if it is missing it is left out with a note. On
one core its batch, which starts threads, can be slower than its single call.
 With ``--samples`` and ``--poses`` for other numbers.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measuring import each, interleaved, pin_to_one_core, report

import pyrave
from pyrave.interfaces import IkParameterizationType
from pyrave.spatial import invert_pose, matrix_from_axis_angle
from pyrave_ik.analytic import AnalyticSolver
from pyrave_ik.chain import ArmChain
from pyrave_ik.classify import Kind, classify
from pyrave_ik.packing import TURNS, JointMap, kernels_of, pack

RIGHT = np.pi / 2
ARMS = {
    "puma560": [
        (0.0, RIGHT, 0.0),
        (0.4318, 0.0, 0.0),
        (0.0203, -RIGHT, 0.15005),
        (0.0, RIGHT, 0.4318),
        (0.0, -RIGHT, 0.0),
        (0.0, 0.0, 0.0),
    ],
    "irb140": [
        (0.07, -RIGHT, 0.352),
        (0.36, 0.0, 0.0),
        (0.0, -RIGHT, 0.0),
        (0.0, RIGHT, 0.38),
        (0.0, -RIGHT, 0.0),
        (0.0, 0.0, 0.065),
    ],
    "ur5": [
        (0.0, RIGHT, 0.089159),
        (-0.425, 0.0, 0.0),
        (-0.39225, 0.0, 0.0),
        (0.0, RIGHT, 0.10915),
        (0.0, -RIGHT, 0.09465),
        (0.0, 0.0, 0.0823),
    ],
    "jaco2_6s": [
        (0.0, RIGHT, 0.2755),
        (0.41, np.pi, 0.0),
        (0.0, RIGHT, -0.0098),
        (0.0, np.pi / 3, -0.2501),
        (0.0, np.pi / 3, -0.0856),
        (0.0, np.pi, -0.2027),
    ],
}
"""Length, twist and offset of each joint."""
WAM = [
    (0.0, -RIGHT, 0.0),
    (0.0, RIGHT, 0.0),
    (0.045, -RIGHT, 0.55),
    (-0.045, RIGHT, 0.0),
    (0.0, -RIGHT, 0.3),
    (0.0, RIGHT, 0.0),
    (0.0, 0.0, 0.06),
]
TARGETS = {
    "single/puma560": ("eaik", 0.7),
    "single/irb140": ("eaik", 0.7),
    "single/ur5": ("eaik", 0.4),
    "batch/puma560": ("eaik", 0.3),
    "batch/irb140": ("eaik", 0.3),
    "batch/ur5": ("eaik", 0.3),
}
LIMITS_S = {"single/jaco2_6s": 200e-6, "free_joint/wam": 0.5e-3}
FREE_VALUES = 126


def screws_of(table: list[tuple[float, float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Return screws (n, 7) and the home pose of a table."""
    pose, rows = np.eye(4), []
    for length, twist, offset in table:
        rows.append([*pose[:3, 2], *pose[:3, 3], 0.0])
        link = np.eye(4)
        link[:3, :3] = matrix_from_axis_angle(np.array([1.0, 0.0, 0.0]), twist)
        link[:3, 3] = length, 0.0, offset
        pose = pose @ link
    return np.array(rows), pose


def turned(row: np.ndarray, value: float) -> np.ndarray:
    """Return the displacement of a turning joint."""
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(row[:3], value)
    pose[:3, 3] = row[3:6] - pose[:3, :3] @ row[3:6]
    return pose


def forward(screws: np.ndarray, home: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the pose of the tool."""
    pose = home
    for row, value in zip(screws[::-1], q[::-1], strict=True):
        pose = turned(row, value) @ pose
    return pose


class Pyrave:
    """An arm of six joints as a plan for the kernels."""

    def __init__(self, screws: np.ndarray, home: np.ndarray) -> None:
        pose = forward(screws, home, np.array([0.3, -0.8, 1.1, 0.4, -1.3, 0.9]))
        names = tuple(f"joint {i + 1}" for i in range(6))
        self.how = classify(screws, pose @ invert_pose(home), names)
        endless = np.full(6, np.inf)
        joints = JointMap(range(6), np.ones(6), np.zeros(6), -endless, endless)
        turns = TURNS
        if self.how.kind is Kind.GENERAL:
            # where to cut the loop is found by trying
            chain = ArmChain(
                screws, home, tuple(range(6)), np.ones(6), np.zeros(6), names
            )
            kind = IkParameterizationType.Transform6D
            solver = AnalyticSolver(chain, kind, np.array([0.0, 0.0, 1.0]))
            self.how, turns = solver.decomposition, tuple(solver.turns)
        self.plan = pack(self.how, screws, home, joints, turns)
        self.kernels = kernels_of(self.plan).jit
        self.out = np.empty((33, 7))
        solve, plan, out = self.kernels.solve_pose, self.plan, self.out
        self.all: Callable[[np.ndarray], int] = lambda pose: solve(plan, pose, out)


def check(
    ours: Pyrave,
    screws: np.ndarray,
    home: np.ndarray,
    poses: list[np.ndarray],
    some: np.ndarray,
) -> dict[str, float]:
    """Return what share of configurations was found and the greatest deviation."""
    found, worst = 0, 0.0
    for pose, q in zip(poses, some, strict=True):
        rows = ours.out[: ours.all(pose), :6]
        off = np.abs(np.exp(1j * rows) - np.exp(1j * q)).max(axis=1, initial=0.0)
        found += bool(len(rows) and off.min() < 1e-6)
        for row in rows:
            deviation = np.abs(forward(screws, home, row) - pose).max()
            worst = max(worst, float(deviation))
    return {"found": found / len(poses), "greatest_deviation": worst}


def peers(table: list[tuple[float, float, float]]) -> dict[str, Any]:
    """Return the arm in each of the other libraries that are there."""
    lengths, twists, offsets = (np.array(c) for c in zip(*table, strict=True))
    made: dict[str, Any] = {}
    if (eaik := optional("eaik.IK_DH")) is not None:
        made["eaik"] = eaik.DhRobot(twists, lengths, offsets)
    return made


def optional(name: str) -> Any:
    """Return a module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def measure(name: str, samples: int, n_poses: int) -> dict[str, Any]:
    """Return figures of one arm."""
    rng = np.random.default_rng(len(name))
    table = ARMS[name]
    screws, home = screws_of(table)
    ours = Pyrave(screws, home)
    some = rng.uniform(-np.pi, np.pi, (n_poses, 6))
    poses = [np.ascontiguousarray(forward(screws, home, q)) for q in some]
    many = np.array(poses)
    rows = np.empty((n_poses, 33, 7))
    counts = np.empty(n_poses, dtype=np.int64)
    batch = ours.kernels.solve_poses
    cases: dict[str, Callable[[], Any]] = {
        "single/pyrave": each(ours.all, poses),
        "batch/pyrave": partial(batch, ours.plan, many, rows, counts),
    }
    for peer, arm in peers(table).items():
        if arm.hasKnownDecomposition():
            off = np.abs(np.asarray(arm.fwdKin(some[0])) - poses[0]).max()
            if off > 1e-9:
                raise SystemExit(f"{name}: {peer} has another arm, off by {off}")
            cases[f"single/{peer}"] = each(arm.IK, poses)
            cases[f"batch/{peer}"] = partial(arm.IK_batched, many)
    quality = check(ours, screws, home, poses, some)
    found = interleaved(cases, samples, warm_up=2)
    seconds = {case: value["median_s"] / n_poses for case, value in found.items()}
    ratios = {}
    for kind in ("single", "batch"):
        peer, target = TARGETS.get(f"{kind}/{name}", ("", 0.0))
        if f"{kind}/{peer}" in seconds:
            ratio = seconds[f"{kind}/pyrave"] / seconds[f"{kind}/{peer}"]
            ratios[f"{kind}/pyrave:{peer}"] = {
                "ratio": round(ratio, 3),
                "target": target,
                "within": ratio <= target,
            }
    limit = LIMITS_S.get(f"single/{name}")
    return {
        "decomposition": ours.how.kind.name,
        "reason": ours.how.reason,
        **quality,
        "mean_solutions": float(counts.mean()),
        "microseconds": {case: round(s * 1e6, 3) for case, s in seconds.items()},
        "ratios": ratios,
        "within_limit": None if limit is None else seconds["single/pyrave"] <= limit,
    }


def free_joint(samples: int) -> dict[str, Any]:
    """Return figures of an arm of seven joints, the third at many values."""
    rng = np.random.default_rng(7)
    screws, home = screws_of(WAM)
    values = np.linspace(-np.pi, np.pi, FREE_VALUES, endpoint=False)
    arms = []
    for value in values:
        before = turned(screws[2], value)
        after = screws[3:].copy()
        after[:, :3] = after[:, :3] @ before[:3, :3].T
        after[:, 3:6] = after[:, 3:6] @ before[:3, :3].T + before[:3, 3]
        arms.append(Pyrave(np.vstack([screws[:2], after]), before @ home))
    plans = np.array([arm.plan for arm in arms])
    rows = np.empty((FREE_VALUES, 33, 7))
    counts = np.empty(FREE_VALUES, dtype=np.int64)
    solve = arms[0].kernels.solve_plans
    poses = [
        np.ascontiguousarray(forward(screws, home, q))
        for q in rng.uniform(-2.0, 2.0, (20, 7))
    ]
    each_pose = each(lambda pose: solve(plans, pose, rows, counts), poses)
    found = interleaved({"pyrave": each_pose}, samples, warm_up=2)
    seconds = found["pyrave"]["median_s"] / len(poses)
    return {
        "decomposition": arms[0].how.kind.name,
        "microseconds": round(seconds * 1e6, 1),
        "solutions_of_last": int(counts.sum()),
        "within_limit": seconds <= LIMITS_S["free_joint/wam"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=31)
    parser.add_argument("--poses", type=int, default=200)
    options = parser.parse_args()
    pin_to_one_core()
    missing = [name for name in ("eaik",) if optional(name) is None]
    report(
        "ik",
        versions={"pyrave": pyrave.__version__},
        left_out=missing,
        arms={name: measure(name, options.samples, options.poses) for name in ARMS},
        wam_free_joint=free_joint(options.samples),
    )


if __name__ == "__main__":
    main()
