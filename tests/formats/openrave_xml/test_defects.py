"""OpenRAVE's reader has defects that users met; each is done right here.

The numbers are those of the project's list of them, the first is about unknown names.
Defects of sensors' pictures (22) and of the environment are tested where they live.
"""

from __future__ import annotations

import locale
import math

import numpy as np
import pytest

import pyrave
from pyrave.errors import Severity

AB = "<body name='a'/><body name='b'/>"
ENDS = "<body>a</body><body>b</body>"
AXIS = "<axis>0 0 1</axis>"


def test_01_unknown_names_are_told_with_place_and_hint(read):
    text = (
        "<kinbody name='k'>\n  <body name='a' enabled='0'>\n    <gem/></body></kinbody>"
    )
    problems = read(text).problems
    assert [(p.code, p.line, p.column) for p in problems] == [
        ("unknown-attribute", 2, 3),
        ("unknown-tag", 3, 5),
    ]
    assert problems[0].hint == "did you mean 'enable'?"
    assert problems[1].hint == "did you mean <geom>?"


def test_02_a_failing_load_adds_nothing_and_names_file_line_and_element(tmp_path):
    path = tmp_path / "half.env.xml"
    path.write_text(
        "<environment>\n<kinbody name='good'><body name='a'/></kinbody>\n"
        "<kinbody name='bad'><body name='a'><quat>x</quat></body></kinbody>\n"
        "</environment>"
    )
    env = pyrave.Environment()
    with pytest.raises(pyrave.SceneError) as caught:
        env.load(path)
    assert len(env.bodies) == 0
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (str(path), 3)
    assert problem.element == "environment/kinbody[2]/body/quat"


def test_03_a_missing_file_is_an_error(refuse):
    (problem,) = refuse("<environment><robot name='r' file='no.xml'/></environment>")
    assert problem.code == "missing-file"


def test_04_file_and_type_give_the_file_in_that_type(read, tmp_path):
    (tmp_path / "a.xml").write_text(
        "<robot name='r'><kinbody>" + AB + "</kinbody></robot>"
    )
    text = "<environment><robot file='a.xml' type='Mine 3'/></environment>"
    body = read(text, tmp_path).bodies[0]
    assert body.interface == "Mine 3"
    assert len(body.links) == 2


def test_05_box_extents_of_a_body_mass_are_read(only_body):
    mass = "<mass type='box'><extents>1 2 3</extents><total>6</total></mass>"
    inertia = only_body(f"<body name='a'>{mass}</body>").links[0].inertial.inertia
    assert inertia[::4] == pytest.approx((26.0, 20.0, 10.0))


def test_06_kinbody_colours_are_applied(only_body):
    body = only_body(
        "<body name='a'><geom type='sphere'><radius>1</radius></geom></body>"
        "<diffuseColor>1 0 0</diffuseColor><AMBIENTCOLOR>0 1 0</AMBIENTCOLOR>"
    )
    material = body.links[0].geometries[0].material
    assert (material.diffuse, material.ambient) == ((1, 0, 0), (0, 1, 0))


def test_07_appending_to_a_body_keeps_its_mass(only_body):
    body = only_body(
        "<body name='a'><mass type='custom'><total>3</total></mass></body>"
        "<body name='a'><translation>0 0 1</translation></body>"
    )
    assert body.links[0].inertial.mass == 3.0
    again = "<body name='a'><mass type='custom'><total>4</total></mass></body>"
    assert only_body(2 * again).links[0].inertial.mass == 4.0


def test_08_mimicgeom_total_scales_the_inertia(only_body):
    mass = "<mass type='mimicgeom'><total>3</total></mass>"
    box = "<geom type='box'><extents>1 1 1</extents></geom>"
    found = only_body(f"<body name='a'>{mass}{box}</body>").links[0].inertial
    assert (found.mass, found.inertia[0]) == (3.0, pytest.approx(2.0))
    # the same for all bodies that follow
    found = only_body(f"{mass}<body name='a'>{box}</body>").links[0].inertial
    assert (found.mass, found.inertia[0]) == (3.0, pytest.approx(2.0))


