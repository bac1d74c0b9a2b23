"""Clones, state savers and pickles: equal, then independent."""
# ruff: noqa: S301 - the pickles are made here

import gc
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pyrave
from pyrave import LimitCheck, StateError


def moved(env):
    robot = env.robots["arm"]
    robot.dof_values = (0.3, -0.2)
    robot.dof_velocities = (0.1, 0.2)
    robot.transform = (0.8, 0, 0.6, 0, 1, 2, 3)
    robot.set_active_dofs([1], pyrave.Affine.X | pyrave.Affine.ROTATION_AXIS, (0, 1, 0))
    robot.dof_velocity_limits = (3.0, 4.0)
    env.bodies["block"].links[0].enabled = False
    robot.grab(env.bodies["block"])
    robot.dof_values = (0.5, 0.1)
    for _ in range(3):
        env.step(0.01)
    return env


def assert_same_state(a, b):
    assert a.describe() == b.describe()
    assert a.simulation_time == b.simulation_time
    np.testing.assert_array_equal(a.gravity, b.gravity)
    for body in a.bodies:
        other = b.bodies[body.name]
        assert type(other) is type(body)
        assert other.interface_id == body.interface_id
        np.testing.assert_array_equal(body.link_transforms, other.link_transforms)
        np.testing.assert_array_equal(body.dof_values, other.dof_values)
        np.testing.assert_array_equal(body.dof_velocities, other.dof_velocities)
        np.testing.assert_array_equal(body.dof_limits, other.dof_limits)
        np.testing.assert_array_equal(
            body.dof_velocity_limits, other.dof_velocity_limits
        )
        assert [held.name for held in body.grabbed] == [
            held.name for held in other.grabbed
        ]
        assert [link.enabled for link in body.links] == [
            link.enabled for link in other.links
        ]
    for robot in a.robots:
        other = b.robots[robot.name]
        np.testing.assert_array_equal(
            other.active_dof_indices, robot.active_dof_indices
        )
        assert other.active.affine == robot.active.affine
        np.testing.assert_array_equal(other.active.values, robot.active.values)
    for sensor in a.sensors:
        assert b.sensors[sensor.name].power == sensor.power


def test_a_clone_is_equal(crowded):
    env = moved(crowded)
    twin = env.clone()
    assert_same_state(env, twin)
    assert twin.robots["arm"].model is env.robots["arm"].model
    assert twin.modules[0].count == 3
    assert twin.modules[0].calls == [("main", "one two")]
    assert twin.sensors["arm:eye"].count == 3
    assert twin.sensors["stand"].count == 3
    assert twin.physics_engine.count == 3
    assert twin.physics_engine is not env.physics_engine
    assert type(twin.collision_checker) is type(env.collision_checker)
    controller = twin.robots["arm"].own_controller
    assert controller.count == 3
    assert controller is not env.robots["arm"].own_controller
    assert controller.env is twin
    assert twin.problems == ()
    assert twin.published.simulation_time == env.simulation_time
    assert twin.published["arm"].dof_values.tolist() == [0.5, 0.1]


def test_a_clone_goes_its_own_way(crowded):
    env = moved(crowded)
    twin = env.clone()
    before = env.bodies["block"].transform
    twin.robots["arm"].dof_values = (-0.5, 0.5)
    assert not np.allclose(twin.bodies["block"].transform, before)
    np.testing.assert_array_equal(env.bodies["block"].transform, before)
    twin.robots["arm"].release_all()
    assert env.robots["arm"].grabbed == (env.bodies["block"],)
    twin.remove("block")
    twin.gravity = (1, 1, 1)
    twin.step(0.5)
    assert "block" in env.bodies
    assert env.simulation_time == 0.03
    assert env.gravity[0] != 1
    assert env.modules[0].count == 3
    twin.robots["arm"].dof_velocity_limits = (9, 9)
    assert env.robots["arm"].dof_velocity_limits.tolist() == [3, 4]


def test_a_clone_outlives_its_original(crowded):
    twin = crowded.clone()
    del crowded
    twin.step(0.01)
    assert twin.robots["arm"].env is twin


def test_what_the_original_registers_is_offered_in_the_clone(env, spies):
    twin = env.clone()
    assert isinstance(twin.create("sensor", "SpySensor"), spies.sensor)


def test_values_out_of_limits_are_cloned_without_a_word(crowded, caplog):
    robot = crowded.robots["arm"]
    robot.set_dof_values((4.0, 0.0), limits=LimitCheck.NONE)
    twin = crowded.clone()
    assert twin.robots["arm"].dof_values[0] == 4.0
    assert not [r for r in caplog.records if "clamped" in r.message]


