"""``pyrave collide``: pairs, distances, pictures, and what it refuses."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave as package
from pyrave.cli.collision_picture import draw_collisions
from pyrave.cli.collisions import find_collisions

# a ball of 0.1 m slides along x to a wall 1 m away; a post behind that touches it
SCENE = scene_beside(__file__, "collide.env.xml")


@pytest.fixture
def path(scene):
    return scene(SCENE)


def pair_of(one):
    return one["first"]["body"], one["second"]["body"]


def test_all_bodies_are_asked_about(pyrave, path):
    said = pyrave("collide", path)
    assert said.code == 0
    assert said.out.splitlines() == [
        f"{path}: 1 collision",
        "  wall/slab x post/stick: touch",
    ]


@pytest.mark.parametrize("checker", ["Native", "coal"])
@pytest.mark.parametrize("words", [("--dof", "0.95"), ("--set", "slide=0.95")])
def test_joint_values_move_the_robot(pyrave, path, checker, words):
    if checker == "coal":
        pytest.importorskip("coal")
    data = pyrave("collide", path, *words, "--checker", checker, "--json").data
    assert data["schema"] == "pyrave-collide/1"
    assert data["checker"] == checker
    (hit, _) = sorted(data["collisions"], key=lambda one: -one["depth"])
    assert pair_of(hit) == ("slider", "wall")
    assert hit["first"]["geometry"] == "tip"
    assert hit["depth"] == pytest.approx(0.05, abs=1e-6)
    (contact,) = hit["contacts"]
    assert contact["normal"] == pytest.approx((1, 0, 0), abs=1e-6)
    assert contact["position"] == pytest.approx((1.025, 0, 0), abs=1e-6)


def test_negative_values_before_the_file(pyrave, path):
    words = ("--dof", "-0.5", "--robot", "slider", "--distance", "--json")
    data = pyrave("collide", *words, path).data
    (near,) = data["distances"]
    assert (near["body"], near["to"]) == ("slider", "others")
    assert near["distance"] == pytest.approx(1.4, abs=1e-6)
    np.testing.assert_allclose(near["points"], [(-0.4, 0, 0), (1, 0, 0)], atol=1e-6)
    assert data["collisions"] == []


def test_one_body_or_two_alone(pyrave, path):
    words = ("--distance", "--json")
    (found,) = pyrave("collide", path, "--body", "post", *words).data["distances"]
    assert {found["first"]["body"], found["second"]["body"]} == {"post", "wall"}
    assert found["distance"] == pytest.approx(0, abs=1e-6)
    both = ("--robot", "slider", "--body", "post", "--dof", "1.25")
    data = pyrave("collide", path, *both, *words).data
    assert [pair_of(one) for one in data["collisions"]] == [("slider", "post")]
    (found,) = data["distances"]
    assert (found["body"], found["to"]) == ("slider", "post")
    assert found["distance"] == pytest.approx(-0.15, abs=1e-6)


def test_distances_are_printed_the_smallest_first(pyrave, path):
    lines = pyrave("collide", path, "--distance", "--dof", "0.95").out.splitlines()
    at = lines.index("smallest distances:")
    assert lines[at + 1].startswith("  slider to others: -0.05 m, slider/ball/tip x ")
    assert len(lines) == at + 4


def test_nothing_to_be_near(pyrave, scene):
    path = scene('<environment><kinbody name="a"><body name="b"/></kinbody>'
                 "</environment>")  # fmt: skip
    out = pyrave("collide", path, "--distance").out
    assert out.endswith(
        ": nothing collides\nno distance: there is nothing to be near\n"
    )


def test_a_picture_is_written(pyrave, path, tmp_path):
    out = tmp_path / "picture.png"
    said = pyrave("collide", path, "--dof", "0.95", "--distance", "--picture", out)
    assert said.code == 0
    assert f"{out}: written" in said.out
    assert struct.unpack(">II", out.read_bytes()[16:24]) == (960, 720)
    data = pyrave("collide", path, "--picture", out, "--json").data
    assert data["picture"] == str(out)


def counts(env):
    """Return how many pixels of a picture are red, and how many yellow."""
    pairs = find_collisions(env, env.bodies)
    image = draw_collisions(env, pairs).astype(int)
    red, green, blue = np.moveaxis(image, -1, 0)
    overlaps = (red > 3 * green) & (red > 3 * blue) & (red > 60)
    contacts = (red > 200) & (green > 200) & (blue < 60)
    return overlaps.sum(), contacts.sum()


@pytest.mark.parametrize("colour", ["0.1 0.2 0.9", "1 0 0"])
def test_a_picture_shows_what_overlaps_in_red_and_contacts_in_yellow(scene, colour):
    env = package.load(scene(SCENE.replace("0.1 0.2 0.9", colour)))
    red, touching = counts(env)
    assert red == 0, "what is red itself is not taken for an overlap"
    assert 10 < touching < 100, "a dot where the wall and the post touch"
    env.robots[0].set_dof_values([0.95])
    red, yellow = counts(env)
    assert red > 10_000
    assert yellow > 1.5 * touching


def test_a_picture_shows_shapes_that_are_only_compared(scene):
    hidden = SCENE.replace("<geom ", '<geom render="false" ')
    env = package.load(scene(hidden))
    assert not any(one.visible for one in env.bodies["wall"].links[0].geometries)
    env.robots[0].set_dof_values([0.95])
    red, _ = counts(env)
    assert red > 10_000


def test_bodies_without_shapes_and_missing_meshes_collide_with_nothing(pyrave, scene):
    mesh = ('<kinbody name="lost"><body name="b"><geom type="trimesh">'
            "<data>gone.stl</data></geom></body></kinbody>")  # fmt: skip
    text = SCENE.replace("</environment>", f"{mesh}</environment>")
    said = pyrave("collide", scene(text), "--body", "lost", "--distance")
    assert said.code == 0
    assert "nothing collides" in said.out
    assert "file 'gone.stl' not found" in said.err
    assert "file 'gone.stl' not found" in said.err
    assert pyrave("collide", scene(text), "--strict").code == 1


@pytest.mark.parametrize("picture", [True, False])
def test_an_empty_scene(pyrave, scene, tmp_path, picture):
    words = ("--picture", tmp_path / "empty.png") if picture else ()
    data = pyrave("collide", scene("<environment/>"), "--distance", "--json", *words)
    assert data.data["collisions"] == data.data["distances"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("--dof", "0.95", "FILE", "--json"),
        ("--robot", "slider", "--dof", "95e-2", "FILE", "--json"),
        ("--json", "FILE", "--dof", "0.95"),
    ],
)
def test_values_may_stand_before_the_file(pyrave, path, words):
    data = pyrave("collide", *(path if one == "FILE" else one for one in words)).data
    assert ("slider", "wall") in map(pair_of, data["collisions"])


def test_each_pair_is_compared_once(path, monkeypatch):
    env = package.load(path)
    env.robots["slider"].dof_values = [1.3]  # in the wall and in the post
    asked = type(env).check_collision
    reported = []

    def listening(*args, **options):
        report = asked(*args, **options)
        reported.extend(
            frozenset((pair.first.body_name, pair.second.body_name))
            for pair in report.pairs
        )
        return report

    with monkeypatch.context() as patched:
        patched.setattr(type(env), "check_collision", listening)
        pairs = find_collisions(env, list(env.bodies))
    assert len(reported) == len(set(reported)) == len(pairs) == 3


def test_files_with_warnings_are_refused_if_asked(pyrave, scene):
    path = scene(SCENE.replace("<robot ", "<nothing/><robot "))
    assert pyrave("collide", path).code == 0
    assert pyrave("collide", path, "--strict").code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--robot", "wall"), "no robot 'wall'"),
        (("--body", "wal"), "did you mean 'wall'"),
        (("--robot", "slider", "--body", "slider"), "one of them is enough"),
        (("--robot", ""), "no robot ''"),
        (("--dof", "1", "2"), "expected length 1"),
        (("--dof",), "expected length 1"),
        (("--dof", "nan"), "not finite"),
        (("--dof", "5"), "limits"),
        (("--set", "slide=5"), "limits"),
        (("--set", "slide"), "expected JOINT=NUMBER"),
        (("--set", "slid=1"), "joint with one degree of freedom"),
        (("--set", "slide=nan"), "expected JOINT=NUMBER"),
        (("--checker", "nothing"), "no installed plugin offers collisionchecker"),
        (("--picture", "out.bmp"), "expected a name in .png, .jpg"),
    ],
)
def test_wrong_arguments(pyrave, path, words, message):
    said = pyrave("collide", path, *words)
    assert said.code == 2
    assert message in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--checker", "GenericCollisionChecker"), "never finds a collision"),
        (("--picture", "gone/out.png"), "make this folder"),
    ],
)
def test_what_it_refuses(pyrave, path, words, message):
    said = pyrave("collide", path, *words)
    assert said.code == 1
    assert message in said.err
    assert said.out == ""


def test_values_need_one_robot(pyrave, scene):
    path = scene('<kinbody name="a"><body name="b"/></kinbody>')
    assert "no robot in the scene" in pyrave("collide", path, "--dof", "1").err
    robots = "".join(
        f'<robot name="{name}"><kinbody><body name="b"/></kinbody></robot>'
        for name in "ab"
    )
    path = scene(f"<environment>{robots}</environment>")
    said = pyrave("collide", path, "--dof", "1")
    assert "choose one with --robot: a, b" in said.err


def test_the_picture_is_taken_from_where_it_is_asked(pyrave, environments, tmp_path):
    path = environments / "scenes" / "demo.env.xml"
    png = tmp_path / "a.png"
    words = ("collide", path, "--picture", png, "--size", "64x48", "--zoom", 2)
    assert pyrave(*words).code == 0
    assert png.read_bytes()[16:24] == bytes((0, 0, 0, 64, 0, 0, 0, 48))
    said = pyrave("collide", path, "--eye", 1, 2, 3)
    assert "are of a picture, name it with --picture" in said.err
