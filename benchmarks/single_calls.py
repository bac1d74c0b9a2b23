"""Single calls from Python, as scripts make them, one at a time: microseconds each.

Each row sets the joint values of a robot, another configuration with every call, and
asks one thing:

* ``set``: ``robot.dof_values = q`` alone; ``clamped``: of values beyond the limits, by
  ``robot.set_dof_values(q, limits=LimitCheck.CLAMP)``, with the poses of the links;
  ``clamped, told``: by assigning them, of which the first one is told.
* ``links``: ``robot.link_transforms``.
* ``tool``: ``arm.transform``; ``jacobian``: ``arm.jacobian()``; ``tool and jacobian``.
* ``collision``: ``env.check_collision(robot)``; ``self collision``:
  ``robot.check_self_collision()``.
* ``mujoco``: the same tree in MuJoCo, ``qpos[:] = q``, ``mj_kinematics``, and its poses
  read, in the same run. No collisions.

By default for the 7-joint arm without followers of the other benchmarks, and for
robots that ship: ``heron7``, with a gripper whose second finger follows the first, in
the scene ``demo``, and ``planar3r``. ``--reference PATH`` adds the robot of a scene of
yours, such as the WAM in OpenRAVE's ``data/lab1.env.xml``.

Medians and least of samples of 25 calls, interleaved, on one core: on a busy machine
the least says more. ``pip install pyrave[bench]`` installs MuJoCo.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from measuring import each, interleaved, pin_to_one_core, report
from robots import arm7

import pyrave
from pyrave import LimitCheck
from pyrave.spatial import invert_pose, quat_from_matrix

CALLS = 25
"""Calls of one sample."""
SCENES = {"heron7": "scenes/demo.env.xml", "planar3r": "robots/planar3r.robot.xml"}


def bare_arm() -> pyrave.Environment:
    """Return an environment with the 7-joint arm of the other benchmarks."""
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm7().description())
    env.add(robot)
    return env


def mjcf(robot: Any) -> str:
    """Return the tree of a robot as MuJoCo's XML; its balls and paths are left out."""
    model = robot.model
    with robot.preserve_state():
        robot.transform = np.eye(4)
        robot.set_dof_values(np.zeros(robot.dof), limits=LimitCheck.NONE)
        poses = robot.link_transforms
    inside: dict[int, list[str]] = {i: [] for i in range(model.n_links)}
    own: dict[int, list[str]] = {i: [] for i in range(model.n_links)}
    for value, joint in enumerate(model.value_joint.tolist()):
        if model.joint_types[joint] not in {"revolute", "hinge", "prismatic", "slider"}:
            continue
        child = int(model.joint_hierarchy[joint, 1])
        frame = model.T_child_joint[joint]
        axis = frame[:3, :3] @ model.axis_directions[value]
        kind = "slide" if model.prismatic[value] else "hinge"
        own[child].append(
            f'<joint type="{kind}" axis="{words(axis)}" pos="{words(frame[:3, 3])}"/>'
        )
    for link in reversed(model.link_order.tolist()):
        parent = int(model.parent_link[link])
        local = poses[link] if parent < 0 else invert_pose(poses[parent]) @ poses[link]
        turn = quat_from_matrix(local[:3, :3])
        place = f'pos="{words(local[:3, 3])}" quat="{words(turn)}"'
        mass = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
        text = "".join((f"<body {place}>", mass, *own[link], *inside[link], "</body>"))
        inside.setdefault(parent, []).append(text)
    return f"<mujoco><worldbody>{''.join(inside[-1])}</worldbody></mujoco>"


def words(numbers: Any) -> str:
    """Return numbers as XML has them."""
    return " ".join(repr(float(number)) for number in numbers)


