"""The towers of Hanoi with three disks in OpenRAVE's scene, by its Puma.

The scene is not shipped: OPENRAVE_DATA names the folder with ``data/hanoi.env.xml``. No
pair of links is ignored; each move is verified and executed. Target: 5 s of processor
time for finding all seven moves.

    python benchmarks/manipulation.py hanoi
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measuring import report

import pyrave
from pyrave.manipulation import Pick, Place, solve
from pyrave.planning import verification

PEGS = {"a": "srcpeg", "b": "destpeg", "c": "peg"}
DISKS = ("disk0", "disk1", "disk2")
THICK, GAP, LIFT = 0.04, 5e-4, (0.2, 0.24)


def moves(count: int, start: str, via: str, end: str) -> Any:
    """Yield which disk goes where."""
    if count:
        yield from moves(count - 1, start, end, via)
        yield DISKS[len(DISKS) - count], start, end
        yield from moves(count - 1, via, start, end)


def hanoi(seed: int) -> None:
    root = Path(os.environ.get("OPENRAVE_DATA", ""))
    if not (root / "data" / "hanoi.env.xml").is_file():
        sys.exit("OPENRAVE_DATA does not name a folder with data/hanoi.env.xml")
    env = pyrave.load(root / "data" / "hanoi.env.xml", resource_roots=[root])
    robot = env.robots["Puma"]
    arm = robot.manipulators["arm"]
    # kernels are compiled once a machine, meshes prepared once a scene
    solve(robot, Pick(arm, env.bodies[DISKS[-1]], lift=LIFT), timeout=30.0)
    stacks = {"a": list(DISKS), "b": [], "c": []}
    spent = []
    for name, start, end in moves(len(DISKS), "a", "c", "b"):
        disk, stack = env.bodies[stacks[start].pop()], stacks[end]
        goals = []
        for turn in range(4):
            pose = env.bodies[PEGS[end]].transform
            pose[2, 3] += 0.5 * THICK + GAP + THICK * len(stack)
            angle = turn * np.pi / 2
            pose[:2, :2] = (
                (np.cos(angle), -np.sin(angle)),
                (np.sin(angle), np.cos(angle)),
            )
            goals.append(pose)
        stack.append(name)
        begin = time.process_time()
        task = solve(
            robot,
            Pick(arm, disk, lift=LIFT),
            Place(arm, disk, goals, lower=LIFT),
            seed=seed,
            timeout=30.0,
        )
        spent.append(time.process_time() - begin)
        if not task:
            sys.exit(f"{name} from {start} to {end}: {task.cause}")
        checked = verification(robot, task)
        if not checked or not robot.execute(task):
            sys.exit(f"{name} from {start} to {end}: {checked.cause or 'not executed'}")
    report("manipulation/hanoi", cpu_s=sum(spent), cpu_by_move_s=spent)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    hanoi(parser.parse_args(arguments).seed)
