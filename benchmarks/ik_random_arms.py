"""Random arms of special, general and nearly special geometry, and how IK does on them.

The families are the ones in which closed forms and elimination degenerate: spherical
wrists, three parallel axes, twists of right angles with lengths and offsets that may
be zero, and sliders in any place. Two thirds of the arms are such an arm *calibrated*:
all axes, or one, tilted and shifted by 1e-12 to 1e-3 radians and metres.

``random_arms(n, seed)`` returns the arms. As a script: every configuration that made a
pose must be among the solutions, held joints at their values in it; no solution may be
wrong, none may come twice; and at regular poses of six-joint arms the number of
solutions must be that of Newton's method from many starts, which knows nothing of
decompositions.

``python benchmarks/ik_random_arms.py --arms 500 --poses 40 --brute 2``
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import pyrave
from pyrave.errors import NotSupportedError
from pyrave.ik import IkParameterization, residuals
from pyrave.jit import KernelModule
from pyrave_environments.arms import Arm, At, arm_description
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.methods.analytic import AnalyticSolver
from pyrave_ik.solver.default_goal_type import default_solver

loops = KernelModule("pyrave_ik.kernels.six_joint_loop")

FAMILIES = ("anywhere", "lattice", "wrist", "shoulder", "parallel")
WORDS = {
    "anywhere": ("RRRRRR", "RRRRR", "RRRRRRR", "RRPRRR", "PRRRRR", "RRRRPR"),
    "lattice": (
        "RRRRRR",
        "RRRRRR",
        "RRRRR",
        "RRRR",
        "RRRRRRR",
        "RRRP",
        "RRPR",
        "PRRR",
        "RRPRRR",
        "PRRRRR",
        "PRRPRR",
        "PPRRRR",
        "PPPRRR",
    ),
    "wrist": ("RRRRRR", "RRRRRR", "RRRRRRR", "RRPRRR", "PRRRRR", "PPRRRR"),
    "shoulder": ("RRRRRR", "RRRRRRR", "RRRPRR", "RRRRRP"),
    "parallel": ("RRRRRR", "RRRRRR", "RRRRR", "RRRRRRR"),
}
"""Letters of the joints, R turns and P slides, by the family."""
TILTS = (-12.0, -3.0)
"""Decimal exponents of what calibration moves axes by, radians and metres."""
TURN = (-180.0, 180.0)
SLIDE = (-1.0, 1.0)

SAME = 1e-6
WRONG = 1e-8
SINGULAR = 1e-6
"""Least singular value of the Jacobian below which solutions may be a continuum."""
REGULAR = 1e-3
"""The same above which solutions are counted."""
STARTS = 400


@dataclass(frozen=True, slots=True)
class RandomArm:
    """An arm and how it was made.

    Parameters
    ----------
    arm
        As data; `pyrave_environments.arms.arm_description` makes a robot of it.
    family
        One of `FAMILIES`.
    tilt
        What calibration moved axes by, radians and metres; 0 for exact geometry.
    """

    arm: Arm
    family: str
    tilt: float


def random_arms(n: int, seed: int = 0) -> list[RandomArm]:
    """Return n arms whose tools have as many degrees of freedom as joints allow."""
    return [_arm(number, np.random.default_rng([seed, number])) for number in range(n)]


def random_arm_of(number: int, seed: int = 0) -> Arm:
    """Return the arm of `random_arms` with a number."""
    return _arm(number, np.random.default_rng([seed, number])).arm


def _arm(number: int, rng: np.random.Generator) -> RandomArm:
    family = FAMILIES[number % len(FAMILIES)]
    way = number // len(FAMILIES) % 3 if family != "anywhere" else 0
    while True:
        word = str(rng.choice(WORDS[family]))
        links = _links(family, word, rng)
        tilt = 0.0 if way == 0 else 10.0 ** rng.uniform(*TILTS)
        directions, points = _axes(links)
        tilted = np.arange(len(word)) if way == 1 else rng.integers(len(word), size=1)
        directions[tilted] += tilt * rng.normal(size=(len(tilted), 3))
        points[tilted] += tilt * rng.normal(size=(len(tilted), 3))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        if _moves(directions, points, word, rng):
            break
    name = f"{family}_{word.lower()}_{number}"
    joints = tuple(
        At(
            tuple(direction.tolist()),
            tuple(point.tolist()),
            SLIDE if letter == "P" else TURN,
            letter == "P",
        )
        for direction, point, letter in zip(directions, points, word, strict=True)
    )
    tool = tuple((points[-1] + rng.uniform(-0.2, 0.2, 3)).tolist())
    source = f"drawn at random, calibrated by {tilt:.1e}"
    return RandomArm(Arm(name, name, source, joints, tool), family, tilt)


def _links(family: str, word: str, rng: np.random.Generator) -> np.ndarray:
    """Return rows (n, 4) of turn, offset, length and twist, each after its joint."""
    n = len(word)
    right = 0.5 * math.pi
    rows = np.empty((n, 4))
    rows[:, 0] = rng.uniform(-math.pi, math.pi, n)
    rows[:, 1:3] = rng.uniform(-0.5, 0.5, (n, 2))
    if family == "anywhere" or (family != "lattice" and rng.uniform() < 0.25):
        rows[:, 3] = rng.uniform(-math.pi, math.pi, n)
    else:
        rows[:, 3] = rng.choice([0.0, right, -right], n, p=[0.3, 0.4, 0.3])
        rows[:, 1:3] *= rng.uniform(size=(n, 2)) < 0.6
    if family in {"wrist", "shoulder"}:
        # joints first to first + 2 meet
        first = 0 if family == "shoulder" else n - 3
        rows[first : first + 2, 2] = 0.0
        rows[first + 1, 1] = 0.0
        rows[first : first + 2, 3] = rng.choice([right, -right, 1.1, 0.6], 2)
    elif family == "parallel":
        first = int(rng.integers(max(n - 3, 1)))
        rows[first : first + 2, 3] = rng.choice([0.0, math.pi], 2)
        rows[first : first + 2, 2] = rng.uniform(0.2, 0.5, 2)
    return rows


def _axes(links: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return directions and points (n, 3) of axes by rows of `_links`, exact angles."""
    pose = np.eye(4)
    directions, points = [], []
    for turn, offset, length, twist in links:
        directions.append(pose[:3, 2].copy())
        points.append(pose[:3, 3].copy())
        step = _turned(turn, 2)
        step[:3, 3] = length * step[:3, 0] + offset * step[:3, 2]
        pose = pose @ step @ _turned(twist, 0)
    return np.array(directions), np.array(points)


