"""Wrong counts of numbers and names: what OpenRAVE reads is read, with a warning.

OpenRAVE ignores a surplus; where numbers are missing, values stay what they were: zero,
the default, or what an earlier tag said.
"""

from __future__ import annotations

import math

import pytest

from pyrave.errors import SceneError
from pyrave.scene import Box, Cylinder

LINKS = "<body name='a'/><body name='b'/>"
ENDS = "<body>a</body><body>b</body>"
TURN = "<axis>0 0 1</axis>"
TWO = "<axis1>0 0 1</axis1><axis2>1 0 0</axis2>"


@pytest.fixture
def lenient(read):
    """Read the content of a kinbody with one wrong count; return the body."""

    def body_of(content: str):
        text = f"<kinbody name='k'>{content}</kinbody>"
        scene = read(text)
        assert {p.code for p in scene.problems} <= {"bad-number", "bad-vertices"}
        assert scene.problems
        with pytest.raises(SceneError):
            read(text, strict=True)
        return scene.bodies[0]

    return body_of


def in_link(content: str) -> str:
    return f"<body name='base'/><body name='a'>{content}</body>"


@pytest.mark.parametrize(
    ("tags", "place"),
    [
        ("<translation></translation>", (0, 0, 0)),
        ("<translation/>", (0, 0, 0)),
        ("<translation>1</translation>", (1, 0, 0)),
        ("<translation>1 2 3 4</translation>", (1, 2, 3)),
        ("<translation>1 2 3</translation><translation>1 1</translation>", (2, 3, 3)),
    ],
)
def test_translations(lenient, tags, place):
    assert lenient(in_link(tags)).links[1].pose.translation == place


@pytest.mark.parametrize(
    ("tags", "turn"),
    [
        ("<quat></quat>", "1 0 0 0"),
        ("<quat>1</quat>", "1 0 0 0"),
        ("<quat>0 1</quat>", "0 1 0 0"),
        ("<quat>0 0 1 0 5</quat>", "0 0 1 0"),
        ("<rotationaxis></rotationaxis>", "1 0 0 0"),
        ("<rotationaxis>0 0 1</rotationaxis>", "1 0 0 0"),
        ("<rotationaxis>0 0 1 180 7</rotationaxis>", "0 0 0 1"),
        ("<rotationmat>1 0 0</rotationmat>", "1 0 0 0"),
        ("<rotationmat>-1 0 0 0 -1</rotationmat>", "0 0 0 1"),
    ],
)
def test_rotations(lenient, only_body, tags, turn):
    found = lenient(in_link(tags)).links[1].pose.rotation
    right = only_body(in_link(f"<quat>{turn}</quat>")).links[1].pose.rotation
    assert found == pytest.approx(right, abs=1e-15)


@pytest.mark.parametrize(
    ("tags", "half"),
    [
        ("<extents>1 2</extents>", (1, 2, 0)),
        ("<extents/>", (0, 0, 0)),
        ("<extents>1 2 3 4</extents>", (1, 2, 3)),
        ("<extents>1 2 3</extents><extents>4</extents>", (4, 2, 3)),
        # what is missing is half of what stood there before
        ("<extents>1 2 3</extents><fullextents>4</fullextents>", (2, 1, 1.5)),
        ("<fullextents>2 4</fullextents>", (1, 2, 0)),
    ],
)
def test_boxes(lenient, tags, half):
    body = lenient(f"<body name='a'><geom type='box'>{tags}</geom></body>")
    assert body.links[0].geometries[0].shape == Box(half)


def test_the_last_size_of_a_box_counts(only_body):
    for tags, half in (
        ("<fullextents>2 2 2</fullextents><extents>3 3 3</extents>", (3, 3, 3)),
        ("<extents>3 3 3</extents><fullextents>2 2 2</fullextents>", (1, 1, 1)),
        ("<halfextents>3 3 3</halfextents><extents>4 4 4</extents>", (4, 4, 4)),
    ):
        body = only_body(f"<body name='a'><geom type='box'>{tags}</geom></body>")
        assert body.links[0].geometries[0].shape == Box(half)


