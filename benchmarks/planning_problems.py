"""Scenes and problems of the benchmark of planners: random ends at places of interest.

Each scene is walls, boards and things around the shipped arm ``heron7``; a problem is
two configurations whose tools are in two of its places, free of collisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    Cylinder,
    GeometryDescription,
    JointDescription,
    LinkDescription,
    Pose,
    RobotDescription,
    Sphere,
)

ARM = "robots/heron7.robot.xml"
BATCH = 2000
Region = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class Scene:
    """An environment, the robot that moves, and where its tools are at the ends."""

    env: Any
    robot: Any
    regions: tuple[Region, ...]


def thing(name: str, shape: Any, place: Any) -> BodyDescription:
    geometry = GeometryDescription(shape=shape)
    link = LinkDescription("base", geometries=(geometry,), static=True)
    pose = Pose(translation=tuple(float(x) for x in place))
    return BodyDescription(name, links=(link,), pose=pose)


def boxes(*rows: tuple[tuple[float, float, float], tuple[float, float, float]]) -> list:
    return [thing(f"box{k}", Box(half), place) for k, (half, place) in enumerate(rows)]


def table() -> tuple[list[BodyDescription], list[Region]]:
    """Return a table with things on it."""
    rng = np.random.default_rng(1)
    things = boxes(((0.35, 0.7, 0.02), (0.6, 0.0, 0.1)))
    for k in range(12):
        place = rng.uniform((0.35, -0.6, 0.0), (0.85, 0.6, 0.0))
        high = rng.uniform(0.06, 0.16)
        place[2] = 0.121 + high
        shape = Box((0.03, 0.04, high)) if k % 2 else Cylinder(0.04, 2 * high)
        things.append(thing(f"thing{k}", shape, place))
    return things, [((0.3, -0.6, 0.15), (0.9, 0.6, 0.5))]


def shelf() -> tuple[list[BodyDescription], list[Region]]:
    """Return boards between sides and a back, with open compartments."""
    rows = [((0.01, 0.5, 0.6), (0.95, 0.0, 0.6))]
    rows += [((0.18, 0.012, 0.6), (0.77, y, 0.6)) for y in (-0.5, 0.0, 0.5)]
    rows += [((0.18, 0.5, 0.012), (0.77, 0.0, z)) for z in (0.0, 0.4, 0.8, 1.2)]
    regions = [
        ((0.62, y - 0.2, z + 0.08), (0.9, y + 0.2, z + 0.34))
        for y in (-0.25, 0.25)
        for z in (0.0, 0.4, 0.8)
    ]
    return boxes(*rows), regions


def cage() -> tuple[list[BodyDescription], list[Region]]:
    """Return bars around the arm, whose tool goes from outside to outside."""
    bars = []
    for k, angle in enumerate(np.arange(12) * np.pi / 6):
        place = (0.55 * np.cos(angle), 0.55 * np.sin(angle), 0.6)
        bars.append(thing(f"bar{k}", Cylinder(0.015, 1.2), place))
    regions = [
        ((0.6, -0.5, 0.3), (0.9, 0.5, 0.9)),
        ((-0.5, 0.6, 0.3), (0.5, 0.9, 0.9)),
        ((-0.5, -0.9, 0.3), (0.5, -0.6, 0.9)),
    ]
    return bars, regions


def bins() -> tuple[list[BodyDescription], list[Region]]:
    """Return two bins that are deep, on a table."""
    rows = [((0.35, 0.7, 0.02), (0.6, 0.0, 0.0))]
    for y in (-0.32, 0.32):
        rows += [((0.012, 0.25, 0.15), (x, y, 0.17)) for x in (0.4, 0.85)]
        rows += [((0.225, 0.012, 0.15), (0.625, y + d, 0.17)) for d in (-0.24, 0.24)]
    regions = [((0.45, y - 0.2, 0.06), (0.8, y + 0.2, 0.26)) for y in (-0.32, 0.32)]
    return boxes(*rows), regions


def lab() -> tuple[list[BodyDescription], list[Region]]:
    """Return a table, a cabinet, a pillar, a lamp and things."""
    rng = np.random.default_rng(2)
    rows = [
        ((0.3, 0.6, 0.02), (0.65, 0.0, 0.2)),
        ((0.5, 0.2, 0.6), (0.0, -0.95, 0.6)),
        ((0.08, 0.08, 0.8), (-0.5, 0.4, 0.8)),
        ((0.25, 0.25, 0.02), (0.5, 0.0, 1.1)),
        ((0.02, 0.3, 0.02), (0.3, 0.75, 0.75)),
    ]
    things = boxes(*rows)
    for k in range(25):
        place = rng.uniform((-0.8, -0.7, 0.25), (0.9, 0.9, 1.2))
        if np.linalg.norm(place[:2]) < 0.35:
            continue
        shape = Sphere(0.05) if k % 2 else Box((0.05, 0.03, 0.06))
        things.append(thing(f"thing{k}", shape, place))
    return things, [((-0.9, -0.9, 0.1), (0.95, 0.95, 1.3))]


def two_arms() -> tuple[list[BodyDescription], list[Region]]:
    """Return a table that two arms share."""
    things, _ = table()
    return things, [((0.3, -0.5, 0.15), (0.9, 0.5, 0.6))]


SCENES = {
    "lab": lab,
    "table": table,
    "shelf": shelf,
    "cage": cage,
    "bin": bins,
    "two arms": two_arms,
}


def load(name: str) -> Scene:
    """Return a scene by name."""
    things, regions = SCENES[name]()
    env = pyrave.Environment()
    env.load(ARM)
    robot = env.robots[0]
    if name == "two arms":
        one = robot.description
        env.remove(robot)
        robot = env.create("robot", "")
        robot.init(pair_of(one))
        env.add(robot)
    for one in things:
        env.create_body(one)
    moving = [i for arm in robot.manipulators for i in arm.arm_indices]
    robot.set_active_dofs(moving)
    return Scene(env, robot, tuple(regions))


def pair_of(arm: RobotDescription) -> RobotDescription:
    """Return two of an arm as one robot, side by side."""
    torso = LinkDescription("torso", static=True)
    links, joints, arms, adjacent = [torso], [], [], set()
    for side, y in (("left", 0.35), ("right", -0.35)):
        place = Pose(translation=(0.0, y, 0.0))
        names = {link.name: f"{side}_{link.name}" for link in arm.links}
        for link in arm.links:
            moved = place @ link.pose
            links.append(replace(link, name=names[link.name], pose=moved))
        joints.append(
            JointDescription(
                f"{side}_mount", "fixed", "torso", names[arm.links[0].name],
                T_parent_joint=place,
            )
        )  # fmt: skip
        joints += [prefixed(joint, side, names) for joint in arm.joints]
        adjacent |= {(names[a], names[b]) for a, b in arm.adjacent}
        arms += [
            replace(
                one,
                name=f"{side}_{one.name}",
                base=names[one.base],
                end_effector=names[one.end_effector],
                gripper_joints=tuple(f"{side}_{j}" for j in one.gripper_joints),
            )
            for one in arm.manipulators
        ]
    return RobotDescription(
        "pair",
        links=tuple(links),
        joints=tuple(joints),
        manipulators=tuple(arms),
        adjacent=frozenset(adjacent),
    )


def prefixed(joint: JointDescription, side: str, names: dict[str, str]) -> Any:
    """Return a joint of one of two arms; fingers stay, so nothing follows."""
    axes = tuple(replace(axis, mimic=None) for axis in joint.axes)
    return replace(
        joint,
        name=f"{side}_{joint.name}",
        parent=names[joint.parent],
        child=names[joint.child],
        axes=axes,
    )


def problems(
    scene: Scene, count: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return starts and goals (d,), free, with tools in regions."""
    env, robot = scene.env, scene.robot
    active = robot.active_dof_indices
    rng = np.random.default_rng(seed)
    lower, upper = (limits[active] for limits in robot.dof_limits)
    kept: list[np.ndarray] = []
    places: list[int] = []
    options = pyrave.CollisionOptions.ACTIVE_DOFS
    with env.collision_checker.options(options):
        while len(kept) < 2 * count:
            rows = np.tile(robot.dof_values, (BATCH, 1))
            rows[:, active] = rng.uniform(lower, upper, (BATCH, len(active)))
            found = in_regions(scene, rows)
            chosen = np.flatnonzero(found >= 0)
            free = ~env.collision_checker.check_configurations(robot, rows[chosen])
            kept += list(rows[chosen[free]][:, active])
            places += found[chosen[free]].tolist()
    order = rng.permutation(len(kept))
    made = []
    while len(made) < count and len(order) > 1:
        first = order[0]
        others = [k for k in order[1:] if places[k] != places[first]] or order[1:]
        last = others[0]
        made.append((kept[first], kept[last]))
        order = np.array([k for k in order if k not in {first, last}])
    return made


def in_regions(scene: Scene, rows: np.ndarray) -> np.ndarray:
    """Return in which region all tools are, -1 for none, of configurations (n, dof)."""
    robot = scene.robot
    poses = robot.compute_link_transforms(rows)
    which = np.full((len(robot.manipulators), len(rows)), -1)
    for k, arm in enumerate(robot.manipulators):
        tool = poses[:, arm.end_effector.index] @ arm.local_tool_transform
        for number, (low, high) in enumerate(scene.regions):
            place = tool[:, :3, 3]
            which[k][((place > low) & (place < high)).all(axis=1)] = number
    return np.where((which >= 0).all(axis=0), which[0], -1)
