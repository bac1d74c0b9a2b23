"""Grabbing: who may hold what, what may touch it, how it moves, what states keep."""

import gc

import numpy as np
import pytest
from told_checker import ToldChecker, installed

import pyrave
from pyrave import ArgumentError, NotFoundError
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
)
from pyrave.spatial import matrix_from_axis_angle
from pyrave.world import BodyChange

SHAPE = (GeometryDescription(Box((0.1, 0.1, 0.1))),)


def block(name):
    return BodyDescription(name, (LinkDescription("base", geometries=SHAPE),))


def crane():
    """Post, arm, and a hand that is glued to the arm; a finger behind it."""
    names = ("post", "arm", "hand", "finger")
    links = tuple(LinkDescription(name, geometries=SHAPE) for name in names)
    z = (0.0, 0.0, 1.0)
    joints = (
        JointDescription("turn", "hinge", "post", "arm", axes=(JointAxis(z),)),
        JointDescription(
            "glue", "fixed", "arm", "hand", Pose.from_translation(0.5, 0, 0)
        ),
        JointDescription("bend", "hinge", "hand", "finger", axes=(JointAxis(z),)),
    )
    return BodyDescription("crane", links, joints)


class AllEnabled(ToldChecker):
    """Is asked about enabled links only: a disabled one would never touch."""

    def check_collision(self, first, second=None, **options):
        links = getattr(first, "links", (first,))
        assert all(link.enabled for link in (*links, *second.links))
        return super().check_collision(first, second, **options)


@pytest.fixture
def env():
    made = pyrave.Environment()
    for description in (crane(), block("ball"), block("cube")):
        body = made.create("kinbody", "")
        body.init(description)
        made.add(body)
    return made


@pytest.fixture
def checker(env):
    return installed(env, AllEnabled)


# -- who may touch -----------------------------------------------------------------


def test_links_that_never_move_against_the_hand_are_ignored(env):
    holder, ball = env.bodies["crane"], env.bodies["ball"]
    # which knows nothing that could say more
    generic = env.create("collisionchecker", "GenericCollisionChecker")
    env.collision_checker = generic
    holder.grab(ball, "hand")
    (info,) = holder.grabs.info
    assert (info.name, info.link) == ("ball", "hand")
    assert info.ignored_links == ("arm", "hand")
    assert info.touching_links == info.touching_bodies == ()
    assert env.problems == ()
    pairs = [(a.name, b.name) for a, b in holder.grabs.link_pairs]
    assert pairs == [("post", "base"), ("finger", "base")]
    assert holder.grabs.link_of(ball).name == "hand"
    assert holder.grabs.link_of(env.bodies["cube"]) is None


def test_links_named_by_the_caller_are_ignored(env):
    holder, ball = env.bodies["crane"], env.bodies["ball"]
    holder.grab(ball, "hand", ignored_links=["post", holder.links["finger"]])
    assert holder.grabs.info[0].ignored_links == ("post", "arm", "hand", "finger")
    assert holder.grabs.link_pairs == ()
    holder.release(ball)
    with pytest.raises(NotFoundError, match="fingr"):
        holder.grab(ball, "hand", ignored_links=["fingr"])
    assert holder.grabbed == ()


def test_what_touches_when_it_is_grabbed_may_touch_later(env, checker):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    checker.touch(("finger", "ball"), ("base", "cube"))  # the ball's link is its base
    holder.links["finger"].enabled = False
    ball.enabled = False
    holder.grab(ball, "hand")
    assert not holder.links["finger"].enabled
    assert not ball.enabled
    assert checker.asked == [("post", "ball"), ("finger", "ball")]
    assert holder.grabs.info[0].touching_links == ("finger",)
    holder.grab(cube, "hand")
    assert holder.grabs.info[1].touching_bodies == ("ball",)
    pairs = [(a.body.name, a.name, b.body.name) for a, b in holder.grabs.link_pairs]
    assert pairs == [
        ("crane", "post", "ball"),
        ("crane", "post", "cube"),
        ("crane", "finger", "cube"),
    ]
    # regrabbing asks again, in the hands as they are now
    checker.touch(("post", "cube"))
    holder.grabs.renew()
    assert holder.grabs.info[0].touching_links == ()
    assert holder.grabs.info[1].touching_links == ("post",)
    assert holder.grabs.info[1].touching_bodies == ()
    pairs = [(a.body.name, a.name, b.body.name) for a, b in holder.grabs.link_pairs]
    assert ("ball", "base", "cube") in pairs
    assert ("crane", "finger", "ball") in pairs
    assert ("crane", "post", "cube") not in pairs


