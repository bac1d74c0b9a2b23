"""Random configurations of robots in scenes, for `collision_answers.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import collision_solids as solids
import numpy as np
from collision_tally import BAND, Tally, exactly, untrue

import pyrave
from pyrave.collision import solid_of_row
from pyrave.scene import (
    BodyDescription,
    GeometryDescription,
    LinkDescription,
    MeshData,
    TriMesh,
)

ROBOTS = ("robots/heron7.robot.xml", "robots/biped.robot.xml", "robots/rover.robot.xml")
SCENES = ("primitives", "hulls", "meshes")
OBSTACLES = 40
AT_ONCE = 2000


def robots(corpus: Path | None) -> list[str]:
    """Return the files of three robots, and of those of a corpus."""
    found = [] if corpus is None else sorted(corpus.glob("robots/*.robot.xml"))
    return [*ROBOTS, *map(str, found)]


def scene(file: str, kind: str, seed: int) -> tuple[Any, Any]:
    """Return an environment with a robot and obstacles of a kind around it."""
    env = pyrave.Environment()
    env.load(file)
    robot = env.robots[0]
    rng = np.random.default_rng(seed)
    centre, half = robot.aabb
    reach = float(np.linalg.norm(half)) + 0.1
    kinds = {
        "primitives": ("sphere", "box", "cylinder", "capsule"),
        "hulls": ("hull",),
        "meshes": ("closed mesh", "open mesh"),
    }[kind]
    for k in range(OBSTACLES):
        one = solids.random_solid(rng, kinds[k % len(kinds)], "apart")
        one = solids.scaled(one, 0.2 * reach)
        pose = np.eye(4)
        pose[:3, :3] = solids.random_rotation(rng)
        pose[:3, 3] = centre + rng.uniform(-1.5, 1.5, 3) * reach
        if hasattr(one, "faces"):
            one = TriMesh(MeshData(one.vertices, one.faces))
        link = LinkDescription("base", geometries=(GeometryDescription(one),))
        body = env.create_body(BodyDescription(f"obstacle{k}", links=(link,)))
        body.transform = pose
        if env.check_collision(body, robot):  # not where the robot stands
            env.remove(body)
    return env, robot


def compare_robots(
    options: Any, tally: Tally, end: float, say: Callable[[str, Tally], None]
) -> None:
    """Compare random configurations of robots in scenes, as many as wanted."""
    wanted = options.configurations // options.part[1]
    for file in robots(options.corpus):
        for kind in SCENES:
            seed = options.seed * options.part[1] + options.part[0]
            env, robot = scene(file, kind, seed)
            checkers = {
                name: env.create("collisionchecker", name)
                for name in ("Native", "coal")
            }
            rng, done = np.random.default_rng((seed, 1)), 0
            while done < wanted and time.monotonic() < end:
                rows = configurations(rng, robot, min(AT_ONCE, wanted - done))
                for within in (False, True):
                    _compare(env, robot, rows, checkers, tally, within=within)
                done += len(rows)
                name = f"{Path(file).name.split('.')[0]}, {kind}"
                tally.counts[f"configurations: {name}"] = done
                say(f"{name}: {done} configurations of {wanted}", tally)


def configurations(rng: np.random.Generator, robot: Any, count: int) -> np.ndarray:
    """Return (count, dof) configurations within limits, or a turn without any."""
    low, high = (np.clip(limit, -np.pi, np.pi) for limit in robot.dof_limits)
    return rng.uniform(low, high, (count, robot.dof))


def _compare(
    env: Any, robot: Any, rows: np.ndarray, checkers: dict[str, Any], tally: Tally,
    *, within: bool,
) -> None:  # fmt: skip
    hits = {}
    for name, checker in checkers.items():
        env.collision_checker = checker
        hits[name] = checker.check_configurations(
            robot, rows, environment=not within, self_collision=within
        )
    about = "self" if within else "environment"
    tally.counts[f"configurations: {about}, hits"] += int(hits["Native"].sum())
    for q in rows[hits["Native"] != hits["coal"]]:
        case = _decided(env, robot, q, checkers, within=within)
        if case is None:
            tally.counts["configurations: in band"] += 1
        else:
            tally.add(case)


def _decided(
    env: Any, robot: Any, q: np.ndarray, checkers: dict[str, Any], *, within: bool
) -> dict[str, Any] | None:
    """Return who is wrong about a configuration; None if it is too near to say."""
    chosen = pyrave.CollisionOptions.ALL_LINK_COLLISIONS
    chosen |= pyrave.CollisionOptions.ALL_GEOMETRY_COLLISIONS
    found: dict[str, set[tuple[int, int]]] = {}
    with robot.preserve_state():
        robot.set_dof_values(q, limits=pyrave.LimitCheck.NONE)
        for name, checker in checkers.items():
            env.collision_checker = checker
            with checker.options(chosen):
                report = pyrave.CollisionReport()
                if within:
                    checker.check_self_collision(robot, report)
                else:
                    checker.check_collision(robot, report=report)
            found[name] = {
                tuple(sorted((pair.first.geometry_id, pair.second.geometry_id)))
                for pair in report.pairs
            }
        wrong = dict.fromkeys(found, False)
        seen = []
        for pair in found["Native"] ^ found["coal"]:
            for true in _gaps(env, *pair):
                for name, pairs in found.items():
                    wrong[name] |= untrue(pair in pairs, true, BAND)
                seen.append([true.low, true.high])
    if not any(wrong.values()) and seen:
        return None
    return {
        "about": "configurations", "case": robot.name, "values": q.tolist(),
        "within": within, "exact": seen, "native wrong": wrong["Native"],
        "coal wrong": wrong["coal"] or not seen,
    }  # fmt: skip


def _gaps(env: Any, one: int, other: int) -> list[Any]:
    """Return the bounds of the distances of the solids of two geometries."""
    table = env.world.tables.geometries
    first, second = (np.flatnonzero(table.id == k).tolist() for k in (one, other))
    return [
        exactly(
            solid_of_row(env.world, a), table.poses[a],
            solid_of_row(env.world, b), table.poses[b],
        )
        for a in first for b in second
    ]  # fmt: skip
