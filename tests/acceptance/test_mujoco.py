"""The engine ``mujoco`` on real files: against RobWork's traces and our dynamics."""

import json

import corpus
import numpy as np
import pytest

import pyrave

mujoco = pytest.importorskip("mujoco")
FOLDER, ROOT = corpus.shared_folder(), corpus.openrave_root()
ROBOTS = tuple(f for f in corpus.openrave_files() if f.endswith(".robot.xml"))
SIM = "synthetic/sim/"
CONSTRAINTS = "rw2026/RobWorkSim/gtest/testfiles/scene/constraints/"
TRACES = {
    f"{SIM}arm_passive": (5e-3, 2e-2, 1.0),
    f"{SIM}slope_slide_30deg": (8e-3, 2e-2, 1.0),
    f"{SIM}box_drop": (1e-3, 2e-2, 1.0),
    f"{SIM}spring_prismatic": (1e-5, 1e-6, 2.0),
    f"{SIM}conkin_Free": (3e-3, 1e-6, 1.0),
    f"{SIM}conkin_Prismatic": (1e-3, 1e-5, 1.0),
    f"{SIM}conkin_PrismaticUniversal": (2e-3, 5e-3, 0.45),
    f"{CONSTRAINTS}fixed": (1e-5, 1e-3, 1.0),
    f"{CONSTRAINTS}prismatic": (1e-4, 1e-3, 1.0),
    f"{CONSTRAINTS}revolute": (1e-4, 3e-3, 1.0),
}
"""Scenes that the reference simulates right, how far apart places (metres) and elements
of rotations may be, and until when. Its boxes rest 0.4 mm above the ground; what falls
is g t dt / 2 apart, as its first step begins with a velocity. Its pistons at static
bodies fly off, and its limits of revolute constraints at moving bodies are negated."""


@pytest.mark.skipif(FOLDER is None, reason="the corpus is not here")
@pytest.mark.parametrize("name", TRACES)
def test_scenes_go_as_in_robwork(name):
    path = f"robwork/{name}.dwc"
    near, turned, until = TRACES[name]
    expected = FOLDER / "expected" / f"{path}.dt001.json"
    trace = json.loads(expected.read_text())["simulation"]["trace"]
    env = pyrave.load(FOLDER / "corpus" / f"{path}.xml")
    env.physics_engine = "mujoco"
    now = compared = 0
    for row in trace:
        if row["t"] > until:
            break
        while now < round(row["t"] * 1000):
            env.step(0.001)
            now += 1
        for full, state in row["bodies"].items():
            body, _, link = full.partition(".")
            found = env.bodies[body].links[link or 0].transform
            wanted = np.array(state["world"])
            assert np.allclose(found[:3, 3], wanted[:, 3], rtol=0, atol=near)
            assert np.allclose(found[:3, :3], wanted[:, :3], rtol=0, atol=turned)
            compared += 1
    assert compared >= 5


@pytest.mark.skipif(FOLDER is None, reason="the corpus is not here")
def test_motors_are_driven_as_in_robwork():
    """RobWork's PD controller goes to zero from the start, ours holds till told."""
    path = f"robwork/{SIM}two_arms_mimic.dwc"
    expected = FOLDER / "expected" / f"{path}.dt001.json"
    trace = json.loads(expected.read_text())["simulation"]["trace"]
    env = pyrave.load(FOLDER / "corpus" / f"{path}.xml")
    env.physics_engine = "mujoco"
    robot = env.robots["A"]
    robot.controller.set_desired([0.0])
    for row in trace[1:]:
        while env.simulation_time < row["t"] - 1e-7:
            env.step(0.001)
        wanted = row["devices"]["A"]["q"]
        assert np.allclose(robot.dof_values, wanted, rtol=0, atol=3.5e-3)


@pytest.mark.skipif(ROOT is None, reason="the corpus is not here")
@pytest.mark.parametrize("name", ROBOTS)
def test_inverse_dynamics(name):
    """Of robots with a static base, to 1e-9 of the largest effort."""
    env = pyrave.Environment()
    env.load(ROOT / name, resource_roots=[ROOT])
    for body in env.bodies:
        body.links[0].static = True
        for link in body.links:
            link.set_geometries(())
    engine = env.set_physics_engine("mujoco")
    rng = np.random.default_rng(ROBOTS.index(name))
    for part in engine.ready().parts:
        body = part.body
        lower, upper = (np.clip(limit, -3, 3) for limit in body.dof_limits)
        body_model = body.model
        if (
            not body.dof
            or body_model.has_mimic
            or body_model.closing_joints.size
            or len(part.values) != body.dof
        ):
            continue
        for _ in range(3):
            body.dof_values = rng.uniform(lower, upper)
            body.dof_velocities = rng.uniform(-1, 1, body.dof)
            accelerations = rng.uniform(-1, 1, body.dof)
            model, data = engine.model, engine.data
            model.dof_damping[:] = 0.0
            model.dof_frictionloss[:] = 0.0
            data.qacc[part.rates] = accelerations[part.values]
            mujoco.mj_inverse(model, data)
            found = np.empty(body.dof)
            found[part.values] = data.qfrc_inverse[part.rates]
            if body_model.has_friction:
                continue
            expected = body.inverse_dynamics(accelerations)
            scale = max(1.0, np.abs(expected).max())
            assert np.allclose(found, expected, rtol=0, atol=1e-9 * scale)
