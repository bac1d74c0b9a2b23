"""What an arm reaches on a grid of poses: time of the map, and whether it is true.

* Build: seconds on the clock with 1, 2 and 4 processes, and processor seconds of all
  tasks; the results have to be equal, bit by bit. 4 cm and 72 rotations within 5
  minutes on two cores.
* Agreement: of random poses of the grid the share of which the map says what `find_ik`
  says, at least 0.995; `wrong` are those that the map has and `find_ik` proves out of
  reach, and has to be 0.
* Between: the same share for random poses of the ball, whose cells have to answer.
* Bases: processor seconds of an `InverseReachability`, milliseconds of a distribution,
  and the share of drawn places from which inverse kinematics has a solution, against
  places by chance as far away as the arm is long.

The arm is OpenRAVE's WAM where ``PYRAVE_CORPUS`` has it, else the Heron that ships.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measuring import report

import pyrave
from pyrave.databases import InverseReachability, Reachability
from pyrave.spatial import pose_from_rpy


def main(arguments: list[str]) -> None:
    """Build, compare and print."""
    parser = argparse.ArgumentParser(prog="manipulation.py reach", description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--spacing", type=float, default=0.04)
    parser.add_argument("--free", action="store_true", help="without self-collision")
    given = parser.parse_args(arguments)
    arm, builds, maps = _arm(), {}, []
    with tempfile.TemporaryDirectory() as folder:
        for count in given.workers:
            os.environ["PYRAVE_DATABASE"] = str(Path(folder) / str(count))
            made = Reachability(arm, spacing=given.spacing, free_space=given.free)
            began = time.perf_counter()
            made.build(workers=count)
            builds[count] = {
                "clock": time.perf_counter() - began,
                "processor": made.seconds,
                "megabytes": made.path.stat().st_size / 1e6,
            }
            maps.append(made)
    found = maps[0]
    bits = [one.arrays["reached"] for one in maps]
    report(
        "reach",
        arm=f"{arm.robot.name}/{arm.name}",
        builds=builds,
        same=all(np.array_equal(bits[0], one) for one in bits),
        summary=found.summary(),
        agreement=_agreement(arm, found, given.poses, given.free),
        bases=_bases(arm, found.map.grid.radius),
    )


def _bases(arm: Any, radius: float) -> dict[str, Any]:
    """Measure where bases stand for tools that point down and forwards."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYRAVE_DATABASE"] = folder
        places = InverseReachability(arm).build()
    random = np.random.default_rng(1)
    height = arm.base.transform[2, 3]
    solved, chance, spent = [], [], 0.0
    for number in range(40):
        pose = pose_from_rpy(
            (np.pi, 0.5 * np.pi * (number % 2), random.uniform(-3, 3)),
            (*random.uniform(-3, 3, 2), height + random.uniform(0.1, 0.5)),
        )
        began = time.process_time()
        where = places.base_distribution(pose)
        spent += time.process_time() - began
        drawn = where.sample(25, seed=number)
        thrown = np.append(pose[:2, 3], 0.0) + random.uniform(-1, 1, (25, 3)) * (
            radius,
            radius,
            np.pi,
        )
        for rows, tally in ((drawn, solved), (thrown, chance)):
            back = np.linalg.inv(where.transforms(rows))
            asked = arm.robot.transform @ back @ pose
            tally.append((arm.solve_ik_batch(asked).found > 0).mean())
    return {
        "processor": places.seconds,
        "distribution_ms": spent / 40 * 1e3,
        "solved": float(np.mean(solved)),
        "by_chance": float(np.mean(chance)),
    }


def _arm() -> Any:
    corpus = Path(os.environ.get("PYRAVE_CORPUS", "nowhere"))
    file = corpus / "openrave" / "robots" / "barrettwam.robot.xml"
    shipped = "robots/heron7.robot.xml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyrave.SceneWarning)
        env = pyrave.load(file if file.exists() else shipped)
    return env.robots[0].manipulators[0]


def _agreement(arm: Any, found: Any, count: int, free: bool) -> dict[str, Any]:
    """Compare random poses of the grid, and between, with inverse kinematics."""
    random = np.random.default_rng(0)
    options = pyrave.IkFilterOptions.NONE
    if free:
        options = pyrave.IkFilterOptions.CHECK_SELF_COLLISIONS
    numbers = random.choice(found.map.reached.size, count, replace=False)
    poses = arm.base.transform @ found.map.poses(numbers)
    said = found.contains(poses)
    results = [arm.find_ik(pose, options=options) for pose in poses]
    solved = np.array([bool(one) for one in results])
    proven = np.array([one.complete and not one for one in results])
    between = poses.copy()
    between[:, :3, 3] += random.uniform(-0.5, 0.5, (count, 3)) * found.map.grid.spacing
    quats = random.normal(size=(count, 4))
    quats /= np.linalg.norm(quats, axis=1)[:, None]
    between[:, :3, :3] = [pyrave.spatial.matrix_from_quat(one) for one in quats]
    reached = arm.solve_ik_batch(between, options=options).found > 0
    return {
        "poses": count,
        "share": float((said == solved).mean()),
        "missed": int((solved & ~said).sum()),
        "map_alone": int((said & ~solved).sum()),
        "wrong": int((said & proven).sum()),
        "between": float((found.contains(between) == reached).mean()),
    }