def test_round_shapes(lenient):
    sizes = "<radius>1 2</radius><height></height>"
    body = lenient(f"<body name='a'><geom type='cylinder'>{sizes}</geom></body>")
    assert body.links[0].geometries[0].shape == Cylinder(1, 0)


@pytest.mark.parametrize(
    ("tags", "diffuse", "ambient"),
    [
        ("<diffusecolor>0.5</diffusecolor>", (0.5, 1, 1), None),
        ("<ambientcolor>0.5 0.25 1 1</ambientcolor>", None, (0.5, 0.25, 1)),
        ("<ambientcolor/>", None, (0, 0, 0)),
    ],
)
def test_colours(lenient, tags, diffuse, ambient):
    geom = f"<geom type='box'><extents>1 1 1</extents>{tags}</geom>"
    material = lenient(f"<body name='a'>{geom}</body>").links[0].geometries[0].material
    assert (material.diffuse, material.ambient) == (diffuse, ambient)


@pytest.mark.parametrize(
    ("scale", "taken"), [("1 2", (1, 2, 1)), ("1 2 3 4", (1, 2, 3))]
)
def test_scales_of_meshes(read, tmp_path, scale, taken):
    (tmp_path / "a.stl").write_text("solid a\nendsolid a")
    geom = f"<geom type='trimesh'><data>a.stl {scale}</data></geom>"
    scene = read(f"<kinbody name='k'><body name='a'>{geom}</body></kinbody>", tmp_path)
    assert scene.bodies[0].links[0].geometries[0].shape.mesh.scale == taken
    (problem,) = scene.problems
    assert "expected 1 or 3" in problem.message


@pytest.mark.parametrize(("scale", "half"), [("2 3", 2), ("", 1), ("2 2 2 5", 2)])
def test_scales_of_bodies(read, scale, half):
    geom = "<geom type='box'><extents>1 1 1</extents></geom>"
    scene = read(
        f"<kinbody name='k' scalegeometry='{scale}'><body name='a'>{geom}</body>"
        "</kinbody>"
    )
    assert scene.bodies[0].links[0].geometries[0].shape == Box((half,) * 3)
    assert [p.code for p in scene.problems] == ["bad-number"]


def test_triangles_that_do_not_add_up_are_none(lenient):
    body = lenient(
        "<body name='a'><geom type='trimesh'><vertices>0 0 0 1 0 0 0 1 0</vertices>"
        "<vertices>1 2 3</vertices></geom></body>"
    )
    assert len(body.links[0].geometries[0].shape.mesh.faces) == 1


@pytest.mark.parametrize(
    ("kind", "tags", "mass"),
    [
        ("sphere", "<total/>", 1),
        ("sphere", "<total>3 4</total>", 3),
        ("sphere", "<total>3</total><total/>", 3),
        ("sphere", "<density/>", 4 / 3 * math.pi),
        ("sphere", "<radius/>", 4 / 3 * math.pi),
        ("box", "<extents>2</extents>", 16),
        ("custom", "<com>1 2</com>", 1),
        ("custom", "<inertia>0.5 0 0</inertia>", 1),
    ],
)
def test_masses(lenient, kind, tags, mass):
    link = lenient(f"<body name='a'><mass type='{kind}'>{tags}</mass></body>").links[0]
    assert link.inertial.mass == pytest.approx(mass, rel=1e-15)
    if "com" in tags:
        assert link.inertial.com == (1, 2, 0)
    if "inertia" in tags:
        assert link.inertial.inertia == (0.5, 0, 0, 0, 0.4, 0, 0, 0, 0.4)


def joint(content: str, kind: str = "hinge") -> str:
    return f"{LINKS}<joint name='j' type='{kind}'>{ENDS}{content}</joint>"


def test_anchors_keep_what_was_there(lenient):
    for tags, place in (
        ("<anchor>1 2</anchor>", (1, 2, 0)),
        ("<anchor>1 2 3</anchor><anchor>4</anchor>", (4, 2, 3)),
    ):
        found = lenient(joint(TURN + tags)).joints[0]
        assert found.T_parent_joint.translation == place


def test_axes_are_completed_and_normalised(lenient):
    (axis,) = lenient(joint("<axis>0 2</axis>")).joints[0].axes
    assert axis.direction == (0, 1, 0)


