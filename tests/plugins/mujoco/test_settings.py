"""Settings of the engine ``mujoco``: blocks of files, old names, saving, copies."""

import dataclasses
import importlib.util
import logging
import pickle

import numpy as np
import pytest
from physics_scenes import box, chain, floor, run, world

import pyrave
from pyrave.scene import SimulationDescription
from pyrave_mujoco import engine_blocks, hooks

pytest.importorskip("mujoco")


def scene(engine="", **attributes):
    words = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    inner = f"<physicsengine {words}>{engine}</physicsengine>"
    return f"<environment>\n{inner}\n</environment>"


ODE = """<odeproperties>
  <friction>0.7</friction><selfcollision>0</selfcollision>
  <gravity>0 0 -5</gravity><numiterations>30</numiterations>
</odeproperties>"""


@pytest.mark.parametrize("name", ["ode", "Bullet", "moby", "RWPEIsland", "rwpeworld"])
def test_old_names_are_this_engine_with_a_note(name, caplog):
    env = pyrave.Environment()
    with caplog.at_level("INFO", logger="pyrave"):
        env.load_string(scene(type=name), strict=True)
    assert type(env.physics_engine).__name__ == "MujocoEngine"
    notes = [one.getMessage() for one in caplog.records if "note:" in one.getMessage()]
    assert len(notes) == 1
    assert f"mujoco stands for the physics engine '{name}'" in notes[0]
    assert not env.problems


def test_without_mujoco_old_names_move_nothing_and_say_so(monkeypatch, caplog):
    from pyrave_mujoco import hooks

    monkeypatch.setattr(hooks, "find_spec", lambda name: None)
    assert {target for _, _, target in hooks.pyrave_interfaces()} == {
        "GenericPhysicsEngine"
    }
    assert importlib.util.find_spec("mujoco")
    env = pyrave.Environment()
    with caplog.at_level("INFO", logger="pyrave"):
        env.load_string(scene(type="GenericPhysicsEngine"))
        assert not caplog.records
        env.load_string(
            '<environment><collisionchecker type="Native"/></environment>', strict=True
        )
        assert not caplog.records


def test_scenes_for_physics_say_that_nothing_moves(caplog):
    made = pyrave.Environment()
    made.simulation = SimulationDescription(settings=(("WorldCFM", (1e-6,)),))
    env = pyrave.Environment()
    with caplog.at_level(logging.INFO, logger="pyrave"):
        env.add_scene(made.describe())
    notes = [one.getMessage() for one in caplog.records if "note:" in one.getMessage()]
    assert len(notes) == 1
    assert "GenericPhysicsEngine moves nothing" in notes[0]
    assert "pip install 'pyrave[physics]'" in notes[0]


def test_the_block_of_ode():
    env = pyrave.Environment()
    env.load_string(scene(ODE, type="ode"), strict=True)
    settings = env.physics_engine.settings
    assert settings.friction == 0.7
    assert settings.iterations == 30
    assert settings.self_collision is False
    assert env.gravity.tolist() == [0, 0, -5]


@pytest.mark.parametrize(
    ("block", "share"),
    [
        ("<odeproperties><erp>0.1</erp></odeproperties>", 0.1),
        ("<bulletproperties><erp2>0.4</erp2></bulletproperties>", 0.4),
        ("<odeproperties><erp>1</erp></odeproperties>", 0.5),
    ],
)
def test_a_share_of_a_penetration_is_undone_in_a_step(block, share):
    """Critically damped: a = -2 v / T - x / T^2 with T = step / share."""
    env = pyrave.Environment()
    engine_type = "ode" if "ode" in block else "bullet"
    env.load_string(scene(block, type=engine_type), strict=True)
    env.gravity = (0, 0, 0)
    for body in tuple(env.bodies):
        env.remove(body)
    env.create_body(floor())
    depth, size = 1e-3, 0.1
    env.create_body(box("box", (0, 0, size - depth)))
    step = env.physics_engine.settings.time_step
    x, v, constant = depth, 0.0, step / share
    for _ in range(max(1, round(1 / share) - 1)):  # until it needs a pull back
        env.step(step)
        v -= step * (2 * v / constant + x / constant**2)
        x += step * v
        found = size - env.bodies["box"].transform[2, 3]
        assert found == pytest.approx(x, abs=0.01 * depth)


def test_the_block_of_bullet_and_what_means_nothing():
    block = """<bulletproperties>
      <global_friction>0.2</global_friction>
      <global_restitution>0.5</global_restitution>
      <margin_depth>0.01</margin_depth><erp>0.1</erp>
    </bulletproperties>"""
    env = pyrave.Environment()
    env.load_string(scene(block, type="bullet"))
    assert env.physics_engine.settings.friction == 0.2
    assert env.physics_engine.settings.restitution == 0.5
    (problem,) = env.problems
    assert "margin_depth, erp of <bulletproperties> mean nothing" in str(problem)
    assert problem.line == 2


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (
            "<odeproperties><frction>1</frction></odeproperties>",
            "did you mean 'friction'",
        ),
        ("<odeproperties><friction>a</friction></odeproperties>", "expected a number"),
        ("<odeproperties><friction>-1</friction></odeproperties>", ">= 0"),
        ("<odeproperties><gravity>1 2</gravity></odeproperties>", "three numbers"),
        (
            "<odeproperties><selfcollision>x</selfcollision></odeproperties>",
            "true or false",
        ),
        ("<odeproperties><numiterations>nan</numiterations></odeproperties>", "number"),
        ("<mujocoproperties><integrator>x</integrator></mujocoproperties>", "RK4"),
        (
            "<mujocoproperties><time_step>9</time_step></mujocoproperties>",
            "from 1e-06 to 0.1",
        ),
    ],
)
def test_wrong_values_are_named_and_ignored(block, said):
    env = pyrave.Environment()
    env.load_string(scene(block, type="mujoco"))
    (problem,) = env.problems
    assert said in str(problem)
    assert problem.line == 2
    assert env.physics_engine.settings == type(env.physics_engine.settings)()