def _turned(angle: float, axis: int) -> np.ndarray:
    pose = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    c, s = (round(v) if abs(v - round(v)) < 1e-15 else v for v in (c, s))
    pose[i, i] = pose[j, j] = c
    pose[i, j], pose[j, i] = -s, s
    return pose


def _moves(
    directions: np.ndarray, points: np.ndarray, word: str, rng: np.random.Generator
) -> bool:
    """Return whether no joint is superfluous."""
    slides = np.array([letter == "P" for letter in word], dtype=float)
    screws = np.column_stack([directions, points, slides])
    n = len(word)
    sizes = [
        np.linalg.svd(_jacobian(screws, q), compute_uv=False)[min(n, 6) - 1]
        for q in rng.uniform(-2.0, 2.0, (5, n))
    ]
    return float(np.median(sizes)) > 0.01


def _jacobian(screws: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the spatial Jacobian (6, n), linear rows first."""
    pose = np.eye(4)
    columns = np.zeros((6, len(screws)))
    for k, (row, value) in enumerate(zip(screws, q, strict=True)):
        axis = pose[:3, :3] @ row[:3]
        if row[6]:
            columns[:3, k] = axis
        else:
            point = pose[:3, :3] @ row[3:6] + pose[:3, 3]
            columns[:, k] = *np.cross(point, axis), *axis
        pose = pose @ displaced(row, value)
    return columns


def displaced(row: np.ndarray, value: float) -> np.ndarray:
    """Return the (4, 4) displacement of a joint with a screw (7,) at a value."""
    pose = np.eye(4)
    if row[6]:
        pose[:3, 3] = row[:3] * value
        return pose
    x, y, z = row[:3]
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    versine = 2.0 * math.sin(0.5 * value) ** 2
    pose[:3, :3] += math.sin(value) * cross + versine * cross @ cross
    pose[:3, 3] = row[3:6] - pose[:3, :3] @ row[3:6]
    return pose


@dataclass
class Result:
    """What happened to one arm.

    Parameters
    ----------
    poses
        How many of each set were solved for.
    unsolved
        Configurations whose pose has no solution.
    missed
        Regular configurations that are not among the solutions of their pose.
    singular
        How many singular ones are not: they may lie on a continuum of a solution.
    wrong, repeated
        Solutions off their goal by more than 1e-8, or nearer than 1e-6 to another.
    compared, fewer
        Poses at which Newton's method from many starts was asked, and where it found
        solutions that are not there.
    """

    name: str
    family: str
    tilt: float
    goals: str = ""
    decomposition: str = ""
    poses: int = 0
    unsolved: list[list[float]] = field(default_factory=list)
    missed: list[list[float]] = field(default_factory=list)
    singular: int = 0
    wrong: int = 0
    repeated: int = 0
    compared: int = 0
    fewer: list[list[float]] = field(default_factory=list)
    microseconds: float = 0.0
    seconds: float = 0.0
    error: str = ""

    @property
    def faults(self) -> int:
        return (
            len(self.unsolved)
            + len(self.missed)
            + len(self.fewer)
            + self.wrong
            + self.repeated
            + bool(self.error)
        )


def solver_of(one: RandomArm) -> AnalyticSolver:
    """Return the solver of the arm's richest kind of goals."""
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(one.arm))
    env.add(robot)
    hand = robot.manipulators["arm"]
    return default_solver(ArmChain.from_manipulator(hand), hand.direction)[0]


