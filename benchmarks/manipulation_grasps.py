"""Grasps of a mug by the BarrettHand, evaluated end to end.

* Rate: grasps a second of processor time, on one core: approach, closing, contacts,
  epsilon. At least 100.
* Finals: values of the fingers against closing in steps of 1e-5 rad by public queries,
  each joint until a link that it moves touches. Within 1e-4.
* Bodies: the hand is never in the mug at the end.

``PYRAVE_CORPUS`` is the folder that holds ``openrave``, with robots and models.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from measuring import pin_to_one_core, report

import pyrave
from pyrave import CollisionOptions, CollisionReport
from pyrave.grasping import Grasper, box_rays, roll_angles
from pyrave.scene import body_from_mesh

STEP = 1e-5
CHUNK = 4096


def mug() -> tuple[Any, Any]:
    """Return vertices and faces of a mug with a handle, metres."""
    profile = np.array(
        [(1e-3, 0), (0.04, 0), (0.04, 0.1), (0.037, 0.1), (0.037, 4e-3), (1e-3, 4e-3)]
    )
    turns = 2.0 * np.pi * np.arange(32) / 32
    wall = np.stack(
        [
            np.outer(np.cos(turns), profile[:, 0]),
            np.outer(np.sin(turns), profile[:, 0]),
            np.tile(profile[:, 1], (32, 1)),
        ],
        axis=2,
    )
    bend, around = (
        np.linspace(-np.pi / 2, np.pi / 2, 13),
        2.0 * np.pi * np.arange(10) / 10,
    )
    out = np.stack((np.cos(bend), 0 * bend, np.sin(bend)), axis=1)
    middle = (0.0395, 0.0, 0.05) + 0.03 * out
    ring = np.cos(around)[:, None, None] * out + np.sin(around)[:, None, None] * (
        0,
        1,
        0,
    )
    handle = middle[:, None] + 5e-3 * ring.transpose(1, 0, 2)
    faces = tube(32, 6, closed=True)
    more = tube(13, 10, closed=False) + 192
    caps = [
        (192 + 130 + end, 192 + first + a, 192 + first + b)
        for end, first, turned in ((0, 0, True), (1, 120, False))
        for a, b in ((j, (j + 1) % 10)[:: -1 if turned else 1] for j in range(10))
    ]
    vertices = np.vstack((wall.reshape(-1, 3), handle.reshape(-1, 3), middle[[0, -1]]))
    return vertices, np.vstack((faces, more, caps))


def tube(n: int, k: int, *, closed: bool) -> Any:
    """Return the faces of n rings of k points each."""
    faces = []
    for i in range(n if closed else n - 1):
        for j in range(k):
            a, b = i * k + j, i * k + (j + 1) % k
            c, d = (i + 1) % n * k + j, (i + 1) % n * k + (j + 1) % k
            faces += [(a, c, b), (b, c, d)] if closed else [(a, b, c), (b, d, c)]
    return np.array(faces)


def scene(corpus: Path) -> Any:
    """Return a world with a hand and a mug."""
    os.environ["OPENRAVE_DATA"] = str(corpus / "openrave")
    env = pyrave.Environment()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.load(corpus / "openrave" / "robots" / "barretthand.robot.xml")
    vertices, faces = mug()
    env.create_body(body_from_mesh("mug", vertices, faces, static=False))
    env.bodies["mug"].transform = (1, 0, 0, 0, 1, 1, 0)
    return env


def stepwise(env: Any, grasp: Any) -> Any:
    """Return the values at which fingers stop that close in steps."""
    robot, target = env.robots[0], env.bodies["mug"]
    arm, checker = robot.manipulators[0], env.collision_checker
    pose = grasp.hand_pose(target.transform)
    robot.transform = pose @ np.linalg.inv(arm.transform) @ robot.transform
    q = robot.dof_values
    q[arm.gripper_indices] = grasp.preshape
    rates = np.zeros(robot.dof)
    rates[arm.gripper_indices] = arm.chucking_direction
    upper = robot.dof_limits[1]
    affects = robot.model.dof_affects
    while rates.any():
        room = np.where(
            rates > 0.0, (upper - q) / np.where(rates > 0.0, rates, 1.0), 9.0
        )
        count = int(room.min() / STEP)
        if count == 0:
            rates[room < STEP] = 0.0
            continue
        rows = q + STEP * np.arange(1, min(count, CHUNK) + 1)[:, None] * rates
        hits = checker.check_configurations(robot, rows)
        if not hits.any():
            q = rows[-1]
            continue
        first = int(np.argmax(hits))
        q = rows[first - 1] if first else q
        robot.dof_values = rows[first]
        found = CollisionReport(keep_previous=True)
        with checker.options(CollisionOptions.ALL_LINK_COLLISIONS):
            checker.check_collision(robot, report=found)
            checker.check_self_collision(robot, report=found)
        for pair in found.pairs:
            for side in (pair.first, pair.second):
                if side.link is not None and side.link.body is robot:
                    rates[affects[:, side.link.index]] = 0.0
    return q[arm.gripper_indices]


def main(arguments: list[str]) -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--stepwise", type=int, default=20)
    chosen = parser.parse_args(arguments)
    corpus = Path(os.environ["PYRAVE_CORPUS"])
    env = scene(corpus)
    robot, target = env.robots[0], env.bodies["mug"]
    begin = time.perf_counter()
    grasper = Grasper(robot.manipulators[0], target)
    rays = box_rays(target, 0.02)
    ways = list(
        grasper.candidates(rays, rolls=roll_angles(8), standoffs=(0.0, 0.02, 0.04))
    )
    order = np.random.default_rng(1).permutation(len(ways))[: chosen.count]
    ways = [ways[k] for k in order]
    grasper.attempt(ways[0])
    setup = time.perf_counter() - begin
    pin_to_one_core()
    rates, made = [], []
    for _ in range(3):
        begin = time.process_time()
        made = [grasper.attempt(one) for one in ways]
        rates.append(len(ways) / (time.process_time() - begin))
    grasps = [one for one in made if one is not None]
    closed = [one for one in grasps if one.scores["epsilon"] > 0.0]
    some = (closed + grasps)[: chosen.stepwise]
    off = [float(np.abs(stepwise(env, one) - one.final).max()) for one in some]
    inside = 0
    for grasp in grasps:
        pose = grasp.hand_pose(target.transform)
        arm = robot.manipulators[0]
        robot.transform = pose @ np.linalg.inv(arm.transform) @ robot.transform
        arm.gripper_dof_values = grasp.final
        inside += bool(env.check_collision(robot))
    report(
        "grasps",
        tried=len(ways),
        touch=len(grasps),
        force_closure=len(closed),
        contacts=float(np.mean([len(one.contacts) for one in grasps])),
        best_epsilon=max(one.scores["epsilon"] for one in grasps),
        setup_s=setup,
        grasps_a_second=max(rates),
        stepwise={"grasps": len(off), "largest": max(off), "all": sorted(off)},
        inside_at_the_end=inside,
    )
