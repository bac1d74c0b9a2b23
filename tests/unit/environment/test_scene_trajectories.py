"""Trajectories that stand in scene files: read, refused with their place, saved."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.interfaces import TrajectoryBase

GROUP = '<group name="joint_values r 0" offset="0" dof="1" interpolation="linear"/>'
CONFIGURATION = f"<configuration>{GROUP}</configuration>"


def scene(inside: str, attributes: str = "") -> str:
    return (
        f"<environment>\n<trajectory{attributes}>{inside}\n</trajectory></environment>"
    )


def loaded(env: pyrave.Environment, text: str) -> TrajectoryBase:
    (item,) = env.load_string(text, strict=True).interfaces
    assert isinstance(item, TrajectoryBase)
    return item


@pytest.mark.parametrize("kind", ["", ' type="GenericTrajectory"'])
def test_a_scene_gives_waypoints_description_and_readables(kind):
    inside = (
        f'{CONFIGURATION}<data count="2">0 1</data><data count="1">nan</data>'
        "<description>slow</description><readable><note by='me'>n</note></readable>"
    )
    with pyrave.Environment() as env:
        found = loaded(env, scene(inside, kind))
        assert repr(found.waypoints.tolist()) == "[[0.0], [1.0], [nan]]"
        assert found.spec.groups[0].interpolation == "linear"
        assert found.description == "slow"
        assert found.readables["note"].to_xml().get("by") == "me"


def test_a_file_may_be_one_trajectory():
    text = f'<trajectory>{CONFIGURATION}<data count="2">3 4</data></trajectory>'
    with pyrave.Environment() as env:
        assert loaded(env, text).waypoints.ravel().tolist() == [3, 4]


def test_a_saved_scene_gives_the_same_trajectory(tmp_path):
    inside = (
        f'{CONFIGURATION}<data count="2">0.1 -1e-30</data>'
        "<description>a &lt; b</description><readable><note>n</note></readable>"
    )
    with pyrave.Environment() as env, pyrave.Environment() as other:
        first = loaded(env, scene(inside))
        assert not env.save(tmp_path / "scene.xml")
        (again,) = other.load(tmp_path / "scene.xml", strict=True).interfaces
        assert again.waypoints.tolist() == first.waypoints.tolist()
        assert again.spec == first.spec
        assert again.description == "a < b"
        assert again.readables.items() == first.readables.items()


def test_waypoints_that_a_script_changed_are_saved(tmp_path):
    with pyrave.Environment() as env, pyrave.Environment() as other:
        loaded(env, scene(f"{CONFIGURATION}<data>0 1</data>")).append([7.5])
        env.save(tmp_path / "scene.xml")
        (again,) = other.load(tmp_path / "scene.xml").interfaces
        assert again.waypoints.ravel().tolist() == [0, 1, 7.5]


@pytest.mark.parametrize(
    ("inside", "place", "message"),
    [
        (
            f'{CONFIGURATION}\n<data count="3">0 0</data>',
            (3, 1),
            "<data> has 2 numbers, expected 3 waypoints of 1",
        ),
        (
            f'{CONFIGURATION}\n <data count="2">0 x</data>',
            (3, 2),
            "<data> holds 'x', which is no number",
        ),
        ("\n<data>0</data>", (3, 1), "<data> found before <configuration>"),
        ("<description>d</description>", (2, 1), "needs a <configuration>"),
        (
            '\n<configuration><group name="a" offset="0"/></configuration>',
            (3, 16),
            "dof of group 'a' is None, expected a whole number",
        ),
    ],
)
def test_wrong_data_refuse_the_scene_with_their_place(inside, place, message):
    with pyrave.Environment() as env:
        with pytest.raises(pyrave.SceneError) as caught:
            env.load_string(scene(inside))
        (problem,) = caught.value.problems
        assert (problem.line, problem.column) == place
        assert message in problem.message
        assert problem.file == "<string>"
        assert not env.interfaces


def test_wrong_data_of_an_included_file_are_told_there(tmp_path):
    part = tmp_path / "part.xml"
    part.write_text(f"<trajectory>{CONFIGURATION}\n<data>a</data></trajectory>")
    main = tmp_path / "main.xml"
    main.write_text('<environment><trajectory file="part.xml"/></environment>')
    with pyrave.Environment() as env:
        with pytest.raises(pyrave.SceneError) as caught:
            env.load(main)
        first = caught.value.problems[0]
        assert (first.file, first.line) == (str(part), 2)
