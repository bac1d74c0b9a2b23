"""Bodies that the engine ``mujoco`` moves all at once are as others are."""

import gc
import weakref

import numpy as np
import pytest
from physics_scenes import ball, box, chain, floor, world

from pyrave.jit.bundles import ArrayBundle
from pyrave.world import BodyChange
from pyrave.world.motion_groups import MotionGroup

pytest.importorskip("mujoco")


def scene():
    """Return a floor, two balls, a box and an arm, after a step."""
    env = world(floor(), ball("one", at=(0, 0, 3)), ball("two", at=(1, 0, 3)))
    env.create_body(box("crate", (2, 0, 3), (0.1, 0.2, 0.3)))
    hinges = ("hinge",) * 3
    env.create_body(chain(kinds=hinges, axes=((0, 1, 0),) * 3, at=(0, 4, 5)))
    env.bodies["chain"].dof_values = (0.5, 0.3, -0.2)
    env.step(0.01)
    return env


def test_bodies_read_what_the_engine_wrote_and_count_it():
    env = scene()
    one, below = env.bodies["one"], env.bodies["floor"]
    group = one.motion
    assert group.steps == 1
    assert group is env.bodies["crate"].motion
    before = one.pose_stamp, below.pose_stamp
    copy, kept = one.transform, one.link_transforms
    env.step(0.01)
    assert (one.pose_stamp, below.pose_stamp) == (before[0] + 1, before[1])
    assert one.transform[2, 3] < copy[2, 3] == kept[0, 2, 3]
    assert np.shares_memory(one.transforms_view, group.poses)
    np.testing.assert_array_equal(one.transform, one.transforms_view[0])


def test_who_moves_a_body_changes_no_other_and_is_heard():
    env = scene()
    one, two = env.bodies["one"], env.bodies["two"]
    held = two.transform
    one.transform = [1, 0, 0, 0, 5, 5, 5]
    one.base_velocity = [1, 0, 0, 0, 0, 0]
    assert one.motion.changed == {one}
    np.testing.assert_array_equal(two.transform, held)
    env.step(0.01)
    assert not one.motion.changed
    np.testing.assert_allclose(one.transform[:2, 3], (5.01, 5), atol=1e-12)
    stamp = one.pose_stamp
    two.dof_velocities = []
    two.base_velocity = np.zeros(6)
    assert one.pose_stamp == stamp
    env.step(0.01)
    assert abs(two.base_velocity[2] / one.base_velocity[2]) < 0.7


def test_callbacks_hear_of_each_step_also_those_that_came_later():
    env = scene()
    one, heard = env.bodies["one"], []
    with one.register_change_callback(heard.append):
        for _ in range(3):
            env.step(0.01)
        assert heard == [BodyChange.POSE] * 3
        height = one.transform[2, 3]
    env.step(0.01)
    assert one.transform[2, 3] < height
    assert one.transform[2, 3] == env.bodies["two"].transform[2, 3]


def test_what_callbacks_do_to_a_body_acts_in_the_next_step():
    env = scene()
    one, two = env.bodies["one"], env.bodies["two"]

    def again(change):
        if one.transform[2, 3] < 2.95:
            one.transform = [1, 0, 0, 0, 0, 0, 6]

    heights = []
    with one.register_change_callback(again):
        for _ in range(15):
            env.step(0.01)
            heights.append(one.transform[2, 3])
    start = heights.index(6.0)
    assert start > 5
    assert np.all(np.diff(heights[start:]) < 0)

    def upwards(change):
        if two.base_velocity[2] < 0:
            two.base_velocity = [0, 0, 2, 0, 0, 0]

    with two.register_change_callback(upwards):
        env.step(0.01)
    env.step(0.01)
    assert two.base_velocity[2] == pytest.approx(2 - 0.0981)


def test_callbacks_may_move_bodies_that_the_step_has_not_told_yet():
    env = scene()
    one, two = env.bodies["one"], env.bodies["two"]

    def together(change):
        if two.transform[2, 3] < 3:
            two.transform = [1, 0, 0, 0, 1, 0, 4]
            two.base_velocity = np.zeros(6)

    two.register_change_callback(lambda change: None)
    with one.register_change_callback(together):
        env.step(0.01)
    assert two.transform[2, 3] == 4.0
    env.step(0.01)
    assert two.base_velocity[2] == pytest.approx(-0.0981)


def test_callbacks_see_the_poses_of_the_step():
    env = scene()
    one, seen = env.bodies["one"], []
    with one.register_change_callback(lambda change: seen.append(one.transforms_view)):
        env.step(0.01)
    assert seen[0] is one.transforms_view


def test_a_body_moves_the_same_with_others_and_alone():
    together, apart = scene(), scene()
    for body in apart.bodies:
        body.register_change_callback(lambda change: None)
    for env in (together, apart):
        for _ in range(40):
            env.step(0.01)
    for body, other in zip(together.bodies, apart.bodies, strict=True):
        for name in ("link_transforms", "dof_values", "dof_velocities"):
            ours, theirs = getattr(body, name), getattr(other, name)
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        np.testing.assert_allclose(body.base_velocity, other.base_velocity, atol=1e-12)