@pytest.mark.parametrize("limits", ["", "1", "0 1 2"])
def test_limits_count_as_a_whole(lenient, limits):
    (axis,) = lenient(joint(f"{TURN}<limits>{limits}</limits>")).joints[0].axes
    assert (axis.lower, axis.upper) == (-math.pi, math.pi)


@pytest.mark.parametrize(
    ("tags", "velocities"),
    [
        ("<maxvel>2</maxvel>", (2, 10)),
        ("<maxvel>2 3 4</maxvel>", (2, 3)),
        ("<maxvel>2 3</maxvel><maxvel>4</maxvel>", (4, 3)),
        # the conversion is done once more for what was there
        ("<maxveldeg>180</maxveldeg>", (math.pi, math.radians(10))),
    ],
)
def test_values_per_degree_of_freedom(lenient, tags, velocities):
    axes = lenient(joint(TWO + tags, "universal")).joints[0].axes
    assert tuple(axis.velocity_limit for axis in axes) == pytest.approx(velocities)


def test_an_empty_resolution_is_in_degrees_too(lenient):
    (axis,) = lenient(joint(TURN + "<resolution/>")).joints[0].axes
    assert axis.resolution == math.radians(0.02)


@pytest.mark.parametrize(
    ("tags", "limits"),
    [
        ("<lostop/>", (-math.pi * math.pi / 180, math.pi)),
        ("<histop>90 1</histop>", (-math.pi, math.pi / 2)),
    ],
)
def test_old_stops(read, tags, limits):
    scene = read(f"<kinbody name='k'>{joint(TURN + tags)}</kinbody>")
    (axis,) = scene.bodies[0].joints[0].axes
    assert (axis.lower, axis.upper) == pytest.approx(limits)


def test_an_old_stop_of_a_slider_leaves_the_other_one(only_body):
    (axis,) = only_body(joint(TURN + "<histop>1</histop>", "slider")).joints[0].axes
    assert (axis.lower, axis.upper) == (-10, 1)


def test_old_mimics_take_two_numbers(only_body):
    content = (
        f"{LINKS}<body name='c'/><joint name='a1'>{ENDS}{TURN}</joint><joint name='j' "
        f"mimic='a1 2 3 4'><body>b</body><body>c</body>{TURN}</joint>"
    )
    assert only_body(content).joints[1].axes[0].mimic.position == "2.0*a1+3.0"


@pytest.mark.parametrize(
    ("names", "pairs"),
    [("a b c a b c a b c", {("a", "b")}), ("a", set()), ("", set())],
)
def test_adjacent_links(read, names, pairs):
    links = LINKS + "<body name='c'/>"
    scene = read(f"<kinbody name='k'>{links}<adjacent>{names}</adjacent></kinbody>")
    assert scene.bodies[0].adjacent == pairs
    (problem,) = scene.problems
    assert problem.code == "bad-adjacent"
    assert "expected 2 links" in problem.message


def test_more_than_one_word_for_one_name(read):
    text = (
        "<robot name='r'><kinbody><body name='a'/><body name='b'>"
        "<offsetfrom>a x</offsetfrom></body><joint name='j'><body>a a</body>"
        f"<body>b  b</body>{TURN}</joint></kinbody><manipulator name='m'><base>a z"
        "</base><effector>b</effector></manipulator><attachedsensor name='s'>"
        "<link>b b</link></attachedsensor></robot>"
    )
    scene = read(text)
    assert {p.code for p in scene.problems} == {"bad-name"}
    (robot,) = scene.robots
    assert (robot.joints[0].parent, robot.joints[0].child) == ("a", "b")
    assert (robot.manipulators[0].base, robot.attached_sensors[0].link) == ("a", "b")


def test_of_three_links_of_a_joint_the_second_is_passed_over(read):
    content = (
        f"{LINKS}<body name='c'/><joint name='j'><body>a</body><body>b</body>"
        f"<body>c</body>{TURN}</joint>"
    )
    scene = read(f"<kinbody name='k'>{content}</kinbody>")
    (found,) = scene.bodies[0].joints
    assert (found.parent, found.child) == ("a", "c")
    assert "joint-links" in {p.code for p in scene.problems}