def test_09_com_and_inertia_without_custom_are_told(read):
    mass = (
        "<mass type='box'><com>0 0 1</com><inertia>1 0 0 0 1 0 0 0 1</inertia></mass>"
    )
    (problem,) = read(
        f"<kinbody name='k'><body name='a'>{mass}</body></kinbody>"
    ).problems
    assert problem.code == "mass-values-unused"
    assert "<com>, <inertia>" in problem.message


@pytest.mark.parametrize(
    ("word", "adjacent"),
    [("true", True), ("TRUE", True), ("1", True), ("false", False), ("0", False)],
)
def test_10_joined_links_adjacent_takes_words(only_body, word, adjacent):
    body = only_body(AB, f"makejoinedlinksadjacent='{word}'")
    assert body.joined_links_adjacent is adjacent


def test_11_resolution_is_in_degrees_and_has_a_form_in_radians(only_body):
    def resolution(tag, kind="hinge"):
        joint = f"<joint name='j' type='{kind}'>{ENDS}{AXIS}{tag}</joint>"
        return only_body(AB + joint).joints[0].axes[0].resolution

    assert resolution("<resolution>90</resolution>") == math.pi / 2
    assert resolution("<resolutionrad>0.5</resolutionrad>") == 0.5
    assert resolution("<resolution>0.5</resolution>", "slider") == 0.5
    assert resolution("") == 0.02


@pytest.mark.parametrize("kind", ["hinge2", "universal"])
def test_12_second_axes_are_normalised_and_missing_axes_refused(
    only_body, refuse, kind
):
    axes = "<axis1>0 0 3</axis1><axis2>2 0 0</axis2>"
    joint = f"<joint name='j' type='{kind}'>{ENDS}{axes}</joint>"
    found = only_body(AB + joint).joints[0].axes
    assert [axis.direction for axis in found] == [(0, 0, 1), (1, 0, 0)]
    for axes in ("<axis1>0 0 3</axis1>", "<axis1>0 0 3</axis1><axis2>0 0 0</axis2>"):
        joint = f"<joint name='j' type='{kind}'>{ENDS}{axes}</joint>"
        (problem,) = refuse(f"<kinbody name='k'>{AB}{joint}</kinbody>")
        assert problem.code == "zero-axis"
        assert "<axis2>" in problem.message


@pytest.mark.parametrize(
    "attributes",
    ["circular='true' type='universal'", "type='universal' circular='true'"],
)
def test_13_circular_does_not_depend_on_the_order_of_attributes(only_body, attributes):
    axes = "<axis1>0 0 1</axis1><axis2>1 0 0</axis2>"
    body = only_body(f"{AB}<joint name='j' {attributes}>{ENDS}{axes}</joint>")
    assert [axis.circular for axis in body.joints[0].axes] == [True, True]


def test_14_joint_anchors_are_scaled(only_body):
    joint = f"<joint name='j'>{ENDS}<anchor>1 1 1</anchor>{AXIS}</joint>"
    body = only_body(AB + joint, "scalegeometry='2 3 4'")
    assert body.joints[0].T_parent_joint.translation == (2, 3, 4)


def test_15_primitives_are_scaled_and_spheres_not_squeezed(only_body, refuse):
    sizes = "<extents>1 1 1</extents><translation>1 0 0</translation>"
    box = f"<geom type='box'>{sizes}</geom>"
    body = only_body(f"<body name='a'>{box}</body>", "scalegeometry='2 3 4'")
    geometry = body.links[0].geometries[0]
    assert geometry.shape.half_extents == (2, 3, 4)
    assert geometry.pose.translation == (2, 0, 0)
    ball = "<geom type='sphere'><radius>1</radius></geom>"
    body = only_body(f"<body name='a'>{ball}</body>", "scalegeometry='2'")
    assert body.links[0].geometries[0].shape.radius == 2
    (problem,) = refuse(
        f"<kinbody name='k' scalegeometry='1 2 1'><body name='a'>{ball}</body>"
        "</kinbody>"
    )
    assert problem.code == "skewing-scale"