def test_snapshots_of_what_moves_together_never_change():
    env = scene()
    state, poses = env.published, env.bodies["one"].link_transforms
    env.step(0.01)
    np.testing.assert_array_equal(state["one"].link_transforms, poses)
    assert [one.name for one in state.bodies] == [one.name for one in env.bodies]
    assert env.published["floor"] is state["floor"]
    with pytest.raises(ValueError, match="read-only"):
        state["one"].link_transforms[0, 0, 3] = 1.0
    env.bodies["one"].transform = [1, 0, 0, 0, 7, 8, 9]
    env.publish()
    assert env.published["one"].link_transforms[0, :3, 3].tolist() == [7, 8, 9]
    number = env.bodies["two"].id
    state = env.published
    env.remove(env.bodies["two"])
    assert state["two"].id == number
    env.step(0.01)
    assert [one.name for one in env.published.bodies] == [b.name for b in env.bodies]


def assert_published(env):
    env.publish()
    for body in env.bodies:
        found = env.published[body.name]
        np.testing.assert_array_equal(found.link_transforms, body.link_transforms)
        np.testing.assert_array_equal(found.dof_values, body.dof_values)


def test_snapshots_follow_engines_whose_state_is_put_back():
    env = scene()
    engine = env.physics_engine
    engine.set_state(engine.get_state())
    assert env.bodies["one"].motion is not None  # the model is the same
    for _ in range(2):
        env.step(0.01)
        assert_published(env)


def test_two_engines_take_turns():
    env, alone = scene(), scene()
    other = env.create("physicsengine", "mujoco")
    other.set_gravity(env.gravity)
    for _ in range(3):
        for engine in (other, env.physics_engine):
            engine.simulate_step(0.01)
            alone.step(0.01)
            assert_published(env)
    for body, same in zip(env.bodies, alone.bodies, strict=True):
        np.testing.assert_allclose(
            body.link_transforms, same.link_transforms, atol=1e-12
        )


def test_nothing_keeps_a_body_that_was_removed():
    env = scene()
    gone = weakref.ref(env.bodies["one"])
    env.bodies["one"].enabled = False
    env.remove("one")
    gc.collect()
    assert gone() is None


def test_bodies_keep_their_state_when_the_engine_goes():
    env = scene()
    one = env.bodies["one"]
    pose, stamp, velocity = one.transform, one.pose_stamp, one.base_velocity
    env.physics_engine = ""
    assert one.motion is None
    assert one.pose_stamp == stamp
    np.testing.assert_array_equal(one.transform, pose)
    np.testing.assert_array_equal(one.base_velocity, velocity)
    one.transform = [1, 0, 0, 0, 0, 0, 1]
    assert one.pose_stamp == stamp + 1


def test_rays_and_collisions_see_what_moved_together():
    env = scene()
    height = env.bodies["one"].transform[2, 3]
    ray = [[0.0, 0.0, 10.0]], [[0.0, 0.0, -1.0]]
    first = env.raycast(*ray).distance[0]
    env.step(0.1)
    fallen = height - env.bodies["one"].transform[2, 3]
    assert fallen > 0.05
    np.testing.assert_allclose(env.raycast(*ray).distance[0], first + fallen)


def test_a_group_without_an_engine():
    env = scene()
    bodies = [env.bodies["one"], env.bodies["two"]]
    env.physics_engine = ""
    group = MotionGroup(bodies, set())
    for body in bodies:
        group.adopt(body)
    stamps = [body.pose_stamp for body in bodies]
    group.poses[group.links[bodies[1]], 0, 3] += 1.0
    group.moved()
    assert [body.pose_stamp for body in bodies] == [stamp + 1 for stamp in stamps]
    assert bodies[1].transform[0, 3] == pytest.approx(2.0)
    group.dissolve()
    assert [body.pose_stamp for body in bodies] == [stamp + 1 for stamp in stamps]


def test_the_kernel_as_written_and_compiled():
    from pyrave_mujoco.transfer import PULL

    random = np.random.default_rng(3)
    sources = [random.normal(size=shape) for shape in (9, 9, (3, 3), (3, 9))]
    tables = [
        np.array([[1, 0], [2, 1]], np.int32),
        np.array([[7, 6, 0], [8, 7, 1]], np.int32),
        np.array([[-np.pi, np.pi], [-np.inf, np.inf]]),
        np.array([[0, 1, 0]], np.int32),
    ]
    sources[0][7:] = 4.0, 9.0
    found = []
    for kernel in (PULL.python, PULL.now()):
        shapes = ((2, 4, 4), 2, 2, (1, 6))
        out = [np.zeros(shape) for shape in shapes]
        kernel(ArrayBundle((*sources, *out, *tables)).table)
        found.append(out)
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-14)
    poses, values, rates, velocities = found[0]
    np.testing.assert_allclose(values, (4.0 - 2.0 * np.pi, 9.0))
    np.testing.assert_array_equal(rates, sources[1][6:8])
    np.testing.assert_array_equal(poses[0, :3, 3], sources[2][1])
    turned = sources[3][2].reshape(3, 3) @ sources[1][3:6]
    np.testing.assert_allclose(velocities[0], (*sources[1][:3], *turned))