def test_a_checker_that_raises_lets_nothing_slip(env, checker):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    holder.grab(ball, "hand")
    info = holder.grabs.info

    def fails(*args, **kwargs):
        raise RuntimeError("no answer")

    checker.check_collision = fails
    with pytest.raises(RuntimeError):
        holder.grab(cube, "hand")
    with pytest.raises(RuntimeError):
        holder.grabs.renew()
    del checker.check_collision
    assert holder.grabbed == (ball,)
    assert holder.grabs.info == info
    assert cube.holder is None


def test_bodies_outside_of_the_environment_are_held_without_asking(env, checker):
    holder = env.bodies["crane"]
    outside = env.create("kinbody", "")
    outside.init(block("outside"))
    holder.grab(outside)
    assert checker.asked == []
    with holder.preserve_state():
        holder.dof_values = (0.3, 0)
    assert holder.grabbed == (outside,)


# -- refusals ----------------------------------------------------------------------


def test_what_cannot_be_held_is_refused(env):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    holder.grab(ball)
    for who, what, text in (
        (holder, holder, "can't grab itself"),
        (cube, ball, "'crane'> holds .*'ball'> already; release it first"),
        (ball, holder, "can't hold each other"),
        (holder, 5, "can hold bodies only"),
    ):
        with pytest.raises(ArgumentError, match=text):
            who.grab(what)
    ball.grab(cube)
    with pytest.raises(ArgumentError, match="can't hold each other"):
        cube.grab(holder)
    other = pyrave.Environment()
    stranger = other.create("kinbody", "")
    with pytest.raises(ArgumentError, match="another environment"):
        holder.grab(stranger)
    with pytest.raises(NotFoundError):
        holder.release(cube)


def test_static_and_disabled_bodies_can_be_held(env):
    holder, ball = env.bodies["crane"], env.bodies["ball"]
    ball.links[0].static = True
    ball.enabled = False
    holder.grab(ball, "hand")
    before = ball.transform
    holder.dof_values = (0.5, 0)
    assert not np.allclose(ball.transform, before)
    assert not ball.enabled


def test_what_is_held_is_taken_anew_by_grabbing_it_again(env, checker):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    checker.touch(("finger", "ball"))
    holder.grab(ball, "hand")
    holder.grab(cube, "hand")
    checker.touch()
    ball.transform = (1, 0, 0, 0, 5, 5, 5)
    holder.grab(ball, "post", ["finger"])
    info = holder.grabs.info[-1]
    assert (info.name, info.link) == ("ball", "post")
    assert info.ignored_links == ("post", "finger")
    assert info.touching_links == ()
    np.testing.assert_allclose(info.T_link_body[:3, 3], 5)
    assert holder.grabbed == (cube, ball)
    assert ball.holder is holder
    holder.release_all("post")
    assert holder.grabbed == (cube,)
    holder.release_all()
    assert holder.grabbed == ()


# -- motion ------------------------------------------------------------------------


def test_velocities_of_held_bodies_are_those_of_the_hand(env):
    holder, ball = env.bodies["crane"], env.bodies["ball"]
    holder.transform = (0.9234, 0.1026, -0.2052, 0.3078, 1, 2, 3)
    ball.transform = (0.8, 0.6, 0, 0, 2, 1, 0)
    holder.grab(ball, "finger")
    holder.dof_values = q = np.array((0.3, -0.4))
    holder.dof_velocities = qd = np.array((0.7, 1.1))
    holder.base_velocity = base = np.array((0.1, 0.2, 0.3, -0.3, 0.2, 0.4))
    twist = ball.base_velocity
    np.testing.assert_allclose(ball.links[0].velocity, twist)
    start, pose, step = ball.transform, holder.transform, 1e-6
    moved = pose.copy()
    moved[:3, 3] += step * base[:3]
    moved[:3, :3] = matrix_from_axis_angle(step * base[3:]) @ pose[:3, :3]
    holder.transform = moved
    holder.dof_values = q + step * qd
    end = ball.transform
    np.testing.assert_allclose((end - start)[:3, 3] / step, twist[:3], atol=1e-5)
    spin = (end - start)[:3, :3] @ start[:3, :3].T / step
    np.testing.assert_allclose(spin[(2, 0, 1), (1, 2, 0)], twist[3:], atol=1e-5)
    # what is let go keeps its velocity
    present = ball.base_velocity
    holder.release(ball)
    np.testing.assert_array_equal(ball.base_velocity, present)
    holder.dof_velocities = (0, 0)
    np.testing.assert_array_equal(ball.base_velocity, present)