@pytest.mark.parametrize("suffix", [".env.xml", ".dae"])
def test_settings_are_saved_with_a_scene(tmp_path, suffix):
    env = world(floor())
    engine = env.physics_engine
    engine.change_settings(time_step=0.0011, integrator="RK4", self_collision=False)
    wanted = engine.settings
    path = tmp_path / f"scene{suffix}"
    env.save(path)
    again = pyrave.load(path)
    assert again.physics_engine.interface_id == "mujoco"
    assert again.physics_engine.settings == wanted
    for copy in (env.clone(), pickle.loads(pickle.dumps(env))):  # noqa: S301
        assert copy.physics_engine.settings == wanted


def test_a_block_is_written_back_as_it_was_with_what_was_changed_since(tmp_path):
    env = pyrave.Environment()
    env.load_string(scene(ODE, type="ode"))
    env.save(tmp_path / "one.env.xml")
    text = (tmp_path / "one.env.xml").read_text()
    assert "<odeproperties>" in text
    assert "mujocoproperties" not in text
    assert 'type="ode"' in text
    engine = env.physics_engine
    engine.change_settings(friction=0.1)
    env.save(tmp_path / "two.env.xml")
    again = pyrave.load(tmp_path / "two.env.xml").physics_engine
    assert again.settings == engine.settings


def test_settings_of_other_engines_are_named_once():
    env = world(floor())
    env.simulation = SimulationDescription(
        settings=(("WorldCFM", (1e-6,)), ("StepMethod", "WorldStep"))
    )
    run(env, 0.02)
    (problem,) = env.problems
    assert "WorldCFM, StepMethod" in str(problem)


def test_default_restitution_of_pairs():
    env = world(floor(), box("crate", (0, 0, 1.1), (0.1, 0.1, 0.1)))
    engine = env.physics_engine
    engine.change_settings(restitution=0.8)
    crate, speeds = env.bodies["crate"], []
    for _ in range(100):
        env.step(0.01)
        speeds.append(crate.base_velocity[2])
    assert max(speeds) == pytest.approx(0.8 * np.sqrt(2 * 9.81 * 1.0), rel=0.05)


def test_links_of_a_body_need_not_touch_each_other():
    # the last of three links would swing into the first
    hinges = ("hinge",) * 3
    depths = []
    for touches in (True, False):
        body = chain(kinds=hinges, axes=((0, 1, 0),) * 3, length=0.3)
        links = tuple(
            dataclasses.replace(
                link, geometries=box("x", half=(0.1, 0.1, 0.1)).links[0].geometries
            )
            for link in body.links
        )
        env = world(dataclasses.replace(body, links=links), gravity=(0, 0, 0))
        engine = env.physics_engine
        engine.change_settings(self_collision=touches)
        env.bodies["chain"].dof_values = (0, 2.8, 2.8)
        env.step(0.01)
        depths.append(len(engine.contacts()))
    assert depths[0] > 0 == depths[1]


def test_links_that_overlap_at_zero_do_not_push_each_other_apart():
    body = chain(kinds=("hinge",) * 3, axes=((0, 1, 0),) * 3, length=0.1)
    wide = box("x", half=(0.12, 0.12, 0.12)).links[0].geometries
    links = tuple(dataclasses.replace(link, geometries=wide) for link in body.links)
    env = world(dataclasses.replace(body, links=links), gravity=(0, 0, 0))
    own = env.bodies["chain"]
    assert env.collision_checker.check_collision(own.links[0], own.links[2])
    assert not env.collision_checker.check_self_collision(own)
    assert env.physics_engine.contacts() == ()
    run(env, 0.1)
    assert np.abs(own.dof_velocities).max() < 1e-9


@pytest.mark.parametrize("block", ["odeproperties", "mujocoproperties"])
def test_a_setting_back_at_its_default_is_saved(block, tmp_path):
    env = pyrave.Environment()
    inner = f"<{block}><friction>0.7</friction></{block}>"
    env.load_string(scene(inner, type="mujoco"), strict=True)
    assert env.physics_engine.settings.friction == 0.7
    env.physics_engine.change_settings(friction=0.4)
    env.save(tmp_path / "scene.env.xml")
    for other in (pyrave.load(tmp_path / "scene.env.xml"), env.clone()):
        assert other.physics_engine.settings.friction == 0.4


def test_each_block_that_is_offered_is_read():
    assert set(hooks.BLOCKS) == set(engine_blocks._BLOCKS)
