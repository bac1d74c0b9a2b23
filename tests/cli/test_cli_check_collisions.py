"""``pyrave check --collisions`` lists what collides at the start of a scene."""

from __future__ import annotations

import pytest

BOX = (
    '<kinbody name="{}"><body name="base"><geom type="box" name="{}">'
    "<extents>.5 .5 .5</extents></geom></body><translation>{}</translation></kinbody>"
)
NAMES = (("a", "g"), ("b", ""), ("c", ""))
# three bars end to end; folded to a triangle the first and the last overlap
ARM = """<robot name="arm"><kinbody>
  <body name="first"><geom type="box"><extents>.45 .1 .1</extents></geom></body>
  <body name="second"><offsetfrom>first</offsetfrom><translation>1 0 0</translation>
    <geom type="box"><extents>.45 .1 .1</extents></geom></body>
  <body name="third"><offsetfrom>second</offsetfrom><translation>1 0 0</translation>
    <geom type="box"><extents>.45 .1 .1</extents></geom></body>
  <joint name="elbow" type="hinge"><body>first</body><body>second</body>
    <offsetfrom>first</offsetfrom><anchor>.5 0 0</anchor><axis>0 0 1</axis></joint>
  <joint name="wrist" type="hinge"><body>second</body><body>third</body>
    <offsetfrom>second</offsetfrom><anchor>.5 0 0</anchor><axis>0 0 1</axis></joint>
</kinbody><jointvalues>{0} {0}</jointvalues></robot>"""


@pytest.fixture
def boxes(scene):
    """Write a scene of boxes with edges of 1 m at places."""

    def write(*places: str) -> object:
        return scene(
            "<environment>"
            + "".join(
                BOX.format(name, geometry, place)
                for (name, geometry), place in zip(NAMES, places, strict=False)
            )
            + "</environment>"
        )

    return write


def test_pairs_are_listed_with_their_depth_the_deepest_first(pyrave, boxes):
    path = boxes("0 0 0", "-1 0 0", ".75 0 0")
    said = pyrave("check", path, "--collisions")
    assert said.code == 0
    assert said.out.splitlines() == [
        f"{path}: ok, 2 collisions (1 overlap)",
        "  a/base/g x c/base: 0.25 m deep",
        "  a/base/g x b/base: touch",
    ]
    assert "collision" not in pyrave("check", path).out


def test_json_has_the_pairs(pyrave, boxes):
    path = boxes("0 0 0", "0 0 .75")
    data = pyrave("check", path, "--collisions", "--json").data
    assert data["ok"] is True
    (file,) = data["files"]
    (pair,) = file["collisions"]
    assert pair["first"] == {
        "body": "a",
        "link": "base",
        "geometry": "g",
        "geometry_index": 0,
    }
    assert pair["second"]["body"] == "b"
    assert pair["depth"] == pytest.approx(0.25, abs=1e-9)
    (contact,) = pair["contacts"]
    assert contact["normal"] == pytest.approx((0, 0, 1), abs=1e-9)
    assert "collisions" not in pyrave("check", path, "--json").data["files"][0]


@pytest.mark.parametrize("place", ["0 0 .75", "0 0 1"])
def test_strict_makes_collisions_problems(pyrave, boxes, place):
    path = boxes("0 0 0", place)
    assert pyrave("check", path, "--strict").code == 0
    said = pyrave("check", path, "--collisions", "--strict", "--json")
    assert said.code == 1
    assert said.data["ok"] is said.data["files"][0]["ok"] is False


def test_what_is_apart_does_not_collide(pyrave, boxes):
    path = boxes("0 0 0", "0 0 1.001")
    said = pyrave("check", path, "--collisions", "--strict")
    assert said.code == 0
    assert said.out == f"{path}: ok, nothing collides\n"


@pytest.mark.parametrize(("angle", "n"), [(0, 0), (2.0944, 1)])
def test_self_collisions_are_listed(pyrave, scene, angle, n):
    path = scene(f"<environment>{ARM.format(angle)}</environment>")
    (file,) = pyrave("check", path, "--collisions", "--json").data["files"]
    assert file["problems"] == []
    links = [{one[side]["link"] for side in ("first", "second")}
             for one in file["collisions"]]  # fmt: skip
    assert links == [{"first", "third"}] * n


def test_a_file_with_problems_is_not_loaded(pyrave, scene):
    path = scene('<environment><kinbody name="a"><bdy/></kinbody></environment>')
    said = pyrave("check", path, "--collisions", "--json")
    assert said.code == 1
    assert "collisions" not in said.data["files"][0]


def test_a_checker_that_finds_nothing_is_refused(pyrave, scene):
    path = scene(
        "<environment><collisionchecker type='GenericCollisionChecker'/></environment>"
    )
    said = pyrave("check", path, "--collisions")
    assert said.code == 1
    assert "GenericCollisionChecker never finds a collision" in said.err