def measured(one: RandomArm, poses: int, brute: int, seed: int = 0) -> Result:
    """Solve for `poses` random and as many nearly singular poses of an arm."""
    begin = time.perf_counter()
    result = Result(one.arm.name, one.family, one.tilt)
    try:
        solver = solver_of(one)
    except NotSupportedError as error:
        result.error = str(error)
        return result
    chain = solver.chain
    result.goals = solver.kind.name
    result.decomposition = solver.decomposition.kind.name.lower()
    rng = np.random.default_rng([seed, *one.arm.name.encode()])
    times: list[float] = []
    for number, q in enumerate(configurations(chain, poses, rng)):
        goal = IkParameterization.from_pose(solver.kind, chain.tool(q), (0.0, 0.0, 1.0))
        task = solver.task(goal)
        held = q[list(solver.free)]
        start = time.perf_counter()
        rows = solver.solve(goal, held)
        times.append((time.perf_counter() - start) * 1e6)
        loop = solver.loop(task, held)
        judged(result, solver, goal, loop, q, rows)
        if number < brute and not len(task.names):
            compared(result, loop, q, rows, rng)
    result.poses = len(times)
    result.microseconds = float(np.median(times))
    result.seconds = time.perf_counter() - begin
    return result


def configurations(chain: Any, n: int, rng: np.random.Generator) -> Iterator[Any]:
    """Yield n random configurations, n near right angles, n near singularities."""
    slides = chain.screws[:, 6] != 0.0
    low, high = np.where(slides, -1.0, -math.pi), np.where(slides, 1.0, math.pi)
    for _ in range(n):
        yield rng.uniform(low, high)
    for _ in range(n):
        q = rng.uniform(low, high)
        corner = 0.5 * math.pi * rng.integers(-2, 3, len(q))
        corner += 10.0 ** rng.uniform(-9.0, -1.5) * rng.choice([-1.0, 0.0, 1.0], len(q))
        yield np.where((rng.uniform(size=len(q)) < 0.3) & ~slides, corner, q)
    for _ in range(n if chain.n >= 6 else 0):
        q = rng.uniform(low, high)
        joint = int(rng.integers(chain.n))
        q[joint] = least_singular(chain.screws, q, joint)
        yield q + 10.0 ** rng.uniform(-9.0, -1.5) * rng.normal(size=len(q))


def least_singular(screws: Any, q: Any, joint: int) -> float:
    """Return the value of a joint at which the arm is nearest to a singularity."""

    def volume(value: float) -> float:
        x = q.copy()
        x[joint] = value
        return float(np.linalg.svd(_jacobian(screws, x), compute_uv=False)[5])

    values = np.linspace(-3.1, 3.1, 32)
    best = float(values[int(np.argmin([volume(value) for value in values]))])
    width = 0.2
    for _ in range(40):
        width *= 0.7
        best = min((best - width, best, best + width), key=volume)
    return best


def judged(
    result: Result, solver: AnalyticSolver, goal: Any, loop: Any, q: Any, rows: Any
) -> None:
    """Add what is wrong with the solutions of a pose to a result."""
    chain = solver.chain
    if not len(rows):
        result.unsolved.append(q.tolist())
        return
    turns = np.where(chain.screws[:, 6] != 0.0, 0.0, 2.0 * math.pi)
    least = regularity(loop, q)
    off = apart(rows, q, turns).min()
    if off > (SAME if least > REGULAR else 1e-5):
        if least > SINGULAR:
            result.missed.append(q.tolist())
        else:
            result.singular += 1
    tools = np.array([chain.tool(row) for row in rows])
    away = residuals(goal, tools, np.array((0.0, 0.0, 1.0)))
    result.wrong += int((np.maximum(*away) > WRONG).sum())
    for number in range(1, len(rows)):
        result.repeated += bool(apart(rows[:number], rows[number], turns).min() < SAME)


def apart(rows: Any, q: Any, turns: Any) -> Any:
    """Return the greatest difference of a joint, rows (k, n) from q (n,)."""
    off = np.abs(rows - q)
    whole = np.where(turns > 0.0, turns, 1.0)
    return np.where(turns > 0.0, np.abs(off - whole * np.rint(off / whole)), off).max(
        axis=1
    )


