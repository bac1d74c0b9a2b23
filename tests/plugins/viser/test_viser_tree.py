"""Bodies, links and geometries that the viewer shows, by what its server says."""

import types

import numpy as np
import pytest
from opened_viewers import act

from pyrave.scene import body_from_boxes

pytest.importorskip("viser", reason="the extra viewer is not installed")

TWO_BOXES = """<Environment><KinBody name="pair"><Body name="b">
<Geom type="box"><extents>0.1 0.1 0.1</extents></Geom>
<Geom type="sphere"><radius>0.1</radius><Translation>0 0 1</Translation></Geom>
</Body></KinBody></Environment>"""


@pytest.fixture
def tree(viewer):
    return viewer.session.panels.tree


def event(value=None):
    target = types.SimpleNamespace(value=value)
    return types.SimpleNamespace(client=object(), target=target)


def solids(viewer, body):
    """Nodes of a robot's geometries: their names, and whether they are seen."""
    known = viewer.session.server.scene._handle_from_node_name
    return {
        name: one.visible
        for name, one in known.items()
        if name.startswith(f"/bodies/{body.id}/") and "/g" in name
    }


def widgets(viewer):
    return len(viewer.session.server.gui._gui_input_handle_from_uuid)


def rows_of(viewer):
    known = viewer.session.server.scene._handle_from_node_name
    return sum(
        len(one.batched_positions)
        for name, one in known.items()
        if name.startswith("/pools/")
    )


def test_a_link_is_hidden_and_those_behind_it_are_not(env, viewer, tree):
    robot = env.robots[0]
    viewer.session.panels.selection.select(robot.id, 2)
    viewer.session.show_now()
    before = solids(viewer, robot)
    assert all(before.values())
    tree.parts._switched(None, event(False))
    act(viewer)
    after = solids(viewer, robot)
    hidden = {name for name, visible in after.items() if not visible}
    owner = {name.rsplit("/", 2)[-2] for name in hidden}
    assert owner == {"2"}
    assert len(hidden) == sum(name.rsplit("/", 2)[-2] == "2" for name in after)
    assert not tree.parts._whole.value
    # other shapes leave hidden what is
    viewer.session.bodies.shapes = type(viewer.session.bodies.shapes).BOTH
    assert {
        name.rsplit("/", 2)[-2]
        for name, seen in solids(viewer, robot).items()
        if not seen
    } == {"2"}
    tree._show_all(event())
    act(viewer)
    assert all(solids(viewer, robot).values())
    assert tree.parts._whole.value
    assert robot.links[2].visible


def test_the_link_is_chosen_in_the_list_or_by_a_click(env, viewer, tree):
    robot = env.robots[0]
    viewer.session.show_now()
    assert tree.parts._folder.label == f"Parts of {robot.name}"
    last = len(robot.links) - 1
    tree.parts._chosen(event(f"{last}: {robot.links[last].name}"))
    act(viewer)
    tree.parts._switched(None, event(False))
    act(viewer)
    assert {link for link, _ in viewer.session.bodies.hidden_parts(robot.id)} == {last}
    viewer.session.panels.selection.select(env.bodies["mug"].id, 0)
    viewer.session.show_now()
    assert tree.parts._folder.label == "Parts of mug"
    assert tree.parts._whole.value


def test_single_geometries_of_bodies_that_share_nodes(env, viewer, tree):
    env.load_string(TWO_BOXES)
    pair = env.bodies["pair"]
    viewer.session.show_now()
    viewer.session.panels.selection.select(pair.id, 0)
    viewer.session.show_now()
    before = rows_of(viewer)
    assert sorted(tree.parts._rows) == [0, 1]
    tree.parts._switched(1, event(False))
    act(viewer)
    assert rows_of(viewer) == before - 1
    assert tree.parts._whole.value
    tree.parts._switched(0, event(False))
    act(viewer)
    assert rows_of(viewer) == before - 2
    assert not tree.parts._whole.value
    pair.transform = np.eye(4)
    tree.parts._switched(None, event(True))
    act(viewer)
    assert rows_of(viewer) == before
    assert [row.value for row in tree.parts._rows.values()] == [True, True]
    env.remove(pair)
    act(viewer)
    assert tree.parts._folder.label != "Parts of pair"


def test_hundreds_of_bodies_are_few_widgets(env, viewer, tree):
    for k in range(500):
        env.create_body(body_from_boxes(f"crate{k}", [(0, 0, 0, 0.1, 0.1, 0.1)]))
    viewer.session.show_now()
    assert widgets(viewer) < 120
    assert tree._more.visible
    tree._find.value = "CRATE41"
    tree._looked_for(event())
    act(viewer)
    names = {row.label for row in tree._rows.values()}
    assert names == {"crate41", *(f"crate41{k}" for k in range(10))}
    assert not tree._more.visible
    number = env.bodies["crate417"].id
    tree._switched(number, event(False))
    act(viewer)
    assert viewer.session.bodies.is_hidden(number)
    tree._find.value = ""
    tree._looked_for(event())
    tree._show_all(event())
    act(viewer)
    assert not viewer.session.bodies.is_hidden(number)
