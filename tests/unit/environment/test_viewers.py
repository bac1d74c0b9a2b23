"""Viewers of an environment: what they hear, and what their failures do."""

import pickle

import pytest

import pyrave
from pyrave.interfaces.settings.parts import as_part

BODY = "<kinbody name='{}'><body name='base'/></kinbody>"


class Log(pyrave.ViewerBase):
    """Writes down what it hears."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.heard = []

    def main(self, show=True):
        return 0

    def quit_main_loop(self):
        self.heard.append("quit")

    def environment_sync(self):
        self.heard.append(("sync", self.env.simulation_time, self.env.bodies.names))

    def body_removed(self, body):
        self.heard.append(("removed", body.name, body.name in self.env.bodies.names))

    def update(self, changes):
        self.heard.append(("update", len(changes.added)))


@pytest.fixture
def viewer(env):
    env.load_string(BODY.format("a"))
    env.register("viewer", "Log", Log)
    made = env.create("viewer", "Log")
    env.add(made)
    return made


def news(viewer):
    heard, viewer.heard = viewer.heard, []
    return heard


def test_a_viewer_shows_what_is_there_when_it_is_added(env, viewer):
    assert env.viewers == (viewer,)
    assert env.viewers is env.viewers
    assert news(viewer) == [("update", 1), ("sync", 0, ("a",))]


def test_steps_and_publishing_are_shown(env, viewer):
    news(viewer)
    env.step(0.01)
    assert news(viewer) == [("sync", 0.01, ("a",))]
    env.load_string(BODY.format("b"))
    assert news(viewer) == []
    env.publish()
    assert news(viewer) == [("update", 1), ("sync", 0.01, ("a", "b"))]


def test_removed_bodies_are_told_before_they_are_gone(env, viewer):
    news(viewer)
    env.remove("a")
    assert news(viewer) == [("removed", "a", True)]


def test_a_viewer_survives_a_reset(env, viewer):
    news(viewer)
    env.reset()
    assert env.viewers == (viewer,)
    assert news(viewer) == [("removed", "a", True), ("update", 0), ("sync", 0, ())]


def test_a_removed_viewer_ends_and_hears_no_more(env, viewer):
    news(viewer)
    env.remove(viewer)
    env.step(0.01)
    env.remove("a")
    assert env.viewers == ()
    assert news(viewer) == ["quit"]
    with pytest.raises(pyrave.NotFoundError):
        env.remove(viewer)
    env.add(viewer)
    assert news(viewer) == [("update", 0), ("sync", 0.01, ())]


def test_several_viewers_show_one_environment(env, viewer):
    other = env.create("viewer", "Log")
    env.add(other)
    env.add(other)
    env.step(0.01)
    assert env.viewers == (viewer, other)
    assert [one[0] for one in news(other)] == ["update", "sync", "sync"]


@pytest.mark.parametrize("method", ["environment_sync", "update", "body_removed"])
def test_a_viewer_that_raises_is_switched_off(env, viewer, method):
    other = env.create("viewer", "Log")
    env.add(other)

    def fail(*args):
        raise SystemExit

    setattr(viewer, method, fail)
    # what is looked up in the class is `update`
    if method == "update":
        viewer.forget_world()
    news(other)
    env.remove("a")
    env.step(0.01)
    env.step(0.01)
    assert viewer.disabled
    (problem,) = env.problems
    assert f"its {'environment_sync' if method == 'update' else method}() raised" in (
        problem.message
    )
    assert [one[0] for one in news(other)] == ["removed", "update", "sync", "sync"]


def test_a_viewer_that_does_not_quit_is_removed_all_the_same(env, viewer):
    viewer.quit_main_loop = lambda: 1 // 0
    env.remove(viewer)
    assert env.viewers == ()
    assert "its quit_main_loop() raised" in env.problems[0].message


def test_viewers_are_saved_and_not_copied(env, viewer, tmp_path):
    assert env.clone().viewers == ()
    env.save(tmp_path / "scene.env.xml")
    other = pyrave.Environment()
    other.register("viewer", "Log", Log)
    other.load(tmp_path / "scene.env.xml")
    assert [type(one) for one in other.viewers] == [Log]
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    assert (again.viewers, again.bodies.names) == ((), ("a",))


def test_viewers_of_other_environments_are_refused(env):
    other = pyrave.Environment()
    for one in (env, other):
        one.register("viewer", "Log", Log)
    viewer = env.create("viewer", "Log")
    with pytest.raises(pyrave.ArgumentError, match="made for another environment"):
        other.show(viewer)
    with pytest.raises(pyrave.ArgumentError, match="viewer is 5, expected the id of a"):
        env.show(5)
    with pytest.raises(pyrave.ArgumentError, match="expected the id of an iksolver"):
        as_part(env, pyrave.IkSolverBase, 5)
