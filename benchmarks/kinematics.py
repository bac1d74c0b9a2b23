"""Poses of all links and Jacobians of tools against MuJoCo and Pinocchio.

The same four robots in all three libraries, their poses compared to 1e-12 first. One
core, another configuration with every call, medians of interleaved samples.

* Single call: `link_transforms` writes (n_links, 4, 4) to an array of the caller;
  MuJoCo's poses are copied to two arrays of the caller (positions and matrices).
  Targets: <= 0.8x MuJoCo for arms, <= 0.6x for trees.
* ``robot.dof_values = q; robot.link_transforms``: <= 2.5x MuJoCo for the 7-joint arm.
* Batch: (n, n_links, 4, 4), per configuration; Pinocchio is called in a loop and its
  poses stay where it has them. Targets: <= 0.25x Pinocchio for arms, 0.4x for trees.
* Tool Jacobian: a new (6, dof) array of either. Target: <= 1.25x Pinocchio.

``pip install pyrave[bench]`` installs the peers. With ``--samples`` and ``--batch``
for other numbers than 31 samples and 1000 configurations.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mujoco
import numpy as np
import pinocchio
from measuring import each, interleaved, pin_to_one_core, report
from robots import LIMIT, Robot, arm6, arm7, humanoid, mobile_tree

import pyrave
from pyrave import kinematics

CALLS = 200
"""Calls of one sample of a single call."""
TARGETS = {
    "arm6": {"single": 0.8, "batch": 0.25, "jacobian": 1.25},
    "arm7": {"single": 0.8, "batch": 0.25, "jacobian": 1.25, "robot": 2.5},
    "mobile82": {"single": 0.6, "batch": 0.4, "jacobian": 1.25},
    "humanoid53": {"single": 0.6, "batch": 0.4, "jacobian": 1.25},
}

COMPARED = {
    "single": ("single/pyrave", "single/mujoco"),
    "robot": ("robot/pyrave", "single/mujoco"),
    "batch": ("batch/pyrave", "batch/pinocchio"),
    "jacobian": ("jacobian/pyrave", "jacobian/pinocchio"),
}


class Pyrave:
    """The robot as a compiled model and as a robot of an environment."""

    def __init__(self, robot: Robot) -> None:
        description = robot.description()
        self.model = model = kinematics.compile_body(description)
        self.base = base = np.eye(4)
        self.out = out = np.empty((model.n_links, 4, 4))
        tool = kinematics.compile_tool(model, robot.tool)
        env = pyrave.Environment()
        made = env.create("robot", "")
        made.init(description)
        env.add(made)
        self.env, self.robot = env, made
        arm = made.manipulators["arm"]
        columns = np.empty((6, model.n_dof))

        def single(q: np.ndarray) -> None:
            kinematics.link_transforms(model, base, q, out)

        def single_new(q: np.ndarray) -> np.ndarray:
            return kinematics.link_transforms(model, base, q)

        def through_robot(q: np.ndarray) -> np.ndarray:
            made.dof_values = q
            return made.link_transforms

        def jacobian(q: np.ndarray) -> np.ndarray:
            return kinematics.tool_jacobian(tool, base, q)

        def jacobian_out(q: np.ndarray) -> None:
            kinematics.tool_jacobian(tool, base, q, columns)

        def through_manipulator(q: np.ndarray) -> np.ndarray:
            made.dof_values = q
            return arm.jacobian()

        self.single, self.single_new, self.through_robot = (
            single,
            single_new,
            through_robot,
        )
        self.jacobian, self.jacobian_out, self.through_manipulator = (
            jacobian,
            jacobian_out,
            through_manipulator,
        )


class MuJoCo:
    """The robot in MuJoCo; `order` gives its joints in ours."""

    def __init__(self, robot: Robot) -> None:
        self.model = model = mujoco.MjModel.from_xml_string(robot.mjcf())
        self.data = data = mujoco.MjData(model)
        self.bodies = [model.body(part.name).id for part in robot.parts]
        names = [f"to_{part.name}" for part in robot.moving]
        self.order = np.argsort([model.joint(n).qposadr[0] for n in names])
        tool = model.body(robot.tool).id
        positions, matrices = np.empty((model.nbody, 3)), np.empty((model.nbody, 9))
        columns = np.empty((6, model.nv))
        linear, angular = columns[:3], columns[3:]
        copy, step = np.copyto, mujoco.mj_kinematics
        # look-ups of attributes and wrapping of arrays are no part of the work
        qpos, xpos, xmat = data.qpos, data.xpos, data.xmat

        def single(q: np.ndarray) -> None:
            qpos[:] = q
            step(model, data)
            copy(positions, xpos)
            copy(matrices, xmat)

        def single_inside(q: np.ndarray) -> None:
            qpos[:] = q
            step(model, data)

        def jacobian(q: np.ndarray) -> None:
            qpos[:] = q
            step(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_jacBody(model, data, linear, angular, tool)

        self.single, self.single_inside, self.jacobian = single, single_inside, jacobian
        self.columns = columns

    def poses(self, q: np.ndarray) -> np.ndarray:
        """Return (n_links, 4, 4) for a configuration in our order."""
        self.single_inside(q[self.order])
        result = np.tile(np.eye(4), (len(self.bodies), 1, 1))
        result[:, :3, 3] = self.data.xpos[self.bodies]
        result[:, :3, :3] = self.data.xmat[self.bodies].reshape(-1, 3, 3)
        return result


class Pinocchio:
    """The robot in Pinocchio; `order` gives its joints in ours."""

    def __init__(self, robot: Robot) -> None:
        self.model = model = pinocchio.buildModelFromXML(robot.urdf())
        self.data = data = model.createData()
        self.frames = [model.getFrameId(part.name) for part in robot.parts]
        names = [f"to_{part.name}" for part in robot.moving]
        places = [model.joints[model.getJointId(n)].idx_q for n in names]
        self.order = np.argsort(places)
        self.places = places
        tool = model.getFrameId(robot.tool)
        world_axes = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        update = pinocchio.framesForwardKinematics
        columns = pinocchio.computeFrameJacobian

        def single(q: np.ndarray) -> None:
            update(model, data, q)

        def jacobian(q: np.ndarray) -> np.ndarray:
            return columns(model, data, q, tool, world_axes)

        self.single, self.jacobian = single, jacobian

    def poses(self, q: np.ndarray) -> np.ndarray:
        """Return (n_links, 4, 4) for a configuration in our order."""
        self.single(q[self.order])
        return np.array([self.data.oMf[frame].homogeneous for frame in self.frames])


def agreement(ours: Pyrave, mj: MuJoCo, pin: Pinocchio, many: np.ndarray) -> float:
    """Return the largest difference of poses and Jacobians, at most 1e-12."""
    largest = 0.0
    batch = kinematics.link_transforms_batch(ours.model, ours.base, many)
    for q, poses in zip(many, batch, strict=True):
        ours.single(q)
        mj.jacobian(q[mj.order])
        columns = ours.jacobian(q)
        for got, wanted in (
            (ours.out, mj.poses(q)),
            (ours.out, pin.poses(q)),
            (poses, ours.out),
            (ours.through_robot(q), ours.out),
            (columns[:, pin.order], pin.jacobian(q[pin.order])),
            (columns[:, mj.order], mj.columns),
        ):
            largest = max(largest, float(np.abs(got - wanted).max()))
    if largest > 1e-12:
        raise SystemExit(f"the libraries differ by {largest}")
    return largest


def batches(
    ours: Pyrave, pin: Pinocchio, many: np.ndarray
) -> dict[str, Callable[[], Any]]:
    """Return the cases of a batch, all on one thread but the last."""
    model, base = ours.model, ours.base
    out = np.empty((len(many), model.n_links, 4, 4))
    whole = kinematics.link_transforms_batch
    update, pin_model, pin_data = (
        pinocchio.framesForwardKinematics,
        pin.model,
        pin.data,
    )
    # a sample as short as the others, or what else runs here would meet it more often
    permuted = np.ascontiguousarray(many[:CALLS, pin.order])

    def pinocchio_loop() -> None:
        for q in permuted:
            update(pin_model, pin_data, q)

    return {
        "batch/pyrave": lambda: whole(model, base, many, out),
        "batch/pyrave_new_array": lambda: whole(model, base, many),
        "batch/pyrave_robot": lambda: ours.robot.compute_link_transforms(many),
        "batch/pinocchio": pinocchio_loop,
    }


def two_threads(
    ours: Pyrave, many: np.ndarray, samples: int
) -> dict[str, dict[str, float]]:
    """Measure the batch on one and on two threads, on whatever cores there are."""
    model, base = ours.model, ours.base
    out = np.empty((len(many), model.n_links, 4, 4))
    whole = kinematics.link_transforms_batch
    half = len(many) // 2
    with ThreadPoolExecutor(2) as pool:

        def shared() -> None:
            parts = (slice(0, half), slice(half, None))
            list(pool.map(lambda p: whole(model, base, many[p], out[p]), parts))

        cases = {"one": lambda: whole(model, base, many, out), "two": shared}
        return interleaved(cases, samples)


def measure(robot: Robot, samples: int, n_batch: int) -> dict[str, Any]:
    """Return figures of one robot."""
    rng = np.random.default_rng(len(robot.parts))
    ours, mj, pin = Pyrave(robot), MuJoCo(robot), Pinocchio(robot)
    many = rng.uniform(-0.99 * LIMIT, 0.99 * LIMIT, (n_batch, ours.model.n_dof))
    some = [row.copy() for row in many[:CALLS]]
    for_mujoco = [q[mj.order] for q in some]
    for_pinocchio = [q[pin.order] for q in some]
    # the first calls run in the interpreter until compiling pays
    for q in some:
        ours.single(q), ours.jacobian(q), ours.through_robot(q)
        ours.through_manipulator(q)
    difference = agreement(ours, mj, pin, many[:20])
    cases = {
        "single/pyrave": each(ours.single, some),
        "single/pyrave_new_array": each(ours.single_new, some),
        "single/mujoco": each(mj.single, for_mujoco),
        "single/mujoco_not_copied": each(mj.single_inside, for_mujoco),
        "single/pinocchio_not_copied": each(pin.single, for_pinocchio),
        "robot/pyrave": each(ours.through_robot, some),
        "jacobian/pyrave": each(ours.jacobian, some),
        "jacobian/pyrave_own_array": each(ours.jacobian_out, some),
        "jacobian/pyrave_manipulator": each(ours.through_manipulator, some),
        "jacobian/pinocchio": each(pin.jacobian, for_pinocchio),
        "jacobian/mujoco_own_array": each(mj.jacobian, for_mujoco),
        **batches(ours, pin, many),
    }
    found = interleaved(cases, samples, warm_up=3)
    calls = {
        name: n_batch if name.startswith("batch/pyrave") else CALLS for name in found
    }
    median = {name: found[name]["cpu_median_s"] / calls[name] for name in found}
    least = {name: found[name]["min_s"] / calls[name] for name in found}
    targets = TARGETS[robot.name]
    return {
        "links": ours.model.n_links,
        "dof": ours.model.n_dof,
        "largest_difference": difference,
        "ratios": {
            name: {
                "ratio": round(median[ours_] / median[peer], 3),
                "ratio_of_shortest": round(least[ours_] / least[peer], 3),
                "target": target,
                "within": median[ours_] <= target * median[peer],
            }
            for name, (ours_, peer) in COMPARED.items()
            if (target := targets.get(name)) is not None
        },
        "nanoseconds_per_call": {
            name: {
                "median": round(median[name] * 1e9),
                "min": round(least[name] * 1e9),
                "max": round(values["max_s"] / calls[name] * 1e9),
            }
            for name, values in found.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=31)
    parser.add_argument("--batch", type=int, default=1000)
    options = parser.parse_args()
    if options.batch < CALLS:
        parser.error(f"--batch is at least {CALLS}")
    cores = getattr(os, "sched_getaffinity", lambda _: None)(0)
    pin_to_one_core()
    robots = [arm6(), arm7(), mobile_tree(), humanoid()]
    figures = {r.name: measure(r, options.samples, options.batch) for r in robots}
    if cores is not None:
        os.sched_setaffinity(0, cores)
    rng = np.random.default_rng(0)
    threads = {}
    for robot in robots:
        ours = Pyrave(robot)
        many = rng.uniform(-LIMIT, LIMIT, (options.batch, ours.model.n_dof))
        found = two_threads(ours, many, options.samples)
        threads[robot.name] = {
            name: round(values["median_s"] / options.batch * 1e9)
            for name, values in found.items()
        }
    report(
        "kinematics",
        versions={
            "pyrave": pyrave.__version__,
            "mujoco": mujoco.__version__,
            "pinocchio": pinocchio.__version__,
        },
        configurations_per_batch=options.batch,
        robots=figures,
        batch_by_threads_ns_per_configuration=threads,
    )


if __name__ == "__main__":
    main()
