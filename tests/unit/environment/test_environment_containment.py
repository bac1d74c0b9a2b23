"""Code of plugins and scripts that fails takes nothing else with it."""

import pickle
import threading
import time

import numpy as np
import pytest

import pyrave
from pyrave import Environment, KinBody, PluginError, SceneError, StateError

KINDS = [ValueError, SystemExit, GeneratorExit]


def raising(kind=ValueError):
    def wrong(*_args, **_options):
        raise kind("broken on purpose")

    return wrong


def bodies(xml, names="abcde"):
    return xml.environment(*(xml.body(name) for name in names))


def codes(env):
    return [problem.code for problem in env.problems]


@pytest.mark.parametrize("kind", KINDS)
def test_a_listener_that_raises_breaks_neither_a_load_nor_others(env, xml, kind):
    seen, heard = [], []

    def at_the_third(event):
        seen.append(event.body.name)
        if len(seen) >= 3:
            raise kind("broken on purpose")

    env.on_body(at_the_third)
    env.on_body(lambda event: heard.append(event.body.name))
    env.load_string(bodies(xml))
    assert list(env.bodies.names) == list("abcde") == heard == seen
    assert codes(env) == ["callback-failed"]
    assert "at_the_third" in env.problems[0].message
    assert "broken on purpose" in env.problems[0].traceback
    env.remove("a")
    assert codes(env) == ["callback-failed"]


def test_a_strict_load_that_a_listener_spoils_leaves_nothing(env, xml):
    env.on_body(raising())
    with pytest.raises(SceneError, match="broken on purpose"):
        env.load_string(bodies(xml), strict=True)
    assert len(env.bodies) == 0


def test_an_addition_that_fails_half_way_is_undone(env, xml):
    class Shy(KinBody):
        contract = 2

        def attach_to_environment(self, attached):
            if attached:
                raise SystemExit
            super().attach_to_environment(attached)

    env.register("kinbody", "Shy", Shy)
    shy = xml.body("shy").replace("<kinbody ", '<kinbody type="Shy" ')
    with pytest.raises(pyrave.PluginError, match="SystemExit"):
        env.load_string(xml.environment(xml.body("a"), shy, xml.body("b")))
    assert len(env.bodies) == 0
    env.load_string(bodies(xml))


