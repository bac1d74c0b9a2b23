"""Time to the first solution of a fresh process, with an empty and a warm cache.

Target: warm <= 1.5x a fresh process that imports numba and calls one cached kernel. For
a spherical wrist, three parallel axes, seven joints with one in steps, and an arm that
takes elimination. With an empty cache the first goals are solved in the interpreter,
while another process compiles. Targets then: all solutions of a singular pose (the arm
as it is loaded) in 5 s, the first solution of an arm that takes elimination in 8 s.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from first_scan import KERNEL, TINY
from measuring import interleaved, python, report

ARMS = {
    "wrist": "puma560",
    "parallel": "ur5e",
    "seven_joints": "wam7",
    "general": "jaco2_6n",
}

SOLVE = """
import pyrave
env = pyrave.load("robots/arms/{}.robot.xml")
robot = env.robots[0]
arm = robot.manipulators[0]
robot.dof_values = [0.3, -0.8, 0.9, 0.7, -0.6, 0.8, 0.2][: robot.dof]
pose = arm.transform
robot.dof_values = [0.25, -0.75, 0.85, 0.75, -0.55, 0.75, 0.25][: robot.dof]
assert arm.solve_ik(pose) is not None
"""
SINGULAR = """
import pyrave
env = pyrave.load("robots/arms/{}.robot.xml")
arm = env.robots[0].manipulators[0]
assert len(arm.solve_ik(arm.transform, all=True))
"""
FIRST = ("wrist", "parallel")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--empty", type=int, default=2, help="rounds with an empty cache"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tiny_kernel.py").write_text(TINY)
        warm = {
            "PYRAVE_CACHE_DIR": str(folder / "warm"),
            "BENCHMARK_FOLDER": str(folder),
        }
        base = "numba_and_one_cached_kernel"
        scripts = {kind: SOLVE.format(arm) for kind, arm in ARMS.items()}
        cases = {kind: python(script, warm) for kind, script in scripts.items()}
        figures = interleaved({base: python(KERNEL, warm), **cases}, options.rounds)
        number = iter(range(1000))

        def empty(script: str) -> None:
            cache = {"PYRAVE_CACHE_DIR": str(folder / f"empty{next(number)}")}
            python(script, cache)()

        scripts |= {f"{kind}_singular": SINGULAR.format(ARMS[kind]) for kind in FIRST}
        for kind, script in scripts.items() if options.empty else ():
            case = f"{kind}_empty"
            figures |= interleaved(
                {case: lambda script=script: empty(script)}, options.empty, warm_up=0
            )
    report(
        "first_ik",
        figures=figures,
        warm_ratios={
            kind: figures[kind]["median_s"] / figures[base]["median_s"] for kind in ARMS
        },
        warm_target=1.5,
    )


if __name__ == "__main__":
    main()