def test_the_engine_that_nobody_named_is_not_described_by_the_clone(env, xml):
    env.load_string(xml.environment(xml.robot()))
    assert env.physics_engine is env.physics_engine
    twin = env.clone()
    assert twin.describe() == env.describe()
    env.add(env.create("trajectory", ""))
    assert [i.type for i in env.clone().describe().interfaces] == ["trajectory"]


def test_what_cannot_be_cloned_is_a_problem_of_the_clone(crowded, spies):
    class Unclonable(spies.module):
        contract = 1

        def get_own_state(self):
            raise RuntimeError("no state today")

    crowded.register("module", "Unclonable", Unclonable)
    crowded.add(crowded.create("module", "Unclonable"))

    class Forgetful(spies.controller):
        contract = 2

        def set_own_state(self, state):
            raise RuntimeError("no memory")

    crowded.register("controller", "Forgetful", Forgetful)
    crowded.robots["arm"].set_controller("Forgetful")
    twin = crowded.clone()
    problems = [p.message for p in twin.problems]
    assert "no memory" in problems[0]
    assert "'Unclonable'> is not copied whole: copying it raised" in problems[1]
    assert "no state today" in problems[1]
    assert_same_state(crowded, twin)


def test_nested_grabs_are_cloned_exactly(env, xml):
    # what is held was added before its holder, and holds something itself
    env.load_string(
        xml.environment(
            xml.body("small", position=".3 .2 .1"),
            xml.body("tray", position=".5 -.3 .7"),
            xml.robot(),
        )
    )
    robot, tray, small = env.robots["arm"], env.bodies["tray"], env.bodies["small"]
    robot.dof_values = (0.123, 0.456)
    robot.grab(tray)
    tray.grab(small)
    robot.dof_values = (-0.77, 0.31)
    robot.transform = (0.9234, 0.1026, 0.2052, 0.3078, 1, 2, 3)
    twin = env.clone()
    assert_same_state(env, twin)
    again = pickle.loads(pickle.dumps(env))
    assert_same_state(env, again)
    robot.dof_values = (0.2, 0.1)
    twin.robots[0].dof_values = (0.2, 0.1)
    np.testing.assert_allclose(
        twin.bodies["small"].transform, small.transform, atol=1e-15
    )
    with env.preserve_state():
        saved = small.transform
        robot.dof_values = (0.7, -0.7)
        robot.release_all()
    np.testing.assert_array_equal(small.transform, saved)
    assert robot.is_grabbing(tray)


