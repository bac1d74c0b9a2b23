"""Numerical inverse kinematics beside rtb's, and arms over their arm angle.

One process, one core, the same random reachable poses for all. rtb's C++
``ik_LM`` runs with the tolerance 1e-12 on its squared residual: with its default of
1e-6 it stops at errors of a millimetre. Ours meets 1e-9 m and rad.

``pip install roboticstoolbox-python`` for the peer; without it its rows are missing.

``python benchmarks/ik_numerical.py --poses 1000``
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import measuring
import numpy as np

import pyrave
from pyrave.jit import KernelModule
from pyrave_ik.arm_angle import ArmAngle
from pyrave_ik.chain import ArmChain
from pyrave_ik.least_squares import NumericProblem

SEED = 20261121
NUMERIC = ("puma560", "ur5", "iiwa14", "panda")
SWIVEL = ("iiwa14", "pa10", "lwa3", "wam7")
TOLERANCE = 1e-9


def arm_of(name: str) -> tuple[ArmChain, np.ndarray, np.ndarray]:
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    (robot,) = env.robots
    arm = next(iter(robot.manipulators))
    lower, upper = (b[list(arm.arm_indices)] for b in robot.dof_limits)
    return ArmChain.of(arm), lower, upper


def poses_of(chain: ArmChain, lower: Any, upper: Any, n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(SEED)
    low, high = np.maximum(lower, -np.pi), np.minimum(upper, np.pi)
    return [chain.tool(q) for q in rng.uniform(low, high, (n, len(low)))]


def ours(
    chain: ArmChain, lower: Any, upper: Any
) -> tuple[Callable[[Any], Any], Callable[[Any], bool]]:
    """Return the low-level call for one pose, and whether it was solved."""
    problem = NumericProblem([chain], lower, upper)
    kernel = KernelModule("pyrave_ik.kernels.numerical._kernels").jit.solve
    kinds, tools = np.zeros(1, np.int64), np.zeros((1, 6))
    fixed = (
        problem._frames,  # noqa: SLF001 - measured below the checks
        problem._axes,  # noqa: SLF001
        problem._dofs,  # noqa: SLF001
        problem._starts,  # noqa: SLF001
        kinds,
    )
    rest = (
        tools,
        problem._weights,  # noqa: SLF001
        *problem._ends,  # noqa: SLF001
        problem._turns,  # noqa: SLF001
        np.empty((0, problem.n)),
        problem._table,  # noqa: SLF001
        problem._tips,  # noqa: SLF001
        np.array([TOLERANCE, TOLERANCE]),
        20,
        100,
    )
    q, report = np.empty(problem.n), np.zeros(4)

    def solve(pose: Any) -> Any:
        return kernel(*fixed, pose[:3].reshape(1, 12), *rest, q, report)

    def solved(pose: Any) -> bool:
        found = bool(solve(pose))
        inside = (q >= lower - TOLERANCE) & (q <= upper + TOLERANCE)
        return found and bool(
            np.abs(chain.tool(q) - pose).max() < 10 * TOLERANCE and inside.all()
        )

    return solve, solved


def rtb_of(chain: ArmChain, lower: Any, upper: Any) -> Any:
    """Return rtb's elementary transforms of an arm whose joints turn."""
    from roboticstoolbox import ET, ETS
    from spatialmath import SE3

    found = ETS()
    for row in problem_frames(chain)[:-1]:
        pose = np.vstack([row.reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
        found = found * ET.SE3(SE3(pose, check=False)) * ET.Rz()
    last = np.vstack([problem_frames(chain)[-1].reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])
    found = found * ET.SE3(SE3(last, check=False))
    for joint, limits in zip(
        found.joints(), np.stack([lower, upper], axis=1), strict=True
    ):
        joint.qlim = np.clip(limits, -np.pi * 2, np.pi * 2)
    return found


def problem_frames(chain: ArmChain) -> np.ndarray:
    from pyrave_ik.least_squares import frames_of

    return frames_of(chain)


def numeric(name: str, n: int, rounds: int) -> dict[str, Any]:
    chain, lower, upper = arm_of(name)
    poses = poses_of(chain, lower, upper, n)
    solve, solved = ours(chain, lower, upper)
    cases = {"pyrave": measuring.each(solve, poses)}
    success = {"pyrave": sum(solved(pose) for pose in poses) / n}
    try:
        ets = rtb_of(chain, lower, upper)
    except ImportError:
        ets = None
    if ets is not None:

        def peer(pose: Any) -> Any:
            return ets.ik_LM(pose, tol=1e-12, joint_limits=True)

        cases["rtb ik_LM"] = measuring.each(peer, poses)
        success["rtb ik_LM"] = sum(bool(peer(pose).success) for pose in poses) / n
    times = measuring.interleaved(cases, rounds)
    result: dict[str, Any] = {
        case: {"us": 1e6 * times[case]["median_s"] / n, "success": success[case]}
        for case in cases
    }
    if ets is not None:
        result["ratio"] = result["pyrave"]["us"] / result["rtb ik_LM"]["us"]
    return result


def swivel(name: str, n: int, rounds: int) -> dict[str, float]:
    chain, lower, upper = arm_of(name)
    poses = [
        np.ascontiguousarray(pose[:3]) for pose in poses_of(chain, lower, upper, n)
    ]
    plan = ArmAngle.of(chain)._plan  # noqa: SLF001 - measured below the checks
    kernel = KernelModule("pyrave_ik.kernels.arm_angle._kernels").jit.solve
    rows, ok = np.empty((8, 7)), np.empty(8)

    def solve(pose: Any) -> Any:
        return kernel(plan, pose, 0.3, TOLERANCE, rows, ok)

    count = sum(solve(pose) for pose in poses) / n
    times = measuring.interleaved({"arm angle": measuring.each(solve, poses)}, rounds)
    return {"us": 1e6 * times["arm angle"]["median_s"] / n, "solutions": count}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    measuring.pin_to_one_core()
    report = {
        "numerical": {
            name: numeric(name, given.poses, given.rounds) for name in NUMERIC
        },
        "arm angle": {name: swivel(name, given.poses, given.rounds) for name in SWIVEL},
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