@pytest.mark.parametrize("kind", KINDS)
def test_callbacks_of_collisions_data_and_changes(crowded, kind):
    arm = crowded.robots["arm"]
    crowded.on_collision(raising(kind))
    crowded.on_collision(lambda _: pyrave.CollisionAction.IGNORE)
    arm.register_change_callback(raising(kind))
    sensor = crowded.sensors["stand"]
    sensor.register_data_callback(raising(kind))
    for _ in range(2):
        assert crowded.check_collision(arm) is False
        arm.dof_values = (0.1, 0.2)
        sensor.publish(sensor.create_sensor_data())
    assert codes(crowded) == ["callback-failed"] * 3
    assert arm.dof_values.tolist() == [0.1, 0.2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_constructor_that_ends_the_program_does_not(env, xml, kind):
    env.register("sensor", "Wrong", raising(kind))
    with pytest.raises(pyrave.InterfaceCreationError, match="broken on purpose"):
        env.create("sensor", "Wrong")
    env.load_string(xml.environment('<sensor type="Wrong"/>', xml.body("a")))
    assert env.bodies.names == ("a",)
    assert codes(env) == ["plugin-failure"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_that_ends_the_program_does_not(crowded, kind):
    module = crowded.modules[0]
    module.simulation_step = raising(kind)
    for _ in range(3):
        crowded.step(0.01)
    assert codes(crowded) == ["plugin-failure"]
    assert crowded.simulation_time == 0.03
    assert crowded.sensors["stand"].count == 3


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    assert condition()


def test_the_simulation_thread_survives_plugins(crowded):
    crowded.modules[0].simulation_step = raising(SystemExit)
    crowded.start(0.001, realtime=False)
    wait_for(lambda: crowded.simulation_time > 0.02)
    assert crowded.running
    crowded.stop()
    assert codes(crowded) == ["plugin-failure"]


def test_the_end_of_the_simulation_thread_is_told(crowded, monkeypatch):
    monkeypatch.setattr(crowded, "publish", raising(SystemExit))
    crowded.start(0.001)
    wait_for(lambda: not crowded.running)
    assert codes(crowded) == ["simulation-ended"]
    assert "broken on purpose" in crowded.problems[0].message
    assert threading.active_count() < 10


class Nonsense:
    """Does not pickle."""

    def __reduce__(self):
        raise SystemExit("no pickles")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("pick", "method"),
    [
        (lambda e: e.sensors["stand"], "get_state"),
        (lambda e: e.sensors["stand"], "get_transform"),
        (lambda e: e.sensors["arm:eye"], "get_state"),
        (lambda e: e.modules[0], "get_state"),
        (lambda e: e.physics_engine, "get_state"),
        (lambda e: e.collision_checker, "get_state"),
        (lambda e: e.robots["arm"].controller, "get_state"),
        (lambda e: e.robots["arm"].controller, "get_control_dof_indices"),
        (lambda e: e.robots["arm"], "get_state"),
        (lambda e: e.robots["arm"], "describe"),
        (lambda e: e.bodies["block"], "get_state"),
    ],
)
def test_one_object_does_not_break_copies(crowded, tmp_path, pick, method, kind):
    arm = crowded.robots["arm"]
    arm.dof_values = (0.25, -0.5)
    item = pick(crowded)
    setattr(item, method, raising(kind))
    twin = crowded.clone()
    again = pickle.loads(pickle.dumps(crowded))  # noqa: S301
    for copy in (twin, again):
        assert copy.bodies.names == crowded.bodies.names
        assert copy.robots["arm"].dof_values.tolist() == [0.25, -0.5]
    crowded.save(tmp_path / "scene.env.xml")
    told = [p for e in (twin, crowded) for p in e.problems]
    assert told
    assert all(p.code == "plugin-failure" for p in told)
    assert all(item.interface_id in p.message for p in told)
    assert all("broken on purpose" in p.message for p in told)


@pytest.mark.parametrize("nonsense", [3, "x", lambda: 0, Nonsense()])
def test_states_that_are_nonsense(crowded, nonsense):
    for item in (crowded.bodies["block"], crowded.sensors["stand"], crowded.modules[0]):
        item.get_state = lambda: nonsense
    twin = crowded.clone()
    assert "block" in " ".join(p.message for p in twin.problems)
    again = pickle.loads(pickle.dumps(crowded))  # noqa: S301
    assert again.bodies.names == crowded.bodies.names


def test_poses_that_are_nonsense_are_not_saved(crowded):
    crowded.sensors["stand"].get_transform = lambda: np.zeros((2, 2))
    scene = crowded.describe()
    sensor = next(i for i in scene.interfaces if i.type == "sensor")
    assert sensor.pose is None
    assert "stand" in crowded.problems[0].message


@pytest.mark.parametrize("kind", KINDS)
def test_preserving_states_names_who_cannot(crowded, kind):
    arm, block = crowded.robots["arm"], crowded.bodies["block"]
    block.get_state = raising(kind)
    with (
        pytest.raises(PluginError, match=r"get_state\(\) of .*block.*broken"),
        crowded.preserve_state(),
    ):
        pytest.fail("it begins")
    del block.get_state
    arm.controller.get_state = raising(kind)
    with pytest.raises(PluginError, match="SpyController"), arm.preserve_state():
        pytest.fail("it begins")
    del arm.controller.get_state
    block.set_state = raising(kind)
    before = arm.dof_values

    def change():
        arm.dof_values = before + 0.1
        block.base_velocity = (0.1, 0, 0, 0, 0, 0)
        crowded.step(0.01)

    with (
        pytest.raises(PluginError, match=r"set_state\(\) of .*block"),
        crowded.preserve_state(),
    ):
        change()
    assert np.array_equal(arm.dof_values, before)
    assert crowded.simulation_time == 0


def mesh_body(name, file):
    mesh = f'<geom type="trimesh"><collision>{file}</collision></geom>'
    box = '<geom type="box"><extents>.1 .2 .3</extents></geom>'
    return f'<kinbody name="{name}"><body name="b">{box}{mesh}</body></kinbody>'


@pytest.mark.parametrize("is_there", [True, False])
def test_boxes_and_rays_leave_out_an_unreadable_mesh_and_say_so_once(
    env, xml, tmp_path, is_there
):
    file = tmp_path / "damaged.stl"
    if is_there:
        file.write_text("solid damaged")
    env.load_string(xml.environment(mesh_body("one", file), mesh_body("two", file)))
    loaded = len(env.problems)
    for _ in range(2):
        for body in env.bodies:
            center, half = body.aabb
            assert np.allclose(half, (0.1, 0.2, 0.3))
            assert np.allclose(center, 0)
            assert np.allclose(body.links[0].local_aabb[1], (0.1, 0.2, 0.3))
        assert env.raycast((0, 0, 3), (0, 0, -1)).distance.tolist() == [2.7]
    # the load tells of a file that is not there, who needs it of one that is damaged
    new = env.problems[loaded:] if is_there else env.problems
    assert [p.code for p in new] == ["missing-mesh"] * 2
    assert len(env.problems) == 2
    if is_there:
        assert "one" in new[0].message
        assert "two" in new[1].message


def test_one_direction_is_one_ray(env, xml):
    env.load_string(xml.environment(xml.body(position="1 0 0")))
    one = env.raycast((0, 0, 0), (2, 0, 0))
    many = env.raycast([(0, 0, 0)], [(2, 0, 0)])
    assert one.distance.tolist() == many.distance.tolist() == [0.9]
    with pytest.raises(pyrave.ArgumentError):
        env.raycast((0, 0, 0), (2, 0))


def test_env_is_set_by_the_base_class(env):
    class Natural(pyrave.ModuleBase):
        contract = 1

        def __init__(self, env, *args):
            super().__init__(env, *args)
            self.env = env

        def main(self, args):
            return 0

    class Early(Natural):
        def __init__(self, env, *args):
            self.env = env
            super().__init__(env, *args)

    module = Natural(env)
    assert module.env is env
    with pytest.raises(StateError, match="create another object"):
        module.env = Environment()
    with pytest.raises(StateError, match=r"super\(\).__init__\(env, \*args\)"):
        Early(env)


def test_saving_tells_what_is_held_outside(crowded, tmp_path):
    path = tmp_path / "scene.env.xml"
    before = crowded.save(path)
    crowded.robots["arm"].grab("block")
    held = "warning: grabs are for pyrave alone: 'block'"
    assert [x for x in crowded.save(path) if x not in before] == [held]
    block = crowded.bodies["block"]
    crowded.remove(block)
    crowded.robots["arm"].grab(block)
    assert [x for x in crowded.save(path) if x not in before] == [
        "robot 'arm' holds 'block', which is not in the environment: not written"
    ]