def test_preserve_state_restores_after_an_exception(crowded):
    env = moved(crowded)
    before = env.describe()
    poses = {body.name: body.link_transforms for body in env.bodies}

    def spoil():
        with env.preserve_state():
            env.robots["arm"].dof_values = (0, 0)
            env.robots["arm"].release_all()
            env.bodies["block"].transform = np.eye(4)
            env.bodies["block"].enabled = True
            env.step(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        spoil()
    assert env.describe() == before
    for body in env.bodies:
        np.testing.assert_array_equal(body.link_transforms, poses[body.name])
    assert env.simulation_time == 0.03
    assert env.robots["arm"].is_grabbing(env.bodies["block"])
    assert not env.bodies["block"].enabled


def test_savers_of_environments_act_early_or_not_at_all(crowded):
    env = moved(crowded)
    arm = env.robots["arm"]
    values, time = arm.dof_values, env.simulation_time
    with env.preserve_state() as saver:
        arm.dof_values = (0, 0)
        env.step(0.01)
        saver.restore()
        np.testing.assert_array_equal(arm.dof_values, values)
        assert env.simulation_time == time
        arm.dof_values = (0.1, 0.1)
        saver.release()
    assert arm.dof_values.tolist() == [0.1, 0.1]
    with pytest.raises(StateError, match="released"):
        saver.restore()


def test_preserve_state_of_one_body(crowded):
    robot = moved(crowded).robots["arm"]
    before = robot.get_state()
    with robot.preserve_state():
        robot.dof_values = (0, 0)
        robot.set_active_dofs([0])
        robot.dof_limits = ([-1, -1], [1, 1])
        robot.dof_velocity_limits = (7, 7)
        robot.release_all()
    after = robot.get_state()
    np.testing.assert_array_equal(after.dof_values, before.dof_values)
    assert set(after.limits) == set(before.limits) == {"velocity_limits"}
    assert after.robot.active_choice.dof_indices == (1,)
    assert robot.grabbed


def test_a_body_removed_inside_a_saved_block_is_not_held_afterwards(crowded):
    robot = moved(crowded).robots["arm"]
    with crowded.preserve_state():
        crowded.remove("block")
    assert robot.grabbed == ()
    assert crowded.bodies.names == ("arm",)


def test_a_pickle_is_equal(env, xml):
    env.load_string(xml.environment(xml.robot(), xml.body()))
    moved(env)
    again = pickle.loads(pickle.dumps(env))
    assert_same_state(env, again)
    again.step(0.01)
    assert env.simulation_time == 0.03


def all_ids(env):
    return [
        (body.id, [link.id for link in body.links], geometry_ids(body))
        for body in env.bodies
    ]


def geometry_ids(body):
    return [one.id for link in body.links for one in link.all_geometries]


def test_a_pickle_has_the_ids(env, xml):
    env.load_string(xml.environment(xml.body(name="first"), xml.body(), xml.robot()))
    env.remove("first")
    again = pickle.loads(pickle.dumps(env))
    assert all_ids(again) == all_ids(env.clone()) == all_ids(env)
    assert again.body_of_id(env.bodies["block"].id) is again.bodies["block"]
    for one in (env, again):
        one.load_string(xml.environment(xml.body(name="later")))
    assert all_ids(again) == all_ids(env)
    assert again.bodies["later"].id == 3


POOL = """
    import pathlib, pickle, sys
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    def shift(env):
        env.robots["arm"].dof_values = (0.4, 0)
        return env.bodies["block"].transform, env

    if __name__ == "__main__":
        env = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            (pose, back), _ = pool.map(shift, [env, env])
        sys.stdout.buffer.write(pickle.dumps((pose, back)))
"""


@pytest.mark.slow
def test_an_environment_travels_to_a_process_pool(env, xml, tmp_path):
    env.load_string(xml.environment(xml.robot(), xml.body()))
    env.robots["arm"].grab(env.bodies["block"])
    script, data = tmp_path / "pool.py", tmp_path / "env.pickle"
    script.write_text(textwrap.dedent(POOL))
    data.write_bytes(pickle.dumps(env))
    done = subprocess.run(
        [sys.executable, str(script), str(data)], capture_output=True, check=True
    )
    pose, back = pickle.loads(done.stdout)
    env.robots["arm"].dof_values = (0.4, 0)
    np.testing.assert_allclose(pose, env.bodies["block"].transform, atol=1e-15)
    assert back.describe() == env.describe()


@pytest.mark.slow
def test_a_pickle_is_read_by_a_fresh_process(env, xml, tmp_path):
    env.load_string(xml.environment(xml.robot(), xml.body()))
    moved(env)
    path = tmp_path / "env.pickle"
    path.write_bytes(pickle.dumps(env))
    code = f"""
        import pathlib, pickle
        env = pickle.loads(pathlib.Path({str(path)!r}).read_bytes())
        print(env.simulation_time, *env.robots["arm"].dof_values,
              *[b.name for b in env.robots["arm"].grabbed])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0.03", "0.5", "0.1", "block"]
    assert done.stderr == ""


def test_what_is_in_use_keeps_its_environment(xml):
    text = xml.environment(xml.robot(), xml.body())
    robot = pyrave.load_string(text).robots["arm"]
    gc.collect()
    robot.dof_values = (0.1, 0.2)
    assert robot.env.robots["arm"] is robot
    assert robot.inverse_dynamics().shape == (2,)
    robot.grab("block")
    parts = robot.links["lower"], robot.joints[0], robot.manipulators["hand"]
    geometry = robot.links["lower"].geometries[0]
    del robot
    gc.collect()
    link, joint, hand = parts
    assert link.body is joint.body is hand.robot is geometry.link.body
    assert joint.values.tolist() == [0.1]
    assert geometry.world_transform.shape == (4, 4)
    assert [body.name for body in link.body.env.bodies] == ["arm", "block"]
    assert link.body.grabbed[0].holder is link.body


def test_a_description_and_a_model_pickle(crowded):
    scene = crowded.describe()
    assert pickle.loads(pickle.dumps(scene)) == scene
    model = crowded.robots["arm"].model
    again = pickle.loads(pickle.dumps(model))
    assert again.joint_names == model.joint_names
    np.testing.assert_array_equal(again.dof_lower, model.dof_lower)


class Special(pyrave.KinBody):
    contract = 2
    settings_type = None


def test_a_body_of_a_plugin_made_by_hand_is_described_as_such(env):
    env.register("kinbody", "Special", Special)
    env.add(env.create("kinbody", "special x"))
    assert env.describe().bodies[0].interface == "Special x"
    twin = env.clone()
    assert type(twin.bodies[0]) is Special
    assert twin.describe() == env.describe()