def test_all_that_moves_together(env):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    assert holder.attached == (holder,)
    holder.grab(ball)
    ball.grab(cube)
    for body in (holder, ball, cube):
        assert {one.name for one in body.attached} == {"crane", "ball", "cube"}
        assert body.attached[0] is body
    assert cube.is_attached(holder)
    assert (holder.holder, ball.holder, cube.holder) == (None, holder, ball)
    env.remove(ball)
    assert cube.holder is None
    assert holder.attached == (holder,)
    assert holder.grabbed == ()


def test_grabbing_is_told(env):
    changes = []
    holder, ball = env.bodies["crane"], env.bodies["ball"]
    holder.register_change_callback(changes.append, BodyChange.GRAB | BodyChange.NAME)
    holder.grab(ball)
    holder.dof_values = (0.1, 0.2)
    holder.grabs.renew()
    holder.release_all()
    holder.release_all()
    assert changes == [BodyChange.GRAB] * 3


# -- states ------------------------------------------------------------------------


def test_how_it_is_held_survives_states_clones_and_pickles(env, checker):
    import pickle

    holder, ball = env.bodies["crane"], env.bodies["ball"]
    checker.touch(("finger", "ball"))
    holder.grab(ball, "hand", ["post"])
    info = holder.grabs.info[0]

    def same(other):
        assert (other.name, other.link) == (info.name, info.link)
        assert other.ignored_links == info.ignored_links == ("post", "arm", "hand")
        assert other.touching_links == info.touching_links == ("finger",)
        np.testing.assert_allclose(other.T_link_body, info.T_link_body, atol=1e-15)

    checker.touch()
    with holder.preserve_state():
        holder.release_all()
        assert ball.holder is None
    same(holder.grabs.info[0])
    assert ball.holder is holder
    twin = env.clone()
    same(twin.bodies["crane"].grabs.info[0])
    assert twin.bodies["ball"].holder is twin.bodies["crane"]
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own pickle
    same(again.bodies["crane"].grabs.info[0])
    assert again.bodies["ball"].holder is again.bodies["crane"]
    # as data, for the same hand in another world
    other = env.clone()
    crane_there = other.bodies["crane"]
    crane_there.release_all()
    other.bodies["ball"].transform = np.eye(4)
    crane_there.grabs.info = holder.grabs.info
    same(crane_there.grabs.info[0])
    np.testing.assert_allclose(other.bodies["ball"].transform, ball.transform)


def test_who_held_whom_is_turned_round_again(env):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    holder.grab(ball)
    with holder.preserve_state():
        holder.release(ball)
        ball.grab(cube)
        cube.grab(holder)
    assert ball.holder is holder
    assert holder.holder is None
    assert ball.grabbed == (cube,)
    holder.dof_values = (0.3, 0.2)


def test_records_without_meaning_change_nothing(env):
    import dataclasses

    holder, ball = env.bodies["crane"], env.bodies["ball"]
    holder.grab(ball)
    info = holder.grabs.info[0]
    for wrong, error in (
        (dataclasses.replace(info, name="crane"), ArgumentError),
        (dataclasses.replace(info, link="hook"), NotFoundError),
    ):
        with pytest.raises(error):
            holder.grabs.info = [info, wrong]
        assert holder.grabbed == (ball,)
    holder.grabs.info = [dataclasses.replace(info, name="nobody")]
    assert holder.grabbed == ()
    assert ball.holder is None


def test_a_state_takes_what_it_held_back_from_others(env):
    holder, ball, cube = (env.bodies[n] for n in ("crane", "ball", "cube"))
    holder.grab(ball)
    before = ball.transform
    with holder.preserve_state():
        holder.release(ball)
        cube.grab(ball)
        cube.transform = (1, 0, 0, 0, 5, 5, 5)
    assert ball.holder is holder
    assert cube.grabbed == ()
    np.testing.assert_allclose(ball.transform, before, atol=1e-15)


def test_who_holds_what_lives_as_long_as_one_of_them():
    made = pyrave.Environment()
    for description in (crane(), block("ball")):
        made.create_body(description)
    ball = made.bodies["ball"]
    alone = made.bodies["crane"].clone()
    made.bodies["crane"].grab(ball)
    del made
    gc.collect()
    assert ball.holder.name == "crane"
    assert ball.holder.grabbed == (ball,)
    # a clone holds nothing
    assert alone.grabbed == ()