@pytest.mark.parametrize(
    ("given", "taken", "words"),
    [("1 -1 1", (1,), "the first 1 are taken"), ("", (0,), "it is not used")],
)
def test_closing_directions(read, given, taken, words):
    scene = read(
        f"<robot name='r'><kinbody>{joint(TURN)}</kinbody><manipulator name='m'>"
        "<base>a</base><effector>a</effector><joints>j</joints>"
        f"<closingdirection>{given}</closingdirection></manipulator></robot>"
    )
    assert scene.robots[0].manipulators[0].chucking_direction == taken
    (problem,) = scene.problems
    assert (problem.code, words in problem.message) == ("closing-direction", True)


def test_tool_directions_keep_what_was_there(read):
    scene = read(
        "<robot name='r'><kinbody><body name='a'/></kinbody><manipulator name='m'>"
        "<base>a</base><effector>a</effector><direction>1</direction></manipulator>"
        "</robot>"
    )
    size = math.sqrt(0.5)
    assert scene.robots[0].manipulators[0].direction == pytest.approx((size, 0, size))


def test_views_keep_what_was_there(read):
    scene = read(
        "<environment><bkgndcolor>0.5</bkgndcolor><camtrans>1</camtrans>"
        "<camrotationaxis>1 0 0</camrotationaxis><camfocal/></environment>"
    )
    assert scene.background_color == (0.5, 1, 1)
    assert scene.camera.pose.translation == (1, 1.5, 0.8)
    assert scene.camera.pose.rotation == (1, 0, 0, 0, 1, 0, 0, 0, 1)
    codes = [problem.code for problem in scene.problems]
    assert sorted(codes) == ["acts-nowhere", *["bad-number"] * 4]


@pytest.mark.parametrize("text", ["\uff11", "\u0663", "\u0663.5"])
def test_digits_of_other_scripts_are_no_numbers(refuse, text):
    box = f"<geom type='sphere'><radius>{text}</radius></geom>"
    (problem,) = refuse(f"<kinbody name='k'>{in_link(box)}</kinbody>")
    assert problem.code == "bad-number"


def test_blanks_of_texts_part_numbers(read):
    box = "<geom type='box'><extents>1\u00a02\u00a03</extents></geom>"
    scene = read(f"<kinbody name='k'>{in_link(box)}</kinbody>", strict=True)
    (geometry,) = scene.bodies[0].links[1].geometries
    assert geometry.shape == Box((1.0, 2.0, 3.0))


def test_what_is_no_number_refuses_a_scene_still(refuse):
    for text in ("1 2 x", "1 2 3 x", "1 2 nan", "a,2 3 4"):
        (problem,) = refuse(
            f"<kinbody name='k'><body name='a'><translation>{text}</translation>"
            "</body></kinbody>"
        )
        assert problem.code == "bad-number"


def test_hinges_without_an_axis(read):
    turned = "<rotationaxis>1 0 0 90</rotationaxis>"
    for inside in ("", "<axis1>1 0 0</axis1>", "<offsetfrom>b</offsetfrom>"):
        text = (
            f"<kinbody name='k'><body name='base'/><body name='a'>{turned}</body>"
            f"<body name='b'/><joint name='i'><body>base</body><body>a</body>{TURN}"
            f"</joint><joint name='j'>{ENDS}{inside}</joint></kinbody>"
        )
        scene = read(text)
        (axis,) = scene.bodies[0].joints[1].axes
        # of the parent link, whatever the frame of the other numbers
        assert axis.direction == (0, 0, 1)
        codes = [p.code for p in scene.problems]
        assert codes == ["unused-tag"] * ("axis1" in inside) + ["missing-axis"]


def test_a_refused_joint_is_told_once(refuse):
    (problem,) = refuse(
        f"<kinbody name='k'>{LINKS}<body name='c'/><joint name='i'>{ENDS}{TURN}</joint>"
        "<joint name='j' type='slider'><body>b</body><body>c</body></joint></kinbody>"
    )
    assert problem.code == "zero-axis"