def by_mujoco(robot: Any) -> Callable[[np.ndarray], None]:
    """Return a call that places the tree of a robot and reads its poses."""
    model = mujoco.MjModel.from_xml_string(mjcf(robot))
    data = mujoco.MjData(model)
    qpos, xpos, xmat, step = data.qpos, data.xpos, data.xmat, mujoco.mj_kinematics
    positions, matrices = np.empty((model.nbody, 3)), np.empty((model.nbody, 9))
    n = min(model.nq, robot.dof)

    def set_and_read(q: np.ndarray) -> None:
        qpos[:n] = q[:n]
        step(model, data)
        positions[:] = xpos
        matrices[:] = xmat

    return set_and_read


def calls(env: Any, robot: Any) -> dict[str, Callable[[np.ndarray], Any]]:
    """Return the rows of a robot by their names; each takes (dof,) joint values."""
    arm = robot.active_manipulator

    def only_set(q: np.ndarray) -> None:
        robot.dof_values = q

    def links(q: np.ndarray) -> Any:
        robot.dof_values = q
        return robot.link_transforms

    def clamped(q: np.ndarray) -> Any:
        robot.set_dof_values(q, limits=LimitCheck.CLAMP)
        return robot.link_transforms

    def clamped_and_told(q: np.ndarray) -> Any:
        robot.dof_values = q
        return robot.link_transforms

    def tool(q: np.ndarray) -> Any:
        robot.dof_values = q
        return arm.transform

    def jacobian(q: np.ndarray) -> Any:
        robot.dof_values = q
        return arm.jacobian()

    def tool_and_jacobian(q: np.ndarray) -> Any:
        robot.dof_values = q
        return arm.transform, arm.jacobian()

    def collision(q: np.ndarray) -> bool:
        robot.dof_values = q
        return bool(env.check_collision(robot))

    def self_collision(q: np.ndarray) -> bool:
        robot.dof_values = q
        return bool(robot.check_self_collision())

    return {
        "set": only_set,
        "links": links,
        "clamped": clamped,
        "clamped, told": clamped_and_told,
        "tool": tool,
        "jacobian": jacobian,
        "tool and jacobian": tool_and_jacobian,
        "collision": collision,
        "self collision": self_collision,
    }


def figures(env: Any, samples: int) -> dict[str, Any]:
    """Return the microseconds of each row for the first robot of an environment."""
    robot = env.robots[0]
    rng = np.random.default_rng(1)
    lower, upper = (np.clip(limit, -3.0, 3.0) for limit in robot.dof_limits)
    inside = list(rng.uniform(lower, upper, (CALLS, robot.dof)))
    outside = list(rng.uniform(lower - 0.5, upper + 0.5, (CALLS, robot.dof)))
    rows = {**calls(env, robot), "mujoco": by_mujoco(robot)}
    cases = {
        name: each(call, outside if name.startswith("clamped") else inside)
        for name, call in rows.items()
    }
    with pyrave.jit.eager():
        found = interleaved(cases, samples, warm_up=20)
    hits = {
        name: sum(rows[name](q) for q in inside)
        for name in ("collision", "self collision")
    }
    return {
        "dof": robot.dof,
        "links": len(robot.links),
        "bodies": len(env.bodies),
        "hits of 25": hits,
        "microseconds": {
            name: {
                "median": round(1e6 * one["median_s"] / CALLS, 2),
                "least": round(1e6 * one["min_s"] / CALLS, 2),
            }
            for name, one in found.items()
        },
    }


def main() -> None:
    """Print the figures of all robots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--reference", type=Path, help="a scene with a robot")
    options = parser.parse_args()
    pin_to_one_core()
    warnings.simplefilter("ignore", pyrave.SceneWarning)
    scenes: dict[str, Any] = {"arm7": bare_arm()}
    for name, path in SCENES.items():
        scenes[name] = pyrave.load(path)
    if options.reference is not None:
        scenes["reference"] = pyrave.load(options.reference)
    report(
        "single calls",
        robots={name: figures(env, options.samples) for name, env in scenes.items()},
    )


if __name__ == "__main__":
    main()
