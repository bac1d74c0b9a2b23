"""Steps of the physics engine ``mujoco`` beside MuJoCo alone with the same model.

One core, medians of processor time of interleaved samples, and smallest wall times. A
sample is ten of ``env.step(0.01)``, which is five steps of MuJoCo, against ``mj_step``
of a copy of its data. The ratio is what pyrave adds: reading what users changed,
writing back poses and velocities, publishing.

* 100 boxes that fall, 100 boxes that lie on a floor. Target of both: <= 1.1x.
* A seven-joint arm that swings. Target: <= 2x.
* Making the model of 100 bodies against MuJoCo's own compilation of it. Target: <= 3x.

``pip install pyrave[bench]`` installs MuJoCo.
"""

from __future__ import annotations

import argparse
from typing import Any

import mujoco
import numpy as np
from measuring import each, interleaved, pin_to_one_core, report
from robots import arm7

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    LinkDescription,
    Pose,
)

STEP = 0.01
STEPS = 10
SIZE = 0.1
MOMENT = 2.0 / 3.0 * SIZE * SIZE


def box(name: str, place: tuple[float, float, float], half: tuple[float, ...]) -> Any:
    """Return a box of 1 kg; static if it is called floor."""
    tensor = (MOMENT, 0.0, 0.0, 0.0, MOMENT, 0.0, 0.0, 0.0, MOMENT)
    link = LinkDescription(
        "base",
        geometries=(GeometryDescription(Box(half)),),
        inertial=Inertial(1.0, (0.0, 0.0, 0.0), tensor),
        static=name == "floor",
    )
    return BodyDescription(name, links=(link,), pose=Pose(translation=place))


def boxes(height: float, count: int = 100) -> pyrave.Environment:
    """Return boxes in rows above a floor."""
    env = pyrave.Environment()
    env.create_body(box("floor", (0.0, 0.0, -0.5), (20.0, 20.0, 0.5)))
    for k in range(count):
        place = (0.5 * (k % 10), 0.5 * (k // 10), height)
        env.create_body(box(f"box{k}", place, (SIZE,) * 3))
    return started(env)


def arm() -> pyrave.Environment:
    """Return an arm that swings under gravity."""
    env = pyrave.Environment()
    env.load_string(arm7().urdf())
    robot = env.robots[0]
    robot.links[0].static = True
    robot.dof_values = np.full(robot.dof, 0.3)
    return started(env)


def started(env: pyrave.Environment) -> pyrave.Environment:
    """Install the engine, and take the first steps."""
    env.physics_engine = "mujoco"
    for _ in range(50):
        env.step(STEP)
    return env


def measure(env: pyrave.Environment, samples: int) -> dict[str, Any]:
    """Return what a step of an environment costs, and one of MuJoCo alone."""
    engine: Any = env.physics_engine
    model = engine.model
    data = mujoco.MjData(model)
    for name in ("qpos", "qvel", "qacc_warmstart", "mocap_pos", "mocap_quat"):
        getattr(data, name)[:] = getattr(engine.data, name)
    count = round(STEP / model.opt.timestep)
    times = interleaved(
        {
            "pyrave": each(env.step, [STEP] * STEPS),
            "mujoco": each(
                lambda number: mujoco.mj_step(model, data, number), [count] * STEPS
            ),
        },
        samples,
    )
    return compared(times, STEPS)


def compared(times: dict[str, dict[str, float]], calls: int = 1) -> dict[str, Any]:
    """Return medians and smallest times in microseconds, and ratios of both."""
    found: dict[str, Any] = {}
    for name, kind in (("median", "cpu_median_s"), ("min", "min_s")):
        ours, theirs = (times[who][kind] / calls for who in ("pyrave", "mujoco"))
        found[f"{name}_us"] = [round(ours * 1e6, 1), round(theirs * 1e6, 1)]
        found[f"{name}_ratio"] = round(ours / theirs, 2)
    return found


def making(samples: int) -> dict[str, Any]:
    """Return what making the model of 100 boxes costs, and compiling it alone."""
    from pyrave_mujoco.builder import Builder
    from pyrave_mujoco.scene import Scene

    env = boxes(5.0)
    engine: Any = env.physics_engine
    specification = Builder(env, engine.settings, {}).specification
    times = interleaved(
        {
            "pyrave": lambda: Scene(env, engine.settings, {}),
            "mujoco": specification.compile,
        },
        samples,
    )
    return compared(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=51)
    samples = parser.parse_args().samples
    pin_to_one_core()
    report(
        "physics",
        mujoco=mujoco.__version__,
        falling=measure(boxes(500.0), samples),
        settled=measure(boxes(SIZE), samples),
        arm=measure(arm(), samples),
        making=making(max(3, samples // 2)),
    )


if __name__ == "__main__":
    main()
