"""Attributes that nothing reads: told, kept as data, and written back."""

from __future__ import annotations

import pytest

import pyrave

BODY = '<kinbody name="b"><body name="l"><geom/></body></kinbody>'


def saved_and_read(env: pyrave.Environment, folder) -> pyrave.Environment:
    assert all("for pyrave alone" in loss for loss in env.save(folder / "saved.xml"))
    again = pyrave.Environment()
    again.load(folder / "saved.xml")
    return again


@pytest.mark.parametrize(
    ("tag", "where"),
    [
        ("environment", lambda scene: scene),
        ("robot", lambda scene: scene.bodies[0]),
        ("kinbody", lambda scene: scene.bodies[0]),
        ("body", lambda scene: scene.bodies[0].links[0]),
        ("geom", lambda scene: scene.bodies[0].links[0].geometries[0]),
        ("joint", lambda scene: scene.bodies[0].joints[0]),
        ("sensor", lambda scene: scene.bodies[0].attached_sensors[0]),
        ("iksolver", lambda scene: scene.interfaces[0]),
        ("planner", lambda scene: scene.interfaces[1]),
    ],
)
def test_unknown_attributes_are_kept_and_written_back(tag, where, tmp_path):
    text = """<environment>
    <robot name="r"><kinbody>
      <body name="l"><geom type="box"/></body><body name="m"/>
      <joint name="j"><body>l</body><body>m</body><axis>0 0 1</axis></joint>
    </kinbody>
    <attachedsensor name="s"><link>l</link><sensor type="Gone"/></attachedsensor>
    </robot>
    <iksolver type="gone"/><planner type="gone" name="p"/>
    </environment>""".replace(f"<{tag}", f'<{tag} Weird="3"', 1)
    env = pyrave.Environment()
    env.load_string(text)
    told = [one for one in env.problems if one.code == "unknown-attribute"]
    assert [one.message for one in told] == [f"unknown attribute 'weird' of <{tag}>"]
    for scene in (env.describe(), saved_and_read(env, tmp_path).describe()):
        readables = dict(where(scene).readables)
        assert readables["attributes"].to_xml().get("weird") == "3"


def test_arguments_of_other_interfaces_than_modules_are_kept(tmp_path):
    env = pyrave.Environment()
    env.load_string('<environment><sensor type="Foo" args="1 2"/></environment>')
    (found,) = saved_and_read(env, tmp_path).describe().interfaces
    assert found.readables[0][1].to_xml().get("args") == "1 2"
    assert 'args="1 2"' in (tmp_path / "saved.xml").read_text()


def test_objects_that_exist_have_them_too_and_their_names_are_saved(tmp_path):
    env = pyrave.Environment()
    text = '<iksolver type="analytic" name="mine" own="4"/>'
    env.load_string(f"<environment>{text}</environment>")
    (item,) = saved_and_read(env, tmp_path).interfaces
    assert item.readables["attributes"].to_xml().get("own") == "4"
    assert item.scene_name == "mine"


def test_what_an_including_element_says_wins(tmp_path):
    (tmp_path / "part.xml").write_text('<planner type="gone" a="1" b="2"/>')
    (tmp_path / "main.xml").write_text(
        '<environment><planner file="part.xml" b="3"/></environment>'
    )
    (found,) = pyrave.read(tmp_path / "main.xml").interfaces
    kept = found.readables[0][1].to_xml()
    assert (kept.get("a"), kept.get("b")) == ("1", "3")


def test_attributes_that_cannot_be_kept_are_told_so():
    env = pyrave.Environment()
    body = BODY.replace("<geom/>", '<mass odd="1"/>')
    env.load_string(f"<environment>{body}</environment>")
    (problem,) = env.problems
    assert problem.message == "unknown attribute 'odd' of <mass>; it is not kept"