def regularity(loop: Any, q: Any) -> float:
    """Return the least singular value of a loop's Jacobian at joint values."""
    x = np.zeros(6)
    real = [k for k, axis in enumerate(loop.axes) if axis >= 0]
    x[real] = [q[loop.axes[k]] for k in real]
    if len(real) < 6:
        x[len(real) :] = virtual_values(loop, x, len(real))
    return float(np.linalg.svd(_jacobian(loop.screws, x), compute_uv=False)[5])


def virtual_values(loop: Any, x: Any, first: int) -> Any:
    """Return the values of the last joints of a loop that close it."""
    pose = np.eye(4)
    for row, value in zip(loop.screws[:first], x, strict=False):
        pose = pose @ displaced(row, value)
    goal = np.eye(4)
    goal[:3] = loop.goal[:3]
    rest = np.linalg.inv(pose) @ goal
    screws = loop.screws[first:]
    rng = np.random.default_rng(0)
    best, least = np.zeros(len(screws)), math.inf
    for _ in range(20):
        v = rng.uniform(-2.0, 2.0, len(screws))
        for _ in range(30):
            now = np.eye(4)
            for row, value in zip(screws, v, strict=True):
                now = now @ displaced(row, value)
            d = rest @ np.linalg.inv(now)
            twist = 0.5 * np.array(
                (d[2, 1] - d[1, 2], d[0, 2] - d[2, 0], d[1, 0] - d[0, 1])
            )
            step = np.linalg.lstsq(
                _jacobian(screws, v), np.concatenate([d[:3, 3], twist]), rcond=1e-12
            )[0]
            v = v + step * min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-9))
        off = float(np.abs(now - rest).max())
        if off < least:
            best, least = v, off
        if least < 1e-9:
            break
    return best


def compared(
    result: Result, loop: Any, q: Any, rows: Any, rng: np.random.Generator
) -> None:
    """Add a pose to a result if many starts lead to solutions that are not there."""
    turns = np.where(loop.screws[:, 6] != 0.0, 0.0, 2.0 * math.pi)
    mine = rows[:, [axis for axis in loop.axes if axis >= 0]]
    goal = np.ascontiguousarray(loop.goal[:3])
    screws = np.ascontiguousarray(loop.screws)
    result.compared += 1
    for x in rng.uniform(-math.pi, math.pi, (STARTS, 6)):
        if loops.jit.polish(screws, goal, x, 60, 1e-13) > 1e-11:
            continue
        if np.linalg.svd(_jacobian(screws, x), compute_uv=False)[5] < REGULAR:
            continue
        if not len(mine) or apart(mine, x, turns).min() > SAME:
            result.fewer.append(q.tolist())
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arms", type=int, default=500)
    parser.add_argument("--poses", type=int, default=20, help="of each of three sets")
    parser.add_argument("--brute", type=int, default=2, help="poses for many starts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first arm")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    options = parser.parse_args()
    results = []
    for one in random_arms(options.first + options.arms, options.seed)[options.first :]:
        result = measured(one, options.poses, options.brute, options.seed)
        results.append(result)
        if result.faults:
            print(line(result), flush=True)
        if options.out:
            text = json.dumps([asdict(one) for one in results], indent=1)
            options.out.write_text(text, encoding="utf-8")
    print(summary(results))
    return 1 if any(result.faults for result in results) else 0


def line(one: Result) -> str:
    """Return a result in a line."""
    return (
        f"{one.name:28s} tilt {one.tilt:7.1e} {one.goals:24s} {one.decomposition:9s} "
        f"{one.poses} poses: unsolved {len(one.unsolved)} missed {len(one.missed)} "
        f"singular {one.singular} wrong {one.wrong} repeated {one.repeated} "
        f"fewer {len(one.fewer)} of {one.compared} {one.microseconds:.0f} us "
        f"{one.seconds:.1f} s {one.error}"
    )


def summary(results: list[Result]) -> str:
    """Return the sums over families and decompositions, a line for each."""
    groups: dict[tuple[str, str, bool], list[Result]] = {}
    for one in results:
        key = one.family, one.decomposition or "none", one.tilt > 0.0
        groups.setdefault(key, []).append(one)
    lines = []
    for (family, how, tilted), some in sorted(groups.items()):
        lines.append(
            f"{family:9s} {how:9s} {'tilted' if tilted else 'exact ':6s} "
            f"{len(some):4d} arms {sum(one.poses for one in some):6d} poses "
            f"unsolved {sum(len(one.unsolved) for one in some)} "
            f"missed {sum(len(one.missed) for one in some)} "
            f"singular {sum(one.singular for one in some)} "
            f"wrong {sum(one.wrong for one in some)} "
            f"repeated {sum(one.repeated for one in some)} "
            f"fewer {sum(len(one.fewer) for one in some)} "
            f"of {sum(one.compared for one in some)}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
