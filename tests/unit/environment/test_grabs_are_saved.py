"""What bodies hold is described, saved, and held again after loading."""

import json

import numpy as np
import pytest

import pyrave

HELD = """<environment>
  <robot name="arm"><kinbody>
    <body name="base"><geom type="box"><extents>1 1 1</extents></geom></body>
    <body name="hand"><translation>0 0 1</translation></body>
    <joint name="j"><body>base</body><body>hand</body><axis>0 0 1</axis></joint>
  </kinbody><jointvalues>0.3</jointvalues></robot>
  <kinbody name="cup"><body name="c"/><translation>0.5 0 1</translation></kinbody>
  <kinbody name="spoon"><body name="s"/><translation>0.5 0 1.1</translation></kinbody>
  {}
</environment>"""


def grabs(*items):
    names = ("type", "holder", "link", "body")
    found = [dict(zip(names, ("GrabDescription", *i), strict=True)) for i in items]
    return HELD.format(f'<pyrave><set name="grabs">{json.dumps(found)}</set></pyrave>')


def test_what_is_held_is_held_after_loading(tmp_path):
    env = pyrave.load_string(HELD.format(""))
    arm, cup = env.robots["arm"], env.bodies["cup"]
    arm.grab(cup, "hand", ignored_links=["base"])
    cup.grab("spoon")
    arm.dof_values = [0.7]
    path = tmp_path / "held.env.xml"
    assert env.save(path) == ("warning: grabs are for pyrave alone: 'cup', 'spoon'",)
    again = pyrave.load(path)
    assert again.describe() == env.describe()
    (found,) = again.robots["arm"].grabs.info
    (known,) = arm.grabs.info
    assert (found.name, found.link, found.ignored_links) == (
        "cup",
        "hand",
        known.ignored_links,
    )
    for one in (env, again):
        one.robots["arm"].dof_values = [1.2]
    for name in ("cup", "spoon"):
        np.testing.assert_allclose(
            again.bodies[name].transform, env.bodies[name].transform, atol=1e-12
        )


def test_renamed_bodies_hold_their_own(tmp_path):
    text = grabs(("arm", "hand", "cup"))
    env = pyrave.load_string(text)
    env.load_string(text, rename=True)
    second = env.robots[1]
    assert second.name != "arm"
    assert [body.name for body in second.grabbed] == [
        body.name for body in env.bodies if body.name.startswith("cup")
    ][1:]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([("arn", "hand", "cup")], "no body 'arn', did you mean 'arm'"),
        ([("arm", "hnd", "cup")], "no link 'hnd', did you mean 'hand'"),
        ([("arm", "hand", "cup"), ("spoon", "s", "cup")], "'arm' holds it already"),
        ([("cup", "c", "cup")], "cannot hold each other"),
        ([("cup", "c", "spoon"), ("spoon", "s", "cup")], "cannot hold each other"),
    ],
)
def test_conflicts_are_told(items, said):
    env = pyrave.load_string(grabs(*items))
    (problem,) = env.problems
    assert problem.code == "grab-conflict"
    assert said in problem.message
    assert problem.line == 1
    with pytest.raises(pyrave.SceneError, match=said):
        pyrave.load_string(grabs(*items), strict=True)


@pytest.mark.parametrize("turned", [False, True])
def test_rows_of_holders_are_bounded(turned):
    count = 150
    bodies = "".join(
        f'<kinbody name="b{i}"><body name="l"/><translation>{i} 0 0</translation>'
        f"<rotationaxis>0 0 1 {7 * i}</rotationaxis></kinbody>"
        for i in range(count)
    )
    items = [("GrabDescription", f"b{i}", "l", f"b{i + 1}") for i in range(count - 1)]
    names = ("type", "holder", "link", "body")
    found = [dict(zip(names, one, strict=True)) for one in items]
    held = f'<set name="grabs">{json.dumps(found[::-1] if turned else found)}</set>'
    text = f"<environment>{bodies}<pyrave>{held}</pyrave></environment>"
    env = pyrave.load_string(text)
    assert {one.code for one in env.problems} == {"grab-conflict"}
    message = "'b99' does not hold 'b100': 100 bodies hold each other in a row already"
    assert message in [one.message for one in env.problems]
    for i, body in enumerate(env.bodies):
        assert body.transform[0, 3] == i
    held = [body.holder is not None for body in env.bodies]
    assert held[:101] == [False, *[True] * 99, False]
    env.bodies["b0"].transform = np.eye(4)[[1, 0, 2, 3]] * [[1], [-1], [1], [1]]
    np.testing.assert_allclose(
        env.bodies["b99"].transform[:3, 3], [0, -99, 0], atol=1e-12
    )