def test_16_the_old_mimic_attribute_has_no_acceleration(only_body):
    lead = f"<joint name='i'>{ENDS}{AXIS}</joint><body name='c'/>"
    follow = f"<joint name='j' mimic='i 3 1'><body>b</body><body>c</body>{AXIS}</joint>"
    mimic = only_body(AB + lead + follow).joints[1].axes[0].mimic
    assert mimic.acceleration == "|i 0"
    body = pyrave.load_string(f"<kinbody name='k'>{AB}{lead}{follow}</kinbody>").bodies[
        "k"
    ]
    body.dof_values = [0.5]
    assert body.passive_joints["j"].values == pytest.approx([2.5])


def test_17_a_bad_mimic_formula_is_an_error_that_names_its_joint():
    text = (
        f"<kinbody name='k'>{AB}<body name='c'/><joint name='i'>{ENDS}{AXIS}</joint>"
        f"<joint name='j' mimic_pos='2*(i'><body>b</body><body>c</body>{AXIS}</joint>"
        "</kinbody>"
    )
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(text)
    assert caught.value.first.code == "bad-formula"
    assert "'j'" in caught.value.first.message


def test_18_prefixes_reach_formulas_and_adjacent_pairs(only_body):
    inner = (
        f"{AB}<joint name='i'>{ENDS}{AXIS}</joint>"
        f"<joint name='j' mimic_pos='2*i'>{ENDS}{AXIS}</joint><adjacent>a b</adjacent>"
    )
    body = only_body(f"<kinbody prefix='l_'>{inner}</kinbody>")
    assert body.joints[1].axes[0].mimic.position == "2*l_i"
    assert body.adjacent == {("l_a", "l_b")}


def test_19_a_controller_for_an_unknown_robot_is_an_error(refuse):
    (problem,) = refuse("<environment><controller type='C' robot='x'/></environment>")
    assert (problem.code, problem.severity) == ("unknown-robot", Severity.ERROR)


def test_20_an_attached_sensor_without_link_sits_on_the_base(read):
    text = (
        f"<robot name='r'><kinbody>{AB}</kinbody><attachedsensor name='s'>"
        "<sensor type='L'/></attachedsensor></robot>"
    )
    assert read(text).bodies[0].attached_sensors[0].link == "a"


def test_21_sensors_use_their_transform_tags():
    env = pyrave.load_string(
        "<environment><sensor type='BaseLaser2D' name='s'>"
        "<translation>1 2 3</translation><maxrange>5</maxrange></sensor></environment>"
    )
    np.testing.assert_array_equal(env.sensors["s"].transform[:3, 3], (1, 2, 3))


@pytest.fixture
def decimal_comma():
    """Set a locale that writes numbers with a comma."""
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "German", "French"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
            break
        except locale.Error:
            continue
    else:
        pytest.skip("this machine has no locale with a decimal comma")
    yield
    locale.setlocale(locale.LC_NUMERIC, before)


@pytest.mark.usefixtures("decimal_comma")
def test_23_decimal_commas_of_a_locale_change_nothing():
    body = pyrave.load_string(
        f"<kinbody name='k'>{AB}"
        "<body name='c'><translation>0.5 0 0</translation></body>"
        f"<joint name='i'>{ENDS}{AXIS}</joint>"
        f"<joint name='j' mimic_pos='1.5*i'><body>b</body><body>c</body>{AXIS}</joint>"
        "</kinbody>"
    ).bodies["k"]
    body.dof_values = [0.5]
    assert body.links["c"].transform[0, 3] != 0.0
    assert body.passive_joints["j"].values == pytest.approx([0.75])


@pytest.mark.parametrize(
    ("mass", "words"),
    [
        ("<total>0</total>", "the mass is 0"),
        ("<inertia>1 2 0 0 1 0 0 0 1</inertia>", "not symmetric"),
        ("<inertia>1 0 0 0 1 0 0 0 -1</inertia>", "not positive"),
        ("<inertia>1 0 0 0 1 0 0 0 5</inertia>", "exceeds the sum"),
    ],
)
def test_24_masses_that_no_body_has_are_told(read, mass, words):
    text = f"<kinbody name='k'><body name='a'><mass type='custom'>{mass}</mass></body>"
    (problem,) = read(text + "</kinbody>").problems
    assert problem.code == "bad-inertia"
    assert words in problem.message
